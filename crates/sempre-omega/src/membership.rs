//! Does an automaton accept a given lasso word? For any acceptance condition.
//!
//! The word is an automaton with one state per position, and the question is whether its product with the given
//! automaton has an accepting run. The product is constructed explicitly, states times positions, and passed to the
//! generic emptiness check. This is the reference the other operations are tested against, so it shares nothing with
//! them but the emptiness check, which has tests of its own.
//!
//! Cost: edges times positions, and the emptiness check.

use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::emptiness;
use crate::word::{Letter, Word};
use rustc_hash::FxHashMap;
use sempre_base::Lasso;

/// Does the automaton accept the word?
pub fn accepts(bdds: &Bdds, a: &Automaton, word: &Word) -> bool {
    accepts_by(bdds, a, word, Letter::holds)
}

/// Does the automaton accept the word? `holds` decides which propositions are true in a letter.
pub fn accepts_by<L>(
    bdds: &Bdds,
    a: &Automaton,
    word: &Lasso<L>,
    holds: impl Fn(&L, u32) -> bool,
) -> bool {
    let mut runs = Automaton::new(Vec::new(), a.sets, a.acceptance.clone());
    let mut number: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    let mut todo = Vec::new();
    let mut state = |runs: &mut Automaton, todo: &mut Vec<_>, pair: (u32, usize)| {
        *number.entry(pair).or_insert_with(|| {
            let n = runs.add_state();
            todo.push((n, pair));
            n
        })
    };
    for &s in &a.initial {
        let n = state(&mut runs, &mut todo, (s, 0));
        runs.initial.push(n);
    }
    while let Some((from, (s, position))) = todo.pop() {
        sempre_base::checkpoint();
        let letter = word.letter(position);
        let next = word.successor(position);
        for e in &a.edges[s as usize] {
            if bdds.eval(e.label, |v| holds(letter, v)) {
                let to = state(&mut runs, &mut todo, (e.to, next));
                runs.add_edge(from, to, Bdd::TRUE, e.mark.clone());
            }
        }
    }
    !emptiness::is_empty(&runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::automaton::Alphabet;
    use crate::mark::Mark;
    use crate::word::random_word;
    use sempre_base::Random;

    /// `GFa`, `FGa` and `a U b`, whose truth on a lasso is plain to see.
    #[test]
    fn small_languages_are_what_they_seem() {
        let mut alphabet = Alphabet::new();
        let (a, b) = (alphabet.declare("a"), alphabet.declare("b"));
        let bdds = &mut alphabet.bdds;
        let (is_a, not_a) = (bdds.variable(a), bdds.literal((a, false)));
        let is_b = bdds.variable(b);
        let mut gfa = Automaton::new(vec![a], 1, Acceptance::buchi());
        let s = gfa.add_state();
        gfa.initial.push(s);
        gfa.add_edge(s, s, is_a, Mark::single(0));
        gfa.add_edge(s, s, not_a, Mark::EMPTY);
        let mut fga = Automaton::new(vec![a], 1, Acceptance::co_buchi());
        let s = fga.add_state();
        fga.initial.push(s);
        fga.add_edge(s, s, is_a, Mark::EMPTY);
        fga.add_edge(s, s, not_a, Mark::single(0));
        let mut until = Automaton::new(vec![a, b], 1, Acceptance::buchi());
        let (s, t) = (until.add_state(), until.add_state());
        until.initial.push(s);
        until.add_edge(s, s, is_a, Mark::EMPTY);
        until.add_edge(s, t, is_b, Mark::EMPTY);
        until.add_edge(t, t, Bdd::TRUE, Mark::single(0));
        let mut r = Random::new(1);
        let mut yes = [0; 3];
        for _ in 0..1000 {
            let w = random_word(&mut r, &[a, b], 4, 4);
            let infinitely = w.cycle().iter().any(|l| l.holds(a));
            let finally = w.cycle().iter().all(|l| l.holds(a));
            let reached = w
                .letters()
                .find(|l| l.holds(b) || !l.holds(a))
                .is_some_and(|l| l.holds(b));
            for (i, (x, truth)) in [(&gfa, infinitely), (&fga, finally), (&until, reached)]
                .into_iter()
                .enumerate()
            {
                assert_eq!(accepts(bdds, x, &w), truth, "automaton {i}, {w:?}");
                yes[i] += usize::from(truth);
            }
        }
        assert!(yes.iter().all(|&n| n > 100 && n < 900), "{yes:?}");
    }

    #[test]
    fn without_initial_states_nothing_is_accepted() {
        let alphabet = Alphabet::new();
        let mut a = Automaton::universal(vec![]);
        let w = Lasso::new(vec![], vec![Letter::default()]);
        assert!(accepts(&alphabet.bdds, &a, &w));
        a.initial.clear();
        assert!(!accepts(&alphabet.bdds, &a, &w));
        assert!(!accepts(&alphabet.bdds, &Automaton::empty(vec![]), &w));
    }
}
