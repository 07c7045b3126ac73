//! Values of a process as expressions over cells.
//!
//! A channel that is not known before the run is a choice between all channels that it can be, and so is a process that is
//! spoken of by a number.

use super::ast::Test;
use super::flow::El;
use super::instances::{Storage, World};
use super::resolve::{Cell, Target, Value};
use super::symbols::Scalar;
use sempre_model::ir::{Binary, Expr, Place, Unary};

impl World {
    pub fn storage(&self, instance: Option<usize>, cell: &Cell) -> Option<&Storage> {
        match (cell.local, instance) {
            (true, Some(i)) => self.instances[i].storage.get(cell.leaf),
            (true, None) => None,
            (false, _) => self.globals.get(cell.leaf),
        }
    }

    fn read(&self, storage: Option<&Storage>, index: Option<Expr>) -> Expr {
        match (storage, index) {
            (Some(Storage::Variable(v)), None) => Expr::variable(*v),
            (Some(Storage::Variable(v)), Some(index)) => Expr::element(*v, index),
            (Some(Storage::Constants(all)), None) => Expr::Constant(all[0]),
            (Some(Storage::Constants(all)), Some(Expr::Constant(i))) => {
                let value = usize::try_from(i).ok().and_then(|i| all.get(i));
                Expr::Constant(value.copied().unwrap_or(0))
            }
            (Some(Storage::Constants(all)), Some(index)) => {
                let mut result = Expr::Constant(0);
                for (i, &value) in all.iter().enumerate().rev() {
                    let here = Expr::equal(index.clone(), Expr::Constant(i as i64));
                    let value = Expr::Constant(value);
                    result = Expr::If(Box::new(here), Box::new(value), Box::new(result));
                }
                result
            }
            (None, _) => Expr::FALSE,
        }
    }

    /// The place that a cell is; `None` if it is a constant, which nobody writes.
    pub fn place(&self, instance: Option<usize>, cell: &Cell) -> Option<Place> {
        let Some(Storage::Variable(v)) = self.storage(instance, cell) else {
            return None;
        };
        Some(match &cell.index {
            None => Place::Scalar(*v),
            Some(index) => Place::Element(*v, Box::new(self.expr(instance, index, false))),
        })
    }

    /// The channels that a value may stand for.
    pub fn candidates(&self, instance: Option<usize>, channel: &Value) -> Candidates {
        if let Value::Read(cell) = channel
            && let Some(Storage::Constants(ids)) = self.storage(instance, cell)
        {
            let key = (cell.index.as_ref()).map(|i| self.expr(instance, i, false));
            let list = (ids.iter().enumerate())
                .filter(|(_, id)| **id > 0)
                .map(|(k, id)| (k as i64, *id as usize - 1));
            return Candidates::new(key, list);
        }
        let all = (0..self.channels.len()).map(|c| (c as i64 + 1, c));
        match self.expr(instance, channel, false) {
            Expr::Constant(id) => Candidates::new(None, all.filter(|(k, _)| *k == id)),
            value => {
                let possible = self.channel_flow.of(self, instance, channel);
                let all = all.filter(|(k, _)| possible.contains(*k));
                Candidates::new(Some(value), all)
            }
        }
    }

    /// The instances of a proctype that a remote reference may mean, each with when it does.
    fn meant(
        &self,
        instance: Option<usize>,
        proctype: usize,
        index: Option<&Value>,
    ) -> Vec<(Expr, usize)> {
        let of_type = (0..self.instances.len()).filter(|&i| self.instances[i].proctype == proctype);
        match index {
            None => of_type.take(1).map(|i| (Expr::TRUE, i)).collect(),
            Some(index) => {
                let index = self.expr(instance, index, false);
                of_type
                    .map(|i| {
                        let pid = Expr::Constant(self.instances[i].slot as i64);
                        (binary(Binary::Equal, index.clone(), pid), i)
                    })
                    .filter(|(here, _)| *here != Expr::FALSE)
                    .collect()
            }
        }
    }

    /// Is any process at a label that begins so? `None` if there is none.
    pub fn at_labels(&self, beginning: &str) -> Option<Expr> {
        let all = (0..self.instances.len()).flat_map(|i| {
            let labels = self.labels[self.instances[i].proctype].iter();
            let found = labels.filter(|l| l.0.starts_with(beginning));
            found.map(move |l| self.is_at(i, l.1))
        });
        all.reduce(|a, b| binary(Binary::Or, a, b))
    }

