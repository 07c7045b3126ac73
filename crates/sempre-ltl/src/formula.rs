//! Hash-consed LTL formulas.
//!
//! A [`Formulas`] is an arena; a [`Formula`] is a four-byte handle into it. Two handles of one arena are equal iff
//! the formulas are the same tree, so that caches over formulas are arrays indexed by [`Formula::index`]. Nothing is
//! ever freed: an arena lives as long as the task it serves.
//!
//! There are two ways to construct a formula, and the difference matters:
//!
//! * [`Formulas::node`] creates exactly the requested node: `F 0` stays `F 0`, `a & b & a` keeps its three operands
//!   in order. Syntactic constructions (informative prefixes) need that.
//! * the constructors named after the operators ([`Formulas::and`], [`Formulas::until`], …) apply the trivial
//!   identities (constants, idempotence, `1 U f = F f`), flatten and sort `&` and `|`. All rewriting uses these.
//!
//! Syntactic facts about a formula ([`Facts`]) are computed once, when it is created.

use crate::classes::Facts;
pub use crate::op::{Formula, Op};
use rustc_hash::FxHasher;
use std::hash::Hasher;

#[derive(Clone, Copy)]
struct Node {
    op: Op,
    facts: Facts,
    /// Start of the operands in the pool; for a proposition, its number.
    first: u32,
    len: u32,
    size: u32,
}

/// An arena of formulas. See the module's documentation.
#[derive(Clone)]
pub struct Formulas {
    nodes: Vec<Node>,
    operands: Vec<Formula>,
    /// Open addressing over node numbers; `EMPTY` where free; a power of two long.
    table: Vec<u32>,
    names: Vec<String>,
    by_name: rustc_hash::FxHashMap<String, Formula>,
    propositions: Vec<Formula>,
}

