//! A smaller case that still shows a disagreement.
//!
//! Greedy: of the cases next to the current one, those that drop most first, the first that still shows it becomes the current one, until
//! none does. What is tried:
//! * without an action, or all actions of a process, an initial state, an assertion, the exclusive register, fairness, marks;
//! * without a variable: its value at the beginning stands where it is read, and what writes it is gone;
//! * an action without its guard, a part of its guard, a statement, its class;
//! * a smaller formula ([`shrink_steps`]); a proposition that is a constant.
//!
//! Every candidate is smaller than the case (fewer actions, variables, statements, operators), so this ends.

use super::case::Case;
use crate::check::{Claim, Fairness};
use sempre_ltl::shrink::shrink_steps;
use sempre_model::ir::{Behaviour, Table, VariableId};
use sempre_model::{Binary, Expr, Place, Program, Stmt};

/// Cases tried at most.
const MOST_TRIES: usize = 5000;

/// The smallest case that was found for which `fails` is still true.
pub fn shrink(case: &Case, fails: &dyn Fn(&Case) -> bool) -> Case {
    let mut current = case.clone();
    let mut tries = 0;
    'smaller: loop {
        for candidate in candidates(&current) {
            tries += 1;
            if tries > MOST_TRIES {
                break 'smaller;
            }
            if fails(&candidate) {
                current = candidate;
                continue 'smaller;
            }
        }
        break;
    }
    current
}

/// The cases next to this one.
fn candidates(case: &Case) -> Vec<Case> {
    let program = &case.program;
    let mut out: Vec<Case> = Vec::new();
    let mut with = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        out.push(smaller);
    };
    for p in 0..program.processes.len() as u32 {
        let moves = |a: &sempre_model::Action| a.processes.iter().any(|q| q.0 == p);
        if program.actions.iter().any(moves) {
            with(&|c| c.program.actions.retain(|a| !moves(a)));
        }
    }
    for a in 0..program.actions.len() {
        with(&|c| {
            c.program.actions.remove(a);
        });
    }
    if program.initial.len() > 1 {
        for i in 0..program.initial.len() {
            with(&|c| {
                c.program.initial.remove(i);
            });
        }
    }
    if case.fairness != Fairness::None {
        with(&|c| c.fairness = Fairness::None);
    }
    if program.exclusive.is_some() {
        with(&|c| c.program.exclusive = None);
    }
    for i in 0..program.assertions.len() {
        with(&|c| {
            c.program.assertions.remove(i);
        });
    }
    if program.marks > 0 {
        with(&|c| {
            c.program.marks = 0;
            for action in &mut c.program.actions {
                if let Behaviour::Table(table) = &mut action.behaviour {
                    table.marks.clear();
                }
            }
        });
    }
    for v in 0..program.variables.len() as u32 {
        if let Some(smaller) = without_variable(case, VariableId(v)) {
            out.push(smaller);
        }
    }
    out.extend(formulas(case));
    for (i, p) in case.property.propositions.iter().enumerate() {
        if matches!(p.meaning, Expr::Constant(0 | 1)) {
            continue;
        }
        for value in [0, 1] {
            let mut smaller = case.clone();
            smaller.property.propositions[i].meaning = Expr::Constant(value);
            out.push(smaller);
        }
        for part in parts(&p.meaning) {
            let mut smaller = case.clone();
            smaller.property.propositions[i].meaning = part;
            out.push(smaller);
        }
    }
    for (a, action) in program.actions.iter().enumerate() {
        let mut behaviours = Vec::new();
        match &action.behaviour {
            Behaviour::Guarded { guard, effect } => {
                let of = |guard: Expr, effect: Vec<Stmt>| Behaviour::Guarded { guard, effect };
                if *guard != Expr::TRUE {
                    behaviours.push(of(Expr::TRUE, effect.clone()));
                    let simpler = parts(guard).into_iter();
                    behaviours.extend(simpler.map(|g| of(g, effect.clone())));
                }
                for (i, statement) in effect.iter().enumerate() {
                    let mut fewer = effect.clone();
                    fewer.remove(i);
                    behaviours.push(of(guard.clone(), fewer));
                    let blocks: Vec<&Vec<Stmt>> = match statement {
                        Stmt::If(_, yes, no) => vec![yes, no],
                        Stmt::For { body, .. } => vec![body],
                        Stmt::Assign(..) | Stmt::Assert(..) => Vec::new(),
                    };
                    for block in blocks {
                        let mut plain = effect.clone();
                        plain.splice(i..=i, block.iter().cloned());
                        behaviours.push(of(guard.clone(), plain));
                    }
                    if let Stmt::Assign(place, value) = statement {
                        for simpler in parts(value) {
                            let mut plain = effect.clone();
                            plain[i] = Stmt::Assign(place.clone(), simpler);
                            behaviours.push(of(guard.clone(), plain));
                        }
                    }
                }
            }
            Behaviour::Table(table) => {
                for row in 0..table.rows.len() {
                    let mut fewer = table.clone();
                    fewer.rows.remove(row);
                    if row < fewer.marks.len() {
                        fewer.marks.remove(row);
                    }
                    behaviours.push(Behaviour::Table(fewer));
                }
            }
        }
        for behaviour in behaviours {
            let mut smaller = case.clone();
            smaller.program.actions[a].behaviour = behaviour;
            out.push(smaller);
        }
        if action.class != 0 {
            let mut smaller = case.clone();
            smaller.program.actions[a].class = 0;
            out.push(smaller);
        }
    }
    out
}

