//! Stuttering: closure, self-loopisation, and stutter invariance.
//!
//! Two words are stutter-equivalent if they are the same after removing repetitions of letters (but not the infinite
//! one at the end). A language is stutter-invariant if it does not distinguish such words; partial-order reduction
//! and testing automata require that.
//!
//! After Michaud and Duret-Lutz, "Practical stutter-invariance checks for ω-regular languages" (SPIN 2015):
//!
//! * [`closure`] adds the words that result from removing repetitions: two edges in a row that can read the same
//!   letter get a shortcut that reads it once, with the marks of both.
//! * [`self_loopization`] adds the words that result from repeating letters: before an edge is taken, a new state may
//!   read its letter any finite number of times.
//! * A language and its complement must not share a word up to stuttering: the closures of both must be disjoint
//!   ([`is_stutter_invariant`]). Closures add no state, which is why this variant is used.
//!
//! This works for any acceptance: a run with shortcuts sees the same marks infinitely often. A run must not stay in a
//! new state of the self-loopisation for ever, so the condition must reject the empty set; a set for all old edges is
//! added if it does not.
//!
//! Cost: the closure has up to one edge for each pair of states and set of marks; the self-loopisation up to one
//! state for each edge and letter, so it is exponential in the number of propositions.

use crate::acceptance::Acceptance;
use crate::accepting_run::intersecting_word;
use crate::automaton::{Automaton, Edge};
use crate::bdd::{Bdd, Bdds, Literal};
use crate::emptiness::is_empty;
use crate::mark::Mark;
use crate::product::{joint_propositions, product};
use crate::word::{Word, word_automaton};
use rustc_hash::FxHashMap;

/// Adds all words that result from accepted ones by removing repetitions of letters.
pub fn closure(bdds: &mut Bdds, a: &Automaton) -> Automaton {
    let monotone = !a.acceptance.uses_fin();
    let mut out = a.clone();
    out.merge_edges(bdds);
    let original = out.edges.clone();
    for edges in &mut out.edges {
        let mut at = 0;
        // Each edge that was added or widened is extended by the original edges after it.
        let mut todo: Vec<Edge> = edges.clone();
        while let Some(first) = todo.get(at).cloned() {
            sempre_base::checkpoint();
            at += 1;
            for second in &original[first.to as usize] {
                let label = bdds.and(first.label, second.label);
                if label.is_false() {
                    continue;
                }
                let mark = first.mark.union(&second.mark);
                let covers = |e: &Edge| {
                    e.to == second.to && (e.mark == mark || monotone && mark.is_subset(&e.mark))
                };
                let mut fresh = label;
                for e in edges.iter().filter(|e| covers(e)) {
                    fresh = bdds.minus(fresh, e.label);
                }
                if fresh.is_false() {
                    continue;
                }
                let new = Edge {
                    to: second.to,
                    label: fresh,
                    mark,
                };
                match edges
                    .iter_mut()
                    .find(|e| e.to == new.to && e.mark == new.mark)
                {
                    Some(e) => e.label = bdds.or(e.label, fresh),
                    None => edges.push(new.clone()),
                }
                todo.push(new);
            }
        }
    }
    out
}

/// Adds all words that result from accepted ones by repeating letters.
pub fn self_loopization(bdds: &mut Bdds, a: &Automaton) -> Automaton {
    let mut out = a.clone();
    if out.acceptance.accepts(&Mark::EMPTY) {
        let progress = out.sets;
        out.sets += 1;
        out.acceptance = Acceptance::and([out.acceptance, Acceptance::Inf(progress)]);
        for e in out.edges.iter_mut().flatten() {
            e.mark.insert(progress);
        }
    }
    let loops: Vec<Bdd> = (0u32..)
        .zip(&out.edges)
        .map(|(s, edges)| {
            let own = edges.iter().filter(|e| e.to == s);
            own.fold(Bdd::FALSE, |l, e| bdds.or(l, e.label))
        })
        .collect();
    let mut number: FxHashMap<(u32, Bdd, Mark), u32> = FxHashMap::default();
    for s in 0..a.states() {
        for e in out.edges[s].clone() {
            // A state before or after the edge has a suitable self-loop, so no waiting state is needed.
            let covered = bdds.or(loops[s], loops[e.to as usize]);
            let waits = bdds.minus(e.label, covered);
            for letter in letters_of(bdds, waits, &a.propositions) {
                let key = (e.to, letter, e.mark.clone());
                let wait = *number.entry(key).or_insert_with(|| {
                    let wait = out.add_state();
                    out.add_edge(wait, wait, letter, Mark::EMPTY);
                    out.add_edge(wait, e.to, letter, e.mark.clone());
                    wait
                });
                out.add_edge(s as u32, wait, letter, Mark::EMPTY);
            }
        }
    }
    out
}

/// The letters that satisfy a label, each as a label over all `variables`.
fn letters_of(bdds: &mut Bdds, label: Bdd, variables: &[u32]) -> Vec<Bdd> {
    let mut parts: Vec<(Bdd, Vec<Literal>)> = vec![(label, Vec::new())];
    parts.retain(|(f, _)| !f.is_false());
    for &v in variables {
        let mut next = Vec::with_capacity(2 * parts.len());
        for (f, literals) in parts {
            for sign in [false, true] {
                let here = bdds.literal((v, sign));
                let g = bdds.restrict(f, here);
                if !g.is_false() {
                    let mut literals = literals.clone();
                    literals.push((v, sign));
                    next.push((g, literals));
                }
            }
        }
        parts = next;
    }
    parts.iter().map(|(_, l)| bdds.cube(l)).collect()
}

