//! What sending and receiving need and do.

use super::flow::{El, Kind};
use super::instances::World;
use super::resolve::{Target, Value};
use super::steps::{Offer, Stepper, all, any};
use super::symbols::Scalar;
use super::values::Candidates;
use sempre_model::ir::{Binary, Expr, Place, Stmt};

/// A way to communicate: when, what it does, and what is offered if it is a rendezvous.
pub(super) type Way = (Expr, Vec<Stmt>, Option<(Meeting, Offer)>);

/// Channels, each with its key among candidates.
type Keyed = Vec<(i64, usize)>;

/// The rendezvous channels at which a statement offers the same.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// The channels in ascending order, each with when it is the one.
    pub channels: Vec<(Expr, usize)>,
    /// The number of the channel.
    value: Expr,
}

impl Meeting {
    /// The channels of both sides, each with when it is the one.
    pub fn common(&self, other: &Meeting) -> Vec<(Expr, usize)> {
        let both = |c: usize| other.channels.binary_search_by_key(&c, |o| o.1).is_ok();
        let own = self.channels.iter().filter(|c| both(c.1));
        own.cloned().collect()
    }

    /// When the two sides are at the same channel; `None` if they never are. Each side is at one of its own channels
    /// already, which their guards say.
    pub fn with(&self, other: &Meeting) -> Option<Expr> {
        let mut common = (self.channels.iter()).filter_map(|(here, c)| {
            let place = other.channels.binary_search_by_key(c, |o| o.1).ok()?;
            Some((here, &other.channels[place].0))
        });
        let (here, there) = common.next()?;
        if common.next().is_some() {
            return Some(Expr::equal(self.value.clone(), other.value.clone()));
        }
        // A side that has one channel only says so in its guard.
        let told = |m: &Meeting, here: &Expr| match m.channels.len() {
            1 => Expr::TRUE,
            _ => here.clone(),
        };
        Some(Expr::all([told(self, here), told(other, there)]))
    }
}

