//! Automata as HOA, version 1, or 1.1 if a feature needs it.
//!
//! One line for each stored edge, in the stored order, so that reading the text yields the same automaton edge by
//! edge. Labels are irredundant sums of products. The header states the properties that are cheap to compute:
//! determinism, semi-determinism, completeness, kinds of weakness, the place of the marks, and the name of the
//! acceptance condition; and of the expensive ones those that the caller provides.
//!
//! The text of an automaton that breaks its invariants is still well-formed HOA: labels over propositions that were
//! not declared declare them. Sums of products can be exponentially longer than the diagram of a label; HOA has no
//! shorter form that every reader supports, so this is not avoided.

use super::acceptance_name::acceptance_name;
use super::item::Highlights;
use super::lexer::{Cursor, Token, quote};
use super::properties::{is_inherently_weak, is_semi_deterministic, weakness};
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::{Bdd, Bdds};
use crate::mark::Mark;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Where marks are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AcceptancePlace {
    /// On states if the edges of each state agree, else on edges.
    #[default]
    Auto,
    /// On states; on edges all the same if the edges of some state disagree, as it would be wrong.
    States,
    /// On edges.
    Edges,
}

/// Properties that are too expensive to be determined for a header, where the caller has determined them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Does the language not care about stuttering?
    pub stutter_invariant: Option<bool>,
    /// Is there at most one accepting run for each word?
    pub unambiguous: Option<bool>,
}

/// How to write an automaton.
#[derive(Clone, Debug, Default)]
pub struct HoaOptions {
    /// Where marks are written.
    pub acceptance: AcceptancePlace,
    /// Properties that the caller has established.
    pub known: Known,
    /// States and edges to be shown in colour. They need version 1.1.
    pub highlights: Highlights,
    /// The `tool:` line: name and version.
    pub tool: Option<(String, Option<String>)>,
    /// Leave out names of states.
    pub without_state_names: bool,
}

/// The automaton as HOA, with a line break at its end.
pub fn write_hoa(alphabet: &mut Alphabet, a: &Automaton, options: &HoaOptions) -> String {
    let on_states = options.acceptance != AcceptancePlace::Edges && a.has_state_acceptance();
    let mut labels = LabelWriter::new(a);
    let body = body(&mut alphabet.bdds, a, options, on_states, &mut labels);

    let mut out = String::with_capacity(body.len() + 300);
    // Names of headers have dots from version 1.1 on.
    let dotted = !options.highlights.is_empty()
        || (a.extra_headers.iter()).any(|(name, _)| is_header_name(name) && name.contains('.'));
    out.push_str(if dotted { "HOA: v1.1\n" } else { "HOA: v1\n" });
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(
            out,
            "{name}:{}{value}",
            if value.is_empty() { "" } else { " " }
        );
    };
    if let Some(name) = &a.name {
        line("name", &quote(name));
    }
    if let Some((name, version)) = &options.tool {
        let version = version.as_ref().map(|v| format!(" {}", quote(v)));
        line("tool", &(quote(name) + &version.unwrap_or_default()));
    }
    line("States", &a.states().to_string());
    for s in &a.initial {
        line("Start", &s.to_string());
    }
    let mut names = labels.propositions.len().to_string();
    for &p in &labels.propositions {
        names.push(' ');
        names += &match alphabet.names().get(p as usize) {
            Some(name) => quote(name),
            None => quote(&format!("p{p}")),
        };
    }
    line("AP", &names);
    if let Some(name) = acceptance_name(&a.acceptance, a.sets) {
        line("acc-name", &name);
    }
    line("Acceptance", &format!("{} {}", a.sets, a.acceptance));
    let properties = properties(&mut alphabet.bdds, a, options, on_states, dotted);
    line("properties", &properties.join(" "));
    for (name, pairs) in [
        ("spot.highlight.states", &options.highlights.states),
        ("spot.highlight.edges", &options.highlights.edges),
    ] {
        if !pairs.is_empty() {
            let pairs: Vec<String> = pairs.iter().map(|(n, c)| format!("{n} {c}")).collect();
            line(name, &pairs.join(" "));
        }
    }
    for (name, value) in &a.extra_headers {
        if is_header_name(name) {
            line(name, &header_value(value));
        }
    }
    out.push_str("--BODY--\n");
    out.push_str(&body);
    out.push_str("--END--\n");
    out
}

