//! Restriction of a set to the domain of a relation.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::dd::shape::{Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The vectors of `set` that have a successor by `relation`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn restrict(
        &mut self,
        set: Node,
        relation: Node,
        shape: Shape,
    ) -> Result<Node, Stop> {
        self.with_protected(&[set, relation], |f| f.restrict_inner(set, relation, shape))
    }

    pub(crate) fn restrict_inner(
        &mut self,
        set: Node,
        relation: Node,
        shape: Shape,
    ) -> Result<Node, Stop> {
        if set == EMPTY || relation == EMPTY {
            return Ok(EMPTY);
        }
        if shape == Shape::END {
            return Ok(set);
        }
        let key = [key(Operation::Restrict, shape.0), set, relation];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let (mode, rest) = self.shapes.parts(shape);
        let base = self.stack.len();
        let (mut x, mut y) = (set, relation);
        while x != EMPTY && y != EMPTY {
            let p = self.entry(x);
            let down = match mode {
                Mode::Skip => self.restrict_inner(p.down, relation, rest)?,
                Mode::Write => self.restrict_to_any(p.down, relation, rest)?,
                Mode::Read | Mode::ReadWrite => {
                    let q = self.entry(y);
                    if q.value < p.value {
                        y = self.seek(q.right, p.value);
                        continue;
                    }
                    if p.value < q.value {
                        x = p.right;
                        continue;
                    }
                    if mode == Mode::Read {
                        self.restrict_inner(p.down, q.down, rest)?
                    } else {
                        self.restrict_to_any(p.down, q.down, rest)?
                    }
                }
            };
            if down != EMPTY {
                self.stack.push((p.value, down, x));
            }
            x = p.right;
        }
        let result = self.list_from_stack(base, EMPTY)?;
        if result == EMPTY {
            self.tick()?;
        }
        self.cache.put(&key, result);
        Ok(result)
    }

    /// The vectors with a successor by any of the written values.
    fn restrict_to_any(&mut self, set: Node, writes: Node, rest: Shape) -> Result<Node, Stop> {
        let base = self.stack.len();
        let mut write = writes;
        while write != EMPTY {
            let w = self.entry(write);
            let part = self.restrict_inner(set, w.down, rest)?;
            if part == set {
                self.stack.truncate(base);
                return Ok(set);
            }
            self.push(part);
            write = w.right;
        }
        self.union_of_stack(base)
    }
}
