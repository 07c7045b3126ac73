//! An action as a conjunction of relations, each over as few cells as possible.
//!
//! * The guard is split at its conjunctions. A condition whose cells are all read by a part of the effect, or by
//!   another condition, joins that one: this makes rows fewer and costs nothing. If a condition can fail, all
//!   conditions stay separate and in order, since the first false one ends the evaluation.
//! * The effect is split into independent parts. Two statements belong together if they share a register, or if one
//!   reads or writes a cell that an earlier one writes. Writing a cell that an earlier statement only reads does not
//!   connect them, since each part starts from the state before the step.
//! * Priority classes and the exclusive register are conditions: each action of higher priority must be disabled.

use sempre_model::footprint::{can_fail, reads_of};
use sempre_model::ir::{Behaviour, Binary, Expr, Place, Program, Stmt, Table, VariableId};
use sempre_model::{Action, Footprint};
use std::collections::BTreeSet;

/// A conjunct of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conjunct {
    /// All conditions hold.
    Condition(Vec<Expr>),
    /// The action of higher priority is disabled.
    Disabled(HigherPriority),
    /// All conditions hold, none of which can fail, and the statements are executed.
    Effect(Vec<Expr>, Vec<Stmt>),
    /// A table of rows.
    Table(Table),
}

/// An action that, while enabled, disables others: one of a higher class, or one of the process that holds the
/// exclusive register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HigherPriority {
    /// It counts only if the register has this value; always if there is none.
    pub register: Option<(VariableId, i64)>,
    /// Its guard or table.
    pub behaviour: Behaviour,
}

/// The conjuncts of an action, one of `actions`. Conditions are in the order of their evaluation.
pub(crate) fn conjuncts(
    program: &Program,
    action: &Action,
    actions: &[(u32, Action)],
) -> Vec<Conjunct> {
    let mut result: Vec<Conjunct> = (higher_priority(program, action, actions).into_iter())
        .map(Conjunct::Disabled)
        .collect();
    let (guard, effect) = match &action.behaviour {
        Behaviour::Guarded { guard, effect } => (guard, effect),
        Behaviour::Table(table) => {
            result.push(Conjunct::Table(table.clone()));
            return result;
        }
    };
    let mut conditions = Vec::new();
    flatten(guard, &mut conditions);
    let mut parts: Vec<(Vec<Expr>, Vec<Stmt>)> = (independent_parts(program, effect).into_iter())
        .map(|part| (Vec::new(), part))
        .collect();
    if conditions.iter().any(|c| can_fail(program, c)) {
        result.extend(conditions.into_iter().map(|c| Conjunct::Condition(vec![c])));
    } else {
        let reads: Vec<BTreeSet<u32>> = (parts.iter())
            .map(|(_, part)| {
                let conjunct = Conjunct::Effect(Vec::new(), part.clone());
                footprint(program, &conjunct).reads.into_iter().collect()
            })
            .collect();
        // The widest first: narrower ones may join them.
        let mut conditions: Vec<(BTreeSet<u32>, Expr)> = (conditions.into_iter())
            .map(|c| (reads_of(program, &c).into_iter().collect(), c))
            .collect();
        conditions.sort_by_key(|(cells, _)| std::cmp::Reverse(cells.len()));
        let mut groups: Vec<(BTreeSet<u32>, Vec<Expr>)> = Vec::new();
        for (cells, condition) in conditions {
            if !cells.is_empty()
                && let Some(i) = reads.iter().position(|r| cells.is_subset(r))
            {
                parts[i].0.push(condition);
            } else if let Some(group) = groups.iter_mut().find(|g| cells.is_subset(&g.0)) {
                group.1.push(condition);
            } else {
                groups.push((cells, vec![condition]));
            }
        }
        groups.sort_by_key(|(cells, _)| cells.len());
        result.extend(groups.into_iter().map(|(_, c)| Conjunct::Condition(c)));
    }
    result.extend(parts.into_iter().map(|(c, part)| Conjunct::Effect(c, part)));
    result
}

/// The operands of a conjunction, from the left.
fn flatten(guard: &Expr, out: &mut Vec<Expr>) {
    match guard {
        Expr::Binary(Binary::And, a, b) => {
            flatten(a, out);
            flatten(b, out);
        }
        _ => out.push(guard.clone()),
    }
}

/// The actions that must be disabled for this one to be enabled.
fn higher_priority(
    program: &Program,
    action: &Action,
    actions: &[(u32, Action)],
) -> Vec<HigherPriority> {
    let mut higher_priority = Vec::new();
    for (_, other) in actions {
        let behaviour = || match &other.behaviour {
            Behaviour::Guarded { guard, .. } => Behaviour::Guarded {
                guard: guard.clone(),
                effect: Vec::new(),
            },
            table => table.clone(),
        };
        if other.class > action.class {
            higher_priority.push(HigherPriority {
                register: None,
                behaviour: behaviour(),
            });
        }
        if let Some(register) = program.exclusive
            && other.class == action.class
        {
            for p in other
                .processes
                .iter()
                .filter(|p| !action.processes.contains(p))
            {
                higher_priority.push(HigherPriority {
                    register: Some((register, i64::from(p.0) + 1)),
                    behaviour: behaviour(),
                });
            }
        }
    }
    higher_priority
}

