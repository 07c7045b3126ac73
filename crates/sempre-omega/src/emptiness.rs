//! Is the language empty? For any acceptance condition.
//!
//! The generic recursion of Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček, "Generic emptiness check for fun
//! and profit" (ATVA 2019). Inside a strongly connected set of states, fill in the marks that do not occur (their
//! `Inf` is false, their `Fin` true). If seeing all marks that occur is accepting, a run over all edges for ever is
//! accepting. Otherwise some `Fin` prevents acceptance: treat each disjunct of the condition separately; in a
//! disjunct, a `Fin` that must hold (a conjunct) removes its edges, and the recursion continues with the resulting
//! components; without such a `Fin`, one is selected and both cases are tried, it holds (its edges are removed) or it
//! does not (its atom becomes false).
//!
//! Exponential in the number of `Fin`s in general (the problem is NP-complete), linear for generalised Büchi,
//! polynomial for generalised Rabin, Streett and parity conditions.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::scc::{Sccs, UNREACHED};

impl Sccs {
    /// Is there an accepting run inside each component?
    pub fn accepting(&self, a: &Automaton) -> Vec<bool> {
        (0..self.len())
            .map(|c| {
                if self.is_trivial(a, c) {
                    return false;
                }
                let (any, common) = self.marks(a, c);
                let condition = a.acceptance.restrict_to(&any).assume_inf(&common);
                // Without Fin, seeing more marks never hurts: the walk over all edges decides.
                condition.accepts(&any)
                    || (condition.uses_fin() && component_accepts(a, &self.states[c], &condition))
            })
            .collect()
    }
}

/// The states from which an accepting run starts.
pub fn useful_states(a: &Automaton, sccs: &Sccs) -> Vec<bool> {
    let accepting = sccs.accepting(a);
    let mut useful_scc = accepting;
    // Components are in reverse topological order: successors are decided before.
    for c in 0..sccs.len() {
        if !useful_scc[c] {
            useful_scc[c] = sccs.states[c].iter().any(|&s| {
                a.edges[s as usize]
                    .iter()
                    .any(|e| useful_scc[sccs.of[e.to as usize] as usize])
            });
        }
    }
    (0..a.states())
        .map(|s| sccs.of[s] != UNREACHED && useful_scc[sccs.of[s] as usize])
        .collect()
}

/// Drops the states that are unreachable or accept nothing; keeps at least one initial state.
pub fn prune(a: &mut Automaton) {
    let sccs = Sccs::new(a);
    let useful = useful_states(a, &sccs);
    if useful.iter().all(|&u| u) {
        return;
    }
    let first = a.initial.iter().copied().find(|&s| useful[s as usize]);
    match first {
        Some(_) => a.retain_states(|s| useful[s as usize]),
        None => {
            let s = a.initial.first().copied();
            a.retain_states(|t| Some(t) == s);
            a.edges.iter_mut().for_each(Vec::clear);
        }
    }
}

/// Has the automaton no accepting run?
pub fn is_empty(a: &Automaton) -> bool {
    let sccs = Sccs::new(a);
    !sccs.accepting(a).contains(&true)
}

/// A strongly connected piece in which every run that takes all its edges infinitely often accepts.
#[derive(Clone, Debug)]
pub(crate) struct AcceptingPiece {
    /// Its states.
    pub states: Vec<u32>,
    /// Edges with these marks do not belong to the piece.
    pub forbidden: Mark,
}

/// Is there an accepting run inside the strongly connected set `states`?
pub(crate) fn component_accepts(a: &Automaton, states: &[u32], condition: &Acceptance) -> bool {
    find_in_component(a, states, condition, &Mark::EMPTY).is_some()
}

