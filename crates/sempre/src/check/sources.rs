//! Where properties come from.
//!
//! Each property has its own arena or alphabet, so that no property depends on those beside it. Complaints have the
//! spans of the text that was read.

use super::property::{Asked, Claim, Property, bind};
use crate::automata::read_automata;
use sempre_base::{Diagnostic, Severity, Span, nearest};
use sempre_lang::model::Model;
use sempre_lang::pnml::read_properties;
use sempre_ltl::parse::{Parsed, code_length};
use sempre_ltl::{Formulas, ParseOptions, parse, parse_list};
use sempre_model::intervals::constant_truth;
use sempre_omega::{Alphabet, Automaton, HoaOptions, write_hoa};

/// A formula; it is its own name.
///
/// # Errors
/// What is wrong with it.
pub fn formula(model: &Model, text: &str) -> Result<Property, Vec<Diagnostic>> {
    let mut formulas = Formulas::new();
    let known = |name: &str| model.is_known(name);
    let parsed = parse(&mut formulas, text, &options(&known))?;
    named(model, text.trim().to_string(), text, formulas, parsed)
}

fn options<'a>(known: &'a dyn Fn(&str) -> bool) -> ParseOptions<'a> {
    ParseOptions {
        exact: true,
        known: Some(known),
    }
}

/// Binds the propositions of a formula that was read from `text`.
fn named(
    model: &Model,
    name: String,
    text: &str,
    formulas: Formulas,
    parsed: Parsed,
) -> Result<Property, Vec<Diagnostic>> {
    let mut propositions = Vec::new();
    let mut errors = Vec::new();
    let mut warnings = parsed.warnings;
    for number in 0..formulas.names().len() {
        let place = (parsed.propositions.iter())
            .find(|(p, _)| *p == number)
            .map(|(_, span)| *span);
        let text = match place {
            Some(_) => text,
            None => formulas.name(number),
        };
        match bind(model, text, place) {
            Ok(proposition) => {
                let truth = constant_truth(model.program(), &proposition.meaning);
                if let Some((span, truth)) = place.zip(truth) {
                    let message =
                        format!("this is {truth} in all states, by the types of its variables");
                    warnings.push(Diagnostic::warning(span, message));
                }
                propositions.push(proposition);
            }
            Err(complaints) => errors.extend(complaints),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Property {
        asked: Asked::Runs,
        name,
        propositions,
        claim: Claim::Formula(Box::new(formulas), parsed.formula),
        warnings,
    })
}

/// A file of properties: the XML of the Model Checking Contest, or a list of formulas, one on a line, perhaps with a
/// name and a colon in front.
///
/// # Errors
/// What is wrong with it; also if there is no property in it.
pub fn file(model: &Model, text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let properties = match text.trim_start_matches(blank).starts_with('<') {
        true => contest(model, text),
        false => list(model, text),
    }?;
    if properties.is_empty() {
        let end = Span::new(text.len(), text.len());
        let nothing = Diagnostic::error(end, "there is no property here")
            .with_help("write formulas, one on a line: `name: G(request -> F grant)`");
        return Err(vec![nothing]);
    }
    Ok(properties)
}

fn list(model: &Model, text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let known = |name: &str| model.is_known(name);
    let mut properties = Vec::new();
    let mut errors = Vec::new();
    let mut base = 0;
    for line in text.split_inclusive('\n') {
        let shift = |complaints: &mut Vec<Diagnostic>| {
            for d in complaints {
                d.span.start += base;
                d.span.end += base;
            }
        };
        let mut formulas = Formulas::new();
        let (items, mut complaints) = parse_list(&mut formulas, line, &options(&known));
        shift(&mut complaints);
        errors.extend(complaints);
        if let Some(item) = items.into_iter().next() {
            let written = || {
                let code = &line[..code_length(line)];
                code.trim().to_string()
            };
            let name = item.name.unwrap_or_else(written);
            match named(model, name, line, formulas, item.formula) {
                Ok(mut property) => {
                    shift(&mut property.warnings);
                    properties.push(property);
                }
                Err(mut complaints) => {
                    shift(&mut complaints);
                    errors.extend(complaints);
                }
            }
        }
        base += line.len();
    }
    match errors.is_empty() {
        true => Ok(properties),
        false => Err(errors),
    }
}

fn contest(model: &Model, text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let mut properties = Vec::new();
    let mut errors = Vec::new();
    for found in read_properties(text)? {
        match formula(model, &found.formula) {
            Ok(property) => properties.push(Property {
                asked: found.asked,
                name: found.id,
                warnings: Vec::new(),
                ..property
            }),
            // Its text is ours, not the file's.
            Err(complaints) => errors.extend(complaints.into_iter().map(|d| Diagnostic {
                span: found.span,
                ..d
            })),
        }
    }
    match errors.is_empty() {
        true => Ok(properties),
        false => Err(errors),
    }
}

/// The properties with one of these names, in their order; all if there is no name.
///
/// # Errors
/// If there is no property of that name: in words.
pub fn only(all: Vec<Property>, names: &[String]) -> Result<Vec<Property>, String> {
    for name in names {
        if all.iter().any(|p| p.name == *name) {
            continue;
        }
        let known = || all.iter().map(|p| p.name.as_str());
        let hint = match nearest(name, known()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None if all.len() > 10 => String::new(),
            None => {
                let list: Vec<String> = known().map(|n| format!("`{n}`")).collect();
                format!("; there is {}", list.join(", "))
            }
        };
        return Err(format!("there is no property called `{name}`{hint}"));
    }
    let is_wanted = |p: &Property| names.is_empty() || names.contains(&p.name);
    Ok(all.into_iter().filter(is_wanted).collect())
}

/// That each of these processes goes on for ever.
///
/// # Errors
/// If the model has no such process: in words.
pub fn progress(model: &Model, names: &[String]) -> Result<Property, String> {
    let known = &model.program().processes;
    let find = |name: &String| {
        let place = known.iter().position(|p| p.name == *name);
        place.map(|p| p as u32).ok_or_else(|| {
            let names = || known.iter().map(|p| p.name.as_str());
            // `Sender` for `Sender[0]`, or `P` for `P_0`.
            let extends = |long: &&str| {
                let rest = long.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.starts_with(['[', '_', '(']))
            };
            let hint = match names().find(extends).or_else(|| nearest(name, names())) {
                Some(near) => format!("; did you mean `{near}`?"),
                None if known.is_empty() => "; it has none".to_string(),
                None if known.len() > 10 => String::new(),
                None => {
                    let list: Vec<String> = names().map(|n| format!("`{n}`")).collect();
                    format!("; there is {}", list.join(", "))
                }
            };
            format!("the model has no process `{name}`{hint}")
        })
    };
    let processes = names.iter().map(find).collect::<Result<Vec<u32>, _>>()?;
    Ok(Property {
        asked: Asked::Runs,
        name: format!("progress of {}", names.join(", ")),
        propositions: Vec::new(),
        claim: Claim::Progress(processes),
        warnings: Vec::new(),
    })
}

