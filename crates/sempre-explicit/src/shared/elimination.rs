//! Is the product of a kept graph and an automaton empty? By eliminating states that no accepting run goes through.
//!
//! Source: the one-way-catch-them-young algorithm, OWCTY (Fisler, Fraer, Kamhi, Vardi and Yang, TACAS 2001; for explicit graphs Černá and
//! Pelánek, SPIN 2003), here in its backward form, with the acceptance sets on edges: from the reachable states of the product those are removed, again and
//! again, that have no successor left, and for each acceptance set those from which no edge of the set is reachable. What is left at the end has an accepting run
//! through each state; if nothing is left, the product is empty.
//!
//! Ours is for graphs that are in memory as arrays ([`Graph`]). A state of the product is a number, that of the graph's state times the
//! automaton's states plus the automaton's state: no table is needed, a set of states is a bit each, and fits into a processor's cache where a table
//! of states does not. That is why it is several times as fast as a search that makes successors again, though it visits a state more often.
//!
//! Of a finite automaton of bad prefixes the first half is enough: is a state reachable in which it accepts?
//!
//! # Invariants
//! - **I1** States on a cycle that is in all acceptance sets are never removed; nor those that lead to one.
//! - **I2** [`Answer::Empty`] is returned only if all states were removed, and no reachable state of the product has an erroneous step.
//!
//! Cost: reachability once, and each round once through the steps of what is left; rounds are few in practice, quadratically many steps at worst.
//! Four bytes for each state of the graph, and thirteen for each pair of one and a state of the automaton.
//!
//! # Not done
//! No run is constructed: where there is one, a search on the fly finds it, usually soon, and makes a short one. No fairness, no marks of the model's own
//! edges, no acceptance but generalised Büchi.

use super::graph::{Graph, selected};
use crate::explore::Reason;
use crate::product::Limits;
use crate::property::Property;
use rustc_hash::FxHashMap;
use sempre_base::stop;
use std::time::{Duration, Instant};

/// After so many rounds it is given up.
const MOST_ROUNDS: u32 = 100;

/// Limits are looked at once in so many states.
const PATIENCE: u32 = 1 << 12;

/// Bytes of each pair: four for the number of successors, eight of a queue, some bits.
const BYTES: usize = 13;

/// What came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// No accepting run.
    Empty,
    /// There is one.
    Nonempty,
    /// No accepting run was found, but a state in the product has an erroneous step.
    Erroneous,
    /// It was given up.
    Stopped(Reason),
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) states: u64,
    pub(super) transitions: u64,
    pub(super) bytes: usize,
}

/// A set of numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    #[inline]
    fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    /// Was it absent?
    #[inline]
    fn insert(&mut self, i: usize) -> bool {
        let (word, bit) = (&mut self.0[i / 64], 1 << (i % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    #[inline]
    fn remove(&mut self, i: usize) {
        self.0[i / 64] &= !(1 << (i % 64));
    }

    fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(i * 64 + bit)
            })
        })
    }
}

/// What the automaton does when it reads a letter.
#[derive(Default)]
struct Moves {
    /// Where its edges lead, with their marks.
    out: Vec<(u32, u32)>,
    /// The states from which an edge leads to this one, each as often as there are edges.
    back: Vec<u32>,
}

struct Elimination<'a> {
    graph: &'a Graph<'a>,
    /// Number of states of the automaton.
    size: usize,
    sets: u32,
    /// The number of each state's letter.
    letters: Vec<u32>,
    /// For each letter and each state of the automaton.
    moves: Vec<Moves>,
    limits: Limits<'a>,
    begin: Instant,
    patience: u32,
    counted: Counted,
}

