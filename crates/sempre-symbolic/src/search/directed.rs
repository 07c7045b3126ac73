//! Accepting runs by single states: depth first, uphill.
//!
//! Where a run that violates a property has a hundred thousand steps, sets are of no use before it is found: they would be made for one
//! state at a time. So here single states are followed, with the interpreter and without diagrams, towards what the automaton waits for
//! ([`sempre_omega::distance_heuristic`]; directed model checking, Edelkamp, Leue, Lluch-Lafuente 2004). Couvreur's check (FM 1999, with the
//! path-based components of Gabow, IPL 2000) tells the first accepting component; the run through it takes few steps, of those that are known.
//!
//! A climb that goes the wrong way may go far. So each is given up after so many states, and others begin at the initial states, of two kinds that
//! share the work. Some go uphill, each with four times as many states as the one before. The others try their luck again and again, with few states as a
//! rule (in the sequence of Luby, Sinclair, Zuckerman, *Optimal speedup of Las Vegas algorithms*, IPL 1993): uphill, with other lots where several
//! ways are as good; in an order of actions drawn once, which insists; in one drawn for each state, which wanders about. A climb that has seen the
//! whole product has an answer.
//!
//! Invariants:
//!
//! * I1. The number of a node is its place among the live ones, [`NEW`] before and [`DEAD`] afterwards. The live ones from the number
//!   of the last root on are one strongly connected component, and its marks are those on edges between them.
//! * I2. Of a node that was entered, all steps are known; those that fail are none, but not forgotten ([`States::fault`]).
//!
//! Cost: for each state its cells as integers, and its successors; a step of the interpreter for each action in each state.

use crate::dd::forest::Forest;
use crate::product::automaton::Automaton;
use crate::product::options::Deadlock;
use crate::search::outcome::{Outcome, RunStep};
use crate::search::search_context::{STUTTER, SearchContext, StateTable};
use rustc_hash::FxHashMap;
use sempre_base::Random;
use sempre_base::Stop;
use sempre_model::{Expr, Program};
use sempre_omega::Mark;
use std::collections::VecDeque;

/// Nodes of the first climbs.
const FIRST_LIMIT: usize = 1 << 12;
/// The next one that goes uphill has so many times as many.
const GROWTH: u32 = 4;
/// The number of a node that was not entered yet.
const UNVISITED: u32 = u32::MAX;
/// The number of a node that no accepting cycle goes through.
const DEAD: u32 = u32::MAX - 1;
/// So many guards, or cells of a state, take as long as a node of a diagram.
const UNITS_PER_NODE: u64 = 32;

/// In which order successors are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchOrder {
    /// Those first that are nearest to what the automaton waits for; if that cannot be told, as `Shuffled`.
    Directed,
    /// By actions, in an order drawn once.
    Permuted,
    /// Drawn for each state.
    Shuffled,
}

/// Those that try their luck.
const RANDOM_ORDERS: [SearchOrder; 3] = [
    SearchOrder::Directed,
    SearchOrder::Permuted,
    SearchOrder::Shuffled,
];
/// So many climbs one after the other that find no room are enough.
const MAX_FULL_RESTARTS: u32 = 4;

/// Climbs, one after the other.
pub(crate) struct RestartedSearch<'a> {
    context: SearchContext<'a>,
    random: Random,
    /// How many have begun of each kind, and the nodes that they have met: those that go uphill further and further, those that try their luck.
    begun: [u32; 2],
    nodes: [usize; 2],
    /// The kind of this one.
    kind: usize,
    /// How many of the last ones found no room.
    full: u32,
    /// Nodes of the first ones.
    first: usize,
    /// Bytes that one may take.
    memory: usize,
    search: DirectedSearch,
    /// Work since the forest was told.
    work: u64,
}

