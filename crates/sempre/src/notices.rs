//! What is said on standard error beside the results: errors, warnings and notes.
//!
//! Warnings are recorded, too: `--quiet` does not print them, and JSON has them all the same.

use crate::color::Palette;
use sempre::base::{Diagnostic, Severity, Source};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Are warnings recorded only?
static QUIET: AtomicBool = AtomicBool::new(false);

/// The warnings so far, each with the property that it is about, if it is about one.
static WARNINGS: Mutex<Vec<(Option<String>, Value)>> = Mutex::new(Vec::new());

fn recorded() -> MutexGuard<'static, Vec<(Option<String>, Value)>> {
    // Nobody panics while holding it.
    WARNINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on warnings and notes are not printed.
pub(crate) fn be_quiet() {
    // Relaxed, here and below: a flag for its own sake, set before there are other threads.
    QUIET.store(true, Relaxed);
}

fn is_quiet() -> bool {
    QUIET.load(Relaxed)
}

/// An error without a place.
pub(crate) fn error(text: &str) {
    let bad = Palette::stderr().bad;
    eprintln!("{bad}error{bad:#}: {text}");
}

/// A warning without a place.
pub(crate) fn warn(text: &str) {
    recorded().push((None, json!({ "message": text })));
    if !is_quiet() {
        let open = Palette::stderr().open;
        eprintln!("{open}warning{open:#}: {text}");
    }
}

/// Advice.
pub(crate) fn note(text: &str) {
    if !is_quiet() {
        eprintln!("note: {text}");
    }
}

/// Prints what is wrong with a text.
pub(crate) fn show(source: &Source, diagnostics: &[Diagnostic]) {
    show_about(None, source, diagnostics);
}

/// The same; warnings are about one property.
pub(crate) fn show_about(property: Option<&str>, source: &Source, diagnostics: &[Diagnostic]) {
    let palette = Palette::stderr();
    for d in diagnostics {
        if d.severity == Severity::Warning {
            let (line, column) = source.line_column(d.span.start);
            let warning = json!({
                "message": d.message,
                "file": source.name,
                "line": line,
                "column": column,
                "help": d.help,
            });
            recorded().push((property.map(str::to_string), warning));
            if is_quiet() {
                continue;
            }
        }
        eprint!(
            "{}",
            painted(&source.render(d).to_string(), d.severity, palette)
        );
    }
}

/// A rendered diagnostic in colours: its first word, and the carets.
fn painted(text: &str, severity: Severity, palette: Palette) -> String {
    let style = match severity {
        Severity::Error => palette.bad,
        Severity::Warning => palette.open,
    };
    let mut out = String::new();
    for (i, line) in text.lines().enumerate() {
        let carets = line.find('^').unwrap_or(line.len());
        let is_marker = line[..carets].chars().all(|c| matches!(c, ' ' | '|'));
        match line.split_once(':') {
            Some((word, rest)) if i == 0 => out += &format!("{style}{word}{style:#}:{rest}"),
            _ if is_marker && carets < line.len() => {
                let (before, marker) = line.split_at(carets);
                out += &format!("{before}{style}{marker}{style:#}");
            }
            _ => out += line,
        }
        out.push('\n');
    }
    out
}

/// The warnings about one property and those about none, for JSON.
pub(crate) fn warnings(property: Option<&str>) -> Value {
    let all = recorded();
    let wanted = all
        .iter()
        .filter(|(about, _)| about.is_none() || about.as_deref() == property);
    wanted.map(|(_, warning)| warning.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre::base::Span;

    #[test]
    fn the_word_and_the_carets_are_painted() {
        let source = Source::new("t", "ab ^ cd");
        let d = Diagnostic::error(Span::new(5, 7), "m: n");
        let text = source.render(&d).to_string();
        let plain = painted(&text, d.severity, Palette::default());
        assert_eq!(plain, text);
        let colored = painted(&text, d.severity, Palette::COLORED);
        assert_eq!(colored.matches('\u{1b}').count(), 6, "{colored:?}");
        assert_eq!(anstream::adapter::strip_str(&colored).to_string(), text);
    }
}
