//! What the fuzz targets have in common: the promises every reader makes, as assertions.

use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Random, Source};
use sempre_lang::model::{Language, Model};
use sempre_model::interpreter::Interpreter;
use sempre_model::{Layout, Program, ProgramSystem, Sink, Step, System};
use sempre_omega::membership::accepts;
use sempre_omega::word::random_word;
use sempre_omega::{Alphabet, Automaton, Bdd, Bdds};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// The bytes as text. What is not UTF-8 is replaced, as the command line does it.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Every complaint points into the text, at whole characters, and can be shown.
pub fn check_diagnostics(text: &str, diagnostics: &[Diagnostic]) {
    let source = Source::new("input", text);
    for d in diagnostics {
        let s = d.span;
        assert!(
            s.start <= s.end && text.get(s.start..s.end).is_some(),
            "a span outside of the text: {d:?}"
        );
        assert!(!d.message.is_empty() && !d.message.contains('\n'), "{d:?}");
        assert!(source.render(d).to_string().lines().count() >= 5, "{d:?}");
    }
}

/// Every edge, initial state, mark and label is one the automaton may have.
pub fn check_well_formed(alphabet: &Alphabet, a: &Automaton) {
    let states = a.states() as u32;
    assert!(a.initial.iter().all(|&s| s < states));
    assert!(a.state_names.is_empty() || a.state_names.len() == a.states());
    let (inf, fin) = a.acceptance.sets_used();
    assert!(inf.union(&fin).iter().all(|s| s < a.sets));
    let names = alphabet.names().len() as u32;
    assert!(a.propositions.iter().all(|&p| p < names));
    for e in a.edges.iter().flatten() {
        assert!(e.to < states && !e.label.is_false());
        assert!(e.mark.iter().all(|s| s < a.sets));
        let support = alphabet.bdds.support(e.label);
        assert!(support.iter().all(|v| a.propositions.contains(v)));
    }
}

/// Both are the same, number by number.
pub fn assert_same(a: &Automaton, b: &Automaton, text: &str) {
    assert_eq!(a.name, b.name, "{text}");
    assert_eq!(a.propositions, b.propositions, "{text}");
    assert_eq!(a.initial, b.initial, "{text}");
    assert_eq!(a.edges, b.edges, "{text}");
    assert_eq!((a.sets, &a.acceptance), (b.sets, &b.acceptance), "{text}");
    assert_eq!(a.extra_headers, b.extra_headers, "{text}");
    let names = |x: &Automaton| x.state_names.iter().flatten().cloned().collect::<Vec<_>>();
    assert_eq!(names(a), names(b), "{text}");
}

/// Both accept the same of some random words, if asking does not take too long.
pub fn assert_same_words(alphabet: &Alphabet, a: &Automaton, b: &Automaton, text: &str) {
    if a.states() > 64 || a.edge_count() > 1024 || a.sets > 6 {
        return;
    }
    let mut variables = a.propositions.clone();
    variables.extend(&b.propositions);
    variables.sort_unstable();
    variables.dedup();
    variables.truncate(16);
    let mut r = Random::new(text.len() as u64);
    for _ in 0..6 {
        let word = random_word(&mut r, &variables, 3, 3);
        assert_eq!(
            accepts(&alphabet.bdds, a, &word),
            accepts(&alphabet.bdds, b, &word),
            "{word:?} of {text}"
        );
    }
}

/// Are the labels' sums of products short? They can be exponentially longer than the diagrams, and
/// the writers say that they do not care.
pub fn is_writable(bdds: &Bdds, a: &Automaton) -> bool {
    const MOST: u64 = 1 << 12;
    let mut paths = FxHashMap::default();
    let labels = a.edges.iter().flatten().map(|e| e.label);
    let total = labels.fold(0u64, |sum, label| {
        sum.saturating_add(count_paths(bdds, label, &mut paths))
    });
    total <= MOST
}

