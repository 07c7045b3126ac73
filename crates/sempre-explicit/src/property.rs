//! A property automaton, compiled for search: from a state and a valuation of the propositions straight to the
//! edges that can be taken.
//!
//! Labels are Boolean functions. To scan them, edge by edge, in each step of a product is what the authors of the
//! experiments we follow did, and what they name as the thing to improve (Ben Salem, Duret-Lutz, Kordon, 2011,
//! section 4). Here each state becomes a decision diagram over the propositions whose leaves are the lists of
//! edges that are enabled, and, if propositions are few, the diagrams become one table, so that a step costs a lookup.
//!
//! The diagram of a state is built by splitting the vector of its edges' labels on the first proposition that any of
//! them tests, until all are constant. Equal vectors are equal nodes. Its size is at most the product of the
//! sizes of the labels' diagrams, in practice about their sum. It is the product where the labels are independent: thirty edges
//! with a proposition each have 2^30 sets of edges that may be enabled. Such a state gets several diagrams, each for some of its edges,
//! and the edges that are enabled are those of several leaves ([`Property::leaves_at`]).
//!
//! An automaton with generalised Büchi acceptance, `t` included, is what every search can take. For those that take more the
//! condition is kept as a disjunction of clauses, generalised Rabin pairs ([`Property::with_any_acceptance`]).

use rustc_hash::FxHashMap;
use sempre_omega::acceptance_dnf::{Clause, dnf};
use sempre_omega::{Acceptance, Automaton, Bdd, Bdds, Mark};
use std::fmt;

/// The table has at most so many entries.
const TABLE: usize = 1 << 16;

/// With so many propositions, a diagram is always small enough.
const FEW: usize = 16;

/// With more, a diagram for several edges has at most so many nodes.
const MOST_NODES: usize = 1 << 12;

/// An edge that can be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyEdge {
    /// The destination.
    pub to: u32,
    /// The acceptance sets, numbered from 0 without gaps.
    pub mark: Mark,
}

/// Why an automaton cannot be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyError {
    /// Its acceptance is not generalised Büchi.
    Acceptance,
    /// A label tests a proposition that the system does not tell.
    Proposition(u32),
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Acceptance => {
                f.write_str("the acceptance of the automaton is not generalised Büchi")
            }
            Self::Proposition(p) => write!(
                f,
                "the model does not tell proposition {p} of the automaton"
            ),
        }
    }
}

impl std::error::Error for PropertyError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Leaf(u32),
    Test {
        proposition: u32,
        low: u32,
        high: u32,
    },
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Property {
    initial: Vec<u32>,
    states: u32,
    sets: u32,
    propositions: usize,
    nodes: Vec<Node>,
    /// The nodes of all states, state by state.
    roots: Vec<u32>,
    /// Where those of each state begin, and where those of the last one end.
    first_root: Vec<u32>,
    /// The leaf of each state and valuation, if that is not too much.
    table: Vec<u32>,
    /// The edges of each leaf.
    leaves: Vec<Vec<PropertyEdge>>,
    kinds: Vec<Kind>,
    /// Steps of these processes are in the sets 0, 1, …, whatever edge of the automaton goes with them.
    movers: Vec<u32>,
    condition: Acceptance,
    /// The condition as one of these, if they are not too many.
    clauses: Option<Vec<Clause>>,
    generalized_buchi: bool,
}

/// What is known of a state of an automaton by the component it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No cycle of its component is accepting.
    Rejecting,
    /// Every cycle of its component is accepting.
    Weak,
    /// As `Weak`, and the component cannot be left nor got stuck in: every continuation is accepted.
    Terminal,
    /// Some cycles of its component may be accepting and others not.
    Mixed,
}

impl Property {
    /// Compiles an automaton. `propositions` tells for each proposition of the system the variable by which labels
    /// call it.
    ///
    /// # Errors
    /// If the automaton cannot be taken.
    pub fn new(
        bdds: &mut Bdds,
        a: &Automaton,
        propositions: &[u32],
    ) -> Result<Self, PropertyError> {
        let sets = a
            .acceptance
            .as_generalized_buchi()
            .ok_or(PropertyError::Acceptance)?;
        let mut property = Self::compile(bdds, a, propositions, &sets, 1)?;
        property.classify(bdds, a);
        Ok(property)
    }

