//! Union, intersection and difference.
//!
//! The recursion goes down the levels; along a list, a loop merges two sorted lists. Only the head of a list is looked
//! up in the cache: an entry for each element of long lists would fill it.

use crate::dd::cache::{Operation, key};
use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root, UNIT};
use sempre_base::Stop;

impl Forest {
    /// The vectors in `a` or `b`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn union(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.with_protected(&[a, b], |f| f.union_inner(a, b))
    }

    /// The vectors in `a` and `b`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn intersection(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.with_protected(&[a, b], |f| f.intersection_inner(a, b))
    }

    /// The vectors in `a` and not in `b`.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn difference(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        self.with_protected(&[a, b], |f| f.difference_inner(a, b))
    }

    pub(crate) fn union_inner(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || b == EMPTY {
            return Ok(a);
        }
        if a == EMPTY {
            return Ok(b);
        }
        debug_assert!(a != UNIT && b != UNIT, "vectors of different lengths");
        let key = [key(Operation::Union, 0), a.min(b), a.max(b)];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let (mut x, mut y) = (a, b);
        // Until the rest of one operand is the rest of the union.
        let tail = loop {
            if x == y || y == EMPTY {
                break x;
            }
            if x == EMPTY {
                break y;
            }
            let (p, q) = (self.entry(x), self.entry(y));
            if p.value < q.value {
                self.stack.push((p.value, p.down, x));
                x = p.right;
            } else if p.value > q.value {
                self.stack.push((q.value, q.down, y));
                y = q.right;
            } else {
                let down = self.union_inner(p.down, q.down)?;
                let was = if down == p.down { x } else { y };
                self.stack.push((p.value, down, was));
                x = p.right;
                y = q.right;
            }
        };
        let result = self.list_from_stack(base, tail)?;
        self.cache.put(&key, result);
        Ok(result)
    }

    pub(crate) fn intersection_inner(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || a == EMPTY {
            return Ok(a);
        }
        if b == EMPTY {
            return Ok(b);
        }
        let key = [key(Operation::Intersection, 0), a.min(b), a.max(b)];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let (mut x, mut y) = (a, b);
        let tail = loop {
            if x == y || x == EMPTY {
                break x;
            }
            if y == EMPTY {
                break y;
            }
            let (p, q) = (self.entry(x), self.entry(y));
            let was = x;
            if p.value <= q.value {
                x = p.right;
            }
            if q.value <= p.value {
                y = q.right;
            }
            if p.value == q.value {
                let down = self.intersection_inner(p.down, q.down)?;
                if down != EMPTY {
                    self.stack.push((p.value, down, was));
                }
            }
        };
        let result = self.list_from_stack(base, tail)?;
        self.cache.put(&key, result);
        Ok(result)
    }

    pub(crate) fn difference_inner(&mut self, a: Node, b: Node) -> Result<Node, Stop> {
        if a == b || a == EMPTY {
            return Ok(EMPTY);
        }
        if b == EMPTY {
            return Ok(a);
        }
        let key = [key(Operation::Difference, 0), a, b];
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached);
        }
        let base = self.stack.len();
        let (mut x, mut y) = (a, b);
        let tail = loop {
            if x == y || x == EMPTY {
                break EMPTY;
            }
            if y == EMPTY {
                break x;
            }
            let (p, q) = (self.entry(x), self.entry(y));
            if p.value < q.value {
                self.stack.push((p.value, p.down, x));
                x = p.right;
            } else if p.value > q.value {
                y = q.right;
            } else {
                let down = self.difference_inner(p.down, q.down)?;
                if down != EMPTY {
                    self.stack.push((p.value, down, x));
                }
                x = p.right;
                y = q.right;
            }
        };
        let result = self.list_from_stack(base, tail)?;
        self.cache.put(&key, result);
        Ok(result)
    }

    /// Adds a set to the set of a root.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn union_into(&mut self, root: Root, more: Node) -> Result<(), Stop> {
        let all = self.union(self.get(root), more)?;
        self.set(root, all);
        Ok(())
    }

    /// Makes a list of the stack's entries from `base` on, which may be unsorted and repeat values.
    pub(crate) fn list_from_unsorted_stack(&mut self, base: usize) -> Result<Node, Stop> {
        self.stack[base..].sort_unstable();
        // Entries with equal values are united; the results replace the operands.
        let mut written = base;
        let mut read = base;
        while read < self.stack.len() {
            let (value, mut down, was) = self.stack[read];
            read += 1;
            while read < self.stack.len() && self.stack[read].0 == value {
                let other = self.stack[read].1;
                // Both operands are on the stack, or `down` has replaced the last operand there.
                down = self.union_inner(down, other)?;
                self.stack[read].1 = down;
                read += 1;
            }
            self.stack[written] = (value, down, was);
            written += 1;
        }
        self.stack.truncate(written);
        self.list_from_stack(base, EMPTY)
    }

    /// The union of the stack's nodes from `base` on.
    pub(crate) fn union_of_stack(&mut self, base: usize) -> Result<Node, Stop> {
        // Unites neighbours of about the same size: fewer large intermediate results.
        while self.stack.len() > base + 1 {
            let (from, to) = (base, self.stack.len());
            let mut written = from;
            let mut read = from;
            while read < to {
                let mut node = self.stack[read].1;
                if read + 1 < to {
                    node = self.union_inner(node, self.stack[read + 1].1)?;
                }
                read += 2;
                self.stack[written] = (0, node, EMPTY);
                written += 1;
            }
            self.stack.truncate(written);
        }
        if self.stack.len() > base {
            Ok(self.pop())
        } else {
            Ok(EMPTY)
        }
    }
}
