//! Several properties in one run have the verdicts that each has alone, and shortest prefixes of the same length.

use sempre::check::settings::Thresholds;
use sempre::check::{
    Asked, Checker, Claim, Evidence, Property, Report, Settings, Verdict, several, sources,
};
use sempre::crosscheck::draw;
use sempre::lang::model::{Language, Model};
use sempre_base::Random;
use sempre_explicit::finite::Search;
use sempre_explicit::product::{Deadlock, Limits};

/// Those of `draw::property`, and the conjunction of each two neighbours with the same propositions.
fn properties(random: &mut Random, case: &sempre::crosscheck::Case) -> Vec<Property> {
    let mut all = vec![case.property.clone()];
    for _ in 0..4 {
        all.push(draw::property(random, &case.program));
    }
    // Another formula about the propositions of the first one, and both at once.
    let Claim::Formula(formulas, f) = &case.property.claim else {
        return all;
    };
    for _ in 0..2 {
        let mut formulas = formulas.clone();
        let mut parts = vec![*f];
        for p in 0..formulas.names().len() {
            let name = formulas.name(p).to_string();
            let p = formulas.proposition(&name);
            let part = match random.below(4) {
                0 => formulas.finally(p),
                1 => {
                    let f = formulas.finally(p);
                    formulas.globally(f)
                }
                2 => {
                    let g = formulas.globally(p);
                    formulas.finally(g)
                }
                _ => formulas.globally(p),
            };
            parts.push(part);
        }
        let mut both = formulas.and(&parts);
        if random.chance(0.3) {
            both = formulas.globally(both);
        }
        all.push(Property {
            claim: Claim::Formula(formulas, both),
            asked: Asked::Runs,
            ..case.property.clone()
        });
    }
    all
}

/// The run that violates it, if its length is that of a shortest one.
fn shortest(report: &Report) -> Option<usize> {
    match &report.verdict {
        Verdict::Violated(evidence) => (report.search == Some(Search::Bfs)
            && !report.statistics.scouted)
            .then(|| Evidence::len(evidence)),
        _ => None,
    }
}

fn all(checker: &Checker, properties: &[Property], settings: &Settings<'_>) -> Vec<Report> {
    let mut reports: Vec<Option<Report>> = properties.iter().map(|_| None).collect();
    checker.check_all(properties, settings, false, &mut |i, result| {
        assert!(reports[i].is_none(), "one report for each");
        reports[i] = Some(result.unwrap_or_else(|e| panic!("{}: {e:?}", properties[i].name)));
    });
    reports
        .into_iter()
        .map(|r| r.expect("one for each"))
        .collect()
}

#[test]
fn together_as_alone() {
    let (mut shared, mut whole, mut lengths) = (0, 0, 0);
    for number in 0..1000 {
        let case = draw::draw(26, number);
        let mut random = Random::new(number);
        let Ok(checker) = Checker::new(&case.program, case.fairness) else {
            continue;
        };
        let properties = properties(&mut random, &case);
        let alone = Settings {
            deadlock: case.deadlock,
            compile: number % 10 == 0,
            limits: Limits {
                states: Some(5_000),
                ..Limits::default()
            },
            ..Settings::default()
        };
        let together = Settings {
            workers: 1 + random.below(2),
            thresholds: Thresholds {
                first_pause: *random.pick(&[1, 4, 16, 64, 4096]),
                ..Thresholds::default()
            },
            limits: Limits {
                // So that the graph, or even the states, have no room.
                memory: (number % 7 == 0).then_some(400_000 + 100_000 * random.below(20)),
                ..alone.limits
            },
            ..alone
        };
        let reports = all(&checker, &properties, &together);
        for (property, report) in properties.iter().zip(&reports) {
            let single = checker.check(property, &alone).unwrap();
            let words = (single.verdict.word(), report.verdict.word());
            let limited = together.limits.memory.is_some() || words.0 == "unknown";
            assert!(
                words.0 == words.1 || limited && (words.0 == "unknown" || words.1 == "unknown"),
                "{} of {}: {words:?} {:#?}",
                property.name,
                case.name,
                report.explanation
            );
            if let (Some(one), Some(other)) = (shortest(&single), shortest(report)) {
                let is_part = (report.explanation.iter()).any(|e| e.contains("a conjunction of"));
                // The whole may be lost before one of its parts is.
                assert!(
                    one == other || is_part && one < other,
                    "{} of {}: {one} {other}",
                    property.name,
                    case.name
                );
                lengths += 1;
            }
            let says = |text: &str| report.explanation.iter().any(|e| e.contains(text));
            shared += usize::from(says("in one exploration of the model"));
            whole += usize::from(says("were made once for all properties"));
        }
    }
    assert!(shared > 200, "{shared}");
    assert!(whole > 100, "{whole}");
    assert!(lengths > 200, "{lengths}");
}

