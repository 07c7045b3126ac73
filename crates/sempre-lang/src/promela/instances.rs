//! Processes and channels as cells of the state.
//!
//! * A **slot** is a process of the program: its number is the `_pid` of who lives there. An **instance** is a proctype
//!   in a slot; most slots only ever see one. The location of a slot is 0 while nobody lives there, and then all cells of
//!   the instances are 0, too, as SPIN forgets what is dead.
//! * A channel is an array of cells for each field of a message and its length; the first message is in front, and cells behind
//!   the last are 0, so that equal contents are equal states. A rendezvous channel has no cells.
//! * What never changes takes no cell: channels that have one name for ever, parameters with one value for ever.

use super::body::Body;
use super::channel_flow::ChannelFlow;
use super::event_trace::Watch;
use super::exclusive::Owners;
use super::flow::{El, Kind};
use super::resolve::{Face, Value};
use super::symbols::{Globals, Leaf, Signature, Start};
use crate::model::SourceStep;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{ABSENT, Expr, Place, ProcessId, Program, Type, VariableId};
use std::sync::Arc;

/// Where the values of a leaf are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Variable(VariableId),
    /// One value for each element, for ever.
    Constants(Vec<i64>),
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    pub name: String,
    pub signature: Arc<Signature>,
    /// Number of messages, and their fields; nothing for a rendezvous.
    pub length: Option<VariableId>,
    pub fields: Vec<VariableId>,
}

/// A proctype in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Instance {
    pub slot: usize,
    pub proctype: usize,
    pub storage: Vec<Storage>,
    /// The number of each place in the location of the slot.
    pub codes: FxHashMap<El, i64>,
    /// Its own channels.
    pub channels: Vec<usize>,
}

/// See the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub process: ProcessId,
    pub location: VariableId,
    /// The numbers of its instances.
    pub instances: Vec<usize>,
    /// Who lives there from the start.
    pub initial: Option<usize>,
}

/// Who may ever live in a slot.
#[derive(Clone, Debug, Default)]
pub(super) struct Tenants {
    pub initial: Option<usize>,
    /// Proctypes, with the values of parameters that are the same for ever.
    pub proctypes: Vec<(usize, Vec<Option<i64>>)>,
}

/// The program under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct World {
    pub program: Program,
    pub initial: Vec<i64>,
    pub globals: Vec<Storage>,
    pub channels: Vec<Channel>,
    pub slots: Vec<Slot>,
    pub instances: Vec<Instance>,
    pub exclusive: Option<VariableId>,
    pub last: Option<VariableId>,
    /// The priority of the process in each slot; nothing if all have the same.
    pub priorities: Vec<Expr>,
    /// The labels of each proctype.
    pub labels: Vec<Vec<(Arc<str>, El)>>,
    /// The statements of each action.
    pub source_steps: Vec<Vec<SourceStep>>,
    /// The event trace.
    pub watch: Option<Watch>,
    /// Who has which channels for itself.
    pub owners: Owners,
    /// The channels that variables may stand for.
    pub channel_flow: ChannelFlow,
}

/// The location of a process that has nothing left to do but to die, which it does after all younger processes.
pub(super) const AT_END: &str = "at its end";

/// The places that a process can be in, in the order of the file.
pub(super) fn places(body: &Body) -> Vec<El> {
    let mut found: FxHashSet<El> = FxHashSet::default();
    let mut open = vec![body.flow.start];
    while let Some(e) = open.pop() {
        if !found.insert(e) {
            continue;
        }
        for leaf in body.flow.groups(e).into_iter().flatten().flatten() {
            if let Ok(Some(to)) = body.flow.target(leaf) {
                open.push(to);
            }
            // The insides of a `d_step` may be places, too.
            if let Kind::DStep(s) = body.flow.elements[leaf].kind
                && let Some(first) = body.flow.sequences[s].first
                && let Ok(first) = body.flow.hunt(first, true)
            {
                open.push(first);
            }
        }
    }
    let mut all: Vec<El> = found.into_iter().collect();
    all.sort_by_key(|&e| (body.flow.elements[e].span.start, e));
    all
}

