//! A system without what a depth-first search of limited depth does not come to.
//!
//! SPIN's verifier does not go deeper than it is told, 10,000 steps if nothing is said, and a step of the model beside
//! one of a claim counts twice. The graphs of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005) were made by it. That the one of
//! three clients and three servers was cut there is our guess: a search in SPIN's order goes 7,265 steps deep, and the sizes
//! that the paper prints come out without what lies deeper than 5,000, and with none of the other limits that we tried.
//!
//! A state that is first met at the limit stays, without successors. So the result depends on the order of
//! successors; it is a curiosity, good for comparing figures with the paper's and for nothing else.

use rustc_hash::FxHashMap;
use sempre_model::{Failure, Sink, Step, System};

/// A step and where it leads.
type Edge = (Step, Box<[u64]>);

/// See the module's documentation.
pub(super) struct CutSystem<'a, S: System> {
    system: &'a S,
    /// The successors that were looked at.
    edges: FxHashMap<Box<[u64]>, Vec<Edge>>,
}

/// Keeps successors.
#[derive(Default)]
struct Keep(Vec<Edge>);

impl Sink for Keep {
    fn successor(&mut self, step: Step, state: &[u64]) {
        self.0.push((step, state.into()));
    }
    fn failure(&mut self, _: Failure) {}
    fn overflow(&mut self) {}
}

impl<'a, S: System> CutSystem<'a, S> {
    /// What a search finds whose path has at most `depth` states. Failures are left out, and so layouts must be wide enough.
    pub(super) fn new(system: &'a S, depth: usize) -> Self {
        let mut context = system.context();
        let mut initial: Vec<Box<[u64]>> = Vec::new();
        system.initial(&mut context, &mut |s| initial.push(s.into()));
        let mut edges: FxHashMap<Box<[u64]>, Vec<Edge>> = FxHashMap::default();
        // States with the place of the next successor.
        let mut path: Vec<(Box<[u64]>, usize)> = Vec::new();
        for start in initial {
            let mut enter = Some(start);
            loop {
                if let Some(state) = enter.take()
                    && !edges.contains_key(&state)
                {
                    let mut keep = Keep::default();
                    if path.len() + 1 < depth {
                        system.successors(&mut context, &state, &mut keep);
                    }
                    edges.insert(state.clone(), keep.0);
                    path.push((state, 0));
                }
                let Some((state, next)) = path.last_mut() else {
                    break;
                };
                match edges[state].get(*next) {
                    Some((_, to)) => {
                        *next += 1;
                        enter = Some(to.clone());
                    }
                    None => {
                        path.pop();
                    }
                }
            }
        }
        Self { system, edges }
    }

    /// Number of states.
    #[cfg(test)]
    fn states(&self) -> usize {
        self.edges.len()
    }
}

impl<S: System> System for CutSystem<'_, S> {
    type Context = S::Context;

    fn context(&self) -> S::Context {
        self.system.context()
    }

    fn width(&self) -> usize {
        self.system.width()
    }

    fn initial(&self, context: &mut S::Context, each: &mut dyn FnMut(&[u64])) {
        self.system.initial(context, each);
    }

    fn successors(&self, _: &mut S::Context, state: &[u64], sink: &mut impl Sink) {
        for (step, to) in self.edges.get(state).into_iter().flatten() {
            sink.successor(*step, to);
        }
    }

    fn holds(&self, context: &mut S::Context, state: &[u64], proposition: usize) -> bool {
        self.system.holds(context, state, proposition)
    }

    fn spare_bits(&self) -> (usize, u32) {
        self.system.spare_bits()
    }

    fn processes(&self) -> usize {
        self.system.processes()
    }

    fn action_processes(&self, action: u32) -> &[u32] {
        self.system.action_processes(action)
    }

    fn action_name(&self, action: u32) -> String {
        self.system.action_name(action)
    }

    fn show(&self, state: &[u64]) -> Vec<(String, String)> {
        self.system.show(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up by one or by two, below 100.
    struct Stairs;

    impl System for Stairs {
        type Context = ();
        fn context(&self) {}
        fn width(&self) -> usize {
            1
        }
        fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
            each(&[0]);
        }
        fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
            for by in [1, 2] {
                if state[0] + by < 100 {
                    let (action, marks) = (by as u32, 0);
                    sink.successor(Step { action, marks }, &[state[0] + by]);
                }
            }
        }
        fn holds(&self, (): &mut (), _: &[u64], _: usize) -> bool {
            false
        }
    }

    #[test]
    fn what_is_deeper_than_the_limit_is_not_there() {
        assert_eq!(CutSystem::new(&Stairs, 1000).states(), 100);
        // A path of ten states: 0 to 9; 9 has no successors, and 10 is reached from 8 before it comes to 9's turn.
        let cut = CutSystem::new(&Stairs, 10);
        assert_eq!(cut.states(), 11);
        let mut keep = Keep::default();
        cut.successors(&mut (), &[9], &mut keep);
        assert!(keep.0.is_empty());
        cut.successors(&mut (), &[10], &mut keep);
        assert!(keep.0.is_empty());
        cut.successors(&mut (), &[8], &mut keep);
        assert_eq!(keep.0.len(), 2);
    }
}
