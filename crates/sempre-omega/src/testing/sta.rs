//! Single-pass testing automata: one livelock accepting state, and it has no successors.
//!
//! Ben Salem, "Single-pass testing automata for LTL model checking" (LATA 2015). The two passes that testing automata
//! need otherwise come from livelock accepting states that have successors: a search cannot determine whether a run
//! leaves them. Here every transition into a livelock accepting state gets a copy into an artificial state `g`, and
//! for every initial pair with such a state there is one with `g`; then only `g` is livelock accepting. A run guesses
//! the last change of the word.
//!
//! Livelock accepting states without successors need no copy: they merge with `g`, because they accept only
//! stuttering.
//!
//! Cost: one pass, at most one transition more for each state and changeset.

use super::graph::Graph;
use super::{Initial, Ta, TestingEdge};

/// The testing automaton in which no livelock accepting state has successors.
pub fn single_pass(t: &Ta) -> Ta {
    let Graph {
        mut initial,
        mut edges,
    } = t.graph();
    let rest = edges.len() as u32;
    for i in 0..initial.len() {
        let Initial { valuation, state } = initial[i];
        if t.livelock[state as usize] {
            initial.push(Initial {
                valuation,
                state: rest,
            });
        }
    }
    for list in &mut edges {
        for i in 0..list.len() {
            if t.livelock[list[i].to as usize] {
                let twin = TestingEdge {
                    to: rest,
                    ..list[i]
                };
                list.push(twin);
            }
        }
    }
    edges.push(Vec::new());
    let mut livelock = vec![false; edges.len()];
    livelock[rest as usize] = true;
    let mut buchi = t.buchi.clone();
    buchi.push(false);
    let mut graph = Graph { initial, edges };
    graph.tidy();
    let mut out = Ta::assemble(
        t.name.clone(),
        t.propositions.clone(),
        graph,
        buchi,
        livelock,
    );
    out.remove_useless();
    out.merge_bisimilar();
    out
}
