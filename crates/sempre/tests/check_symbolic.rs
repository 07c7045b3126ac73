//! The symbolic engine against the explicit one, and both at the same time: random programs and formulas, by TGBA and TGTA, in both
//! readings of deadlocks. Every counterexample was replayed, or there would be an error.

use sempre::base::Random;
use sempre::check::settings::Thresholds;
use sempre::check::{
    AutomatonKind, Cause, CheckError, Checker, Claim, Engine, Fairness, Property, Settings,
    SymbolicAlgorithm, SymbolicSettings, Verdict, sources,
};
use sempre::crosscheck::draw::propositions;
use sempre::explicit::product::{Deadlock, Limits};
use sempre::lang::model::{Language, Model};
use sempre::ltl::Formulas;
use sempre::ltl::random::RandomFormula;
use sempre::model::random_program::random_program;
use std::time::Duration;

#[test]
fn random_programs_and_formulas() {
    let mut random = Random::new(17);
    let mut answers = [0; 3];
    let mut pairs = 0;
    let large = std::env::var_os("SEMPRE_LARGE").is_some();
    while pairs < if large { 2_000 } else { 400 } {
        let program = random_program(&mut random);
        if program.marks > 0 {
            continue;
        }
        let layout = sempre::model::Layout::full(&program);
        let system = sempre::model::ProgramSystem::new(program.clone().into(), layout, Vec::new());
        let few = sempre::explicit::Options {
            states: Some(200),
            ..Default::default()
        };
        let states = sempre::explicit::explore(&system, &few);
        if states.outcome != sempre::explicit::Outcome::Complete {
            continue;
        }
        // Most random programs do something erroneous somewhere, and then the answer is often that nobody knows.
        if states.statistics.failures > 0 && random.chance(0.9) {
            continue;
        }
        let fairness = *random.pick(&[Fairness::None, Fairness::None, Fairness::Weak]);
        let mut formulas = Formulas::new();
        let f = (RandomFormula::new(2).without_next()).draw(&mut formulas, &mut random);
        let expressions = 0.4;
        let count = formulas.names().len();
        let propositions = propositions(&mut random, &program, count, expressions);
        let property = Property {
            asked: sempre::check::Asked::Runs,
            name: "random".into(),
            propositions,
            claim: Claim::Formula(Box::new(formulas), f),
            warnings: Vec::new(),
        };
        let settings = Settings {
            deadlock: *random.pick(&[Deadlock::Stutter, Deadlock::Drop]),
            compile: false,
            limits: Limits {
                states: Some(500),
                ..Limits::default()
            },
            ..Settings::default()
        };
        let checker = Checker::new(&program, fairness).expect("it has processes");
        let explicit = checker.check(&property, &settings).expect("it is checked");
        let (Verdict::Holds(_) | Verdict::Violated(_)) = explicit.verdict else {
            continue;
        };
        pairs += 1;
        for (kind, algorithm) in [
            (AutomatonKind::Tgba, SymbolicAlgorithm::Owcty),
            (AutomatonKind::Tgta, SymbolicAlgorithm::Owcty),
            (AutomatonKind::Tgba, SymbolicAlgorithm::Bounded),
            (AutomatonKind::Tgta, SymbolicAlgorithm::Bounded),
            (AutomatonKind::Tgba, SymbolicAlgorithm::Partial),
            (AutomatonKind::Tgta, SymbolicAlgorithm::Partial),
            (AutomatonKind::Tgba, SymbolicAlgorithm::Directed),
            (AutomatonKind::Tgta, SymbolicAlgorithm::Directed),
        ] {
            let symbolic = Settings {
                engine: Engine::Symbolic,
                automaton: Some(kind),
                symbolic: SymbolicSettings {
                    algorithm,
                    ..SymbolicSettings::default()
                },
                limits: Limits::default(),
                ..settings
            };
            let report = match checker.check(&property, &symbolic) {
                Ok(report) => report,
                Err(CheckError::Refused(why)) => panic!("{why}"),
                Err(CheckError::Defect(why)) => panic!("{kind:?}: {why}: {program:?}"),
            };
            match (&explicit.verdict, &report.verdict) {
                (Verdict::Holds(_), Verdict::Holds(_)) => answers[0] += 1,
                (Verdict::Violated(_), Verdict::Violated(_)) => answers[1] += 1,
                // Something fails in states that the other engine did not look at.
                (_, Verdict::Unknown(Cause::Failure(_) | Cause::NoValue(_))) => answers[2] += 1,
                (one, two) => panic!(
                    "{} but {kind:?} {algorithm:?} {two:?}: {program:?}",
                    one.word()
                ),
            }
        }
        // Whoever is first, if both begin at the same time.
        let both = Settings {
            engine: Engine::Auto,
            thresholds: Thresholds {
                head_start: Duration::ZERO,
                ..Thresholds::default()
            },
            ..settings
        };
        let report = checker.check(&property, &both).expect("it is checked");
        assert_eq!(
            explicit.verdict.word(),
            report.verdict.word(),
            "{program:?}"
        );
        assert_ne!(report.engine, Engine::Auto);
    }
    assert!(answers[0] > pairs && answers[1] > pairs, "{answers:?}");
    assert!(answers[2] * 8 < answers.iter().sum(), "{answers:?}");
}

