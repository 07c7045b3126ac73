//! What `sempre check` found out, on its way out: in the order of the properties, whatever order they are decided in.

use crate::color::Palette;
use crate::failure::{Answer, Failure, Outcome};
use crate::output::OutputFile;
use crate::picture::Picture;
use crate::run_text::Legend;
use crate::verdict_report::{Shown, json, mcc, text, trace};
use crate::{notices, progress, supervisor};
use sempre::check::{
    Cause, CheckError, Checker, Claim, Fairness, Property, Report, Settings, Verdict, failures,
    is_yes,
};
use sempre::lang::model::Model;
use sempre::report::{SourceText, Subject, page};
use sempre::shown_run::Detail;
use std::io::Write;
use std::time::Instant;

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One object on a line.
    Json,
    /// Lines of the Model Checking Contest.
    Contest,
}

/// What was checked, and how it is shown.
pub struct Showing<'a> {
    pub model: &'a Model,
    /// What its file is called.
    pub file: &'a str,
    /// What the model says of its actions.
    pub legend: &'a Legend<'a>,
    /// The styles of the output.
    pub palette: Palette,
    /// For the page.
    pub source: Option<SourceText<'a>>,
    pub properties: &'a [Property],
    pub settings: &'a Settings<'a>,
    pub fairness: Fairness,
    pub picture: Option<&'a Picture<'a>>,
    pub form: Form,
    pub explain: bool,
    pub detail: Detail,
}

impl Showing<'_> {
    /// A check that was done.
    fn subject<'b>(&'b self, property: &'b Property, report: &'b Report) -> Subject<'b> {
        Subject {
            program: match &property.claim {
                // With what checks the ends of runs.
                Claim::NoFailure(program) => program,
                _ => self.model.program(),
            },
            file: self.file,
            property,
            report,
            deadlock: self.settings.deadlock,
            fairness: self.fairness,
            deterministic: self.settings.deterministic,
        }
    }

    /// Prints what was found out about one property, after others or as the first one.
    fn print(&self, out: &mut dyn Write, shown: &Shown<'_>, is_next: bool) -> Outcome<()> {
        match self.form {
            Form::Contest => mcc(out, shown)?,
            Form::Json => writeln!(out, "{}", json(shown))?,
            Form::Text => {
                if is_next {
                    writeln!(out)?;
                }
                text(out, shown, self.picture)?;
            }
        }
        // The next one may take long.
        out.flush()?;
        Ok(())
    }
}

/// What is known about all properties together.
struct Known {
    answer: Answer,
    /// Could one not be checked?
    failed: bool,
    /// A property that does not hold.
    violated: Option<usize>,
    /// Was it seen that an assertion or a step fails?
    fails: bool,
}

/// For the page: what was shown, and the assertion that fails, if that was found besides the properties.
#[derive(Default)]
struct Page {
    done: Vec<(usize, Report)>,
    finding: Option<(Property, Report)>,
}

/// See the module's documentation.
pub struct Verdicts<'a> {
    showing: Showing<'a>,
    out: Box<dyn Write>,
    traces: Option<OutputFile>,
    page: Option<Page>,
    /// What waits for those before it.
    ready: Vec<Option<Result<Report, CheckError>>>,
    /// How many properties were shown.
    shown: usize,
    known: Known,
    /// Does nobody read what is printed any more?
    closed: bool,
}

impl<'a> Verdicts<'a> {
    /// Nothing is known yet.
    pub fn new(
        showing: Showing<'a>,
        out: Box<dyn Write>,
        traces: Option<OutputFile>,
        wants_page: bool,
    ) -> Self {
        Self {
            ready: showing.properties.iter().map(|_| None).collect(),
            showing,
            out,
            traces,
            page: wants_page.then(Page::default),
            shown: 0,
            known: Known {
                answer: Answer::Yes,
                failed: false,
                violated: None,
                fails: false,
            },
            closed: false,
        }
    }

    /// Is the result of this property there?
    pub fn is_known(&self, i: usize) -> bool {
        i < self.shown || self.ready[i].is_some()
    }