    /// An expression, as the instance evaluates it; `timeout` is what `timeout` is.
    pub fn expr(&self, instance: Option<usize>, value: &Value, timeout: bool) -> Expr {
        let expr = |v: &Value| self.expr(instance, v, timeout);
        match value {
            Value::Number(n) => Expr::Constant(*n),
            Value::Read(cell) => {
                let index = cell.index.as_ref().map(|i| expr(i));
                self.read(self.storage(instance, cell), index)
            }
            Value::Unary(op, a) => match (op, expr(a)) {
                (Unary::Not, Expr::Constant(n)) => Expr::Constant(i64::from(n == 0)),
                (Unary::Negate, Expr::Constant(n)) => Expr::Constant(n.wrapping_neg()),
                (Unary::Complement, Expr::Constant(n)) => Expr::Constant(!n),
                (op, a) => Expr::Unary(*op, Box::new(a)),
            },
            Value::Binary(op, a, b) => binary(*op, expr(a), expr(b)),
            Value::If(c, a, b) => match expr(c) {
                Expr::Constant(0) => expr(b),
                Expr::Constant(_) => expr(a),
                c => Expr::If(Box::new(c), Box::new(expr(a)), Box::new(expr(b))),
            },
            Value::Pid => Expr::Constant(instance.map_or(0, |i| self.instances[i].slot as i64)),
            Value::ProcessCount => (0..self.slots.len())
                .map(|s| Expr::Unary(Unary::Not, Box::new(self.is_empty(s))))
                .reduce(|a, b| Expr::binary(Binary::Add, a, b))
                .unwrap_or(Expr::FALSE),
            Value::Last => self.last.map_or(Expr::FALSE, Expr::variable),
            Value::Timeout => Expr::Constant(i64::from(timeout)),
            Value::OwnPriority => match instance {
                Some(i) => self.priority_of(self.instances[i].slot),
                None => Expr::FALSE,
            },
            Value::Priority(process) => {
                let process = expr(process);
                let mut result = Expr::Constant(0);
                for slot in (0..self.slots.len()).rev() {
                    let here = binary(Binary::Equal, process.clone(), Expr::Constant(slot as i64));
                    let value = match self.priority_of(slot) {
                        Expr::Constant(n) => {
                            chosen(self.is_empty(slot), Expr::Constant(0), Expr::Constant(n))
                        }
                        cell => cell,
                    };
                    result = chosen(here, value, result);
                }
                result
            }
            // Handled where processes are made.
            Value::Run(..) => Expr::TRUE,
            Value::NonProgress => {
                let some = self.at_labels("progress");
                some.map_or(Expr::TRUE, |some| Expr::Unary(Unary::Not, Box::new(some)))
            }
            Value::Channel(test, channel) => {
                let mut result = Expr::Constant(0);
                let all = self.candidates(instance, channel);
                for &(key, c) in all.list.iter().rev() {
                    result = chosen(all.is(key), self.test(*test, c), result);
                }
                result
            }
            Value::Poll(channel, targets, random) => {
                let mut result = Expr::Constant(0);
                // Of a message, only the fields that are named are looked at.
                let all = self.candidates(instance, channel);
                for &(key, c) in all.list.iter().rev() {
                    let holds = self.matching(instance, c, targets, *random);
                    result = chosen(all.is(key), holds, result);
                }
                result
            }
            Value::RemoteLabel(proctype, index, label, _) => {
                let labels = self.labels[*proctype].iter();
                let places: Vec<El> = labels.filter(|l| l.0 == *label).map(|l| l.1).collect();
                self.at_label(instance, *proctype, index.as_deref(), &places)
            }
            Value::RemoteVariable(proctype, index, leaf, element) => {
                let element = element.as_ref().map(|e| expr(e));
                let mut result = Expr::Constant(0);
                let all = self.meant(instance, *proctype, index.as_deref());
                for (here, i) in all.into_iter().rev() {
                    let value = self.read(self.instances[i].storage.get(*leaf), element.clone());
                    result = chosen(here, value, result);
                }
                result
            }
        }
    }

    /// Where the label of a process is, as a condition.
    fn at_label(
        &self,
        instance: Option<usize>,
        proctype: usize,
        index: Option<&Value>,
        places: &[El],
    ) -> Expr {
        let mut result = Expr::Constant(0);
        for (here, i) in self.meant(instance, proctype, index).into_iter().rev() {
            let there = (places.iter())
                .map(|&e| self.is_at(i, e))
                .reduce(|a, b| binary(Binary::Or, a, b))
                .unwrap_or(Expr::FALSE);
            result = chosen(here, there, result);
        }
        result
    }

    fn test(&self, test: Test, c: usize) -> Expr {
        let capacity = i64::from(self.channels[c].signature.capacity);
        let length = (self.channels[c].length).map_or(Expr::Constant(0), Expr::variable);
        let capacity = Expr::Constant(capacity.max(1));
        match test {
            Test::Len => length,
            Test::Full => binary(Binary::Equal, length, capacity),
            Test::NotFull => binary(Binary::Less, length, capacity),
            Test::Empty => binary(Binary::Equal, length, Expr::Constant(0)),
            Test::NotEmpty => binary(Binary::Greater, length, Expr::Constant(0)),
        }
    }

    /// Does the message at that place of a channel match?
    pub fn message_matches(
        &self,
        instance: Option<usize>,
        c: usize,
        targets: &[Target],
        at: i64,
    ) -> Expr {
        let fields = self.channels[c].fields.iter();
        Expr::all(fields.zip(targets).filter_map(|(&field, target)| {
            let Target::Match(value) = target else {
                return None;
            };
            let found = Expr::element(field, Expr::Constant(at));
            Some(Expr::equal(found, self.expr(instance, value, false)))
        }))
    }

