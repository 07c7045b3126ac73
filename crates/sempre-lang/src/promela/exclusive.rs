//! Channels that a process has for itself: `xr` and `xs`.
//!
//! A process that says `xr c` claims that nobody else receives from the channel, one that says `xs c` that nobody else sends to it.
//! SPIN's reduction relies on the claims, and its verifiers check them; we only check them, so that a model that
//! is fine here is fine there.
//!
//! * The owner is the process that is made with the claim: from the start if it is there from the start, while it lives
//!   if it is run. (SPIN keeps a claim for the rest of its search, so what it finds depends on the order of the search.)
//! * A process with another number violates the claim where it executes a send or receive on the channel, or a statement
//!   with a test: `nfull` asks as a sender, `nempty` as a receiver, `len`, `full`, `empty` and `c?[…]` as both. (For SPIN a
//!   statement that is tried in vain is a violation, too.) Beside the step there is then one that fails, so that the
//!   states are the same with claims and without.
//! * Claims on rendezvous channels are no use, and an error for SPIN; here they come with a warning. Claims on channels that are known
//!   at run time only are not checked.

use super::ast::Test;
use super::flow::{El, Kind};
use super::instances::World;
use super::lower::Resolved;
use super::resolve::Value;
use super::steps::{Half, Stepper, all, any};
use super::symbols::Start;
use crate::report::Report;
use sempre_base::Span;
use sempre_model::ir::{Binary, Expr, Stmt};

/// What a process claims.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub channel: Value,
    /// Sends, or receives?
    pub sends: bool,
    pub span: Span,
}

impl Claim {
    /// Of the process, or of everybody? the leaf, sends?
    pub fn leaf(&self) -> Option<(bool, usize, bool)> {
        match &self.channel {
            Value::Read(cell) => Some((cell.local, cell.leaf, self.sends)),
            _ => None,
        }
    }
}

/// For each channel the instances that receive from it alone, and those that send to it alone.
pub(super) type Owners = Vec<[Vec<usize>; 2]>;

/// Warns of claims on rendezvous channels.
pub(super) fn check(resolved: &Resolved, report: &mut Report) {
    for body in &resolved.bodies {
        for claim in &body.exclusive {
            let Some((local, leaf, sends)) = claim.leaf() else {
                continue;
            };
            let leaves = match local {
                true => &body.store.leaves,
                false => &resolved.globals.store.leaves,
            };
            if let Start::Channel(s) = &leaves[leaf].start
                && s.capacity == 0
            {
                let word = if sends { "xs" } else { "xr" };
                let message = format!(
                    "`{word}` says nothing about a rendezvous channel, and SPIN stops here"
                );
                report.warning(claim.span, message);
            }
        }
    }
}

/// Does a statement refer to channels in a way that `else` beside it cannot be combined with claims?
pub(super) fn refers_to_channel(kind: &Kind) -> bool {
    let tests = |v: &Value| matches!(v, Value::Channel(t, _) if *t != Test::Len);
    match kind {
        Kind::Send(..) | Kind::Receive(..) => true,
        Kind::Condition(v) | Kind::Assign(_, v) | Kind::Assert(v) => v.any(&tests),
        _ => false,
    }
}

/// Warns of two processes that claim the same from the start, which SPIN takes for a violation.
pub(super) fn warn_of_rivals(world: &World, resolved: &Resolved, report: &mut Report) {
    for (c, sides) in world.owners.iter().enumerate() {
        for (sends, owners) in sides.iter().enumerate() {
            let mut first = owners.iter().filter(|&&o| {
                let slot = &world.slots[world.instances[o].slot];
                slot.initial == Some(o)
            });
            let (Some(&a), Some(&b)) = (first.next(), first.next()) else {
                continue;
            };
            let body = &resolved.bodies[world.instances[b].proctype];
            let claim = body
                .exclusive
                .iter()
                .find(|x| usize::from(x.sends) == sends);
            if let Some(claim) = claim
                && world.instances[a].slot != world.instances[b].slot
            {
                let name = &world.channels[c].name;
                let message =
                    format!("two processes have `{name}` for themselves, and SPIN stops here");
                report.warning(claim.span, message);
            }
        }
    }
}

