//! The format of lbtt (Tauriainen, Heljanko, "Testing LTL formula translation into Büchi automata", STTT 2002),
//! reader and writer: generalised Büchi automata with acceptance on states or on edges.
//!
//! ```text
//! 2 1t            states, acceptance sets; `t`: on edges, `s` or nothing: on states, `st`: on both
//! 0 1             state, is it initial?
//! 1 -1 p1         destination, acceptance sets up to -1, guard in prefix form
//! 0 -1 & p0 ! p1
//! -1              end of the state
//! ```
//!
//! Numbers of states and sets are arbitrary names (lbt writes such); they are numbered by order of appearance unless
//! they are the numbers from 0 on. The operators of guards are `t f ! & | ^ i e`; a proposition is `p` and digits, or
//! any word, or a string in double quotes.
//!
//! The format has no punctuation for error recovery: the reader stops at the first error. Declared counts are not
//! trusted beyond the content of the text. Cost: linear, but for the diagrams.

use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton, Edge};
use crate::bdd::{Bdd, Bdds};
use crate::hoa::header::MAX_SETS;
use crate::labels::{LabelMaker, MAX_PROPOSITIONS, byte_order_mark};
use crate::mark::Mark;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span};
use std::fmt;
use std::fmt::Write;

/// Most 64-bit words that the marks of one text may need beyond one for each edge.
const MAX_MARK_WORDS: usize = 1 << 27;

type Parsed<T> = Result<T, Diagnostic>;

/// All automata of a text up to the first mistake, and that mistake.
pub fn read_lbtt(alphabet: &mut Alphabet, text: &str) -> (Vec<Automaton>, Vec<Diagnostic>) {
    let mut reader = Reader {
        text,
        at: byte_order_mark(text),
        alphabet,
        sets: 0,
        mark_words: 0,
    };
    let mut automata = Vec::new();
    while !reader.peek().1.is_empty() {
        match reader.automaton() {
            Ok(a) => automata.push(a),
            Err(d) => return (automata, vec![d]),
        }
    }
    (automata, Vec::new())
}

struct Reader<'a, 't> {
    text: &'t str,
    at: usize,
    alphabet: &'a mut Alphabet,
    /// Sets declared so far, by all automata.
    sets: usize,
    mark_words: usize,
}

/// An edge whose numbers are still those of the text.
struct RawEdge {
    to: u32,
    place: Span,
    label: Bdd,
    sets: Vec<u32>,
}

struct RawState {
    id: u32,
    initial: bool,
    /// Sets that all its edges are in.
    sets: Vec<u32>,
    edges: Vec<RawEdge>,
}

