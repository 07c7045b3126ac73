//! The operations of `sempre automaton`: options whose order matters.
//!
//! Each is one row of [`TABLE`]: name, value, help, and what it means. The rows become options of the
//! command line, and [`Operations`] collects them in the order in which they were given.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;

/// One step of the work on an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Intersect with the automaton of a file.
    Product(PathBuf),
    /// Unite with the automaton of a file.
    Sum(PathBuf),
    /// Exchange accepted and rejected words.
    Complement,
    /// One Büchi set, on states or on edges.
    Degeneralize { on_states: bool },
    /// Make it deterministic, with parity acceptance if need be.
    Determinize,
    /// Generalised Büchi acceptance.
    RemoveFin,
    /// A disjunction of generalised Büchi conditions.
    FinLess,
    /// Generalised Rabin acceptance.
    GeneralizedRabin,
    /// Make it smaller.
    Reduce,
    /// Remove states that no accepting run visits.
    Trim,
    /// Give every state an edge for every letter.
    Complete,
    /// Ask something.
    Ask(Question),
}

impl Operation {
    /// Does the automaton still deserve its name afterwards?
    pub fn keeps_the_language(&self) -> bool {
        !matches!(
            self,
            Operation::Product(_) | Operation::Sum(_) | Operation::Complement
        )
    }
}

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Does it accept nothing?
    Empty,
    /// Is it deterministic?
    Deterministic,
    /// Has every state an edge for every letter?
    Complete,
    /// Does it accept this word?
    Accepts(String),
    /// Does the automaton of a file accept all its words?
    IncludedIn(PathBuf),
    /// Does the automaton of a file accept the same words?
    EquivalentTo(PathBuf),
    /// Is it the automaton of a file up to the numbers of states?
    IsomorphicTo(PathBuf),
    /// Has it at most one accepting run for each word?
    Unambiguous,
    /// Does it accept a word whenever it accepts one that repeats other letters?
    StutterInvariant,
}

