//! The experiments of Latvala, "Efficient model checking of safety properties" (SPIN 2003), section 5.
//!
//! * **Formulas.** Random syntactically safe formulas of each length from 5 to 22: states and edges of the minimal deterministic
//!   automaton of informative bad prefixes, the time to make it, and the states of its product with a random graph of twenty states;
//!   against Büchi automata of the negation, made by us in four ways that do more and more:
//!
//!   | name | what is done |
//!   | --- | --- |
//!   | `ba-plain` | construction, degeneralisation, removal of useless states: the formula as it is |
//!   | `ba-rewritten` | the same for the rewritten formula: about what translators of 2003 did |
//!   | `ba-simulated` | simulations, too; everything but the minimisation of obligations |
//!   | `ba` | everything; a nondeterministic automaton is taken if it is smaller than the minimal deterministic one |
//!   | `ba-deterministic` | everything, the minimal deterministic one |
//!
//!   and against our TGBA. The paper compares with translators none of which minimised. No automaton has a sink that rejects.
//! * **Kinds.** Random formulas and their negations: how many are safe, how many of these pathological, and the time to find
//!   out, by the check of section 4.1.
//! * **Models.** Peterson's algorithm, a sliding window and the sieve of Eratosthenes ([`safety_models`](super::safety_models)): what
//!   is searched with finite automata, breadth-first (what `auto` does) and depth-first (what SPIN does), and with Büchi automata
//!   by a nested search that looks for a cycle in any case, ours and `ba-rewritten`; and what the paper has in its Table 1. Its
//!   models are others: see which columns grow.

use super::graph_system::GraphSystem;
use super::page::{Chart, Page, Table};
use super::safety_models::SafetyModel;
use crate::check::{AutomatonKind, Checker, Claim, Fairness, Property, Settings, Verdict, sources};
use sempre_base::Random;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::finite::Search;
use sempre_explicit::product::{Limits, Product, Shape};
use sempre_explicit::property::Property as Compiled;
use sempre_lang::model::Model;
use sempre_lang::random_graph::{RandomGraph, random_graph};
use sempre_ltl::nnf::nnf_exact;
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::finite::{to_terminal, unavoidable};
use sempre_omega::{Alphabet, Automaton};
use sempre_translate::hierarchy::is_safety;
use sempre_translate::informative_prefixes;
use sempre_translate::language::Language as Meaning;
use sempre_translate::safety_kind::uninformative_violation;
use sempre_translate::translator::{Effort, Kind, Options, Translator};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The sizes of the experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Formulas of each length in the first experiment, and a tenth of them, with their negations, in the second.
    pub formulas: usize,
    /// The seed.
    pub seed: u64,
    /// The most time for a check of a model.
    pub time: Duration,
    /// The most states of a product with a model.
    pub states: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            formulas: 100,
            seed: 1,
            time: Duration::from_secs(20),
            states: 1 << 24,
        }
    }
}

/// The lengths of formulas.
pub const LENGTHS: RangeInclusive<usize> = 5..=22;

/// Names of the propositions of a random formula.
const PROPOSITIONS: usize = 5;

/// Finite automata with more states are given up.
const MOST_STATES: usize = 1 << 14;

/// What is made of a formula.
const MADE: [&str; 7] = [
    "dfa",
    "ba-plain",
    "ba-rewritten",
    "ba-simulated",
    "ba",
    "ba-deterministic",
    "tgba",
];

/// Which of these is as large as the finite automaton of an intentional formula.
const DETERMINISTIC: usize = 5;

/// A Büchi automaton, or TGBA, of the negation, made in one of the ways of [`MADE`].
fn of_violations(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    way: usize,
) -> Automaton {
    let mut not = formulas.not(f);
    let mut translator = Translator::new();
    if MADE[way] == "ba-rewritten" {
        not = translator.rewritten(formulas, not, Effort::Medium);
    }
    let options = Options {
        kind: if MADE[way] == "tgba" {
            Kind::Tgba
        } else {
            Kind::Ba
        },
        effort: match MADE[way] {
            "ba-plain" | "ba-rewritten" => Effort::Low,
            "ba-simulated" => Effort::Medium,
            _ => Effort::High,
        },
        deterministic: way == DETERMINISTIC,
    };
    translator.translate(formulas, alphabet, not, options)
}

