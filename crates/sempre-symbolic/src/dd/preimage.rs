//! The preimage: predecessors of a set by a relation, within a universe.
//!
//! At a level that is written but not read, any value may have been there before. The universe says which: predecessors
//! are computed within it, and it prunes them at each level.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::dd::shape::{COPY, Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The vectors of `universe` with a successor by `relation` in `set`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn preimage(
        &mut self,
        set: Node,
        relation: Node,
        shape: Shape,
        universe: Node,
    ) -> Result<Node, Stop> {
        self.ensure_ternary_cache();
        self.with_protected(&[set, relation, universe], |f| {
            f.preimage_inner(set, relation, shape, universe)
        })
    }

    fn preimage_inner(
        &mut self,
        set: Node,
        relation: Node,
        shape: Shape,
        universe: Node,
    ) -> Result<Node, Stop> {
        if set == EMPTY || relation == EMPTY || universe == EMPTY {
            return Ok(EMPTY);
        }
        if shape == Shape::END {
            return self.intersection_inner(set, universe);
        }
        let key = [key(Operation::Preimage, shape.0), set, relation, universe];
        if let Some(cached) = self.ternary_cache.get(&key) {
            return Ok(cached);
        }
        let (mode, rest) = self.shapes.parts(shape);
        let result = match mode {
            Mode::Skip | Mode::Read => {
                self.preimage_unwritten(set, relation, (mode, rest), universe)?
            }
            Mode::ReadWrite => self.preimage_read_write(set, relation, rest, universe)?,
            Mode::Write => self.preimage_write(set, relation, rest, universe)?,
        };
        self.ternary_cache.put(&key, result);
        Ok(result)
    }

    /// The preimage at a level that the relation does not write.
    fn preimage_unwritten(
        &mut self,
        set: Node,
        relation: Node,
        (mode, rest): (Mode, Shape),
        universe: Node,
    ) -> Result<Node, Stop> {
        let base = self.stack.len();
        let (mut x, mut y, mut z) = (set, relation, universe);
        while x != EMPTY && z != EMPTY && y != EMPTY {
            let (p, u) = (self.entry(x), self.entry(z));
            if p.value < u.value {
                x = p.right;
                continue;
            }
            if p.value > u.value {
                z = u.right;
                continue;
            }
            let below = if mode == Mode::Skip {
                relation
            } else {
                let q = self.entry(y);
                if q.value < p.value {
                    y = q.right;
                    continue;
                }
                if q.value > p.value {
                    x = p.right;
                    continue;
                }
                q.down
            };
            let down = self.preimage_inner(p.down, below, rest, u.down)?;
            if down != EMPTY {
                self.stack.push((p.value, down, EMPTY));
            }
            x = p.right;
            z = u.right;
        }
        self.list_from_stack(base, EMPTY)
    }

    /// The preimage at a level that the relation reads and writes.
    fn preimage_read_write(
        &mut self,
        set: Node,
        relation: Node,
        rest: Shape,
        universe: Node,
    ) -> Result<Node, Stop> {
        let base = self.stack.len();
        let (mut y, mut z) = (relation, universe);
        while y != EMPTY && z != EMPTY {
            let (q, u) = (self.entry(y), self.entry(z));
            if q.value <= u.value {
                y = q.right;
            }
            if u.value <= q.value {
                z = u.right;
            }
            if q.value == u.value {
                let (mut x, mut write) = (set, q.down);
                while x != EMPTY && write != EMPTY {
                    let (p, w) = (self.entry(x), self.entry(write));
                    if p.value <= w.value {
                        x = p.right;
                    }
                    if w.value <= p.value {
                        write = w.right;
                    }
                    if p.value == w.value {
                        let down = self.preimage_inner(p.down, w.down, rest, u.down)?;
                        if down != EMPTY {
                            self.stack.push((u.value, down, EMPTY));
                        }
                    }
                }
            }
        }
        self.list_from_unsorted_stack(base)
    }

    /// The preimage at a level that the relation writes without reading it.
    fn preimage_write(
        &mut self,
        set: Node,
        relation: Node,
        rest: Shape,
        universe: Node,
    ) -> Result<Node, Stop> {
        let base = self.stack.len();
        let mut z = universe;
        while z != EMPTY {
            let u = self.entry(z);
            z = u.right;
            let (mut x, mut write) = (set, relation);
            while write != EMPTY {
                let w = self.entry(write);
                // [`COPY`] is the last of its list, and keeps the old value: search from the start.
                let required = if w.value == COPY {
                    x = set;
                    u.value
                } else {
                    w.value
                };
                while x != EMPTY && self.entry(x).value < required {
                    x = self.entry(x).right;
                }
                write = w.right;
                if x != EMPTY && self.entry(x).value == required {
                    let below = self.entry(x).down;
                    let down = self.preimage_inner(below, w.down, rest, u.down)?;
                    if down != EMPTY {
                        self.stack.push((u.value, down, EMPTY));
                    }
                }
            }
        }
        self.list_from_unsorted_stack(base)
    }
}
