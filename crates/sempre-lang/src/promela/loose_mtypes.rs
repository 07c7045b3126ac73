//! Lists of `mtype` names whose variables may hold other numbers.
//!
//! For SPIN an `mtype` is a byte: `m = 7` and `m = red + 1` are stored whatever the names are, and so is a name of another
//! list. Most models store names only, and then a variable takes the bits that the names need. A list is **loose** if
//! anything else may be stored in a variable, parameter or field of it; these are bytes then, shown as numbers.
//!
//! The analysis does not look at what is reachable: a stored value fits if it is a number of the list, a variable of the list, or a choice
//! between such values. A channel that is passed around may be any channel of the model.

use super::body::Body;
use super::flow::Kind;
use super::resolve::{Cell, Target, Value};
use super::steps::find_run;
use super::symbols::{Globals, Leaf, Scalar, Signature, Start};
use rustc_hash::FxHashSet;

/// The numbers of the loose lists; `written` are the global leaves that are written.
pub(super) fn loose(
    globals: &Globals,
    bodies: &[Body],
    written: &FxHashSet<usize>,
) -> FxHashSet<usize> {
    let local = bodies.iter().flat_map(|b| &b.store.leaves);
    let signatures = (globals.store.leaves.iter().chain(local))
        .filter_map(|leaf| match &leaf.start {
            Start::Channel(signature) => Some(&**signature),
            _ => None,
        })
        .collect();
    let mut search = Search {
        globals,
        bodies,
        written,
        signatures,
        loose: FxHashSet::default(),
    };
    search.starts(&globals.store.leaves, None);
    for body in bodies {
        search.starts(&body.store.leaves, Some(body));
        for element in &body.flow.elements {
            search.statement(body, &element.kind);
        }
    }
    search.loose
}

struct Search<'a> {
    globals: &'a Globals,
    bodies: &'a [Body],
    written: &'a FxHashSet<usize>,
    /// Those of all channels.
    signatures: Vec<&'a Signature>,
    loose: FxHashSet<usize>,
}

impl<'a> Search<'a> {
    fn starts(&mut self, leaves: &[Leaf], body: Option<&Body>) {
        for leaf in leaves {
            match &leaf.start {
                Start::Value(value) => self.stored(body, leaf.scalar, value),
                Start::List(values) => values
                    .iter()
                    .for_each(|value| self.stored(body, leaf.scalar, value)),
                Start::Zero | Start::Channel(_) => {}
            }
        }
    }

    fn statement(&mut self, body: &Body, kind: &Kind) {
        if let Kind::Condition(value) | Kind::Assign(_, value) = kind
            && let Some((proctype, arguments, _)) = find_run(value)
        {
            let bodies = self.bodies;
            for (leaf, argument) in bodies[proctype].store.leaves.iter().zip(arguments) {
                self.stored(Some(body), leaf.scalar, argument);
            }
        }
        match kind {
            Kind::Assign(Some(cell), value) => {
                if let Some(leaf) = self.leaf(Some(body), cell) {
                    self.stored(Some(body), leaf.scalar, value);
                }
            }
            Kind::Send(channel, values, _) => {
                for signature in self.signatures(body, channel) {
                    for (&field, value) in signature.fields.iter().zip(values) {
                        self.stored(Some(body), field, value);
                    }
                }
            }
            Kind::Receive(channel, targets, ..) => {
                for signature in self.signatures(body, channel) {
                    for (&field, target) in signature.fields.iter().zip(targets) {
                        if let Target::Store(cell) = target
                            && let Some(leaf) = self.leaf(Some(body), cell)
                            && let Scalar::Mtype(list) = leaf.scalar
                            && leaf.scalar != field
                        {
                            self.loose.insert(list);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn leaf<'b>(&self, body: Option<&'b Body>, cell: &Cell) -> Option<&'b Leaf>
    where
        'a: 'b,
    {
        match (cell.local, body) {
            (true, Some(body)) => body.store.leaves.get(cell.leaf),
            (true, None) => None,
            (false, _) => self.globals.store.leaves.get(cell.leaf),
        }
    }

    /// What a channel may be.
    fn signatures(&self, body: &Body, channel: &Value) -> Vec<&'a Signature> {
        if let Value::Read(cell) = channel
            && let Some(leaf) = self.leaf(Some(body), cell)
            && let Start::Channel(own) = &leaf.start
            && !(leaf.written || !cell.local && self.written.contains(&cell.leaf))
        {
            let same = self.signatures.iter().find(|s| ***s == **own);
            return same.copied().into_iter().collect();
        }
        self.signatures.clone()
    }

    fn stored(&mut self, body: Option<&Body>, to: Scalar, value: &Value) {
        if let Scalar::Mtype(list) = to
            && !self.fits(body, list, value)
        {
            self.loose.insert(list);
        }
    }

    /// Is the value always a number of the list, if no variable of it holds another?
    fn fits(&self, body: Option<&Body>, list: usize, value: &Value) -> bool {
        let is_of_list =
            |leaf: Option<&Leaf>| leaf.is_some_and(|l| l.scalar == Scalar::Mtype(list));
        match value {
            Value::Number(n) => {
                let names = self.globals.mtypes.get(list).map_or(0, |m| m.1.len());
                (0..=names as i64).contains(n)
            }
            Value::Read(cell) => is_of_list(self.leaf(body, cell)),
            Value::RemoteVariable(proctype, _, leaf, _) => {
                is_of_list(self.bodies[*proctype].store.leaves.get(*leaf))
            }
            Value::If(_, a, b) => self.fits(body, list, a) && self.fits(body, list, b),
            _ => false,
        }
    }
}
