//! Where results go: standard output or a file, buffered.
//!
//! A file is written beside its place and renamed at the end, so that a run that is killed, or fails, leaves the last good one as
//! it was. In place is written
//! * what is no plain file: devices, pipes, `/dev/stdout`, also through links;
//! * a file that has several names (hard links), which renaming would part;
//! * a file in a folder in which none can be made.
//!
//! A symbolic link stays one: its target is replaced. Permissions are kept.

use crate::color::Palette;
use crate::failure::{Failure, Outcome};
use clap::Args;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The option that says where results go.
#[derive(Args, Clone, Debug)]
pub struct OutputOptions {
    /// Write the results into FILE instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
}

impl OutputOptions {
    /// The styles of what is written there.
    pub(crate) fn palette(&self) -> Palette {
        match &self.output {
            Some(path) if path.as_os_str() != "-" => Palette::default(),
            _ => Palette::stdout(),
        }
    }

    /// Opens it.
    pub fn open(&self) -> Outcome<Box<dyn Write>> {
        match &self.output {
            Some(path) if path.as_os_str() != "-" => Ok(Box::new(OutputFile::create(path)?)),
            // Not a `StdoutLock`: that is flushed line by line.
            _ => Ok(Box::new(BufWriter::with_capacity(1 << 16, io::stdout()))),
        }
    }
}

/// Files that are written beside their places and not complete.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Was a file lost, about which its writer could not be told?
static LOST: AtomicBool = AtomicBool::new(false);

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    // Nobody panics while holding it.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes files that are not complete, before the process ends at once.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(path));
    }
}

/// Has a folder of temporary files removed, too, if the process ends at once.
pub fn remove_at_end(folder: &Path) {
    unfinished().push(folder.to_path_buf());
}

/// Was a file not written though its writer went on?
pub fn was_lost() -> bool {
    // Relaxed: looked at for its own sake, at the end.
    LOST.load(Relaxed)
}

/// A file of results. It takes its place when it is dropped, if something was written to it or it was flushed, and nothing failed.
pub struct OutputFile {
    file: BufWriter<File>,
    /// Where it is written, and its place, unless that is the same.
    moved: Option<(PathBuf, PathBuf)>,
    is_wanted: bool,
    has_failed: bool,
}

impl OutputFile {
    /// Opens it.
    pub fn create(path: &Path) -> Outcome<Self> {
        let opened = match place(path).and_then(|place| beside(&place)) {
            Some(opened) => Ok(opened),
            None => File::create(path).map(|file| (file, None)),
        };
        let (file, moved) = opened.map_err(|e| Failure::file(path, "write", &e))?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 16, file),
            moved,
            is_wanted: false,
            has_failed: false,
        })
    }

    fn noted<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        self.has_failed |= done.is_err();
        done
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_wanted |= !bytes.is_empty();
        let done = self.file.write(bytes);
        self.noted(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.is_wanted = true;
        let done = self.file.flush();
        self.noted(done)
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        let Some((now, place)) = self.moved.take() else {
            return;
        };
        let keep = self.is_wanted && !self.has_failed && !std::thread::panicking();
        let done = match keep {
            true => (self.file.flush()).and_then(|()| fs::rename(&now, &place)),
            false => fs::remove_file(&now),
        };
        unfinished().retain(|path| *path != now);
        if let Err(error) = done
            && keep
        {
            let _ = fs::remove_file(&now);
            eprintln!("error: cannot write `{}`: {error}", place.display());
            LOST.store(true, Relaxed);
        }
    }
}

/// Writes a whole file.
pub fn write_file(path: &Path, text: &str) -> Outcome<()> {
    let mut file = OutputFile::create(path)?;
    let written = (file.write_all(text.as_bytes())).and_then(|()| file.flush());
    written.map_err(|e| Failure::file(path, "write", &e))
}

/// The file that a path names at the end of all links; `None` if it is to be written in place.
fn place(path: &Path) -> Option<PathBuf> {
    let mut path = path.to_path_buf();
    // As many links as the system follows.
    for _ in 0..40 {
        if path.starts_with("/dev") || path.starts_with("/proc") {
            return None;
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Some(path),
        }
    }
    None
}

/// A file beside this place; `None` if the place is to be written itself.
fn beside(place: &Path) -> Option<(File, Option<(PathBuf, PathBuf)>)> {
    let before = fs::metadata(place).ok();
    if before
        .as_ref()
        .is_some_and(|b| !b.is_file() || has_more_names(b))
    {
        return None;
    }
    // What cannot be written now cannot be replaced, either.
    if before.is_some() && OpenOptions::new().write(true).open(place).is_err() {
        return None;
    }
    let mut name = place.file_name()?.to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    let now = place.with_file_name(name);
    let file = File::create_new(&now).ok()?;
    unfinished().push(now.clone());
    if let Some(before) = before {
        // Where that is not possible, those of a new file.
        let _ = file.set_permissions(before.permissions());
    }
    Some((file, Some((now, place.to_path_buf()))))
}

fn has_more_names(file: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.nlink() > 1
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
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
