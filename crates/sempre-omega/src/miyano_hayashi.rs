//! Alternating automata to nondeterministic ones, by subsets and breakpoints.
//!
//! Computes a generalised Büchi automaton for the language of an alternating automaton in which every component is
//! weak, or has an acceptance of `Inf`s only or of `Fin`s only (see [`alternating`](crate::alternating)).
//!
//! Sources. Miyano, Hayashi, "Alternating finite automata on ω-words" (TCS 1984): a state of the result is a set `S`
//! of states that must all accept the rest of the word, and a subset `O` of states with an *obligation*: their
//! branches have not satisfied acceptance since the last breakpoint. If `O` becomes empty, the edge is a
//! *breakpoint*, which accepts, and all of `S` gets an obligation again. Gastin, Oddoux, "Fast LTL to Büchi automata
//! translation" (CAV 2001): a state that is a component by itself needs no breakpoint but an acceptance set of its
//! own, which does not contain the edges where a branch loops in the state without a mark. Kupferman, Vardi, "Weak
//! alternating automata are not that weak" (TOCL 2001): a component with co-Büchi acceptance becomes weak when its
//! states get ranks, which do not increase along branches; with an odd rank no bad mark may occur, with an even one
//! the branch has the obligation to decrease.
//!
//! Differences: everything is done component by component and on edges. Only branches that stay in their component
//! have obligations, and the kinds of components are mixed freely. A branch keeps its rank or takes the next lower
//! one (from even to odd by choice, from odd to even at a bad mark), which suffices, since a position with a higher
//! rank accepts whatever it accepts with a lower one; for the same reason a state that is reached with two ranks
//! keeps the lower. The initial rank is twice the number of places on cycles without bad marks. Conjunctions of
//! `Inf`s over disjunctions (and their duals) are counted by a level, as in degeneralisation. States that accept
//! every word are left out of `S`. Of two edges for a letter, one that leads to subsets and is in more acceptance
//! sets replaces the other.
//!
//! I1: the ranked places of a state are sorted by place, each place once. I2: after an edge there is an obligation,
//! or no place in the state can have one.
//!
//! Correctness of the replacement, in short: branches of the run tree can be chosen by state and position (Büchi and
//! co-Büchi games are positional), so each obligation has a number of steps after which the chosen edges have
//! discharged it. A replacing edge leads to a part of what the chosen edge leads to, both in `S` and in `O`, and is a
//! breakpoint if the chosen one is: the greatest of these numbers decreases until the next breakpoint.
//!
//! Cost: exponential, `2^O(n log n)` with co-Büchi components, `3^n` otherwise; [`TooLarge`](AlternationError) beyond
//! a limit. Deliberately not done: Rabin, Streett and parity acceptance inside a component (they need nested ranks).

use crate::acceptance::Acceptance;
use crate::alternating::{AlternatingAutomaton, Demand, MixedDemand};
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;

/// Why alternation was not removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlternationError {
    /// The acceptance inside a component mixes `Inf` and `Fin`.
    Mixed(MixedDemand),
    /// More states than the limit, or too much work for a state.
    TooLarge,
}

/// Most choices for one letter class of a state before they are compared with each other.
const MAX_CHOICES: usize = 1 << 14;
/// Most choices that are compared pair by pair.
const MAX_COMPARED: usize = 256;
/// The number of choices considered for each state that the limit allows.
const CHOICES_PER_STATE: usize = 64;

/// A nondeterministic generalised Büchi automaton for the same language, with at most `limit` states.
pub fn remove_alternation(
    bdds: &mut Bdds,
    a: &AlternatingAutomaton,
    limit: usize,
) -> Result<Automaton, AlternationError> {
    let mut work = Construction::new(bdds, a)?;
    let mut result = Automaton::new(
        a.propositions.clone(),
        work.sets,
        Acceptance::generalized_buchi(work.sets),
    );
    let mut number: FxHashMap<Vec<RankedPlace>, u32> = FxHashMap::default();
    let mut states: Vec<Vec<RankedPlace>> = Vec::new();
    let mut state =
        |result: &mut Automaton, states: &mut Vec<Vec<RankedPlace>>, ranked: Vec<RankedPlace>| {
            *number.entry(ranked).or_insert_with_key(|ranked| {
                states.push(ranked.clone());
                result.add_state()
            })
        };
    for conjunction in &a.initial {
        let mut step = Step::new();
        for &q in conjunction {
            if !work.universal[q as usize] {
                step.add(work.entry(q));
            }
        }
        work.finish(&mut step);
        let s = state(&mut result, &mut states, step.ranked);
        if !result.initial.contains(&s) {
            result.initial.push(s);
        }
    }
    let mut from = 0;
    while from < states.len() {
        if states.len() > limit {
            return Err(AlternationError::TooLarge);
        }
        let ranked = states[from].clone();
        for step in work.successors(bdds, &ranked, limit.saturating_mul(CHOICES_PER_STATE))? {
            let to = state(&mut result, &mut states, step.ranked);
            result.add_edge(from as u32, to, step.label, step.mark);
        }
        from += 1;
    }
    prune(&mut result);
    result.merge_edges(bdds);
    result.trim_unreachable();
    Ok(result)
}

