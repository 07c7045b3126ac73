//! An index of long lists.
//!
//! A cell that counts to a hundred thousand has lists of that length, and the image of a single state needs one place
//! of them. So a list that has been traversed twice from the same node gets an index with every 64th of its nodes. A
//! garbage collection may reuse node numbers, so an index lives until the next one.

use crate::dd::node::{EMPTY, Entry, Node, UNIT};
use rustc_hash::FxHashMap;

/// Places nearer than this are found by a walk.
pub(crate) const STRIDE: usize = 64;
/// Maximal number of lists with an index.
const MAX_LISTS: usize = 1 << 12;

/// Lists that were traversed, by the first node.
#[derive(Clone, Debug, Default)]
pub(crate) struct ListIndex {
    /// The value and number of every [`STRIDE`]th node; empty after the first traversal.
    lists: FxHashMap<Node, Vec<(u32, Node)>>,
}

impl ListIndex {
    pub(crate) fn clear(&mut self) {
        self.lists.clear();
    }
}

impl ListIndex {
    /// The rest of a list from the first value that is at least `value`.
    #[cold]
    pub(crate) fn seek(&mut self, entries: &[Entry], from: Node, value: u32) -> Node {
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
            // The numbers of these nodes are used again.
            forest.collect();
        }
    }
}
