//! Automata of large formulas, composed from those of their parts.
//!
//! The construction of [`couvreur`](mod@crate::couvreur) treats a formula as a whole: it distinguishes all letters
//! that any part distinguishes, and all sets of parts that may still be open. That gives small automata for small
//! formulas, and takes exponential time for large ones, even if the automaton is linear: `F G p1 | ... | F G pn` has
//! n + 1 states, and the first of them 2^n classes of letters. A formula whose construction exceeds [`Limits::SMALL`]
//! is therefore decomposed:
//!
//! * `f1 | ... | fn` is the [sum](sempre_omega::sum) of the automata of its parts;
//! * `F f` is a waiting state in front of the automaton of `f`;
//! * `X f` is a state in front of it;
//! * `f1 & ... & fn` and `G(f1 & ... & fn)` are the product of the automata of groups of conjuncts that share
//!   propositions.
//!
//! Sums are linear. The numbers of states and edges of a product of deterministic factors without common propositions
//! are the products of those of its factors. So the size is known in advance, and a product that exceeds the limits
//! is refused with that size ([`TooLarge`]). Simulations reduce both, sums and products, as long as they are small.
//!
//! The idea of composing automata from those of temporal subformulas is in Babiak, Badie, Duret-Lutz, Křetínský,
//! Strejček, "Compositional approach to suspension and other improvements to LTL translation" (SPIN 2013); there, for
//! parts that do not depend on prefixes.
//!
//! Invariants: C1 parts are smaller than the formula, so that the recursion ends; C2 factors have generalised Büchi
//! acceptance; C3 if all factors are weak, so is the product, and one acceptance set is enough.
//!
//! Not done here: other `G`, `U`, `R`, `W` and `M` over large operands. They are constructed as a whole.

use crate::couvreur::Limits;
use crate::options::Effort;
use crate::reduction::reduce;
use crate::too_large::MAX_WASTE;
pub use crate::too_large::TooLarge;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::product::product;
use sempre_omega::sum::{single_initial, sum};
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark, Sccs};

/// The translation of the parts of a formula, and its limits.
pub(crate) trait Parts {
    /// The automaton of a part.
    fn part(
        &mut self,
        formulas: &mut Formulas,
        alphabet: &mut Alphabet,
        f: Formula,
        effort: Effort,
    ) -> Result<Automaton, TooLarge>;

    /// The most edges that an automaton may have.
    fn max_edges(&self) -> usize;
}

/// The automaton of a formula in negation normal form, from those of its parts; `None` if it has no parts.
pub(crate) fn composed(
    parts: &mut impl Parts,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    effort: Effort,
) -> Result<Option<Automaton>, TooLarge> {
    let (op, mut operands) = match formulas.op(f) {
        // `G(f & g) = G f & G g`
        Op::Globally if formulas.op(formulas.operand(f, 0)) == Op::And => {
            let below = formulas.operands(formulas.operand(f, 0)).to_vec();
            let conjuncts = below.into_iter().map(|g| formulas.globally(g)).collect();
            (Op::And, conjuncts)
        }
        op => (op, formulas.operands(f).to_vec()),
    };
    // The largest part first, since it is the most likely to exceed the limits.
    operands.sort_by_key(|&g| std::cmp::Reverse(formulas.size(g)));
    let mut a = match op {
        Op::Or => {
            let mut automata = Vec::with_capacity(operands.len());
            for g in operands {
                automata.push(parts.part(formulas, alphabet, g, effort)?);
            }
            sum_of_parts(alphabet, automata)
        }
        Op::Finally => {
            let a = parts.part(formulas, alphabet, operands[0], effort)?;
            in_front(a, true)
        }
        Op::Next => {
            let a = parts.part(formulas, alphabet, operands[0], effort)?;
            in_front(a, false)
        }
        Op::And => {
            let mut groups = independent(formulas, &operands);
            // One group of all conjuncts would be the formula again (C1).
            let separate = groups.len() > 1;
            if !separate {
                groups = operands.into_iter().map(|g| vec![g]).collect();
            }
            let mut factors = Vec::with_capacity(groups.len());
            for group in groups {
                let g = formulas.and(&group);
                factors.push(parts.part(formulas, alphabet, g, effort)?);
            }
            if separate {
                refuse_product(parts.max_edges(), alphabet, &factors)?;
            }
            product_of_parts(parts.max_edges(), alphabet, &factors, effort)?
        }
        _ => return Ok(None),
    };
    reduce_if_small(&mut a, alphabet, effort);
    Ok(Some(a))
}

/// Refuses the product of deterministic factors without common propositions if it is too large. Its size is known:
/// each pair of states and of letters is possible, and simulation finds no reductions that it has not found in the
/// factors. (Reverse simulation does, if they are not deterministic: guesses that can be made at different times can
/// be made at once.)
fn refuse_product(
    max_edges: usize,
    alphabet: &mut Alphabet,
    factors: &[Automaton],
) -> Result<(), TooLarge> {
    let bdds = &mut alphabet.bdds;
    let multiplied = |size: fn(&Automaton) -> usize| {
        (factors.iter()).fold(1u128, |n, a| n.saturating_mul(size(a) as u128))
    };
    let edges = multiplied(Automaton::edge_count);
    if edges <= max_edges as u128 || !factors.iter().all(|a| a.is_deterministic(bdds)) {
        return Ok(());
    }
    Err(TooLarge::Product {
        parts: factors.len(),
        states: multiplied(Automaton::states),
        edges,
        limit: max_edges,
    })
}

