//! Fin-removal: from any acceptance to a disjunction of generalised Büchi conditions.
//!
//! Proposition 1 of Bloemen, Duret-Lutz, van de Pol, "Explicit state model checking with generalized Büchi and Rabin
//! automata" (STTT 2019). The condition is brought into disjunctive normal form, the generalised Rabin pairs. For
//! each pair there is a copy of the automaton without the edges of its `Fin` sets, whose edges carry the pair's own
//! `Inf` sets; the original carries none, and a run guesses when to jump into a copy. The result accepts if the `Inf`
//! sets of one of the pairs are all seen infinitely often, which needs no more than tracking all sets in a search for
//! components.
//!
//! Differences from the proposition:
//!
//! * Jumps are made only on the edges that close cycles of a copy, as the paper's footnote proposes, and copies are
//!   made only of strongly connected pieces that can accept (shared with [`remove_fin`](mod@crate::remove_fin)).
//! * A pair without `Fin` edges in a component needs no copy of it: the original carries the pair's sets there.
//! * A pair without `Inf` sets gets one that all its edges are in; otherwise the original, which is in no set, would
//!   accept.
//!
//! Unlike [`remove_fin`](mod@crate::remove_fin), which shares the sets of all pairs to end in a conjunction, this
//! keeps a disjunction when there are several pairs without `Fin`, and so makes no copies for them.
//!
//! Cost: at most as many copies of a component as the normal form has pairs with `Fin`.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::{Clause, dnf};
use crate::automaton::Automaton;
use crate::emptiness::prune;
use crate::mark::Mark;
use crate::remove_fin::add_copies;
use crate::scc::Sccs;
use crate::simplify_acceptance::simplify_acceptance;

/// A pair and where its own sets start.
struct Pair {
    clause: Clause,
    first: u32,
}

impl Pair {
    /// The number of its own sets.
    fn sets(&self) -> u32 {
        self.clause.inf.len().max(1)
    }

    /// The own sets of an edge that carries `mark`.
    fn mark(&self, mark: &Mark) -> Mark {
        if self.clause.inf.is_empty() {
            return Mark::single(self.first);
        }
        let own = (self.first..).zip(self.clause.inf.iter());
        own.filter(|(_, old)| mark.contains(*old))
            .map(|(new, _)| new)
            .collect()
    }
}

