//! The conjunction of two relations, at most one of which writes each level.
//!
//! An action is a conjunction of parts of its guard, which read a few cells each, and of independent parts of its
//! effect. Each part is learned over its own few cells, so the number of learned rows is a sum and not a product. Their
//! conjunction is the relation that is fired. In terms of databases: a natural join on the levels that both read.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::dd::shape::{COPY, Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The shape of the conjunction of relations of two shapes; `None` if both write some level.
    pub(crate) fn joined_shape(&mut self, a: Shape, b: Shape) -> Option<Shape> {
        let (mut x, mut y) = (a, b);
        let mut modes = Vec::new();
        while x != Shape::END || y != Shape::END {
            let ((p, x_rest), (q, y_rest)) = (self.shapes.parts(x), self.shapes.parts(y));
            modes.push(joined_mode(p, q)?);
            (x, y) = (x_rest, y_rest);
        }
        Some(self.shape(&modes))
    }

    /// The steps of both relations. Their shapes must have a joined shape.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn join(&mut self, a: (Node, Shape), b: (Node, Shape)) -> Result<Node, Stop> {
        debug_assert!(self.joined_shape(a.1, b.1).is_some(), "two writers");
        self.with_protected(&[a.0, b.0], |f| f.join_inner(a, b))
    }

    fn join_inner(&mut self, a: (Node, Shape), b: (Node, Shape)) -> Result<Node, Stop> {
        if a.0 == EMPTY || b.0 == EMPTY {
            return Ok(EMPTY);
        }
        if a.1 == Shape::END {
            return Ok(b.0);
        }
        if b.1 == Shape::END {
            return Ok(a.0);
        }
        let ((p, rest_a), (q, rest_b)) = (self.shapes.parts(a.1), self.shapes.parts(b.1));
        // Orders the operands: a writer is second, else a reader.
        if q < p {
            return self.join_inner(b, a);
        }
        if q == Mode::Skip {
            return self.join_inner((a.0, rest_a), (b.0, rest_b));
        }
        let pair = self.shapes.pair(a.1, b.1);
        let key = [key(Operation::Join, pair), a.0, b.0];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let result = match (p, q) {
            (Mode::Skip, Mode::ReadWrite) => {
                let mut y = b.0;
                while y != EMPTY {
                    let e = self.entry(y);
                    let down = self.below_writes((a.0, rest_a), (e.down, rest_b))?;
                    self.stack.push((e.value, down, EMPTY));
                    y = e.right;
                }
                self.list_from_stack(base, EMPTY)?
            }
            (Mode::Skip, _) => self.below_writes((a.0, rest_a), (b.0, rest_b))?,
            (Mode::Read, Mode::Write) => {
                let mut x = a.0;
                while x != EMPTY {
                    let e = self.entry(x);
                    let inner = self.stack.len();
                    let mut y = b.0;
                    while y != EMPTY {
                        let w = self.entry(y);
                        let down = self.join_inner((e.down, rest_a), (w.down, rest_b))?;
                        let written = if w.value == COPY { e.value } else { w.value };
                        self.stack.push((written, down, EMPTY));
                        y = w.right;
                    }
                    let down = self.list_from_unsorted_stack(inner)?;
                    self.stack.push((e.value, down, EMPTY));
                    x = e.right;
                }
                self.list_from_stack(base, EMPTY)?
            }
            _ => {
                // Both read this level; the second may also write it.
                let (mut x, mut y) = (a.0, b.0);
                while x != EMPTY && y != EMPTY {
                    let (d, e) = (self.entry(x), self.entry(y));
                    if d.value <= e.value {
                        x = d.right;
                    }
                    if e.value <= d.value {
                        y = e.right;
                    }
                    if d.value == e.value {
                        let (a, b) = ((d.down, rest_a), (e.down, rest_b));
                        let down = if q == Mode::Read {
                            self.join_inner(a, b)?
                        } else {
                            self.below_writes(a, b)?
                        };
                        self.stack.push((d.value, down, EMPTY));
                    }
                }
                self.list_from_stack(base, EMPTY)?
            }
        };
        self.cache.put(&key, result);
        Ok(result)
    }

    /// Joins the first relation with the child of each value of the second's list.
    fn below_writes(&mut self, a: (Node, Shape), b: (Node, Shape)) -> Result<Node, Stop> {
        let base = self.stack.len();
        let mut y = b.0;
        while y != EMPTY {
            let e = self.entry(y);
            let down = self.join_inner(a, (e.down, b.1))?;
            self.stack.push((e.value, down, EMPTY));
            y = e.right;
        }
        self.list_from_stack(base, EMPTY)
    }
}

fn joined_mode(a: Mode, b: Mode) -> Option<Mode> {
    Some(match (a.min(b), a.max(b)) {
        (Mode::Skip, other) => other,
        (Mode::Read, Mode::Read) => Mode::Read,
        (Mode::Read, _) => Mode::ReadWrite,
        _ => return None,
    })
}
