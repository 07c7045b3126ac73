//! What a process can do at a place: its **halves**, since a rendezvous takes two.
//!
//! A half has a guard, an effect and a place to go to. The guard does not ask where the process is.
//!
//! * `else` is possible if nothing else of the process is, but a rendezvous: SPIN asks for those later.
//! * Escapes (`unless`) come before what they leave: statements of a later group are possible if none of an earlier
//!   group is.
//! * A `d_step` without loops and jumps is one effect: `if` takes the first option that is possible, and where nothing is, the step
//!   is an error. With them its statements are halves of their own, and the process goes on alone.
//! * After a statement in an atomic sequence, statements that are always possible and have no alternative are part of the
//!   same step: nobody could see the states in between.

use super::body::Body;
use super::channels::Meeting;
use super::flow::{El, Kind};
use super::instances::{Storage, World};
use super::resolve::{Cell, Target, Value};
use super::symbols::Scalar;
use super::tenancy::TOO_MANY;
use super::values::binary;
use sempre_model::ir::{Binary, Expr, Place, Stmt, Unary};

/// What a rendezvous half offers.
#[derive(Clone, Debug)]
pub(super) enum Offer {
    Send(Vec<Expr>),
    Receive(Vec<Target>),
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub(super) struct Half {
    pub element: El,
    /// The statements that are part of the same step, after the element, in their order, each with the number of statements of the
    /// effect that come before it.
    pub also: Vec<(El, usize)>,
    pub guard: Expr,
    pub effect: Vec<Stmt>,
    /// The rendezvous channels and what is offered there.
    pub offer: Option<(Meeting, Offer)>,
    /// Where it leads; `None` for the end of the process.
    pub to: Option<El>,
    /// Does the process go on alone?
    pub atom: bool,
    pub timeout: bool,
}

/// How many statements of an atomic sequence are made one step at most.
const TOGETHER: usize = 200;

/// An instance and what it is made of.
pub(super) struct Stepper<'a> {
    pub world: &'a World,
    pub bodies: &'a [Body],
    pub instance: usize,
    /// Where a text starts, in words.
    pub text: &'a dyn Fn(El) -> String,
    /// The slots that a process of that type may be made in.
    pub births: &'a dyn Fn(usize) -> Vec<usize>,
    /// The element of the `d_step` that each element is in.
    pub step_of: &'a [Option<El>],
}

pub(super) fn not(e: Expr) -> Expr {
    match e {
        Expr::Constant(n) => Expr::Constant(i64::from(n == 0)),
        e => Expr::Unary(Unary::Not, Box::new(e)),
    }
}

pub(super) fn any(all: impl IntoIterator<Item = Expr>) -> Expr {
    let mut result = Expr::FALSE;
    for e in all {
        result = match (result, e) {
            (Expr::Constant(0), e) => e,
            (a, Expr::Constant(0)) => a,
            (a, b) => binary(Binary::Or, a, b),
        };
    }
    result
}

pub(super) fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().collect();
    if parts.contains(&Expr::FALSE) {
        return Expr::FALSE;
    }
    Expr::all(
        parts
            .into_iter()
            .filter(|p| !matches!(p, Expr::Constant(n) if *n != 0)),
    )
}

