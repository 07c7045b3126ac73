//! Recorded traces, line by line: which propositions hold.
//!
//! Three forms, each a letter per line:
//!
//! * *lines*: the names of the propositions that hold, separated by white space; an empty line is a
//!   letter in which none holds;
//! * *JSON*: an object from names to `true`, `false`, `1`, `0` or `null`; what is not mentioned does not hold;
//! * *CSV* (RFC 4180, a record on one line): a header with the names, then records of truth values. Every
//!   proposition must have a column.
//!
//! Names that the formula does not mention are ignored: traces tell more than one asks. Blank lines
//! are letters in the first form only.

use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span, nearest};
use serde_json::Value;

/// The forms of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Names separated by white space.
    Lines,
    /// Objects.
    Json,
    /// Records after a header.
    Csv,
}

impl TraceFormat {
    /// The form of a trace that begins with this line: objects begin with a brace, headers have commas.
    pub fn detect(line: &[u8]) -> Self {
        if line.trim_ascii_start().starts_with(b"{") {
            Self::Json
        } else if line.contains(&b',') {
            Self::Csv
        } else {
            Self::Lines
        }
    }
}

/// Reads the lines of a trace.
pub struct TraceReader {
    format: TraceFormat,
    propositions: Vec<String>,
    by_name: FxHashMap<Vec<u8>, usize>,
    /// The proposition of each column of a CSV file, once the header was read.
    columns: Option<Vec<Option<usize>>>,
    letter: Vec<u64>,
    /// What held at least once.
    seen: Vec<u64>,
}

impl TraceReader {
    /// A reader that looks for these propositions.
    pub fn new(propositions: &[String], format: TraceFormat) -> Self {
        let names = propositions.iter().enumerate();
        let words = propositions.len().div_ceil(64).max(1);
        Self {
            format,
            propositions: propositions.to_vec(),
            by_name: names.map(|(i, n)| (n.as_bytes().to_vec(), i)).collect(),
            columns: None,
            letter: vec![0; words],
            seen: vec![0; words],
        }
    }

