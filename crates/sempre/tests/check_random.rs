//! Checks of random models against random formulas, by all algorithms, against an obvious reference: the model written
//! as an automaton, its product with the automaton of the negation, and the emptiness check of automata.

use sempre::Workbench;
use sempre::base::Random;
use sempre::check::{
    Asked, AutomatonKind, Checker, Claim, Fairness, Property, Settings, Verdict, sources,
};
use sempre::crosscheck::draw::{propositions, walkers};
use sempre::crosscheck::reference::automaton;
use sempre::explicit::emptiness::Algorithm;
use sempre::explicit::product::Deadlock;
use sempre::lang::graph::{Graph, write_graph};
use sempre::lang::model::{Language, Model};
use sempre::lang::random_graph::{RandomGraph, random_graph};
use sempre::ltl::random::RandomFormula;
use sempre::ltl::{Formulas, ParseOptions, Syntax, parse, print};
use sempre::model::Program;
use sempre::model::random_program::{add_wide_array, random_program};
use sempre::omega::{emptiness, product::product};
use sempre::translate::translator::{Effort, Options};

/// How many of many rounds to make: the suite makes `few`, `SEMPRE_LARGE=1` makes `many`, which takes a quarter of an
/// hour.
fn rounds(few: usize, many: usize) -> usize {
    if std::env::var_os("SEMPRE_LARGE").is_some() {
        many
    } else {
        few
    }
}

/// All checks by name, and the one chosen for these automata.
fn ways(kinds: &[AutomatonKind]) -> Vec<(Option<Algorithm>, AutomatonKind)> {
    let all = Algorithm::ALL.iter().map(|(a, _)| Some(*a));
    all.chain([None])
        .flat_map(|algorithm| kinds.iter().map(move |&kind| (algorithm, kind)))
        .collect()
}

/// Compares ways to check, compiled too or only interpreted, with the reference; whether the property holds.
fn compare(
    program: &Program,
    property: &Property,
    deadlock: Deadlock,
    fair: bool,
    (ways, compiled): (&[(Option<Algorithm>, AutomatonKind)], bool),
    what: &str,
) -> Option<bool> {
    let Claim::Formula(formulas, formula) = &property.claim else {
        panic!("a formula");
    };
    let mut bench = Workbench::new();
    let text = print(formulas, *formula, Syntax::Spot).to_string();
    let names = formulas.names().iter();
    let variables: Vec<u32> = names.map(|n| bench.alphabet.declare(n)).collect();
    let propositions = property.propositions.iter();
    let meanings: Vec<_> = propositions.map(|p| &p.meaning).collect();
    let model = automaton(
        &mut bench.alphabet,
        &variables,
        program,
        &meanings,
        (deadlock, fair),
        60,
    )?;
    let f = bench.parse(&text).expect("it was printed");
    let negation = bench.formulas.not(f);
    let violations = bench.translate(negation, Options::default());
    let expected = emptiness::is_empty(&product(&mut bench.alphabet.bdds, &model, &violations));
    let fairness = if fair { Fairness::Weak } else { Fairness::None };
    let checker = Checker::new(program, fairness).expect("it has processes");
    for &(algorithm, automaton) in ways {
        let workers: &[usize] = match algorithm {
            None => &[1, 2],
            Some(a) if a.takes_workers() => &[1, 3],
            Some(_) => &[1],
        };
        let each = workers.iter().flat_map(|&n| [(n, true), (n, false)]);
        for (workers, compile) in each {
            if compile && !compiled {
                continue;
            }
            let settings = Settings {
                workers,
                algorithm,
                automaton: Some(automaton),
                deadlock,
                compile,
                shorten: compile,
                ..Settings::default()
            };
            let report = match checker.check(property, &settings) {
                Ok(report) => report,
                Err(sempre::check::CheckError::Refused(why)) => {
                    let special = automaton == AutomatonKind::Ta;
                    let general = algorithm.is_none_or(Algorithm::is_general);
                    assert!(!general || special && algorithm.is_some(), "{why}");
                    continue;
                }
                Err(error) => panic!("{what}: {text}: {error:?}"),
            };
            let holds = matches!(report.verdict, Verdict::Holds(_));
            let violated = matches!(report.verdict, Verdict::Violated(_));
            assert_eq!(
                (holds, violated),
                (expected, !expected),
                "{what}: {text}: {algorithm:?} {automaton:?} {workers} compile {compile} {deadlock:?} fair {fair}: {:?}",
                report.verdict
            );
        }
    }
    Some(expected)
}

