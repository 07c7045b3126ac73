//! Boolean expressions of HOA: labels (over proposition numbers and aliases) and acceptance conditions
//! (over `Inf` and `Fin`).
//!
//! `!` binds tighter than `&`, `&` tighter than `|`. Nesting is limited, and so is the size of a label's
//! diagram, see [`crate::labels`].

use super::lexer::{Cursor, Token};
use crate::acceptance::Acceptance;
use crate::bdd::{Bdd, Bdds};
use crate::labels::{LabelMaker, MAX_DEPTH, MAX_NODES};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span, nearest};

pub(super) type Parsed<T> = Result<T, Diagnostic>;

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(span, "the expression is nested too deeply")
        .with_help(format!("at most {MAX_DEPTH} levels are read"))
}

// --- labels ---------------------------------------------------------------------------------

/// The propositions and aliases that labels may use.
pub(super) struct Labels<'a, 't> {
    pub(super) bdds: &'a mut Bdds,
    /// The variable of each proposition of the `AP:` line.
    pub(super) propositions: &'a [u32],
    pub(super) aliases: &'a FxHashMap<&'t str, Bdd>,
}

impl<'t> Labels<'_, 't> {
    /// Reads an expression.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'t>) -> Parsed<Bdd> {
        let first = cursor.span;
        let mut reader = LabelReader {
            maker: LabelMaker::new(self.bdds),
            propositions: self.propositions,
            aliases: self.aliases,
        };
        match reader.disjunction(cursor, 0) {
            Ok(label) => Ok(label),
            Err(Some(d)) => Err(d),
            Err(None) => {
                let span = Span::new(first.start, cursor.previous_end.max(first.end));
                Err(
                    Diagnostic::error(span, "the label is too complicated").with_help(format!(
                        "its decision diagram needs more than {MAX_NODES} nodes"
                    )),
                )
            }
        }
    }
}

struct LabelReader<'a, 't> {
    maker: LabelMaker<'a>,
    propositions: &'a [u32],
    aliases: &'a FxHashMap<&'t str, Bdd>,
}

/// `None` as an error: the label is too large.
type Step = Result<Bdd, Option<Diagnostic>>;

