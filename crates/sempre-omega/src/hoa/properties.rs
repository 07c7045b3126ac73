//! The claims of the header about an automaton, and their check.
//!
//! [`facts`] computes the properties that are worth printing; [`contradictions`] compares a `properties:` and an
//! `acc-name:` line with the automaton that was read. A false claim is a warning: the automaton is used as it is.
//!
//! Only claims that are cheap to check are checked. `unambiguous`, `stutter-invariant`, `semi-deterministic` and
//! `inherently-weak` are not checked by the reader; the writer determines the last two.

use super::acceptance_name::{acceptance_name, expected};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::emptiness;
use crate::mark::Mark;
use crate::scc::Sccs;
use sempre_base::{Diagnostic, Span};

/// The kinds of components, in the terms of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weakness {
    /// All edges inside a component are in the same sets.
    pub(super) weak: bool,
    /// Weak, with components of one state.
    pub(super) very_weak: bool,
    /// Weak, accepting components are complete, and reach no rejecting cycle.
    pub(super) terminal: bool,
}

/// Classifies the components of the whole graph, reachable or not, as the claims are about the text.
pub(super) fn weakness(a: &Automaton, bdds: &mut Bdds) -> Weakness {
    let all: Vec<u32> = (0..a.states() as u32).collect();
    let sccs = Sccs::restricted(a, &all, |_, _| true);
    let weak = (0..sccs.len()).all(|c| {
        let mut marks = sccs.edges(a, c).map(|(_, e)| &e.mark);
        let first = marks.next();
        marks.all(|m| Some(m) == first)
    });
    if !weak {
        return Weakness {
            weak: false,
            very_weak: false,
            terminal: false,
        };
    }
    // In a weak automaton one edge decides its component. Components are in reverse topological order: the successors
    // of a component are classified before it.
    let mut reaches_rejecting = vec![false; sccs.len()];
    let mut terminal = true;
    for c in 0..sccs.len() {
        let mark: Option<&Mark> = sccs.edges(a, c).next().map(|(_, e)| &e.mark);
        let accepting = mark.is_some_and(|m| a.acceptance.accepts(m));
        let leads_to_rejecting = sccs.states[c].iter().any(|&s| {
            a.edges[s as usize]
                .iter()
                .any(|e| reaches_rejecting[sccs.of[e.to as usize] as usize])
        });
        reaches_rejecting[c] = leads_to_rejecting || (mark.is_some() && !accepting);
        terminal &= !accepting || (!leads_to_rejecting && sccs.is_terminal(a, bdds, c));
    }
    Weakness {
        weak: true,
        very_weak: sccs.states.iter().all(|s| s.len() == 1),
        terminal,
    }
}

/// Are accepting runs deterministic from some point on: is each state deterministic that is reachable from a
/// component in which an accepting run may stay? If the marks do not decide that, the component counts as one.
pub(super) fn is_semi_deterministic(a: &Automaton, bdds: &mut Bdds) -> bool {
    let all: Vec<u32> = (0..a.states() as u32).collect();
    let sccs = Sccs::restricted(a, &all, |_, _| true);
    // Components are in reverse topological order: from the last one on, sources before destinations.
    let mut after = vec![false; sccs.len()];
    (0..sccs.len()).rev().all(|c| {
        if !after[c] && !sccs.is_trivial(a, c) {
            let (any, common) = sccs.marks(a, c);
            let condition = a.acceptance.restrict_to(&any).assume_inf(&common);
            after[c] = condition.uses_fin() || condition.accepts(&any);
        }
        let states = &sccs.states[c];
        if after[c] {
            for e in states.iter().flat_map(|&s| &a.edges[s as usize]) {
                after[sccs.of[e.to as usize] as usize] = true;
            }
        }
        !after[c]
            || states
                .iter()
                .all(|&s| bdds.pairwise_disjoint(a.edges[s as usize].iter().map(|e| e.label)))
    })
}

/// Do all cycles of each component agree on acceptance? Only for conditions whose emptiness check is cheap together
/// with that of the opposite; false for the others.
pub(super) fn is_inherently_weak(a: &Automaton) -> bool {
    let opposite = a.acceptance.complement();
    let cheap = |x: &Acceptance| x.as_generalized_buchi().is_some();
    if !cheap(&a.acceptance) && !cheap(&opposite) {
        return false;
    }
    let all: Vec<u32> = (0..a.states() as u32).collect();
    let sccs = Sccs::restricted(a, &all, |_, _| true);
    (0..sccs.len()).all(|c| {
        let stays = |condition| emptiness::component_accepts(a, &sccs.states[c], condition);
        sccs.is_trivial(a, c) || !stays(&a.acceptance) || !stays(&opposite)
    })
}

