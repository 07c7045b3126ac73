//! Where something stands in the files of a model, and the calls of macros and inlines that brought it where it is used.

use std::fmt;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file as it was included; `None` for that of the model.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            None => write!(f, "line {}", self.line),
            Some(file) => write!(f, "{file}:{}", self.line),
        }
    }
}

/// A call of a macro or of an inline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// As it is written; of an inline, its name.
    pub text: Arc<str>,
    /// Where.
    pub place: Place,
    /// Is it one of a macro?
    pub is_macro: bool,
    /// The call whose body it is in.
    pub outer: Option<Arc<Call>>,
}

/// Where a step is written, in words.
pub struct Places<'a>(pub &'a [Place]);

impl fmt::Display for Places<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, place) in self.0.iter().enumerate() {
            let before = if i > 0 { ", from " } else { "" };
            write!(f, "{before}{place}")?;
        }
        Ok(())
    }
}