impl World {
    /// The cells of everything.
    pub fn new(
        name: &str,
        globals: &Globals,
        bodies: &[Body],
        faces: &[Face],
        written: &FxHashSet<usize>,
        tenants: &[Tenants],
    ) -> Self {
        let mut world = Self {
            program: Program::new(name),
            initial: Vec::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            slots: Vec::new(),
            instances: Vec::new(),
            exclusive: None,
            last: None,
            priorities: Vec::new(),
            labels: (bodies.iter())
                .map(|b| {
                    let labels = b.flow.labels.iter();
                    labels.map(|l| (l.name.clone(), l.element)).collect()
                })
                .collect(),
            source_steps: Vec::new(),
            watch: None,
            owners: Owners::new(),
            channel_flow: ChannelFlow::default(),
        };
        for (i, leaf) in globals.store.leaves.iter().enumerate() {
            let constant = !written.contains(&i);
            let storage = world.leaf(globals, leaf, &leaf.name, None, constant, None);
            world.globals.push(storage);
        }
        for (number, tenant) in tenants.iter().enumerate() {
            world.slot(globals, bodies, faces, number, tenant);
        }
        // Values that depend on variables are known when all cells are.
        world.start(globals, bodies);
        world
    }

    fn declare(
        &mut self,
        name: &str,
        ty: Type,
        length: Option<u32>,
        owner: Option<ProcessId>,
    ) -> VariableId {
        let v = self.program.declare(name, ty, length, owner);
        self.initial.resize(self.program.cells(), 0);
        v
    }

    fn new_channel(
        &mut self,
        globals: &Globals,
        name: String,
        signature: &Arc<Signature>,
        owner: Option<ProcessId>,
    ) -> usize {
        let capacity = signature.capacity;
        let mut channel = Channel {
            name: name.clone(),
            signature: signature.clone(),
            length: None,
            fields: Vec::new(),
        };
        if capacity > 0 {
            let max = i64::from(capacity);
            let range = Type::Range { min: 0, max };
            channel.length = Some(self.declare(&format!("len({name})"), range, None, owner));
            for (i, scalar) in signature.fields.iter().enumerate() {
                let ty = globals.ty(*scalar);
                let field = match signature.fields.len() {
                    1 => format!("{name}.message"),
                    _ => format!("{name}.message{}", i + 1),
                };
                channel
                    .fields
                    .push(self.declare(&field, ty, Some(capacity), owner));
            }
        }
        self.channels.push(channel);
        self.channels.len() - 1
    }

    /// The cells of a leaf, or its constants.
    fn leaf(
        &mut self,
        globals: &Globals,
        leaf: &Leaf,
        name: &str,
        owner: Option<ProcessId>,
        constant: bool,
        known: Option<i64>,
    ) -> Storage {
        if let Some(n) = known {
            return Storage::Constants(vec![leaf.scalar.store(n)]);
        }
        let length = leaf.length();
        let count = length.unwrap_or(1);
        if let Start::Channel(signature) = &leaf.start {
            let mut ids = Vec::new();
            for i in 0..count {
                let name = match length {
                    Some(_) => format!("{name}[{i}]"),
                    None => name.to_string(),
                };
                let channel = self.new_channel(globals, name, signature, owner);
                ids.push(channel as i64 + 1);
            }
            if constant {
                return Storage::Constants(ids);
            }
            let v = self.declare(name, Type::BYTE, length, owner);
            let first = self.program.variable(v).first as usize;
            if owner.is_none() {
                self.initial[first..first + ids.len()].copy_from_slice(&ids);
            }
            return Storage::Variable(v);
        }
        if constant && owner.is_none() && length.is_none() {
            match &leaf.start {
                Start::Zero => return Storage::Constants(vec![0]),
                Start::Value(Value::Number(n)) => {
                    return Storage::Constants(vec![leaf.scalar.store(*n)]);
                }
                _ => {}
            }
        }
        Storage::Variable(self.declare(name, globals.ty(leaf.scalar), length, owner))
    }