/// What was measured of one kind of automaton.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sum {
    states: f64,
    edges: f64,
    product: f64,
    seconds: Vec<f64>,
}

impl Sum {
    fn mean_microseconds(&self) -> f64 {
        1e6 * self.seconds.iter().sum::<f64>() / self.seconds.len().max(1) as f64
    }

    fn longest_microseconds(&self) -> f64 {
        1e6 * self.seconds.iter().fold(0.0, |a, &b| f64::max(a, b))
    }
}

/// The first experiment, for one length.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthResult {
    length: usize,
    formulas: usize,
    sums: Vec<Sum>,
    /// Formulas all of whose bad prefixes are informative, and of these those whose deterministic BA has as many states.
    intentional: (usize, usize),
}

/// A random syntactically safe formula of exactly this length.
fn safe_formula(random: &mut Random, length: usize) -> (Formulas, Formula) {
    let mut shape = RandomFormula::new(PROPOSITIONS);
    shape.sizes = length..=length;
    shape.exact = true;
    for op in [
        Op::True,
        Op::False,
        Op::Finally,
        Op::Until,
        Op::StrongRelease,
        Op::Implies,
        Op::Equiv,
        Op::Xor,
    ] {
        shape.set_priority(op, 0);
    }
    loop {
        let mut formulas = Formulas::new();
        let f = shape.draw(&mut formulas, random);
        // As it is written: what is safe only once `p | !p` is simplified may be pathological.
        let normal = nnf_exact(&mut formulas, f);
        if formulas.facts(normal).safety() {
            return (formulas, f);
        }
    }
}

/// The number of states of the product with a graph.
fn product_states(system: &GraphSystem, alphabet: &mut Alphabet, a: &Automaton) -> u64 {
    let variables: Vec<u32> = (0..PROPOSITIONS as u32).collect();
    let compiled = Compiled::new(&mut alphabet.bdds, a, &variables)
        .expect("a generalised Büchi automaton over these propositions");
    let product = Product::<_, u32>::new(system, &compiled, Shape::default(), Limits::default());
    let Ok(Some(mut product)) = product else {
        return 0;
    };
    ExplicitSpace::of(&mut product).map_or(0, |space| space.states() as u64)
}

/// The first experiment, for one length.
pub fn run_length(length: usize, parameters: &Parameters) -> LengthResult {
    let mut random = Random::new(parameters.seed.wrapping_mul(1000) + length as u64);
    let mut result = LengthResult {
        length,
        formulas: 0,
        sums: vec![Sum::default(); MADE.len()],
        intentional: (0, 0),
    };
    let shape = RandomGraph {
        states: 20,
        density: 0.2,
        propositions: (0..PROPOSITIONS).map(|i| format!("p{i}")).collect(),
        truth: 0.5,
        marks: 0,
        mark_probability: 0.0,
    };
    while result.formulas < parameters.formulas {
        let (formulas, f) = safe_formula(&mut random, length);
        let system = GraphSystem::new(&random_graph(&mut random, &shape));
        let mut sizes = [0; MADE.len()];
        for (i, sum) in result.sums.iter_mut().enumerate() {
            let mut formulas = formulas.clone();
            let mut alphabet = Alphabet::new();
            for p in 0..PROPOSITIONS {
                alphabet.declare(&format!("p{p}"));
            }
            let begin = Instant::now();
            let made = match i {
                0 => {
                    let d = informative_prefixes::dfa(&mut formulas, &mut alphabet, f, MOST_STATES);
                    let seconds = begin.elapsed().as_secs_f64();
                    d.map(|d| {
                        let all = unavoidable(&mut alphabet.bdds, &d);
                        let same = (&all.edges, &all.is_final) == (&d.edges, &d.is_final);
                        result.intentional.0 += usize::from(same);
                        (to_terminal(&d), same, seconds)
                    })
                }
                _ => {
                    let a = of_violations(&mut formulas, &mut alphabet, f, i);
                    Some((a, false, begin.elapsed().as_secs_f64()))
                }
            };
            let Some((a, intentional, seconds)) = made else {
                continue;
            };
            sizes[i] = a.states();
            if i == 0 && !intentional {
                sizes[0] = usize::MAX;
            }
            sum.states += a.states() as f64;
            sum.edges += a.edge_count() as f64;
            sum.product += product_states(&system, &mut alphabet, &a) as f64;
            sum.seconds.push(seconds);
        }
        result.intentional.1 += usize::from(sizes[0] == sizes[DETERMINISTIC]);
        result.formulas += 1;
    }
    result
}

