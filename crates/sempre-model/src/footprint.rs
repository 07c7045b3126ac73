//! Read, may-write and must-write sets of actions, and read sets of expressions, in cells.
//!
//! All analyses of dependencies use these sets: incremental evaluation in engines, symbolic relations, later partial
//! orders. The matrices of LTSmin's PINS interface (Meijer, Kant, Blom, van de Pol, HVC 2014) are these sets; here
//! they are computed from the program.
//!
//! Guarantees, for an action taken by itself (priorities and the exclusive register make enabledness depend on other
//! actions, too):
//! * I1: the guard's truth, or failure, depends on the cells in `guard` alone.
//! * I2: a cell outside `reads` influences no other cell, nor whether the step fails; a cell in `must_write` gets a
//!   value that depends on `reads` alone.
//! * I3: a cell outside `may_write` keeps its value; one in `must_write` is assigned in each step that does not fail.
//!   A cell in `may_write` that is not in `must_write` may also keep its value; a client that needs the new value as
//!   a function of cells must add these cells to the reads.
//!
//! An element with a constant index is one cell; any other index covers the whole array. Values of registers are
//! tracked, and loops with known bounds are unrolled, so that copying an array element by element is exact. A cell
//! that the action has assigned for certain before it is read does not count as read. Values of cells are not
//! tracked; see [`crate::intervals`].

use crate::ir::{Action, Behaviour, Binary, Expr, Place, Program, Stmt, Unary, VariableId};
use std::collections::BTreeSet;

/// The cells that an action accesses, each list sorted; see the module's documentation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// The cells that the guard reads; for a table, those it compares.
    pub guard: Vec<u32>,
    /// The cells that guard and effect read.
    pub reads: Vec<u32>,
    /// The cells that the effect may write.
    pub may_write: Vec<u32>,
    /// The cells that the effect writes in each step.
    pub must_write: Vec<u32>,
}

impl Footprint {
    /// The footprint of an action.
    pub fn new(program: &Program, action: &Action) -> Self {
        let (guard, effect) = match &action.behaviour {
            Behaviour::Guarded { guard, effect } => (guard, effect),
            Behaviour::Table(table) => {
                let set = |cells: &[u32]| sorted(cells.iter().copied().collect());
                return Self {
                    guard: set(&table.reads),
                    reads: set(&table.reads),
                    may_write: set(&table.writes),
                    must_write: set(&table.writes),
                };
            }
        };
        let mut walk = Walk::new(program);
        walk.expr(guard);
        let guard = sorted(walk.reads.clone());
        walk.block(effect);
        Self {
            guard,
            reads: sorted(walk.reads),
            may_write: sorted(walk.may_write),
            must_write: sorted(walk.must_write),
        }
    }
}

/// The footprints of all actions of a program.
pub fn footprints(program: &Program) -> Vec<Footprint> {
    (program.actions.iter())
        .map(|a| Footprint::new(program, a))
        .collect()
}

/// The cells that an expression reads, sorted.
pub fn reads_of(program: &Program, expr: &Expr) -> Vec<u32> {
    let mut walk = Walk::new(program);
    walk.expr(expr);
    sorted(walk.reads)
}

/// Can the evaluation of an expression fail? The answer yes may be wrong, the answer no is not.
pub fn can_fail(program: &Program, expr: &Expr) -> bool {
    let fails = |e: &Expr| can_fail(program, e);
    match expr {
        Expr::Constant(_) | Expr::Read(Place::Scalar(_) | Place::Register(_)) => false,
        Expr::Read(Place::Element(v, index)) => match **index {
            Expr::Constant(i) => i < 0 || i >= i64::from(program.variable(*v).cells()),
            _ => true,
        },
        Expr::Unary(_, a) => fails(a),
        Expr::Binary(Binary::Divide | Binary::Modulo, a, b) => {
            fails(a) || !matches!(**b, Expr::Constant(c) if c != 0)
        }
        Expr::Binary(_, a, b) => fails(a) || fails(b),
        Expr::If(c, a, b) => fails(c) || fails(a) || fails(b),
    }
}

fn sorted(set: BTreeSet<u32>) -> Vec<u32> {
    set.into_iter().collect()
}

/// Loops with more rounds than this are not unrolled.
const UNROLLED: i64 = 1024;

/// A traversal of an action in the order of its execution.
struct Walk<'p> {
    program: &'p Program,
    /// The known values of registers.
    registers: Vec<Option<i64>>,
    reads: BTreeSet<u32>,
    may_write: BTreeSet<u32>,
    must_write: BTreeSet<u32>,
}

impl<'p> Walk<'p> {
    fn new(program: &'p Program) -> Self {
        Self {
            program,
            registers: vec![Some(0); program.registers as usize],
            reads: BTreeSet::new(),
            may_write: BTreeSet::new(),
            must_write: BTreeSet::new(),
        }
    }