/// How the states of a component are treated.
#[derive(Clone, Debug)]
enum Treatment {
    /// They never owe.
    Free,
    /// One state; an acceptance set for each clause, from this one on.
    Alone(u32, Vec<Mark>),
    /// They owe until all clauses were hit.
    Buchi(Vec<Mark>),
    /// They have ranks up to this one, and owe with an even one. A branch that has hit all clauses was bad.
    CoBuchi(Vec<Mark>, u32),
}

impl Treatment {
    fn clauses(&self) -> &[Mark] {
        match self {
            Treatment::Buchi(c) | Treatment::CoBuchi(c, _) => c,
            _ => &[],
        }
    }
}

/// A state at a level of counting (together: a place) with its rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RankedPlace {
    place: u32,
    rank: u32,
    has_obligation: bool,
}

/// An edge in the making: where the pebbles chosen so far lead, and the acceptance sets it is not in.
#[derive(Clone, Debug)]
struct Step {
    label: Bdd,
    ranked: Vec<RankedPlace>,
    mark: Mark,
}

impl Step {
    fn new() -> Self {
        Self {
            label: Bdd::TRUE,
            ranked: Vec::new(),
            mark: Mark::EMPTY,
        }
    }

    /// Adds a pebble. Of two on a place the lower rank stays; the other branch ends its debt by the decrease.
    fn add(&mut self, p: RankedPlace) {
        match self.ranked.binary_search_by_key(&p.place, |q| q.place) {
            Err(at) => self.ranked.insert(at, p),
            Ok(at) => {
                let old = &mut self.ranked[at];
                if p.rank < old.rank {
                    *old = p;
                } else if p.rank == old.rank {
                    old.has_obligation |= p.has_obligation;
                }
            }
        }
    }

    /// Does this edge replace one with the same label to `other`?
    fn replaces(&self, other: &Step) -> bool {
        let mut rest = other.ranked.iter();
        other.mark.is_subset(&self.mark)
            && self.ranked.iter().all(|p| {
                rest.any(|q| {
                    q.place == p.place
                        && q.rank == p.rank
                        && (q.has_obligation || !p.has_obligation)
                })
            })
    }
}

struct Construction<'a> {
    a: &'a AlternatingAutomaton,
    sccs: Sccs,
    treatment: Vec<Treatment>,
    /// The states that accept every word.
    universal: Vec<bool>,
    /// The first place of each state.
    first_place: Vec<u32>,
    /// The state of each place.
    state_of: Vec<u32>,
    /// Number of acceptance sets.
    sets: u32,
    /// The acceptance set of breakpoints.
    breakpoint: Option<u32>,
    choices: usize,
}

impl<'a> Construction<'a> {
    fn new(bdds: &mut Bdds, a: &'a AlternatingAutomaton) -> Result<Self, AlternationError> {
        let (sccs, demands) = a.demands().map_err(AlternationError::Mixed)?;
        let mut work = Self {
            a,
            universal: universal_states(bdds, a, &sccs, &demands),
            treatment: Vec::new(),
            first_place: vec![0; a.edges.len()],
            state_of: Vec::new(),
            sets: 0,
            breakpoint: None,
            choices: 0,
            sccs,
        };
        for (c, demand) in demands.into_iter().enumerate() {
            let members = &work.sccs.states[c];
            let treatment = match demand {
                Demand::Nothing => Treatment::Free,
                Demand::Buchi(clauses) if members.len() == 1 => {
                    let first = work.sets;
                    work.sets += clauses.len() as u32;
                    Treatment::Alone(first, clauses)
                }
                Demand::Buchi(clauses) => Treatment::Buchi(clauses),
                Demand::CoBuchi(clauses) => Treatment::CoBuchi(clauses, 0),
            };
            let levels = treatment.clauses().len().max(1);
            for &q in members {
                work.first_place[q as usize] = work.state_of.len() as u32;
                work.state_of.extend(std::iter::repeat_n(q, levels));
            }
            work.treatment.push(treatment);
        }
        for c in 0..work.treatment.len() {
            if let Treatment::CoBuchi(clauses, _) = &work.treatment[c] {
                let top = 2 * work.places_on_good_cycles(c, clauses);
                if let Treatment::CoBuchi(_, rank) = &mut work.treatment[c] {
                    *rank = top;
                }
            }
        }
        let breaks = |t: &Treatment| matches!(t, Treatment::Buchi(_) | Treatment::CoBuchi(..));
        if work.treatment.iter().any(breaks) {
            work.breakpoint = Some(work.sets);
            work.sets += 1;
        }
        Ok(work)
    }