    fn slot(
        &mut self,
        globals: &Globals,
        bodies: &[Body],
        faces: &[Face],
        number: usize,
        tenants: &Tenants,
    ) {
        let process = ProcessId(self.slots.len() as u32);
        let mut names = vec![ABSENT.to_string()];
        let mut codes = Vec::new();
        let several = tenants.proctypes.len() > 1;
        let mut titles: Vec<String> = Vec::new();
        for (proctype, _) in &tenants.proctypes {
            let flow = &bodies[*proctype].flow;
            let title = &faces[*proctype].name;
            titles.push(title.to_string());
            let mut own = FxHashMap::default();
            for e in places(&bodies[*proctype]) {
                own.insert(e, names.len() as i64);
                let label = flow.labels.iter().find(|l| l.element == e);
                let mut shown = match (label, &flow.elements[e].kind) {
                    (Some(label), _) => label.name.to_string(),
                    (None, Kind::End) => AT_END.to_string(),
                    _ => flow.elements[e].location(),
                };
                if several {
                    shown = format!("{title}: {shown}");
                }
                names.push(shown);
            }
            codes.push(own);
        }
        let title = format!("{}[{number}]", titles.join("|"));
        let location = self.declare(&title, Type::Enum { names }, None, Some(process));
        self.program.variables[location.0 as usize].is_location = true;
        self.program.processes.push(sempre_model::ir::Process {
            name: title,
            location: Some(location),
        });
        let mut instances = Vec::new();
        for ((proctype, known), codes) in tenants.proctypes.iter().zip(codes) {
            let before = self.channels.len();
            let prefix = format!("{}[{number}]", faces[*proctype].name);
            let mut storage = Vec::new();
            for (i, leaf) in bodies[*proctype].store.leaves.iter().enumerate() {
                let name = format!("{prefix}.{}", leaf.name);
                let known = known.get(i).copied().flatten();
                let constant = !leaf.written;
                let place = self.leaf(globals, leaf, &name, Some(process), constant, known);
                storage.push(place);
            }
            instances.push(self.instances.len());
            self.instances.push(Instance {
                slot: number,
                proctype: *proctype,
                storage,
                codes,
                channels: (before..self.channels.len()).collect(),
            });
        }
        let initial = tenants
            .initial
            .and_then(|p| (instances.iter().copied()).find(|&i| self.instances[i].proctype == p));
        self.slots.push(Slot {
            process,
            location,
            instances,
            initial,
        });
    }

    /// The initial values.
    fn start(&mut self, globals: &Globals, bodies: &[Body]) {
        for (i, leaf) in globals.store.leaves.iter().enumerate() {
            if let Storage::Variable(v) = self.globals[i] {
                self.start_leaf(leaf, v, None);
            }
        }
        for slot in 0..self.slots.len() {
            let Some(i) = self.slots[slot].initial else {
                continue;
            };
            let body = &bodies[self.instances[i].proctype];
            let location = self.program.variable(self.slots[slot].location).first;
            let code = self.instances[i].codes.get(&body.flow.start);
            self.initial[location as usize] = code.copied().unwrap_or(0);
            for (l, leaf) in body.store.leaves.iter().enumerate() {
                if let Storage::Variable(v) = self.instances[i].storage[l] {
                    self.start_leaf(leaf, v, Some(i));
                }
            }
        }
    }

    fn start_leaf(&mut self, leaf: &Leaf, v: VariableId, instance: Option<usize>) {
        let first = self.program.variable(v).first as usize;
        for i in 0..leaf.length().unwrap_or(1) as usize {
            let value = match &leaf.start {
                Start::Zero => continue,
                Start::Channel(_) => {
                    let Some(instance) = instance else { continue };
                    let own = self.instances[instance].channels.clone();
                    let place = own.iter().position(|&c| {
                        let name = &self.channels[c].name;
                        *name == self.program.cell_name((first + i) as u32)
                    });
                    place.map_or(0, |p| own[p] as i64 + 1)
                }
                Start::Value(value) => self.now(instance, value),
                Start::List(values) => match values.get(i).or(values.last()) {
                    Some(value) => self.now(instance, value),
                    None => 0,
                },
            };
            self.initial[first + i] = leaf.scalar.store(value);
        }
    }