#[test]
fn random_graphs_with_marks_and_deadlocks() {
    let mut random = Random::new(1);
    let mut holding = [0; 2];
    let ways = ways(&[AutomatonKind::Tgba, AutomatonKind::Ba]);
    // Compiling is not the question when there are many.
    let ways = (&ways[..], rounds(1, 0) == 1);
    for round in 0..rounds(120, 10_000) {
        let mut graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 9,
                density: 0.15,
                propositions: vec!["p0".into(), "p1".into()],
                truth: 0.5,
                marks: (round % 3) as u32,
                mark_probability: 0.4,
            },
        );
        if round % 2 == 1 {
            let stuck = random.below(graph.states.len());
            graph.states[stuck].edges.clear();
        }
        let (model, property, text) = pair(&graph, &RandomFormula::new(2), &mut random);
        for deadlock in [Deadlock::Stutter, Deadlock::Drop] {
            let holds = compare(model.program(), &property, deadlock, false, ways, &text);
            holding[usize::from(holds.expect("it is small"))] += 1;
        }
    }
    assert!(holding.iter().all(|&n| n > 30), "both answers: {holding:?}");
}

/// A graph as a model, with its text, and a formula to check it against.
fn pair(graph: &Graph, draw: &RandomFormula, random: &mut Random) -> (Model, Property, String) {
    let text = write_graph(graph);
    let (model, _) = Model::read(Language::Graph, "random", &text).expect("it was written");
    let mut formulas = Formulas::new();
    let f = draw.draw(&mut formulas, random);
    let formula = print(&formulas, f, Syntax::Spot).to_string();
    let property = sources::formula(&model, &formula).expect("it was printed");
    (model, property, text)
}

/// Conjunctions of many parts, too many for automata that look at them as a whole, against checks of the parts.
#[test]
fn conjunctions_of_many_parts() {
    let patterns = [
        "G F #",
        "F G #",
        "F(# | @)",
        "G(# -> F @)",
        "G(# | @ | X @)",
        "(# | @) U @",
        "(# | @) W #",
        "F # -> F @",
        "# | (@ W #)",
        "G F # -> G F @",
    ];
    let names: Vec<String> = (0..24).map(|i| format!("p{i}")).collect();
    let mut random = Random::new(17);
    let mut holding = [0; 2];
    for round in 0..rounds(150, 5_000) {
        let graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 7,
                density: 0.2,
                propositions: names.clone(),
                // Nearly all parts hold, so that some conjunctions do.
                truth: 0.93,
                marks: 0,
                mark_probability: 0.0,
            },
        );
        let text = write_graph(&graph);
        let (model, _) = Model::read(Language::Graph, "random", &text).expect("it was written");
        let checker = Checker::new(model.program(), Fairness::None).expect("nothing to be fair to");
        let of_one_kind = random.chance(0.5).then(|| random.below(patterns.len()));
        let parts: Vec<String> = (0..16 + random.below(9))
            .map(|i| {
                let pattern = patterns[of_one_kind.unwrap_or_else(|| random.below(patterns.len()))];
                let (first, second) = (&names[i], &names[random.below(24)]);
                format!("({})", pattern.replace('#', first).replace('@', second))
            })
            .collect();
        let holds = |formula: &str, settings: &Settings<'_>| {
            let property = sources::formula(&model, formula).expect("a formula");
            let report = checker
                .check(&property, settings)
                .expect("it can be checked");
            match report.verdict {
                Verdict::Holds(_) => true,
                Verdict::Violated(_) => false,
                Verdict::Unknown(cause) => panic!("{formula}\n{text}: {cause:?}"),
            }
        };
        let expected = parts.iter().all(|part| holds(part, &Settings::default()));
        let all = parts.join(" & ");
        let auto = Settings::default();
        let by_runs = Settings {
            automaton: Some(AutomatonKind::Tgba),
            algorithm: Some([Algorithm::Cou99, Algorithm::Se05, Algorithm::Ufscc][round % 3]),
            compile: round % 2 == 0,
            ..Settings::default()
        };
        for settings in [auto, by_runs] {
            assert_eq!(holds(&all, &settings), expected, "{all}\n{text}");
        }
        holding[usize::from(expected)] += 1;
    }
    assert!(holding.iter().all(|&n| n > 20), "both answers: {holding:?}");
}

