//! The reader of HOA streams.
//!
//! Automata are read one after the other. An automaton with an error is reported, not returned, and the
//! reader goes on behind it; inside an automaton it goes on with the next header, the next edge or the
//! next state, so that one look shows many mistakes. After [`MAX_ERRORS`] it gives up.
//!
//! How the freedoms of the format are settled:
//!
//! * Marks of a state become marks of all edges that leave it.
//! * A negated set, `Inf(!0)`, becomes a complemented set: in place if the set occurs only negated, else
//!   as a new set behind the others.
//! * An edge labelled false is dropped. A state that is used but not described has no edges, and a
//!   warning is given.
//! * `Alias:` lines may stand before the `AP:` line; they are understood when the header is complete.
//! * Alternating automata are read, and become nondeterministic ones for the same language
//!   ([`miyano_hayashi`](crate::miyano_hayashi)), where their acceptance allows it.
//! * Version 1.1 has dots in names and `!` before properties. In a text of version 1 a header with a dot is left out
//!   with a warning; the other freedoms are granted there, too.
//! * Lower-case headers that are not known are kept ([`Automaton::extra_headers`]); upper-case ones may
//!   change what the automaton means, and are errors, as the standard demands.
//!
//! Cost: linear in the text, but for the diagrams of labels (which have their own limit). Counts that
//! the header declares are never believed: memory is taken for what the body describes. That is why
//! state numbers may not be far beyond the number of bytes of an automaton, and why declared states
//! behind all used ones are forgotten if they are very many.

use super::body::Body;
use super::expressions::{Labels, Parsed, read_condition};
use super::lexer::{Cursor, Token, unescape};
use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::Bdd;
use crate::labels::{MAX_PROPOSITIONS, byte_order_mark};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Severity, Span, nearest};

/// Errors after which the reader gives up, and warnings after which it gives no more.
pub const MAX_ERRORS: usize = 50;
/// Most acceptance sets.
pub const MAX_SETS: u32 = 1 << 16;

/// An automaton with what its text says about it.
#[derive(Clone, Debug)]
pub struct HoaItem {
    /// The automaton.
    pub automaton: Automaton,
    /// Was it an alternating automaton, and is this a nondeterministic one for the same language?
    pub alternating: bool,
    /// The words of the `properties:` lines, in order, negated ones with their `!`. They are promises, some of
    /// them checked. Of an alternating automaton those about its shape are not true of this one.
    pub properties: Vec<String>,
    /// States and edges that the text highlights.
    pub highlights: Highlights,
    /// The `tool:` line: name and version.
    pub tool: Option<(String, Option<String>)>,
    /// From `HOA:` to `--END--`.
    pub span: Span,
}

/// States and edges to be shown in colour: the headers `spot.highlight.states` and `spot.highlight.edges`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlights {
    /// Numbers of states, each with the number of a colour.
    pub states: Vec<(u32, u32)>,
    /// Numbers of edges, from 1 on in the order of the text, each with the number of a colour.
    pub edges: Vec<(u32, u32)>,
}

impl Highlights {
    /// Is nothing highlighted?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.edges.is_empty()
    }
}

impl HoaItem {
    /// Does the header promise this property?
    pub fn promises(&self, property: &str) -> bool {
        self.properties.iter().any(|p| p == property)
    }
}

/// All automata of a text, and all complaints about it, in the order of the text.
///
/// Each automaton returned was read without an error; warnings may concern any.
pub fn read_hoa(alphabet: &mut Alphabet, text: &str) -> (Vec<HoaItem>, Vec<Diagnostic>) {
    let mut reader = HoaReader::new(text);
    let mut items = Vec::new();
    while let Some(item) = reader.next_automaton(alphabet) {
        items.push(item);
    }
    (items, reader.diagnostics)
}

/// Reads the automata of a text one by one, for streams that need not be in memory as a whole.
pub struct HoaReader<'t> {
    pub(super) text: &'t str,
    pub(super) cursor: Cursor<'t>,
    /// The complaints so far, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
    pub(super) errors: usize,
    warnings: usize,
    pub(super) mark_words: usize,
}

