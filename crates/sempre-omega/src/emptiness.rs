//! Is the language empty? For any acceptance condition.
//!
//! The generic recursion of Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček, "Generic emptiness
//! check for fun and profit" (ATVA 2019). Inside a strongly connected set of states, fill in the marks
//! that do not occur (their `Inf` is false, their `Fin` true). If seeing all marks that occur is
//! accepting, a run that walks all edges for ever is the answer. Otherwise some `Fin` stands in the way:
//! treat each disjunct of the condition on its own; in a disjunct, a `Fin` that must hold (a conjunct)
//! cuts its edges, and the pieces are looked at again; without such a `Fin`, one is picked and both
//! ways are tried, it holds (cut) or it does not (its atom becomes false).
//!
//! Exponential in the number of `Fin`s in general (the problem is NP-complete), linear for
//! generalised Büchi, polynomial for generalised Rabin, Streett and parity conditions.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::scc::Sccs;

/// Has the automaton no accepting run?
pub fn is_empty(a: &Automaton) -> bool {
    let sccs = Sccs::new(a);
    !sccs.accepting(a).contains(&true)
}

/// A strongly connected piece in which every run that takes all its edges infinitely often accepts.
#[derive(Clone, Debug)]
pub struct AcceptingPiece {
    /// Its states.
    pub states: Vec<u32>,
    /// Edges with these marks do not belong to the piece.
    pub forbidden: Mark,
}

/// Is there an accepting run inside the strongly connected set `states`?
pub fn component_accepts(a: &Automaton, states: &[u32], condition: &Acceptance) -> bool {
    find_in_component(a, states, condition, &Mark::EMPTY).is_some()
}

/// An accepting piece inside the strongly connected set `states`, edges with `forbidden` marks left
/// out; all of `states` must be strongly connected without them.
pub fn find_in_component(
    a: &Automaton,
    states: &[u32],
    condition: &Acceptance,
    forbidden: &Mark,
) -> Option<AcceptingPiece> {
    let mut inside = vec![false; a.states()];
    for &s in states {
        inside[s as usize] = true;
    }
    let mut any = Mark::EMPTY;
    let mut edges = 0;
    for &s in states {
        for e in &a.edges[s as usize] {
            if inside[e.to as usize] && !e.mark.intersects(forbidden) {
                any = any.union(&e.mark);
                edges += 1;
            }
        }
    }
    if edges == 0 {
        return None;
    }
    let condition = condition.restrict_to(&any);
    if condition.accepts(&any) {
        return Some(AcceptingPiece {
            states: states.to_vec(),
            forbidden: forbidden.clone(),
        });
    }
    match condition {
        Acceptance::Or(parts) => parts
            .iter()
            .find_map(|p| find_in_component(a, states, p, forbidden)),
        Acceptance::False => None,
        condition => {
            let required = required_fins(&condition);
            if !required.is_empty() {
                return find_without(a, states, &condition, forbidden, &required, &inside);
            }
            // No Fin is a conjunct: branch on one below a disjunction.
            let (_, fins) = condition.sets_used();
            let f = fins.iter().next()?;
            find_without(a, states, &condition, forbidden, &Mark::single(f), &inside).or_else(
                || {
                    let without = condition.map(&mut |atom| match atom {
                        Acceptance::Fin(i) if *i == f => Acceptance::False,
                        other => other.clone(),
                    });
                    find_in_component(a, states, &without, forbidden)
                },
            )
        }
    }
}

/// The sets whose `Fin` is a conjunct of the condition.
fn required_fins(condition: &Acceptance) -> Mark {
    match condition {
        Acceptance::Fin(i) => Mark::single(*i),
        Acceptance::And(parts) => parts
            .iter()
            .filter_map(|p| match p {
                Acceptance::Fin(i) => Some(*i),
                _ => None,
            })
            .collect(),
        _ => Mark::EMPTY,
    }
}

/// Cuts the edges with a mark of `cut` and looks at the components that remain.
fn find_without(
    a: &Automaton,
    states: &[u32],
    condition: &Acceptance,
    forbidden: &Mark,
    cut: &Mark,
    inside: &[bool],
) -> Option<AcceptingPiece> {
    let forbidden = forbidden.union(cut);
    let pieces = Sccs::restricted(a, states, |_, e| {
        inside[e.to as usize] && !e.mark.intersects(&forbidden)
    });
    pieces
        .states
        .iter()
        .find_map(|piece| find_in_component(a, piece, condition, &forbidden))
}
