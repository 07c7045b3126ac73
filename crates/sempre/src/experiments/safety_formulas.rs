//! Random syntactically safe formulas, the first experiment of Latvala, "Efficient model checking of safety properties" (SPIN 2003).
//!
//! For each length from 5 to 22: states and edges of the minimal deterministic automaton of informative bad prefixes, the time to
//! make it, and the states of its product with a random graph of twenty states; against Büchi automata of the negation, made
//! by us in ways that do more and more:
//!
//! | name | what is done |
//! | --- | --- |
//! | `ba-plain` | construction, degeneralisation, removal of useless states: the formula as it is |
//! | `ba-rewritten` | the same for the rewritten formula: about what translators of 2003 did |
//! | `ba-simulated` | simulations, too; everything but the minimisation of obligations |
//! | `ba` | everything; a nondeterministic automaton is taken if it is smaller than the minimal deterministic one |
//! | `ba-deterministic` | everything, the minimal deterministic one |
//!
//! against our TGBA, and against other translators if their commands are given. The paper compares with translators none of which
//! minimised. None of our automata has a sink that rejects. The time of a command is that of a process with all that belongs to it.
//!
//! A formula that somebody fails at, or has no time for, is left out for all, and another is drawn.

use super::graph_system::GraphSystem;
use super::page::{Chart, Table};
use super::safety::{MOST_STATES, PROPOSITIONS, Parameters};
use crate::Workbench;
use crate::cross::Made;
use crate::cross::external::{Scratch, Template};
use sempre_base::Random;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::product::{Limits, Product, Shape};
use sempre_explicit::property::Property as Compiled;
use sempre_lang::random_graph::{RandomGraph, random_graph};
use sempre_ltl::nnf::nnf_exact;
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::finite::{to_terminal, unavoidable};
use sempre_omega::{Alphabet, Automaton};
use sempre_translate::informative_prefixes;
use sempre_translate::translator::{Effort, Kind, Options, Translator};
use std::time::{Duration, Instant};

/// Translators of others.
#[derive(Debug)]
pub struct Others {
    /// Their commands, with the names they have in tables.
    pub commands: Vec<(String, Template)>,
    /// The time each has for a formula.
    pub time: Duration,
    /// Where they write.
    pub scratch: Scratch,
}

impl Others {
    /// Reads a command; its first word is the name.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn command(text: &str) -> Result<(String, Template), String> {
        let program = text.split_whitespace().next().unwrap_or(text);
        let name = program.rsplit('/').next().unwrap_or(program);
        Ok((name.to_string(), Template::parse(text)?))
    }
}

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

/// A Büchi automaton of the violations, without simulations and the minimisation of obligations.
pub fn rewritten_violations(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
) -> Automaton {
    of_violations(formulas, alphabet, f, "ba-rewritten")
}

