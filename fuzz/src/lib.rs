//! What the fuzz targets have in common: the promises every reader makes, as assertions.

use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Random, Source};
use sempre_omega::membership::accepts;
use sempre_omega::word::random_word;
use sempre_omega::{Alphabet, Automaton, Bdd, Bdds};
use std::borrow::Cow;

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
