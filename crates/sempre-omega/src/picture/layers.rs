//! The positions of the states, labels and bends in a picture: the layered drawing of Sugiyama, Tagawa and Toda ("Methods for visual
//! understanding of hierarchical system structures", 1981), from left to right.
//!
//! 1. A state's layer is its distance from the initial states. (The usual longest path makes pictures of automata,
//!    which are full of cycles, needlessly wide.) Layer `l` is column `2l`; the columns between are for labels.
//! 2. The label of an edge is an item of its own, as in Gansner, Koutsofios, North and Vo ("A technique for drawing directed
//!    graphs", 1993), in a column between its two states. An edge between two states of one layer has its label in the column to the right, or
//!    to the left if that is emptier.
//! 3. An edge that crosses further columns has a bend in each of them, so that it is routed around other items.
//! 4. Within columns, items are ordered by the mean position of their neighbours, back and forth; the order with
//!    the fewest crossings is kept.
//! 5. Heights follow the mean of the neighbours as far as neighbours in the column leave room.
//!
//! Invariants:
//! * I1: the rooms of two items of one column do not overlap.
//! * I2: an edge has a station in each column strictly between those of its states, and an edge within a layer has one station, its label,
//!   in a column beside it.
//!
//! All of it is deterministic: the same automaton gives the same picture.

/// Sweeps over the columns when ordering, and when placing.
const SWEEPS: usize = 12;

/// The room that an item needs above and below the height at which edges meet it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    pub above: f64,
    pub below: f64,
}

/// Room of a bend.
const BEND: Room = Room {
    above: 6.0,
    below: 6.0,
};

/// Edges from one state to another, drawn as one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    /// The room of its label, if that is above the edge.
    pub label: Room,
    /// The room of its label, if that is beside the edge.
    pub beside: Room,
}

/// The states and edges to place.
pub(super) struct Shape<'a> {
    /// The room that each state needs.
    pub states: &'a [Room],
    pub initial: &'a [usize],
    /// Edges between different states, each pair of states in one direction once.
    pub edges: &'a [Edge],
}

/// A column, and the height in it.
pub(super) type Station = (usize, f64);

/// Where everything is.
pub(super) struct Placement {
    pub states: Vec<Station>,
    /// For each edge its stations, from its source to its target.
    pub stations: Vec<Vec<Station>>,
    /// For each edge which of its stations is the label.
    pub labels: Vec<usize>,
    /// How many columns there are.
    pub columns: usize,
}

