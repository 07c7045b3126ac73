//! Everything that is wrong with an input, no more than people want to read.

use sempre_base::{Diagnostic, Severity, Span, nearest};

/// More errors than these are not told.
const PATIENCE: usize = 20;
/// Names longer than this are not compared with others: that takes time with the square of the length.
const COMPARED: usize = 80;

/// A name in an input, and where it stands.
pub(crate) trait Named {
    fn named(&self) -> (&str, Span);
}

/// What was found wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Report {
    /// Adds what was not told before.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.contains(&diagnostic) {
            return;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= PATIENCE {
            self.list.push(diagnostic);
        }
    }

    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(span, message));
    }

    pub(crate) fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::warning(span, message));
    }

    /// How many errors there were, told or not.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Complains about a name that stands for nothing, with the nearest of those known.
    pub(crate) fn unknown<'k>(
        &mut self,
        name: &impl Named,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        if self.errors >= PATIENCE {
            self.errors += 1;
            return;
        }
        let (text, span) = name.named();
        let message = format!("there is no {what} `{}`", shown(text));
        let mut diagnostic = Diagnostic::error(span, message);
        let known = known.into_iter().filter(|k| k.len() <= COMPARED);
        // Any letter is near to any other.
        if (2..=COMPARED).contains(&text.len())
            && let Some(near) = nearest(text, known)
        {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        }
        self.push(diagnostic);
    }
}

/// A word as it is quoted in a message: not too long.
pub(crate) fn shown(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(40).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Word(&'static str);
    impl Named for Word {
        fn named(&self) -> (&str, Span) {
            (self.0, Span::new(0, self.0.len()))
        }
    }

    #[test]
    fn what_is_told_is_told_once_and_not_for_ever() {
        let mut report = Report::default();
        report.unknown(&Word("turm"), "variable", ["turn", "flag"]);
        report.unknown(&Word("turm"), "variable", ["turn", "flag"]);
        assert_eq!((report.list.len(), report.errors()), (1, 1));
        assert_eq!(report.list[0].help.as_deref(), Some("did you mean `turn`?"));
        for i in 0..100 {
            report.error(Span::new(i, i + 1), "wrong");
            report.warning(Span::new(i, i + 1), "odd");
        }
        assert_eq!((report.list.len(), report.errors()), (2 * PATIENCE, 101));
        assert_eq!(shown(&"x".repeat(50)).chars().count(), 41);
    }
}
