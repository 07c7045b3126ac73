//! Random walks of a net, to find a run that meets a condition.
//!
//! A walk fires one enabled transition after the other and restarts when it is long or nothing is enabled. It stores
//! no states, so that it needs almost no memory and some hundred nanoseconds a step, whatever the number of states.
//! It finds frequent behaviour, and it proves nothing. Source: West, *Protocol validation by random state
//! exploration* (PSTV 1986); in the Model Checking Contest since LoLA's `findpath`.
//!
//! A [`Policy`] selects the transition: any; one that was rarely fired; one that decreases the distance to the
//! condition (the branch distance of [`sempre_model::distance`], for conditions in normal form); or one that a
//! solution of the state equation still has to fire ([`state_equation`](crate::state_equation); Thierry-Mieg,
//! *Efficient strategies to compute invariants, bounds and stable places of Petri nets*, PNSE 2023, calls these
//! Parikh walks).
//!
//! A walk evaluates several conditions at a time: each inequality has its value, which a step changes by a constant,
//! and a condition is evaluated only when one of its inequalities becomes true or false.
//!
//! Invariants:
//! * I1: `missing` of a transition is the number of its tests that the marking violates; it is in `enabled` if and
//!   only if that is zero.
//! * I2: `values` are those of the inequalities in the marking.
//! * I3: `path` leads from the initial marking to the marking.

use crate::condition::{Condition, Linear};
use crate::net::Net;
use crate::numbered_condition::NumberedCondition;
use crate::state_equation::Firings;
use rustc_hash::FxHashMap;
use sempre_base::Random;

/// How the next transition is selected.
#[derive(Clone, Copy, Debug)]
pub enum Policy<'a> {
    /// Any enabled transition.
    Uniform,
    /// Of a random few, the one that was fired least often.
    LeastFired,
    /// One that decreases the distance to the condition with this number, most of the time.
    Directed(usize),
    /// One that still has to be fired according to a solution; after that as `Directed` to the condition with this
    /// number.
    Parikh(usize, &'a Firings),
}

/// The end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// The marking meets the condition with this number.
    Reached(usize),
    /// Nothing is enabled.
    Deadlock,
    /// The limit of steps is reached, or the time is over.
    Stopped,
}

/// The number of steps between two polls.
const POLL_INTERVAL: usize = 64;
/// The most enabled transitions that are compared.
const MAX_CANDIDATES: usize = 24;

/// See the module's documentation.
pub struct Walker<'n> {
    net: &'n Net,
    consumers: Vec<Vec<(u32, i64)>>,
    changers: Vec<Vec<(u32, i64)>>,
    goals: Vec<NumberedCondition>,
    /// Is a goal still of interest?
    is_active: Vec<bool>,
    inequalities: Vec<Linear>,
    /// The goal of each inequality.
    goal_of: Vec<u32>,
    /// The inequalities over each place, with the coefficient.
    over: Vec<Vec<(u32, i64)>>,
    /// The inequalities of a goal that a transition changes, with the changes: for the goal of the last directed
    /// walk.
    affecting: Affecting,
    first: InitialState,
    marking: Vec<i64>,
    missing: Vec<u32>,
    enabled: Vec<u32>,
    /// The place of a transition in `enabled`.
    place: Vec<u32>,
    values: Vec<i64>,
    path: Vec<u32>,
    fired: Vec<u32>,
    random: Random,
    steps: u64,
}

/// The data of the initial marking.
struct InitialState {
    missing: Vec<u32>,
    enabled: Vec<u32>,
    place: Vec<u32>,
    values: Vec<i64>,
}

/// The changes by transition.
#[derive(Default)]
struct Affecting {
    goal: Option<usize>,
    transitions: Vec<u32>,
    changes: FxHashMap<u32, Vec<(u32, i64)>>,
}

const NONE: u32 = u32::MAX;

