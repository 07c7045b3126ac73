//! Labels: Boolean functions of propositions as reduced ordered binary decision diagrams.
//!
//! A small package of this project. The labels of property automata are tiny (a handful of nodes) but there are very
//! many operations on them, and each formula needs a new manager; ARCHITECTURE.md has the measured comparison with
//! the field's libraries.
//!
//! * A node is a variable and two children; [`Bdd`] is its number. Hash-consing makes equal functions equal numbers.
//! * The variable order is the order of the numbers. Variables from [`AUXILIARY`] on are for algorithms that need
//!   more than propositions (successor obligations in the translation): they are below all propositions, including
//!   those declared later.
//! * No complement edges, no reference counts, no reordering, no garbage collection: a manager lives as long as the
//!   automata of one task, and is dropped whole.
//! * The operation cache is direct-mapped, lossy, and grows with the table.

mod cubes;
#[cfg(test)]
mod tests;

/// A Boolean function of some [`Bdds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is never true.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is always true.
    pub const TRUE: Bdd = Bdd(1);

    /// True for the two constants.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// True for the function that is never true.
    pub fn is_false(self) -> bool {
        self.0 == 0
    }

    /// True for the function that is always true.
    pub fn is_true(self) -> bool {
        self.0 == 1
    }

    /// A dense number, for arrays indexed by functions.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The first variable number that is not for propositions.
pub const AUXILIARY: u32 = 1 << 31;

/// A variable with a sign.
pub type Literal = (u32, bool);

const TERMINAL: u32 = u32::MAX;
const EMPTY: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Node {
    var: u32,
    lo: Bdd,
    hi: Bdd,
}

#[derive(Clone, Copy)]
struct Cached {
    op: u32,
    a: Bdd,
    b: Bdd,
    result: Bdd,
}

// Operation codes of the cache.
const AND: u32 = 1;
const OR: u32 = 2;
const XOR: u32 = 3;
const NOT: u32 = 4;
const MINUS: u32 = 5;
const DISJOINT: u32 = 6;
const SUBSET: u32 = 7;
const EXISTS: u32 = 8;
const RESTRICT: u32 = 9;

/// A manager of Boolean functions. See the module's documentation.
#[derive(Clone)]
pub struct Bdds {
    nodes: Vec<Node>,
    unique: Vec<u32>,
    cache: Vec<Cached>,
    /// Operations fail beyond this number of nodes.
    most: usize,
}

impl Default for Bdds {
    fn default() -> Self {
        Self::new()
    }
}

impl Bdds {
    /// A manager that holds the two constants.
    pub fn new() -> Self {
        let terminal = |b| Node {
            var: TERMINAL,
            lo: b,
            hi: b,
        };
        Self {
            nodes: vec![terminal(Bdd::FALSE), terminal(Bdd::TRUE)],
            unique: vec![EMPTY; 256],
            cache: vec![NOTHING; 256],
            most: usize::MAX,
        }
    }

    /// Number of nodes ever made.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Runs `work` with at most this many additional nodes; `None` if they do not suffice.
    ///
    /// An operation that needs more fails, with an arbitrary result, so the result of `work` is dropped then. Results
    /// computed within the bound stay valid. A long `work` should check [`is_full`](Bdds::is_full) from time to time,
    /// and return.
    pub fn within<T>(&mut self, nodes: usize, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let outer = self.begin_bound(nodes);
        let made = work(self);
        self.end_bound(outer).then_some(made)
    }

    /// Sets the bound of [`Bdds::within`]; returns that of before.
    pub(crate) fn begin_bound(&mut self, nodes: usize) -> usize {
        let most = self.nodes.len().saturating_add(nodes);
        std::mem::replace(&mut self.most, most)
    }

    /// Restores the previous bound; was the inner one kept?
    pub(crate) fn end_bound(&mut self, outer: usize) -> bool {
        let kept = !self.is_full();
        self.most = outer;
        kept
    }

    /// Are there more nodes than [`Bdds::within`] allows? If so, results are arbitrary from now on.
    pub fn is_full(&self) -> bool {
        self.nodes.len() > self.most
    }

    // --- making -----------------------------------------------------------------------------

    /// The function that is true where `var` is.
    pub fn variable(&mut self, var: u32) -> Bdd {
        self.node(var, Bdd::FALSE, Bdd::TRUE)
    }

