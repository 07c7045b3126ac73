//! Declarations: lists of mtypes, structures, variables of everybody.

use super::ast::{BaseType, Declaration, Expression, File, Initial, Name};
use super::resolve::{Resolver, Scopes, Value};
use super::symbols::{
    Field, Globals, Scalar, Shape, Signature, Start, Store, Structure, Symbol, Variable,
};
use crate::report::Report;
use crate::report::shown;
use std::sync::Arc;

/// More elements than these are refused.
const ELEMENTS: i64 = 65_535;
/// So are more cells than these in one variable, or in all messages of a channel.
const CELLS: u64 = 200_000;

/// What a file declares outside of its processes.
pub(super) fn globals(file: &File, report: &mut Report) -> Globals {
    let mut globals = Globals::default();
    for (kind, names) in &file.mtypes {
        let kind = kind.clone().unwrap_or_else(|| Arc::from("_unnamed_"));
        let list = match globals.mtypes.iter().position(|m| m.0 == kind) {
            Some(list) => list,
            None => {
                globals.mtypes.push((kind, Vec::new()));
                globals.mtypes.len() - 1
            }
        };
        // The last name of a declaration comes first, as in SPIN.
        for name in names.iter().rev() {
            let all = &mut globals.mtypes[list].1;
            all.push(name.text.clone());
            let number = all.len() as i64;
            if number > 255 {
                report.error(name.span, "there are more than 255 names of this mtype");
            }
            add(&mut globals, name, Symbol::Constant(number), report);
        }
    }
    for (i, proctype) in file.proctypes.iter().enumerate() {
        let earlier = globals.proctypes.insert(proctype.name.text.clone(), i);
        if earlier.is_some() {
            let message = format!("`{}` is declared twice", shown(&proctype.name.text));
            report.error(proctype.name.span, message);
        }
    }
    for (name, declarations) in &file.typedefs {
        if globals.structures.iter().any(|s| s.name == name.text) {
            let message = format!("the type `{}` is declared twice", shown(&name.text));
            report.error(name.span, message);
            continue;
        }
        let structure = structure(&globals, name, declarations, report);
        globals.structures.push(structure);
    }
    for declaration in &file.globals {
        if declaration.hidden {
            let message = "`hidden` has no effect: this variable is part of the state";
            report.warning(declaration.span, message);
        }
        for item in &declaration.items {
            let mut store = std::mem::take(&mut globals.store);
            let places = (&mut globals, &mut store);
            let found = declared(
                places.0,
                places.1,
                None,
                &declaration.ty,
                item,
                true,
                report,
            );
            globals.store = store;
            let symbol = found.map_or(Symbol::Broken, |(v, _)| Symbol::Variable(v));
            add(&mut globals, &item.name, symbol, report);
        }
    }
    globals
}

fn add(globals: &mut Globals, name: &Name, symbol: Symbol, report: &mut Report) {
    if matches!(&*name.text, "_pid" | "_nr_pr" | "_last" | "_priority" | "_") {
        report.error(name.span, format!("`{}` is predefined", name.text));
    }
    if globals.names.insert(name.text.clone(), symbol).is_some() {
        let message = format!("`{}` is declared twice", shown(&name.text));
        report.error(name.span, message);
    }
}

fn structure(
    globals: &Globals,
    name: &Name,
    declarations: &[Declaration],
    report: &mut Report,
) -> Structure {
    let mut fields: Vec<Field> = Vec::new();
    let mut leaves = 0;
    for declaration in declarations {
        for item in &declaration.items {
            let Some(shape) = globals.shape(&declaration.ty, item.bits, report) else {
                continue;
            };
            if fields.iter().any(|f| f.name == item.name.text) {
                let message = format!("`{}` is declared twice", shown(&item.name.text));
                report.error(item.name.span, message);
            }
            let length = (item.length.as_ref()).map(|l| length(globals, None, l, report));
            let start = start(globals, None, &shape, item.initial.as_ref(), report);
            let first = leaves;
            leaves += globals.leaves(&shape);
            fields.push(Field {
                name: item.name.text.clone(),
                shape,
                length,
                first,
                start,
            });
        }
    }
    Structure {
        name: name.text.clone(),
        fields,
        leaves,
    }
}

/// The number of elements of an array.
fn length(
    globals: &Globals,
    local: Option<(&Store, &Scopes)>,
    e: &Expression,
    report: &mut Report,
) -> u32 {
    match constant(globals, local, e, report) {
        Some(n) if (1..=ELEMENTS).contains(&n) => n as u32,
        Some(n) => {
            report.error(e.span, format!("an array cannot have {n} elements"));
            1
        }
        None => 1,
    }
}

/// The value of a constant expression; a variable stands for its initial value, as in SPIN.
pub(super) fn constant(
    globals: &Globals,
    local: Option<(&Store, &Scopes)>,
    e: &Expression,
    report: &mut Report,
) -> Option<i64> {
    let before = report.errors();
    let value = Resolver {
        globals,
        faces: &[],
        local,
        report,
    }
    .value(e);
    match value {
        _ if report.errors() > before => None,
        Value::Number(n) => Some(n),
        Value::Read(cell) if !cell.local && cell.index.is_none() => {
            match globals.store.leaves[cell.leaf].start {
                Start::Value(Value::Number(n)) => Some(n),
                _ => Some(0),
            }
        }
        _ => {
            report.error(e.span, "this must be a constant");
            None
        }
    }
}