    /// Compiles an automaton with any acceptance. If its normal form has more than `limit` clauses, only searches that need
    /// none can take it.
    ///
    /// # Errors
    /// If the automaton cannot be taken.
    pub fn with_any_acceptance(
        bdds: &mut Bdds,
        a: &Automaton,
        propositions: &[u32],
        limit: usize,
    ) -> Result<Self, PropertyError> {
        if a.acceptance.as_generalized_buchi().is_some() {
            return Self::new(bdds, a, propositions);
        }
        let (infs, fins) = a.acceptance.sets_used();
        let used = infs.union(&fins);
        let mut property = Self::compile(bdds, a, propositions, &used, limit)?;
        property.generalized_buchi = false;
        // Nothing is known of the components.
        property.kinds = vec![Kind::Mixed; a.states()];
        Ok(property)
    }

    /// The property of runs in which one of these processes takes part in finitely many steps only. It has no propositions; which
    /// steps a process takes part in is for the product to find out.
    pub fn standstill(processes: &[u32]) -> Self {
        let sets = processes.len() as u32;
        let condition = Acceptance::or((0..sets).map(Acceptance::Fin));
        Self {
            initial: vec![0],
            states: 1,
            sets,
            propositions: 0,
            nodes: vec![Node::Leaf(0)],
            roots: vec![0],
            first_root: vec![0, 1],
            table: Vec::new(),
            leaves: vec![vec![PropertyEdge {
                to: 0,
                mark: Mark::EMPTY,
            }]],
            kinds: vec![Kind::Mixed],
            movers: processes.to_vec(),
            clauses: dnf(&condition, processes.len()),
            condition,
            generalized_buchi: false,
        }
    }

    /// The processes whose steps are in the sets 0, 1, …; mostly none.
    pub fn movers(&self) -> &[u32] {
        &self.movers
    }

    fn compile(
        bdds: &mut Bdds,
        a: &Automaton,
        propositions: &[u32],
        sets: &Mark,
        limit: usize,
    ) -> Result<Self, PropertyError> {
        // Sets that the condition does not speak of do not matter; the others are numbered anew.
        let used: Vec<u32> = (0..a.sets).filter(|&s| sets.contains(s)).collect();
        let renumber = |mark: &Mark| -> Mark {
            (used.iter().enumerate())
                .filter(|&(_, &set)| mark.contains(set))
                .map(|(new, _)| new as u32)
                .collect()
        };
        let place = |set: u32| used.iter().position(|&u| u == set).map_or(0, |p| p as u32);
        let condition = a.acceptance.map(&mut |atom| match atom {
            Acceptance::Inf(i) => Acceptance::Inf(place(*i)),
            Acceptance::Fin(i) => Acceptance::Fin(place(*i)),
            other => other.clone(),
        });
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        for (i, &variable) in propositions.iter().enumerate() {
            number.entry(variable).or_insert(i as u32);
        }
        for edge in a.edges.iter().flatten() {
            if let Some(&unknown) =
                (bdds.support(edge.label).iter()).find(|v| !number.contains_key(v))
            {
                return Err(PropertyError::Proposition(unknown));
            }
        }
        let mut property = Self {
            initial: a.initial.clone(),
            states: a.states() as u32,
            sets: used.len() as u32,
            propositions: propositions.len(),
            nodes: Vec::new(),
            roots: Vec::new(),
            first_root: vec![0],
            table: Vec::new(),
            leaves: Vec::new(),
            kinds: Vec::new(),
            movers: Vec::new(),
            clauses: dnf(&condition, limit),
            condition,
            generalized_buchi: true,
        };
        // Edges with the same end and the same marks are one.
        let merged: Vec<(Vec<PropertyEdge>, Vec<Bdd>)> = (a.edges.iter())
            .map(|edges| {
                let (mut targets, mut labels) = (Vec::<PropertyEdge>::new(), Vec::<Bdd>::new());
                for e in edges {
                    let edge = PropertyEdge {
                        to: e.to,
                        mark: renumber(&e.mark),
                    };
                    match targets.iter().position(|t| *t == edge) {
                        Some(i) => labels[i] = bdds.or(labels[i], e.label),
                        None => {
                            targets.push(edge);
                            labels.push(e.label);
                        }
                    }
                }
                (targets, labels)
            })
            .collect();
        let mut maker = Maker {
            property: &mut property,
            bdds,
            number: &number,
            nodes: FxHashMap::default(),
            leaves: FxHashMap::default(),
        };
        for (targets, labels) in &merged {
            maker.state(targets, labels);
            let end = maker.property.roots.len() as u32;
            maker.property.first_root.push(end);
        }
        property.tabulate();
        Ok(property)
    }