/// A counter to `most`, after which it stays; and one that fails before.
fn counter(most: u32, failing: bool) -> Model {
    let assertion = match failing {
        true => "assert go: x < 5;",
        false => "",
    };
    let text = format!(
        "int x; byte y; process P {{ state go; init go; {assertion} \
         trans go -> go {{ guard x < {most}; effect x = x + 1; }}; }} \
         process Q {{ state s; init s; trans s -> s {{ guard y < 3; effect y = y + 1; }}; }} system async;"
    );
    Model::read(Language::Dve, "counter", &text).unwrap().0
}

fn named(model: &Model, texts: &[&str]) -> Vec<Property> {
    let read = |text: &&str| sources::formula(model, text).unwrap();
    texts.iter().map(read).collect()
}

/// Long enough for searches on the fly, and too long for the graph in little memory.
#[test]
fn a_long_way() {
    let model = counter(30_000, false);
    let checker = Checker::new(model.program(), sempre::check::Fairness::None).unwrap();
    let properties = named(
        &model,
        &[
            "G {x < 29000}",
            "G {x < 30001}",
            "G F {x == 30000}",
            "G({x == 5} -> F {x == 29999})",
            "F G {y < 3}",
            "G({x == 7} -> X {x == 7})",
            "G {x < 30001} & G F {y == 3}",
            "{x < 10} W {x == 10}",
        ],
    );
    for memory in [None, Some(2 << 20)] {
        let settings = Settings {
            limits: Limits {
                memory,
                ..Limits::default()
            },
            ..Settings::default()
        };
        let reports = all(&checker, &properties, &settings);
        let words: Vec<&str> = reports.iter().map(|r| r.verdict.word()).collect();
        // All runs end in one state, which is repeated.
        let expected = [
            "violated", "holds", "holds", "holds", "violated", "violated", "holds", "holds",
        ];
        let fits = |(&a, &b): (&&str, &&str)| a == b || memory.is_some() && a == "unknown";
        assert!(words.iter().zip(&expected).all(fits), "{words:?}");
    }
}

/// A failed assertion about states hides nothing.
#[test]
fn assertions_are_beside_the_point() {
    let model = counter(10, true);
    let checker = Checker::new(model.program(), sempre::check::Fairness::None).unwrap();
    let texts = ["G {x < 4}", "G {y < 3}", "G {x < 100}", "G F {y == 0}"];
    let properties = named(&model, &texts);
    let settings = Settings::default();
    for (property, report) in properties.iter().zip(all(&checker, &properties, &settings)) {
        let single = checker.check(property, &settings).unwrap();
        assert_eq!(report.verdict.word(), single.verdict.word());
        assert_ne!(report.verdict.word(), "unknown");
        assert_eq!(shortest(&report), shortest(&single));
        assert!(report.assertion_fails || report.verdict.word() == "violated");
    }
}

#[test]
fn the_first_violation_is_enough() {
    let model = counter(100, false);
    let checker = Checker::new(model.program(), sempre::check::Fairness::None).unwrap();
    let texts = ["G {x < 101}", "G {x < 50}", "G {x < 90}", "G F {x == 100}"];
    for deadlock in [Deadlock::Stutter, Deadlock::Drop] {
        let properties = named(&model, &texts);
        let settings = Settings {
            deadlock,
            ..Settings::default()
        };
        let mut reports = vec![None; 4];
        checker.check_all(&properties, &settings, true, &mut |i, result| {
            reports[i] = Some(result.unwrap());
        });
        let words: Vec<String> = (reports.iter().flatten())
            .map(|r| match &r.verdict {
                Verdict::Unknown(cause) => cause.words(),
                known => known.word().to_string(),
            })
            .collect();
        assert_eq!(words.len(), 4, "{words:?}");
        if deadlock == Deadlock::Drop {
            // No run goes on for ever.
            assert!(words.iter().all(|w| w == "holds"), "{words:?}");
            continue;
        }
        let skipped = words.iter().filter(|w| w.starts_with("not checked"));
        assert!(skipped.count() >= 1, "{words:?}");
        assert_eq!(words.iter().filter(|w| *w == "violated").count(), 1);
    }
    let report = several::not_checked(&Settings::default(), &named(&model, &texts)[1]);
    let Verdict::Unknown(cause) = report.verdict else {
        panic!("it was not checked");
    };
    assert_eq!(cause.words(), "not checked: `G {x < 50}` does not hold");
}
