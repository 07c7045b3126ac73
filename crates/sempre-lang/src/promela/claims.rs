//! What a file says about its own runs: never claims and `ltl` blocks.
//!
//! A never claim is an automaton that reads the state before each step of the system and does nothing to it; so it
//! becomes a [`PropertyProcess`], the automaton of the violations. Where it comes to its end, or where an assertion in it
//! fails, everything that follows is a violation. A formula is written again with its propositions in
//! braces, names of macros replaced, for whoever reads formulas.

use super::ast::{
    Argument, Expression, ExpressionKind, Formula, Name, Reference, Remote, Temporal, Test,
};
use super::body::Body;
use super::flow::{El, Kind};
use super::instances::{World, places};
use super::resolve::{Face, Value};
use crate::dve::{Acceptance, PropertyProcess, PropertyTransition};
use crate::report::Report;
use rustc_hash::FxHashMap;
use sempre_model::ir::{Binary, Expr, Unary};

struct Claim<'a> {
    world: &'a World,
    body: &'a Body,
    report: &'a mut Report,
}

/// The automaton of a never claim.
pub(super) fn claim(
    name: &Name,
    body: &Body,
    world: &World,
    line: &dyn Fn(usize) -> usize,
    report: &mut Report,
) -> PropertyProcess {
    if let Some(leaf) = body.store.leaves.first() {
        let message = format!(
            "a never claim only watches: it has no variables (`{}`)",
            leaf.name
        );
        report.error(name.span, message);
    }
    let flow = &body.flow;
    let all = places(body);
    let number: FxHashMap<El, usize> = all.iter().enumerate().map(|(i, &e)| (e, i)).collect();
    let sink = all.len();
    let mut states: Vec<String> = (all.iter())
        .map(|&e| match flow.labels.iter().find(|l| l.element == e) {
            Some(label) => label.name.to_string(),
            None => flow.elements[e].location(),
        })
        .collect();
    states.push("violated".to_string());
    let mut accepting: Vec<usize> = (all.iter().enumerate())
        .filter(|(_, e)| flow.has_label(**e, &["accept"]))
        .map(|(i, _)| i)
        .collect();
    accepting.push(sink);
    let mut transitions = vec![PropertyTransition {
        from: sink,
        to: sink,
        guard: Expr::TRUE,
        text: "true".to_string(),
        line: line(name.span.start),
    }];
    let mut c = Claim {
        world,
        body,
        report,
    };
    for (from, &place) in all.iter().enumerate() {
        let mut steps = Vec::new();
        c.steps(place, Expr::TRUE, &mut steps, 0);
        for (guard, to, element) in steps {
            let at = to.and_then(|to| {
                let ends = flow.elements[to].kind == Kind::End;
                (!ends).then(|| number.get(&to).copied()).flatten()
            });
            transitions.push(PropertyTransition {
                from,
                to: at.unwrap_or(sink),
                guard,
                text: flow.elements[element].text().to_string(),
                line: flow.elements[element].line(),
            });
        }
    }
    let initial = match flow.elements[flow.start].kind {
        Kind::End => sink,
        _ => number.get(&flow.start).copied().unwrap_or(sink),
    };
    PropertyProcess {
        name: name.text.to_string(),
        states,
        initial,
        acceptance: Acceptance::Buchi(accepting),
        transitions,
    }
}

/// The name of the property that labels `accept…` state.
pub(crate) const ACCEPTANCE_CYCLES: &str = "no acceptance cycle";

/// The automaton of the acceptance cycles: runs that are at labels `accept…` again and again. Without a never claim,
/// `pan -a` looks for them. `None` if there is no such label.
pub(super) fn acceptance_cycles(world: &World) -> Option<PropertyProcess> {
    let accepting = world.at_labels("accept")?;
    let text = "a process is at a label accept…";
    let goes = |from: usize, to: usize| PropertyTransition {
        from,
        to,
        guard: match to {
            1 => accepting.clone(),
            _ => Expr::Unary(Unary::Not, Box::new(accepting.clone())),
        },
        text: match to {
            1 => text.to_string(),
            _ => format!("not ({text})"),
        },
        line: 1,
    };
    Some(PropertyProcess {
        name: ACCEPTANCE_CYCLES.to_string(),
        states: ["elsewhere", "accept"].map(str::to_string).into(),
        initial: 0,
        acceptance: Acceptance::Buchi(vec![1]),
        transitions: vec![goes(0, 0), goes(0, 1), goes(1, 0), goes(1, 1)],
    })
}

