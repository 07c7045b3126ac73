//! The experiments of Latvala, "Efficient model checking of safety properties" (SPIN 2003), section 5.
//!
//! * **Formulas.** Sizes of automata of random syntactically safe formulas ([`safety_formulas`](super::safety_formulas)).
//! * **Kinds.** Random formulas and their negations: how many are safe, how many of these pathological, and the time to find
//!   out, by the check of section 4.1.
//! * **Models.** Peterson's algorithm, a sliding window and the sieve of Eratosthenes ([`safety_models`](super::safety_models)): what
//!   is searched with finite automata, breadth-first (what `auto` does) and depth-first (what SPIN does), and with Büchi automata
//!   by a nested search that looks for a cycle in any case, ours and one without simulations and minimisation; and what the paper has in its Table 1. Its
//!   models are others: see which columns grow.

use super::page::{Chart, Page, Table};
use super::safety_formulas::rewritten_violations;
use super::safety_models::SafetyModel;
use crate::check::{
    Asked, AutomatonKind, Checker, Claim, Fairness, Property, Settings, Verdict, sources,
};
use sempre_base::Random;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::finite::Search;
use sempre_explicit::product::Limits;
use sempre_lang::model::Model;
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formulas, Op};
use sempre_omega::Alphabet;
use sempre_translate::hierarchy::is_safety;
use sempre_translate::language::Language as Meaning;
use sempre_translate::safety_kind::uninformative_violation;
use sempre_translate::translator::{Effort, Options, Translator};
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
pub(super) const PROPOSITIONS: usize = 5;

/// Finite automata with more states are given up.
pub(super) const MOST_STATES: usize = 1 << 14;

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
    let a = rewritten_violations(&mut formulas, &mut alphabet, *f);
    Ok(Property {
        asked: Asked::Runs,
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
