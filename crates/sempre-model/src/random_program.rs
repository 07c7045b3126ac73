//! Random small programs, the same for the same seed, for tests that compare two implementations of the IR.
//!
//! They use all of it: processes with locations, variables and arrays of each type, local and global, two-process
//! actions, and with low probability priority classes, an exclusive register, tables, loops, assertions, several
//! initial states. Errors are possible but rare, since a program that fails at once tests nothing. Loops have at most
//! a few rounds. State spaces are finite except for natural numbers, but may be large: explorations need a limit.

use crate::ir::{
    Action, Behaviour, Binary, Expr, Place, ProcessId, Program, Stmt, Table, Type, Unary,
    VariableId,
};
use sempre_base::Random;

/// A random program.
pub fn random_program(random: &mut Random) -> Program {
    let mut p = Program::new("random");
    p.registers = 3;
    let locations = ["a", "b", "c", "d"];
    for i in 0..*random.pick(&[1, 2, 2, 3, 3]) {
        let process = p.declare_process(&format!("P{i}"), &locations[..2 + random.below(3)]);
        for j in 0..random.below(3) {
            declare(random, &mut p, &format!("P{i}.l{j}"), Some(process));
        }
    }
    for j in 0..1 + random.below(4) {
        declare(random, &mut p, &format!("g{j}"), None);
    }
    if random.chance(0.15) {
        p.exclusive = Some(p.declare("exclusive", Type::BYTE, None, None));
    }
    for i in 0..p.processes.len() as u32 {
        // Mostly one action out of each location, and some more.
        let location = p.processes[i as usize].location.expect("declared above");
        for from in 0..=p.variable(location).ty.bounds().1 {
            let from = random.chance(0.9).then_some(from);
            let action = guarded(random, &p, &[ProcessId(i)], from);
            p.actions.push(action);
        }
        for _ in 0..random.below(3) {
            let action = guarded(random, &p, &[ProcessId(i)], None);
            p.actions.push(action);
        }
    }
    if p.processes.len() > 1 {
        for _ in 0..random.below(3) {
            let first = random.below(p.processes.len()) as u32;
            let second = (first + 1) % p.processes.len() as u32;
            let action = guarded(random, &p, &[ProcessId(first), ProcessId(second)], None);
            p.actions.push(action);
        }
    }
    for _ in 0..2 {
        if random.chance(0.1) {
            let action = table(random, &p);
            if let Behaviour::Table(table) = &action.behaviour
                && !table.marks.is_empty()
            {
                p.marks = MARKS;
            }
            p.actions.push(action);
        }
    }
    if random.chance(0.15) {
        // Some process is committed, some process waits for a timeout.
        for action in &mut p.actions {
            if random.chance(0.3) {
                action.class = *random.pick(&[1, 1, 2, -1]);
            }
        }
    }
    for (i, action) in p.actions.iter_mut().enumerate() {
        action.name = format!("{i}: {}", action.name);
    }
    if random.chance(0.2) {
        let condition = random_expression(random, &p, 2);
        p.assertions.push((condition, "sometimes".to_string()));
    }
    if random.chance(0.1) {
        p.accepting = Some(random_expression(random, &p, 1));
    }
    for _ in 0..1 + random.below(2) {
        let state = (0..p.cells() as u32)
            .map(|cell| small_value(random, &p, cell))
            .collect();
        p.initial.push(state);
    }
    p.initial.dedup();
    p
}

