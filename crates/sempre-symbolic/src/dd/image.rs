//! The image: successors of a set by a relation.
//!
//! The [`Shape`] maps the relation's levels to those of the set. A skipped level is unchanged; below the last level of
//! the relation, whole diagrams are shared. At a level that is written but not read, the children are united first: one
//! recursion for each written value, however many old values there are.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::dd::shape::{COPY, Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The successors of `set` by `relation`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn image(&mut self, set: Node, relation: Node, shape: Shape) -> Result<Node, Stop> {
        self.with_protected(&[set, relation], |f| f.image_inner(set, relation, shape))
    }

    pub(crate) fn image_inner(
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
        let key = [key(Operation::Image, shape.0), set, relation];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let (mode, rest) = self.shapes.parts(shape);
        let result = match mode {
            Mode::Skip => self.image_skip(set, relation, rest)?,
            Mode::Read => self.image_read(set, relation, rest)?,
            Mode::ReadWrite => self.image_read_write(set, relation, rest)?,
            Mode::Write => self.image_write(set, relation, rest)?,
        };
        if result == EMPTY {
            // Counts as work although no node was made.
            self.tick()?;
        }
        self.cache.put(&key, result);
        Ok(result)
    }

    /// The image at a level that the relation skips.
    fn image_skip(&mut self, set: Node, relation: Node, rest: Shape) -> Result<Node, Stop> {
        let base = self.stack.len();
        let mut at = set;
        while at != EMPTY {
            let e = self.entry(at);
            let down = self.image_inner(e.down, relation, rest)?;
            if down != EMPTY {
                self.stack.push((e.value, down, EMPTY));
            }
            at = e.right;
        }
        self.list_from_stack(base, EMPTY)
    }

    /// The image at a level that the relation reads.
    fn image_read(&mut self, set: Node, relation: Node, rest: Shape) -> Result<Node, Stop> {
        let base = self.stack.len();
        let (mut x, mut y) = (set, relation);
        while x != EMPTY && y != EMPTY {
            let (p, q) = (self.entry(x), self.entry(y));
            if p.value <= q.value {
                x = p.right;
            }
            if q.value <= p.value {
                y = self.seek(q.right, p.value);
            }
            if p.value == q.value {
                let down = self.image_inner(p.down, q.down, rest)?;
                if down != EMPTY {
                    self.stack.push((p.value, down, EMPTY));
                }
            }
        }
        self.list_from_stack(base, EMPTY)
    }

    /// The image at a level that the relation reads and writes.
    fn image_read_write(&mut self, set: Node, relation: Node, rest: Shape) -> Result<Node, Stop> {
        let base = self.stack.len();
        let (mut x, mut y) = (set, relation);
        while x != EMPTY && y != EMPTY {
            let (p, q) = (self.entry(x), self.entry(y));
            if p.value <= q.value {
                x = p.right;
            }
            if q.value <= p.value {
                y = self.seek(q.right, p.value);
            }
            if p.value == q.value {
                let mut write = q.down;
                while write != EMPTY {
                    let w = self.entry(write);
                    let down = self.image_inner(p.down, w.down, rest)?;
                    if down != EMPTY {
                        self.stack.push((w.value, down, EMPTY));
                    }
                    write = w.right;
                }
            }
        }
        self.list_from_unsorted_stack(base)
    }

    /// The image at a level that the relation writes without reading it.
    fn image_write(&mut self, set: Node, relation: Node, rest: Shape) -> Result<Node, Stop> {
        let base = self.stack.len();
        let below = self.union_of_children(set)?;
        self.push(below);
        let mut write = relation;
        while write != EMPTY {
            let w = self.entry(write);
            write = w.right;
            if w.value == COPY {
                let mut at = set;
                while at != EMPTY {
                    let e = self.entry(at);
                    let down = self.image_inner(e.down, w.down, rest)?;
                    if down != EMPTY {
                        self.stack.push((e.value, down, EMPTY));
                    }
                    at = e.right;
                }
            } else {
                let down = self.image_inner(below, w.down, rest)?;
                if down != EMPTY {
                    self.stack.push((w.value, down, EMPTY));
                }
            }
        }
        let result = self.list_from_unsorted_stack(base + 1)?;
        self.pop();
        Ok(result)
    }

    /// The union of the children of a list.
    pub(crate) fn union_of_children(&mut self, set: Node) -> Result<Node, Stop> {
        let first = self.entry(set);
        if first.right == EMPTY {
            return Ok(first.down);
        }
        // Cached like a projection.
        let key = [key(Operation::Project, 0), set, EMPTY];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let mut at = set;
        while at != EMPTY {
            let e = self.entry(at);
            self.push(e.down);
            at = e.right;
        }
        let result = self.union_of_stack(base)?;
        self.cache.put(&key, result);
        Ok(result)
    }
}
