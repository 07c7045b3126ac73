//! Automata on their way out: the formats and what they need to know.

use crate::failure::{Failure, Outcome};
use crate::output::csv_field;
use clap::ValueEnum;
use sempre::automata::{ReadAutomaton, to_state_buchi};
use sempre::omega::hoa::{Highlights, Known};
use sempre::omega::lbtt::write_lbtt;
use sempre::omega::remove_fin::remove_fin;
use sempre::omega::stats::Stats;
use sempre::omega::{
    Alphabet, Automaton, HoaOptions, Picture, picture, write_hoa, write_never_claim,
};
use serde_json::{Map, Value, json};
use std::io::Write;

/// The formats automata are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
pub type Column = (String, Value);

/// What is told about every automaton, in the order of [`MEASURES`], and more of it in JSON.
pub fn measures(alphabet: &mut Alphabet, a: &Automaton, format: Format) -> Vec<Column> {
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
pub const MOST_CASES: usize = 10_000;

/// The columns that every table has.
const MEASURES: &[&str] = &["states", "edges", "acceptance_sets", "deterministic"];

impl Format {
    /// Is it a row of a table per automaton, not the automaton itself?
    pub fn is_table(self) -> bool {
        matches!(self, Format::Stats | Format::Json)
    }
}

/// Writes what comes before the automata: the names of the columns, those every table has between
/// `first` and `last`.
pub fn header(out: &mut dyn Write, format: Format, first: &[&str], last: &[&str]) -> Outcome<()> {
    if format == Format::Stats {
        writeln!(out, "{}", [first, MEASURES, last].concat().join(","))?;
    }
    Ok(())
}

/// Writes an automaton itself; `read` is what else is known of it.
pub fn write(
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
        Format::Dot | Format::Svg => draw(out, &picture(alphabet, a), format)?,
        Format::Lbtt => {
            let text = remove_fin(a, MOST_CASES)
                .ok_or("its acceptance condition has too many cases".to_string())
                .and_then(|b| write_lbtt(alphabet, &b).map_err(|e| e.to_string()))
                .map_err(|why| Failure::Message(format!("cannot write for lbtt: {why}")))?;
            out.write_all(text.as_bytes())?;
        }
        Format::Stats | Format::Json => unreachable!("tables have rows"),
    }
    Ok(())
}

/// Writes a picture, for GraphViz or for a browser.
pub fn draw(out: &mut dyn Write, picture: &Picture, format: Format) -> Outcome<()> {
    let text = match format {
        Format::Svg => picture.to_svg(),
        _ => picture.to_dot(),
    };
    out.write_all(text.as_bytes())?;
    Ok(())
}

/// Writes a row of a table.
pub fn write_row(out: &mut dyn Write, columns: &[Column], format: Format) -> Outcome<()> {
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
pub fn seconds(time: std::time::Duration) -> Value {
    json!((time.as_secs_f64() * 1e6).round() / 1e6)
}