impl<'t> Reader<'_, 't> {
    /// The next token, not taken: an operator, a string with its quotes, or a word. Empty at the end.
    fn peek(&mut self) -> (Span, &'t str) {
        sempre_base::checkpoint();
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let start = self.at;
        let mut end = start;
        match bytes.get(start) {
            None => {}
            Some(b'!' | b'&' | b'|' | b'^') => end += 1,
            Some(b'"') => {
                end += 1;
                while let Some(&b) = bytes.get(end) {
                    end += if b == b'\\' { 2 } else { 1 };
                    if b == b'"' {
                        break;
                    }
                }
                end = end.min(bytes.len());
                while !self.text.is_char_boundary(end) {
                    end += 1;
                }
            }
            Some(_) => {
                let stops = |b: u8| b.is_ascii_whitespace() || b"!&|^\"".contains(&b);
                while bytes.get(end).is_some_and(|&b| !stops(b)) {
                    end += 1;
                }
            }
        }
        (Span::new(start, end), &self.text[start..end])
    }

    fn take(&mut self) -> (Span, &'t str) {
        let token = self.peek();
        self.at = token.0.end;
        token
    }

    fn expected(&mut self, what: &str) -> Diagnostic {
        let (span, token) = self.peek();
        let found = match token.char_indices().nth(40) {
            _ if token.is_empty() => "the end of the text".to_string(),
            Some((cut, _)) => format!("`{}…`", token[..cut].escape_debug()),
            None => format!("`{}`", token.escape_debug()),
        };
        Diagnostic::error(span, format!("expected {what}, found {found}"))
    }

    fn number(&mut self, what: &str) -> Parsed<(u32, Span)> {
        let (span, token) = self.peek();
        match token.parse::<u32>() {
            Ok(n) => {
                self.take();
                Ok((n, span))
            }
            Err(_) if !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()) => {
                Err(Diagnostic::error(span, format!("{what} is too large")))
            }
            Err(_) => Err(self.expected(what)),
        }
    }

    /// Takes `-1` if it is ahead.
    fn eat_end(&mut self) -> bool {
        let found = self.peek().1 == "-1";
        if found {
            self.take();
        }
        found
    }

    fn automaton(&mut self) -> Parsed<Automaton> {
        let (states, _) = self.number("the number of states")?;
        let (span, token) = self.take();
        let digits = token.trim_end_matches(['s', 't']);
        let place = &token[digits.len()..];
        let (on_states, on_edges) = match place {
            "" | "s" => (true, false),
            "t" => (false, true),
            "st" | "ts" => (true, true),
            _ => (false, false),
        };
        let sets = match digits.parse::<u32>() {
            Ok(n) if on_states || on_edges => n,
            _ => {
                self.at = span.start;
                return Err(self.expected("the number of acceptance sets (and `s` or `t`)"));
            }
        };
        self.sets += sets as usize;
        // A condition is as large as its count, which takes a few bytes to write in a stream of many.
        if sets > MAX_SETS || self.sets > self.text.len() + MAX_SETS as usize {
            return Err(Diagnostic::error(span, "too many acceptance sets")
                .with_help(format!("at most {MAX_SETS} are supported")));
        }
        let mut raw: Vec<RawState> = Vec::new();
        let mut set_ids = SetIds::new(sets);
        let mut propositions = Propositions::default();
        let mut ids: FxHashMap<u32, u32> = FxHashMap::default();
        for i in 0..states {
            let (id, place) = self.number("the number of a state")?;
            if ids.insert(id, i).is_some() {
                return Err(Diagnostic::error(
                    place,
                    format!("state {id} is described twice"),
                ));
            }
            let initial = match self.peek().1 {
                "0" => false,
                "1" => true,
                _ => return Err(self.expected("`1` for an initial state or `0` for another")),
            };
            self.take();
            let own = if on_states {
                self.sets(&mut set_ids)?
            } else {
                Vec::new()
            };
            let mut edges = Vec::new();
            while !self.eat_end() {
                let (to, place) = self.number("the destination of an edge, or -1")?;
                let sets = if on_edges {
                    self.sets(&mut set_ids)?
                } else {
                    Vec::new()
                };
                let label = self.guard(&mut propositions)?;
                edges.push(RawEdge {
                    to,
                    place,
                    label,
                    sets,
                });
            }
            raw.push(RawState {
                id,
                initial,
                sets: own,
                edges,
            });
        }
        self.assemble(raw, ids, &set_ids, propositions.list)
    }

    fn assemble(
        &mut self,
        raw: Vec<RawState>,
        mut ids: FxHashMap<u32, u32>,
        set_ids: &SetIds,
        propositions: Vec<u32>,
    ) -> Parsed<Automaton> {
        let count = raw.len();
        if raw.iter().all(|s| (s.id as usize) < count) {
            ids.iter_mut().for_each(|(id, number)| *number = *id);
        }
        let sets = set_ids.count;
        let mut a = Automaton::new(propositions, sets, Acceptance::generalized_buchi(sets));
        a.edges = vec![Vec::new(); count];
        for state in raw {
            let s = ids[&state.id];
            if state.initial {
                a.initial.push(s);
            }
            let mark_of =
                |sets: &[u32]| -> Mark { sets.iter().map(|id| set_ids.number(*id)).collect() };
            let own = mark_of(&state.sets);
            for e in state.edges {
                let Some(&to) = ids.get(&e.to) else {
                    return Err(Diagnostic::error(
                        e.place,
                        format!("there is no state {}", e.to),
                    ));
                };
                let mark = mark_of(&e.sets).union(&own);
                self.mark_words += mark.words().len() - 1;
                if self.mark_words > MAX_MARK_WORDS {
                    return Err(Diagnostic::error(
                        e.place,
                        "the acceptance marks need too much memory",
                    ));
                }
                if !e.label.is_false() {
                    let label = e.label;
                    a.edges[s as usize].push(Edge { to, label, mark });
                }
            }
        }
        a.initial.sort_unstable();
        Ok(a)
    }

    /// Acceptance sets up to -1.
    fn sets(&mut self, ids: &mut SetIds) -> Parsed<Vec<u32>> {
        let mut out = Vec::new();
        while !self.eat_end() {
            let (id, span) = self.number("the number of an acceptance set, or -1")?;
            if !ids.see(id) {
                let count = ids.count;
                return Err(Diagnostic::error(
                    span,
                    format!("there are more acceptance sets than the {count} declared"),
                ));
            }
            out.push(id);
        }
        Ok(out)
    }

    /// A guard in prefix form, with a stack of operators that wait for operands.
    fn guard(&mut self, propositions: &mut Propositions) -> Parsed<Bdd> {
        let start = self.peek().0;
        let nodes = self.alphabet.bdds.len();
        let mut waiting: Vec<(char, Option<Bdd>)> = Vec::new();
        loop {
            let (span, token) = self.peek();
            let mut value = match token {
                "!" | "&" | "|" | "^" | "i" | "e" => {
                    self.take();
                    waiting.push((token.chars().next().unwrap_or('!'), None));
                    continue;
                }
                "t" => Bdd::TRUE,
                "f" => Bdd::FALSE,
                _ => {
                    let Some(name) = proposition_name(token) else {
                        return Err(self.expected(
                            "a guard (`t`, `f`, a proposition, `!`, `&`, `|`, `^`, `i` or `e`)",
                        ));
                    };
                    let var = self.alphabet.declare(&name);
                    if propositions.seen.insert(var) {
                        if propositions.list.len() == MAX_PROPOSITIONS {
                            return Err(Diagnostic::error(span, "too many propositions"));
                        }
                        propositions.list.push(var);
                    }
                    self.alphabet.bdds.variable(var)
                }
            };
            self.take();
            // Complete every operator whose last operand this is.
            loop {
                match waiting.pop() {
                    None => return Ok(value),
                    Some(('!', _)) => value = self.alphabet.bdds.not(value),
                    Some((op, None)) => {
                        waiting.push((op, Some(value)));
                        break;
                    }
                    Some((op, Some(left))) => {
                        let bdds = &mut self.alphabet.bdds;
                        value = combine(bdds, nodes, op, left, value).ok_or_else(|| {
                            Diagnostic::error(
                                start,
                                "the guard that starts here is too complicated",
                            )
                        })?;
                    }
                }
            }
        }
    }
}