/// The product of factors, reduced after each step.
fn product_of_parts(
    max_edges: usize,
    alphabet: &mut Alphabet,
    factors: &[Automaton],
    effort: Effort,
) -> Result<Automaton, TooLarge> {
    let too_large = TooLarge::Construction { edges: max_edges };
    let mut factors = factors.iter();
    let mut p = factors.next().expect("at least one factor").clone();
    for a in factors {
        // An upper bound; common propositions reduce it, but seldom by much.
        let bound = p.edge_count().saturating_mul(a.edge_count());
        if bound > max_edges.saturating_mul(MAX_WASTE) {
            return Err(too_large);
        }
        let weak = is_weak(&p) && is_weak(a);
        p = product(&mut alphabet.bdds, &p, a);
        if weak {
            one_set(&mut p);
        }
        if p.edge_count() > max_edges {
            return Err(too_large);
        }
        reduce_if_small(&mut p, alphabet, effort);
    }
    Ok(p)
}

/// Simulations if they are cheap; otherwise the component filter alone.
fn reduce_if_small(a: &mut Automaton, alphabet: &mut Alphabet, effort: Effort) {
    let effort = if a.edge_count() <= Limits::SMALL.edges {
        effort
    } else {
        Effort::Low
    };
    reduce(a, alphabet, effort);
}

/// The sum of automata, with one initial state.
fn sum_of_parts(alphabet: &mut Alphabet, parts: Vec<Automaton>) -> Automaton {
    let mut parts = parts.into_iter();
    let first = parts.next().expect("at least one part");
    let mut a = parts.fold(first, |a, b| sum(&a, &b));
    single_initial(&mut alphabet.bdds, &mut a);
    a
}

/// The automaton with a new initial state: one from which the first letter is skipped (`X`), or one with a self-loop
/// (`F`).
fn in_front(mut a: Automaton, waiting: bool) -> Automaton {
    // The waiting state must not be accepting, which takes a set.
    if waiting && a.sets == 0 {
        debug_assert_eq!(a.acceptance, Acceptance::True, "C2");
        a.sets = 1;
        a.acceptance = Acceptance::buchi();
        for e in a.edges.iter_mut().flatten() {
            e.mark = Mark::single(0);
        }
    }
    let initial = std::mem::take(&mut a.initial);
    let start = a.add_state();
    if waiting {
        a.add_edge(start, start, Bdd::TRUE, Mark::EMPTY);
        for &s in &initial {
            let edges = a.edges[s as usize].clone();
            a.edges[start as usize].extend(edges);
        }
    } else {
        for s in initial {
            a.add_edge(start, s, Bdd::TRUE, Mark::EMPTY);
        }
    }
    a.initial = vec![start];
    a
}

/// Is every component weak?
fn is_weak(a: &Automaton) -> bool {
    let sccs = Sccs::new(a);
    (0..sccs.len()).all(|c| sccs.is_weak(a, c))
}

/// One acceptance set for a weak automaton (C3).
fn one_set(a: &mut Automaton) {
    let sccs = Sccs::new(a);
    let accepting = sccs.accepting(a);
    for (s, edges) in a.edges.iter_mut().enumerate() {
        let component = sccs.of[s];
        for e in edges {
            let inside = component != u32::MAX && sccs.of[e.to as usize] == component;
            let marked = inside && accepting[component as usize];
            e.mark = if marked { Mark::single(0) } else { Mark::EMPTY };
        }
    }
    a.sets = 1;
    a.acceptance = Acceptance::buchi();
}

