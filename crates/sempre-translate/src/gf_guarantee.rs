//! Deterministic automata for `G F g` where `g` is a guarantee formula.
//!
//! Whether `F g` holds is decided by a finite prefix, so its minimal weak automaton is a deterministic automaton on
//! finite words with one final state. `G F g` holds iff that automaton, restarted after each success, succeeds
//! infinitely often. After success the letter just read may count for the next attempt, which saves the initial
//! state; and since `G F g` does not depend on prefixes, any state may be the initial one: the first of a component
//! that cannot be left.
//!
//! The idea is in Esparza, Křetínský, Sickert, "One theorem to rule them all" (LICS 2018), and is folklore among
//! translators.

use sempre_omega::{Acceptance, Automaton, Bdds, Edge, Mark, Sccs};

/// The automaton of `G F g` from the minimal weak automaton of `F g`; `None` if that is not of the
/// expected shape (complete, one accepting state that is never left).
pub(crate) fn recurrence(finally: &Automaton, bdds: &mut Bdds) -> Option<Automaton> {
    let &[initial] = &finally.initial[..] else {
        return None;
    };
    let satisfied =
        (0..finally.states() as u32).find(|&s| match &finally.edges[s as usize][..] {
            [e] => e.to == s && e.label.is_true() && e.mark.contains(0),
            _ => false,
        })?;
    if satisfied == initial || !finally.is_complete(bdds) {
        return None;
    }
    let mut a = Automaton::new(finally.propositions.clone(), 1, Acceptance::buchi());
    for (s, edges) in finally.edges.iter().enumerate() {
        a.add_state();
        if s as u32 == satisfied {
            continue;
        }
        for e in edges {
            if e.to != satisfied {
                a.edges[s].push(Edge {
                    to: e.to,
                    label: e.label,
                    mark: Mark::EMPTY,
                });
                continue;
            }
            // Success: the same letter starts the next attempt, unless it completes that one, too.
            for next in &finally.edges[initial as usize] {
                let label = bdds.and(e.label, next.label);
                let to = if next.to == satisfied {
                    initial
                } else {
                    next.to
                };
                a.add_edge(s as u32, to, label, Mark::single(0));
            }
        }
    }
    a.initial = vec![initial];
    a.trim_unreachable();
    let sccs = Sccs::new(&a);
    // The first component found cannot be left.
    a.initial = vec![sccs.states[0][0]];
    a.trim_unreachable();
    a.merge_edges(bdds);
    Some(a)
}