    /// The acceptance condition.
    pub fn condition(&self) -> &Acceptance {
        &self.condition
    }

    /// The condition as one of these, each a generalised Rabin pair; `None` if they are too many.
    pub fn clauses(&self) -> Option<&[Clause]> {
        self.clauses.as_deref()
    }

    /// Is the condition to see all sets?
    pub fn is_generalized_buchi(&self) -> bool {
        self.generalized_buchi
    }

    /// Finds out what the components are like.
    fn classify(&mut self, bdds: &mut Bdds, a: &Automaton) {
        let sccs = sempre_omega::Sccs::new(a);
        let accepting = sccs.accepting(a);
        self.kinds = (0..a.states())
            .map(|s| {
                let scc = sccs.of[s];
                // States that are not reachable have no component.
                if scc == u32::MAX || !accepting[scc as usize] {
                    Kind::Rejecting
                } else if !sccs.is_weak(a, scc as usize) {
                    Kind::Mixed
                } else if sccs.is_terminal(a, bdds, scc as usize) {
                    Kind::Terminal
                } else {
                    Kind::Weak
                }
            })
            .collect();
    }

    fn tabulate(&mut self) {
        let columns = 1usize
            .checked_shl(self.propositions as u32)
            .unwrap_or(usize::MAX);
        let split = (0..self.states).any(|q| self.is_split(q));
        if split || columns.saturating_mul(self.states as usize) > TABLE {
            return;
        }
        let mut table = Vec::with_capacity(columns * self.states as usize);
        for state in 0..self.states {
            for valuation in 0..columns as u64 {
                table.push(self.decide(self.roots_of(state)[0], &[valuation]));
            }
        }
        self.table = table;
    }

    fn decide(&self, root: u32, valuation: &[u64]) -> u32 {
        let mut node = root;
        loop {
            match self.nodes[node as usize] {
                Node::Leaf(leaf) => return leaf,
                Node::Test {
                    proposition: p,
                    low,
                    high,
                } => {
                    let holds = valuation[p as usize / 64] >> (p % 64) & 1 == 1;
                    node = if holds { high } else { low };
                }
            }
        }
    }

    fn roots_of(&self, state: u32) -> &[u32] {
        let [begin, end] = [0, 1].map(|i| self.first_root[state as usize + i] as usize);
        &self.roots[begin..end]
    }

    /// Has the state several diagrams, so that its enabled edges are in several lists?
    #[inline]
    pub fn is_split(&self, state: u32) -> bool {
        let state = state as usize;
        self.first_root[state + 1] - self.first_root[state] != 1
    }

    /// The list of edges for a valuation of the propositions, one bit each, for [`Property::edges`]; of a state that is not
    /// [split](Property::is_split).
    #[inline]
    pub fn leaf(&self, state: u32, valuation: &[u64]) -> u32 {
        debug_assert!(!self.is_split(state));
        if self.table.is_empty() {
            return self.decide(self.roots_of(state)[0], valuation);
        }
        let column = valuation.first().copied().unwrap_or(0) as usize;
        self.table[((state as usize) << self.propositions) | column]
    }

    /// The lists of edges for a valuation, of any state; no edge is in two of them.
    pub fn leaves_at(&self, state: u32, valuation: &[u64]) -> impl Iterator<Item = u32> {
        let roots = self.roots_of(state).iter();
        roots.map(move |&root| self.decide(root, valuation))
    }

    /// The edges that are enabled in a state by a valuation.
    pub fn enabled(&self, state: u32, valuation: &[u64]) -> impl Iterator<Item = &PropertyEdge> {
        let leaves = self.leaves_at(state, valuation);
        leaves.flat_map(|leaf| self.edges(leaf))
    }