impl<'t> LabelReader<'_, 't> {
    fn disjunction(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Step {
        let first = self.conjunction(cursor, depth)?;
        if cursor.token != Token::Symbol('|') {
            return Ok(first);
        }
        let mut parts = vec![first];
        while cursor.eat('|') {
            parts.push(self.conjunction(cursor, depth)?);
        }
        self.maker.or(parts).map_err(|_| None)
    }

    fn conjunction(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Step {
        let first = self.unary(cursor, depth)?;
        if cursor.token != Token::Symbol('&') {
            return Ok(first);
        }
        let mut parts = vec![first];
        while cursor.eat('&') {
            parts.push(self.unary(cursor, depth)?);
        }
        self.maker.and(parts).map_err(|_| None)
    }

    fn unary(&mut self, cursor: &mut Cursor<'t>, depth: usize) -> Step {
        let mut negative = false;
        while cursor.eat('!') {
            negative = !negative;
        }
        let f = match cursor.token {
            Token::Word("t") => Bdd::TRUE,
            Token::Word("f") => Bdd::FALSE,
            Token::Number(_) => {
                // Peeks, so that the cursor stays in front of an erroneous token.
                let mut ahead = *cursor;
                let (n, span) = ahead.number("a proposition number")?;
                let Some(&var) = self.propositions.get(n as usize) else {
                    return Err(Some(out_of_range(n, span, self.propositions.len())));
                };
                self.maker.bdds.variable(var)
            }
            Token::Alias(name) => match self.aliases.get(name) {
                Some(&f) => f,
                None => return Err(Some(self.unknown_alias(name, cursor.span))),
            },
            Token::Symbol('(') => {
                if depth >= MAX_DEPTH {
                    return Err(Some(too_deep(cursor.span)));
                }
                cursor.advance();
                let f = self.disjunction(cursor, depth + 1)?;
                if cursor.token != Token::Symbol(')') {
                    return Err(Some(cursor.expected("`&`, `|` or `)`")));
                }
                f
            }
            _ => {
                let what = "a label (a proposition number, `t`, `f`, `@alias`, `!` or `(`)";
                return Err(Some(cursor.expected(what)));
            }
        };
        cursor.advance();
        Ok(if negative { self.maker.bdds.not(f) } else { f })
    }

    fn unknown_alias(&self, name: &str, span: Span) -> Diagnostic {
        let d = Diagnostic::error(span, format!("the alias `@{name}` is not defined"));
        // Long names and long lists are not worth a comparison.
        let known = self.aliases.keys().copied().filter(|k| k.len() < 50);
        match nearest(&name[..name.len().min(50)], known.take(100)) {
            Some(n) => d.with_help(format!("did you mean `@{n}`?")),
            None => d.with_help("an alias is defined in the header, before it is used"),
        }
    }
}

fn out_of_range(n: u32, span: Span, count: usize) -> Diagnostic {
    Diagnostic::error(span, format!("there is no proposition {n}")).with_help(match count {
        0 => "the header declares no propositions".to_string(),
        1 => "the header declares one proposition, number 0".to_string(),
        _ => format!(
            "the header declares {count} propositions, 0 to {}",
            count - 1
        ),
    })
}

// --- acceptance -----------------------------------------------------------------------------

/// Added to the number of a set that is negated, `Inf(!0)`, until [`resolve_negations`].
const NEGATED: u32 = 1 << 31;

/// Reads a condition over `sets` acceptance sets; negated sets are marked for [`resolve_negations`]. Numbers out of
/// range are reported to `report_error` and read as 0.
pub(super) fn read_condition(
    cursor: &mut Cursor<'_>,
    sets: u32,
    report_error: &mut dyn FnMut(Diagnostic),
) -> Parsed<Acceptance> {
    operands(cursor, sets, 0, true, report_error)
}

/// A disjunction, or a conjunction where `disjunction` is false.
fn operands(
    cursor: &mut Cursor<'_>,
    sets: u32,
    depth: usize,
    disjunction: bool,
    report_error: &mut dyn FnMut(Diagnostic),
) -> Parsed<Acceptance> {
    let mut part = |cursor: &mut Cursor<'_>| {
        if disjunction {
            operands(cursor, sets, depth, false, report_error)
        } else {
            primary(cursor, sets, depth, report_error)
        }
    };
    let operator = if disjunction { '|' } else { '&' };
    let first = part(cursor)?;
    if cursor.token != Token::Symbol(operator) {
        return Ok(first);
    }
    let mut parts = vec![first];
    while cursor.eat(operator) {
        parts.push(part(cursor)?);
    }
    Ok(join(parts, disjunction))
}

fn primary(
    cursor: &mut Cursor<'_>,
    sets: u32,
    depth: usize,
    report_error: &mut dyn FnMut(Diagnostic),
) -> Parsed<Acceptance> {
    let (token, span) = (cursor.token, cursor.span);
    match token {
        Token::Word("t") => {
            cursor.advance();
            Ok(Acceptance::True)
        }
        Token::Word("f") => {
            cursor.advance();
            Ok(Acceptance::False)
        }
        Token::Word(word @ ("Inf" | "Fin")) => {
            cursor.advance();
            cursor.expect('(', &format!("after `{word}`"))?;
            let negated = cursor.eat('!');
            let (n, place) = cursor.number("the number of an acceptance set")?;
            cursor.expect(')', "after the number of the set")?;
            let mut set = n;
            if n >= sets {
                report_error(no_such_set(n, place, sets));
                set = 0;
            }
            if negated {
                set |= NEGATED;
            }
            Ok(if word == "Inf" {
                Acceptance::Inf(set)
            } else {
                Acceptance::Fin(set)
            })
        }
        Token::Symbol('(') => {
            if depth >= MAX_DEPTH {
                return Err(too_deep(span));
            }
            cursor.advance();
            let inner = operands(cursor, sets, depth + 1, true, report_error)?;
            if !cursor.eat(')') {
                return Err(cursor.expected("`&`, `|` or `)`"));
            }
            Ok(inner)
        }
        _ => Err(cursor.expected("an acceptance condition (`Inf(…)`, `Fin(…)`, `t`, `f` or `(`)")),
    }
}

