//! What the names of a DVE file stand for.

use super::ast::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
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
