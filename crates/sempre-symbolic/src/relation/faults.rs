//! Erroneous steps, assertions that do not hold, propositions without a value.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::relation::conjuncts::Meaning;
use crate::relation::model::Model;
use sempre_base::Stop;
use sempre_model::footprint::can_fail;
use sempre_model::{Expr, Interpreter};

/// Something erroneous in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The state.
    pub state: Vec<i64>,
    /// The action that fails, or none if the state does not meet an assertion.
    pub action: Option<u32>,
    /// What is wrong.
    pub message: String,
}

impl Model<'_> {
    /// The states of a set in which something is erroneous, by what that is. All relations must be known for the set.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn faults(&mut self, forest: &mut Forest, set: Node) -> Result<Vec<Fault>, Stop> {
        let mut faults = Vec::new();
        for i in 0..self.events.len() {
            let node = self.failing(forest, i, set)?;
            if let Some(vector) = forest.first(node) {
                let state = self.decode(&vector);
                let action = self.events[i].action;
                let steps = Interpreter::new(self.program).successors(&state);
                let error =
                    (steps.into_iter()).find_map(|(a, step)| step.err().filter(|_| a == action));
                let message = error.map_or_else(
                    || "an erroneous step".to_string(),
                    |e| e.show(self.program).to_string(),
                );
                faults.push(Fault {
                    state,
                    action: Some(action),
                    message,
                });
            }
        }
        for (condition, name) in &self.program.assertions {
            let good = self.satisfying(forest, set, condition)?;
            let bad = forest.difference(set, good)?;
            if let Some(vector) = forest.first(bad) {
                faults.push(Fault {
                    state: self.decode(&vector),
                    action: None,
                    message: format!("assertion failed: {name}"),
                });
            }
        }
        Ok(faults)
    }

    /// Has no part ever failed, for whatever values it was asked about?
    pub(crate) fn never_fails(&self, forest: &Forest) -> bool {
        (self.parts.iter()).all(|p| forest.get(p.failed) == EMPTY)
    }

    /// The states of a set in which an event fails.
    pub(crate) fn failing(
        &self,
        forest: &mut Forest,
        event: usize,
        set: Node,
    ) -> Result<Node, Stop> {
        let event = &self.events[event];
        let base = forest.stack.len();
        let found = forest.keep(EMPTY);
        for (k, failing) in event.uses.iter().enumerate() {
            let part = &self.parts[failing.part as usize];
            if forest.get(part.failed) == EMPTY {
                continue;
            }
            let shape = self.whole_shape(forest, failing.reads, event.top);
            let mut bad = forest.restrict(set, forest.get(part.failed), shape)?;
            let is_condition = |m: &Meaning| !matches!(m, Meaning::Effect(..));
            for (j, other) in event.uses.iter().enumerate() {
                let before = &self.parts[other.part as usize];
                // Conditions that come later are not evaluated any more.
                let matters = if is_condition(&part.meaning) {
                    j < k
                } else {
                    j != k
                };
                if !matters || bad == EMPTY {
                    continue;
                }
                forest.push(bad);
                let shape = self.whole_shape(forest, other.shape, event.top);
                let good = forest.restrict(bad, forest.get(before.relation), shape)?;
                bad = if is_condition(&before.meaning) {
                    good
                } else {
                    // Another piece may fail as well: what is wrong is wrong all the same.
                    forest.push(good);
                    let shape = self.whole_shape(forest, other.reads, event.top);
                    let worse = forest.restrict(bad, forest.get(before.failed), shape)?;
                    forest.union(good, worse)?
                };
                forest.stack.truncate(base);
            }
            let all = forest.union(forest.get(found), bad)?;
            forest.set(found, all);
        }
        let all = forest.get(found);
        forest.release(found);
        Ok(all)
    }
}

/// What is said of a proposition without a value.
pub(crate) fn without_value(proposition: usize, error: &str) -> String {
    format!("proposition {proposition} has no value: {error}")
}

/// Something erroneous in a state of a set: a step, an assertion, a proposition without a value.
pub(crate) fn first_fault(
    forest: &mut Forest,
    model: &mut Model<'_>,
    set: Node,
    propositions: &[Expr],
) -> Result<Option<Fault>, Stop> {
    let kept = forest.keep(set);
    let mut fault = model.faults(forest, set)?.into_iter().next();
    for (i, p) in propositions.iter().enumerate() {
        let program = model.program();
        let set = forest.get(kept);
        if fault.is_none()
            && can_fail(program, p)
            && let Some(state) = model.without_value(forest, set, p)?
        {
            let error = Interpreter::new(program).value(p, &state).err();
            let error = error.map_or(String::new(), |e| e.show(program).to_string());
            fault = Some(Fault {
                state,
                action: None,
                message: without_value(i, &error),
            });
        }
    }
    forest.release(kept);
    Ok(fault)
}
