//! Both engines at the same time, on the same property.
//!
//! Decides what each of them decides. One state after another is soon done with most models of processes; sets of states with nets and with
//! many loosely coupled parts, however many states these have; and nobody knows before which it will be. So both work, each on a thread of its
//! own and with the automaton that it would take alone, and the first that has an answer (the property holds, or a run that was confirmed violates
//! it) is heard, and the other stopped. Who ends without an answer, for want of memory, since the model fails somewhere, or since it is not made
//! for this, leaves the other to go on alone. The verdict does not depend on who is first; the run that shows a violation does.
//!
//! Source: portfolios of algorithms are by Huberman, Lukose and Hogg (Science 275, 1997), and Gomes and Selman (Artificial Intelligence 126,
//! 2001).
//!
//! Ours has two members that are as different as can be. The explicit engine has a head start, after which it has answered about most models; till
//! then the symbolic one costs nothing. Where an option or the model fits one engine alone, that one is asked, with all of the memory: emptiness
//! checks and searches for bad prefixes by their names, several Rabin pairs in parallel, automata other than `tgba`, `ba` and `tgta`, standstill of
//! processes, atomic sections and marks of the model are for the explicit engine; the algorithms on sets of states are for the symbolic one. Workers,
//! orders of successors and searches for shorter runs are for the explicit engine, and do not keep the other from answering first; nor
//! does a limit of states.
//!
//! Invariants:
//! * I1: a report is that of one engine; nothing is put together from two but a sentence about the other.
//! * I2: each engine can be stopped alone. What stops the check stops both; a report says *interrupted* only if the user did.
//! * I3: a defect of one engine, a panic or a run that was not confirmed, is told, whatever the other says; and if both have answered before
//!   they could be stopped, the answers are the same, or else that is a defect.
//! * I4: no engine works on when the answer is given.
//!
//! Cost: about twice the work of the better engine, and the head start; on two processors its time, the head start, and what the other takes to
//! see that it is stopped (some thousand states or nodes, or the compilation of the model). Each has half of the memory.
//!
//! Not done: what one engine finds out is not told to the other; who goes on alone does not get the other's half of the memory, which it would have
//! to be told of while it works; and no features of a model are weighed to guess who will win.

use super::checker::Checker;
use super::property::{Claim, Property};
use super::settings::{Engine, Settings};
use super::strategy::AutomatonKind;
use super::symbolic::{SymbolicAlgorithm, SymbolicSettings};
use super::translation::STACK;
use super::verdict::{Cause, CheckError, Report, Verdict};
use sempre_base::stop::{Stop, poll};
use sempre_explicit::emptiness::{Algorithm, Pairs};
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::Search;
use sempre_explicit::product::Limits;
use sempre_symbolic::reach::Progress;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

/// How often somebody looks whether the user wants to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// Asks one engine, with these settings.
type Ask<'a> = dyn Fn(&Settings<'_>) -> Result<Report, CheckError> + Sync + 'a;

/// How an engine ended.
struct End {
    engine: Engine,
    /// An error is a panic.
    came: std::thread::Result<Result<Report, CheckError>>,
}

impl End {
    /// Its report, if there is one.
    fn report(&self) -> Option<&Report> {
        (self.came.as_ref().ok()).and_then(|came| came.as_ref().ok())
    }

    fn has_answer(&self) -> bool {
        self.report().is_some_and(is_known)
    }

    /// Is it wrong by its own account?
    fn is_defect(&self) -> bool {
        match &self.came {
            Err(_) | Ok(Err(CheckError::Defect(_))) => true,
            Ok(Err(CheckError::Refused(_))) => false,
            Ok(Ok(report)) => matches!(reason(report), Some(Reason::Panic(_))),
        }
    }

    /// The less, the more it says.
    fn rank(&self) -> u32 {
        match self.report().map(|r| &r.verdict) {
            Some(Verdict::Holds(_) | Verdict::Violated(_)) => 0,
            Some(Verdict::Unknown(Cause::Failure(_) | Cause::NoValue(_))) => 1,
            Some(Verdict::Unknown(_)) => 2,
            None => 3,
        }
    }
}

