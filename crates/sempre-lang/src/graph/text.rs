//! A text for small graphs written by hand.
//!
//! ```text
//! # Comments run to the end of the line.
//! graph lights                 a name (may be left out)
//! propositions stop go         in the order wanted (left out: in the order of the text)
//! marks 1                      number of acceptance marks (left out: as many as are used)
//! initial red                  one or more states (left out: the first state)
//! red: stop -> green {0}       a state: what is true in it, what it leads to; the marks of
//! green: go -> red green       an edge follow its target
//! off: stop                    no successor
//! ```
//!
//! A word is anything without white space and without `:` `{` `}` `"` `#`; any text in double quotes is a
//! word too. Each state is described once, in any order; its number is its place in the text.

use super::{Graph, GraphEdge, GraphState, MAX_MARKS};
use crate::source_lines::RunStep;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span, nearest};
use std::fmt::Write;

/// Errors after which the reader gives up.
const MAX_ERRORS: usize = 50;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Quoted(&'t str),
    /// One of `:` `{` `}` or `->`.
    Sign(&'t str),
}

impl<'t> Token<'t> {
    fn word(self) -> Option<&'t str> {
        match self {
            Token::Word(w) | Token::Quoted(w) => Some(w),
            Token::Sign(_) => None,
        }
    }
}

type Tokens<'t> = Vec<(Token<'t>, Span)>;

fn tokens(line: &str, start: usize) -> Result<Tokens<'_>, Diagnostic> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        sempre_base::checkpoint();
        let rest = &line[at..];
        let (token, length) = match c {
            '#' => break,
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            ':' | '{' | '}' => (Token::Sign(&rest[..1]), 1),
            '"' => match rest[1..].find('"') {
                Some(end) => (Token::Quoted(&rest[1..=end]), end + 2),
                None => {
                    let place = Span::new(start + at, start + line.trim_end().len());
                    return Err(Diagnostic::error(place, "this quote is never closed"));
                }
            },
            _ => {
                let ends = |c: char| c.is_whitespace() || ":{}\"#".contains(c);
                let end = rest.find(ends).unwrap_or(rest.len());
                match &rest[..end] {
                    "->" => (Token::Sign("->"), 2),
                    word => (Token::Word(word), end),
                }
            }
        };
        all.push((token, Span::new(start + at, start + at + length)));
        at += length;
    }
    Ok(all)
}

/// Reads a graph.
///
/// ```
/// let graph = sempre_lang::graph::read_graph("0: p -> 1\n1: q -> 0 1 {0}").unwrap();
/// assert_eq!((graph.states.len(), graph.edges(), graph.marks), (2, 3, 1));
/// ```
pub fn read_graph(text: &str) -> Result<Graph, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match tokens(line, at) {
            Ok(tokens) if tokens.is_empty() => {}
            Ok(tokens) => reader.line(&tokens),
            Err(error) => reader.complain(error),
        }
        at += line.len();
        if reader.is_full() {
            break;
        }
    }
    reader.finish(text.len())
}

/// The line of the state that each step leaves; nothing if the text is in another format.
pub(crate) fn lines_of_steps(text: &str, steps: &[RunStep<'_>]) -> Vec<Vec<usize>> {
    let is_state = |line: &str| {
        let tokens = tokens(line, 0).unwrap_or_default();
        matches!(tokens.get(1), Some((Token::Sign(":"), _)))
    };
    let lines: Vec<usize> = match text.trim_start().starts_with("HOA:") {
        true => Vec::new(),
        false => (1..)
            .zip(text.lines())
            .filter(|(_, line)| is_state(line))
            .map(|(number, _)| number)
            .collect(),
    };
    let line = |step: &RunStep<'_>| {
        let state = step.before.first().and_then(|&s| usize::try_from(s).ok());
        state
            .and_then(|s| lines.get(s).copied())
            .into_iter()
            .collect()
    };
    steps.iter().map(line).collect()
}

