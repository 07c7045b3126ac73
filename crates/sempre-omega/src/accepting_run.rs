//! Accepting runs, and the words they read: evidence that a language is not empty.
//!
//! For any acceptance condition. The emptiness check finds strongly connected pieces in which taking all edges for
//! ever is accepting; the one nearest to the initial states is taken. Only some of its marks are needed: `Fin`s of
//! marks that occur in the piece become false, which leaves a monotone condition, and marks are dropped one by one as
//! long as the condition stays true. The cycle then visits the needed marks by breadth-first searches, each for the
//! nearest edge with a missing mark, and finally returns to its first state. The result is short, not shortest (that
//! is NP-hard already for generalised Büchi).

use crate::acceptance::Acceptance;
use crate::automaton::{Automaton, Edge};
use crate::bdd::Bdds;
use crate::emptiness::{AcceptingPiece, find_in_component};
use crate::mark::Mark;
use crate::product::product;
use crate::scc::Sccs;
use crate::word::{Letter, Word, shortest_form};
use sempre_base::Lasso;
use std::collections::VecDeque;

/// A state, and the edge by which the run leaves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The state.
    pub state: u32,
    /// The index of the edge among those that leave the state.
    pub edge: u32,
}

/// A run that ends in a cycle.
pub type Run = Lasso<Step>;

/// An accepting run, if there is one.
pub fn accepting_run(a: &Automaton) -> Option<Run> {
    let (piece, prefix) = nearest_piece(a)?;
    let start = match prefix.last() {
        Some(step) => edge(a, step).to,
        None => *a.initial.iter().find(|&&s| piece.inside[s as usize])?,
    };
    let mut missing = needed_marks(a, &piece);
    let mut cycle: Vec<Step> = Vec::new();
    let mut at = start;
    while !missing.is_empty() || at != start || cycle.is_empty() {
        let goal = |e: &Edge| {
            if missing.is_empty() {
                e.to == start
            } else {
                e.mark.intersects(&missing)
            }
        };
        let path = search(a, &[at], |s, e| piece.has(s, e), goal)?;
        for step in path {
            missing = missing.minus(&edge(a, &step).mark);
            at = edge(a, &step).to;
            cycle.push(step);
        }
    }
    Some(Lasso::new(prefix, cycle))
}

/// A word read by an accepting run, if there is one.
pub fn accepting_word(bdds: &Bdds, a: &Automaton) -> Option<Word> {
    word_of(bdds, a, &accepting_run(a)?)
}

/// A word that both automata accept, if there is one.
pub fn intersecting_word(bdds: &mut Bdds, a: &Automaton, b: &Automaton) -> Option<Word> {
    let p = product(bdds, a, b);
    accepting_word(bdds, &p)
}

/// A word that a run reads, written as shortly as possible; `None` if an edge of it has the label
/// that is never true. Propositions a label does not need are false.
pub fn word_of(bdds: &Bdds, a: &Automaton, run: &Run) -> Option<Word> {
    let letters = |steps: &[Step]| -> Option<Vec<Letter>> {
        steps
            .iter()
            .map(|s| Letter::satisfying(bdds, edge(a, s).label))
            .collect()
    };
    let word = Lasso::new(letters(run.prefix())?, letters(run.cycle())?);
    Some(shortest_form(&word))
}

fn edge<'a>(a: &'a Automaton, step: &Step) -> &'a Edge {
    &a.edges[step.state as usize][step.edge as usize]
}

/// A piece with constant-time membership tests.
struct Piece {
    inside: Vec<bool>,
    states: Vec<u32>,
    forbidden: Mark,
}

impl Piece {
    fn has(&self, from: u32, e: &Edge) -> bool {
        self.inside[from as usize]
            && self.inside[e.to as usize]
            && !e.mark.intersects(&self.forbidden)
    }
}

/// The accepting piece nearest to the initial states (of those that the emptiness check finds, one in each
/// component), and a shortest path to it.
fn nearest_piece(a: &Automaton) -> Option<(Piece, Vec<Step>)> {
    let sccs = Sccs::new(a);
    let mut owner: Vec<Option<u32>> = vec![None; a.states()];
    let mut pieces: Vec<AcceptingPiece> = Vec::new();
    for states in &sccs.states {
        if let Some(p) = find_in_component(a, states, &a.acceptance, &Mark::EMPTY) {
            for &s in &p.states {
                owner[s as usize] = Some(pieces.len() as u32);
            }
            pieces.push(p);
        }
    }
    let (prefix, end) = match a.initial.iter().find(|&&s| owner[s as usize].is_some()) {
        Some(&s) => (Vec::new(), s),
        None => {
            let path = search(
                a,
                &a.initial,
                |_, _| true,
                |e| owner[e.to as usize].is_some(),
            )?;
            let end = edge(a, path.last()?).to;
            (path, end)
        }
    };
    let piece = pieces.swap_remove(owner[end as usize]? as usize);
    let mut inside = vec![false; a.states()];
    for &s in &piece.states {
        inside[s as usize] = true;
    }
    let piece = Piece {
        inside,
        states: piece.states,
        forbidden: piece.forbidden,
    };
    Some((piece, prefix))
}