impl Stepper<'_> {
    /// The ways in which a send or receive can be done; `None` if it is something else.
    pub fn communication(&self, e: El) -> Option<Vec<Way>> {
        let me = Some(self.instance);
        let world = self.world;
        let kind = &self.body().flow.elements[e].kind;
        Some(match kind {
            Kind::Send(channel, values, sorted) => {
                let mut ways = Vec::new();
                let mut synchronous: Vec<(&[Scalar], Keyed)> = Vec::new();
                let found = world.candidates(me, channel);
                for &(key, c) in &found.list {
                    let fields = &world.channels[c].signature.fields;
                    if fields.len() != values.len() {
                        let room = match world.channels[c].length {
                            Some(_) => send(world, c, Vec::new(), false).0,
                            None => Expr::TRUE,
                        };
                        let guard = all([found.is(key), room]);
                        ways.push((guard, vec![self.misfit(e, c)], None));
                    } else if world.channels[c].length.is_none() {
                        match synchronous.iter_mut().find(|g| g.0 == fields) {
                            Some(group) => group.1.push((key, c)),
                            None => synchronous.push((fields, vec![(key, c)])),
                        }
                    } else {
                        let here = found.is(key);
                        let wrong = world.trespass(self.instance, c, true);
                        let fails = self.trespassing(e, c, true);
                        let sent = self.sent(values, fields);
                        let (room, mut effect) = send(world, c, sent, *sorted);
                        effect.extend(world.seen(c, true));
                        let guard = all([here, room]);
                        ways.push((all([guard.clone(), wrong]), fails, None));
                        ways.push((guard, effect, None));
                    }
                }
                for (fields, list) in synchronous {
                    let offer = Offer::Send(self.sent(values, fields));
                    ways.push(self.meeting(channel, &found, list, offer));
                }
                ways.extend(self.no_channel(e, channel));
                ways.retain(|w| w.0 != Expr::FALSE);
                ways
            }
            Kind::Receive(channel, targets, random, keeps) => {
                let mut ways = Vec::new();
                let mut synchronous = Vec::new();
                let found = world.candidates(me, channel);
                for &(key, c) in &found.list {
                    let here = found.is(key);
                    if world.channels[c].length.is_none() {
                        // If it is a misfit, so is the rendezvous.
                        synchronous.push((key, c));
                    } else {
                        let wrong = world.trespass(self.instance, c, false);
                        let fails = self.trespassing(e, c, false);
                        let there = world.matching(me, c, targets, *random);
                        let effect = match world.channels[c].signature.fields.len() {
                            n if n == targets.len() => self.receive(c, targets, *random, *keeps),
                            _ => vec![self.misfit(e, c)],
                        };
                        let guard = all([here, there]);
                        ways.push((all([guard.clone(), wrong]), fails, None));
                        ways.push((guard, effect, None));
                    }
                }
                if !synchronous.is_empty() {
                    let offer = Offer::Receive(targets.clone());
                    ways.push(self.meeting(channel, &found, synchronous, offer));
                }
                ways.extend(self.no_channel(e, channel));
                ways.retain(|w| w.0 != Expr::FALSE);
                ways
            }
            _ => return None,
        })
    }

    /// The values of a message with these fields.
    fn sent(&self, values: &[Value], fields: &[Scalar]) -> Vec<Expr> {
        (values.iter().zip(fields))
            .map(|(v, &s)| self.world.carried(self.expr(v, false), s))
            .collect()
    }

    /// The way to offer something at one of several rendezvous channels.
    fn meeting(&self, channel: &Value, found: &Candidates, list: Keyed, offer: Offer) -> Way {
        let keys: Vec<i64> = list.iter().map(|g| g.0).collect();
        let mut channels: Vec<(Expr, usize)> =
            (list.iter()).map(|g| (found.is(g.0), g.1)).collect();
        channels.sort_by_key(|g| g.1);
        let meeting = Meeting {
            channels,
            value: self.expr(channel, false),
        };
        (found.is_one_of(&keys), Vec::new(), Some((meeting, offer)))
    }

    /// Another number of values than the channel carries is an error.
    fn misfit(&self, e: El, c: usize) -> Stmt {
        misfit(
            self.world.channels[c].signature.fields.len(),
            &(self.text)(e),
        )
    }

    /// A variable that stands for no channel is an error; `None` if it always does.
    fn no_channel(&self, e: El, channel: &Value) -> Option<Way> {
        let value = self.expr(channel, false);
        let none = match value {
            Expr::Constant(_) => return None,
            Expr::If(..) => return None,
            value => Expr::equal(value, Expr::Constant(0)),
        };
        let message = format!("there is no channel: {}", (self.text)(e));
        Some((none, vec![Stmt::Assert(Expr::FALSE, message)], None))
    }

    /// What receiving from a buffer does.
    fn receive(&self, c: usize, targets: &[Target], random: bool, keeps: bool) -> Vec<Stmt> {
        let me = Some(self.instance);
        let channel = &self.world.channels[c];
        let capacity = i64::from(channel.signature.capacity);
        let register = Place::Register(0);
        let searched = random && targets.iter().any(|t| matches!(t, Target::Match(_)));
        let mut effect = match keeps {
            true => Vec::new(),
            false => self.world.seen(c, false),
        };
        let place = if searched {
            // The first message that matches.
            let mut found = Expr::Constant(capacity - 1);
            for at in (0..capacity - 1).rev() {
                let same = self.world.message_matches(me, c, targets, at);
                found = Expr::If(
                    Box::new(same),
                    Box::new(Expr::Constant(at)),
                    Box::new(found),
                );
            }
            effect.push(Stmt::Assign(register.clone(), found));
            Expr::Read(register)
        } else {
            Expr::Constant(0)
        };
        for (&field, target) in channel.fields.iter().zip(targets) {
            if let Target::Store(cell) = target
                && let Some(to) = self.world.place(me, cell)
            {
                let value = Expr::element(field, place.clone());
                effect.push(Stmt::Assign(to, value));
            }
        }
        if keeps {
            return effect;
        }
        let put = |field, at: i64, value: Expr| {
            let cell = Place::Element(field, Box::new(Expr::Constant(at)));
            Stmt::Assign(cell, value)
        };
        for &field in &channel.fields {
            for at in 0..capacity {
                let next = match at + 1 < capacity {
                    true => Expr::element(field, Expr::Constant(at + 1)),
                    false => Expr::Constant(0),
                };
                let moved = match searched {
                    false => next,
                    true => Expr::If(
                        Box::new(Expr::binary(
                            Binary::GreaterEqual,
                            Expr::Constant(at),
                            place.clone(),
                        )),
                        Box::new(next),
                        Box::new(Expr::element(field, Expr::Constant(at))),
                    ),
                };
                effect.push(put(field, at, moved));
            }
        }
        if let Some(length) = channel.length {
            let less = Expr::binary(Binary::Subtract, Expr::variable(length), Expr::Constant(1));
            effect.push(Stmt::Assign(Place::Scalar(length), less));
        }
        effect
    }
}

