//! LTL to transition-based generalised Büchi automata.
//!
//! The construction of Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), on decision diagrams.
//! The requirements of a formula on the present and on the next position are one Boolean function of
//!
//! * the propositions, read now,
//! * `Next[g]` for each subformula `g` that must hold from the next position on,
//! * `Promise[g]`: a `g` that some `U`, `F` or `M` requires is postponed once more.
//!
//! ```text
//!   [p] = p                              [f U g] = [g] | ([f] & Promise[g] & Next[f U g])
//!   [X f] = Next[f]                      [f M g] = [g] & ([f] | (Promise[f M g] & Next[f M g]))
//!   [f & g] = [f] & [g]                  [f R g] = [g] & ([f] | Next[f R g])
//!   [f | g] = [f] | [g]                  [f W g] = [g] | ([f] & Next[f W g])
//! ```
//!
//! A state is such a function. For each class of letters it leaves a monotone function of `Next` and `Promise`
//! variables, and each prime implicant of that is an edge: its `Next` variables give the destination, its missing
//! promises the acceptance sets. A run is accepting if infinitely many of its edges do not make the promise, for each
//! promise; then the promise is kept.
//!
//! Differences from the paper, and from implementations that enumerate letters:
//!
//! * States are identified by their functions, so formulas with the same present and future merge.
//! * Letters are never enumerated: the propositions are on top of the diagram, and one pass over its nodes gives the
//!   classes of letters with the same rest ([`Bdds::split_propositions`](sempre_omega::Bdds::split_propositions)). The cost of sixty propositions is that of
//!   their diagram.
//! * Below `G`, where the formula is required again at each position anyway, an eventuality needs no `Next` variable
//!   of its own (`[G F g] = ([g] | Promise[g]) & Next[G F g]`).
//! * A destination drops an obligation that a smaller one implies syntactically.
//!
//! Invariants: I1 the functions are monotone in `Next` and `Promise` (so prime implicants have no negative literal of
//! them); I2 the input is in negation normal form; I3 an obligation is dropped only if one that is smaller by two
//! implies it. Without the size condition that would be wrong: `G(p & X F q)` implies `F q`, which nevertheless must
//! stay, for it makes the promise. With it, consider a smallest obligation that fails somewhere on an accepted word:
//! any reason to drop it, or the `G` that requires it, fails too and is smaller; so it is never dropped, is postponed
//! for ever, and breaks its promise. I4 wherever all formulas postponed under one promise are due, all of them can be
//! satisfied at once: `g` in `f U (h U g)` satisfies the inner and the outer until; so one promise serves both, which
//! saves acceptance sets. (`F(a M b)` is not satisfied by `a` alone: the promise of an `M` is that of the whole.)
//!
//! Cost: as many states as distinct functions, at most exponential in the formula. A single function can be
//! exponential too (`F G p1 | ... | F G pn`): [`Limits`] bound the states, the edges and the nodes of decision
//! diagrams.

use rustc_hash::FxHashMap;
use sempre_ltl::{Formula, Formulas, Implication, Op};
use sempre_omega::bdd::AUXILIARY;
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};

/// The limits of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States of the automaton.
    pub states: usize,
    /// Edges of the automaton, before any are merged.
    pub edges: usize,
    /// Nodes of decision diagrams that the construction adds.
    pub nodes: usize,
}

impl Limits {
    /// No limit.
    pub const NONE: Limits = Limits {
        states: usize::MAX,
        edges: usize::MAX,
        nodes: usize::MAX,
    };
    /// The default for users: a second or two.
    pub const DEFAULT: Limits = Limits::of_edges(1 << 18);
    /// Some milliseconds.
    pub const SMALL: Limits = Limits {
        states: usize::MAX,
        edges: 1 << 12,
        nodes: 1 << 15,
    };

    /// This number of edges, and work in proportion.
    pub const fn of_edges(edges: usize) -> Limits {
        Limits {
            states: usize::MAX,
            edges,
            nodes: edges.saturating_mul(16),
        }
    }
}

/// The meaning of an auxiliary variable.
#[derive(Clone, Copy)]
enum Auxiliary {
    Next(Formula),
    Promise(u32),
}

struct Translation<'a> {
    formulas: &'a mut Formulas,
    implication: &'a mut Implication,
    alphabet: &'a mut Alphabet,
    /// `[f]` for each formula; the second map is for formulas directly below a `G`.
    functions: FxHashMap<Formula, Bdd>,
    recurring: FxHashMap<Formula, Bdd>,
    next: FxHashMap<Formula, u32>,
    promises: FxHashMap<Formula, u32>,
    auxiliaries: Vec<Auxiliary>,
    limits: Limits,
}

