//! Reachability in nets: walks, the state equation and the engines behind them against a plain exploration of all markings, on random nets
//! and conditions.

use rustc_hash::FxHashSet;
use sempre::base::Random;
use sempre::check::{
    Asked, CheckError, Checker, Engine, Fairness, Method, Property, Settings, Verdict, sources,
};
use sempre::explicit::product::Limits;
use sempre::lang::model::{Language, Model};
use sempre::lang::petri_net::PetriNet;
use sempre::lang::pnml::write_pnml;
use sempre::model::Interpreter;

/// A small net, bounded or not.
fn random_net(random: &mut Random) -> PetriNet {
    let mut net = PetriNet::new("random");
    let places = 2 + random.below(5);
    for p in 0..places {
        net.place(&format!("p{p}"), [0, 0, 1, 1, 3][random.below(5)]);
    }
    for t in 0..1 + random.below(7) {
        let arcs = |random: &mut Random| -> Vec<(u32, i64)> {
            let arcs = 0..random.below(3);
            arcs.map(|_| (random.below(places) as u32, 1 + random.below(2) as i64))
                .collect()
        };
        let (inputs, outputs) = (arcs(random), arcs(random));
        net.transition(&format!("t{t}"), inputs, outputs);
    }
    net
}

/// A condition as formulas of the contest have it.
fn random_condition(random: &mut Random, net: &PetriNet, depth: u32) -> String {
    let below = |random: &mut Random| random_condition(random, net, depth - 1);
    let place = |random: &mut Random| format!("p{}", random.below(net.places.len()));
    match random.below(if depth == 0 { 3 } else { 7 }) {
        0 => format!("{{{} <= {}}}", place(random), random.below(4)),
        1 => format!(
            "{{tokens({}, {}) < {}}}",
            place(random),
            place(random),
            place(random)
        ),
        2 => format!("{{fireable(t{})}}", random.below(net.transitions.len())),
        3 => format!("!({})", below(random)),
        4 => format!("({} <-> {})", below(random), below(random)),
        5 => format!("({} & {})", below(random), below(random)),
        _ => format!("({} | {})", below(random), below(random)),
    }
}

