//! How many processes there can be, and which numbers those of a proctype can have, where no `run` is executed twice
//! by the same process.
//!
//! Then the processes form a finite tree: each `run` statement of a process makes one child at most. A process of a
//! proctype has at most as many descendants as the statements of its body, and of the bodies that these run, say.
//!
//! * **From below.** A process that runs another lives, and with it all processes with smaller numbers; so the number of
//!   the child is greater than its own.
//! * **From above.** The number of a new process is the number of those that live. When a `run` is executed, neither its
//!   own subtree exists yet, nor those of the statements of the same process that do not come before it.
//!
//! Both hold whatever dies in between, since a death makes numbers smaller only, and a process that lives keeps those below it alive.

use super::body::Body;
use super::flow::{El, Kind};
use super::instances::places;
use super::resolve::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement that makes a process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    element: El,
    pub proctype: usize,
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Population {
    /// How many processes there are at most.
    pub most: usize,
    /// The least and greatest slot in which a `run` makes a process of each proctype.
    pub slots: FxHashMap<usize, (usize, usize)>,
}

/// The statements of a body that make processes.
pub(super) fn sites(body: &Body) -> Vec<Site> {
    let mut all = Vec::new();
    for (element, e) in body.flow.elements.iter().enumerate() {
        if let Kind::Condition(v) | Kind::Assign(_, v) = &e.kind {
            collect(v, element, &mut all);
        }
    }
    all
}

fn collect(value: &Value, element: El, out: &mut Vec<Site>) {
    match value {
        Value::Run(proctype, ..) => out.push(Site {
            element,
            proctype: *proctype,
        }),
        Value::Unary(_, a) => collect(a, element, out),
        Value::Binary(_, a, b) => {
            collect(a, element, out);
            collect(b, element, out);
        }
        Value::If(a, b, c) => {
            collect(a, element, out);
            collect(b, element, out);
            collect(c, element, out);
        }
        _ => {}
    }
}

/// The statements that can be executed after a statement.
fn after(body: &Body, from: El) -> FxHashSet<El> {
    let flow = &body.flow;
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::default();
    let mut open: Vec<El> = flow.target(from).ok().flatten().into_iter().collect();
    while let Some(place) = open.pop() {
        if !seen.insert(place) {
            continue;
        }
        for leaf in flow.groups(place).into_iter().flatten().flatten() {
            found.insert(leaf);
            open.extend(flow.target(leaf).ok().flatten());
            // What is inside of a `d_step` has no leaves of its own here.
            if let Kind::DStep(s) = flow.elements[leaf].kind {
                open.extend(flow.sequences[s].first);
            }
        }
    }
    found
}

