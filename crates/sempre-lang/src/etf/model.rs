//! What an ETF file holds, and propositions about it.

use crate::condition::{Equals, Operand, Scope, parse_condition};
use crate::membership::is_member;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, nearest};
use sempre_model::ir::{Binary, Expr, Program, Type, VariableId};

/// Rows that look at the same variables, and the values of the label.
type Rows = (Vec<VariableId>, Vec<(Vec<i64>, i64)>);

/// A state label: a function of the state, by enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateLabel {
    /// What it is called.
    pub name: String,
    /// The names of its values, if its sort has them.
    pub values: Vec<String>,
    /// The rows, by the variables they look at.
    pub(super) rows: Vec<Rows>,
}

impl StateLabel {
    /// `label == value`
    fn equals(&self, value: i64) -> Expr {
        let groups = self.rows.iter().map(|(variables, rows)| {
            let rows = rows.iter().filter(|(_, v)| *v == value);
            is_member(variables, rows.map(|(row, _)| row.clone()).collect())
        });
        Expr::balanced(Binary::Or, groups.collect()).unwrap_or(Expr::FALSE)
    }

    /// The number of its value; 0 where no row says anything.
    fn value(&self) -> Expr {
        let mut values: Vec<i64> = self.rows.iter().flat_map(|(_, r)| r).map(|r| r.1).collect();
        values.sort_unstable();
        values.dedup();
        let parts = values.into_iter().filter(|&v| v != 0).map(|v| match v {
            1 => self.equals(1),
            v => Expr::binary(Binary::Multiply, Expr::Constant(v), self.equals(v)),
        });
        Expr::balanced(Binary::Add, parts.collect()).unwrap_or(Expr::Constant(0))
    }
}

/// A model read from an ETF file.
#[derive(Clone, Debug, Default)]
pub struct EtfModel {
    /// The program: scalar variables and table actions.
    pub program: Program,
    /// The state labels, which are propositions.
    pub labels: Vec<StateLabel>,
    /// The first variable of each name.
    pub(super) variables: FxHashMap<String, VariableId>,
}

impl EtfModel {
    /// Is this the name of a variable or of a state label, or a value of a variable, `P_0.busy`?
    pub fn is_known(&self, name: &str) -> bool {
        self.name(name).is_ok()
    }

    /// The proposition that a text says: `x <= 2`, `P_0 == "busy"`, `P_0.busy`, `label`, `label == word`.
    pub fn proposition(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        parse_condition(text, self)
    }

    /// `variable == word`, where the word is a value of an enumeration.
    fn has_value(&self, variable: VariableId, word: &str) -> Option<Expr> {
        let Type::Enum { names } = &self.program.variable(variable).ty else {
            return None;
        };
        let value = names.iter().position(|n| n == word)?;
        Some(Expr::equal(
            Expr::variable(variable),
            Expr::Constant(value as i64),
        ))
    }
}

impl Scope for EtfModel {
    fn name(&self, name: &str) -> Result<Operand<'_>, (String, Option<String>)> {
        if let Some(&variable) = self.variables.get(name) {
            let equals: Equals<'_> = Box::new(move |word| self.has_value(variable, word));
            return Ok(Operand {
                value: Expr::variable(variable),
                equals: Some(equals),
            });
        }
        if let Some(label) = self.labels.iter().find(|l| l.name == name) {
            let equals: Equals<'_> = Box::new(move |word| {
                let value = label.values.iter().position(|v| v == word)?;
                Some(label.equals(value as i64))
            });
            return Ok(Operand {
                value: label.value(),
                equals: Some(equals),
            });
        }
        if let Some((variable, word)) = name.rsplit_once('.')
            && let Some(&variable) = self.variables.get(variable)
            && let Some(expr) = self.has_value(variable, word)
        {
            return Ok(Operand::number(expr));
        }
        let known = (self.program.variables.iter().map(|v| v.name.as_str()))
            .chain(self.labels.iter().map(|l| l.name.as_str()));
        let near = nearest(name, known).map(|n| format!("did you mean `{n}`?"));
        Err((
            format!("there is no variable or state label `{name}`"),
            near,
        ))
    }
}