/// The form of a text, for `trans-labels`, `state-acc` and similar claims.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Writing {
    pub(super) state_labels: bool,
    pub(super) edge_labels: bool,
    pub(super) implicit_labels: bool,
    pub(super) state_marks: bool,
    pub(super) edge_marks: bool,
}

/// An automaton as it was read.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    /// With the first destination of each edge.
    pub(super) automaton: &'a Automaton,
    /// With all destinations, if some edge has several.
    pub(super) branches: Option<&'a Automaton>,
    /// Version 1.1, where alternating automata are not deterministic.
    pub(super) later_version: bool,
}

/// Warnings about false claims.
pub(super) fn contradictions(
    Shape {
        automaton: a,
        branches,
        later_version,
    }: Shape<'_>,
    bdds: &mut Bdds,
    promised: &[(&str, bool, Span)],
    writing: Writing,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut shape = None;
    let has = |word: &str| promised.iter().any(|&(w, yes, _)| yes && w == word);
    let alternating = branches.is_some();
    for &(word, positive, span) in promised {
        let sign = if positive { "" } else { "!" };
        let mut deny = |what: &str| {
            out.push(Diagnostic::warning(
                span,
                format!("the header claims `{sign}{word}`, but {what}"),
            ));
        };
        if !positive {
            match word {
                _ if has(word) => deny("its opposite, too"),
                "deterministic" if a.is_deterministic(bdds) && !alternating => {
                    deny("no state has two edges for the same letter");
                }
                "complete" if a.is_complete(bdds) => deny("all states have edges for all letters"),
                "univ-branch" if alternating => deny("an edge has several destinations"),
                "exist-branch" if !a.is_deterministic(bdds) => {
                    deny("there is a choice between edges or initial states");
                }
                "colored" if a.edges.iter().flatten().all(|e| e.mark.len() == 1) => {
                    deny("each edge is in exactly one acceptance set");
                }
                _ => {}
            }
            continue;
        }
        match word {
            "deterministic" if alternating && later_version => {
                deny("an edge has several destinations");
            }
            "deterministic" if !a.is_deterministic(bdds) => {
                deny(if a.initial.len() > 1 {
                    "there are several initial states"
                } else {
                    "some state has two edges for the same letter"
                });
            }
            "complete" if !a.is_complete(bdds) => {
                deny(if a.initial.is_empty() {
                    "there is no initial state"
                } else {
                    "some state has no edge for some letter"
                });
            }
            // For an alternating automaton, terminal components are not determined.
            "terminal" if alternating => {}
            "weak" | "very-weak" | "terminal" => {
                let graph = branches.unwrap_or(a);
                let shape = shape.get_or_insert_with(|| weakness(graph, bdds));
                if !shape.weak {
                    deny("the edges inside a component are not all in the same acceptance sets");
                } else if word == "very-weak" && !shape.very_weak {
                    deny("a component has several states");
                } else if word == "terminal" && !shape.terminal {
                    deny(
                        "an accepting component is not complete or can be left for a rejecting one",
                    );
                }
            }
            "colored" if a.edges.iter().flatten().any(|e| e.mark.len() != 1) => {
                deny("some edge is not in exactly one acceptance set");
            }
            // A claim and its opposite together mean that both occur, or nothing.
            "state-acc" if writing.edge_marks && !has("trans-acc") => {
                deny("an edge has marks of its own")
            }
            "trans-acc" if writing.state_marks && !has("state-acc") => deny("a state has marks"),
            "trans-labels" if writing.state_labels && !has("state-labels") => {
                deny("a state has a label")
            }
            "state-labels" if writing.edge_labels && !has("trans-labels") => {
                deny("an edge has a label of its own");
            }
            "explicit-labels" if writing.implicit_labels && !has("implicit-labels") => {
                deny("some edges have no label");
            }
            "implicit-labels"
                if (writing.edge_labels || writing.state_labels) && !has("explicit-labels") =>
            {
                deny("there are labels");
            }
            "univ-branch" if !alternating => deny("every edge has one destination"),
            "no-univ-branch" if alternating => deny("an edge has several destinations"),
            "exist-branch" if a.is_deterministic(bdds) => {
                deny("there is no choice between edges or initial states");
            }
            _ => {}
        }
    }
    out
}

/// The largest number of sets for which a condition is compared with its name on every set of marks.
const COMPARED: u32 = 10;