/// The distances from the initial states; a state that cannot be reached has distance 0.
fn distances(shape: &Shape<'_>) -> Vec<usize> {
    let count = shape.states.len();
    let mut out = vec![Vec::new(); count];
    for e in shape.edges {
        out[e.from].push(e.to);
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

/// States, labels and bends, in columns. The states are the first items.
struct Grid {
    states: usize,
    /// The items of each column, from top to bottom.
    columns: Vec<Vec<usize>>,
    /// The neighbours of each in the column before, and in the column after.
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
    rooms: Vec<Room>,
}

impl Grid {
    fn add(&mut self, column: usize, room: Room) -> usize {
        let item = self.rooms.len();
        self.rooms.push(room);
        self.before.push(Vec::new());
        self.after.push(Vec::new());
        if self.columns.len() <= column {
            self.columns.resize(column + 1, Vec::new());
        }
        self.columns[column].push(item);
        item
    }

    fn join(&mut self, left: usize, right: usize) {
        self.after[left].push(right);
        self.before[right].push(left);
    }

    fn positions(&self) -> Vec<usize> {
        let mut position = vec![0; self.rooms.len()];
        for column in &self.columns {
            for (i, &item) in column.iter().enumerate() {
                position[item] = i;
            }
        }
        position
    }

    /// How many pairs of edges between neighbouring columns cross.
    fn crossings(&self) -> usize {
        let position = self.positions();
        let mut total = 0;
        let columns = self.columns.iter().zip(self.columns.iter().skip(1));
        for (column, next) in columns {
            // Inversions, counted with a Fenwick tree (1994) of the edges so far, by the position of their end.
            let mut tree = vec![0; next.len() + 1];
            let mut seen = 0;
            for &item in column {
                let mut ends: Vec<usize> =
                    self.after[item].iter().map(|&to| position[to]).collect();
                ends.sort_unstable();
                for &end in &ends {
                    let mut at_most = 0;
                    let mut i = end + 1;
                    while i > 0 {
                        at_most += tree[i];
                        i &= i - 1;
                    }
                    total += seen - at_most;
                }
                seen += ends.len();
                for end in ends {
                    let mut i = end + 1;
                    while i < tree.len() {
                        tree[i] += 1;
                        i += i & i.wrapping_neg();
                    }
                }
            }
        }
        total
    }

    /// Orders columns by the means of their neighbours, once to the right and once to the left.
    fn sweep(&mut self) {
        let count = self.columns.len();
        let mut position = self.positions();
        let forth = (1..count).map(|c| (c, true));
        let back = (0..count.saturating_sub(1)).rev().map(|c| (c, false));
        for (c, right) in forth.chain(back) {
            sempre_base::checkpoint();
            let key = |item: usize| {
                let neighbours = if right {
                    &self.before[item]
                } else {
                    &self.after[item]
                };
                if neighbours.is_empty() {
                    return position[item] as f64;
                }
                let sum: usize = neighbours.iter().map(|&n| position[n]).sum();
                sum as f64 / neighbours.len() as f64
            };
            let mut keyed: Vec<(f64, usize)> = (self.columns[c].iter())
                .map(|&item| (key(item), item))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (i, &(_, item)) in keyed.iter().enumerate() {
                position[item] = i;
                self.columns[c][i] = item;
            }
        }
    }

    /// The mean of the heights of the neighbours. Links between labels and bends have more weight, so that long edges are straight.
    fn wanted(&self, item: usize, y: &[f64]) -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for &other in self.before[item].iter().chain(&self.after[item]) {
            let w = match item < self.states || other < self.states {
                true => 1.0,
                false => 3.0,
            };
            sum += w * y[other];
            weight += w;
        }
        match weight > 0.0 {
            true => sum / weight,
            false => y[item],
        }
    }

    /// Heights that follow the neighbours and keep order and distance.
    fn place(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.rooms.len()];
        for column in &self.columns {
            self.settle(column, &vec![0.0; column.len()], &mut y);
        }
        let count = self.columns.len();
        for _ in 0..SWEEPS {
            for c in (0..count).chain((0..count).rev()) {
                sempre_base::checkpoint();
                let column = &self.columns[c];
                let wanted: Vec<f64> = column.iter().map(|&item| self.wanted(item, &y)).collect();
                self.settle(column, &wanted, &mut y);
            }
        }
        let tops = self.rooms.iter().zip(&y).map(|(room, y)| y - room.above);
        let top = tops.fold(f64::INFINITY, f64::min);
        y.iter().map(|y| y - top).collect()
    }

    /// Positions as near to the wanted heights as order and distance allow: blocks of adjacent items move together,
    /// to the mean of their wanted positions.
    fn settle(&self, column: &[usize], wanted: &[f64], y: &mut [f64]) {
        // A block: its items, and the sum of the wanted positions of its first item.
        let mut blocks: Vec<(usize, usize, f64)> = Vec::new();
        let mut offset = vec![0.0; column.len()];
        for i in 0..column.len() {
            if i > 0 {
                let (last, this) = (self.rooms[column[i - 1]], self.rooms[column[i]]);
                offset[i] = offset[i - 1] + last.below + this.above;
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
                y[column[i]] = sum / (end - start) as f64 + offset[i];
            }
        }
    }
}

/// The column of a label between these layers: the least filled one, and the most central of those.
fn label_column(low: usize, high: usize, filled: &[f64]) -> usize {
    let middle = low + high;
    let columns = (low..high).map(|l| 2 * l + 1);
    let best = columns.min_by(|&a, &b| {
        let load = filled[a].total_cmp(&filled[b]);
        load.then(a.abs_diff(middle).cmp(&b.abs_diff(middle)))
    });
    best.unwrap_or(2 * low + 1)
}