impl Stepper<'_> {
    pub fn body(&self) -> &Body {
        &self.bodies[self.world.instances[self.instance].proctype]
    }

    pub fn expr(&self, value: &Value, timeout: bool) -> Expr {
        sempre_base::checkpoint();
        self.world.expr(Some(self.instance), value, timeout)
    }

    pub fn condition(&self, value: &Value, timeout: bool) -> Expr {
        self.expr(value, timeout)
    }

    /// All halves of a place, with their guards complete.
    pub fn halves(&self, place: El) -> Vec<Half> {
        sempre_base::checkpoint();
        let body = self.body();
        let flow = &body.flow;
        let inside = self.step_of[place].is_some();
        let mut result: Vec<Half> = Vec::new();
        // What is possible in earlier groups, and what is if `timeout` is true.
        let mut earlier = [Expr::FALSE, Expr::FALSE];
        for group in flow.groups(place).unwrap_or_default() {
            let mut halves: Vec<Half> = Vec::new();
            let mut possible = Expr::FALSE;
            for leaf in group {
                for mut half in self.leaf(leaf) {
                    if flow.elements[leaf].kind == Kind::Else {
                        half.guard = not(possible.clone());
                    } else if half.offer.is_none() && !half.timeout {
                        let guard = half.guard.clone();
                        if inside {
                            // The first that is possible is taken.
                            half.guard = all([not(possible.clone()), half.guard]);
                        }
                        possible = any([possible, guard]);
                    }
                    halves.push(half);
                }
            }
            let receives = |h: &Half| matches!(h.offer, Some((_, Offer::Receive(_))));
            let open = |timeout: bool| {
                let halves = halves
                    .iter()
                    .filter(|h| !receives(h) && (timeout || !h.timeout));
                any(halves.map(|h| h.guard.clone()))
            };
            let now = [open(false), open(true)];
            for half in halves.iter_mut().filter(|h| !receives(h)) {
                let before = earlier[usize::from(half.timeout)].clone();
                half.guard = all([half.guard.clone(), not(before)]);
            }
            for (earlier, now) in earlier.iter_mut().zip(now) {
                *earlier = any([earlier.clone(), now]);
            }
            result.extend(halves);
        }
        if inside {
            // A `d_step` that cannot go on is an error.
            let stuck = not(any(result.iter().map(|h| h.guard.clone())));
            if stuck != Expr::FALSE {
                result.push(Half {
                    element: place,
                    also: Vec::new(),
                    guard: stuck,
                    effect: vec![self.blocked(place)],
                    offer: None,
                    to: Some(place),
                    atom: false,
                    timeout: false,
                });
            }
        }
        if let Some(provided) = &body.provided {
            let provided = self.expr(provided, false);
            for half in &mut result {
                half.guard = all([provided.clone(), half.guard.clone()]);
            }
        }
        result.retain(|h| h.guard != Expr::FALSE);
        result
    }

    pub fn blocked(&self, e: El) -> Stmt {
        let message = format!("the d_step goes on: {}", (self.text)(e));
        Stmt::Assert(Expr::FALSE, message)
    }

    /// The halves of one statement.
    fn leaf(&self, e: El) -> Vec<Half> {
        sempre_base::checkpoint();
        let flow = &self.body().flow;
        let element = &flow.elements[e];
        let to = flow.target(e).ok().flatten();
        // In a `d_step` that is not one effect, the process goes on alone up to its end.
        let atom = match (self.step_of[e], to) {
            (Some(step), Some(to)) if self.step_of[to] == Some(step) => true,
            (Some(step), _) => flow.elements[step].atom,
            (None, _) => element.atom,
        };
        // What is merged into the step, and the variables that it forgets.
        let mut after = Vec::new();
        let mut also = Vec::new();
        let mut atom = atom;
        if self.step_of[e].is_none() {
            after.extend(self.forgotten(e));
            if let Some(Some(chain)) = flow.chains.get(e) {
                for &f in &chain.elements {
                    also.push((f, after.len()));
                    after.extend(self.effect(f));
                    after.extend(self.forgotten(f));
                }
                atom = chain.atom;
            }
        }
        let mut halves = self.with_trespasses(e, self.unmerged(e, to, atom));
        for half in &mut halves {
            let before = half.effect.len();
            half.effect.extend(after.iter().cloned());
            half.also.extend(also.iter().map(|&(e, n)| (e, before + n)));
        }
        halves
    }

    /// Sets the variables that nobody reads after an element to 0.
    fn forgotten(&self, e: El) -> Vec<Stmt> {
        let leaves = self.body().flow.dead.get(e).into_iter().flatten();
        leaves
            .filter_map(|&leaf| {
                let cell = Cell {
                    local: true,
                    leaf,
                    index: None,
                };
                let place = self.world.place(Some(self.instance), &cell)?;
                Some(Stmt::Assign(place, Expr::Constant(0)))
            })
            .collect()
    }

    /// The halves of one statement, which leads `to` a place.
    fn unmerged(&self, e: El, to: Option<El>, atom: bool) -> Vec<Half> {
        sempre_base::checkpoint();
        let flow = &self.body().flow;
        let element = &flow.elements[e];
        let half = |guard: Expr, effect: Vec<Stmt>| Half {
            element: e,
            also: Vec::new(),
            guard,
            effect,
            offer: None,
            to,
            atom,
            timeout: false,
        };
        match &element.kind {
            Kind::Condition(value) | Kind::Assign(_, value) if has_run(value) => {
                self.run(value, &element.kind, &half(Expr::TRUE, Vec::new()))
            }
            Kind::Condition(value) => {
                let mut halves = vec![half(self.condition(value, false), Vec::new())];
                if value.any(&|v| *v == Value::Timeout) {
                    let mut waiting = half(self.condition(value, true), Vec::new());
                    waiting.timeout = true;
                    halves.push(waiting);
                }
                halves
            }
            Kind::DStep(s) => {
                let Some(first) = flow.sequences[*s].first else {
                    return Vec::new();
                };
                match self.one_effect(first, element.next) {
                    Some(halves) => (halves.into_iter())
                        .map(|mut h| {
                            h.element = e;
                            h.to = to;
                            h.atom = element.atom;
                            h
                        })
                        .collect(),
                    None => match flow.hunt(first, true) {
                        Ok(first) => self.halves_inside(first),
                        Err(_) => Vec::new(),
                    },
                }
            }
            Kind::End => {
                let slot = self.world.instances[self.instance].slot;
                let last = match slot + 1 < self.world.slots.len() {
                    true => self.world.is_empty(slot + 1),
                    false => Expr::TRUE,
                };
                vec![Half {
                    to: None,
                    atom: false,
                    ..half(last, self.world.death(self.instance))
                }]
            }
            Kind::Else => vec![half(Expr::TRUE, Vec::new())],
            _ => match self.communication(e) {
                Some(options) => (options.into_iter())
                    .map(|(guard, effect, offer)| Half {
                        offer,
                        ..half(guard, effect)
                    })
                    .collect(),
                None => vec![half(Expr::TRUE, self.effect(e))],
            },
        }
    }

    /// The halves of the first statement of a `d_step` with loops, without the error if there is none.
    fn halves_inside(&self, place: El) -> Vec<Half> {
        let mut all = self.halves(place);
        let blocked = self.blocked(place);
        all.retain(|h| h.effect.first() != Some(&blocked));
        all
    }

    /// The effect of a statement that is always possible.
    pub fn effect(&self, e: El) -> Vec<Stmt> {
        match &self.body().flow.elements[e].kind {
            Kind::Assign(Some(cell), value) => {
                let place = self.world.place(Some(self.instance), cell);
                let value = self.expr(value, false);
                place.map(|p| Stmt::Assign(p, value)).into_iter().collect()
            }
            // Nothing is stored, but to compute the value may fail.
            Kind::Assign(None, value) => match self.expr(value, false) {
                Expr::Constant(_) | Expr::Read(Place::Scalar(_)) => Vec::new(),
                value => {
                    let message = (self.text)(e);
                    vec![Stmt::Assert(binary(Binary::Or, value, Expr::TRUE), message)]
                }
            },
            Kind::SetPriority(process, priority, own) => {
                let whose = self.expr(process, false);
                let value = self.expr(priority, false);
                let said = format!("a priority is a number from 1 to 255: {}", (self.text)(e));
                self.world
                    .set_priority(&whose, &value, (!own).then_some(said))
            }
            Kind::Assert(value) => {
                let message = format!("assertion failed: {}", (self.text)(e));
                vec![Stmt::Assert(self.expr(value, false), message)]
            }
            _ => Vec::new(),
        }
    }

    /// The halves of a statement that makes a process: a condition or an assignment.
    fn run(&self, value: &Value, kind: &Kind, half: &Half) -> Vec<Half> {
        let Some((proctype, arguments, priority)) = find_run(value) else {
            return Vec::new();
        };
        let world = self.world;
        let mut halves = Vec::new();
        let slots = (self.births)(proctype);
        for &slot in &slots {
            let of_type = |i: &&usize| world.instances[**i].proctype == proctype;
            let Some(&new) = world.slots[slot].instances.iter().find(of_type) else {
                continue;
            };
            let mut guard = vec![world.is_empty(slot)];
            if slot > 0 && slots.len() > 1 {
                guard.insert(0, not(world.is_empty(slot - 1)));
            }
            let mut effect = Vec::new();
            let instance = &world.instances[new];
            let leaves = &self.bodies[proctype].store.leaves;
            for (i, argument) in arguments.iter().enumerate() {
                if let Some(Storage::Variable(v)) = instance.storage.get(i) {
                    let value = self.expr(argument, false);
                    let value = match leaves[i].scalar {
                        Scalar::Mtype(_) => world.carried(value, leaves[i].scalar),
                        _ => value,
                    };
                    effect.push(Stmt::Assign(Place::Scalar(*v), value));
                }
            }
            effect.extend(world.birth(new, self.bodies, arguments.len()));
            if let Some(Expr::Read(place)) = world.priorities.get(slot) {
                effect.push(Stmt::Assign(place.clone(), Expr::Constant(priority.into())));
            }
            let start = self.bodies[proctype].flow.start;
            if let Some(&code) = instance.codes.get(&start) {
                let place = Place::Scalar(world.slots[slot].location);
                effect.push(Stmt::Assign(place, Expr::Constant(code)));
            }
            let whole = self.expr(&with_pid(value, slot as i64), false);
            match kind {
                Kind::Assign(Some(cell), _) => {
                    let place = world.place(Some(self.instance), cell);
                    effect.extend(place.map(|p| Stmt::Assign(p, whole)));
                }
                Kind::Assign(None, _) => {}
                _ => guard.push(whole),
            }
            halves.push(Half {
                guard: all(guard),
                effect,
                ..half.clone()
            });
        }
        // One process more than there is room for.
        if slots.len() > 1 || slots.is_empty() {
            let full = slots.last().map_or(Expr::TRUE, |&s| not(world.is_empty(s)));
            let message = format!("{TOO_MANY}: {}", (self.text)(half.element));
            halves.push(Half {
                guard: full,
                effect: vec![Stmt::Assert(Expr::FALSE, message)],
                ..half.clone()
            });
        }
        halves
    }

    /// What the process does alone after an atomic step, as far as there is no choice.
    pub fn follow(&self, half: &mut Half) {
        let flow = &self.body().flow;
        // A process of higher priority may come in between.
        if self.body().provided.is_some() || !self.world.priorities.is_empty() {
            return;
        }
        for _ in 0..TOGETHER {
            let Some(to) = half.to.filter(|_| half.atom) else {
                return;
            };
            let Ok(groups) = flow.groups(to) else {
                return;
            };
            let [group] = groups.as_slice() else {
                return;
            };
            let [leaf] = group.as_slice() else {
                return;
            };
            let simple = match &flow.elements[*leaf].kind {
                Kind::Assign(_, value) => !has_run(value),
                Kind::Condition(value) => matches!(value, Value::Number(n) if *n != 0),
                Kind::Assert(_) | Kind::Print(..) | Kind::Goto(_) | Kind::Dot | Kind::Break => true,
                Kind::DStep(_) => true,
                _ => false,
            };
            if !simple {
                return;
            }
            let next = self.leaf(*leaf);
            let [next] = next.as_slice() else {
                return;
            };
            if next.guard != Expr::TRUE || next.offer.is_some() || next.to == Some(to) {
                return;
            }
            let before = half.effect.len();
            half.effect.extend(next.effect.iter().cloned());
            half.also.push((next.element, before));
            half.also
                .extend(next.also.iter().map(|&(e, n)| (e, before + n)));
            half.to = next.to;
            half.atom = next.atom;
        }
    }
}

/// Does evaluating it make a process?
pub(super) fn has_run(value: &Value) -> bool {
    value.any(&|v| matches!(v, Value::Run(..)))
}

/// The proctype, the arguments and the priority of a `run` in a value.
pub(super) fn find_run(value: &Value) -> Option<(usize, &[Value], u8)> {
    match value {
        Value::Run(proctype, arguments, priority) => Some((*proctype, arguments, *priority)),
        Value::Unary(_, a) => find_run(a),
        Value::Binary(_, a, b) => find_run(a).or_else(|| find_run(b)),
        Value::If(a, b, c) => find_run(a).or_else(|| find_run(b)).or_else(|| find_run(c)),
        _ => None,
    }
}

/// The value with the number of the new process.
fn with_pid(value: &Value, pid: i64) -> Value {
    let inside = |v: &Value| Box::new(with_pid(v, pid));
    match value {
        Value::Run(..) => Value::Number(pid),
        Value::Unary(op, a) => Value::Unary(*op, inside(a)),
        Value::Binary(op, a, b) => Value::Binary(*op, inside(a), inside(b)),
        Value::If(a, b, c) => Value::If(inside(a), inside(b), inside(c)),
        other => other.clone(),
    }
}
