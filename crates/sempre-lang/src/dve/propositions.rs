//! Propositions about a DVE model: Boolean expressions in its own terms.
//!
//! Any expression of DVE will do, with the names of the whole system (`P->v` for the variables of
//! processes). Read besides:
//! * `P == "s"` and `P != "s"`, process in location; single quotes or none do as well, in any order;
//! * `P.v` and `P.v[i]` for `P->v` and `P->v[i]` (a location called `v` wins);
//! * the escapes of LTSmin: `t\[1\]`, `P\.v`;
//! * braces or quotes around the whole.
//!
//! An expression that other readers of DVE would group in another way (see [`super::grammar`]), or whose
//! constant index is outside of its array, is refused: a property must not be about something else than its author
//! thinks.

use super::DveModel;
use super::expressions::Resolver;
use super::lexer::Lexer;
use super::parser::parse_expression;
use crate::report::Report;
use sempre_base::{Diagnostic, Severity, Span};
use sempre_model::Expr;

/// The expression that a proposition stands for; it is true where its value is not 0.
///
/// ```
/// use sempre_lang::dve;
/// let text = "byte x; process P { state a, b; init a; trans a -> b {}; } system async;";
/// let model = dve::read("tiny", text).unwrap();
/// assert!(dve::proposition(&model, "P.b && x < 2").is_ok());
/// let errors = dve::proposition(&model, "P == \"B_\"").unwrap_err();
/// assert_eq!(errors[0].help.as_deref(), Some("did you mean `b`?"));
/// ```
///
/// # Errors
/// What is wrong with it; spans are of `text`.
pub fn proposition(model: &DveModel, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let lexer = Lexer::proposition(text, inside(text));
    let names = model.symbols.process_names().collect();
    let parsed = parse_expression(lexer, names)?;
    let mut report = Report::default();
    let value = Resolver {
        symbols: &model.symbols,
        report: &mut report,
        process: None,
        proposition: true,
    }
    .value(&parsed);
    if report.list.iter().any(|d| d.severity == Severity::Error) {
        Err(report.list)
    } else {
        Ok(value)
    }
}

/// The text without blanks, braces or quotes around it.
fn inside(text: &str) -> Span {
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    let span = Span::new(start, start + trimmed.len());
    let mut chars = trimmed.chars();
    match (chars.next(), chars.next_back()) {
        (Some('{'), Some('}')) => Span::new(span.start + 1, span.end - 1),
        (Some(a @ ('"' | '\'')), Some(b)) if a == b && !chars.as_str().contains(a) => {
            Span::new(span.start + 1, span.end - 1)
        }
        _ => span,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use sempre_model::interpreter::Interpreter;

    const TEXT: &str = "const byte N = 4; byte pos[3] = {0, 1, 2}; int X = -1;
        process P_0 { byte x = 3, wait, b[2] = {8, 9}; state NCS, wait, CS; init CS; }
        process P_1 { state wait, p9; init wait; } system async;";

    fn check(text: &str, expected: i64) {
        let model = read("t", TEXT).unwrap();
        let found = proposition(&model, text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let value = Interpreter::new(&model.program).value(&found, &model.program.initial[0]);
        assert_eq!(value, Ok(expected), "{text}");
    }

    #[test]
    fn the_usual_spellings_are_read() {
        check("P_0.CS", 1);
        check("pos[1] < 2", 1);
        check("P_0 == \"CS\"", 1);
        check("\"CS\" == P_0", 1);
        check("P_1!='p9'", 1);
        check("P_1 != wait", 0);
        check("{P_0->x == 3 and P_1.wait}", 1);
        check("'P_0->b[1] - 1'", 8);
        check("\"P_0.b[1] - 1\"", 8);
        check(r"pos\[2\] == 2", 1);
        check(r"P_0\.x <= N", 1);
        check(" X == -1 ", 1);
        check("P_0.CS + P_1.wait > 1", 1);
        check("!P_0.CS || P_1.p9", 0);
        check("P_0->x == 3 -> P_1.p9", 0);
        check("P_0.wait", 0); // the location, not the variable, which is
        check("P_0->wait == 0", 1);
    }

    fn complaint(text: &str) -> (String, String, Option<String>) {
        let model = read("t", TEXT).unwrap();
        let error = proposition(&model, text).unwrap_err().remove(0);
        let at = text[error.span.start..error.span.end].to_string();
        (at, error.message, error.help)
    }

    #[test]
    fn unknown_names_come_with_suggestions() {
        for (text, at, near) in [
            ("P_0.SC", "SC", "CS"),
            ("p_0 == 'CS'", "p_0", "P_0"),
            ("{P_1 == \"p8\"}", "\"p8\"", "p9"),
            ("P_0->wiat == 1", "wiat", "wait"),
            ("pso[1] == 1", "pso", "pos"),
        ] {
            let (found, _, help) = complaint(text);
            assert_eq!(found, at, "{text}");
            assert_eq!(help, Some(format!("did you mean `{near}`?")), "{text}");
        }
    }

    #[test]
    fn what_is_in_doubt_is_refused() {
        assert!(
            complaint("P_0.CS or P_1.p9 and X == 1")
                .1
                .contains("bind alike")
        );
        assert!(complaint("pos[3] == 1").1.contains("outside"));
        assert!(complaint("P_0").1.contains("is a process"));
        assert!(complaint("'CS' == 1").1.contains("not compared"));
        assert_eq!(
            complaint("X = 1").1,
            "expected an operator or the end, found `=`"
        );
        assert_eq!(complaint("").1, "expected an expression, found the end");
        for broken in [
            "{",
            "}",
            "{}",
            "\"",
            "''",
            "\\",
            "P_0 == \"CS",
            "(",
            "é",
            "{é",
        ] {
            complaint(broken);
        }
    }
}