impl<'n> Walker<'n> {
    /// A walker for these conditions.
    pub fn new(net: &'n Net, goals: &[&Condition], seed: u64) -> Self {
        let mut inequalities = Vec::new();
        let mut goal_of = Vec::new();
        let mut conditions = Vec::new();
        for (number, goal) in goals.iter().enumerate() {
            conditions.push(NumberedCondition::new(goal, &mut inequalities));
            goal_of.resize(inequalities.len(), number as u32);
        }
        let mut over = vec![Vec::new(); net.places()];
        for (number, linear) in inequalities.iter().enumerate() {
            for &(p, c) in &linear.terms {
                over[p as usize].push((number as u32, c));
            }
        }
        let transitions = net.transitions.len();
        let mut first = InitialState {
            missing: Vec::with_capacity(transitions),
            enabled: Vec::new(),
            place: vec![NONE; transitions],
            values: inequalities.iter().map(|l| l.value(&net.initial)).collect(),
        };
        for (number, transition) in net.transitions.iter().enumerate() {
            let failed = |&&(p, weight): &&(u32, i64)| net.initial[p as usize] < weight;
            let missing = transition.inputs.iter().filter(failed).count() as u32;
            first.missing.push(missing);
            if missing == 0 {
                first.place[number] = first.enabled.len() as u32;
                first.enabled.push(number as u32);
            }
        }
        Self {
            net,
            consumers: net.consumers(),
            changers: net.changers(),
            is_active: vec![true; conditions.len()],
            goals: conditions,
            goal_of,
            over,
            affecting: Affecting::default(),
            marking: net.initial.clone(),
            missing: first.missing.clone(),
            enabled: first.enabled.clone(),
            place: first.place.clone(),
            values: first.values.clone(),
            inequalities,
            first,
            path: Vec::new(),
            fired: vec![0; transitions],
            random: Random::new(seed),
            steps: 0,
        }
    }

    /// Steps of all walks together.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The transitions of the last walk, from the initial marking.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// Removes a condition from the goals.
    pub fn remove_goal(&mut self, goal: usize) {
        self.is_active[goal] = false;
    }

    /// Walks from the initial marking, until a condition of interest is met. `is_over` is polled from time to time.
    pub fn walk(
        &mut self,
        policy: Policy<'_>,
        length: usize,
        is_over: &dyn Fn() -> bool,
    ) -> WalkEnd {
        self.marking.clone_from(&self.net.initial);
        self.missing.clone_from(&self.first.missing);
        self.enabled.clone_from(&self.first.enabled);
        self.place.clone_from(&self.first.place);
        self.values.clone_from(&self.first.values);
        self.path.clear();
        if let Some(goal) = (0..self.goals.len()).find(|&g| self.is_active[g] && self.satisfies(g))
        {
            return WalkEnd::Reached(goal);
        }
        if let Policy::Directed(goal) | Policy::Parikh(goal, _) = policy {
            self.prepare_goal(goal);
        }
        let mut plan = match policy {
            Policy::Parikh(_, firings) => Some(Plan::new(firings)),
            _ => None,
        };
        while self.path.len() < length {
            if self.enabled.is_empty() {
                return WalkEnd::Deadlock;
            }
            if self.path.len() % POLL_INTERVAL == POLL_INTERVAL - 1 && is_over() {
                return WalkEnd::Stopped;
            }
            let t = match policy {
                Policy::Uniform => *self.random.pick(&self.enabled),
                Policy::LeastFired => self.least_fired(),
                Policy::Directed(goal) => self.directed(goal),
                Policy::Parikh(goal, _) => {
                    let planned = plan.as_mut().and_then(|p| self.planned(p));
                    match planned {
                        Some(t) => t,
                        None => self.directed(goal),
                    }
                }
            };
            if let Some(goal) = self.fire(t) {
                return WalkEnd::Reached(goal);
            }
        }
        WalkEnd::Stopped
    }

    fn satisfies(&self, goal: usize) -> bool {
        let is_true = |i: u32| self.values[i as usize] <= self.inequalities[i as usize].bound;
        self.goals[goal].holds(&is_true)
    }

