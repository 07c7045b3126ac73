//! Static variable orders: which cell is at which level.
//!
//! FORCE (Aloul, Markov, Sakallah, GLSVLSI 2003): cells that actions use together attract each other. Each action is
//! placed at the centre of its cells, then each cell moves to the centre of its actions, and so on; the best order is
//! kept. It starts from the order of declarations, in which related cells are often adjacent, from the order of Cuthill
//! and McKee (1969), which spreads from a cell at the border of the graph to its neighbours, and from a few random
//! ones.
//!
//! Orders are compared by the weighted event span of Siminiceanu and Ciardo (TACAS 2006): the sum over actions of the
//! levels from the highest to the lowest cell, times the height of the highest, since an event at a high level is fired
//! on large diagrams.

use sempre_base::Random;
use sempre_base::stop::{checkpoint, checkpoint_now};

/// Rounds without progress before the next start.
const MAX_STALLED_ROUNDS: usize = 4;
/// Rounds from one start.
const MAX_ROUNDS: usize = 200;
/// Number of random starts.
const RANDOM_STARTS: usize = 20;
/// Work of all rounds, in cells of supports.
const MAX_WORK: usize = 4_000_000;

/// A variable order for `cells` cells, where each action uses the cells of one support: the cell of each level, the
/// highest first.
pub(crate) fn force(cells: usize, supports: &[Vec<u32>]) -> Vec<u32> {
    let supports: Vec<&Vec<u32>> = supports.iter().filter(|s| s.len() > 1).collect();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); cells];
    for (i, support) in supports.iter().enumerate() {
        for &cell in *support {
            users[cell as usize].push(i as u32);
        }
    }
    let declared: Vec<u32> = (0..cells as u32).collect();
    let mut best = declared.clone();
    let mut least = span(&best, &supports);
    let mut random = Random::new(1);
    let size: usize = supports.iter().map(|s| s.len()).sum();
    let mut left = MAX_WORK / (size + 4 * cells + 1);
    let starts = [declared, cuthill_mckee(cells, &supports, &users)];
    for i in 0..starts.len() + RANDOM_STARTS {
        let mut order = match starts.get(i) {
            Some(start) => start.clone(),
            None => shuffled(cells, &mut random),
        };
        let mut here = span(&order, &supports);
        if here < least {
            (best, least) = (order.clone(), here);
        }
        let mut rounds_left = MAX_STALLED_ROUNDS;
        for _ in 0..MAX_ROUNDS {
            if left == 0 {
                break;
            }
            checkpoint_now();
            left -= 1;
            order = round(&order, &supports, &users);
            let now = span(&order, &supports);
            if now < least {
                (best, least) = (order.clone(), now);
            }
            if now < here {
                (here, rounds_left) = (now, MAX_STALLED_ROUNDS);
            } else if rounds_left == 0 {
                break;
            } else {
                rounds_left -= 1;
            }
        }
    }
    // Reversing the order changes the heights only.
    let mut reversed = best.clone();
    reversed.reverse();
    if span(&reversed, &supports) < least {
        best = reversed;
    }
    best
}

/// Breadth-first order from the last cell of a breadth-first search; cells with few neighbours first.
fn cuthill_mckee(cells: usize, supports: &[&Vec<u32>], users: &[Vec<u32>]) -> Vec<u32> {
    let walk = |from: u32, seen: &mut Vec<bool>| -> Vec<u32> {
        let mut order = vec![from];
        seen[from as usize] = true;
        let mut next = 0;
        while next < order.len() {
            let cell = order[next];
            next += 1;
            checkpoint();
            let mut fresh: Vec<u32> = Vec::new();
            for &user in &users[cell as usize] {
                for &other in supports[user as usize] {
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        fresh.push(other);
                    }
                }
            }
            fresh.sort_by_key(|&c| users[c as usize].len());
            order.extend(fresh);
        }
        order
    };
    let (mut seen, mut visited) = (vec![false; cells], vec![false; cells]);
    let mut order = Vec::with_capacity(cells);
    for cell in 0..cells as u32 {
        if !seen[cell as usize] {
            let far = walk(cell, &mut visited).pop().unwrap_or(cell);
            order.extend(walk(far, &mut seen));
        }
    }
    order
}

fn shuffled(cells: usize, random: &mut Random) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cells as u32).collect();
    random.shuffle(&mut order);
    order
}

fn positions(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (i, &cell) in order.iter().enumerate() {
        position[cell as usize] = i as u32;
    }
    position
}

fn round(order: &[u32], supports: &[&Vec<u32>], users: &[Vec<u32>]) -> Vec<u32> {
    let position = positions(order);
    let centres: Vec<f64> = (supports.iter())
        .map(|s| {
            let sum: u64 = s.iter().map(|&c| u64::from(position[c as usize])).sum();
            sum as f64 / s.len() as f64
        })
        .collect();
    let mut targets: Vec<(f64, u32)> = (order.iter())
        .map(|&cell| {
            let users = &users[cell as usize];
            let sum: f64 = users.iter().map(|&a| centres[a as usize]).sum();
            let place = if users.is_empty() {
                f64::from(position[cell as usize])
            } else {
                sum / users.len() as f64
            };
            (place, cell)
        })
        .collect();
    // A stable sort: cells with equal positions stay in order.
    targets.sort_by(|a, b| a.0.total_cmp(&b.0));
    targets.into_iter().map(|(_, cell)| cell).collect()
}

/// The weighted event span.
fn span(order: &[u32], supports: &[&Vec<u32>]) -> u64 {
    let position = positions(order);
    let levels = order.len() as u64;
    (supports.iter())
        .map(|s| {
            let at = |&c: &u32| u64::from(position[c as usize]);
            let (first, last) = (s.iter().map(at).min(), s.iter().map(at).max());
            let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
            (last - first + 1) * (levels + (levels - first))
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scrambled_ring_of_pairs_is_put_in_order() {
        let mut random = Random::new(3);
        for n in [2, 5, 12, 40] {
            // Neighbours in a hidden order are used together.
            let hidden = shuffled(n, &mut random);
            let supports: Vec<Vec<u32>> = hidden.windows(2).map(<[u32]>::to_vec).collect();
            let order = force(n, &supports);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n as u32).collect::<Vec<_>>());
            let position = positions(&order);
            let distance: i64 = (supports.iter())
                .map(|s| {
                    (i64::from(position[s[0] as usize]) - i64::from(position[s[1] as usize])).abs()
                })
                .sum();
            assert!(distance <= 2 * n as i64, "{n}: {distance}");
        }
    }

    #[test]
    fn nothing_to_order() {
        assert_eq!(force(0, &[]), Vec::<u32>::new());
        assert_eq!(force(3, &[vec![1]]), [0, 1, 2]);
    }
}
