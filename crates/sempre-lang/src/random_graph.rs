//! Random graphs, the same for the same seed, as Couvreur, Duret-Lutz and Poitrenaud use them to compare
//! emptiness checks ("On-the-fly emptiness checks for generalized Büchi automata", SPIN 2005, section 3),
//! after Tauriainen (1999).
//!
//! A graph of `n` states and density `d`: every state is reachable from the first, and the number of
//! successors of a state follows a normal distribution with mean `1 + (n-1)d` and variance `(n-1)d(1-d)`,
//! rounded, at least 1 and at most `n`. So no state is a deadlock. The successors of a state are different states,
//! chosen uniformly, but for this: when all states reached so far have their successors and others were
//! never reached, one successor of the state at hand is taken from those. The paper draws the labels of
//! states and the acceptance conditions of edges independently: each proposition is true with probability
//! `truth`, each mark is on an edge with probability `mark_probability`.
//!
//! How ours differs: the normal distribution is approximated by a sum of twelve uniform ones, for which
//! no logarithm is needed, so that graphs are the same on every platform.
//!
//! Cost: linear in states and edges.

use crate::graph::{Graph, GraphEdge, GraphState, MAX_MARKS};
use sempre_base::Random;

/// The parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomGraph {
    /// Number of states, at least 1.
    pub states: usize,
    /// The probability of an edge, between 0 and 1.
    pub density: f64,
    /// The propositions.
    pub propositions: Vec<String>,
    /// The probability that a proposition is true in a state.
    pub truth: f64,
    /// Number of acceptance marks, at most [`MAX_MARKS`].
    pub marks: u32,
    /// The probability that a mark is on an edge.
    pub mark_probability: f64,
}

/// A random graph.
pub fn random_graph(random: &mut Random, parameters: &RandomGraph) -> Graph {
    let n = parameters.states.clamp(1, u32::MAX as usize);
    let marks = parameters.marks.min(MAX_MARKS);
    let mut graph = Graph {
        propositions: parameters.propositions.clone(),
        marks,
        initial: vec![0],
        ..Graph::default()
    };
    for state in 0..n {
        let all = 0..graph.propositions.len() as u32;
        graph.states.push(GraphState {
            name: state.to_string(),
            propositions: all.filter(|_| random.chance(parameters.truth)).collect(),
            edges: Vec::new(),
        });
    }
    let mut deck: Vec<u32> = (0..n as u32).collect();
    let mut unreached = Unreached::new(n);
    unreached.remove(0);
    let mut todo = vec![0u32];
    while let Some(state) = todo.pop() {
        let arity = arity(random, n, parameters.density);
        let mut targets: Vec<u32> = Vec::with_capacity(arity);
        if todo.is_empty() && !unreached.list.is_empty() {
            targets.push(*random.pick(&unreached.list));
        }
        // The first cards of a deck that is shuffled as far as needed; one more than needed, since the
        // target chosen above may be among them.
        for i in 0..arity.min(n) {
            let other = i + random.below(n - i);
            deck.swap(i, other);
            if targets.len() < arity && targets.first() != Some(&deck[i]) {
                targets.push(deck[i]);
            }
        }
        targets.sort_unstable();
        for to in targets {
            let mut word = 0;
            for mark in 0..marks {
                word |= u64::from(random.chance(parameters.mark_probability)) << mark;
            }
            let edges = &mut graph.states[state as usize].edges;
            edges.push(GraphEdge { to, marks: word });
            if unreached.remove(to) {
                todo.push(to);
            }
        }
    }
    graph
}