/// The tables and charts of the first experiment.
pub fn lengths(results: &[LengthResult]) -> Vec<(Table, Vec<Chart>)> {
    let mut sizes = Table::new(
        "Syntactically safe formulas: means by length",
        &["length", "states", "edges", "product", "µs", "longest µs"],
    );
    let chart = |title: &str| Chart {
        title: title.to_string(),
        names: MADE.map(str::to_string).to_vec(),
        groups: Vec::new(),
    };
    let (mut states, mut time) = (chart("States, mean"), chart("Microseconds, mean"));
    for (i, name) in MADE.iter().enumerate() {
        sizes.rows.push(vec![name.to_string()]);
        for r in results {
            let (n, sum) = (r.formulas.max(1) as f64, &r.sums[i]);
            sizes.rows.push(vec![
                r.length.to_string(),
                format!("{:.2}", sum.states / n),
                format!("{:.2}", sum.edges / n),
                format!("{:.1}", sum.product / n),
                format!("{:.0}", sum.mean_microseconds()),
                format!("{:.0}", sum.longest_microseconds()),
            ]);
        }
    }
    for r in results {
        let n = r.formulas.max(1) as f64;
        let group = r.length.to_string();
        let each = r.sums.iter().map(|s| s.states / n).collect();
        states.groups.push((group.clone(), each));
        let each = r.sums.iter().map(Sum::mean_microseconds).collect();
        time.groups.push((group, each));
    }
    let mut ratios = Table::new(
        "The finite automaton against each, ratios of the means: states, edges, product, time",
        &["length", "states", "edges", "product", "time"],
    );
    for (i, name) in MADE.iter().enumerate().skip(1) {
        ratios.rows.push(vec![name.to_string()]);
        for r in results {
            let (d, b) = (&r.sums[0], &r.sums[i]);
            let ratio = |d: f64, b: f64| format!("{:.2}", d / b);
            ratios.rows.push(vec![
                r.length.to_string(),
                ratio(d.states, b.states),
                ratio(d.edges, b.edges),
                ratio(d.product, b.product),
                ratio(d.mean_microseconds(), b.mean_microseconds()),
            ]);
        }
    }
    let mut kinds = Table::new(
        "Intentional formulas: is the finite automaton as large as the deterministic BA?",
        &["length", "formulas", "intentional", "as large"],
    );
    for r in results {
        kinds.rows.push(vec![
            r.length.to_string(),
            r.formulas.to_string(),
            r.intentional.0.to_string(),
            r.intentional.1.to_string(),
        ]);
    }
    vec![
        (sizes, vec![states, time]),
        (ratios, Vec::new()),
        (kinds, Vec::new()),
    ]
}

/// The second experiment, for one length.
#[derive(Clone, Debug, PartialEq)]
pub struct KindResult {
    length: usize,
    formulas: usize,
    safe: usize,
    pathological: usize,
    /// Neither: liveness, or too large.
    given_up: usize,
    seconds: Vec<f64>,
}

