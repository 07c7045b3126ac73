//! Tables 2 and 3 of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005): all checks on products of models, an election in a
//! network against nine formulas, and clients with servers without and with weak fairness.
//!
//! The models of the paper are in Promela, and its graphs are those of SPIN without partial-order reduction, with
//! statements merged as SPIN does, and, as we guess, up to the depth to which SPIN goes ([`super::cut_system`]). They are not ours to
//! keep; given the folder that has them ([`Originals`]) they are used, with the automata of 2005.
//! Otherwise versions in DVE are, and the election takes fewer small steps there.
//!
//! Counters of full explorations do not depend on the order of successors where a check looks at each edge a fixed number of
//! times; the depth of stacks does, and so does what is visited before a run is found. With the originals the order is that of the
//! paper, of automata ([`super::translation_of_2005`]) and of products ([`super::product_of_2005`]), and shy checks count as they did
//! then ([`super::shy_counts`]).

use super::cut_system::CutSystem;
use super::emptiness::compared;
use super::page::Table;
use super::plain_degeneralization::plain_degeneralization;
use super::product_of_2005::product_of_2005;
use super::shy_counts::shy_counts;
use super::translation_of_2005::translation_of_2005;
use crate::Workbench;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::product::{Deadlock, Limits, Product, Shape};
use sempre_explicit::property::Property;
use sempre_explicit::space::{Counters, Space, Stop};
use sempre_jit::CompiledSystem;
use sempre_lang::model::{Language, Model};
use sempre_lang::promela::{self, Reading, Steps};
use sempre_ltl::ParseOptions;
use sempre_model::{Layout, System};
use sempre_translate::translator::Options;
use std::path::Path;
use std::sync::Arc;

/// The models of the paper and their formulas, one on a line.
#[derive(Clone, Debug)]
pub struct Originals {
    election: Model,
    one_server: Model,
    three_servers: Model,
    elected: Vec<String>,
    answered: Vec<String>,
}

impl Originals {
    /// Reads them from a folder: `eeaean2.pml`, `cl3serv1.pml`, `cl3serv3.pml`, `eeaean.ltl`, `clserv.ltl`.
    ///
    /// # Errors
    /// What is missing, or not as it was.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
        };
        let model = |name: &str| {
            let merged = Reading {
                steps: Steps::Merged,
                ..Reading::default()
            };
            let read = promela::read_with(name, &text(name)?, &|_| None, &merged);
            let found = read.map_err(|_| format!("`{name}` is not the model of the paper"))?;
            Ok::<_, String>(Model::of_promela(found))
        };
        let lines = |name: &str| {
            let text = text(name)?;
            let all: Vec<String> = (text.lines().map(str::trim))
                .filter(|l| !l.is_empty())
                .map(str::to_string)
                .collect();
            Ok::<_, String>(all)
        };
        Ok(Self {
            election: model("eeaean2.pml")?,
            one_server: model("cl3serv1.pml")?,
            three_servers: model("cl3serv3.pml")?,
            elected: lines("eeaean.ltl")?,
            answered: lines("clserv.ltl")?,
        })
    }
}

/// A model, and formulas whose satisfaction is looked for: the negations of properties.
struct Case {
    title: &'static str,
    model: Model,
    formulas: Vec<(String, String)>,
    fair: bool,
    /// How many states a path may have.
    depth: Option<usize>,
}

/// So many steps beside a claim are the 10,000 to which SPIN's verifier goes if nothing is said.
const DEPTH: usize = 5_000;

const ELECTION: &str = include_str!("../../../../examples/echo_election.dve");
const ONE_SERVER: &str = include_str!("../../../../examples/client_server_3_1.dve");
const THREE_SERVERS: &str = include_str!("../../../../examples/client_server_3_3.dve");
const ANSWERED: &str = "!G({client_0.wait} -> F{client_0.served})";

