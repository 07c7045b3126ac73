//! Where formulas come from: arguments and files, one formula per line.
//!
//! Each formula gets an arena of its own, so that what is done with it does not depend on the
//! formulas before it. A line that cannot be read is reported and does not spoil the others; the
//! command ends with status 2 all the same.

use crate::failure::{Failure, Outcome};
use crate::notices::show;
use clap::Args;
use sempre::base::{Diagnostic, Source, Span};
use sempre::ltl::{Formula, Formulas, ParseOptions, parse, parse_lbt, parse_list};
use sempre::omega::{Alphabet, Word};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The options that say which formulas to work on.
#[derive(Args, Clone, Debug)]
pub struct FormulaOptions {
    /// Formulas, one per argument
    #[arg(value_name = "FORMULA")]
    pub formulas: Vec<String>,

    /// Read formulas from LIST, one per line (`-` is standard input); a line may start with a name
    /// and a colon, and `#` and `//` start comments
    #[arg(long, short = 'f', value_name = "LIST", value_hint = clap::ValueHint::FilePath)]
    pub file: Vec<PathBuf>,

    /// Read formulas in the prefix syntax of LBT
    #[arg(long)]
    pub lbt: bool,
}

/// A formula that was read, in its own arena.
pub struct Input {
    /// The arena.
    pub formulas: Formulas,
    /// The formula, exactly as written.
    pub formula: Formula,
    /// Its name in the list.
    pub name: Option<String>,
}

/// Keep formulas as written.
const EXACT: ParseOptions = ParseOptions {
    exact: true,
    known: None,
};

impl FormulaOptions {
    /// Were none given?
    pub fn is_empty(&self) -> bool {
        self.formulas.is_empty() && self.file.is_empty()
    }

    /// Does `work` with each formula, in order.
    pub fn for_each(&self, mut work: impl FnMut(Input) -> Outcome<()>) -> Outcome<()> {
        if self.is_empty() {
            let text = "no formula: give one as an argument, or a list of them with --file";
            return Err(Failure::Message(text.to_string()));
        }
        let mut complaints = false;
        for (i, text) in self.formulas.iter().enumerate() {
            let name = match self.formulas.len() {
                1 => "formula".to_string(),
                _ => format!("formula {}", i + 1),
            };
            match self.read(text) {
                Ok(input) => work(input)?,
                Err(diagnostics) => {
                    complaints = true;
                    show(&Source::new(&name, text), &diagnostics);
                }
            }
        }
        for path in &self.file {
            let text = read_file(path)?;
            let name = shown_name(path);
            let mut base = 0;
            for line in text.split_inclusive('\n') {
                match self.read_line(line) {
                    Ok(Some(input)) => work(input)?,
                    Ok(None) => {}
                    Err(mut diagnostics) => {
                        complaints = true;
                        for d in &mut diagnostics {
                            d.span.start += base;
                            d.span.end += base;
                        }
                        show(&Source::new(&name, &text), &diagnostics);
                    }
                }
                base += line.len();
            }
        }
        if complaints {
            Err(Failure::Shown)
        } else {
            Ok(())
        }
    }

    fn read(&self, text: &str) -> Result<Input, Vec<Diagnostic>> {
        let mut formulas = Formulas::new();
        let reader = if self.lbt { parse_lbt } else { parse };
        let formula = reader(&mut formulas, text, &EXACT)?.formula;
        Ok(Input {
            formulas,
            formula,
            name: None,
        })
    }

    fn read_line(&self, line: &str) -> Result<Option<Input>, Vec<Diagnostic>> {
        if self.lbt {
            return match line.trim() {
                "" => Ok(None),
                text => self.read(text).map(Some),
            };
        }
        let mut formulas = Formulas::new();
        let (mut items, errors) = parse_list(&mut formulas, line, &EXACT);
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(items.pop().map(|item| Input {
            formulas,
            formula: item.formula.formula,
            name: item.name,
        }))
    }
}

/// Reads one formula that belongs to an option called `option`, into an arena that exists.
pub fn read_into(formulas: &mut Formulas, option: &str, text: &str) -> Outcome<Formula> {
    match parse(formulas, text, &EXACT) {
        Ok(parsed) => Ok(parsed.formula),
        Err(diagnostics) => {
            show(&Source::new(option, text), &diagnostics);
            Err(Failure::Shown)
        }
    }
}

/// Reads a word that belongs to an option.
pub fn read_word(alphabet: &mut Alphabet, option: &str, text: &str) -> Outcome<Word> {
    sempre::word::read_word(alphabet, text).map_err(|diagnostics| {
        show(&Source::new(option, text), &diagnostics);
        Failure::Shown
    })
}

/// What a file is called in complaints.
pub fn shown_name(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "standard input".to_string()
    } else {
        path.display().to_string()
    }
}

/// The bytes of a file; `-` is standard input.
pub fn read_bytes(path: &Path) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    let done = if path.as_os_str() == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(path).map(|b| bytes = b)
    };
    done.map_err(|e| Failure::file(path, "read", &e))?;
    Ok(bytes)
}

/// Bytes as text, in Latin-1 if they are not UTF-8.
pub fn latin_or_utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|e| e.as_bytes().iter().map(|&b| char::from(b)).collect())
}

/// The text of a file; `-` is standard input.
pub fn read_file(path: &Path) -> Outcome<String> {
    String::from_utf8(read_bytes(path)?).map_err(|e| {
        let place = e.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(e.as_bytes());
        let span = Span::new(place, place + char::REPLACEMENT_CHARACTER.len_utf8());
        let complaint = Diagnostic::error(span, "this is not UTF-8 text");
        show(&Source::new(&shown_name(path), &text), &[complaint]);
        Failure::Shown
    })
}