impl<'a> RestartedSearch<'a> {
    /// Climbs at the initial states, the first with so many nodes, if not as many as usual.
    pub fn new(
        question: (&'a Program, &'a [Expr], &'a dyn Automaton),
        semantics: (Deadlock, bool),
        first: Option<usize>,
        memory: usize,
    ) -> Self {
        let context = SearchContext::new(question, semantics);
        let first = first.unwrap_or(FIRST_LIMIT).max(1);
        let mut random = Random::new(1);
        let search = DirectedSearch::new(&context, SearchOrder::Directed, random.next_u64(), first);
        Self {
            context,
            random,
            begun: [1, 0],
            nodes: [0; 2],
            kind: 0,
            full: 0,
            first,
            memory,
            search,
            work: 0,
        }
    }

    /// Goes a step on. An answer, if there is one. The forest, which is not needed otherwise, is told of the work.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn advance(&mut self, forest: &mut Forest) -> Result<Option<Outcome>, Stop> {
        let step = self.search.step(&self.context, &mut self.work);
        if self.work >= UNITS_PER_NODE {
            forest.charge(self.work / UNITS_PER_NODE)?;
            self.work %= UNITS_PER_NODE;
        }
        match step {
            Step::On => {}
            Step::Closed => return Ok(Some(self.search.run(&self.context))),
            Step::Done => {
                let fault = self.search.states.fault.take();
                return Ok(Some(fault.map_or(Outcome::Empty, Outcome::Failed)));
            }
        }
        let is_full = self.search.states.bytes > self.memory;
        if is_full || self.search.nodes.len() >= self.search.max_nodes {
            self.full = if is_full { self.full + 1 } else { 0 };
            if self.full >= MAX_FULL_RESTARTS {
                return Err(Stop::Memory);
            }
            self.begin();
        }
        Ok(None)
    }

    /// The nodes that this climb has met.
    pub fn found(&self) -> u64 {
        self.search.nodes.len() as u64
    }

