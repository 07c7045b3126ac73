//! `sempre translate`: formulas to automata.
//!
//! Testing automata are objects of their own, and what they cannot be printed as is refused. In the
//! Hanoi format they read words of changes, which the names of the propositions say. Finite automata
//! accept the informative bad prefixes of the formula, and so speak of its violations.

use crate::failure::{Answer, Failure, Outcome};
use crate::input::{FormulaOptions, Input};
use crate::limits::LimitOptions;
use crate::output::OutputOptions;
use crate::printer::{self, Format, Printer};
use clap::{Args, ValueEnum};
use sempre::Workbench;
use sempre::automata::ReadAutomaton;
use sempre::ltl::{Formula, Syntax, word};
use sempre::omega::finite::{
    bad_prefixes, finite_picture, to_terminal, write_finite_hoa, write_safety_claim,
};
use sempre::omega::hoa::Known;
use sempre::omega::testing::change_words::{ta_over_changes, tgta_over_changes};
use sempre::omega::testing::{Limits, Ta, TestingStats, Tgta};
use sempre::omega::{Alphabet, HoaOptions, Picture, write_hoa};
use sempre::translate::couvreur;
use sempre::translate::hierarchy::is_safety;
use sempre::translate::informative_prefixes;
use sempre::translate::language::Language;
use sempre::translate::testing::{self, TestingError};
use sempre::translate::translator::{Effort, Kind, Options};
use serde_json::{Value, json};
use std::time::Instant;

/// Translate LTL formulas to ω-automata, or to finite automata of their bad prefixes
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(flatten)]
    input: FormulaOptions,

    /// The kind of automaton
    #[arg(long, value_enum, value_name = "KIND", default_value_t = KindName::Tgba,
          default_value_if("format", "spin", "ba"))]
    to: KindName,

    /// How to print it
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Hoa)]
    format: Format,

    /// How much work to put into a small result
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = Level::High)]
    effort: Level,

    /// Prefer a deterministic automaton to a small one
    #[arg(long)]
    deterministic: bool,

    /// With `--to dfa`: all bad prefixes, not the informative ones alone
    #[arg(long)]
    all_prefixes: bool,

    /// Translate the negation of each formula
    #[arg(long)]
    negate: bool,

    /// Refuse an automaton of more edges; status 3
    #[arg(long, value_name = "N", default_value_t = couvreur::Limits::DEFAULT.edges)]
    max_edges: usize,

    #[command(flatten)]
    limits: LimitOptions,

    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Generalised Büchi, acceptance on edges
    Tgba,
    /// Büchi, acceptance on states
    Ba,
    /// Generalised Rabin, acceptance on edges; deterministic for every formula with --deterministic
    Tgra,
    /// Any acceptance on edges, whatever makes it small; deterministic for every formula with --deterministic
    Tela,
    /// A disjunction of generalised Büchi conditions, made from the generalised Rabin automaton
    Finless,
    /// Deterministic, with parity acceptance on edges
    Parity,
    /// Testing automaton with Büchi and livelock accepting states, if the formula is stutter-invariant
    Ta,
    /// Transition-based generalised testing automaton, if the formula is stutter-invariant
    Tgta,
    /// Finite automaton of the informative bad prefixes of the formula
    Nfa,
    /// The minimal deterministic one
    Dfa,
}

impl KindName {
    fn name(self) -> &'static str {
        match self {
            KindName::Tgba => "tgba",
            KindName::Ba => "ba",
            KindName::Tgra => "tgra",
            KindName::Tela => "tela",
            KindName::Finless => "finless",
            KindName::Parity => "parity",
            KindName::Ta => "ta",
            KindName::Tgta => "tgta",
            KindName::Nfa => "nfa",
            KindName::Dfa => "dfa",
        }
    }
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Ba | KindName::Ta => Kind::Ba,
            KindName::Tgra => Kind::Tgra,
            KindName::Tela => Kind::Tela,
            KindName::Finless => Kind::FinLess,
            KindName::Parity => Kind::Parity,
            // Finite automata are not made from ω-automata.
            KindName::Tgba | KindName::Tgta | KindName::Nfa | KindName::Dfa => Kind::Tgba,
        }
    }
}

/// How much work to put into a small result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Level {
    /// The construction and the removal of what is useless
    Low,
    /// Rewriting and direct simulation too
    Medium,
    /// Everything
    High,
}

