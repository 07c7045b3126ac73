//! `sempre crosscheck`: engines agree on random cases, and one that is wrong is found.

use crate::binary::{self, Ran, file, sempre};
use sempre::check::{AutomatonKind, Claim};
use sempre::crosscheck::bug_report::bug_report;
use sempre::crosscheck::draw::draw;
use sempre::crosscheck::reference::reference;
use sempre::crosscheck::shrink::shrink;
use sempre::crosscheck::{Answer, Case, Way, What, answer, compare, ways};
use sempre::explicit::emptiness::Algorithm;
use sempre::explicit::product::Limits;
use sempre::ltl::Op;

fn crosscheck(arguments: &[&str]) -> Ran {
    sempre(&[&["crosscheck"], arguments].concat())
}

fn row<'a>(summary: &'a str, name: &str) -> &'a str {
    let line = summary
        .lines()
        .find(|l| l.starts_with(name))
        .expect("the row is there");
    line[name.len()..].trim()
}

#[test]
fn engines_agree_on_random_cases() {
    let reports = env!("CARGO_TARGET_TMPDIR");
    let arguments = [
        "--random",
        "200",
        "--seed",
        "7",
        "--reports",
        reports,
        "--quiet",
    ];
    let Ran { status, out, err } = crosscheck(&arguments);
    assert_eq!(status, 0, "{out}{err}");
    assert_eq!(row(&out, "disagreements"), "0");
    assert_eq!(row(&out, "cases"), "200");
    for name in ["holds", "violated"] {
        let count: u32 = row(&out, name).parse().expect("a number");
        assert!(count > 30, "{out}");
    }
    // Nearly all ways came to their turn.
    let counts = row(&out, "ways").split_once(" of ").expect("two numbers");
    let all: usize = counts
        .1
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("a number");
    assert_eq!(all, ways().len());
    let tried: usize = counts.0.parse().expect("a number");
    assert!(tried * 10 > all * 9, "{out}");
}

/// One model in all ways, and a folder.
#[test]
fn models_and_folders() {
    let Ran { status, out, err } = crosscheck(&[
        "examples/mutex.dve",
        "G(P_0.wait -> F P_0.CS)",
        "--ways",
        "40",
        "--quiet",
    ]);
    assert_eq!((status, row(&out, "holds")), (0, "1"), "{out}{err}");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("crosscheck");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    for name in ["mutex.dve", "lights.graph"] {
        let from = std::path::Path::new(binary::ROOT)
            .join("examples")
            .join(name);
        std::fs::copy(from, folder.join(name)).expect("a file can be copied");
    }
    let folder = folder.to_str().expect("UTF-8");
    let Ran { status, out, err } =
        crosscheck(&[folder, "--ways", "10", "--quiet", "--reports", folder]);
    assert_eq!((status, row(&out, "disagreements")), (0, "0"), "{out}{err}");
    assert!(
        row(&out, "cases").parse::<u32>().expect("a number") >= 4,
        "{out}"
    );
    let Ran { status, err, .. } = crosscheck(&[]);
    assert_eq!(status, 2, "{err}");
}

/// `G !p1 & F p1`, in other words: the initial state violates the whole, a path of two states the first part.
#[test]
fn a_prefix_that_contradicts_the_parts_together_is_shorter() {
    let case = ["--random", "1", "--seed", "20261130001", "--first", "5341"];
    let Ran { status, out, err } = crosscheck(&[&case[..], &["--ways", "0", "--quiet"]].concat());
    assert_eq!(status, 0, "{out}{err}");
    assert_eq!(row(&out, "violated"), "1");
}

/// An engine that overlooks violations when asked for se05: it is found, and what shows it becomes small.
#[test]
fn a_wrong_engine_is_found_and_its_case_made_small() {
    let limits = Limits::default();
    let wrong = |case: &Case, way: &Way| match answer(case, way, limits) {
        Answer::Violated(_) if way.algorithm == Some(Algorithm::Se05) => Answer::Holds(None),
        answer => answer,
    };
    let tgba = Some(AutomatonKind::Tgba);
    let way = |algorithm| Way {
        automaton: tgba,
        algorithm: Some(algorithm),
        ..Way::default()
    };
    let chosen = [way(Algorithm::Cou99), way(Algorithm::Se05)];
    let mut found = 0;
    for number in 0..60 {
        let case = draw(3, number);
        let Some(known) = reference(&case, 300) else {
            continue;
        };
        // Without the wrong one there is nothing to find.
        let right = compare(&case, &chosen, Some(known), &|case, way| {
            answer(case, way, limits)
        });
        assert_eq!(right.disagreement, None, "{}", case.name);
        assert_eq!(right.holds, Some(known));
        let compared = compare(&case, &chosen, None, &wrong);
        let Some(disagreement) = compared.disagreement else {
            assert!(known, "a violation is overlooked: {}", case.name);
            continue;
        };
        assert_eq!(disagreement.what, What::Verdicts);
        let again = |case: &Case| compare(case, &chosen, None, &wrong).disagreement;
        let small = shrink(&case, &|case| again(case).is_some());
        let last = again(&small).expect("the small one shows it");
        let Claim::Formula(formulas, f) = &small.property.claim else {
            panic!("a formula");
        };
        assert!(small.program.actions.len() <= 1, "{:?}", small.program);
        assert_eq!(formulas.op(*f), Op::False, "any run violates it");
        let text = bug_report(&case, "again", &disagreement, &small, &last);
        assert!(
            text.contains("--algorithm se05") && text.contains("verdicts differ"),
            "{text}"
        );
        found += 1;
        if found == 5 {
            return;
        }
    }
    panic!("no violation in sixty cases");
}

/// Sizes and lengths that differ are told, too, and so is who says that it is wrong.
#[test]
fn sizes_lengths_and_defects_are_compared() {
    let case = (0..100)
        .map(|n| draw(1, n))
        .find(|c| reference(c, 300) == Some(true));
    let case = case.expect("something holds");
    let chosen: Vec<Way> = (ways().into_iter())
        .filter(|w| {
            w.automaton == Some(AutomatonKind::Tgba) && w.algorithm == Some(Algorithm::Ufscc)
        })
        .collect();
    assert!(chosen.len() >= 3, "one, two and four workers");
    let sized = |_: &Case, way: &Way| Answer::Holds(Some(way.workers as u64));
    let what = |answers: &dyn Fn(&Case, &Way) -> Answer| {
        compare(&case, &chosen, None, answers)
            .disagreement
            .map(|d| d.what)
    };
    assert_eq!(what(&sized), Some(What::Sizes));
    assert_eq!(what(&|_, _| Answer::Holds(Some(3))), None);
    assert_eq!(
        what(&|_, way| Answer::Violated(Some(way.workers))),
        Some(What::Lengths)
    );
    assert_eq!(
        what(&|_, _| Answer::Defect("no".into())),
        Some(What::Defect)
    );
    assert_eq!(what(&|_, _| Answer::Unknown("time".into())), None);
}

/// The nondeterministic automaton of this formula accepts a bad prefix a step after it is one.
#[test]
fn lengths_of_nondeterministic_automata_may_differ() {
    let formula = "X p1 xor (p1 & X p1)";
    let graph = file(
        "crosscheck",
        "late.graph",
        "propositions p1\ninitial 0\n0: p1 -> 0\n",
    );
    let ran = sempre(&["crosscheck", &graph, formula, "-q"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("disagreements  0"), "{}", ran.out);
}
