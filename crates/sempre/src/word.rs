//! Words between the world of formulas, where they are read and written as text, and that of
//! automata, where propositions have other numbers.

use sempre_base::Diagnostic;
use sempre_ltl::{Formulas, ParseOptions, word};
use sempre_omega::{Alphabet, Word};

/// Reads a word such as `a & !b; cycle{b}`; propositions that need not be true are false.
pub fn read_word(alphabet: &mut Alphabet, text: &str) -> Result<Word, Vec<Diagnostic>> {
    let mut arena = Formulas::new();
    let letters = word::parse_letters(&mut arena, text, &ParseOptions::default())?;
    let variables: Vec<u32> = arena.names().iter().map(|n| alphabet.declare(n)).collect();
    Ok(letters.map(|l| l.iter().map(|p| variables[p]).collect()))
}

/// The word as text, every one of `variables` told in every letter.
pub fn write_word(alphabet: &Alphabet, variables: &[u32], word: &Word) -> String {
    let mut arena = Formulas::new();
    let mut numbers = Vec::with_capacity(variables.len());
    for &v in variables {
        let f = arena.proposition(alphabet.name(v));
        numbers.push(arena.proposition_number(f));
    }
    let letters = word.map(|l| {
        let pairs = variables.iter().zip(&numbers);
        pairs.filter(|p| l.holds(*p.0)).map(|p| *p.1).collect()
    });
    word::print_word(&mut arena, &letters, &numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let mut alphabet = Alphabet::new();
        let variables: Vec<u32> = ["b", "x[1] != 2", "a"]
            .map(|n| alphabet.declare(n))
            .to_vec();
        let text = r#"!b & "x[1] != 2" & a; cycle{b & !"x[1] != 2" & !a}"#;
        let word = read_word(&mut alphabet, text).unwrap();
        assert_eq!(write_word(&alphabet, &variables, &word), text);
        assert!(read_word(&mut alphabet, "a; b").is_err());
    }
}
