//! Interval analysis: for each cell, bounds on the values it has in reachable states.
//!
//! Abstract interpretation with intervals (Cousot, Cousot, POPL 1977), flow-insensitive: one interval for each cell,
//! which holds in every reachable state. An action starts from the intervals as its guard narrows them, runs its
//! effect on a private copy, and the result is joined to the intervals of all. Actions whose reads have grown are
//! analysed again. Widening extends a growing interval to the next constant of the program, and finally to the bounds
//! of its type; two descending iterations then narrow the result.
//!
//! Invariant: the result is sound, every reachable state lies within. Priorities are ignored, which makes the result
//! wider, not wrong. Loops with unknown bounds set the cells that they write to the bounds of their types.
//!
//! Relations between variables are not tracked, so the analysis does not find a bounded sum (tokens of a net,
//! messages in transit); see [`crate::ranges`].

use crate::footprint::{can_fail, footprints, reads_of};
pub use crate::interval_domain::Interval;
use crate::interval_domain::{FULL, arithmetic, join, less, meet, store, truth, without};
use crate::ir::{Action, Behaviour, Binary, Expr, Place, Program, Stmt, Table, Type, Unary};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The number of times an interval may grow freely, and the number of times it may then grow from constant to
/// constant.
const FREE: u32 = 8;
const STEPS: u32 = 32;
/// Loops with more rounds are not unrolled.
const UNROLLED: i64 = 64;

/// Bounds of each cell in all reachable states.
pub fn intervals(program: &Program) -> Vec<Interval> {
    let initial = hull(program);
    let mut result = initial.clone();
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); program.cells()];
    for (action, footprint) in footprints(program).iter().enumerate() {
        for &cell in &footprint.reads {
            readers[cell as usize].push(action as u32);
        }
    }
    let thresholds = constants(program);
    let mut growth = vec![0; program.cells()];
    let mut queue: VecDeque<u32> = (0..program.actions.len() as u32).collect();
    let mut queued = vec![true; program.actions.len()];
    while let Some(a) = queue.pop_front() {
        queued[a as usize] = false;
        for (cell, new) in outcome(program, &program.actions[a as usize], &result) {
            sempre_base::checkpoint();
            let cell = cell as usize;
            let old = result[cell];
            if old.0 <= new.0 && new.1 <= old.1 {
                continue;
            }
            growth[cell] += 1;
            let ty = &program.variable(program.variable_of_cell(cell as u32)).ty;
            result[cell] = widen(old, join(old, new), ty, growth[cell], &thresholds);
            for &reader in &readers[cell] {
                if !std::mem::replace(&mut queued[reader as usize], true) {
                    queue.push_back(reader);
                }
            }
        }
    }
    for _ in 0..2 {
        let mut narrower = initial.clone();
        for action in &program.actions {
            for (cell, new) in outcome(program, action, &result) {
                let range = &mut narrower[cell as usize];
                *range = join(*range, new);
            }
        }
        result = narrower;
    }
    result
}

/// Is the expression true in all states, or false in all, given the types of the variables it reads?
///
/// `None` if neither is certain, if its evaluation can fail, or if it reads nothing. The bounds of [`Type::Range`]
/// are not used: they are an expectation of the model's author, and a step that leaves them is an error to be found.
pub fn constant_truth(program: &Program, expr: &Expr) -> Option<bool> {
    if can_fail(program, expr) || reads_of(program, expr).is_empty() {
        return None;
    }
    let types =
        (0..program.cells() as u32).map(|c| &program.variable(program.variable_of_cell(c)).ty);
    let base: Vec<Interval> = types
        .map(|ty| match ty {
            Type::Range { .. } => FULL,
            ty => ty.bounds(),
        })
        .collect();
    let frame = Frame {
        program,
        base: &base,
        local: FxHashMap::default(),
        registers: vec![(0, 0); program.registers as usize],
    };
    match frame.eval(expr)? {
        (0, 0) => Some(false),
        (min, max) => (min > 0 || max < 0).then_some(true),
    }
}

/// The values of each cell in the initial states.
fn hull(program: &Program) -> Vec<Interval> {
    let mut hull: Option<Vec<Interval>> = None;
    for state in &program.initial {
        let points = state.iter().map(|&v| (v, v));
        hull = Some(match hull {
            None => points.collect(),
            Some(hull) => hull
                .into_iter()
                .zip(points)
                .map(|(a, b)| join(a, b))
                .collect(),
        });
    }
    hull.unwrap_or_else(|| vec![(0, 0); program.cells()])
}