/// The bounds; `None` if a process may make any number of others. `initial` are the proctypes of those that are there
/// from the start, and `first` is the first slot that can become free.
pub(super) fn population(initial: &[usize], first: usize, bodies: &[Body]) -> Option<Population> {
    let all: Vec<Vec<Site>> = bodies.iter().map(sites).collect();
    // What is executed before what.
    let mut follows: Vec<Vec<Vec<bool>>> = Vec::new();
    for (body, own) in bodies.iter().zip(&all) {
        let reached: FxHashSet<El> = (places(body).iter())
            .flat_map(|&p| {
                body.flow
                    .groups(p)
                    .unwrap_or_default()
                    .into_iter()
                    .flatten()
            })
            .collect();
        let after: Vec<FxHashSet<El>> = own.iter().map(|s| after(body, s.element)).collect();
        let looping = (own.iter().zip(&after)).any(|(s, later)| later.contains(&s.element));
        // A `run` in a `d_step` or in the same expression as another is not followed.
        let odd = own.iter().any(|s| body.flow.elements[s.element].step)
            || (1..own.len()).any(|i| own[i - 1].element == own[i].element)
            || own.iter().any(|s| !reached.contains(&s.element));
        if looping || odd {
            return None;
        }
        follows.push(
            (own.iter())
                .map(|s| {
                    after
                        .iter()
                        .map(|later| later.contains(&s.element))
                        .collect()
                })
                .collect(),
        );
    }
    // The descendants of a process; the tree is finite if a proctype is none of its own.
    let mut descendants: Vec<Option<usize>> = vec![None; bodies.len()];
    for _ in 0..=bodies.len() {
        for (p, own) in all.iter().enumerate() {
            let sum = own.iter().try_fold(0usize, |sum, s| {
                Some(
                    sum.saturating_add(descendants[s.proctype]?)
                        .saturating_add(1),
                )
            });
            descendants[p] = descendants[p].or(sum);
        }
    }
    let mut most = initial.len();
    let mut living: FxHashSet<usize> = FxHashSet::default();
    for &p in initial {
        most = most.saturating_add(descendants[p]?);
        living.insert(p);
    }
    // Those that can live, with the least slot of each.
    let mut slots: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
    let mut least: FxHashMap<usize, usize> = FxHashMap::default();
    for (slot, &p) in initial.iter().enumerate() {
        least.entry(p).or_insert(slot);
    }
    let mut open: Vec<usize> = living.iter().copied().collect();
    open.sort_unstable();
    while let Some(p) = open.pop() {
        for (i, site) in all[p].iter().enumerate() {
            let own = descendants[site.proctype]?;
            let later: usize = (0..all[p].len())
                .filter(|&k| k != i && !follows[p][i][k])
                .map(|k| descendants[all[p][k].proctype].unwrap_or(0) + 1)
                .sum();
            let high = most.saturating_sub(1 + own + later);
            let low = (least[&p] + 1).max(first);
            let entry = slots.entry(site.proctype).or_insert((low, high));
            let before = *entry;
            *entry = (entry.0.min(low), entry.1.max(high));
            let known = least.entry(site.proctype).or_insert(low);
            let lower = low < *known;
            *known = (*known).min(low);
            if lower || before != *entry || living.insert(site.proctype) {
                living.insert(site.proctype);
                open.push(site.proctype);
            }
        }
    }
    Some(Population { most, slots })
}

#[cfg(test)]
mod tests {
    use super::super::ast::File;
    use super::super::{lower, parser, preprocessor};
    use super::*;
    use crate::report::Report;

    fn bounds(text: &str, initial: &[usize], first: usize) -> Option<Population> {
        let (words, _, _) =
            preprocessor::preprocess(text, &|_| None, &preprocessor::Setup::default());
        let (file, errors): (File, _) = parser::parse(words, false);
        assert!(errors.is_empty(), "{errors:?}");
        let resolved = lower::resolve(&file, &mut Report::default());
        population(initial, first, &resolved.bodies)
    }

    #[test]
    fn each_proctype_has_its_slots() {
        // init makes an A, which makes two C, and then a B, which makes one.
        let text =
            "proctype C() { skip } proctype B() { run C() } proctype A() { run C(); run C() }
            init { run A(); run B() }";
        let found = bounds(text, &[3], 1).unwrap();
        assert_eq!(found.most, 6);
        assert_eq!(found.slots[&2], (1, 1));
        assert_eq!(found.slots[&1], (1, 4));
        assert_eq!(found.slots[&0], (2, 5));
    }

    #[test]
    fn loops_and_recursion_have_no_bounds() {
        for body in [
            "do :: run C() od",
            "L: run C(); goto L",
            "run D()",
            "run C(); run D()",
        ] {
            let text =
                format!("proctype C() {{ skip }} proctype D() {{ {body} }} init {{ run D() }}");
            assert_eq!(bounds(&text, &[2], 1), None, "{body}");
        }
        let text =
            "proctype C() { skip } proctype D() { if :: run C() :: run C() fi } init { run D() }";
        assert_eq!(bounds(text, &[2], 1).map(|p| p.most), Some(4));
    }
}
