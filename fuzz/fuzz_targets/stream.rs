//! Automata of any format into any other: whatever is read can be written as HOA, and as lbtt and as a
//! never claim if it is of that kind; each comes back by itself, and accepts the same words. GraphViz
//! and statistics are made of everything.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{assert_same_words, check_diagnostics, check_well_formed, is_writable, text};
use sempre_omega::{
    Alphabet, Automaton, DotOptions, Format, HoaOptions, Stats, detect_format, read_automata,
    write_dot, write_hoa, write_lbtt, write_never_claim,
};

fuzz_target!(|bytes: &[u8]| {
    let text = &*text(bytes);
    let mut alphabet = Alphabet::new();
    let (automata, diagnostics) = read_automata(&mut alphabet, text);
    check_diagnostics(text, &diagnostics);
    for a in automata {
        check_well_formed(&alphabet, &a);
        if !is_writable(&alphabet.bdds, &a) {
            continue;
        }
        let written = write_hoa(&mut alphabet, &a, &HoaOptions::default());
        check_again(&mut alphabet, &a, &written, Format::Hoa);
        if let Ok(written) = write_lbtt(&mut alphabet, &a)
            && a.states() > 0
        {
            check_again(&mut alphabet, &a, &written, Format::Lbtt);
        }
        // Other names are Promela's own expressions: they go into a claim as they are.
        let plain = |p: &u32| is_identifier(alphabet.name(*p));
        if a.propositions.iter().all(plain)
            && let Ok(written) = write_never_claim(&mut alphabet, &a)
        {
            check_again(&mut alphabet, &a, &written, Format::NeverClaim);
        }
        let dot = write_dot(&mut alphabet, &a, DotOptions::default());
        assert!(dot.starts_with("digraph"), "{dot}");
        let stats = Stats::new(&mut alphabet, &a);
        assert_eq!((stats.states, stats.edges), (a.states(), a.edge_count()));
        assert!(!stats.to_json().contains('\n'));
    }
});

fn check_again(alphabet: &mut Alphabet, a: &Automaton, written: &str, format: Format) {
    assert_eq!(detect_format(written), Some(format), "{written}");
    let (again, diagnostics) = read_automata(alphabet, written);
    assert!(diagnostics.is_empty(), "{diagnostics:?} in {written}");
    assert_eq!(again.len(), 1, "{written}");
    check_well_formed(alphabet, &again[0]);
    assert_same_words(alphabet, a, &again[0], written);
}

fn is_identifier(name: &str) -> bool {
    let keywords = ["true", "false", "else", "goto", "fi", "od", "skip"];
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && (name.bytes()).all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !keywords.contains(&name)
}
