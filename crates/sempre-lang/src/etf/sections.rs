//! The sections of an ETF file, as words with their places: what can be said without knowing the sorts.

use rustc_hash::FxHashSet;
use sempre_base::{Diagnostic, Span, nearest};

/// Errors after which the reader gives up.
pub(super) const MAX_ERRORS: usize = 50;

/// A word of a line.
#[derive(Clone, Debug)]
pub(super) struct Word<'t> {
    /// As it stands, quotes included.
    pub(super) text: &'t str,
    pub(super) place: Span,
}

impl Word<'_> {
    pub(super) fn number(&self) -> Option<i64> {
        match self.text.bytes().all(|b| b.is_ascii_digit()) {
            true => self.text.parse().ok(),
            false => None,
        }
    }

    /// The text that a value stands for.
    pub(super) fn value(&self) -> Option<String> {
        let t = self.text;
        if let Some(inside) = t.strip_prefix('"') {
            return inside.strip_suffix('"').map(str::to_string);
        }
        if t.len() > 1 && t.starts_with('#') && t.ends_with('#') {
            let digits = &t.as_bytes()[1..t.len() - 1];
            let bytes: Option<Vec<u8>> = digits
                .chunks(2)
                .map(|pair| {
                    let pair = std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?;
                    u8::from_str_radix(pair, 16).ok()
                })
                .collect();
            return Some(String::from_utf8_lossy(&bytes?).into_owned());
        }
        Some(t.to_string())
    }
}

/// Splits a line at white space outside quotes.
fn words(line: &str, start: usize) -> Result<Vec<Word<'_>>, Diagnostic> {
    let mut words = Vec::new();
    let mut at = 0;
    loop {
        sempre_base::checkpoint();
        at += line[at..].len() - line[at..].trim_start().len();
        if at == line.len() {
            return Ok(words);
        }
        let rest = &line[at..];
        let length = if let Some(inside) = rest.strip_prefix('"') {
            match inside.find('"') {
                Some(end) => end + 2,
                None => {
                    let place = Span::new(start + at, start + line.len());
                    return Err(Diagnostic::error(place, "this quote is never closed"));
                }
            }
        } else {
            rest.find(char::is_whitespace).unwrap_or(rest.len())
        };
        words.push(Word {
            text: &rest[..length],
            place: Span::new(start + at, start + at + length),
        });
        at += length;
    }
}

/// `name:sort`, unescaped; `_` for none.
#[derive(Clone, Debug)]
pub(super) struct Declaration<'t> {
    pub(super) name: Option<String>,
    pub(super) sort: Option<String>,
    pub(super) word: Word<'t>,
}

fn declaration<'t>(word: &Word<'t>) -> Option<Declaration<'t>> {
    let mut parts = vec![String::new()];
    let mut chars = word.text.chars();
    while let Some(c) = chars.next() {
        let part = parts.last_mut()?;
        match c {
            '\\' => part.extend(chars.next()),
            ':' => parts.push(String::new()),
            c => part.push(c),
        }
    }
    let [name, sort] = parts.as_slice() else {
        return None;
    };
    let named = |s: &String| (!s.is_empty() && s != "_").then(|| s.clone());
    Some(Declaration {
        name: named(name),
        sort: named(sort),
        word: word.clone(),
    })
}

/// The words of a line, at least one.
pub(super) type Line<'t> = Vec<Word<'t>>;

/// The sections, as words.
#[derive(Default)]
pub(super) struct File<'t> {
    pub(super) state: Option<Vec<Declaration<'t>>>,
    pub(super) edge: Option<Vec<Declaration<'t>>>,
    pub(super) init: Option<Vec<Line<'t>>>,
    pub(super) trans: Vec<Vec<Line<'t>>>,
    pub(super) maps: Vec<(Declaration<'t>, Vec<Line<'t>>)>,
    pub(super) sorts: Vec<(Word<'t>, Vec<Word<'t>>)>,
    sort_names: FxHashSet<&'t str>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) end: usize,
}

impl<'t> File<'t> {
    fn error(&mut self, place: Span, message: impl Into<String>) {
        self.complain(Diagnostic::error(place, message));
    }

