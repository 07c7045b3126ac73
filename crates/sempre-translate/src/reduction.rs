//! Reductions of generalised Büchi automata, by effort.

use crate::options::Effort;
use sempre_omega::scc_filter::{Transient, scc_filter};
use sempre_omega::transient_pruning::prune_transient_edges;
use sempre_omega::{Alphabet, Automaton, simulation};

/// The component filter and the simulations of the effort, for a generalised Büchi automaton.
pub fn reduce(a: &mut Automaton, alphabet: &mut Alphabet, effort: Effort) {
    let bdds = &mut alphabet.bdds;
    if effort == Effort::Low {
        scc_filter(a, Transient::Empty);
        a.merge_edges(bdds);
        return;
    }
    // Edges between components dominate more with all marks, and are dominated more without any.
    let mut stable = 0;
    let mut transient = Transient::Empty;
    while stable < 2 {
        let before = (a.states(), a.edge_count(), a.sets);
        scc_filter(a, transient);
        a.merge_edges(bdds);
        if effort == Effort::High {
            simulation::reduce_to_fixpoint(a, bdds);
            prune_transient_edges(a, bdds);
        } else {
            simulation::reduce(a, bdds, simulation::Direction::Direct);
        }
        if before == (a.states(), a.edge_count(), a.sets) {
            stable += 1;
        } else {
            stable = 0;
        }
        transient = match transient {
            Transient::Empty => Transient::Full,
            Transient::Full => Transient::Empty,
        };
    }
    scc_filter(a, Transient::Empty);
    a.merge_edges(bdds);
}