/// The automaton of a formula in negation normal form.
///
/// The proposition called `x` in `formulas` is the one called `x` in `alphabet`. `None` if it would exceed `limits`.
pub fn tgba(
    formulas: &mut Formulas,
    implication: &mut Implication,
    alphabet: &mut Alphabet,
    f: Formula,
    limits: Limits,
) -> Option<Automaton> {
    debug_assert!(formulas.facts(f).nnf(), "I2");
    let mut propositions: Vec<u32> = formulas
        .propositions_of(f)
        .into_iter()
        .map(|n| alphabet.declare(formulas.name(n)))
        .collect();
    propositions.sort_unstable();
    alphabet.within(limits.nodes, |alphabet| {
        let t = Translation {
            formulas,
            implication,
            alphabet,
            functions: FxHashMap::default(),
            recurring: FxHashMap::default(),
            next: FxHashMap::default(),
            promises: FxHashMap::default(),
            auxiliaries: Vec::new(),
            limits,
        };
        t.run(f, propositions)
    })?
}

/// Turns marks that hold the promises made on an edge into acceptance sets: an edge is in the sets of the promises
/// that it does not make.
pub fn accept_kept_promises(a: &mut Automaton, promises: u32) {
    let all = Mark::all(promises);
    for e in a.edges.iter_mut().flatten() {
        e.mark = all.minus(&e.mark);
    }
    a.sets = promises;
    a.acceptance = Acceptance::generalized_buchi(promises);
}

