//! The program IR: guarded actions over a vector of variables.
//!
//! Every input language is lowered to this small language, and everything else (interpreter, native code, read and
//! write sets, symbolic relations, export) is derived from it once, for all languages. So it is transparent: data, no
//! closures.
//!
//! * A **state** is a vector of cells, one integer each. A scalar variable is one cell, an array is as many as it has
//!   elements. [`Variable::first`] is the index of the first.
//! * Arithmetic is on 64-bit integers and wraps. A value that a variable cannot hold is handled when it is stored, as
//!   the type of the variable defines ([`Type`]).
//! * `&&`, `||`, `->` and the conditional evaluate from the left and no further than needed.
//! * An **erroneous step** (index out of range, division by zero, a failed assertion, a value that an exact type
//!   cannot hold) is a value, reported with its action, never a missing edge.
//! * An action belongs to a **priority class**: it is enabled only if its guard holds and no action of a higher class
//!   has a true guard (committed locations; with negative classes, `timeout`). The **exclusive register**, if the
//!   program has one, names a process (its number plus one; 0 for none) that alone may move as long as one of its
//!   actions is enabled: atomic sections.
//! * The **atomic register**, if the program has one, does the same without intermediate states: a step that leaves
//!   it naming a process is incomplete. That process continues, with its own actions (those whose first process it
//!   is) of class 0 or higher, until the register is 0 again or no such action is enabled; then the register is
//!   cleared. Only there the step ends, in one state for each of these sequences. A step belongs to the action that
//!   it starts with.

use std::fmt;

/// The number of a variable of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// The number of a process of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId(pub u32);

/// The values that a cell can hold, and the treatment of other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// 0 or 1; a stored value becomes 1 if it is not 0.
    Bool,
    /// An integer of `bits` bits (1 to 32), two's complement if `signed`; a stored value is taken
    /// modulo `2^bits`.
    Int {
        /// Width.
        bits: u8,
        /// Two's complement?
        signed: bool,
    },
    /// One of `0..names.len()`, shown by its name; storing anything else is an error.
    Enum {
        /// The names of the values.
        names: Vec<String>,
    },
    /// An integer between the bounds; storing anything else is an error.
    Range {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// A natural number without a known bound (tokens in a place): the layout of states widens as
    /// needed; storing a negative number is an error.
    Natural,
}

impl Type {
    /// DVE's `byte`.
    pub const BYTE: Type = Type::Int {
        bits: 8,
        signed: false,
    };
    /// A 16-bit signed integer.
    pub const SHORT: Type = Type::Int {
        bits: 16,
        signed: true,
    };
    /// A 32-bit signed integer.
    pub const INT: Type = Type::Int {
        bits: 32,
        signed: true,
    };

    /// The least and greatest value; for [`Type::Natural`] the latter is `i64::MAX`.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Type::Bool => (0, 1),
            Type::Int {
                bits,
                signed: false,
            } => (0, (1 << bits) - 1),
            Type::Int { bits, signed: true } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Type::Enum { names } => (0, names.len() as i64 - 1),
            Type::Range { min, max } => (*min, *max),
            Type::Natural => (0, i64::MAX),
        }
    }

    /// The value that a cell of this type holds after `value` is stored; `None` if that is an error.
    pub fn store(&self, value: i64) -> Option<i64> {
        let (min, max) = self.bounds();
        match self {
            Type::Bool => Some(i64::from(value != 0)),
            Type::Int { bits, signed } => {
                let low = value & ((1 << bits) - 1);
                Some(if *signed && low > max {
                    low - (1 << bits)
                } else {
                    low
                })
            }
            Type::Enum { .. } | Type::Range { .. } | Type::Natural => {
                (min <= value && value <= max).then_some(value)
            }
        }
    }
}