/// The formulas A to I of Geldenhuys and Valmari (TACAS 2004), negated.
const ELECTION_FORMULAS: [(&str, &str); 9] = [
    ("A", "!FG({leaders==0} U {leaders==1 and leader==0})"),
    ("B", "!FG({leaders==0} U {leaders==1 and leader==3})"),
    ("C", "!F{leaders==1 and leader==0}"),
    ("D", "!GF{leaders==1 and leader==0}"),
    ("E", "!F{leaders==1 and leader==3}"),
    ("F", "!G({leaders==0} -> F{leaders==1 and leader==0})"),
    ("G", "!G({leaders==0} | {leaders==1 and leader==0})"),
    (
        "H",
        "!(FG({leaders==0} | {leaders==1 and leader==0} | {leaders==1 and leader==1} | {leaders==1 and leader==2}) \
         & FG({leaders==1 and leader==0} -> ({leaders==1 and leader==0} U ({leaders==0} U {leaders==1 and leader==1}))) \
         & FG({leaders==1 and leader==1} -> ({leaders==1 and leader==1} U ({leaders==0} U {leaders==1 and leader==2}))) \
         & FG({leaders==1 and leader==2} -> ({leaders==1 and leader==2} U ({leaders==0} U {leaders==1 and leader==0}))))",
    ),
    (
        "I",
        "!(FG({leaders==0} | {leaders==1 and leader==0} | {leaders==1 and leader==1} | {leaders==1 and leader==2}) \
         & FG({leaders==1 and leader==0} -> ({leaders==1 and leader==0} U ({leaders==0} U {leaders==1 and leader==2}))) \
         & FG({leaders==1 and leader==1} -> ({leaders==1 and leader==1} U ({leaders==0} U {leaders==1 and leader==0}))) \
         & FG({leaders==1 and leader==2} -> ({leaders==1 and leader==2} U ({leaders==0} U {leaders==1 and leader==1}))))",
    ),
];

fn ours(text: &str) -> Model {
    Model::read(Language::Dve, "model", text)
        .expect("an example of ours")
        .0
}

/// Table 2, on the paper's model if it is there.
///
/// # Errors
/// If memory ran out, or a formula of the originals is wrong.
pub fn table_2(originals: Option<&Originals>) -> Result<Table, String> {
    let case = match originals {
        Some(o) => Case {
            title: "",
            model: o.election.clone(),
            formulas: ('A'..='Z')
                .map(String::from)
                .zip(o.elected.iter().cloned())
                .collect(),
            fair: false,
            depth: Some(DEPTH),
        },
        None => Case {
            title: "",
            model: ours(ELECTION),
            formulas: (ELECTION_FORMULAS.iter())
                .map(|(name, f)| (name.to_string(), f.to_string()))
                .collect(),
            fair: false,
            depth: None,
        },
    };
    models(
        "Table 2: election by echo with extinction, formulas A to I",
        &[case],
    )
}

/// Table 3, on the paper's models if they are there.
///
/// # Errors
/// If memory ran out, or a formula of the originals is wrong.
pub fn table_3(originals: Option<&Originals>) -> Result<Table, String> {
    let case = |title, three: bool, fair| {
        let (model, formulas) = match originals {
            Some(o) => {
                let model = if three {
                    &o.three_servers
                } else {
                    &o.one_server
                };
                (model.clone(), o.answered.clone())
            }
            None => {
                let model = ours(if three { THREE_SERVERS } else { ONE_SERVER });
                (model, vec![ANSWERED.to_string()])
            }
        };
        Case {
            title,
            model,
            formulas: formulas.into_iter().map(|f| (String::new(), f)).collect(),
            fair,
            depth: originals.map(|_| DEPTH),
        }
    };
    models(
        "Table 3: clients and servers, without and with weak fairness",
        &[
            case("3 clients, 1 server", false, false),
            case("3 clients, 1 server, fair", false, true),
            case("3 clients, 3 servers", true, false),
            case("3 clients, 3 servers, fair", true, true),
        ],
    )
}