/// The second experiment, for one length: a tenth as many formulas as the first, and their negations.
pub fn run_kinds(length: usize, parameters: &Parameters) -> KindResult {
    let mut random = Random::new(parameters.seed.wrapping_mul(2000) + length as u64);
    let mut shape = RandomFormula::new(PROPOSITIONS);
    shape.sizes = length..=length;
    shape.exact = true;
    let mut result = KindResult {
        length,
        formulas: 0,
        safe: 0,
        pathological: 0,
        given_up: 0,
        seconds: Vec::new(),
    };
    for _ in 0..parameters.formulas.div_ceil(10) {
        let mut formulas = Formulas::new();
        let f = shape.draw(&mut formulas, &mut random);
        let not = formulas.node(Op::Not, &[f]);
        for g in [f, not] {
            result.formulas += 1;
            let mut alphabet = Alphabet::new();
            let mut translator = Translator::new();
            let options = Options {
                effort: Effort::Medium,
                ..Options::default()
            };
            let begin = Instant::now();
            let negation = formulas.not(g);
            let violations = translator.translate(&mut formulas, &mut alphabet, negation, options);
            let word =
                uninformative_violation(&mut formulas, &mut alphabet, g, &violations, MOST_STATES);
            result.seconds.push(begin.elapsed().as_secs_f64());
            match word {
                None => result.given_up += 1,
                Some(None) => result.safe += 1,
                Some(Some(_)) => {
                    let safe = is_safety(&mut Meaning::new(&mut translator, &mut formulas, g));
                    result.safe += usize::from(safe);
                    result.pathological += usize::from(safe);
                }
            }
        }
    }
    result
}

/// The table of the second experiment.
pub fn kinds(results: &[KindResult]) -> (Table, Vec<Chart>) {
    let mut table = Table::new(
        "Random formulas and their negations: which can be checked by finite automata?",
        &[
            "length",
            "formulas",
            "safe",
            "pathological",
            "rejected %",
            "given up",
            "µs",
            "longest µs",
        ],
    );
    for r in results {
        let rejected = r.formulas - r.given_up - (r.safe - r.pathological);
        let sum: f64 = r.seconds.iter().sum();
        let longest = r.seconds.iter().fold(0.0, |a, &b| f64::max(a, b));
        table.rows.push(vec![
            r.length.to_string(),
            r.formulas.to_string(),
            r.safe.to_string(),
            r.pathological.to_string(),
            format!("{:.1}", 100.0 * rejected as f64 / r.formulas.max(1) as f64),
            r.given_up.to_string(),
            format!("{:.0}", 1e6 * sum / r.seconds.len().max(1) as f64),
            format!("{:.0}", 1e6 * longest),
        ]);
    }
    (table, Vec::new())
}

/// A row of the paper's Table 1: the model, and states with scheck, with SPIN and with ltl2ba; `-` if memory was out.
const PAPER: [(&str, [&str; 3]); 10] = [
    ("peterson(3)", ["17476", "21792", "21792"]),
    ("peterson(4)", ["3254110", "4216030", "4216030"]),
    ("sliding(1,1)", ["130799", "258456", "258432"]),
    ("sliding(1,2)", ["518050", "1027130", "1027120"]),
    ("sliding(2,1)", ["5447700", "10794100", "10794000"]),
    ("sieve(50,1)", ["522", "522", "678"]),
    ("sieve(60,2)", ["324", "357958", "794322"]),
    ("sieve(70,3)", ["522", "2047030", "3110700"]),
    ("sieve(80,4)", ["789", "-", "-"]),
    ("sieve(80,5)", ["847", "-", "-"]),
];

/// The models of the third experiment: those of the paper.
pub fn models() -> Vec<SafetyModel> {
    let models = PAPER.iter().map(|(name, _)| SafetyModel::parse(name));
    models.map(|m| m.expect("one of ours")).collect()
}

/// The ways to check a model.
const WAYS: [&str; 4] = ["auto", "finite-dfs", "ba cvwy90", "ba-rewritten cvwy90"];

