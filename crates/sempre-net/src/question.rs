//! A reachability question: a net and a condition; and its reduction to the parts of the net that influence the
//! condition.
//!
//! [`Question::reduced`] removes, until nothing changes,
//! * transitions that can never fire: some input place never holds enough tokens, even if no transition ever took
//!   one;
//! * places that no transition changes: their tests and terms are constants;
//! * everything outside the cone of influence of the condition: a transition is in the cone if it changes a place in
//!   the cone; a place is in the cone if the condition or a transition in the cone reads it.
//!
//! A run of the reduced net is a run of the net, with the same actions, and a run of the net without the removed
//! transitions is one of the reduced net: the removed transitions do not change the places that remain. So the
//! condition is reachable in one if and only if in the other. (The cone is from Rakow, *Slicing and reduction
//! techniques for model checking Petri nets*, 2011.)

use crate::condition::Condition;
use crate::net::{Net, Transition};

/// Is there a run of the net to a marking that meets the condition?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The net.
    pub net: Net,
    /// The condition, over the places of the net.
    pub goal: Condition,
}

impl Question {
    /// The reduced question; see the module's documentation.
    pub fn reduced(net: &Net, goal: &Condition) -> Self {
        // The cone first: if it is small, the other steps are fast.
        let mut question = cone(net, goal);
        loop {
            let size = |q: &Self| (q.net.places(), q.net.transitions.len());
            let before = size(&question);
            remove_dead(&mut question.net);
            question = question.with_constants();
            question = cone(&question.net, &question.goal);
            if size(&question) == before {
                return question;
            }
        }
    }

    /// Substitutes the tokens of places that no transition changes in the condition and in the tests. (These places
    /// are then outside the cone.)
    fn with_constants(mut self) -> Self {
        let mut changes = vec![false; self.net.places()];
        for &(p, _) in self.net.transitions.iter().flat_map(|t| &t.change) {
            changes[p as usize] = true;
        }
        let initial = &self.net.initial;
        self.goal = self.goal.map(&|linear| {
            let (terms, constant): (Vec<_>, Vec<_>) =
                (linear.terms.iter()).partition(|&&(p, _)| changes[p as usize]);
            // In 128 bits; an inequality that does not fit is not changed.
            let sum: i128 = (constant.iter())
                .map(|&&(p, c)| i128::from(c) * i128::from(initial[p as usize]))
                .sum();
            match i64::try_from(i128::from(linear.bound) - sum) {
                Ok(bound) => Condition::at_most(terms.into_iter().copied().collect(), bound),
                Err(_) => Condition::AtMost(linear.clone()),
            }
        });
        for transition in &mut self.net.transitions {
            // The transition can fire, so the test of a constant place is true.
            (transition.inputs).retain(|&(p, _)| changes[p as usize]);
        }
        self
    }
}

/// Removes everything outside the cone of influence of the condition.
fn cone(net: &Net, goal: &Condition) -> Question {
    let changers = net.changers();
    let mut matters = vec![false; net.places()];
    let mut open = Vec::new();
    goal.each(&mut |linear| open.extend(linear.terms.iter().map(|t| t.0)));
    let mut kept = vec![false; net.transitions.len()];
    while let Some(p) = open.pop() {
        if std::mem::replace(&mut matters[p as usize], true) {
            continue;
        }
        for &(t, _) in &changers[p as usize] {
            if !std::mem::replace(&mut kept[t as usize], true) {
                open.extend(net.transitions[t as usize].inputs.iter().map(|i| i.0));
            }
        }
    }
    let mut number = vec![u32::MAX; net.places()];
    let mut small = Net::default();
    for p in (0..net.places()).filter(|&p| matters[p]) {
        number[p] = small.places() as u32;
        small.cells.push(net.cells[p]);
        small.initial.push(net.initial[p]);
    }
    let renumbered = |vector: &[(u32, i64)]| -> Vec<(u32, i64)> {
        let kept = vector.iter().filter(|e| matters[e.0 as usize]);
        kept.map(|&(p, n)| (number[p as usize], n)).collect()
    };
    for (transition, _) in net.transitions.iter().zip(&kept).filter(|(_, k)| **k) {
        small.transitions.push(Transition {
            action: transition.action,
            inputs: renumbered(&transition.inputs),
            change: renumbered(&transition.change),
        });
    }
    let goal = goal.map(&|linear| Condition::at_most(renumbered(&linear.terms), linear.bound));
    Question { net: small, goal }
}

