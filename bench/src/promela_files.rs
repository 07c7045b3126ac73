//! What the programs about Promela share: which models are meant, and how a comparison ends.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The Promela models of a folder, or the file itself.
pub fn promela_models(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut all: Vec<PathBuf> = (entries.flatten().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "pm" || e == "pml"))
        .collect();
    all.sort();
    Ok(all)
}

/// What a comparison ends with: all was equal, something was not, or why there was none.
pub fn exit_code(equal: Result<bool, String>) -> ExitCode {
    match equal {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
