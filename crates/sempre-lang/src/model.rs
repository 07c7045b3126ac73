//! A model of any language: what it is to engines, and what its propositions mean.

use crate::dve::{self, DveModel, PropertyProcess};
use crate::etf::{self, EtfModel, read_etf};
use crate::graph::{self, Graph, read_graph, read_kripke};
use crate::petri_net::PetriNet;
use crate::place::{Place, Places};
use crate::pnml::{NetScope, read_pnml};
use crate::promela::{self, PromelaModel, Reading};
use crate::source_lines;
use sempre_base::Diagnostic;
use sempre_model::ir::{Expr, Program, Type, VariableId};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use crate::source_lines::RunStep;

/// The languages a model may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// DiVinE's language, `.dve`.
    Dve,
    /// Petri nets as XML, `.pnml`.
    Pnml,
    /// LTSmin's tables, `.etf`.
    Etf,
    /// Explicit graphs, `.graph`.
    Graph,
    /// Kripke structures in the Hanoi format, `.hoa`.
    Hoa,
    /// SPIN's language, `.pml` and others.
    Promela,
}

impl Language {
    /// All of them, with the endings of their files.
    pub const ALL: [(Language, &'static str); 12] = [
        (Language::Dve, "dve"),
        (Language::Pnml, "pnml"),
        (Language::Etf, "etf"),
        (Language::Graph, "graph"),
        (Language::Hoa, "hoa"),
        (Language::Promela, "pml"),
        (Language::Promela, "promela"),
        (Language::Promela, "prom"),
        (Language::Promela, "pm"),
        (Language::Promela, "spin"),
        (Language::Promela, "pr"),
        (Language::Promela, "prm"),
    ];

    /// The language told by the ending of a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL
            .iter()
            .find(|(_, e)| *e == ending)
            .map(|&(language, _)| language)
    }
}

/// What a file describes, in the terms of its language.
#[derive(Clone, Debug)]
enum Source {
    Dve(Box<DveModel>),
    Net(PetriNet),
    Etf(EtfModel),
    Graph(Graph),
    Promela(Box<PromelaModel>),
}

/// A channel in which messages wait: an array for each part of a message, the first message in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// What the channel is called.
    pub name: String,
    /// How many messages wait.
    pub length: VariableId,
    /// The parts of messages.
    pub parts: Vec<VariableId>,
}

/// A statement that an action executes, in the terms of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStep {
    /// The number of the process.
    pub process: usize,
    /// What kind of process it is.
    pub name: String,
    /// The statement, not too long; `}` is the end of the process.
    pub statement: String,
    /// Where it is written, and then the calls of inlines and macros that brought it, the innermost first.
    pub places: Vec<Place>,
    /// What it passes on in a rendezvous, or prints.
    pub said: Option<Said>,
    /// The number of statements of the action's effect that come before it.
    pub after: usize,
}

/// Values that a statement passes on in a rendezvous, or prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The text of a `printf`, with its quotes; `None` for a rendezvous.
    pub format: Option<Arc<str>>,
    /// The values, with the types in which they are shown.
    pub values: Vec<(Expr, Type)>,
}

impl fmt::Display for SourceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            process,
            name,
            statement,
            places,
            ..
        } = self;
        let statement = match statement.as_str() {
            "}" => "terminates",
            statement => statement,
        };
        write!(f, "{name}[{process}]: {statement} ({})", Places(places))
    }
}

/// A model that was read.
#[derive(Clone, Debug)]
pub struct Model {
    program: Program,
    source: Source,
}

