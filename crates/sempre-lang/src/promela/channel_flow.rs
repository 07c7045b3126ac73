//! Which channels a variable may stand for: a flow analysis, so that a statement on a channel that is passed around
//! becomes actions for the channels that can be there, not for all channels of the model.
//!
//! Each variable of the program, and each field of a rendezvous channel, has a set of the numbers 0 to 255 that contains all
//! values it ever has; or it may have any. The sets are the least ones that contain the initial values and are closed
//! under the assignments, the arguments of `run`, and the messages of all statements of all instances, in any order,
//! executable or not (Andersen, *Program analysis and specialization for the C programming language*, 1994, with channels
//! for pointers). What is computed, not copied, may be anything. All elements of an array share one set. Every set has 0, which dead processes leave behind.
//!
//! Cost: a round over all statements for each set that grows, in practice three or four rounds.

use super::body::Body;
use super::flow::Kind;
use super::instances::{Storage, World};
use super::resolve::{Cell, Target, Value};
use super::symbols::{Globals, Scalar, Start};
use rustc_hash::FxHashMap;
use sempre_model::ir::VariableId;

/// Some of the numbers 0 to 255; `any` says that other values are possible, too, and so all are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    words: [u64; 4],
    any: bool,
}

impl Numbers {
    const ANY: Self = Self {
        words: [0; 4],
        any: true,
    };

    fn one(n: i64) -> Self {
        let mut numbers = Self::default();
        numbers.insert(n);
        numbers
    }

    fn insert(&mut self, n: i64) {
        match u8::try_from(n) {
            Ok(n) => self.words[usize::from(n >> 6)] |= 1 << (n & 63),
            Err(_) => self.any = true,
        }
    }

    pub fn contains(&self, n: i64) -> bool {
        self.any
            || u8::try_from(n).is_ok_and(|n| self.words[usize::from(n >> 6)] >> (n & 63) & 1 == 1)
    }

    fn extend(&mut self, other: &Self) {
        (self.words.iter_mut().zip(other.words)).for_each(|(a, b)| *a |= b);
        self.any |= other.any;
    }

    /// What is left of the values in a cell.
    fn stored(&self, scalar: Scalar) -> Self {
        if self.any {
            return Self::ANY;
        }
        let mut result = Self::default();
        (0..256)
            .filter(|&n| self.contains(n))
            .for_each(|n| result.insert(scalar.store(n)));
        result
    }
}

/// See the module's documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ChannelFlow {
    /// By the number of the variable.
    variables: Vec<Numbers>,
    /// The fields of rendezvous channels, by channel.
    passing: FxHashMap<(usize, usize), Numbers>,
}

impl ChannelFlow {
    /// The values that an expression of an instance may have.
    pub fn of(&self, world: &World, instance: Option<usize>, value: &Value) -> Numbers {
        match value {
            Value::Number(n) => Numbers::one(*n),
            Value::Read(cell) => match world.storage(instance, cell) {
                Some(Storage::Variable(v)) => {
                    (self.variables.get(v.0 as usize)).map_or(Numbers::ANY, Numbers::clone)
                }
                Some(Storage::Constants(all)) => {
                    let mut numbers = Numbers::one(0);
                    all.iter().for_each(|&n| numbers.insert(n));
                    numbers
                }
                None => Numbers::ANY,
            },
            Value::If(_, a, b) => {
                let mut numbers = self.of(world, instance, a);
                numbers.extend(&self.of(world, instance, b));
                numbers
            }
            _ => Numbers::ANY,
        }
    }

    /// Are there no variables for channels?
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The flow of a whole program.
    pub fn of_program(
        world: &World,
        globals: &Globals,
        bodies: &[Body],
        births: &dyn Fn(usize) -> Vec<usize>,
    ) -> Self {
        let variables = vec![Numbers::one(0); world.program.variables.len()];
        let mut flow = Self {
            variables,
            passing: FxHashMap::default(),
        };
        // Without variables for channels there is nothing to find out.
        let local = (bodies.iter()).flat_map(|b| &b.store.leaves);
        let mut leaves = globals.store.leaves.iter().chain(local);
        if !leaves.any(|l| l.scalar == Scalar::Chan && (l.written || l.start == Start::Zero)) {
            flow.variables.clear();
            return flow;
        }
        for (cell, &value) in world.initial.iter().enumerate() {
            let v = world.program.variable_of_cell(cell as u32);
            flow.variables[v.0 as usize].insert(value);
        }
        let mut round = Round {
            world,
            globals,
            bodies,
            births,
            flow,
            grown: true,
        };
        while std::mem::take(&mut round.grown) {
            (0..world.instances.len()).for_each(|i| round.instance(i));
        }
        round.flow
    }
}

