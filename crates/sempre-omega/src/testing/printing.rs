//! Testing automata on paper: GraphViz, JSON, and their sizes.
//!
//! In pictures, an arrow from nowhere carries the valuations with which a state is a beginning,
//! other arrows the changesets, in braces. Of a [`Ta`], Büchi accepting states have a double line,
//! livelock accepting ones a dashed line. Of a [`Tgta`], acceptance sets are numbers in discs.
//! Transitions between the same states with the same marks share an arrow; where it would carry
//! very many changesets, the picture tells some and how many there are. The JSON text tells
//! everything.

use super::{EdgeTable, Initial, Ta, Tgta};
use crate::automaton::Alphabet;
use crate::dot::{marks, quote, readable};
use crate::mark::Mark;
use crate::stats::json_string;
use std::collections::BTreeMap;
use std::fmt::Write;

/// An arrow of a picture carries no more changesets or valuations.
const MOST_ON_AN_ARROW: usize = 16;

/// The size of a testing automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestingStats {
    /// States.
    pub states: usize,
    /// Pairs of a valuation and an initial state.
    pub initial: usize,
    /// Transitions, one per changeset; of a [`Tgta`] with the stuttering self-loops.
    pub transitions: usize,
    /// Observed propositions.
    pub propositions: usize,
    /// Acceptance sets of a [`Tgta`].
    pub sets: Option<u32>,
    /// Büchi accepting states of a [`Ta`].
    pub buchi: Option<usize>,
    /// Livelock accepting states of a [`Ta`].
    pub livelock: Option<usize>,
    /// Does at most one run read each word?
    pub deterministic: bool,
}

impl Ta {
    /// The size of the automaton.
    pub fn stats(&self) -> TestingStats {
        let count = |of: &[bool]| Some(of.iter().filter(|x| **x).count());
        TestingStats {
            states: self.states(),
            initial: self.initial.len(),
            transitions: self.transitions(),
            propositions: self.propositions.len(),
            sets: None,
            buchi: count(&self.buchi),
            livelock: count(&self.livelock),
            deterministic: self.is_deterministic(),
        }
    }

    /// The automaton as a GraphViz digraph, with a line break at its end.
    pub fn to_dot(&self, alphabet: &Alphabet) -> String {
        let title = "[TA: double lines Büchi, dashed lines livelock accepting]";
        let style = |s: u32| match (self.buchi[s as usize], self.livelock[s as usize]) {
            (false, false) => "",
            (true, false) => ", peripheries=2",
            (false, true) => ", style=\"rounded,dashed\"",
            (true, true) => ", peripheries=2, style=\"rounded,dashed\"",
        };
        let names = Names::new(alphabet, &self.propositions);
        dot(&names, &self.name, title, &self.initial, &self.table, style)
    }

    /// The automaton as one JSON object on one line.
    pub fn to_json(&self, alphabet: &Alphabet) -> String {
        let chosen = |of: &[bool]| list((0u32..).zip(of).filter(|x| *x.1).map(|x| x.0.to_string()));
        let kinds = [
            ("buchi", chosen(&self.buchi)),
            ("livelock", chosen(&self.livelock)),
        ];
        let names = Names::new(alphabet, &self.propositions);
        let head = ("ta", &self.name);
        json(&names, head, &self.initial, &self.table, &kinds, false)
    }
}

impl Tgta {
    /// The size of the automaton.
    pub fn stats(&self) -> TestingStats {
        TestingStats {
            states: self.states(),
            initial: self.initial.len(),
            transitions: self.transitions(),
            propositions: self.propositions.len(),
            sets: Some(self.sets),
            buchi: None,
            livelock: None,
            deterministic: self.is_deterministic(),
        }
    }

    /// The automaton as a GraphViz digraph, with a line break at its end.
    pub fn to_dot(&self, alphabet: &Alphabet) -> String {
        let title = format!("[TGTA, {} acceptance sets]", self.sets);
        let names = Names::new(alphabet, &self.propositions);
        dot(
            &names,
            &self.name,
            &title,
            &self.initial,
            &self.table,
            |_| "",
        )
    }

