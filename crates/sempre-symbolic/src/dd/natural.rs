//! Natural numbers of unlimited size, with what counting needs: sums, comparison, decimal digits.
//!
//! No library: an addition and a division by a word suffice.

use std::fmt;

/// A natural number: words of 64 bits, the lowest first, without leading zeros.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Natural(Vec<u64>);

/// The greatest power of ten in a word.
const TEN: u64 = 10_000_000_000_000_000_000;

impl Natural {
    /// Adds `other` to this number.
    pub fn add(&mut self, other: &Natural) {
        let mut carry = false;
        for i in 0..other.0.len().max(self.0.len()) {
            if i == self.0.len() {
                self.0.push(0);
            }
            let b = other.0.get(i).copied().unwrap_or(0);
            if b == 0 && !carry && i >= other.0.len() {
                break;
            }
            let (sum, over) = self.0[i].overflowing_add(b);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            self.0[i] = sum;
            carry = over || again;
        }
        if carry {
            self.0.push(1);
        }
    }

    /// The number, if it fits into 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0[..] {
            [] => Some(0),
            [x] => Some(x),
            _ => None,
        }
    }

    /// The number, perhaps rounded; infinite if it is too large.
    pub fn to_f64(&self) -> f64 {
        (self.0.iter().rev()).fold(0.0, |x, &word| x * 2f64.powi(64) + word as f64)
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        Self::from(u128::from(number))
    }
}

impl From<u128> for Natural {
    fn from(number: u128) -> Self {
        let mut words = vec![number as u64, (number >> 64) as u64];
        while words.last() == Some(&0) {
            words.pop();
        }
        Self(words)
    }
}

impl PartialEq<u64> for Natural {
    fn eq(&self, other: &u64) -> bool {
        self.to_u64() == Some(*other)
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.0.clone();
        let mut parts = Vec::new();
        while !words.is_empty() {
            let mut rest = 0u128;
            for word in words.iter_mut().rev() {
                let x = rest << 64 | u128::from(*word);
                *word = (x / u128::from(TEN)) as u64;
                rest = x % u128::from(TEN);
            }
            parts.push(rest as u64);
            while words.last() == Some(&0) {
                words.pop();
            }
        }
        let mut digits = parts.pop().unwrap_or(0).to_string();
        for part in parts.iter().rev() {
            digits.push_str(&format!("{part:019}"));
        }
        f.pad_integral(true, "", &digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn sums_are_those_of_machine_numbers() {
        let mut r = Random::new(5);
        for _ in 0..5000 {
            let mut number = || {
                let x = u128::from(r.next_u64()) << 64 | u128::from(r.next_u64());
                x >> (1 + r.below(127))
            };
            let (a, b) = (number(), number());
            let mut sum = Natural::from(a);
            sum.add(&Natural::from(b));
            assert_eq!(sum, Natural::from(a + b));
            assert_eq!(sum.to_string(), (a + b).to_string());
            assert_eq!(Natural::from(a).cmp(&Natural::from(b)), a.cmp(&b));
            assert!((sum.to_f64() / (a + b).max(1) as f64 - 1.0).abs() < 1e-9 || a + b == 0);
        }
    }

    #[test]
    fn large_powers_of_two_print_correctly() {
        // Doubles decimal digits by hand.
        let mut number = Natural::from(1u64);
        let mut digits = vec![1u8];
        for _ in 0..700 {
            let copy = number.clone();
            number.add(&copy);
            let mut carry = 0;
            for d in &mut digits {
                let x = *d * 2 + carry;
                *d = x % 10;
                carry = x / 10;
            }
            if carry > 0 {
                digits.push(carry);
            }
            let text: String = digits.iter().rev().map(|d| (b'0' + d) as char).collect();
            assert_eq!(number.to_string(), text);
        }
        assert_eq!(Natural::default().to_string(), "0");
        assert_eq!(Natural::default(), 0);
        assert_eq!(number.to_u64(), None);
    }
}