    /// Notes a complaint, unless there are enough: a single line can be wrong in millions of places.
    fn complain(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    pub(super) fn read(&mut self, text: &'t str) {
        self.end = text.len();
        let mut at = 0;
        let mut open: Option<(Line<'t>, Vec<Line<'t>>)> = None;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            if self.errors.len() >= MAX_ERRORS {
                return;
            }
            let words = match words(line, start) {
                Ok(words) => words,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            let Some(first) = words.first() else { continue };
            let keyword = (first.text, words.get(1).map(|w| w.text));
            match &mut open {
                None if keyword.0 == "begin" && keyword.1.is_some() => {
                    self.check_section(&words[1]);
                    open = Some((words, Vec::new()));
                }
                None => {
                    self.error(first.place, "expected `begin` and the name of a section");
                }
                Some((head, _)) if keyword.0 == "end" && keyword.1 == Some(head[1].text) => {
                    if let Some((head, lines)) = open.take() {
                        self.section(head, lines);
                    }
                }
                Some((head, _)) if keyword.0 == "end" => {
                    let message = format!("expected `end {}`", head[1].text);
                    let place = first.place;
                    self.error(place, message);
                    return;
                }
                Some((_, lines)) => lines.push(words),
            }
        }
        if let Some((head, _)) = open {
            let message = format!("`end {}` is missing", head[1].text);
            self.error(head[0].place.to(head[1].place), message);
        }
        let end = Span::new(self.end, self.end);
        for (is_missing, name) in [
            (self.state.is_none(), "state"),
            (self.edge.is_none(), "edge"),
            (self.init.is_none(), "init"),
        ] {
            if is_missing && self.errors.is_empty() {
                self.error(end, format!("there is no `begin {name}` section"));
            }
        }
    }

    fn section(&mut self, head: Line<'t>, lines: Vec<Line<'t>>) {
        let place = head[1].place;
        let is_second = match head[1].text {
            "state" => self.state.is_some(),
            "edge" => self.edge.is_some(),
            "init" => self.init.is_some(),
            _ => false,
        };
        if is_second {
            return self.error(place, format!("a second `{}` section", head[1].text));
        }
        match head[1].text {
            "state" => self.state = self.declarations(&lines),
            "edge" => self.edge = self.declarations(&lines),
            "init" => self.init = Some(lines),
            "trans" => self.trans.push(lines),
            "map" => match head.get(2).and_then(declaration) {
                Some(label) if head.len() == 3 => self.maps.push((label, lines)),
                _ => self.error(place, "expected `begin map name:sort`"),
            },
            "sort" => match head.get(2) {
                Some(name) if head.len() == 3 => {
                    if !self.sort_names.insert(name.text) {
                        let message = format!("the sort `{}` is declared a second time", name.text);
                        self.error(name.place, message);
                    }
                    let mut values = Vec::new();
                    for line in lines {
                        if line.len() != 1 {
                            self.error(line[1].place, "expected one value on a line");
                        }
                        values.push(line[0].clone());
                    }
                    self.sorts.push((name.clone(), values));
                }
                _ => self.error(place, "expected `begin sort name`"),
            },
            _ => {}
        }
    }

    /// Complains if there is no such section.
    fn check_section(&mut self, name: &Word<'t>) {
        let known = ["state", "edge", "init", "trans", "map", "sort"];
        if known.contains(&name.text) {
            return;
        }
        let message = format!("there is no section `{}`", name.text);
        let error = Diagnostic::error(name.place, message);
        self.complain(match nearest(name.text, known) {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error,
        });
    }

    fn declarations(&mut self, lines: &[Line<'t>]) -> Option<Vec<Declaration<'t>>> {
        let mut all: Vec<Declaration<'t>> = Vec::new();
        let mut names: FxHashSet<String> = FxHashSet::default();
        for word in lines.iter().flatten() {
            sempre_base::checkpoint();
            match declaration(word) {
                Some(d) => {
                    if let Some(name) = &d.name
                        && !names.insert(name.clone())
                    {
                        self.error(word.place, format!("`{name}` is declared a second time"));
                    }
                    all.push(d);
                }
                None => self.error(word.place, "expected `name:sort`"),
            }
        }
        Some(all)
    }
}
