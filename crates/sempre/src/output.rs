//! Where results go: standard output or a file, buffered.

use crate::failure::{Failure, Outcome};
use clap::Args;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The option that says where results go.
#[derive(Args, Clone, Debug)]
pub struct OutputOptions {
    /// Write the results into FILE instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

impl OutputOptions {
    /// Opens it.
    pub fn open(&self) -> Outcome<Box<dyn Write>> {
        match &self.output {
            Some(path) if path.as_os_str() != "-" => {
                let file = File::create(path).map_err(|e| Failure::file(path, "write", &e))?;
                Ok(Box::new(BufWriter::with_capacity(1 << 16, file)))
            }
            // Not a `StdoutLock`: that is flushed line by line.
            _ => Ok(Box::new(BufWriter::with_capacity(
                1 << 16,
                std::io::stdout(),
            ))),
        }
    }
}

/// `text` as a field of a CSV record (RFC 4180).
pub fn csv_field(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}