/// Paths of the diagram to true, a bound on the cubes of the sum of products; saturates.
fn count_paths(bdds: &Bdds, f: Bdd, known: &mut FxHashMap<Bdd, u64>) -> u64 {
    if f.is_constant() {
        return u64::from(f.is_true());
    }
    if let Some(&n) = known.get(&f) {
        return n;
    }
    let low = count_paths(bdds, bdds.low(f), known);
    let n = low.saturating_add(count_paths(bdds, bdds.high(f), known));
    known.insert(f, n);
    n
}

/// Reads a model and, behind a zero byte, a proposition about it; then takes some steps. The model, if
/// the text has no mistakes.
pub fn model(language: Language, text: &str) -> Option<Model> {
    let (text, proposition) = text.split_once('\0').unwrap_or((text, "true"));
    match Model::read(language, "fuzz", text) {
        Err(errors) => {
            assert!(!errors.is_empty());
            check_diagnostics(text, &errors);
            None
        }
        Ok((model, warnings)) => {
            check_diagnostics(text, &warnings);
            let found = model.proposition(proposition);
            if let Err(errors) = &found {
                assert!(!errors.is_empty());
                check_diagnostics(proposition, errors);
            }
            let program = model.program();
            if is_small(program) {
                let interpreter = Interpreter::new(program);
                for state in states(program, 30) {
                    if let Ok(condition) = &found {
                        let _ = interpreter.holds(condition, &state);
                    }
                }
                check_packed_steps(program);
            }
            Some(model)
        }
    }
}

/// Is there time to take steps?
pub fn is_small(program: &Program) -> bool {
    program.cells() <= 300 && program.actions.len() <= 300 && program.initial.len() <= 100
}

/// The states that some steps from the initial ones reach, with the interpreter; every one has a value for
/// each cell, and what fails can be told.
pub fn states(program: &Program, limit: usize) -> Vec<Vec<i64>> {
    let interpreter = Interpreter::new(program);
    let mut all: Vec<Vec<i64>> = Vec::new();
    let mut seen = HashSet::new();
    for state in &program.initial {
        if seen.insert(state.clone()) {
            all.push(state.clone());
        }
    }
    let mut done = 0;
    while done < all.len() && all.len() <= limit {
        for (action, step) in interpreter.successors(&all[done]) {
            assert!((action as usize) < program.actions.len());
            match step {
                Ok(next) => {
                    assert_eq!(next.len(), program.cells());
                    if seen.insert(next.clone()) {
                        all.push(next);
                    }
                }
                Err(error) => assert!(!error.show(program).to_string().is_empty()),
            }
        }
        for error in interpreter.failed_assertions(&all[done]) {
            assert!(!error.show(program).to_string().is_empty());
        }
        done += 1;
    }
    all
}

/// In packed states the steps are those of the interpreter, one by one.
fn check_packed_steps(program: &Program) {
    struct Steps<'a>(&'a Layout, Vec<(Step, Vec<i64>)>);
    impl Sink for Steps<'_> {
        fn successor(&mut self, step: Step, state: &[u64]) {
            let mut cells = vec![0; self.0.fields().len()];
            self.0.unpack(state, &mut cells);
            self.1.push((step, cells));
        }
        fn failure(&mut self, _: sempre_model::Failure) {}
        fn overflow(&mut self) {
            panic!("a full layout has room for everything");
        }
    }
    let layout = Layout::full(program);
    let interpreter = Interpreter::new(program);
    let system = ProgramSystem::new(Arc::new(program.clone()), layout.clone(), Vec::new());
    let mut context = system.context();
    for state in states(program, 10) {
        let mut words = vec![0; layout.width()];
        layout.pack(&state, &mut words).expect("there is room");
        let mut sink = Steps(&layout, Vec::new());
        system.successors(&mut context, &words, &mut sink);
        let steps = interpreter.steps(&state).into_iter();
        let expected: Vec<(Step, Vec<i64>)> =
            steps.filter_map(|(step, next)| Some((step, next.ok()?))).collect();
        assert_eq!(sink.1, expected);
    }
}
