//! A graph as a [`System`]: the state is its number. Faster than a compiled program, since a graph is data.

use sempre_lang::graph::Graph;
use sempre_model::system::{Sink, Step, System};

/// See the module's documentation.
pub(super) struct GraphSystem {
    initial: Vec<u32>,
    /// The propositions of each state, one bit each.
    truth: Vec<u64>,
    edges: Vec<Vec<(u32, u64)>>,
    marks: u32,
}

impl GraphSystem {
    /// A graph with at most 64 propositions.
    pub(super) fn new(graph: &Graph) -> Self {
        Self {
            initial: graph.initial.clone(),
            truth: (graph.states.iter())
                .map(|s| s.propositions.iter().fold(0, |bits, p| bits | 1 << p))
                .collect(),
            edges: (graph.states.iter())
                .map(|s| s.edges.iter().map(|e| (e.to, e.marks)).collect())
                .collect(),
            marks: graph.marks,
        }
    }
}

impl System for GraphSystem {
    type Context = ();

    fn context(&self) {}

    fn width(&self) -> usize {
        1
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        self.initial.iter().for_each(|&s| each(&[u64::from(s)]));
    }

    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        for &(to, marks) in &self.edges[state[0] as usize] {
            sink.successor(Step { action: 0, marks }, &[u64::from(to)]);
        }
    }

    fn holds(&self, (): &mut (), state: &[u64], proposition: usize) -> bool {
        self.truth[state[0] as usize] >> proposition & 1 == 1
    }

    fn valuation(&self, (): &mut (), state: &[u64], count: usize, out: &mut [u64]) {
        out[0] =
            self.truth[state[0] as usize] & u64::MAX.checked_shr(64 - count as u32).unwrap_or(0);
    }

    fn marks(&self) -> u32 {
        self.marks
    }

    fn spare_bits(&self) -> (usize, u32) {
        (0, 32)
    }
}
