//! Values at compile time: the location of a number, and an interval that contains it.
//!
//! Fields of a state have few bits, so most intervals are short. Most checks that the semantics of a program require
//! (index in range, value in range, room in the field) are therefore known to succeed at compile time. Intervals are
//! sound: at run time either the value lies in its interval, or the code is unreachable.

use cranelift_codegen::ir::Value;
use sempre_model::Field;
use sempre_model::ir::Binary;

/// The location of the number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    /// Known now.
    Constant(i64),
    /// In a 64-bit value.
    Value(Value),
    /// Packed in this word. It is extracted when needed: a comparison with a constant does not extract it.
    Packed(Value, Field),
}

/// A number and its known properties.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Operand {
    pub code: Code,
    /// A lower bound.
    pub low: i64,
    /// An upper bound.
    pub high: i64,
    /// If the number is the content of a cell in the source state plus a constant: the cell and the constant.
    pub base: Option<(u32, i64)>,
}

impl Operand {
    pub(crate) fn constant(c: i64) -> Self {
        Self {
            code: Code::Constant(c),
            low: c,
            high: c,
            base: None,
        }
    }

    /// A value in an interval; a constant if the interval has one element.
    pub(crate) fn new(code: Code, low: i64, high: i64) -> Self {
        if low == high {
            return Self::constant(low);
        }
        Self {
            code,
            low,
            high,
            base: None,
        }
    }

    /// A value without known bounds.
    pub(crate) fn any(value: Value) -> Self {
        Self::new(Code::Value(value), i64::MIN, i64::MAX)
    }

    pub(crate) fn as_constant(&self) -> Option<i64> {
        match self.code {
            Code::Constant(c) => Some(c),
            _ => None,
        }
    }

    /// The same number, with these additional bounds.
    pub(crate) fn within(self, low: i64, high: i64) -> Self {
        let (low, high) = (self.low.max(low), self.high.min(high));
        if low > high {
            // The code that uses it is unreachable, so any interval is sound.
            return self;
        }
        Self {
            base: self.base,
            ..Self::new(self.code, low, high)
        }
    }

    /// Does the whole interval lie between the bounds?
    pub(crate) fn lies_in(&self, low: i64, high: i64) -> bool {
        low <= self.low && self.high <= high
    }
}

/// The numbers that a field can hold.
pub(crate) fn field_interval(field: &Field) -> (i64, i64) {
    match i64::try_from(field.mask())
        .ok()
        .and_then(|mask| field.min.checked_add(mask))
    {
        Some(high) => (field.min, high),
        None => (i64::MIN, i64::MAX),
    }
}

/// The interval of an operator's result, or all numbers if the operation may wrap. Not for comparisons.
pub(crate) fn interval(op: Binary, a: &Operand, b: &Operand) -> (i64, i64) {
    const ANY: (i64, i64) = (i64::MIN, i64::MAX);
    let corners = |f: fn(i64, i64) -> Option<i64>| -> (i64, i64) {
        let all = [
            f(a.low, b.low),
            f(a.low, b.high),
            f(a.high, b.low),
            f(a.high, b.high),
        ];
        if all.iter().any(Option::is_none) {
            return ANY;
        }
        let all = all.map(Option::unwrap_or_default);
        (
            all.into_iter().min().unwrap_or(i64::MIN),
            all.into_iter().max().unwrap_or(i64::MAX),
        )
    };
    let ones = |x: i64| (u64::MAX >> x.leading_zeros().min(63)) as i64;
    match op {
        Binary::Add => corners(i64::checked_add),
        Binary::Subtract => corners(i64::checked_sub),
        Binary::Multiply => corners(i64::checked_mul),
        Binary::Divide if b.low > 0 => corners(i64::checked_div),
        Binary::Modulo if b.low > 0 => {
            let m = b.high - 1;
            if a.low >= 0 {
                (0, a.high.min(m))
            } else {
                ((-m).max(a.low), m.min(a.high.max(0)))
            }
        }
        Binary::BitAnd if a.low >= 0 && b.low >= 0 => (0, a.high.min(b.high)),
        Binary::BitAnd if a.low >= 0 => (0, a.high),
        Binary::BitAnd if b.low >= 0 => (0, b.high),
        Binary::BitOr | Binary::BitXor if a.low >= 0 && b.low >= 0 => (0, ones(a.high | b.high)),
        Binary::ShiftLeft if a.low >= 0 && b.low >= 0 && b.high < 63 => {
            match a.high.checked_mul(1 << b.high) {
                Some(high) => (0, high),
                None => ANY,
            }
        }
        Binary::ShiftRight if a.low >= 0 => (0, a.high),
        _ => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    fn operand(low: i64, high: i64) -> Operand {
        Operand {
            code: Code::Constant(0),
            low,
            high,
            base: None,
        }
    }

    #[test]
    fn results_lie_in_the_interval() {
        let mut r = Random::new(7);
        let number = |r: &mut Random| {
            let n = r.next_u64() as i64 >> r.below(64);
            if r.below(8) == 0 { i64::MIN } else { n }
        };
        for _ in 0..200_000 {
            let mut x = [number(&mut r), number(&mut r), number(&mut r)];
            let mut y = [number(&mut r), number(&mut r), number(&mut r)];
            x.sort_unstable();
            y.sort_unstable();
            let (a, b) = (operand(x[0], x[2]), operand(y[0], y[2]));
            let (u, v) = (x[1], y[1]);
            for (op, result) in [
                (Binary::Add, u.wrapping_add(v)),
                (Binary::Subtract, u.wrapping_sub(v)),
                (Binary::Multiply, u.wrapping_mul(v)),
                (Binary::BitAnd, u & v),
                (Binary::BitOr, u | v),
                (Binary::BitXor, u ^ v),
                (Binary::ShiftLeft, u << (v & 63)),
                (Binary::ShiftRight, u >> (v & 63)),
                (
                    Binary::Divide,
                    if v == 0 { continue } else { u.wrapping_div(v) },
                ),
                (
                    Binary::Modulo,
                    if v == 0 { continue } else { u.wrapping_rem(v) },
                ),
            ] {
                let (low, high) = interval(op, &a, &b);
                assert!(
                    low <= result && result <= high,
                    "{op:?} {x:?} {y:?} {result}"
                );
            }
        }
    }
}
