//! An automaton unfolded over valuations: the first step to both kinds of testing automata.
//!
//! After Geldenhuys and Hansen, "Larger automata and less work for LTL model checking" (SPIN 2006), and Ben Salem,
//! Duret-Lutz, Kordon, "Generalized Büchi automata versus testing automata for model checking" (SUMo 2011, section
//! 2.3). A state is a pair of a state `s` of the automaton and the valuation `v` that is to be read in it. If an edge
//! from `s` to `t` can read `v`, there is a transition from `(s, v)` to `(t, w)` for every `w`, labelled with the
//! changes from `v` to `w`. It is *stuttering* if there are none.
//!
//! The stuttering transitions are not kept: a stutter-invariant language contains a word if and only if it contains
//! the word without repetitions, and that one is read without them, except for an endless repetition at its end. The
//! acceptance of such an end is stored with the states: whether `(s, v)` lies on a stuttering cycle that accepts
//! ([`Unfolding::accepting_stutter`]), and whether such a cycle can be reached by stuttering
//! ([`Unfolding::livelock`]).
//!
//! Differences from the papers:
//!
//! * The valuation of a state contains only the propositions that `s` or its descendants test (the first optimisation
//!   of the second paper), so states that differ only in others are identified.
//! * Only reachable states are constructed, and no state in which no letter can be read; at the end, states with an
//!   empty language are removed.
//! * The second paper also makes every state initial that "can reach" an initial one by stuttering. Read literally
//!   that would be wrong (such a state may accept other words), and the states that an initial one reaches by
//!   stuttering need not be initial either, by the argument above.
//!
//! An automaton without acceptance sets accepts a closed language: a word all of whose prefixes are prefixes of
//! accepted words is accepted. If something is accepted from `(s, v)`, it is still accepted with `v` repeated any
//! number of times, because the language is stutter-invariant; so it is accepted with `v` for ever. So without
//! acceptance sets every state accepts stuttering, whether the automaton has a cycle for that or not.
//!
//! If the automaton is deterministic, stuttering can be skipped ([`SkipStuttering`]), after Klein and Baier,
//! "On-the-fly stuttering in the construction of deterministic omega-automata" (CIAA 2007). Then `(s, v)` has at most
//! one stuttering successor, and leads to one cycle of them, if its language is not empty. The word with `v` repeated
//! until the run is on that cycle and has gone around it is accepted if and only if the word itself is, so every
//! transition to `(s, v)` can lead to one state of the cycle, the same for all, with the marks of the path and of the
//! cycle. States that differ only on the path to the cycle are identified, and the result is deterministic. This is
//! not done for marks that must stay on states.
//!
//! Invariants: I1, no transition has the empty changeset; I2, a valuation only has bits of the propositions that its
//! state observes.
//!
//! Cost: for each state and each of its edges that can be taken, one transition per changeset: with `n` observed
//! propositions up to `4^n` times the edges of the automaton. [`Limits`] bound it.

use super::graph::Graph;
use super::limits::{Limits, Refusal};
use super::{Initial, TestingEdge};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::emptiness::{prune, useful_states};
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;

/// More propositions than this are never unfolded, regardless of the limits.
const MAX_PROPOSITIONS: usize = 24;

/// The unfolding of a generalised Büchi automaton.
#[derive(Clone, Debug)]
pub(crate) struct Unfolding {
    /// The observed propositions, by bit.
    pub propositions: Vec<u32>,
    /// Number of acceptance sets.
    pub sets: u32,
    /// The state of the automaton and the valuation of each state.
    pub origin: Vec<(u32, u64)>,
    /// Is the state on a stuttering cycle that accepts?
    pub accepting_stutter: Vec<bool>,
    /// Can the state reach such a cycle by stuttering?
    pub livelock: Vec<bool>,
    pub(crate) graph: Graph,
}

/// Data about the automaton that the unfolding needs.
struct Source {
    automaton: Automaton,
    /// The bit of each proposition.
    bit: FxHashMap<u32, u32>,
    propositions: Vec<u32>,
    /// The propositions each state or its descendants test.
    observed: Vec<u64>,
    /// The letters that each state can read.
    readable: Vec<Bdd>,
    /// The marks that count, as bits, of each edge.
    marks: Vec<Vec<u64>>,
    sets: u32,
}