/// Removes the transitions that could not fire even if no transition took tokens.
fn remove_dead(net: &mut Net) {
    let consumers = net.consumers();
    let mut gains = vec![false; net.places()];
    let mut missing: Vec<usize> = net.transitions.iter().map(|t| t.inputs.len()).collect();
    let mut ready: Vec<u32> = Vec::new();
    let supply = |missing: &mut Vec<usize>, ready: &mut Vec<u32>, t: u32| {
        missing[t as usize] -= 1;
        if missing[t as usize] == 0 {
            ready.push(t);
        }
    };
    ready.extend((0..missing.len() as u32).filter(|&t| missing[t as usize] == 0));
    for (p, consumers) in consumers.iter().enumerate() {
        for &(t, weight) in consumers {
            if net.initial[p] >= weight {
                supply(&mut missing, &mut ready, t);
            }
        }
    }
    while let Some(t) = ready.pop() {
        for &(p, change) in &net.transitions[t as usize].change {
            if change <= 0 || std::mem::replace(&mut gains[p as usize], true) {
                continue;
            }
            for &(t, weight) in &consumers[p as usize] {
                if net.initial[p as usize] < weight {
                    supply(&mut missing, &mut ready, t);
                }
            }
        }
    }
    let mut missing = missing.into_iter();
    net.transitions.retain(|_| missing.next() == Some(0));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::condition::tests::random_expr;
    use crate::net::tests::{random_net, reachable};
    use sempre_base::Random;

    /// A random question.
    pub(crate) fn random_question(random: &mut Random) -> Question {
        let net = random_net(random);
        let depth = random.below(4) as u32;
        let expr = random_expr(random, net.places(), depth);
        let goal = Condition::of(&expr, true).expect("linear");
        Question { net, goal }
    }

    /// Is the condition reachable? `None` if there are too many markings.
    pub(crate) fn answer(question: &Question, limit: usize) -> Option<bool> {
        let all = reachable(&question.net, limit)?;
        Some(all.iter().any(|m| question.goal.holds(m)))
    }

    #[test]
    fn a_reduced_question_has_the_same_answer() {
        let mut random = Random::new(3);
        let (mut smaller, mut yes, mut no) = (0, 0, 0);
        for _ in 0..3000 {
            let question = random_question(&mut random);
            let reduced = Question::reduced(&question.net, &question.goal);
            let size = |q: &Question| q.net.places() + q.net.transitions.len();
            smaller += u32::from(size(&reduced) < size(&question));
            if let Some(expected) = answer(&question, 2000) {
                assert_eq!(answer(&reduced, 2000), Some(expected), "{question:?}");
                *if expected { &mut yes } else { &mut no } += 1;
            }
        }
        assert!(
            smaller > 500 && yes > 500 && no > 500,
            "{smaller} {yes} {no}"
        );
    }

    #[test]
    fn places_that_nobody_looks_at_are_left_out() {
        let transition = |action, inputs: &[u32], change: &[(u32, i64)]| Transition {
            action,
            inputs: inputs.iter().map(|&p| (p, 1)).collect(),
            change: change.to_vec(),
        };
        let question = Question {
            net: Net {
                cells: vec![0, 1, 2, 3],
                initial: vec![1, 0, 1, 0],
                transitions: vec![
                    // A constant place is tested, and a place outside the cone gets tokens.
                    transition(0, &[0, 2], &[(0, -1), (1, 1), (3, 1)]),
                    // It never fires.
                    transition(1, &[3, 1], &[(1, 5)]),
                    transition(2, &[3], &[(3, -1)]),
                ],
            },
            goal: Condition::at_most(vec![(1, -1)], -1),
        };
        let mut dead = question.clone();
        dead.net.transitions[0].change.pop();
        let reduced = Question::reduced(&dead.net, &dead.goal);
        assert_eq!(reduced.net.cells, [0, 1]);
        let actions: Vec<u32> = reduced.net.transitions.iter().map(|t| t.action).collect();
        assert_eq!(actions, [0]);
        assert_eq!(reduced.net.transitions[0].inputs, [(0, 1)]);
        assert_eq!(
            Question::reduced(&question.net, &question.goal).net.cells,
            [0, 1, 3]
        );
    }
}
