//! Tests of the source tree itself, in the manner of rustc's tidy.
//!
//! Each module holds one rule: what it demands, why, and a function that lists the places that break it. `tests/tree.rs` runs them
//! all on this workspace. A [`Finding`] names the place and the rule, so that whoever adds code sees what to do.
//!
//! | module | rule |
//! | --- | --- |
//! | [`mod@cycles`] | modules of a crate depend on each other without cycles |
//! | [`dependencies`] | crates depend on each other as ARCHITECTURE.md says |
//! | [`functions`] | functions are short |
//! | [`structs`] | structs have few fields |
//! | [`public`] | few items are public |
//! | [`words`] | comments and messages use the field's words |

pub mod cycles;
pub mod dependencies;
pub mod functions;
pub mod modules;
pub mod public;
pub mod structs;
pub mod words;

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// One place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Relative to the root of the workspace.
    pub file: String,
    /// Counted from 1; 0 stands for the whole file.
    pub line: usize,
    /// What is there, and what should be.
    pub text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

/// A source file of a crate's library or binary.
pub struct Source {
    /// Relative to the root of the workspace.
    pub file: String,
    /// The path of the module that the file holds, without the crate: `["product", "limits"]`; empty for `lib.rs`.
    pub module: Vec<String>,
    /// The text.
    pub text: String,
    /// The syntax tree.
    pub syntax: syn::File,
}

/// A package of the workspace.
pub struct Package {
    /// As in its `Cargo.toml`.
    pub name: String,
    /// Its folder, relative to the root of the workspace.
    pub folder: String,
    /// The files under `src`.
    pub sources: Vec<Source>,
    /// `Cargo.toml`.
    pub manifest: String,
}

/// The workspace.
pub struct Tree {
    /// Its folder.
    pub root: PathBuf,
    /// The packages in `crates/`, by name.
    pub packages: Vec<Package>,
}

impl Tree {
    /// Reads the workspace that holds this crate.
    ///
    /// # Panics
    /// If a file cannot be read or is not Rust: the tests of the tree have no use for a tree that does not build.
    #[must_use]
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut packages: Vec<Package> = entries(&root.join("crates"))
            .into_iter()
            .filter(|folder| folder.join("Cargo.toml").is_file())
            .map(|folder| Package::read(&root, &folder))
            .collect();
        packages.sort_by(|a, b| a.name.cmp(&b.name));
        Tree { root, packages }
    }

    /// All files under `src` of all packages.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        self.packages.iter().flat_map(|package| &package.sources)
    }
}

impl Package {
    fn read(root: &Path, folder: &Path) -> Self {
        let manifest = text(&folder.join("Cargo.toml"));
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = \""))
            .and_then(|rest| rest.strip_suffix('"'))
            .expect("a package has a name");
        let mut sources = Vec::new();
        let src = folder.join("src");
        for path in rust_files(&src) {
            let text = text(&path);
            let syntax =
                syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            sources.push(Source {
                file: relative(root, &path),
                module: module_path(&src, &path),
                text,
                syntax,
            });
        }
        Package {
            name: name.to_owned(),
            folder: relative(root, folder),
            sources,
            manifest,
        }
    }
}

/// The files below a folder that end with `.rs`, in order of their names.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(listing) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = listing
        .map(|entry| entry.expect("a folder can be listed").path())
        .collect();
    paths.sort();
    paths
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .expect("it lies below the root")
        .display()
        .to_string()
}

fn module_path(src: &Path, path: &Path) -> Vec<String> {
    let mut module: Vec<String> = path
        .strip_prefix(src)
        .expect("it lies below src")
        .with_extension("")
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    if module.last().is_some_and(|last| last == "mod")
        || module.len() == 1 && (module[0] == "lib" || module[0] == "main")
    {
        module.pop();
    }
    module
}

/// Whether an item is compiled for tests only.
#[must_use]
pub fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && matches!(&attribute.meta, syn::Meta::List(list)
                    if list.tokens.to_string().split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "test"))
    })
}

/// The line at which something begins, counted from 1.
#[must_use]
pub fn line(spanned: impl syn::spanned::Spanned) -> usize {
    spanned.span().start().line
}
