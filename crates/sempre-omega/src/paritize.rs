//! Any acceptance to parity, keeping determinism: the latest appearance record.
//!
//! Gurevich, Harrington, "Trees, automata, and games" (STOC 1982), on edges and sets as in Renkin, Duret-Lutz,
//! Pommellet, "Practical paritizing of Emerson-Lei automata" (ATVA 2020). A state of the result is a state and a
//! *record*, the sets in the order of their latest appearance, the latest first. An edge moves its sets to the front;
//! let `h` be the old position (from 1) of the last of them, 0 if there is none. The sets that a run sees infinitely
//! often are finally in front, and the largest `h` that occurs infinitely often is their number; then the first `h`
//! of the record are exactly they. So the priority of an edge is determined by `h`, even if the first `h` sets
//! satisfy the condition, odd if not, and the largest that is seen infinitely often decides.
//!
//! Differences: each component has its own simplified condition, and needs no record if that is a parity condition
//! already (Büchi, co-Büchi, one Rabin pair, …). Records are reset when a run enters a component.
//!
//! The result has the condition *parity min even*, as determinisation has. Cost: at most `n!` records for `n` sets of
//! a component.

use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdds;
use crate::determinize::parity_min_even;
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::scc::Sccs;
use crate::simplify_acceptance::component_condition;
use rustc_hash::FxHashMap;

/// The priorities of a component; the largest decides, even ones accept.
enum PriorityRule {
    /// The condition is a chain: these sets have these priorities, no set has the last one.
    Chain(Vec<(u32, u32)>, u32),
    /// The condition, and its sets in the order in which records start.
    Record(Acceptance, Vec<u32>),
}

/// A *parity min even* automaton for the same language, deterministic if the other is; `None` if it has
/// more than `limit` states.
pub fn to_parity(a: &Automaton, bdds: &mut Bdds, limit: usize) -> Option<Automaton> {
    let mut a = a.clone();
    prune(&mut a);
    let sccs = Sccs::new(&a);
    let rules: Vec<PriorityRule> = (0..sccs.len())
        .map(|c| {
            let condition = if sccs.is_trivial(&a, c) {
                Acceptance::False
            } else {
                component_condition(&a, &sccs, c)
            };
            let (infs, fins) = condition.sets_used();
            match chain(&condition) {
                Some((sets, rest)) => PriorityRule::Chain(sets, rest),
                None => PriorityRule::Record(condition, infs.union(&fins).iter().collect()),
            }
        })
        .collect();
    let start = |s: u32| match &rules[sccs.of[s as usize] as usize] {
        PriorityRule::Chain(..) => Vec::new(),
        PriorityRule::Record(_, sets) => sets.clone(),
    };
    let mut out = Automaton::new(a.propositions.clone(), 0, Acceptance::False);
    out.name.clone_from(&a.name);
    let mut number: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
    let mut states: Vec<(u32, Vec<u32>)> = Vec::new();
    for &s in &a.initial {
        let state = (s, start(s));
        number.insert(state.clone(), out.add_state());
        out.initial.push(states.len() as u32);
        states.push(state);
    }
    // The priorities are stored separately until the largest is known.
    let mut priorities: Vec<Vec<Option<u32>>> = Vec::new();
    while priorities.len() < states.len() {
        if states.len() > limit {
            return None;
        }
        let at = priorities.len();
        let (s, record) = states[at].clone();
        let mut own = Vec::new();
        for e in a.edges[s as usize].iter().filter(|e| !e.label.is_false()) {
            let (record, priority) = if sccs.internal(s, e) {
                let (record, p) = step(&rules[sccs.of[s as usize] as usize], &record, &e.mark);
                (record, Some(p))
            } else {
                (start(e.to), None)
            };
            let to = *number.entry((e.to, record)).or_insert_with_key(|state| {
                states.push(state.clone());
                out.add_state()
            });
            out.add_edge(at as u32, to, e.label, Mark::EMPTY);
            own.push(priority);
        }
        priorities.push(own);
    }
    number_from_below(&mut out, &mut priorities);
    out.merge_edges(bdds);
    Some(out)
}

/// The record and the priority after an edge inside a component.
fn step(rule: &PriorityRule, record: &[u32], mark: &Mark) -> (Vec<u32>, u32) {
    match rule {
        PriorityRule::Chain(sets, rest) => {
            let seen = sets.iter().filter(|(set, _)| mark.contains(*set));
            let priority = seen.map(|(_, p)| *p).max().unwrap_or(*rest);
            (Vec::new(), priority)
        }
        PriorityRule::Record(condition, _) => {
            let last = record.iter().rposition(|&set| mark.contains(set));
            let h = last.map_or(0, |i| i + 1);
            let front: Mark = record[..h].iter().copied().collect();
            let (mut new, others): (Vec<u32>, Vec<u32>) =
                record.iter().partition(|&&set| mark.contains(set));
            // Their order among themselves is free; one order, fewer records.
            new.sort_unstable();
            new.extend(others);
            let accepts = condition.accepts(&front);
            (new, 2 * h as u32 + if accepts { 2 } else { 1 })
        }
    }
}