    /// The automaton as one JSON object on one line.
    pub fn to_json(&self, alphabet: &Alphabet) -> String {
        let kinds = [("acceptance_sets", self.sets.to_string())];
        let names = Names::new(alphabet, &self.propositions);
        let head = ("tgta", &self.name);
        json(&names, head, &self.initial, &self.table, &kinds, true)
    }
}

/// The names of the observed propositions, as they are.
struct Names(Vec<String>);

impl Names {
    fn new(alphabet: &Alphabet, propositions: &[u32]) -> Self {
        let name = |p: &u32| alphabet.names().get(*p as usize).cloned();
        Self(
            propositions
                .iter()
                .map(|p| name(p).unwrap_or_else(|| format!("p{p}")))
                .collect(),
        )
    }

    fn chosen(&self, bits: u64) -> impl Iterator<Item = &String> {
        let names = (0u32..64).zip(&self.0);
        names.filter(move |(i, _)| bits >> i & 1 == 1).map(|x| x.1)
    }

    /// `{a,b}`.
    fn changeset(&self, bits: u64) -> String {
        let names: Vec<String> = self.chosen(bits).map(|n| readable(n)).collect();
        match &names[..] {
            [] => "∅".to_string(),
            _ => format!("{{{}}}", names.join(",")),
        }
    }

    /// `a ∧ ¬b`.
    fn valuation(&self, bits: u64) -> String {
        let literal = |(i, n): (u32, &String)| {
            let sign = if bits >> i & 1 == 1 { "" } else { "¬" };
            format!("{sign}{}", readable(n))
        };
        let literals: Vec<String> = (0u32..64).zip(&self.0).map(literal).collect();
        match &literals[..] {
            [] => "⊤".to_string(),
            _ => literals.join(" ∧ "),
        }
    }