/// Places states, labels and bends.
pub(super) fn place(shape: &Shape<'_>) -> Placement {
    let layer = distances(shape);
    let mut grid = Grid {
        states: shape.states.len(),
        columns: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        rooms: Vec::new(),
    };
    for (&l, &room) in layer.iter().zip(shape.states) {
        grid.add(2 * l, room);
    }
    // The height that the labels of each column take.
    let mut filled = vec![0.0; 2 * layer.iter().max().map_or(0, |m| m + 1)];
    let mut items: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut labels = Vec::new();
    for e in shape.edges {
        sempre_base::checkpoint();
        let (low, high) = (
            layer[e.from].min(layer[e.to]),
            layer[e.from].max(layer[e.to]),
        );
        if low == high {
            let right = 2 * low + 1;
            let c = match low > 0 && filled[right - 2] < filled[right] {
                true => right - 2,
                false => right,
            };
            let label = grid.add(c, e.beside);
            filled[c] += e.beside.above + e.beside.below;
            for state in [e.from, e.to] {
                match c == right {
                    true => grid.join(state, label),
                    false => grid.join(label, state),
                }
            }
            items.push(vec![(c, label)]);
            labels.push(0);
            continue;
        }
        let place = label_column(low, high, &filled);
        filled[place] += e.label.above + e.label.below;
        let (left, right) = match layer[e.from] < layer[e.to] {
            true => (e.from, e.to),
            false => (e.to, e.from),
        };
        let mut stations = Vec::new();
        let mut last = left;
        for c in 2 * low + 1..2 * high {
            let item = grid.add(c, if c == place { e.label } else { BEND });
            grid.join(last, item);
            stations.push((c, item));
            last = item;
        }
        grid.join(last, right);
        if left != e.from {
            stations.reverse();
        }
        labels.extend(stations.iter().position(|s| s.0 == place));
        items.push(stations);
    }
    let mut best = (grid.crossings(), grid.columns.clone());
    for _ in 0..SWEEPS {
        sempre_base::checkpoint();
        grid.sweep();
        let crossings = grid.crossings();
        if crossings < best.0 {
            best = (crossings, grid.columns.clone());
        }
    }
    grid.columns = best.1;
    let y = grid.place();
    let heights =
        |stations: &Vec<(usize, usize)>| stations.iter().map(|&(c, i)| (c, y[i])).collect();
    Placement {
        states: layer.iter().zip(&y).map(|(l, &y)| (2 * l, y)).collect(),
        stations: items.iter().map(heights).collect(),
        labels,
        columns: grid.columns.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    fn room(random: &mut Random) -> Room {
        Room {
            above: 5.0 + random.below(60) as f64,
            below: 5.0 + random.below(20) as f64,
        }
    }

    /// I1 and I2 on random graphs, and nothing is above the top.
    #[test]
    fn nothing_overlaps() {
        let mut random = Random::new(1);
        for _ in 0..300 {
            let count = 1 + random.below(12);
            let states: Vec<Room> = (0..count).map(|_| room(&mut random)).collect();
            let mut edges = Vec::new();
            for from in 0..count {
                for to in 0..count {
                    if from != to && random.chance(0.25) {
                        let (label, beside) = (room(&mut random), room(&mut random));
                        edges.push(Edge {
                            from,
                            to,
                            label,
                            beside,
                        });
                    }
                }
            }
            let initial = [random.below(count)];
            let shape = Shape {
                states: &states,
                initial: &initial,
                edges: &edges,
            };
            let placed = place(&shape);
            assert_eq!(placed.states[initial[0]].0, 0);
            let mut all: Vec<(Station, Room)> = Vec::new();
            all.extend(placed.states.iter().copied().zip(states.iter().copied()));
            for ((e, stations), &label) in edges.iter().zip(&placed.stations).zip(&placed.labels) {
                let (from, to) = (placed.states[e.from].0, placed.states[e.to].0);
                let expected: Vec<usize> = match from.cmp(&to) {
                    std::cmp::Ordering::Equal if stations[0].0 < from => vec![from - 1],
                    std::cmp::Ordering::Equal => vec![from + 1],
                    std::cmp::Ordering::Less => (from + 1..to).collect(),
                    std::cmp::Ordering::Greater => (to + 1..from).rev().collect(),
                };
                let columns: Vec<usize> = stations.iter().map(|s| s.0).collect();
                assert_eq!(columns, expected, "I2");
                assert_eq!(columns[label] % 2, 1, "labels are between states");
                for (i, &station) in stations.iter().enumerate() {
                    let room = match (i == label, from == to) {
                        (false, _) => BEND,
                        (true, true) => e.beside,
                        (true, false) => e.label,
                    };
                    all.push((station, room));
                }
            }
            for (i, &((column, y), room)) in all.iter().enumerate() {
                assert!(y - room.above >= -1e-6 && column < placed.columns);
                for &((other, z), space) in &all[..i] {
                    let apart = y - room.above >= z + space.below - 1e-6
                        || z - space.above >= y + room.below - 1e-6;
                    assert!(column != other || apart, "I1");
                }
            }
        }
    }

    fn edge((from, to): (usize, usize)) -> Edge {
        let room = Room {
            above: 10.0,
            below: 10.0,
        };
        Edge {
            from,
            to,
            label: room,
            beside: room,
        }
    }

    /// Two chains side by side do not cross, however they are numbered.
    #[test]
    fn crossings_are_undone() {
        let states = [Room {
            above: 20.0,
            below: 20.0,
        }; 7];
        let edges = [(0, 1), (0, 2), (1, 4), (2, 3), (3, 5), (4, 6)].map(edge);
        let shape = Shape {
            states: &states,
            initial: &[0],
            edges: &edges,
        };
        let placed = place(&shape);
        let above = |a: usize, b: usize| placed.states[a].1 < placed.states[b].1;
        assert_eq!(above(1, 2), above(4, 3));
        assert_eq!(above(4, 3), above(6, 5));
    }

    /// Crossings are counted as the definition says.
    #[test]
    fn crossings_are_counted() {
        let mut random = Random::new(5);
        for _ in 0..100 {
            let (left, right) = (1 + random.below(6), 1 + random.below(6));
            let mut grid = Grid {
                states: 0,
                columns: Vec::new(),
                before: Vec::new(),
                after: Vec::new(),
                rooms: Vec::new(),
            };
            for i in 0..left + right {
                grid.add(usize::from(i >= left), BEND);
            }
            let mut ends = Vec::new();
            for a in 0..left {
                for b in 0..right {
                    if random.chance(0.5) {
                        grid.join(a, left + b);
                        ends.push((a, b));
                    }
                }
            }
            let crossing = |a: &(usize, usize), b: &(usize, usize)| a.0 < b.0 && a.1 > b.1;
            let pairs = ends.iter().flat_map(|a| ends.iter().map(move |b| (a, b)));
            let expected = pairs.filter(|(a, b)| crossing(a, b)).count();
            assert_eq!(grid.crossings(), expected);
        }
    }
}