/// A warning if the condition is not the one that its name declares.
pub(super) fn wrong_name(
    a: &Automaton,
    name: &str,
    parameters: &[&str],
    span: Span,
) -> Option<Diagnostic> {
    if acceptance_name(&a.acceptance, a.sets).is_some_and(|n| {
        n.split(' ')
            .eq(std::iter::once(name).chain(parameters.iter().copied()))
    }) {
        return None;
    }
    let (condition, sets) = expected(name, parameters)?;
    let differs = sets != a.sets
        || (sets <= COMPARED
            && (0..1u64 << sets).any(|word| {
                let marks = Mark::from_word(word);
                condition.accepts(&marks) != a.acceptance.accepts(&marks)
            }));
    let shown = if sets <= COMPARED {
        format!("that name means `{sets} {condition}`")
    } else {
        format!("that name has {sets} acceptance sets")
    };
    differs.then(|| {
        Diagnostic::warning(span, "`acc-name:` and `Acceptance:` do not agree")
            .with_help(format!("{shown}; the `Acceptance:` line counts"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    /// `reach[s][t]`: can `t` be reached from `s` by some of the edges, or is it `s`?
    fn closure(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reach: Vec<Vec<bool>> = (0..n).map(|s| (0..n).map(|t| s == t).collect()).collect();
        for _ in 0..n {
            for &(s, t) in edges {
                for row in &mut reach {
                    row[t] |= row[s];
                }
            }
        }
        reach
    }

    /// The states on closed walks that accept (`true`) or do not, found by trying all sets of edges.
    fn on_walks(a: &Automaton, accepting: bool) -> Vec<bool> {
        let edges: Vec<(usize, usize, &Mark)> = (0..)
            .zip(&a.edges)
            .flat_map(|(s, edges)| edges.iter().map(move |e| (s, e.to as usize, &e.mark)))
            .collect();
        let mut on = vec![false; a.states()];
        for bits in 1u32..1 << edges.len() {
            let chosen = edges.iter().enumerate();
            let walk: Vec<_> = chosen
                .filter(|(i, _)| bits >> i & 1 == 1)
                .map(|(_, e)| *e)
                .collect();
            let plain: Vec<_> = walk.iter().map(|&(s, t, _)| (s, t)).collect();
            let reach = closure(a.states(), &plain);
            let closed = plain
                .iter()
                .all(|&(s, _)| plain.iter().all(|&(_, t)| reach[s][t] && reach[t][s]));
            let marks = walk.iter().fold(Mark::EMPTY, |m, e| m.union(e.2));
            if closed && a.acceptance.accepts(&marks) == accepting {
                plain.iter().for_each(|&(s, _)| on[s] = true);
            }
        }
        on
    }

    #[test]
    fn semi_determinism_and_inherent_weakness_by_trying_all_walks() {
        let mut r = Random::new(7);
        let mut counts = [0; 4];
        for round in 0..3000 {
            let bdds = &mut Bdds::new();
            let sets = r.below(3) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(3), &[0], sets);
            o.density = 0.35;
            if round % 3 == 0 {
                o.acceptance = o.acceptance.complement();
            }
            let a = o.generate(&mut r, bdds);
            if a.edge_count() > 7 {
                continue;
            }
            let plain: Vec<(usize, usize)> = (0..)
                .zip(&a.edges)
                .flat_map(|(s, edges)| edges.iter().map(move |e| (s, e.to as usize)))
                .collect();
            let reach = closure(a.states(), &plain);
            let (yes, no) = (on_walks(&a, true), on_walks(&a, false));
            let states = 0..a.states();
            let deterministic = |s: usize| {
                (a.edges[s].iter().enumerate()).all(|(i, e)| {
                    a.edges[s][..i].iter().all(|f| {
                        let (label, other) = (e.label, f.label);
                        bdds_disjoint(bdds, label, other)
                    })
                })
            };
            let semi = states
                .clone()
                .all(|s| !yes[s] || states.clone().all(|t| !reach[s][t] || deterministic(t)));
            let weak = states.clone().all(|s| {
                !yes[s]
                    || states
                        .clone()
                        .all(|t| !(reach[s][t] && reach[t][s] && no[t]))
            });
            let found = is_semi_deterministic(&a, bdds);
            // With `Fin` the test is sufficient only.
            assert!(found == semi || (a.acceptance.uses_fin() && semi), "{a:?}");
            assert_eq!(is_inherently_weak(&a), weak, "{a:?}");
            counts[usize::from(semi)] += 1;
            counts[2 + usize::from(weak)] += 1;
        }
        assert!(counts.iter().all(|&n| n > 200), "{counts:?}");
    }

    fn bdds_disjoint(bdds: &Bdds, a: crate::Bdd, b: crate::Bdd) -> bool {
        [false, true]
            .iter()
            .all(|&v| !(bdds.eval(a, |_| v) && bdds.eval(b, |_| v)))
    }
}
