//! Runs of Promela models as SPIN tells them when it follows a trail with `spin -t -p`: a line for each statement, with
//! its number, the process, the file and the line.
//!
//! ```text
//!   3:   proc  1 (Server:1) handover.pml:17  [to?ask(n)]
//!   <<<<<START OF CYCLE>>>>>
//! ```
//!
//! As there, the parts of an atomic sequence have lines of their own, a rendezvous is two of them, the sender's first, and
//! a process that ends `terminates`. The number after the name of a process is its priority, which is 1.
//!
//! How ours differs: a `d_step` has one line, its first statement's; statements stand as in the file, where SPIN puts in parentheses; SPIN's numbers of places, `(state 4)`,
//! and the moves of a never claim, which it counts as steps, are left out.
//!
//! Not done: files for `spin -t` itself, whose steps are numbers that SPIN gives in the verifier it makes.

use crate::shown_run::ShownRun;
use sempre_lang::model::SourceStep;
use std::fmt::Write;

/// The lines of a run. `statements` are those of each action, as [`sempre_lang::model::Model::source_steps`] tells them, and `file` is what the model's
/// file is called.
pub fn trail(run: &ShownRun<'_>, statements: &[Vec<SourceStep>], file: &str) -> String {
    let mut text = String::new();
    let mut count = 0;
    for (i, step) in run.steps().iter().enumerate() {
        if run.start_of_cycle() == Some(i) {
            text.push_str(CYCLE);
        }
        // An action that is nobody's has no statement: it is a check.
        for told in statements.get(step.action as usize).into_iter().flatten() {
            let SourceStep {
                process,
                name,
                statement,
                places,
                ..
            } = told;
            let place = places.first();
            let line = place.map_or(0, |p| p.line);
            let file = place.and_then(|p| p.file.as_deref()).unwrap_or(file);
            count += 1;
            let _ = write!(text, "{count:>3}:\tproc {process:>2} ({name}:1) ");
            let _ = match statement.as_str() {
                "}" => writeln!(text, "terminates"),
                _ => writeln!(text, "{file}:{line}\t[{statement}]"),
            };
        }
    }
    if run.start_of_cycle() == Some(run.steps().len()) {
        text.push_str(CYCLE);
    }
    let _ = writeln!(text, "trail ends after {count} steps");
    text
}

const CYCLE: &str = "  <<<<<START OF CYCLE>>>>>\n";

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_lang::model::{Language, Model};
    use sempre_model::interpreter::Interpreter;

    /// The run that always takes the last action, so many steps of it.
    fn last(text: &str, steps: usize, cycle: Option<usize>) -> String {
        let (model, _) = Model::read(Language::Promela, "test", text).unwrap();
        let program = model.program();
        let mut run = ShownRun::new(program);
        let mut state = program.initial[0].clone();
        for i in 0..steps {
            if cycle == Some(i) {
                run.cycle();
            }
            let all = Interpreter::new(program).successors(&state);
            let Some((action, Ok(next))) = all.last() else {
                run.step(&state, None, &state);
                continue;
            };
            run.step(&state, Some(*action), next);
            state = next.clone();
        }
        trail(&run, model.source_steps().unwrap(), "test.pml")
    }

    #[test]
    fn each_part_has_a_line() {
        let text = "chan d = [0] of { bit };\nbyte x;\nactive proctype A() { d!1 }\n\
            active proctype B() {\n  atomic { x = 1;\n    x = 2 };\n  d?1 }";
        let expected = "  1:\tproc  1 (B:1) test.pml:5\t[x = 1]\n  2:\tproc  1 (B:1) test.pml:6\t[x = 2]\n  \
            3:\tproc  0 (A:1) test.pml:3\t[d!1]\n  4:\tproc  1 (B:1) test.pml:7\t[d?1]\n  \
            5:\tproc  1 (B:1) terminates\n  6:\tproc  0 (A:1) terminates\n  \
            <<<<<START OF CYCLE>>>>>\ntrail ends after 6 steps\n";
        assert_eq!(last(text, 5, Some(4)), expected);
    }

    #[test]
    fn cycles_are_marked() {
        let text = "bit x;\nactive proctype A() {\n  x = 1;\n  do\n  :: x = 1 - x\n  od }";
        let expected = "  1:\tproc  0 (A:1) test.pml:3\t[x = 1]\n  <<<<<START OF CYCLE>>>>>\n  \
            2:\tproc  0 (A:1) test.pml:5\t[x = 1 - x]\n  3:\tproc  0 (A:1) test.pml:5\t[x = 1 - x]\n\
            trail ends after 3 steps\n";
        assert_eq!(last(text, 3, Some(1)), expected);
    }

    #[test]
    fn other_languages_tell_no_statements() {
        let text = "process P { state s; init s; trans s -> s {}; } system async;";
        let (model, _) = Model::read(Language::Dve, "test", text).unwrap();
        assert_eq!(model.source_steps(), None);
    }
}
