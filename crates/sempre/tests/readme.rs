//! The README does not lie: every `$ sempre …` in a `console` block is run, in the root of the
//! workspace, and prints what the README says. `UPDATE_README=1` writes what it prints into it.

use std::path::Path;
use std::process::Command;

/// Runs a command line of the README; what it prints, both streams.
fn run(line: &str, root: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_sempre"));
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

#[test]
fn the_readme_shows_what_is_printed() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let path = root.join("README.md");
    let text = std::fs::read_to_string(&path).expect("there is a README");
    let (now, commands) = refreshed(&text, root);
    assert!(commands > 5, "the README has examples");
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, now).expect("the README can be written");
        return;
    }
    for (i, (says, prints)) in text.lines().zip(now.lines()).enumerate() {
        assert_eq!(says, prints, "README.md, line {}", i + 1);
    }
    assert_eq!(text.lines().count(), now.lines().count());
}