impl From<Level> for Effort {
    fn from(level: Level) -> Self {
        match level {
            Level::Low => Effort::Low,
            Level::Medium => Effort::Medium,
            Level::High => Effort::High,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = Printer::new(arguments.output.open()?, arguments.format);
    out.header(&["formula", "kind"], &["seconds"])?;
    let done = arguments.limits.during("translating", || {
        arguments
            .input
            .for_each(|input| translate(arguments, input, &mut out))
    });
    // What was done before it was stopped is written, too; if that is nothing, an older file stays.
    out.finish(done.is_ok())?;
    done?;
    Ok(Answer::Yes)
}

fn translate(arguments: &Arguments, input: Input, out: &mut Printer) -> Outcome<()> {
    let mut bench = Workbench {
        formulas: input.formulas,
        ..Workbench::default()
    };
    let mut f = input.formula;
    if arguments.negate {
        f = bench.formulas.not(f);
    }
    let options = Options {
        kind: arguments.to.into(),
        effort: arguments.effort.into(),
        deterministic: arguments.deterministic,
    };
    if arguments.all_prefixes && !matches!(arguments.to, KindName::Nfa | KindName::Dfa) {
        return Err(Failure::Message(
            "--all-prefixes is for finite automata: --to dfa".to_string(),
        ));
    }
    if matches!(arguments.to, KindName::Ta | KindName::Tgta) {
        return translate_testing(arguments, &mut bench, f, options, out);
    }
    if matches!(arguments.to, KindName::Nfa | KindName::Dfa) {
        return translate_finite(arguments, &mut bench, f, out);
    }
    let start = Instant::now();
    let limits = couvreur::Limits::of_edges(arguments.max_edges);
    let a = bench.translate_within(f, options, limits).map_err(|size| {
        let text = bench.print(f, Syntax::Spot);
        Failure::TooLarge(format!("{text}: {size}; --max-edges allows more"))
    })?;
    let time = start.elapsed();
    let wanted = match arguments.to {
        KindName::Parity => true,
        // The removal of Fin is by guessing.
        KindName::Finless => false,
        _ => arguments.deterministic,
    };
    if wanted && !a.is_deterministic(&mut bench.alphabet.bdds) {
        eprintln!(
            "warning: no deterministic automaton of this kind was found for {}",
            a.name.as_deref().unwrap_or("the formula")
        );
    }
    if !arguments.format.is_table() {
        let mut known = Known::default();
        if bench.formulas.facts(f).next_free() {
            known.stutter_invariant = Some(true);
        }
        let a = ReadAutomaton { known, ..a.into() };
        let automaton = &a.automaton;
        return out.write(&mut bench.alphabet, automaton, Some(&a));
    }
    let mut columns = vec![
        ("formula".to_string(), json!(a.name)),
        ("kind".to_string(), json!(arguments.to.name())),
    ];
    columns.extend(printer::measures(&mut bench.alphabet, &a, arguments.format));
    columns.push(("seconds".to_string(), printer::seconds(time)));
    out.row(&columns)
}

/// Finite automata with more states are given up.
const MOST_FINITE_STATES: usize = 1 << 17;

fn translate_finite(
    arguments: &Arguments,
    bench: &mut Workbench,
    f: Formula,
    out: &mut Printer,
) -> Outcome<()> {
    let text = bench.print(f, Syntax::Spot);
    if arguments.format == Format::Lbtt {
        return Err(Failure::Message(
            "the format of lbtt has no finite automata".to_string(),
        ));
    }
    let start = Instant::now();
    let deterministic = arguments.to == KindName::Dfa || arguments.deterministic;
    let made = if arguments.all_prefixes {
        if !deterministic {
            return Err(Failure::Message(
                "--all-prefixes is for deterministic automata: --to dfa".to_string(),
            ));
        }
        let options = Options {
            effort: Effort::Medium,
            ..Options::default()
        };
        let models = bench.translate(f, options);
        if !is_safety(&mut Language::new(
            &mut bench.translator,
            &mut bench.formulas,
            f,
        )) {
            eprintln!("warning: {text} is no safety formula: some violations have no bad prefix");
        }
        bad_prefixes(&mut bench.alphabet.bdds, &models, MOST_FINITE_STATES)
    } else {
        let construct = if deterministic {
            informative_prefixes::dfa
        } else {
            informative_prefixes::nfa
        };
        construct(
            &mut bench.formulas,
            &mut bench.alphabet,
            f,
            MOST_FINITE_STATES,
        )
    };
    let alphabet = &mut bench.alphabet;
    let mut a = made.ok_or_else(|| {
        Failure::Message(format!(
            "the finite automaton of {text} has too many states (more than {MOST_FINITE_STATES}, \
             or labels as large)"
        ))
    })?;
    let time = start.elapsed();
    if !a.is_final.contains(&true) {
        let which = if arguments.all_prefixes {
            ""
        } else {
            "informative "
        };
        eprintln!(
            "warning: {text} has no {which}bad prefix, so the automaton accepts nothing; `sempre formula` \
             tells why"
        );
    }
    a.name = Some(text.clone());
    match arguments.format {
        Format::Hoa => out
            .out()
            .write_all(write_finite_hoa(alphabet, &a).as_bytes())?,
        Format::Dot | Format::Svg => {
            out.draw(finite_picture(alphabet, &a))?;
        }
        Format::Spin => out
            .out()
            .write_all(write_safety_claim(alphabet, &a).as_bytes())?,
        Format::Stats | Format::Json | Format::Lbtt => {
            let mut columns = vec![
                ("formula".to_string(), json!(text)),
                ("kind".to_string(), json!(arguments.to.name())),
            ];
            let terminal = to_terminal(&a);
            columns.extend(printer::measures(alphabet, &terminal, arguments.format));
            columns.push(("seconds".to_string(), printer::seconds(time)));
            out.row(&columns)?;
        }
    }
    Ok(())
}

/// A testing automaton of either kind.
enum Testing {
    Ta(Ta),
    Tgta(Tgta),
}

impl Testing {
    fn new(
        bench: &mut Workbench,
        f: Formula,
        to: KindName,
        options: Options,
    ) -> Result<Self, TestingError> {
        let limits = Limits::default();
        let Workbench {
            formulas,
            alphabet,
            translator,
        } = bench;
        Ok(if to == KindName::Ta {
            let t = testing::ta(translator, formulas, alphabet, f, options, limits)?;
            Testing::Ta(t)
        } else {
            let t = testing::tgta(translator, formulas, alphabet, f, options, limits)?;
            Testing::Tgta(t)
        })
    }

    fn stats(&self) -> TestingStats {
        match self {
            Testing::Ta(t) => t.stats(),
            Testing::Tgta(t) => t.stats(),
        }
    }

    fn picture(&self, alphabet: &Alphabet) -> Picture {
        match self {
            Testing::Ta(t) => t.picture(alphabet),
            Testing::Tgta(t) => t.picture(alphabet),
        }
    }

    fn json(&self, alphabet: &Alphabet) -> String {
        match self {
            Testing::Ta(t) => t.to_json(alphabet),
            Testing::Tgta(t) => t.to_json(alphabet),
        }
    }

    fn hoa(&self, alphabet: &mut Alphabet) -> String {
        let a = match self {
            Testing::Ta(t) => ta_over_changes(alphabet, t),
            Testing::Tgta(t) => tgta_over_changes(alphabet, t),
        };
        write_hoa(alphabet, &a, &HoaOptions::default())
    }
}

fn translate_testing(
    arguments: &Arguments,
    bench: &mut Workbench,
    f: Formula,
    options: Options,
    out: &mut Printer,
) -> Outcome<()> {
    let text = bench.print(f, Syntax::Spot);
    if matches!(arguments.format, Format::Spin | Format::Lbtt) {
        return Err(Failure::Message(
            "testing automata read changes, not values: they cannot be written in this format"
                .to_string(),
        ));
    }
    let start = Instant::now();
    let mut t = Testing::new(bench, f, arguments.to, options).map_err(|error| {
        let why = match &error {
            TestingError::StutterSensitive { accepted, rejected } => {
                let mut show = |w| {
                    let known = bench.formulas.propositions_of(f);
                    word::print_word(&mut bench.formulas, w, &known)
                };
                let (yes, no) = (show(accepted), show(rejected));
                format!("{error}: satisfied by {yes} but not by {no}")
            }
            TestingError::Refused(_) => error.to_string(),
        };
        Failure::Message(format!("no testing automaton of {text}: {why}"))
    })?;
    let time = start.elapsed();
    match &mut t {
        Testing::Ta(t) => t.name = Some(text.clone()),
        Testing::Tgta(t) => t.name = Some(text.clone()),
    }
    match arguments.format {
        Format::Dot | Format::Svg => {
            out.draw(t.picture(&bench.alphabet))?;
        }
        Format::Hoa => out.out().write_all(t.hoa(&mut bench.alphabet).as_bytes())?,
        _ => {
            let size = t.stats();
            let mut columns = vec![
                ("formula".to_string(), json!(text)),
                ("kind".to_string(), json!(arguments.to.name())),
                ("states".to_string(), json!(size.states)),
                ("edges".to_string(), json!(size.transitions)),
                ("acceptance_sets".to_string(), json!(size.sets)),
                ("deterministic".to_string(), json!(size.deterministic)),
            ];
            if arguments.format == Format::Json {
                let whole: Value =
                    serde_json::from_str(&t.json(&bench.alphabet)).unwrap_or_default();
                columns.push(("initial".to_string(), json!(size.initial)));
                columns.push(("propositions".to_string(), json!(size.propositions)));
                columns.push(("buchi".to_string(), json!(size.buchi)));
                columns.push(("livelock".to_string(), json!(size.livelock)));
                columns.push(("automaton".to_string(), whole));
            }
            columns.push(("seconds".to_string(), printer::seconds(time)));
            out.row(&columns)?;
        }
    }
    Ok(())
}
