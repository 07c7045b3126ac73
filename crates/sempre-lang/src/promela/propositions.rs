//! Propositions about a Promela model: Boolean expressions in its own terms.
//!
//! Any expression of Promela will do, with the names of the whole system. Of processes: `P[0]@label`, `P[0]:x`, and
//! `P@label`, `P:x` for the first process of the type; `.` does for `:`. Macros of the file are replaced.

use super::PromelaModel;
use super::claims::check_labels;
use super::lexer::words;
use super::parser::parse_expression;
use super::resolve::Resolver;
use crate::report::Report;
use sempre_base::Diagnostic;
use sempre_model::Expr;

/// The expression that a proposition stands for; it is true where its value is not 0.
///
/// # Errors
/// What is wrong with it; spans are of `text`.
pub fn proposition(model: &PromelaModel, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let names = model.resolved.faces.iter().map(|f| &*f.name);
    let words = model.macros.expand(&words(text))?;
    let expression = parse_expression(words, names)?;
    let mut report = Report::default();
    let value = Resolver {
        globals: &model.resolved.globals,
        faces: &model.resolved.faces,
        local: None,
        report: &mut report,
    }
    .value(&expression);
    check_labels(&model.world, &model.resolved.faces, &value, &mut report);
    match report.errors() {
        0 => Ok(model.world.expr(None, &value, false)),
        _ => Err(report.list),
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use sempre_model::interpreter::Interpreter;

    const TEXT: &str = "#define low (x < 3)
        #define is(n) x == n
        mtype = { red, green }; mtype m = red; byte x = 2, a[3] = 7; chan c = [2] of { byte };
        active [2] proctype P() { byte n = 5; start: n = 6; there: x = 0; c!1; m = green; a[1] = 0 }";

    #[test]
    fn the_usual_spellings_are_read() {
        let model = read("t", TEXT, &|_| None).unwrap();
        for (text, expected) in [
            ("x == 2", 1),
            ("low && m == red", 1),
            ("is(2) + 1", 0),
            ("(is(2)) + a[x]", 8),
            ("P[0]@start && !P[1]@there", 1),
            ("P@there", 0),
            ("P[1]:n", 5),
            ("P[1].n == 5 || x", 1),
            ("len(c) == 0 && empty(c) && nfull(c)", 1),
            ("c?[1]", 0),
            ("(x > 1 -> 4 : 5)", 4),
            ("_nr_pr", 2),
            ("np_", 1),
        ] {
            let found = proposition(&model, text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            let value = Interpreter::new(&model.program).value(&found, &model.program.initial[0]);
            assert_eq!(value, Ok(expected), "{text}");
        }
        assert!(["x", "low", "P", "red"].iter().all(|n| model.is_known(n)));
        assert!(!model.is_known("is") && !model.is_known("y"));
    }

    #[test]
    fn what_is_wrong_is_told_at_its_place() {
        let model = read("t", TEXT, &|_| None).unwrap();
        for (text, at) in [
            ("y == 1", "y"),
            ("P[0]@strat", "strat"),
            ("P[0]:m == 1", "m"),
            ("x ==", ""),
            ("x 1", "1"),
            ("run P() == 1", "run P()"),
            ("_pid == 1", "_pid"),
        ] {
            let error = proposition(&model, text).unwrap_err().remove(0);
            assert_eq!(&text[error.span.start..error.span.end], at, "{text}");
        }
    }
}
