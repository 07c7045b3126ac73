//! Structural reasons against spurious solutions of the state equation: traps that would be emptied, and tokens
//! without a source.
//!
//! Both are maximal sets, computed by removing elements until a fixpoint. [`certificate`](crate::certificate) states
//! what they prove.

use crate::net::Net;

/// The arcs of a net by place, for the searches below.
pub(crate) struct Arcs {
    consumers: Vec<Vec<(u32, i64)>>,
    changers: Vec<Vec<(u32, i64)>>,
}

impl Arcs {
    pub(crate) fn new(net: &Net) -> Self {
        Self {
            consumers: net.consumers(),
            changers: net.changers(),
        }
    }

    pub(crate) fn changers(&self) -> &[Vec<(u32, i64)>] {
        &self.changers
    }
}

/// The greatest trap among the places that are empty in a marking, if it is marked initially.
pub(crate) fn emptied_trap(net: &Net, arcs: &Arcs, marking: &[f64]) -> Option<Vec<u32>> {
    let mut is_in: Vec<bool> = marking.iter().map(|&tokens| tokens < 1e-6).collect();
    // For each transition, the number of places of the set that it puts tokens into.
    let mut puts = vec![0u32; net.transitions.len()];
    for (t, transition) in net.transitions.iter().enumerate() {
        let places = transition
            .inputs
            .iter()
            .chain(&transition.change)
            .map(|e| e.0);
        let mut places: Vec<u32> = places.filter(|&p| is_in[p as usize]).collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&p| transition.input(p) + transition.change(p) > 0);
        puts[t] = places.len() as u32;
    }
    let leaves = |puts: &[u32], p: usize| {
        let mut changers = arcs.changers[p].iter();
        changers.any(|&(t, change)| change < 0 && puts[t as usize] == 0)
    };
    let mut open: Vec<usize> = (0..net.places())
        .filter(|&p| is_in[p] && leaves(&puts, p))
        .collect();
    while let Some(p) = open.pop() {
        if !std::mem::replace(&mut is_in[p], false) {
            continue;
        }
        // A transition that puts tokens into the place changes it or puts back what it takes.
        let tests = arcs.consumers[p].iter().map(|e| e.0);
        let marked_later = arcs.changers[p].iter().map(|e| e.0);
        let mut touching: Vec<u32> = tests.chain(marked_later).collect();
        touching.sort_unstable();
        touching.dedup();
        for t in touching {
            let transition = &net.transitions[t as usize];
            if transition.input(p as u32) + transition.change(p as u32) <= 0 {
                continue;
            }
            puts[t as usize] -= 1;
            if puts[t as usize] == 0 {
                let taken = transition.change.iter().filter(|c| c.1 < 0);
                open.extend(taken.map(|c| c.0 as usize).filter(|&q| is_in[q]));
            }
        }
    }
    let is_marked = (is_in.iter().zip(&net.initial)).any(|(&is_in, &tokens)| is_in && tokens > 0);
    is_marked.then(|| {
        (0..net.places() as u32)
            .filter(|&p| is_in[p as usize])
            .collect()
    })
}

/// Places that are empty initially and stay empty if only the transitions in `support` fire, although some of these
/// need a token of them.
pub(crate) fn unmarkable_places(net: &Net, arcs: &Arcs, support: &[u32]) -> Option<Vec<u32>> {
    let mut marked: Vec<bool> = net.initial.iter().map(|&tokens| tokens > 0).collect();
    let mut fires = vec![false; net.transitions.len()];
    let mut in_support = vec![false; net.transitions.len()];
    support.iter().for_each(|&t| in_support[t as usize] = true);
    let mut missing = vec![0usize; net.transitions.len()];
    let mut open = Vec::new();
    for &t in support {
        let inputs = net.transitions[t as usize].inputs.iter();
        missing[t as usize] = inputs.filter(|&&(p, _)| !marked[p as usize]).count();
        if missing[t as usize] == 0 {
            open.push(t);
        }
    }
    while let Some(t) = open.pop() {
        fires[t as usize] = true;
        for &(p, change) in &net.transitions[t as usize].change {
            if change <= 0 || std::mem::replace(&mut marked[p as usize], true) {
                continue;
            }
            for &(u, _) in &arcs.consumers[p as usize] {
                if in_support[u as usize] {
                    missing[u as usize] -= 1;
                    if missing[u as usize] == 0 {
                        open.push(u);
                    }
                }
            }
        }
    }
    if support.iter().all(|&t| fires[t as usize]) {
        return None;
    }
    Some(
        (0..net.places() as u32)
            .filter(|&p| !marked[p as usize])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::random_net;
    use sempre_base::Random;

    fn subsets(net: &Net) -> impl Iterator<Item = Vec<u32>> {
        let places = net.places() as u32;
        (1u32..1 << places).map(move |bits| (0..places).filter(|p| bits >> p & 1 == 1).collect())
    }

    fn is_trap(net: &Net, places: &[u32]) -> bool {
        net.transitions.iter().all(|t| {
            let takes = places.iter().any(|&p| t.change(p) < 0);
            !takes || places.iter().any(|&p| t.input(p) + t.change(p) > 0)
        })
    }

    #[test]
    fn the_greatest_marked_trap_is_found() {
        let mut random = Random::new(6);
        let (mut found, mut none) = (0, 0);
        for _ in 0..2000 {
            let net = random_net(&mut random);
            let marking: Vec<f64> = (0..net.places()).map(|_| random.below(2) as f64).collect();
            // The union of traps is a trap.
            let mut greatest: Vec<u32> = Vec::new();
            for places in subsets(&net) {
                if places.iter().all(|&p| marking[p as usize] == 0.0) && is_trap(&net, &places) {
                    greatest.extend(places);
                }
            }
            greatest.sort_unstable();
            greatest.dedup();
            let marked = greatest.iter().any(|&p| net.initial[p as usize] > 0);
            let expected = marked.then_some(greatest);
            *if marked { &mut found } else { &mut none } += 1;
            assert_eq!(
                emptied_trap(&net, &Arcs::new(&net), &marking),
                expected,
                "{net:?}"
            );
        }
        assert!(found > 100 && none > 100, "{found} {none}");
    }

    #[test]
    fn unmarkable_places_stay_empty() {
        let mut random = Random::new(7);
        let mut found = 0;
        for _ in 0..2000 {
            let net = random_net(&mut random);
            let all = 0..net.transitions.len() as u32;
            let support: Vec<u32> = all.filter(|_| random.chance(0.5)).collect();
            let Some(places) = unmarkable_places(&net, &Arcs::new(&net), &support) else {
                continue;
            };
            found += 1;
            let needs = |t: &u32| {
                places
                    .iter()
                    .any(|&p| net.transitions[*t as usize].input(p) > 0)
            };
            assert!(places.iter().all(|&p| net.initial[p as usize] == 0));
            assert!(support.iter().any(needs));
            for t in support.iter().filter(|t| !needs(t)) {
                assert!(
                    places
                        .iter()
                        .all(|&p| net.transitions[*t as usize].change(p) <= 0)
                );
            }
        }
        assert!(found > 100, "{found}");
    }
}
