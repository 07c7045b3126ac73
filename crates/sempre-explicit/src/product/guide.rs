//! Which successors to follow first, if a run is to be accepted soon.
//!
//! The automaton says which valuations it waits for: those by which it comes nearer to an accepting component, or, within
//! one, those by which it sees acceptance sets. The system says how far a state is from changing each proposition
//! ([`System::distance`]). A state is as good as the cheapest change that gives the automaton one of the valuations
//! it waits for. This is a heuristic in the sense of directed model checking (Edelkamp, Leue, Lluch-Lafuente 2004): it orders what is looked
//! at and leaves nothing out.
//!
//! [`System::distance`]: sempre_model::system::System::distance

use crate::property::{Kind, Property};

/// Automata with more propositions are not looked through.
pub(super) const PROPOSITIONS: usize = 8;

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    /// For each state of the automaton, the number of edges to an accepting component.
    ranks: Vec<u32>,
    /// The valuations that each state waits for.
    wishes: Vec<Vec<u64>>,
}

impl Guide {
    /// For the automaton, if it has not too many propositions.
    pub(super) fn new(property: &Property) -> Option<Self> {
        if property.propositions() > PROPOSITIONS {
            return None;
        }
        let valuations = 0..1u64 << property.propositions();
        let edges = |state: u32, valuation: u64| property.edges(property.leaf(state, &[valuation]));
        let mut ranks: Vec<u32> = (0..property.states())
            .map(|q| match property.kind(q) {
                Kind::Rejecting => u32::MAX,
                _ => 0,
            })
            .collect();
        // Breadth first, backwards; automata are small.
        for rank in 0.. {
            let before: Vec<u32> = (0..property.states())
                .filter(|&q| ranks[q as usize] == u32::MAX)
                .filter(|&q| {
                    valuations
                        .clone()
                        .any(|v| edges(q, v).iter().any(|e| ranks[e.to as usize] == rank))
                })
                .collect();
            if before.is_empty() {
                break;
            }
            before.iter().for_each(|&q| ranks[q as usize] = rank + 1);
        }
        let wishes = (0..property.states())
            .map(|q| {
                let rank = ranks[q as usize];
                let by = |good: &dyn Fn(&crate::property::PropertyEdge) -> bool| -> Vec<u64> {
                    (valuations.clone())
                        .filter(|&v| edges(q, v).iter().any(good))
                        .collect()
                };
                if rank > 0 {
                    return by(&|e| ranks[e.to as usize] < rank);
                }
                let marked = by(&|e| ranks[e.to as usize] == 0 && !e.mark.is_empty());
                match marked.is_empty() {
                    true => by(&|e| ranks[e.to as usize] == 0),
                    false => marked,
                }
            })
            .collect();
        Some(Self { ranks, wishes })
    }

    /// How good it is to be in a state, the less the better: the automaton's part, the valuation of the
    /// propositions, and what it costs to change each.
    pub(super) fn rate(&self, state: u32, valuation: u64, costs: &[u64]) -> (u32, u64) {
        let cost = |wish: u64| {
            (costs.iter().enumerate())
                .filter(|(i, _)| (wish ^ valuation) >> i & 1 == 1)
                .fold(0u64, |sum, (_, &cost)| sum.saturating_add(cost))
        };
        let wishes = self.wishes[state as usize].iter();
        (
            self.ranks[state as usize],
            wishes.map(|&w| cost(w)).min().unwrap_or(u64::MAX),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_omega::{Acceptance, Automaton, Bdds, Mark};

    /// `F(p & G q)`: wait for `p & q`, then for `q`.
    #[test]
    fn wishes_of_a_small_automaton() {
        let mut bdds = Bdds::new();
        let (p, q) = (bdds.variable(0), bdds.variable(1));
        let mut a = Automaton::new(vec![0, 1], 1, Acceptance::buchi());
        let (wait, stay) = (a.add_state(), a.add_state());
        a.initial = vec![wait];
        a.add_edge(wait, wait, sempre_omega::Bdd::TRUE, Mark::EMPTY);
        let both = bdds.and(p, q);
        a.add_edge(wait, stay, both, Mark::EMPTY);
        a.add_edge(stay, stay, q, Mark::single(0));
        let property = Property::new(&mut bdds, &a, &[0, 1]).unwrap();
        let guide = Guide::new(&property).unwrap();
        assert_eq!(guide.ranks, [1, 0]);
        assert_eq!(guide.wishes, [vec![3], vec![2, 3]]);
        assert_eq!(guide.rate(wait, 0, &[5, 7]), (1, 12));
        assert_eq!(guide.rate(wait, 1, &[5, 7]), (1, 7));
        assert_eq!(guide.rate(wait, 3, &[5, 7]), (1, 0));
        assert_eq!(guide.rate(stay, 1, &[5, 7]), (0, 7));
        assert_eq!(guide.rate(stay, 2, &[5, 7]), (0, 0));
    }
}