fn models(title: &str, cases: &[Case]) -> Result<Table, String> {
    let mut table = Table::new(title, &["check", "states", "transitions", "stack"]);
    for case in cases {
        for (name, formula) in &case.formulas {
            rows(case, name, formula, &mut table)?;
        }
    }
    Ok(table)
}

fn rows(case: &Case, name: &str, formula: &str, table: &mut Table) -> Result<(), String> {
    let memory = |_: Stop| "out of memory".to_string();
    let wrong = || format!("`{formula}` is not a formula about the model");
    let mut bench = Workbench::new();
    let known = |name: &str| case.model.is_known(name);
    let options = ParseOptions {
        exact: true,
        known: Some(&known),
    };
    let f = sempre_ltl::parse(&mut bench.formulas, formula, &options).map_err(|_| wrong())?;
    let a = match case.depth {
        Some(_) => translation_of_2005(&mut bench.formulas, &mut bench.alphabet, f.formula),
        None => bench.translate(f.formula, Options::default()),
    };
    let texts = a.propositions.iter().map(|&p| bench.alphabet.name(p));
    let propositions = texts
        .map(|text| case.model.proposition(text).map_err(|_| wrong()))
        .collect::<Result<_, _>>()?;
    let variables = a.propositions.clone();
    let property = Property::new(&mut bench.alphabet.bdds, &a, &variables)
        .expect("a translation is a generalised Büchi automaton over its own propositions");
    let program = Arc::new(case.model.program().clone());
    let layout = Layout::full(&program);
    let system = CompiledSystem::new(program, layout, propositions).map_err(|e| e.to_string())?;
    let (mut general, mut single) = match case.depth {
        Some(depth) => {
            let cut = CutSystem::new(&system, depth);
            let mut general = product_of_2005(&cut, &property, case.fair);
            let single = plain_degeneralization(&mut general, property.sets()).map_err(memory)?;
            (general, single)
        }
        None => (
            space(&system, &property, case.fair, false).map_err(memory)?,
            space(&system, &property, case.fair, true).map_err(memory)?,
        ),
    };
    let found = (Algorithm::Cou99.run(&mut general, &mut Counters::default())).map_err(memory)?;
    table.rows.push(vec![format!(
        "{}{name}: {} states, {} transitions, {} conditions; degeneralised {} and {}; {}",
        case.title,
        general.states(),
        general.edge_count(),
        general.sets(),
        single.states(),
        single.edge_count(),
        if found.is_some() {
            "accepting run"
        } else {
            "empty"
        }
    )]);
    for algorithm in compared() {
        if algorithm == Algorithm::Tau03 && general.sets() == 0 {
            continue;
        }
        let space = match algorithm.needs_one_set() {
            true => &mut single,
            false => &mut general,
        };
        let mut c = Counters::default();
        let grouped = match algorithm {
            Algorithm::Cou99ShyMinus => Some(false),
            Algorithm::Cou99Shy => Some(true),
            _ => None,
        };
        match grouped.filter(|_| case.depth.is_some()) {
            // As they were counted then.
            Some(grouped) => {
                shy_counts(space, grouped, &mut c).map_err(memory)?;
            }
            None => {
                algorithm.run(space, &mut c).map_err(memory)?;
            }
        }
        table.rows.push(vec![
            algorithm.name().to_string(),
            c.states.to_string(),
            c.transitions.to_string(),
            c.max_stack.to_string(),
        ]);
    }
    Ok(())
}

/// The product, all of it.
fn space<S: System>(
    system: &S,
    property: &Property,
    fair: bool,
    degeneralized: bool,
) -> Result<ExplicitSpace<u32>, Stop> {
    let shape = Shape {
        // The models do not end, but where they are cut.
        deadlock: Deadlock::Drop,
        fair,
        degeneralized,
        ..Shape::default()
    };
    let mut product = Product::<_, u32>::new(system, property, shape, Limits::default())?
        .expect("fewer than 32 sets");
    ExplicitSpace::of(&mut product)
}