#[derive(Default)]
struct Reader<'t> {
    graph: Graph,
    propositions: FxHashMap<&'t str, u32>,
    numbers: FxHashMap<&'t str, u32>,
    /// The edges of each state as they are written: target, place, marks.
    edges: Vec<Vec<(&'t str, Span, u64)>>,
    initial: Vec<(&'t str, Span)>,
    declared_marks: Option<u32>,
    /// The greatest mark that is used, and where.
    used_mark: Option<(u32, Span)>,
    errors: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    fn error(&mut self, place: Span, message: impl Into<String>) {
        self.complain(Diagnostic::error(place, message));
    }

    /// Notes a complaint, unless there are enough: a single line can be wrong in millions of places.
    fn complain(&mut self, error: Diagnostic) {
        if !self.is_full() {
            self.errors.push(error);
        }
    }

    fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    fn line(&mut self, line: &[(Token<'t>, Span)]) {
        let is_state = matches!(line.get(1), Some((Token::Sign(":"), _)));
        match line[0].0 {
            Token::Word("graph") if !is_state => match line {
                [_, (name, _)] if name.word().is_some() => {
                    self.graph.name = name.word().unwrap_or("").to_string();
                }
                [_, rest @ ..] => {
                    let words: Option<Vec<&str>> = rest.iter().map(|(t, _)| t.word()).collect();
                    self.graph.name = words.unwrap_or_default().join(" ");
                }
                [] => {}
            },
            Token::Word("propositions") if !is_state => {
                for &(token, place) in &line[1..] {
                    match token.word() {
                        Some(word) => {
                            self.proposition(word);
                        }
                        None => self.error(place, "expected the name of a proposition"),
                    }
                }
            }
            Token::Word("initial") if !is_state => {
                for &(token, place) in &line[1..] {
                    match token.word() {
                        Some(word) => self.initial.push((word, place)),
                        None => self.error(place, "expected a state"),
                    }
                }
            }
            Token::Word("marks") if !is_state => {
                let number = line.get(1).and_then(|(t, _)| t.word()?.parse().ok());
                match number.filter(|&n| n <= MAX_MARKS && line.len() == 2) {
                    Some(number) => self.declared_marks = Some(number),
                    None => {
                        let message = format!("expected a number of marks up to {MAX_MARKS}");
                        let place = line.get(1).unwrap_or(&line[0]).1;
                        self.error(place, message);
                    }
                }
            }
            token => match token.word() {
                Some(name) if is_state => self.state(name, line),
                Some(_) => self.complain(
                    Diagnostic::error(
                        line[0].1,
                        "expected a state with a colon, or `graph`, `propositions`, `marks` or `initial`",
                    )
                    .with_help("a state is `name: propositions -> successors`"),
                ),
                None => self.error(line[0].1, "expected the name of a state"),
            },
        }
    }

    fn proposition(&mut self, word: &'t str) -> u32 {
        let next = self.propositions.len() as u32;
        *self.propositions.entry(word).or_insert_with(|| {
            self.graph.propositions.push(word.to_string());
            next
        })
    }

    fn state(&mut self, name: &'t str, line: &[(Token<'t>, Span)]) {
        let number = self.graph.states.len() as u32;
        if self.numbers.insert(name, number).is_some() {
            return self.error(line[0].1, format!("the state `{name}` is described twice"));
        }
        let mut state = GraphState {
            name: name.to_string(),
            ..GraphState::default()
        };
        let mut edges: Vec<(&'t str, Span, u64)> = Vec::new();
        let mut rest = line[2..].iter();
        let mut behind_arrow = false;
        while let Some(&(token, place)) = rest.next() {
            match (token, behind_arrow) {
                (Token::Sign("->"), false) => behind_arrow = true,
                (Token::Word(word) | Token::Quoted(word), false) => {
                    let p = self.proposition(word);
                    state.propositions.push(p);
                }
                (Token::Word(word) | Token::Quoted(word), true) => edges.push((word, place, 0)),
                (Token::Sign("{"), true) if !edges.is_empty() => {
                    let marks = self.marks(place, &mut rest);
                    if let Some(last) = edges.last_mut() {
                        last.2 |= marks;
                    }
                }
                (Token::Sign(sign), _) => {
                    let expected = match behind_arrow {
                        true => "a state",
                        false => "a proposition or `->`",
                    };
                    self.error(place, format!("expected {expected}, found `{sign}`"));
                    break;
                }
            }
        }
        state.propositions.sort_unstable();
        state.propositions.dedup();
        self.graph.states.push(state);
        self.edges.push(edges);
    }

    /// Reads marks up to the closing brace.
    fn marks<'l>(
        &mut self,
        open: Span,
        rest: &mut impl Iterator<Item = &'l (Token<'t>, Span)>,
    ) -> u64
    where
        't: 'l,
    {
        let mut marks = 0;
        for &(token, place) in rest {
            if token == Token::Sign("}") {
                return marks;
            }
            match token.word().and_then(|w| w.parse::<u32>().ok()) {
                Some(mark) if mark < MAX_MARKS => {
                    marks |= 1 << mark;
                    if self.used_mark.is_none_or(|(m, _)| m < mark) {
                        self.used_mark = Some((mark, place));
                    }
                }
                _ => {
                    let message = format!("expected a mark below {MAX_MARKS}, or `}}`");
                    self.error(place, message);
                }
            }
        }
        self.error(open, "this brace is never closed");
        marks
    }

    fn find(&mut self, name: &str, place: Span) -> Option<u32> {
        sempre_base::checkpoint();
        let found = self.numbers.get(name).copied();
        if found.is_none() && !self.is_full() {
            let error = Diagnostic::error(place, format!("there is no state `{name}`"));
            let mut known: Vec<&str> = self.numbers.keys().copied().collect();
            known.sort_unstable();
            self.complain(match nearest(name, known) {
                Some(near) => error.with_help(format!("did you mean `{near}`?")),
                None => error.with_help(format!("describe it in a line `{name}: …`")),
            });
        }
        found
    }

    fn finish(mut self, end: usize) -> Result<Graph, Vec<Diagnostic>> {
        if self.graph.states.is_empty() && self.errors.is_empty() {
            self.error(Span::new(end, end), "this graph has no state");
        }
        for (state, edges) in std::mem::take(&mut self.edges).into_iter().enumerate() {
            if self.is_full() {
                break;
            }
            let mut found: Vec<GraphEdge> = edges
                .into_iter()
                .filter_map(|(name, place, marks)| {
                    let to = self.find(name, place)?;
                    Some(GraphEdge { to, marks })
                })
                .collect();
            found.sort_unstable();
            found.dedup();
            self.graph.states[state].edges = found;
        }
        let mut initial: FxHashSet<u32> = FxHashSet::default();
        for (name, place) in std::mem::take(&mut self.initial) {
            if let Some(state) = self.find(name, place)
                && initial.insert(state)
            {
                self.graph.initial.push(state);
            }
        }
        if self.graph.initial.is_empty() {
            self.graph.initial.push(0);
        }
        let used = self.used_mark.map_or(0, |(mark, _)| mark + 1);
        self.graph.marks = self.declared_marks.unwrap_or(used);
        if let Some((mark, place)) = self.used_mark
            && mark >= self.graph.marks
        {
            let message = format!("there are only {} marks", self.graph.marks);
            self.error(place, message);
        }
        match self.errors.is_empty() {
            true => Ok(self.graph),
            false => {
                self.errors.sort_by_key(|e| e.span);
                Err(self.errors)
            }
        }
    }
}