/// Formulas without `X`, by Büchi and by testing automata: each kind with the check chosen for it and with the
/// checks that were made for it.
#[test]
fn random_graphs_by_testing_automata() {
    let mut random = Random::new(3);
    let mut holding = [0; 2];
    let draw = RandomFormula::new(2).without_next();
    let ways = [
        (None, AutomatonKind::Tgba),
        (None, AutomatonKind::Ba),
        (None, AutomatonKind::Ta),
        (Some(Algorithm::TaTwoPass), AutomatonKind::Ta),
        (None, AutomatonKind::Tgta),
        (Some(Algorithm::Cou99), AutomatonKind::Tgta),
        (Some(Algorithm::Ufscc), AutomatonKind::Tgta),
        (Some(Algorithm::Ufscc), AutomatonKind::Ta),
    ];
    for round in 0..3_000 {
        // Seldom or often true: states that look alike follow one another.
        let truth = *random.pick(&[0.1, 0.3, 0.5, 0.9]);
        let mut graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 12,
                density: 0.15,
                propositions: vec!["p0".into(), "p1".into()],
                truth,
                marks: 0,
                mark_probability: 0.0,
            },
        );
        if round % 2 == 1 {
            let stuck = random.below(graph.states.len());
            graph.states[stuck].edges.clear();
        }
        let (model, property, text) = pair(&graph, &draw, &mut random);
        let deadlock = *random.pick(&[Deadlock::Stutter, Deadlock::Drop]);
        let holds = compare(
            model.program(),
            &property,
            deadlock,
            false,
            (&ways, false),
            &text,
        );
        holding[usize::from(holds.expect("it is small"))] += 1;
    }
    assert!(
        holding.iter().all(|&n| n > 300),
        "both answers: {holding:?}"
    );
}

/// Automata with all kinds of acceptance, with the checks chosen for them and those that were made for them.
#[test]
fn random_graphs_by_rabin_automata() {
    let mut random = Random::new(4);
    let mut holding = [0; 2];
    let ways = [
        (None, AutomatonKind::Tgra),
        (None, AutomatonKind::Tela),
        (None, AutomatonKind::FinLess),
        (None, AutomatonKind::Parity),
        (Some(Algorithm::Favoid), AutomatonKind::Tgra),
        (Some(Algorithm::Favoid), AutomatonKind::FinLess),
        (Some(Algorithm::EmersonLei), AutomatonKind::Tela),
        (Some(Algorithm::EmersonLei), AutomatonKind::Parity),
        (Some(Algorithm::Ufscc), AutomatonKind::FinLess),
    ];
    for round in 0..rounds(400, 5_000) {
        let graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 12,
                density: 0.15,
                propositions: vec!["p0".into(), "p1".into()],
                truth: 0.5,
                marks: (round % 3) as u32,
                mark_probability: 0.4,
            },
        );
        let (model, property, text) = pair(&graph, &RandomFormula::new(2), &mut random);
        let deadlock = *random.pick(&[Deadlock::Stutter, Deadlock::Drop]);
        let ways = (&ways[..], false);
        let holds = compare(model.program(), &property, deadlock, false, ways, &text);
        holding[usize::from(holds.expect("it is small"))] += 1;
    }
    assert!(holding.iter().all(|&n| n > 50), "both answers: {holding:?}");
}