    /// Is there a message in a channel that matches?
    pub fn matching(
        &self,
        instance: Option<usize>,
        c: usize,
        targets: &[Target],
        random: bool,
    ) -> Expr {
        let channel = &self.channels[c];
        let Some(length) = channel.length else {
            return Expr::FALSE;
        };
        let any = !targets.iter().any(|t| matches!(t, Target::Match(_)));
        let places = if random && !any {
            channel.signature.capacity
        } else {
            1
        };
        (0..i64::from(places))
            .map(|at| {
                let there = binary(Binary::Greater, Expr::variable(length), Expr::Constant(at));
                let same = self.message_matches(instance, c, targets, at);
                Expr::all([there, same])
            })
            .reduce(|a, b| Expr::binary(Binary::Or, a, b))
            .unwrap_or(Expr::FALSE)
    }

    /// What is left of a value in a field of a message.
    pub fn carried(&self, value: Expr, scalar: Scalar) -> Expr {
        let fits = match &value {
            Expr::Constant(n) => return Expr::Constant(scalar.store(*n)),
            Expr::Read(Place::Scalar(v) | Place::Element(v, _)) => {
                let (min, max) = self.program.variable(*v).ty.bounds();
                scalar.store(min) == min && scalar.store(max) == max && min >= 0
                    || matches!(scalar, Scalar::Int)
            }
            _ => matches!(scalar, Scalar::Int),
        };
        let mask = |bits: u32, value: Expr| {
            let mask = Expr::Constant((1 << bits) - 1);
            Expr::binary(Binary::BitAnd, value, mask)
        };
        match scalar {
            _ if fits => value,
            Scalar::Unsigned(bits) => mask(bits.into(), value),
            Scalar::Mtype(_) | Scalar::Chan => mask(8, value),
            Scalar::Short => {
                let up = Expr::binary(Binary::ShiftLeft, value, Expr::Constant(48));
                Expr::binary(Binary::ShiftRight, up, Expr::Constant(48))
            }
            Scalar::Int => value,
        }
    }
}

/// The channels that a value may stand for: a key, and the channel for each value of the key.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    /// Nothing if there is one channel for ever.
    key: Option<Expr>,
    pub list: Vec<(i64, usize)>,
}

impl Candidates {
    fn new(key: Option<Expr>, list: impl Iterator<Item = (i64, usize)>) -> Self {
        match key {
            Some(Expr::Constant(n)) => Self {
                key: None,
                list: list.filter(|(k, _)| *k == n).collect(),
            },
            key => Self {
                key,
                list: list.collect(),
            },
        }
    }

    /// The channel, if there is one for ever.
    pub fn only(&self) -> Option<usize> {
        match (&self.key, self.list.as_slice()) {
            (None, [(_, c)]) => Some(*c),
            _ => None,
        }
    }

    /// Is it the channel with this key?
    pub fn is(&self, key: i64) -> Expr {
        match &self.key {
            None => Expr::TRUE,
            Some(value) => Expr::equal(value.clone(), Expr::Constant(key)),
        }
    }

    /// Is it one of the channels with these keys, which are in ascending order? Keys in a row are one test.
    pub fn is_one_of(&self, keys: &[i64]) -> Expr {
        let Some(value) = &self.key else {
            return Expr::TRUE;
        };
        let compare = |op, n| Expr::binary(op, value.clone(), Expr::Constant(n));
        let rows = keys.chunk_by(|a, b| a + 1 == *b);
        super::steps::any(rows.map(|row| match (row.first(), row.last()) {
            (Some(&low), Some(&high)) if low < high => Expr::binary(
                Binary::And,
                compare(Binary::GreaterEqual, low),
                compare(Binary::LessEqual, high),
            ),
            (Some(&low), _) => compare(Binary::Equal, low),
            _ => Expr::FALSE,
        }))
    }
}

/// `condition ? then : otherwise`
fn chosen(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition {
        Expr::Constant(0) => otherwise,
        Expr::Constant(_) => then,
        condition => Expr::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}

/// `left op right`, computed if it is known.
pub(super) fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
    match (op, &left, &right) {
        (_, Expr::Constant(a), Expr::Constant(b)) => match op.apply(*a, *b) {
            Some(n) => Expr::Constant(n),
            None => Expr::binary(op, left, right),
        },
        (Binary::And, Expr::Constant(0), _) => Expr::FALSE,
        (Binary::Or, Expr::Constant(n), _) if *n != 0 => Expr::TRUE,
        (Binary::Or, Expr::Constant(_), Expr::Binary(o, ..)) if is_truth(*o) => right,
        (Binary::Or, Expr::Binary(o, ..), Expr::Constant(0)) if is_truth(*o) => left,
        (Binary::And, Expr::Constant(_), Expr::Binary(o, ..)) if is_truth(*o) => right,
        _ => Expr::binary(op, left, right),
    }
}

fn is_truth(op: Binary) -> bool {
    use Binary::{And, Equal, Greater, GreaterEqual, Implies, Less, LessEqual, NotEqual, Or};
    matches!(
        op,
        And | Or | Implies | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual
    )
}
