//! Words read off an automaton, whether it accepts them or not.
//!
//! Random words seldom reach deep into an automaton whose edges ask for much. A walk along its edges
//! until a state comes back gives a lasso that does; each letter is a random one of those the edge
//! allows.

use sempre_base::{Lasso, Random};
use sempre_omega::word::{Letter, Word, random_letter};
use sempre_omega::{Automaton, Bdd, Bdds};

/// Walks that have not come back after this many steps are given up.
const LONGEST_WALK: usize = 30;

/// At most `count` words over `variables` that the automaton has a run for.
pub fn words_of(
    random: &mut Random,
    bdds: &Bdds,
    a: &Automaton,
    variables: &[u32],
    count: usize,
) -> Vec<Word> {
    (0..count)
        .filter_map(|_| walk(random, bdds, a, variables))
        .collect()
}

fn walk(random: &mut Random, bdds: &Bdds, a: &Automaton, variables: &[u32]) -> Option<Word> {
    if a.initial.is_empty() {
        return None;
    }
    let mut state = *random.pick(&a.initial);
    let mut letters: Vec<Letter> = Vec::new();
    let mut visited: Vec<u32> = Vec::new();
    while letters.len() < LONGEST_WALK {
        // Not at the first chance: going round for a while gives longer cycles.
        if let Some(at) = visited.iter().position(|&s| s == state)
            && (visited.len() - at > 3 || random.chance(0.4))
        {
            let cycle = letters.split_off(at);
            return Some(Lasso::new(letters, cycle));
        }
        let edges = &a.edges[state as usize];
        if edges.is_empty() {
            return None;
        }
        let edge = random.pick(edges);
        letters.push(letter_of(random, bdds, edge.label, variables)?);
        visited.push(state);
        state = edge.to;
    }
    None
}

/// A random letter that satisfies the label.
fn letter_of(random: &mut Random, bdds: &Bdds, label: Bdd, variables: &[u32]) -> Option<Letter> {
    for _ in 0..8 {
        let letter = random_letter(random, variables);
        if letter.satisfies(bdds, label) {
            return Some(letter);
        }
    }
    // The label asks for much: do what it asks, and the rest at random.
    let asked = bdds.pick(label)?;
    let rest = variables
        .iter()
        .filter(|v| asked.iter().all(|(u, _)| u != *v));
    let rest = rest.copied().filter(|_| random.chance(0.5));
    let wanted = asked.iter().filter(|l| l.1).map(|l| l.0);
    Some(wanted.chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_omega::random::RandomAutomaton;
    use sempre_omega::{Acceptance, membership};

    #[test]
    fn the_automaton_has_a_run_for_each_word() {
        let mut random = Random::new(6);
        let mut bdds = Bdds::new();
        let mut found = 0;
        for _ in 0..100 {
            let shape = RandomAutomaton::generalized_buchi(4, &[0, 1, 2], 0);
            let mut a = shape.generate(&mut random, &mut bdds);
            a.acceptance = Acceptance::True;
            for word in words_of(&mut random, &bdds, &a, &[0, 1, 2, 3], 10) {
                assert!(membership::accepts(&bdds, &a, &word));
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }
}