impl Model {
    /// Reads a model called `name`. With it come warnings.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(
        language: Language,
        name: &str,
        text: &str,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        Self::read_with(language, name, text, &|_| None, &Reading::default())
    }

    /// Reads a model; `include` finds the text of files that it includes, and `reading` says how to read Promela.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read_with(
        language: Language,
        name: &str,
        text: &str,
        include: &dyn Fn(&str) -> Option<String>,
        reading: &Reading,
    ) -> Result<(Self, Vec<Diagnostic>), Vec<Diagnostic>> {
        match language {
            Language::Dve => {
                let model = dve::read(name, text)?;
                let warnings = model.warnings.clone();
                let program = model.program.clone();
                let source = Source::Dve(Box::new(model));
                Ok((Self { program, source }, warnings))
            }
            Language::Pnml => {
                let net = read_pnml(text)?;
                let program = net.program();
                let source = Source::Net(net);
                Ok((Self { program, source }, Vec::new()))
            }
            Language::Etf => {
                let model = read_etf(text)?;
                let program = model.program.clone();
                let source = Source::Etf(model);
                Ok((Self { program, source }, Vec::new()))
            }
            Language::Promela => {
                let model = promela::read_with(name, text, include, reading)?;
                let warnings = model.warnings.clone();
                Ok((Self::of_promela(model), warnings))
            }
            Language::Graph | Language::Hoa => {
                let graph = if language == Language::Graph {
                    read_graph(text)?
                } else {
                    read_kripke(text)?
                };
                let program = graph.program();
                let source = Source::Graph(graph);
                Ok((Self { program, source }, Vec::new()))
            }
        }
    }

    /// A Promela model that was read already.
    pub fn of_promela(model: PromelaModel) -> Self {
        let program = model.program.clone();
        let source = Source::Promela(Box::new(model));
        Self { program, source }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Does the model declare this name, so that it is one in a formula, too, whatever letters it has?
    pub fn is_known(&self, name: &str) -> bool {
        match &self.source {
            Source::Dve(model) => model.is_known(name),
            Source::Net(net) => {
                (net.places.iter()).any(|p| p.id == name || p.name.as_deref() == Some(name))
            }
            Source::Etf(model) => model.is_known(name),
            Source::Graph(graph) => graph.is_known(name),
            Source::Promela(model) => model.is_known(name),
        }
    }

    /// The property that the file itself states, as the automaton of its violations.
    pub fn property(&self) -> Option<&PropertyProcess> {
        match &self.source {
            Source::Dve(model) => model.property.as_ref(),
            Source::Promela(model) => model.claims.first(),
            _ => None,
        }
    }

    /// The formulas that the file itself states, with their names.
    pub fn formulas(&self) -> &[(String, String)] {
        match &self.source {
            Source::Promela(model) => &model.formulas,
            _ => &[],
        }
    }

    /// Does the file itself state what its runs must do, by formulas, never claims or a property process? Labels alone do not.
    pub fn states_properties(&self) -> bool {
        match &self.source {
            Source::Dve(model) => model.property.is_some(),
            Source::Promela(model) => {
                let is_stated = |c: &PropertyProcess| c.name != promela::ACCEPTANCE_CYCLES;
                !model.formulas.is_empty() || model.claims.iter().any(is_stated)
            }
            _ => false,
        }
    }

    /// The program to explore for what fails: where the language tells states in which a system may end from those
    /// in which it may not, the latter are failures.
    pub fn explored(&self) -> Program {
        match &self.source {
            Source::Promela(model) => model.with_end_states(),
            _ => self.program.clone(),
        }
    }

    /// The channels in which messages wait.
    pub fn queues(&self) -> Vec<Queue> {
        match &self.source {
            Source::Dve(model) => model.queues.clone(),
            Source::Promela(model) => model.queues(),
            _ => Vec::new(),
        }
    }

    /// What stands in the file for each action, in the order of the program's actions, as far as the language has such: the statements of
    /// Promela, the transitions of DVE.
    pub fn sources(&self) -> Option<&[Vec<SourceStep>]> {
        match &self.source {
            Source::Dve(model) => Some(&model.source_steps),
            _ => self.source_steps(),
        }
    }

    /// The statements that the actions execute, in the order of the program's actions: one for most, two for a rendezvous. `None` if the language
    /// has no statements.
    pub fn source_steps(&self) -> Option<&[Vec<SourceStep>]> {
        match &self.source {
            Source::Promela(model) => Some(model.source_steps()),
            _ => None,
        }
    }

    /// The lines of `text`, which this model was read from, that each step of a run executes; none where the language does not
    /// tell. `None` for nets, whose text is not to be read beside a run.
    pub fn lines(&self, text: &str, steps: &[RunStep<'_>]) -> Option<Vec<Vec<usize>>> {
        Some(match &self.source {
            Source::Dve(model) => source_lines::of_names(&model.program, steps),
            Source::Promela(model) => source_lines::of_statements(model.source_steps(), steps),
            Source::Graph(_) => graph::text::lines_of_steps(text, steps),
            Source::Etf(model) => etf::reader::lines_of_steps(text, &model.program, steps),
            Source::Net(_) => return None,
        })
    }

    /// The proposition that a text says about the states of this model.
    ///
    /// # Errors
    /// What is wrong with the text; unknown names come with the nearest known ones.
    pub fn proposition(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        match &self.source {
            Source::Dve(model) => dve::proposition(model, text),
            Source::Net(net) => NetScope::new(net).proposition(text),
            Source::Etf(model) => model.proposition(text),
            Source::Graph(graph) => graph.proposition(text),
            Source::Promela(model) => promela::proposition(model, text),
        }
    }
}