/// Adds an array that takes some fifty words of a state, and actions that read and write its elements, most of them
/// by a computed index. Doubles the number of initial states, each with its own contents of the array.
pub fn add_wide_array(random: &mut Random, p: &mut Program) {
    const ELEMENTS: usize = 100;
    let array = p.declare("wide", Type::INT, Some(ELEMENTS as u32), None);
    let index = |random: &mut Random, p: &Program| match random.chance(0.3) {
        true => Expr::Constant(random.below(ELEMENTS) as i64),
        false => {
            let any = random_expression(random, p, 1);
            Expr::binary(Binary::BitAnd, any, Expr::Constant(63))
        }
    };
    let states = std::mem::take(&mut p.initial);
    for _ in 0..2 {
        let value = |_| random.next_u64() as i32 as i64;
        let values: Vec<i64> = (0..ELEMENTS).map(value).collect();
        let with = |state: &Vec<i64>| [&state[..], &values[..]].concat();
        p.initial.extend(states.iter().map(with));
    }
    let other = |random: &mut Random, p: &Program| match random.chance(0.5) {
        true => Expr::Constant(random.below(3) as i64),
        false => Expr::element(array, index(random, p)),
    };
    let mut actions = std::mem::take(&mut p.actions);
    for action in &mut actions {
        let Behaviour::Guarded { guard, effect } = &mut action.behaviour else {
            continue;
        };
        if random.chance(0.2) {
            let differ = Expr::binary(Binary::NotEqual, other(random, p), other(random, p));
            *guard = Expr::all([guard.clone(), differ]);
        }
        for _ in 0..random.below(3) {
            let place = Place::Element(array, Box::new(index(random, p)));
            let at = random.below(effect.len() + 1);
            effect.insert(at, Stmt::Assign(place, other(random, p)));
        }
    }
    p.actions = actions;
}

/// A random state: any value that the type of its cell allows, small ones more often.
pub fn random_state(random: &mut Random, program: &Program) -> Vec<i64> {
    (0..program.cells() as u32)
        .map(|cell| {
            if random.chance(0.8) {
                return small_value(random, program, cell);
            }
            let ty = &program.variable(program.variable_of_cell(cell)).ty;
            let (min, max) = ty.bounds();
            match random.below(3) {
                0 => min,
                1 => max,
                _ => {
                    let span = (max.wrapping_sub(min) as u64).saturating_add(1);
                    min.wrapping_add((random.next_u64() % span) as i64)
                }
            }
        })
        .collect()
}

/// A random expression over the variables of the program, without registers; it may fail. `depth` limits
/// its nesting.
pub fn random_expression(random: &mut Random, program: &Program, depth: usize) -> Expr {
    Writer {
        random,
        program,
        registers: false,
    }
    .expr(depth)
}

/// A value near zero that the cell can hold.
fn small_value(random: &mut Random, program: &Program, cell: u32) -> i64 {
    let (min, max) = (program.variable(program.variable_of_cell(cell)).ty).bounds();
    (random.below(4) as i64 - 1).clamp(min, max)
}

fn declare(random: &mut Random, p: &mut Program, name: &str, owner: Option<ProcessId>) {
    let ty = match random.below(12) {
        0 | 1 => Type::Bool,
        2..=4 => Type::BYTE,
        5 => Type::SHORT,
        6 => Type::INT,
        7 => Type::Int {
            bits: 1 + random.below(32) as u8,
            signed: random.chance(0.5),
        },
        8 | 9 => Type::Range {
            min: -(random.below(3) as i64),
            max: 1 + random.below(6) as i64,
        },
        10 => Type::Enum {
            names: ["red", "green", "blue"].map(String::from).to_vec(),
        },
        _ => Type::Natural,
    };
    let length = random.chance(0.3).then(|| 1 + random.below(4) as u32);
    p.declare(name, ty, length, owner);
}

/// A guarded action of these processes: each starts at one location (that of `from`, if given) and moves to another.
fn guarded(
    random: &mut Random,
    program: &Program,
    processes: &[ProcessId],
    location: Option<i64>,
) -> Action {
    let mut writer = Writer {
        random,
        program,
        registers: false,
    };
    let (mut guards, mut effect, mut name) = (Vec::new(), Vec::new(), Vec::new());
    for &p in processes {
        let process = &program.processes[p.0 as usize];
        let Some(v) = process.location else { continue };
        let count = program.variable(v).ty.bounds().1 as usize + 1;
        let from = location.unwrap_or_else(|| writer.random.below(count) as i64);
        let to = writer.random.below(count);
        if writer.random.chance(0.9) {
            guards.push(Expr::equal(Expr::variable(v), Expr::Constant(from)));
        }
        effect.push(Stmt::Assign(Place::Scalar(v), Expr::Constant(to as i64)));
        name.push(process.name.clone());
    }
    if writer.random.chance(0.4) {
        guards.push(writer.expr(2));
    }
    writer.registers = true;
    for _ in 0..1 + writer.random.below(3) {
        effect.push(writer.stmt(2));
    }
    if let Some(register) = program.exclusive
        && writer.random.chance(0.5)
    {
        let holder = writer.random.below(program.processes.len() + 1) as i64;
        effect.push(Stmt::Assign(
            Place::Scalar(register),
            Expr::Constant(holder),
        ));
    }
    if writer.random.chance(0.3) {
        // Locations are not always written first.
        effect.rotate_left(1);
    }
    Action {
        name: name.join(", "),
        processes: processes.to_vec(),
        class: 0,
        behaviour: Behaviour::Guarded {
            guard: Expr::all(guards),
            effect,
        },
    }
}

