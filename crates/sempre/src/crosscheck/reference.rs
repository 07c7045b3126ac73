//! The slow and obvious check: the model as an ω-automaton, state by state as the interpreter tells them, its product with the
//! automaton of the negation, and the emptiness check of automata. It shares nothing with the engines but the translation of the
//! formula, which has tests of its own.

use super::case::Case;
use crate::check::{Claim, Fairness};
use sempre_explicit::product::Deadlock;
use sempre_model::{Expr, Interpreter, Program};
use sempre_omega::{Acceptance, Alphabet, Automaton, Letter, Mark, emptiness, product::product};
use sempre_translate::translator::{Options, Translator};
use std::collections::HashMap;

/// Does the property, a formula, hold? `None` if the model has more states than these, or something fails.
pub fn reference(case: &Case, most_states: usize) -> Option<bool> {
    let Claim::Formula(formulas, f) = &case.property.claim else {
        return None;
    };
    if case.fairness == Fairness::WeakTransitions {
        return None;
    }
    let mut formulas = formulas.clone();
    let mut alphabet = Alphabet::new();
    let names = 0..case.property.propositions.len();
    let variables: Vec<u32> = names.map(|p| alphabet.declare(formulas.name(p))).collect();
    let propositions = case.property.propositions.iter();
    let meanings: Vec<&Expr> = propositions.map(|p| &p.meaning).collect();
    let fair = case.fairness == Fairness::Weak;
    let model = automaton(
        &mut alphabet,
        &variables,
        &case.program,
        &meanings,
        (case.deadlock, fair),
        most_states,
    )?;
    let not = formulas.not(*f);
    let mut translator = Translator::new();
    let violations = translator.translate(&mut formulas, &mut alphabet, not, Options::default());
    Some(emptiness::is_empty(&product(
        &mut alphabet.bdds,
        &model,
        &violations,
    )))
}

/// States and steps as the interpreter tells them: for each state its letter, and its edges with their marks, those
/// of processes after those of the model. `None` if there are too many, or something fails.
pub fn automaton(
    alphabet: &mut Alphabet,
    variables: &[u32],
    program: &Program,
    meanings: &[&Expr],
    (deadlock, fair): (Deadlock, bool),
    most_states: usize,
) -> Option<Automaton> {
    let processes = if fair {
        program.processes.len() as u32
    } else {
        0
    };
    let sets = program.marks + processes;
    let mut a = Automaton::new(
        variables.to_vec(),
        sets,
        Acceptance::generalized_buchi(sets),
    );
    let interpreter = Interpreter::new(program);
    let mut number: HashMap<Vec<i64>, u32> = HashMap::new();
    let mut todo = Vec::new();
    for state in &program.initial {
        let next = number.len() as u32;
        if !number.contains_key(state) {
            number.insert(state.clone(), next);
            todo.push(state.clone());
            a.add_state();
            a.initial.push(next);
        }
    }
    while let Some(state) = todo.pop() {
        if number.len() > most_states || !interpreter.failed_assertions(&state).is_empty() {
            return None;
        }
        let from = number[&state];
        let mut letter = Vec::new();
        for (v, meaning) in variables.iter().zip(meanings) {
            if interpreter.holds(meaning, &state).ok()? {
                letter.push(*v);
            }
        }
        let label = Letter::from_iter(letter).to_label(&mut alphabet.bdds, variables);
        let steps = interpreter.steps(&state);
        let of = |action: u32| {
            program.actions[action as usize]
                .processes
                .iter()
                .map(|p| p.0)
        };
        let enabled: Vec<u32> = steps.iter().flat_map(|(s, _)| of(s.action)).collect();
        for (step, next) in &steps {
            let next = next.clone().ok()?;
            let fresh = number.len() as u32;
            let to = *number.entry(next.clone()).or_insert(fresh);
            if to == fresh {
                a.add_state();
                todo.push(next);
            }
            let own = (0..program.marks).filter(|m| step.marks >> m & 1 == 1);
            let moved: Vec<u32> = of(step.action).collect();
            let fairly = (0..processes).filter(|p| moved.contains(p) || !enabled.contains(p));
            let mark: Mark = own.chain(fairly.map(|p| program.marks + p)).collect();
            a.add_edge(from, to, label, mark);
        }
        if steps.is_empty() && deadlock == Deadlock::Stutter {
            a.add_edge(from, from, label, (0..sets).collect());
        }
    }
    Some(a)
}
