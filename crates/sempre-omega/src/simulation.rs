//! Reduction by direct and reverse simulation.
//!
//! State `t` simulates `s`, written `s ≤ t`, if it can answer every edge of `s`, letter by letter, with an edge that
//! carries at least the same marks and leads to a state that simulates the other's destination. States that simulate
//! each other are merged, and a letter of an edge that another edge of the same state answers is removed. Reverse
//! simulation is the same game played backwards on the edges into a state, with initial states answered by initial
//! states.
//!
//! After Babiak, Badie, Duret-Lutz, Křetínský, Strejček, "Compositional approach to suspension and other improvements
//! to LTL translation" (SPIN 2013). There, signatures are decision diagrams with a variable for each class of states;
//! these grow badly with the number of classes. Here the relation is a matrix, and diagrams are used for labels only.
//! A partition refinement (bisimulation) comes first: it is cheap, and its result is often small.
//!
//! Invariants: R1 the relation only shrinks, so the loop ends, and it is a preorder when it does; R2 the language
//! stays the same, for acceptance without `Fin` (more marks are never worse).
//!
//! Cost: bisimulation is at most `n` rounds over the edges; simulation at most `n²` rounds, in practice few, each of
//! at most `n²` comparisons of edge lists. Automata that are still large after bisimulation are not compared state by
//! state.

use crate::automaton::{Automaton, Edge};
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;
use rustc_hash::FxHashMap;

/// The edges of a state between classes: destination, marks, label.
type Signature<'a> = Vec<(u32, &'a Mark, Bdd)>;

/// Which game is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// On outgoing edges: merges states with related futures.
    Direct,
    /// On incoming edges: merges states with related pasts.
    Reverse,
}

/// Automata with more states after bisimulation are not reduced further.
const MAX_STATES: usize = 256;

/// Merges and prunes by simulation; the acceptance condition must not use `Fin` (R2).
///
/// Returns true if the automaton has changed in size.
pub fn reduce(a: &mut Automaton, bdds: &mut Bdds, direction: Direction) -> bool {
    debug_assert!(!a.acceptance.uses_fin(), "R2");
    let before = (a.states(), a.edge_count());
    let mut game = Game::new(a, bdds, direction);
    let classes = game.bisimulation();
    game.merge(&classes, bdds);
    if game.edges.len() <= MAX_STATES {
        let below = game.simulation(bdds);
        let classes = mutual(&below);
        let kept: Vec<usize> = first_members(&classes);
        game.drop_answered(&below, bdds);
        if direction == Direction::Direct {
            game.drop_answered_initial(&below);
        }
        game.choose(&classes, &kept, bdds);
    }
    game.write_back(a, direction);
    a.merge_edges(bdds);
    a.trim_unreachable();
    before != (a.states(), a.edge_count())
}

/// Merges bisimilar states: those with the same edges, marks included. For any acceptance condition.
pub fn merge_bisimilar(a: &mut Automaton, bdds: &mut Bdds) {
    let mut game = Game::new(a, bdds, Direction::Direct);
    let classes = game.bisimulation();
    game.merge(&classes, bdds);
    game.write_back(a, Direction::Direct);
    a.merge_edges(bdds);
    a.trim_unreachable();
}

/// Direct and reverse reductions until neither helps.
pub fn reduce_to_fixpoint(a: &mut Automaton, bdds: &mut Bdds) {
    reduce(a, bdds, Direction::Direct);
    while reduce(a, bdds, Direction::Reverse) && reduce(a, bdds, Direction::Direct) {}
}

/// The graph as the players see it: edges in the direction of play, at most one between two states
/// with the same marks.
struct Game {
    edges: Vec<Vec<Edge>>,
    initial: Vec<bool>,
    /// Must initial states be answered by initial states?
    respect_initial: bool,
}

impl Game {
    fn new(a: &Automaton, bdds: &mut Bdds, direction: Direction) -> Self {
        let edges = match direction {
            Direction::Direct => a.edges.clone(),
            Direction::Reverse => reversed(&a.edges),
        };
        let mut initial = vec![false; a.states()];
        for &s in &a.initial {
            initial[s as usize] = true;
        }
        let mut game = Self {
            edges,
            initial,
            respect_initial: direction == Direction::Reverse,
        };
        game.unite_labels(bdds);
        game
    }

