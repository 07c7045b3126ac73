//! Directed search with restarts: accepting runs by explicit depth-first search.
//!
//! If a violating run has a hundred thousand steps, sets do not help to find it: most would have one state. So this
//! search follows single states, with the interpreter and without diagrams, in the direction of what the automaton
//! waits for ([`sempre_omega::distance_heuristic`]; directed model checking, Edelkamp, Leue, Lluch-Lafuente 2004).
//! Couvreur's check (FM 1999, with the path-based components of Gabow, IPL 2000) finds the first accepting component.
//! The run through it consists of shortest paths within the explored states.
//!
//! A search in the wrong direction may continue for long. So each search has a limit of states, and is followed by a
//! restart at the initial states. Restarts are of two kinds, which share the work. Directed ones have four times as
//! many states as the one before. Random ones are short, with lengths from the sequence of Luby, Sinclair, Zuckerman
//! (*Optimal speedup of Las Vegas algorithms*, IPL 1993): directed with random choices between equal successors, with a
//! random permutation of the actions for the whole search, or with a new one in each state. A search that has explored
//! the whole product decides it.
//!
//! Invariants:
//!
//! * I1. The number of a node is its position among the live nodes, [`UNVISITED`] before and [`DEAD`] afterwards. The
//!   live nodes from the number of the last root on are one strongly connected component, and the root's marks are
//!   those of the edges within.
//! * I2. All steps from a visited node are known. Failing steps are not edges; the first is in [`StateTable::fault`].
//!
//! Cost: for each state its cells as integers, and its successors; a step of the interpreter for each action in each
//! state.

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

/// Nodes of the first search.
const FIRST_LIMIT: usize = 1 << 12;
/// Growth of the limit of directed searches.
const GROWTH: u32 = 4;
/// The number of a node that was not visited.
const UNVISITED: u32 = u32::MAX;
/// The number of a node on no accepting cycle.
const DEAD: u32 = u32::MAX - 1;
/// Guards or cells of a state that count as much work as a node of a diagram.
const UNITS_PER_NODE: u64 = 32;

/// The order in which successors are explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchOrder {
    /// By estimated distance to acceptance; random without an estimate.
    Directed,
    /// By action, in a random permutation for the whole search.
    Permuted,
    /// Random in each state.
    Shuffled,
}

/// The orders of random restarts.
const RANDOM_ORDERS: [SearchOrder; 3] = [
    SearchOrder::Directed,
    SearchOrder::Permuted,
    SearchOrder::Shuffled,
];
/// Give up after this many consecutive restarts that ran out of memory.
const MAX_RESTARTS_WITHOUT_MEMORY: u32 = 4;

/// A sequence of searches.
pub(crate) struct RestartedSearch<'a> {
    context: SearchContext<'a>,
    random: Random,
    /// Searches started, and nodes visited by them: directed ones, random ones.
    started: [u32; 2],
    nodes: [usize; 2],
    /// The kind of the current search.
    kind: usize,
    /// Consecutive searches that ran out of memory.
    out_of_memory: u32,
    /// Nodes of the first search.
    first: usize,
    /// Bytes for a search.
    memory: usize,
    search: DirectedSearch,
    /// Work not yet charged to the forest.
    work: u64,
}

impl<'a> RestartedSearch<'a> {
    /// The first search at the initial states, with this many nodes or the default.
    pub(crate) fn new(
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
            started: [1, 0],
            nodes: [0; 2],
            kind: 0,
            out_of_memory: 0,
            first,
            memory,
            search,
            work: 0,
        }
    }

    /// Takes one step. Returns the outcome if it is decided. Charges the work to the forest, which polls the limits.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn advance(&mut self, forest: &mut Forest) -> Result<Option<Outcome>, Stop> {
        let step = self.search.step(&self.context, &mut self.work);
        if self.work >= UNITS_PER_NODE {
            forest.charge(self.work / UNITS_PER_NODE)?;
            self.work %= UNITS_PER_NODE;
        }
        match step {
            Step::Continue => {}
            Step::Closed => return Ok(Some(self.search.run(&self.context))),
            Step::Done => {
                let fault = self.search.states.fault.take();
                return Ok(Some(fault.map_or(Outcome::Empty, Outcome::Failed)));
            }
        }
        let exceeds_memory = self.search.states.bytes > self.memory;
        if exceeds_memory || self.search.nodes.len() >= self.search.max_nodes {
            self.out_of_memory = if exceeds_memory {
                self.out_of_memory + 1
            } else {
                0
            };
            if self.out_of_memory >= MAX_RESTARTS_WITHOUT_MEMORY {
                return Err(Stop::Memory);
            }
            self.restart();
        }
        Ok(None)
    }

    /// Nodes visited by the current search.
    pub(crate) fn found(&self) -> u64 {
        self.search.nodes.len() as u64
    }

    /// Restarts, with the kind that has visited fewer nodes.
    fn restart(&mut self) {
        self.nodes[self.kind] += self.search.nodes.len();
        self.kind = usize::from(self.nodes[1] < self.nodes[0]);
        let started = &mut self.started[self.kind];
        *started += 1;
        let (order, times) = match self.kind {
            0 => (SearchOrder::Directed, GROWTH.saturating_pow(*started - 1)),
            _ => (*self.random.pick(&RANDOM_ORDERS), luby(*started)),
        };
        let max_nodes = self.first.saturating_mul(times as usize);
        self.search = DirectedSearch::new(&self.context, order, self.random.next_u64(), max_nodes);
    }
}

