//! The translators that are compared: ours with a set of options, or external commands.

use super::Made;
use super::external::{Scratch, Template};
use crate::Workbench;
use sempre_base::nearest;
use sempre_base::stop::{Cancel, cancellable, checkpoint_now};
use sempre_ltl::Formula;
use sempre_translate::translator::{Effort, Kind, Options};
use std::time::{Duration, Instant};

/// A translator.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// What it is called in tables: the text it was read from.
    pub name: String,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Own(Options),
    External(Template),
}

/// The words that may follow `sempre:`.
const WORDS: [&str; 10] = [
    "tgba",
    "ba",
    "tgra",
    "tela",
    "finless",
    "parity",
    "low",
    "medium",
    "high",
    "deterministic",
];

impl Candidate {
    /// Reads `sempre:tgba,low` and the like, or a command with `%f`, `%s` or `%l` for the formula.
    pub fn parse(text: &str) -> Result<Self, String> {
        let way = match text.strip_prefix("sempre:") {
            Some(words) => Way::Own(own_options(words)?),
            None => Way::External(Template::parse(text)?),
        };
        Ok(Self {
            name: text.to_string(),
            way,
        })
    }

    /// Is it a command of somebody else's?
    pub fn is_external(&self) -> bool {
        matches!(self.way, Way::External(_))
    }

    /// Translates a formula, and tells how long it took.
    pub fn translate(
        &self,
        bench: &mut Workbench,
        f: Formula,
        limit: Option<Duration>,
        scratch: &Scratch,
    ) -> (Made, Duration) {
        let start = Instant::now();
        match &self.way {
            Way::Own(options) => {
                // An arena and a translator of its own: what other candidates did must not show.
                let (formulas, f) = super::copy(&bench.formulas, f, str::to_string);
                let mut own = Workbench {
                    formulas,
                    alphabet: bench.alphabet.clone(),
                    ..Workbench::default()
                };
                let deadline = limit.and_then(|limit| start.checked_add(limit));
                let cancel = Cancel::current().child(deadline);
                let made = cancellable(&cancel, || own.translate(f, *options));
                // The time may not be the reason.
                checkpoint_now();
                let made = match made {
                    Ok(a) => {
                        bench.alphabet = own.alphabet;
                        Made::Automaton(a)
                    }
                    Err(_) => Made::TimedOut,
                };
                (made, start.elapsed())
            }
            Way::External(template) => template.translate(bench, f, limit, scratch),
        }
    }
}

fn own_options(words: &str) -> Result<Options, String> {
    let mut options = Options::default();
    for word in words.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        match word {
            "tgba" => options.kind = Kind::Tgba,
            "ba" => options.kind = Kind::Ba,
            "tgra" => options.kind = Kind::Tgra,
            "tela" => options.kind = Kind::Tela,
            "finless" => options.kind = Kind::FinLess,
            "parity" => options.kind = Kind::Parity,
            "low" => options.effort = Effort::Low,
            "medium" => options.effort = Effort::Medium,
            "high" => options.effort = Effort::High,
            "deterministic" => options.deterministic = true,
            _ => {
                let hint = match nearest(word, WORDS) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => format!("known are {}", WORDS.join(", ")),
                };
                return Err(format!("`{word}` is no option of a translator; {hint}"));
            }
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_read() {
        let c = Candidate::parse("sempre:tgba, low").unwrap();
        assert!(!c.is_external());
        assert!(Candidate::parse("ltl2tgba %f").unwrap().is_external());
        let unknown = Candidate::parse("sempre:tgba,lwo").unwrap_err();
        assert!(unknown.contains("did you mean `low`"), "{unknown}");
        assert!(Candidate::parse("ltl2tgba").is_err());
    }
}
