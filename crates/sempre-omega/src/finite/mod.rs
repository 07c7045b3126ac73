//! Finite automata: acceptors of finite words, over the same labels as the ω-automata.
//!
//! They exist for safety properties: an automaton of bad prefixes finds a violation by reachability alone. States,
//! initial states, final states, labelled edges; nondeterminism is allowed, edges may be missing (then nothing is
//! accepted), and there are no silent edges.
//!
//! * [`determinize`](mod@determinize): the subset construction; completion and complement with it;
//! * [`minimize`](mod@minimize): Hopcroft's algorithm on labels;
//! * [`bad_prefixes`](mod@bad_prefixes): the automaton of all bad prefixes of an ω-language;
//! * [`compare`]: intersection, and shortest words that distinguish two languages;
//! * [`terminal`]: the same as an ω-automaton, for engines and for the Hanoi format;
//! * [`printing`]: pictures, and never claims with a failing assertion.
//!
//! Languages of bad prefixes are closed under extension, and so some operations have a simple form for them; none
//! requires it unless it says so.

mod automaton;
pub mod bad_prefixes;
pub mod compare;
pub mod determinize;
pub mod minimize;
pub mod printing;
pub mod terminal;

pub use automaton::{FiniteAutomaton, FiniteEdge};
pub use bad_prefixes::{bad_prefixes, unavoidable};
pub use compare::{FiniteDifference, difference, equivalent, intersection};
pub use determinize::{complement, complete, determinize};
pub use minimize::minimize;
pub use printing::{finite_picture, write_finite_hoa, write_safety_claim};
pub use terminal::{from_terminal, from_terminal_components, to_terminal, without_prefix};

/// Random automata and words for the tests of this folder.
#[cfg(test)]
pub(crate) mod samples {
    use super::{FiniteAutomaton, FiniteEdge};
    use crate::bdd::Bdds;
    use crate::random::RandomAutomaton;
    use crate::word::Letter;
    use crate::word::random_letter;
    use sempre_base::Random;

    /// Over the propositions 0 and 1.
    pub(crate) fn random_finite(r: &mut Random, bdds: &mut Bdds, most: usize) -> FiniteAutomaton {
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(most), &[0, 1], 0);
        o.deterministic = r.chance(0.4);
        o.complete = r.chance(0.2);
        let g = o.generate(r, bdds);
        let mut a = FiniteAutomaton::new(vec![0, 1]);
        for edges in &g.edges {
            let is_final = r.chance(0.3);
            let s = a.add_state(is_final);
            for e in edges {
                a.edges[s as usize].push(FiniteEdge {
                    label: e.label,
                    to: e.to,
                });
            }
        }
        a.initial = match r.below(8) {
            0 => vec![],
            1 => vec![0, r.below(a.states()) as u32],
            _ => vec![0],
        };
        a
    }

    pub(crate) fn random_letters(r: &mut Random, most: usize) -> Vec<Letter> {
        let length = r.below(most + 1);
        (0..length).map(|_| random_letter(r, &[0, 1])).collect()
    }
}