    /// Sorts the edges of each state and unites those with the same end and marks.
    fn unite_labels(&mut self, bdds: &mut Bdds) {
        for edges in &mut self.edges {
            edges.sort_unstable_by(|x, y| (x.to, &x.mark).cmp(&(y.to, &y.mark)));
            edges.dedup_by(|next, kept| {
                let same = next.to == kept.to && next.mark == kept.mark;
                if same {
                    kept.label = bdds.or(kept.label, next.label);
                }
                same
            });
        }
    }

    /// The coarsest partition in which states of one class have the same edges to classes.
    fn bisimulation(&self) -> Vec<u32> {
        let n = self.edges.len();
        let mut class: Vec<u32> = if self.respect_initial {
            self.initial.iter().map(|&i| u32::from(i)).collect()
        } else {
            vec![0; n]
        };
        let mut count = 0;
        loop {
            // The class of before is part of the signature, so that classes only split.
            let mut number: FxHashMap<(u32, Signature), u32> = FxHashMap::default();
            let mut next = Vec::with_capacity(n);
            for (s, edges) in self.edges.iter().enumerate() {
                sempre_base::checkpoint();
                let mut signature: Signature = edges
                    .iter()
                    .map(|e| (class[e.to as usize], &e.mark, e.label))
                    .collect();
                signature.sort_unstable();
                signature.dedup();
                let fresh = number.len() as u32;
                next.push(*number.entry((class[s], signature)).or_insert(fresh));
            }
            let found = number.len();
            drop(number);
            class = next;
            if found == count {
                return class;
            }
            count = found;
        }
    }

    /// Keeps one state of each class, the first, with its edges between classes.
    fn merge(&mut self, class: &[u32], bdds: &mut Bdds) {
        let kept = first_members(class);
        if kept.len() < class.len() {
            self.choose(class, &kept, bdds);
        }
    }

    /// Replaces the states by the classes, represented by their members `kept`.
    fn choose(&mut self, class: &[u32], kept: &[usize], bdds: &mut Bdds) {
        let mut initial = vec![false; kept.len()];
        for (s, &c) in class.iter().enumerate() {
            initial[c as usize] |= self.initial[s];
        }
        self.initial = initial;
        self.edges = kept
            .iter()
            .map(|&s| {
                let mut edges = std::mem::take(&mut self.edges[s]);
                for e in &mut edges {
                    e.to = class[e.to as usize];
                }
                edges
            })
            .collect();
        self.unite_labels(bdds);
    }

