//! All emptiness checks against a slow, obvious one, on random graphs.

use sempre_base::Random;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::marks::Marks;
use sempre_explicit::space::{Counters, Edge, Run, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// A graph that is there.
struct Graph {
    sets: u32,
    initial: Vec<u32>,
    edges: Vec<Vec<Edge<u32>>>,
    budget: Arc<Budget>,
}

impl Space<u32> for Graph {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        Ok(self.initial.clone())
    }
    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<u32>>) -> Result<(), Stop> {
        edges.extend_from_slice(&self.edges[state as usize]);
        Ok(())
    }
    fn sets(&self) -> u32 {
        self.sets
    }
    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
}

impl Graph {
    fn random(random: &mut Random, sets: u32) -> Self {
        let states = 1 + random.below(12);
        let density = [0.05, 0.1, 0.2, 0.4][random.below(4)];
        let marked = [0.1, 0.3, 0.6][random.below(3)];
        let mut edges = vec![Vec::new(); states];
        for list in &mut edges {
            for target in 0..states as u32 {
                if random.chance(density) {
                    let marks = (0..sets)
                        .filter(|_| random.chance(marked))
                        .fold(0, |m, s| m.union(u32::single(s)));
                    list.push(Edge { target, marks });
                }
            }
            // Any order, and now and then an edge twice with other marks.
            for i in (1..list.len()).rev() {
                list.swap(i, random.below(i + 1));
            }
            if !list.is_empty() && random.chance(0.2) {
                let mut again = list[0];
                again.marks = u32::all(sets) & random.below(1 << sets) as u32;
                list.push(again);
            }
        }
        let mut initial = vec![0];
        if random.chance(0.3) {
            initial.push(random.below(states) as u32);
            initial.dedup();
        }
        Self {
            sets,
            initial,
            edges,
            budget: Arc::new(Budget::unlimited()),
        }
    }

    /// Which states are reached from which by at least one edge.
    fn closure(&self) -> Vec<Vec<bool>> {
        let n = self.edges.len();
        let mut reach = vec![vec![false; n]; n];
        for (s, edges) in self.edges.iter().enumerate() {
            for e in edges {
                reach[s][e.target as usize] = true;
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        reach
    }

    /// Is there a reachable component in all sets?
    fn accepts(&self) -> bool {
        let reach = self.closure();
        (0..self.edges.len()).any(|s| {
            let reachable = (self.initial.iter()).any(|&i| i as usize == s || reach[i as usize][s]);
            let together = |t: usize| reach[s][t] && reach[t][s];
            let marks = (0..self.edges.len())
                .filter(|&t| together(t))
                .flat_map(|t| &self.edges[t])
                .filter(|e| together(e.target as usize))
                .fold(0, |m, e| m | e.marks);
            reachable && reach[s][s] && marks == u32::all(self.sets)
        })
    }

    /// Is this an accepting run?
    fn confirms(&self, run: &Run<u32>) -> bool {
        let steps: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
        let exist = (steps.iter()).all(|s| self.edges[s.state as usize].contains(&s.edge));
        let connected = steps.windows(2).all(|w| w[0].edge.target == w[1].state);
        let last = steps[steps.len() - 1];
        let marks = run.cycle.iter().fold(0, |m, s| m | s.edge.marks);
        exist
            && connected
            && self.initial.contains(&steps[0].state)
            && last.edge.target == run.cycle[0].state
            && marks == u32::all(self.sets)
    }
}

#[test]
fn all_checks_agree_with_the_obvious_one() {
    let mut random = Random::new(20);
    let (mut empty, mut accepting) = (0, 0);
    for round in 0..20_000 {
        let mut graph = Graph::random(&mut random, round % 4);
        let expected = graph.accepts();
        if expected {
            accepting += 1;
        } else {
            empty += 1;
        }
        for (algorithm, name) in Algorithm::ALL {
            if algorithm.needs_one_set() && graph.sets != 1 {
                continue;
            }
            let mut counters = Counters::default();
            let run = algorithm.run(&mut graph, &mut counters).unwrap();
            assert_eq!(
                run.is_some(),
                expected,
                "{name} in round {round}: {:?}",
                graph.edges
            );
            if let Some(run) = run {
                assert!(graph.confirms(&run), "{name} in round {round}: {run:?}");
            }
            assert!(counters.states <= graph.edges.len() as u64);
        }
    }
    assert!(
        empty > 5_000 && accepting > 5_000,
        "{empty} empty, {accepting} not"
    );
}