    /// The next climb, of the kind that has met fewer nodes.
    fn begin(&mut self) {
        self.nodes[self.kind] += self.search.nodes.len();
        self.kind = usize::from(self.nodes[1] < self.nodes[0]);
        let begun = &mut self.begun[self.kind];
        *begun += 1;
        let (order, times) = match self.kind {
            0 => (SearchOrder::Directed, GROWTH.saturating_pow(*begun - 1)),
            _ => (*self.random.pick(&RANDOM_ORDERS), luby(*begun)),
        };
        let max_nodes = self.first.saturating_mul(times as usize);
        self.search = DirectedSearch::new(&self.context, order, self.random.next_u64(), max_nodes);
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, … of Luby, Sinclair and Zuckerman, from one on.
fn luby(i: u32) -> u32 {
    let bits = u32::BITS - i.leading_zeros();
    match (i + 1).is_power_of_two() {
        true => 1 << (bits - 1),
        false => luby(i + 1 - (1 << (bits - 1))),
    }
}

/// A state of the product: its parts, and its number (I1).
#[derive(Clone, Copy)]
struct Node {
    state: u32,
    q: u32,
    number: u32,
}

/// An edge of the product.
#[derive(Clone)]
struct Edge {
    action: u32,
    state: u32,
    q: u32,
    marks: Mark,
}

/// The first number of a component of live nodes, the marks of edges inside, and those of the edge that led to it.
struct SccRoot {
    number: u32,
    marks: Mark,
    arc: Mark,
}

/// What a step has come to.
enum Step {
    On,
    /// A component sees all acceptance sets.
    Closed,
    /// There is nothing more.
    Done,
}

/// Nodes, each with the action by which it is left.
type Path = Vec<(u32, u32)>;

/// One climb.
struct DirectedSearch {
    order: SearchOrder,
    random: Random,
    /// The place of each action, if it is an order drawn once.
    rank: Vec<u32>,
    /// How many nodes it may have.
    max_nodes: usize,
    states: StateTable,
    nodes: Vec<Node>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// The nodes to begin with, and how many of them were.
    initial: Vec<u32>,
    begun: usize,
    /// The path, with the edges that wait, the next one last.
    path: Vec<(u32, Vec<Edge>)>,
    live: Vec<u32>,
    roots: Vec<SccRoot>,
}

impl DirectedSearch {
    fn new(context: &SearchContext<'_>, order: SearchOrder, seed: u64, max_nodes: usize) -> Self {
        let mut random = Random::new(seed);
        let mut rank: Vec<u32> = (0..context.fair_sets.len() as u32).collect();
        random.shuffle(&mut rank);
        let mut search = Self {
            order,
            random,
            rank,
            max_nodes,
            states: StateTable::default(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            initial: Vec::new(),
            begun: 0,
            path: Vec::new(),
            live: Vec::new(),
            roots: Vec::new(),
        };
        for state in &context.interpreter.program().initial {
            let state = search.states.number(context, state.clone());
            let valuation = search.states.valuations[state as usize];
            for q in context.automaton.initial(valuation) {
                let node = search.node(state, q);
                search.initial.push(node);
            }
        }
        search
    }

    fn node(&mut self, state: u32, q: u32) -> u32 {
        let count = self.nodes.len() as u32;
        let node = *self.numbers.entry((state, q)).or_insert(count);
        if node == count {
            let number = UNVISITED;
            self.nodes.push(Node { state, q, number });
            self.states.bytes += 64;
        }
        node
    }

    /// The edges from a node.
    fn edges(&mut self, context: &SearchContext<'_>, node: u32, work: &mut u64) -> Vec<Edge> {
        let Node { state, q, .. } = self.nodes[node as usize];
        let next = self.states.next(context, state, work);
        let valuations = &self.states.valuations;
        let here = valuations[state as usize];
        let mut edges = Vec::with_capacity(next.steps.len());
        let mut known = (None, Vec::new());
        for &(action, to) in &next.steps {
            let letter = match context.automaton.is_testing() {
                true => here ^ valuations[to as usize],
                false => here,
            };
            if known.0 != Some(letter) {
                known = (Some(letter), context.automaton.edges(q, letter));
            }
            edges.extend(known.1.iter().map(|&(q, marks)| {
                let mut marks = Mark::from_word(marks);
                if !context.all_fair_sets.is_empty() {
                    let own = context
                        .fair_sets
                        .get(action as usize)
                        .unwrap_or(&Mark::EMPTY);
                    marks = marks.union(own).union(&next.idle);
                }
                Edge {
                    action,
                    state: to,
                    q,
                    marks,
                }
            }));
        }
        edges
    }

    /// The edges from a node, the best one last.
    fn ordered_edges(
        &mut self,
        context: &SearchContext<'_>,
        node: u32,
        work: &mut u64,
    ) -> Vec<Edge> {
        let mut edges = self.edges(context, node, work);
        match (self.order, &context.guide) {
            (SearchOrder::Permuted, _) => {
                edges.sort_by_key(|e| (self.rank.get(e.action as usize).copied(), e.q));
            }
            (SearchOrder::Directed, Some(guide)) => {
                self.random.shuffle(&mut edges);
                let testing = context.automaton.is_testing();
                edges.sort_by_cached_key(|e| {
                    let valuation = self.states.valuations[e.state as usize];
                    let costs = context.costs(&self.states.cells[e.state as usize], valuation);
                    let stays = if testing { 0 } else { valuation };
                    let costs = &costs[..context.propositions.len()];
                    std::cmp::Reverse(guide.estimate(e.q, stays, costs))
                });
            }
            _ => self.random.shuffle(&mut edges),
        }
        edges
    }

    /// Follows an edge, or goes back along one.
    fn step(&mut self, context: &SearchContext<'_>, work: &mut u64) -> Step {
        *work += UNITS_PER_NODE;
        let Some((node, edges)) = self.path.last_mut() else {
            let Some(&node) = self.initial.get(self.begun) else {
                return Step::Done;
            };
            self.begun += 1;
            if self.nodes[node as usize].number == UNVISITED {
                self.enter(context, node, Mark::EMPTY, work);
            }
            return Step::On;
        };
        let node = *node;
        let Some(edge) = edges.pop() else {
            self.path.pop();
            let number = self.nodes[node as usize].number;
            if self.roots.pop_if(|r| r.number == number).is_some() {
                for dead in self.live.drain(number as usize..) {
                    self.nodes[dead as usize].number = DEAD;
                }
            }
            return Step::On;
        };
        let to = self.node(edge.state, edge.q);
        match self.nodes[to as usize].number {
            DEAD => Step::On,
            UNVISITED => {
                self.enter(context, to, edge.marks, work);
                Step::On
            }
            number => {
                self.unite(number, edge.marks);
                match self.roots.last() {
                    Some(root) if root.marks == context.all => Step::Closed,
                    _ => Step::On,
                }
            }
        }
    }

    fn enter(&mut self, context: &SearchContext<'_>, node: u32, arc: Mark, work: &mut u64) {
        let number = self.live.len() as u32;
        self.nodes[node as usize].number = number;
        self.live.push(node);
        self.roots.push(SccRoot {
            number,
            marks: Mark::EMPTY,
            arc,
        });
        let edges = self.ordered_edges(context, node, work);
        self.states.bytes += size_of_val(&edges[..]);
        self.path.push((node, edges));
    }

    /// An edge with these marks leads back to the live node of that number (I1).
    fn unite(&mut self, number: u32, mut marks: Mark) {
        while let Some(root) = self.roots.pop_if(|r| r.number > number) {
            marks = marks.union(&root.marks).union(&root.arc);
        }
        debug_assert!(!self.roots.is_empty(), "I1: live nodes are behind a root");
        if let Some(root) = self.roots.last_mut() {
            root.marks = root.marks.union(&marks);
        }
    }

    /// A run through the last component, which sees all sets.
    fn run(&mut self, context: &SearchContext<'_>) -> Outcome {
        match self.lasso(context) {
            Some((prefix, cycle)) => {
                let moment = |(node, action): (u32, u32)| -> RunStep {
                    let state = self.nodes[node as usize].state;
                    let cells = self.states.cells[state as usize].to_vec();
                    (cells, (action != STUTTER).then_some(action))
                };
                let run_steps = |path: Path| path.into_iter().map(moment).collect();
                Outcome::Violated(run_steps(prefix), run_steps(cycle))
            }
            None => Outcome::Defect("no run in an accepting component".to_string()),
        }
    }

    fn lasso(&mut self, context: &SearchContext<'_>) -> Option<(Path, Path)> {
        let first = self.roots.last()?.number;
        let is_live = |n: &Node| n.number < DEAD;
        let inside = |n: &Node| is_live(n) && n.number >= first;
        let all = self.initial.iter().copied();
        let starts: Vec<u32> = all.filter(|&n| is_live(&self.nodes[n as usize])).collect();
        let at_once = starts.iter().find(|&&n| inside(&self.nodes[n as usize]));
        let (prefix, start) = match at_once {
            Some(&node) => (Vec::new(), node),
            None => {
                let found = self.path(context, &starts, &is_live, &|_, n, _| inside(n))?;
                (found.0, found.1)
            }
        };
        let (mut cycle, mut here, mut seen) = (Vec::new(), start, Mark::EMPTY);
        while seen != context.all {
            let new = |_, n: &Node, marks: &Mark| inside(n) && !marks.is_subset(&seen);
            let (path, end, marks) = self.path(context, &[here], &inside, &new)?;
            cycle.extend(path);
            here = end;
            seen = seen.union(&marks);
        }
        if cycle.is_empty() || here != start {
            let is_start = |n: u32, _: &Node, _: &Mark| n == start;
            let (path, ..) = self.path(context, &[here], &inside, &is_start)?;
            cycle.extend(path);
        }
        Some((prefix, cycle))
    }

    /// A shortest way from one of some nodes, through those that count, to the end of an edge that is wanted; that end, and the marks on the
    /// way.
    fn path(
        &mut self,
        context: &SearchContext<'_>,
        from: &[u32],
        may_pass: &dyn Fn(&Node) -> bool,
        wanted: &dyn Fn(u32, &Node, &Mark) -> bool,
    ) -> Option<(Path, u32, Mark)> {
        let mut before: FxHashMap<u32, Option<(u32, u32, Mark)>> = FxHashMap::default();
        before.extend(from.iter().map(|&n| (n, None)));
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            for edge in self.edges(context, node, &mut 0) {
                let Some(&to) = self.numbers.get(&(edge.state, edge.q)) else {
                    continue;
                };
                let target = &self.nodes[to as usize];
                if wanted(to, target, &edge.marks) {
                    let (mut path, mut marks) = (vec![(node, edge.action)], edge.marks);
                    let mut at = node;
                    while let Some(Some((earlier, action, arc))) = before.get(&at) {
                        path.push((*earlier, *action));
                        marks = marks.union(arc);
                        at = *earlier;
                    }
                    path.reverse();
                    return Some((path, to, marks));
                }
                if may_pass(target) && !before.contains_key(&to) {
                    before.insert(to, Some((node, edge.action, edge.marks)));
                    queue.push_back(to);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_of_luby() {
        let first: Vec<u32> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