/// The thresholds of widening: the constants of the program and their neighbours.
fn constants(program: &Program) -> Vec<i64> {
    fn expr(e: &Expr, found: &mut BTreeSet<i64>) {
        match e {
            Expr::Constant(c) => {
                found.extend([c.saturating_sub(1), *c, c.saturating_add(1)]);
            }
            Expr::Read(Place::Element(_, index)) => expr(index, found),
            Expr::Read(_) => {}
            Expr::Unary(_, a) => expr(a, found),
            Expr::Binary(_, a, b) => {
                expr(a, found);
                expr(b, found);
            }
            Expr::If(a, b, c) => {
                expr(a, found);
                expr(b, found);
                expr(c, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    for action in &program.actions {
        // Only those of guards are limits; the values of effects are reached by the analysis itself.
        if let Behaviour::Guarded { guard, .. } = &action.behaviour {
            expr(guard, &mut found);
        }
    }
    found.into_iter().collect()
}

/// The widened interval after it has grown this many times.
fn widen(old: Interval, new: Interval, ty: &Type, growth: u32, thresholds: &[i64]) -> Interval {
    let (low, high) = ty.bounds();
    // Markings of nets have no other bound.
    if growth <= FREE && *ty != Type::Natural {
        return new;
    }
    let mut result = new;
    if new.0 < old.0 {
        let i = thresholds.partition_point(|&t| t <= new.0);
        let next = i.checked_sub(1).map(|i| thresholds[i]);
        result.0 = next.filter(|&t| t >= low && growth <= STEPS).unwrap_or(low);
    }
    if new.1 > old.1 {
        let next = thresholds.get(thresholds.partition_point(|&t| t < new.1));
        let next = next.copied().filter(|&t| t <= high && growth <= STEPS);
        result.1 = next.unwrap_or(high);
    }
    result
}

/// The values of the cells after the action, from states within the intervals.
fn outcome(program: &Program, action: &Action, base: &[Interval]) -> Vec<(u32, Interval)> {
    match &action.behaviour {
        Behaviour::Guarded { guard, effect } => {
            let mut frame = Frame {
                program,
                base,
                local: FxHashMap::default(),
                registers: vec![(0, 0); program.registers as usize],
            };
            if frame.refine(guard, true) && frame.block(effect) {
                let mut cells: Vec<_> = frame.local.into_iter().collect();
                cells.sort_unstable();
                cells
            } else {
                Vec::new()
            }
        }
        Behaviour::Table(table) => rows_outcome(program, table, base),
    }
}

fn rows_outcome(program: &Program, table: &Table, base: &[Interval]) -> Vec<(u32, Interval)> {
    let mut result: Vec<Option<Interval>> = vec![None; table.writes.len()];
    for (from, to) in &table.rows {
        let possible = table.reads.iter().zip(from).all(|(&cell, &value)| {
            let (min, max) = base[cell as usize];
            min <= value && value <= max
        });
        if !possible {
            continue;
        }
        for ((&cell, &value), result) in table.writes.iter().zip(to).zip(&mut result) {
            let ty = &program.variable(program.variable_of_cell(cell)).ty;
            if let Some(value) = ty.store(value) {
                *result = Some(join(result.unwrap_or((value, value)), (value, value)));
            }
        }
    }
    (table.writes.iter().zip(result))
        .filter_map(|(&cell, range)| Some((cell, range?)))
        .collect()
}

/// The intervals during a step. A cell that is not in `local` is as in `base`.
#[derive(Clone)]
struct Frame<'a> {
    program: &'a Program,
    base: &'a [Interval],
    local: FxHashMap<u32, Interval>,
    registers: Vec<Interval>,
}

impl Frame<'_> {
    fn get(&self, cell: u32) -> Interval {
        let local = self.local.get(&cell).copied();
        local.unwrap_or(self.base[cell as usize])
    }

    /// The first and last cell of a place, registers excluded; `None` if the index is out of range for certain.
    fn cells(&self, place: &Place) -> Option<(u32, u32)> {
        match place {
            Place::Scalar(v) => {
                let first = self.program.variable(*v).first;
                Some((first, first))
            }
            Place::Element(v, index) => {
                let v = self.program.variable(*v);
                let index = meet(self.eval(index)?, (0, i64::from(v.cells()) - 1))?;
                Some((v.first + index.0 as u32, v.first + index.1 as u32))
            }
            Place::Register(_) => None,
        }
    }

    /// The values of an expression; `None` if its evaluation fails for certain.
    fn eval(&self, expr: &Expr) -> Option<Interval> {
        Some(match expr {
            Expr::Constant(c) => (*c, *c),
            Expr::Read(Place::Register(r)) => self.registers[*r as usize],
            Expr::Read(place) => {
                let (first, last) = self.cells(place)?;
                (first..=last).map(|c| self.get(c)).reduce(join)?
            }
            Expr::Unary(op, a) => {
                let (min, max) = self.eval(a)?;
                match op {
                    Unary::Negate => match (min.checked_neg(), max.checked_neg()) {
                        (Some(a), Some(b)) => (b, a),
                        _ => FULL,
                    },
                    Unary::Not => truth(min > 0 || max < 0, (min, max) == (0, 0)),
                    Unary::Complement => (!max, !min),
                }
            }
            Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                let a = self.eval(a)?;
                // Both connectives have the form "if a has this value, the result is this, else the truth of b".
                let (decided, result) = match op {
                    Binary::And => (false, 0),
                    Binary::Or => (true, 1),
                    _ => (false, 1),
                };
                let decides = |nonzero: bool| nonzero == decided;
                let (can_true, can_false) = (a != (0, 0), a.0 <= 0 && a.1 >= 0);
                let short = can_true && decides(true) || can_false && decides(false);
                let long = can_true && !decides(true) || can_false && !decides(false);
                let short = short.then_some((result, result));
                let long = if long { self.eval(b) } else { None };
                let long = long.map(|(min, max)| truth((min, max) == (0, 0), min > 0 || max < 0));
                match (short, long) {
                    (Some(a), Some(b)) => join(a, b),
                    (a, b) => a.or(b)?,
                }
            }
            Expr::Binary(op, a, b) => arithmetic(*op, self.eval(a)?, self.eval(b)?)?,
            Expr::If(condition, then, otherwise) => {
                let c = self.eval(condition)?;
                let then = (c != (0, 0)).then(|| self.eval(then)).flatten();
                let otherwise = (c.0 <= 0 && c.1 >= 0)
                    .then(|| self.eval(otherwise))
                    .flatten();
                match (then, otherwise) {
                    (Some(a), Some(b)) => join(a, b),
                    (a, b) => a.or(b)?,
                }
            }
        })
    }

    /// Narrows the intervals to states in which the expression is true, or false; false if there are none.
    fn refine(&mut self, expr: &Expr, wanted: bool) -> bool {
        match expr {
            Expr::Unary(Unary::Not, a) => self.refine(a, !wanted),
            Expr::Binary(Binary::And, a, b) if wanted => {
                self.refine(a, true) && self.refine(b, true)
            }
            Expr::Binary(Binary::Or, a, b) if !wanted => {
                self.refine(a, false) && self.refine(b, false)
            }
            Expr::Binary(Binary::Implies, a, b) if !wanted => {
                self.refine(a, true) && self.refine(b, false)
            }
            Expr::Binary(op @ (Binary::And | Binary::Or | Binary::Implies), a, b) => {
                let mut other = self.clone();
                let one = self.refine(a, *op == Binary::Or);
                let two = other.refine(b, *op != Binary::And);
                self.merge(one, other, two)
            }
            Expr::Binary(op, a, b) if op.negated().is_some() => {
                let op = if wanted {
                    *op
                } else {
                    op.negated().unwrap_or(*op)
                };
                self.refine_comparison(op, a, b)
            }
            Expr::Read(_) => {
                let op = if wanted {
                    Binary::NotEqual
                } else {
                    Binary::Equal
                };
                self.refine_comparison(op, expr, &Expr::Constant(0))
            }
            _ => self.eval(expr).is_some_and(|(min, max)| {
                if wanted {
                    (min, max) != (0, 0)
                } else {
                    min <= 0 && max >= 0
                }
            }),
        }
    }

    fn refine_comparison(&mut self, op: Binary, a: &Expr, b: &Expr) -> bool {
        let (Some(x), Some(y)) = (self.eval(a), self.eval(b)) else {
            return false;
        };
        let narrowed = match op {
            Binary::Equal => meet(x, y).map(|m| (m, m)),
            Binary::NotEqual => without(x, y).zip(without(y, x)),
            Binary::Less => less(x, y, 1),
            Binary::LessEqual => less(x, y, 0),
            Binary::Greater => less(y, x, 1).map(|(y, x)| (x, y)),
            _ => less(y, x, 0).map(|(y, x)| (x, y)),
        };
        let Some((x, y)) = narrowed else { return false };
        self.narrow(a, x) && self.narrow(b, y)
    }

    /// Restricts the expression to the interval.
    fn narrow(&mut self, expr: &Expr, range: Interval) -> bool {
        match expr {
            Expr::Read(Place::Register(r)) => {
                let register = &mut self.registers[*r as usize];
                meet(*register, range).map(|m| *register = m).is_some()
            }
            Expr::Read(place) => match self.cells(place) {
                None => false,
                Some((first, last)) if first == last => meet(self.get(first), range)
                    .map(|m| self.local.insert(first, m))
                    .is_some(),
                Some(_) => true,
            },
            // `x + c`, unless the sum can wrap.
            Expr::Binary(op @ (Binary::Add | Binary::Subtract), a, b) => {
                let Expr::Constant(c) = **b else { return true };
                let back = if *op == Binary::Add {
                    c.checked_neg()
                } else {
                    Some(c)
                };
                let shifted = back.and_then(|c| {
                    (self.eval(expr)? != FULL)
                        .then_some((range.0.checked_add(c)?, range.1.checked_add(c)?))
                });
                shifted.is_none_or(|range| self.narrow(a, range))
            }
            _ => true,
        }
    }

    /// The union with another frame, each of them only if it is possible.
    fn merge(&mut self, mine: bool, other: Self, others: bool) -> bool {
        match (mine, others) {
            (_, false) => mine,
            (false, true) => {
                *self = other;
                true
            }
            (true, true) => {
                let cells: BTreeSet<u32> = (self.local.keys().chain(other.local.keys()))
                    .copied()
                    .collect();
                for cell in cells {
                    let joined = join(self.get(cell), other.get(cell));
                    self.local.insert(cell, joined);
                }
                for (mine, theirs) in self.registers.iter_mut().zip(other.registers) {
                    *mine = join(*mine, theirs);
                }
                true
            }
        }
    }

    /// Runs a block; false if it fails for certain.
    fn block(&mut self, block: &[Stmt]) -> bool {
        block.iter().all(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Assign(place, value) => self.assign(place, value).is_some(),
            Stmt::Assert(condition, _) => self.refine(condition, true),
            Stmt::If(condition, then, otherwise) => {
                let mut other = self.clone();
                let one = self.refine(condition, true) && self.block(then);
                let two = other.refine(condition, false) && other.block(otherwise);
                self.merge(one, other, two)
            }
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                let (Some(from), Some(to)) = (self.eval(from), self.eval(to)) else {
                    return false;
                };
                if from.0 == from.1 && to.0 == to.1 && to.0.saturating_sub(from.0) <= UNROLLED {
                    return (from.0..to.0).all(|i| {
                        self.registers[*register as usize] = (i, i);
                        self.block(body)
                    });
                }
                self.registers[*register as usize] = FULL;
                self.drop_values(body);
                true
            }
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> Option<()> {
        let value = self.eval(value)?;
        let variable = match place {
            Place::Register(r) => {
                self.registers[*r as usize] = value;
                return Some(());
            }
            Place::Scalar(v) | Place::Element(v, _) => self.program.variable(*v),
        };
        let (first, last) = self.cells(place)?;
        let stored = store(&variable.ty, value)?;
        for cell in first..=last {
            let new = if first == last {
                stored
            } else {
                join(self.get(cell), stored)
            };
            self.local.insert(cell, new);
        }
        Some(())
    }

    /// Drops the values that a loop may write.
    fn drop_values(&mut self, body: &[Stmt]) {
        Stmt::each_assigned(body, &mut |place| match place {
            Place::Register(r) => self.registers[*r as usize] = FULL,
            Place::Scalar(v) | Place::Element(v, _) => {
                let v = self.program.variable(*v);
                for cell in v.first..v.first + v.cells() {
                    self.local.insert(cell, v.ty.bounds());
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Interpreter;
    use crate::ir::ProcessId;
    use crate::random_program::{random_expression, random_program, random_state};
    use sempre_base::Random;
    use std::collections::HashSet;

    #[test]
    fn constant_truths_are_constant() {
        let mut random = Random::new(22);
        let (mut known, mut unknown) = (0, 0);
        for _ in 0..3000 {
            let p = random_program(&mut random);
            let e = random_expression(&mut random, &p, 3);
            let Some(truth) = constant_truth(&p, &e) else {
                unknown += 1;
                continue;
            };
            known += 1;
            for _ in 0..20 {
                let state = random_state(&mut random, &p);
                let value = Interpreter::new(&p).value(&e, &state).unwrap();
                assert_eq!(value != 0, truth, "{e:?} {p:?}");
            }
        }
        assert!(known > 100 && unknown > 100, "{known} {unknown}");
    }

    #[test]
    fn reachable_states_lie_within() {
        let mut random = Random::new(21);
        let (mut checked, mut proper) = (0, 0);
        for _ in 0..600 {
            let p = random_program(&mut random);
            let ranges = intervals(&p);
            for (cell, range) in ranges.iter().enumerate() {
                let bounds = p.variable(p.variable_of_cell(cell as u32)).ty.bounds();
                proper += usize::from(*range != bounds);
            }
            let interpreter = Interpreter::new(&p);
            let mut queue: VecDeque<Vec<i64>> = p.initial.iter().cloned().collect();
            let mut seen: HashSet<Vec<i64>> = p.initial.iter().cloned().collect();
            while let Some(state) = queue.pop_front() {
                for (cell, (&v, &(min, max))) in state.iter().zip(&ranges).enumerate() {
                    assert!(min <= v && v <= max, "cell {cell} = {v}: {p:?}");
                    checked += 1;
                }
                for (_, next) in interpreter.successors(&state) {
                    if let Ok(next) = next
                        && seen.len() < 300
                        && seen.insert(next.clone())
                    {
                        queue.push_back(next);
                    }
                }
            }
        }
        assert!(checked > 50_000 && proper > 500, "{checked} {proper}");
    }

    #[test]
    fn expressions_lie_within() {
        let mut random = Random::new(22);
        for _ in 0..4000 {
            let p = random_program(&mut random);
            let expr = random_expression(&mut random, &p, 3);
            let states: Vec<_> = (0..5).map(|_| random_state(&mut random, &p)).collect();
            let base: Vec<Interval> = (0..p.cells())
                .map(|c| states.iter().map(|s| (s[c], s[c])).reduce(join).unwrap())
                .collect();
            let frame = Frame {
                program: &p,
                base: &base,
                local: FxHashMap::default(),
                registers: vec![(0, 0); p.registers as usize],
            };
            let range = frame.eval(&expr);
            for state in &states {
                let Ok(value) = Interpreter::new(&p).value(&expr, state) else {
                    continue;
                };
                let (min, max) = range.expect("it has a value");
                assert!(
                    min <= value && value <= max,
                    "{value} not in {range:?}: {expr:?}"
                );
                let mut refined = frame.clone();
                assert!(refined.refine(&expr, value != 0));
                for (cell, &v) in state.iter().enumerate() {
                    let (min, max) = refined.get(cell as u32);
                    assert!(
                        min <= v && v <= max,
                        "cell {cell} = {v}: {expr:?} is {value}"
                    );
                }
            }
        }
    }

    /// One process that counts while `guard(x)`, and then sets `x` to `to`.
    fn counter(ty: Type, guard: impl Fn(Expr) -> Expr, by: i64) -> Interval {
        let mut p = Program::new("t");
        let x = p.declare("x", ty, None, None);
        p.actions = vec![Action {
            name: "count".into(),
            processes: vec![ProcessId(0)],
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: guard(Expr::variable(x)),
                effect: vec![Stmt::Assign(
                    Place::Scalar(x),
                    Expr::binary(Binary::Add, Expr::variable(x), Expr::Constant(by)),
                )],
            },
        }];
        p.initial = vec![vec![0]];
        intervals(&p)[0]
    }

    #[test]
    fn guards_bound_counters() {
        let c = Expr::Constant;
        let less = |limit| move |x| Expr::binary(Binary::Less, x, c(limit));
        assert_eq!(counter(Type::BYTE, less(5), 1), (0, 5));
        assert_eq!(counter(Type::BYTE, less(100), 1), (0, 100));
        assert_eq!(counter(Type::INT, less(1000), 3), (0, 1002));
        let above = |x| Expr::binary(Binary::GreaterEqual, x, c(-500));
        assert_eq!(counter(Type::INT, above, -1), (-501, 0));
        let sum = |x| {
            let sum = Expr::binary(Binary::Add, x, c(2));
            Expr::binary(Binary::LessEqual, sum, c(40))
        };
        assert_eq!(counter(Type::SHORT, sum, 1), (0, 39));
        assert_eq!(counter(Type::BYTE, |_| Expr::TRUE, 1), (0, 255));
        assert_eq!(counter(Type::Natural, |_| Expr::TRUE, 1), (0, i64::MAX));
        assert_eq!(counter(Type::INT, |_| Expr::FALSE, 1), (0, 0));
    }
}