/// Each takes the automaton that it would take alone.
#[test]
fn the_explicit_engine_begins() {
    let text = "process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    let (model, _) = Model::read(Language::Dve, "tiny", text).expect("a model");
    let checker = Checker::new(model.program(), Fairness::None).expect("it has processes");
    let property = sources::formula(&model, "G (P.a || P.b)").expect("a formula");
    let check = |algorithm| {
        let settings = Settings {
            engine: Engine::Auto,
            thresholds: Thresholds {
                head_start: Duration::from_secs(1 << 20),
                ..Thresholds::default()
            },
            symbolic: SymbolicSettings {
                algorithm,
                ..SymbolicSettings::default()
            },
            ..Settings::default()
        };
        let report = checker.check(&property, &settings).expect("it is checked");
        assert!(matches!(report.verdict, Verdict::Holds(_)));
        let kind = report.automaton.expect("an automaton").kind;
        (report.engine, kind, report.explanation[0].clone())
    };
    let why = "engine explicit: it had the answer; the symbolic engine had not begun".to_string();
    assert_eq!(
        check(SymbolicAlgorithm::Turns),
        (Engine::Explicit, AutomatonKind::Dfa, why)
    );
    let why = "engine symbolic alone: algorithm bounded belongs to the symbolic engine".to_string();
    assert_eq!(
        check(SymbolicAlgorithm::Bounded),
        (Engine::Symbolic, AutomatonKind::Tgba, why)
    );
}

#[test]
fn what_the_engine_cannot_do_is_refused() {
    let text = "process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
    let (model, _) = Model::read(Language::Dve, "tiny", text).expect("a model");
    let property = sources::formula(&model, "G F P.a").expect("a formula");
    let check = |fairness, automaton| {
        let checker = Checker::new(model.program(), fairness).expect("it has processes");
        let settings = Settings {
            engine: Engine::Symbolic,
            automaton,
            symbolic: SymbolicSettings {
                algorithm: SymbolicAlgorithm::Owcty,
                ..SymbolicSettings::default()
            },
            ..Settings::default()
        };
        checker.check(&property, &settings)
    };
    let fair = check(Fairness::Weak, None).expect("it is checked");
    assert!(matches!(fair.verdict, Verdict::Holds(_)));
    let ta = check(Fairness::None, Some(AutomatonKind::Ta));
    assert!(matches!(ta, Err(CheckError::Refused(_))));
    let report = check(Fairness::None, None).expect("it is checked");
    assert!(matches!(report.verdict, Verdict::Holds(_)));
    let counted = report.symbolic.expect("the symbolic engine counts");
    assert_eq!(counted.model_states.expect("all were found"), 2);
}