const EMPTY: u32 = u32::MAX;

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// An arena that holds the two constants.
    pub fn new() -> Self {
        let mut arena = Self {
            nodes: Vec::new(),
            operands: Vec::new(),
            table: vec![EMPTY; 64],
            names: Vec::new(),
            by_name: Default::default(),
            propositions: Vec::new(),
        };
        let t = arena.node(Op::True, &[]);
        let f = arena.node(Op::False, &[]);
        debug_assert!(t == Formula::TRUE && f == Formula::FALSE);
        arena
    }

    /// Number of formulas made so far: all indices are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    // --- looking ---------------------------------------------------------------------------

    /// The operator at the root.
    pub fn op(&self, f: Formula) -> Op {
        self.nodes[f.index()].op
    }

    /// The operands, in order.
    pub fn operands(&self, f: Formula) -> &[Formula] {
        let n = &self.nodes[f.index()];
        if n.op == Op::Proposition {
            &[]
        } else {
            &self.operands[n.first as usize..(n.first + n.len) as usize]
        }
    }

    /// The operand number `i`, for use while the arena grows.
    pub fn operand(&self, f: Formula, i: usize) -> Formula {
        self.operands(f)[i]
    }

    /// The syntactic facts of `f`.
    pub fn facts(&self, f: Formula) -> Facts {
        self.nodes[f.index()].facts
    }

    /// Number of operators and leaves, an n-ary operator counted n − 1 times; shared subformulas are
    /// counted as often as they occur. Saturates.
    pub fn size(&self, f: Formula) -> usize {
        self.nodes[f.index()].size as usize
    }

    /// The number of the proposition `f`.
    ///
    /// # Panics
    /// If `f` is not a proposition.
    pub fn proposition_number(&self, f: Formula) -> usize {
        let n = &self.nodes[f.index()];
        assert!(n.op == Op::Proposition, "not a proposition");
        n.first as usize
    }

    /// The name of the proposition number `number`.
    pub fn name(&self, number: usize) -> &str {
        &self.names[number]
    }

    /// The names of all propositions of this arena, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The numbers of the propositions that occur in `f`, ascending.
    pub fn propositions_of(&self, f: Formula) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .subformulas(f)
            .into_iter()
            .filter(|&g| self.op(g) == Op::Proposition)
            .map(|g| self.proposition_number(g))
            .collect();
        found.sort_unstable();
        found
    }

    /// `f` and its subformulas, each once, operands before operators.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(f, 0)];
        seen.insert(f);
        while let Some((g, i)) = stack.pop() {
            if let Some(&child) = self.operands(g).get(i) {
                stack.push((g, i + 1));
                if seen.insert(child) {
                    stack.push((child, 0));
                }
            } else {
                order.push(g);
            }
        }
        order
    }

    /// True if `f` is a proposition or the negation of one.
    pub fn is_literal(&self, f: Formula) -> bool {
        match self.op(f) {
            Op::Proposition => true,
            Op::Not => self.op(self.operand(f, 0)) == Op::Proposition,
            _ => false,
        }
    }

    // --- construction, exactly as requested ------------------------------------------------

    /// The proposition called `name`.
    pub fn proposition(&mut self, name: &str) -> Formula {
        if let Some(&f) = self.by_name.get(name) {
            return f;
        }
        let number = u32::try_from(self.names.len()).expect("fewer than 2^32 propositions");
        self.names.push(name.to_string());
        let f = self.push(Node {
            op: Op::Proposition,
            facts: Facts::of_proposition(),
            first: number,
            len: 0,
            size: 1,
        });
        self.propositions.push(f);
        self.by_name.insert(name.to_string(), f);
        f
    }

    /// The proposition with that number.
    pub fn proposition_by_number(&self, number: usize) -> Formula {
        self.propositions[number]
    }

    /// The formula with exactly this operator and these operands; no identity is applied.
    ///
    /// # Panics
    /// If the operator does not take that many operands, or is [`Op::Proposition`].
    pub fn node(&mut self, op: Op, operands: &[Formula]) -> Formula {
        sempre_base::checkpoint();
        let fits = match op {
            Op::True | Op::False => operands.is_empty(),
            Op::Proposition => false,
            Op::Not | Op::Next | Op::Finally | Op::Globally => operands.len() == 1,
            Op::And | Op::Or => operands.len() >= 2,
            _ => operands.len() == 2,
        };
        assert!(fits, "{op:?} does not take {} operands", operands.len());
        let mask = self.table.len() - 1;
        let mut slot = hash(op, operands) & mask;
        while self.table[slot] != EMPTY {
            let candidate = Formula(self.table[slot]);
            if self.op(candidate) == op && self.operands(candidate) == operands {
                return candidate;
            }
            slot = (slot + 1) & mask;
        }
        let facts = Facts::of(op, operands, |g| self.facts(g));
        let size = operands
            .iter()
            .map(|&g| self.nodes[g.index()].size)
            .fold(0u32, u32::saturating_add);
        let own = match op {
            Op::And | Op::Or => operands.len() as u32 - 1,
            _ => 1,
        };
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        let f = self.push(Node {
            op,
            facts,
            first,
            len: operands.len() as u32,
            size: size.saturating_add(own),
        });
        self.table[slot] = f.0;
        if self.nodes.len() * 2 > self.table.len() {
            self.grow();
        }
        f
    }

    fn push(&mut self, node: Node) -> Formula {
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas");
        self.nodes.push(node);
        Formula(id)
    }

    fn grow(&mut self) {
        let size = self.table.len() * 2;
        let mut table = vec![EMPTY; size];
        for (id, node) in self.nodes.iter().enumerate() {
            if node.op == Op::Proposition {
                continue;
            }
            let operands = &self.operands[node.first as usize..(node.first + node.len) as usize];
            let mut slot = hash(node.op, operands) & (size - 1);
            while table[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            table[slot] = id as u32;
        }
        self.table = table;
    }

    // --- making, with the trivial identities ------------------------------------------------

    /// `value` as a formula.
    pub fn constant(&self, value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// `!f`; a double negation disappears.
    pub fn not(&mut self, f: Formula) -> Formula {
        match self.op(f) {
            Op::True => Formula::FALSE,
            Op::False => Formula::TRUE,
            Op::Not => self.operand(f, 0),
            _ => self.node(Op::Not, &[f]),
        }
    }

    /// `X f`
    pub fn next(&mut self, f: Formula) -> Formula {
        if f.is_constant() {
            f
        } else {
            self.node(Op::Next, &[f])
        }
    }

    /// `F f`
    pub fn finally(&mut self, f: Formula) -> Formula {
        if f.is_constant() || self.op(f) == Op::Finally {
            f
        } else {
            self.node(Op::Finally, &[f])
        }
    }

    /// `G f`
    pub fn globally(&mut self, f: Formula) -> Formula {
        if f.is_constant() || self.op(f) == Op::Globally {
            f
        } else {
            self.node(Op::Globally, &[f])
        }
    }

    /// The conjunction: flattened, sorted, without repetition; `f & !f` is false.
    pub fn and(&mut self, operands: &[Formula]) -> Formula {
        self.lattice(Op::And, Formula::TRUE, Formula::FALSE, operands)
    }

    /// The disjunction: flattened, sorted, without repetition; `f | !f` is true.
    pub fn or(&mut self, operands: &[Formula]) -> Formula {
        self.lattice(Op::Or, Formula::FALSE, Formula::TRUE, operands)
    }

    fn lattice(&mut self, op: Op, unit: Formula, zero: Formula, operands: &[Formula]) -> Formula {
        let mut flat: Vec<Formula> = Vec::with_capacity(operands.len());
        for &f in operands {
            if f == zero {
                return zero;
            } else if f == unit {
            } else if self.op(f) == op {
                flat.extend_from_slice(self.operands(f));
            } else {
                flat.push(f);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // A node made with `node` may have constants and equal operators below itself.
        if flat.contains(&zero) {
            return zero;
        }
        flat.retain(|&f| f != unit);
        for &f in &flat {
            if self.op(f) == Op::Not && flat.binary_search(&self.operand(f, 0)).is_ok() {
                return zero;
            }
        }
        match flat[..] {
            [] => unit,
            [f] => f,
            _ => self.node(op, &flat),
        }
    }

    /// `f -> g`
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        if f == Formula::TRUE {
            g
        } else if f == Formula::FALSE || g == Formula::TRUE || f == g {
            Formula::TRUE
        } else if g == Formula::FALSE {
            self.not(f)
        } else {
            self.node(Op::Implies, &[f, g])
        }
    }

    /// `f <-> g`
    pub fn equiv(&mut self, f: Formula, g: Formula) -> Formula {
        let (f, g) = (f.min(g), f.max(g));
        if f == g {
            Formula::TRUE
        } else if f == Formula::TRUE {
            g
        } else if f == Formula::FALSE {
            self.not(g)
        } else {
            self.node(Op::Equiv, &[f, g])
        }
    }

    /// `f xor g`
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        let (f, g) = (f.min(g), f.max(g));
        if f == g {
            Formula::FALSE
        } else if f == Formula::FALSE {
            g
        } else if f == Formula::TRUE {
            self.not(g)
        } else {
            self.node(Op::Xor, &[f, g])
        }
    }

    /// `f U g`
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        if g.is_constant() || f == Formula::FALSE || f == g {
            g
        } else if f == Formula::TRUE {
            self.finally(g)
        } else {
            self.node(Op::Until, &[f, g])
        }
    }

    /// `f R g`
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        if g.is_constant() || f == Formula::TRUE || f == g {
            g
        } else if f == Formula::FALSE {
            self.globally(g)
        } else {
            self.node(Op::Release, &[f, g])
        }
    }

    /// `f W g`
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        if f == Formula::TRUE || g == Formula::TRUE {
            Formula::TRUE
        } else if f == Formula::FALSE || f == g {
            g
        } else if g == Formula::FALSE {
            self.globally(f)
        } else {
            self.node(Op::WeakUntil, &[f, g])
        }
    }

    /// `f M g`
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        if f == Formula::FALSE || g == Formula::FALSE {
            Formula::FALSE
        } else if f == Formula::TRUE || f == g {
            g
        } else if g == Formula::TRUE {
            self.finally(f)
        } else {
            self.node(Op::StrongRelease, &[f, g])
        }
    }

    /// The operator applied to the operands, through the constructor that bears its name.
    pub fn make(&mut self, op: Op, operands: &[Formula]) -> Formula {
        match (op, operands) {
            (Op::True, _) => Formula::TRUE,
            (Op::False, _) => Formula::FALSE,
            (Op::Not, &[f]) => self.not(f),
            (Op::Next, &[f]) => self.next(f),
            (Op::Finally, &[f]) => self.finally(f),
            (Op::Globally, &[f]) => self.globally(f),
            (Op::And, _) => self.and(operands),
            (Op::Or, _) => self.or(operands),
            (Op::Implies, &[f, g]) => self.implies(f, g),
            (Op::Equiv, &[f, g]) => self.equiv(f, g),
            (Op::Xor, &[f, g]) => self.xor(f, g),
            (Op::Until, &[f, g]) => self.until(f, g),
            (Op::Release, &[f, g]) => self.release(f, g),
            (Op::WeakUntil, &[f, g]) => self.weak_until(f, g),
            (Op::StrongRelease, &[f, g]) => self.strong_release(f, g),
            _ => panic!("{op:?} does not take {} operands", operands.len()),
        }
    }

    /// `f` rebuilt bottom-up with other operands, through the constructors: the workhorse of
    /// substitutions. `change` sees each subformula once, after its operands were rebuilt, and may
    /// replace it.
    pub fn rebuild(
        &mut self,
        f: Formula,
        mut change: impl FnMut(&mut Self, Formula, &[Formula]) -> Formula,
    ) -> Formula {
        let order = self.subformulas(f);
        let mut new = rustc_hash::FxHashMap::default();
        let mut operands = Vec::new();
        for g in order {
            operands.clear();
            operands.extend(self.operands(g).iter().map(|h| new[h]));
            let h = change(self, g, &operands);
            new.insert(g, h);
        }
        new[&f]
    }
}