    /// The letter on a line, as bits in the order of the propositions; `None` for a line that has none
    /// (a header, a blank line). The complaint points into the line.
    pub fn read(&mut self, line: &[u8]) -> Result<Option<&[u64]>, Diagnostic> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if self.format != TraceFormat::Lines && line.trim_ascii().is_empty() {
            return Ok(None);
        }
        self.letter.fill(0);
        match self.format {
            TraceFormat::Lines => self.names(line)?,
            TraceFormat::Json => self.object(line)?,
            TraceFormat::Csv if self.columns.is_none() => {
                self.header(line)?;
                return Ok(None);
            }
            TraceFormat::Csv => self.record(line)?,
        }
        for (seen, &word) in self.seen.iter_mut().zip(&self.letter) {
            *seen |= word;
        }
        Ok(Some(&self.letter))
    }

    /// Is the next line a header, without which no other can be read?
    pub fn needs_header(&self) -> bool {
        self.format == TraceFormat::Csv && self.columns.is_none()
    }

    /// The propositions that have not held in any letter.
    pub fn never_held(&self) -> impl Iterator<Item = &str> {
        let names = self.propositions.iter().enumerate();
        names
            .filter(|(i, _)| self.seen[i / 64] >> (i % 64) & 1 == 0)
            .map(|(_, n)| n.as_str())
    }

    fn set(&mut self, proposition: usize) {
        self.letter[proposition / 64] |= 1 << (proposition % 64);
    }

    fn names(&mut self, line: &[u8]) -> Result<(), Diagnostic> {
        let mut at = 0;
        while at < line.len() {
            if line[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let rest = &line[at..];
            let length = rest.iter().position(u8::is_ascii_whitespace);
            let end = at + length.unwrap_or(rest.len());
            let name = &line[at..end];
            match self.by_name.get(name) {
                Some(&p) => self.set(p),
                None => {
                    text(name, at)?;
                }
            }
            at = end;
        }
        Ok(())
    }

    fn object(&mut self, line: &[u8]) -> Result<(), Diagnostic> {
        let value: Value = serde_json::from_slice(line).map_err(|e| {
            let place = e.column().saturating_sub(1).min(line.len());
            let message = format!("this is no JSON object: {e}");
            let message = message.split(" at line ").next().unwrap_or_default();
            Diagnostic::error(Span::new(place, place), message)
        })?;
        let whole = Span::new(0, line.len());
        let Value::Object(map) = value else {
            return Err(Diagnostic::error(whole, "expected an object"));
        };
        for (name, value) in &map {
            let Some(&p) = self.by_name.get(name.as_bytes()) else {
                continue;
            };
            match value {
                Value::Bool(false) | Value::Null => {}
                Value::Bool(true) => self.set(p),
                Value::Number(n) if n.as_u64() == Some(0) => {}
                Value::Number(n) if n.as_u64() == Some(1) => self.set(p),
                other => {
                    let message = format!("`{name}` is {other}, which is neither true nor false");
                    return Err(Diagnostic::error(whole, message));
                }
            }
        }
        Ok(())
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Diagnostic> {
        let mut columns = Vec::new();
        let mut names: Vec<String> = Vec::new();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        fields(line, |_, span, field| {
            let name = text(field, span.start)?.trim().to_string();
            let column = self.by_name.get(name.as_bytes()).copied();
            if column.is_some() && columns.contains(&column) {
                let message = format!("there are two columns called `{name}`");
                return Err(Diagnostic::error(span, message));
            }
            columns.push(column);
            names.push(name);
            Ok(())
        })?;
        for (p, name) in self.propositions.iter().enumerate() {
            if !columns.contains(&Some(p)) {
                let whole = Span::new(0, line.len());
                let complaint =
                    Diagnostic::error(whole, format!("there is no column for `{name}`"));
                return Err(match nearest(name, names.iter().map(String::as_str)) {
                    Some(other) => complaint.with_help(format!("there is one for `{other}`")),
                    None => complaint,
                });
            }
        }
        self.columns = Some(columns);
        Ok(())
    }

    fn record(&mut self, line: &[u8]) -> Result<(), Diagnostic> {
        let columns = self.columns.take().unwrap_or_default();
        let mut count = 0;
        let done = fields(line, |i, span, field| {
            count = i + 1;
            let Some(&Some(p)) = columns.get(i) else {
                return Ok(());
            };
            let holds = truth(field.trim_ascii()).ok_or_else(|| {
                let value = String::from_utf8_lossy(field);
                let name = &self.propositions[p];
                let message = format!("`{name}` is `{value}`, which is neither true nor false");
                Diagnostic::error(span, message).with_help("truth values are 1, 0, true, false")
            })?;
            if holds {
                self.letter[p / 64] |= 1 << (p % 64);
            }
            Ok(())
        });
        let wanted = columns.len();
        self.columns = Some(columns);
        done?;
        if count != wanted {
            let message = format!("{count} fields, but the header has {wanted}");
            return Err(Diagnostic::error(Span::new(0, line.len()), message));
        }
        Ok(())
    }
}

/// The bytes as text, if they are; `at` is where they begin.
fn text(bytes: &[u8], at: usize) -> Result<&str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|e| {
        let place = at + e.valid_up_to();
        Diagnostic::error(Span::new(place, place + 1), "this is not UTF-8 text")
    })
}

/// The truth value that a field tells.
fn truth(field: &[u8]) -> Option<bool> {
    match field {
        b"1" => return Some(true),
        b"0" | b"" => return Some(false),
        _ => {}
    }
    let is = |words: &[&str]| {
        words
            .iter()
            .any(|w| field.eq_ignore_ascii_case(w.as_bytes()))
    };
    if is(&["true", "t", "yes", "y"]) {
        Some(true)
    } else if is(&["false", "f", "no", "n"]) {
        Some(false)
    } else {
        None
    }
}