/// An accepting piece inside the strongly connected set `states`, edges with `forbidden` marks left
/// out; all of `states` must be strongly connected without them.
pub(crate) fn find_in_component(
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

/// Removes the edges with a mark of `cut` and searches the components that remain.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;
    use crate::random::random_acceptance;
    use sempre_base::Random;

    fn random_graph(r: &mut Random) -> Automaton {
        let sets = 1 + r.below(5) as u32;
        // Two conditions joined: sets occur several times, with both signs.
        let halves = [random_acceptance(r, sets), random_acceptance(r, sets)];
        let condition = if r.chance(0.5) {
            Acceptance::and(halves)
        } else {
            Acceptance::or(halves)
        };
        let mut a = Automaton::new(vec![], sets, condition);
        let n = 1 + r.below(4);
        for _ in 0..n {
            a.add_state();
        }
        a.initial = vec![0];
        for _ in 0..1 + r.below(9) {
            let mark = (0..sets).filter(|_| r.chance(0.4)).collect();
            a.add_edge(r.below(n) as u32, r.below(n) as u32, Bdd::TRUE, mark);
        }
        a
    }

    fn reachable(n: usize, edges: &[(u32, u32)], from: u32) -> Vec<bool> {
        let mut seen = vec![false; n];
        seen[from as usize] = true;
        for _ in 0..n {
            for &(s, t) in edges {
                seen[t as usize] |= seen[s as usize];
            }
        }
        seen
    }

    /// Is the set of edges, not empty, the set of all edges some run takes infinitely often?
    fn is_loop(n: usize, edges: &[(u32, u32)]) -> bool {
        !edges.is_empty()
            && edges.iter().all(|&(_, t)| {
                let seen = reachable(n, edges, t);
                edges.iter().all(|&(s, _)| seen[s as usize])
            })
    }

    /// The slow, obvious reference: all sets of edges that can be those taken infinitely often.
    fn slow_is_empty(a: &Automaton) -> bool {
        let all: Vec<(u32, &crate::automaton::Edge)> = (0..a.states() as u32)
            .flat_map(|s| a.edges[s as usize].iter().map(move |e| (s, e)))
            .collect();
        let ends: Vec<(u32, u32)> = all.iter().map(|(s, e)| (*s, e.to)).collect();
        let reached = reachable(a.states(), &ends, 0);
        (0..1u32 << all.len()).all(|subset| {
            let chosen: Vec<usize> = (0..all.len()).filter(|i| subset >> i & 1 == 1).collect();
            let edges: Vec<(u32, u32)> = chosen.iter().map(|&i| ends[i]).collect();
            let marks = chosen
                .iter()
                .fold(Mark::EMPTY, |m, &i| m.union(&all[i].1.mark));
            !(is_loop(a.states(), &edges)
                && reached[edges[0].0 as usize]
                && a.acceptance.accepts(&marks))
        })
    }

    #[test]
    fn agrees_with_the_enumeration_of_all_loops() {
        let mut r = Random::new(77);
        let mut empty = 0;
        for _ in 0..1500 {
            let a = random_graph(&mut r);
            let truth = slow_is_empty(&a);
            assert_eq!(is_empty(&a), truth, "{a:?}");
            empty += usize::from(truth);
        }
        assert!(empty > 200 && empty < 1300, "{empty}");
    }

    #[test]
    fn pieces_are_loops_that_accept() {
        let mut r = Random::new(78);
        let mut found = 0;
        for _ in 0..1000 {
            let a = random_graph(&mut r);
            let sccs = Sccs::new(&a);
            let accepting = sccs.accepting(&a);
            for (c, states) in sccs.states.iter().enumerate() {
                let piece = find_in_component(&a, states, &a.acceptance, &Mark::EMPTY);
                assert_eq!(piece.is_some(), accepting[c], "{a:?}");
                let Some(piece) = piece else { continue };
                found += 1;
                let (mut edges, mut marks) = (Vec::new(), Mark::EMPTY);
                for &s in &piece.states {
                    for e in &a.edges[s as usize] {
                        if piece.states.contains(&e.to) && !e.mark.intersects(&piece.forbidden) {
                            edges.push((s, e.to));
                            marks = marks.union(&e.mark);
                        }
                    }
                }
                assert!(is_loop(a.states(), &edges), "{a:?} {piece:?}");
                assert!(a.acceptance.accepts(&marks), "{a:?} {piece:?}");
            }
        }
        assert!(found > 300, "{found}");
    }
}
