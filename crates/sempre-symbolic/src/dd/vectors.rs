//! Conversion between diagrams and vectors.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, UNIT};
use sempre_base::Random;
use sempre_base::Stop;

impl Forest {
    /// The set of one vector.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn singleton(&mut self, vector: &[u32]) -> Result<Node, Stop> {
        // Each node is an operand of the next.
        vector
            .iter()
            .rev()
            .try_fold(UNIT, |down, &v| self.make(v, down, EMPTY))
    }

    /// The set of some vectors of one length.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn set_of(&mut self, vectors: &mut [Vec<u32>]) -> Result<Node, Stop> {
        vectors.sort_unstable();
        self.with_protected(&[], |f| f.set_of_sorted(vectors, 0))
    }

    fn set_of_sorted(&mut self, vectors: &[Vec<u32>], level: usize) -> Result<Node, Stop> {
        let Some(first) = vectors.first() else {
            return Ok(EMPTY);
        };
        if level == first.len() {
            return Ok(UNIT);
        }
        let base = self.stack.len();
        for part in vectors.chunk_by(|a, b| a[level] == b[level]) {
            let down = self.set_of_sorted(part, level + 1)?;
            self.stack.push((part[0][level], down, EMPTY));
        }
        self.list_from_stack(base, EMPTY)
    }

    /// Whether the set contains the vector.
    pub(crate) fn contains(&self, set: Node, vector: &[u32]) -> bool {
        let mut at = set;
        for &value in vector {
            while at > UNIT && self.entry(at).value < value {
                at = self.entry(at).right;
            }
            if at <= UNIT || self.entry(at).value != value {
                return false;
            }
            at = self.entry(at).down;
        }
        at == UNIT
    }

    /// The first vector of a set in lexicographic order.
    pub(crate) fn first(&self, set: Node) -> Option<Vec<u32>> {
        if set == EMPTY {
            return None;
        }
        let mut vector = Vec::new();
        let mut at = set;
        while at != UNIT {
            let e = self.entry(at);
            vector.push(e.value);
            at = e.down;
        }
        Some(vector)
    }

    /// The values and nodes along the only vector of a set; `None` if the set does not have exactly one vector.
    pub(crate) fn single_path(&self, set: Node) -> Option<Vec<(u32, Node)>> {
        let mut single_path = Vec::new();
        let mut at = set;
        while at > UNIT {
            let e = self.entry(at);
            if e.right != EMPTY {
                return None;
            }
            single_path.push((e.value, at));
            at = e.down;
        }
        (set != EMPTY).then_some(single_path)
    }

    /// The last vector of a set in lexicographic order.
    pub(crate) fn last(&self, set: Node) -> Option<Vec<u32>> {
        self.vector_by(set, |count| count - 1)
    }

    /// A random vector of a set; at each level, all values are equally likely.
    pub(crate) fn random_vector(&self, set: Node, random: &mut Random) -> Option<Vec<u32>> {
        self.vector_by(set, |count| random.below(count))
    }

    /// The vector found by choosing an index at each level; `choose` gets the number of values there.
    fn vector_by(&self, set: Node, mut choose: impl FnMut(usize) -> usize) -> Option<Vec<u32>> {
        if set == EMPTY {
            return None;
        }
        let mut vector = Vec::new();
        let mut at = set;
        while at != UNIT {
            let count = self.list(at).count();
            let (value, down) = self.list(at).nth(choose(count))?;
            vector.push(value);
            at = down;
        }
        Some(vector)
    }

    /// All vectors of a set in lexicographic order.
    pub(crate) fn vectors(&self, set: Node) -> Vectors<'_> {
        Vectors {
            forest: self,
            path: Vec::new(),
            start: set,
        }
    }
}

/// The vectors of a set; see [`Forest::vectors`].
#[derive(Debug)]
pub(crate) struct Vectors<'a> {
    forest: &'a Forest,
    /// A node of each level. The next vector branches to the right at the last node that has a successor in its list.
    path: Vec<Node>,
    /// The set, until the first vector has been returned; then empty.
    start: Node,
}

impl Iterator for Vectors<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let mut at = std::mem::replace(&mut self.start, EMPTY);
        if at == EMPTY {
            loop {
                let node = self.path.pop()?;
                at = self.forest.entry(node).right;
                if at != EMPTY {
                    break;
                }
            }
        }
        while at != UNIT {
            self.path.push(at);
            at = self.forest.entry(at).down;
        }
        Some(
            self.path
                .iter()
                .map(|&n| self.forest.entry(n).value)
                .collect(),
        )
    }
}
