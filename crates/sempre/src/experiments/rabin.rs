//! The experiment of Bloemen, Duret-Lutz and van de Pol, "Model checking with generalized Rabin and Fin-less automata"
//! (STTT 2019): is it worth while to check generalised Rabin automata directly?
//!
//! Models with formulas ([`reference_set`](super::reference_set)), each of which becomes several automata of its violations:
//! a TGBA and a Fin-less automaton, checked by `ufscc`, and generalised Rabin automata from several translators,
//! checked by `favoid`, pair after pair; Fin-less ones are checked by `favoid`, too. Measured are CPU seconds, the sizes of automata
//! and products, the number of pairs, and the share of transitions in the Fin sets of the pair that is checked.
//!
//! How ours differs: the automata are made by our own translations, those of the paper's translators are taken where files of them
//! are given. A time is of the check alone, without the translation; in CPU seconds of all workers, so that other programs
//! on the machine do not count. The paper's have 16 workers.

use super::reference_set::Experiment;
use crate::check::Asked;
use crate::check::{
    AutomatonKind, Checker, Claim, Fairness, Property, Settings, Verdict, sources,
    translation::in_time,
};
use crate::cpu_time;
use sempre_base::Diagnostic;
use sempre_explicit::emptiness::{Algorithm, Pairs};
use sempre_explicit::product::Limits;
use sempre_lang::model::{Language, Model};
use sempre_omega::Alphabet;
use sempre_translate::translator::{Kind, Options, Translator};
use std::time::{Duration, Instant};

/// How to run it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Number of threads that search.
    pub workers: usize,
    /// What takes longer has no result: a translation, or a check.
    pub time: Duration,
    /// Memory for states.
    pub memory: Option<usize>,
    /// How several Rabin pairs are checked.
    pub pairs: Pairs,
}

/// Where an automaton comes from, and how it is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Our TGBA, by `ufscc`.
    Tgba,
    /// Our generalised Rabin automaton that need not be deterministic, by `favoid`.
    Tgra,
    /// Our deterministic one, by `favoid`.
    DeterministicTgra,
    /// Our Fin-less automaton, by `ufscc`.
    FinLess,
    /// The same, by `favoid`.
    FinLessFavoid,
    /// A generalised Rabin automaton of this translator, by `favoid`.
    Given(&'static str),
}

impl Source {
    /// All of them; the TGBA, with which they are compared, comes last.
    pub const ALL: [Source; 8] = [
        Source::Tgra,
        Source::DeterministicTgra,
        Source::Given("ltl3tela"),
        Source::Given("ltl3dra"),
        Source::Given("rabinizer3"),
        Source::FinLess,
        Source::FinLessFavoid,
        Source::Tgba,
    ];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Source::Tgba => "TGBA",
            Source::Tgra => "TGRA",
            Source::DeterministicTgra => "det. TGRA",
            Source::FinLess => "Fin-less",
            Source::FinLessFavoid => "Fin-less by favoid",
            Source::Given("ltl3tela") => "LTL3TELA",
            Source::Given("ltl3dra") => "LTL3DRA",
            Source::Given("rabinizer3") => "Rabinizer 3",
            Source::Given(name) => name,
        }
    }

    /// Its place in [`Source::ALL`].
    pub fn place(self) -> usize {
        Self::ALL.iter().position(|s| *s == self).unwrap_or(0)
    }

    fn algorithm(self) -> Algorithm {
        match self {
            Source::Tgba | Source::FinLess => Algorithm::Ufscc,
            _ => Algorithm::Favoid,
        }
    }

    fn options(self) -> Options {
        Options {
            kind: match self {
                Source::Tgba => Kind::Tgba,
                Source::FinLess | Source::FinLessFavoid => Kind::FinLess,
                _ => Kind::Tgra,
            },
            deterministic: self == Source::DeterministicTgra,
            ..Options::default()
        }
    }
}

/// What was measured with one automaton.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// States of the automaton.
    pub automaton: usize,
    /// Its Rabin pairs, or cases of its condition.
    pub pairs: usize,
    /// Seconds of the translation.
    pub translation: f64,
    /// Is there an accepting run? `None` if the check ended before its time.
    pub violated: Option<bool>,
    /// States of the product that were visited.
    pub states: u64,
    /// Transitions of the product that were taken, by all pairs.
    pub transitions: u64,
    /// Transitions among them in the Fin set of a pair.
    pub avoided: u64,
    /// CPU seconds.
    pub seconds: f64,
    /// Bytes for all that is known of the states.
    pub bytes: usize,
}

impl Figures {
    /// The share of Fin transitions.
    pub fn fin_share(&self) -> f64 {
        self.avoided as f64 / self.transitions.max(1) as f64
    }
}

/// What was measured with all automata of a formula, by the places of [`Source::ALL`]; `None` if there is no such automaton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The set of experiments.
    pub set: String,
    /// The model.
    pub model: String,
    /// The formula.
    pub id: String,
    /// The figures.
    pub figures: [Option<Figures>; Source::ALL.len()],
}

impl Row {
    /// Was the check with this automaton finished?
    pub fn finished(&self, source: Source) -> Option<&Figures> {
        self.figures[source.place()]
            .as_ref()
            .filter(|f| f.violated.is_some())
    }
}

/// The models of a set are read once, if experiments with the same one come after each other.
pub struct Bench {
    parameters: Parameters,
    current: Option<(String, Model, Checker)>,
}

/// The first of several complaints.
fn first(errors: Vec<Diagnostic>) -> String {
    (errors.into_iter().next()).map_or_else(String::new, |e| e.message)
}

