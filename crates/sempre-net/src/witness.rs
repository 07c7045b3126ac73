//! Paths of transitions that lead to a condition: replay and shortening.

use crate::condition::Condition;
use crate::net::Net;

/// The marking that the transitions lead to; `None` if one of them is not enabled.
pub fn replayed(net: &Net, path: &[u32]) -> Option<Vec<i64>> {
    let mut marking = net.initial.clone();
    for &t in path {
        let transition = &net.transitions[t as usize];
        if !transition.is_enabled(&marking) {
            return None;
        }
        transition.fire(&mut marking);
    }
    Some(marking)
}

/// A path to the condition that is no longer, and often shorter: parts that are not needed are removed (Zeller and
/// Hildebrandt, *Simplifying and isolating failure-inducing input*, IEEE TSE 28, 2002), within this limit of work.
pub fn shortened(net: &Net, goal: &Condition, path: &[u32], mut work: u64) -> Vec<u32> {
    let mut path = path.to_vec();
    let mut size = path.len().div_ceil(2).max(1);
    let mut marking = net.initial.clone();
    while !path.is_empty() {
        let mut end = path.len();
        while end > 0 {
            let start = end.saturating_sub(size);
            if work < path.len() as u64 {
                return path;
            }
            work -= path.len() as u64;
            marking.clone_from(&net.initial);
            let without = path[..start].iter().chain(&path[end..]);
            let leads = without.copied().all(|t| {
                let transition = &net.transitions[t as usize];
                let enabled = transition.is_enabled(&marking);
                if enabled {
                    transition.fire(&mut marking);
                }
                enabled
            });
            if leads && goal.holds(&marking) {
                path.drain(start..end);
            }
            end = start;
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
    path
}
