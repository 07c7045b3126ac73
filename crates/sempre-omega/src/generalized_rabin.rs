//! Generalised Rabin acceptance as a normal form of any other.
//!
//! A condition in disjunctive normal form is a disjunction of pairs, each a conjunction of `Fin`s and of `Inf`s. A
//! run avoids several sets iff it avoids their union, so one `Fin` set is enough for a pair. Here each pair gets sets
//! of its own, in the order in which HOA numbers them (`Fin(0) & Inf(1) & … & Inf(p)`, then the next pair), so that
//! the condition has the name `generalized-Rabin`, or `Rabin` when each pair has one `Inf`. A pair without `Fin` gets
//! an empty one.
//!
//! The condition is simplified by the marks before and after, so that the pairs are few; edges and states stay as
//! they are. Cost: the number of pairs may be exponential in the condition; the caller gives a limit.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::dnf;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::simplify_acceptance::simplify_acceptance;

/// The automaton with a generalised Rabin condition for the same language; `None` if it has more than
/// `limit` pairs.
pub fn generalized_rabin(a: &Automaton, limit: usize) -> Option<Automaton> {
    let mut out = a.clone();
    simplify_acceptance(&mut out);
    let pairs = dnf(&out.acceptance, limit)?;
    out.sets = pairs.iter().map(|p| 1 + p.inf.len()).sum();
    let mut parts = Vec::with_capacity(pairs.len());
    let mut next = 0;
    for pair in &pairs {
        let infs = next + 1..next + 1 + pair.inf.len();
        next = infs.end;
        let fin = Acceptance::Fin(infs.start - 1);
        let infs = infs.map(Acceptance::Inf);
        parts.push(Acceptance::and(std::iter::once(fin).chain(infs)));
    }
    out.acceptance = Acceptance::or(parts);
    for e in out.edges.iter_mut().flatten() {
        let old = std::mem::take(&mut e.mark);
        let mut own = Vec::new();
        let mut next = 0;
        for pair in &pairs {
            if old.intersects(&pair.fin) {
                own.push(next);
            }
            let infs = (next + 1..).zip(pair.inf.iter());
            own.extend(infs.filter(|(_, i)| old.contains(*i)).map(|(n, _)| n));
            next += 1 + pair.inf.len();
        }
        e.mark = own.into_iter().collect::<Mark>();
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdds;
    use crate::hoa::acceptance_name::acceptance_name;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    /// That the language stays is tested with the removal of `Fin`.
    #[test]
    fn every_condition_gets_the_name() {
        let mut r = Random::new(61);
        let mut bdds = Bdds::new();
        let mut names = [0; 4];
        for _ in 0..1000 {
            let sets = r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(4), &[0], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.6;
            let a = o.generate(&mut r, &mut bdds);
            let g = generalized_rabin(&a, 100).expect("few pairs");
            let name = acceptance_name(&g.acceptance, g.sets).expect("a name");
            let known = [
                "generalized-Rabin",
                "Rabin",
                "co-Buchi",
                "generalized-co-Buchi",
            ];
            // `Fin`s alone have names of their own; without any pair nothing is accepted.
            match known.iter().position(|k| name.starts_with(k)) {
                Some(i) => names[i] += 1,
                None => assert_eq!(name, "none"),
            }
            assert!(
                g.edges
                    .iter()
                    .flatten()
                    .all(|e| e.mark.is_subset(&Mark::all(g.sets)))
            );
            assert_eq!(g.edge_count(), a.edge_count());
        }
        assert!(names.iter().all(|&n| n > 10), "{names:?}");
    }

    #[test]
    fn fins_of_a_pair_are_united() {
        use Acceptance::{Fin, Inf};
        let mut a = Automaton::new(
            vec![],
            3,
            Acceptance::or([
                Acceptance::and([Fin(0), Fin(1), Inf(2)]),
                Acceptance::and([Fin(2), Inf(0)]),
            ]),
        );
        a.add_state();
        a.initial.push(0);
        for m in [vec![0], vec![1], vec![2], vec![]] {
            a.add_edge(0, 0, crate::Bdd::TRUE, m.into_iter().collect());
        }
        let g = generalized_rabin(&a, 10).expect("two pairs");
        let text = "(Fin(0) & Inf(1)) | (Fin(2) & Inf(3))";
        assert_eq!(g.acceptance.to_string(), text);
        let marks: Vec<Vec<u32>> = g.edges[0].iter().map(|e| e.mark.iter().collect()).collect();
        assert_eq!(marks, [vec![0, 3], vec![0], vec![1, 2], vec![]]);
    }
}