    /// The propositions that the labels of a state's edges test.
    pub fn reads(&self, state: u32) -> impl Iterator<Item = u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut todo = self.roots_of(state).to_vec();
        let mut tested = Vec::new();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut seen[node as usize], true) {
                continue;
            }
            if let Node::Test {
                proposition,
                low,
                high,
            } = self.nodes[node as usize]
            {
                tested.push(proposition);
                todo.extend([low, high]);
            }
        }
        tested.sort_unstable();
        tested.dedup();
        tested.into_iter()
    }

    /// The edges of a leaf.
    pub fn edges(&self, leaf: u32) -> &[PropertyEdge] {
        &self.leaves[leaf as usize]
    }

    /// Number of lists of edges.
    pub fn leaves(&self) -> usize {
        self.leaves.len()
    }

    /// The initial states.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// Number of acceptance sets.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// Number of propositions of the system.
    pub fn propositions(&self) -> usize {
        self.propositions
    }

    /// What is known of a state by its component.
    pub fn kind(&self, state: u32) -> Kind {
        self.kinds[state as usize]
    }

    /// Is every component weak?
    pub fn is_weak(&self) -> bool {
        self.kinds.iter().all(|&k| k != Kind::Mixed)
    }

    /// Is every component without accepting cycles, or terminal?
    pub fn is_terminal(&self) -> bool {
        (self.kinds.iter()).all(|&k| matches!(k, Kind::Rejecting | Kind::Terminal))
    }
}

/// Makes the diagrams.
struct Maker<'a> {
    property: &'a mut Property,
    bdds: &'a Bdds,
    /// The system's number of each variable of labels.
    number: &'a FxHashMap<u32, u32>,
    nodes: FxHashMap<Node, u32>,
    leaves: FxHashMap<Vec<(u32, Mark)>, u32>,
}