/// A variable: a scalar, or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its full name in the notation of the model: `turn`, `P_0.j`; for the location of a process, the name of the
    /// process.
    pub name: String,
    /// The type of each cell.
    pub ty: Type,
    /// Number of elements; `None` for a scalar.
    pub length: Option<u32>,
    /// Its first cell in the state vector.
    pub first: u32,
    /// The process it belongs to; `None` for a global variable.
    pub owner: Option<ProcessId>,
    /// Is it the location of its owner?
    pub is_location: bool,
}

impl Variable {
    /// Number of cells.
    pub fn cells(&self) -> u32 {
        self.length.unwrap_or(1)
    }
}

/// The location, number 0, of a process that does not exist: not yet, or no more.
pub const ABSENT: &str = "not running";

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name.
    pub name: String,
    /// The variable that holds its location, if it has locations.
    pub location: Option<VariableId>,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-a`
    Negate,
    /// `!a`: 1 if `a` is 0, else 0.
    Not,
    /// `~a`
    Complement,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Truncating; by zero it is an error; the least number by -1 wraps to itself.
    Divide,
    /// The remainder of [`Binary::Divide`]; by zero it is an error.
    Modulo,
    BitAnd,
    BitOr,
    BitXor,
    /// By the lowest six bits of the right operand.
    ShiftLeft,
    /// Arithmetic, by the lowest six bits of the right operand.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Evaluates its right operand only if the left one is true; gives 0 or 1.
    And,
    /// Evaluates its right operand only if the left one is false; gives 0 or 1.
    Or,
    /// `!a || b`
    Implies,
}

impl Binary {
    /// The negated comparison; `None` for other operators.
    pub fn negated(self) -> Option<Binary> {
        Some(match self {
            Binary::Equal => Binary::NotEqual,
            Binary::NotEqual => Binary::Equal,
            Binary::Less => Binary::GreaterEqual,
            Binary::LessEqual => Binary::Greater,
            Binary::Greater => Binary::LessEqual,
            Binary::GreaterEqual => Binary::Less,
            _ => return None,
        })
    }

    /// All operators.
    pub const ALL: [Self; 19] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Modulo,
        Self::BitAnd,
        Self::BitOr,
        Self::BitXor,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessEqual,
        Self::Greater,
        Self::GreaterEqual,
        Self::And,
        Self::Or,
        Self::Implies,
    ];

    /// The result of the operator; `None` for a division by zero.
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        Some(match self {
            Binary::Add => a.wrapping_add(b),
            Binary::Subtract => a.wrapping_sub(b),
            Binary::Multiply => a.wrapping_mul(b),
            Binary::Divide | Binary::Modulo if b == 0 => return None,
            Binary::Divide => a.wrapping_div(b),
            Binary::Modulo => a.wrapping_rem(b),
            Binary::BitAnd => a & b,
            Binary::BitOr => a | b,
            Binary::BitXor => a ^ b,
            Binary::ShiftLeft => a << (b & 63),
            Binary::ShiftRight => a >> (b & 63),
            Binary::Equal => i64::from(a == b),
            Binary::NotEqual => i64::from(a != b),
            Binary::Less => i64::from(a < b),
            Binary::LessEqual => i64::from(a <= b),
            Binary::Greater => i64::from(a > b),
            Binary::GreaterEqual => i64::from(a >= b),
            Binary::And => i64::from(a != 0 && b != 0),
            Binary::Or => i64::from(a != 0 || b != 0),
            Binary::Implies => i64::from(a == 0 || b != 0),
        })
    }
}

/// A cell that an expression reads or a statement writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A scalar variable.
    Scalar(VariableId),
    /// An element of an array; an index out of range is an error.
    Element(VariableId, Box<Expr>),
    /// A register that lives for one step, zero at its start; not part of the state.
    Register(u32),
}

/// An expression; its value is an integer, and every value but 0 is true.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A number.
    Constant(i64),
    /// The value of a cell.
    Read(Place),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`; evaluates only the one it needs.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// The constant true.
    pub const TRUE: Expr = Expr::Constant(1);
    /// The constant false.
    pub const FALSE: Expr = Expr::Constant(0);

    /// The value of a scalar variable.
    pub fn variable(v: VariableId) -> Expr {
        Expr::Read(Place::Scalar(v))
    }

    /// The value of an element of an array.
    pub fn element(v: VariableId, index: Expr) -> Expr {
        Expr::Read(Place::Element(v, Box::new(index)))
    }

    /// `left op right`
    pub fn binary(op: Binary, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    /// `left == right`
    pub fn equal(left: Expr, right: Expr) -> Expr {
        Self::binary(Binary::Equal, left, right)
    }

    /// `a op b op c …` for an associative operator, as a tree of logarithmic depth that evaluates from left to right;
    /// `None` for an empty list.
    pub fn balanced(op: Binary, mut parts: Vec<Expr>) -> Option<Expr> {
        while parts.len() > 1 {
            let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
            let mut rest = parts.into_iter();
            while let Some(left) = rest.next() {
                pairs.push(match rest.next() {
                    Some(right) => Self::binary(op, left, right),
                    None => left,
                });
            }
            parts = pairs;
        }
        parts.pop()
    }

    /// The conjunction, from the left; true for an empty list.
    pub fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
        parts
            .into_iter()
            .filter(|p| *p != Expr::TRUE)
            .reduce(|a, b| Self::binary(Binary::And, a, b))
            .unwrap_or(Expr::TRUE)
    }
}

