//! The variables, channels and processes of a file, in the order of DiVinE's state vector: variables of
//! all, buffers of channels, then each process with its location and its variables.

use super::ast::{Channel, Declaration, File, Initializer, Name, Process, Scalar};
use super::expressions::Resolver;
use super::symbols::{ProcessSymbols, Symbol, Symbols};
use crate::report::Report;
use crate::report::shown;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span};
use sempre_model::ir::{ProcessId, VariableId};
use sempre_model::{Program, Type};

/// More cells than these are refused: the file is hardly meant.
const CELLS: usize = 1 << 20;

/// A channel.
#[derive(Clone, Debug)]
pub(super) struct Carrier {
    pub name: String,
    /// The declared types of the parts of a message.
    pub types: Option<Vec<Scalar>>,
    /// Where messages wait, if they can.
    pub buffer: Option<Buffer>,
}

/// The cells of a buffered channel.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    /// One array for each part of a message.
    pub parts: Vec<VariableId>,
    /// How many messages wait.
    pub length: VariableId,
    pub capacity: u32,
}

/// Everything declared.
pub(super) struct Declared {
    pub program: Program,
    pub symbols: Symbols,
    pub channels: Vec<Carrier>,
    /// The number of each process of the file in the program; `None` for the property.
    pub processes: Vec<Option<ProcessId>>,
}

struct Declaring<'r> {
    program: Program,
    symbols: Symbols,
    initial: Vec<i64>,
    channels: Vec<Carrier>,
    report: &'r mut Report,
}

pub(super) fn declare(name: &str, file: &File<'_>, report: &mut Report) -> Declared {
    let mut d = Declaring {
        program: Program::new(name),
        symbols: Symbols::default(),
        initial: Vec::new(),
        channels: Vec::new(),
        report,
    };
    let mut taken = FxHashMap::default();
    let names = (file.declarations.iter().map(|x| x.name))
        .chain(file.channels.iter().map(|x| x.name))
        .chain(file.processes.iter().map(|x| x.name));
    for name in names {
        d.unique(&mut taken, name);
    }
    let property = file.property.and_then(|name| {
        let found = (file.processes.iter()).position(|p| p.name.text == name.text);
        if found.is_none() {
            let known = file.processes.iter().map(|p| p.name.text);
            d.report.unknown(&name, "process", known);
        }
        found
    });

    d.variables(&file.declarations, None);
    for channel in &file.channels {
        d.channel(channel);
    }
    let mut processes = Vec::new();
    for (i, process) in file.processes.iter().enumerate() {
        processes.push(d.process(process, property == Some(i)));
    }
    d.program.initial = vec![d.initial];
    Declared {
        program: d.program,
        symbols: d.symbols,
        channels: d.channels,
        processes,
    }
}