/// The number of acceptance marks in tables that have any.
const MARKS: u32 = 2;

/// A table over a few cells.
fn table(random: &mut Random, program: &Program) -> Action {
    let some_cells = |random: &mut Random| {
        let mut cells: Vec<u32> = (0..1 + random.below(2))
            .map(|_| random.below(program.cells()) as u32)
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    };
    let (reads, writes) = (some_cells(random), some_cells(random));
    let values = |random: &mut Random, cells: &[u32]| {
        Vec::from_iter(cells.iter().map(|&c| {
            if random.chance(0.03) {
                7
            } else {
                small_value(random, program, c)
            }
        }))
    };
    let mut rows: Vec<(Vec<i64>, Vec<i64>)> = (0..1 + random.below(6))
        .map(|_| (values(random, &reads), values(random, &writes)))
        .collect();
    rows.sort();
    rows.dedup();
    let marks = if random.chance(0.3) {
        rows.iter()
            .map(|_| random.below(1 << MARKS) as u64)
            .collect()
    } else {
        Vec::new()
    };
    Action {
        name: "table".to_string(),
        processes: Vec::new(),
        class: 0,
        behaviour: Behaviour::Table(Table {
            reads,
            writes,
            rows,
            marks,
        }),
    }
}

/// Writes random expressions and statements.
struct Writer<'a> {
    random: &'a mut Random,
    program: &'a Program,
    /// May registers be used?
    registers: bool,
}