impl World {
    /// Who owns what; nothing if nobody claims anything.
    pub fn owners(&self, bodies: &[super::body::Body]) -> Owners {
        let mut owners: Owners = vec![Default::default(); self.channels.len()];
        let mut some = false;
        for (i, instance) in self.instances.iter().enumerate() {
            for claim in &bodies[instance.proctype].exclusive {
                if let Some(c) = self.candidates(Some(i), &claim.channel).only()
                    && self.channels[c].length.is_some()
                {
                    owners[c][usize::from(claim.sends)].push(i);
                    some = true;
                }
            }
        }
        if some { owners } else { Vec::new() }
    }

    /// When an instance must not send to a channel or receive from it.
    pub fn trespass(&self, instance: usize, c: usize, sends: bool) -> Expr {
        let slot = self.instances[instance].slot;
        let owners = self
            .owners
            .get(c)
            .map_or(&[][..], |o| &o[usize::from(sends)]);
        let others = owners.iter().filter(|&&o| self.instances[o].slot != slot);
        any(others.map(|&o| {
            let owner = &self.instances[o];
            let home = &self.slots[owner.slot];
            if home.initial == Some(o) {
                return Expr::TRUE;
            }
            let code = |op, n: Option<&i64>| {
                let n = Expr::Constant(n.copied().unwrap_or(0));
                Expr::binary(op, Expr::variable(home.location), n)
            };
            Expr::all([
                code(Binary::GreaterEqual, owner.codes.values().min()),
                code(Binary::LessEqual, owner.codes.values().max()),
            ])
        }))
    }
}

impl Stepper<'_> {
    /// The failure of a process that uses a channel of another.
    pub fn trespassing(&self, e: El, c: usize, sends: bool) -> Vec<Stmt> {
        let name = &self.world.channels[c].name;
        let (word, does) = match sends {
            true => ("xs", "sends to"),
            false => ("xr", "receives from"),
        };
        let message = format!(
            "`{word}` is violated: another process alone {does} `{name}`: {}",
            (self.text)(e)
        );
        vec![Stmt::Assert(Expr::FALSE, message)]
    }

    /// The halves of a statement with those that fail since it tests the channel of another.
    pub fn with_trespasses(&self, e: El, halves: Vec<Half>) -> Vec<Half> {
        if self.world.owners.is_empty() || halves.is_empty() {
            return halves;
        }
        let found = std::cell::RefCell::new(Vec::new());
        let note = |v: &Value| {
            match v {
                Value::Channel(test, channel) => {
                    let sides: &[bool] = match test {
                        Test::NotFull => &[true],
                        Test::NotEmpty => &[false],
                        _ => &[false, true],
                    };
                    found.borrow_mut().push(((**channel).clone(), sides));
                }
                Value::Poll(channel, ..) => {
                    found
                        .borrow_mut()
                        .push(((**channel).clone(), &[false, true]));
                }
                _ => {}
            }
            false
        };
        let body = self.body();
        match &body.flow.elements[e].kind {
            Kind::Condition(v) | Kind::Assign(_, v) | Kind::Assert(v) => {
                v.any(&note);
            }
            Kind::Send(_, values, _) | Kind::Print(_, values) => {
                values.iter().for_each(|v| {
                    v.any(&note);
                });
            }
            _ => {}
        }
        let mut failures = Vec::new();
        for (channel, sides) in found.into_inner() {
            let all_channels = self.world.candidates(Some(self.instance), &channel);
            for &(key, c) in &all_channels.list {
                for &sends in sides {
                    let here = all([
                        all_channels.is(key),
                        self.world.trespass(self.instance, c, sends),
                    ]);
                    for half in halves.iter().filter(|_| here != Expr::FALSE) {
                        failures.push(Half {
                            guard: all([half.guard.clone(), here.clone()]),
                            effect: self.trespassing(e, c, sends),
                            ..half.clone()
                        });
                    }
                }
            }
        }
        failures.into_iter().chain(halves).collect()
    }
}
