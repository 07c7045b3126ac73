//! Output of testing automata: GraphViz, JSON, and their sizes.
//!
//! In pictures, an initial arrow carries the valuations for which a state is initial, other arrows the changesets, in
//! braces. Of a [`Ta`], Büchi accepting states have a double line, livelock accepting ones a dashed line. Of a
//! [`Tgta`], acceptance sets are numbers in discs. Transitions between the same states with the same marks share an
//! arrow; if it would carry very many changesets, the picture shows some of them and their number. The JSON text is
//! complete.

use super::{EdgeTable, Initial, Ta, Tgta};
use crate::automaton::Alphabet;
use crate::mark::Mark;
use crate::picture::{Arrow, Picture, Spot, marks, readable};
use crate::stats::json_string;
use std::collections::BTreeMap;
use std::fmt::Write;

/// An arrow of a picture carries no more changesets or valuations.
const MAX_ON_AN_ARROW: usize = 16;

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

    /// The automaton as a picture.
    pub fn picture(&self, alphabet: &Alphabet) -> Picture {
        let kind = "[TA: double lines Büchi, dashed lines livelock accepting]".to_string();
        let outline = |s: u32| (self.buchi[s as usize], self.livelock[s as usize]);
        let names = Names::new(alphabet, &self.propositions);
        picture(
            &names,
            (&self.name, kind),
            &self.initial,
            &self.table,
            outline,
        )
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

    /// The automaton as a picture.
    pub fn picture(&self, alphabet: &Alphabet) -> Picture {
        let kind = format!("[TGTA, {} acceptance sets]", self.sets);
        let names = Names::new(alphabet, &self.propositions);
        let plain = |_| (false, false);
        picture(
            &names,
            (&self.name, kind),
            &self.initial,
            &self.table,
            plain,
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

/// The first texts, as many as fit on an arrow.
fn arrow(texts: &[String]) -> Vec<String> {
    let mut lines = texts[..texts.len().min(MAX_ON_AN_ARROW)].to_vec();
    if texts.len() > MAX_ON_AN_ARROW {
        lines.push(format!("… ({} in all)", texts.len()));
    }
    lines
}

fn picture(
    names: &Names,
    (name, kind): (&Option<String>, String),
    initial: &[Initial],
    table: &EdgeTable,
    outline: impl Fn(u32) -> (bool, bool),
) -> Picture {
    let mut initial_edges: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for i in initial {
        let text = names.valuation(i.valuation);
        initial_edges.entry(i.state).or_default().push(text);
    }
    let spots = (0..table.states() as u32)
        .map(|s| {
            let (doubled, dashed) = outline(s);
            Spot {
                text: s.to_string(),
                doubled,
                dashed,
                initial: initial_edges.get(&s).map(|texts| arrow(texts)),
            }
        })
        .collect();
    let mut arrows = Vec::new();
    for from in 0..table.states() as u32 {
        let mut texts: BTreeMap<(u32, u64), Vec<String>> = BTreeMap::new();
        for e in table.of(from) {
            let text = names.changeset(e.changeset);
            texts.entry((e.to, e.marks)).or_default().push(text);
        }
        for ((to, word), texts) in texts {
            let mut lines = arrow(&texts);
            if word != 0 {
                lines.push(marks(&Mark::from_word(word)));
            }
            arrows.push(Arrow { from, to, lines });
        }
    }
    Picture {
        title: name.iter().cloned().chain([kind]).collect(),
        spots,
        arrows,
        frames: Vec::new(),
    }
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
        let text = t.picture(&alphabet).to_dot();
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
        let text = t.picture(&alphabet).to_dot();
        assert!(text.contains("label=\"∅\\n{p1}\\n"), "{text}");
        assert!(!text.contains("in all"), "{text}");
        assert!(text.contains("❶\"];") && text.contains("⓿\"];"), "{text}");
        assert!(
            t.to_json(&alphabet)
                .contains("{\"from\":0,\"changeset\":[\"p0\"],\"to\":0,\"marks\":[1]}")
        );
        let texts: Vec<String> = (0..17).map(|i| i.to_string()).collect();
        assert!(arrow(&texts).join("\n").ends_with("\n15\n… (17 in all)"));
    }
}