    /// `below[s][t]`: does `t` simulate `s`?
    fn simulation(&self, bdds: &mut Bdds) -> Vec<Vec<bool>> {
        let n = self.edges.len();
        let mut below: Vec<Vec<bool>> = (0..n)
            .map(|s| {
                (0..n)
                    .map(|t| !self.respect_initial || !self.initial[s] || self.initial[t])
                    .collect()
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for s in 0..n {
                for t in 0..n {
                    if s != t && below[s][t] && !self.answers(bdds, &below, s, t) {
                        below[s][t] = false;
                        changed = true;
                    }
                }
            }
        }
        below
    }

    /// Can `t` answer every edge of `s`, given the relation so far?
    fn answers(&self, bdds: &mut Bdds, below: &[Vec<bool>], s: usize, t: usize) -> bool {
        sempre_base::checkpoint();
        self.edges[s].iter().all(|e| {
            let mut rest = e.label;
            for o in &self.edges[t] {
                if below[e.to as usize][o.to as usize] && e.mark.is_subset(&o.mark) {
                    rest = bdds.minus(rest, o.label);
                    if rest.is_false() {
                        return true;
                    }
                }
            }
            false
        })
    }

    /// Takes from each edge the letters that another edge of the same state answers. Two edges that
    /// answer each other go to states that simulate each other with the same marks: the first stays.
    fn drop_answered(&mut self, below: &[Vec<bool>], bdds: &mut Bdds) {
        for edges in &mut self.edges {
            // Where no two edges share a letter, and there may be thousands, nothing is answered.
            if bdds.pairwise_disjoint(edges.iter().map(|e| e.label)) {
                continue;
            }
            let old = edges.clone();
            for (i, e) in edges.iter_mut().enumerate() {
                for (j, o) in old.iter().enumerate() {
                    let answered = below[e.to as usize][o.to as usize] && e.mark.is_subset(&o.mark);
                    let mutual = below[o.to as usize][e.to as usize] && o.mark == e.mark;
                    if i != j && answered && (!mutual || j < i) {
                        e.label = bdds.minus(e.label, o.label);
                    }
                }
            }
            edges.retain(|e| !e.label.is_false());
        }
    }

    /// An initial state that another initial state simulates adds nothing.
    fn drop_answered_initial(&mut self, below: &[Vec<bool>]) {
        let starts: Vec<usize> = (0..self.initial.len())
            .filter(|&s| self.initial[s])
            .collect();
        for &s in &starts {
            let better = |&&t: &&usize| t != s && below[s][t] && (!below[t][s] || t < s);
            if starts.iter().any(|t| better(&t)) {
                self.initial[s] = false;
            }
        }
    }

    fn write_back(self, a: &mut Automaton, direction: Direction) {
        a.edges = match direction {
            Direction::Direct => self.edges,
            Direction::Reverse => reversed(&self.edges),
        };
        a.initial = (0..self.initial.len() as u32)
            .filter(|&s| self.initial[s as usize])
            .collect();
        a.state_names = Vec::new();
    }
}

fn reversed(edges: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut back: Vec<Vec<Edge>> = vec![Vec::new(); edges.len()];
    for (s, list) in edges.iter().enumerate() {
        for e in list {
            back[e.to as usize].push(Edge {
                to: s as u32,
                label: e.label,
                mark: e.mark.clone(),
            });
        }
    }
    back
}

/// Classes of states that simulate each other, numbered by their first members.
fn mutual(below: &[Vec<bool>]) -> Vec<u32> {
    let n = below.len();
    let mut class = vec![u32::MAX; n];
    let mut count = 0;
    for s in 0..n {
        if class[s] == u32::MAX {
            for t in s..n {
                if below[s][t] && below[t][s] {
                    class[t] = count;
                }
            }
            count += 1;
        }
    }
    class
}

/// The first member of each class.
fn first_members(class: &[u32]) -> Vec<usize> {
    let mut first = Vec::new();
    for (s, &c) in class.iter().enumerate() {
        if c as usize == first.len() {
            first.push(s);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acceptance::Acceptance;
    use crate::inclusion::equivalent;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    const BOTH: [Direction; 2] = [Direction::Direct, Direction::Reverse];

    fn draw(r: &mut Random, bdds: &mut Bdds, most: usize) -> Automaton {
        let sets = r.below(3) as u32;
        let mut o = RandomAutomaton::generalized_buchi(1 + r.below(most), &[0, 1], sets);
        o.density = 0.2 + 0.3 * r.unit();
        o.mark_probability = 0.5;
        let mut a = o.generate(r, bdds);
        if r.chance(0.3) {
            a.initial.push(r.below(a.states()) as u32);
            a.initial.dedup();
        }
        if r.chance(0.5) {
            // Few different labels: more edges answer each other.
            let p = bdds.variable(0);
            for e in a.edges.iter_mut().flatten() {
                e.label = if r.chance(0.5) { p } else { Bdd::TRUE };
            }
        }
        a
    }

    /// Every state of `a` several times; an edge to a state goes to one of its copies.
    fn with_copies(r: &mut Random, a: &Automaton, copies: usize) -> Automaton {
        let n = a.states();
        let mut b = Automaton::new(a.propositions.clone(), a.sets, a.acceptance.clone());
        for _ in 0..n * copies {
            b.add_state();
        }
        for (s, edges) in a.edges.iter().enumerate() {
            for copy in 0..copies {
                for e in edges {
                    let to = e.to as usize + n * r.below(copies);
                    let from = (s + n * copy) as u32;
                    b.add_edge(from, to as u32, e.label, e.mark.clone());
                }
            }
        }
        b.initial = a.initial.clone();
        b
    }

    #[test]
    fn the_language_stays_and_nothing_grows() {
        let mut r = Random::new(1);
        let mut bdds = Bdds::new();
        let (mut yes, mut merged) = (0, [0; 2]);
        for _ in 0..600 {
            let a = draw(&mut r, &mut bdds, 7);
            let mut both = a.clone();
            reduce_to_fixpoint(&mut both, &mut bdds);
            let mut reduced = vec![both];
            for (i, direction) in BOTH.into_iter().enumerate() {
                let mut b = a.clone();
                reduce(&mut b, &mut bdds, direction);
                merged[i] += usize::from(b.states() < a.states());
                // A reduced automaton cannot be reduced further.
                let size = (b.states(), b.edge_count());
                let mut c = b.clone();
                assert!(!reduce(&mut c, &mut bdds, direction), "{a:?}\n{b:?}\n{c:?}");
                assert_eq!((c.states(), c.edge_count()), size);
                reduced.push(b);
            }
            for b in &reduced {
                assert!(b.states() <= a.states());
                assert!(reduced[0].states() <= b.states());
            }
            for _ in 0..10 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                yes += usize::from(truth);
                for b in &reduced {
                    assert_eq!(accepts(&bdds, b, &w), truth, "{a:?}\n{b:?}\n{w:?}");
                }
            }
        }
        assert!(
            yes > 1000 && merged.iter().all(|&n| n > 20),
            "{yes} {merged:?}"
        );
    }

    #[test]
    fn small_automata_keep_exactly_their_language() {
        let mut r = Random::new(2);
        let mut bdds = Bdds::new();
        let mut compared = 0;
        for _ in 0..300 {
            let a = draw(&mut r, &mut bdds, 4);
            for direction in BOTH {
                let mut b = a.clone();
                reduce(&mut b, &mut bdds, direction);
                match equivalent(&mut bdds, &a, &b, 500) {
                    Ok(same) => assert!(same, "{a:?}\n{b:?}"),
                    Err(_) => continue,
                }
                compared += 1;
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn copies_merge() {
        let mut r = Random::new(3);
        let mut bdds = Bdds::new();
        for _ in 0..200 {
            let mut a = draw(&mut r, &mut bdds, 5);
            let mut b = with_copies(&mut r, &a, 3);
            reduce(&mut a, &mut bdds, Direction::Direct);
            reduce(&mut b, &mut bdds, Direction::Direct);
            assert_eq!(
                (a.states(), a.edge_count(), a.initial.len()),
                (b.states(), b.edge_count(), b.initial.len()),
                "{a:?}\n{b:?}"
            );
        }
    }

    /// An edge goes if another one reads as much, has its marks, and leads as far.
    #[test]
    fn edges_that_others_answer_disappear() {
        let mut bdds = Bdds::new();
        let (p, q) = (bdds.variable(0), bdds.variable(1));
        let pq = bdds.and(p, q);
        let mut a = Automaton::new(vec![0, 1], 1, Acceptance::buchi());
        for _ in 0..3 {
            a.add_state();
        }
        a.initial.push(0);
        // State 1 waits for p for ever; state 2 does with less.
        a.add_edge(1, 1, p, Mark::single(0));
        a.add_edge(2, 2, pq, Mark::single(0));
        a.add_edge(0, 1, p, Mark::EMPTY);
        let needed = a.clone();
        a.add_edge(0, 2, p, Mark::EMPTY);
        a.add_edge(0, 1, pq, Mark::EMPTY);
        a.add_edge(0, 2, pq, Mark::EMPTY);
        assert!(reduce(&mut a, &mut bdds, Direction::Direct));
        assert_eq!(a.states(), 2);
        assert_eq!(a.edge_count(), 2);
        assert!(equivalent(&mut bdds, &a, &needed, 100).expect("small"));
        // A mark makes a difference.
        let mut b = needed.clone();
        b.add_edge(0, 2, p, Mark::single(0));
        reduce(&mut b, &mut bdds, Direction::Direct);
        assert_eq!((b.states(), b.edge_count()), (3, 4));
        // Of two initial states, the one that accepts less goes.
        let mut c = needed;
        c.initial = vec![2, 1];
        reduce(&mut c, &mut bdds, Direction::Direct);
        assert_eq!((c.states(), c.initial.len()), (1, 1));
        assert_eq!(c.edges[0][0].label, p);
    }

    /// Two runs to the same state, one of which is possible whenever the other is.
    #[test]
    fn related_pasts_merge() {
        let mut bdds = Bdds::new();
        let (p, q) = (bdds.variable(0), bdds.variable(1));
        let not_q = bdds.not(q);
        let mut a = Automaton::new(vec![0, 1], 1, Acceptance::buchi());
        for _ in 0..3 {
            a.add_state();
        }
        a.initial.push(0);
        a.add_edge(0, 1, p, Mark::EMPTY);
        a.add_edge(0, 2, p, Mark::EMPTY);
        a.add_edge(1, 0, q, Mark::single(0));
        a.add_edge(2, 0, not_q, Mark::EMPTY);
        let before = a.clone();
        reduce(&mut a, &mut bdds, Direction::Direct);
        assert_eq!(a.states(), 3);
        reduce(&mut a, &mut bdds, Direction::Reverse);
        assert_eq!(a.states(), 2);
        assert!(equivalent(&mut bdds, &a, &before, 100).expect("small"));
    }
}