    /// The cells of an element: one, or none, if its index is known.
    fn element(&self, v: VariableId, index: Option<i64>) -> std::ops::Range<u32> {
        let v = self.program.variable(v);
        match index {
            None => v.first..v.first + v.cells(),
            Some(i) if 0 <= i && i < i64::from(v.cells()) => {
                v.first + i as u32..v.first + i as u32 + 1
            }
            Some(_) => 0..0,
        }
    }

    fn read(&mut self, cells: std::ops::Range<u32>) {
        let must_write = &self.must_write;
        self.reads
            .extend(cells.filter(|cell| !must_write.contains(cell)));
    }

    /// Adds the cells that an expression reads. Returns its value, if that does not depend on cells.
    fn expr(&mut self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Constant(c) => Some(*c),
            Expr::Read(Place::Scalar(v)) => {
                let first = self.program.variable(*v).first;
                self.read(first..first + 1);
                None
            }
            Expr::Read(Place::Element(v, index)) => {
                let index = self.expr(index);
                self.read(self.element(*v, index));
                None
            }
            Expr::Read(Place::Register(r)) => self.registers[*r as usize],
            Expr::Unary(op, a) => {
                let a = self.expr(a)?;
                Some(match op {
                    Unary::Negate => a.wrapping_neg(),
                    Unary::Not => i64::from(a == 0),
                    Unary::Complement => !a,
                })
            }
            Expr::Binary(op, a, b) => {
                let a = self.expr(a);
                match (op, a) {
                    (Binary::And, Some(0)) => return Some(0),
                    (Binary::Or, Some(x)) if x != 0 => return Some(1),
                    (Binary::Implies, Some(0)) => return Some(1),
                    _ => {}
                }
                let b = self.expr(b);
                // Index arithmetic of loops; other operators are not worth evaluating here.
                match (op, a?, b?) {
                    (Binary::Add, a, b) => Some(a.wrapping_add(b)),
                    (Binary::Subtract, a, b) => Some(a.wrapping_sub(b)),
                    (Binary::Multiply, a, b) => Some(a.wrapping_mul(b)),
                    _ => None,
                }
            }
            Expr::If(condition, then, otherwise) => match self.expr(condition) {
                Some(0) => self.expr(otherwise),
                Some(_) => self.expr(then),
                None => {
                    let then = self.expr(then);
                    let otherwise = self.expr(otherwise);
                    then.filter(|_| then == otherwise)
                }
            },
        }
    }

    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            sempre_base::checkpoint();
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign(place, value) => {
                let value = self.expr(value);
                let cells = match place {
                    Place::Scalar(v) => {
                        let first = self.program.variable(*v).first;
                        first..first + 1
                    }
                    Place::Element(v, index) => {
                        let index = self.expr(index);
                        self.element(*v, index)
                    }
                    Place::Register(r) => {
                        self.registers[*r as usize] = value;
                        return;
                    }
                };
                self.may_write.extend(cells.clone());
                if cells.len() == 1 {
                    self.must_write.extend(cells);
                }
            }
            Stmt::Assert(condition, _) => {
                self.expr(condition);
            }
            Stmt::If(condition, then, otherwise) => match self.expr(condition) {
                Some(0) => self.block(otherwise),
                Some(_) => self.block(then),
                None => {
                    let must_before = self.must_write.clone();
                    let registers_before = self.registers.clone();
                    self.block(then);
                    let must_then = std::mem::replace(&mut self.must_write, must_before);
                    let registers_then = std::mem::replace(&mut self.registers, registers_before);
                    self.block(otherwise);
                    self.must_write.retain(|cell| must_then.contains(cell));
                    for (mine, then) in self.registers.iter_mut().zip(registers_then) {
                        *mine = mine.filter(|_| *mine == then);
                    }
                }
            },
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                let (from, to) = (self.expr(from), self.expr(to));
                if let (Some(from), Some(to)) = (from, to)
                    && to.saturating_sub(from) <= UNROLLED
                {
                    for i in from..to {
                        self.registers[*register as usize] = Some(i);
                        self.block(body);
                    }
                    return;
                }
                // The number of rounds is unknown, perhaps zero: values assigned in a round are unknown in the next,
                // and no cell is written for certain.
                let must_before = self.must_write.clone();
                self.drop_values(*register, body);
                self.block(body);
                self.drop_values(*register, body);
                self.must_write = must_before;
            }
        }
    }

    /// Drops the values of the registers that a loop assigns.
    fn drop_values(&mut self, register: u32, body: &[Stmt]) {
        self.registers[register as usize] = None;
        Stmt::each_assigned(body, &mut |place| {
            if let Place::Register(r) = place {
                self.registers[*r as usize] = None;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Interpreter;
    use crate::ir::Type;
    use crate::random_program::{random_expression, random_program, random_state};
    use sempre_base::Random;

    /// Changes each cell of random states in turn and compares what the action does.
    #[test]
    fn footprints_hold_on_random_programs() {
        let mut random = Random::new(11);
        let (mut compared, mut unread) = (0, 0);
        for _ in 0..400 {
            let program = random_program(&mut random);
            for action in &program.actions {
                let footprint = Footprint::new(&program, action);
                let Footprint {
                    guard,
                    reads,
                    may_write,
                    must_write,
                } = &footprint;
                assert!(guard.iter().all(|c| reads.contains(c)));
                assert!(must_write.iter().all(|c| may_write.contains(c)));
                let mut alone = program.clone();
                alone.exclusive = None;
                alone.actions = vec![action.clone()];
                let interpreter = Interpreter::new(&alone);
                for _ in 0..4 {
                    let state = random_state(&mut random, &program);
                    let other = random_state(&mut random, &program);
                    let steps = interpreter.successors(&state);
                    for (_, next) in &steps {
                        for (cell, value) in next.iter().flatten().enumerate() {
                            assert!(
                                may_write.contains(&(cell as u32)) || *value == state[cell],
                                "cell {cell} of {action:?}"
                            );
                        }
                    }
                    for cell in 0..state.len() {
                        let number = cell as u32;
                        let mut changed = state.clone();
                        changed[cell] = other[cell];
                        let others = interpreter.successors(&changed);
                        if !guard.contains(&number) {
                            assert_eq!(steps.is_empty(), others.is_empty(), "{action:?}");
                        }
                        if reads.contains(&number) {
                            continue;
                        }
                        unread += 1;
                        assert_eq!(steps.len(), others.len());
                        for ((_, one), (_, two)) in steps.iter().zip(&others) {
                            let (Ok(one), Ok(two)) = (one, two) else {
                                assert_eq!(one, two);
                                continue;
                            };
                            compared += 1;
                            for d in (0..state.len()).filter(|&d| d != cell) {
                                assert_eq!(one[d], two[d], "cell {cell} to {d}: {action:?}");
                            }
                            let same = one[cell] == two[cell];
                            let kept = one[cell] == state[cell] && two[cell] == changed[cell];
                            assert!(
                                same || kept && !must_write.contains(&number),
                                "cell {cell}: {action:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(compared > 5_000 && unread > 20_000, "{compared} {unread}");
    }

    #[test]
    fn reads_and_failures_of_expressions() {
        let mut random = Random::new(12);
        let mut safe = 0;
        for _ in 0..500 {
            let program = random_program(&mut random);
            let expr = random_expression(&mut random, &program, 3);
            let reads = reads_of(&program, &expr);
            let interpreter = Interpreter::new(&program);
            for _ in 0..4 {
                let state = random_state(&mut random, &program);
                let mut changed = random_state(&mut random, &program);
                for &cell in &reads {
                    changed[cell as usize] = state[cell as usize];
                }
                let value = interpreter.value(&expr, &state);
                assert_eq!(value, interpreter.value(&expr, &changed));
                if !can_fail(&program, &expr) {
                    safe += 1;
                    assert!(value.is_ok());
                }
            }
        }
        assert!(safe > 500, "{safe}");
    }

    #[test]
    fn indices_and_loops_are_exact() {
        let mut p = Program::new("t");
        let x = p.declare("x", Type::BYTE, None, None);
        let a = p.declare("a", Type::BYTE, Some(4), None);
        p.registers = 1;
        let register = || Expr::Read(Place::Register(0));
        let shift = |to: Expr| Action {
            name: "shift".into(),
            processes: vec![],
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::element(a, Expr::Constant(3)),
                // for r in 0..to { a[r] := a[r + 1] }; x := a[0]
                effect: vec![
                    Stmt::For {
                        register: 0,
                        from: Expr::Constant(0),
                        to,
                        body: vec![Stmt::Assign(
                            Place::Element(a, Box::new(register())),
                            Expr::element(
                                a,
                                Expr::binary(Binary::Add, register(), Expr::Constant(1)),
                            ),
                        )],
                    },
                    Stmt::Assign(Place::Scalar(x), Expr::element(a, Expr::Constant(0))),
                ],
            },
        };
        let exact = Footprint {
            guard: vec![4],
            reads: vec![2, 3, 4],
            may_write: vec![0, 1, 2, 3],
            must_write: vec![0, 1, 2, 3],
        };
        assert_eq!(Footprint::new(&p, &shift(Expr::Constant(3))), exact);
        let careful = Footprint {
            guard: vec![4],
            reads: vec![0, 1, 2, 3, 4],
            may_write: vec![0, 1, 2, 3, 4],
            must_write: vec![0],
        };
        assert_eq!(Footprint::new(&p, &shift(Expr::variable(x))), careful);
    }
}