impl Bench {
    /// With these parameters.
    pub fn new(parameters: Parameters) -> Self {
        Self {
            parameters,
            current: None,
        }
    }

    /// Runs one experiment.
    ///
    /// # Errors
    /// If the model, the formula or an automaton cannot be read, or two checks have different verdicts, in words.
    pub fn run(&mut self, set: &str, experiment: &Experiment) -> Result<Row, String> {
        let name = format!("{} {}", experiment.model, experiment.id);
        if self
            .current
            .as_ref()
            .is_none_or(|(n, ..)| *n != experiment.model)
        {
            self.current = None;
            let file = experiment.file.display();
            let text =
                std::fs::read_to_string(&experiment.file).map_err(|e| format!("{file}: {e}"))?;
            let language = match experiment.file.extension() {
                Some(e) if e == "pnml" => Language::Pnml,
                _ => Language::Dve,
            };
            let (model, _) = Model::read(language, &experiment.model, &text)
                .map_err(|errors| format!("{file}: {}", first(errors)))?;
            let checker = Checker::new(model.program(), Fairness::None)
                .map_err(|e| format!("{file}: {e:?}"))?;
            self.current = Some((experiment.model.clone(), model, checker));
        }
        let Some((_, model, checker)) = &self.current else {
            return Err(name);
        };
        let formula = sources::formula(model, &experiment.formula)
            .map_err(|errors| format!("{name}: {}", first(errors)))?;
        let mut row = Row {
            set: set.to_string(),
            model: experiment.model.clone(),
            id: experiment.id.clone(),
            ..Row::default()
        };
        let mut known = experiment.holds.map(|holds| !holds);
        for (place, source) in Source::ALL.into_iter().enumerate() {
            let made = match source {
                Source::Given(translator) => match experiment.automata.get(translator) {
                    Some(path) => {
                        let text = std::fs::read_to_string(path)
                            .map_err(|e| format!("{}: {e}", path.display()))?;
                        let read = sources::violations(model, translator, &text)
                            .map_err(|e| format!("{}: {}", path.display(), first(e)))?;
                        read.into_iter().next().map(|p| (p, Duration::ZERO))
                    }
                    None => None,
                },
                // As before.
                Source::FinLessFavoid => None,
                own => translated(&formula, own, self.parameters.time),
            };
            let Some((property, translation)) = made else {
                continue;
            };
            let mut ways = vec![(place, source)];
            if source == Source::FinLess {
                ways.push((Source::FinLessFavoid.place(), Source::FinLessFavoid));
            }
            for (place, source) in ways {
                let mut figures = check(checker, &property, source, &self.parameters)
                    .map_err(|e| format!("{name} with {}: {e}", source.name()))?;
                figures.translation = translation.as_secs_f64();
                if let (Some(a), Some(b)) = (known, figures.violated)
                    && a != b
                {
                    return Err(format!("{name} with {}: another verdict", source.name()));
                }
                known = known.or(figures.violated);
                row.figures[place] = Some(figures);
            }
        }
        Ok(row)
    }
}

/// The automaton of the violations of a formula, and the time it took; `None` if that was too long.
fn translated(formula: &Property, source: Source, time: Duration) -> Option<(Property, Duration)> {
    let begin = Instant::now();
    let claim = formula.claim.clone();
    let work = move || {
        let Claim::Formula(mut formulas, f) = claim else {
            return None;
        };
        let mut alphabet = Alphabet::new();
        // In the order of the propositions.
        for name in formulas.names().to_vec() {
            alphabet.declare(&name);
        }
        let negation = formulas.not(f);
        let options = source.options();
        let a = Translator::new().translate(&mut formulas, &mut alphabet, negation, options);
        Some(Claim::Violation(Box::new(alphabet), Box::new(a)))
    };
    let claim = in_time(begin.checked_add(time), None, work).ok()??;
    let property = Property {
        asked: Asked::Runs,
        claim,
        ..formula.clone()
    };
    Some((property, begin.elapsed()))
}

fn check(
    checker: &Checker,
    property: &Property,
    source: Source,
    parameters: &Parameters,
) -> Result<Figures, String> {
    let algorithm = source.algorithm();
    let settings = Settings {
        automaton: Some(match source {
            Source::Given(_) => AutomatonKind::Tgra,
            _ => AutomatonKind::Tela,
        }),
        algorithm: Some(algorithm),
        workers: parameters.workers,
        pairs: match algorithm {
            Algorithm::Favoid => parameters.pairs,
            _ => Pairs::OneByOne,
        },
        limits: Limits {
            time: Some(parameters.time),
            memory: parameters.memory,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let begin = cpu_time::process();
    let report = (checker.check(property, &settings)).map_err(|e| format!("{e:?}"))?;
    let end = cpu_time::process();
    let cpu = begin.zip(end).map(|(begin, end)| end.saturating_sub(begin));
    let statistics = &report.statistics;
    let facts = report.automaton.ok_or("no automaton")?;
    Ok(Figures {
        automaton: facts.states,
        pairs: facts.pairs.unwrap_or(usize::MAX),
        translation: 0.0,
        violated: match report.verdict {
            Verdict::Holds(_) => Some(false),
            Verdict::Violated(_) => Some(true),
            Verdict::Unknown(_) => None,
        },
        states: statistics.counters.states,
        transitions: statistics.counters.transitions,
        avoided: statistics.counters.avoided,
        seconds: cpu.unwrap_or(statistics.elapsed).as_secs_f64(),
        bytes: statistics.bytes,
    })
}
