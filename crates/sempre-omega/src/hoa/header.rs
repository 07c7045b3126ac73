//! The header of an automaton: its lines, and the data that the body needs.

use super::expressions::{Labels, Parsed, read_condition};
use super::item::Highlights;
use super::lexer::{Cursor, Token, unescape};
use super::source::{Ending, HoaReader, MAX_ERRORS};
use crate::acceptance::Acceptance;
use crate::automaton::Alphabet;
use crate::bdd::Bdd;
use crate::labels::MAX_PROPOSITIONS;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span, nearest};

/// Most acceptance sets.
pub(crate) const MAX_SETS: u32 = 1 << 16;

/// The header, as far as it has been read.
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

impl<'t> HoaReader<'t> {
    pub(super) fn version(&mut self, h: &mut Header<'t>) {
        self.cursor.advance();
        let Token::Word(version) = self.cursor.token else {
            let d = self.cursor.expected("a version, `v1`");
            self.report(d);
            self.skip_until(|t| matches!(t, Token::Header(_)));
            return;
        };
        let (_, span) = self.cursor.advance();
        let minor = version.strip_prefix("v1");
        let later = minor.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        h.dotted = later.is_some_and(|rest| !matches!(rest, "" | ".0"));
        match later {
            Some("" | ".0" | ".1") => {}
            Some(_) => self.report(
                Diagnostic::warning(span, format!("HOA version `{version}` is not known"))
                    .with_help("it is read as `v1.1`"),
            ),
            None => self.report(
                Diagnostic::error(span, format!("HOA version `{version}` is not known"))
                    .with_help("this reader supports `HOA: v1` and `HOA: v1.1`"),
            ),
        }
    }

    pub(super) fn header(&mut self, alphabet: &mut Alphabet, h: &mut Header<'t>) -> Ending {
        loop {
            if self.has_stopped() {
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
                        self.report(d);
                        self.skip_until(|t| matches!(t, Token::Header(_)));
                    }
                }
                Token::Body => {
                    let (_, span) = self.cursor.advance();
                    if !h.seen.contains_key("Acceptance") {
                        self.report(
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
                    self.report(d);
                    if self.cursor.token == Token::End {
                        self.cursor.advance();
                    }
                    return Ending::Dropped;
                }
                _ => {
                    let d = self.cursor.expected("a header or `--BODY--`");
                    self.report(d);
                    self.skip_until(|t| matches!(t, Token::Header(_)));
                }
            }
        }
    }

    /// Reports an error if the header has occurred before.
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
                found.into_iter().for_each(|d| self.report(d));
                if first {
                    // Kept even after an error, so that marks are checked against the number of sets.
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
            self.report(match (name, nearest(&name[..name.len().min(20)], KNOWN)) {
                ("State", _) => d.with_help("`--BODY--` must stand before the first state"),
                (_, Some(k)) => d.with_help(format!("did you mean `{k}:`?")),
                _ => d.with_help(
                    "a header with a capital letter may change what the automaton means, so it cannot be ignored",
                ),
            });
            // The arguments of a header for another tool.
            self.skip_until(|t| matches!(t, Token::Header(_)));
            return Ok(());
        }
        if name.contains('.') && !h.dotted {
            self.report(
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

    /// Checks the initial states, after `States:` has been read.
    fn check_initial(&mut self, h: &Header<'t>) {
        if let Some((n, _)) = h.states {
            for &(s, span) in h.initial.iter().flatten().filter(|(s, _)| *s >= n) {
                self.report(no_such_state(s, span, n));
            }
        }
    }

    /// Resolves the aliases, after the propositions have been read.
    pub(super) fn aliases(
        &mut self,
        alphabet: &mut Alphabet,
        h: &Header<'t>,
    ) -> FxHashMap<&'t str, Bdd> {
        let mut aliases = FxHashMap::default();
        let propositions = h.propositions.as_deref().unwrap_or_default();
        for &(name, span, mut cursor) in &h.aliases {
            if self.has_stopped() {
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
                self.report(d);
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
