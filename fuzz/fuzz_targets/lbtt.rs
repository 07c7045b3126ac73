//! lbtt: no text panics, every complaint points into the text, automata keep their invariants, and
//! what is written is read back as the same edges.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{assert_same_words, check_diagnostics, check_well_formed, is_writable, text};
use sempre_omega::{Alphabet, read_lbtt, write_lbtt};

fuzz_target!(|bytes: &[u8]| {
    let text = &*text(bytes);
    let mut alphabet = Alphabet::new();
    let (automata, diagnostics) = read_lbtt(&mut alphabet, text);
    check_diagnostics(text, &diagnostics);
    for a in automata {
        check_well_formed(&alphabet, &a);
        if !is_writable(&alphabet.bdds, &a) {
            continue;
        }
        let written = write_lbtt(&mut alphabet, &a).expect("lbtt has generalised Büchi automata");
        let (again, diagnostics) = read_lbtt(&mut alphabet, &written);
        assert!(diagnostics.is_empty(), "{diagnostics:?} in {written}");
        assert_eq!(again.len(), 1, "{written}");
        let b = &again[0];
        check_well_formed(&alphabet, b);
        assert_eq!(a.edges, b.edges, "{written}");
        assert_eq!(a.initial, b.initial, "{written}");
        assert_eq!(
            (a.sets, &a.acceptance),
            (b.sets, &b.acceptance),
            "{written}"
        );
        assert_same_words(&alphabet, &a, b, &written);
    }
});
