//! The transitions of a testing automaton, found by state and changeset.
//!
//! All transitions lie in one array, those of a state together and sorted by changeset. If states times changesets
//! are few, a second array has the start of the transitions of each pair, so that a lookup is one access; otherwise
//! there is one entry per state and the changeset is searched for.

/// The largest array of beginnings.
const MAX_ENTRIES: usize = 1 << 22;

/// A transition: the propositions that change, where it goes, the acceptance sets it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TestingEdge {
    /// The observed propositions that change.
    pub changeset: u64,
    /// The destination.
    pub to: u32,
    /// The acceptance sets, a bit for each; none in a [`Ta`](super::Ta).
    pub marks: u64,
}

/// The transitions of all states.
#[derive(Clone, Debug)]
pub struct EdgeTable {
    edges: Vec<TestingEdge>,
    starts: Vec<u32>,
    states: usize,
    /// Bits of a changeset that are part of the index into `starts`.
    bits: u32,
    dense: bool,
}

impl EdgeTable {
    /// The table of the transitions of each state, over this number of propositions.
    pub fn new(mut of: Vec<Vec<TestingEdge>>, propositions: usize) -> Self {
        for edges in &mut of {
            edges.sort_unstable();
        }
        let states = of.len();
        let dense = propositions < 22 && states << propositions <= MAX_ENTRIES;
        let bits = if dense { propositions as u32 } else { 0 };
        let mut starts = vec![0u32; (states << bits) + 1];
        for (s, edges) in of.iter().enumerate() {
            for e in edges {
                let row = if dense { e.changeset as usize } else { 0 };
                starts[(s << bits) + row + 1] += 1;
            }
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self {
            edges: of.into_iter().flatten().collect(),
            starts,
            states,
            bits,
            dense,
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.states
    }

    /// All transitions of all states.
    pub fn all(&self) -> &[TestingEdge] {
        &self.edges
    }

    /// All transitions of a state, by changeset.
    pub fn of(&self, state: u32) -> &[TestingEdge] {
        let from = self.starts[(state as usize) << self.bits];
        let to = self.starts[(state as usize + 1) << self.bits];
        &self.edges[from as usize..to as usize]
    }

    /// The transitions of a state for one changeset.
    pub fn get(&self, state: u32, changeset: u64) -> &[TestingEdge] {
        if self.dense {
            if changeset >> self.bits != 0 {
                return &[];
            }
            let row = ((state as usize) << self.bits) + changeset as usize;
            return &self.edges[self.starts[row] as usize..self.starts[row + 1] as usize];
        }
        let edges = self.of(state);
        let from = edges.partition_point(|e| e.changeset < changeset);
        let to = edges.partition_point(|e| e.changeset <= changeset);
        &edges[from..to]
    }

    /// The transitions of each state.
    pub(crate) fn to_lists(&self) -> Vec<Vec<TestingEdge>> {
        (0..self.states as u32)
            .map(|s| self.of(s).to_vec())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    #[test]
    fn both_layouts_find_what_a_scan_finds() {
        let mut r = Random::new(3);
        let mut found = 0;
        for round in 0..100 {
            let states = 1 + r.below(5);
            // This number of propositions requires the layout with a search.
            let (propositions, spread) = if round % 2 == 0 {
                (3, 1)
            } else {
                (40, 1 << 36)
            };
            let lists: Vec<Vec<TestingEdge>> = (0..states)
                .map(|_| {
                    (0..r.below(12))
                        .map(|_| TestingEdge {
                            changeset: r.below(8) as u64 * spread,
                            to: r.below(states) as u32,
                            marks: r.below(3) as u64,
                        })
                        .collect()
                })
                .collect();
            let table = EdgeTable::new(lists.clone(), propositions);
            assert_eq!(table.dense, spread == 1);
            assert_eq!(table.states(), states);
            for (s, list) in lists.iter().enumerate() {
                let mut all = list.clone();
                all.sort_unstable();
                assert_eq!(table.of(s as u32), all);
                for c in 0..9 {
                    let c = c * spread;
                    let some: Vec<TestingEdge> =
                        all.iter().filter(|e| e.changeset == c).copied().collect();
                    assert_eq!(table.get(s as u32, c), some);
                    found += some.len();
                }
            }
            assert_eq!(table.all().len(), lists.iter().flatten().count());
        }
        assert!(found > 500);
    }
}
