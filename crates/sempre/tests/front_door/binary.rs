//! The binary: how it is run, how it ended, and files for it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const BINARY: &str = env!("CARGO_BIN_EXE_sempre");
/// The root of the workspace, in which it runs.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// How it ended.
pub struct Ran {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// What a process that has ended printed; no error of our own is among it.
pub fn finish(output: Output) -> Ran {
    let ran = Ran {
        status: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    };
    assert!(!ran.err.contains("internal error"), "{}", ran.err);
    ran
}

pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(arguments).current_dir(ROOT);
    command.stdin(Stdio::null());
    command
}

pub fn sempre(arguments: &[&str]) -> Ran {
    finish(command(arguments).output().expect("the binary runs"))
}

/// Runs it with something to read on its standard input.
pub fn sempre_reading(arguments: &[&str], input: &str) -> Ran {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("piped");
    // It need not read it.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    finish(child.wait_with_output().expect("it ends"))
}

/// Runs it and expects success.
pub fn good(arguments: &[&str]) -> String {
    let ran = sempre(arguments);
    assert_eq!(ran.status, 0, "{arguments:?}: {}", ran.err);
    ran.out
}

/// Runs it and expects a complaint that contains some text.
pub fn bad(arguments: &[&str], complaint: &str) {
    let ran = sempre(arguments);
    assert_eq!(ran.status, 2, "{arguments:?}: {}{}", ran.out, ran.err);
    assert!(ran.err.contains(complaint), "{arguments:?}: {}", ran.err);
}

/// A place for a file, in a folder of the tests of one subject.
pub fn path(subject: &str, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(subject);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder.join(name)
}

/// A file with these bytes, in a folder of the tests of one subject.
pub fn file(subject: &str, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = path(subject, name);
    std::fs::write(&path, bytes).expect("a file can be written");
    path.to_str().expect("UTF-8").to_string()
}