    /// Fires a transition. Returns a condition of interest that is met now, if its truth may have changed.
    fn fire(&mut self, t: u32) -> Option<usize> {
        self.path.push(t);
        self.steps += 1;
        self.fired[t as usize] = self.fired[t as usize].saturating_add(1);
        let net = self.net;
        let mut changed: [u32; 8] = [NONE; 8];
        let mut changed_count = 0;
        for &(p, change) in &net.transitions[t as usize].change {
            let before = self.marking[p as usize];
            let after = before + change;
            self.marking[p as usize] = after;
            for i in 0..self.consumers[p as usize].len() {
                let (u, weight) = self.consumers[p as usize][i];
                match (before >= weight, after >= weight) {
                    (false, true) => {
                        self.missing[u as usize] -= 1;
                        if self.missing[u as usize] == 0 {
                            self.place[u as usize] = self.enabled.len() as u32;
                            self.enabled.push(u);
                        }
                    }
                    (true, false) => {
                        if self.missing[u as usize] == 0 {
                            self.disable(u);
                        }
                        self.missing[u as usize] += 1;
                    }
                    _ => {}
                }
            }
            for &(i, coefficient) in &self.over[p as usize] {
                let i = i as usize;
                let value = self.values[i].saturating_add(coefficient.saturating_mul(change));
                let bound = self.inequalities[i].bound;
                let flips = (self.values[i] <= bound) != (value <= bound);
                self.values[i] = value;
                let goal = self.goal_of[i];
                if flips && self.is_active[goal as usize] {
                    let known = &changed[..changed_count.min(8)];
                    if !known.contains(&goal) {
                        if changed_count < 8 {
                            changed[changed_count] = goal;
                        }
                        changed_count += 1;
                    }
                }
            }
        }
        // I1, I2; the check is expensive, so it is done rarely.
        debug_assert!(!self.path.len().is_multiple_of(61) || self.is_consistent());
        if changed_count > 8 {
            return (0..self.goals.len()).find(|&g| self.is_active[g] && self.satisfies(g));
        }
        let mut goals = changed[..changed_count].iter().map(|&g| g as usize);
        goals.find(|&g| self.satisfies(g))
    }

    fn is_consistent(&self) -> bool {
        let transitions = self.net.transitions.iter().enumerate();
        let enabled = transitions.filter(|(_, t)| t.is_enabled(&self.marking));
        let enabled: Vec<u32> = enabled.map(|(t, _)| t as u32).collect();
        let mut listed = self.enabled.clone();
        listed.sort_unstable();
        let mut values = self.inequalities.iter().zip(&self.values);
        enabled == listed && values.all(|(l, &v)| l.value(&self.marking) == v)
    }

    fn disable(&mut self, t: u32) {
        let place = std::mem::replace(&mut self.place[t as usize], NONE) as usize;
        self.enabled.swap_remove(place);
        if let Some(&moved) = self.enabled.get(place) {
            self.place[moved as usize] = place as u32;
        }
    }

    fn is_enabled(&self, t: u32) -> bool {
        self.missing[t as usize] == 0
    }

    fn least_fired(&mut self) -> u32 {
        let mut best = *self.random.pick(&self.enabled);
        for _ in 0..3 {
            let other = *self.random.pick(&self.enabled);
            if self.fired[other as usize] < self.fired[best as usize] {
                best = other;
            }
        }
        best
    }

    /// Computes the transitions that change the inequalities of a goal.
    fn prepare_goal(&mut self, goal: usize) {
        if self.affecting.goal == Some(goal) {
            return;
        }
        let mut changes: FxHashMap<u32, Vec<(u32, i64)>> = FxHashMap::default();
        self.goals[goal].each(&mut |i| {
            for &(p, c) in &self.inequalities[i as usize].terms {
                for &(t, change) in &self.changers[p as usize] {
                    let change = c.saturating_mul(change);
                    changes.entry(t).or_default().push((i, change));
                }
            }
        });
        for list in changes.values_mut() {
            *list = added_up(std::mem::take(list));
        }
        changes.retain(|_, list| !list.is_empty());
        let mut transitions: Vec<u32> = changes.keys().copied().collect();
        transitions.sort_unstable();
        self.affecting = Affecting {
            goal: Some(goal),
            transitions,
            changes,
        };
    }

    /// The distance of the goal after these changes of inequalities.
    fn distance(&self, goal: usize, changes: &[(u32, i64)]) -> u64 {
        let distances = |i: u32| {
            let change = crate::net::entry(changes, i);
            let value = self.values[i as usize].saturating_add(change);
            let bound = self.inequalities[i as usize].bound;
            if value <= bound {
                0
            } else {
                value.abs_diff(bound)
            }
        };
        self.goals[goal].distance(&distances)
    }

