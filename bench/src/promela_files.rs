//! Which models are meant.

use std::path::{Path, PathBuf};

/// The Promela models of a folder, or the file itself.
pub(crate) fn promela_models(path: &Path) -> Result<Vec<PathBuf>, String> {
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
