//! Propositions about a Promela model: Boolean expressions in its own terms.
//!
//! Any expression of Promela will do, with the names of the whole system. Of processes: `P[0]@label`, `P[0]:x`, and
//! `P@label`, `P:x` for the first process of the type; `.` does for `:`.

use super::PromelaModel;
use super::lexer::words;
use super::parser::parse_expression;
use super::resolve::{Resolver, Value};
use super::symbols::Report;
use sempre_base::Diagnostic;
use sempre_model::Expr;

/// The expression that a proposition stands for; it is true where its value is not 0.
///
/// # Errors
/// What is wrong with it; spans are of `text`.
pub fn proposition(model: &PromelaModel, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let names = model.resolved.faces.iter().map(|f| &*f.name);
    let expression = parse_expression(words(text), names)?;
    let mut report = Report::default();
    let value = Resolver {
        globals: &model.resolved.globals,
        faces: &model.resolved.faces,
        local: None,
        report: &mut report,
    }
    .value(&expression);
    check_labels(model, &value, &mut report);
    match report.errors() {
        0 => Ok(model.world.expr(None, &value, false)),
        _ => Err(report.list),
    }
}

/// Complains about labels that are not there.
pub(super) fn check_labels(model: &PromelaModel, value: &Value, report: &mut Report) {
    // `any` visits every part.
    let found = std::cell::RefCell::new(Vec::new());
    value.any(&|v| {
        if let Value::RemoteLabel(proctype, _, label, span) = v {
            found.borrow_mut().push((*proctype, label.clone(), *span));
        }
        false
    });
    for (proctype, text, span) in found.into_inner() {
        let labels = &model.world.labels[proctype];
        if !labels.iter().any(|l| l.0 == text) {
            let what = format!("label of `{}` called", model.resolved.faces[proctype].name);
            let name = super::ast::Name { text, span };
            report.unknown(&name, &what, labels.iter().map(|l| &*l.0));
        }
    }
}
