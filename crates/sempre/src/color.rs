//! Colour on terminals.
//!
//! Whether a stream gets colour is decided once for each: by `--color`, or else by the environment (`NO_COLOR`,
//! `CLICOLOR_FORCE`, `TERM=dumb`) and by what the stream is. Without colour all styles are empty.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use sempre::check::Verdict;

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorName {
    /// On terminals, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorName {
    /// Makes it the choice of this process.
    pub(crate) fn set(self) {
        let choice = match self {
            ColorName::Auto => ColorChoice::Auto,
            ColorName::Always => ColorChoice::Always,
            ColorName::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The styles of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Palette {
    /// Of what holds.
    pub good: Style,
    /// Of what is violated, and of errors.
    pub bad: Style,
    /// Of what is unknown, and of warnings.
    pub open: Style,
    /// Of names.
    pub strong: Style,
    /// Of what is less important.
    pub faint: Style,
}

impl Palette {
    /// With colours.
    pub(crate) const COLORED: Self = Self {
        good: AnsiColor::Green.on_default().bold(),
        bad: AnsiColor::Red.on_default().bold(),
        open: AnsiColor::Yellow.on_default().bold(),
        strong: Style::new().bold(),
        faint: Style::new().dimmed(),
    };

    fn when(choice: ColorChoice) -> Self {
        match choice {
            ColorChoice::Never => Self::default(),
            _ => Self::COLORED,
        }
    }

    /// The style of a verdict.
    pub(crate) fn of(&self, verdict: &Verdict) -> Style {
        match verdict {
            Verdict::Holds(_) => self.good,
            Verdict::Violated(_) => self.bad,
            Verdict::Unknown(_) => self.open,
        }
    }

    /// That of standard output.
    pub(crate) fn stdout() -> Self {
        Self::when(AutoStream::choice(&std::io::stdout()))
    }

    /// That of standard error.
    pub(crate) fn stderr() -> Self {
        Self::when(AutoStream::choice(&std::io::stderr()))
    }
}
