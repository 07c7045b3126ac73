//! Automata as pictures: GraphViz, laid out for people.
//!
//! From left to right, small round states, an arrow that comes from nowhere for each initial state,
//! labels in infix with the real names, acceptance sets as numbers in discs behind the label. A Büchi
//! automaton whose acceptance is on states gets doubled circles instead. Components can be framed:
//! green where an accepting run can stay, red where none can, no frame around one state without a loop.

use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::Bdd;
use crate::hoa::acceptance_name;
use crate::labels::{LabelStyle, label_text};
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// How to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct DotOptions {
    /// `∧ ∨ ¬ ⊤` and numbers in discs; else `& | ! 1` and numbers in braces.
    pub unicode: bool,
    /// Frames around components.
    pub clusters: bool,
}

/// The automaton as a GraphViz digraph, with a line break at its end.
pub fn write_dot(alphabet: &mut Alphabet, a: &Automaton, options: DotOptions) -> String {
    let doubled = a.acceptance == Acceptance::buchi() && a.sets == 1 && a.has_state_acceptance();
    let title = match acceptance_name(&a.acceptance, a.sets) {
        Some(name) => format!("[{name}]"),
        None => a.acceptance.to_string(),
    };
    let title = match &a.name {
        Some(name) => format!("{name}\n{title}"),
        None => title,
    };
    let named = a.state_names.iter().any(Option::is_some);
    let shape = if named { "box" } else { "circle" };
    let mut out = String::from("digraph {\n  rankdir=LR;\n");
    let _ = writeln!(out, "  label={};\n  labelloc=t;", quote(&title));
    let _ = writeln!(
        out,
        "  node [shape={shape}, style=rounded, width=0.4, height=0.4, margin=0.05, fontsize=12];"
    );
    out.push_str("  edge [arrowsize=0.7, fontsize=12];\n");
    for (i, s) in a.initial.iter().enumerate() {
        let _ = writeln!(
            out,
            "  i{i} [label=\"\", shape=none, width=0, height=0, margin=0];\n  i{i} -> {s};"
        );
    }
    let state = |s: u32| {
        let name = a.state_names.get(s as usize).and_then(Option::as_ref);
        let text = name.map_or_else(|| s.to_string(), |n| format!("{s}: {n}"));
        let accepting = doubled
            && a.edges[s as usize]
                .first()
                .is_some_and(|e| e.mark.contains(0));
        let ring = if accepting { ", peripheries=2" } else { "" };
        format!("{s} [label={}{ring}];\n", quote(&text))
    };
    let mut drawn = vec![false; a.states()];
    if options.clusters {
        let sccs = Sccs::new(a);
        for (c, accepting) in sccs.accepting(a).into_iter().enumerate() {
            if sccs.is_trivial(a, c) {
                continue;
            }
            let color = if accepting { "darkgreen" } else { "firebrick" };
            let _ = writeln!(
                out,
                "  subgraph cluster_{c} {{\n    color={color};\n    label=\"\";"
            );
            let mut members = sccs.states[c].clone();
            members.sort_unstable();
            for s in members {
                drawn[s as usize] = true;
                let _ = write!(out, "    {}", state(s));
            }
            out.push_str("  }\n");
        }
    }
    for s in (0..a.states() as u32).filter(|&s| !drawn[s as usize]) {
        let _ = write!(out, "  {}", state(s));
    }
    let names: Vec<String> = alphabet.names().iter().map(|n| readable(n)).collect();
    let style = if options.unicode {
        &LabelStyle::UNICODE
    } else {
        &LabelStyle::ASCII
    };
    let mut labels: FxHashMap<Bdd, String> = FxHashMap::default();
    for (s, edges) in a.edges.iter().enumerate() {
        for e in edges {
            let label = labels
                .entry(e.label)
                .or_insert_with(|| label_text(&mut alphabet.bdds, &names, e.label, style));
            let mut text = label.clone();
            if !doubled && !e.mark.is_empty() {
                text.push('\n');
                text += &marks(&e.mark, options.unicode);
            }
            let _ = writeln!(out, "  {s} -> {} [label={}];", e.to, quote(&text));
        }
    }
    out.push_str("}\n");
    out
}

/// `{0,2}`, or the numbers in discs so far as there are such characters.
pub(crate) fn marks(mark: &Mark, unicode: bool) -> String {
    let disc = |set: u32| match set {
        0 => char::from_u32(0x24ff),
        1..=10 => char::from_u32(0x2776 + set - 1),
        11..=20 => char::from_u32(0x24eb + set - 11),
        _ => None,
    };
    if unicode && let Some(discs) = mark.iter().map(disc).collect() {
        return discs;
    }
    let numbers: Vec<String> = mark.iter().map(|s| s.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// A name as it is if it cannot be confused with operators, else in quotes.
pub(crate) fn readable(name: &str) -> String {
    let plain = !name.is_empty()
        && (name.chars()).all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'));
    if plain {
        name.to_string()
    } else {
        format!("\"{name}\"")
    }
}

/// A string of GraphViz; line breaks become its centred ones.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(alphabet: &mut Alphabet) -> Automaton {
        let (a, b) = (alphabet.declare("a"), alphabet.declare("x \"=\" 1"));
        let bdds = &mut alphabet.bdds;
        let (yes, no) = (bdds.variable(a), bdds.literal((b, false)));
        let (both, either) = (bdds.and(yes, no), bdds.or(yes, no));
        let mut aut = Automaton::new(vec![a, b], 1, Acceptance::buchi());
        aut.name = Some("F a".to_string());
        aut.add_state();
        aut.add_state();
        aut.initial = vec![0];
        aut.add_edge(0, 1, both, Mark::EMPTY);
        aut.add_edge(1, 1, either, Mark::single(0));
        aut.add_edge(1, 1, Bdd::TRUE, Mark::single(0));
        aut
    }

    #[test]
    fn a_picture() {
        let alphabet = &mut Alphabet::new();
        let mut a = example(alphabet);
        let text = write_dot(alphabet, &a, DotOptions::default());
        for line in [
            "  label=\"F a\\n[Buchi]\";",
            "  i0 -> 0;",
            "  0 [label=\"0\"];",
            "  1 [label=\"1\", peripheries=2];",
            "  0 -> 1 [label=\"a & !\\\"x \\\"=\\\" 1\\\"\"];",
            "  1 -> 1 [label=\"1\"];",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        // Marks on edges, in discs; a frame around the loop only.
        a.edges[1][0].mark = Mark::EMPTY;
        a.sets = 23;
        let options = DotOptions {
            unicode: true,
            clusters: true,
        };
        let text = write_dot(alphabet, &a, options);
        assert!(text.contains("  1 -> 1 [label=\"⊤\\n⓿\"];"), "{text}");
        assert!(text.contains("a ∨ ¬\\\"x"), "{text}");
        assert_eq!(text.matches("subgraph").count(), 1);
        assert!(text.contains("color=darkgreen") && !text.contains("peripheries"));
        let many = [1, 10, 11, 20].into_iter().collect();
        assert_eq!(marks(&many, true), "❶❿⓫⓴");
        assert_eq!(marks(&[1, 21].into_iter().collect(), true), "{1,21}");
    }
}
