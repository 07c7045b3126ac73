//! Crates depend on each other as ARCHITECTURE.md says, and on nothing else of the workspace.
//!
//! [`ALLOWED`] lists for each crate what it may name under `[dependencies]` and `[target.….dependencies]`; what tests use is free.
//! A crate that is not in the list is a finding, too: a new crate is a decision, and its row stands beside its paragraph in
//! ARCHITECTURE.md.

use crate::{Finding, Package, Tree};

/// The crates of the workspace and what they may depend on.
pub const ALLOWED: &[(&str, &[&str])] = &[
    ("sempre-base", &[]),
    ("sempre-ltl", &["sempre-base"]),
    ("sempre-omega", &["sempre-base"]),
    (
        "sempre-translate",
        &["sempre-base", "sempre-ltl", "sempre-omega"],
    ),
    ("sempre-model", &["sempre-base"]),
    (
        "sempre-lang",
        &["sempre-base", "sempre-model", "sempre-omega"],
    ),
    ("sempre-net", &["sempre-base", "sempre-model"]),
    ("sempre-jit", &["sempre-base", "sempre-model"]),
    ("sempre-store", &["sempre-base"]),
    (
        "sempre-explicit",
        &[
            "sempre-base",
            "sempre-model",
            "sempre-omega",
            "sempre-store",
        ],
    ),
    (
        "sempre-symbolic",
        &[
            "sempre-base",
            "sempre-model",
            "sempre-omega",
            "sempre-store",
        ],
    ),
    (
        "sempre",
        &[
            "sempre-base",
            "sempre-ltl",
            "sempre-omega",
            "sempre-translate",
            "sempre-model",
            "sempre-lang",
            "sempre-net",
            "sempre-jit",
            "sempre-store",
            "sempre-explicit",
            "sempre-symbolic",
        ],
    ),
    ("test-data", &[]),
    ("tidy", &[]),
];

/// The dependencies that are not in the list.
#[must_use]
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let names: Vec<&str> = tree.packages.iter().map(|p| p.name.as_str()).collect();
    let mut found = Vec::new();
    for package in &tree.packages {
        let file = format!("{}/Cargo.toml", package.folder);
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
            found.push(Finding {
                file,
                line: 0,
                text: format!(
                    "{} is not in the list of crates (crates/tidy/src/dependencies.rs) with what it may depend on",
                    package.name
                ),
            });
            continue;
        };
        for (line, dependency) in workspace_dependencies(package) {
            if names.contains(&dependency) && !allowed.contains(&dependency) {
                found.push(Finding {
                    file: file.clone(),
                    line,
                    text: format!(
                        "{} must not depend on {dependency} (crates/tidy/src/dependencies.rs, ARCHITECTURE.md)",
                        package.name
                    ),
                });
            }
        }
    }
    found
}

/// The names under `[dependencies]`, with their lines; sections for tests and builds are left out.
fn workspace_dependencies(package: &Package) -> Vec<(usize, &str)> {
    let mut counts = false;
    let mut found = Vec::new();
    for (i, line) in package.manifest.lines().enumerate() {
        if line.starts_with('[') {
            counts = line.trim_matches(['[', ']']).ends_with("dependencies")
                && !line.contains("dev-dependencies");
        } else if counts {
            let name = line.split(['.', ' ', '=']).next().unwrap_or("");
            if !name.is_empty() && !name.starts_with('#') {
                found.push((i + 1, name));
            }
        }
    }
    found
}