    /// The value of an expression in the initial state; 0 if it has none.
    fn now(&self, instance: Option<usize>, value: &Value) -> i64 {
        let expr = self.expr(instance, value, false);
        (Interpreter::new(&self.program).value(&expr, &self.initial)).unwrap_or(0)
    }

    /// The statements that bring an instance to life, but for its parameters and location.
    pub fn birth(&self, i: usize, bodies: &[Body], skip: usize) -> Vec<sempre_model::Stmt> {
        let instance = &self.instances[i];
        let leaves = &bodies[instance.proctype].store.leaves;
        let mut all = Vec::new();
        for (l, leaf) in leaves.iter().enumerate().skip(skip) {
            let Storage::Variable(v) = instance.storage[l] else {
                continue;
            };
            let mut set = |k: u32, value: Expr| {
                let place = match leaf.length() {
                    None => Place::Scalar(v),
                    Some(_) => Place::Element(v, Box::new(Expr::Constant(k.into()))),
                };
                all.push(sempre_model::Stmt::Assign(place, value));
            };
            let first = self.program.variable(v).first;
            for k in 0..leaf.length().unwrap_or(1) {
                match &leaf.start {
                    Start::Zero => {}
                    Start::Value(value) => set(k, self.expr(Some(i), value, false)),
                    Start::List(values) => {
                        if let Some(value) = values.get(k as usize).or(values.last()) {
                            set(k, self.expr(Some(i), value, false));
                        }
                    }
                    Start::Channel(_) => {
                        let name = self.program.cell_name(first + k);
                        let own = instance.channels.iter();
                        let id = own.copied().find(|&c| self.channels[c].name == name);
                        set(k, Expr::Constant(id.map_or(0, |c| c as i64 + 1)));
                    }
                }
            }
        }
        all
    }

    /// The statements that forget an instance.
    pub fn death(&self, i: usize) -> Vec<sempre_model::Stmt> {
        let instance = &self.instances[i];
        let mut all = vec![sempre_model::Stmt::Assign(
            Place::Scalar(self.slots[instance.slot].location),
            Expr::Constant(0),
        )];
        let mut clear = |v: VariableId| {
            let variable = self.program.variable(v);
            match variable.length {
                None => all.push(sempre_model::Stmt::Assign(
                    Place::Scalar(v),
                    Expr::Constant(0),
                )),
                Some(n) => all.extend((0..n).map(|k| {
                    let place = Place::Element(v, Box::new(Expr::Constant(k.into())));
                    sempre_model::Stmt::Assign(place, Expr::Constant(0))
                })),
            }
        };
        for storage in &instance.storage {
            if let Storage::Variable(v) = storage {
                clear(*v);
            }
        }
        if let Some(Expr::Read(Place::Scalar(v))) = self.priorities.get(instance.slot) {
            clear(*v);
        }
        for &c in &instance.channels {
            let channel = &self.channels[c];
            channel
                .length
                .iter()
                .chain(&channel.fields)
                .for_each(|&v| clear(v));
        }
        all
    }

    /// Is the slot empty?
    pub fn is_empty(&self, slot: usize) -> Expr {
        Expr::equal(Expr::variable(self.slots[slot].location), Expr::Constant(0))
    }

    /// Is the instance at that place?
    pub fn is_at(&self, i: usize, e: El) -> Expr {
        let instance = &self.instances[i];
        let location = self.slots[instance.slot].location;
        match instance.codes.get(&e) {
            Some(&code) => Expr::equal(Expr::variable(location), Expr::Constant(code)),
            None => Expr::FALSE,
        }
    }
}
