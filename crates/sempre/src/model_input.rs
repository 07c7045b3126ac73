//! Where models come from.

use crate::failure::{Failure, Outcome};
use crate::input::{read_file, show, shown_name};
use clap::{Args, ValueEnum};
use sempre::base::Source;
use sempre::lang::model::{Language, Model};
use std::path::{Path, PathBuf};

/// The options that say which model to work on.
#[derive(Args, Clone, Debug)]
pub struct ModelOptions {
    /// The model; `-` is standard input
    #[arg(value_name = "MODEL", value_hint = clap::ValueHint::FilePath)]
    pub model: PathBuf,

    /// The language of the model, if its file's name does not tell
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub language: Option<LanguageName>,
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

    /// Reads the model; complaints and warnings go to standard error.
    pub fn read(&self) -> Outcome<Model> {
        let name = self.file();
        let language = match self.language.map(Language::from) {
            Some(language) => language,
            None => Language::of_path(&self.model).ok_or_else(|| self.no_language(&name))?,
        };
        let text = read_file(&self.model)?;
        let source = Source::new(&name, &text);
        let title = (self.model.file_stem())
            .map_or_else(|| name.clone(), |s| s.to_string_lossy().into_owned());
        let folder = self.model.parent().unwrap_or(Path::new(""));
        let include = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
        match Model::read_with(language, &title, &text, &include) {
            Ok((model, warnings)) => {
                show(&source, &warnings);
                Ok(model)
            }
            Err(diagnostics) => {
                show(&source, &diagnostics);
                Err(Failure::Shown)
            }
        }
    }
}
