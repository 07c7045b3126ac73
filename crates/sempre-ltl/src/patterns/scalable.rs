//! The scalable families: formulas with a parameter.

use crate::formula::{Formula, Formulas, Op};

/// Nodes exactly as requested, with short names, so that a family reads like its definition.
pub(super) struct Build<'a>(pub(super) &'a mut Formulas);

impl Build<'_> {
    fn name(&mut self, name: &str) -> Formula {
        self.0.proposition(name)
    }

    /// The proposition `name` with an index.
    fn p(&mut self, name: &str, i: usize) -> Formula {
        self.0.proposition(&format!("{name}{i}"))
    }

    fn un(&mut self, op: Op, f: Formula) -> Formula {
        self.0.node(op, &[f])
    }

    fn not(&mut self, f: Formula) -> Formula {
        self.un(Op::Not, f)
    }

    fn f(&mut self, f: Formula) -> Formula {
        self.un(Op::Finally, f)
    }

    fn g(&mut self, f: Formula) -> Formula {
        self.un(Op::Globally, f)
    }

    /// `n` times `X`.
    fn x(&mut self, n: usize, f: Formula) -> Formula {
        (0..n).fold(f, |f, _| self.un(Op::Next, f))
    }

    fn gf(&mut self, f: Formula) -> Formula {
        let f = self.f(f);
        self.g(f)
    }

    fn fg(&mut self, f: Formula) -> Formula {
        let g = self.g(f);
        self.f(g)
    }

    fn bin(&mut self, op: Op, f: Formula, g: Formula) -> Formula {
        self.0.node(op, &[f, g])
    }

    /// A chain of `&` or `|`; a single operand is itself.
    fn many(&mut self, op: Op, operands: &[Formula]) -> Formula {
        match operands {
            &[f] => f,
            _ => self.0.node(op, operands),
        }
    }

    /// `op` over `make(1)`, …, `make(n)`.
    fn over(
        &mut self,
        op: Op,
        n: usize,
        mut make: impl FnMut(&mut Self, usize) -> Formula,
    ) -> Formula {
        let operands: Vec<Formula> = (1..=n).map(|i| make(self, i)).collect();
        self.many(op, &operands)
    }

    /// `GF name1 & … & GF name_n`
    fn all_gf(&mut self, name: &str, n: usize) -> Formula {
        self.over(Op::And, n, |b, i| {
            let p = b.p(name, i);
            b.gf(p)
        })
    }

    /// `step(1, step(2, … last))` with the indices `1..n` and `last` made of `n`.
    fn nest(
        &mut self,
        n: usize,
        last: impl FnOnce(&mut Self) -> Formula,
        mut step: impl FnMut(&mut Self, usize, Formula) -> Formula,
    ) -> Formula {
        let last = last(self);
        (1..n).rev().fold(last, |f, i| step(self, i, f))
    }

    /// The member `n >= 1` of a family.
    pub(super) fn family(&mut self, name: &str, n: usize) -> Option<Formula> {
        Some(match name {
            "and-f" | "and-fg" | "and-gf" | "or-fg" | "or-g" | "or-gf" => {
                let (join, inner) = name.split_once('-')?;
                let op = if join == "and" { Op::And } else { Op::Or };
                self.over(op, n, |b, i| {
                    let p = b.p("p", i);
                    match inner {
                        "f" => b.f(p),
                        "g" => b.g(p),
                        "fg" => b.fg(p),
                        _ => b.gf(p),
                    }
                })
            }
            "u-left" | "r-left" => {
                let op = if name == "u-left" {
                    Op::Until
                } else {
                    Op::Release
                };
                let first = self.p("p", 1);
                (2..=n).fold(first, |f, i| {
                    let p = self.p("p", i);
                    self.bin(op, f, p)
                })
            }
            "u-right" | "r-right" => {
                let op = if name == "u-right" {
                    Op::Until
                } else {
                    Op::Release
                };
                self.nest(
                    n,
                    |b| b.p("p", n),
                    |b, i, f| {
                        let p = b.p("p", i);
                        b.bin(op, p, f)
                    },
                )
            }
            "gf-implies" | "gf-equiv" => {
                let left = self.all_gf("a", n);
                let z = self.name("z");
                let right = self.gf(z);
                let op = if name == "gf-implies" {
                    Op::Implies
                } else {
                    Op::Equiv
                };
                self.bin(op, left, right)
            }
            "gf-implies-xn" | "gf-equiv-xn" => {
                let a = self.name("a");
                let later = self.x(n, a);
                let op = if name == "gf-implies-xn" {
                    Op::Implies
                } else {
                    Op::Equiv
                };
                let f = self.bin(op, a, later);
                self.gf(f)
            }
            "gh-q" | "gh-r" => self.over(Op::And, n, |b, i| {
                let (p, q) = (b.p("p", i), b.p("p", i + 1));
                let (left, right) = if name == "gh-q" {
                    (b.f(p), b.g(q))
                } else {
                    (b.gf(p), b.fg(q))
                };
                b.bin(Op::Or, left, right)
            }),
            "go-theta" => {
                let fair = self.all_gf("p", n);
                let (q, r) = (self.name("q"), self.name("r"));
                let fr = self.f(r);
                let response = self.bin(Op::Implies, q, fr);
                let always = self.g(response);
                let f = self.bin(Op::Implies, fair, always);
                self.not(f)
            }
            "ccj-alpha" => {
                let [left, right] = ["p", "q"].map(|name| {
                    let chain = self.nest(
                        n,
                        |b| b.p(name, n),
                        |b, i, f| {
                            let p = b.p(name, i);
                            let later = b.f(f);
                            b.bin(Op::And, p, later)
                        },
                    );
                    self.f(chain)
                });
                self.bin(Op::And, left, right)
            }
            "ccj-beta" => {
                let [left, right] = ["p", "q"].map(|name| {
                    let p = self.name(name);
                    let chain = self.x_chain(Op::And, p, n);
                    self.f(chain)
                });
                self.bin(Op::And, left, right)
            }
            "ccj-beta-prime" => {
                let [left, right] = ["p", "q"].map(|name| {
                    let p = self.name(name);
                    let flat = self.x_flat(Op::And, p, n);
                    self.f(flat)
                });
                self.bin(Op::And, left, right)
            }
            "tv-f1" | "tv-f2" | "tv-g1" | "tv-g2" => {
                let (p, q) = (self.name("p"), self.name("q"));
                let op = if name.starts_with("tv-f") {
                    Op::Or
                } else {
                    Op::And
                };
                let soon = if name.ends_with('1') {
                    self.x_flat(op, q, n)
                } else {
                    self.x_chain(op, q, n)
                };
                let f = self.bin(Op::Implies, p, soon);
                self.g(f)
            }
            "tv-uu" => {
                let chain = |b: &mut Self, i: usize, later: Formula| {
                    let p = b.p("p", i);
                    let until = b.bin(Op::Until, p, later);
                    if i == 1 {
                        until
                    } else {
                        b.bin(Op::And, p, until)
                    }
                };
                let last = self.p("p", n + 1);
                let f = (1..=n).rev().fold(last, |f, i| chain(self, i, f));
                let p = self.p("p", 1);
                let f = self.bin(Op::Implies, p, f);
                self.g(f)
            }
            "fxg-or" | "gxf-and" => {
                let (join, outer, inner) = if name == "fxg-or" {
                    (Op::Or, Op::Finally, Op::Globally)
                } else {
                    (Op::And, Op::Globally, Op::Finally)
                };
                let last = self.p("p", n);
                let f = (0..n).rev().fold(last, |f, i| {
                    let p = self.p("p", i);
                    let later = self.un(inner, f);
                    let next = self.x(1, later);
                    self.bin(join, p, next)
                });
                self.un(outer, f)
            }
            "sejk-j" => {
                let (left, right) = (self.all_gf("a", n), self.all_gf("b", n));
                self.bin(Op::Implies, left, right)
            }
            "sejk-k" => self.over(Op::And, n, |b, i| {
                let (x, y) = (b.p("a", i), b.p("b", i));
                let (left, right) = (b.gf(x), b.fg(y));
                b.bin(Op::Or, left, right)
            }),
            "ms-phi-h" => {
                let (x, y) = (self.name("a"), self.name("b"));
                let not_x = self.not(x);
                self.over(Op::Or, n, |b, i| {
                    let later = b.x(i - 1, y);
                    let f = b.bin(Op::Or, if i % 2 == 1 { x } else { not_x }, later);
                    b.fg(f)
                })
            }
            "rv-counter" | "rv-counter-linear" => self.counter(n, name.ends_with("linear")),
            "rv-counter-carry" | "rv-counter-carry-linear" => {
                self.counter_carry(n, name.ends_with("linear"))
            }
            _ => return None,
        })
    }

    /// `f op Xf op XXf …`, `n` operands.
    fn x_flat(&mut self, op: Op, f: Formula, n: usize) -> Formula {
        self.over(op, n, |b, i| b.x(i - 1, f))
    }

    /// `f op X(f op X(f …))`, `n` times `f`.
    fn x_chain(&mut self, op: Op, f: Formula, n: usize) -> Formula {
        self.nest(
            n,
            |_| f,
            |b, _, later| {
                let later = b.x(1, later);
                b.bin(op, f, later)
            },
        )
    }

    /// The part common to both counters: a mark every `n` steps, and all bits zero in the first `n`.
    fn frame(&mut self, n: usize, linear: bool) -> Vec<Formula> {
        let (m, bit) = (self.name("m"), self.name("b"));
        let (unmarked, zero) = (self.not(m), self.not(bit));
        let (period, zeros) = if linear {
            let inner = (1..n).fold(m, |f, _| {
                let next = self.x(1, f);
                self.bin(Op::And, unmarked, next)
            });
            (self.x(1, inner), self.x_chain(Op::And, zero, n))
        } else {
            let marked_again = self.x(n, m);
            let mut steps: Vec<Formula> = (1..n).map(|i| self.x(i, unmarked)).collect();
            steps.push(marked_again);
            (self.many(Op::And, &steps), self.x_flat(Op::And, zero, n))
        };
        let periodic = self.bin(Op::Implies, m, period);
        vec![m, self.g(periodic), zeros]
    }

    /// A binary counter of `n` bits, least bit first, a marker at each least bit.
    fn counter(&mut self, n: usize, linear: bool) -> Formula {
        let mut parts = self.frame(n, linear);
        let (m, bit) = (self.name("m"), self.name("b"));
        let (unmarked, zero) = (self.not(m), self.not(bit));
        let (then_one, then_zero) = (self.x(n, bit), self.x(n, zero));
        // The rest of the number is copied.
        let same = self.bin(Op::Equiv, bit, then_one);
        let copy = self.bin(Op::And, unmarked, same);
        let copied = self.bin(Op::Until, copy, m);
        let copied = self.x(1, copied);
        // Least bit 0: it becomes 1.
        let even = self.bin(Op::And, m, zero);
        let step = self.bin(Op::And, then_one, copied);
        let rule = self.bin(Op::Implies, even, step);
        parts.push(self.g(rule));
        // Least bit 1: ones become 0 up to the first 0, which becomes 1.
        let odd = self.bin(Op::And, m, bit);
        let carried = self.many(Op::And, &[unmarked, bit, then_zero]);
        let stop = self.many(Op::And, &[unmarked, zero, then_one, copied]);
        let end = self.bin(Op::Or, m, stop);
        let carry = self.bin(Op::Until, carried, end);
        let carry = self.x(1, carry);
        let step = self.bin(Op::And, then_zero, carry);
        let rule = self.bin(Op::Implies, odd, step);
        parts.push(self.g(rule));
        self.many(Op::And, &parts)
    }

    /// The same counter with the carry as a third proposition.
    fn counter_carry(&mut self, n: usize, linear: bool) -> Formula {
        let mut parts = self.frame(n, linear);
        let [m, bit, carry] = ["m", "b", "c"].map(|name| self.name(name));
        let [unmarked, zero, none] = [m, bit, carry].map(|p| self.not(p));
        let mut rule = |b: &mut Self, condition: Formula, effect: Formula| {
            let f = b.bin(Op::Implies, condition, effect);
            let g = b.g(f);
            parts.push(g);
        };
        for (now, carries, flipped) in [(zero, none, bit), (bit, carry, zero)] {
            let condition = self.bin(Op::And, m, now);
            let later = self.x(n, flipped);
            let effect = self.bin(Op::And, carries, later);
            rule(self, condition, effect);
        }
        // Without a carry the next bit is copied; with one it is flipped.
        let cases = |b: &mut Self, list: [(Formula, Formula, Formula); 2]| {
            let cases = list.map(|(now, carries, later)| {
                let (now, carries, later) = (b.x(1, now), b.x(1, carries), b.x(n + 1, later));
                let effect = b.bin(Op::And, carries, later);
                b.bin(Op::Implies, now, effect)
            });
            b.many(Op::And, &cases)
        };
        let copy = cases(self, [(bit, none, bit), (zero, none, zero)]);
        let flip = cases(self, [(bit, carry, zero), (zero, none, bit)]);
        let next_unmarked = self.x(1, unmarked);
        for (condition, effect) in [(none, copy), (carry, flip)] {
            let condition = self.bin(Op::And, condition, next_unmarked);
            rule(self, condition, effect);
        }
        self.many(Op::And, &parts)
    }
}
