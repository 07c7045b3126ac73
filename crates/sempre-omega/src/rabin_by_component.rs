//! Few generalised Rabin pairs: each component has its own, and all components share the sets.
//!
//! A run finally stays in one component, and only its marks matter. So each component may have a condition of its
//! own: the common one, simplified by the marks of that component alone, in disjunctive normal form. Its pairs are
//! then laid out next to those of the other components: the k-th pairs of all components use the same sets. A
//! component with fewer pairs never satisfies the others (it has no mark of their `Inf`s, or all edges in their
//! `Fin`), a pair with fewer `Inf`s has the missing ones on all its edges. The automaton has as many pairs as the
//! component with the most pairs.
//!
//! In addition, pairs that differ in one `Inf` only are united (`Inf(i) | Inf(j)` is `Inf` of the union), and marks
//! without influence are removed, so that more states become equivalent: all marks on edges between components, and
//! the `Inf` marks of a pair on edges that its `Fin` forbids anyway.
//!
//! Invariant: the language is kept, and so are states and edges. Cost: a normal form for each component; the caller
//! limits its size.

use crate::acceptance::Acceptance;
use crate::acceptance_dnf::dnf;
use crate::automaton::Automaton;
use crate::mark::Mark;
use crate::scc::Sccs;
use crate::simplify_acceptance::{component_condition, simplify_acceptance};

/// A pair of a component, over the old sets.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// The union of the sets to be avoided.
    fin: Mark,
    /// For each `Inf`, the union of the sets of which one must be seen.
    infs: Vec<Mark>,
}

/// The sets of the k-th pairs: where they start, and how many `Inf`s there are.
struct Layout {
    first: u32,
    infs: u32,
}

/// Gives each component its own pairs; false, and nothing changed, if some component has more than
/// `limit` of them.
pub fn rabin_by_component(a: &mut Automaton, limit: usize) -> bool {
    let sccs = Sccs::new(a);
    let mut pairs: Vec<Vec<Pair>> = Vec::with_capacity(sccs.len());
    for c in 0..sccs.len() {
        if sccs.is_trivial(a, c) {
            pairs.push(Vec::new());
            continue;
        }
        let Some(clauses) = dnf(&component_condition(a, &sccs, c), limit) else {
            return false;
        };
        let own = clauses.into_iter().map(|clause| Pair {
            fin: clause.fin,
            infs: clause.inf.iter().map(Mark::single).collect(),
        });
        pairs.push(united(own.collect()));
    }
    let most = pairs.iter().map(Vec::len).max().unwrap_or(0);
    let mut layouts: Vec<Layout> = Vec::with_capacity(most);
    let mut sets = 0;
    for k in 0..most {
        let of = pairs.iter().filter_map(|own| own.get(k));
        let infs = of.map(|p| p.infs.len() as u32).max().unwrap_or(0);
        layouts.push(Layout { first: sets, infs });
        sets += 1 + infs;
    }
    for (s, edges) in a.edges.iter_mut().enumerate() {
        let c = sccs.of[s];
        for e in edges {
            let old = std::mem::take(&mut e.mark);
            if c != u32::MAX && sccs.of[e.to as usize] == c {
                e.mark = marks(&old, &pairs[c as usize], &layouts);
            }
        }
    }
    a.sets = sets;
    a.acceptance = Acceptance::or(layouts.iter().map(|l| {
        let infs = (l.first + 1..=l.first + l.infs).map(Acceptance::Inf);
        Acceptance::and(std::iter::once(Acceptance::Fin(l.first)).chain(infs))
    }));
    simplify_acceptance(a);
    true
}

/// Unites pairs that differ in one `Inf`; those with more `Inf`s come first.
fn united(mut pairs: Vec<Pair>) -> Vec<Pair> {
    let mut i = 0;
    while i < pairs.len() {
        let found = (i + 1..pairs.len()).find_map(|j| {
            let (p, q) = (&pairs[i], &pairs[j]);
            if p.fin != q.fin || p.infs.len() != q.infs.len() {
                return None;
            }
            let only = |p: &Pair, q: &Pair| {
                let mut own = (0..p.infs.len()).filter(|&x| !q.infs.contains(&p.infs[x]));
                let first = own.next()?;
                own.next().is_none().then_some(first)
            };
            Some((j, only(p, q)?, only(q, p)?))
        });
        match found {
            Some((j, x, y)) => {
                let other = pairs.remove(j);
                pairs[i].infs[x] = pairs[i].infs[x].union(&other.infs[y]);
                // The new `Inf` may fit to a pair that was passed.
                i = 0;
            }
            None => i += 1,
        }
    }
    for p in &mut pairs {
        p.infs.sort_unstable();
    }
    pairs.sort_unstable_by(|p, q| (q.infs.len(), &p).cmp(&(p.infs.len(), &q)));
    pairs
}

/// The new marks of an edge inside a component with these pairs.
fn marks(old: &Mark, pairs: &[Pair], layouts: &[Layout]) -> Mark {
    let mut new = Vec::new();
    for (k, l) in layouts.iter().enumerate() {
        let Some(pair) = pairs.get(k) else {
            // Never satisfied: without the `Inf`s if there are some, else by the `Fin`.
            if l.infs == 0 {
                new.push(l.first);
            }
            continue;
        };
        if old.intersects(&pair.fin) {
            new.push(l.first);
            continue;
        }
        for i in 0..l.infs {
            let seen = pair.infs.get(i as usize);
            if seen.is_none_or(|inf| old.intersects(inf)) {
                new.push(l.first + 1 + i);
            }
        }
    }
    new.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdds;
    use crate::membership::accepts;
    use crate::random::RandomAutomaton;
    use crate::word::random_word;
    use sempre_base::Random;

    #[test]
    fn the_language_stays() {
        let mut r = Random::new(101);
        let mut bdds = Bdds::new();
        let (mut yes, mut before, mut after) = (0, 0, 0);
        for _ in 0..2000 {
            let sets = 1 + r.below(5) as u32;
            let mut o = RandomAutomaton::generalized_buchi(1 + r.below(5), &[0, 1], sets)
                .with_random_acceptance(&mut r);
            o.density = 0.2 + 0.4 * r.unit();
            let a = o.generate(&mut r, &mut bdds);
            let mut b = a.clone();
            assert!(rabin_by_component(&mut b, 100), "few clauses");
            assert_eq!((b.states(), b.edge_count()), (a.states(), a.edge_count()));
            let mut simple = a.clone();
            simplify_acceptance(&mut simple);
            before += dnf(&simple.acceptance, 100).expect("few").len();
            after += dnf(&b.acceptance, 100).expect("few").len();
            for _ in 0..8 {
                let w = random_word(&mut r, &[0, 1], 3, 4);
                let truth = accepts(&bdds, &a, &w);
                assert_eq!(accepts(&bdds, &b, &w), truth, "{a:?} {b:?} {w:?}");
                yes += usize::from(truth);
            }
        }
        assert!(yes > 1000 && yes < 14_000, "{yes}");
        assert!(after < before, "{before} {after}");
    }
}