fn is_known(report: &Report) -> bool {
    !matches!(report.verdict, Verdict::Unknown(_))
}

/// The limit that was reached, if it was one.
fn reason(report: &Report) -> Option<&Reason> {
    match &report.verdict {
        Verdict::Unknown(
            Cause::Stopped(reason) | Cause::Translation(reason) | Cause::Confirmation(reason),
        ) => Some(reason),
        _ => None,
    }
}

/// Checks a property with both engines, or with one if only that is made for what is asked.
pub(super) fn check(
    checker: &Checker,
    property: &Property,
    settings: &Settings<'_>,
) -> Result<Report, CheckError> {
    let ask = |settings: &Settings<'_>| checker.check_alone(property, settings);
    let Some((engine, why)) = only(checker, property, settings)? else {
        return race(settings, &ask);
    };
    let mut report = ask(&Settings {
        engine,
        ..*settings
    })?;
    let sentence = format!("engine {} alone: {why}", engine.name());
    report.explanation.insert(0, sentence);
    Ok(report)
}

/// The only engine that is made for what is asked, and why, if that is known before.
fn only(
    checker: &Checker,
    property: &Property,
    settings: &Settings<'_>,
) -> Result<Option<(Engine, String)>, CheckError> {
    let search = settings.search.map(Search::name);
    let named = settings.algorithm.map(Algorithm::name).or(search);
    let symbolic = SymbolicAlgorithm::ALL
        .iter()
        .find(|(algorithm, _)| *algorithm == settings.symbolic.algorithm);
    let why = match (named, symbolic) {
        (Some(name), Some((_, symbolic))) => {
            return Err(CheckError::Refused(format!(
                "algorithm {name} looks at one state after another, and {symbolic} at sets of states"
            )));
        }
        (None, Some((_, symbolic))) => {
            let why = format!("algorithm {symbolic} belongs to the symbolic engine");
            return Ok(Some((Engine::Symbolic, why)));
        }
        (Some(name), None) => format!("algorithm {name} looks at one state after another"),
        (None, None) => match (
            settings.automaton,
            &property.claim,
            checker.suits_symbolic(),
        ) {
            _ if settings.pairs == Pairs::Parallel => {
                "the symbolic engine has no Rabin pairs to check in parallel".to_string()
            }
            (Some(kind), _, _)
                if !matches!(
                    kind,
                    AutomatonKind::Tgba | AutomatonKind::Ba | AutomatonKind::Tgta
                ) =>
            {
                let kind = kind.name();
                format!("automaton {kind} is not one that the symbolic engine takes")
            }
            (_, Claim::Progress(_), _) => {
                "the symbolic engine does not see which process moves".to_string()
            }
            (_, _, Err(CheckError::Refused(why))) => why,
            (_, _, Err(defect)) => return Err(defect),
            (_, _, Ok(())) => return Ok(None),
        },
    };
    Ok(Some((Engine::Explicit, why)))
}

/// Does the user want to stop?
fn is_interrupted(settings: &Settings<'_>) -> bool {
    let by = [settings.limits.interrupt, settings.symbolic.interrupt];
    by.into_iter().any(|by| poll(by) == Some(Stop::Cancelled))
}