    fn directed(&mut self, goal: usize) -> u32 {
        if self.random.chance(0.1) {
            return *self.random.pick(&self.enabled);
        }
        let now = self.distance(goal, &[]);
        let mut best = Vec::new();
        let mut least = now;
        let few = self.affecting.transitions.len() <= 2 * MAX_CANDIDATES;
        let candidates = if few {
            self.affecting.transitions.len()
        } else {
            MAX_CANDIDATES
        };
        for look in 0..candidates {
            let t = match few {
                true => self.affecting.transitions[look],
                false => *self.random.pick(&self.enabled),
            };
            if !self.is_enabled(t) {
                continue;
            }
            let Some(changes) = self.affecting.changes.get(&t) else {
                continue;
            };
            let distance = self.distance(goal, changes);
            if distance < least {
                best.clear();
                least = distance;
            }
            if distance == least && distance < now {
                best.push(t);
            }
        }
        if !best.is_empty() {
            return *self.random.pick(&best);
        }
        // No transition is better: one that is no worse, and was rarely fired.
        let mut chosen: Option<u32> = None;
        for _ in 0..8 {
            let t = *self.random.pick(&self.enabled);
            let worse =
                (self.affecting.changes.get(&t)).is_some_and(|c| self.distance(goal, c) > now);
            let fired = |t: u32| self.fired[t as usize];
            if !worse && chosen.is_none_or(|c| fired(t) < fired(c)) {
                chosen = Some(t);
            }
        }
        chosen.unwrap_or_else(|| *self.random.pick(&self.enabled))
    }

    /// The next transition of the plan: an enabled one that still has to be fired, else one that puts tokens into a
    /// place where such a one needs them, else any; `None` at the end of the plan.
    fn planned(&mut self, plan: &mut Plan) -> Option<u32> {
        if plan.left.is_empty() {
            return None;
        }
        let offset = self.random.below(plan.left.len());
        for i in 0..plan.left.len() {
            let i = (offset + i) % plan.left.len();
            let (t, times) = plan.left[i];
            if self.is_enabled(t) {
                plan.left[i].1 -= 1;
                if times == 1 {
                    plan.left.swap_remove(i);
                }
                return Some(t);
            }
        }
        if plan.detours == 0 {
            plan.left.clear();
            return None;
        }
        plan.detours -= 1;
        if self.random.chance(0.7) {
            let (t, _) = plan.left[offset];
            let marking = &self.marking;
            let inputs = &self.net.transitions[t as usize].inputs;
            let lacking = inputs.iter().find(|&&(p, w)| marking[p as usize] < w);
            if let Some(&(p, _)) = lacking {
                let changers = self.changers[p as usize].iter();
                let bring = changers.filter(|&&(u, c)| c > 0 && self.is_enabled(u));
                let bring: Vec<u32> = bring.map(|c| c.0).collect();
                if !bring.is_empty() {
                    return Some(*self.random.pick(&bring));
                }
            }
        }
        Some(*self.random.pick(&self.enabled))
    }
}

/// The firings that are still to be done.
struct Plan {
    left: Vec<(u32, u64)>,
    /// The number of transitions outside the plan that may still be fired.
    detours: u64,
}

impl Plan {
    fn new(firings: &Firings) -> Self {
        let total = firings.iter().fold(0u64, |sum, f| sum.saturating_add(f.1));
        Self {
            left: firings.iter().copied().filter(|f| f.1 > 0).collect(),
            detours: 30 + total / 4,
        }
    }
}

