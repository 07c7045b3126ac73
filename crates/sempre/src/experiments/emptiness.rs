//! The experiments of Couvreur, Duret-Lutz and Poitrenaud, "On-the-fly emptiness checks for generalized Büchi automata"
//! (SPIN 2005): all checks on the same products, what they visit and how deep their stacks get.
//!
//! * **Tables 1 and 4.** Random graphs of 1,024 states at three densities, against random formulas and those of the
//!   literature with their negations, without and with three acceptance conditions on one edge in 75 each. Products
//!   without accepting run are left out. Counters are percentages of the size of the product before any
//!   degeneralisation, and the mean over all products is told. `tau03` is left out where there is no acceptance
//!   condition.
//! * **Tables 2 and 3** are in [`super::emptiness_models`].
//!
//! How ours differ: our automata are smaller than those of 2005.

use super::graph_system::GraphSystem;
use super::page::{Chart, Page, Table};
use crate::Workbench;
use sempre_base::Random;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::product::{Limits, Product, Shape};
use sempre_explicit::property::Property;
use sempre_explicit::space::{Counters, Space, Stop};
use sempre_lang::random_graph::{RandomGraph, random_graph};
use sempre_ltl::Formula;
use sempre_ltl::patterns::{families, family};
use sempre_ltl::random::RandomFormula;
use sempre_translate::translator::Options;

/// The sizes of the experiment on random graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// States of a graph.
    pub states: usize,
    /// Graphs of each setup.
    pub graphs: usize,
    /// Random formulas, and the most formulas of the literature.
    pub formulas: usize,
    /// The seed.
    pub seed: u64,
}

impl Default for Parameters {
    /// Those of the paper.
    fn default() -> Self {
        Self {
            states: 1024,
            graphs: 15,
            formulas: 200,
            seed: 1,
        }
    }
}

/// One of twelve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// The density of the graphs.
    pub density: f64,
    /// Formulas of the literature instead of random ones.
    pub literature: bool,
    /// Three acceptance conditions on the graph.
    pub fair: bool,
}

/// Means of percentages over the products of a setup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// The check.
    pub algorithm: Algorithm,
    /// Number of products.
    pub products: u32,
    /// States, transitions, stack; states visited for the cycle, and the space it was looked for in.
    pub percent: [f64; 5],
}

/// What came out of a setup.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupResult {
    /// The setup.
    pub setup: Setup,
    /// Number of products with an accepting run.
    pub products: u32,
    /// The means, in the order of [`Algorithm::ALL`].
    pub means: Vec<Means>,
}

/// The checks that are compared: those of the paper.
pub(super) fn compared() -> impl Iterator<Item = Algorithm> {
    let checks = Algorithm::ALL.into_iter().map(|(a, _)| a);
    checks.filter(|a| a.is_general() && !a.takes_workers())
}

/// Fair graphs have so many marks, each with this probability on an edge.
const MARKS: (u32, f64) = (3, 1.0 / 75.0);
const DENSITIES: [f64; 3] = [0.001, 0.002, 0.01];

/// All twelve setups.
pub fn setups() -> Vec<Setup> {
    let mut all = Vec::new();
    for density in DENSITIES {
        for literature in [false, true] {
            for fair in [false, true] {
                all.push(Setup {
                    density,
                    literature,
                    fair,
                });
            }
        }
    }
    all
}

/// Automata of the formulas, compiled for graphs whose propositions they call by their order.
fn properties(literature: bool, parameters: &Parameters) -> Vec<Property> {
    let mut bench = Workbench::new();
    let formulas: Vec<Formula> = if literature {
        let lists = families().iter().filter_map(|f| Some((f.name, f.count?)));
        let mut formulas = Vec::new();
        for (name, count) in lists {
            for n in 1..=count {
                let f = family(&mut bench.formulas, name, n).expect("a member of a fixed list");
                formulas.extend([f, bench.formulas.not(f)]);
            }
        }
        formulas
    } else {
        let mut random = Random::new(parameters.seed);
        let draw = RandomFormula::new(4);
        (0..parameters.formulas)
            .map(|_| draw.draw(&mut bench.formulas, &mut random))
            .collect()
    };
    (formulas.into_iter())
        .map(|f| {
            let a = bench.translate(f, Options::default());
            let propositions = a.propositions.clone();
            Property::new(&mut bench.alphabet.bdds, &a, &propositions)
                .expect("a translation is a generalised Büchi automaton over its own propositions")
        })
        .collect()
}