    fn treatment_of(&self, q: u32) -> &Treatment {
        &self.treatment[self.sccs.of[q as usize] as usize]
    }

    /// The pebble of a state that is entered from outside its component.
    fn entry(&self, q: u32) -> RankedPlace {
        RankedPlace {
            place: self.first_place[q as usize],
            rank: match self.treatment_of(q) {
                Treatment::CoBuchi(_, top) => *top,
                _ => 0,
            },
            has_obligation: false,
        }
    }

    /// The number of places of a component that lie on a cycle which never hits all clauses.
    fn places_on_good_cycles(&self, c: usize, clauses: &[Mark]) -> u32 {
        let mut good = Automaton::new(Vec::new(), 0, Acceptance::True);
        for _ in &self.state_of {
            good.add_state();
        }
        let mut roots = Vec::new();
        for &q in &self.sccs.states[c] {
            for level in 0..clauses.len() {
                let place = self.first_place[q as usize] + level as u32;
                roots.push(place);
                for e in &self.a.edges[q as usize] {
                    let (next, all_hit) = count(level, clauses, &e.mark);
                    for &d in
                        e.to.iter()
                            .filter(|&&d| !all_hit && self.sccs.of[d as usize] == c as u32)
                    {
                        let to = self.first_place[d as usize] + next as u32;
                        good.add_edge(place, to, Bdd::TRUE, Mark::EMPTY);
                    }
                }
            }
        }
        let cycles = Sccs::restricted(&good, &roots, |_, _| true);
        (0..cycles.len())
            .filter(|&c| !cycles.is_trivial(&good, c))
            .map(|c| cycles.states[c].len() as u32)
            .sum()
    }

    /// Decides about the breakpoint, and turns the sets that the edge is not in to those it is in.
    fn finish(&self, step: &mut Step) {
        let mut mark = Mark::all(self.sets).minus(&step.mark);
        if let Some(set) = self.breakpoint {
            if step.ranked.iter().any(|p| p.has_obligation) {
                mark.remove(set);
            } else {
                for p in &mut step.ranked {
                    p.has_obligation = match self.treatment_of(self.state_of[p.place as usize]) {
                        Treatment::Buchi(_) => true,
                        Treatment::CoBuchi(..) => p.rank.is_multiple_of(2),
                        _ => false,
                    };
                }
            }
        }
        step.mark = mark;
        debug_assert!(
            step.ranked.windows(2).all(|w| w[0].place < w[1].place),
            "I1"
        );
    }

    /// The edges of a state.
    fn successors(
        &mut self,
        bdds: &mut Bdds,
        ranked: &[RankedPlace],
        most: usize,
    ) -> Result<Vec<Step>, AlternationError> {
        let mut steps = vec![Step::new()];
        for &p in ranked {
            let successors = self.place_successors(p);
            let mut next: Vec<Step> = Vec::new();
            let mut same: FxHashMap<(Vec<RankedPlace>, Mark), usize> = FxHashMap::default();
            for step in &steps {
                for successor in &successors {
                    self.choices += 1;
                    let label = bdds.and(step.label, successor.label);
                    if label.is_false() {
                        continue;
                    }
                    let mut joined = step.clone();
                    successor.ranked.iter().for_each(|&p| joined.add(p));
                    let mark = step.mark.union(&successor.mark);
                    let key = (joined.ranked, mark);
                    match same.get(&key) {
                        Some(&at) => next[at].label = bdds.or(next[at].label, label),
                        None => {
                            same.insert(key.clone(), next.len());
                            let (ranked, mark) = key;
                            next.push(Step {
                                label,
                                ranked,
                                mark,
                            });
                        }
                    }
                    if next.len() > MAX_CHOICES || self.choices > most {
                        return Err(AlternationError::TooLarge);
                    }
                }
            }
            steps = next;
        }
        steps.iter_mut().for_each(|s| self.finish(s));
        replace(bdds, &mut steps);
        Ok(steps)
    }

