//! Automata that exceed the limits of a translation.

use std::fmt;

/// Constructions may make this many times as many edges as the limit, since reductions leave fewer.
pub(crate) const MAX_WASTE: usize = 3;

/// An automaton that exceeds the limits of a translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// The construction was stopped at this limit.
    Construction {
        /// The limit of edges.
        edges: usize,
    },
    /// A product of independent parts would have this size.
    Product {
        /// The number of parts.
        parts: usize,
        /// The states of the product; `u128::MAX` also for more.
        states: u128,
        /// The edges of the product; `u128::MAX` also for more.
        edges: u128,
        /// The limit of edges.
        limit: usize,
    },
}

impl fmt::Display for TooLarge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::Construction { edges } => write!(
                out,
                "the automaton is too large: its construction exceeds the limit of {edges} edges"
            ),
            TooLarge::Product {
                parts,
                states,
                edges,
                limit,
            } => {
                write!(
                    out,
                    "the automaton is too large: {parts} parts of the formula have no common proposition, so that their states and \
                     edges multiply to {} and {} (the limit is {limit} edges)",
                    Size(*states, "state"),
                    Size(*edges, "edge")
                )
            }
        }
    }
}

/// A number with its unit: large powers of two as powers.
struct Size(u128, &'static str);

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Size(n, unit) = *self;
        let plural = if n == 1 { "" } else { "s" };
        match n {
            u128::MAX => write!(out, "over 10^38 {unit}s"),
            n if n > 1 << 20 && n.is_power_of_two() => {
                write!(out, "2^{} {unit}s", n.trailing_zeros())
            }
            n if n > 10_000_000 => write!(out, "{:.1e} {unit}s", n as f64),
            n => write!(out, "{n} {unit}{plural}"),
        }
    }
}
