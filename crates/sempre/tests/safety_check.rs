//! Checks of safety properties by finite automata: against the Büchi route, against a breadth-first search that is written
//! here.

use sempre::Workbench;
use sempre::base::Random;
use sempre::check::bad_prefix::is_bad_prefix;
use sempre::check::{
    AutomatonKind, Checker, Claim, Evidence, Fairness, Report, Settings, Verdict, sources,
};
use sempre::explicit::finite::Search;
use sempre::explicit::product::Deadlock;
use sempre::lang::graph::{Graph, write_graph};
use sempre::lang::model::{Language, Model};
use sempre::lang::random_graph::{RandomGraph, random_graph};
use sempre::ltl::nnf::nnf;
use sempre::ltl::random::RandomFormula;
use sempre::ltl::{Formulas, Op, Syntax, print};
use sempre::omega::emptiness::useful_states;
use sempre::omega::scc::Sccs;
use sempre::translate::hierarchy::is_safety;
use sempre::translate::language::Language as Meaning;
use sempre::translate::translator::{Options, Translator};
use std::collections::HashSet;

/// Which states have a path that never ends.
fn endless(graph: &Graph) -> Vec<bool> {
    let n = graph.states.len();
    let mut lives = vec![true; n];
    for _ in 0..=n {
        for s in 0..n {
            lives[s] = graph.states[s].edges.iter().any(|e| lives[e.to as usize]);
        }
    }
    lives
}

/// The number of states of a shortest path of the graph that no continuation saves. By an automaton of the formula itself: which
/// of its states that accept something a path can lead to.
fn shortest(graph: &Graph, formula: &str, deadlock: Deadlock) -> Option<usize> {
    let mut bench = Workbench::new();
    let f = bench.parse(formula).expect("it was printed");
    let models = bench.translate(f, Options::default());
    let useful = useful_states(&models, &Sccs::new(&models));
    let lives = endless(graph);
    let names = bench.alphabet.names().to_vec();
    let read = |state: u32, set: &[u32]| -> Vec<u32> {
        let here = &graph.states[state as usize].propositions;
        let holds = |v: u32| {
            here.iter()
                .any(|&p| graph.propositions[p as usize] == names[v as usize])
        };
        let edges = set.iter().flat_map(|&q| &models.edges[q as usize]);
        let mut next: Vec<u32> = edges
            .filter(|e| useful[e.to as usize] && bench.alphabet.bdds.eval(e.label, holds))
            .map(|e| e.to)
            .collect();
        next.sort_unstable();
        next.dedup();
        next
    };
    let first: Vec<u32> = (models.initial.iter().copied())
        .filter(|&q| useful[q as usize])
        .collect();
    let mut level: Vec<(u32, Vec<u32>)> = (graph.initial.iter())
        .map(|&s| (s, read(s, &first)))
        .collect();
    let mut seen: HashSet<(u32, Vec<u32>)> = HashSet::new();
    for length in 1.. {
        level.retain(|pair| seen.insert(pair.clone()));
        if level.is_empty() {
            return None;
        }
        let counts = |s: u32| deadlock == Deadlock::Stutter || lives[s as usize];
        if level.iter().any(|(s, set)| set.is_empty() && counts(*s)) {
            return Some(length);
        }
        let mut next = Vec::new();
        for (s, set) in &level {
            let edges = &graph.states[*s as usize].edges;
            next.extend(edges.iter().map(|e| (e.to, read(e.to, set))));
            if edges.is_empty() && deadlock == Deadlock::Stutter {
                next.push((*s, read(*s, set)));
            }
        }
        level = next;
    }
    None
}

/// A safety formula, and whether its syntax says so.
fn safe_formula(random: &mut Random) -> (String, bool) {
    loop {
        let mut formulas = Formulas::new();
        let mut shape = RandomFormula::new(2);
        shape.sizes = 2..=12;
        if random.chance(0.7) {
            for op in [
                Op::Finally,
                Op::Until,
                Op::StrongRelease,
                Op::Implies,
                Op::Equiv,
                Op::Xor,
            ] {
                shape.set_priority(op, 0);
            }
        }
        let f = shape.draw(&mut formulas, random);
        let text = print(&formulas, f, Syntax::Spot).to_string();
        let g = nnf(&mut formulas, f);
        if formulas.facts(g).safety() {
            return (text, true);
        }
        let mut translator = Translator::new();
        if is_safety(&mut Meaning::new(&mut translator, &mut formulas, f)) {
            return (text, false);
        }
    }
}