impl Maker<'_> {
    /// The diagrams of a state: one, or one for each half of the edges, and so on, if they get large. Two edges with the same end and
    /// the same marks are one already, so that no edge is in two diagrams.
    fn state(&mut self, targets: &[PropertyEdge], labels: &[Bdd]) {
        let mut memo = FxHashMap::default();
        if let Some(root) = self.split(targets, labels.to_vec(), &mut memo) {
            self.property.roots.push(root);
            return;
        }
        let half = targets.len() / 2;
        self.state(&targets[..half], &labels[..half]);
        self.state(&targets[half..], &labels[half..]);
    }

    /// The node of a vector of labels; `None` if there are too many of them below the state. The depth of the recursion is the number of
    /// propositions.
    fn split(
        &mut self,
        targets: &[PropertyEdge],
        labels: Vec<Bdd>,
        memo: &mut FxHashMap<Vec<Bdd>, u32>,
    ) -> Option<u32> {
        if let Some(&node) = memo.get(&labels) {
            return Some(node);
        }
        let few = self.property.propositions <= FEW || targets.len() < 2;
        if !few && memo.len() > MOST_NODES {
            return None;
        }
        let first = (labels.iter())
            .filter(|l| !l.is_constant())
            .map(|&l| self.bdds.var(l))
            .min();
        let node = match first {
            None => self.leaf(targets, &labels),
            Some(variable) => {
                let side = |bdds: &Bdds, high: bool| -> Vec<Bdd> {
                    (labels.iter())
                        .map(|&l| match () {
                            () if l.is_constant() || bdds.var(l) != variable => l,
                            () if high => bdds.high(l),
                            () => bdds.low(l),
                        })
                        .collect()
                };
                let low = self.split(targets, side(self.bdds, false), memo)?;
                let high = self.split(targets, side(self.bdds, true), memo)?;
                if low == high {
                    low
                } else {
                    let proposition = self.number[&variable];
                    self.node(Node::Test {
                        proposition,
                        low,
                        high,
                    })
                }
            }
        };
        memo.insert(labels, node);
        Some(node)
    }

    fn leaf(&mut self, targets: &[PropertyEdge], labels: &[Bdd]) -> u32 {
        let mut list: Vec<(u32, Mark)> = Vec::new();
        for (edge, label) in targets.iter().zip(labels) {
            if label.is_true() {
                list.push((edge.to, edge.mark.clone()));
            }
        }
        let leaf = *self.leaves.entry(list).or_insert_with_key(|list| {
            let edges = list.iter().cloned();
            let edges = edges.map(|(to, mark)| PropertyEdge { to, mark }).collect();
            self.property.leaves.push(edges);
            self.property.leaves.len() as u32 - 1
        });
        self.node(Node::Leaf(leaf))
    }

    fn node(&mut self, node: Node) -> u32 {
        *self.nodes.entry(node).or_insert_with(|| {
            self.property.nodes.push(node);
            self.property.nodes.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_omega::Alphabet;
    use sempre_omega::random::RandomAutomaton;

    /// States with many independent edges have several diagrams, and as many leaves as that takes, not exponentially many.
    #[test]
    fn agrees_with_labels_of_split_states() {
        let mut random = Random::new(2);
        let mut alphabet = Alphabet::new();
        let variables: Vec<u32> = (0..70)
            .map(|i| alphabet.declare(&format!("p{i}")))
            .collect();
        let bdds = &mut alphabet.bdds;
        let mut a = Automaton::new(variables.clone(), 3, Acceptance::generalized_buchi(3));
        for _ in 0..4 {
            a.add_state();
        }
        a.initial.push(0);
        for s in 0..4 {
            for i in 0..[60, 1, 20, 40][s as usize] {
                let (v, w) = (variables[i], variables[random.below(70)]);
                let (v, w) = (bdds.variable(v), bdds.literal((w, random.chance(0.5))));
                let label = bdds.and(v, w);
                let mark = (0..3).filter(|_| random.chance(0.3)).collect();
                a.add_edge(s, random.below(4) as u32, label, mark);
            }
        }
        let property = Property::new(bdds, &a, &variables).unwrap();
        assert!(property.is_split(0) && !property.is_split(1));
        assert!(property.nodes.len() < 50_000, "{}", property.nodes.len());
        for _ in 0..2000 {
            let state = random.below(4);
            let density = random.unit();
            let mut valuation = [0u64; 2];
            for p in 0..70 {
                valuation[p / 64] |= u64::from(random.chance(density)) << (p % 64);
            }
            let holds = |v: u32| valuation[v as usize / 64] >> (v % 64) & 1 == 1;
            let enabled = property.enabled(state as u32, &valuation);
            let mut found: Vec<(u32, Mark)> = enabled.map(|e| (e.to, e.mark.clone())).collect();
            let mut expected: Vec<(u32, Mark)> = (a.edges[state].iter())
                .filter(|e| bdds.eval(e.label, holds))
                .map(|e| (e.to, e.mark.clone()))
                .collect();
            expected.sort_unstable();
            expected.dedup();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    /// What the compiled automaton says is what scanning the labels says, by table and by diagram.
    #[test]
    fn agrees_with_labels() {
        let mut random = Random::new(1);
        for round in 0..200 {
            let mut alphabet = Alphabet::new();
            let count = 1 + random.below(5);
            let variables: Vec<u32> = (0..count)
                .map(|i| alphabet.declare(&format!("p{i}")))
                .collect();
            let states = 1 + random.below(6);
            let a = RandomAutomaton::generalized_buchi(states, &variables, round % 4)
                .generate(&mut random, &mut alphabet.bdds);
            let mut shuffled = variables.clone();
            shuffled.reverse();
            let mut property = Property::new(&mut alphabet.bdds, &a, &shuffled).unwrap();
            for table in [true, false] {
                if !table {
                    property.table.clear();
                }
                for state in 0..a.states() as u32 {
                    for valuation in 0..1u64 << count {
                        let holds = |v: u32| {
                            let p = shuffled.iter().position(|&s| s == v).unwrap();
                            valuation >> p & 1 == 1
                        };
                        let mut expected: Vec<(u32, Mark)> = (a.edges[state as usize].iter())
                            .filter(|e| alphabet.bdds.eval(e.label, holds))
                            .map(|e| (e.to, e.mark.clone()))
                            .collect();
                        expected.sort();
                        expected.dedup();
                        let leaf = property.leaf(state, &[valuation]);
                        let mut got: Vec<(u32, Mark)> = (property.edges(leaf).iter())
                            .map(|e| (e.to, e.mark.clone()))
                            .collect();
                        got.sort();
                        assert_eq!(got, expected);
                    }
                }
            }
        }
    }
}
