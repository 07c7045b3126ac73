//! How a command ends.

use sempre::base::Stop;
use std::io;
use std::path::Path;

/// The end of a command that did its work: also the answer to a yes/no question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Done, or yes: exit status 0.
    Yes,
    /// No: exit status 1.
    No,
    /// Stopped before there was an answer: exit status 3.
    Unknown,
}

impl From<bool> for Answer {
    fn from(yes: bool) -> Self {
        if yes { Answer::Yes } else { Answer::No }
    }
}

/// The end of a command that could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The complaints were printed already: exit status 2.
    Shown,
    /// What is still to be said, without `error:` in front: exit status 2.
    Message(String),
    /// Nobody reads our output any more: exit status 0.
    OutputClosed,
    /// What was asked for is too large, in words: exit status 3.
    TooLarge(String),
    /// A limit was reached, or somebody asked for an end, while this was done: exit status 3.
    Stopped(Stop, String),
}

impl Failure {
    /// Something went wrong with a file.
    pub fn file(path: &Path, doing: &str, error: &io::Error) -> Self {
        Failure::Message(format!("cannot {doing} `{}`: {error}", path.display()))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Failure::OutputClosed
        } else {
            Failure::Message(format!("cannot write: {error}"))
        }
    }
}

/// What commands return.
pub type Outcome<T = Answer> = Result<T, Failure>;
