//! A picture for GraphViz: from left to right, small round states, frames around components, green where an
//! accepting run can stay and red where none can.

use super::Picture;
use std::fmt::Write;

impl Picture {
    /// As a GraphViz digraph, with a line break at its end.
    pub fn to_dot(&self) -> String {
        let named = (0..)
            .zip(&self.spots)
            .any(|(s, spot)| spot.text != format!("{s}"));
        let shape = if named { "box" } else { "circle" };
        let mut out = String::from("digraph {\n  rankdir=LR;\n");
        let _ = writeln!(out, "  label={};\n  labelloc=t;", quote(&self.title));
        let _ = writeln!(
            out,
            "  node [shape={shape}, style=rounded, width=0.4, height=0.4, margin=0.05, fontsize=12];"
        );
        out.push_str("  edge [arrowsize=0.7, fontsize=12];\n");
        for (s, spot) in self.spots.iter().enumerate() {
            let Some(lines) = &spot.initial else {
                continue;
            };
            let label = match lines.is_empty() {
                true => String::new(),
                false => format!(" [label={}]", quote(lines)),
            };
            let _ = writeln!(
                out,
                "  i{s} [label=\"\", shape=none, width=0, height=0, margin=0];\n  i{s} -> {s}{label};"
            );
        }
        let state = |s: u32| {
            let spot = &self.spots[s as usize];
            let ring = if spot.doubled { ", peripheries=2" } else { "" };
            let dashes = match spot.dashed {
                true => ", style=\"rounded,dashed\"",
                false => "",
            };
            let text = quote(std::slice::from_ref(&spot.text));
            format!("{s} [label={text}{ring}{dashes}];\n")
        };
        let mut drawn = vec![false; self.spots.len()];
        for (c, frame) in self.frames.iter().enumerate() {
            let color = match frame.accepting {
                true => "darkgreen",
                false => "firebrick",
            };
            let _ = writeln!(
                out,
                "  subgraph cluster_{c} {{\n    color={color};\n    label=\"\";"
            );
            for &s in &frame.spots {
                drawn[s as usize] = true;
                let _ = write!(out, "    {}", state(s));
            }
            out.push_str("  }\n");
        }
        for s in (0..self.spots.len() as u32).filter(|&s| !drawn[s as usize]) {
            let _ = write!(out, "  {}", state(s));
        }
        for arrow in &self.arrows {
            sempre_base::checkpoint();
            let label = quote(&arrow.lines);
            let _ = writeln!(out, "  {} -> {} [label={label}];", arrow.from, arrow.to);
        }
        out.push_str("}\n");
        out
    }
}

/// Lines as a string of GraphViz, centred.
fn quote(lines: &[String]) -> String {
    let mut out = String::from("\"");
    for c in lines.join("\n").chars() {
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
    use crate::acceptance::Acceptance;
    use crate::automaton::{Alphabet, Automaton};
    use crate::bdd::Bdd;
    use crate::mark::Mark;
    use crate::picture::picture;

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
        let text = picture(alphabet, &a).to_dot();
        for line in [
            "  label=\"F a\\n[Buchi]\";",
            "  i0 -> 0;",
            "  0 [label=\"0\"];",
            "    1 [label=\"1\", peripheries=2];",
            "  0 -> 1 [label=\"a ∧ ¬\\\"x \\\"=\\\" 1\\\"\"];",
            "  1 -> 1 [label=\"⊤\"];",
        ] {
            assert!(text.lines().any(|l| l == line), "{line}\n{text}");
        }
        // Marks on edges, in discs; a frame around the loop only.
        a.edges[1][0].mark = Mark::EMPTY;
        a.sets = 23;
        let text = picture(alphabet, &a).to_dot();
        assert!(text.contains("  1 -> 1 [label=\"⊤\\n⓿\"];"), "{text}");
        assert!(text.contains("a ∨ ¬\\\"x"), "{text}");
        assert_eq!(text.matches("subgraph").count(), 1);
        assert!(text.contains("color=darkgreen") && !text.contains("peripheries"));
    }
}