/// The graph as such a text. Reading it gives the same graph, if its names have no double quotes and no
/// line breaks.
pub fn write_graph(graph: &Graph) -> String {
    let mut out = String::new();
    if !graph.name.is_empty() {
        let _ = writeln!(out, "graph {}", quoted(&graph.name));
    }
    if !graph.propositions.is_empty() {
        let names: Vec<String> = graph.propositions.iter().map(|p| quoted(p)).collect();
        let _ = writeln!(out, "propositions {}", names.join(" "));
    }
    if graph.marks > 0 {
        let _ = writeln!(out, "marks {}", graph.marks);
    }
    out.push_str("initial");
    for &state in &graph.initial {
        let _ = write!(out, " {}", quoted(&graph.states[state as usize].name));
    }
    out.push('\n');
    for state in &graph.states {
        let _ = write!(out, "{}:", quoted(&state.name));
        for &p in &state.propositions {
            let _ = write!(out, " {}", quoted(&graph.propositions[p as usize]));
        }
        if !state.edges.is_empty() {
            out.push_str(" ->");
        }
        for edge in &state.edges {
            let _ = write!(out, " {}", quoted(&graph.states[edge.to as usize].name));
            let marks: Vec<String> = (0..MAX_MARKS)
                .filter(|m| edge.marks >> m & 1 != 0)
                .map(|m| m.to_string())
                .collect();
            if !marks.is_empty() {
                let _ = write!(out, " {{{}}}", marks.join(" "));
            }
        }
        out.push('\n');
    }
    out
}