/// Is the language of `positive` stutter-invariant, where `negative` accepts its complement?
pub fn is_stutter_invariant(bdds: &mut Bdds, positive: &Automaton, negative: &Automaton) -> bool {
    let (p, n) = (closure(bdds, positive), closure(bdds, negative));
    is_empty(&product(bdds, &p, &n))
}

/// Two stutter-equivalent words, of which `positive` accepts the first and `negative` the second;
/// `None` if there are none, that is, if the language is stutter-invariant.
pub fn stutter_witness(
    bdds: &mut Bdds,
    positive: &Automaton,
    negative: &Automaton,
) -> Option<(Word, Word)> {
    let (p, n) = (closure(bdds, positive), closure(bdds, negative));
    let short = intersecting_word(bdds, &p, &n)?;
    // Both contain a word that is the short one with some letters repeated.
    let all = joint_propositions(&positive.propositions, &negative.propositions);
    let short = word_automaton(bdds, &all, &short);
    let longer = self_loopization(bdds, &short);
    let first = intersecting_word(bdds, &longer, positive)?;
    let second = intersecting_word(bdds, &longer, negative)?;
    Some((first, second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complement::complement;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::{Letter, random_word, shortest_form};
    use sempre_base::{Lasso, Random};

    fn random(r: &mut Random, bdds: &mut Bdds) -> Automaton {
        let sets = r.below(3) as u32;
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets);
        o.density = 0.3 + 0.3 * r.unit();
        if r.chance(0.4) {
            o = o.with_random_acceptance(r);
        }
        o.generate(r, bdds)
    }

    /// The word with letters repeated at random.
    fn stretch(r: &mut Random, w: &Word) -> Word {
        let mut part = |l: &[Letter]| -> Vec<Letter> {
            l.iter()
                .flat_map(|x| std::iter::repeat_n(x.clone(), 1 + r.below(3)))
                .collect()
        };
        Lasso::new(part(w.prefix()), part(w.cycle()))
    }

    #[test]
    fn the_constructions_add_stuttered_words_and_no_others() {
        let mut r = Random::new(23);
        let mut bdds = Bdds::new();
        let mut grown = [0; 2];
        for _ in 0..600 {
            let a = random(&mut r, &mut bdds);
            let (short, long) = (closure(&mut bdds, &a), self_loopization(&mut bdds, &a));
            assert_eq!(short.states(), a.states());
            for _ in 0..6 {
                let w = random_word(&mut r, &[0, 1], 2, 3);
                let v = stretch(&mut r, &w);
                if accepts(&bdds, &a, &v) {
                    assert!(accepts(&bdds, &short, &w), "{a:?} {w:?}");
                }
                if accepts(&bdds, &a, &w) {
                    assert!(accepts(&bdds, &long, &v), "{a:?} {v:?}");
                    assert!(accepts(&bdds, &short, &w) && accepts(&bdds, &long, &w));
                }
                // No other words: the other construction, applied to an added word, yields an accepted word.
                let one = word_automaton(&mut bdds, &[0, 1], &w);
                let longer = self_loopization(&mut bdds, &one);
                let from_longer = !is_empty(&product(&mut bdds, &longer, &a));
                assert_eq!(accepts(&bdds, &short, &w), from_longer, "{a:?} {w:?}");
                let shorter = closure(&mut bdds, &one);
                let from_shorter = !is_empty(&product(&mut bdds, &shorter, &a));
                assert_eq!(accepts(&bdds, &long, &w), from_shorter, "{a:?} {w:?}");
                let old = accepts(&bdds, &a, &w);
                grown[0] += usize::from(from_longer && !old);
                grown[1] += usize::from(from_shorter && !old);
            }
        }
        assert!(grown.iter().all(|&n| n > 25), "{grown:?}");
    }

    /// The word without repetitions, and with the shortest prefix.
    fn without_repetition(w: &Word) -> Word {
        let mut prefix = w.prefix().to_vec();
        prefix.dedup();
        let mut cycle = w.cycle().to_vec();
        cycle.dedup();
        if cycle.len() > 1 && cycle.first() == cycle.last() {
            // The repetition across the border: start one letter later.
            prefix.push(cycle.remove(0));
            prefix.dedup();
        }
        if prefix.last() == cycle.first() {
            prefix.pop();
        }
        shortest_form(&Lasso::new(prefix, cycle))
    }

    #[test]
    fn verdicts_have_witnesses() {
        let mut r = Random::new(24);
        let mut bdds = Bdds::new();
        let (mut invariant, mut not) = (0, 0);
        for _ in 0..400 {
            let a = random(&mut r, &mut bdds);
            let Ok(c) = complement(&mut bdds, &a, 500) else {
                continue;
            };
            let verdict = is_stutter_invariant(&mut bdds, &a, &c);
            match stutter_witness(&mut bdds, &a, &c) {
                Some((x, y)) => {
                    assert!(!verdict);
                    assert!(accepts(&bdds, &a, &x) && !accepts(&bdds, &a, &y));
                    assert_eq!(without_repetition(&x), without_repetition(&y));
                    not += 1;
                }
                None => {
                    assert!(verdict);
                    for _ in 0..20 {
                        let w = random_word(&mut r, &[0, 1], 3, 3);
                        let v = stretch(&mut r, &w);
                        assert_eq!(accepts(&bdds, &a, &w), accepts(&bdds, &a, &v));
                    }
                    invariant += 1;
                }
            }
        }
        assert!(invariant > 20 && not > 50, "{invariant} {not}");
    }
}