struct Round<'a> {
    world: &'a World,
    globals: &'a Globals,
    bodies: &'a [Body],
    births: &'a dyn Fn(usize) -> Vec<usize>,
    flow: ChannelFlow,
    grown: bool,
}

impl Round<'_> {
    fn grow(&mut self, v: VariableId, numbers: &Numbers) {
        let known = &mut self.flow.variables[v.0 as usize];
        let before = known.clone();
        known.extend(numbers);
        self.grown |= *known != before;
    }

    /// The cell of an instance may hold these.
    fn store(&mut self, i: usize, cell: &Cell, numbers: &Numbers) {
        let leaves = match cell.local {
            true => &self.bodies[self.world.instances[i].proctype].store.leaves,
            false => &self.globals.store.leaves,
        };
        if let Some(&Storage::Variable(v)) = self.world.storage(Some(i), cell)
            && let Some(leaf) = leaves.get(cell.leaf)
        {
            self.grow(v, &numbers.stored(leaf.scalar));
        }
    }

    fn of(&self, i: usize, value: &Value) -> Numbers {
        self.flow.of(self.world, Some(i), value)
    }

    fn channels(&self, i: usize, channel: &Value) -> Vec<usize> {
        let numbers = self.of(i, channel);
        let all = 0..self.world.channels.len();
        all.filter(|&c| numbers.contains(c as i64 + 1)).collect()
    }

    fn instance(&mut self, i: usize) {
        let (world, bodies) = (self.world, self.bodies);
        let instance = &world.instances[i];
        let body = &bodies[instance.proctype];
        for (l, leaf) in body.store.leaves.iter().enumerate() {
            let mut values: &[Value] = &[];
            match &leaf.start {
                Start::Zero => {}
                Start::Value(value) => values = std::slice::from_ref(value),
                Start::List(all) => values = all,
                Start::Channel(_) => {
                    let mut own = Numbers::default();
                    (instance.channels.iter()).for_each(|&c| own.insert(c as i64 + 1));
                    if let Storage::Variable(v) = instance.storage[l] {
                        self.grow(v, &own);
                    }
                }
            }
            for value in values {
                let numbers = self.of(i, value).stored(leaf.scalar);
                if let Storage::Variable(v) = instance.storage[l] {
                    self.grow(v, &numbers);
                }
            }
        }
        for element in &body.flow.elements {
            match &element.kind {
                Kind::Assign(cell, value) => {
                    self.made(i, value);
                    if let Some(cell) = cell {
                        let numbers = self.of(i, value);
                        self.store(i, cell, &numbers);
                    }
                }
                Kind::Condition(value) => self.made(i, value),
                Kind::Send(channel, values, _) => self.sent(i, channel, values),
                Kind::Receive(channel, targets, ..) => self.received(i, channel, targets),
                _ => {}
            }
        }
    }

    fn sent(&mut self, i: usize, channel: &Value, values: &[Value]) {
        let sent: Vec<Numbers> = values.iter().map(|v| self.of(i, v)).collect();
        for c in self.channels(i, channel) {
            let target = &self.world.channels[c];
            for (k, (numbers, &scalar)) in sent.iter().zip(&target.signature.fields).enumerate() {
                let numbers = numbers.stored(scalar);
                if let Some(&v) = target.fields.get(k) {
                    self.grow(v, &numbers);
                } else {
                    let known = self.flow.passing.entry((c, k)).or_default();
                    let before = known.clone();
                    known.extend(&numbers);
                    self.grown |= *known != before;
                }
            }
        }
    }

    fn received(&mut self, i: usize, channel: &Value, targets: &[Target]) {
        for c in self.channels(i, channel) {
            for (k, target) in targets.iter().enumerate() {
                let Target::Store(cell) = target else {
                    continue;
                };
                let numbers = match self.world.channels[c].fields.get(k) {
                    Some(v) => self.flow.variables[v.0 as usize].clone(),
                    None => (self.flow.passing.get(&(c, k)).cloned()).unwrap_or_default(),
                };
                self.store(i, cell, &numbers);
            }
        }
    }

    /// The arguments of the processes that the evaluation of a value makes.
    fn made(&mut self, i: usize, value: &Value) {
        let Some((proctype, arguments, _)) = super::steps::find_run(value) else {
            return;
        };
        let numbers: Vec<Numbers> = arguments.iter().map(|a| self.of(i, a)).collect();
        for slot in (self.births)(proctype) {
            let here = self.world.slots[slot].instances.iter();
            let new = here
                .copied()
                .find(|&n| self.world.instances[n].proctype == proctype);
            let Some(new) = new else { continue };
            let leaves = &self.bodies[proctype].store.leaves;
            for (k, numbers) in numbers.iter().enumerate() {
                let storage = self.world.instances[new].storage.get(k);
                if let Some(&Storage::Variable(v)) = storage
                    && let Some(leaf) = leaves.get(k)
                {
                    self.grow(v, &numbers.stored(leaf.scalar));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use rustc_hash::FxHashSet;
    use sempre_model::interpreter::Interpreter;

    /// In every state that is reached, every variable has a value of its set; how many sets were looked at, and how many
    /// of them leave something out.
    fn check(text: &str) -> (usize, usize) {
        let model = read("t", text, &|_| None).unwrap_or_else(|e| panic!("{e:#?}"));
        let (program, flow) = (&model.program, &model.world.channel_flow);
        let interpreter = Interpreter::new(program);
        let mut known: FxHashSet<Vec<i64>> = program.initial.iter().cloned().collect();
        let mut open: Vec<Vec<i64>> = program.initial.clone();
        while let Some(state) = open.pop() {
            for (cell, &value) in state.iter().enumerate() {
                let v = program.variable_of_cell(cell as u32);
                let is_place = program.variable(v).is_location;
                // The lengths of channels, and what was added later, are nobody's.
                let is_length = program.variable(v).name.starts_with("len(");
                if let Some(numbers) = flow.variables.get(v.0 as usize)
                    && !is_place
                    && !is_length
                {
                    assert!(
                        numbers.contains(value),
                        "{} = {value}",
                        program.cell_name(cell as u32)
                    );
                }
            }
            for (_, next) in interpreter.steps(&state) {
                if let Ok(next) = next
                    && known.len() < 3_000
                    && known.insert(next.clone())
                {
                    open.push(next);
                }
            }
        }
        let small = flow.variables.iter().filter(|n| !n.any).count();
        (flow.variables.len(), small)
    }

    #[test]
    fn every_value_that_occurs_is_in_its_set() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/promela");
        let mut counts = (0, 0);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "pml") {
                let text = std::fs::read_to_string(&path).unwrap();
                let (all, small) = check(&text);
                counts = (counts.0 + all, counts.1 + small);
            }
        }
        assert!(counts.0 > 30 && counts.1 > 30, "{counts:?}");
    }

    #[test]
    fn only_the_channels_that_can_be_there_are_candidates() {
        let text = "chan a = [0] of { byte }; chan b = [0] of { byte }; chan c = [0] of { chan }; chan d = [0] of { byte };
            active proctype P() { chan x; x = a; if :: x = b :: skip fi; c!x; x!1 }
            active proctype Q() { chan y; c?y; y?_ }
            active proctype R() { d!1 }";
        check(text);
        let model = read("t", text, &|_| None).unwrap();
        // One action for both channels.
        let names: Vec<&str> = model.program.actions.iter().map(|a| &*a.name).collect();
        assert_eq!(
            names.iter().filter(|n| n.starts_with("P[0]: x!1")).count(),
            2,
            "{names:?}"
        );
        let y = model
            .program
            .variables
            .iter()
            .position(|v| v.name == "Q[1].y")
            .unwrap();
        let numbers = &model.world.channel_flow.variables[y];
        let found: Vec<i64> = (0..300).filter(|&n| numbers.contains(n)).collect();
        assert_eq!(found, [0, 1, 2]);
    }
}
