//! Is there at most one accepting run for each word?
//!
//! Two accepting runs on one word are an accepting run of the product of the automaton with itself. So the automaton
//! is unambiguous if and only if the useful part of that product is a copy of its own useful part: no pair of
//! different states, and no pair of different edges between the same states.
//!
//! Cost: the square of the number of edges, and the emptiness checks of the product.

use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::emptiness::prune;
use crate::product::product;

/// Is there at most one accepting run for each word?
pub fn is_unambiguous(bdds: &mut Bdds, a: &Automaton) -> bool {
    if a.is_deterministic(bdds) {
        return true;
    }
    let mut useful = a.clone();
    prune(&mut useful);
    let mut twice = product(bdds, &useful, &useful);
    prune(&mut twice);
    // Each useful state and edge is paired with itself.
    (twice.states(), twice.edge_count()) == (useful.states(), useful.edge_count())
        && twice.initial.len() == useful.initial.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    /// Two accepting runs on a word diverge at some position: two edges, or two initial states, lead to states that
    /// accept the rest of the word.
    #[test]
    fn two_runs_differ_in_a_choice() {
        let mut r = Random::new(23);
        let mut bdds = Bdds::new();
        let (mut yes, mut refuted, mut missed) = (0, 0, 0);
        for _ in 0..1500 {
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(3), &[0], 1);
            o.density = 0.4;
            let a = o.generate(&mut r, &mut bdds);
            let found = is_unambiguous(&mut bdds, &a);
            yes += usize::from(found);
            let mut two = false;
            for _ in 0..20 {
                let word = random_word(&mut r, &[0], 2, 2);
                let tails = (0..word.len()).map(|i| {
                    let letters: Vec<_> = (0..word.len()).map(|j| word.letter(j).clone()).collect();
                    let start = word.prefix().len();
                    let prefix = letters
                        .get(i.min(start)..start)
                        .unwrap_or_default()
                        .to_vec();
                    let mut cycle = letters[start..].to_vec();
                    if i > start {
                        let n = cycle.len();
                        cycle.rotate_left((i - start) % n);
                    }
                    sempre_base::Lasso::new(prefix, cycle)
                });
                let tails: Vec<_> = tails.collect();
                // From each reachable state at a position, more than one edge that leads on to acceptance is a choice.
                let accepted = |bdds: &Bdds, s: u32, i: usize| {
                    let mut from = a.clone();
                    from.initial = vec![s];
                    accepts(bdds, &from, &tails[i])
                };
                let starts = a.initial.iter().filter(|&&s| accepted(&bdds, s, 0)).count();
                two |= starts > 1;
                let mut seen = std::collections::HashSet::new();
                let mut todo: Vec<(u32, usize)> = a.initial.iter().map(|&s| (s, 0)).collect();
                while let Some((s, i)) = todo.pop() {
                    if !seen.insert((s, i)) {
                        continue;
                    }
                    let next = word.successor(i);
                    let successors: Vec<u32> = (a.edges[s as usize].iter())
                        .filter(|e| word.letter(i).satisfies(&bdds, e.label))
                        .map(|e| e.to)
                        .filter(|&t| accepted(&bdds, t, next))
                        .collect();
                    two |= successors.len() > 1;
                    todo.extend(successors.into_iter().map(|t| (t, next)));
                }
            }
            assert!(!(two && found), "{a:?}");
            refuted += usize::from(two);
            missed += usize::from(!two && !found);
        }
        // Few ambiguous automata have their two runs only on words that were not drawn.
        let enough = yes > 200 && refuted > 200 && missed * 10 < refuted;
        assert!(enough, "{yes} {refuted} {missed}");
    }

    /// Two different edges between the same states are two runs.
    #[test]
    fn edges_side_by_side() {
        let mut bdds = Bdds::new();
        let mut a = Automaton::universal(vec![]);
        assert!(is_unambiguous(&mut bdds, &a));
        a.add_edge(0, 0, Bdd::TRUE, crate::Mark::single(0));
        a.sets = 1;
        assert!(!is_unambiguous(&mut bdds, &a));
    }
}