/// A statement of an effect. Statements run in sequence, and each sees the writes of the earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Stores a value, as the type of the cell defines. The value is evaluated first, then the index of the place.
    Assign(Place, Expr),
    /// Runs one of two blocks.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Runs the block with the register at `from`, `from + 1`, …, up to but not including `to`; both are evaluated
    /// once. The register is set before each round, whatever the body assigned to it, and keeps its last value
    /// afterwards.
    For {
        /// The register.
        register: u32,
        /// The first value.
        from: Expr,
        /// One past the last value.
        to: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// An assertion of the model: the step is erroneous if it does not hold.
    Assert(Expr, String),
}

impl Stmt {
    /// Visits every place that a block may assign, with the registers that its loops count in.
    pub fn each_assigned(block: &[Stmt], visit: &mut dyn FnMut(&Place)) {
        for stmt in block {
            match stmt {
                Stmt::Assign(place, _) => visit(place),
                Stmt::If(_, then, otherwise) => {
                    Self::each_assigned(then, visit);
                    Self::each_assigned(otherwise, visit);
                }
                Stmt::For { register, body, .. } => {
                    visit(&Place::Register(*register));
                    Self::each_assigned(body, visit);
                }
                Stmt::Assert(..) => {}
            }
        }
    }
}

/// The behaviour of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// If the guard holds in the source state, the effect leads to one successor.
    Guarded {
        /// The guard.
        guard: Expr,
        /// The effect.
        effect: Vec<Stmt>,
    },
    /// A table over some cells: each row whose `from` matches leads to a successor with `to` in the
    /// cells of `writes`. For models given by their transitions.
    Table(Table),
}

/// A transition relation over a few cells, as rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The cells that are compared.
    pub reads: Vec<u32>,
    /// The cells that are written.
    pub writes: Vec<u32>,
    /// `(values of reads, values of writes)`, sorted.
    pub rows: Vec<(Vec<i64>, Vec<i64>)>,
    /// The acceptance marks of each row's edge, one bit each; empty if no row has any.
    pub marks: Vec<u64>,
}

impl Table {
    /// The acceptance marks of a row's edge.
    pub fn marks_of(&self, row: usize) -> u64 {
        self.marks.get(row).copied().unwrap_or(0)
    }
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The name that traces show: `P_0: NCS -> wait`.
    pub name: String,
    /// The processes that take part: one, two for a rendezvous, none for a net.
    pub processes: Vec<ProcessId>,
    /// Its priority class; 0 is the default.
    pub class: i8,
    /// Its guard and effect, or its table.
    pub behaviour: Behaviour,
}