fn combine(bdds: &mut Bdds, nodes: usize, op: char, left: Bdd, right: Bdd) -> Option<Bdd> {
    let not_left = bdds.not(left);
    let not_right = bdds.not(right);
    let mut maker = LabelMaker::since(bdds, nodes);
    let mut both = |a, b| maker.and(vec![a, b]).ok();
    match op {
        '&' => both(left, right),
        '^' | 'e' => {
            let (x, y) = if op == 'e' {
                (both(left, right)?, both(not_left, not_right)?)
            } else {
                (both(left, not_right)?, both(not_left, right)?)
            };
            maker.or(vec![x, y]).ok()
        }
        'i' => maker.or(vec![not_left, right]).ok(),
        _ => maker.or(vec![left, right]).ok(),
    }
}

/// The propositions in order of appearance.
#[derive(Default)]
struct Propositions {
    list: Vec<u32>,
    seen: FxHashSet<u32>,
}

/// The names of acceptance sets: the numbers below the count, until another one occurs.
struct SetIds {
    count: u32,
    by_order: FxHashMap<u32, u32>,
    plain: bool,
}

impl SetIds {
    fn new(count: u32) -> Self {
        Self {
            count,
            by_order: FxHashMap::default(),
            plain: true,
        }
    }

    /// False if there are more names than sets.
    fn see(&mut self, id: u32) -> bool {
        self.plain &= id < self.count;
        let next = self.by_order.len() as u32;
        *self.by_order.entry(id).or_insert(next) < self.count
    }