/// Asks both engines, and hears the first that has an answer.
fn race(settings: &Settings<'_>, ask: &Ask<'_>) -> Result<Report, CheckError> {
    let begin = Instant::now();
    let time = settings.limits.time;
    let head_start = match time {
        Some(time) => settings.thresholds.head_start.min(time / 4),
        None => settings.thresholds.head_start,
    };
    let user = settings.limits.interrupt.cloned().unwrap_or_default();
    let stops = [user.child(None), user.child(None)];
    let half = |spent: Duration| Limits {
        memory: settings.limits.memory.map(|m| m / 2),
        time: time.map(|t| t.saturating_sub(spent)),
        ..settings.limits
    };
    let explicit = Settings {
        engine: Engine::Explicit,
        limits: Limits {
            interrupt: Some(&stops[0]),
            ..half(Duration::ZERO)
        },
        ..*settings
    };
    // There is one line to tell how far they have got: the explicit engine has it as long as it works.
    let is_alone = AtomicBool::new(false);
    let tell = |progress: &Progress| match settings.symbolic.progress {
        Some(tell) if is_alone.load(Relaxed) => tell(progress),
        _ => {}
    };
    let symbolic = || Settings {
        engine: Engine::Symbolic,
        limits: Limits {
            interrupt: Some(&stops[1]),
            ..half(begin.elapsed())
        },
        symbolic: SymbolicSettings {
            interrupt: Some(&stops[1]),
            progress: Some(&tell),
            ..settings.symbolic
        },
        ..*settings
    };
    let mut ends: Vec<End> = Vec::new();
    std::thread::scope(|scope| {
        let (send, receive) = channel();
        start(scope, explicit, ask, send.clone());
        let (mut working, mut both) = (1, false);
        // I4: until nobody works.
        while working > 0 {
            let wait = match both {
                true => PATIENCE,
                false => PATIENCE.min(head_start.saturating_sub(begin.elapsed())),
            };
            if let Ok(end) = receive.recv_timeout(wait) {
                working -= 1;
                if end.engine == Engine::Explicit {
                    is_alone.store(true, Relaxed);
                }
                ends.push(end);
            }
            let is_decided = ends.iter().any(|end| end.has_answer() || end.is_defect());
            if is_decided || is_interrupted(settings) {
                stops.iter().for_each(|stop| stop.stop(Stop::Cancelled));
                continue;
            }
            let due = working == 0 || begin.elapsed() >= head_start;
            if !both && due && time.is_none_or(|t| begin.elapsed() < t) {
                start(scope, symbolic(), ask, send.clone());
                (working, both) = (working + 1, true);
            }
        }
    });
    let mut report = conclude(ends)?;
    // I2.
    debug_assert!(reason(&report) != Some(&Reason::Interrupted) || is_interrupted(settings));
    report.elapsed = begin.elapsed();
    Ok(report)
}

/// Asks an engine on a thread of its own, which sends how it ended.
fn start<'s>(
    scope: &'s Scope<'s, '_>,
    settings: Settings<'s>,
    ask: &'s Ask<'_>,
    send: Sender<End>,
) {
    let engine = settings.engine;
    let sender = send.clone();
    let work = move || {
        // What a panic leaves half done is the engine's own, and goes with it.
        let came = catch_unwind(AssertUnwindSafe(|| ask(&settings)));
        // Somebody listens as long as somebody works.
        let _ = sender.send(End { engine, came });
    };
    // Taken by a thread whose stack is as deep as the system allows.
    let slot = Arc::new(Mutex::new(Some(work)));
    let spawn = |size: usize| {
        let slot = slot.clone();
        let take = move || slot.lock().unwrap_or_else(PoisonError::into_inner).take();
        let run = move || take().map_or((), |work| work());
        Builder::new().stack_size(size).spawn_scoped(scope, run)
    };
    let spawned = spawn(STACK).or_else(|_| spawn(STACK / 8).or_else(|_| spawn(STACK / 64)));
    if let Err(error) = spawned {
        let why = format!("the {} engine has no thread: {error}", engine.name());
        let came = Ok(Err(CheckError::Refused(why)));
        let _ = send.send(End { engine, came });
    }
}