/// The priorities of the sets of a condition of the form `Inf(i) | (Fin(j) & (…))`, and that of an edge
/// without any of them.
fn chain(condition: &Acceptance) -> Option<(Vec<(u32, u32)>, u32)> {
    // From the outside to the inside, with the sign: the outer one decides.
    let mut order: Vec<(Vec<u32>, bool)> = Vec::new();
    let mut rest = condition.clone();
    let last = loop {
        rest = match rest {
            Acceptance::True => break true,
            Acceptance::False => break false,
            Acceptance::Inf(i) => {
                order.push((vec![i], true));
                break false;
            }
            Acceptance::Fin(i) => {
                order.push((vec![i], false));
                break true;
            }
            Acceptance::Or(parts) => {
                let (own, rest) = peel(parts, |p| match p {
                    Acceptance::Inf(i) => Some(*i),
                    _ => None,
                })?;
                order.push((own, true));
                Acceptance::or(rest)
            }
            Acceptance::And(parts) => {
                let (own, rest) = peel(parts, |p| match p {
                    Acceptance::Fin(i) => Some(*i),
                    _ => None,
                })?;
                order.push((own, false));
                Acceptance::and(rest)
            }
        };
    };
    let mut next = if last { 2 } else { 1 };
    let lowest = next;
    let mut sets = Vec::new();
    for (own, accepting) in order.into_iter().rev() {
        next += 1;
        if (next % 2 == 0) != accepting {
            next += 1;
        }
        sets.extend(own.into_iter().map(|set| (set, next)));
    }
    Some((sets, lowest))
}

/// The sets of the operands that are the wanted atoms, and the other operands; `None` if there is
/// no such atom, or several others.
fn peel(
    parts: Vec<Acceptance>,
    wanted: impl Fn(&Acceptance) -> Option<u32>,
) -> Option<(Vec<u32>, Vec<Acceptance>)> {
    let own: Vec<u32> = parts.iter().filter_map(&wanted).collect();
    let others: Vec<Acceptance> = parts.into_iter().filter(|p| wanted(p).is_none()).collect();
    (!own.is_empty() && others.len() <= 1).then_some((own, others))
}

/// Turns priorities of which the largest decides into sets of which the smallest does, as few as
/// possible: in each component of the result, priorities without others between them are one.
fn number_from_below(out: &mut Automaton, priorities: &mut [Vec<Option<u32>>]) {
    let sccs = Sccs::new(out);
    // For each component the used priorities, from the largest on, and their new numbers.
    let mut used: Vec<Vec<u32>> = vec![Vec::new(); sccs.len()];
    for (s, own) in priorities.iter_mut().enumerate() {
        let c = sccs.of[s];
        for (e, p) in out.edges[s].iter().zip(own) {
            match p {
                Some(p) if sccs.of[e.to as usize] == c => used[c as usize].push(*p),
                _ => *p = None,
            }
        }
    }
    let mut new: Vec<FxHashMap<u32, u32>> = Vec::new();
    let mut sets = 0;
    for own in &mut used {
        own.sort_unstable_by(|x, y| y.cmp(x));
        own.dedup();
        let mut map = FxHashMap::default();
        let mut next = 0;
        for (i, &p) in own.iter().enumerate() {
            if i == 0 {
                next = p % 2;
            } else if (own[i - 1] + p) % 2 == 1 {
                next += 1;
            }
            map.insert(p, next);
            sets = sets.max(next + 1);
        }
        new.push(map);
    }
    // A run that sees no set rejects, so the last set must be accepting.
    sets -= u32::from(sets > 0 && sets % 2 == 0);
    for (s, own) in priorities.iter().enumerate() {
        let c = sccs.of[s] as usize;
        for (e, p) in out.edges[s].iter_mut().zip(own) {
            let set = p.map(|p| new[c][&p]).filter(|&set| set < sets);
            e.mark = set.map_or(Mark::EMPTY, Mark::single);
        }
    }
    out.sets = sets;
    out.acceptance = parity_min_even(sets);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hoa::acceptance_name::acceptance_name;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_stays_and_the_condition_is_parity() {
        let mut r = Random::new(121);
        let mut bdds = Bdds::new();
        let (mut yes, mut grown) = (0, 0);
        for round in 0..1500 {
            let sets = 1 + r.below(4) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.3 + 0.4 * r.unit();
            o.deterministic = round % 2 == 0;
            let a = o.generate(&mut r, &mut bdds);
            let b = to_parity(&a, &mut bdds, 10_000).expect("few states");
            grown += usize::from(b.states() > a.states());
            let name = acceptance_name(&b.acceptance, b.sets).expect("a name");
            let known = ["parity min even", "Buchi", "none"];
            assert!(known.iter().any(|k| name.starts_with(k)), "{name}");
            assert_eq!(b.acceptance, parity_min_even(b.sets));
            if a.is_deterministic(&mut bdds) {
                assert!(b.is_deterministic(&mut bdds));
            }
            for _ in 0..10 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {b:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 1500 && yes < 13_500, "{yes}");
        // Records are needed, and not always.
        assert!(grown > 100 && grown < 1400, "{grown}");
    }
}