/// The automata of a text, each the violations of a property; `name` is for those without one.
///
/// # Errors
/// What is wrong with it.
pub fn violations(model: &Model, name: &str, text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let mut alphabet = Alphabet::new();
    let (read, complaints) = read_automata(&mut alphabet, text);
    if complaints.iter().any(|d| d.severity == Severity::Error) {
        return Err(complaints);
    }
    let mut properties = Vec::new();
    let mut errors = Vec::new();
    for (i, item) in read.iter().enumerate() {
        let (alphabet, automaton) = alone(&mut alphabet, &item.automaton);
        let mut propositions = Vec::new();
        for proposition in alphabet.names() {
            match bind(model, proposition, None) {
                Ok(bound) => propositions.push(bound),
                Err(complaints) => {
                    errors.extend(complaints.into_iter().map(|d| place(d, text, proposition)));
                }
            }
        }
        let name = match &item.automaton.name {
            Some(name) => name.clone(),
            None if read.len() == 1 => name.to_string(),
            None => format!("{name} {}", i + 1),
        };
        properties.push(Property {
            asked: Asked::Runs,
            name,
            propositions,
            claim: Claim::Violation(Box::new(alphabet), Box::new(automaton)),
            warnings: match i {
                0 => complaints.clone(),
                _ => Vec::new(),
            },
        });
    }
    match errors.is_empty() {
        true => Ok(properties),
        false => Err(errors),
    }
}

/// The automaton over an alphabet of its own.
fn alone(alphabet: &mut Alphabet, a: &Automaton) -> (Alphabet, Automaton) {
    let text = write_hoa(alphabet, a, &HoaOptions::default());
    let mut own = Alphabet::new();
    match read_automata(&mut own, &text).0.pop() {
        Some(copy) => (own, copy.automaton),
        // What was written is read; were it not, the shared alphabet has more names than needed, no worse.
        None => (alphabet.clone(), a.clone()),
    }
}

/// The complaint about a proposition, at the place where the text has it.
fn place(mut d: Diagnostic, text: &str, proposition: &str) -> Diagnostic {
    match text.find(proposition) {
        Some(start) => {
            d.span.start += start;
            d.span.end += start;
        }
        None => {
            d.message = format!("proposition `{proposition}`: {}", d.message);
            d.span = Span::new(0, 0);
        }
    }
    d
}
