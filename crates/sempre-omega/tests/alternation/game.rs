//! The reference: does an alternating automaton accept a lasso word? One player chooses edges, the other
//! destinations, on the product of the automaton and the positions of the word; the first must make the marks of the
//! play satisfy the condition. Solved for any condition by the recursion of McNaughton ("Infinite games played on
//! finite graphs", 1993) and Zielonka over the remaining marks: slow, and without automata.

use sempre_omega::alternating::AlternatingAutomaton;
use sempre_omega::{Acceptance, Bdds, Mark, Word};

/// A finite game. The marks of a play are those of the nodes that it visits again and again.
pub struct Game {
    /// Does the first player move here?
    pub first: Vec<bool>,
    pub next: Vec<Vec<usize>>,
    pub marks: Vec<Mark>,
}

/// Does the automaton accept the word?
pub fn accepts(bdds: &Bdds, a: &AlternatingAutomaton, word: &Word) -> bool {
    let positions = word.prefix().len() + word.cycle().len();
    let mut game = Game {
        first: Vec::new(),
        next: Vec::new(),
        marks: Vec::new(),
    };
    let mut node = |first: bool, mark: Mark| {
        game.first.push(first);
        game.next.push(Vec::new());
        game.marks.push(mark);
        game.first.len() - 1
    };
    for _ in 0..a.edges.len() * positions {
        node(true, Mark::EMPTY);
    }
    // A player who cannot move loses: the first goes to a node that it loses for ever.
    let lost = node(true, Mark::EMPTY);
    let mut moves = vec![(lost, lost)];
    let place = |q: u32, i: usize| q as usize * positions + i;
    for (q, edges) in (0..).zip(&a.edges) {
        for i in 0..positions {
            let mut any = false;
            for e in edges {
                if word.letter(i).satisfies(bdds, e.label) {
                    let chosen = node(false, e.mark.clone());
                    moves.push((place(q, i), chosen));
                    let there = e.to.iter().map(|&d| (chosen, place(d, word.successor(i))));
                    moves.extend(there);
                    any = true;
                }
            }
            if !any {
                moves.push((place(q, i), lost));
            }
        }
    }
    for (from, to) in moves {
        game.next[from].push(to);
    }
    let all: Vec<bool> = vec![true; game.first.len()];
    // `lost` has no mark that helps: it is lost by decree.
    let drawn = game.attractor(&all, false, |v| v == lost);
    let rest: Vec<bool> = drawn.iter().map(|d| !d).collect();
    let (won, _) = game.solve(&rest, &a.acceptance);
    (a.initial.iter()).any(|s| s.iter().all(|&q| won[place(q, 0)]))
}

impl Game {
    /// The nodes of `within` from which the player can force a visit to a node of `within` with `goal`.
    fn attractor(&self, within: &[bool], first: bool, goal: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut forced: Vec<bool> = (0..within.len()).map(|v| within[v] && goal(v)).collect();
        loop {
            let mut changed = false;
            for v in 0..within.len() {
                if within[v] && !forced[v] {
                    let mut there = self.next[v].iter().filter(|&&w| within[w]);
                    let mine = if self.first[v] == first {
                        there.any(|&w| forced[w])
                    } else {
                        there.all(|&w| forced[w])
                    };
                    if mine {
                        forced[v] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                return forced;
            }
        }
    }

    /// The winner in each node of the part `within`, in which each node has a successor.
    fn solve(&self, within: &[bool], condition: &Acceptance) -> (Vec<bool>, Vec<bool>) {
        let nobody = vec![false; within.len()];
        let mut left: Vec<bool> = within.to_vec();
        let mut won = [nobody.clone(), nobody.clone()];
        'again: while left.contains(&true) {
            let here: Mark = (0..left.len())
                .filter(|&v| left[v])
                .flat_map(|v| self.marks[v].iter().collect::<Vec<_>>())
                .collect();
            // The winner if all remaining marks are seen infinitely often.
            let favourite = condition.accepts(&here);
            for avoided in subsets_that_favour(&here, condition, !favourite) {
                // The other player must avoid some marks for ever.
                let out: Vec<bool> =
                    self.attractor(&left, favourite, |v| !self.marks[v].is_subset(&avoided));
                let part: Vec<bool> = (0..left.len()).map(|v| left[v] && !out[v]).collect();
                let (first, second) = self.solve(&part, condition);
                let other = if favourite { second } else { first };
                if other.contains(&true) {
                    let gain = self.attractor(&left, !favourite, |v| other[v]);
                    for v in 0..left.len() {
                        won[usize::from(favourite)][v] |= gain[v];
                        left[v] &= !gain[v];
                    }
                    continue 'again;
                }
            }
            for v in 0..left.len() {
                won[usize::from(!favourite)][v] |= left[v];
            }
            break;
        }
        let [first, second] = won;
        (first, second)
    }
}

/// The proper subsets of some marks, all of them, under which the condition has this value.
fn subsets_that_favour(marks: &Mark, condition: &Acceptance, value: bool) -> Vec<Mark> {
    let sets: Vec<u32> = marks.iter().collect();
    (0..(1u32 << sets.len()) - 1)
        .map(|bits| -> Mark {
            let chosen = sets.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
            chosen.map(|(_, &s)| s).collect()
        })
        .filter(|m| condition.accepts(m) == value)
        .collect()
}
