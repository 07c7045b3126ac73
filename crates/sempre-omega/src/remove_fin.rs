//! From any acceptance to generalised Büchi: no more `Fin`.
//!
//! The textbook construction, component by component. The condition, simplified by the component's marks, is put into
//! disjunctive normal form. An accepting run satisfies one of the clauses in the component where it finally stays:
//! from some point on it avoids the clause's `Fin` sets, and sees its `Inf` sets infinitely often. So besides the
//! original (the main copy), where a run may spend any finite time, there is for each clause a copy of the component
//! without its `Fin` edges, where the `Inf` sets are the Büchi sets; the run guesses when to jump. A clause without
//! `Fin` needs no copy: the main copy takes its role.
//!
//! The guess may be made late: a run that finally stays in a piece of a copy repeats its cycles for ever, so one jump
//! on each cycle is enough. The edges that close a cycle of a depth-first search are on all cycles; only they jump
//! (J1).
//!
//! Clauses of different components share the Büchi sets; a component that needs fewer has the others on all its
//! edges. Cost: as many copies of a component as its normal form has clauses. Deliberately not done: the special
//! constructions for Rabin-like and Streett-like conditions.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::{Clause, dnf};
use crate::automaton::{Automaton, Edge};
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;

/// The marks in the main copy of a component.
enum Main {
    /// Nothing: runs that stay are rejected.
    Nothing,
    /// The sets of a clause, renumbered.
    Inf(Vec<u32>),
}

/// A generalised Büchi automaton for the same language; `None` if the normal form of the condition has more than
/// `limit` clauses. Conditions that are generalised Büchi already are not changed.
pub fn remove_fin(a: &Automaton, limit: usize) -> Option<Automaton> {
    if a.acceptance.as_generalized_buchi().is_some() {
        return Some(a.clone());
    }
    let sccs = Sccs::new(a);
    let mut mains: Vec<Main> = Vec::with_capacity(sccs.len());
    let mut copied: Vec<(usize, Clause)> = Vec::new();
    let mut sets = 1;
    for c in 0..sccs.len() {
        let (any, common) = sccs.marks(a, c);
        let condition = a.acceptance.restrict_to(&any).assume_inf(&common);
        let mut main = Main::Nothing;
        if !sccs.is_trivial(a, c) {
            for clause in dnf(&condition, limit)? {
                sets = sets.max(clause.inf.len());
                if clause.fin.is_empty() && matches!(main, Main::Nothing) {
                    main = Main::Inf(clause.inf.iter().collect());
                } else {
                    copied.push((c, clause));
                }
            }
        }
        mains.push(main);
    }
    let mut out = Automaton::new(
        a.propositions.clone(),
        sets,
        Acceptance::generalized_buchi(sets),
    );
    out.name.clone_from(&a.name);
    out.initial.clone_from(&a.initial);
    for s in 0..a.states() {
        out.add_state();
        debug_assert_eq!(out.states(), s + 1);
    }
    for (s, edges) in a.edges.iter().enumerate() {
        for e in edges {
            let main = mains.get(sccs.of[s] as usize);
            let mark = match main {
                Some(Main::Inf(infs)) if sccs.of[s] == sccs.of[e.to as usize] => {
                    renumber(&e.mark, infs, sets)
                }
                _ => Mark::EMPTY,
            };
            out.add_edge(s as u32, e.to, e.label, mark);
        }
    }
    for (c, clause) in &copied {
        let infs: Vec<u32> = clause.inf.iter().collect();
        let mark = |m: &Mark| renumber(m, &infs, sets);
        add_copies(a, &sccs, *c, clause, &mut out, &mark);
    }
    prune(&mut out);
    out.trim_unreachable();
    Some(out)
}

/// The marks of an edge as marks of the result; sets that the clause does not need are fulfilled.
fn renumber(mark: &Mark, infs: &[u32], sets: u32) -> Mark {
    (0..sets)
        .filter(|&i| infs.get(i as usize).is_none_or(|&set| mark.contains(set)))
        .collect()
}

/// Adds the parts of a component without the `Fin` edges of a clause that can accept, and the edges that jump into
/// them; `mark` gives the marks of the copied edges.
pub(crate) fn add_copies(
    a: &Automaton,
    sccs: &Sccs,
    c: usize,
    clause: &Clause,
    out: &mut Automaton,
    mark: &dyn Fn(&Mark) -> Mark,
) {
    let stays = |s: u32, e: &Edge| sccs.internal(s, e) && !e.mark.intersects(&clause.fin);
    let pieces = Sccs::restricted(a, &sccs.states[c], stays);
    let mut copy = vec![u32::MAX; a.states()];
    for (p, states) in pieces.states.iter().enumerate() {
        let inside = |s: u32, e: &Edge| stays(s, e) && pieces.of[e.to as usize] == p as u32;
        let (mut any, mut edges) = (Mark::EMPTY, 0);
        for &s in states {
            for e in a.edges[s as usize].iter().filter(|e| inside(s, e)) {
                any = any.union(&e.mark);
                edges += 1;
            }
        }
        if edges == 0 || !clause.inf.is_subset(&any) {
            continue;
        }
        for &s in states {
            copy[s as usize] = out.add_state();
        }
        for &s in states {
            for e in a.edges[s as usize].iter().filter(|e| inside(s, e)) {
                let (from, to) = (copy[s as usize], copy[e.to as usize]);
                out.add_edge(from, to, e.label, mark(&e.mark));
            }
        }
        for (s, e) in closing_edges(a, states[0], inside) {
            out.add_edge(s, copy[e.to as usize], e.label, Mark::EMPTY);
        }
    }
}

/// The edges that lead back to the path of a depth-first search from `root` along the edges that are
/// `inside`: every cycle that can be reached has one of them.
fn closing_edges(
    a: &Automaton,
    root: u32,
    inside: impl Fn(u32, &Edge) -> bool,
) -> Vec<(u32, &Edge)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Place {
        New,
        OnPath,
        Done,
    }
    let mut place = vec![Place::New; a.states()];
    let mut path: Vec<(u32, usize)> = vec![(root, 0)];
    let mut closing = Vec::new();
    place[root as usize] = Place::OnPath;
    while let Some((s, next)) = path.last_mut() {
        let Some(e) = a.edges[*s as usize].get(*next) else {
            place[*s as usize] = Place::Done;
            path.pop();
            continue;
        };
        *next += 1;
        if !inside(*s, e) {
            continue;
        }
        match place[e.to as usize] {
            Place::New => {
                place[e.to as usize] = Place::OnPath;
                path.push((e.to, 0));
            }
            Place::OnPath => closing.push((*s, e)),
            Place::Done => {}
        }
    }
    closing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdds;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_stays() {
        let mut r = Random::new(51);
        let mut bdds = Bdds::new();
        let (mut yes, mut fins) = (0, 0);
        for _ in 0..1500 {
            let sets = 1 + r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.3 + 0.4 * r.unit();
            let a = o.generate(&mut r, &mut bdds);
            fins += usize::from(a.acceptance.uses_fin());
            let b = remove_fin(&a, 100).expect("few clauses");
            let n = b.acceptance.as_generalized_buchi().map(|m| m.len());
            assert_eq!(n, Some(b.sets));
            let clauses = dnf(&a.acceptance, 100).expect("few").len();
            assert!(b.states() <= a.states() * (1 + clauses));
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 1500 && yes < 10500 && fins > 1000, "{yes} {fins}");
    }
}
