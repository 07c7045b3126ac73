//! Erroneous steps, violated assertions, propositions without a value.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node};
use crate::relation::conjuncts::Conjunct;
use crate::relation::model::Model;
use sempre_base::Stop;
use sempre_model::footprint::can_fail;
use sempre_model::{Expr, Interpreter};

/// An error in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The state.
    pub state: Vec<i64>,
    /// The action that fails; none if an assertion is violated.
    pub action: Option<u32>,
    /// What is wrong.
    pub message: String,
}

impl Model<'_> {
    /// The errors in a set of states, one for each action and assertion. The relations must have been learned for the
    /// set.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn faults(&mut self, forest: &mut Forest, set: Node) -> Result<Vec<Fault>, Stop> {
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

    /// Whether no conjunct has failed for any values it was queried for.
    pub(crate) fn never_fails(&self, forest: &Forest) -> bool {
        (self.partial_relations.iter()).all(|p| forest.get(p.failing) == EMPTY)
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
        let found = forest.protect(EMPTY);
        for (k, failing) in event.uses.iter().enumerate() {
            let partial = &self.partial_relations[failing.partial as usize];
            if forest.get(partial.failing) == EMPTY {
                continue;
            }
            let shape = self.shape_from_top(forest, failing.reads, event.top);
            let mut bad = forest.restrict(set, forest.get(partial.failing), shape)?;
            let is_condition = |m: &Conjunct| !matches!(m, Conjunct::Effect(..));
            for (j, other) in event.uses.iter().enumerate() {
                let before = &self.partial_relations[other.partial as usize];
                // Conditions after a failing one are not evaluated.
                let matters = if is_condition(&partial.conjunct) {
                    j < k
                } else {
                    j != k
                };
                if !matters || bad == EMPTY {
                    continue;
                }
                forest.push(bad);
                let shape = self.shape_from_top(forest, other.shape, event.top);
                let good = forest.restrict(bad, forest.get(before.relation), shape)?;
                bad = if is_condition(&before.conjunct) {
                    good
                } else {
                    // Another part of the effect may fail as well; the state is erroneous either way.
                    forest.push(good);
                    let shape = self.shape_from_top(forest, other.reads, event.top);
                    let worse = forest.restrict(bad, forest.get(before.failing), shape)?;
                    forest.union(good, worse)?
                };
                forest.stack.truncate(base);
            }
            let all = forest.union(forest.get(found), bad)?;
            forest.set(found, all);
        }
        let all = forest.get(found);
        forest.unprotect(found);
        Ok(all)
    }
}

/// The message about a proposition without a value.
pub(crate) fn undefined(proposition: usize, error: &str) -> String {
    format!("proposition {proposition} has no value: {error}")
}

/// An error in a set of states: a failing step, a violated assertion, or a proposition without a value.
pub(crate) fn first_fault(
    forest: &mut Forest,
    model: &mut Model<'_>,
    set: Node,
    propositions: &[Expr],
) -> Result<Option<Fault>, Stop> {
    let root = forest.protect(set);
    let mut fault = model.faults(forest, set)?.into_iter().next();
    for (i, p) in propositions.iter().enumerate() {
        let program = model.program();
        let set = forest.get(root);
        if fault.is_none()
            && can_fail(program, p)
            && let Some(state) = model.undefined(forest, set, p)?
        {
            let error = Interpreter::new(program).value(p, &state).err();
            let error = error.map_or(String::new(), |e| e.show(program).to_string());
            fault = Some(Fault {
                state,
                action: None,
                message: undefined(i, &error),
            });
        }
    }
    forest.unprotect(root);
    Ok(fault)
}
