//! `sempre mcc`: an examination of the Model Checking Contest, in its own words.

use crate::commands::check::seconds;
use crate::failure::{Answer, Failure, Outcome};
use crate::input::{read_file, shown_name};
use crate::notices::show;
use crate::output::OutputOptions;
use crate::supervisor;
use clap::Args;
use sempre::base::Source;
use sempre::check::{
    CheckError, Checker, Engine, Fairness, Report, Settings, SymbolicSettings, is_yes, sources,
};
use sempre::contest::{Examination, Question, answer, line, share};
use sempre::explicit::product::Limits;
use sempre::lang::model::{Language, Model};
use sempre::memory;
use sempre::symbolic::reach::{Firing, Options, Strategy, explore};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Answer an examination of the Model Checking Contest about a net
///
/// FOLDER is as the contest gives it to a tool: `model.pnml`, `iscolored`, and a file of formulas for each examination. Printed are the
/// contest's lines, `FORMULA name TRUE|FALSE TECHNIQUES …` or `CANNOT_COMPUTE`, each as soon as it is known; `DO_NOT_COMPETE` for coloured
/// nets and for examinations that are not answered. All formulas get a short time first, then those that are open share what is left. Status 0
/// all is answered, 2 bad input, 3 something stayed open.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Answered: LTLCardinality, LTLFireability, ReachabilityCardinality, ReachabilityFireability, ReachabilityDeadlock, OneSafe, \
QuasiLiveness, StableMarking, StateSpace (the number of states).")]
pub struct Arguments {
    /// The folder of the net
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,

    /// What is asked, as the contest calls it
    #[arg(long, value_name = "EXAMINATION")]
    examination: String,

    /// How many seconds all of it may take
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "3600")]
    time: Duration,

    /// How much memory states may take, as 50M or 2G [default: nine tenths of what is free]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_size)]
    memory: Option<usize>,

    /// One engine alone, instead of both at the same time
    #[arg(long)]
    sequential: bool,

    #[command(flatten)]
    output: OutputOptions,
}

/// The part of the time that is kept for engines to stop and for the answers to be printed, on a machine that may be busy: a twentieth,
/// but at least and at most so much.
fn reserve(time: Duration) -> Duration {
    (time / 20)
        .clamp(Duration::from_millis(100), Duration::from_secs(1))
        .min(time / 10)
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let begin = Instant::now();
    let file = |name: &str| arguments.folder.join(name);
    let examination = Examination::of_name(&arguments.examination);
    let colored = file("iscolored");
    let is_colored = colored.exists() && read_file(&colored)?.trim().eq_ignore_ascii_case("true");
    let mut out = arguments.output.open()?;
    let Some(examination) = examination.filter(|_| !is_colored) else {
        writeln!(out, "DO_NOT_COMPETE")?;
        out.flush()?;
        return Ok(Answer::Yes);
    };
    // More than can be waited for is as good as no limit.
    let time = arguments.time.min(Duration::from_secs(1 << 30));
    let deadline = begin + time - reserve(time);
    let last = Some(begin + time);
    let path = file("model.pnml");
    let text = read_file(&path)?;
    let name = shown_name(&path);
    let memory = arguments.memory.or_else(memory::default_budget);
    supervisor::limit_memory(memory);
    let (model, _) = supervisor::step("reading the net", last, || {
        Model::read(Language::Pnml, "model", &text).map_err(|errors| {
            show(&Source::new(&name, &text), &errors);
            Failure::Shown
        })
    })?;
    drop(text);
    let settings = Settings {
        engine: if arguments.sequential {
            Engine::Explicit
        } else {
            Engine::Auto
        },
        symbolic: SymbolicSettings {
            ..SymbolicSettings::default()
        },
        limits: Limits {
            memory,
            ..Limits::default()
        },
        ..Settings::default()
    };
    if examination == Examination::StateSpace {
        let options = Options {
            strategy: Strategy::Saturation,
            firing: Firing::Auto,
            limits: sempre::symbolic::Limits {
                memory,
                deadline: Some(deadline),
                interrupt: None,
            },
            interleaved: true,
            progress: None,
        };
        let found = supervisor::search_step("exploring", last, || {
            explore(model.program(), None, &options)
        })?;
        let complete = found.stopped.is_none() && found.faults.is_empty();
        match found.states.filter(|_| complete) {
            Some(states) => {
                writeln!(
                    out,
                    "STATE_SPACE STATES {states} TECHNIQUES DECISION_DIAGRAMS"
                )?;
            }
            None => writeln!(out, "CANNOT_COMPUTE")?,
        }
        out.flush()?;
        return Ok(if complete {
            Answer::Yes
        } else {
            Answer::Unknown
        });
    }
    let checker = supervisor::step("preparing the net", last, || {
        Checker::new(model.program(), Fairness::None).map_err(told)
    })?;
    if let Some(question) = Question::new(examination, model.program()) {
        let known = supervisor::search_step("answering the question", last, || {
            answer(&checker, &question, &settings, deadline)
        })?;
        let known = known.map_err(told)?;
        let examination = &arguments.examination;
        match known {
            Some(yes) => {
                let value = if yes { "TRUE" } else { "FALSE" };
                writeln!(
                    out,
                    "FORMULA {examination} {value} TECHNIQUES RANDOM_WALK STATE_EQUATION DECISION_DIAGRAMS EXPLICIT"
                )?;
            }
            None => writeln!(out, "FORMULA {examination} CANNOT_COMPUTE")?,
        }
        out.flush()?;
        return Ok(if known.is_some() {
            Answer::Yes
        } else {
            Answer::Unknown
        });
    }
    let path = file(&format!("{}.xml", arguments.examination));
    let text = read_file(&path)?;
    let properties = supervisor::step("reading the formulas", last, || {
        sources::file(&model, &text).map_err(|errors| {
            show(&Source::new(&shown_name(&path), &text), &errors);
            Failure::Shown
        })
    })?;
    let mut result = Ok(Answer::Yes);
    let mut is_open = vec![true; properties.len()];
    let mut tell = |number: usize, report: Result<Report, CheckError>| {
        let property = &properties[number];
        is_open[number] = false;
        let printed = match report {
            Ok(report) => {
                if is_yes(property.asked, &report.verdict).is_none() {
                    result = Ok(Answer::Unknown);
                }
                writeln!(out, "{}", line(property, &report))
            }
            // What is wrong with one formula does not spoil the others.
            Err(error) => {
                eprintln!("error: {}: {}", property.name, words(error));
                result = Ok(Answer::Unknown);
                writeln!(out, "FORMULA {} CANNOT_COMPUTE", property.name)
            }
        };
        match printed.and_then(|()| out.flush()) {
            Ok(()) => true,
            Err(error) => {
                result = Err(Failure::from(error));
                false
            }
        }
    };
    let done = supervisor::search_step("checking the properties", last, || {
        share(&checker, &properties, &settings, deadline, &mut tell);
    });
    if matches!(done, Err(Failure::Stopped(..))) {
        let open = properties.iter().zip(&is_open).filter(|(_, open)| **open);
        for (property, _) in open {
            writeln!(out, "FORMULA {} CANNOT_COMPUTE", property.name)?;
        }
        out.flush()?;
    }
    done?;
    result
}

fn words(error: CheckError) -> String {
    match error {
        CheckError::Refused(text) | CheckError::Defect(text) => text,
    }
}

fn told(error: CheckError) -> Failure {
    Failure::Message(words(error))
}
