//! Products in the order of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005): for each edge of the property all steps of the
//! system, where the product of [`sempre_explicit`] takes for each step all edges.
//!
//! It is the same graph, and for what a full search visits the order does not matter. It does for how deep stacks get, and
//! for what is visited before a run is found.

use rustc_hash::FxHashMap;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::property::Property;
use sempre_explicit::space::Edge;
use sempre_model::{Failure, Sink, Step, System};

/// A state of the product.
type Pair = (Box<[u64]>, u32);

/// What a state of the system can do.
#[derive(Default)]
struct Steps(Vec<(u32, Box<[u64]>)>);

impl Sink for Steps {
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.0.push((step.action, state.into()));
    }
    fn failure(&mut self, _: Failure) {}
    fn overflow(&mut self) {}
}

/// The whole product. Where nothing can move, runs end and are none. With fairness there is a set for each process, after those of the
/// property: of its steps, and of all steps where it has none.
pub(super) fn product_of_2005<S: System>(
    system: &S,
    property: &Property,
    fair: bool,
) -> ExplicitSpace<u32> {
    let mut context = system.context();
    let mut numbers: FxHashMap<Pair, u32> = FxHashMap::default();
    let mut states: Vec<Pair> = Vec::new();
    let mut number = |pair: Pair, states: &mut Vec<Pair>| {
        let next = states.len() as u32;
        *numbers.entry(pair).or_insert_with_key(|pair| {
            states.push(pair.clone());
            next
        })
    };
    let mut starts: Vec<Box<[u64]>> = Vec::new();
    system.initial(&mut context, &mut |s| starts.push(s.into()));
    let mut initial = Vec::new();
    for start in starts {
        for &q in property.initial() {
            initial.push(number((start.clone(), q), &mut states));
        }
    }
    let own = property.sets();
    let set_of = |process: u32| 1u32 << (own + process);
    let everybody = (0..system.processes() as u32).fold(0, |set, p| set | set_of(p));
    let count = property.propositions();
    let mut valuation = vec![0; count.div_ceil(64)];
    let mut edges: Vec<Vec<Edge<u32>>> = Vec::new();
    while edges.len() < states.len() {
        let (state, q) = states[edges.len()].clone();
        let mut steps = Steps::default();
        system.successors(&mut context, &state, &mut steps);
        let movers: Vec<u32> = (steps.0.iter())
            .map(|s| {
                let processes = system.action_processes(s.0).iter();
                processes.fold(0, |set, &p| set | set_of(p))
            })
            .collect();
        let blocked = everybody & !movers.iter().fold(0, |all, set| all | set);
        system.valuation(&mut context, &state, count, &mut valuation);
        let mut list = Vec::new();
        for edge in property.enabled(q, &valuation) {
            let sets = (0..own).filter(|&s| edge.mark.contains(s));
            let own_marks = sets.fold(0, |all, s| all | 1 << s);
            for ((_, to), processes) in steps.0.iter().zip(&movers) {
                let fairness = if fair { processes | blocked } else { 0 };
                list.push(Edge {
                    target: number((to.clone(), edge.to), &mut states),
                    marks: own_marks | fairness,
                });
            }
        }
        edges.push(list);
    }
    let sets = own + if fair { system.processes() as u32 } else { 0 };
    ExplicitSpace::new(sets, initial, edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_explicit::emptiness::Algorithm;
    use sempre_explicit::product::{Deadlock, Limits, Product, Shape};
    use sempre_explicit::space::{Counters, Space};
    use sempre_lang::model::{Language, Model};
    use sempre_model::{Layout, ProgramSystem};
    use std::sync::Arc;

    /// The same sizes and the same answer as the product that checks use.
    #[test]
    fn it_is_the_same_product() {
        let text = "byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x > 1 -> x = 0 od }";
        let (model, _) = Model::read(Language::Promela, "test", text).unwrap();
        let mut answers = [0, 0];
        for formula in [
            "G F {x == 0}",
            "F G {x == 0}",
            "F({x == 2} & G{x != 0})",
            "G{x < 3}",
        ] {
            let mut bench = crate::Workbench::new();
            let f = bench.parse(formula).unwrap();
            let a = bench.translate(f, Default::default());
            let names = a.propositions.iter().map(|&p| bench.alphabet.name(p));
            let propositions = names.map(|n| model.proposition(n).unwrap()).collect();
            let variables = a.propositions.clone();
            let property = Property::new(&mut bench.alphabet.bdds, &a, &variables).unwrap();
            let program = Arc::new(model.program().clone());
            let layout = Layout::full(&program);
            let system = ProgramSystem::new(program, layout, propositions);
            for fair in [false, true] {
                let shape = Shape {
                    deadlock: Deadlock::Drop,
                    fair,
                    ..Shape::default()
                };
                let mut product =
                    Product::<_, u32>::new(&system, &property, shape, Limits::default())
                        .unwrap()
                        .unwrap();
                let mut theirs = ExplicitSpace::of(&mut product).unwrap();
                let mut ours = product_of_2005(&system, &property, fair);
                assert_eq!(ours.states(), theirs.states(), "{formula}");
                assert_eq!(ours.edge_count(), theirs.edge_count(), "{formula}");
                assert_eq!(ours.sets(), theirs.sets(), "{formula}");
                let found = |space: &mut ExplicitSpace<u32>| {
                    let run = Algorithm::Cou99.run(space, &mut Counters::default());
                    run.unwrap().is_some()
                };
                assert_eq!(found(&mut ours), found(&mut theirs), "{formula}");
                answers[usize::from(found(&mut ours))] += 1;
            }
        }
        assert!(answers.iter().all(|&n| n > 0), "{answers:?}");
    }
}
