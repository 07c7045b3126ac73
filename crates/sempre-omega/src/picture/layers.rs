//! The positions of the states in a picture: the layered drawing of Sugiyama, Tagawa and Toda ("Methods for visual
//! understanding of hierarchical system structures", 1981), from left to right.
//!
//! 1. A state's layer is its distance from the initial states. (The usual longest path makes pictures of automata,
//!    which are full of cycles, needlessly wide.)
//! 2. An edge over several layers gets a bend in each layer that it crosses, so that it is routed around other items.
//! 3. Within layers, items are ordered by the mean position of their neighbours, back and forth; the order with the
//!    fewest crossings is kept.
//! 4. Heights follow the mean of the neighbours as far as neighbours in the layer leave room.
//!
//! All of it is deterministic: the same automaton gives the same picture.

/// Sweeps over the layers when ordering, and when placing.
const SWEEPS: usize = 12;

/// The states and edges to place.
pub(super) struct Shape<'a> {
    /// The height that each state needs.
    pub heights: &'a [f64],
    pub initial: &'a [usize],
    /// Edges between different states, each pair of states in one direction once.
    pub edges: &'a [(usize, usize)],
}

/// Where everything is.
pub(super) struct Placement {
    /// The layer of each state.
    pub layer: Vec<usize>,
    /// The height of the middle of each state.
    pub y: Vec<f64>,
    /// For each edge its bends: layers and heights, from its source to its target.
    pub bends: Vec<Vec<(usize, f64)>>,
}

/// Room above and below a bend.
const BEND: f64 = 26.0;

/// The distances from the initial states; an unreachable state starts again at distance 0.
fn distances(shape: &Shape<'_>) -> Vec<usize> {
    let count = shape.heights.len();
    let mut out = vec![Vec::new(); count];
    for &(from, to) in shape.edges {
        out[from].push(to);
    }
    let mut layer = vec![usize::MAX; count];
    let begin = [shape.initial.to_vec()].into_iter();
    for starts in begin.chain((0..count).map(|state| vec![state])) {
        let mut queue = starts;
        queue.retain(|&state| layer[state] == usize::MAX);
        for &state in &queue {
            layer[state] = 0;
        }
        let mut next = 0;
        while next < queue.len() {
            let state = queue[next];
            next += 1;
            for &to in &out[state] {
                if layer[to] == usize::MAX {
                    layer[to] = layer[state] + 1;
                    queue.push(to);
                }
            }
        }
    }
    layer
}

/// States and bends, in layers.
struct Grid {
    /// The items of each layer, from top to bottom.
    layers: Vec<Vec<usize>>,
    /// The neighbours of each in the layer before, and in the layer after.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    heights: Vec<f64>,
}

impl Grid {
    fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.heights.len()];
        for layer in &self.layers {
            for (i, &item) in layer.iter().enumerate() {
                position[item] = i;
            }
        }
        position
    }

    /// How many pairs of edges between neighbouring layers cross.
    fn crossings(&self) -> usize {
        let position = self.positions();
        let mut total = 0;
        for layer in &self.layers {
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for &item in layer {
                ends.extend(
                    self.after[item]
                        .iter()
                        .map(|&to| (position[item], position[to])),
                );
            }
            for (i, a) in ends.iter().enumerate() {
                sempre_base::checkpoint();
                let crosses =
                    |b: &&(usize, usize)| (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1);
                total += ends[i + 1..].iter().filter(crosses).count();
            }
        }
        total
    }

    /// Orders layers by the means of their neighbours, once to the right and once to the left.
    fn sweep(&mut self) {
        let count = self.layers.len();
        let forth = (1..count).map(|l| (l, true));
        let back = (0..count.saturating_sub(1)).rev().map(|l| (l, false));
        for (l, right) in forth.chain(back) {
            sempre_base::stop::checkpoint_now();
            let position = self.positions();
            let key = |item: &usize| {
                let neighbours = if right {
                    &self.before[*item]
                } else {
                    &self.after[*item]
                };
                if neighbours.is_empty() {
                    return position[*item] as f64;
                }
                let sum: usize = neighbours.iter().map(|&n| position[n]).sum();
                sum as f64 / neighbours.len() as f64
            };
            let mut layer = std::mem::take(&mut self.layers[l]);
            layer.sort_by(|a, b| key(a).total_cmp(&key(b)));
            self.layers[l] = layer;
        }
    }

    /// Heights that follow the neighbours and keep order and distance.
    fn place(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.heights.len()];
        for layer in &self.layers {
            let wanted: Vec<f64> = vec![0.0; layer.len()];
            self.settle(layer, &wanted, &mut y);
        }
        for _ in 0..SWEEPS {
            let count = self.layers.len();
            for l in (0..count).chain((0..count).rev()) {
                let layer = &self.layers[l];
                let wanted: Vec<f64> = layer
                    .iter()
                    .map(|&item| {
                        let all = || self.before[item].iter().chain(&self.after[item]);
                        match all().count() {
                            0 => y[item],
                            n => all().map(|&other| y[other]).sum::<f64>() / n as f64,
                        }
                    })
                    .collect();
                self.settle(layer, &wanted, &mut y);
            }
        }
        let top = self
            .heights
            .iter()
            .zip(&y)
            .map(|(h, y)| y - h / 2.0)
            .fold(f64::INFINITY, f64::min);
        y.iter().map(|y| y - top).collect()
    }

    /// Positions as near to the wanted heights as order and distance allow: blocks of adjacent items move together,
    /// to the mean of their wanted positions.
    fn settle(&self, layer: &[usize], wanted: &[f64], y: &mut [f64]) {
        // A block: its items, and the sum of the wanted positions of its first item.
        let mut blocks: Vec<(usize, usize, f64)> = Vec::new();
        let mut offset = vec![0.0; layer.len()];
        for i in 0..layer.len() {
            sempre_base::checkpoint();
            if i > 0 {
                offset[i] =
                    offset[i - 1] + (self.heights[layer[i - 1]] + self.heights[layer[i]]) / 2.0;
            }
            let mut block = (i, i + 1, wanted[i] - offset[i]);
            while let Some(&(start, end, sum)) = blocks.last() {
                let mean = |(s, e, sum): (usize, usize, f64)| sum / (e - s) as f64;
                if mean((start, end, sum)) <= mean(block) {
                    break;
                }
                blocks.pop();
                block = (start, block.1, sum + block.2);
            }
            blocks.push(block);
        }
        for (start, end, sum) in blocks {
            for i in start..end {
                y[layer[i]] = sum / (end - start) as f64 + offset[i];
            }
        }
    }
}

