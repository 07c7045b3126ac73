//! LTL to generalised Büchi automata as it was done for Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005): the construction of
//! Couvreur (FM 1999) with formulas as states, and edges in the order in which they came then.
//!
//! For what a full search visits, that order does not matter. It does for how deep stacks get, for how often a check
//! that looks at edges again does so, and for what is visited before a run is found. It was an accident, but not one of a day: the
//! destinations of a state were kept in a hash table, and went out as they lay there. So it follows from
//!
//! * what was hashed: the formula written out in prefix form, operands of `&` and `|` in the order of their own hashes;
//! * the hash: `h = 5 h + c` over the bytes, in the 32 bits of machines of that time;
//! * the size of a table nothing was said about: 193 buckets, a newcomer before those that share his.
//!
//! The true state, if it can be reached, comes first, and what leads there is taken from the labels of other edges. Edges to the same
//! state are as many as there are sets of promises; the one that promises nothing comes first.
//! (How it was done is known from the sources of Spot of that year; this is written anew, and is not what
//! [`sempre_translate`] does.)
//!
//! Formulas with the same function of the present and the next position are one state, called after the one met first. So the
//! order of letters matters too: each time the first one not seen, where a proposition that makes no difference for that is true, and one
//! that does is false if it can be; propositions in the order in which a walk through the formula meets them. (The order of
//! implicants for one letter might matter, and is ours.)
//!
//! Cost: as [`sempre_translate::couvreur`], without its savings, and each letter by itself.

use rustc_hash::FxHashMap;
use sempre_ltl::nnf::nnf_exact;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::bdd::AUXILIARY;
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};
use sempre_translate::couvreur::accept_kept_promises;
use std::collections::BTreeSet;

/// Buckets of a hash table nothing was said about.
const BUCKETS: u32 = 193;

/// The hash of a text.
fn hash(text: &str) -> u32 {
    let step = |h: u32, c: u8| h.wrapping_mul(5).wrapping_add(u32::from(c));
    text.bytes().fold(0, step)
}

/// The formula in prefix form.
fn written(formulas: &Formulas, f: Formula) -> String {
    let operand = |i| written(formulas, formulas.operand(f, i));
    let one = |name: &str| format!("unop({name}, {})", operand(0));
    let two = |name: &str| format!("binop({name}, {}, {})", operand(0), operand(1));
    match formulas.op(f) {
        Op::True => "constant(1)".to_string(),
        Op::False => "constant(0)".to_string(),
        Op::Proposition => {
            let name = formulas.name(formulas.proposition_number(f));
            format!("AP({name})")
        }
        Op::Not => one("Not"),
        Op::Next => one("X"),
        Op::Finally => one("F"),
        Op::Globally => one("G"),
        Op::Until => two("U"),
        Op::Release => two("R"),
        op @ (Op::And | Op::Or) => {
            let name = if op == Op::And { "And" } else { "Or" };
            written_together(formulas, op, name, &[f])
        }
        Op::Implies | Op::Equiv | Op::Xor | Op::WeakUntil | Op::StrongRelease => {
            unreachable!("not in this negation normal form")
        }
    }
}

/// `f & g & …` or `f | g | …`, the operands in the order of their hashes, each once.
fn written_together(formulas: &Formulas, op: Op, name: &str, operands: &[Formula]) -> String {
    let mut flat = Vec::new();
    let mut rest: Vec<Formula> = operands.iter().rev().copied().collect();
    while let Some(f) = rest.pop() {
        if formulas.op(f) == op {
            rest.extend(formulas.operands(f).iter().rev());
        } else {
            flat.push(written(formulas, f));
        }
    }
    flat.sort_by_cached_key(|text| hash(text));
    flat.dedup();
    match flat.len() {
        0 => "constant(1)".to_string(),
        1 => flat.remove(0),
        _ => format!("multop({name}, {})", flat.join(", ")),
    }
}

/// What an auxiliary variable stands for.
#[derive(Clone, Copy)]
enum Auxiliary {
    Next(Formula),
    Promise(u32),
}