/// What is said, of how the engines ended, in this order.
fn conclude(mut ends: Vec<End>) -> Result<Report, CheckError> {
    // I3.
    if let Some(i) = ends.iter().position(End::is_defect) {
        let came = ends.swap_remove(i).came;
        return came.unwrap_or_else(|panic| resume_unwind(panic));
    }
    if let [first, second] = &ends[..]
        && let (Some(one), Some(two)) = (first.report(), second.report())
        && !first.has_answer()
        && !second.has_answer()
    {
        // The same limit ends both at about the same time, and the explicit engine is heard; of two, the one that was reached last has
        // ended the check.
        match one.verdict == two.verdict {
            true => ends.sort_by_key(|end| end.engine != Engine::Explicit),
            false => ends.reverse(),
        }
    }
    let best = ends.iter().map(End::rank).min();
    let heard = ends.iter().position(|end| Some(end.rank()) == best);
    let Some(heard) = heard.map(|i| ends.remove(i)) else {
        return Err(CheckError::Defect("no engine was asked".to_string()));
    };
    let other = ends.pop();
    match (heard.came, other) {
        (Ok(Ok(mut report)), other) => {
            if let Some(second) = other.as_ref().and_then(End::report)
                && is_known(second)
                && second.verdict.word() != report.verdict.word()
            {
                return Err(CheckError::Defect(format!(
                    "the {} engine says {}, and the {} engine {}",
                    report.engine.name(),
                    report.verdict.word(),
                    second.engine.name(),
                    second.verdict.word()
                )));
            }
            let sentence = sentence(&report, other.as_ref());
            report.explanation.insert(0, sentence);
            Ok(report)
        }
        (Ok(Err(CheckError::Refused(why))), Some(other)) => {
            Err(CheckError::Refused(match other.came {
                Ok(Err(CheckError::Refused(too))) if too != why => format!("{why}; and {too}"),
                _ => why,
            }))
        }
        (Ok(Err(error)), _) => Err(error),
        (Err(panic), _) => resume_unwind(panic),
    }
}