/// A Büchi automaton, or TGBA, of the negation, made in one of the ways of [`MADE`].
fn of_violations(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    way: &str,
) -> Automaton {
    let mut not = formulas.not(f);
    let mut translator = Translator::new();
    if way == "ba-rewritten" {
        not = translator.rewritten(formulas, not, Effort::Medium);
    }
    let options = Options {
        kind: if way == "tgba" { Kind::Tgba } else { Kind::Ba },
        effort: match way {
            "ba-plain" | "ba-rewritten" => Effort::Low,
            "ba-simulated" => Effort::Medium,
            _ => Effort::High,
        },
        deterministic: way == MADE[DETERMINISTIC],
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
    /// Formulas that somebody could not do.
    left_out: usize,
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

/// An automaton, the seconds it took, and whether all bad prefixes are informative, where that is known.
type Translation = (Automaton, f64, bool);

/// What the way of this number makes of a formula: ours first, then those of others.
fn make(
    formulas: &Formulas,
    f: Formula,
    way: usize,
    others: &Others,
) -> Option<(Workbench, Translation)> {
    let mut bench = Workbench {
        formulas: formulas.clone(),
        ..Workbench::default()
    };
    for p in 0..PROPOSITIONS {
        bench.alphabet.declare(&format!("p{p}"));
    }
    let (formulas, alphabet) = (&mut bench.formulas, &mut bench.alphabet);
    let begin = Instant::now();
    let made = match MADE.get(way) {
        Some(&"dfa") => {
            let d = informative_prefixes::dfa(formulas, alphabet, f, MOST_STATES)?;
            let seconds = begin.elapsed().as_secs_f64();
            let all = unavoidable(&mut alphabet.bdds, &d);
            let same = (&all.edges, &all.is_final) == (&d.edges, &d.is_final);
            (to_terminal(&d), seconds, same)
        }
        Some(name) => {
            let a = of_violations(formulas, alphabet, f, name);
            (a, begin.elapsed().as_secs_f64(), false)
        }
        None => {
            let not = formulas.not(f);
            let (_, command) = &others.commands[way - MADE.len()];
            let limit = Some(others.time);
            match command.translate(&mut bench, not, limit, &others.scratch) {
                (Made::Automaton(a), time) => (a, time.as_secs_f64(), false),
                (Made::TimedOut | Made::Failed(_), _) => return None,
            }
        }
    };
    Some((bench, made))
}

/// The first experiment, for one length.
pub fn run_length(length: usize, parameters: &Parameters, others: &Others) -> LengthResult {
    let mut random = Random::new(parameters.seed.wrapping_mul(1000) + length as u64);
    let ways = MADE.len() + others.commands.len();
    let mut result = LengthResult {
        length,
        formulas: 0,
        left_out: 0,
        sums: vec![Sum::default(); ways],
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
    // Somebody who can do nothing must not keep us for ever.
    while result.formulas < parameters.formulas && result.left_out < 10 * parameters.formulas {
        let (formulas, f) = safe_formula(&mut random, length);
        let system = GraphSystem::new(&random_graph(&mut random, &shape));
        let all: Option<Vec<_>> = (0..ways).map(|i| make(&formulas, f, i, others)).collect();
        let Some(mut all) = all else {
            result.left_out += 1;
            continue;
        };
        let (finite, deterministic) = (&all[0].1, &all[DETERMINISTIC].1);
        if finite.2 {
            result.intentional.0 += 1;
            result.intentional.1 += usize::from(finite.0.states() == deterministic.0.states());
        }
        for (sum, (bench, (a, seconds, _))) in result.sums.iter_mut().zip(&mut all) {
            sum.states += a.states() as f64;
            sum.edges += a.edge_count() as f64;
            sum.product += product_states(&system, &mut bench.alphabet, a) as f64;
            sum.seconds.push(*seconds);
        }
        result.formulas += 1;
    }
    result
}

/// The tables and charts of the first experiment.
pub fn lengths(results: &[LengthResult], others: &Others) -> Vec<(Table, Vec<Chart>)> {
    let names: Vec<&str> = MADE
        .into_iter()
        .chain(others.commands.iter().map(|(name, _)| name.as_str()))
        .collect();
    let mut sizes = Table::new(
        "Syntactically safe formulas: means by length",
        &["length", "states", "edges", "product", "µs", "longest µs"],
    );
    let chart = |title: &str| Chart {
        title: title.to_string(),
        names: names.iter().map(|n| n.to_string()).collect(),
        groups: Vec::new(),
    };
    let (mut states, mut time) = (chart("States, mean"), chart("Microseconds, mean"));
    for (i, name) in names.iter().enumerate() {
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
    for (i, name) in names.iter().enumerate().skip(1) {
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
        &["length", "formulas", "left out", "intentional", "as large"],
    );
    for r in results {
        kinds.rows.push(vec![
            r.length.to_string(),
            r.formulas.to_string(),
            r.left_out.to_string(),
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
