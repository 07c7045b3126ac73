//! The names that HOA has for common acceptance conditions.
//!
//! [`acceptance_name`] finds the name of a condition by its shape, operands in any order; [`expected`] is the
//! inverse, to check an `acc-name:` line. A condition that has several names gets the most special one (one Büchi set
//! is `Buchi`, not `generalized-Buchi 1` or `parity min even 1`).

use crate::acceptance::Acceptance;
use Acceptance::{And, False, Fin, Inf, Or, True};

/// The name of the condition in HOA, if it has one.
pub fn acceptance_name(condition: &Acceptance, sets: u32) -> Option<String> {
    match (condition, sets) {
        (True, 0) => return Some("all".to_string()),
        (False, 0) => return Some("none".to_string()),
        (Inf(0), 1) => return Some("Buchi".to_string()),
        (Fin(0), 1) => return Some("co-Buchi".to_string()),
        _ => {}
    }
    if let And(parts) = condition
        && is_all_sets(parts, sets, |p| matches!(p, Inf(_)))
    {
        return Some(format!("generalized-Buchi {sets}"));
    }
    if let Or(parts) = condition
        && is_all_sets(parts, sets, |p| matches!(p, Fin(_)))
    {
        return Some(format!("generalized-co-Buchi {sets}"));
    }
    rabin_or_streett(condition, sets)
        .or_else(|| parity(condition, sets))
        .or_else(|| generalized_rabin(condition, sets))
}

fn set_of(atom: &Acceptance) -> u32 {
    match atom {
        Inf(i) | Fin(i) => *i,
        _ => u32::MAX,
    }
}

/// Are the parts one atom of the kind for each set?
fn is_all_sets(parts: &[Acceptance], sets: u32, kind: impl Fn(&Acceptance) -> bool) -> bool {
    let mut seen: Vec<u32> = parts.iter().map(set_of).collect();
    seen.sort_unstable();
    parts.iter().all(kind) && seen.into_iter().eq(0..sets)
}

/// The operands of a conjunction or disjunction; anything else is its own only operand.
fn operands(condition: &Acceptance, conjunction: bool) -> &[Acceptance] {
    match condition {
        And(parts) if conjunction => parts,
        Or(parts) if !conjunction => parts,
        other => std::slice::from_ref(other),
    }
}

fn rabin_or_streett(condition: &Acceptance, sets: u32) -> Option<String> {
    if sets == 0 || sets % 2 == 1 {
        return None;
    }
    for (name, conjunction) in [("Rabin", false), ("Streett", true)] {
        let mut pairs: Vec<u32> = Vec::new();
        let fits = operands(condition, conjunction).iter().all(|pair| {
            let (And(atoms) | Or(atoms)) = pair else {
                return false;
            };
            if matches!(pair, And(_)) == conjunction {
                return false;
            }
            let (Some(&Fin(f)), Some(&Inf(i))) = (
                atoms.iter().find(|a| matches!(a, Fin(_))),
                atoms.iter().find(|a| matches!(a, Inf(_))),
            ) else {
                return false;
            };
            pairs.push(f);
            atoms.len() == 2 && f % 2 == 0 && i == f + 1
        });
        pairs.sort_unstable();
        if fits && pairs.into_iter().eq((0..sets).step_by(2)) {
            return Some(format!("{name} {}", sets / 2));
        }
    }
    None
}

fn generalized_rabin(condition: &Acceptance, sets: u32) -> Option<String> {
    // Each disjunct: one Fin, then Infs with the numbers that follow it.
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for pair in operands(condition, false) {
        let atoms = operands(pair, true);
        let fin = atoms.iter().find(|a| matches!(a, Fin(_))).map(set_of)?;
        let mut infs: Vec<u32> = atoms
            .iter()
            .filter(|a| matches!(a, Inf(_)))
            .map(set_of)
            .collect();
        infs.sort_unstable();
        let count = infs.len() as u32;
        if infs.len() + 1 != atoms.len() || !infs.into_iter().eq(fin + 1..fin + 1 + count) {
            return None;
        }
        pairs.push((fin, count));
    }
    pairs.sort_unstable();
    let mut next = 0;
    let mut name = format!("generalized-Rabin {}", pairs.len());
    for (fin, count) in pairs {
        if fin != next {
            return None;
        }
        next += count + 1;
        name += &format!(" {count}");
    }
    (next == sets && sets > 0).then_some(name)
}

fn parity(condition: &Acceptance, sets: u32) -> Option<String> {
    for max in [false, true] {
        for odd in [false, true] {
            if is_parity(condition, sets, max, odd) {
                let (m, o) = parity_words(max, odd);
                return Some(format!("parity {m} {o} {sets}"));
            }
        }
    }
    None
}

fn parity_words(max: bool, odd: bool) -> (&'static str, &'static str) {
    (
        if max { "max" } else { "min" },
        if odd { "odd" } else { "even" },
    )
}

/// Walks down `Inf(0) | (Fin(1) & (Inf(2) | …))` and its three variants.
fn is_parity(condition: &Acceptance, sets: u32, max: bool, odd: bool) -> bool {
    let mut rest = condition;
    for k in 0..sets {
        let set = if max { sets - 1 - k } else { k };
        let good = (set % 2 == 1) == odd;
        let atom = if good { Inf(set) } else { Fin(set) };
        if k + 1 == sets {
            return *rest == atom;
        }
        let parts = match rest {
            Or(parts) if good => parts,
            And(parts) if !good => parts,
            _ => return false,
        };
        rest = match &parts[..] {
            [a, b] if *a == atom => b,
            [a, b] if *b == atom => a,
            _ => return false,
        };
    }
    false
}

