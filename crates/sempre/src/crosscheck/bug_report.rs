//! A disagreement in words: a file that can be sent as it is.

use super::{Case, Disagreement};
use crate::check::{Claim, Fairness};
use sempre_explicit::product::Deadlock;
use sempre_ltl::{Syntax, print};
use sempre_model::ir::{Behaviour, Table};
use sempre_model::{Expr, Place, Program, Stmt, Type};
use std::fmt::Write;

/// The report: what does not fit together, how to see it again, and the smallest case that shows it.
pub fn bug_report(
    original: &Case,
    again: &str,
    first: &Disagreement,
    small: &Case,
    last: &Disagreement,
) -> String {
    let mut out = format!("# {}: {}\n\n", first.what.words(), original.name);
    let version = env!("CARGO_PKG_VERSION");
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let _ = writeln!(
        out,
        "sempre {version}, {system}. To see it again:\n\n    {again}\n"
    );
    let _ = writeln!(out, "Property: {}\n", original.property.name);
    answers(&mut out, first);
    let _ = writeln!(out, "\n## The smallest case found: {}\n", last.what.words());
    answers(&mut out, last);
    let deadlock = match small.deadlock {
        Deadlock::Stutter => "stutter",
        Deadlock::Drop => "drop",
    };
    let fairness = match small.fairness {
        Fairness::None => "none",
        Fairness::Weak => "weak",
        Fairness::WeakTransitions => "weak-transitions",
    };
    let _ = writeln!(out, "\n    deadlock {deadlock}, fairness {fairness}");
    match &small.property.claim {
        Claim::Formula(formulas, f) => {
            let _ = writeln!(out, "    {}", print(formulas, *f, Syntax::Spot));
            for p in formulas.propositions_of(*f) {
                let meaning = small.property.propositions.get(p);
                let meaning =
                    meaning.map_or(String::new(), |q| expression(&small.program, &q.meaning));
                let _ = writeln!(out, "    {} means {meaning}", formulas.name(p));
            }
        }
        Claim::Violation(..) => {
            out.push_str("    the automaton of the violations as it was given\n")
        }
        // Not drawn, and not compared: there is one way to check it.
        Claim::NoFailure(_) => {}
        Claim::Progress(processes) => {
            let _ = writeln!(out, "    progress of the processes {processes:?}");
        }
    }
    out.push_str("\n```text\n");
    program(&mut out, &small.program);
    out.push_str("```\n");
    out
}

fn answers(out: &mut String, disagreement: &Disagreement) {
    for (way, answer) in &disagreement.answers {
        let way = way.map_or("the reference".to_string(), |w| {
            format!("`{}`", w.options())
        });
        let _ = writeln!(out, "* {way}: {answer}");
    }
}

/// The program for people.
pub fn program(out: &mut String, p: &Program) {
    for v in &p.variables {
        let ty = match &v.ty {
            Type::Bool => "bool".to_string(),
            Type::Int { bits, signed } => format!("{}{bits}", if *signed { "int" } else { "nat" }),
            Type::Enum { names } => format!("{{{}}}", names.join(", ")),
            Type::Range { min, max } => format!("{min}..{max}"),
            Type::Natural => "natural".to_string(),
        };
        let length = v.length.map_or(String::new(), |n| format!("[{n}]"));
        let _ = writeln!(out, "{}{length}: {ty}", v.name);
    }
    for register in [("exclusive", p.exclusive), ("atomic", p.atomic)] {
        if let (name, Some(v)) = register {
            let _ = writeln!(out, "{name} register: {}", p.variable(v).name);
        }
    }
    if p.marks > 0 {
        let _ = writeln!(out, "{} marks", p.marks);
    }
    for state in &p.initial {
        let values = state.iter().enumerate();
        let values: Vec<String> = values
            .map(|(c, &v)| format!("{} = {}", p.cell_name(c as u32), p.show_value(c as u32, v)))
            .collect();
        let _ = writeln!(out, "initially {}", values.join(", "));
    }
    for (e, text) in &p.assertions {
        let _ = writeln!(out, "always {} ({text})", expression(p, e));
    }
    for action in &p.actions {
        let processes = action.processes.iter();
        let processes: Vec<&str> = processes
            .filter_map(|q| p.processes.get(q.0 as usize))
            .map(|q| q.name.as_str())
            .collect();
        let class = match action.class {
            0 => String::new(),
            n => format!(", class {n}"),
        };
        let _ = writeln!(
            out,
            "action {} of [{}]{class}",
            action.name,
            processes.join(", ")
        );
        match &action.behaviour {
            Behaviour::Guarded { guard, effect } => {
                let _ = writeln!(out, "  when {}", expression(p, guard));
                block(out, p, effect, 2);
            }
            Behaviour::Table(table) => rows(out, p, table),
        }
    }
}

fn rows(out: &mut String, p: &Program, table: &Table) {
    let names = |cells: &[u32]| {
        let names: Vec<String> = cells.iter().map(|&c| p.cell_name(c)).collect();
        names.join(", ")
    };
    let _ = writeln!(
        out,
        "  ({}) -> ({})",
        names(&table.reads),
        names(&table.writes)
    );
    for (i, (from, to)) in table.rows.iter().enumerate() {
        let _ = writeln!(out, "  {from:?} -> {to:?} marks {:b}", table.marks_of(i));
    }
}

fn block(out: &mut String, p: &Program, statements: &[Stmt], depth: usize) {
    let indent = " ".repeat(depth);
    for statement in statements {
        let _ = match statement {
            Stmt::Assign(to, value) => {
                writeln!(out, "{indent}{} := {}", place(p, to), expression(p, value))
            }
            Stmt::If(c, yes, no) => {
                let _ = writeln!(out, "{indent}if {}", expression(p, c));
                block(out, p, yes, depth + 2);
                let written = writeln!(out, "{indent}else");
                block(out, p, no, depth + 2);
                written
            }
            Stmt::For {
                register,
                from,
                to,
                body,
            } => {
                let (from, to) = (expression(p, from), expression(p, to));
                let written = writeln!(out, "{indent}for r{register} from {from} below {to}");
                block(out, p, body, depth + 2);
                written
            }
            Stmt::Assert(e, text) => {
                writeln!(out, "{indent}assert {} ({text})", expression(p, e))
            }
        };
    }
}

fn place(p: &Program, place: &Place) -> String {
    match place {
        Place::Scalar(v) => p.variable(*v).name.clone(),
        Place::Element(v, index) => format!("{}[{}]", p.variable(*v).name, expression(p, index)),
        Place::Register(r) => format!("r{r}"),
    }
}

fn expression(p: &Program, e: &Expr) -> String {
    match e {
        Expr::Constant(n) => n.to_string(),
        Expr::Read(from) => place(p, from),
        Expr::Unary(op, a) => format!("{op:?}({})", expression(p, a)),
        Expr::Binary(op, a, b) => {
            let sign = format!("{op:?}");
            let sign = match sign.as_str() {
                "Equal" => "==",
                "NotEqual" => "!=",
                "Less" => "<",
                "LessEqual" => "<=",
                "Greater" => ">",
                "GreaterEqual" => ">=",
                "And" => "and",
                "Or" => "or",
                "Implies" => "implies",
                "Add" => "+",
                "Subtract" => "-",
                "Multiply" => "*",
                "Divide" => "/",
                "Modulo" => "%",
                other => other,
            };
            format!("({} {sign} {})", expression(p, a), expression(p, b))
        }
        Expr::If(c, a, b) => format!(
            "({} ? {} : {})",
            expression(p, c),
            expression(p, a),
            expression(p, b)
        ),
    }
}
