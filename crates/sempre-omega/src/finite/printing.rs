//! Finite automata as text: the Hanoi format, pictures, never claims.
//!
//! * *Hanoi*: the terminal Büchi automaton ([`to_terminal`]); final states carry `{0}` and a loop for all letters, a
//!   missing edge rejects.
//! * *Pictures* for GraphViz: final states doubled, as in textbooks.
//! * *Never claims* for SPIN's `-DSAFETY` (Latvala, SPIN 2003, section 4): an edge into a final state is an assertion
//!   that fails, in the same step that reads the letter, so that a violation in the last state of a finite run is
//!   found too. No accepting states: SPIN only needs reachability.

use super::{FiniteAutomaton, to_terminal};
use crate::automaton::Alphabet;

use crate::hoa::{AcceptancePlace, HoaOptions, write_hoa};
use crate::labels::{LabelStyle, label_text};
use crate::never_claim::writer::proposition;
use crate::picture::{Arrow, Picture, Spot, readable};
use std::fmt::Write;

/// The automaton in the Hanoi format, by the conventions for finite words.
pub fn write_finite_hoa(alphabet: &mut Alphabet, a: &FiniteAutomaton) -> String {
    let options = HoaOptions {
        acceptance: AcceptancePlace::States,
        ..HoaOptions::default()
    };
    write_hoa(alphabet, &to_terminal(a), &options)
}

/// The automaton as a picture: final states are doubled.
pub fn finite_picture(alphabet: &mut Alphabet, a: &FiniteAutomaton) -> Picture {
    let mut title: Vec<String> = a.name.iter().cloned().collect();
    title.push("[finite words]".to_string());
    let spots = (0..a.states() as u32)
        .map(|s| Spot {
            text: s.to_string(),
            doubled: a.is_final[s as usize],
            dashed: false,
            initial: a.initial.contains(&s).then(Vec::new),
        })
        .collect();
    let names: Vec<String> = alphabet.names().iter().map(|n| readable(n)).collect();
    let mut arrows = Vec::new();
    for (from, edges) in (0..).zip(&a.edges) {
        for e in edges {
            let text = label_text(&mut alphabet.bdds, &names, e.label, &LabelStyle::UNICODE);
            let (to, lines) = (e.to, vec![text]);
            arrows.push(Arrow { from, to, lines });
        }
    }
    Picture {
        title,
        spots,
        arrows,
        frames: Vec::new(),
    }
}

/// The automaton as a never claim for SPIN with `-DSAFETY`, in which an assertion fails as soon as the
/// word read is accepted, with a line break at its end.
pub fn write_safety_claim(alphabet: &mut Alphabet, a: &FiniteAutomaton) -> String {
    let mut out = String::from("never {");
    if let Some(name) = &a.name {
        // A comment must not end early.
        let _ = write!(out, " /* {} */", name.replace("*/", "* /"));
    }
    out.push('\n');
    let start: Vec<u32> = a.initial.clone();
    if start.iter().any(|&s| a.is_final[s as usize]) {
        out.push_str("T0_init:\n  assert(0)\n}\n");
        return out;
    }
    let names: Vec<String> = alphabet.names().iter().map(|n| proposition(n)).collect();
    // A claim has one first state: with several initial ones, it has the edges of all.
    let single = if let [s] = start[..] { Some(s) } else { None };
    let label = |s: u32| {
        if Some(s) == single {
            "T0_init".to_string()
        } else {
            format!("T0_S{s}")
        }
    };
    let mut state = |out: &mut String, name: &str, sources: &[u32]| {
        let _ = writeln!(out, "{name}:");
        let edges = || sources.iter().flat_map(|&s| &a.edges[s as usize]);
        if edges().next().is_none() {
            out.push_str("  false;\n");
            return;
        }
        out.push_str("  do\n");
        for e in edges() {
            let text = label_text(&mut alphabet.bdds, &names, e.label, &LabelStyle::PROMELA);
            let _ = if a.is_final[e.to as usize] {
                writeln!(out, "  :: atomic {{ ({text}) -> assert(!({text})) }}")
            } else {
                writeln!(out, "  :: ({text}) -> goto {}", label(e.to))
            };
        }
        out.push_str("  od;\n");
    };
    state(&mut out, "T0_init", &start);
    for s in 0..a.states() as u32 {
        if Some(s) != single && !a.is_final[s as usize] {
            state(&mut out, &label(s), &[s]);
        }
    }
    out.push_str("}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::Bdd;

    fn sample(alphabet: &mut Alphabet) -> FiniteAutomaton {
        let (p, q) = (alphabet.declare("p"), alphabet.declare("x > 1"));
        let (yes, no) = (alphabet.bdds.variable(p), alphabet.bdds.literal((p, false)));
        let other = alphabet.bdds.variable(q);
        let mut a = FiniteAutomaton::new(vec![p, q]);
        let (s, t, end) = (a.add_state(false), a.add_state(false), a.add_state(true));
        a.name = Some("p */ \"q\"".to_string());
        a.initial.push(t);
        a.add_edge(t, s, yes);
        a.add_edge(t, t, no);
        a.add_edge(s, end, other);
        a.add_edge(end, end, Bdd::TRUE);
        a
    }

    #[test]
    fn claims_fail_where_the_word_is_accepted() {
        let mut alphabet = Alphabet::new();
        let mut a = sample(&mut alphabet);
        assert_eq!(
            write_safety_claim(&mut alphabet, &a),
            "never { /* p * / \"q\" */\n\
             T0_init:\n  do\n  :: (p) -> goto T0_S0\n  :: (!p) -> goto T0_init\n  od;\n\
             T0_S0:\n  do\n  :: atomic { ((x > 1)) -> assert(!((x > 1))) }\n  od;\n}\n"
        );
        a.name = None;
        a.initial.push(0);
        let text = write_safety_claim(&mut alphabet, &a);
        assert!(
            text.contains("goto T0_S1\n") && text.contains("T0_S1:\n"),
            "{text}"
        );
        a.initial.push(2);
        assert_eq!(
            write_safety_claim(&mut alphabet, &a),
            "never {\nT0_init:\n  assert(0)\n}\n"
        );
        a.initial.clear();
        let text = write_safety_claim(&mut alphabet, &a);
        assert!(text.contains("T0_init:\n  false;\n"), "{text}");
    }

    #[test]
    fn pictures_double_final_states() {
        let mut alphabet = Alphabet::new();
        let a = sample(&mut alphabet);
        let text = finite_picture(&mut alphabet, &a).to_dot();
        assert!(
            text.contains("  2 [label=\"2\", peripheries=2];\n"),
            "{text}"
        );
        assert!(text.contains("  1 -> 1 [label=\"¬p\"];\n"), "{text}");
        assert_eq!(text.matches("peripheries").count(), 1);
    }
}
