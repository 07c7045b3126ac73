//! Single vectors in and out of diagrams.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, UNIT};
use sempre_base::Random;
use sempre_base::Stop;

impl Forest {
    /// The set of one vector.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn singleton(&mut self, vector: &[u32]) -> Result<Node, Stop> {
        // Each is an operand of the next.
        vector
            .iter()
            .rev()
            .try_fold(UNIT, |down, &v| self.make(v, down, EMPTY))
    }

    /// The set of some vectors of one length.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn set_of(&mut self, vectors: &mut [Vec<u32>]) -> Result<Node, Stop> {
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

    /// Is the vector in the set?
    pub fn contains(&self, set: Node, vector: &[u32]) -> bool {
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

    /// The first vector of a set, in the order of values.
    pub fn first(&self, set: Node) -> Option<Vec<u32>> {
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

    /// The values of the vector of a set that has just one, each with the node that it is in; none if there are several, or none.
    pub fn single_path(&self, set: Node) -> Option<Vec<(u32, Node)>> {
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

    /// The last vector of a set, in the order of values.
    pub fn last(&self, set: Node) -> Option<Vec<u32>> {
        self.vector_by(set, |count| count - 1)
    }

    /// A vector of a set; at each level, all values are equally likely.
    pub fn random_vector(&self, set: Node, random: &mut Random) -> Option<Vec<u32>> {
        self.vector_by(set, |count| random.below(count))
    }

    /// A vector of a set, with the value that is chosen at each level; it is told how many there are.
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

    /// All vectors of a set, in the order of values.
    pub fn vectors(&self, set: Node) -> Vectors<'_> {
        Vectors {
            forest: self,
            single_path: Vec::new(),
            start: set,
        }
    }
}

/// The vectors of a set; see [`Forest::vectors`].
#[derive(Debug)]
pub struct Vectors<'a> {
    forest: &'a Forest,
    /// A node of each level; the next vector is found from the last one that goes on to the right.
    single_path: Vec<Node>,
    /// Where to begin; then empty.
    start: Node,
}

impl Iterator for Vectors<'_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let mut at = std::mem::replace(&mut self.start, EMPTY);
        if at == EMPTY {
            loop {
                let node = self.single_path.pop()?;
                at = self.forest.entry(node).right;
                if at != EMPTY {
                    break;
                }
            }
        }
        while at != UNIT {
            self.single_path.push(at);
            at = self.forest.entry(at).down;
        }
        Some(
            self.single_path
                .iter()
                .map(|&n| self.forest.entry(n).value)
                .collect(),
        )
    }
}
