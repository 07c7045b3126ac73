//! Which processes the atomic register may name, and their actions.

use sempre_model::ir::{Behaviour, Expr, Place, Program, Stmt, VariableId};

/// For each process, the actions that it may perform while the atomic register names it, or `None` if the register
/// never names it. The result is `None` if the actions of other processes matter.
pub(crate) fn holders(program: &Program) -> Option<Vec<Option<Vec<u32>>>> {
    let register = program.atomic?;
    if program.exclusive.is_some() || program.actions.iter().any(|a| a.class > 0) {
        return None;
    }
    let mut stored = Some(Vec::new());
    for action in &program.actions {
        match &action.behaviour {
            Behaviour::Guarded { effect, .. } => values(effect, register, &mut stored),
            Behaviour::Table(_) => return None,
        }
    }
    let own = |process: usize| {
        let holder = process as i64 + 1;
        let is_stored = stored.as_ref().is_none_or(|all| all.contains(&holder));
        is_stored.then(|| {
            let actions = program.actions.iter().enumerate();
            let own = actions.filter(|(_, a)| a.is_of_holder(holder));
            own.map(|(i, _)| i as u32).collect()
        })
    };
    Some((0..program.processes.len()).map(own).collect())
}

/// Adds the values that a block may store in a variable. Sets the list to `None` if a value is not a constant.
fn values(block: &[Stmt], variable: VariableId, all: &mut Option<Vec<i64>>) {
    for stmt in block {
        match stmt {
            Stmt::Assign(Place::Scalar(v) | Place::Element(v, _), value) if *v == variable => {
                match (value, &mut *all) {
                    (Expr::Constant(c), Some(list)) => list.push(*c),
                    _ => *all = None,
                }
            }
            Stmt::If(_, then, otherwise) => {
                values(then, variable, all);
                values(otherwise, variable, all);
            }
            Stmt::For { body, .. } => values(body, variable, all),
            Stmt::Assign(..) | Stmt::Assert(..) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::ir::{Action, ProcessId, Type};

    fn program(values: &[Expr], class: i8) -> Program {
        let mut p = Program::new("t");
        p.declare_process("P", &[]);
        p.declare_process("Q", &[]);
        let register = p.declare("atomic", Type::BYTE, None, None);
        p.atomic = Some(register);
        for (i, value) in values.iter().enumerate() {
            p.actions.push(Action {
                name: String::new(),
                processes: vec![ProcessId(i as u32 % 2)],
                class: if i == 0 { class } else { 0 },
                behaviour: Behaviour::Guarded {
                    guard: Expr::TRUE,
                    effect: vec![Stmt::Assign(Place::Scalar(register), value.clone())],
                },
            });
        }
        p
    }

    #[test]
    fn only_processes_that_may_hold_the_register_go_on_alone() {
        let [zero, one] = [0, 1].map(Expr::Constant);
        let computed = Expr::variable(VariableId(0));
        let of = |values: &[&Expr], class: i8| {
            let values: Vec<Expr> = values.iter().map(|&v| v.clone()).collect();
            holders(&program(&values, class))
        };
        let p_holds = vec![Some(vec![0, 2]), None];
        assert_eq!(of(&[&zero, &zero, &one], 0), Some(p_holds));
        let timeout_is_no_own_step = vec![Some(vec![2]), None];
        assert_eq!(of(&[&zero, &zero, &one], -1), Some(timeout_is_no_own_step));
        let any_process = vec![Some(vec![0, 2]), Some(vec![1])];
        assert_eq!(of(&[&one, &computed, &zero], 0), Some(any_process));
        assert_eq!(of(&[&one, &zero], 1), None);
        let mut exclusive = program(&[zero, one], 0);
        exclusive.exclusive = exclusive.atomic;
        assert_eq!(holders(&exclusive), None);
    }
}
