//! Tests of reading and writing together.

use super::*;
use crate::naive;
use crate::petri_net::PetriNet;
use rustc_hash::FxHashMap;
use sempre_base::{Random, Source};
use sempre_model::interpreter::Interpreter;
use sempre_model::ir::{Expr, Program};
use sempre_model::random_program::random_program;
use std::collections::BTreeMap;

/// The example of LTSmin's description: a square of four states.
const SQUARE: &str = "begin state
_:_  _:_
end state
begin edge
action:action
end edge
begin init
0 0
end init
begin trans
0/1 * 0
end trans
begin trans
* 0/1 b
end trans
begin map shape:shape
0 * square
1 * circle
end map
begin map multiplicity:multiplicity
0 0 1
0 1 0
1 0 0
1 1 1
end map
begin sort action
a
b
end sort
begin sort multiplicity
single
double
end sort
";

#[test]
fn the_example_of_the_description() {
    let model = read_etf(SQUARE).unwrap();
    let counts = naive::explore(&model.program, 10);
    assert_eq!(
        (counts.states, counts.transitions, counts.deadlocks),
        (4, 4, 1)
    );
    let names: Vec<_> = model
        .program
        .actions
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b"]);
    let holds = |text: &str, state: [i64; 2]| {
        let expr = model
            .proposition(text)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        naive::evaluate(&expr, &state) != 0
    };
    for x in 0..2 {
        for y in 0..2 {
            assert_eq!(holds("shape == circle", [x, y]), x == 1);
            assert_eq!(holds("shape != \"square\"", [x, y]), x == 1);
            assert_eq!(holds("multiplicity == double", [x, y]), x == y);
            assert_eq!(holds("multiplicity", [x, y]), x == y);
            assert_eq!(holds("x0 < 1 && x1 == 0", [x, y]), x == 0 && y == 0);
        }
    }
    let error = model.proposition("shap == circle").unwrap_err().remove(0);
    assert_eq!(error.help.as_deref(), Some("did you mean `shape`?"));
}

#[test]
fn sorts_give_names_and_integers_to_values() {
    let text =
        "begin state\nP\\.x:t P:P\nend state\nbegin edge\nend edge\nbegin init\n1 0\nend init
begin trans\n1/0 0/1\n0/2 1/1\nend trans\nbegin sort t\n-1\n\"5\"\n#2d37#\nend sort
begin sort P\nidle\n\"in use\"\nend sort\n";
    let model = read_etf(text).unwrap();
    assert_eq!(model.program.initial, [[5, 0]]);
    let mut states = Vec::new();
    naive::for_each_state(&model.program, 10, |s, _| states.push(s.to_vec()));
    assert_eq!(states, [[5, 0], [-1, 1], [-7, 1]]);
    assert_eq!(model.program.show_value(1, 1), "in use");
    let holds = |text: &str| naive::evaluate(&model.proposition(text).unwrap(), &[-7, 1]) != 0;
    assert!(holds("P.x == -7") && holds("P\\.x<0") && holds("P == 'in use'") && !holds("P.idle"));
    assert!(model.is_known("P.idle") && !model.is_known("P.busy"));
}