fn evidence(report: &Report) -> Option<&Evidence> {
    match &report.verdict {
        Verdict::Violated(evidence) => Some(evidence),
        Verdict::Holds(_) => None,
        Verdict::Unknown(cause) => panic!("{cause:?}"),
    }
}

/// The number of moments of a run after which the property is lost. A cycle may have to be gone through several times.
fn lost(claim: &Claim, run: &Evidence) -> usize {
    let cycle = run.cycle().iter().cycle();
    let letters = run.prefix().iter().chain(cycle);
    let mut word = Vec::new();
    for moment in letters {
        word.push(moment.propositions.clone());
        if is_bad_prefix(&mut claim.clone(), &word) {
            break;
        }
    }
    word.len()
}

#[test]
fn random_graphs_with_deadlocks() {
    let mut random = Random::new(6);
    let mut holding = [0; 2];
    let (mut by_language, mut stuttered, mut dropped, mut shorter) = (0, 0, 0, 0);
    for round in 0..3000 {
        let mut graph = random_graph(
            &mut random,
            &RandomGraph {
                states: 1 + round % 12,
                density: 0.12,
                propositions: vec!["p0".into(), "p1".into()],
                truth: 0.6,
                marks: 0,
                mark_probability: 0.0,
            },
        );
        for state in &mut graph.states {
            if random.chance(0.25) {
                state.edges.clear();
            }
        }
        let (formula, by_syntax) = safe_formula(&mut random);
        let text = write_graph(&graph);
        let (model, _) = Model::read(Language::Graph, "random", &text).expect("it was written");
        let property = sources::formula(&model, &formula).expect("it was printed");
        let checker = Checker::new(model.program(), Fairness::None).expect("no fairness");
        let mut violated = [false; 2];
        for (i, deadlock) in [Deadlock::Stutter, Deadlock::Drop].into_iter().enumerate() {
            let what = format!("round {round}: {formula} {deadlock:?}\n{text}");
            let settings = Settings {
                deadlock,
                compile: false,
                ..Settings::default()
            };
            let check = |settings: Settings<'_>| checker.check(&property, &settings).expect(&what);
            let by_runs = check(Settings {
                automaton: Some(AutomatonKind::Tgba),
                shorten: round % 2 == 0,
                ..settings
            });
            let lasso = evidence(&by_runs);
            let expected = shortest(&graph, &formula, deadlock);
            assert_eq!(lasso.is_some(), expected.is_some(), "{what}");
            let automatic = check(settings);
            assert!(automatic.search.is_some() || !by_syntax, "{what}");
            by_language += usize::from(automatic.search.is_some() && !by_syntax);
            let mut ways = vec![automatic];
            if round % 3 == 0 {
                for search in [Search::Bfs, Search::BestFirst, Search::Dfs] {
                    for automaton in [None, Some(AutomatonKind::Nfa)] {
                        ways.push(check(Settings {
                            search: Some(search),
                            automaton,
                            workers: 1 + round % 2,
                            ..settings
                        }));
                    }
                }
            }
            for report in &ways {
                let what = format!("{what}{:?} {:?}", report.search, report.automaton);
                let found = evidence(report);
                assert_eq!(found.is_some(), expected.is_some(), "{what}");
                let (Some(found), Some(length)) = (found, expected) else {
                    continue;
                };
                let deterministic = report
                    .automaton
                    .is_some_and(|a| a.kind == AutomatonKind::Dfa);
                if report.search.is_none() {
                    continue;
                }
                assert!(found.is_finite() && found.len() >= length, "{what}");
                if deterministic && report.search != Some(Search::Dfs) {
                    assert_eq!(found.len(), length, "{what}");
                    let lasso = lasso.expect("it is violated");
                    assert!(length <= lost(&property.claim, lasso), "{what}");
                    shorter += usize::from(length < lasso.len());
                }
                let (_, before) = found.prefix().split_last().expect("not empty");
                stuttered += usize::from(before.iter().any(|m| m.action.is_none()));
            }
            violated[i] = expected.is_some();
            holding[usize::from(expected.is_none())] += 1;
        }
        assert!(violated[0] || !violated[1], "fewer runs violate less");
        dropped += usize::from(violated[0] && !violated[1]);
    }
    assert!(holding.iter().all(|&n| n > 1000), "{holding:?}");
    assert!(
        by_language > 100 && stuttered > 50 && dropped > 100 && shorter > 500,
        "{by_language} {stuttered} {dropped} {shorter}"
    );
}