impl Source {
    fn new(bdds: &mut Bdds, a: &Automaton, limits: Limits) -> Result<Self, Refusal> {
        let used = a
            .acceptance
            .as_generalized_buchi()
            .ok_or(Refusal::NotGeneralizedBuchi)?;
        if used.len() > 64 {
            return Err(Refusal::Sets(used.len()));
        }
        let mut automaton = a.clone();
        prune(&mut automaton);
        let mut supports: FxHashMap<Bdd, Vec<u32>> = FxHashMap::default();
        for e in automaton.edges.iter().flatten() {
            supports
                .entry(e.label)
                .or_insert_with(|| bdds.support(e.label));
        }
        let mut tested: Vec<u32> = supports.values().flatten().copied().collect();
        tested.sort_unstable();
        tested.dedup();
        // In the order of the automaton, as users expect.
        let place = |v: &u32| a.propositions.iter().position(|p| p == v);
        tested.sort_by_key(|v| place(v).unwrap_or(usize::MAX));
        let most = limits.propositions.min(MAX_PROPOSITIONS);
        if tested.len() > most {
            let count = tested.len();
            return Err(Refusal::Propositions { count, most });
        }
        let bit: FxHashMap<u32, u32> = tested.iter().copied().zip(0..).collect();
        let mut observed = vec![0u64; automaton.states()];
        // Components are numbered after those they lead to, so one pass is enough.
        for states in &Sccs::new(&automaton).states {
            let mut all = 0;
            for e in states.iter().flat_map(|&s| &automaton.edges[s as usize]) {
                let own = supports[&e.label].iter().map(|v| 1 << bit[v]);
                all = own.fold(all | observed[e.to as usize], |m, b: u64| m | b);
            }
            states.iter().for_each(|&s| observed[s as usize] = all);
        }
        let readable = automaton
            .edges
            .iter()
            .map(|edges| {
                let labels = edges.iter().map(|e| e.label);
                labels.fold(Bdd::FALSE, |any, l| bdds.or(any, l))
            })
            .collect();
        let sets: Vec<u32> = used.iter().collect();
        let word = |mark: &Mark| {
            let inside = (0u32..).zip(&sets).filter(|(_, s)| mark.contains(**s));
            inside.fold(0u64, |m, (i, _)| m | 1 << i)
        };
        let marks = automaton
            .edges
            .iter()
            .map(|edges| edges.iter().map(|e| word(&e.mark)).collect())
            .collect();
        Ok(Self {
            bit,
            propositions: tested,
            observed,
            readable,
            marks,
            sets: sets.len() as u32,
            automaton,
        })
    }

    fn reads(&self, bdds: &Bdds, label: Bdd, valuation: u64) -> bool {
        bdds.eval(label, |v| valuation >> self.bit[&v] & 1 == 1)
    }
}

/// The states that have been found, each once.
struct States<'a> {
    source: &'a Source,
    bdds: &'a Bdds,
    number: FxHashMap<(u32, u64), Option<u32>>,
    origin: Vec<(u32, u64)>,
}

impl States<'_> {
    /// The state for a valuation of all propositions; none if nothing can be read in it.
    fn find(&mut self, s: u32, valuation: u64) -> Option<u32> {
        let v = valuation & self.source.observed[s as usize];
        let Self {
            source,
            bdds,
            origin,
            ..
        } = self;
        *self.number.entry((s, v)).or_insert_with(|| {
            source.reads(bdds, source.readable[s as usize], v).then(|| {
                origin.push((s, v));
                origin.len() as u32 - 1
            })
        })
    }
}

/// Are transitions led on to where stuttering ends?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SkipStuttering {
    /// If the automaton is deterministic. Marks are then on transitions, even if they were on states.
    IfDeterministic,
    /// No.
    Never,
}

