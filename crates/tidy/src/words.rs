//! Comments, names and messages use the field's words.
//!
//! A reader of the literature searches for "portfolio", "restart", "frontier", "root stack"; a private metaphor hides the thing
//! from them. Each row of [`BANNED`] is such a word with what to write instead. The words are looked for in whole files, code and
//! comments, as whole words or as parts of names (`CamelCase` and `snake_case`).

use crate::{Finding, Tree};

/// The words, in lower case, and what to write instead.
pub const BANNED: &[(&str, &str)] = &[];

/// The places that use one of the words.
#[must_use]
pub fn findings(tree: &Tree, banned: &[(&str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    for source in tree.sources() {
        if source.file.starts_with("crates/tidy/") {
            continue;
        }
        for (i, line) in source.text.lines().enumerate() {
            for word in words(line) {
                if let Some((bad, good)) = banned.iter().find(|(bad, _)| *bad == word) {
                    found.push(Finding {
                        file: source.file.clone(),
                        line: i + 1,
                        text: format!("\"{bad}\": write {good} (crates/tidy/src/words.rs)"),
                    });
                }
            }
        }
    }
    found
}

/// The words of a line in lower case; `SecondThoughts` and `second_thoughts` are two words each.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous_is_lower = false;
    for c in line.chars() {
        let ends = !c.is_alphabetic() || c.is_uppercase() && previous_is_lower;
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphabetic() {
            word.extend(c.to_lowercase());
        }
        previous_is_lower = c.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(
            words("fn look_up(SecondThoughts, x2: DFA)"),
            ["fn", "look", "up", "second", "thoughts", "x", "dfa"]
        );
    }
}