impl Translation<'_> {
    fn run(mut self, f: Formula, propositions: Vec<u32>) -> Option<Automaton> {
        let mut a = Automaton::new(propositions, 0, Acceptance::True);
        let mut states: FxHashMap<Bdd, u32> = FxHashMap::default();
        let mut functions = vec![self.function(f)];
        let initial = a.add_state();
        a.initial.push(initial);
        states.insert(functions[0], initial);
        // The destination of a set of `Next` variables; many edges have the same.
        let mut destinations: FxHashMap<Vec<Formula>, Bdd> = FxHashMap::default();
        let mut edges = 0;
        let mut at = 0;
        while at < functions.len() {
            if functions.len() > self.limits.states || self.alphabet.bdds.is_full() {
                return None;
            }
            for (label, rest) in self.alphabet.bdds.split_propositions(functions[at]) {
                let mut cubes: Vec<(Vec<Formula>, Mark)> = Vec::new();
                let mut monotone = true;
                let auxiliaries = &self.auxiliaries;
                self.alphabet.bdds.sum_of_products(rest, |literals| {
                    let mut required = Vec::new();
                    let mut promised = Vec::new();
                    for &(var, sign) in literals {
                        monotone &= sign;
                        match auxiliaries[(var - AUXILIARY) as usize] {
                            Auxiliary::Next(g) => required.push(g),
                            Auxiliary::Promise(p) => promised.push(p),
                        }
                    }
                    required.sort_unstable();
                    cubes.push((required, promised.into_iter().collect()));
                });
                edges += cubes.len();
                if edges > self.limits.edges || self.alphabet.bdds.is_full() {
                    return None;
                }
                debug_assert!(monotone, "I1");
                for (required, promised) in cubes {
                    let destination = match destinations.get(&required) {
                        Some(&d) => d,
                        None => {
                            let d = self.conjunction(&required);
                            destinations.insert(required, d);
                            d
                        }
                    };
                    if destination.is_false() {
                        continue;
                    }
                    let to = *states.entry(destination).or_insert_with(|| {
                        functions.push(destination);
                        a.add_state()
                    });
                    // At this point the mark holds the promises; the sets are their complement.
                    a.add_edge(at as u32, to, label, promised);
                }
            }
            at += 1;
        }
        accept_kept_promises(&mut a, self.promises.len() as u32);
        a.merge_edges(&mut self.alphabet.bdds);
        Some(a)
    }

    /// The function of a conjunction of obligations, without those that a smaller one implies (I3).
    fn conjunction(&mut self, required: &[Formula]) -> Bdd {
        let mut d = Bdd::TRUE;
        for &g in required {
            let implied = required.iter().any(|&k| {
                self.formulas.size(k) + 1 < self.formulas.size(g)
                    && self.implication.implies(self.formulas, k, g)
            });
            if !implied {
                let r = self.function(g);
                d = self.alphabet.bdds.and(d, r);
            }
        }
        d
    }

    fn auxiliary(&mut self, meaning: Auxiliary) -> u32 {
        self.auxiliaries.push(meaning);
        AUXILIARY + self.auxiliaries.len() as u32 - 1
    }

    /// `Next[g]`; the conjuncts of a conjunction have variables of their own, so that equal sets are equal cubes.
    fn next(&mut self, g: Formula) -> Bdd {
        if g.is_constant() {
            return if g == Formula::TRUE {
                Bdd::TRUE
            } else {
                Bdd::FALSE
            };
        }
        if self.formulas.op(g) == Op::And {
            let mut all = Bdd::TRUE;
            for i in 0..self.formulas.operands(g).len() {
                let part = self.next(self.formulas.operand(g, i));
                all = self.alphabet.bdds.and(all, part);
            }
            return all;
        }
        let var = match self.next.get(&g) {
            Some(&v) => v,
            None => {
                let v = self.auxiliary(Auxiliary::Next(g));
                self.next.insert(g, v);
                v
            }
        };
        self.alphabet.bdds.variable(var)
    }

    /// `Promise[g]`. Postponing an until is postponing what that until waits for (I4), so `Promise[f U g] =
    /// Promise[g]`.
    fn promise(&mut self, g: Formula) -> Bdd {
        let mut g = g;
        loop {
            g = match self.formulas.op(g) {
                Op::Until => self.formulas.operand(g, 1),
                Op::Finally => self.formulas.operand(g, 0),
                _ => break,
            };
        }
        let var = match self.promises.get(&g) {
            Some(&v) => v,
            None => {
                let number = self.promises.len() as u32;
                let v = self.auxiliary(Auxiliary::Promise(number));
                self.promises.insert(g, v);
                v
            }
        };
        self.alphabet.bdds.variable(var)
    }

    /// `[f]`
    fn function(&mut self, f: Formula) -> Bdd {
        if let Some(&r) = self.functions.get(&f) {
            return r;
        }
        let r = self.compute(f, false);
        self.functions.insert(f, r);
        r
    }

    /// `[f]` at a position where `f` is required again at each later position.
    fn recurring(&mut self, f: Formula) -> Bdd {
        if let Some(&r) = self.recurring.get(&f) {
            return r;
        }
        let r = self.compute(f, true);
        self.recurring.insert(f, r);
        r
    }

    fn compute(&mut self, f: Formula, recurring: bool) -> Bdd {
        let operand = |t: &Self, i: usize| t.formulas.operand(f, i);
        match self.formulas.op(f) {
            Op::True => Bdd::TRUE,
            Op::False => Bdd::FALSE,
            Op::Proposition => {
                let name = self.formulas.name(self.formulas.proposition_number(f));
                let v = self.alphabet.find(name).expect("declared at the start");
                self.alphabet.bdds.variable(v)
            }
            Op::Not => {
                let g = operand(self, 0);
                let r = self.function(g);
                self.alphabet.bdds.not(r)
            }
            Op::Next => self.next(operand(self, 0)),
            Op::And => {
                let mut r = Bdd::TRUE;
                for i in 0..self.formulas.operands(f).len() {
                    let g = operand(self, i);
                    let part = if recurring {
                        self.recurring(g)
                    } else {
                        self.function(g)
                    };
                    r = self.alphabet.bdds.and(r, part);
                }
                r
            }
            Op::Or => {
                let mut r = Bdd::FALSE;
                for i in 0..self.formulas.operands(f).len() {
                    let part = self.function(operand(self, i));
                    r = self.alphabet.bdds.or(r, part);
                }
                r
            }
            Op::Globally => {
                let g = operand(self, 0);
                let now = self.recurring(g);
                // Directly below another G, that one requires it again.
                let later = if recurring { Bdd::TRUE } else { self.next(f) };
                self.alphabet.bdds.and(now, later)
            }
            Op::Finally => {
                let g = operand(self, 0);
                let now = self.function(g);
                let later = if recurring { Bdd::TRUE } else { self.next(f) };
                let promise = self.promise(g);
                let wait = self.alphabet.bdds.and(promise, later);
                self.alphabet.bdds.or(now, wait)
            }
            Op::Until | Op::WeakUntil => {
                let (left, right) = (operand(self, 0), operand(self, 1));
                let now = self.function(right);
                let hold = self.function(left);
                let mut wait = if recurring { Bdd::TRUE } else { self.next(f) };
                if self.formulas.op(f) == Op::Until {
                    let promise = self.promise(right);
                    wait = self.alphabet.bdds.and(wait, promise);
                }
                let wait = self.alphabet.bdds.and(hold, wait);
                self.alphabet.bdds.or(now, wait)
            }
            Op::Release | Op::StrongRelease => {
                let (left, right) = (operand(self, 0), operand(self, 1));
                let hold = if recurring {
                    self.recurring(right)
                } else {
                    self.function(right)
                };
                let end = self.function(left);
                let mut wait = if recurring { Bdd::TRUE } else { self.next(f) };
                if self.formulas.op(f) == Op::StrongRelease {
                    let promise = self.promise(f);
                    wait = self.alphabet.bdds.and(wait, promise);
                }
                let wait = self.alphabet.bdds.or(end, wait);
                self.alphabet.bdds.and(hold, wait)
            }
            Op::Implies | Op::Equiv | Op::Xor => unreachable!("I2: negation normal form"),
        }
    }
}