/// Unfolds a generalised Büchi automaton.
pub(crate) fn unfold(
    bdds: &mut Bdds,
    a: &Automaton,
    limits: Limits,
    skip_stuttering: SkipStuttering,
) -> Result<Unfolding, Refusal> {
    let source = &Source::new(bdds, a, limits)?;
    let skip_stuttering = skip_stuttering == SkipStuttering::IfDeterministic
        && source.automaton.is_deterministic(bdds);
    let valuations = 1u64 << source.propositions.len();
    let mut states = States {
        source,
        bdds,
        number: FxHashMap::default(),
        origin: Vec::new(),
    };
    let mut graph = Graph::default();
    for &s in &source.automaton.initial {
        for valuation in 0..valuations {
            if let Some(state) = states.find(s, valuation) {
                graph.initial.push(Initial { valuation, state });
            }
        }
    }
    let mut stuttering: Vec<Vec<TestingEdge>> = Vec::new();
    let mut count = 0;
    while let Some(&(s, valuation)) = states.origin.get(graph.edges.len()) {
        sempre_base::checkpoint();
        let (mut changing, mut silent) = (Vec::new(), Vec::new());
        let edges = &source.automaton.edges[s as usize];
        for (e, &marks) in edges.iter().zip(&source.marks[s as usize]) {
            if !source.reads(states.bdds, e.label, valuation) {
                continue;
            }
            for changeset in 0..valuations {
                let Some(to) = states.find(e.to, valuation ^ changeset) else {
                    continue;
                };
                let edge = TestingEdge {
                    changeset,
                    to,
                    marks,
                };
                if changeset == 0 {
                    silent.push(edge);
                } else {
                    changing.push(edge); // I1
                }
            }
        }
        count += changing.len();
        if count > limits.transitions {
            return Err(Refusal::Transitions(limits.transitions));
        }
        if states.origin.len() > limits.states {
            return Err(Refusal::States(limits.states));
        }
        graph.edges.push(changing);
        stuttering.push(silent);
    }
    let origin = states.origin;
    debug_assert!(
        origin
            .iter()
            .all(|&(s, v)| v & !source.observed[s as usize] == 0),
        "I2"
    );
    graph.tidy();
    if skip_stuttering {
        skip_stuttering_steps(&mut graph, &stuttering);
    }
    let (accepting_stutter, livelock) = accepting_stuttering(stuttering, source.sets);
    let mut u = Unfolding {
        propositions: source.propositions.clone(),
        sets: source.sets,
        origin,
        accepting_stutter,
        livelock,
        graph,
    };
    u.remove_useless();
    if u.sets == 0 {
        u.accepting_stutter.fill(true);
        u.livelock.fill(true);
    }
    Ok(u)
}

impl Unfolding {
    /// Removes the states that are reached only by stuttering, and those from which nothing is
    /// accepted.
    fn remove_useless(&mut self) {
        let mut with_livelock_loops = self.graph.clone();
        let all = Mark::all(self.sets).words()[0];
        for (s, _) in (0u32..).zip(&self.livelock).filter(|(_, g)| **g) {
            with_livelock_loops.edges[s as usize].push(TestingEdge {
                changeset: 0,
                to: s,
                marks: all,
            });
        }
        let acceptance = Acceptance::generalized_buchi(self.sets);
        let a = with_livelock_loops.skeleton(self.sets, acceptance, |_, e| e.marks);
        let useful = useful_states(&a, &Sccs::new(&a));
        let old = self.graph.trim(|s| useful[s as usize]);
        let pick = |from: &[bool]| old.iter().map(|&s| from[s as usize]).collect();
        self.accepting_stutter = pick(&self.accepting_stutter);
        self.livelock = pick(&self.livelock);
        self.origin = old.iter().map(|&s| self.origin[s as usize]).collect();
    }
}

/// Extends transitions and initial pairs along stuttering transitions, of which each state has at most one, to the
/// least state of the cycle that is reached, with the marks of the path and of the whole cycle.
fn skip_stuttering_steps(graph: &mut Graph, stuttering: &[Vec<TestingEdge>]) {
    debug_assert!(stuttering.iter().all(|edges| edges.len() <= 1));
    let count = stuttering.len();
    let next = |s: u32| stuttering[s as usize].first();
    // The target of each state, and the marks that a run sees; `None` if stuttering ends, because then the language
    // is empty and the state does not matter.
    let mut stutter_target: Vec<Option<(u32, u64)>> =
        (0..count as u32).map(|s| Some((s, 0))).collect();
    let mut known = vec![false; count];
    let mut on_path = vec![false; count];
    for start in 0..count as u32 {
        let mut path: Vec<&TestingEdge> = Vec::new();
        let mut from: Vec<u32> = Vec::new();
        let mut s = start;
        while !known[s as usize] && !on_path[s as usize] {
            on_path[s as usize] = true;
            let Some(e) = next(s) else {
                stutter_target[s as usize] = None;
                known[s as usize] = true;
                break;
            };
            path.push(e);
            from.push(s);
            s = e.to;
        }
        if !known[s as usize] {
            // A new cycle, which starts at the state that the path returns to.
            let entry = from.iter().position(|&x| x == s).unwrap_or(0);
            let cycle = &from[entry..];
            let least = cycle.iter().copied().min().unwrap_or(s);
            let marks = path[entry..].iter().fold(0, |m, e| m | e.marks);
            for &x in cycle {
                stutter_target[x as usize] = Some((least, marks));
                known[x as usize] = true;
            }
        }
        for (&x, e) in from.iter().zip(&path).rev() {
            on_path[x as usize] = false;
            if !known[x as usize] {
                known[x as usize] = true;
                stutter_target[x as usize] =
                    stutter_target[e.to as usize].map(|(t, m)| (t, m | e.marks));
            }
        }
        on_path[s as usize] = false;
    }
    for i in &mut graph.initial {
        if let Some((to, _)) = stutter_target[i.state as usize] {
            i.state = to;
        }
    }
    for e in graph.edges.iter_mut().flatten() {
        if let Some((to, marks)) = stutter_target[e.to as usize] {
            *e = TestingEdge {
                to,
                marks: e.marks | marks,
                ..*e
            };
        }
    }
    graph.tidy();
}

