//! Where tests find models and known answers that are not part of the repository.
//!
//! The environment variable `SEMPRE_DATA` names the folder. Tests that read it carry `#[ignore]`, so that `cargo test` passes on a
//! plain clone; `cargo test -- --ignored` runs them, and they fail without the folder. No test skips its work and passes.

use std::path::PathBuf;

/// The reason that tests on data give for being ignored is this sentence, too.
const HOW: &str = "set SEMPRE_DATA to the folder of models and known answers";

/// The path of a file or folder of the data.
///
/// # Panics
/// If `SEMPRE_DATA` is not set or the path does not exist.
#[must_use]
pub fn path(name: &str) -> PathBuf {
    let folder = std::env::var_os("SEMPRE_DATA").unwrap_or_else(|| panic!("{HOW}"));
    let path = PathBuf::from(folder).join(name);
    assert!(path.exists(), "{} does not exist: {HOW}", path.display());
    path
}

/// The text of a file of the data.
///
/// # Panics
/// If it cannot be read, as in [`path`].
#[must_use]
pub fn text(name: &str) -> String {
    let path = path(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