impl Writer<'_> {
    fn constant(&mut self) -> Expr {
        let odd = [-1, -2, 5, 7, 255, 256, 1 << 31, i64::MAX, i64::MIN];
        Expr::Constant(if self.random.chance(0.92) {
            self.random.below(4) as i64
        } else {
            *self.random.pick(&odd)
        })
    }

    fn place(&mut self, depth: usize) -> Place {
        if self.registers && self.random.chance(0.15) {
            return Place::Register(self.random.below(self.program.registers as usize) as u32);
        }
        let v = VariableId(self.random.below(self.program.variables.len()) as u32);
        match self.program.variable(v).length {
            None => Place::Scalar(v),
            Some(length) => Place::Element(v, Box::new(self.index(length, depth))),
        }
    }

    /// An index, which is out of range now and then.
    fn index(&mut self, length: u32, depth: usize) -> Expr {
        match self.random.below(10) {
            0 => Expr::Constant(self.random.below(length as usize + 2) as i64 - 1),
            1 => self.expr(depth.saturating_sub(1)),
            2..=5 if depth > 0 => {
                let any = self.expr(depth - 1);
                let length = Expr::Constant(i64::from(length));
                let rest = Expr::binary(Binary::Modulo, any, length.clone());
                let positive = Expr::binary(Binary::Add, rest, length.clone());
                Expr::binary(Binary::Modulo, positive, length)
            }
            _ => Expr::Constant(self.random.below(length as usize) as i64),
        }
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.random.chance(0.25) {
            return if self.random.chance(0.4) {
                self.constant()
            } else {
                Expr::Read(self.place(0))
            };
        }
        match self.random.below(14) {
            0 => {
                let ops = [Unary::Negate, Unary::Not, Unary::Not, Unary::Complement];
                let op = *self.random.pick(&ops);
                Expr::Unary(op, Box::new(self.expr(depth - 1)))
            }
            1 => Expr::If(
                Box::new(self.expr(depth - 1)),
                Box::new(self.expr(depth - 1)),
                Box::new(self.expr(depth - 1)),
            ),
            2 | 3 => Expr::Read(self.place(depth)),
            4 => {
                // These fail on zero, so they are rarer than the others.
                let op = *self.random.pick(&[Binary::Divide, Binary::Modulo]);
                Expr::binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
            5..=7 => {
                let ops = [
                    Binary::Add,
                    Binary::Add,
                    Binary::Subtract,
                    Binary::Multiply,
                    Binary::BitAnd,
                    Binary::BitOr,
                    Binary::BitXor,
                    Binary::ShiftLeft,
                    Binary::ShiftRight,
                ];
                let op = *self.random.pick(&ops);
                Expr::binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
            _ => {
                let ops = [
                    Binary::Equal,
                    Binary::NotEqual,
                    Binary::Less,
                    Binary::LessEqual,
                    Binary::Greater,
                    Binary::GreaterEqual,
                    Binary::And,
                    Binary::Or,
                    Binary::Implies,
                ];
                let op = *self.random.pick(&ops);
                Expr::binary(op, self.expr(depth - 1), self.expr(depth - 1))
            }
        }
    }

    fn block(&mut self, depth: usize) -> Vec<Stmt> {
        (0..self.random.below(3))
            .map(|_| self.stmt(depth))
            .collect()
    }

    fn stmt(&mut self, depth: usize) -> Stmt {
        match self.random.below(12) {
            0 if depth > 0 => Stmt::If(self.expr(2), self.block(depth - 1), self.block(depth - 1)),
            1 if depth > 0 => Stmt::For {
                register: self.random.below(self.program.registers as usize) as u32,
                from: self.small(),
                to: self.small(),
                body: self.block(depth - 1),
            },
            2 => Stmt::Assert(
                Expr::binary(Binary::Or, self.expr(1), self.expr(1)),
                "within".to_string(),
            ),
            3..=5 => {
                // Counters make many states.
                let place = self.place(1);
                let op = *self
                    .random
                    .pick(&[Binary::Add, Binary::Add, Binary::Subtract]);
                let count = Expr::binary(op, Expr::Read(place.clone()), Expr::Constant(1));
                Stmt::Assign(place, count)
            }
            _ => Stmt::Assign(self.place(2), self.expr(2)),
        }
    }

    /// An expression from 0 to 3, for the bounds of loops.
    fn small(&mut self) -> Expr {
        if self.random.chance(0.6) {
            Expr::Constant(self.random.below(4) as i64)
        } else {
            Expr::binary(Binary::BitAnd, self.expr(1), Expr::Constant(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Interpreter;
    use std::collections::HashSet;

    #[test]
    fn the_program_of_a_seed_is_fixed() {
        let p = |seed| random_program(&mut Random::new(seed));
        assert_eq!(p(5), p(5));
        assert_ne!(p(5), p(6));
    }

    /// The programs are useful for tests: most have more than a few states, errors occur but are not prevalent, and
    /// each part of the IR is used.
    #[test]
    fn programs_are_varied() {
        let mut random = Random::new(1);
        let (mut large, mut steps, mut errors) = (0, 0, 0);
        let mut parts = HashSet::new();
        for _ in 0..300 {
            let p = random_program(&mut random);
            let interpreter = Interpreter::new(&p);
            let mut queue = p.initial.clone();
            let mut seen: HashSet<Vec<i64>> = queue.iter().cloned().collect();
            while let Some(state) = queue.pop()
                && seen.len() < 200
            {
                for (_, next) in interpreter.successors(&state) {
                    steps += 1;
                    match next {
                        Ok(next) => {
                            if seen.insert(next.clone()) {
                                queue.push(next);
                            }
                        }
                        Err(_) => errors += 1,
                    }
                }
            }
            large += usize::from(seen.len() > 10);
            let text = format!("{p:?}");
            for part in [
                "Table {",
                "For {",
                "Assert(",
                "class: 1",
                "class: -1",
                "Natural",
                "Register(",
                "exclusive: Some",
                "If(",
                "Divide",
                "marks: [1",
            ] {
                if text.contains(part) {
                    parts.insert(part);
                }
            }
        }
        assert_eq!(parts.len(), 11, "{parts:?}");
        assert!(large > 150, "{large}");
        assert!(errors > 100 && errors * 3 < steps, "{errors} of {steps}");
    }
}