/// An automaton without `Fin` for the same language, its condition a disjunction of conjunctions of
/// `Inf`s; `None` if the normal form of the condition has more than `limit` clauses.
pub fn fin_less(a: &Automaton, limit: usize) -> Option<Automaton> {
    let mut a = a.clone();
    prune(&mut a);
    simplify_acceptance(&mut a);
    let mut pairs: Vec<Pair> = Vec::new();
    let mut sets = 0;
    for clause in dnf(&a.acceptance, limit)? {
        let pair = Pair {
            clause,
            first: sets,
        };
        sets += pair.sets();
        pairs.push(pair);
    }
    if !a.acceptance.uses_fin() {
        a.acceptance = Acceptance::or(pairs.iter().map(|p| p.clause.conjunction()));
        return Some(a);
    }
    let condition = Acceptance::or(
        pairs
            .iter()
            .map(|p| Acceptance::and((p.first..p.first + p.sets()).map(Acceptance::Inf))),
    );
    let mut out = Automaton::new(a.propositions.clone(), sets, condition);
    out.name.clone_from(&a.name);
    out.initial.clone_from(&a.initial);
    out.edges.clone_from(&a.edges);
    for e in out.edges.iter_mut().flatten() {
        e.mark = Mark::EMPTY;
    }
    let sccs = Sccs::new(&a);
    for c in (0..sccs.len()).filter(|&c| !sccs.is_trivial(&a, c)) {
        let (any, _) = sccs.marks(&a, c);
        for pair in &pairs {
            if pair.clause.fin.intersects(&any) {
                add_copies(&a, &sccs, c, &pair.clause, &mut out, &|m| pair.mark(m));
            } else if pair.clause.inf.is_subset(&any) {
                // The copies follow the original states, whose edges are still in order.
                for &s in &sccs.states[c] {
                    let old = &a.edges[s as usize];
                    for (e, new) in old.iter().zip(&mut out.edges[s as usize]) {
                        if sccs.internal(s, e) {
                            new.mark = new.mark.union(&pair.mark(&e.mark));
                        }
                    }
                }
            }
        }
    }
    prune(&mut out);
    out.trim_unreachable();
    simplify_acceptance(&mut out);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::{Bdd, Bdds};
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use crate::{Alphabet, generalized_rabin, remove_fin, stream};
    use sempre_base::Random;

    /// Is it a disjunction of conjunctions of `Inf`s?
    fn is_fin_less(condition: &Acceptance) -> bool {
        match condition {
            Acceptance::Or(parts) => parts.iter().all(|p| p.as_generalized_buchi().is_some()),
            Acceptance::False => true,
            other => other.as_generalized_buchi().is_some(),
        }
    }

    #[test]
    fn the_language_stays() {
        let mut r = Random::new(71);
        let mut bdds = Bdds::new();
        let (mut yes, mut fins, mut disjunctions) = (0, 0, 0);
        for _ in 0..3000 {
            let sets = 1 + r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.3 + 0.4 * r.unit();
            let a = o.generate(&mut r, &mut bdds);
            fins += usize::from(a.acceptance.uses_fin());
            let b = fin_less(&a, 100).expect("few clauses");
            assert!(is_fin_less(&b.acceptance), "{}", b.acceptance);
            disjunctions += usize::from(matches!(b.acceptance, Acceptance::Or(_)));
            let clauses = dnf(&a.acceptance, 100).expect("few").len();
            assert!(b.states() <= a.states() * (1 + clauses));
            let g = generalized_rabin::generalized_rabin(&a, 100).expect("few clauses");
            let buchi = remove_fin::remove_fin(&a, 100).expect("few clauses");
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                for made in [&b, &g, &buchi] {
                    assert_eq!(accepts(&bdds, made, &w), truth, "{a:?} {made:?} {w:?}");
                }
                yes += usize::from(truth);
            }
        }
        assert!(yes > 3000 && yes < 21_000 && fins > 2000, "{yes} {fins}");
        assert!(disjunctions > 300, "{disjunctions}");
    }

    /// `FG a`, co-Büchi: two states, one jump, on the letter that closes the cycle.
    #[test]
    fn one_jump_per_cycle() {
        let mut bdds = Bdds::new();
        let a = bdds.variable(0);
        let not_a = bdds.not(a);
        let mut automaton = Automaton::new(vec![0], 1, Acceptance::co_buchi());
        automaton.add_state();
        automaton.initial.push(0);
        automaton.add_edge(0, 0, a, Mark::EMPTY);
        automaton.add_edge(0, 0, not_a, Mark::single(0));
        let mut b = fin_less(&automaton, 10).expect("one clause");
        b.merge_edges(&mut bdds);
        assert_eq!((b.states(), b.edge_count()), (2, 3));
        assert_eq!(b.acceptance, Acceptance::buchi());
        // A ring of three states without `Fin` edges but for one: the piece has one cycle, one jump.
        let mut ring = Automaton::new(vec![0], 1, Acceptance::co_buchi());
        for s in 0..3 {
            ring.add_state();
            ring.add_edge(s, (s + 1) % 3, a, Mark::EMPTY);
        }
        ring.add_edge(0, 0, not_a, Mark::single(0));
        ring.initial.push(0);
        let b = fin_less(&ring, 10).expect("one clause");
        let jumps = b.edges.iter().enumerate().flat_map(|(s, edges)| {
            let sccs = Sccs::new(&b);
            let leaves = edges.iter().filter(move |e| !sccs.internal(s as u32, e));
            leaves.collect::<Vec<_>>()
        });
        assert_eq!((b.states(), jumps.count()), (6, 1));
    }

    #[test]
    fn nothing_is_accepted_before_and_after() {
        let mut a = Automaton::new(vec![], 0, Acceptance::False);
        a.add_state();
        a.initial.push(0);
        a.add_edge(0, 0, Bdd::TRUE, Mark::EMPTY);
        let b = fin_less(&a, 10).expect("no clause");
        assert!(crate::emptiness::is_empty(&b));
    }

    /// The automata that other tools made for the formulas of TACAS 2014.
    #[test]
    #[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
    fn published_automata_keep_their_languages() {
        let index = test_data::text("tacas14/hoa/index.csv");
        let mut r = Random::new(72);
        let (mut count, mut yes) = (0, 0);
        for line in index.lines().skip(1) {
            let Some(file) = line.split(',').next() else {
                continue;
            };
            let text = test_data::text(&format!("tacas14/hoa/{file}"));
            let mut alphabet = Alphabet::new();
            let (automata, complaints) = stream::read_automata(&mut alphabet, &text);
            assert!(complaints.is_empty(), "{file}: {complaints:?}");
            for a in &automata {
                count += 1;
                let made = [
                    fin_less(a, 1000).expect("few clauses"),
                    generalized_rabin::generalized_rabin(a, 1000).expect("few clauses"),
                    remove_fin::remove_fin(a, 1000).expect("few clauses"),
                ];
                for _ in 0..20 {
                    let w = random_word(&mut r, &a.propositions, 3, 4);
                    let truth = accepts(&alphabet.bdds, a, &w);
                    yes += usize::from(truth);
                    for b in &made {
                        assert_eq!(accepts(&alphabet.bdds, b, &w), truth, "{file} {w:?}");
                    }
                }
            }
        }
        assert!(count > 600 && yes > count, "{count} {yes}");
    }
}
