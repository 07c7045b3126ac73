//! The kind of safety of a formula, and what to do about it, for `sempre formula`.

use crate::failure::{Failure, Outcome};
use crate::input::{read_file, shown_name};
use crate::notices::show;
use sempre::Workbench;
use sempre::automata::{ReadAutomaton, read_automata};
use sempre::base::{Lasso, Source};
use sempre::ltl::{Formula, Syntax};
use sempre::omega::accepting_run::intersecting_word;
use sempre::omega::{Alphabet, Automaton, Letter};
use sempre::translate::finite_reading::{FiniteReading, finite_reading};
use sempre::translate::redundancy::without_pathology;
use sempre::translate::safety_kind::{SafetyKind, classify, safety_kind};
use sempre::translate::translator::{Effort, Options};
use sempre::word::write_word;
use std::path::{Path, PathBuf};

/// More states of finite automata than this, and the kind is left open.
const MOST_STATES: usize = 1 << 14;

/// The kind, if it was found, and a sentence about it.
pub struct Safety {
    pub kind: Option<String>,
    pub advice: String,
    /// Of an automaton from outside: can it be read as a finite one, and a sentence.
    pub finite_reading: Option<(bool, String)>,
}

/// Automata of violations from a file, one for each formula.
pub struct Violations {
    path: PathBuf,
    alphabet: Alphabet,
    automata: std::vec::IntoIter<ReadAutomaton>,
}

impl Violations {
    /// Reads all automata of a file.
    pub fn read(path: &Path) -> Outcome<Self> {
        let text = read_file(path)?;
        let mut alphabet = Alphabet::new();
        let (automata, complaints) = read_automata(&mut alphabet, &text);
        if !complaints.is_empty() {
            show(&Source::new(&shown_name(path), &text), &complaints);
            return Err(Failure::Shown);
        }
        Ok(Self {
            path: path.to_path_buf(),
            alphabet,
            automata: automata.into_iter(),
        })
    }

    /// The automaton of the next formula, with its alphabet.
    pub fn next(&mut self) -> Outcome<(Alphabet, Automaton)> {
        let automaton = self.automata.next().ok_or_else(|| {
            let name = shown_name(&self.path);
            Failure::Message(format!("there are more formulas than automata in `{name}`"))
        })?;
        Ok((self.alphabet.clone(), automaton.automaton))
    }
}

/// The kind of a safety formula; `simplified` is an equivalent one that may be of a better kind.
pub fn safety(
    bench: &mut Workbench,
    f: Formula,
    simplified: Formula,
    outside: Option<(Alphabet, Automaton)>,
) -> Outcome<Safety> {
    let mut finite_reading = None;
    let found = match outside {
        None => {
            let Workbench {
                formulas,
                alphabet,
                translator,
            } = &mut *bench;
            safety_kind(translator, formulas, alphabet, f, MOST_STATES)
        }
        Some((alphabet, violations)) => {
            bench.alphabet = alphabet;
            let options = Options {
                effort: Effort::Medium,
                ..Options::default()
            };
            let models = bench.translate(f, options);
            let shared = intersecting_word(&mut bench.alphabet.bdds, &models, &violations);
            if let Some(word) = shared {
                let word = write_word(&bench.alphabet, &models.propositions, &word);
                let f = bench.print(f, Syntax::Spot);
                return Err(Failure::Message(format!(
                    "--buchi needs an automaton of the violations of {f}, but it accepts {word}, \
                     which satisfies it"
                )));
            }
            finite_reading = Some(reading(bench, &models, &violations));
            let (formulas, alphabet) = (&mut bench.formulas, &mut bench.alphabet);
            classify(formulas, alphabet, f, &models, &violations, MOST_STATES)
        }
    };
    let advice = match &found {
        None => "its finite automata are too large to tell; check it with a Büchi automaton".into(),
        Some(SafetyKind::Intentional) => {
            "its finite automaton (translate --to dfa) finds every violation, as early as possible"
                .into()
        }
        Some(SafetyKind::Accidental { bad_prefix }) => format!(
            "its finite automaton (translate --to dfa) finds every violation, but not always as early \
             as possible: {}",
            late(bench, f, bad_prefix)
        ),
        Some(SafetyKind::Pathological { violation }) => {
            let variables = variables(bench, f);
            let word = write_word(&bench.alphabet, &variables, violation);
            let remedy = remedy(bench, f, simplified);
            format!("its finite automaton (translate --to dfa) would miss {word}; {remedy}")
        }
    };
    Ok(Safety {
        kind: found.map(|k| k.to_string()),
        advice,
        finite_reading,
    })
}

/// May the accepting states of the automaton be taken as final ones?
fn reading(bench: &mut Workbench, models: &Automaton, violations: &Automaton) -> (bool, String) {
    let found = finite_reading(&mut bench.alphabet.bdds, models, violations, MOST_STATES);
    let write = |word| write_word(&bench.alphabet, &models.propositions, word);
    let sentence = match &found {
        FiniteReading::Exact => {
            "yes: whatever reaches an accepting state is lost, and every violation reaches one"
                .into()
        }
        FiniteReading::TooMuch(word) => format!(
            "no: a prefix of {} reaches an accepting state, and it satisfies the formula",
            write(word)
        ),
        FiniteReading::TooLittle(word) => {
            format!(
                "no: {} violates the formula and reaches no accepting state",
                write(word)
            )
        }
        FiniteReading::NotBuchi => "no: it has no accepting states of a Büchi automaton".into(),
        FiniteReading::TooLarge => "unknown: it is too large".into(),
    };
    (found == FiniteReading::Exact, sentence)
}

/// The propositions of the formula, by their numbers in the alphabet.
fn variables(bench: &mut Workbench, f: Formula) -> Vec<u32> {
    let names = bench.formulas.propositions_of(f);
    let declare = |p| bench.alphabet.declare(bench.formulas.name(p));
    names.into_iter().map(declare).collect()
}

/// When a bad prefix is not recognised at once.
fn late(bench: &mut Workbench, f: Formula, bad_prefix: &[Letter]) -> String {
    if bad_prefix.is_empty() {
        return "nothing satisfies it, which it says after a step".to_string();
    }
    // A finite word is written as the prefix of a lasso; what comes behind it is left out.
    let word = Lasso::new(bad_prefix.to_vec(), vec![Letter::default()]);
    let variables = variables(bench, f);
    let text = write_word(&bench.alphabet, &variables, &word);
    let prefix = text.split("; cycle{").next().unwrap_or_default();
    format!("not after {prefix}")
}

/// What to do about a pathological formula.
fn remedy(bench: &mut Workbench, f: Formula, simplified: Formula) -> String {
    for start in [simplified, f] {
        let better = without_pathology(
            &mut bench.translator,
            &mut bench.formulas,
            start,
            MOST_STATES,
        );
        if let Some(better) = better {
            let text = bench.print(better, Syntax::Spot);
            return format!("use {text} instead, which means the same and is not pathological");
        }
    }
    "use the automaton of all its bad prefixes (translate --to dfa --all-prefixes), as check does, or a Büchi automaton".into()
}