    /// A property that does not hold.
    pub fn violated(&self) -> Option<&'a Property> {
        let properties = self.showing.properties;
        self.known.violated.map(|i| &properties[i])
    }

    /// Takes the result of a property, and shows what has its turn.
    pub fn tell(&mut self, i: usize, result: Result<Report, CheckError>) -> Outcome<()> {
        let properties = self.showing.properties;
        if let Ok(report) = &result
            && is_yes(properties[i].asked, &report.verdict) == Some(false)
        {
            self.known.violated.get_or_insert(i);
        }
        self.ready[i] = Some(result);
        while let Some(result) = self.ready.get_mut(self.shown).and_then(Option::take) {
            let i = self.shown;
            self.shown += 1;
            self.clear_progress();
            match result {
                Ok(report) => {
                    self.known.fails |= report.assertion_fails
                        || matches!(report.verdict, Verdict::Unknown(Cause::Failure(_)));
                    self.write(&properties[i], &report, i > 0)?;
                    if let Some(page) = &mut self.page {
                        page.done.push((i, report));
                    }
                }
                // What is wrong with one property does not spoil the others.
                Err(error) => {
                    notices::error(&format!("{}: {}", properties[i].name, words(error)));
                    self.known.failed = true;
                }
            }
        }
        Ok(())
    }

    fn clear_progress(&self) {
        if self.showing.settings.limits.progress.is_some() {
            progress::clear();
        }
    }

    /// Shows the assertion that fails, if it was seen that one does.
    pub fn finding(&mut self, checker: &Checker) -> Outcome<()> {
        let is_failure = |p: &Property| matches!(p.claim, Claim::NoFailure(_));
        let is_wanted = self.known.fails && self.showing.form != Form::Contest;
        if !is_wanted || self.showing.properties.iter().any(is_failure) {
            return Ok(());
        }
        let property = failures::found_in(self.showing.model);
        let settings = Settings {
            automaton: None,
            algorithm: None,
            search: None,
            method: None,
            ..*self.showing.settings
        };
        let time = settings.limits.time;
        let deadline = supervisor::after(time.and_then(|t| Instant::now().checked_add(t)));
        let report = supervisor::search("looking for a failed assertion", deadline, || {
            checker.check(&property, &settings)
        });
        self.clear_progress();
        // That some step is erroneous is told already: what the model means then is not known.
        if let Ok(Ok(report)) = report
            && let Verdict::Violated(evidence) = &report.verdict
            && evidence.fails_assertion()
        {
            self.write(&property, &report, true)?;
            if let Some(page) = &mut self.page {
                page.finding = Some((property, report));
            }
        }
        Ok(())
    }

    /// Writes what is known of a property, after others or as the first one.
    fn write(&mut self, property: &Property, report: &Report, is_next: bool) -> Outcome<()> {
        let answer = &mut self.known.answer;
        *answer = match (is_yes(property.asked, &report.verdict), *answer) {
            (Some(false), _) | (_, Answer::No) => Answer::No,
            (None, _) | (_, Answer::Unknown) => Answer::Unknown,
            (Some(true), Answer::Yes) => Answer::Yes,
        };
        let shown = Shown {
            subject: self.showing.subject(property, report),
            explain: self.showing.explain,
            detail: self.showing.detail,
            legend: self.showing.legend,
            palette: self.showing.palette,
        };
        if let (Some(file), Some(run)) = (&mut self.traces, trace(&shown)) {
            writeln!(file, "{run}")?;
        }
        if !self.closed {
            match self.showing.print(&mut *self.out, &shown, is_next) {
                // Nobody reads on, but the page is still wanted.
                Err(Failure::OutputClosed) if self.page.is_some() => self.closed = true,
                printed => printed?,
            }
        }
        Ok(())
    }

    /// Writes the page, and says how it ended.
    pub fn finish(self, page_file: Option<OutputFile>) -> Outcome {
        if let (Some(mut file), Some(known)) = (page_file, &self.page) {
            let properties = self.showing.properties;
            let done = (known.done.iter()).map(|(i, report)| (&properties[*i], report));
            let all = done.chain(known.finding.iter().map(|(p, r)| (p, r)));
            let subjects: Vec<Subject<'_>> = all
                .map(|(p, report)| self.showing.subject(p, report))
                .collect();
            let text = page(
                &self.showing.model.program().name,
                self.showing.source,
                &subjects,
            );
            file.write_all(text.as_bytes())?;
        }
        match (self.known.failed, self.closed) {
            (true, _) => Err(Failure::Shown),
            (false, true) => Err(Failure::OutputClosed),
            (false, false) => Ok(self.known.answer),
        }
    }
}

/// What the error says.
pub fn words(error: CheckError) -> String {
    match error {
        CheckError::Refused(text) => text,
        CheckError::Defect(text) => format!(
            "internal error: {text}\nthis is a defect of sempre: please report it with the command line and its input"
        ),
    }
}
