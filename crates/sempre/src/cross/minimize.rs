//! The smallest formula on which translators disagree.
//!
//! Greedy: of the smaller formulas next to the current one, smallest first, the first that still shows a
//! disagreement becomes the current one, until none does.

use super::{Cross, Report};
use sempre_ltl::shrink::shrink_steps;
use sempre_ltl::{Formula, Formulas};

/// Formulas tried at most: external translators take their time.
const MOST_TRIES: usize = 3000;

/// A small formula on which the candidates still disagree, with its report; `None` if they agree on `f`.
pub fn minimize(cross: &Cross, arena: &mut Formulas, f: Formula) -> Option<(Formula, Report)> {
    let mut report = cross.check(arena, f);
    if report.disagreements.is_empty() {
        return None;
    }
    let mut current = f;
    let mut tries = 0;
    'smaller: loop {
        for candidate in shrink_steps(arena, current) {
            tries += 1;
            if tries > MOST_TRIES {
                break 'smaller;
            }
            let found = cross.check(arena, candidate);
            if !found.disagreements.is_empty() {
                (current, report) = (candidate, found);
                continue 'smaller;
            }
        }
        break;
    }
    Some((current, report))
}