/// Is the property violated in a state that can be reached? `None` if there are too many states. The truth of the condition is found by
/// replacing the formula by itself in one state: `G p` of a program that cannot move.
fn violated(model: &Model, condition: &str) -> Option<bool> {
    let mut still = model.program().clone();
    still.actions.clear();
    let property = sources::formula(model, condition).expect("a formula");
    let mut seen: FxHashSet<Vec<i64>> = model.program().initial.iter().cloned().collect();
    let mut open: Vec<Vec<i64>> = model.program().initial.clone();
    let interpreter = Interpreter::new(model.program());
    let settings = Settings {
        compile: false,
        ..Settings::default()
    };
    let mut bad = false;
    while let Some(state) = open.pop() {
        still.initial = vec![state.clone()];
        let checker = Checker::new(&still, Fairness::None).expect("a checker");
        let report = checker.check(&property, &settings).expect("a report");
        bad |= matches!(report.verdict, Verdict::Violated(_));
        for (_, next) in interpreter.successors(&state) {
            let next = next.expect("a step");
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > 150 {
            return None;
        }
    }
    Some(bad)
}

/// The property, asked as the contest asks.
fn asked(model: &Model, condition: &str, reachable: bool) -> Property {
    let text = match reachable {
        true => format!("G !({condition})"),
        false => format!("G ({condition})"),
    };
    Property {
        asked: if reachable {
            Asked::Reachable
        } else {
            Asked::Invariant
        },
        ..sources::formula(model, &text).expect("a formula")
    }
}

#[test]
fn all_methods_agree_with_plain_exploration() {
    let mut random = Random::new(21);
    let (mut yes, mut no) = (0, 0);
    let mut by_method = [[0; 2]; 2];
    for _ in 0..500 {
        let net = random_net(&mut random);
        let (model, _) = Model::read(Language::Pnml, "random", &write_pnml(&net)).expect("a net");
        let depth = random.below(3) as u32;
        let condition = random_condition(&mut random, &net, depth);
        let Some(bad) = violated(&model, &condition) else {
            continue;
        };
        *if bad { &mut no } else { &mut yes } += 1;
        let property = asked(&model, &condition, false);
        let opposite = asked(&model, &format!("!({condition})"), true);
        let checker = Checker::new(model.program(), Fairness::None).expect("a checker");
        for engine in [Engine::Explicit, Engine::Symbolic, Engine::Auto] {
            for property in [&property, &opposite] {
                let settings = Settings {
                    engine,
                    ..Settings::default()
                };
                let report = checker.check(property, &settings).expect("a report");
                let word = report.verdict.word();
                assert_eq!(
                    word,
                    if bad { "violated" } else { "holds" },
                    "{net:?} {condition}"
                );
                assert!(report.net.is_some());
            }
        }
        for (number, (method, name)) in Method::ALL.into_iter().enumerate() {
            // Walks end when they have taken so many steps.
            let limits = Limits {
                states: Some(20_000),
                ..Limits::default()
            };
            let settings = Settings {
                method: Some(method),
                limits,
                ..Settings::default()
            };
            let report = checker.check(&property, &settings).expect("a report");
            match report.verdict {
                Verdict::Holds(_) => assert!(!bad, "{name} {net:?} {condition}"),
                Verdict::Violated(_) => assert!(bad, "{name} {net:?} {condition}"),
                Verdict::Unknown(_) => continue,
            }
            by_method[number][usize::from(bad)] += 1;
        }
    }
    assert!(yes > 40 && no > 40, "{yes} {no}");
    let [[walked, found], [proved, met]] = by_method;
    assert_eq!(walked, 0, "a walk proves nothing");
    assert!(found * 10 > no * 9, "{found} of {no} violations by walks");
    assert!(proved * 10 > yes * 6, "{proved} of {yes} invariants proved");
    assert!(met * 10 > no * 9, "{met} of {no} violations by solutions");
}

/// Walks are for other programs, too: they find what is there, and prove nothing.
#[test]
fn programs_are_walked_through() {
    let text = "process P { byte x; state a; init a; trans a -> a { guard x < 200; effect x = x + 1; }, a -> a { effect x = 0; }; } system async;";
    let (model, _) = Model::read(Language::Dve, "n", text).expect("a model");
    let checker = Checker::new(model.program(), Fairness::None).expect("a checker");
    for compile in [false, true] {
        for (formula, word) in [
            ("G {P.x < 9}", "violated"),
            ("G {P.x <= 200}", "unknown"),
            ("!F {P.x == 20}", "violated"),
        ] {
            let settings = Settings {
                method: Some(Method::Walk),
                compile,
                limits: Limits {
                    states: Some(100_000),
                    ..Limits::default()
                },
                ..Settings::default()
            };
            let property = sources::formula(&model, formula).expect("a formula");
            let report = checker.check(&property, &settings).expect("a report");
            assert_eq!(report.verdict.word(), word, "{formula}");
        }
    }
}

#[test]
fn what_is_no_question_about_a_net_is_refused_by_name() {
    let net = "<pnml><net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><place id=\"p\"/></net></pnml>";
    let (model, _) = Model::read(Language::Pnml, "n", net).expect("a net");
    let graph = "process P { byte x; state a; init a; trans a -> a { guard x < 3; effect x = x + 1; }; } system async;";
    let (other, _) = Model::read(Language::Dve, "n", graph).expect("a model");
    for (model, formula, named, is_refused) in [
        (&model, "G {p == 0}", true, false),
        (&model, "!F {p == 1}", true, false),
        (&model, "G F {p == 0}", true, true),
        (&model, "G {p * p == 0}", true, true),
        (&other, "G {P.x < 9}", true, true),
        (&other, "G {P.x < 9}", false, false),
    ] {
        let checker = Checker::new(model.program(), Fairness::None).expect("a checker");
        let settings = Settings {
            method: named.then_some(Method::StateEquation),
            ..Settings::default()
        };
        let property = sources::formula(model, formula).expect("a formula");
        let report = checker.check(&property, &settings);
        assert_eq!(
            matches!(report, Err(CheckError::Refused(_))),
            is_refused,
            "{formula}"
        );
    }
}
