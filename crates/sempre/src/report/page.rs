//! The page. What matters can be read without the script: verdict, sentence, automaton, counters, reasons. The script adds
//! the run.

use super::data::data;
use super::drawing::{self, Drawing, drawing};
use super::facts::facts;
use super::source::SourceText;
use super::truth::Tracks;
use super::{Piece, Subject, sentence};
use crate::check::translation::in_time;
use crate::check::{Asked, AutomatonKind, Claim, Verdict, answer_word, is_yes};
use crate::memory;
use sempre_omega::picture::escaped;
use sempre_translate::hierarchy::classify;
use sempre_translate::language::Language;
use sempre_translate::translator::Translator;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

const STYLE: &str = include_str!("page.css");
/// In one function, so that nothing of it is global.
const SCRIPT: &str = concat!(
    "(() => {\n",
    include_str!("rows.js"),
    include_str!("page.js"),
    "})();\n"
);

/// To say of which class a formula is may not take longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The page of some checks of one model; `title` is the name of the model, `source` its text, if that is to be read beside the runs.
pub fn page(title: &str, source: Option<SourceText<'_>>, subjects: &[Subject<'_>]) -> String {
    let mut body = String::new();
    let mut all = Vec::new();
    let mut contents = String::new();
    let mut executed = BTreeSet::new();
    let mut is_shown = false;
    for (i, subject) in subjects.iter().enumerate() {
        let name = escaped(&subject.property.name);
        let (class, word) = badge(subject);
        let _ = writeln!(
            contents,
            "<li><a href=\"#p{i}\"><span class=\"badge {class}\">{word}</span> <span>{name}</span></a></li>"
        );
        let lines = source.and_then(|source| source.lines(subject));
        is_shown |= lines.is_some();
        let lines = lines.unwrap_or_default();
        executed.extend(lines.iter().flatten().copied());
        all.push(section(&mut body, i, subject, &lines));
    }
    let contents = match subjects.len() {
        1 => String::new(),
        _ => format!("<nav><ol>\n{contents}</ol></nav>\n"),
    };
    // No `<` can end the script early; JSON has it in texts only.
    let json = |value: Value| value.to_string().replace('<', "\\u003c");
    let text = match source.filter(|_| is_shown) {
        Some(source) => source.data(&executed),
        None => Value::Null,
    };
    let (data, text) = (json(Value::Array(all)), json(text));
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}: sempre check</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header class=\"top\"><h1>{title}</h1><button type=\"button\" id=\"help-button\" title=\"keys\">?</button></header>\n\
         <noscript><p>The runs need JavaScript; all else is here.</p></noscript>\n\
         {contents}<main>\n{body}</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script type=\"application/json\" id=\"source\">{text}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// The answer: its class in the style sheet, and its word.
fn badge(subject: &Subject<'_>) -> (&'static str, &'static str) {
    let (asked, verdict) = (subject.property.asked, &subject.report.verdict);
    let class = match is_yes(asked, verdict) {
        Some(true) => "holds",
        Some(false) => "violated",
        None => "unknown",
    };
    (class, answer_word(asked, verdict))
}

