//! Which lines of a model's text a run executes.
//!
//! Promela tells the lines of statements, and names of DVE's actions end with those of their transitions. A graph executes the line
//! of the state that is left, an ETF model the row that has the step. Petri nets have no text to be read
//! beside a run.
//!
//! Cost: linear in the text and the run; for ETF, rows times different steps, and nothing is found if that is more than [`MOST_PAIRS`].

use crate::model::SourceStep;
use sempre_model::Program;

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunStep<'a> {
    /// The action.
    pub action: u32,
    /// The state before it.
    pub before: &'a [i64],
    /// The state after it.
    pub after: &'a [i64],
}

/// For ETF, the most pairs of a row and a step that are compared.
pub(crate) const MOST_PAIRS: usize = 50_000_000;

/// The lines of statements.
pub(crate) fn of_statements(
    statements: &[Vec<SourceStep>],
    steps: &[RunStep<'_>],
) -> Vec<Vec<usize>> {
    let lines = |step: &RunStep<'_>| {
        let found = statements.get(step.action as usize).into_iter().flatten();
        let mut lines = Vec::new();
        // Where it is written and where it is called, but in other files.
        for place in found.flat_map(|s| &s.places).filter(|p| p.file.is_none()) {
            if !lines.contains(&place.line) {
                lines.push(place.line);
            }
        }
        lines
    };
    steps.iter().map(lines).collect()
}

/// The lines that names of actions end with: `P: a -> b (c!, line 3)`, `… (lines 3 and 4)`, `… (lines 3, 4)`.
pub(crate) fn of_names(program: &Program, steps: &[RunStep<'_>]) -> Vec<Vec<usize>> {
    let lines = |step: &RunStep<'_>| {
        let name = program.actions.get(step.action as usize).map(|a| &a.name);
        let inside = name.and_then(|name| name.rsplit_once('('));
        let numbers = inside.and_then(|(_, inside)| inside.rsplit_once("line"));
        let words = numbers.map_or("", |(_, numbers)| numbers);
        let words = words.split(|c: char| !c.is_ascii_digit());
        words.filter_map(|n| n.parse().ok()).collect()
    };
    steps.iter().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Language, Model};
    use sempre_model::ir::Behaviour;

    /// The lines of the steps that lead from a state to another.
    fn lines(language: Language, text: &str, steps: &[(u32, &[i64], &[i64])]) -> Vec<Vec<usize>> {
        let (model, _) = Model::read(language, "m", text).expect("a model");
        let steps: Vec<RunStep<'_>> = (steps.iter())
            .map(|&(action, before, after)| RunStep {
                action,
                before,
                after,
            })
            .collect();
        model.lines(text, &steps).expect("no net")
    }

    #[test]
    fn transitions_of_dve() {
        let text = "channel c;\nprocess P { state a, b; init a; trans\na -> b { sync c!; },\nb -> a {}; }\n\
                    process Q { state x; init x; trans\nx -> x { sync c?; }; }\nsystem async;\n";
        let (model, errors) = match Model::read(Language::Dve, "m", text) {
            Ok((model, _)) => (Some(model), Vec::new()),
            Err(errors) => (None, errors),
        };
        let Some(model) = model else {
            panic!("{errors:?}");
        };
        let all: Vec<RunStep<'_>> = (0..model.program().actions.len() as u32)
            .map(|action| RunStep {
                action,
                before: &[],
                after: &[],
            })
            .collect();
        let mut found = model.lines(text, &all).expect("no net");
        found.sort();
        assert_eq!(found, [vec![3, 6], vec![4]]);
    }

    #[test]
    fn statements_of_promela() {
        let text = "byte x;\nactive proctype P() {\n  x = 1;\n  x = 2\n}\n";
        let (model, _) = Model::read(Language::Promela, "m", text).expect("a model");
        let all: Vec<RunStep<'_>> = (0..model.program().actions.len() as u32)
            .map(|action| RunStep {
                action,
                before: &[],
                after: &[],
            })
            .collect();
        let mut found = model.lines(text, &all).expect("no net");
        found.sort();
        assert!(
            found.contains(&vec![3]) && found.contains(&vec![4]),
            "{found:?}"
        );
    }

    #[test]
    fn states_of_graphs() {
        let text = "graph g\n# a: is not described here\n\na: p -> b\n\"b\": -> a\n";
        let steps: [(u32, &[i64], &[i64]); 2] = [(0, &[0], &[1]), (0, &[1], &[0])];
        assert_eq!(lines(Language::Graph, text, &steps), [[4], [5]]);
    }

    #[test]
    fn rows_of_etf() {
        let text = "begin state\nx:n y:s\nend state\nbegin edge\nact:a\nend edge\nbegin init\n0 0\nend init\n\
                    begin trans\n0/1 * 0\n1/0 0/1 0\n1/0 0/1 1\nend trans\nbegin sort a\n\"up\"\n\"down\"\nend sort\n\
                    begin sort s\n7\n9\nend sort\n";
        let (model, _) = Model::read(Language::Etf, "m", text).expect("a model");
        let action = |name: &str| {
            let found = model.program().actions.iter().position(|a| {
                a.name == name && matches!(&a.behaviour, Behaviour::Table(t) if t.reads.len() == 2)
            });
            found.expect("an action") as u32
        };
        let first = model
            .program()
            .actions
            .iter()
            .position(|a| matches!(&a.behaviour, Behaviour::Table(t) if t.reads.len() == 1));
        let first = first.expect("an action") as u32;
        let steps: [(u32, &[i64], &[i64]); 4] = [
            (first, &[0, 7], &[1, 7]),
            (action("up"), &[1, 7], &[0, 9]),
            (action("down"), &[1, 7], &[0, 9]),
            (action("up"), &[0, 7], &[0, 9]),
        ];
        let found = lines(Language::Etf, text, &steps);
        assert_eq!(found, [vec![11], vec![12], vec![13], vec![]]);
    }
}
