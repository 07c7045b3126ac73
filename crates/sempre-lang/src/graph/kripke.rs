//! Graphs in HOA: an automaton whose states carry labels, read as a Kripke structure.
//!
//! Each state must have one label that says of every proposition whether it is true: as a state label, or
//! as the same label on all its edges, which is the same to the format. Acceptance must be a conjunction of
//! `Inf`, or `t`: these are the fairness constraints, and their sets become marks. Other conditions have no
//! place in a graph and are refused.
//!
//! The reader of `sempre-omega` moves state labels to edges, so that of a state without successors is lost.
//! If there is one, the text is read a second time with a loop added to each state, for its label alone.

use super::{Graph, GraphEdge, GraphState, MAX_MARKS};
use sempre_base::{Diagnostic, Severity, Span};
use sempre_omega::{Alphabet, Automaton, Bdd, HoaItem, Mark, read_hoa};
use std::fmt::Write;

/// Reads the one automaton of a HOA text as a graph.
pub fn read_kripke(text: &str) -> Result<Graph, Vec<Diagnostic>> {
    let mut alphabet = Alphabet::new();
    let item = one_automaton(&mut alphabet, text)?;
    let automaton = &item.automaton;
    let place = Span::new(item.span.start, (item.span.start + 4).min(item.span.end));
    let error = |message: String| vec![Diagnostic::error(place, message)];
    if item.alternating {
        return Err(error(
            "a Kripke structure has one destination for each edge".to_string(),
        ));
    }
    let constraints = (automaton.acceptance.as_generalized_buchi())
        .filter(|sets| sets.len() <= MAX_MARKS)
        .ok_or_else(|| {
            error(format!(
                "the acceptance of a Kripke structure must be a conjunction of at most {MAX_MARKS} `Inf`"
            ))
        })?;
    if automaton.initial.is_empty() {
        return Err(error(
            "a Kripke structure needs an initial state".to_string(),
        ));
    }
    let labels = state_labels(&mut alphabet, automaton, text, item.span)
        .map_err(|state| error(no_label(automaton, state)))?;

    let mut graph = Graph {
        name: automaton.name.clone().unwrap_or_default(),
        propositions: (automaton.propositions.iter())
            .map(|&p| alphabet.name(p).to_string())
            .collect(),
        marks: constraints.len(),
        initial: automaton.initial.clone(),
        states: Vec::new(),
    };
    graph.initial.sort_unstable();
    graph.initial.dedup();
    let names = unique_names(automaton);
    for ((edges, label), name) in automaton.edges.iter().zip(labels).zip(names) {
        sempre_base::checkpoint();
        let Some(propositions) = assignment(&alphabet, automaton, label) else {
            let state = graph.states.len();
            return Err(error(no_label(automaton, state)));
        };
        let mut edges: Vec<GraphEdge> = edges
            .iter()
            .map(|e| GraphEdge {
                to: e.to,
                marks: word(&constraints, &e.mark),
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        graph.states.push(GraphState {
            name,
            propositions,
            edges,
        });
    }
    Ok(graph)
}

fn one_automaton(alphabet: &mut Alphabet, text: &str) -> Result<HoaItem, Vec<Diagnostic>> {
    let (mut items, diagnostics) = read_hoa(alphabet, text);
    let errors: Vec<Diagnostic> = diagnostics
        .into_iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    match (items.len(), items.get(1)) {
        (1, _) => Ok(items.swap_remove(0)),
        (_, Some(second)) => {
            let start = second.span.start;
            let message = "a second automaton, where one Kripke structure is expected";
            Err(vec![Diagnostic::error(
                Span::new(start, start + 4),
                message,
            )])
        }
        _ => Err(vec![Diagnostic::error(
            Span::new(text.len(), text.len()),
            "expected an automaton in the HOA format",
        )]),
    }
}

fn no_label(automaton: &Automaton, state: usize) -> String {
    let name = match automaton.state_names.get(state) {
        Some(Some(name)) => format!("{state} ({name})"),
        _ => state.to_string(),
    };
    format!("state {name} needs one label that says of every proposition whether it is true")
}

/// The marks of an edge, numbered by the constraints.
fn word(constraints: &Mark, mark: &Mark) -> u64 {
    let sets = constraints.iter().enumerate();
    sets.filter(|(_, set)| mark.contains(*set))
        .fold(0, |word, (i, _)| word | 1 << i)
}

/// The names of the states, or their numbers, if not all have different names.
fn unique_names(automaton: &Automaton) -> Vec<String> {
    let named: Option<Vec<String>> = automaton.state_names.iter().cloned().collect();
    let named = named.filter(|names| {
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        sorted.len() == automaton.states() && !names.iter().any(String::is_empty)
    });
    named.unwrap_or_else(|| (0..automaton.states()).map(|s| s.to_string()).collect())
}

/// The label of each state; the number of a state that has none, or several.
fn state_labels(
    alphabet: &mut Alphabet,
    automaton: &Automaton,
    text: &str,
    span: Span,
) -> Result<Vec<Bdd>, usize> {
    let mut labels = Vec::new();
    let mut looped = None;
    for (state, edges) in automaton.edges.iter().enumerate() {
        sempre_base::checkpoint();
        let mut edges = edges.iter();
        let label = match edges.next() {
            Some(first) => Some(first.label),
            None if automaton.propositions.is_empty() => Some(Bdd::TRUE),
            None => {
                let looped = looped.get_or_insert_with(|| {
                    let text = with_loops(&text[span.start..span.end]);
                    one_automaton(alphabet, &text).ok()
                });
                let edges = looped.as_ref().and_then(|a| a.automaton.edges.get(state));
                edges.and_then(|edges| Some(edges.first()?.label))
            }
        };
        match label {
            Some(label) if edges.all(|e| e.label == label) => labels.push(label),
            _ => return Err(state),
        }
    }
    Ok(labels)
}

/// The propositions that a label makes true; `None` if it leaves one open.
fn assignment(alphabet: &Alphabet, automaton: &Automaton, label: Bdd) -> Option<Vec<u32>> {
    let bdds = &alphabet.bdds;
    let literals = bdds.pick(label)?;
    let mut at = label;
    let mut fixed = 0;
    // A cube: one way to the constant true, and each node on it has the other way false.
    while !at.is_constant() {
        fixed += 1;
        at = match (bdds.low(at).is_false(), bdds.high(at).is_false()) {
            (true, false) => bdds.high(at),
            (false, true) => bdds.low(at),
            _ => return None,
        };
    }
    let mut distinct = automaton.propositions.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if fixed != distinct.len() {
        return None;
    }
    let holds = |p: u32| literals.iter().any(|&(v, sign)| v == p && sign);
    let numbers = 0..automaton.propositions.len() as u32;
    Some(
        numbers
            .filter(|&i| holds(automaton.propositions[i as usize]))
            .collect(),
    )
}

/// The text of an automaton with one more edge for each state, a loop, right behind its header
/// `State: [label] number "name" {marks}`.
fn with_loops(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut rest = text;
    let mut in_body = false;
    // Since `State:` was seen: outside brackets and braces, the first number.
    let mut header: Option<Option<&str>> = None;
    while let Some(c) = rest.chars().next() {
        sempre_base::checkpoint();
        let length = match c {
            '"' => string_length(rest),
            '/' if rest.starts_with("/*") => comment_length(rest),
            '[' | '{' => {
                let close = if c == '[' { ']' } else { '}' };
                rest.find(close).map_or(rest.len(), |i| i + 1)
            }
            c if c.is_ascii_alphanumeric() || c == '-' || c == '_' => {
                let part = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
                rest.find(|c| !part(c)).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let token = &rest[..length];
        // What follows the number and is neither a name nor marks begins the edges.
        let is_header_part = c.is_whitespace() || token.starts_with(['"', '{', '/']);
        if let Some(Some(number)) = header
            && !is_header_part
        {
            let _ = write!(out, " {number} ");
            header = None;
        }
        match token {
            "--BODY--" => in_body = true,
            "State:" if in_body => header = Some(None),
            number if header == Some(None) && number.bytes().all(|b| b.is_ascii_digit()) => {
                header = Some(Some(number));
            }
            _ => {}
        }
        out.push_str(token);
        rest = &rest[length..];
    }
    out
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return i + 1,
            _ => {}
        }
    }
    text.len()
}

/// Comments nest.
fn comment_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0, 0);
    while i + 1 < bytes.len() {
        match &bytes[i..i + 2] {
            b"/*" => {
                depth += 1;
                i += 2;
            }
            b"*/" => {
                depth -= 1;
                i += 2;
                if depth == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    text.len()
}

/// The graph as HOA with state labels.
pub fn write_kripke(graph: &Graph) -> String {
    let mut out = String::from("HOA: v1\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    if !graph.name.is_empty() {
        let _ = writeln!(out, "name: {}", quoted(&graph.name));
    }
    let _ = writeln!(out, "States: {}", graph.states.len());
    for state in &graph.initial {
        let _ = writeln!(out, "Start: {state}");
    }
    let _ = write!(out, "AP: {}", graph.propositions.len());
    for p in &graph.propositions {
        let _ = write!(out, " {}", quoted(p));
    }
    let sets: Vec<String> = (0..graph.marks).map(|m| format!("Inf({m})")).collect();
    let (name, condition) = match graph.marks {
        0 => ("all".to_string(), "t".to_string()),
        1 => ("Buchi".to_string(), sets.join("")),
        n => (format!("generalized-Buchi {n}"), sets.join("&")),
    };
    let _ = writeln!(
        out,
        "\nacc-name: {name}\nAcceptance: {} {condition}",
        graph.marks
    );
    out.push_str("properties: state-labels explicit-labels trans-acc\n--BODY--\n");
    for (number, state) in graph.states.iter().enumerate() {
        let literals: Vec<String> = (0..graph.propositions.len() as u32)
            .map(|p| match state.propositions.binary_search(&p) {
                Ok(_) => p.to_string(),
                Err(_) => format!("!{p}"),
            })
            .collect();
        let label = match literals.is_empty() {
            true => "t".to_string(),
            false => literals.join("&"),
        };
        let _ = write!(out, "State: [{label}] {number}");
        if state.name != number.to_string() {
            let _ = write!(out, " {}", quoted(&state.name));
        }
        out.push('\n');
        for edge in &state.edges {
            let _ = write!(out, "{}", edge.to);
            let marks: Vec<String> = (0..graph.marks)
                .filter(|m| edge.marks >> m & 1 != 0)
                .map(|m| m.to_string())
                .collect();
            if !marks.is_empty() {
                let _ = write!(out, " {{{}}}", marks.join(" "));
            }
            out.push('\n');
        }
    }
    out.push_str("--END--\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::read_graph;
    use crate::random_graph::{RandomGraph, random_graph};
    use sempre_base::Random;

    #[test]
    fn what_is_written_is_read_back() {
        let mut random = Random::new(1);
        for round in 0..100 {
            let mut graph = random_graph(
                &mut random,
                &RandomGraph {
                    states: 1 + round % 9,
                    density: 0.2,
                    propositions: ["p", "x > \"1\"", "r"][..round % 4 % 4]
                        .iter()
                        .map(|p| (*p).to_string())
                        .collect(),
                    truth: 0.5,
                    marks: (round % 3) as u32,
                    mark_probability: 0.3,
                },
            );
            if round % 2 == 0 {
                for state in &mut graph.states {
                    state.name = format!("s {}", state.name);
                }
            }
            let dead = round % graph.states.len();
            graph.states[dead].edges.clear();
            let text = write_kripke(&graph);
            assert_eq!(read_kripke(&text).as_ref(), Ok(&graph), "{text}");
        }
    }

    const SMALL: &str = "HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 2 Inf(1) --BODY--
State: [0&!1] 0 \"State: 7\" 1 0 {1}
/* State: 3 */ State: [0&1] /* c */ 1 {1}
--END--";

    #[test]
    fn labels_of_states_without_successors_are_kept() {
        let expected = "propositions a b\nmarks 1\n0: a -> 1 0 {0}\n1: a b\n";
        let graph = read_kripke(SMALL).unwrap();
        assert_eq!(graph, read_graph(expected).unwrap());
    }

    #[test]
    fn what_is_no_kripke_structure_is_refused() {
        let check = |from: &str, to: &str, expected: &str| {
            assert!(SMALL.contains(from));
            let error = read_kripke(&SMALL.replacen(from, to, 1))
                .unwrap_err()
                .remove(0);
            assert!(error.message.contains(expected), "{}", error.message);
        };
        check("[0&!1]", "[0]", "state 0 (State: 7) needs one label");
        check("[0&1]", "[0|1]", "state 1 needs one label");
        check("[0&1]", "", "state 1 needs one label");
        check("1 0 {1}", "1&0 {1}", "one destination");
        check("Inf(1)", "Fin(1)", "must be a conjunction");
        check("Start: 0", "", "needs an initial state");
        check("--END--", "", "");
        assert!(read_kripke("").is_err());
        assert!(
            read_kripke(&format!("{SMALL}\n{SMALL}")).unwrap_err()[0]
                .message
                .contains("second")
        );
        for end in 0..SMALL.len() {
            let _ = read_kripke(&SMALL[..end]);
        }
    }
}
