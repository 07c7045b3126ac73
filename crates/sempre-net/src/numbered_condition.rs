//! A condition whose inequalities are numbered, so that their values are stored outside and shared by many
//! conditions.

use crate::condition::{Condition, Linear};

/// A condition over the numbers of inequalities.
#[derive(Clone, Debug)]
pub(crate) enum NumberedCondition {
    AtMost(u32),
    All(Vec<NumberedCondition>),
    Any(Vec<NumberedCondition>),
}

impl NumberedCondition {
    pub(crate) fn new(condition: &Condition, inequalities: &mut Vec<Linear>) -> Self {
        let mut parts = |parts: &[Condition]| -> Vec<NumberedCondition> {
            parts.iter().map(|p| Self::new(p, inequalities)).collect()
        };
        match condition {
            Condition::All(inner) => Self::All(parts(inner)),
            Condition::Any(inner) => Self::Any(parts(inner)),
            Condition::AtMost(linear) => {
                let number = inequalities.len() as u32;
                inequalities.push(linear.clone());
                Self::AtMost(number)
            }
        }
    }

    /// The distance from the condition; zero if and only if it holds.
    pub(crate) fn distance(&self, distances: &dyn Fn(u32) -> u64) -> u64 {
        match self {
            Self::AtMost(number) => distances(*number),
            Self::All(parts) => {
                (parts.iter()).fold(0, |sum: u64, p| sum.saturating_add(p.distance(distances)))
            }
            Self::Any(parts) => {
                let mut least = u64::MAX;
                for part in parts {
                    least = least.min(part.distance(distances));
                    if least == 0 {
                        break;
                    }
                }
                least
            }
        }
    }

    pub(crate) fn holds(&self, is_true: &dyn Fn(u32) -> bool) -> bool {
        match self {
            Self::AtMost(number) => is_true(*number),
            Self::All(parts) => parts.iter().all(|p| p.holds(is_true)),
            Self::Any(parts) => parts.iter().any(|p| p.holds(is_true)),
        }
    }

    pub(crate) fn each(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Self::AtMost(number) => visit(*number),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|p| p.each(visit)),
        }
    }
}