#[test]
fn names_are_declared_once() {
    let errors = |from: &str, to: &str| {
        let text = SQUARE.replacen(from, to, 1);
        let errors = read_etf(&text).map(|_| ()).unwrap_err();
        let shown = errors.iter().map(|e| {
            let (line, column) = Source::new("t", &text).line_column(e.span.start);
            format!("{line}:{column}: {}", e.message)
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(
        errors("_:_  _:_", "a:_  a:_"),
        ["2:6: `a` is declared a second time"]
    );
    assert_eq!(
        errors("sort multiplicity", "sort action"),
        ["30:12: the sort `action` is declared a second time"]
    );
    // A cell without a name gets one of its own.
    let model = read_etf(&SQUARE.replacen("_:_  _:_", "x1:_  _:_", 1)).unwrap();
    let names: Vec<String> = (0..2).map(|c| model.program.cell_name(c)).collect();
    assert_eq!(names, ["x1", "x1'"]);
}

#[test]
fn complaints_about_one_line_are_few() {
    for (from, to) in [
        ("_:_  _:_", "a "),
        ("0 0\n", "x y "),
        ("0/1 *", "0/x "),
        ("a\nb\n", "\"a b "),
    ] {
        let text = SQUARE.replacen(from, &to.repeat(1000), 1);
        let errors = read_etf(&text).map(|_| ()).unwrap_err();
        assert!(
            errors.len() <= sections::MAX_ERRORS,
            "{to}: {}",
            errors.len()
        );
    }
    let many = SQUARE.replacen("0 0\n", &"0 7\n".repeat(10), 1);
    assert!(read_etf(&many).is_ok(), "ten times the same initial state");
}

#[test]
fn mistakes_are_pointed_at() {
    let check = |from: &str, to: &str, expected: &str| {
        assert!(SQUARE.contains(from), "{from}");
        let text = SQUARE.replacen(from, to, 1);
        let error = read_etf(&text).map(|_| ()).unwrap_err().remove(0);
        let (line, column) = Source::new("t", &text).line_column(error.span.start);
        assert_eq!(format!("{line}:{column}: {}", error.message), expected);
    };
    check(
        "0/1 * 0",
        "0/1 *",
        "11:1: expected 2 cells and 1 edge labels, found 2 words",
    );
    check(
        "0/1 * 0",
        "0/1 * 7",
        "11:7: 7 is no value of this sort, which has 2",
    );
    check(
        "0/1 * 0",
        "0-1 * 0",
        "11:1: expected `in/out` or `*`, found `0-1`",
    );
    check("0/1 * 0", "0/x * 0", "11:1: expected a number, found `x`");
    check(
        "0 0\nend init",
        "0\nend init",
        "8:1: expected 2 numbers for a state, found 1",
    );
    check("end init", "end of", "9:1: expected `end init`");
    check(
        "begin edge",
        "begin egde",
        "4:7: there is no section `egde`",
    );
    check("_:_  _:_", "x y:_", "2:1: expected `name:sort`");
    check("a\nb", "\"a\nb", "27:1: this quote is never closed");
    check(
        "begin sort multiplicity",
        "sort multiplicity",
        "30:1: expected `begin` and the name of a section",
    );
    let cut = &SQUARE[..SQUARE.find("begin init").unwrap()];
    assert_eq!(
        read_etf(cut).map(|_| ()).unwrap_err()[0].message,
        "there is no `begin init` section"
    );
    assert!(read_etf("").is_err());
}

/// States with the numbers of their steps by action name, and of edges by marks.
type Space = BTreeMap<Vec<i64>, BTreeMap<(String, u64, Vec<i64>), usize>>;

/// The reachable part, or `None` if it is too large or a step fails.
fn space(program: &Program, limit: usize) -> Option<Space> {
    let interpreter = Interpreter::new(program);
    let mut space = Space::new();
    let mut todo = program.initial.clone();
    while let Some(state) = todo.pop() {
        if space.contains_key(&state) {
            continue;
        }
        if space.len() >= limit {
            return None;
        }
        let mut steps = BTreeMap::new();
        for (step, next) in interpreter.steps(&state) {
            let next = next.ok()?;
            let name = program.actions[step.action as usize].name.clone();
            *steps.entry((name, step.marks, next.clone())).or_default() += 1;
            todo.push(next);
        }
        space.insert(state, steps);
    }
    Some(space)
}

#[test]
fn random_programs_survive_export() {
    let mut random = Random::new(5);
    let (mut compared, mut marked) = (0, 0);
    while compared < 150 {
        let program = random_program(&mut random);
        let Some(expected) = space(&program, 400) else {
            continue;
        };
        compared += 1;
        let text = write_etf(&program, &[], 400).unwrap();
        let model = read_etf(&text).unwrap_or_else(|e| panic!("{:?}\n{text}", e[0]));
        assert_eq!(space(&model.program, 400), Some(expected), "{text}");
        assert_eq!(model.program.marks, program.marks, "{text}");
        marked += usize::from(program.marks > 0);
        let names = |p: &Program| {
            (0..p.cells() as u32)
                .map(|c| p.cell_name(c))
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&model.program), names(&program));
        assert_eq!(write_etf(&program, &[], 400).unwrap(), text);
    }
    assert!(marked > 0);
}

/// A run counts only if it sees each mark again and again: their number belongs to the model.
#[test]
fn marks_are_counted() {
    let text = |sort: &str, mark: &str| {
        format!(
            "begin state\nx:x\nend state\nbegin edge\nmarks:{sort}\nend edge\nbegin init\n0\nend init\n\
             begin trans\n0/1 0\n1/0 {mark}\nend trans\n"
        )
    };
    let marks = |sort: &str, mark: &str| read_etf(&text(sort, mark)).map(|m| m.program.marks);
    assert_eq!(marks("marks", "0"), Ok(0));
    assert_eq!(marks("marks", "2"), Ok(2));
    assert_eq!(marks("3", "2"), Ok(3));
    let errors = marks("1", "2").unwrap_err();
    assert_eq!(errors[0].message, "there are only 1 marks");
}

#[test]
fn nets_and_their_propositions_survive_export() {
    let mut net = PetriNet::new("n");
    let (a, b, c) = (net.place("a", 3), net.place("b-1", 0), net.place("c", 1));
    net.transition("move \"it\"", [(a, 1)], [(b, 2)]);
    net.transition("back", [(b, 1), (c, 1)], [(c, 1)]);
    let program = net.program();
    let names = crate::pnml::NetScope::new(&net);
    let label = (
        "some b".to_string(),
        names.proposition("'b-1' >= 2").unwrap(),
    );
    let text = write_etf(&program, std::slice::from_ref(&label), 1000).unwrap();
    let model = read_etf(&text).unwrap();
    assert_eq!(
        naive::explore(&program, 1000),
        naive::explore(&model.program, 1000)
    );
    assert_eq!(model.program.actions[0].name, "move \"it\"");
    let label_back = model.proposition("some_b").unwrap();
    naive::for_each_state(&program, 1000, |state, _| {
        let expected = naive::evaluate(&label.1, state);
        assert_eq!(naive::evaluate(&label_back, state), expected, "{state:?}");
    });
}

#[test]
fn what_a_table_cannot_say_is_refused() {
    let mut net = PetriNet::new("n");
    let p = net.place("p", 0);
    net.transition("more", [], [(p, 1)]);
    let program = net.program();
    assert_eq!(
        write_etf(&program, &[], 50),
        Err(ExportError::TooManyStates(50))
    );
    let bad = Expr::binary(
        sempre_model::ir::Binary::Divide,
        Expr::TRUE,
        Expr::variable(sempre_model::ir::VariableId(0)),
    );
    let labels = [("inverse".to_string(), bad)];
    assert!(matches!(
        write_etf(&program, &labels, 50),
        Err(ExportError::ErroneousLabel(..))
    ));
}

#[test]
fn mutated_texts_do_not_panic() {
    let mut random = Random::new(9);
    let mut readable = 0;
    let mut texts: FxHashMap<usize, String> = FxHashMap::default();
    texts.insert(0, SQUARE.to_string());
    for i in 1..20 {
        let program = random_program(&mut random);
        let text = write_etf(&program, &[], 30).unwrap_or_else(|_| SQUARE.to_string());
        texts.insert(i, text);
    }
    for _ in 0..2000 {
        let mut bytes = texts[&random.below(20)].clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = *random.pick(b"/*:\"#\\ \n09z\xff"),
                1 => {
                    bytes.remove(at);
                }
                _ => bytes.truncate(at.max(1)),
            }
            if bytes.is_empty() {
                bytes.push(b'x');
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match read_etf(&text) {
            Ok(_) => readable += 1,
            Err(errors) => {
                assert!(!errors.is_empty(), "{text}");
                for e in errors {
                    Source::new("t", &text).render(&e).to_string();
                }
            }
        }
    }
    assert!(readable > 20);
}
