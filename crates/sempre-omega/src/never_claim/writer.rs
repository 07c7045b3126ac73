//! Büchi automata as never claims.
//!
//! Accepting states are named `accept_…`, the first state is the initial one, a state that accepts
//! everything is `skip`ped to the end of the claim as SPIN does it. Guards are sums of products over
//! the names of propositions; a name that is no identifier goes into parentheses as it is.
//!
//! An automaton whose acceptance is `t` without sets is written too: all its states accept.

use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::labels::{LabelStyle, label_text};
use rustc_hash::FxHashMap;
use std::fmt;
use std::fmt::Write;

/// Why an automaton cannot be a never claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeverClaimError {
    /// The acceptance condition is neither `Inf(0)` nor `t`.
    NotBuchi,
    /// Edges that leave the same state carry different marks.
    MarksOnEdges,
    /// There are several initial states, a claim has one.
    SeveralInitialStates,
}

impl fmt::Display for NeverClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotBuchi => "a never claim needs Büchi acceptance",
            Self::MarksOnEdges => "a never claim needs acceptance on states",
            Self::SeveralInitialStates => "a never claim needs one initial state",
        })
    }
}

impl std::error::Error for NeverClaimError {}

/// The automaton as a never claim, with a line break at its end.
pub fn write_never_claim(
    alphabet: &mut Alphabet,
    a: &Automaton,
) -> Result<String, NeverClaimError> {
    let set = match a.acceptance {
        Acceptance::Inf(i) => Some(i),
        Acceptance::True => None,
        _ => return Err(NeverClaimError::NotBuchi),
    };
    let accepts = |e: &crate::Edge| set.is_none_or(|i| e.mark.contains(i));
    // Only the set of the condition matters.
    if (a.edges.iter()).any(|edges| edges.windows(2).any(|w| accepts(&w[0]) != accepts(&w[1]))) {
        return Err(NeverClaimError::MarksOnEdges);
    }
    if a.initial.len() > 1 {
        return Err(NeverClaimError::SeveralInitialStates);
    }
    let mut out = String::from("never {");
    if let Some(name) = &a.name {
        // A comment must not end early.
        let _ = write!(out, " /* {} */", name.replace("*/", "* /"));
    }
    out.push('\n');
    let Some(&initial) = a.initial.first() else {
        out.push_str("T0_init:\n  false;\n}\n");
        return Ok(out);
    };
    let accepting = |s: u32| a.edges[s as usize].first().is_some_and(accepts);
    // A claim that falls off its end has matched: only a last state may do so.
    let order = states_in_order(a, initial);
    let is_all = |s: u32| match &a.edges[s as usize][..] {
        [e] => e.to == s && e.label.is_true() && accepts(e),
        _ => false,
    };
    let all = order.iter().copied().find(|&s| s != initial && is_all(s));
    let label = |s: u32| {
        if Some(s) == all {
            return "accept_all".to_string();
        }
        let prefix = if accepting(s) { "accept" } else { "T0" };
        if s == initial {
            format!("{prefix}_init")
        } else {
            format!("{prefix}_S{s}")
        }
    };
    let names: Vec<String> = alphabet.names().iter().map(|n| proposition(n)).collect();
    let mut guards = FxHashMap::default();
    for &s in order.iter().filter(|&&s| Some(s) != all) {
        let _ = writeln!(out, "{}:", label(s));
        if a.edges[s as usize].is_empty() {
            out.push_str("  false;\n");
            continue;
        }
        out.push_str("  do\n");
        for e in &a.edges[s as usize] {
            sempre_base::checkpoint();
            let text = guards.entry(e.label).or_insert_with(|| {
                label_text(&mut alphabet.bdds, &names, e.label, &LabelStyle::PROMELA)
            });
            let _ = writeln!(out, "  :: ({text}) -> goto {}", label(e.to));
        }
        out.push_str("  od;\n");
    }
    if all.is_some() {
        out.push_str("accept_all:\n  skip\n");
    }
    out.push_str("}\n");
    Ok(out)
}

/// The reachable states by number, the initial one before all.
fn states_in_order(a: &Automaton, initial: u32) -> Vec<u32> {
    let mut reached = vec![false; a.states()];
    reached[initial as usize] = true;
    let mut stack = vec![initial];
    while let Some(s) = stack.pop() {
        for e in &a.edges[s as usize] {
            if !std::mem::replace(&mut reached[e.to as usize], true) {
                stack.push(e.to);
            }
        }
    }
    std::iter::once(initial)
        .chain((0..a.states() as u32).filter(|&s| s != initial && reached[s as usize]))
        .collect()
}

pub(crate) fn proposition(name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain {
        name.to_string()
    } else {
        format!("({name})")
    }
}