/// Places states and bends.
pub(super) fn place(shape: &Shape<'_>) -> Placement {
    let layer = distances(shape);
    let states = shape.heights.len();
    let mut grid = Grid {
        layers: vec![Vec::new(); layer.iter().max().map_or(0, |m| m + 1)],
        before: vec![Vec::new(); states],
        after: vec![Vec::new(); states],
        heights: shape.heights.to_vec(),
    };
    for (state, &l) in layer.iter().enumerate() {
        grid.layers[l].push(state);
    }
    let mut items: Vec<Vec<(usize, usize)>> = Vec::new();
    for &(from, to) in shape.edges {
        let (low, high) = (layer[from].min(layer[to]), layer[from].max(layer[to]));
        let (left, right) = if layer[from] <= layer[to] {
            (from, to)
        } else {
            (to, from)
        };
        let mut bends = Vec::new();
        let mut last = left;
        for l in low + 1..high {
            sempre_base::checkpoint();
            let bend = grid.heights.len();
            grid.heights.push(BEND);
            grid.before.push(vec![last]);
            grid.after.push(Vec::new());
            grid.after[last].push(bend);
            grid.layers[l].push(bend);
            bends.push((l, bend));
            last = bend;
        }
        if low < high {
            grid.after[last].push(right);
            grid.before[right].push(last);
        }
        if left != from {
            bends.reverse();
        }
        items.push(bends);
    }
    let mut best = (grid.crossings(), grid.layers.clone());
    for _ in 0..SWEEPS {
        grid.sweep();
        let crossings = grid.crossings();
        if crossings < best.0 {
            best = (crossings, grid.layers.clone());
        }
    }
    grid.layers = best.1;
    let y = grid.place();
    let bends = items
        .iter()
        .map(|bends| bends.iter().map(|&(l, item)| (l, y[item])).collect())
        .collect();
    Placement {
        layer,
        y: y[..states].to_vec(),
        bends,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    /// States of a layer keep their distance, bends are in the layers between, and nothing is above the top.
    #[test]
    fn nothing_overlaps() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let states = 1 + random.below(12);
            let heights: Vec<f64> = (0..states)
                .map(|_| 20.0 + random.below(60) as f64)
                .collect();
            let mut edges = Vec::new();
            for from in 0..states {
                for to in 0..states {
                    if from != to && random.chance(0.25) {
                        edges.push((from, to));
                    }
                }
            }
            let initial = [random.below(states)];
            let shape = Shape {
                heights: &heights,
                initial: &initial,
                edges: &edges,
            };
            let placed = place(&shape);
            assert_eq!(placed.layer[initial[0]], 0);
            for a in 0..states {
                assert!(placed.y[a] - heights[a] / 2.0 >= -1e-6);
                for b in 0..a {
                    let apart = (placed.y[a] - placed.y[b]).abs();
                    let room = (heights[a] + heights[b]) / 2.0 - 1e-6;
                    assert!(placed.layer[a] != placed.layer[b] || apart >= room);
                }
            }
            for (&(from, to), bends) in edges.iter().zip(&placed.bends) {
                let (f, t) = (placed.layer[from] as i64, placed.layer[to] as i64);
                assert_eq!(bends.len() as i64, (f - t).abs().max(1) - 1);
                for (i, &(l, _)) in bends.iter().enumerate() {
                    assert_eq!(l as i64, f + (t - f).signum() * (i as i64 + 1));
                }
            }
        }
    }

    /// Two chains side by side do not cross, however they are numbered.
    #[test]
    fn crossings_are_undone() {
        let shape = Shape {
            heights: &[40.0; 7],
            initial: &[0],
            edges: &[(0, 1), (0, 2), (1, 4), (2, 3), (3, 5), (4, 6)],
        };
        let placed = place(&shape);
        let above = |a: usize, b: usize| placed.y[a] < placed.y[b];
        assert_eq!(above(1, 2), above(4, 3));
        assert_eq!(above(4, 3), above(6, 5));
    }
}