pub(super) fn no_such_set(n: u32, span: Span, sets: u32) -> Diagnostic {
    Diagnostic::error(span, format!("there is no acceptance set {n}")).with_help(match sets {
        0 => "the `Acceptance:` line declares no sets".to_string(),
        1 => "the `Acceptance:` line declares one set, number 0".to_string(),
        _ => format!(
            "the `Acceptance:` line declares {sets} sets, 0 to {}",
            sets - 1
        ),
    })
}

/// As [`Acceptance::and`] and [`Acceptance::or`], but in linear time: only atoms are compared.
fn join(parts: Vec<Acceptance>, disjunction: bool) -> Acceptance {
    let mut flat: Vec<Acceptance> = Vec::with_capacity(parts.len());
    for p in parts {
        match (p, disjunction) {
            (Acceptance::True, true) => return Acceptance::True,
            (Acceptance::False, false) => return Acceptance::False,
            (Acceptance::True | Acceptance::False, _) => {}
            (Acceptance::Or(inner), true) | (Acceptance::And(inner), false) => {
                if flat.is_empty() {
                    flat = inner;
                } else {
                    flat.extend(inner);
                }
            }
            (other, _) => flat.push(other),
        }
    }
    let mut atoms = FxHashSet::default();
    flat.retain(|p| match p {
        Acceptance::Inf(i) => atoms.insert((true, *i)),
        Acceptance::Fin(i) => atoms.insert((false, *i)),
        _ => true,
    });
    match flat.len() {
        0 if disjunction => Acceptance::False,
        0 => Acceptance::True,
        1 => flat.swap_remove(0),
        _ if disjunction => Acceptance::Or(flat),
        _ => Acceptance::And(flat),
    }
}

/// The changes of the marks when negated sets are removed from a condition.
#[derive(Default)]
pub(super) struct Negations {
    /// Sets that occur only negated: they become their complement.
    pub(super) flipped: Vec<u32>,
    /// Sets that occur with both signs: `(set, new)`, the new set is the complement.
    pub(super) added: Vec<(u32, u32)>,
}

impl Negations {
    pub(super) fn is_empty(&self) -> bool {
        self.flipped.is_empty() && self.added.is_empty()
    }
}

/// Replaces negated sets by complemented ones.
pub(super) fn resolve_negations(condition: &mut Acceptance, sets: &mut u32) -> Negations {
    let mut positive = FxHashSet::default();
    let mut negative = FxHashSet::default();
    each_set(condition, &mut |i| {
        if *i & NEGATED == 0 {
            positive.insert(*i);
        } else {
            negative.insert(*i & !NEGATED);
        }
    });
    let mut negative: Vec<u32> = negative.into_iter().collect();
    negative.sort_unstable();
    let mut out = Negations::default();
    let mut place = FxHashMap::default();
    for set in negative {
        if positive.contains(&set) {
            place.insert(set, *sets);
            out.added.push((set, *sets));
            *sets += 1;
        } else {
            place.insert(set, set);
            out.flipped.push(set);
        }
    }
    each_set(condition, &mut |i| {
        if *i & NEGATED != 0 {
            *i = place[&(*i & !NEGATED)];
        }
    });
    out
}