impl Claim<'_> {
    fn expr(&self, value: &Value) -> Expr {
        self.world.expr(None, value, false)
    }

    /// The steps of a place: when, where to (`None` for a violation), and by which element.
    fn steps(
        &mut self,
        place: El,
        so_far: Expr,
        out: &mut Vec<(Expr, Option<El>, El)>,
        depth: usize,
    ) {
        let body = self.body;
        let flow = &body.flow;
        let and = |a: &Expr, b: Expr| match (a, b) {
            (Expr::Constant(n), b) if *n != 0 => b,
            (a, Expr::Constant(n)) if n != 0 => a.clone(),
            (a, b) => Expr::binary(Binary::And, a.clone(), b),
        };
        let not = |e: Expr| Expr::Unary(Unary::Not, Box::new(e));
        let mut possible: Option<Expr> = None;
        for leaf in flow.groups(place).unwrap_or_default().into_iter().flatten() {
            let element = &flow.elements[leaf];
            let to = flow.target(leaf).ok().flatten();
            let guard = match &element.kind {
                Kind::Condition(v) => self.expr(v),
                Kind::Else => possible.clone().map_or(Expr::TRUE, not),
                Kind::Goto(_) | Kind::Dot | Kind::Break | Kind::Print(..) => Expr::TRUE,
                Kind::Assert(v) => {
                    let holds = self.expr(v);
                    out.push((and(&so_far, not(holds.clone())), None, leaf));
                    holds
                }
                Kind::End => continue,
                _ => {
                    let message = "a never claim only watches: it does nothing";
                    self.report.error(element.span, message);
                    continue;
                }
            };
            possible = Some(match possible {
                None => guard.clone(),
                Some(p) => Expr::binary(Binary::Or, p, guard.clone()),
            });
            let guard = and(&so_far, guard);
            match to {
                // Nobody sees where it is in an atomic sequence.
                Some(next) if element.atom && depth < 50 => self.steps(next, guard, out, depth + 1),
                _ => out.push((guard, to, leaf)),
            }
        }
    }
}

/// Complains about labels in a value that are not there.
pub(super) fn check_labels(world: &World, faces: &[Face], value: &Value, report: &mut Report) {
    // `any` visits every part.
    let found = std::cell::RefCell::new(Vec::new());
    value.any(&|v| {
        if let Value::RemoteLabel(proctype, _, label, span) = v {
            found.borrow_mut().push((*proctype, label.clone(), *span));
        }
        false
    });
    for (proctype, text, span) in found.into_inner() {
        let labels = &world.labels[proctype];
        if !labels.iter().any(|l| l.0 == text) {
            let what = format!("label of `{}` called", faces[proctype].name);
            let name = Name { text, span };
            report.unknown(&name, &what, labels.iter().map(|l| &*l.0));
        }
    }
}

/// The parts of a formula that say something about a state.
pub(super) fn propositions<'f>(formula: &'f Expression, out: &mut Vec<&'f Expression>) {
    if !is_temporal(formula) {
        out.push(formula);
        return;
    }
    match &formula.kind {
        ExpressionKind::Temporal(_, parts) => parts.iter().for_each(|p| propositions(p, out)),
        ExpressionKind::Unary(_, a) => propositions(a, out),
        ExpressionKind::Binary(_, a, b) => {
            propositions(a, out);
            propositions(b, out);
        }
        _ => out.push(formula),
    }
}

fn is_temporal(e: &Expression) -> bool {
    match &e.kind {
        ExpressionKind::Temporal(..) => true,
        ExpressionKind::Unary(Unary::Not, a) => is_temporal(a),
        ExpressionKind::Binary(Binary::And | Binary::Or, a, b) => is_temporal(a) || is_temporal(b),
        _ => false,
    }
}

/// A formula with its propositions in braces.
pub(super) fn formula_text(formula: &Formula) -> String {
    let mut out = String::new();
    write_formula(&formula.formula, &mut out);
    out
}