fn hash(op: Op, operands: &[Formula]) -> usize {
    let mut h = FxHasher::default();
    h.write_u8(op as u8);
    for f in operands {
        h.write_u32(f.0);
    }
    let x = h.finish();
    (x ^ (x >> 32)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_trees_are_equal_handles() {
        let mut a = Formulas::new();
        let (p, q) = (a.proposition("p"), a.proposition("q"));
        let x = a.until(p, q);
        for i in 0..1000 {
            a.proposition(&format!("p{i}"));
            let n = a.proposition(&format!("p{i}"));
            a.next(n);
        }
        assert_eq!(x, a.until(p, q));
        assert_ne!(x, a.until(q, p));
    }

    #[test]
    fn node_keeps_what_it_is_given_and_constructors_do_not() {
        let mut a = Formulas::new();
        let p = a.proposition("p");
        let f0 = a.node(Op::Finally, &[Formula::FALSE]);
        assert_eq!(a.op(f0), Op::Finally);
        assert_eq!(a.finally(Formula::FALSE), Formula::FALSE);
        let ppp = a.node(Op::And, &[p, p, p]);
        assert_eq!(a.operands(ppp).len(), 3);
        assert_eq!(a.and(&[p, p, p]), p);
        let np = a.not(p);
        assert_eq!(a.and(&[p, np]), Formula::FALSE);
        assert_eq!(a.or(&[p, np]), Formula::TRUE);
    }

    #[test]
    fn subformulas_come_operands_first() {
        let mut a = Formulas::new();
        let (p, q) = (a.proposition("p"), a.proposition("q"));
        let u = a.until(p, q);
        let f = a.and(&[u, q]);
        let order = a.subformulas(f);
        assert_eq!(order.len(), 4);
        assert_eq!(*order.last().unwrap(), f);
        assert_eq!(a.propositions_of(f), [0, 1]);
        assert_eq!(a.size(f), 5);
    }
}