/// Does the automaton accept a run of the graph? With `finite`, it accepts a word as soon as it takes an edge with a mark. `None` if it is
/// not an automaton for this, or there is too little memory.
pub(super) fn decide(
    graph: &Graph<'_>,
    automaton: &Property,
    finite: bool,
    propositions: &[u32],
    limits: Limits<'_>,
) -> Option<(Answer, Counted)> {
    let sets = automaton.sets();
    if !automaton.is_generalized_buchi() || !automaton.movers().is_empty() || sets > 32 {
        return None;
    }
    let size = automaton.states() as usize;
    let pairs = (graph.states as usize).checked_mul(size)?;
    let letters = graph.states as usize * size_of::<u32>();
    let bytes = pairs.checked_mul(BYTES)?.checked_add(letters)?;
    if limits.memory.is_some_and(|memory| bytes > memory) {
        return None;
    }
    let (of_class, moves) = moves(graph, automaton, propositions);
    let mut search = Elimination {
        graph,
        size,
        sets,
        letters: (0..graph.states)
            .map(|state| of_class[graph.class(state) as usize])
            .collect(),
        moves,
        limits,
        begin: Instant::now(),
        patience: PATIENCE,
        counted: Counted {
            bytes,
            ..Counted::default()
        },
    };
    let answer = search.run(automaton.initial(), finite, pairs);
    let answer = answer.unwrap_or_else(Answer::Stopped);
    Some((answer, search.counted))
}

/// For each class of the graph's states the number of its letter, and for each letter and each state of the automaton what the automaton does.
fn moves(graph: &Graph<'_>, automaton: &Property, propositions: &[u32]) -> (Vec<u32>, Vec<Moves>) {
    let size = automaton.states();
    let mut letters: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
    let mut all = Vec::new();
    let mut own = Vec::new();
    for truth in &graph.classes {
        let letter = selected(truth, propositions);
        let next = letters.len() as u32;
        if let Some(&known) = letters.get(&letter) {
            own.push(known);
            continue;
        }
        let first = all.len();
        all.extend((0..size).map(|_| Moves::default()));
        for q in 0..size {
            for edge in automaton.enabled(q, &letter) {
                let marks = (0..automaton.sets()).filter(|&set| edge.mark.contains(set));
                let marks = marks.fold(0, |marks, set| marks | 1 << set);
                all[first + q as usize].out.push((edge.to, marks));
                all[first + edge.to as usize].back.push(q);
            }
        }
        own.push(next);
        letters.insert(letter, next);
    }
    (own, all)
}