    /// The function that is true where the literal is.
    pub fn literal(&mut self, (var, sign): Literal) -> Bdd {
        if sign {
            self.node(var, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.node(var, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// The conjunction of literals over distinct variables.
    pub fn cube(&mut self, literals: &[Literal]) -> Bdd {
        let mut sorted = literals.to_vec();
        sorted.sort_unstable_by(|x, y| y.cmp(x));
        sorted.iter().fold(Bdd::TRUE, |below, &(var, sign)| {
            if sign {
                self.node(var, Bdd::FALSE, below)
            } else {
                self.node(var, below, Bdd::FALSE)
            }
        })
    }

    /// `var ? hi : lo`, where `var` stands above both.
    fn node(&mut self, var: u32, lo: Bdd, hi: Bdd) -> Bdd {
        sempre_base::checkpoint();
        if lo == hi {
            return lo;
        }
        debug_assert!(var < self.var(lo) && var < self.var(hi));
        let mask = self.unique.len() - 1;
        let mut slot = mix(var, lo.0, hi.0) & mask;
        loop {
            let id = self.unique[slot];
            if id == EMPTY {
                break;
            }
            let n = &self.nodes[id as usize];
            if n.var == var && n.lo == lo && n.hi == hi {
                return Bdd(id);
            }
            slot = (slot + 1) & mask;
        }
        let id = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.nodes.push(Node { var, lo, hi });
        self.unique[slot] = id;
        if self.nodes.len() * 2 > self.unique.len() {
            self.grow();
        }
        Bdd(id)
    }

    fn grow(&mut self) {
        let size = self.unique.len() * 4;
        let mut unique = vec![EMPTY; size];
        for (id, n) in self.nodes.iter().enumerate().skip(2) {
            let mut slot = mix(n.var, n.lo.0, n.hi.0) & (size - 1);
            while unique[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            unique[slot] = id as u32;
        }
        self.unique = unique;
        let old = std::mem::replace(&mut self.cache, vec![NOTHING; size]);
        for entry in old {
            if entry.op != 0 {
                let slot = mix(entry.op, entry.a.0, entry.b.0) & (size - 1);
                self.cache[slot] = entry;
            }
        }
    }

    // --- looking ----------------------------------------------------------------------------

    /// The variable at the root; larger than every variable for the constants.
    pub fn var(&self, f: Bdd) -> u32 {
        self.nodes[f.index()].var
    }

    /// The function where the root variable is false.
    pub fn low(&self, f: Bdd) -> Bdd {
        self.nodes[f.index()].lo
    }

    /// The function where the root variable is true.
    pub fn high(&self, f: Bdd) -> Bdd {
        self.nodes[f.index()].hi
    }

    /// The value of `f` under an assignment.
    pub fn eval(&self, f: Bdd, mut value: impl FnMut(u32) -> bool) -> bool {
        let mut at = f;
        while !at.is_constant() {
            let n = &self.nodes[at.index()];
            at = if value(n.var) { n.hi } else { n.lo };
        }
        at.is_true()
    }

    /// The variables `f` depends on, ascending.
    pub fn support(&self, f: Bdd) -> Vec<u32> {
        let mut vars = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = vec![f];
        while let Some(g) = stack.pop() {
            if g.is_constant() || !seen.insert(g) {
                continue;
            }
            let n = &self.nodes[g.index()];
            vars.push(n.var);
            stack.push(n.lo);
            stack.push(n.hi);
        }
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Literals of one assignment that makes `f` true; `None` for the constant false. Variables that
    /// are not mentioned do not matter. Negative literals are preferred.
    pub fn pick(&self, f: Bdd) -> Option<Vec<Literal>> {
        if f.is_false() {
            return None;
        }
        let mut literals = Vec::new();
        let mut at = f;
        while !at.is_constant() {
            let n = &self.nodes[at.index()];
            let sign = n.lo.is_false();
            literals.push((n.var, sign));
            at = if sign { n.hi } else { n.lo };
        }
        Some(literals)
    }

    /// Number of assignments of `variables` variables that make `f` true (all variables of `f` among
    /// them), as a float since it can be astronomic.
    pub fn count(&self, f: Bdd, variables: u32) -> f64 {
        let mut memo = rustc_hash::FxHashMap::default();
        self.density(f, &mut memo) * f64::from(variables).exp2()
    }

    fn density(&self, f: Bdd, memo: &mut rustc_hash::FxHashMap<Bdd, f64>) -> f64 {
        if f.is_constant() {
            return f64::from(f.0);
        }
        if let Some(&d) = memo.get(&f) {
            return d;
        }
        let n = self.nodes[f.index()];
        let d = (self.density(n.lo, memo) + self.density(n.hi, memo)) / 2.0;
        memo.insert(f, d);
        d
    }

    // --- operations -------------------------------------------------------------------------

    fn cached(&self, op: u32, a: Bdd, b: Bdd) -> Option<Bdd> {
        let entry = &self.cache[mix(op, a.0, b.0) & (self.cache.len() - 1)];
        (entry.op == op && entry.a == a && entry.b == b).then_some(entry.result)
    }

    /// The result of an operation that creates nodes, if it is decided already: it is in the cache, or no more nodes
    /// can be created.
    fn known(&self, op: u32, a: Bdd, b: Bdd) -> Option<Bdd> {
        let cached = self.cached(op, a, b);
        cached.or_else(|| self.is_full().then_some(Bdd::FALSE))
    }

    fn cache_result(&mut self, op: u32, a: Bdd, b: Bdd, result: Bdd) -> Bdd {
        // Beyond the bound, results may be those of failed operations; operations that create no nodes never fail.
        if !self.is_full() || matches!(op, DISJOINT | SUBSET) {
            let slot = mix(op, a.0, b.0) & (self.cache.len() - 1);
            self.cache[slot] = Cached { op, a, b, result };
        }
        result
    }

    /// Both functions split at their topmost variable: `(var, a0, a1, b0, b1)`.
    fn split(&self, a: Bdd, b: Bdd) -> (u32, Bdd, Bdd, Bdd, Bdd) {
        let (na, nb) = (self.nodes[a.index()], self.nodes[b.index()]);
        let var = na.var.min(nb.var);
        let (a0, a1) = if na.var == var {
            (na.lo, na.hi)
        } else {
            (a, a)
        };
        let (b0, b1) = if nb.var == var {
            (nb.lo, nb.hi)
        } else {
            (b, b)
        };
        (var, a0, a1, b0, b1)
    }

    fn recurse(&mut self, op: u32, a: Bdd, b: Bdd, f: fn(&mut Self, Bdd, Bdd) -> Bdd) -> Bdd {
        if let Some(r) = self.known(op, a, b) {
            return r;
        }
        let (var, a0, a1, b0, b1) = self.split(a, b);
        let lo = f(self, a0, b0);
        let hi = f(self, a1, b1);
        let r = self.node(var, lo, hi);
        self.cache_result(op, a, b, r)
    }

    /// `a & b`
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_false() || a == b {
            a
        } else if a.is_true() {
            b
        } else {
            self.recurse(AND, a, b, Self::and)
        }
    }

    /// `a | b`
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_true() || a == b {
            a
        } else if a.is_false() {
            b
        } else {
            self.recurse(OR, a, b, Self::or)
        }
    }

    /// `a xor b`
    pub fn xor(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let (a, b) = (a.min(b), a.max(b));
        if a == b {
            Bdd::FALSE
        } else if a.is_false() {
            b
        } else if a.is_true() {
            self.not(b)
        } else {
            self.recurse(XOR, a, b, Self::xor)
        }
    }

    /// `!a`
    pub fn not(&mut self, a: Bdd) -> Bdd {
        if a.is_constant() {
            return Bdd(1 - a.0);
        }
        if let Some(r) = self.known(NOT, a, a) {
            return r;
        }
        let n = self.nodes[a.index()];
        let lo = self.not(n.lo);
        let hi = self.not(n.hi);
        let r = self.node(n.var, lo, hi);
        self.cache_result(NOT, r, r, a);
        self.cache_result(NOT, a, a, r)
    }

    /// `a & !b`
    pub fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        if a.is_false() || b.is_true() || a == b {
            Bdd::FALSE
        } else if b.is_false() {
            a
        } else if a.is_true() {
            self.not(b)
        } else {
            self.recurse(MINUS, a, b, Self::minus)
        }
    }

    /// `f ? a : b`
    pub(crate) fn ite(&mut self, f: Bdd, a: Bdd, b: Bdd) -> Bdd {
        let then = self.and(f, a);
        let otherwise = self.minus(b, f);
        self.or(then, otherwise)
    }

    /// Is there no assignment that makes two of these true?
    pub(crate) fn pairwise_disjoint(&mut self, labels: impl IntoIterator<Item = Bdd>) -> bool {
        let mut seen = Bdd::FALSE;
        labels.into_iter().all(|label| {
            let fresh = self.disjoint(seen, label);
            seen = self.or(seen, label);
            fresh
        })
    }

    /// Is there no assignment that makes both true? Makes no node.
    pub fn disjoint(&mut self, a: Bdd, b: Bdd) -> bool {
        let (a, b) = (a.min(b), a.max(b));
        if a.is_false() {
            return true;
        }
        if a.is_true() || a == b {
            return false;
        }
        if let Some(r) = self.cached(DISJOINT, a, b) {
            return r.is_true();
        }
        sempre_base::checkpoint();
        let (_, a0, a1, b0, b1) = self.split(a, b);
        let answer = self.disjoint(a0, b0) && self.disjoint(a1, b1);
        self.cache_result(DISJOINT, a, b, Bdd(u32::from(answer)));
        answer
    }

    /// Does `a` imply `b`? Makes no node.
    pub fn implies(&mut self, a: Bdd, b: Bdd) -> bool {
        if a.is_false() || b.is_true() || a == b {
            return true;
        }
        if b.is_false() || a.is_true() {
            return false;
        }
        if let Some(r) = self.cached(SUBSET, a, b) {
            return r.is_true();
        }
        sempre_base::checkpoint();
        let (_, a0, a1, b0, b1) = self.split(a, b);
        let answer = self.implies(a0, b0) && self.implies(a1, b1);
        self.cache_result(SUBSET, a, b, Bdd(u32::from(answer)));
        answer
    }

    /// `∃ vars. f`, the variables given as the conjunction of their positive literals.
    pub fn exists(&mut self, f: Bdd, vars: Bdd) -> Bdd {
        let mut vars = vars;
        while self.var(vars) < self.var(f) {
            vars = self.high(vars);
        }
        if f.is_constant() || vars.is_true() {
            return f;
        }
        if let Some(r) = self.known(EXISTS, f, vars) {
            return r;
        }
        let n = self.nodes[f.index()];
        let lo = self.exists(n.lo, vars);
        let r = if n.var == self.var(vars) {
            if lo.is_true() {
                lo
            } else {
                let hi = self.exists(n.hi, vars);
                self.or(lo, hi)
            }
        } else {
            let hi = self.exists(n.hi, vars);
            self.node(n.var, lo, hi)
        };
        self.cache_result(EXISTS, f, vars, r)
    }

    /// `f` with the literals of a cube fixed.
    pub fn restrict(&mut self, f: Bdd, cube: Bdd) -> Bdd {
        let mut cube = cube;
        while self.var(cube) < self.var(f) {
            let n = self.nodes[cube.index()];
            cube = if n.lo.is_false() { n.hi } else { n.lo };
        }
        if f.is_constant() || cube.is_true() {
            return f;
        }
        if let Some(r) = self.known(RESTRICT, f, cube) {
            return r;
        }
        let n = self.nodes[f.index()];
        let r = if n.var == self.var(cube) {
            let c = self.nodes[cube.index()];
            if c.lo.is_false() {
                self.restrict(n.hi, c.hi)
            } else {
                self.restrict(n.lo, c.lo)
            }
        } else {
            let lo = self.restrict(n.lo, cube);
            let hi = self.restrict(n.hi, cube);
            self.node(n.var, lo, hi)
        };
        self.cache_result(RESTRICT, f, cube, r)
    }

    /// `f` with every variable replaced by another one.
    pub fn rename(&mut self, f: Bdd, map: &dyn Fn(u32) -> u32) -> Bdd {
        let mut memo = rustc_hash::FxHashMap::default();
        self.rename_in(f, map, &mut memo)
    }

    fn rename_in(
        &mut self,
        f: Bdd,
        map: &dyn Fn(u32) -> u32,
        memo: &mut rustc_hash::FxHashMap<Bdd, Bdd>,
    ) -> Bdd {
        if f.is_constant() {
            return f;
        }
        if let Some(&r) = memo.get(&f) {
            return r;
        }
        let n = self.nodes[f.index()];
        let lo = self.rename_in(n.lo, map, memo);
        let hi = self.rename_in(n.hi, map, memo);
        let v = self.variable(map(n.var));
        let r = self.ite(v, hi, lo);
        memo.insert(f, r);
        r
    }
}

const NOTHING: Cached = Cached {
    op: 0,
    a: Bdd::FALSE,
    b: Bdd::FALSE,
    result: Bdd::FALSE,
};

#[inline]
fn mix(a: u32, b: u32, c: u32) -> usize {
    let x = (u64::from(b) << 32 | u64::from(c)) ^ (u64::from(a) << 17);
    let x = (x ^ u64::from(a)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29) ^ (x >> 47)) as usize
}