/// Marks that a cycle of the piece must have to be accepting; its other marks do not matter.
fn needed_marks(a: &Automaton, piece: &Piece) -> Mark {
    let mut any = Mark::EMPTY;
    for &s in &piece.states {
        for e in &a.edges[s as usize] {
            if piece.has(s, e) {
                any = any.union(&e.mark);
            }
        }
    }
    let monotone = a.acceptance.restrict_to(&any).map(&mut |atom| match atom {
        Acceptance::Fin(_) => Acceptance::False,
        other => other.clone(),
    });
    debug_assert!(monotone.accepts(&any));
    let mut needed = any.clone();
    for i in any.iter() {
        let without = needed.minus(&Mark::single(i));
        if monotone.accepts(&without) {
            needed = without;
        }
    }
    needed
}

/// A shortest path over edges that satisfy `keep`, from one of `roots` to the first edge that is a `goal`, which is
/// its last edge; never empty.
fn search(
    a: &Automaton,
    roots: &[u32],
    keep: impl Fn(u32, &Edge) -> bool,
    goal: impl Fn(&Edge) -> bool,
) -> Option<Vec<Step>> {
    let mut seen = vec![false; a.states()];
    let mut came_by: Vec<Option<Step>> = vec![None; a.states()];
    let mut queue = VecDeque::new();
    for &s in roots {
        if !std::mem::replace(&mut seen[s as usize], true) {
            queue.push_back(s);
        }
    }
    while let Some(s) = queue.pop_front() {
        sempre_base::checkpoint();
        for (i, e) in a.edges[s as usize].iter().enumerate() {
            if !keep(s, e) {
                continue;
            }
            let step = Step {
                state: s,
                edge: i as u32,
            };
            if goal(e) {
                let mut path = vec![step];
                let mut back = s;
                while let Some(step) = came_by[back as usize] {
                    path.push(step);
                    back = step.state;
                }
                path.reverse();
                return Some(path);
            }
            if !std::mem::replace(&mut seen[e.to as usize], true) {
                came_by[e.to as usize] = Some(step);
                queue.push_back(e.to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emptiness::is_empty;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    fn random(r: &mut Random, bdds: &mut Bdds) -> Automaton {
        let sets = r.below(5) as u32;
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(7), &[0, 1], sets)
            .with_random_acceptance(r);
        o.density = 0.1 + 0.2 * r.unit();
        let mut a = o.generate(r, bdds);
        if r.chance(0.2) {
            a.initial.push((a.states() - 1) as u32);
            a.initial.dedup();
        }
        a
    }

    #[test]
    fn runs_are_runs_and_accept_and_their_words_are_accepted() {
        let mut r = Random::new(15);
        let mut bdds = Bdds::new();
        let (mut none, mut long) = (0, 0);
        for _ in 0..1500 {
            let a = random(&mut r, &mut bdds);
            let Some(run) = accepting_run(&a) else {
                assert!(is_empty(&a));
                none += 1;
                continue;
            };
            assert!(a.initial.contains(&run.letter(0).state));
            let mut marks = Mark::EMPTY;
            for i in 0..run.len() {
                let e = edge(&a, run.letter(i));
                assert_eq!(e.to, run.letter(run.successor(i)).state, "consecutive");
                if i >= run.prefix().len() {
                    marks = marks.union(&e.mark);
                }
            }
            assert!(a.acceptance.accepts(&marks), "{a:?} {run:?}");
            long += usize::from(run.cycle().len() > 2);
            let word = accepting_word(&bdds, &a).expect("there is a run");
            assert!(accepts(&bdds, &a, &word), "{a:?} {word:?}");
            assert!(run.prefix().len() < a.states());
        }
        assert!(none > 100 && none < 1000 && long > 50, "{none} {long}");
    }

    #[test]
    fn common_words_are_common() {
        let mut r = Random::new(16);
        let mut bdds = Bdds::new();
        let mut found = 0;
        for _ in 0..1000 {
            let (a, b) = (random(&mut r, &mut bdds), random(&mut r, &mut bdds));
            if let Some(w) = intersecting_word(&mut bdds, &a, &b) {
                assert!(accepts(&bdds, &a, &w) && accepts(&bdds, &b, &w));
                found += 1;
            }
        }
        assert!(found > 100, "{found}");
    }
}