fn each_set(condition: &mut Acceptance, visit: &mut dyn FnMut(&mut u32)) {
    match condition {
        Acceptance::True | Acceptance::False => {}
        Acceptance::Inf(i) | Acceptance::Fin(i) => visit(i),
        Acceptance::And(parts) | Acceptance::Or(parts) => {
            parts.iter_mut().for_each(|p| each_set(p, visit));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mark::Mark;
    use sempre_base::Random;

    /// A random expression and its value, computed beside it.
    fn random_label(
        r: &mut Random,
        depth: usize,
        values: &dyn Fn(usize) -> bool,
    ) -> (String, bool) {
        match r.below(if depth == 0 { 3 } else { 7 }) {
            0 => ("t".into(), true),
            1 | 2 => {
                let i = r.below(4);
                (i.to_string(), values(i))
            }
            3 => {
                let (s, v) = random_label(r, depth - 1, values);
                (format!("!({s})"), !v)
            }
            4 => {
                let (a, x) = random_label(r, depth - 1, values);
                let (b, y) = random_label(r, depth - 1, values);
                (format!("({a}) & !({b})"), x && !y)
            }
            _ => {
                let parts: Vec<_> = (0..1 + r.below(4))
                    .map(|_| random_label(r, depth - 1, values))
                    .collect();
                let text: Vec<String> = parts.iter().map(|p| format!("({})", p.0)).collect();
                (text.join(" | "), parts.iter().any(|p| p.1))
            }
        }
    }

    #[test]
    fn labels_mean_what_they_say() {
        for seed in 0..2000 {
            let letter = seed as usize % 16;
            let values = |i: usize| letter >> i & 1 == 1;
            let (text, value) = random_label(&mut Random::new(seed), 3, &values);
            let mut bdds = Bdds::new();
            let f = Labels {
                bdds: &mut bdds,
                propositions: &[0, 1, 2, 3],
                aliases: &FxHashMap::default(),
            }
            .read(&mut Cursor::new(&text, 0))
            .expect(&text);
            assert_eq!(bdds.eval(f, |v| values(v as usize)), value, "{text}");
        }
    }

    #[test]
    fn precedence_of_labels() {
        let mut bdds = Bdds::new();
        let aliases = FxHashMap::default();
        let mut read = |text: &str| {
            let mut labels = Labels {
                bdds: &mut bdds,
                propositions: &[0, 1, 2],
                aliases: &aliases,
            };
            labels.read(&mut Cursor::new(text, 0)).expect(text)
        };
        assert_eq!(read("0 | 1 & !2"), read("0 | (1 & (!2))"));
        assert_ne!(read("0 | 1 & 2"), read("(0 | 1) & 2"));
        assert_eq!(read("0 & !0 & 1"), Bdd::FALSE);
        assert_eq!(read("!0 | 1 | 0"), Bdd::TRUE);
    }

    #[test]
    fn a_label_that_is_too_large_is_refused() {
        let vars: Vec<u32> = (0..200).collect();
        let crossed: Vec<String> = (0..100).map(|i| format!("{i}&{}", i + 100)).collect();
        let text = crossed.join("|");
        let mut labels = Labels {
            bdds: &mut Bdds::new(),
            propositions: &vars,
            aliases: &FxHashMap::default(),
        };
        let d = labels
            .read(&mut Cursor::new(&text, 0))
            .expect_err("too large");
        assert!(d.message.contains("too complicated"));
        assert_eq!((d.span.start, d.span.end), (0, text.len()));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let text = format!("{}t{}", "(".repeat(100_000), ")".repeat(100_000));
        let mut bdds = Bdds::new();
        let mut labels = Labels {
            bdds: &mut bdds,
            propositions: &[],
            aliases: &FxHashMap::default(),
        };
        assert!(labels.read(&mut Cursor::new(&text, 0)).is_err());
        let mut nothing = |_| {};
        assert!(read_condition(&mut Cursor::new(&text, 0), 0, &mut nothing).is_err());
        let text = format!("{}t{}", "(".repeat(900), ")".repeat(900));
        assert!(read_condition(&mut Cursor::new(&text, 0), 0, &mut nothing).is_ok());
    }

    #[test]
    fn negated_sets_become_complements() {
        let read = |text: &str| {
            let mut sets = 2;
            let mut c =
                read_condition(&mut Cursor::new(text, 0), 2, &mut |d| panic!("{d:?}")).unwrap();
            let n = resolve_negations(&mut c, &mut sets);
            (c.to_string(), sets, n.flipped, n.added)
        };
        assert_eq!(
            read("Inf(!0) & Fin(1)"),
            ("Inf(0) & Fin(1)".into(), 2, vec![0], vec![])
        );
        assert_eq!(
            read("Inf(!1) & Fin(1) | Fin(!1)"),
            ("(Inf(2) & Fin(1)) | Fin(2)".into(), 3, vec![], vec![(1, 2)])
        );
    }

    #[test]
    fn conditions_agree_with_the_slow_constructors() {
        let text = "((Inf(0) & t & Inf(0)) & (Fin(1) | f | (Inf(2) | Fin(1)))) | (f & Inf(1))";
        let c = read_condition(&mut Cursor::new(text, 0), 3, &mut |d| panic!("{d:?}")).unwrap();
        use Acceptance::{Fin, Inf};
        let slow = Acceptance::and([Inf(0), Acceptance::or([Fin(1), Inf(2)])]);
        assert_eq!(c, slow);
        assert!(c.accepts(&Mark::from_word(0b1)));
    }
}
