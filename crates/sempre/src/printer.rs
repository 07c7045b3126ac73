//! Automata on their way out: the formats and what they need to know.

use crate::failure::{Failure, Outcome};
use crate::output::csv_field;
use clap::ValueEnum;
use sempre::automata::{ReadAutomaton, to_state_buchi};
use sempre::omega::hoa::{Highlights, Known};
use sempre::omega::lbtt::write_lbtt;
use sempre::omega::picture::stacked;
use sempre::omega::remove_fin::remove_fin;
use sempre::omega::stats::Stats;
use sempre::omega::{
    Alphabet, Automaton, HoaOptions, Picture, picture, write_hoa, write_never_claim,
};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The formats automata are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The Hanoi omega-automata format
    Hoa,
    /// A picture for GraphViz
    Dot,
    /// A picture for a browser
    Svg,
    /// A never claim in SPIN's Promela; the automaton is made Büchi with acceptance on states
    Spin,
    /// The format of lbtt; the acceptance is made generalised Büchi
    Lbtt,
    /// A CSV table of sizes
    Stats,
    /// Sizes and properties, an object on a line
    Json,
}

/// A column of a table: its name and its value.
pub(crate) type Column = (String, Value);

/// What is told about every automaton, in the order of [`MEASURES`], and more of it in JSON.
pub(crate) fn measures(alphabet: &mut Alphabet, a: &Automaton, format: Format) -> Vec<Column> {
    if format == Format::Json {
        let text = Stats::new(alphabet, a).to_json();
        // It is our own text; were it broken, an empty object would be noticed.
        let object: Map<String, Value> = serde_json::from_str(&text).unwrap_or_default();
        return object.into_iter().filter(|(k, _)| k != "name").collect();
    }
    let deterministic = a.is_deterministic(&mut alphabet.bdds);
    let values = [
        json!(a.states()),
        json!(a.edge_count()),
        json!(a.sets),
        json!(deterministic),
    ];
    MEASURES.iter().map(|m| m.to_string()).zip(values).collect()
}

/// Acceptance conditions with more cases are not made generalised Büchi.
pub(crate) const MOST_CASES: usize = 10_000;

/// The columns that every table has.
const MEASURES: &[&str] = &["states", "edges", "acceptance_sets", "deterministic"];

impl Format {
    /// Is it a row of a table per automaton, not the automaton itself?
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Format::Stats | Format::Json)
    }
}

/// The output of automata in a format. Drawings for a browser become one document, which is written at the end.
pub(crate) struct Printer {
    out: Box<dyn Write>,
    format: Format,
    drawings: Vec<Picture>,
}

impl Printer {
    /// Writes in this format.
    pub(crate) fn new(out: Box<dyn Write>, format: Format) -> Self {
        Self {
            out,
            format,
            drawings: Vec::new(),
        }
    }

    /// Writes what comes before automata in a table: the names of the columns, those every table has between
    /// `first` and `last`.
    pub(crate) fn header(&mut self, first: &[&str], last: &[&str]) -> Outcome<()> {
        if self.format == Format::Stats {
            writeln!(self.out, "{}", [first, MEASURES, last].concat().join(","))?;
        }
        Ok(())
    }

    /// The output, for text that is not an automaton.
    pub(crate) fn out(&mut self) -> &mut dyn Write {
        &mut *self.out
    }

    /// Draws a picture, for GraphViz or for a browser.
    pub(crate) fn draw(&mut self, picture: Picture) -> Outcome<()> {
        match self.format {
            Format::Svg => self.drawings.push(picture),
            _ => self.out.write_all(picture.to_dot().as_bytes())?,
        }
        Ok(())
    }

    /// Writes an automaton itself; `read` is what else is known of it.
    pub(crate) fn write(
        &mut self,
        alphabet: &mut Alphabet,
        a: &Automaton,
        read: Option<&ReadAutomaton>,
    ) -> Outcome<()> {
        match self.format {
            Format::Dot | Format::Svg => self.draw(picture(alphabet, a)),
            format => write(&mut *self.out, alphabet, a, read, format),
        }
    }

    /// Writes a row of a table.
    pub(crate) fn row(&mut self, columns: &[Column]) -> Outcome<()> {
        write_row(&mut *self.out, columns, self.format)
    }

    /// Writes the drawings. A complete output is flushed, so that a file of it takes its place even if it is empty.
    pub(crate) fn finish(mut self, is_complete: bool) -> Outcome<()> {
        if !self.drawings.is_empty() {
            self.out.write_all(stacked(&self.drawings).as_bytes())?;
        }
        if is_complete {
            self.out.flush()?;
        }
        Ok(())
    }
}

/// Writes an automaton itself, which is not drawn.
fn write(
    out: &mut dyn Write,
    alphabet: &mut Alphabet,
    a: &Automaton,
    read: Option<&ReadAutomaton>,
    format: Format,
) -> Outcome<()> {
    match format {
        Format::Hoa => {
            let options = HoaOptions {
                tool: read.and_then(|r| r.tool.clone()),
                known: read.map_or_else(Known::default, |r| r.known),
                highlights: read.map_or_else(Highlights::default, |r| r.highlights.clone()),
                ..HoaOptions::default()
            };
            out.write_all(write_hoa(alphabet, a, &options).as_bytes())?;
        }
        Format::Spin => {
            let claim = to_state_buchi(alphabet, a, MOST_CASES)
                .ok_or("its acceptance condition has too many cases".to_string())
                .and_then(|b| write_never_claim(alphabet, &b).map_err(|e| e.to_string()))
                .map_err(|why| Failure::Message(format!("cannot write a never claim: {why}")))?;
            out.write_all(claim.as_bytes())?;
        }
        Format::Lbtt => {
            let text = remove_fin(a, MOST_CASES)
                .ok_or("its acceptance condition has too many cases".to_string())
                .and_then(|b| write_lbtt(alphabet, &b).map_err(|e| e.to_string()))
                .map_err(|why| Failure::Message(format!("cannot write for lbtt: {why}")))?;
            out.write_all(text.as_bytes())?;
        }
        Format::Dot | Format::Svg | Format::Stats | Format::Json => {
            unreachable!("drawings and tables have their own ways")
        }
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, columns: &[Column], format: Format) -> Outcome<()> {
    if format == Format::Json {
        let object: Map<String, Value> = columns.iter().cloned().collect();
        writeln!(out, "{}", Value::Object(object))?;
        return Ok(());
    }
    for (i, (_, value)) in columns.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        match value {
            Value::String(text) => write!(out, "{comma}{}", csv_field(text))?,
            Value::Bool(b) => write!(out, "{comma}{}", u8::from(*b))?,
            Value::Null => write!(out, "{comma}")?,
            other => write!(out, "{comma}{other}")?,
        }
    }
    writeln!(out)?;
    Ok(())
}

/// Seconds with as many digits as a clock is worth.
pub(crate) fn seconds(time: std::time::Duration) -> Value {
    json!((time.as_secs_f64() * 1e6).round() / 1e6)
}