/// The states on accepting cycles, and those that reach them.
fn accepting_stuttering(stuttering: Vec<Vec<TestingEdge>>, sets: u32) -> (Vec<bool>, Vec<bool>) {
    let count = stuttering.len();
    let silent = Graph {
        initial: Vec::new(),
        edges: stuttering,
    };
    let a = silent.skeleton(sets, Acceptance::generalized_buchi(sets), |_, e| e.marks);
    let roots: Vec<u32> = (0..count as u32).collect();
    let sccs = Sccs::restricted(&a, &roots, |_, _| true);
    let accepting = sccs.accepting(&a);
    let mut accepting_stutter = vec![false; count];
    let mut livelock = vec![false; count];
    for (states, &accepts) in sccs.states.iter().zip(&accepting) {
        // Components are numbered after those they lead to.
        let leads =
            (states.iter().flat_map(|&s| &a.edges[s as usize])).any(|e| livelock[e.to as usize]);
        for &s in states {
            accepting_stutter[s as usize] = accepts;
            livelock[s as usize] = accepts || leads;
        }
    }
    (accepting_stutter, livelock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    /// Against the definition, without the optimisations: with a state for each pair, accepting stuttering and
    /// livelock by brute force over stuttering paths, on the pairs that the unfolding kept.
    #[test]
    fn pairs_and_rests_are_those_of_the_definition() {
        let mut r = Random::new(29);
        let mut bdds = Bdds::new();
        let mut seen = [0; 3];
        for _ in 0..300 {
            let sets = 1 + r.below(2) as u32;
            let shape = RandomAutomaton::generalized_buchi(1 + r.below(4), &[2, 5], sets);
            let mut a = shape.generate(&mut r, &mut bdds);
            prune(&mut a);
            let u = unfold(&mut bdds, &a, Limits::default(), SkipStuttering::Never).expect("small");
            let n = a.states();
            let holds = |v: u32, bits: u64| {
                let bit = u.propositions.iter().position(|&p| p == v);
                bit.is_some_and(|b| bits >> b & 1 == 1)
            };
            for (i, &(s, bits)) in u.origin.iter().enumerate() {
                // Which states stuttering reaches from where in one or more steps, and with which
                // marks: sets of marks are subsets of two.
                let mut reach = vec![[[false; 4]; 8]; 8];
                for (x, edges) in a.edges.iter().enumerate() {
                    for e in edges {
                        if bdds.eval(e.label, |v| holds(v, bits)) {
                            let word = e.mark.words()[0] as usize;
                            reach[x][e.to as usize][word] = true;
                        }
                    }
                }
                let mut grown = true;
                while grown {
                    grown = false;
                    for (x, y, z) in triples(n) {
                        for (m, k) in (0..16).map(|c| (c / 4, c % 4)) {
                            if reach[x][y][m] && reach[y][z][k] && !reach[x][z][m | k] {
                                reach[x][z][m | k] = true;
                                grown = true;
                            }
                        }
                    }
                }
                let full = (1 << sets) - 1;
                let s = s as usize;
                let accepting_stutter = reach[s][s][full];
                let livelock = accepting_stutter
                    || (0..n).any(|t| reach[t][t][full] && reach[s][t].contains(&true));
                assert_eq!(
                    (u.accepting_stutter[i], u.livelock[i]),
                    (accepting_stutter, livelock),
                    "{a:?}"
                );
                seen[usize::from(accepting_stutter) + usize::from(livelock)] += 1;
            }
        }
        assert!(seen.iter().all(|&n| n > 40), "{seen:?}");
    }

    fn triples(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..n * n * n).map(move |i| (i / n / n, i / n % n, i % n))
    }

    #[test]
    fn more_sets_than_bits_are_refused() {
        let bdds = &mut Bdds::new();
        let mut a = Automaton::new(vec![], 65, Acceptance::generalized_buchi(65));
        let s = a.add_state();
        a.initial.push(s);
        a.add_edge(s, s, Bdd::TRUE, Mark::all(65));
        let refused = unfold(bdds, &a, Limits::default(), SkipStuttering::Never).err();
        assert_eq!(refused, Some(Refusal::Sets(65)));
    }
}