/// The operands in groups: those in different groups have no common proposition.
fn independent(formulas: &Formulas, operands: &[Formula]) -> Vec<Vec<Formula>> {
    let mut groups: Vec<(Vec<usize>, Vec<Formula>)> = Vec::new();
    for &f in operands {
        let mut propositions = formulas.propositions_of(f);
        let mut members = Vec::new();
        let (joined, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(known, _)| known.iter().any(|p| propositions.contains(p)));
        groups = apart;
        for (known, earlier) in joined {
            propositions.extend(known);
            members.extend(earlier);
        }
        members.push(f);
        groups.push((propositions, members));
    }
    groups.into_iter().map(|(_, members)| members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translator::{Options, Translator};
    use sempre_base::Random;
    use sempre_ltl::{ParseOptions, parse};
    use sempre_omega::inclusion::equivalent;

    fn formula(formulas: &mut Formulas, text: &str) -> Formula {
        let parsed = parse(formulas, text, &ParseOptions::default());
        parsed.expect("a formula").formula
    }

    /// `pattern` for 0 to n - 1 in place of `#`, joined.
    fn family(pattern: &str, join: &str, n: usize) -> String {
        let parts: Vec<String> = (0..n)
            .map(|i| pattern.replace('#', &i.to_string()))
            .collect();
        parts.join(join)
    }

    fn within(text: &str, edges: usize) -> Result<Automaton, TooLarge> {
        let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
        let f = formula(&mut formulas, text);
        let limits = Limits {
            edges,
            ..Limits::NONE
        };
        let options = Options::default();
        Translator::new().translate_within(&mut formulas, &mut alphabet, f, options, limits)
    }

    /// Formulas of few propositions, so that parts share some and not others, decomposed as far as possible.
    #[test]
    fn composed_automata_accept_the_language_of_the_formula() {
        let parts = [
            "F G #",
            "G F #",
            "# U @",
            "# W @",
            "G(# -> F @)",
            "F(# & X @)",
            "# R @",
            "# M @",
            "X #",
            "!#",
            "F #",
            "G #",
            "G F # -> G F @",
        ];
        let mut r = Random::new(11);
        let mut composed = 0;
        for _ in 0..1500 {
            let part = |r: &mut Random| {
                let mut name = || format!("p{}", r.below(5));
                let (first, second) = (name(), name());
                let pattern = parts[r.below(parts.len())];
                let text = pattern.replace('#', &first).replace('@', &second);
                format!("({text})")
            };
            let group = |r: &mut Random| {
                let join = if r.chance(0.5) { " | " } else { " & " };
                let texts: Vec<String> = (0..1 + r.below(3)).map(|_| part(r)).collect();
                let around = ["", "", "F", "X", "G"][r.below(5)];
                format!("{around}({})", texts.join(join))
            };
            let join = if r.chance(0.5) { " | " } else { " & " };
            let text = format!("{}{join}{}", group(&mut r), group(&mut r));
            let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
            let f = formula(&mut formulas, &text);
            let effort = [Effort::Low, Effort::Medium, Effort::High][r.below(3)];
            let options = Options {
                effort,
                ..Options::default()
            };
            let expected = Translator::new().translate(&mut formulas, &mut alphabet, f, options);
            let mut translator = Translator::new();
            // Some constructions as a whole fail at once, others halfway or at their end.
            translator.whole = Limits {
                states: [0, 2, 100][r.below(3)],
                edges: 1 << r.below(8),
                nodes: r.below(300),
            };
            let a = translator.translate(&mut formulas, &mut alphabet, f, options);
            let same = equivalent(&mut alphabet.bdds, &expected, &a, 5000);
            if let Ok(same) = same {
                assert!(same, "{text}, {effort:?}");
                composed += 1;
            }
        }
        assert!(composed > 1400, "{composed}");
    }

    #[test]
    fn linear_automata_of_large_disjunctions() {
        for (pattern, states) in [
            ("F G p#", 31),
            ("p# U q#", 32),
            ("F(p# & G !q#)", 31),
            ("(G F p# & F G !q#)", 31),
        ] {
            let a = within(&family(pattern, " | ", 30), 1 << 12).expect("a small automaton");
            assert_eq!(a.states(), states, "{pattern}");
        }
    }

    #[test]
    fn products_of_independent_parts_are_refused_with_their_size() {
        for pattern in ["(p# U q#)", "G F p#", "G(p# -> F q#)", "(p# U (q# U r#))"] {
            let text = family(pattern, " & ", 6);
            let a = within(&text, usize::MAX).expect("no limit");
            let mut translator = Translator::new();
            // As a whole, all of these are small enough.
            translator.whole.states = 0;
            let (mut formulas, mut alphabet) = (Formulas::new(), Alphabet::new());
            let f = formula(&mut formulas, &text);
            let limits = Limits {
                edges: 20,
                ..Limits::NONE
            };
            let options = Options::default();
            let refused = translator
                .translate_within(&mut formulas, &mut alphabet, f, options, limits)
                .expect_err("too large");
            let expected = TooLarge::Product {
                parts: 6,
                states: a.states() as u128,
                edges: a.edge_count() as u128,
                limit: 20,
            };
            assert_eq!(refused, expected, "{pattern}");
        }
        let text = within(&family("G F p#", " & ", 30), 1 << 20).expect_err("too large");
        assert!(
            text.to_string().contains("1 state and 2^30 edges"),
            "{text}"
        );
    }

    #[test]
    fn the_limit_is_that_of_the_result() {
        assert_eq!(within("G F a & G F b", 4).expect("4 edges").edge_count(), 4);
        let refused = within("G F a & G F b", 3).expect_err("4 edges");
        assert_eq!(refused, TooLarge::Construction { edges: 3 });
    }

    #[test]
    fn what_has_no_parts_is_refused_by_its_construction() {
        let text = format!("r U ({})", family("(p# U q#)", " & ", 12));
        let refused = within(&text, 1 << 13).expect_err("too large");
        assert_eq!(refused, TooLarge::Construction { edges: 1 << 13 });
    }
}