/// Writes a section; its data.
fn section(body: &mut String, i: usize, subject: &Subject<'_>, lines: &[Vec<usize>]) -> Value {
    let (property, report) = (subject.property, subject.report);
    let (class, word) = badge(subject);
    let tracks = match (&property.claim, subject.evidence()) {
        (Claim::Formula(formulas, f), Some(run)) => {
            Tracks::new(formulas, *f, run.prefix(), run.cycle())
        }
        _ => None,
    };
    let drawing = drawing(subject);
    let _ = writeln!(
        body,
        "<section class=\"property\" id=\"p{i}\" data-section=\"{i}\" tabindex=\"-1\">\n<h2><span class=\"badge {class}\">{word}</span> \
         <span class=\"name\">{}</span></h2>",
        escaped(&property.name)
    );
    let (claim, class) = words(subject);
    let class = class.map_or(String::new(), |c| {
        format!(" <span class=\"class\">{c}</span>")
    });
    let _ = writeln!(body, "<p class=\"claim\">{claim}{class}</p>");
    let why = sentence(subject, tracks.as_ref());
    if !why.is_empty() {
        let _ = writeln!(body, "<p class=\"why\">{}</p>", html(&why));
    }
    if subject.evidence().is_some() {
        body.push_str("<div class=\"run\"></div>\n");
    }
    if let Some(drawing) = &drawing {
        automaton(body, subject, drawing);
    }
    body.push_str("<h3>What was done</h3>\n<table class=\"facts\">\n");
    let mut rows = facts(subject);
    rows.push(("seconds", format!("{:.3}", report.elapsed.as_secs_f64())));
    if let Some(bytes) = memory::peak() {
        rows.push(("memory", format!("{} MiB at most", bytes >> 20)));
    }
    for (name, value) in rows {
        let _ = writeln!(body, "<tr><th>{name}</th><td>{}</td></tr>", escaped(&value));
    }
    body.push_str("</table>\n");
    if !report.explanation.is_empty() {
        body.push_str("<h3>Why it was done so</h3>\n<ul class=\"reasons\">\n");
        for line in &report.explanation {
            let _ = writeln!(body, "<li>{}</li>", escaped(line));
        }
        body.push_str("</ul>\n");
    }
    body.push_str("</section>\n");
    data(subject, tracks.as_ref(), drawing.as_ref(), lines)
}

/// What the property claims, and its class if it is a formula.
fn words(subject: &Subject<'_>) -> (String, Option<String>) {
    match &subject.property.claim {
        Claim::Formula(formulas, f) if subject.property.asked == Asked::Reachable => {
            let text = drawing::text(formulas, *f);
            let text = format!(
                "Is a state reachable that <code>{}</code> excludes?",
                escaped(&text)
            );
            (text, None)
        }
        Claim::Formula(formulas, f) => {
            let text = drawing::text(formulas, *f);
            let (mut formulas, f) = (formulas.clone(), *f);
            let deadline = Instant::now().checked_add(PATIENCE);
            let class = in_time(deadline, None, move || {
                let mut translator = Translator::new();
                classify(&mut Language::new(&mut translator, &mut formulas, f)).to_string()
            });
            (format!("<code>{}</code>", escaped(&text)), class.ok())
        }
        Claim::Violation(..) => (
            "The property holds if the automaton below, which describes the violations, accepts no run of the model."
                .to_string(),
            None,
        ),
        Claim::NoFailure(_) => (
            "No step is erroneous, and no assertion fails.".to_string(),
            None,
        ),
        Claim::Progress(processes) => {
            let names = processes.iter().map(|&p| {
                let name = &subject.program.processes[p as usize].name;
                format!("<code>{}</code>", escaped(name))
            });
            let names: Vec<String> = names.collect();
            let names = names.join(", ");
            let text =
                format!("Each of these takes part in infinitely many steps of every run: {names}");
            (text, None)
        }
    }
}

fn html(pieces: &[Piece]) -> String {
    let mut out = String::new();
    for piece in pieces {
        let _ = match piece {
            Piece::Text(text) => write!(out, "{}", escaped(text)),
            Piece::Code(text) => write!(out, "<code>{}</code>", escaped(text)),
            Piece::Step(i) => write!(
                out,
                "<a class=\"step\" data-step=\"{i}\" href=\"#\">step {i}</a>"
            ),
        };
    }
    out
}

fn automaton(body: &mut String, subject: &Subject<'_>, drawing: &Drawing) {
    body.push_str("<h3>The automaton of the violations</h3>\n");
    let searched = subject.report.automaton.as_ref().map(|a| a.kind);
    let testing = matches!(searched, Some(AutomatonKind::Ta | AutomatonKind::Tgta));
    let mut notes = Vec::new();
    if testing {
        notes.push(format!(
            "The check observed changes with an automaton of another kind; this {} accepts the same runs.",
            drawing.kind
        ));
    }
    if let Verdict::Holds(_) = subject.report.verdict {
        notes.push("No run of the model is accepted.".to_string());
    }
    if drawing.svg.is_none() {
        notes.push("It is too large to be drawn.".to_string());
    }
    for note in notes {
        let _ = writeln!(body, "<p class=\"note\">{}</p>", escaped(&note));
    }
    if let Some(svg) = &drawing.svg {
        let _ = writeln!(body, "<div class=\"drawing\">\n{svg}</div>");
    }
}