/// What the header says, as far as it has been read.
#[derive(Default)]
pub(super) struct Header<'t> {
    pub(super) start: usize,
    pub(super) name: Option<String>,
    pub(super) tool: Option<(String, Option<String>)>,
    pub(super) states: Option<(u32, Span)>,
    /// The initial conjunctions of states.
    pub(super) initial: Vec<Vec<(u32, Span)>>,
    pub(super) propositions: Option<Vec<u32>>,
    pub(super) aliases: Vec<(&'t str, Span, Cursor<'t>)>,
    pub(super) acceptance: Option<(u32, Acceptance)>,
    pub(super) acc_name: Option<(Vec<&'t str>, Span)>,
    /// Words, their signs, and where they stand.
    pub(super) properties: Vec<(&'t str, bool, Span)>,
    pub(super) highlights: Highlights,
    pub(super) highlight_span: Option<Span>,
    /// Version 1.1, not 1.
    pub(super) dotted: bool,
    pub(super) extra: Vec<(String, String)>,
    pub(super) seen: FxHashMap<&'t str, Span>,
}

/// How the reading of one automaton ended.
pub(super) enum Ending {
    Complete,
    /// `--ABORT--`, the end of the text, or the next `HOA:`; it is no automaton.
    Dropped,
}

impl<'t> HoaReader<'t> {
    /// A reader at the start of the text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            cursor: Cursor::new(text, byte_order_mark(text)),
            diagnostics: Vec::new(),
            errors: 0,
            warnings: 0,
            mark_words: 0,
        }
    }

    /// Has an error been found so far?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    pub(super) fn say(&mut self, d: Diagnostic) {
        match d.severity {
            Severity::Error => {
                self.errors += 1;
                match self.errors {
                    n if n <= MAX_ERRORS => self.diagnostics.push(d),
                    n if n == MAX_ERRORS + 1 => self.diagnostics.push(Diagnostic::error(
                        d.span,
                        "too many errors, the rest of the text is not read",
                    )),
                    _ => {}
                }
            }
            Severity::Warning => {
                self.warnings += 1;
                if self.warnings <= MAX_ERRORS {
                    self.diagnostics.push(d);
                }
            }
        }
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.say(Diagnostic::error(span, message));
    }

    pub(super) fn gave_up(&self) -> bool {
        self.errors > MAX_ERRORS
    }

    /// The next automaton that can be read; `None` at the end of the text.
    pub fn next_automaton(&mut self, alphabet: &mut Alphabet) -> Option<HoaItem> {
        while !self.gave_up() {
            match self.cursor.token {
                Token::Eof => return None,
                Token::Header("HOA") => {
                    let before = (self.errors, self.diagnostics.len());
                    let item = self.automaton(alphabet, before.0);
                    // Some complaints are found late; people read from top to bottom.
                    self.diagnostics[before.1..].sort_by_key(|d| d.span);
                    if item.is_some() {
                        return item;
                    }
                }
                _ => {
                    let mut d = self.cursor.expected("`HOA:`");
                    if let Token::Header(h) = self.cursor.token
                        && h.eq_ignore_ascii_case("HOA")
                    {
                        d = d.with_help("the first header is written `HOA: v1`");
                    }
                    self.say(d);
                    self.skip_to_automaton();
                }
            }
        }
        None
    }

    /// Goes to the next line that starts an automaton, or to the end of the text. Noise may have quotes
    /// and comments that never end, which is why this does not look at tokens.
    fn skip_to_automaton(&mut self) {
        let from = self.cursor.span.start;
        let at = match self.text[from..].find("\nHOA:") {
            Some(i) => from + i,
            None => self.text.len(),
        };
        self.cursor = Cursor::new(self.text, at);
    }

    /// Skips tokens until one for which `stop` says so, or one at which every search ends.
    pub(super) fn skip_until(&mut self, stop: impl Fn(Token<'t>) -> bool) {
        loop {
            let token = self.cursor.token;
            if stop(token)
                || matches!(token, Token::Eof | Token::End | Token::Abort | Token::Body)
                || matches!(token, Token::Header("HOA"))
            {
                return;
            }
            self.cursor.advance();
        }
    }

    fn automaton(&mut self, alphabet: &mut Alphabet, errors_before: usize) -> Option<HoaItem> {
        let mut header = Header {
            start: self.cursor.span.start,
            ..Header::default()
        };
        self.version(&mut header);
        if let Ending::Dropped = self.header(alphabet, &mut header) {
            return None;
        }
        let aliases = self.aliases(alphabet, &header);
        let mut body = Body::default();
        if let Ending::Dropped = self.body(alphabet, &header, &aliases, &mut body) {
            return None;
        }
        let span = Span::new(header.start, self.cursor.previous_end);
        self.assemble(alphabet, header, body, span, errors_before)
    }

    fn version(&mut self, h: &mut Header<'t>) {
        self.cursor.advance();
        let Token::Word(version) = self.cursor.token else {
            let d = self.cursor.expected("a version, `v1`");
            self.say(d);
            self.skip_until(|t| matches!(t, Token::Header(_)));
            return;
        };
        let (_, span) = self.cursor.advance();
        let minor = version.strip_prefix("v1");
        let later = minor.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        h.dotted = later.is_some_and(|rest| !matches!(rest, "" | ".0"));
        match later {
            Some("" | ".0" | ".1") => {}
            Some(_) => self.say(
                Diagnostic::warning(span, format!("HOA version `{version}` is not known"))
                    .with_help("it is read as `v1.1`"),
            ),
            None => self.say(
                Diagnostic::error(span, format!("HOA version `{version}` is not known"))
                    .with_help("this reader knows `HOA: v1` and `HOA: v1.1`"),
            ),
        }
    }

    // --- header -----------------------------------------------------------------------------

    fn header(&mut self, alphabet: &mut Alphabet, h: &mut Header<'t>) -> Ending {
        loop {
            if self.gave_up() {
                return Ending::Dropped;
            }
            match self.cursor.token {
                Token::Header("HOA") => {
                    self.error(
                        self.cursor.span,
                        "a new automaton starts in the header of another one",
                    );
                    return Ending::Dropped;
                }
                Token::Header(name) => {
                    let (_, span) = self.cursor.advance();
                    if let Err(d) = self.item(alphabet, h, name, span) {
                        self.say(d);
                        self.skip_until(|t| matches!(t, Token::Header(_)));
                    }
                }
                Token::Body => {
                    let (_, span) = self.cursor.advance();
                    if !h.seen.contains_key("Acceptance") {
                        self.say(
                            Diagnostic::error(span, "the header has no `Acceptance:` line")
                                .with_help(
                                    "every automaton needs one; for Büchi: `Acceptance: 1 Inf(0)`",
                                ),
                        );
                    }
                    self.check_initial(h);
                    return Ending::Complete;
                }
                Token::Abort => return self.abort(),
                Token::Eof | Token::End => {
                    let d = self.cursor.expected("a header or `--BODY--`");
                    self.say(d);
                    if self.cursor.token == Token::End {
                        self.cursor.advance();
                    }
                    return Ending::Dropped;
                }
                _ => {
                    let d = self.cursor.expected("a header or `--BODY--`");
                    self.say(d);
                    self.skip_until(|t| matches!(t, Token::Header(_)));
                }
            }
        }
    }

    pub(super) fn abort(&mut self) -> Ending {
        let (_, span) = self.cursor.advance();
        self.say(Diagnostic::warning(
            span,
            "the producer aborted this automaton; it is left out",
        ));
        Ending::Dropped
    }

    /// Complains if the header was there before.
    fn once(&mut self, h: &mut Header<'t>, name: &'t str, span: Span) -> bool {
        match h.seen.insert(name, span) {
            None => true,
            Some(_) => {
                self.error(span, format!("a second `{name}:` line"));
                false
            }
        }
    }

    fn item(
        &mut self,
        alphabet: &mut Alphabet,
        h: &mut Header<'t>,
        name: &'t str,
        span: Span,
    ) -> Parsed<()> {
        match name {
            "States" => {
                let first = self.once(h, name, span);
                let n = self.cursor.number("the number of states")?;
                if first {
                    h.states = Some(n);
                }
            }
            "Start" => {
                let mut conjunction = vec![self.cursor.number("an initial state")?];
                while self.cursor.eat('&') {
                    conjunction.push(self.cursor.number("a state")?);
                }
                h.initial.push(conjunction);
            }
            "AP" => {
                let first = self.once(h, name, span);
                let propositions = self.propositions(alphabet)?;
                if first {
                    h.propositions = Some(propositions);
                }
            }
            "Alias" => {
                let Token::Alias(alias) = self.cursor.token else {
                    return Err(self.cursor.expected("an alias, `@name`"));
                };
                let (_, place) = self.cursor.advance();
                h.aliases.push((alias, place, self.cursor));
                self.skip_until(|t| matches!(t, Token::Header(_)));
            }
            "Acceptance" => {
                let first = self.once(h, name, span);
                let (sets, place) = self.cursor.number("the number of acceptance sets")?;
                if sets > MAX_SETS {
                    return Err(Diagnostic::error(place, "too many acceptance sets")
                        .with_help(format!("at most {MAX_SETS} are supported")));
                }
                let mut found = Vec::new();
                let condition = read_condition(&mut self.cursor, sets, &mut |d| {
                    if found.len() <= MAX_ERRORS {
                        found.push(d);
                    }
                });
                found.into_iter().for_each(|d| self.say(d));
                if first {
                    // Kept even after an error, so that marks are checked against the number.
                    let condition = condition.clone().unwrap_or(Acceptance::False);
                    h.acceptance = Some((sets, condition));
                }
                condition?;
            }
            "acc-name" => {
                let first = self.once(h, name, span);
                let Token::Word(_) = self.cursor.token else {
                    return Err(self.cursor.expected("the name of an acceptance condition"));
                };
                let mut words = Vec::new();
                let start = self.cursor.span;
                while let Token::Word(_) | Token::Number(_) = self.cursor.token {
                    let (_, s) = self.cursor.advance();
                    words.push(&self.text[s.start..s.end]);
                }
                if first {
                    h.acc_name = Some((words, Span::new(start.start, self.cursor.previous_end)));
                }
            }
            "tool" => {
                let first = self.once(h, name, span);
                let tool = self.string("the name of a tool, in quotes")?;
                let version = match self.cursor.token {
                    Token::Text(_) => Some(self.string("a version")?),
                    _ => None,
                };
                if first {
                    h.tool = Some((tool, version));
                }
            }
            "name" => {
                let first = self.once(h, name, span);
                let text = self.string("a name, in quotes")?;
                if first {
                    h.name = Some(text);
                }
            }
            "properties" => loop {
                let start = self.cursor.span;
                let negated = self.cursor.eat('!');
                match self.cursor.token {
                    Token::Word(word) => {
                        let (_, place) = self.cursor.advance();
                        h.properties.push((word, !negated, start.to(place)));
                    }
                    _ if negated => return Err(self.cursor.expected("a property")),
                    _ => break,
                }
            },
            "spot.highlight.states" | "spot.highlight.edges" if h.dotted => {
                h.highlight_span = Some(span);
                while let Token::Number(_) = self.cursor.token {
                    let (number, _) = self.cursor.number("a number")?;
                    let (colour, _) = self.cursor.number("the number of a colour")?;
                    match name {
                        "spot.highlight.states" => h.highlights.states.push((number, colour)),
                        _ => h.highlights.edges.push((number, colour)),
                    }
                }
            }
            _ => return self.unknown_header(h, name, span),
        }
        match self.cursor.token {
            Token::Header(_) | Token::Body | Token::End | Token::Abort | Token::Eof => Ok(()),
            _ => Err(self
                .cursor
                .expected(&format!("the end of the `{name}:` line"))),
        }
    }

    fn unknown_header(&mut self, h: &mut Header<'t>, name: &'t str, span: Span) -> Parsed<()> {
        const KNOWN: [&str; 9] = [
            "States",
            "Start",
            "AP",
            "Alias",
            "Acceptance",
            "acc-name",
            "tool",
            "name",
            "properties",
        ];
        let start = self.cursor.span.start;
        while let Token::Word(_) | Token::Number(_) | Token::Text(_) = self.cursor.token {
            self.cursor.advance();
        }
        let end = self.cursor.previous_end.max(start);
        if name.starts_with(|c: char| c.is_ascii_uppercase()) {
            let d = Diagnostic::error(span, format!("the header `{name}:` is not known"));
            self.say(match (name, nearest(&name[..name.len().min(20)], KNOWN)) {
                ("State", _) => d.with_help("`--BODY--` must stand before the first state"),
                (_, Some(k)) => d.with_help(format!("did you mean `{k}:`?")),
                _ => d.with_help(
                    "a header with a capital letter may change what the automaton means, so it cannot be ignored",
                ),
            });
            // What stands behind it was written for another reader.
            self.skip_until(|t| matches!(t, Token::Header(_)));
            return Ok(());
        }
        if name.contains('.') && !h.dotted {
            self.say(
                Diagnostic::warning(
                    span,
                    format!(
                        "the header `{name}:` is left out: names have dots from `HOA: v1.1` on"
                    ),
                )
                .with_help("write `HOA: v1.1` in front"),
            );
        } else {
            let value = self.text[start..end].trim().to_string();
            h.extra.push((name.to_string(), value));
        }
        match self.cursor.token {
            Token::Header(_) | Token::Body | Token::End | Token::Abort | Token::Eof => Ok(()),
            _ => Err(self
                .cursor
                .expected("a word, a number, a string or the next header")),
        }
    }

    fn string(&mut self, what: &str) -> Parsed<String> {
        match self.cursor.token {
            Token::Text(raw) => {
                self.cursor.advance();
                Ok(unescape(raw).into_owned())
            }
            _ => Err(self.cursor.expected(what)),
        }
    }

    fn propositions(&mut self, alphabet: &mut Alphabet) -> Parsed<Vec<u32>> {
        let (count, place) = self.cursor.number("the number of propositions")?;
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        while let Token::Text(raw) = self.cursor.token {
            let (_, span) = self.cursor.advance();
            if out.len() == MAX_PROPOSITIONS {
                return Err(Diagnostic::error(span, "too many propositions")
                    .with_help(format!("at most {MAX_PROPOSITIONS} are supported")));
            }
            let name = unescape(raw);
            let var = alphabet.declare(&name);
            if !seen.insert(var) {
                self.error(span, format!("the proposition `{name}` is declared twice"));
            }
            out.push(var);
        }
        if out.len() as u64 != u64::from(count) {
            let named = out.len();
            self.error(
                place,
                format!("{count} propositions are announced, but {named} are named"),
            );
        }
        Ok(out)
    }

    /// The initial states, checked when `States:` is known wherever it stood.
    fn check_initial(&mut self, h: &Header<'t>) {
        if let Some((n, _)) = h.states {
            for &(s, span) in h.initial.iter().flatten().filter(|(s, _)| *s >= n) {
                self.say(no_such_state(s, span, n));
            }
        }
    }

    /// The aliases, understood when the propositions are known.
    fn aliases(&mut self, alphabet: &mut Alphabet, h: &Header<'t>) -> FxHashMap<&'t str, Bdd> {
        let mut aliases = FxHashMap::default();
        let propositions = h.propositions.as_deref().unwrap_or_default();
        for &(name, span, mut cursor) in &h.aliases {
            if self.gave_up() {
                break;
            }
            let label = Labels {
                bdds: &mut alphabet.bdds,
                propositions,
                aliases: &aliases,
            }
            .read(&mut cursor)
            .and_then(|label| match cursor.token {
                Token::Header(_) | Token::Body | Token::Abort | Token::Eof | Token::End => {
                    Ok(label)
                }
                _ => Err(cursor.expected("`&`, `|` or the next header")),
            });
            let label = label.unwrap_or_else(|d| {
                self.say(d);
                Bdd::TRUE
            });
            if aliases.insert(name, label).is_some() {
                self.error(span, format!("the alias `@{name}` is defined twice"));
            }
        }
        aliases
    }
}

pub(super) fn no_such_state(s: u32, span: Span, states: u32) -> Diagnostic {
    Diagnostic::error(span, format!("there is no state {s}")).with_help(match states {
        0 => "the header declares no states".to_string(),
        1 => "the header declares one state, number 0".to_string(),
        n => format!("the header declares {n} states, 0 to {}", n - 1),
    })
}