/// Who is heard, why, and what became of the other.
fn sentence(heard: &Report, other: Option<&End>) -> String {
    let lead = match &heard.verdict {
        Verdict::Unknown(cause) => format!("it came to no answer ({})", cause.words()),
        _ => "it had the answer".to_string(),
    };
    let fate = match other.map(|end| (end.engine.name(), &end.came)) {
        None => "the symbolic engine had not begun".to_string(),
        Some((name, Ok(Ok(report)))) => match &report.verdict {
            Verdict::Unknown(_)
                if is_known(heard) && reason(report) == Some(&Reason::Interrupted) =>
            {
                let how_far = match &report.symbolic {
                    Some(statistics) => format!("{} nodes", statistics.peak_nodes),
                    None => format!("{} states", report.statistics.stored),
                };
                format!("the {name} engine was stopped at {how_far}")
            }
            Verdict::Unknown(cause) => {
                format!("the {name} engine came to no answer ({})", cause.words())
            }
            _ => format!("the {name} engine had the same a moment later"),
        },
        Some((name, Ok(Err(CheckError::Refused(why) | CheckError::Defect(why))))) => {
            format!("the {name} engine could not be asked: {why}")
        }
        Some((name, Err(_))) => format!("the {name} engine panicked"),
    };
    format!("engine {}: {lead}; {fate}", heard.engine.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::settings::Thresholds;
    use crate::check::{Fairness, sources};
    use sempre_base::Cancel;
    use sempre_lang::model::{Language, Model};

    const TEXT: &str =
        "process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    const LONG: Duration = Duration::from_secs(100_000);

    /// What an engine said about a formula.
    fn said(engine: Engine, formula: &str) -> Report {
        let (model, _) = Model::read(Language::Dve, "tiny", TEXT).expect("a model");
        let property = sources::formula(&model, formula).expect("a formula");
        let checker = Checker::new(model.program(), Fairness::None).expect("it has processes");
        let settings = Settings {
            engine,
            ..Settings::default()
        };
        checker.check(&property, &settings).expect("it is checked")
    }

    fn holds(engine: Engine) -> Report {
        said(engine, "G F P.a")
    }

    fn violated(engine: Engine) -> Report {
        said(engine, "F G P.a")
    }

    fn unknown(engine: Engine, cause: Cause) -> Report {
        Report {
            verdict: Verdict::Unknown(cause),
            ..holds(engine)
        }
    }

    fn stopped(engine: Engine, reason: Reason) -> Report {
        unknown(engine, Cause::Stopped(reason))
    }

    /// Works until it is stopped.
    fn works(settings: &Settings<'_>) -> Result<Report, CheckError> {
        let flag = settings.limits.interrupt.expect("a flag of its own");
        if settings.engine == Engine::Symbolic {
            let symbolic = settings.symbolic.interrupt.expect("a flag of its own");
            assert!(std::ptr::eq(flag, symbolic));
        }
        while flag.flagged().is_none() {
            std::thread::yield_now();
        }
        Ok(stopped(settings.engine, Reason::Interrupted))
    }

    fn at_once() -> Settings<'static> {
        Settings {
            engine: Engine::Auto,
            thresholds: Thresholds {
                head_start: Duration::ZERO,
                ..Thresholds::default()
            },
            ..Settings::default()
        }
    }

    #[test]
    fn the_first_answer_is_heard_and_the_other_stopped() {
        for (first, other) in [
            (Engine::Explicit, Engine::Symbolic),
            (Engine::Symbolic, Engine::Explicit),
        ] {
            let both = AtomicBool::new(false);
            let user = Cancel::new();
            let mut settings = at_once();
            settings.limits.interrupt = Some(&user);
            settings.limits.memory = Some(1000);
            let report = race(&settings, &|settings| {
                assert_eq!(settings.limits.memory, Some(500));
                if settings.engine == other {
                    both.store(true, Relaxed);
                    return works(settings);
                }
                while !both.load(Relaxed) {
                    std::thread::yield_now();
                }
                Ok(violated(first))
            });
            let report = report.expect("an answer");
            assert_eq!(report.engine, first);
            assert!(is_known(&report));
            let told = format!("the {} engine was stopped", other.name());
            assert!(report.explanation[0].contains(&told));
            // I2.
            assert_eq!(user.flagged(), None);
        }
    }

    #[test]
    fn the_symbolic_engine_begins_when_the_explicit_one_has_had_its_time_or_failed() {
        let settings = Settings {
            thresholds: Thresholds {
                head_start: LONG,
                ..Thresholds::default()
            },
            ..at_once()
        };
        let report = race(&settings, &|settings| {
            assert_eq!(settings.engine, Engine::Explicit);
            Ok(holds(settings.engine))
        });
        let why = &report.expect("an answer").explanation[0];
        assert!(why.contains("the symbolic engine had not begun"), "{why}");
        for came in [
            Ok(stopped(Engine::Explicit, Reason::Memory)),
            Err(CheckError::Refused("not made for this".into())),
        ] {
            let report = race(&settings, &|settings| match settings.engine {
                Engine::Explicit => came.clone(),
                _ => Ok(holds(Engine::Symbolic)),
            });
            let report = report.expect("an answer");
            assert_eq!(report.engine, Engine::Symbolic);
            let why = &report.explanation[0];
            let reason = match came {
                Ok(_) => "came to no answer (memory)",
                Err(_) => "could not be asked: not made for this",
            };
            assert!(
                why.contains(&format!("the explicit engine {reason}")),
                "{why}"
            );
        }
        // Nor if there is no time for it.
        let mut late = settings;
        late.limits.time = Some(Duration::ZERO);
        let report = race(&late, &|settings| {
            assert_eq!(settings.engine, Engine::Explicit);
            Ok(stopped(settings.engine, Reason::Time))
        });
        let report = report.expect("a report");
        assert_eq!(
            report.verdict,
            stopped(Engine::Explicit, Reason::Time).verdict
        );
    }

    #[test]
    fn the_user_stops_both() {
        for begun in [false, true] {
            let user = Cancel::new();
            let mut settings = Settings {
                thresholds: Thresholds {
                    head_start: if begun { Duration::ZERO } else { LONG },
                    ..Thresholds::default()
                },
                ..at_once()
            };
            settings.limits.interrupt = Some(&user);
            let report = race(&settings, &|settings| {
                let last = match begun {
                    true => Engine::Symbolic,
                    false => Engine::Explicit,
                };
                if settings.engine == last {
                    user.stop(Stop::Cancelled);
                }
                works(settings)
            });
            let report = report.expect("a report");
            assert_eq!(reason(&report), Some(&Reason::Interrupted));
            let why = &report.explanation[0];
            assert_eq!(why.contains("had not begun"), !begun, "{why}");
        }
    }

    /// I3.
    #[test]
    fn defects_are_told_and_panics_go_on() {
        for wrong in [Engine::Explicit, Engine::Symbolic] {
            let panicked = catch_unwind(|| {
                race(&at_once(), &|settings| match settings.engine == wrong {
                    true => resume_unwind(Box::new("expected by the test")),
                    false => works(settings),
                })
            });
            let panic = panicked.expect_err("it is not lost");
            assert_eq!(panic.downcast_ref(), Some(&"expected by the test"));
            let defect = CheckError::Defect("not confirmed".into());
            let report = race(&at_once(), &|settings| match settings.engine == wrong {
                true => Err(defect.clone()),
                false => works(settings),
            });
            assert_eq!(report.map(|r| r.verdict), Err(defect.clone()));
            let report = race(&at_once(), &|settings| match settings.engine == wrong {
                true => Ok(stopped(wrong, Reason::Panic("in a worker".into()))),
                false => works(settings),
            });
            let panicked = Reason::Panic("in a worker".into());
            assert_eq!(reason(&report.expect("a report")), Some(&panicked));
        }
        // Also if the other has answered.
        let came = |engine, came| End { engine, came };
        let two = vec![
            came(Engine::Symbolic, Ok(Ok(holds(Engine::Symbolic)))),
            came(Engine::Explicit, Ok(Err(CheckError::Defect("no".into())))),
        ];
        assert!(matches!(conclude(two), Err(CheckError::Defect(_))));
        let two = vec![
            came(Engine::Symbolic, Ok(Ok(holds(Engine::Symbolic)))),
            came(Engine::Explicit, Ok(Ok(violated(Engine::Explicit)))),
        ];
        let Err(CheckError::Defect(text)) = conclude(two) else {
            panic!("they differ");
        };
        assert_eq!(
            text,
            "the symbolic engine says holds, and the explicit engine violated"
        );
    }

    #[test]
    fn of_two_that_do_not_know_the_one_that_says_more_is_heard() {
        let ends = |first: Result<Report, CheckError>, second: Result<Report, CheckError>| {
            conclude(vec![
                End {
                    engine: Engine::Explicit,
                    came: Ok(first),
                },
                End {
                    engine: Engine::Symbolic,
                    came: Ok(second),
                },
            ])
        };
        let fails = |engine| unknown(engine, Cause::Failure("x: division by zero".into()));
        let (explicit, symbolic) = (Engine::Explicit, Engine::Symbolic);
        let heard = ends(Ok(fails(explicit)), Ok(stopped(symbolic, Reason::Time)));
        let heard = heard.expect("a report");
        assert_eq!(heard.engine, explicit);
        assert!(
            heard.explanation[0]
                .contains("(x: division by zero); the symbolic engine came to no answer (time)")
        );
        let heard = ends(Ok(stopped(explicit, Reason::Memory)), Ok(fails(symbolic)));
        assert_eq!(heard.expect("a report").engine, symbolic);
        let heard = ends(
            Ok(stopped(explicit, Reason::Memory)),
            Ok(stopped(symbolic, Reason::Time)),
        );
        assert_eq!(
            reason(&heard.expect("a report")),
            Some(&Reason::Time),
            "it ended the check"
        );
        let heard = ends(
            Ok(stopped(explicit, Reason::Time)),
            Ok(stopped(symbolic, Reason::Time)),
        );
        assert_eq!(heard.expect("a report").engine, explicit);
        let refused = |text: &str| Err(CheckError::Refused(text.into()));
        let heard = ends(Ok(stopped(explicit, Reason::Memory)), refused("no"));
        assert_eq!(heard.expect("a report").engine, explicit);
        let why = |first, second| ends(refused(first), refused(second)).map(|r| r.verdict);
        assert_eq!(why("a", "a"), Err(CheckError::Refused("a".into())));
        assert_eq!(why("a", "b"), Err(CheckError::Refused("a; and b".into())));
    }
}
