//! Random cases, the same for the same seed and number: programs that use all of the IR, processes that walk from place to place and wait
//! for each other (where fairness matters), and graphs with acceptance marks of their own.

use super::case::Case;
use crate::check::{Asked, Claim, Fairness, Property, Proposition};
use sempre_base::Random;
use sempre_explicit::product::Deadlock;
use sempre_lang::graph::write_graph;
use sempre_lang::model::{Language, Model};
use sempre_lang::random_graph::{RandomGraph, random_graph};
use sempre_ltl::{Formula, Formulas, ParseOptions, RandomFormula, Syntax, parse, print};
use sempre_model::ir::{Behaviour, ProcessId, VariableId};
use sempre_model::random_program::{random_expression, random_program};
use sempre_model::{Action, Expr, Place, Program, Stmt};

/// The case with this number.
pub fn draw(seed: u64, number: u64) -> Case {
    // Each has a stream of its own, so that one can be drawn without those before it.
    let mut random = Random::new(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (program, expressions) = match random.below(4) {
        0 => (random_program(&mut random), 0.4),
        1 => (graph(&mut random), 1.0),
        _ => (walkers(&mut random), 0.0),
    };
    let deadlock = *random.pick(&[Deadlock::Stutter, Deadlock::Stutter, Deadlock::Drop]);
    let fair = !program.processes.is_empty() && random.chance(0.4);
    Case {
        name: format!("case {number} of seed {seed}"),
        property: with_meanings(&mut random, &program, expressions),
        program,
        deadlock,
        fairness: if fair { Fairness::Weak } else { Fairness::None },
    }
}

/// A random property of a program.
pub fn property(random: &mut Random, program: &Program) -> Property {
    with_meanings(random, program, 0.0)
}

fn with_meanings(random: &mut Random, program: &Program, expressions: f64) -> Property {
    let (formulas, f) = formula(random);
    let propositions = propositions(random, program, formulas.names().len(), expressions);
    let name = print(&formulas, f, Syntax::Spot).to_string();
    Property {
        asked: Asked::Runs,
        name,
        propositions,
        claim: Claim::Formula(Box::new(formulas), f),
        warnings: Vec::new(),
    }
}

/// A formula over `p0`, `p1`: any, one without `X`, or one of those that people write.
fn formula(random: &mut Random) -> (Formulas, Formula) {
    let mut formulas = Formulas::new();
    let known = [
        "G !p0",
        "G(p0 -> X p1)",
        "!p0 W p1",
        "F p0",
        "G F p0",
        "F G p0",
        "G(p0 -> F p1)",
        "G F p0 -> G F p1",
        "F(p0 & F p1)",
        "G(p0 -> (p0 U p1))",
    ];
    let f = match random.below(3) {
        0 => RandomFormula::new(2).draw(&mut formulas, random),
        1 => {
            let draw = RandomFormula::new(2).without_next();
            draw.draw(&mut formulas, random)
        }
        _ => {
            let text = random.pick(&known);
            let options = ParseOptions::default();
            parse(&mut formulas, text, &options).map_or(Formula::TRUE, |p| p.formula)
        }
    };
    (formulas, f)
}

/// So many propositions: that a process is at a place, or, with some probability, any expression. For a program without
/// processes, that a variable has a value.
pub fn propositions(
    random: &mut Random,
    program: &Program,
    count: usize,
    expressions: f64,
) -> Vec<Proposition> {
    let locations: Vec<VariableId> = program
        .processes
        .iter()
        .filter_map(|p| p.location)
        .collect();
    let meaning = |random: &mut Random| {
        if locations.is_empty() {
            let v = random.below(program.variables.len().max(1));
            return match program.variables.get(v).map(|v| v.length) {
                Some(None) => {
                    let value = Expr::Constant(random.below(2) as i64);
                    Expr::equal(Expr::variable(VariableId(v as u32)), value)
                }
                _ => random_expression(random, program, 2),
            };
        }
        if expressions > 0.0 && random.chance(expressions) {
            return random_expression(random, program, 2);
        }
        let location = *random.pick(&locations);
        let value = Expr::Constant(random.below(3) as i64);
        Expr::equal(Expr::variable(location), value)
    };
    let each = (0..count).map(|i| Proposition {
        text: format!("p{i}"),
        meaning: meaning(random),
    });
    each.collect()
}

/// A graph, perhaps with acceptance marks, perhaps with a state that cannot be left.
fn graph(random: &mut Random) -> Program {
    let parameters = RandomGraph {
        states: 1 + random.below(12),
        density: 0.15,
        propositions: vec!["p0".into(), "p1".into()],
        truth: *random.pick(&[0.1, 0.3, 0.5, 0.9]),
        marks: random.below(3) as u32,
        mark_probability: 0.4,
    };
    let mut graph = random_graph(random, &parameters);
    if random.chance(0.5) {
        let stuck = random.below(graph.states.len());
        graph.states[stuck].edges.clear();
    }
    match Model::read(Language::Graph, "graph", &write_graph(&graph)) {
        Ok((model, _)) => model.program().clone(),
        // What was written is read; were it not, other cases are as good.
        Err(_) => walkers(random),
    }
}

/// Two or three processes that go from location to location, sometimes together, sometimes only while another is
/// somewhere: who is not fair to one of them can keep it from moving.
pub fn walkers(random: &mut Random) -> Program {
    let mut p = Program::new("walkers");
    let count = 2 + random.below(2);
    for i in 0..count {
        p.declare_process(&format!("P{i}"), &["a", "b", "c"][..2 + random.below(2)]);
    }
    p.initial = vec![vec![0; count]];
    let at = |process: usize, place: usize| {
        Expr::equal(
            Expr::variable(VariableId(process as u32)),
            Expr::Constant(place as i64),
        )
    };
    let places: Vec<usize> = (0..count as u32)
        .map(|v| p.variable(VariableId(v)).ty.bounds().1 as usize + 1)
        .collect();
    for _ in 0..count * 2 {
        let one = random.below(count);
        let other = (one + 1 + random.below(count - 1)) % count;
        let mut guard = vec![at(one, random.below(places[one]))];
        if random.chance(0.3) {
            guard.push(at(other, random.below(places[other])));
        }
        let movers = if random.chance(0.2) {
            vec![one, other]
        } else {
            vec![one]
        };
        let goto = |&m: &usize| {
            let to = Expr::Constant(random.below(places[m]) as i64);
            Stmt::Assign(Place::Scalar(VariableId(m as u32)), to)
        };
        p.actions.push(Action {
            name: format!("{movers:?}"),
            processes: movers.iter().map(|&m| ProcessId(m as u32)).collect(),
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::all(guard),
                effect: movers.iter().map(goto).collect(),
            },
        });
    }
    p
}
