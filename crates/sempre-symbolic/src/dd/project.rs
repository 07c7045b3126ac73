//! Projection of vectors onto some levels.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, UNIT};
use crate::dd::shape::{Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The vectors without the levels that the shape skips.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn project(&mut self, set: Node, shape: Shape) -> Result<Node, Stop> {
        self.with_protected(&[set], |f| f.project_inner(set, shape))
    }

    pub(crate) fn project_inner(&mut self, set: Node, shape: Shape) -> Result<Node, Stop> {
        if set == EMPTY {
            return Ok(EMPTY);
        }
        if shape == Shape::END {
            return Ok(UNIT);
        }
        let key = [key(Operation::Project, shape.0), set, EMPTY];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let (mode, rest) = self.shapes.parts(shape);
        let base = self.stack.len();
        let mut at = set;
        while at != EMPTY {
            let e = self.entry(at);
            let down = self.project_inner(e.down, rest)?;
            self.stack.push((e.value, down, EMPTY));
            at = e.right;
        }
        let result = if mode == Mode::Skip {
            self.stack[base..].sort_unstable_by_key(|&(_, n, _)| n);
            self.dedup_stack(base);
            self.union_of_stack(base)?
        } else {
            self.list_from_stack(base, EMPTY)?
        };
        self.cache.put(&key, result);
        Ok(result)
    }

    /// Drops equal neighbours on the stack from `base` on.
    fn dedup_stack(&mut self, base: usize) {
        let mut written = base;
        for read in base..self.stack.len() {
            if written == base || self.stack[written - 1].1 != self.stack[read].1 {
                self.stack[written] = self.stack[read];
                written += 1;
            }
        }
        self.stack.truncate(written);
    }
}
