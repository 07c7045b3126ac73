//! The distance of a state from making a condition true, or false.
//!
//! The measure is the *branch distance* of search-based testing (Korel 1990; Tracey et al. 1998): the distance of a
//! comparison is the difference of its sides, that of a conjunction the sum over its parts, that of a disjunction the
//! minimum over its parts; any other expression has distance one. It is zero if and only if the condition has the
//! wanted value. It directs searches, and decides nothing: in a net where a place must fill with 100,000 tokens, it
//! distinguishes steps towards the goal from steps away from it.

use crate::interpreter::Interpreter;
use crate::ir::{Binary, Expr, Unary};

/// The distance of the state from one in which the condition has the wanted value.
pub fn distance(
    interpreter: &Interpreter<'_>,
    condition: &Expr,
    state: &[i64],
    wanted: bool,
) -> u64 {
    let part = |condition: &Expr, wanted| distance(interpreter, condition, state, wanted);
    let both = |a: u64, b: u64| a.saturating_add(b);
    match condition {
        Expr::Unary(Unary::Not, inner) => part(inner, !wanted),
        Expr::Binary(Binary::And, a, b) if wanted => both(part(a, true), part(b, true)),
        Expr::Binary(Binary::And, a, b) => part(a, false).min(part(b, false)),
        Expr::Binary(Binary::Or, a, b) if wanted => part(a, true).min(part(b, true)),
        Expr::Binary(Binary::Or, a, b) => both(part(a, false), part(b, false)),
        Expr::Binary(Binary::Implies, a, b) if wanted => part(a, false).min(part(b, true)),
        Expr::Binary(Binary::Implies, a, b) => both(part(a, true), part(b, false)),
        Expr::Binary(op, a, b) if op.negated().is_some() => {
            let value = |side: &Expr| interpreter.value(side, state);
            // If a side has no value, the distance is the greatest.
            let (Ok(a), Ok(b)) = (value(a), value(b)) else {
                return u64::MAX;
            };
            let negated = op.negated().filter(|_| !wanted);
            compared(negated.unwrap_or(*op), a, b)
        }
        _ => u64::from(interpreter.holds(condition, state) != Ok(wanted)),
    }
}

/// The distance of a comparison.
fn compared(op: Binary, a: i64, b: i64) -> u64 {
    let excess = |a: i64, b: i64| if a > b { a.abs_diff(b) } else { 0 };
    match op {
        Binary::Equal => a.abs_diff(b),
        Binary::NotEqual => u64::from(a == b),
        Binary::LessEqual => excess(a, b),
        Binary::GreaterEqual => excess(b, a),
        Binary::Less if a < b => 0,
        Binary::Less => a.abs_diff(b).saturating_add(1),
        Binary::Greater if a > b => 0,
        _ => a.abs_diff(b).saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_program::random_program;
    use sempre_base::Random;

    /// Zero if and only if the condition has the wanted value.
    #[test]
    fn zero_is_there() {
        let mut random = Random::new(17);
        let mut far = 0;
        for _ in 0..200 {
            let program = random_program(&mut random);
            let interpreter = Interpreter::new(&program);
            let mut state = random.pick(&program.initial).clone();
            for _ in 0..20 {
                for action in &program.actions {
                    let crate::ir::Behaviour::Guarded { guard, .. } = &action.behaviour else {
                        continue;
                    };
                    let Ok(holds) = interpreter.holds(guard, &state) else {
                        continue;
                    };
                    for wanted in [false, true] {
                        let distance = distance(&interpreter, guard, &state, wanted);
                        assert_eq!(distance == 0, holds == wanted);
                        far += u32::from(distance > 1);
                    }
                }
                let steps = interpreter.successors(&state).into_iter();
                let mut next: Vec<_> = steps.filter_map(|(_, next)| next.ok()).collect();
                if next.is_empty() {
                    break;
                }
                state = next.swap_remove(random.below(next.len()));
            }
        }
        assert!(far > 100, "some are farther than one step: {far}");
    }

    #[test]
    fn comparisons_lack_what_their_sides_are_apart() {
        for (op, lacks) in [
            (Binary::Equal, 4),
            (Binary::NotEqual, 0),
            (Binary::Less, 5),
            (Binary::LessEqual, 4),
            (Binary::Greater, 0),
            (Binary::GreaterEqual, 0),
        ] {
            assert_eq!(compared(op, 7, 3), lacks, "{op:?}");
        }
        assert_eq!(compared(Binary::Less, i64::MAX, i64::MIN), u64::MAX);
    }
}