/// The third experiment, for one model: rows of its table.
///
/// # Errors
/// What went wrong.
pub fn run_model(model: &SafetyModel, parameters: &Parameters) -> Result<Vec<Vec<String>>, String> {
    let (read, _) = Model::read(model.language, &model.name, &model.text)
        .map_err(|_| format!("{} cannot be read", model.name))?;
    let property = sources::formula(&read, &model.formula)
        .map_err(|_| format!("the property of {} cannot be read", model.name))?;
    let checker = Checker::new(read.program(), Fairness::None).map_err(|e| format!("{e:?}"))?;
    let limits = Limits {
        time: Some(parameters.time),
        states: Some(parameters.states),
        memory: crate::memory::default_budget(),
        ..Limits::default()
    };
    let by_runs = Settings {
        automaton: Some(AutomatonKind::Ba),
        algorithm: Some(Algorithm::Cvwy90),
        limits,
        ..Settings::default()
    };
    let by_prefixes = Settings {
        limits,
        ..Settings::default()
    };
    let as_it_comes = violation_automaton(&property)?;
    let ways: [(&Property, Settings<'_>); WAYS.len()] = [
        (&property, by_prefixes),
        (
            &property,
            Settings {
                search: Some(Search::Dfs),
                ..by_prefixes
            },
        ),
        (&property, by_runs),
        (&as_it_comes, by_runs),
    ];
    let mut rows = vec![vec![model.name.clone()]];
    for (name, (property, settings)) in WAYS.iter().zip(ways) {
        let report = checker
            .check(property, &settings)
            .map_err(|e| format!("{}: {e:?}", model.name))?;
        let counters = report.statistics.counters;
        let length = match &report.verdict {
            Verdict::Violated(evidence) => evidence.len().to_string(),
            _ => "-".to_string(),
        };
        rows.push(vec![
            name.to_string(),
            report.verdict.word().to_string(),
            counters.states.to_string(),
            counters.transitions.to_string(),
            length,
            format!("{:.3}", report.elapsed.as_secs_f64()),
        ]);
    }
    if let Some((_, paper)) = PAPER.iter().find(|(name, _)| *name == model.name) {
        for (tool, states) in ["scheck", "spin", "ltl2ba"].iter().zip(paper) {
            let blank = "-".to_string();
            rows.push(vec![
                format!("paper: {tool}"),
                blank.clone(),
                states.to_string(),
                blank.clone(),
                blank.clone(),
                blank,
            ]);
        }
    }
    Ok(rows)
}

/// The property as the Büchi automaton of its violations, without simulations and the minimisation of obligations.
fn violation_automaton(property: &Property) -> Result<Property, String> {
    let Claim::Formula(formulas, f) = &property.claim else {
        return Err("a formula".to_string());
    };
    let mut formulas = formulas.clone();
    let mut alphabet = Alphabet::new();
    for p in 0..property.propositions.len() {
        alphabet.declare(formulas.name(p));
    }
    let rewritten = MADE.iter().position(|m| *m == "ba-rewritten").unwrap_or(1);
    let a = of_violations(&mut formulas, &mut alphabet, *f, rewritten);
    Ok(Property {
        claim: Claim::Violation(Box::new(alphabet), Box::new(a)),
        ..property.clone()
    })
}

/// The table of the third experiment.
pub fn model_table(rows: Vec<Vec<String>>) -> Table {
    let mut table = Table::new(
        "Models: finite automata against Büchi automata",
        &[
            "check",
            "verdict",
            "states",
            "transitions",
            "length",
            "seconds",
        ],
    );
    table.rows = rows;
    table
}

/// All of it as a page.
pub fn page(parts: Vec<(Table, Vec<Chart>)>, parameters: &Parameters) -> Page {
    Page {
        title: "Safety by finite automata".to_string(),
        notes: vec![
            "After T. Latvala, Efficient model checking of safety properties, SPIN 2003, section 5.".to_string(),
            format!(
                "{} formulas of each length, seed {}. The models are our own; those of the paper were not published with it.",
                parameters.formulas, parameters.seed
            ),
        ],
        parts,
    }
}