/// The words that are true. The opposite of a property has a word only where a reader of version 1.1 is needed anyway,
/// but for `stutter-sensitive`.
fn properties(
    bdds: &mut Bdds,
    a: &Automaton,
    options: &HoaOptions,
    on_states: bool,
    dotted: bool,
) -> Vec<&'static str> {
    let mut words = vec!["trans-labels", "explicit-labels"];
    words.push(if on_states { "state-acc" } else { "trans-acc" });
    if a.sets > 0 && a.edges.iter().flatten().all(|e| e.mark.len() == 1) {
        words.push("colored");
    }
    let deterministic = a.is_deterministic(bdds);
    // A deterministic automaton is unambiguous and semi-deterministic, too, which goes without saying.
    let more = !deterministic;
    let shape = weakness(a, bdds);
    let known = &options.known;
    let both = |yes: bool, word: &'static str, no: &'static str| match yes {
        true => word,
        false if dotted => no,
        false => "",
    };
    words.extend([
        both(a.is_complete(bdds), "complete", "!complete"),
        both(deterministic, "deterministic", "!deterministic"),
        if more && dotted { "exist-branch" } else { "" },
    ]);
    for (word, holds) in [
        ("unambiguous", more && known.unambiguous == Some(true)),
        ("semi-deterministic", more && is_semi_deterministic(a, bdds)),
        ("weak", shape.weak),
        ("very-weak", shape.very_weak),
        ("terminal", shape.terminal),
        ("inherently-weak", !shape.weak && is_inherently_weak(a)),
        ("stutter-invariant", known.stutter_invariant == Some(true)),
        ("stutter-sensitive", known.stutter_invariant == Some(false)),
        ("!unambiguous", dotted && known.unambiguous == Some(false)),
    ] {
        words.push(if holds { word } else { "" });
    }
    words.retain(|w| !w.is_empty());
    words
}

fn body(
    bdds: &mut Bdds,
    a: &Automaton,
    options: &HoaOptions,
    on_states: bool,
    labels: &mut LabelWriter,
) -> String {
    let mut out = String::new();
    for (s, edges) in a.edges.iter().enumerate() {
        let _ = write!(out, "State: {s}");
        if !options.without_state_names
            && let Some(Some(name)) = a.state_names.get(s)
        {
            out.push(' ');
            out += &quote(name);
        }
        if on_states && let Some(first) = edges.first() {
            write_marks(&mut out, &first.mark);
        }
        out.push('\n');
        for e in edges {
            sempre_base::checkpoint();
            let _ = write!(out, "[{}] {}", labels.text(bdds, e.label), e.to);
            if !on_states {
                write_marks(&mut out, &e.mark);
            }
            out.push('\n');
        }
    }
    out
}

fn write_marks(out: &mut String, mark: &Mark) {
    if mark.is_empty() {
        return;
    }
    out.push_str(" {");
    for (i, set) in mark.iter().enumerate() {
        let _ = write!(out, "{}{set}", if i > 0 { " " } else { "" });
    }
    out.push('}');
}

/// Labels as text; most labels of an automaton occur many times.
struct LabelWriter {
    propositions: Vec<u32>,
    number: FxHashMap<u32, usize>,
    known: FxHashMap<Bdd, String>,
}

impl LabelWriter {
    fn new(a: &Automaton) -> Self {
        let mut writer = Self {
            propositions: Vec::new(),
            number: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        for &p in &a.propositions {
            writer.number(p);
        }
        writer
    }

    fn number(&mut self, var: u32) -> usize {
        let next = self.propositions.len();
        let number = *self.number.entry(var).or_insert(next);
        if number == next {
            self.propositions.push(var);
        }
        number
    }

    fn text(&mut self, bdds: &mut Bdds, label: Bdd) -> &str {
        if !self.known.contains_key(&label) {
            let mut cubes: Vec<String> = Vec::new();
            bdds.sum_of_products(label, |cube| {
                let mut literals: Vec<(usize, bool)> = cube
                    .iter()
                    .map(|&(v, sign)| (self.number(v), sign))
                    .collect();
                literals.sort_unstable();
                let words: Vec<String> = literals
                    .iter()
                    .map(|(n, sign)| format!("{}{n}", if *sign { "" } else { "!" }))
                    .collect();
                cubes.push(if words.is_empty() {
                    "t".to_string()
                } else {
                    words.join("&")
                });
            });
            let text = if cubes.is_empty() {
                "f".to_string()
            } else {
                cubes.join(" | ")
            };
            self.known.insert(label, text);
        }
        &self.known[&label]
    }
}

fn is_header_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_lowercase() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// The value as it is if it is made of words, numbers and strings, else as one string.
fn header_value(value: &str) -> String {
    let mut cursor = Cursor::new(value, 0);
    loop {
        match cursor.token {
            Token::Eof => return value.to_string(),
            Token::Word(_) | Token::Number(_) | Token::Text(_) => cursor.advance(),
            _ => return quote(value),
        };
    }
}