struct Translation<'a> {
    formulas: &'a Formulas,
    alphabet: &'a mut Alphabet,
    functions: FxHashMap<Formula, Bdd>,
    next: FxHashMap<Formula, u32>,
    promises: FxHashMap<Formula, u32>,
    auxiliaries: Vec<Auxiliary>,
}

/// A state: its function, and the hash of its formula.
struct State {
    function: Bdd,
    hash: u32,
}

/// Propositions in the order in which a walk meets them.
fn meet(formulas: &Formulas, f: Formula, alphabet: &mut Alphabet) {
    let mut operands = formulas.operands(f).to_vec();
    match formulas.op(f) {
        Op::Proposition => {
            alphabet.declare(formulas.name(formulas.proposition_number(f)));
        }
        Op::And | Op::Or => operands.sort_by_cached_key(|&g| hash(&written(formulas, g))),
        _ => {}
    }
    for g in operands {
        meet(formulas, g, alphabet);
    }
}

/// The automaton of a formula. For the order of 2005 the alphabet must be new.
pub(super) fn translation_of_2005(
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
) -> Automaton {
    let f = nnf_exact(formulas, f);
    meet(formulas, f, alphabet);
    let numbers = formulas.propositions_of(f).into_iter();
    let mut propositions: Vec<u32> = numbers
        .map(|n| alphabet.declare(formulas.name(n)))
        .collect();
    propositions.sort_unstable();
    let mut t = Translation {
        formulas,
        alphabet,
        functions: FxHashMap::default(),
        next: FxHashMap::default(),
        promises: FxHashMap::default(),
        auxiliaries: Vec::new(),
    };
    t.run(f, propositions)
}

