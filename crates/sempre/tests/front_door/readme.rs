//! README and `docs` do not lie: every `$ sempre …` in a `console` block is run, in the root of the
//! workspace, and prints what they say. `UPDATE_README=1` writes what it prints into them. The
//! example of a system in Rust is run, too.

#[allow(dead_code)]
#[path = "../../examples/peterson.rs"]
mod peterson;

use crate::binary::{BINARY, ROOT};
use std::path::Path;
use std::process::Command;

/// Runs a command line of the README; what it prints, both streams.
fn run(line: &str, root: &Path) -> String {
    let binary = Path::new(BINARY);
    let folder = binary.parent().expect("a file is in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::env::split_paths(&path);
    let path = std::env::join_paths(std::iter::once(folder.to_path_buf()).chain(paths))
        .expect("folders without colons");
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{{ {line}\n}} 2>&1"))
        .current_dir(root)
        .env("PATH", path)
        .output()
        .expect("there is a shell");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The text with the output of each command as it is now, and the number of commands.
fn refreshed(text: &str, root: &Path) -> (String, usize) {
    let mut out = String::new();
    let mut commands = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        out += &format!("{line}\n");
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next() {
            if line == "```" {
                out += "```\n";
                break;
            }
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            commands += 1;
            let mut command = command.to_string();
            out += &format!("{line}\n");
            while command.ends_with('\\') {
                let more = lines.next().expect("a continued line is followed by one");
                out += &format!("{more}\n");
                command += &format!("\n{more}");
            }
            out += &run(&command, root);
        }
    }
    (out, commands)
}

/// All commands in a file print what it says, and there are more than so many.
fn check(file: &str, least: usize) {
    let root = Path::new(ROOT);
    let path = root.join(file);
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let (now, commands) = refreshed(&text, root);
    assert!(commands > least, "{file} has examples");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, now).expect("the file can be written");
        return;
    }
    for (i, (says, prints)) in text.lines().zip(now.lines()).enumerate() {
        assert_eq!(says, prints, "{file}, line {}", i + 1);
    }
    assert_eq!(text.lines().count(), now.lines().count(), "{file}");
}

#[test]
fn the_readme_shows_what_is_printed() {
    check("README.md", 5);
}

#[test]
fn the_description_of_models_shows_what_is_printed() {
    check("docs/models.md", 5);
}

/// All pages of the book but the one above.
#[test]
fn the_book_shows_what_is_printed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let mut pages = 0;
    for entry in std::fs::read_dir(folder).expect("the book is there") {
        let name = entry.expect("it can be read").file_name();
        let name = name.to_str().expect("UTF-8");
        if !name.ends_with(".md") || name == "models.md" {
            continue;
        }
        let text = std::fs::read_to_string(format!("{folder}/{name}")).expect("it can be read");
        if text.contains("```console") {
            check(&format!("docs/{name}"), 0);
            pages += 1;
        }
    }
    assert!(pages >= 7, "{pages} pages with commands");
}

#[test]
fn the_example_of_a_system_in_rust_runs() {
    let (lines, is_right) = peterson::report(true);
    assert!(is_right);
    let expected = [
        "20 states, 34 transitions, 0 deadlocks",
        "never are both processes critical",
    ];
    assert_eq!(lines, expected);
    let (lines, is_right) = peterson::report(false);
    assert!(!is_right);
    assert_eq!(lines.len(), 7, "six steps are the shortest way: {lines:?}");
    assert_eq!(lines[6], "both processes are critical");
}