impl Declaring<'_> {
    fn unique<'a>(&mut self, taken: &mut FxHashMap<&'a str, Span>, name: Name<'a>) {
        if taken.insert(name.text, name.span).is_some() {
            let message = format!("`{}` is declared a second time", shown(name.text));
            self.report.error(name.span, message);
        }
    }

    fn resolver(&mut self, process: Option<usize>) -> Resolver<'_> {
        Resolver {
            symbols: &self.symbols,
            report: self.report,
            process,
            proposition: false,
        }
    }

    /// Declares variables of the process of that number (the last one), or of all.
    fn variables(&mut self, declarations: &[Declaration<'_>], process: Option<usize>) {
        let constants = declarations.iter().filter(|d| d.constant);
        self.symbols.pending = constants.map(|d| d.name.text.to_string()).collect();
        for declaration in declarations {
            let symbol = self.variable(declaration, process);
            let name = declaration.name.text.to_string();
            self.symbols.pending.remove(&name);
            match process {
                None => self
                    .symbols
                    .globals
                    .insert(name, symbol.unwrap_or(Symbol::Broken)),
                Some(p) => {
                    (self.symbols.processes[p].scope).insert(name, symbol.unwrap_or(Symbol::Broken))
                }
            };
        }
    }

    fn variable(&mut self, d: &Declaration<'_>, process: Option<usize>) -> Option<Symbol> {
        let length = match &d.length {
            None => None,
            Some(e) => {
                let n = self.resolver(process).constant(e)?;
                Some(self.size(n, e.span)?)
            }
        };
        let mut values = vec![0; length.unwrap_or(1) as usize];
        match (&d.initializer, length) {
            (None, _) if d.constant => {
                let message = format!("the constant `{}` has no value", shown(d.name.text));
                self.report.error(d.name.span, message);
                return None;
            }
            (None, _) => {}
            (Some(Initializer::One(e)), None) => values[0] = self.initial_value(d, e, process)?,
            (Some(Initializer::Many(es, span)), Some(n)) => {
                // DiVinE and LTSmin ignore what is too much.
                if let Some(surplus) = es.get(n as usize) {
                    let surplus = surplus.span.to(es.last().map_or(*span, |e| e.span));
                    let message = format!(
                        "{} values for an array of {n} elements: these are ignored",
                        es.len()
                    );
                    self.report.warning(surplus, message);
                }
                for (i, e) in es.iter().enumerate() {
                    let value = self.initial_value(d, e, process)?;
                    if let Some(place) = values.get_mut(i) {
                        *place = value;
                    }
                }
            }
            (Some(Initializer::One(e)), Some(_)) => {
                let error = Diagnostic::error(e.span, "an array starts with a list of values");
                self.report
                    .push(error.with_help("write the values in braces: `{0, 1, 2}`"));
                return None;
            }
            (Some(Initializer::Many(_, span)), None) => {
                self.report
                    .error(*span, "a list of values is for an array only");
                return None;
            }
        }
        if d.constant && length.is_none() {
            return Some(Symbol::Constant(values[0]));
        }
        let owner = process.map(|p| ProcessId(self.program_process(p)));
        let name = match process {
            Some(p) => format!("{}.{}", self.symbols.processes[p].name, d.name.text),
            None => d.name.text.to_string(),
        };
        let id = (self.program).declare(&name, d.scalar.ty(), length, owner);
        self.initial.extend_from_slice(&values);
        Some(if d.constant {
            Symbol::Table(id, values)
        } else {
            Symbol::Variable {
                id,
                length,
                scalar: d.scalar,
            }
        })
    }

    /// The number in the program of a process that is being declared.
    fn program_process(&self, process: usize) -> u32 {
        let before = &self.symbols.processes[..process];
        before.iter().filter(|p| p.location.is_some()).count() as u32
    }

    fn initial_value(
        &mut self,
        d: &Declaration<'_>,
        e: &super::ast::Expression<'_>,
        process: Option<usize>,
    ) -> Option<i64> {
        let value = self.resolver(process).constant(e)?;
        let stored = d.scalar.store(value);
        if stored != value {
            let word = d.scalar.word();
            let message = format!("{value} does not fit in `{word}` and becomes {stored}");
            self.report.warning(e.span, message);
        }
        Some(stored)
    }

    /// The length of an array or buffer, if it is sensible.
    fn size(&mut self, n: i64, span: Span) -> Option<u32> {
        match u32::try_from(n) {
            Ok(n) if n > 0 && self.program.cells() + n as usize <= CELLS => Some(n),
            Ok(n) if n > 0 => {
                let message = format!("the variables have more than {CELLS} elements together");
                self.report.error(span, message);
                None
            }
            _ => {
                self.report
                    .error(span, format!("an array cannot have {n} elements"));
                None
            }
        }
    }

    fn channel(&mut self, channel: &Channel<'_>) {
        let symbol = self.carrier(channel).map_or(Symbol::Broken, |carrier| {
            self.channels.push(carrier);
            Symbol::Channel(self.channels.len() - 1)
        });
        (self.symbols.globals).insert(channel.name.text.to_string(), symbol);
    }

    fn carrier(&mut self, channel: &Channel<'_>) -> Option<Carrier> {
        let name = channel.name.text;
        let mut carrier = Carrier {
            name: name.to_string(),
            types: channel.types.clone(),
            buffer: None,
        };
        let Some(written) = &channel.capacity else {
            return Some(carrier);
        };
        let capacity = self.resolver(None).constant(written)?;
        if capacity == 0 {
            return Some(carrier);
        }
        let Some(types) = &channel.types else {
            let message = format!("`{}` needs the types of its messages", shown(name));
            let help = format!("declare it as `channel {{byte}} {}[…]`", shown(name));
            self.report
                .push(Diagnostic::error(channel.name.span, message).with_help(help));
            return None;
        };
        let mut parts = Vec::new();
        for (i, scalar) in types.iter().enumerate() {
            let capacity = self.size(capacity, written.span)?;
            let part = if types.len() == 1 {
                name.to_string()
            } else {
                format!("{name}.{i}")
            };
            parts.push((self.program).declare(&part, scalar.ty(), Some(capacity), None));
            self.initial.resize(self.program.cells(), 0);
        }
        let capacity = self.size(capacity, written.span)?;
        let ty = Type::Range {
            min: 0,
            max: i64::from(capacity),
        };
        let length = (self.program).declare(&format!("{name}.length"), ty, None, None);
        self.initial.push(0);
        carrier.buffer = Some(Buffer {
            parts,
            length,
            capacity,
        });
        Some(carrier)
    }

    fn process(&mut self, process: &Process<'_>, is_property: bool) -> Option<ProcessId> {
        let index = self.symbols.processes.len();
        let name = process.name.text;
        let mut taken = FxHashMap::default();
        let mut states = FxHashMap::default();
        for (i, state) in process.states.iter().enumerate() {
            self.unique(&mut taken, *state);
            states.insert(state.text.to_string(), i as u32);
        }
        let initial = self.initial_state(process, &states);
        let mut id = None;
        let mut location = None;
        if !is_property {
            let names: Vec<&str> = process.states.iter().map(|s| s.text).collect();
            let declared = self.program.declare_process(name, &names);
            location = self.program.processes[declared.0 as usize].location;
            id = Some(declared);
            self.initial
                .resize(self.program.cells(), i64::from(initial));
        }
        self.symbols.processes.push(ProcessSymbols {
            name: name.to_string(),
            location,
            states,
            scope: FxHashMap::default(),
        });
        self.symbols.process_index.insert(name.to_string(), index);

        let mut taken = FxHashMap::default();
        for declaration in &process.declarations {
            self.unique(&mut taken, declaration.name);
            if is_property && !declaration.constant {
                let message = "a property process has no variables";
                self.report.error(declaration.name.span, message);
            }
        }
        if is_property {
            // Its arrays of constants, if any, belong to nobody.
            let constants: Vec<Declaration<'_>> =
                (process.declarations.iter().filter(|d| d.constant).cloned()).collect();
            self.property_constants(&constants, index);
        } else {
            self.variables(&process.declarations, Some(index));
        }
        id
    }

    fn property_constants(&mut self, constants: &[Declaration<'_>], index: usize) {
        for d in constants {
            if d.length.is_some() {
                let message = "a property process has no arrays";
                self.report.error(d.name.span, message);
            }
        }
        let scalars: Vec<Declaration<'_>> =
            (constants.iter().filter(|d| d.length.is_none()).cloned()).collect();
        self.variables(&scalars, Some(index));
    }

    fn initial_state(&mut self, process: &Process<'_>, states: &FxHashMap<String, u32>) -> u32 {
        let name = process.name;
        if process.states.is_empty() {
            let message = format!("process `{}` has no locations", shown(name.text));
            let help = "declare them with `state`";
            self.report
                .push(Diagnostic::error(name.span, message).with_help(help));
            return 0;
        }
        let Some(initial) = process.initial else {
            let message = format!("process `{}` has no initial location", shown(name.text));
            let help = "declare it with `init`";
            self.report
                .push(Diagnostic::error(name.span, message).with_help(help));
            return 0;
        };
        match states.get(initial.text) {
            Some(&state) => state,
            None => {
                let what = format!("location of process `{}` called", shown(name.text));
                self.report
                    .unknown(&initial, &what, states.keys().map(String::as_str));
                0
            }
        }
    }
}