/// One entry for each number, sorted, none zero.
fn added_up(mut list: Vec<(u32, i64)>) -> Vec<(u32, i64)> {
    list.sort_unstable_by_key(|e| e.0);
    list.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 = kept.1.saturating_add(next.1);
        }
        same
    });
    list.retain(|e| e.1 != 0);
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Question;
    use crate::question::tests::{answer, random_question};
    use crate::state_equation::{Next, search};
    use crate::witness::{replayed, shortened};

    /// A walk to each condition that is near, by each policy; none to unreachable ones.
    #[test]
    fn walks_meet_what_can_be_reached_and_nothing_else() {
        let mut random = Random::new(10);
        let mut reached = [0; 4];
        let (mut reachable, mut unreachable) = (0, 0);
        for seed in 0..3000 {
            let Question { net, goal } = random_question(&mut random);
            let Some(expected) = answer(
                &Question {
                    net: net.clone(),
                    goal: goal.clone(),
                },
                500,
            ) else {
                continue;
            };
            *if expected {
                &mut reachable
            } else {
                &mut unreachable
            } += 1;
            let mut plans = Vec::new();
            let question = Question {
                net: net.clone(),
                goal: goal.clone(),
            };
            let mut keep = |f: &Firings| {
                plans.push(f.clone());
                Next::Continue
            };
            search(&question, seed, 1 << 22, &mut keep, &|| Next::Continue);
            let never = Condition::FALSE;
            let mut walker = Walker::new(&net, &[&never, &goal], seed);
            let mut policies = vec![Policy::Uniform, Policy::LeastFired, Policy::Directed(1)];
            policies.extend(plans.first().map(|plan| Policy::Parikh(1, plan)));
            for (number, policy) in policies.into_iter().enumerate() {
                for _ in 0..20 {
                    if let WalkEnd::Reached(found) = walker.walk(policy, 60, &|| false) {
                        assert_eq!(found, 1);
                        let marking = replayed(&net, walker.path()).expect("a run");
                        assert!(goal.holds(&marking) && expected);
                        let short = shortened(&net, &goal, walker.path(), 10_000);
                        assert!(short.len() <= walker.path().len());
                        let marking = replayed(&net, &short).expect("a run");
                        assert!(goal.holds(&marking));
                        reached[number] += 1;
                        break;
                    }
                }
            }
        }
        for reached in reached {
            assert!(reached * 100 > reachable * 90, "{reached} of {reachable}");
        }
        assert!(unreachable > 300);
    }

    #[test]
    fn a_closed_condition_is_not_met() {
        let net = Net {
            cells: vec![0],
            initial: vec![0],
            transitions: vec![crate::net::Transition {
                action: 0,
                inputs: vec![],
                change: vec![(0, 1)],
            }],
        };
        let goals = [2, 3].map(|n| Condition::at_most(vec![(0, -1)], -n));
        let mut walker = Walker::new(&net, &[&goals[0], &goals[1]], 1);
        assert_eq!(
            walker.walk(Policy::Uniform, 9, &|| false),
            WalkEnd::Reached(0)
        );
        walker.remove_goal(0);
        assert_eq!(
            walker.walk(Policy::Uniform, 9, &|| false),
            WalkEnd::Reached(1)
        );
        assert_eq!(walker.path().len(), 3);
        walker.remove_goal(1);
        assert_eq!(walker.walk(Policy::Uniform, 9, &|| false), WalkEnd::Stopped);
        assert_eq!(walker.steps(), 2 + 3 + 9);
    }

    #[test]
    fn a_plan_leads_far() {
        // 500 tokens, one after the other through two places, where a random walk moves back and forth.
        let step = |action, inputs: &[(u32, i64)], change: &[(u32, i64)]| crate::net::Transition {
            action,
            inputs: inputs.to_vec(),
            change: change.to_vec(),
        };
        let net = Net {
            cells: vec![0, 1, 2],
            initial: vec![500, 0, 0],
            transitions: vec![
                step(0, &[(0, 1)], &[(0, -1), (1, 1)]),
                step(1, &[(1, 1)], &[(0, 1), (1, -1)]),
                step(2, &[(1, 1)], &[(1, -1), (2, 1)]),
                step(3, &[(2, 1)], &[(1, 1), (2, -1)]),
            ],
        };
        let question = Question {
            goal: Condition::at_most(vec![(2, -1)], -500),
            net,
        };
        let mut found = None;
        let mut solution = |firings: &Firings| {
            let mut walker = Walker::new(&question.net, &[&question.goal], 1);
            assert_eq!(
                walker.walk(Policy::Parikh(0, firings), 2000, &|| false),
                WalkEnd::Reached(0)
            );
            found = Some(walker.path().len());
            Next::Stop
        };
        search(&question, 1, 1 << 22, &mut solution, &|| Next::Continue);
        assert_eq!(found, Some(1000));
    }
}