fn quoted(word: &str) -> String {
    let special = |c: char| c.is_whitespace() || ":{}\"#".contains(c);
    match word.is_empty() || word == "->" || word.contains(special) {
        true => format!("\"{word}\""),
        false => word.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::{Random, Source};

    #[test]
    fn everything_can_be_left_out() {
        let graph = read_graph("# a\n\n  initial: -> graph\n\"graph\": p #x\n").unwrap();
        assert_eq!(graph.states.len(), 2);
        assert_eq!(graph.initial, [0]);
        assert_eq!(graph.states[0].edges, [GraphEdge { to: 1, marks: 0 }]);
        assert_eq!(graph.states[1].propositions, [0]);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let check = |text: &str, expected: &[&str]| {
            let errors = read_graph(text).unwrap_err();
            let shown: Vec<String> = errors
                .iter()
                .map(|e| {
                    let (line, column) = Source::new("t", text).line_column(e.span.start);
                    format!("{line}:{column}: {}", e.message)
                })
                .collect();
            assert_eq!(shown, expected, "{text}");
        };
        check("", &["1:1: this graph has no state"]);
        check(
            "red: -> gren\ngreen: -> blue",
            &[
                "1:9: there is no state `gren`",
                "2:11: there is no state `blue`",
            ],
        );
        check("a:\na:", &["2:1: the state `a` is described twice"]);
        check(
            "a: { -> a",
            &["1:4: expected a proposition or `->`, found `{`"],
        );
        check("a: -> a {0", &["1:9: this brace is never closed"]);
        check("a: -> a {x}", &["1:10: expected a mark below 64, or `}`"]);
        check("marks 1\na: -> a {1}", &["2:10: there are only 1 marks"]);
        check(
            "marks 65\na:",
            &["1:7: expected a number of marks up to 64"],
        );
        check("a: \"b", &["1:4: this quote is never closed"]);
        check("initial b\na:", &["1:9: there is no state `b`"]);
        check("{", &["1:1: expected the name of a state"]);
        check(
            "a b",
            &[
                "1:1: expected a state with a colon, or `graph`, `propositions`, `marks` or `initial`",
            ],
        );
    }

    #[test]
    fn complaints_about_one_line_are_few() {
        let many = |start: &str, word: &str| format!("{start}{}", word.repeat(1000));
        for text in [
            many("a: -> a {", "{"),
            many("a: -> ", "b "),
            many("a:\ninitial ", "b "),
            many("propositions ", "{ "),
            many("initial ", "} "),
        ] {
            assert_eq!(read_graph(&text).unwrap_err().len(), MAX_ERRORS, "{text}");
        }
    }

    #[test]
    fn no_text_makes_it_panic() {
        let mut random = Random::new(4);
        let pieces = [
            "a", "b:", "->", "{", "}", "0", "\"", "\n", " ", "#", "initial ", "marks ", "é",
        ];
        let mut readable = 0;
        for _ in 0..3000 {
            let n = random.below(14);
            let text: String = (0..n).map(|_| *random.pick(&pieces)).collect();
            match read_graph(&text) {
                Ok(graph) => {
                    readable += 1;
                    assert_eq!(read_graph(&write_graph(&graph)), Ok(graph), "{text}");
                }
                Err(errors) => assert!(!errors.is_empty()),
            }
        }
        assert!(readable > 20);
    }
}