/// How a variable or field starts.
fn start(
    globals: &Globals,
    local: Option<(&Store, &Scopes)>,
    shape: &Shape,
    initial: Option<&Initial>,
    report: &mut Report,
) -> Start {
    let value = |e: &Expression, report: &mut Report| {
        let value = Resolver {
            globals,
            faces: &[],
            local,
            report,
        }
        .value(e);
        if value.any(&|v| matches!(v, Value::Run(..))) {
            report.error(e.span, "`run` does not stand in an initial value");
        }
        if let (Shape::Scalar(scalar), Value::Number(n)) = (shape, &value) {
            warn_if_cut(*scalar, *n, e.span, report);
        }
        value
    };
    match (initial, shape) {
        (None, _) => Start::Zero,
        (Some(Initial::Value(e)), Shape::Scalar(_)) => Start::Value(value(e, report)),
        (Some(Initial::List(all)), Shape::Scalar(_)) => {
            Start::List(all.iter().map(|e| value(e, report)).collect())
        }
        (Some(Initial::Channel(capacity, fields)), Shape::Scalar(Scalar::Chan)) => {
            let capacity_span = capacity.span;
            let capacity = match constant(globals, local, capacity, report) {
                Some(n) if (0..=255).contains(&n) => n as u32,
                Some(n) => {
                    let message = format!("a channel cannot hold {n} messages");
                    report.error(capacity.span, message);
                    0
                }
                None => 0,
            };
            let mut all = Vec::new();
            for ty in fields {
                message_fields(globals, ty, &mut all, report);
            }
            if all.len() > 255 {
                let (n, span) = (all.len(), capacity_span);
                report.error(span, format!("a message of {n} fields is too long"));
                all.truncate(1);
            }
            Start::Channel(Arc::new(Signature {
                capacity,
                fields: all,
            }))
        }
        (Some(Initial::Channel(capacity, _)), _) => {
            report.error(capacity.span, "only a variable of type `chan` starts so");
            Start::Zero
        }
        (Some(Initial::Value(_) | Initial::List(_)), Shape::Struct(_)) => {
            // SPIN takes no notice of it.
            let all = match initial {
                Some(Initial::List(all)) => all.iter(),
                Some(Initial::Value(e)) => std::slice::from_ref(e).iter(),
                _ => [].iter(),
            };
            for e in all {
                let local_resolver = Resolver {
                    globals,
                    faces: &[],
                    local,
                    report,
                };
                { local_resolver }.value(e);
                let message = "the initial value of a structure has no effect: its fields start as its type says";
                report.warning(e.span, message);
            }
            Start::Zero
        }
    }
}

fn message_fields(globals: &Globals, ty: &BaseType, out: &mut Vec<Scalar>, report: &mut Report) {
    let Some(shape) = globals.shape(ty, None, report) else {
        return;
    };
    let mut leaves = Vec::new();
    globals.flatten("", &shape, &[], &Start::Zero, &mut leaves);
    for leaf in leaves {
        for _ in 0..leaf.length().unwrap_or(1).min(256) {
            out.push(leaf.scalar);
        }
    }
}

/// Warns about a constant that does not fit.
pub(super) fn warn_if_cut(scalar: Scalar, n: i64, span: sempre_base::Span, report: &mut Report) {
    let stored = scalar.store(n);
    if stored != n {
        let message = format!(
            "{n} does not fit in `{}` and becomes {stored}",
            scalar.word()
        );
        report.warning(span, message);
    }
}

/// Declares one variable in a store: its number, and how it starts if it is to start by a statement.
pub(super) fn declared(
    globals: &Globals,
    store: &mut Store,
    scopes: Option<&Scopes>,
    ty: &BaseType,
    item: &super::ast::Declarator,
    at_once: bool,
    report: &mut Report,
) -> Option<(usize, Start)> {
    sempre_base::stop::checkpoint_now();
    let shape = globals.shape(ty, item.bits, report)?;
    // Values of variables of everybody may use those declared before.
    let known;
    let (globals, local) = match scopes {
        Some(scopes) => (globals, Some((&*store, scopes))),
        None => {
            known = Globals {
                store: store.clone(),
                ..globals.clone()
            };
            (&known, None)
        }
    };
    let length = (item.length.as_ref()).map(|l| length(globals, local, l, report));
    let start = start(globals, local, &shape, item.initial.as_ref(), report);
    if let (Start::List(values), None) = (&start, length) {
        let message = format!(
            "`{}` is not an array of {}",
            shown(&item.name.text),
            values.len()
        );
        report.error(item.name.span, message);
        return None;
    }
    let first = store.leaves.len();
    let dimensions: Vec<u32> = length.into_iter().collect();
    let count = store.variables.len();
    let mut leaves = Vec::new();
    let kept = if at_once { &start } else { &Start::Zero };
    let name = match store.leaves.iter().any(|l| l.name == *item.name.text) {
        true => format!("{}'{count}", item.name.text),
        false => item.name.text.to_string(),
    };
    globals.flatten(&name, &shape, &dimensions, kept, &mut leaves);
    let cells: u64 = leaves
        .iter()
        .map(|l| u64::from(l.length().unwrap_or(1)))
        .sum();
    if cells > CELLS {
        let message = format!(
            "`{}` has {cells} elements, which are too many",
            shown(&item.name.text)
        );
        report.error(item.name.span, message);
        return None;
    }
    store.leaves.extend(leaves);
    store.variables.push(Variable {
        shape,
        length,
        first,
    });
    Some((count, start))
}