/// The independent parts of an effect.
fn independent_parts(program: &Program, effect: &[Stmt]) -> Vec<Vec<Stmt>> {
    let statements =
        |part: &[usize]| -> Vec<Stmt> { part.iter().map(|&i| effect[i].clone()).collect() };
    // Cells that a statement touches are computed together with the statements that assign its registers.
    let registers: Vec<BTreeSet<u32>> = effect.iter().map(registers_of).collect();
    let mut parts: Vec<Vec<usize>> = (0..effect.len()).map(|i| vec![i]).collect();
    merge(&mut parts, |p, q| {
        let shared = |i: &usize, j: &usize| !registers[*i].is_disjoint(&registers[*j]);
        p.iter().any(|i| q.iter().any(|j| shared(i, j)))
    });
    loop {
        let footprints: Vec<(Vec<usize>, Footprint)> = (parts.iter())
            .map(|p| {
                let conjunct = Conjunct::Effect(Vec::new(), statements(p));
                (p.clone(), footprint(program, &conjunct))
            })
            .collect();
        let of = |p: &[usize]| footprints.iter().find(|(q, _)| q == p).map(|(_, f)| f);
        let before = parts.len();
        merge(&mut parts, |p, q| {
            let (Some(a), Some(b)) = (of(p), of(q)) else {
                // Merged in this round; compared again in the next one.
                return false;
            };
            let meet = |x: &[u32], y: &[u32]| x.iter().any(|c| y.contains(c));
            // A part that ends before the other begins does not see its writes.
            let done = |p: &[usize], q: &[usize]| p.last() < q.first();
            meet(&a.may_write, &b.may_write)
                || meet(&a.may_write, &b.reads) && !done(q, p)
                || meet(&b.may_write, &a.reads) && !done(p, q)
        });
        if parts.len() == before {
            break;
        }
    }
    parts.iter().map(|p| statements(p)).collect()
}

/// Merges parts as long as two belong together.
fn merge(parts: &mut Vec<Vec<usize>>, together: impl Fn(&[usize], &[usize]) -> bool) {
    let mut i = 0;
    while i < parts.len() {
        match (i + 1..parts.len()).find(|&j| together(&parts[i], &parts[j])) {
            Some(j) => {
                let other = parts.remove(j);
                parts[i].extend(other);
                parts[i].sort_unstable();
            }
            None => i += 1,
        }
    }
}

/// The cells that a conjunct reads and writes.
pub(crate) fn footprint(program: &Program, conjunct: &Conjunct) -> Footprint {
    let action = |guard: Expr, effect: &[Stmt]| Action {
        name: String::new(),
        processes: Vec::new(),
        class: 0,
        behaviour: Behaviour::Guarded {
            guard,
            effect: effect.to_vec(),
        },
    };
    let all = |conditions: &[Expr]| Expr::all(conditions.iter().cloned());
    let mut result = match conjunct {
        Conjunct::Condition(conditions) => Footprint::new(program, &action(all(conditions), &[])),
        Conjunct::Effect(conditions, effect) => {
            Footprint::new(program, &action(all(conditions), effect))
        }
        Conjunct::Table(table) => {
            let mut action = action(Expr::TRUE, &[]);
            action.behaviour = Behaviour::Table(table.clone());
            Footprint::new(program, &action)
        }
        Conjunct::Disabled(higher) => {
            let mut reads = match &higher.behaviour {
                Behaviour::Guarded { guard, .. } => {
                    Footprint::new(program, &action(guard.clone(), &[])).reads
                }
                Behaviour::Table(table) => table.reads.clone(),
            };
            reads.extend(higher.register.map(|(v, _)| program.variable(v).first));
            Footprint {
                reads,
                ..Footprint::default()
            }
        }
    };
    result.reads.sort_unstable();
    result.reads.dedup();
    result
}

/// The registers that a statement uses.
fn registers_of(stmt: &Stmt) -> BTreeSet<u32> {
    fn expr(e: &Expr, out: &mut BTreeSet<u32>) {
        match e {
            Expr::Constant(_) => {}
            Expr::Read(p) => place(p, out),
            Expr::Unary(_, a) => expr(a, out),
            Expr::Binary(_, a, b) => {
                expr(a, out);
                expr(b, out);
            }
            Expr::If(a, b, c) => {
                expr(a, out);
                expr(b, out);
                expr(c, out);
            }
        }
    }
    fn place(p: &Place, out: &mut BTreeSet<u32>) {
        match p {
            Place::Scalar(_) => {}
            Place::Element(_, index) => expr(index, out),
            Place::Register(r) => {
                out.insert(*r);
            }
        }
    }
    fn stmt_registers(stmt: &Stmt, out: &mut BTreeSet<u32>) {
        match stmt {
            Stmt::Assign(p, value) => {
                expr(value, out);
                place(p, out);
            }
            Stmt::If(condition, then, otherwise) => {
                expr(condition, out);
                for s in then.iter().chain(otherwise) {
                    stmt_registers(s, out);
                }
            }
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                out.insert(*register);
                expr(from, out);
                expr(to, out);
                for s in body {
                    stmt_registers(s, out);
                }
            }
            Stmt::Assert(condition, _) => expr(condition, out),
        }
    }
    let mut out = BTreeSet::new();
    stmt_registers(stmt, &mut out);
    out
}