/// Calls `take` with number, place and content of each field of a record.
fn fields(
    line: &[u8],
    mut take: impl FnMut(usize, Span, &[u8]) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let mut start = 0;
    let mut number = 0;
    loop {
        let end;
        if line.get(start) == Some(&b'"') {
            let mut content = Vec::new();
            let mut at = start + 1;
            loop {
                match (line.get(at), line.get(at + 1)) {
                    (Some(b'"'), Some(b'"')) => {
                        content.push(b'"');
                        at += 2;
                    }
                    (Some(b'"'), None | Some(b',')) => break,
                    (Some(b'"'), Some(_)) => {
                        let place = Span::new(at + 1, at + 2);
                        return Err(Diagnostic::error(
                            place,
                            "expected a comma after the quotes",
                        ));
                    }
                    (Some(&b), _) => {
                        content.push(b);
                        at += 1;
                    }
                    (None, _) => {
                        let place = Span::new(start, start + 1);
                        return Err(Diagnostic::error(place, "these quotes are never closed"));
                    }
                }
            }
            end = at + 1;
            take(number, Span::new(start, end), &content)?;
        } else {
            let rest = &line[start..];
            end = start + rest.iter().position(|&b| b == b',').unwrap_or(rest.len());
            take(number, Span::new(start, end), &line[start..end])?;
        }
        if end == line.len() {
            return Ok(());
        }
        start = end + 1;
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    fn reader(format: TraceFormat) -> TraceReader {
        TraceReader::new(&["p", "x > 1", "q"].map(str::to_string), format)
    }

    fn letter(r: &mut TraceReader, line: &str) -> Result<Option<u64>, String> {
        let read = r
            .read(line.as_bytes())
            .map_err(|d| format!("{}-{}: {}", d.span.start, d.span.end, d.message))?;
        Ok(read.map(|words| words[0]))
    }

    #[test]
    fn lines_are_names() {
        let mut r = reader(TraceFormat::Lines);
        assert_eq!(letter(&mut r, "p other q\r\n"), Ok(Some(0b101)));
        assert_eq!(letter(&mut r, ""), Ok(Some(0)));
        assert_eq!(letter(&mut r, "  \tq  \n"), Ok(Some(0b100)));
        assert_eq!(letter(&mut r, "pq x > 1"), Ok(Some(0)));
        assert_eq!(r.never_held().collect::<Vec<_>>(), ["x > 1"]);
        let bad = r.read(b"p \xff").unwrap_err();
        assert_eq!(
            (bad.span.start, bad.message.as_str()),
            (2, "this is not UTF-8 text")
        );
    }

    #[test]
    fn objects() {
        let mut r = reader(TraceFormat::Json);
        assert_eq!(
            letter(&mut r, r#"{"p": true, "x > 1": 1, "q": 0, "z": "a"}"#),
            Ok(Some(0b011))
        );
        assert_eq!(letter(&mut r, r#"{"p": null, "q": false}"#), Ok(Some(0)));
        assert_eq!(letter(&mut r, "  \n"), Ok(None));
        assert!(letter(&mut r, r#"{"p": 2}"#).is_err_and(|e| e.contains("`p` is 2, which")));
        assert!(letter(&mut r, r#"{"p": tru}"#).is_err_and(|e| e.contains("no JSON object")));
        assert_eq!(
            letter(&mut r, "[]"),
            Err("0-2: expected an object".to_string())
        );
    }

    #[test]
    fn records() {
        let mut r = reader(TraceFormat::Csv);
        assert_eq!(letter(&mut r, "time,\"x > 1\", q ,p\n"), Ok(None));
        assert_eq!(letter(&mut r, "17,1,0,TRUE"), Ok(Some(0b011)));
        assert_eq!(letter(&mut r, "\"a,\"\"b\",no,\"y\",\r\n"), Ok(Some(0b100)));
        assert_eq!(letter(&mut r, "\n"), Ok(None));
        assert_eq!(
            letter(&mut r, "1,1,1"),
            Err("0-5: 3 fields, but the header has 4".to_string())
        );
        assert!(letter(&mut r, "1,2,1,1").is_err_and(|e| e.starts_with("2-3: `x > 1` is `2`")));
        assert!(letter(&mut r, "\"1,2").is_err_and(|e| e.contains("never closed")));
        assert!(letter(&mut r, "\"1\"2,").is_err_and(|e| e.contains("expected a comma")));
        // A bad line spoils nothing.
        assert_eq!(letter(&mut r, "17,1,0,TRUE"), Ok(Some(0b011)));
        let mut r = reader(TraceFormat::Csv);
        assert!(letter(&mut r, "p,x > 1,r").is_err_and(|e| e.contains("no column for `q`")));
        assert!(letter(&mut r, "p,x > 1,q,p").is_err_and(|e| e.contains("two columns")));
    }

    #[test]
    fn forms_are_recognised() {
        assert_eq!(
            TraceFormat::detect(b" {\"a\": 1, \"b\": 2}"),
            TraceFormat::Json
        );
        assert_eq!(TraceFormat::detect(b"a,b"), TraceFormat::Csv);
        assert_eq!(TraceFormat::detect(b"a b"), TraceFormat::Lines);
        assert_eq!(TraceFormat::detect(b""), TraceFormat::Lines);
    }

    #[test]
    fn no_bytes_panic() {
        let mut r = Random::new(17);
        let alphabet = b"p,q\"{}: 1\n\r\xff\xc3x>t[]";
        for _ in 0..20_000 {
            let length = r.below(12);
            let line: Vec<u8> = (0..length)
                .map(|_| alphabet[r.below(alphabet.len())])
                .collect();
            for format in [TraceFormat::Lines, TraceFormat::Json, TraceFormat::Csv] {
                let mut reader = TraceReader::new(&["p".to_string()], format);
                let _ = reader.read(b"p,q");
                if let Err(d) = reader.read(&line) {
                    assert!(d.span.start <= d.span.end && d.span.end <= line.len() + 1);
                }
            }
        }
    }
}