impl Action {
    /// May the process whose number, plus one, the atomic register holds perform it?
    pub fn is_of_holder(&self, holder: i64) -> bool {
        let first = self.processes.first();
        self.class >= 0 && first.is_some_and(|p| i64::from(p.0) + 1 == holder)
    }
}

/// A program: a whole model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// The variables, in the order of their cells.
    pub variables: Vec<Variable>,
    /// The processes.
    pub processes: Vec<Process>,
    /// The actions.
    pub actions: Vec<Action>,
    /// The initial states, one value for each cell; at least one.
    pub initial: Vec<Vec<i64>>,
    /// The exclusive register, a scalar variable; see the module's documentation.
    pub exclusive: Option<VariableId>,
    /// The atomic register, a scalar variable; see the module's documentation.
    pub atomic: Option<VariableId>,
    /// Conditions that every reachable state must meet, with their names.
    pub assertions: Vec<(Expr, String)>,
    /// Locations in which the embedded property process, if there is one, accepts: an expression that
    /// is true in accepting states. Kept for checking.
    pub accepting: Option<Expr>,
    /// Number of acceptance marks that rows of tables can carry; only runs that see each of them infinitely often are
    /// considered.
    pub marks: u32,
    /// Number of registers that actions use.
    pub registers: u32,
}

impl Program {
    /// A program without variables.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            ..Self::default()
        }
    }

    /// Number of cells of a state.
    pub fn cells(&self) -> usize {
        self.variables
            .last()
            .map_or(0, |v| (v.first + v.cells()) as usize)
    }

    /// Declares a variable; its cells follow those of the variables before.
    pub fn declare(
        &mut self,
        name: &str,
        ty: Type,
        length: Option<u32>,
        owner: Option<ProcessId>,
    ) -> VariableId {
        let first = self.cells() as u32;
        self.variables.push(Variable {
            name: name.to_string(),
            ty,
            length,
            first,
            owner,
            is_location: false,
        });
        VariableId(self.variables.len() as u32 - 1)
    }

    /// Declares a process with these locations, if any; its location variable has its name.
    pub fn declare_process(&mut self, name: &str, locations: &[&str]) -> ProcessId {
        let id = ProcessId(self.processes.len() as u32);
        let location = (!locations.is_empty()).then(|| {
            let names = locations.iter().map(|l| (*l).to_string()).collect();
            let v = self.declare(name, Type::Enum { names }, None, Some(id));
            self.variables[v.0 as usize].is_location = true;
            v
        });
        self.processes.push(Process {
            name: name.to_string(),
            location,
        });
        id
    }

    /// The variable with that number.
    pub fn variable(&self, v: VariableId) -> &Variable {
        &self.variables[v.0 as usize]
    }

    /// The variable that a cell belongs to.
    pub fn variable_of_cell(&self, cell: u32) -> VariableId {
        let i = self.variables.partition_point(|v| v.first <= cell) - 1;
        VariableId(i as u32)
    }

    /// The name of a cell: `turn`, `pos[2]`.
    pub fn cell_name(&self, cell: u32) -> String {
        let v = self.variable(self.variable_of_cell(cell));
        match v.length {
            None => v.name.clone(),
            Some(_) => format!("{}[{}]", v.name, cell - v.first),
        }
    }

    /// The value of a cell as text: a number, or the name of a location or enum value.
    pub fn show_value(&self, cell: u32, value: i64) -> String {
        match &self.variable(self.variable_of_cell(cell)).ty {
            Type::Enum { names } => usize::try_from(value)
                .ok()
                .and_then(|i| names.get(i))
                .cloned()
                .unwrap_or_else(|| value.to_string()),
            _ => value.to_string(),
        }
    }
}