    /// The successors of a ranked place: the edges of its state, and for each the choices of ranks.
    fn place_successors(&self, p: RankedPlace) -> Vec<Step> {
        let q = self.state_of[p.place as usize];
        let component = self.sccs.of[q as usize];
        let treatment = &self.treatment[component as usize];
        let level = (p.place - self.first_place[q as usize]) as usize;
        let mut out = Vec::new();
        for e in &self.a.edges[q as usize] {
            let begin = out.len();
            out.push(Step {
                label: e.label,
                ..Step::new()
            });
            for &d in e.to.iter().filter(|&&d| !self.universal[d as usize]) {
                let entry = self.entry(d);
                if self.sccs.of[d as usize] != component {
                    out[begin..].iter_mut().for_each(|w| w.add(entry));
                    continue;
                }
                let (next, all_hit) = count(level, treatment.clauses(), &e.mark);
                let stay = RankedPlace {
                    place: entry.place + next as u32,
                    ..p
                };
                match treatment {
                    Treatment::Free => out[begin..].iter_mut().for_each(|w| w.add(entry)),
                    Treatment::Alone(first, clauses) => {
                        let missed = (*first..)
                            .zip(clauses)
                            .filter(|(_, c)| !c.intersects(&e.mark));
                        let missed: Mark = missed.map(|(set, _)| set).collect();
                        for successor in &mut out[begin..] {
                            successor.add(entry);
                            successor.mark = successor.mark.union(&missed);
                        }
                    }
                    Treatment::Buchi(_) => {
                        let has_obligation = p.has_obligation && !all_hit;
                        let stay = RankedPlace {
                            has_obligation,
                            ..stay
                        };
                        out[begin..].iter_mut().for_each(|w| w.add(stay));
                    }
                    Treatment::CoBuchi(..) => {
                        let lower = |p: RankedPlace| RankedPlace {
                            rank: p.rank - 1,
                            has_obligation: false,
                            ..p
                        };
                        let odd = !p.rank.is_multiple_of(2);
                        let moved = if odd && all_hit { lower(stay) } else { stay };
                        if !odd && p.rank > 0 {
                            let descending: Vec<Step> = out[begin..]
                                .iter()
                                .map(|w| {
                                    let mut w = w.clone();
                                    w.add(lower(stay));
                                    w
                                })
                                .collect();
                            out[begin..].iter_mut().for_each(|w| w.add(moved));
                            out.extend(descending);
                        } else {
                            out[begin..].iter_mut().for_each(|w| w.add(moved));
                        }
                    }
                }
            }
        }
        out
    }
}

/// Counts the clauses that the marks satisfy, in their order, from `level` on. Returns the next level, and whether
/// the last clause was satisfied.
fn count(level: usize, clauses: &[Mark], mark: &Mark) -> (usize, bool) {
    let after = |from: usize, to: usize| {
        let missed = clauses[from..to].iter().position(|c| !c.intersects(mark));
        missed.map_or(to, |i| from + i)
    };
    if clauses.is_empty() {
        return (0, false);
    }
    match after(level, clauses.len()) {
        next if next < clauses.len() => (next, false),
        _ => (after(0, level), true),
    }
}

/// Takes from the labels of edges the letters for which another edge replaces them.
fn replace(bdds: &mut Bdds, steps: &mut Vec<Step>) {
    if steps.len() <= MAX_COMPARED {
        let old = steps.clone();
        for (i, step) in steps.iter_mut().enumerate() {
            for (j, other) in old.iter().enumerate() {
                // Equal ones were united, so that no two replace each other. After breakpoints some may be equal.
                let equal = i != j && old[i].replaces(other);
                if i != j && other.replaces(&old[i]) && (!equal || j < i) {
                    step.label = bdds.minus(step.label, other.label);
                }
            }
        }
    }
    steps.retain(|s| !s.label.is_false());
}

/// The states that accept every word, so far as is plain: for each letter they have an edge to such states, and no
/// branch among them can be rejected.
fn universal_states(
    bdds: &mut Bdds,
    a: &AlternatingAutomaton,
    sccs: &Sccs,
    demands: &[Demand],
) -> Vec<bool> {
    let mut universal: Vec<bool> = (sccs.of.iter())
        .map(|&c| demands.get(c as usize) == Some(&Demand::Nothing))
        .collect();
    loop {
        let mut changed = false;
        for q in 0..a.edges.len() {
            if !universal[q] {
                continue;
            }
            let stays = |to: &[u32]| to.iter().all(|&d| universal[d as usize]);
            let letters = (a.edges[q].iter())
                .filter(|e| stays(&e.to))
                .fold(Bdd::FALSE, |seen, e| bdds.or(seen, e.label));
            if !letters.is_true() {
                universal[q] = false;
                changed = true;
            }
        }
        if !changed {
            return universal;
        }
    }
}
