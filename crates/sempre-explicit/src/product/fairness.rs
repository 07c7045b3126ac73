//! The acceptance sets of a step that come from the processes that take part in it.

use super::{Product, STUTTER};
use crate::marks::Marks;
use sempre_model::system::System;

impl<S: System, M: Marks> Product<'_, S, M> {
    /// The sets of an action's processes.
    pub(super) fn action_marks(&mut self, action: u32) -> M {
        let at = action as usize;
        if at >= self.actions.len() {
            self.actions.resize(at + 1, None);
        }
        if let Some(marks) = self.actions[at] {
            return marks;
        }
        let system = self.wider.as_ref().unwrap_or(self.given);
        let marks = (system.action_processes(action).iter()).fold(M::NONE, |set, p| {
            set.union(M::single(self.first_process + p))
        });
        self.actions[at] = Some(marks);
        marks
    }

    /// The sets of the steps of processes that the property looks at.
    pub(super) fn add_movers(&self, movers: &[u32], steps: &mut [(M, u32)]) {
        let system = self.system();
        for (marks, action) in steps.iter_mut().filter(|(_, action)| *action != STUTTER) {
            let processes = system.action_processes(*action);
            for (set, _) in (0..).zip(movers).filter(|(_, p)| processes.contains(p)) {
                *marks = marks.union(M::single(set));
            }
        }
    }

    /// With fairness, completes the marks of steps. Actions that failed are enabled, too.
    pub(super) fn add_fairness(&mut self, steps: &mut [(M, u32)], failing: &[u32]) {
        let mut enabled =
            (failing.iter()).fold(M::NONE, |set, &action| set.union(self.action_marks(action)));
        for (marks, action) in steps.iter_mut() {
            let processes = self.action_marks(*action);
            enabled = enabled.union(processes);
            *marks = marks.union(processes);
        }
        let disabled = M::all(self.sets)
            .minus(M::all(self.first_process))
            .minus(enabled);
        for (marks, _) in steps {
            *marks = marks.union(disabled);
        }
    }
}