/// The reason why a step is erroneous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// An index outside an array.
    IndexOutOfRange {
        /// The array.
        variable: VariableId,
        /// The index.
        index: i64,
    },
    /// A division or remainder by zero.
    DivisionByZero,
    /// A value that its variable cannot hold.
    ValueOutOfRange {
        /// The variable.
        variable: VariableId,
        /// The value.
        value: i64,
    },
    /// A failed assertion, or another violation, described in words.
    Assertion(String),
    /// A step that never ends: its process continues for ever.
    Endless,
}

impl StepError {
    /// The error in words, with the names of the program.
    pub fn show<'a>(&'a self, program: &'a Program) -> impl fmt::Display + 'a {
        struct Shown<'a>(&'a StepError, &'a Program);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    StepError::IndexOutOfRange { variable, index } => {
                        let v = self.1.variable(*variable);
                        let n = v.cells();
                        write!(
                            f,
                            "index {index} is outside {}, which has {n} elements",
                            v.name
                        )
                    }
                    StepError::DivisionByZero => f.write_str("division by zero"),
                    StepError::ValueOutOfRange { variable, value } => {
                        write!(f, "{} cannot hold {value}", self.1.variable(*variable).name)
                    }
                    StepError::Assertion(text) => f.write_str(text),
                    StepError::Endless => f.write_str("an atomic sequence never ends"),
                }
            }
        }
        Shown(self, program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_follow_the_type() {
        assert_eq!(Type::BYTE.store(256), Some(0));
        assert_eq!(Type::BYTE.store(-1), Some(255));
        assert_eq!(Type::SHORT.store(32768), Some(-32768));
        assert_eq!(Type::INT.store(-5), Some(-5));
        assert_eq!(Type::Bool.store(7), Some(1));
        assert_eq!(Type::Natural.store(-1), None);
        assert_eq!(Type::Range { min: -2, max: 3 }.store(4), None);
        assert_eq!(Type::Range { min: -2, max: 3 }.store(-2), Some(-2));
        for ty in [Type::BYTE, Type::SHORT, Type::INT] {
            let (min, max) = ty.bounds();
            assert_eq!(ty.store(min), Some(min));
            assert_eq!(ty.store(max), Some(max));
            assert_eq!(ty.store(max + 1), Some(min));
        }
    }

    #[test]
    fn cells_have_names() {
        let mut p = Program::new("t");
        let turn = p.declare("turn", Type::BYTE, None, None);
        let process = p.declare_process("P", &["idle", "busy"]);
        let array = p.declare("P.a", Type::BYTE, Some(3), Some(process));
        assert_eq!(p.cells(), 5);
        assert_eq!(p.variable_of_cell(0), turn);
        assert_eq!(p.variable_of_cell(4), array);
        assert_eq!(p.cell_name(1), "P");
        assert_eq!(p.cell_name(4), "P.a[2]");
        assert_eq!(p.show_value(1, 1), "busy");
    }

    #[test]
    fn balanced_trees_keep_the_order() {
        for n in 0..40 {
            let parts: Vec<Expr> = (0..n).map(Expr::Constant).collect();
            fn leaves(e: &Expr, depth: u32, out: &mut Vec<i64>) -> u32 {
                match e {
                    Expr::Binary(_, a, b) => {
                        leaves(a, depth + 1, out).max(leaves(b, depth + 1, out))
                    }
                    Expr::Constant(c) => {
                        out.push(*c);
                        depth
                    }
                    _ => panic!("nothing else was put in"),
                }
            }
            let mut seen = Vec::new();
            let depth = Expr::balanced(Binary::And, parts).map_or(0, |e| leaves(&e, 0, &mut seen));
            assert_eq!(seen, (0..n).collect::<Vec<_>>());
            assert!(depth <= 6);
        }
    }
}
