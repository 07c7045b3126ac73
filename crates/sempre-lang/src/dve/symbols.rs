//! What the names of a DVE file stand for, and the list of what is wrong with it.

use super::ast::{Name, Scalar};
use super::cursor::shown;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Severity, Span, nearest};
use sempre_model::Type;
use sempre_model::ir::VariableId;

/// What the name of a variable, constant or channel stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A constant.
    Constant(i64),
    /// A constant array: its values, and the variable that holds them for indices that are computed.
    Table(VariableId, Vec<i64>),
    /// A variable.
    Variable {
        id: VariableId,
        length: Option<u32>,
        scalar: Scalar,
    },
    /// The channel of that number.
    Channel(usize),
    /// Its declaration was wrong; that has been said.
    Broken,
}

pub(super) type Scope = FxHashMap<String, Symbol>;

/// A process and its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessSymbols {
    pub name: String,
    /// Where it is; `None` for the property process, which is not part of the program.
    pub location: Option<VariableId>,
    pub states: FxHashMap<String, u32>,
    pub scope: Scope,
}

/// All names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Symbols {
    pub globals: Scope,
    pub processes: Vec<ProcessSymbols>,
    pub process_index: FxHashMap<String, usize>,
    /// Constants that are declared but whose value is not known yet.
    pub pending: FxHashSet<String>,
}

impl Symbols {
    /// The process of that name that is part of the program.
    pub fn process(&self, name: &str) -> Option<&ProcessSymbols> {
        let process = &self.processes[*self.process_index.get(name)?];
        process.location.is_some().then_some(process)
    }

    /// What the name means inside of that process, or outside of all.
    pub fn lookup(&self, process: Option<usize>, name: &str) -> Option<&Symbol> {
        process
            .and_then(|p| self.processes[p].scope.get(name))
            .or_else(|| self.globals.get(name))
    }

    /// The processes of the program.
    pub fn process_names(&self) -> impl Iterator<Item = &str> {
        (self.processes.iter())
            .filter(|p| p.location.is_some())
            .map(|p| p.name.as_str())
    }
}

/// More errors than these are not told.
const PATIENCE: usize = 20;
/// Names longer than this are not compared with others: that takes time with the square of the length.
const COMPARED: usize = 80;

/// Everything wrong so far, no more than people want to read.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Report {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= PATIENCE && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::error(span, message));
    }

    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.push(Diagnostic::warning(span, message));
    }

    /// How many errors there were, told or not.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Complains about a name that stands for nothing, with the nearest of those known.
    pub fn unknown<'k>(
        &mut self,
        name: Name<'_>,
        what: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        if self.errors >= PATIENCE {
            self.errors += 1;
            return;
        }
        let message = format!("there is no {what} `{}`", shown(name.text));
        let mut diagnostic = Diagnostic::error(name.span, message);
        let known = known.into_iter().filter(|k| k.len() <= COMPARED);
        // Any letter is near to any other.
        if (2..=COMPARED).contains(&name.text.len())
            && let Some(near) = nearest(name.text, known)
        {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        }
        self.push(diagnostic);
    }
}

impl Scalar {
    /// The type of a cell.
    pub(super) fn ty(self) -> Type {
        match self {
            Scalar::Byte => Type::BYTE,
            Scalar::Int => Type::SHORT,
        }
    }

    /// The word of the language.
    pub(super) fn word(self) -> &'static str {
        match self {
            Scalar::Byte => "byte",
            Scalar::Int => "int",
        }
    }

    /// What is left of a value that is stored.
    pub(super) fn store(self, value: i64) -> i64 {
        match self {
            Scalar::Byte => i64::from(value as u8),
            Scalar::Int => i64::from(value as i16),
        }
    }
}