/// The sequence 1, 1, 2, 1, 1, 2, 4, … of Luby, Sinclair and Zuckerman, from index one.
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

/// A component of live nodes: its first number, the marks of its edges, and those of the edge that led to it.
struct SccRoot {
    number: u32,
    marks: Mark,
    arc: Mark,
}

/// The result of a step.
enum Step {
    Continue,
    /// The current component has all acceptance sets.
    Closed,
    /// The product is explored.
    Done,
}

/// Nodes, each with the action by which the path leaves it.
type Path = Vec<(u32, u32)>;

/// One search.
struct DirectedSearch {
    order: SearchOrder,
    random: Random,
    /// The rank of each action in the permutation.
    rank: Vec<u32>,
    /// The limit of nodes.
    max_nodes: usize,
    states: StateTable,
    nodes: Vec<Node>,
    numbers: FxHashMap<(u32, u32), u32>,
    /// The initial nodes, and how many were started from.
    initial: Vec<u32>,
    started: usize,
    /// The path, with the edges still to explore, the next one last.
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
            started: 0,
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
        let mut cached = (None, Vec::new());
        for &(action, to) in &next.steps {
            let letter = match context.automaton.is_testing() {
                true => here ^ valuations[to as usize],
                false => here,
            };
            if cached.0 != Some(letter) {
                cached = (Some(letter), context.automaton.edges(q, letter));
            }
            edges.extend(cached.1.iter().map(|&(q, marks)| {
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

    /// The edges from a node, the first to explore at the end.
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

    /// Explores an edge, or backtracks.
    fn step(&mut self, context: &SearchContext<'_>, work: &mut u64) -> Step {
        *work += UNITS_PER_NODE;
        let Some((node, edges)) = self.path.last_mut() else {
            let Some(&node) = self.initial.get(self.started) else {
                return Step::Done;
            };
            self.started += 1;
            if self.nodes[node as usize].number == UNVISITED {
                self.enter(context, node, Mark::EMPTY, work);
            }
            return Step::Continue;
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
            return Step::Continue;
        };
        let to = self.node(edge.state, edge.q);
        match self.nodes[to as usize].number {
            DEAD => Step::Continue,
            UNVISITED => {
                self.enter(context, to, edge.marks, work);
                Step::Continue
            }
            number => {
                self.unite(number, edge.marks);
                match self.roots.last() {
                    Some(root) if root.marks == context.all => Step::Closed,
                    _ => Step::Continue,
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

    /// Merges components: an edge with these marks leads back to the live node with this number (I1).
    fn unite(&mut self, number: u32, mut marks: Mark) {
        while let Some(root) = self.roots.pop_if(|r| r.number > number) {
            marks = marks.union(&root.marks).union(&root.arc);
        }
        debug_assert!(!self.roots.is_empty(), "I1: live nodes are behind a root");
        if let Some(root) = self.roots.last_mut() {
            root.marks = root.marks.union(&marks);
        }
    }

    /// A run through the last component, which has all acceptance sets.
    fn run(&mut self, context: &SearchContext<'_>) -> Outcome {
        match self.lasso(context) {
            Some((prefix, cycle)) => {
                let run_step = |(node, action): (u32, u32)| -> RunStep {
                    let state = self.nodes[node as usize].state;
                    let cells = self.states.cells[state as usize].to_vec();
                    (cells, (action != STUTTER).then_some(action))
                };
                let run_steps = |path: Path| path.into_iter().map(run_step).collect();
                Outcome::Violated(run_steps(prefix), run_steps(cycle))
            }
            None => Outcome::Defect("no accepting run in an accepting component".to_string()),
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

    /// A shortest path from one of some nodes, through nodes that may be passed, to the target of a wanted edge; that
    /// target, and the marks on the path.
    fn path(
        &mut self,
        context: &SearchContext<'_>,
        from: &[u32],
        may_pass: &dyn Fn(&Node) -> bool,
        is_target: &dyn Fn(u32, &Node, &Mark) -> bool,
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
                if is_target(to, target, &edge.marks) {
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
