//! The rules of the tree, applied to this workspace.
//!
//! Some rules have a bound above zero: what broke the rule when it was written down. A bound only ever falls: lower it when you
//! mend one.

use tidy::{Finding, Tree, cycles, dependencies, functions, public, structs, words};

/// Fails with all findings if there are more than `most`.
fn at_most(most: usize, rule: &str, findings: &[Finding]) {
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(
        findings.len() <= most,
        "{rule}: {} findings, at most {most} are allowed\n{}",
        findings.len(),
        lines.join("\n")
    );
}

#[test]
fn modules_have_no_cycles() {
    at_most(
        15,
        "modules without cycles (crates/tidy/src/cycles.rs)",
        &cycles::findings(&Tree::read()),
    );
}

#[test]
fn crates_depend_on_what_they_may() {
    at_most(
        0,
        "dependencies of crates (crates/tidy/src/dependencies.rs)",
        &dependencies::findings(&Tree::read()),
    );
}

#[test]
fn functions_are_short() {
    let rule = "length of functions (crates/tidy/src/functions.rs)";
    at_most(24, rule, &functions::longer_than(&Tree::read(), 100));
    at_most(2, rule, &functions::longer_than(&Tree::read(), 178));
}

#[test]
fn structs_have_few_fields() {
    at_most(
        3,
        "fields of structs (crates/tidy/src/structs.rs)",
        &structs::with_more_fields_than(&Tree::read(), 15),
    );
}

#[test]
fn few_items_are_public() {
    let tree = Tree::read();
    let counts: Vec<(&str, usize)> = tree
        .packages
        .iter()
        .filter(|package| package.name != "tidy")
        .map(|package| (package.name.as_str(), public::items(package)))
        .collect();
    let total: usize = counts.iter().map(|(_, count)| count).sum();
    assert!(
        total <= 2_077,
        "{total} public items (crates/tidy/src/public.rs): {counts:?}"
    );
}

#[test]
fn words_are_those_of_the_field() {
    at_most(
        0,
        "words (crates/tidy/src/words.rs)",
        &words::findings(&Tree::read(), words::BANNED),
    );
}
