//! Never claims: no text panics, every complaint points into the text, automata keep their
//! invariants, and what is written is read back as an automaton of the same language; from the second
//! time on neither states nor edges come or go.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{assert_same_words, check_diagnostics, check_well_formed, is_writable, text};
use sempre_omega::{Alphabet, Automaton, read_never_claims, write_never_claim};

fuzz_target!(|bytes: &[u8]| {
    let text = &*text(bytes);
    let mut alphabet = Alphabet::new();
    let (claims, diagnostics) = read_never_claims(&mut alphabet, text);
    check_diagnostics(text, &diagnostics);
    for a in claims {
        check_well_formed(&alphabet, &a);
        if !is_writable(&alphabet.bdds, &a) {
            continue;
        }
        let b = write_and_read(&mut alphabet, &a);
        let c = write_and_read(&mut alphabet, &b);
        // Not the same numbers: of several states that accept everything, one becomes the last.
        assert_eq!(
            (b.states(), b.edge_count()),
            (c.states(), c.edge_count()),
            "{text}"
        );
    }
});

fn write_and_read(alphabet: &mut Alphabet, a: &Automaton) -> Automaton {
    let written = write_never_claim(alphabet, a).expect("a claim is a claim");
    let (mut again, diagnostics) = read_never_claims(alphabet, &written);
    assert!(diagnostics.is_empty(), "{diagnostics:?} in {written}");
    assert_eq!(again.len(), 1, "{written}");
    let b = again.remove(0);
    check_well_formed(alphabet, &b);
    assert_same_words(alphabet, a, &b, &written);
    b
}