impl Translation<'_> {
    fn run(&mut self, f: Formula, propositions: Vec<u32>) -> Automaton {
        let mut a = Automaton::new(propositions, 0, Acceptance::True);
        let mut numbers: FxHashMap<Bdd, u32> = FxHashMap::default();
        let mut states = vec![State {
            function: self.function(f),
            hash: hash(&written(self.formulas, f)),
        }];
        let initial = a.add_state();
        a.initial.push(initial);
        numbers.insert(states[0].function, initial);
        // Those not looked at so far, in the order of their hashes.
        let mut open = BTreeSet::from([(states[0].hash, initial)]);
        while let Some((_, at)) = open.pop_first() {
            // Where edges lead, in the order in which that was met, with promises and labels.
            let mut out: Vec<(u32, Vec<(Mark, Bdd)>)> = Vec::new();
            let function = states[at as usize].function;
            for label in self.letters(function) {
                let rest = self.alphabet.bdds.restrict(function, label);
                for (asked, promised) in self.implicants(rest) {
                    let parts: Vec<Bdd> = asked.iter().map(|&g| self.function(g)).collect();
                    let bdds = &mut self.alphabet.bdds;
                    let function = parts.into_iter().fold(Bdd::TRUE, |d, g| bdds.and(d, g));
                    let to = *numbers.entry(function).or_insert_with(|| {
                        // Nothing else is called true.
                        let known = if function.is_true() { &[] } else { &asked[..] };
                        let text = written_together(self.formulas, Op::And, "And", known);
                        let number = a.add_state();
                        let hash = hash(&text);
                        states.push(State { function, hash });
                        open.insert((hash, number));
                        number
                    });
                    let place = out.iter().position(|o| o.0 == to).unwrap_or_else(|| {
                        out.push((to, Vec::new()));
                        out.len() - 1
                    });
                    let edges = &mut out[place].1;
                    match edges.iter_mut().find(|e| e.0 == promised) {
                        Some(e) => e.1 = self.alphabet.bdds.or(e.1, label),
                        None => edges.push((promised, label)),
                    }
                }
            }
            self.connect(&mut a, at, out, &states);
        }
        accept_kept_promises(&mut a, self.promises.len() as u32);
        a
    }

    /// The letters with which a function can go on, over its own propositions.
    fn letters(&mut self, function: Bdd) -> Vec<Bdd> {
        let bdds = &mut self.alphabet.bdds;
        let (own, others): (Vec<u32>, Vec<u32>) =
            (bdds.support(function).iter()).partition(|&&var| var < AUXILIARY);
        let others: Vec<_> = others.into_iter().map(|var| (var, true)).collect();
        let others = bdds.cube(&others);
        let mut left = bdds.exists(function, others);
        let mut letters = Vec::new();
        while let Some(picked) = bdds.pick(left) {
            let sign = |var| picked.iter().find(|l| l.0 == var).is_none_or(|l| l.1);
            let letter: Vec<_> = own.iter().map(|&var| (var, sign(var))).collect();
            let letter = bdds.cube(&letter);
            left = bdds.minus(left, letter);
            letters.push(letter);
        }
        letters
    }

    /// Edges in the order of 2005; for now their marks are promises.
    fn connect(
        &mut self,
        a: &mut Automaton,
        at: u32,
        mut out: Vec<(u32, Vec<(Mark, Bdd)>)>,
        states: &[State],
    ) {
        let is_true = |to: u32| states[to as usize].function.is_true();
        let free = (out.iter().filter(|o| is_true(o.0)))
            .flat_map(|o| &o.1)
            .fold(Bdd::FALSE, |all, e| self.alphabet.bdds.or(all, e.1));
        out.reverse();
        out.sort_by_key(|o| (!is_true(o.0), states[o.0 as usize].hash % BUCKETS));
        for (to, mut edges) in out {
            edges.sort_by_key(|e| !e.0.is_empty());
            for (promised, mut label) in edges {
                if !is_true(to) {
                    label = self.alphabet.bdds.minus(label, free);
                }
                if !label.is_false() {
                    a.add_edge(at, to, label, promised);
                }
            }
        }
    }

    /// Prime implicants of what is left for a letter: what is asked of the next position, and promises.
    fn implicants(&mut self, rest: Bdd) -> Vec<(Vec<Formula>, Mark)> {
        let mut cubes = Vec::new();
        let auxiliaries = &self.auxiliaries;
        self.alphabet.bdds.sum_of_products(rest, |literals| {
            let (mut asked, mut promised) = (Vec::new(), Vec::new());
            for &(var, _) in literals {
                match auxiliaries[(var - AUXILIARY) as usize] {
                    Auxiliary::Next(g) => asked.push(g),
                    Auxiliary::Promise(p) => promised.push(p),
                }
            }
            cubes.push((asked, promised.into_iter().collect()));
        });
        cubes
    }

    fn next(&mut self, g: Formula) -> Bdd {
        let var = *self.next.entry(g).or_insert_with(|| {
            self.auxiliaries.push(Auxiliary::Next(g));
            AUXILIARY + self.auxiliaries.len() as u32 - 1
        });
        self.alphabet.bdds.variable(var)
    }

    /// That `g` is put off.
    fn promise(&mut self, g: Formula) -> Bdd {
        let number = self.promises.len() as u32;
        let var = *self.promises.entry(g).or_insert_with(|| {
            self.auxiliaries.push(Auxiliary::Promise(number));
            AUXILIARY + self.auxiliaries.len() as u32 - 1
        });
        self.alphabet.bdds.variable(var)
    }

    /// What a formula asks of the present and of the next position.
    fn function(&mut self, f: Formula) -> Bdd {
        if let Some(&r) = self.functions.get(&f) {
            return r;
        }
        let formulas = self.formulas;
        let operands = formulas.operands(f);
        let parts: Vec<Bdd> = match formulas.op(f) {
            Op::Next => Vec::new(),
            _ => operands.iter().map(|&g| self.function(g)).collect(),
        };
        let r = match formulas.op(f) {
            Op::True => Bdd::TRUE,
            Op::False => Bdd::FALSE,
            Op::Proposition => {
                let name = formulas.name(formulas.proposition_number(f));
                let var = self.alphabet.find(name).expect("declared at the start");
                self.alphabet.bdds.variable(var)
            }
            Op::Not => self.alphabet.bdds.not(parts[0]),
            Op::Next => self.next(operands[0]),
            Op::And => (parts.iter()).fold(Bdd::TRUE, |r, &g| self.alphabet.bdds.and(r, g)),
            Op::Or => (parts.iter()).fold(Bdd::FALSE, |r, &g| self.alphabet.bdds.or(r, g)),
            Op::Globally => {
                let later = self.next(f);
                self.alphabet.bdds.and(parts[0], later)
            }
            Op::Finally | Op::Until => {
                let promise = self.promise(operands[operands.len() - 1]);
                let later = self.next(f);
                let mut wait = self.alphabet.bdds.and(promise, later);
                if operands.len() == 2 {
                    wait = self.alphabet.bdds.and(parts[0], wait);
                }
                self.alphabet.bdds.or(parts[parts.len() - 1], wait)
            }
            Op::Release => {
                let later = self.next(f);
                let go_on = self.alphabet.bdds.or(parts[0], later);
                self.alphabet.bdds.and(parts[1], go_on)
            }
            Op::Implies | Op::Equiv | Op::Xor | Op::WeakUntil | Op::StrongRelease => {
                unreachable!("not in this negation normal form")
            }
        };
        self.functions.insert(f, r);
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Workbench;
    use sempre_base::Random;
    use sempre_ltl::random::RandomFormula;
    use sempre_omega::inclusion::equivalent;

    /// It is a translation: the words of a formula are those of the translation that checks use.
    #[test]
    fn the_same_words() {
        let mut bench = Workbench::new();
        let mut r = Random::new(2005);
        let shape = RandomFormula {
            sizes: 4..=12,
            exact: true,
            ..RandomFormula::new(2)
        };
        let mut edges = 0;
        for _ in 0..500 {
            let f = shape.draw(&mut bench.formulas, &mut r);
            let then = translation_of_2005(&mut bench.formulas, &mut bench.alphabet, f);
            let now = bench.translate(f, Default::default());
            edges += then.edges.iter().flatten().count();
            let same = equivalent(&mut bench.alphabet.bdds, &then, &now, 100_000);
            assert_eq!(same, Ok(true), "{}", bench.hoa(&then));
        }
        assert!(edges > 1000);
    }

    /// By hand: `GF a | GF b` leads to `F a & GF a` and `F b & GF b`; 193 buckets decide who is first.
    #[test]
    fn the_order_of_buckets() {
        // ((('A' * 5 + 'P') * 5 + '(') * 5 + 'a') * 5 + ')'
        assert_eq!(hash("AP(a)"), (((65 * 5 + 80) * 5 + 40) * 5 + 97) * 5 + 41);
        for names in [["a", "b"], ["p", "q"]] {
            let mut bench = Workbench::new();
            let [p, q] = names;
            let f = bench.parse(&format!("GF {p} | GF {q}")).unwrap();
            let g = bench.parse(&format!("GF {q} | GF {p}")).unwrap();
            let (formulas, alphabet) = (&mut bench.formulas, &mut bench.alphabet);
            let a = translation_of_2005(formulas, alphabet, f);
            let b = translation_of_2005(formulas, alphabet, g);
            // How it was written does not matter.
            let labels = |a: &Automaton| a.edges[0].iter().map(|e| e.label).collect::<Vec<_>>();
            assert_eq!(labels(&a), labels(&b));
            let both = |name: &str| {
                let f = format!("unop(F, AP({name}))");
                let g = format!("unop(G, {f})");
                let (f, g) = if hash(&f) < hash(&g) { (f, g) } else { (g, f) };
                hash(&format!("multop(And, {f}, {g})")) % BUCKETS
            };
            let mut expected = names.map(both);
            expected.sort_unstable();
            // Two edges to each: with what was promised kept, and put off.
            let loops: Vec<u32> = a.edges[0].iter().map(|e| e.to).collect();
            assert_eq!(loops.len(), 4);
            assert_eq!((loops[0], loops[2]), (loops[1], loops[3]));
            assert!(expected[0] < expected[1]);
            let first = bench
                .alphabet
                .name(bench.alphabet.bdds.support(a.edges[0][0].label)[0]);
            assert_eq!(both(first), expected[0]);
        }
    }
}