    fn number(&self, id: u32) -> u32 {
        if self.plain {
            id
        } else {
            self.by_order.get(&id).copied().unwrap_or(0)
        }
    }
}

fn proposition_name(token: &str) -> Option<String> {
    if let Some(rest) = token.strip_prefix('"') {
        let inner = rest.strip_suffix('"')?;
        let mut name = String::new();
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            // A backslash at the end escaped the quote that seemed to close the string.
            name.push(if c == '\\' { chars.next()? } else { c });
        }
        return Some(name);
    }
    let mut chars = token.chars();
    (chars.next()?.is_ascii_alphabetic()
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.'))
    .then(|| token.to_string())
}

/// The acceptance condition is no conjunction of `Inf`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotGeneralizedBuchi;

impl fmt::Display for NotGeneralizedBuchi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the format of lbtt needs generalised Büchi acceptance")
    }
}

impl std::error::Error for NotGeneralizedBuchi {}

/// The automaton in the format of lbtt, acceptance on states where the edges of each state agree.
pub fn write_lbtt(alphabet: &mut Alphabet, a: &Automaton) -> Result<String, NotGeneralizedBuchi> {
    // Only the sets of the condition count, and they are numbered from 0.
    let sets: Vec<u32> = (a.acceptance.as_generalized_buchi())
        .ok_or(NotGeneralizedBuchi)?
        .iter()
        .collect();
    let on_states = a.has_state_acceptance();
    let marks = |mark: &Mark| -> String {
        let mut out = String::new();
        for (i, _) in sets.iter().enumerate().filter(|(_, s)| mark.contains(**s)) {
            let _ = write!(out, " {i}");
        }
        out + " -1"
    };
    let names: Vec<String> = alphabet.names().iter().map(|n| quoted(n)).collect();
    let mut guards: FxHashMap<Bdd, String> = FxHashMap::default();
    let mut is_initial = vec![false; a.states()];
    for &s in &a.initial {
        is_initial[s as usize] = true;
    }
    let place = if on_states { "" } else { "t" };
    let mut out = format!("{} {}{place}\n", a.states(), sets.len());
    for (s, edges) in a.edges.iter().enumerate() {
        let _ = write!(out, "{s} {}", u8::from(is_initial[s]));
        if on_states {
            out += &marks(&edges.first().map_or(Mark::EMPTY, |e| e.mark.clone()));
        }
        out.push('\n');
        for e in edges {
            sempre_base::checkpoint();
            let guard = guards
                .entry(e.label)
                .or_insert_with(|| guard_text(&mut alphabet.bdds, &names, e.label));
            let own = if on_states {
                String::new()
            } else {
                marks(&e.mark)
            };
            let _ = writeln!(out, "{}{own} {guard}", e.to);
        }
        out.push_str("-1\n");
    }
    Ok(out)
}

fn guard_text(bdds: &mut Bdds, names: &[String], label: Bdd) -> String {
    let mut cubes: Vec<String> = Vec::new();
    bdds.sum_of_products(label, |cube| {
        let mut text = "& ".repeat(cube.len().saturating_sub(1));
        for (i, &(var, sign)) in cube.iter().enumerate() {
            let name = names.get(var as usize).map_or("\"?\"", String::as_str);
            let space = if i > 0 { " " } else { "" };
            text += space;
            text += if sign { "" } else { "! " };
            text += name;
        }
        cubes.push(if cube.is_empty() {
            "t".to_string()
        } else {
            text
        });
    });
    if cubes.is_empty() {
        return "f".to_string();
    }
    "| ".repeat(cubes.len() - 1) + &cubes.join(" ")
}

fn quoted(name: &str) -> String {
    let digits = name.strip_prefix('p').unwrap_or("");
    if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}
