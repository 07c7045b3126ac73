//! Intervals of 64-bit integers, and the operators of the IR on them.
//!
//! Each operation is sound: its result contains the result for each choice of operands in the intervals. If the
//! operation may wrap, the result is the full interval. `None` is the empty set: the operation fails for certain.

use crate::ir::{Binary, Type};

/// Least and greatest value.
pub type Interval = (i64, i64);

/// All integers.
pub(crate) const FULL: Interval = (i64::MIN, i64::MAX);

/// The least interval that contains both.
pub(crate) fn join(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

/// The intersection.
pub(crate) fn meet(a: Interval, b: Interval) -> Option<Interval> {
    let m = (a.0.max(b.0), a.1.min(b.1));
    (m.0 <= m.1).then_some(m)
}

/// The content of a cell of the type after a value in the interval is stored; `None` if that fails for certain.
pub(crate) fn store(ty: &Type, value: Interval) -> Option<Interval> {
    let bounds = ty.bounds();
    match ty {
        Type::Bool => Some(truth(value == (0, 0), value.0 > 0 || value.1 < 0)),
        Type::Int { .. } if value.0 < bounds.0 || value.1 > bounds.1 => Some(bounds),
        Type::Int { .. } => Some(value),
        Type::Enum { .. } | Type::Range { .. } | Type::Natural => meet(value, bounds),
    }
}

/// The interval of a truth value that is false, true, or neither for certain.
pub(crate) fn truth(surely_false: bool, surely_true: bool) -> Interval {
    debug_assert!(!(surely_false && surely_true));
    (i64::from(surely_true), i64::from(!surely_false))
}

/// `x` and `y` with `x + by <= y`.
pub(crate) fn less(x: Interval, y: Interval, by: i64) -> Option<(Interval, Interval)> {
    let below = (i64::MIN, y.1.checked_sub(by)?);
    let above = (x.0.checked_add(by)?, i64::MAX);
    meet(x, below).zip(meet(y, above))
}

/// `x` without the value of `y`, if `y` has only one.
pub(crate) fn without(x: Interval, y: Interval) -> Option<Interval> {
    if y.0 != y.1 {
        return Some(x);
    }
    match (x.0 == y.0, x.1 == y.0) {
        (true, true) => None,
        (true, false) => Some((x.0 + 1, x.1)),
        (false, true) => Some((x.0, x.1 - 1)),
        (false, false) => Some(x),
    }
}

/// An operator that evaluates both operands, on intervals; `None` if it fails for certain.
pub(crate) fn arithmetic(op: Binary, a: Interval, b: Interval) -> Option<Interval> {
    // The extremes of a function that is monotone in each operand; the full interval if it can wrap.
    let hull = |values: [Option<i64>; 4]| {
        let values: Option<Vec<i64>> = values.into_iter().collect();
        values.map_or(FULL, |v| {
            v.into_iter().map(|x| (x, x)).reduce(join).unwrap_or(FULL)
        })
    };
    let corners =
        |f: fn(i64, i64) -> Option<i64>| hull([f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)]);
    let (a_natural, b_natural) = (a.0 >= 0, b.0 >= 0);
    Some(match op {
        Binary::Add => corners(i64::checked_add),
        Binary::Subtract => corners(i64::checked_sub),
        Binary::Multiply => corners(i64::checked_mul),
        Binary::Divide | Binary::Modulo if b == (0, 0) => return None,
        Binary::Divide if b.0 > 0 || b.1 < 0 => corners(i64::checked_div),
        Binary::Divide if a_natural && b_natural => (0, a.1),
        Binary::Divide => match a.0.checked_neg() {
            Some(n) => (
                -n.abs().max(a.1.saturating_abs()),
                n.abs().max(a.1.saturating_abs()),
            ),
            None => FULL,
        },
        Binary::Modulo => {
            let most = b.0.unsigned_abs().max(b.1.unsigned_abs()) - 1;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let low = if a_natural { 0 } else { (-most).max(a.0) };
            let high = if a.1 <= 0 { 0 } else { most.min(a.1) };
            (low, high)
        }
        Binary::BitAnd => match (a_natural, b_natural) {
            (true, true) => (0, a.1.min(b.1)),
            (true, false) => (0, a.1),
            (false, true) => (0, b.1),
            (false, false) => FULL,
        },
        Binary::BitOr | Binary::BitXor if a_natural && b_natural => {
            let most = a.1.max(b.1) as u64;
            (
                0,
                u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0) as i64,
            )
        }
        Binary::ShiftRight if a_natural => (0, a.1),
        Binary::ShiftRight => (a.0, a.1.max(0)),
        Binary::ShiftLeft if b.0 == b.1 && (0..62).contains(&b.0) => {
            let by = 1i64 << b.0;
            match (a.0.checked_mul(by), a.1.checked_mul(by)) {
                (Some(min), Some(max)) => (min, max),
                _ => FULL,
            }
        }
        Binary::Equal => truth(meet(a, b).is_none(), a == b && a.0 == a.1),
        Binary::NotEqual => truth(a == b && a.0 == a.1, meet(a, b).is_none()),
        Binary::Less => truth(a.0 >= b.1, a.1 < b.0),
        Binary::LessEqual => truth(a.0 > b.1, a.1 <= b.0),
        Binary::Greater => truth(a.1 <= b.0, a.0 > b.1),
        Binary::GreaterEqual => truth(a.1 < b.0, a.0 >= b.1),
        _ => FULL,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Interpreter;
    use crate::ir::{Expr, Program};

    /// Each operator on all small intervals, and on some at the ends, against its semantics.
    #[test]
    fn operators_are_sound() {
        use Binary::*;
        let ops = Binary::ALL
            .into_iter()
            .filter(|op| !matches!(op, And | Or | Implies));
        let points = [i64::MIN, -5, -2, -1, 0, 1, 2, 3, 6, 63, i64::MAX];
        let program = Program::new("t");
        let interpreter = Interpreter::new(&program);
        let value = |op, x, y| {
            let expr = Expr::binary(op, Expr::Constant(x), Expr::Constant(y));
            interpreter.value(&expr, &[]).ok()
        };
        for op in ops {
            for (i, &a) in points.iter().enumerate() {
                for (j, &b) in points.iter().enumerate() {
                    for &c in &points[i..] {
                        for &d in &points[j..] {
                            let result = arithmetic(op, (a, c), (b, d));
                            let inside = |p: i64, low, high| low <= p && p <= high;
                            for &x in points.iter().filter(|&&p| inside(p, a, c)) {
                                for &y in points.iter().filter(|&&p| inside(p, b, d)) {
                                    let Some(v) = value(op, x, y) else { continue };
                                    let (min, max) = result.expect("it has a value");
                                    assert!(
                                        min <= v && v <= max,
                                        "{x} {op:?} {y} = {v}: {:?}",
                                        (a, c, b, d, min, max)
                                    );
                                }
                            }
                        }
                    }
                }
            }
        }
        assert_eq!(arithmetic(Add, (1, 2), (3, 5)), Some((4, 7)));
        assert_eq!(arithmetic(Modulo, (0, 100), (4, 4)), Some((0, 3)));
        assert_eq!(arithmetic(Divide, (1, 2), (0, 0)), None);
        assert_eq!(arithmetic(Less, (1, 2), (3, 3)), Some((1, 1)));
    }
}
