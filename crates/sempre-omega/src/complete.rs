//! Completion: an edge for each letter in each state, by a rejecting sink.
//!
//! The marks on the loop of the sink must make it reject. If the condition rejects some set of marks,
//! that set is used; if it accepts all sets (as `t` does), it is replaced by a Büchi condition that all
//! old edges fulfil.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::satisfying_marks;
use crate::automaton::Automaton;
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;

/// Completes the automaton, so that every state has an edge for each letter, without changing the language. Returns
/// the sink, if one was needed.
///
/// With acceptance on states (all edges of each state marked alike) the result has it too.
pub fn complete(bdds: &mut Bdds, a: &mut Automaton) -> Option<u32> {
    let missing: Vec<Bdd> = a
        .edges
        .iter()
        .map(|edges| {
            let seen = edges
                .iter()
                .fold(Bdd::FALSE, |seen, e| bdds.or(seen, e.label));
            bdds.not(seen)
        })
        .collect();
    if missing.iter().all(|m| m.is_false()) && !a.initial.is_empty() {
        return None;
    }
    let rejected = satisfying_marks(&a.acceptance.complement()).unwrap_or_else(|| {
        a.sets = 1;
        a.acceptance = Acceptance::buchi();
        for e in a.edges.iter_mut().flatten() {
            e.mark = Mark::single(0);
        }
        Mark::EMPTY
    });
    let sink = a.add_state();
    if a.initial.is_empty() {
        a.initial.push(sink);
    }
    for (s, &label) in missing.iter().enumerate() {
        // At most one such edge is added; the marks of its neighbours preserve acceptance on states.
        let mark = a.edges[s]
            .first()
            .map_or_else(|| rejected.clone(), |e| e.mark.clone());
        a.add_edge(s as u32, sink, label, mark);
    }
    a.add_edge(sink, sink, Bdd::TRUE, rejected);
    Some(sink)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn completion_keeps_the_language() {
        let mut r = Random::new(4);
        let mut bdds = Bdds::new();
        let mut sinks = 0;
        for round in 0..400 {
            let sets = r.below(4) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.state_acceptance = round % 2 == 0;
            o.deterministic = round % 3 == 0;
            let a = o.generate(&mut r, &mut bdds);
            let mut b = a.clone();
            if round % 50 == 7 {
                b.initial.clear();
                complete(&mut bdds, &mut b);
                assert!(b.is_complete(&mut bdds));
                let w = random_word(&mut r, &[0, 1], 3, 3);
                assert!(!accepts(&bdds, &b, &w));
                continue;
            }
            let was = a.is_complete(&mut bdds);
            assert_eq!(complete(&mut bdds, &mut b).is_some(), !was);
            sinks += usize::from(!was);
            assert!(b.is_complete(&mut bdds));
            assert!(!o.state_acceptance || b.has_state_acceptance());
            assert_eq!(b.is_deterministic(&mut bdds), a.is_deterministic(&mut bdds));
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 3);
                assert_eq!(accepts(&bdds, &a, &w), accepts(&bdds, &b, &w));
            }
        }
        assert!(sinks > 100);
    }
}
