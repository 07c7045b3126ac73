//! One acceptance set instead of several, as in the products of Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005).
//!
//! A copy of the space for each set, in an order: a copy waits for its set, and an edge in it leads to the copy of the next set that
//! the edge is not in. An edge past the last set accepts, and goes on from the first one, but not beyond the set it waited for.
//! That last rule, and the order, in which the sets of processes come before those of the formula, are what makes the
//! sizes those of the paper. The product's own degeneralisation ([`sempre_explicit::product`]) skips more, and has fewer
//! states.

use rustc_hash::FxHashMap;
use sempre_explicit::explicit_space::ExplicitSpace;
use sempre_explicit::marks::Marks;
use sempre_explicit::space::{Edge, Space, Stop};

/// See the module's documentation. The first `own` sets are the formula's.
///
/// # Errors
/// If the space cannot go on.
pub(super) fn plain_degeneralization(
    space: &mut ExplicitSpace<u32>,
    own: u32,
) -> Result<ExplicitSpace<u32>, Stop> {
    let order: Vec<u32> = (own..space.sets()).chain(0..own).collect();
    let mut numbers: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    let mut copies: Vec<(u32, usize)> = Vec::new();
    let mut number = |copy: (u32, usize), copies: &mut Vec<(u32, usize)>| {
        *numbers.entry(copy).or_insert_with(|| {
            copies.push(copy);
            copies.len() as u32 - 1
        })
    };
    let mut initial = Vec::new();
    for state in space.initial()? {
        initial.push(number((state, 0), &mut copies));
    }
    let mut edges: Vec<Vec<Edge<u32>>> = Vec::new();
    let mut list = Vec::new();
    while edges.len() < copies.len() {
        let (state, level) = copies[edges.len()];
        list.clear();
        space.expand(state, &mut list)?;
        let mut lifted = Vec::with_capacity(list.len());
        for edge in &list {
            let (next, accepts) = next_level(&order, level, edge.marks);
            lifted.push(Edge {
                target: number((edge.target, next), &mut copies),
                marks: if accepts { u32::single(0) } else { u32::NONE },
            });
        }
        edges.push(lifted);
    }
    Ok(ExplicitSpace::new(1, initial, edges))
}

/// Where an edge leads from a level, and whether it accepts.
fn next_level(order: &[u32], level: usize, marks: u32) -> (usize, bool) {
    let is_in = |level: usize| order.get(level).is_some_and(|&set| marks.contains(set));
    let mut next = level;
    while is_in(next) {
        next += 1;
    }
    if next < order.len() {
        return (next, false);
    }
    let mut next = 0;
    while next != level && is_in(next) {
        next += 1;
    }
    (next, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;
    use sempre_explicit::emptiness::Algorithm;
    use sempre_explicit::space::Counters;

    #[test]
    fn levels_are_those_of_the_rule() {
        let order = [1, 2, 0];
        assert_eq!(next_level(&order, 0, 0b000), (0, false));
        assert_eq!(next_level(&order, 0, 0b110), (2, false));
        assert_eq!(next_level(&order, 0, 0b111), (0, true));
        assert_eq!(next_level(&order, 2, 0b001), (0, true));
        assert_eq!(next_level(&order, 2, 0b011), (1, true));
        // Not beyond the set that it waited for.
        assert_eq!(next_level(&order, 1, 0b111), (1, true));
        assert_eq!(next_level(&[], 0, 0), (0, true));
    }

    #[test]
    fn emptiness_is_kept() {
        let mut random = Random::new(3);
        let mut answers = [0, 0];
        for _ in 0..300 {
            let (states, sets) = (1 + random.below(8), random.below(4) as u32);
            let edges: Vec<Vec<Edge<u32>>> = (0..states)
                .map(|_| {
                    (0..random.below(3))
                        .map(|_| Edge {
                            target: random.below(states) as u32,
                            marks: random.below(1 << sets) as u32,
                        })
                        .collect()
                })
                .collect();
            let mut general = ExplicitSpace::new(sets, vec![0], edges);
            let own = random.below(sets as usize + 1) as u32;
            let mut single = plain_degeneralization(&mut general, own).unwrap();
            let found = |space: &mut ExplicitSpace<u32>, algorithm: Algorithm| {
                let run = algorithm.run(space, &mut Counters::default());
                run.unwrap().is_some()
            };
            let expected = found(&mut general, Algorithm::Cou99);
            assert_eq!(found(&mut single, Algorithm::Cou99), expected);
            assert_eq!(found(&mut single, Algorithm::Se05), expected);
            answers[usize::from(expected)] += 1;
        }
        assert!(answers.iter().all(|&n| n > 30), "{answers:?}");
    }
}
