//! Unused bits of the words, assigned to fields that may need them.
//!
//! The ranges of a layout may be optimistic ([`crate::ranges`]), and each value that leaves its range costs a
//! translation of all states stored by then. But states are stored in whole words, so unused bits are free: they are
//! assigned to the fields that are narrower than the sound bounds of their cells, one bit at a time, the narrowest
//! first, and to all elements of an array and to the same variable of all processes at once, which overflow together.
//! The number of words stays the same.
//!
//! On leader_filters.5 that, and growing by two bits at a time, saves two of three translations, each of a million
//! states.
//!
//! Greedy: each step tries one group of fields, and a group that has no room once is not tried again. Programs with
//! thousands of cells (nets) are not changed: they always take many words.

use crate::ir::Program;
use crate::layout::{Layout, local_name};
use std::collections::BTreeMap;

/// Programs with more cells are not changed.
const CELLS: usize = 1000;

/// The number of steps.
const STEPS: usize = 200;

impl Layout {
    /// A layout of as many words with wider fields; see the module's documentation.
    pub(crate) fn filled(self, program: &Program) -> Layout {
        if program.cells() > CELLS {
            return self;
        }
        let mut groups: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for (i, v) in program.variables.iter().enumerate() {
            let alone = v.owner.is_none().then_some(i);
            let group = groups
                .entry((local_name(v), v.ty.bounds(), alone))
                .or_default();
            group.extend(v.first..v.first + v.cells());
        }
        let mut groups: Vec<Vec<u32>> = groups.into_values().collect();
        let mut layout = self;
        for _ in 0..STEPS {
            groups.retain(|cells| cells.iter().any(|&c| layout.wider(c).is_some()));
            let narrowest = |(_, cells): &(usize, &Vec<u32>)| {
                let bits = cells.iter().map(|&c| layout.field(c).bits).max();
                (bits, cells.len(), cells.first().copied())
            };
            let Some((i, cells)) = groups.iter().enumerate().min_by_key(narrowest) else {
                break;
            };
            let mut ranges = layout.ranges().to_vec();
            for &cell in cells {
                if let Some(range) = layout.wider(cell) {
                    ranges[cell as usize] = range;
                }
            }
            let more = Layout::new(program, &ranges).limited(layout.limits().to_vec());
            if more.width() == layout.width() {
                layout = more;
            } else {
                groups.swap_remove(i);
            }
        }
        layout
    }

    /// The range of a field with one bit more; `None` if it has room for all values of the cell.
    fn wider(&self, cell: u32) -> Option<(i64, i64)> {
        let (min, max) = self.room(cell);
        let (low, high) = self.limits()[cell as usize];
        let size = i64::try_from(self.field(cell).mask())
            .ok()?
            .checked_add(1)?;
        if max < high {
            Some((min, max.saturating_add(size).min(high)))
        } else if min > low {
            Some((min.saturating_sub(size).max(low), max))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Overflow;
    use crate::random_program::random_program;
    use sempre_base::Random;

    /// No value loses its room, no word is added, and the remaining bits do not suffice for any group.
    #[test]
    fn fields_only_grow() {
        let mut random = Random::new(7);
        let mut grown = 0;
        for _ in 0..200 {
            let p = random_program(&mut random);
            let narrow: Vec<_> = p.initial[0].iter().map(|&v| (v, v)).collect();
            let before = Layout::new(&p, &narrow);
            let after = before.clone().filled(&p);
            assert_eq!(before.width(), after.width());
            for cell in 0..p.cells() as u32 {
                let (old, new) = (before.room(cell), after.room(cell));
                let bounds = p.variable(p.variable_of_cell(cell)).ty.bounds();
                for value in [old.0, old.1] {
                    let possible = bounds.0 <= value && value <= bounds.1;
                    assert!(!possible || after.fits(&Overflow { cell, value }));
                }
                grown += usize::from(new != old);
            }
        }
        assert!(grown > 300, "{grown}");
    }

    #[test]
    fn what_cannot_be_exceeded_is_not_widened() {
        let mut p = Program::new("t");
        p.declare("x", crate::ir::Type::BYTE, None, None);
        p.declare("y", crate::ir::Type::BYTE, None, None);
        p.initial = vec![vec![0, 0]];
        let layout = Layout::new(&p, &[(0, 3), (0, 1)]).limited(vec![(0, 3), (0, 100)]);
        let layout = layout.filled(&p);
        assert_eq!((layout.field(0).bits, layout.field(1).bits), (2, 7));
    }
}