/// A run that sees one of two sets is accepted; a search for one that sees both overlooked it, and said that the property holds.
#[test]
fn a_choice_of_acceptance_sets_is_refused() {
    let text = "process P { state a, b; init a; trans a -> b {}, b -> a {}; }
process Q { state a, b; init a; trans a -> a {}; } system async;";
    let (model, _) = Model::read(Language::Dve, "one", text).expect("a model");
    let either = "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"P.b\" \"Q.b\"\nAcceptance: 2 Inf(0) | Inf(1)\n--BODY--\nState: 0
[0] 0 {0}\n[!0&1] 0 {1}\n[!0&!1] 0\n--END--\n";
    let property = &sources::violations(&model, "either", either).expect("an automaton")[0];
    let checker = Checker::new(model.program(), Fairness::None).expect("it has processes");
    for kind in [
        AutomatonKind::Tgba,
        AutomatonKind::Tela,
        AutomatonKind::FinLess,
    ] {
        let [explicit, symbolic] = [Engine::Explicit, Engine::Symbolic].map(|engine| {
            let settings = Settings {
                engine,
                automaton: Some(kind),
                ..Settings::default()
            };
            checker.check(property, &settings).map(|r| r.verdict)
        });
        assert!(matches!(explicit, Ok(Verdict::Violated(_))), "{kind:?}");
        if kind == AutomatonKind::Tgba {
            assert!(matches!(symbolic, Ok(Verdict::Violated(_))));
        } else {
            assert!(
                matches!(symbolic, Err(CheckError::Refused(_))),
                "{kind:?}: {symbolic:?}"
            );
        }
    }
}

#[test]
fn a_violation_counts_although_a_step_elsewhere_fails() {
    let text = "int x; process P { state a, b, c; init a; trans a -> b { effect x = 1 / x; }, a -> c {}, c -> c {}; } system async;";
    let (model, _) = Model::read(Language::Dve, "fails", text).expect("a model");
    let checker = Checker::new(model.program(), Fairness::None).expect("it has processes");
    for kind in [AutomatonKind::Tgba, AutomatonKind::Tgta] {
        let verdict = |formula: &str| {
            let property = sources::formula(&model, formula).expect("a formula");
            let settings = Settings {
                engine: Engine::Symbolic,
                automaton: Some(kind),
                ..Settings::default()
            };
            let report = checker.check(&property, &settings);
            report.expect("it is checked").verdict
        };
        assert!(matches!(verdict("G !P.c"), Verdict::Violated(_)));
        // Nobody knows what comes after the step that fails.
        let unknown = verdict("G (P.a || P.c)");
        assert!(matches!(unknown, Verdict::Unknown(Cause::Failure(_))));
    }
}

#[test]
fn without_memory_the_verdict_is_unknown() {
    let text = "byte a; byte b; byte c; byte d; byte e;
process P { state x; init x; trans x -> x { effect e = (a + a) % 2; }, x -> x { effect a = a * 5 + b * c + 1; }, x -> x { effect b = b * 3 + a * d + 1; },
x -> x { effect c = c * 9 + d + a; }, x -> x { effect d = d + c * b + 7; }; } system async;";
    let model = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked-large.dve");
    std::fs::write(&model, text).expect("a file can be written");
    for (_, algorithm) in SymbolicAlgorithm::ALL {
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_sempre"))
            .args(["check", "--engine", "symbolic", "--algorithm", algorithm])
            .args(["--memory", "4M", "--format", "json"])
            .arg(&model)
            // It holds, so nobody is lucky.
            .arg("G {e == 0}")
            .output()
            .expect("the binary runs");
        assert_eq!(ran.status.code(), Some(3), "{algorithm}");
        let found: serde_json::Value = serde_json::from_slice(&ran.stdout).expect("an object");
        assert_eq!(found["verdict"], "unknown", "{algorithm}");
        assert_eq!(found["reason"], "memory", "{algorithm}");
        assert!(found["product"]["states"].is_null(), "{algorithm}");
        let nodes = found["peak_nodes"].as_u64();
        assert_eq!(
            nodes > Some(1000),
            algorithm != "directed",
            "{algorithm}: {nodes:?}"
        );
    }
}