/// Table 3 of Ben Salem, Duret-Lutz and Kordon (SUMo 2011), class Φ1: the product with an automaton of six states,
/// which ours is with little effort, has the printed size, and so have the products with the testing automata
/// made from it.
#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn the_property_of_the_mapk_cascade() {
    let text = test_data::text("testing-automata/nets/MAPK-8.pnml");
    let (model, _) = Model::read(Language::Pnml, "MAPK-8", &text).expect("a net");
    let names = ["RafP", "MEKP", "MEKPP", "ERKP", "ERKPP"].map(|p| format!("\"{p} >= 1\""));
    let untils: Vec<String> = names
        .windows(2)
        .map(|two| format!("(!{} U {})", two[0], two[1]))
        .collect();
    let mut bench = Workbench::new();
    let violations = bench.parse(&untils.join(" | ")).expect("a formula");
    let options = Options {
        effort: Effort::Low,
        ..Options::default()
    };
    let automaton = bench.translate(violations, options);
    assert_eq!(automaton.states(), 6);
    let hoa = bench.hoa(&automaton);
    let properties = sources::violations(&model, "violations.hoa", &hoa);
    let property = &properties.expect("it was written")[0];
    let checker = Checker::new(model.program(), Fairness::None).expect("it has no fairness");
    for (kind, algorithm, states, transitions) in [
        (AutomatonKind::Tgba, Algorithm::Cou99, 46_494, 302_350),
        (AutomatonKind::Ba, Algorithm::Cou99, 46_494, 302_350),
        (AutomatonKind::Ta, Algorithm::TaTwoPass, 33_376, 289_235),
        (AutomatonKind::Tgta, Algorithm::Cou99, 33_376, 289_235),
        (AutomatonKind::Tgba, Algorithm::Ufscc, 46_494, 302_350),
        (AutomatonKind::Tgta, Algorithm::Ufscc, 33_376, 289_235),
    ] {
        let settings = Settings {
            algorithm: Some(algorithm),
            automaton: Some(kind),
            ..Settings::default()
        };
        let report = checker.check(property, &settings).expect("it applies");
        assert!(matches!(report.verdict, Verdict::Holds(_)), "{kind:?}");
        let counters = &report.statistics.counters;
        assert_eq!(
            (counters.states, counters.transitions),
            (states, transitions),
            "{kind:?}"
        );
    }
}

#[test]
fn random_programs_with_fairness() {
    let mut random = Random::new(2);
    let mut holding = [0; 2];
    let mut differ = 0;
    let ways = ways(&[AutomatonKind::Tgba, AutomatonKind::Ba]);
    // Compiling is not the question when there are many.
    let ways = (&ways[..], rounds(1, 0) == 1);
    for round in 0..rounds(300, 10_000) {
        let program = match round % 3 {
            0 => {
                let mut program = random_program(&mut random);
                // Wide states go other ways.
                if round % 2 == 0 {
                    add_wide_array(&mut random, &mut program);
                }
                program
            }
            _ => walkers(&mut random),
        };
        // Fairness matters to what must happen in the end; most random formulas are about the beginning.
        let text = random.pick(&["F p0", "G F p0", "G(p0 -> F p1)", "F(p0 & F p1)"]);
        let mut formulas = Formulas::new();
        let f = match round % 3 == 0 || random.chance(0.2) {
            true => RandomFormula::new(2).draw(&mut formulas, &mut random),
            false => {
                let options = ParseOptions::default();
                let parsed = parse(&mut formulas, text, &options);
                parsed.expect("it is right").formula
            }
        };
        let expressions = if round % 3 == 0 { 0.3 } else { 0.0 };
        let count = formulas.names().len();
        let propositions = propositions(&mut random, &program, count, expressions);
        let property = Property {
            asked: Asked::Runs,
            name: "random".into(),
            propositions,
            claim: Claim::Formula(Box::new(formulas), f),
            warnings: Vec::new(),
        };
        let what = format!("{program:?}");
        let deadlock = *random.pick(&[Deadlock::Stutter, Deadlock::Drop]);
        let Some(all) = compare(&program, &property, deadlock, false, ways, &what) else {
            continue;
        };
        let fair = compare(&program, &property, deadlock, true, ways, &what);
        let fair = fair.expect("it is as small");
        holding[usize::from(fair)] += 1;
        assert!(fair || !all, "fewer runs violate less");
        differ += usize::from(fair != all);
    }
    assert!(
        holding.iter().all(|&n| n > 10) && differ >= 5,
        "{holding:?} {differ}"
    );
}
