//! The steps of a relation after which a condition holds.
//!
//! A condition is a relation that only reads. A join restricts the state before a step; this operation restricts the
//! state after it. The relation must read every cell of the condition: otherwise the value of a cell that the step
//! leaves alone is open.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::dd::shape::{Mode, Shape};
use sempre_base::Stop;

impl Forest {
    /// The steps after which `condition` holds. The relation must read the levels that the condition reads.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn steps_into(
        &mut self,
        relation: (Node, Shape),
        condition: (Node, Shape),
    ) -> Result<Node, Stop> {
        self.with_protected(&[relation.0, condition.0], |f| {
            f.steps_into_inner(relation, condition)
        })
    }

    fn steps_into_inner(
        &mut self,
        relation: (Node, Shape),
        condition: (Node, Shape),
    ) -> Result<Node, Stop> {
        if relation.0 == EMPTY || condition.0 == EMPTY {
            return Ok(EMPTY);
        }
        if condition.1 == Shape::END {
            return Ok(relation.0);
        }
        let (mode, rest) = self.shapes.parts(relation.1);
        let (condition_mode, condition_rest) = self.shapes.parts(condition.1);
        debug_assert!(
            condition_mode == Mode::Skip || mode == Mode::Read || mode == Mode::ReadWrite
        );
        if mode == Mode::Skip {
            return self.steps_into_inner((relation.0, rest), (condition.0, condition_rest));
        }
        let pair = self.shapes.pair(relation.1, condition.1);
        let key = [key(Operation::StepsInto, pair), relation.0, condition.0];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let next = |n: Node| (n, rest);
        if mode == Mode::ReadWrite {
            let mut at = relation.0;
            while at != EMPTY {
                let e = self.entry(at);
                let down =
                    self.steps_into_list(e.down, rest, condition, condition_rest, condition_mode)?;
                if down != EMPTY {
                    self.stack.push((e.value, down, EMPTY));
                }
                at = e.right;
            }
        } else if condition_mode == Mode::Skip {
            let mut at = relation.0;
            while at != EMPTY {
                let e = self.entry(at);
                let down = self.steps_into_inner(next(e.down), (condition.0, condition_rest))?;
                if down != EMPTY {
                    self.stack.push((e.value, down, EMPTY));
                }
                at = e.right;
            }
        } else {
            let result =
                self.steps_into_list(relation.0, rest, condition, condition_rest, condition_mode)?;
            self.cache.put(&key, result);
            return Ok(result);
        }
        let result = self.list_from_stack(base, EMPTY)?;
        self.cache.put(&key, result);
        Ok(result)
    }

    /// A list of values after the step, filtered by the condition if it reads this level.
    fn steps_into_list(
        &mut self,
        list: Node,
        rest: Shape,
        condition: (Node, Shape),
        condition_rest: Shape,
        condition_mode: Mode,
    ) -> Result<Node, Stop> {
        let base = self.stack.len();
        let (mut x, mut y) = (list, condition.0);
        while x != EMPTY && y != EMPTY {
            let p = self.entry(x);
            let below = if condition_mode == Mode::Skip {
                condition.0
            } else {
                let q = self.entry(y);
                if q.value < p.value {
                    y = q.right;
                    continue;
                }
                if p.value < q.value {
                    x = p.right;
                    continue;
                }
                q.down
            };
            let down = self.steps_into_inner((p.down, rest), (below, condition_rest))?;
            if down != EMPTY {
                self.stack.push((p.value, down, EMPTY));
            }
            x = p.right;
        }
        self.list_from_stack(base, EMPTY)
    }
}
