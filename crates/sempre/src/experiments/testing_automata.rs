//! The experiment of Ben Salem, Duret-Lutz and Kordon, "Generalized Büchi automata versus testing automata for model
//! checking" (SUMo 2011), with generalised testing automata beside the three kinds of the paper.
//!
//! Petri nets against two classes of formulas without `X`: random ones (`RND`), and random ones under a hypothesis of weak
//! fairness, `(GF p1 & … & GF pn) -> φ` (`WFair`). Only formulas for which the TGBA's check visits more than 2,000 states count.
//! Propositions say of a place that it is marked, or of two places that one has at most as many tokens as the other.
//! Formulas that hold and formulas that are violated are told apart: the size of the automaton, of the full product, of the
//! part that the check explored, and the time.
//!
//! How ours differs: PolyORB's net is not available. A check that takes longer than it may leaves its formula out, for
//! all kinds of automata.

use super::page::{Chart, Page, Table};
use crate::check::checker::ProductSize;
use crate::check::{AutomatonKind, CheckError, Checker, Fairness, Settings, Verdict, sources};
use sempre_base::Random;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::product::Limits;
use sempre_lang::model::{Language, Model};
use sempre_ltl::random::RandomFormula;
use sempre_ltl::{Formulas, Op, Syntax};
use std::time::Duration;

/// The sizes of the experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Formulas that hold, and as many that do not, for each net and class.
    pub formulas: usize,
    /// A formula whose check takes longer, with any automaton, is left out.
    pub time: Duration,
    /// Full products of more states are not counted.
    pub most_states: u64,
    /// The seed.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            formulas: 10,
            time: Duration::from_secs(20),
            most_states: 20_000_000,
            seed: 1,
        }
    }
}

/// The kinds of automata that are compared.
const KINDS: [AutomatonKind; 4] = [
    AutomatonKind::Ba,
    AutomatonKind::Tgba,
    AutomatonKind::Ta,
    AutomatonKind::Tgta,
];

/// Formulas that are too easy do not count.
const LEAST_STATES: u64 = 2000;

/// What is measured of one formula and one kind of automaton: states and transitions of the automaton, of the full product,
/// of what was explored; seconds.
type Figures = [f64; 7];

/// One net and one class of formulas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Group {
    /// The net.
    pub net: String,
    /// The class.
    pub class: &'static str,
    /// Mean number of fairness hypotheses.
    pub fairness: f64,
    /// For formulas that hold: the figures of each kind of automaton.
    pub verified: Vec<[Figures; 4]>,
    /// The same for those that do not.
    pub violated: Vec<[Figures; 4]>,
    /// Runs of the TA that only its second pass found.
    pub second_pass: usize,
}

/// The nets of the paper that we can write, as PNML.
pub fn nets() -> [(&'static str, &'static str); 4] {
    [
        ("FMS5", include_str!("../../../../examples/fms-5.pnml")),
        (
            "Kanban5",
            include_str!("../../../../examples/kanban-5.pnml"),
        ),
        (
            "Philo8",
            include_str!("../../../../examples/philosophers-8.pnml"),
        ),
        (
            "Ring6",
            include_str!("../../../../examples/slotted_ring-6.pnml"),
        ),
    ]
}

/// The classes.
pub const CLASSES: [&str; 2] = ["RND", "WFair"];

