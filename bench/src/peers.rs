//! What peers need, and what they say.

use std::path::Path;
use std::process::Command;

/// Runs something that has to succeed.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|e| format!("{}: {e}", command.get_program().display()))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Compiles a DVE model for LTSmin, once; the name of the result, which is in the folder `work`.
pub fn compile_for_ltsmin(
    divine: &Path,
    folder: &Path,
    model: &str,
    work: &Path,
) -> Result<String, String> {
    let compiled = format!("{model}.dve2C");
    if !work.join(&compiled).exists() {
        let source = format!("{model}.dve");
        std::fs::copy(folder.join(&source), work.join(&source)).map_err(|e| e.to_string())?;
        succeed(
            Command::new(divine)
                .args(["compile", "--ltsmin", &source])
                .current_dir(work),
        )?;
    }
    Ok(compiled)
}

/// The number that stands before some words where they last occur.
pub fn number_before(text: &str, words: &str) -> Option<f64> {
    let (before, _) = text.rsplit_once(words)?;
    before
        .rsplit(|c: char| !c.is_ascii_digit() && c != '.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let text = "a 1 states, 2 levels\nExplored 157003 states 411843 transitions, 8.8 B/state, 12 states ";
        assert_eq!(number_before(text, " states 4"), Some(157_003.0));
        assert_eq!(number_before(text, " B/state"), Some(8.8));
        assert_eq!(number_before(text, " nodes"), None);
        assert_eq!(number_before("no states ", " states "), None);
    }
}
