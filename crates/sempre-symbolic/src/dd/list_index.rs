//! Long lists: to the place of a value without going all the way.
//!
//! A cell that counts to a hundred thousand has lists that long, and a single state that meets a relation wants one place of them. So a
//! list that is gone along twice from the same node is given an index, every so many of its nodes. Numbers of nodes mean something
//! else after a collection, so indexes last until the next one.

use crate::dd::node::{EMPTY, Entry, Node, UNIT};
use rustc_hash::FxHashMap;

/// Nearer places are walked to.
pub(crate) const STRIDE: usize = 64;
/// There are no more lists than this with an index.
const MAX_LISTS: usize = 1 << 12;

/// Lists that were gone along, by the node from which.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListIndex {
    /// The value and the number of every so many nodes; none yet if it was gone along once.
    lists: FxHashMap<Node, Vec<(u32, Node)>>,
}

impl ListIndex {
    pub fn clear(&mut self) {
        self.lists.clear();
    }
}

impl ListIndex {
    /// The end of a list from the first value on that is at least this one.
    #[cold]
    pub fn seek(&mut self, entries: &[Entry], from: Node, value: u32) -> Node {
        if from <= UNIT {
            return from;
        }
        let mut at = from;
        match self.lists.get_mut(&from) {
            None => {
                if self.lists.len() >= MAX_LISTS {
                    self.clear();
                }
                self.lists.insert(from, Vec::new());
            }
            Some(index) => {
                if index.is_empty() {
                    let (mut node, mut count) = (from, 0);
                    while node != EMPTY {
                        let e = entries[node as usize];
                        if count % STRIDE == 0 {
                            index.push((e.value, node));
                        }
                        count += 1;
                        node = e.right;
                    }
                }
                let after = index.partition_point(|&(v, _)| v <= value);
                if let Some(&(_, node)) = after.checked_sub(1).and_then(|i| index.get(i)) {
                    at = node;
                }
            }
        }
        while at != EMPTY && entries[at as usize].value < value {
            at = entries[at as usize].right;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use crate::dd::control::Limits;
    use crate::dd::forest::Forest;
    use sempre_base::Random;

    #[test]
    fn places_in_lists() {
        let mut forest = Forest::new(Limits::default());
        let mut r = Random::new(3);
        for round in 0..200 {
            let length = r.below(2000) as u32;
            let mut values: Vec<u32> = (0..length).map(|_| r.below(5000) as u32).collect();
            values.sort_unstable();
            values.dedup();
            let mut vectors: Vec<Vec<u32>> = values.iter().map(|&v| vec![v]).collect();
            let list = forest.set_of(&mut vectors).unwrap();
            let root = forest.protect(list);
            for _ in 0..50 {
                let value = r.below(5100) as u32;
                let found = forest.seek(list, value);
                let expected = values.iter().copied().find(|&v| v >= value);
                let first = forest.list(found).next().map(|(v, _)| v);
                assert_eq!(first, expected, "{round}: {value}");
            }
            forest.unprotect(root);
            // Other nodes get the numbers of these.
            forest.collect();
        }
    }
}