/// A number of successors.
fn arity(random: &mut Random, n: usize, density: f64) -> usize {
    let others = (n - 1) as f64;
    let density = density.clamp(0.0, 1.0);
    let normal = (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let deviation = (others * density * (1.0 - density)).sqrt();
    let drawn = 1.0 + others * density + normal * deviation;
    (drawn.round().max(1.0) as usize).min(n)
}

/// A set of states from which one can be picked and removed in constant time.
struct Unreached {
    list: Vec<u32>,
    /// The place of each state in the list.
    place: Vec<u32>,
}

impl Unreached {
    fn new(n: usize) -> Self {
        Self {
            list: (0..n as u32).collect(),
            place: (0..n as u32).collect(),
        }
    }

    /// Was it there?
    fn remove(&mut self, state: u32) -> bool {
        let place = self.place[state as usize] as usize;
        if self.list.get(place) != Some(&state) {
            return false;
        }
        self.list.swap_remove(place);
        if let Some(&moved) = self.list.get(place) {
            self.place[moved as usize] = place as u32;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive;

    fn parameters(states: usize, density: f64) -> RandomGraph {
        RandomGraph {
            states,
            density,
            propositions: vec!["p".to_string(), "q".to_string()],
            truth: 0.25,
            marks: 3,
            mark_probability: 0.5,
        }
    }

    #[test]
    fn every_state_is_reachable_and_has_successors() {
        let mut random = Random::new(1);
        for round in 0..200 {
            let n = 1 + random.below(40);
            let density = [0.0, 0.01, 0.1, 0.5, 1.0][round % 5];
            let graph = random_graph(&mut random, &parameters(n, density));
            let counts = naive::explore(&graph.program(), n);
            assert_eq!((counts.states, counts.deadlocks), (n, 0));
            assert_eq!(counts.transitions, graph.edges());
            for state in &graph.states {
                assert!(
                    state.edges.is_sorted_by(|a, b| a.to < b.to),
                    "distinct targets"
                );
            }
            if density == 0.0 {
                assert_eq!(graph.edges(), n, "one successor each");
            }
            if density == 1.0 {
                assert_eq!(graph.edges(), n * n, "all successors");
            }
        }
    }

    #[test]
    fn numbers_are_as_the_paper_has_them() {
        let mut random = Random::new(2);
        let (n, density) = (1024, 0.01);
        let graph = random_graph(&mut random, &parameters(n, density));
        let arities: Vec<f64> = graph.states.iter().map(|s| s.edges.len() as f64).collect();
        let mean = arities.iter().sum::<f64>() / n as f64;
        let variance = arities.iter().map(|a| (a - mean).powi(2)).sum::<f64>() / n as f64;
        // 1 + 1023 d and 1023 d (1-d), within three standard errors.
        assert!((mean - 11.23).abs() < 0.3, "{mean}");
        assert!((variance - 10.13).abs() < 1.5, "{variance}");
        let truths: usize = graph.states.iter().map(|s| s.propositions.len()).sum();
        assert!((truths as f64 / 2048.0 - 0.25).abs() < 0.03);
        let all = graph.states.iter().flat_map(|s| &s.edges);
        let marked: u32 = all.map(|e| e.marks.count_ones()).sum();
        let share = f64::from(marked) / (3.0 * graph.edges() as f64);
        assert!((share - 0.5).abs() < 0.01, "{share}");
    }

    #[test]
    fn successors_are_spread_evenly() {
        let mut random = Random::new(3);
        let mut indegree = [0usize; 10];
        for _ in 0..2000 {
            let graph = random_graph(&mut random, &parameters(10, 0.3));
            for edge in graph.states.iter().flat_map(|s| &s.edges) {
                indegree[edge.to as usize] += 1;
            }
        }
        let mean = indegree.iter().sum::<usize>() / 10;
        assert!(
            indegree.iter().all(|d| d.abs_diff(mean) < mean / 20),
            "{indegree:?}"
        );
    }

    #[test]
    fn a_seed_gives_one_graph() {
        let make = |seed| random_graph(&mut Random::new(seed), &parameters(50, 0.1));
        assert_eq!(make(7), make(7));
        assert_ne!(make(7), make(8));
    }
}