/// The failure of a statement with another number of values than the channel carries.
pub(super) fn misfit(n: usize, text: &str) -> Stmt {
    let values = if n == 1 { "value" } else { "values" };
    let message = format!("the channel carries {n} {values}: {text}");
    Stmt::Assert(Expr::FALSE, message)
}

/// What sending to a buffer needs and does.
fn send(world: &World, c: usize, values: Vec<Expr>, sorted: bool) -> (Expr, Vec<Stmt>) {
    let channel = &world.channels[c];
    let capacity = i64::from(channel.signature.capacity);
    let Some(length) = channel.length else {
        return (Expr::FALSE, Vec::new());
    };
    let count = || Expr::variable(length);
    let room = Expr::binary(Binary::Less, count(), Expr::Constant(capacity));
    let more = Expr::binary(Binary::Add, count(), Expr::Constant(1));
    let longer = Stmt::Assign(Place::Scalar(length), more);
    let mut effect = Vec::new();
    if !sorted {
        for (&field, value) in channel.fields.iter().zip(values) {
            let at = if capacity == 1 {
                Expr::Constant(0)
            } else {
                count()
            };
            effect.push(Stmt::Assign(Place::Element(field, Box::new(at)), value));
        }
        effect.push(longer);
        return (room, effect);
    }
    // Before the first message that is greater: registers hold the message and its place.
    let register = |i: usize| Place::Register(1 + i as u32);
    for (i, value) in values.into_iter().enumerate() {
        effect.push(Stmt::Assign(register(i), value));
    }
    let greater = |at: i64| {
        let mut result = Expr::FALSE;
        for (i, &field) in channel.fields.iter().enumerate().rev() {
            let there = Expr::element(field, Expr::Constant(at));
            let here = Expr::Read(register(i));
            let more = Expr::binary(Binary::Greater, there.clone(), here.clone());
            let same = Expr::equal(there, here);
            result = match result {
                Expr::Constant(_) => more,
                rest => any([more, Expr::all([same, rest])]),
            };
        }
        Expr::all([
            Expr::binary(Binary::Greater, count(), Expr::Constant(at)),
            result,
        ])
    };
    let mut found = count();
    for at in (0..capacity).rev() {
        found = Expr::If(
            Box::new(greater(at)),
            Box::new(Expr::Constant(at)),
            Box::new(found),
        );
    }
    let place = Place::Register(0);
    effect.push(Stmt::Assign(place.clone(), found));
    for at in (0..capacity).rev() {
        for (i, &field) in channel.fields.iter().enumerate() {
            let cell = Place::Element(field, Box::new(Expr::Constant(at)));
            let here = Expr::equal(Expr::Constant(at), Expr::Read(place.clone()));
            let behind = Expr::binary(
                Binary::Greater,
                Expr::Constant(at),
                Expr::Read(place.clone()),
            );
            let kept = Expr::element(field, Expr::Constant(at));
            let moved = match at {
                0 => kept.clone(),
                _ => Expr::element(field, Expr::Constant(at - 1)),
            };
            let other = Expr::If(Box::new(behind), Box::new(moved), Box::new(kept));
            let value = Expr::If(
                Box::new(here),
                Box::new(Expr::Read(register(i))),
                Box::new(other),
            );
            effect.push(Stmt::Assign(cell, value));
        }
    }
    effect.push(longer);
    (room, effect)
}