fn write_formula(e: &Expression, out: &mut String) {
    if !is_temporal(e) {
        if let ExpressionKind::Number(n) = e.kind {
            out.push_str(if n == 0 { "false" } else { "true" });
            return;
        }
        out.push('{');
        write_expression(e, out);
        out.push('}');
        return;
    }
    let mut two = |a: &Expression, op: &str, b: &Expression| {
        out.push('(');
        write_formula(a, out);
        out.push_str(op);
        write_formula(b, out);
        out.push(')');
    };
    match &e.kind {
        ExpressionKind::Unary(_, a) => {
            out.push_str("!(");
            write_formula(a, out);
            out.push(')');
        }
        ExpressionKind::Binary(op, a, b) => {
            let op = if *op == Binary::And { " && " } else { " || " };
            two(a, op, b);
        }
        ExpressionKind::Temporal(op, parts) => {
            let word = match op {
                Temporal::Always => "G",
                Temporal::Eventually => "F",
                Temporal::Next => "X",
                Temporal::Until => " U ",
                Temporal::Release => " R ",
                Temporal::WeakUntil => " W ",
                Temporal::Implies => " -> ",
                Temporal::Equivalent => " <-> ",
            };
            match parts.as_slice() {
                [a, b] => two(a, word, b),
                [a] => {
                    out.push_str(word);
                    out.push('(');
                    write_formula(a, out);
                    out.push(')');
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn write_reference(reference: &Reference, out: &mut String) {
    for (i, (name, index)) in reference.parts.iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        out.push_str(&name.text);
        if let Some(index) = index {
            out.push('[');
            write_expression(index, out);
            out.push(']');
        }
    }
}

fn write_list(all: &[Argument], out: &mut String) {
    for (i, argument) in all.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        match argument {
            Argument::Reference(r) => write_reference(r, out),
            Argument::Match(e) => {
                out.push_str("eval(");
                write_expression(e, out);
                out.push(')');
            }
        }
    }
}

/// An expression as Promela writes it.
fn write_expression(e: &Expression, out: &mut String) {
    let operand = |e: &Expression, out: &mut String| {
        let simple = !matches!(e.kind, ExpressionKind::Binary(..) | ExpressionKind::If(..));
        if simple {
            return write_expression(e, out);
        }
        out.push('(');
        write_expression(e, out);
        out.push(')');
    };
    match &e.kind {
        ExpressionKind::Number(n) => out.push_str(&n.to_string()),
        ExpressionKind::Reference(r) => write_reference(r, out),
        ExpressionKind::Unary(op, a) => {
            out.push(match op {
                Unary::Not => '!',
                Unary::Negate => '-',
                Unary::Complement => '~',
            });
            operand(a, out);
        }
        ExpressionKind::Binary(op, a, b) => {
            operand(a, out);
            out.push_str(match op {
                Binary::Add => " + ",
                Binary::Subtract => " - ",
                Binary::Multiply => " * ",
                Binary::Divide => " / ",
                Binary::Modulo => " % ",
                Binary::BitAnd => " & ",
                Binary::BitOr => " | ",
                Binary::BitXor => " ^ ",
                Binary::ShiftLeft => " << ",
                Binary::ShiftRight => " >> ",
                Binary::Equal => " == ",
                Binary::NotEqual => " != ",
                Binary::Less => " < ",
                Binary::LessEqual => " <= ",
                Binary::Greater => " > ",
                Binary::GreaterEqual => " >= ",
                Binary::And => " && ",
                Binary::Or | Binary::Implies => " || ",
            });
            operand(b, out);
        }
        ExpressionKind::If(c, a, b) => {
            out.push('(');
            operand(c, out);
            out.push_str(" -> ");
            operand(a, out);
            out.push_str(" : ");
            operand(b, out);
            out.push(')');
        }
        ExpressionKind::Priority(process) => {
            out.push_str("get_priority(");
            write_expression(process, out);
            out.push(')');
        }
        ExpressionKind::Run(name, ..) => out.push_str(&format!("run {}()", name.text)),
        ExpressionKind::Channel(test, channel) => {
            out.push_str(match test {
                Test::Len => "len(",
                Test::Full => "full(",
                Test::NotFull => "nfull(",
                Test::Empty => "empty(",
                Test::NotEmpty => "nempty(",
            });
            write_reference(channel, out);
            out.push(')');
        }
        ExpressionKind::Poll(channel, arguments, random) => {
            write_reference(channel, out);
            out.push_str(if *random { "??[" } else { "?[" });
            write_list(arguments, out);
            out.push(']');
        }
        ExpressionKind::Timeout => out.push_str("timeout"),
        ExpressionKind::NonProgress => out.push_str("np_"),
        ExpressionKind::Remote(name, index, remote) => {
            out.push_str(&name.text);
            if let Some(index) = index {
                out.push('[');
                write_expression(index, out);
                out.push(']');
            }
            match remote {
                Remote::Label(label) => out.push_str(&format!("@{}", label.text)),
                Remote::Variable(variable, element) => {
                    out.push_str(&format!(":{}", variable.text));
                    if let Some(element) = element {
                        out.push('[');
                        write_expression(element, out);
                        out.push(']');
                    }
                }
            }
        }
        ExpressionKind::Temporal(..) => {}
    }
}