    /// A JSON list of the names whose bits are set.
    fn json(&self, bits: u64) -> String {
        list(self.chosen(bits).map(|n| json_string(n)))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("[{}]", items.join(","))
}

/// So many of the texts as an arrow carries.
fn arrow(texts: &[String]) -> String {
    let shown = texts[..texts.len().min(MOST_ON_AN_ARROW)].join("\n");
    if texts.len() > MOST_ON_AN_ARROW {
        return format!("{shown}\n… ({} in all)", texts.len());
    }
    shown
}

fn dot(
    names: &Names,
    name: &Option<String>,
    title: &str,
    initial: &[Initial],
    table: &EdgeTable,
    style: impl Fn(u32) -> &'static str,
) -> String {
    let title = match name {
        Some(name) => format!("{name}\n{title}"),
        None => title.to_string(),
    };
    let mut out = String::from("digraph {\n  rankdir=LR;\n");
    let _ = writeln!(out, "  label={};\n  labelloc=t;", quote(&title));
    out.push_str(
        "  node [shape=circle, style=rounded, width=0.4, height=0.4, margin=0.05, fontsize=12];\n",
    );
    out.push_str("  edge [arrowsize=0.7, fontsize=12];\n");
    let mut beginnings: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for i in initial {
        let text = names.valuation(i.valuation);
        beginnings.entry(i.state).or_default().push(text);
    }
    for (s, texts) in &beginnings {
        let _ = writeln!(
            out,
            "  i{s} [label=\"\", shape=none, width=0, height=0, margin=0];\n  i{s} -> {s} [label={}];",
            quote(&arrow(texts))
        );
    }
    for s in 0..table.states() as u32 {
        let _ = writeln!(out, "  {s} [label=\"{s}\"{}];", style(s));
    }
    for s in 0..table.states() as u32 {
        let mut arrows: BTreeMap<(u32, u64), Vec<String>> = BTreeMap::new();
        for e in table.of(s) {
            let text = names.changeset(e.changeset);
            arrows.entry((e.to, e.marks)).or_default().push(text);
        }
        for ((to, word), texts) in &arrows {
            let mut text = arrow(texts);
            if *word != 0 {
                text.push('\n');
                text += &marks(&Mark::from_word(*word), true);
            }
            let _ = writeln!(out, "  {s} -> {to} [label={}];", quote(&text));
        }
    }
    out.push_str("}\n");
    out
}

fn json(
    names: &Names,
    (kind, name): (&str, &Option<String>),
    initial: &[Initial],
    table: &EdgeTable,
    extra: &[(&str, String)],
    marked: bool,
) -> String {
    let name = name.as_deref().map_or("null".to_string(), json_string);
    let propositions = list(names.0.iter().map(|n| json_string(n)));
    let mut out = format!(
        "{{\"kind\":\"{kind}\",\"name\":{name},\"propositions\":{propositions},\"states\":{}",
        table.states()
    );
    for (key, value) in extra {
        let _ = write!(out, ",\"{key}\":{value}");
    }
    let initial = list(initial.iter().map(|i| {
        let valuation = names.json(i.valuation);
        format!("{{\"valuation\":{valuation},\"state\":{}}}", i.state)
    }));
    let _ = write!(out, ",\"initial\":{initial},\"transitions\":[");
    let mut comma = "";
    for s in 0..table.states() as u32 {
        for e in table.of(s) {
            let changeset = names.json(e.changeset);
            let _ = write!(
                out,
                "{comma}{{\"from\":{s},\"changeset\":{changeset},\"to\":{}",
                e.to
            );
            if marked {
                let sets = Mark::from_word(e.marks);
                let _ = write!(
                    out,
                    ",\"marks\":{}",
                    list(sets.iter().map(|m| m.to_string()))
                );
            }
            out.push('}');
            comma = ",";
        }
    }
    out.push_str("]}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestingEdge;

    fn edge(changeset: u64, to: u32, marks: u64) -> TestingEdge {
        TestingEdge {
            changeset,
            to,
            marks,
        }
    }

    #[test]
    fn a_ta_on_paper() {
        let mut alphabet = Alphabet::new();
        let propositions = vec![alphabet.declare("a"), alphabet.declare("x = 1")];
        let t = Ta {
            name: Some("f".to_string()),
            propositions,
            initial: vec![Initial {
                valuation: 2,
                state: 0,
            }],
            table: EdgeTable::new(vec![vec![edge(1, 1, 0), edge(3, 1, 0)], vec![]], 2),
            buchi: vec![true, false],
            livelock: vec![false, true],
        };
        let text = t.to_dot(&alphabet);
        for line in [
            "  i0 -> 0 [label=\"¬a ∧ \\\"x = 1\\\"\"];",
            "  0 [label=\"0\", peripheries=2];",
            "  1 [label=\"1\", style=\"rounded,dashed\"];",
            "  0 -> 1 [label=\"{a}\\n{a,\\\"x = 1\\\"}\"];",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        assert_eq!(
            t.to_json(&alphabet),
            "{\"kind\":\"ta\",\"name\":\"f\",\"propositions\":[\"a\",\"x = 1\"],\"states\":2,\
             \"buchi\":[0],\"livelock\":[1],\"initial\":[{\"valuation\":[\"x = 1\"],\"state\":0}],\
             \"transitions\":[{\"from\":0,\"changeset\":[\"a\"],\"to\":1},\
             {\"from\":0,\"changeset\":[\"a\",\"x = 1\"],\"to\":1}]}"
        );
        let stats = t.stats();
        assert_eq!((stats.states, stats.transitions), (2, 2));
        assert_eq!((stats.buchi, stats.livelock), (Some(1), Some(1)));
        assert!(stats.deterministic);
    }

    #[test]
    fn a_tgta_on_paper() {
        let mut alphabet = Alphabet::new();
        let propositions: Vec<u32> = (0..5).map(|i| alphabet.declare(&format!("p{i}"))).collect();
        let t = Tgta {
            name: None,
            propositions,
            initial: vec![],
            table: EdgeTable::new(vec![(0..32).map(|c| edge(c, 0, 1 + c % 2)).collect()], 5),
            sets: 2,
        };
        let text = t.to_dot(&alphabet);
        assert!(text.contains("label=\"∅\\n{p1}\\n"), "{text}");
        assert!(!text.contains("in all"), "{text}");
        assert!(text.contains("❶\"];") && text.contains("⓿\"];"), "{text}");
        assert!(
            t.to_json(&alphabet)
                .contains("{\"from\":0,\"changeset\":[\"p0\"],\"to\":0,\"marks\":[1]}")
        );
        let texts: Vec<String> = (0..17).map(|i| i.to_string()).collect();
        assert!(arrow(&texts).ends_with("\n15\n… (17 in all)"));
    }
}