/// Runs a setup. `progress` is told after each graph.
///
/// # Errors
/// If memory ran out.
pub fn run_setup(
    setup: Setup,
    parameters: &Parameters,
    progress: &mut dyn FnMut(usize),
) -> Result<SetupResult, Stop> {
    let properties = properties(setup.literature, parameters);
    let names = properties
        .iter()
        .map(Property::propositions)
        .max()
        .unwrap_or(0);
    let mut random = Random::new(parameters.seed ^ (setup.density * 1e6) as u64);
    let (marks, mark_probability) = if setup.fair { MARKS } else { (0, 0.0) };
    let shape = RandomGraph {
        states: parameters.states,
        density: setup.density,
        propositions: (0..names).map(|i| format!("p{i}")).collect(),
        truth: 0.5,
        marks,
        mark_probability,
    };
    let mut sums: Vec<Means> = compared()
        .map(|algorithm| Means {
            algorithm,
            products: 0,
            percent: [0.0; 5],
        })
        .collect();
    let mut products = 0;
    for graph in 0..parameters.graphs {
        let system = GraphSystem::new(&random_graph(&mut random, &shape));
        for property in &properties {
            let space = |degeneralized| {
                let shape = Shape {
                    degeneralized,
                    ..Shape::default()
                };
                Product::<_, u32>::new(&system, property, shape, Limits::default())
                    .map(|p| p.expect("fewer than 32 sets"))
            };
            let found = Algorithm::Cou99.run(&mut space(false)?, &mut Counters::default())?;
            if found.is_none() {
                continue;
            }
            products += 1;
            let mut general = ExplicitSpace::of(&mut space(false)?)?;
            let mut single = ExplicitSpace::of(&mut space(true)?)?;
            let (states, edges) = (general.states() as f64, general.edge_count() as f64);
            for sum in &mut sums {
                if sum.algorithm == Algorithm::Tau03 && general.sets() == 0 {
                    continue;
                }
                let mut counters = Counters::default();
                let space = match sum.algorithm.needs_one_set() {
                    true => &mut single,
                    false => &mut general,
                };
                sum.algorithm.run(space, &mut counters)?;
                sum.products += 1;
                let c = counters;
                let shares = [
                    c.states as f64 / states,
                    c.transitions as f64 / edges,
                    c.max_stack as f64 / states,
                    c.cycle_states as f64 / states,
                    c.cycle_space as f64 / states,
                ];
                for (total, share) in sum.percent.iter_mut().zip(shares) {
                    *total += 100.0 * share;
                }
            }
        }
        progress(graph + 1);
    }
    for sum in &mut sums {
        for total in &mut sum.percent {
            *total /= f64::from(sum.products.max(1));
        }
    }
    Ok(SetupResult {
        setup,
        products,
        means: sums,
    })
}

fn heading(result: &SetupResult, shown: impl Fn(&Setup) -> String) -> String {
    let tau03 = result
        .means
        .iter()
        .find(|m| m.algorithm == Algorithm::Tau03);
    let fewer = match tau03 {
        Some(m) if m.products < result.products => format!(" ({} for tau03)", m.products),
        _ => String::new(),
    };
    format!(
        "{}: {} products{fewer}",
        shown(&result.setup),
        result.products
    )
}

fn describe(setup: &Setup) -> String {
    format!(
        "density {}, {} formulas, {}",
        setup.density,
        if setup.literature {
            "literature"
        } else {
            "random"
        },
        if setup.fair {
            "three conditions on the graph"
        } else {
            "conditions of the formula only"
        }
    )
}

fn percent(value: f64) -> String {
    format!("{value:.1}")
}

/// Table 1.
pub fn table_1(results: &[SetupResult]) -> (Table, Vec<Chart>) {
    let mut table = Table::new(
        "Table 1: non-empty products of random graphs; means, in percent of the product",
        &["check", "states", "transitions", "stack"],
    );
    let mut charts = Vec::new();
    for (column, title) in [(0, "states visited, %"), (1, "transitions traversed, %")] {
        charts.push(Chart {
            title: title.to_string(),
            names: compared().map(|a| a.name().to_string()).collect(),
            groups: (results.iter())
                .map(|r| {
                    (
                        describe(&r.setup),
                        r.means.iter().map(|m| m.percent[column]).collect(),
                    )
                })
                .collect(),
        });
    }
    for result in results {
        table.rows.push(vec![heading(result, describe)]);
        for m in &result.means {
            let mut row = vec![m.algorithm.name().to_string()];
            row.extend(m.percent[..3].iter().map(|&p| percent(p)));
            table.rows.push(row);
        }
    }
    (table, charts)
}

/// Table 4. Checks for one acceptance set take the cycle from their stacks and search nothing.
pub fn table_4(results: &[SetupResult]) -> (Table, Vec<Chart>) {
    let mut table = Table::new(
        "Table 4: the cycle of the accepting run; means, in percent of the product's states",
        &["check", "states visited", "search space"],
    );
    for result in results {
        table.rows.push(vec![heading(result, describe)]);
        for m in result.means.iter().filter(|m| !m.algorithm.needs_one_set()) {
            let mut row = vec![m.algorithm.name().to_string()];
            row.extend(m.percent[3..].iter().map(|&p| percent(p)));
            table.rows.push(row);
        }
    }
    (table, Vec::new())
}

/// The page of all tables.
pub fn page(parts: Vec<(Table, Vec<Chart>)>, parameters: &Parameters) -> Page {
    Page {
        title: "Emptiness checks for generalised Büchi automata".to_string(),
        notes: vec![
            "The experiments of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005), run again by sempre.".to_string(),
            format!(
                "Random graphs of {} states, {} of them for each setup, {} random formulas, seed {}.",
                parameters.states, parameters.graphs, parameters.formulas, parameters.seed
            ),
        ],
        parts,
    }
}
