//! What the header promises about an automaton, and whether it is so.
//!
//! [`facts`] computes the properties that are worth printing; [`contradictions`] compares a
//! `properties:` and an `acc-name:` line with the automaton as it was read. A broken promise is a
//! warning: the automaton is used as it is.
//!
//! Only promises that are cheap to check are checked. `unambiguous`, `stutter-invariant`,
//! `semi-deterministic` and `inherently-weak` are taken on trust, and used by nobody here.

use super::acceptance_name::{acceptance_name, expected};
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::mark::Mark;
use crate::scc::Sccs;
use sempre_base::{Diagnostic, Span};

/// How the components look, in the words of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weakness {
    /// All edges inside a component are in the same sets.
    pub(super) weak: bool,
    /// Weak, with components of one state.
    pub(super) very_weak: bool,
    /// Weak, accepting components are complete, and reach no rejecting cycle.
    pub(super) terminal: bool,
}

/// Looks at the components of the whole graph, reachable or not, as the words are about the text.
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
    // In a weak automaton one edge decides its component. Components come in reverse topological
    // order: what a component reaches is known before it.
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

/// How a text was written: what `trans-labels`, `state-acc` and their like are about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Writing {
    pub(super) state_labels: bool,
    pub(super) edge_labels: bool,
    pub(super) implicit_labels: bool,
    pub(super) state_marks: bool,
    pub(super) edge_marks: bool,
}

/// Warnings about promises that are not kept.
pub(super) fn contradictions(
    a: &Automaton,
    bdds: &mut Bdds,
    promised: &[(&str, Span)],
    writing: Writing,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let mut shape = None;
    let has = |word: &str| promised.iter().any(|&(w, _)| w == word);
    for &(word, span) in promised {
        let mut deny = |what: &str| {
            out.push(Diagnostic::warning(
                span,
                format!("the header promises `{word}`, but {what}"),
            ));
        };
        match word {
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
            "weak" | "very-weak" | "terminal" => {
                let shape = shape.get_or_insert_with(|| weakness(a, bdds));
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
            // A word and its opposite together say that both occur, or nothing.
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
            "univ-branch" => deny("every edge has one destination"),
            _ => {}
        }
    }
    out
}

/// The largest number of sets for which a condition is compared with its name on every set of marks.
const COMPARED: u32 = 10;

/// A warning if the condition is not the one that its name promises.
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