/// Operands of an expression that could stand for it, and a constant.
fn parts(e: &Expr) -> Vec<Expr> {
    match e {
        Expr::Constant(_) => Vec::new(),
        Expr::Read(_) => vec![Expr::Constant(0)],
        Expr::Unary(_, a) => vec![(**a).clone()],
        Expr::Binary(op, a, b) => {
            let mut all = vec![(**a).clone(), (**b).clone()];
            // Inside of one side, too: guards are long conjunctions.
            if matches!(op, Binary::And | Binary::Or) {
                let left = parts(a).into_iter();
                all.extend(left.map(|a| Expr::binary(*op, a, (**b).clone())));
            }
            all
        }
        Expr::If(_, a, b) => vec![(**a).clone(), (**b).clone()],
    }
}

/// The case with each of the next smaller formulas.
fn formulas(case: &Case) -> Vec<Case> {
    let Claim::Formula(arena, f) = &case.property.claim else {
        return Vec::new();
    };
    let mut arena = arena.clone();
    let smaller = shrink_steps(&mut arena, *f);
    let with = |g| {
        let mut next = case.clone();
        next.property.claim = Claim::Formula(arena.clone(), g);
        next
    };
    smaller.into_iter().map(with).collect()
}

/// The case without a scalar variable that has one value at the beginning, and is no register or location of a process
/// that anything refers to by number.
fn without_variable(case: &Case, v: VariableId) -> Option<Case> {
    let program = &case.program;
    let variable = program.variable(v);
    if variable.length.is_some() || program.exclusive == Some(v) || program.atomic == Some(v) {
        return None;
    }
    let cell = variable.first;
    let value = program.initial.first()?[cell as usize];
    if program.initial.iter().any(|s| s[cell as usize] != value) {
        return None;
    }
    let gone = Gone { v, cell, value };
    let mut smaller = case.clone();
    let p = &mut smaller.program;
    for action in &mut p.actions {
        match &mut action.behaviour {
            Behaviour::Guarded { guard, effect } => {
                gone.expression(guard);
                gone.block(effect);
            }
            Behaviour::Table(table) => gone.table(table)?,
        }
    }
    for (e, _) in &mut p.assertions {
        gone.expression(e);
    }
    if let Some(e) = &mut p.accepting {
        gone.expression(e);
    }
    for proposition in &mut smaller.property.propositions {
        gone.expression(&mut proposition.meaning);
    }
    remove(p, &gone);
    Some(smaller)
}

/// A variable that is to vanish.
struct Gone {
    v: VariableId,
    cell: u32,
    value: i64,
}

impl Gone {
    /// The number of another variable without this one.
    fn renumbered(&self, v: VariableId) -> VariableId {
        VariableId(v.0 - u32::from(v.0 > self.v.0))
    }

    fn place(&self, place: &mut Place) {
        match place {
            Place::Scalar(v) => *v = self.renumbered(*v),
            Place::Element(v, index) => {
                *v = self.renumbered(*v);
                self.expression(index);
            }
            Place::Register(_) => {}
        }
    }

    fn expression(&self, e: &mut Expr) {
        match e {
            Expr::Constant(_) => {}
            Expr::Read(Place::Scalar(v)) if *v == self.v => *e = Expr::Constant(self.value),
            Expr::Read(place) => self.place(place),
            Expr::Unary(_, a) => self.expression(a),
            Expr::Binary(_, a, b) => {
                self.expression(a);
                self.expression(b);
            }
            Expr::If(c, a, b) => {
                self.expression(c);
                self.expression(a);
                self.expression(b);
            }
        }
    }

    fn block(&self, block: &mut Vec<Stmt>) {
        block.retain(|s| !matches!(s, Stmt::Assign(Place::Scalar(v), _) if *v == self.v));
        for statement in block {
            match statement {
                Stmt::Assign(place, value) => {
                    self.place(place);
                    self.expression(value);
                }
                Stmt::If(c, yes, no) => {
                    self.expression(c);
                    self.block(yes);
                    self.block(no);
                }
                Stmt::For { from, to, body, .. } => {
                    self.expression(from);
                    self.expression(to);
                    self.block(body);
                }
                Stmt::Assert(e, _) => self.expression(e),
            }
        }
    }

    /// Rows that need another value are left out.
    fn table(&self, table: &mut Table) -> Option<()> {
        if table.writes.contains(&self.cell) {
            return None;
        }
        if let Some(i) = table.reads.iter().position(|&c| c == self.cell) {
            if !table.marks.is_empty() {
                return None;
            }
            table.reads.remove(i);
            table.rows.retain(|(from, _)| from[i] == self.value);
            for (from, _) in &mut table.rows {
                from.remove(i);
            }
            table.rows.sort();
        }
        for cell in table.reads.iter_mut().chain(&mut table.writes) {
            *cell -= u32::from(*cell > self.cell);
        }
        Some(())
    }
}

/// Takes the variable out, which nothing mentions any more.
fn remove(p: &mut Program, gone: &Gone) {
    p.variables.remove(gone.v.0 as usize);
    for variable in &mut p.variables {
        variable.first -= u32::from(variable.first > gone.cell);
    }
    for state in &mut p.initial {
        state.remove(gone.cell as usize);
    }
    for process in &mut p.processes {
        process.location = match process.location {
            Some(v) if v == gone.v => None,
            Some(v) => Some(gone.renumbered(v)),
            None => None,
        };
    }
    for register in [&mut p.exclusive, &mut p.atomic] {
        *register = register.map(|v| gone.renumbered(v));
    }
}