impl Elimination<'_> {
    fn run(&mut self, initial: &[u32], finite: bool, pairs: usize) -> Result<Answer, Reason> {
        let Some((mut left, erroneous)) = self.reach(initial, finite, pairs)? else {
            return Ok(Answer::Nonempty);
        };
        let empty = match erroneous {
            // I2.
            true => Answer::Erroneous,
            false => Answer::Empty,
        };
        if finite {
            return Ok(empty);
        }
        for _ in 0..MOST_ROUNDS {
            self.trim(&mut left, pairs)?;
            let before = left.len();
            if before == 0 {
                return Ok(empty);
            }
            for set in 0..self.sets {
                left = self.leading_to(&left, set, pairs)?;
            }
            if left.len() == before {
                return Ok(Answer::Nonempty);
            }
        }
        Err(Reason::States)
    }

    /// Is it time to stop?
    #[inline]
    fn look_up(&mut self) -> Result<(), Reason> {
        self.patience -= 1;
        if self.patience > 0 {
            return Ok(());
        }
        self.patience = PATIENCE;
        if let Some(stop) = stop::poll(self.limits.interrupt) {
            return Err(stop.into());
        }
        let elapsed = || -> Duration { self.begin.elapsed() };
        match self.limits.time {
            Some(time) if elapsed() > time => Err(Reason::Time),
            _ => Ok(()),
        }
    }

    #[inline]
    fn moves(&self, state: u32, q: usize) -> &Moves {
        &self.moves[self.letters[state as usize] as usize * self.size + q]
    }

    /// The reachable states, and whether one of them has an erroneous step. `None` if a finite automaton accepts.
    fn reach(
        &mut self,
        initial: &[u32],
        finite: bool,
        pairs: usize,
    ) -> Result<Option<(Bits, bool)>, Reason> {
        let mut reached = Bits::new(pairs);
        let mut todo = Vec::new();
        for &state in self.graph.initial {
            for &q in initial {
                let pair = state as usize * self.size + q as usize;
                if reached.insert(pair) {
                    todo.push(pair);
                }
            }
        }
        let mut erroneous = false;
        let (mut states, mut transitions) = (0, 0);
        while let Some(pair) = todo.pop() {
            self.look_up()?;
            states += 1;
            let (state, q) = ((pair / self.size) as u32, pair % self.size);
            let moves = self.moves(state, q);
            if finite && moves.out.iter().any(|&(_, marks)| marks != 0) {
                return Ok(None);
            }
            if moves.out.is_empty() {
                continue;
            }
            erroneous |= self.graph.is_erroneous(state);
            self.graph.each_target(state, |target| {
                for &(to, _) in &moves.out {
                    transitions += 1;
                    let next = target as usize * self.size + to as usize;
                    if reached.insert(next) {
                        todo.push(next);
                    }
                }
            });
        }
        (self.counted.states, self.counted.transitions) = (states, transitions);
        Ok(Some((reached, erroneous)))
    }

    /// Removes states without successors, until there are none.
    fn trim(&mut self, left: &mut Bits, pairs: usize) -> Result<(), Reason> {
        let mut successors = vec![0u32; pairs];
        let mut todo = Vec::new();
        for pair in left.iter() {
            self.look_up()?;
            let (state, q) = ((pair / self.size) as u32, pair % self.size);
            let moves = self.moves(state, q);
            let mut count = 0;
            if !moves.out.is_empty() {
                self.graph.each_target(state, |target| {
                    for &(to, _) in &moves.out {
                        let next = target as usize * self.size + to as usize;
                        count += u32::from(left.contains(next));
                    }
                });
            }
            successors[pair] = count;
            if count == 0 {
                todo.push(pair);
            }
        }
        for &pair in &todo {
            left.remove(pair);
        }
        while let Some(pair) = todo.pop() {
            self.look_up()?;
            let (state, q) = ((pair / self.size) as u32, pair % self.size);
            for &source in self.graph.sources(state) {
                for &from in &self.moves(source, q).back {
                    let before = source as usize * self.size + from as usize;
                    if !left.contains(before) {
                        continue;
                    }
                    successors[before] -= 1;
                    if successors[before] == 0 {
                        left.remove(before);
                        todo.push(before);
                    }
                }
            }
        }
        Ok(())
    }

    /// Those from which an edge of the set, which ends in one of them, can be reached.
    fn leading_to(&mut self, left: &Bits, set: u32, pairs: usize) -> Result<Bits, Reason> {
        let mut found = Bits::new(pairs);
        let mut todo = Vec::new();
        for pair in left.iter() {
            self.look_up()?;
            let (state, q) = ((pair / self.size) as u32, pair % self.size);
            let moves = self.moves(state, q);
            let is_marked = |&&(_, marks): &&(u32, u32)| marks >> set & 1 == 1;
            if !moves.out.iter().any(|edge| is_marked(&edge)) {
                continue;
            }
            let mut leads = false;
            self.graph.each_target(state, |target| {
                leads |= (moves.out.iter().filter(is_marked))
                    .any(|&(to, _)| left.contains(target as usize * self.size + to as usize));
            });
            if leads && found.insert(pair) {
                todo.push(pair);
            }
        }
        while let Some(pair) = todo.pop() {
            self.look_up()?;
            let (state, q) = ((pair / self.size) as u32, pair % self.size);
            for &source in self.graph.sources(state) {
                for &from in &self.moves(source, q).back {
                    let before = source as usize * self.size + from as usize;
                    if left.contains(before) && found.insert(before) {
                        todo.push(before);
                    }
                }
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_numbers() {
        let mut bits = Bits::new(200);
        assert!(bits.insert(3) && bits.insert(64) && bits.insert(199) && !bits.insert(64));
        bits.remove(3);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [64, 199]);
        assert_eq!(bits.len(), 2);
        assert!(bits.contains(199) && !bits.contains(3));
    }
}
