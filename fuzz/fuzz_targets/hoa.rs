//! HOA: no text panics, every complaint points into the text, automata keep their invariants, and
//! what is written is read back without complaint, number by number the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{
    assert_same, assert_same_words, check_diagnostics, check_well_formed, is_writable, text,
};
use sempre_omega::hoa::AcceptancePlace;
use sempre_omega::{Alphabet, HoaOptions, read_hoa, write_hoa};

fuzz_target!(|bytes: &[u8]| {
    let text = &*text(bytes);
    let mut alphabet = Alphabet::new();
    let (items, diagnostics) = read_hoa(&mut alphabet, text);
    check_diagnostics(text, &diagnostics);
    for item in items {
        let span = item.span;
        assert!(text[span.start..span.end].starts_with("HOA:"));
        let a = item.automaton;
        check_well_formed(&alphabet, &a);
        if !is_writable(&alphabet.bdds, &a) {
            continue;
        }
        for acceptance in [AcceptancePlace::Auto, AcceptancePlace::Edges] {
            let options = HoaOptions {
                acceptance,
                tool: item.tool.clone(),
                ..HoaOptions::default()
            };
            let written = write_hoa(&mut alphabet, &a, &options);
            let (again, diagnostics) = read_hoa(&mut alphabet, &written);
            assert!(diagnostics.is_empty(), "{diagnostics:?} in {written}");
            assert_eq!(again.len(), 1, "{written}");
            assert_same(&a, &again[0].automaton, &written);
            assert_eq!(item.tool, again[0].tool, "{written}");
            assert_same_words(&alphabet, &a, &again[0].automaton, &written);
        }
    }
});