/// One row: an option and how to read it.
struct Row {
    name: &'static str,
    /// What the option takes, and what it may be if that is a short list.
    value: Option<(&'static str, &'static [&'static str])>,
    help: &'static str,
    heading: &'static str,
    make: fn(&str) -> Operation,
}

const CHANGES: &str = "Operations, applied in the order given";
const QUESTIONS: &str = "Questions, answered about the automaton so far";

const TABLE: &[Row] = &[
    Row {
        name: "product",
        value: Some(("FILE", &[])),
        help: "Intersect with the automaton in FILE",
        heading: CHANGES,
        make: |v| Operation::Product(v.into()),
    },
    Row {
        name: "sum",
        value: Some(("FILE", &[])),
        help: "Unite with the automaton in FILE",
        heading: CHANGES,
        make: |v| Operation::Sum(v.into()),
    },
    Row {
        name: "complement",
        value: None,
        help: "Exchange accepted and rejected words; the result is deterministic",
        heading: CHANGES,
        make: |_| Operation::Complement,
    },
    Row {
        name: "degeneralize",
        value: Some(("KIND", &["ba", "tba"])),
        help: "One Büchi set, on states (ba) or on edges (tba)",
        heading: CHANGES,
        make: |v| Operation::Degeneralize {
            on_states: v == "ba",
        },
    },
    Row {
        name: "determinize",
        value: None,
        help: "Make it deterministic, with parity acceptance if need be",
        heading: CHANGES,
        make: |_| Operation::Determinize,
    },
    Row {
        name: "remove-fin",
        value: None,
        help: "Make the acceptance generalised Büchi",
        heading: CHANGES,
        make: |_| Operation::RemoveFin,
    },
    Row {
        name: "fin-less",
        value: None,
        help: "Make the acceptance a disjunction of generalised Büchi conditions",
        heading: CHANGES,
        make: |_| Operation::FinLess,
    },
    Row {
        name: "generalized-rabin",
        value: None,
        help: "Make the acceptance generalised Rabin; states and edges stay",
        heading: CHANGES,
        make: |_| Operation::GeneralizedRabin,
    },
    Row {
        name: "reduce",
        value: None,
        help: "Make it smaller: useless states, simulations, simpler acceptance",
        heading: CHANGES,
        make: |_| Operation::Reduce,
    },
    Row {
        name: "trim",
        value: None,
        help: "Remove the states that no accepting run visits",
        heading: CHANGES,
        make: |_| Operation::Trim,
    },
    Row {
        name: "complete",
        value: None,
        help: "Give every state an edge for every letter",
        heading: CHANGES,
        make: |_| Operation::Complete,
    },
    Row {
        name: "is-empty",
        value: None,
        help: "Does it accept nothing?",
        heading: QUESTIONS,
        make: |_| Operation::Ask(Question::Empty),
    },
    Row {
        name: "is-deterministic",
        value: None,
        help: "Is it deterministic?",
        heading: QUESTIONS,
        make: |_| Operation::Ask(Question::Deterministic),
    },
    Row {
        name: "is-unambiguous",
        value: None,
        help: "Has it at most one accepting run for each word?",
        heading: QUESTIONS,
        make: |_| Operation::Ask(Question::Unambiguous),
    },
    Row {
        name: "is-complete",
        value: None,
        help: "Has every state an edge for every letter?",
        heading: QUESTIONS,
        make: |_| Operation::Ask(Question::Complete),
    },
    Row {
        name: "accepts",
        value: Some(("WORD", &[])),
        help: "Does it accept WORD, such as 'a & !b; cycle{b}'? What is not mentioned is false",
        heading: QUESTIONS,
        make: |v| Operation::Ask(Question::Accepts(v.to_string())),
    },
    Row {
        name: "included-in",
        value: Some(("FILE", &[])),
        help: "Does the automaton in FILE accept all its words?",
        heading: QUESTIONS,
        make: |v| Operation::Ask(Question::IncludedIn(v.into())),
    },
    Row {
        name: "equivalent-to",
        value: Some(("FILE", &[])),
        help: "Does the automaton in FILE accept the same words?",
        heading: QUESTIONS,
        make: |v| Operation::Ask(Question::EquivalentTo(v.into())),
    },
    Row {
        name: "isomorphic-to",
        value: Some(("FILE", &[])),
        help: "Is it the automaton in FILE, up to the numbers of states?",
        heading: QUESTIONS,
        make: |v| Operation::Ask(Question::IsomorphicTo(v.into())),
    },
    Row {
        name: "is-stutter-invariant",
        value: None,
        help: "Is it indifferent to repetitions of letters?",
        heading: QUESTIONS,
        make: |_| Operation::Ask(Question::StutterInvariant),
    },
];

/// The operations, in the order of the command line.
#[derive(Clone, Debug, Default)]
pub struct Operations(pub Vec<Operation>);

impl Args for Operations {
    fn augment_args(mut command: Command) -> Command {
        for row in TABLE {
            let mut arg = Arg::new(row.name)
                .long(row.name)
                .help(row.help)
                .help_heading(row.heading)
                .action(ArgAction::Append);
            arg = match row.value {
                Some((value, [])) => {
                    let hint = match value {
                        "FILE" => clap::ValueHint::FilePath,
                        _ => clap::ValueHint::Other,
                    };
                    arg.value_name(value).value_hint(hint)
                }
                Some((value, known)) => arg.value_name(value).value_parser(known.to_vec()),
                // `SetTrue` would forget how often and where.
                None => arg.num_args(0).default_missing_value(""),
            };
            command = command.arg(arg);
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Operations {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found: Vec<(usize, Operation)> = Vec::new();
        for row in TABLE {
            let values = matches.get_many::<String>(row.name).unwrap_or_default();
            let indices = matches.indices_of(row.name).unwrap_or_default();
            found.extend(indices.zip(values.map(|v| (row.make)(v))));
        }
        found.sort_by_key(|(index, _)| *index);
        Ok(Self(found.into_iter().map(|(_, op)| op).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_their_order() {
        let command = Operations::augment_args(Command::new("automaton"));
        let words = "automaton --complement --product x --is-empty --complement --degeneralize ba";
        let matches = command.get_matches_from(words.split(' '));
        let found = Operations::from_arg_matches(&matches).unwrap().0;
        let wanted = [
            Operation::Complement,
            Operation::Product("x".into()),
            Operation::Ask(Question::Empty),
            Operation::Complement,
            Operation::Degeneralize { on_states: true },
        ];
        assert_eq!(found, wanted);
    }
}