/// The condition and number of sets that an `acc-name:` line declares; `None` if the name is unknown or its
/// parameters are invalid.
pub(super) fn expected(name: &str, parameters: &[&str]) -> Option<(Acceptance, u32)> {
    /// More sets than any condition that is checked.
    const LIMIT: u32 = 1000;
    let number = |i: usize| {
        let n: u32 = parameters.get(i)?.parse().ok()?;
        (n <= LIMIT).then_some(n)
    };
    let pairs = |n: u32| (0..n).map(|i| (2 * i, 2 * i + 1));
    Some(match (name, parameters.len()) {
        ("all", 0) => (True, 0),
        ("none", 0) => (False, 0),
        ("Buchi", 0) => (Inf(0), 1),
        ("co-Buchi", 0) => (Fin(0), 1),
        ("generalized-Buchi", 1) => {
            let n = number(0)?;
            (Acceptance::generalized_buchi(n), n)
        }
        ("generalized-co-Buchi", 1) => {
            let n = number(0)?;
            (Acceptance::or((0..n).map(Fin)), n)
        }
        ("Rabin", 1) => {
            let n = number(0)?;
            let parts = pairs(n).map(|(f, i)| Acceptance::and([Fin(f), Inf(i)]));
            (Acceptance::or(parts), 2 * n)
        }
        ("Streett", 1) => {
            let n = number(0)?;
            let parts = pairs(n).map(|(f, i)| Acceptance::or([Fin(f), Inf(i)]));
            (Acceptance::and(parts), 2 * n)
        }
        ("generalized-Rabin", given) if given > 0 && given == number(0)? as usize + 1 => {
            let mut next = 0;
            let mut parts = Vec::new();
            for i in 1..given {
                let fin = next;
                next += number(i)? + 1;
                parts.push(Acceptance::and(
                    std::iter::once(Fin(fin)).chain((fin + 1..next).map(Inf)),
                ));
            }
            (Acceptance::or(parts), next)
        }
        ("parity", 3) => {
            let max = match parameters[0] {
                "max" => true,
                "min" => false,
                _ => return None,
            };
            let odd = match parameters[1] {
                "odd" => true,
                "even" => false,
                _ => return None,
            };
            let n = number(2)?;
            (parity_condition(n, max, odd), n)
        }
        _ => return None,
    })
}

/// The parity condition over `n` sets, innermost set first.
fn parity_condition(n: u32, max: bool, odd: bool) -> Acceptance {
    // With no set at all, the best colour is out of reach: the standard reads it as the constant that
    // the next colour outwards would be combined with.
    let mut condition = None;
    for k in 0..n {
        let set = if max { k } else { n - 1 - k };
        let good = (set % 2 == 1) == odd;
        condition = Some(match (condition, good) {
            (None, true) => Inf(set),
            (None, false) => Fin(set),
            (Some(rest), true) => Acceptance::or([Inf(set), rest]),
            (Some(rest), false) => Acceptance::and([Fin(set), rest]),
        });
    }
    condition.unwrap_or(if max == odd { True } else { False })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_conditions_correspond() {
        for name in [
            "all",
            "none",
            "Buchi",
            "co-Buchi",
            "generalized-Buchi 3",
            "generalized-co-Buchi 2",
            "Rabin 1",
            "Rabin 3",
            "Streett 1",
            "Streett 2",
            "generalized-Rabin 2 2 0",
            "generalized-Rabin 1 4",
            "parity min even 3",
            "parity min odd 5",
            "parity max even 4",
            "parity max odd 5",
        ] {
            let words: Vec<&str> = name.split(' ').collect();
            let (condition, sets) = expected(words[0], &words[1..]).expect(name);
            assert_eq!(acceptance_name(&condition, sets).as_deref(), Some(name));
            // One set too many: none of these names fits any more.
            assert_ne!(acceptance_name(&condition, sets + 1).as_deref(), Some(name));
        }
    }

    #[test]
    fn parity_is_decided_by_the_best_colour() {
        use crate::mark::Mark;
        for n in 1..6 {
            for (max, odd) in [(false, false), (false, true), (true, false), (true, true)] {
                let (m, o) = parity_words(max, odd);
                let (c, _) = expected("parity", &[m, o, &n.to_string()]).unwrap();
                for seen in 1..1u64 << n {
                    let marks = Mark::from_word(seen);
                    let best = if max {
                        marks.iter().last()
                    } else {
                        marks.iter().next()
                    };
                    assert_eq!(c.accepts(&marks), (best.unwrap() % 2 == 1) == odd);
                }
            }
        }
    }

    #[test]
    fn other_conditions_have_no_name() {
        assert_eq!(acceptance_name(&Inf(0), 2), None);
        assert_eq!(acceptance_name(&And(vec![Inf(0), Fin(2)]), 3), None);
        let twice = Or(vec![
            And(vec![Fin(0), Inf(1)]),
            And(vec![Fin(0), Inf(1), Inf(2)]),
        ]);
        assert_eq!(acceptance_name(&twice, 3), None);
        assert_eq!(expected("parity", &["best", "odd", "3"]), None);
        assert_eq!(expected("generalized-Rabin", &["3", "1"]), None);
        assert_eq!(expected("generalized-Rabin", &[]), None);
    }
}
