//! Where models come from.

use crate::failure::{Failure, Outcome};
use crate::input::{latin_or_utf8, read_bytes, read_file, shown_name};
use crate::notices::show;
use crate::supervisor;
use clap::{Args, ValueEnum};
use sempre::base::Source;
use sempre::lang::model::{Language, Model};
use sempre::lang::promela::Reading;
use sempre::lang::promela::preprocessor::{Preset, Setup};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The options that say which model to work on.
#[derive(Args, Clone, Debug, Default)]
pub struct ModelOptions {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL", value_hint = clap::ValueHint::FilePath)]
    pub model: PathBuf,

    /// The language of the model, if its file's name does not tell
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<LanguageName>,

    /// For Promela: the preprocessor defines this macro, which stands for 1 if there is no value; several are defined in their
    /// order
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<Preset>,

    /// For Promela: the preprocessor forgets this macro after all -D
    #[arg(short = 'U', value_name = "NAME", value_parser = removal)]
    pub undefine: Vec<Preset>,

    /// For Promela: included files are looked for in this folder, too
    #[arg(short = 'I', value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub include: Vec<PathBuf>,

    /// For Promela: `assert` is a step without effect
    #[arg(long)]
    pub ignore_assertions: bool,
}

/// A macro as after `-D`.
fn definition(text: &str) -> Result<Preset, String> {
    let preset = Preset::Define(text.to_string());
    match text.contains('\n') {
        true => Err("a macro is one line".to_string()),
        false => named(preset, text),
    }
}

/// A macro as after `-U`.
fn removal(text: &str) -> Result<Preset, String> {
    named(Preset::Undefine(text.to_string()), text)
}

fn named(preset: Preset, text: &str) -> Result<Preset, String> {
    let name = preset.name();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    match starts && name.chars().all(is_word) {
        true => Ok(preset),
        false => Err(format!("`{text}` does not start with the name of a macro")),
    }
}

/// The languages.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum LanguageName {
    /// DiVinE's language
    Dve,
    /// Petri nets in XML
    Pnml,
    /// LTSmin's tables
    Etf,
    /// Explicit graphs
    Graph,
    /// Kripke structures in the Hanoi format
    Hoa,
    /// SPIN's language
    Promela,
}

impl From<LanguageName> for Language {
    fn from(name: LanguageName) -> Self {
        match name {
            LanguageName::Dve => Language::Dve,
            LanguageName::Pnml => Language::Pnml,
            LanguageName::Etf => Language::Etf,
            LanguageName::Graph => Language::Graph,
            LanguageName::Hoa => Language::Hoa,
            LanguageName::Promela => Language::Promela,
        }
    }
}

impl ModelOptions {
    /// What the file of the model is called.
    pub fn file(&self) -> String {
        shown_name(&self.model)
    }

    /// The complaint about an ending that tells no language. A file that is not there has none either.
    fn no_language(&self, name: &str) -> Failure {
        if self.model.as_os_str() != "-"
            && let Err(error) = std::fs::metadata(&self.model)
        {
            return Failure::file(&self.model, "read", &error);
        }
        Failure::Message(format!(
            "cannot tell the language of `{name}` by its ending; say it with --language"
        ))
    }

    fn is_for_promela(&self) -> bool {
        let nothing = self.define.is_empty() && self.undefine.is_empty() && self.include.is_empty();
        !nothing || self.ignore_assertions
    }

    /// How to read Promela.
    fn reading(&self) -> Reading {
        // Other paths are from the folder of the model.
        let folder = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            path.to_string_lossy().into_owned()
        };
        Reading {
            setup: Setup {
                macros: self.define.iter().chain(&self.undefine).cloned().collect(),
                folders: self.include.iter().map(folder).collect(),
            },
            ignore_assertions: self.ignore_assertions,
            ..Reading::default()
        }
    }

    /// Reads the model until the deadline; complaints and warnings go to standard error.
    pub fn read_within(&self, deadline: Option<Instant>) -> Outcome<Model> {
        let what = format!("reading {}", self.file());
        supervisor::step(&what, deadline, || self.read())
    }

    /// Reads the model until the deadline, with its text; complaints and warnings go to standard error.
    pub(crate) fn read_with_text(&self, deadline: Option<Instant>) -> Outcome<(Model, String)> {
        let what = format!("reading {}", self.file());
        supervisor::step(&what, deadline, || self.read_both())
    }

    /// Reads the model; complaints and warnings go to standard error.
    pub fn read(&self) -> Outcome<Model> {
        self.read_both().map(|(model, _)| model)
    }

    fn read_both(&self) -> Outcome<(Model, String)> {
        let name = self.file();
        let language = match self.language.map(Language::from) {
            Some(language) => language,
            None => Language::of_path(&self.model).ok_or_else(|| self.no_language(&name))?,
        };
        let reading = self.reading();
        if language != Language::Promela && self.is_for_promela() {
            let text = "-D, -U, -I and --ignore-assertions are for Promela models";
            return Err(Failure::Message(text.to_string()));
        }
        // SPIN reads bytes, and comments in Latin-1 are common.
        let text = match language {
            Language::Promela => latin_or_utf8(read_bytes(&self.model)?),
            _ => read_file(&self.model)?,
        };
        let source = Source::new(&name, &text);
        let title = (self.model.file_stem())
            .map_or_else(|| name.clone(), |s| s.to_string_lossy().into_owned());
        let folder = self.model.parent().unwrap_or(Path::new(""));
        let include = |file: &str| Some(latin_or_utf8(std::fs::read(folder.join(file)).ok()?));
        match Model::read_with(language, &title, &text, &include, &reading) {
            Ok((model, warnings)) => {
                show(&source, &warnings);
                Ok((model, text))
            }
            Err(diagnostics) => {
                show(&source, &diagnostics);
                Err(Failure::Shown)
            }
        }
    }
}