/// Runs one net and one class. `progress` is told the number of formulas tried and found.
///
/// # Errors
/// If the net cannot be read, in words.
pub fn run_group(
    (name, text): (&str, &str),
    class: &'static str,
    parameters: &Parameters,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Group, String> {
    let (model, _) = Model::read(Language::Pnml, name, text)
        .map_err(|errors| format!("{name}: {}", errors[0].message))?;
    let checker = Checker::new(model.program(), Fairness::None).map_err(words)?;
    let mut random = Random::new(parameters.seed);
    let mut group = Group {
        net: name.to_string(),
        class,
        ..Group::default()
    };
    let wanted = parameters.formulas;
    let mut hypotheses = 0;
    let mut tried = 0;
    while group.verified.len() < wanted || group.violated.len() < wanted {
        tried += 1;
        if tried > 200 * wanted {
            break;
        }
        progress(tried, group.verified.len() + group.violated.len());
        let (formula, count) = draw(&model, class == "WFair", &mut random);
        let Ok(property) = sources::formula(&model, &formula) else {
            continue;
        };
        // The TGBA decides whether the formula counts.
        let mut figures = [[0.0; 7]; 4];
        let mut holds = None;
        let mut second = 0;
        let order = [1, 0, 2, 3];
        let complete = order.into_iter().all(|place| {
            let kind = KINDS[place];
            let algorithm = match kind {
                AutomatonKind::Ta => Algorithm::TaTwoPass,
                _ => Algorithm::Cou99,
            };
            let settings = Settings {
                automaton: Some(kind),
                algorithm: Some(algorithm),
                limits: Limits {
                    time: Some(parameters.time),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            let Ok(report) = checker.check(&property, &settings) else {
                return false;
            };
            let verdict = match report.verdict {
                Verdict::Holds(_) => true,
                Verdict::Violated(_) => false,
                Verdict::Unknown(_) => return false,
            };
            let full = match verdict {
                true => group.verified.len() >= wanted,
                false => group.violated.len() >= wanted,
            };
            let counters = report.statistics.counters;
            if full || kind == AutomatonKind::Tgba && counters.states <= LEAST_STATES {
                return false;
            }
            assert!(
                holds.is_none_or(|h| h == verdict),
                "{formula}: two verdicts"
            );
            holds = Some(verdict);
            second += usize::from(counters.only_second);
            let Some(facts) = report.automaton else {
                return false;
            };
            let limits = Limits {
                states: Some(parameters.most_states),
                time: Some(parameters.time * 2),
                ..Limits::default()
            };
            let explored = counters.states + counters.second_states;
            let size = match verdict {
                // All of it was explored.
                true => Some(ProductSize {
                    states: counters.states,
                    transitions: counters.transitions - counters.second_transitions,
                }),
                false => checker.product_size(&property, kind, limits).ok().flatten(),
            };
            let Some(size) = size else {
                return false;
            };
            figures[place] = [
                facts.states as f64,
                facts.edges as f64,
                size.states as f64,
                size.transitions as f64,
                explored as f64,
                counters.transitions as f64,
                report.statistics.elapsed.as_secs_f64(),
            ];
            true
        });
        match (complete, holds) {
            (true, Some(true)) => group.verified.push(figures),
            (true, Some(false)) => group.violated.push(figures),
            _ => continue,
        }
        hypotheses += count;
        group.second_pass += second;
    }
    let found = group.verified.len() + group.violated.len();
    group.fairness = hypotheses as f64 / found.max(1) as f64;
    Ok(group)
}

fn words(error: CheckError) -> String {
    match error {
        CheckError::Refused(text) | CheckError::Defect(text) => text,
    }
}

/// A formula as text, and the number of its fairness hypotheses.
fn draw(model: &Model, fair: bool, random: &mut Random) -> (String, usize) {
    let places = &model.program().variables;
    let place = |random: &mut Random| places[random.below(places.len())].name.clone();
    let names = (0..4)
        .map(|_| match random.chance(0.5) {
            true => format!("{} >= 1", place(random)),
            false => format!("{} <= {}", place(random), place(random)),
        })
        .collect();
    let mut shape = RandomFormula::new(4).without_next();
    shape.names = names;
    shape.sizes = 6..=15;
    shape.set_priority(Op::True, 0);
    shape.set_priority(Op::False, 0);
    let mut formulas = Formulas::new();
    let mut f = shape.draw(&mut formulas, random);
    let count = if fair { 2 + random.below(3) } else { 0 };
    if fair {
        let hypotheses: Vec<_> = (0..count)
            .map(|_| {
                let p = formulas.proposition(&format!("{} >= 1", place(random)));
                let p = formulas.finally(p);
                formulas.globally(p)
            })
            .collect();
        let all = formulas.and(&hypotheses);
        f = formulas.implies(all, f);
    }
    let text = sempre_ltl::print(&formulas, f, Syntax::Spot).to_string();
    (text, count)
}

/// The tables of all groups, formulas that hold and those that do not apart.
pub fn tables(groups: &[Group]) -> Vec<(Table, Vec<Chart>)> {
    let header = [
        "automaton",
        "",
        "states",
        "transitions",
        "product states",
        "product transitions",
        "explored states",
        "explored transitions",
        "seconds",
    ];
    let mut tables = Vec::new();
    for (title, holds) in [
        ("Property verified (no counterexample)", true),
        ("Property violated (a counterexample exists)", false),
    ] {
        let mut table = Table::new(title, &header);
        let mut charts: Vec<Chart> = ["explored states", "explored transitions", "seconds"]
            .map(|title| Chart {
                title: format!("{title}, mean"),
                names: KINDS.map(|k| k.name().to_string()).to_vec(),
                groups: Vec::new(),
            })
            .to_vec();
        for group in groups {
            let rows = if holds {
                &group.verified
            } else {
                &group.violated
            };
            let mut heading = format!("{} {}: {} formulas", group.net, group.class, rows.len());
            if group.fairness > 0.0 {
                heading += &format!(", {:.2} fairness hypotheses on average", group.fairness);
            }
            if !holds {
                heading += &format!(
                    "; {} runs of the TA found by pass 2 only",
                    group.second_pass
                );
            }
            table.rows.push(vec![heading.clone()]);
            let mean = |kind: usize, column: usize| {
                let sum: f64 = rows.iter().map(|r| r[kind][column]).sum();
                sum / rows.len().max(1) as f64
            };
            for (i, kind) in KINDS.iter().enumerate() {
                let most = |column: usize| rows.iter().fold(0.0, |m: f64, r| m.max(r[i][column]));
                let cells = |name: &str, of: &dyn Fn(usize) -> f64| -> Vec<String> {
                    let figures = (0..7).map(|c| match c {
                        0 | 1 => format!("{:.1}", of(c)),
                        6 => format!("{:.3}", of(c)),
                        _ => format!("{:.0}", of(c)),
                    });
                    [kind.name().to_string(), name.to_string()]
                        .into_iter()
                        .chain(figures)
                        .collect()
                };
                table.rows.push(cells("avg", &|c| mean(i, c)));
                table.rows.push(cells("max", &most));
            }
            for (chart, column) in charts.iter_mut().zip([4, 5, 6]) {
                let values = (0..4).map(|kind| mean(kind, column)).collect();
                chart.groups.push((heading.clone(), values));
            }
        }
        tables.push((table, charts));
    }
    tables
}

/// The page.
pub fn page(parts: Vec<(Table, Vec<Chart>)>, parameters: &Parameters) -> Page {
    Page {
        title: "Testing automata and Büchi automata".to_string(),
        notes: vec![
            "The experiment of Ben Salem, Duret-Lutz and Kordon (SUMo 2011), run again by sempre, with generalised testing automata."
                .to_string(),
            format!(
                "{} formulas of each kind and class, seed {}; what took more than {} s was left out.",
                parameters.formulas,
                parameters.seed,
                parameters.time.as_secs()
            ),
            "The net of PolyORB is not available.".to_string(),
        ],
        parts,
    }
}
