//! Automata as pictures.
//!
//! A [`Picture`] is the common form of all kinds of automata: states with a text, some of them doubled or dashed,
//! arrows with lines of text, initial arrows, frames around components. It is drawn here ([`Picture::to_svg`]), or
//! written for GraphViz ([`Picture::to_dot`]).

mod dot;
mod layers;
mod routes;
mod strokes;
mod svg;
mod text;

pub use svg::stacked;
pub use text::escaped;

use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::Bdd;
use crate::hoa::acceptance_name;
use crate::labels::{LabelStyle, label_text};
use crate::mark::Mark;
use crate::scc::Sccs;
use rustc_hash::FxHashMap;

/// A state of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// The text inside.
    pub text: String,
    /// With a doubled outline?
    pub doubled: bool,
    /// With a dashed outline?
    pub dashed: bool,
    /// The text of the initial arrow, if there is one.
    pub initial: Option<Vec<String>>,
}

/// An arrow of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrow {
    /// Its source.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// Its text.
    pub lines: Vec<String>,
}

/// A component of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The states inside.
    pub spots: Vec<u32>,
    /// Can an accepting run stay there?
    pub accepting: bool,
}

/// The items of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Lines above.
    pub title: Vec<String>,
    /// The states.
    pub spots: Vec<Spot>,
    /// The arrows between them.
    pub arrows: Vec<Arrow>,
    /// Components with a loop.
    pub frames: Vec<Frame>,
}

/// An ω-automaton as a picture: labels with the real names, Büchi acceptance on states as doubled outlines, other
/// acceptance sets as numbers in discs behind the label.
pub fn picture(alphabet: &mut Alphabet, a: &Automaton) -> Picture {
    let doubled = a.acceptance == Acceptance::buchi() && a.sets == 1 && a.has_state_acceptance();
    let mut title: Vec<String> = a.name.iter().cloned().collect();
    title.push(match acceptance_name(&a.acceptance, a.sets) {
        Some(name) => format!("[{name}]"),
        None => a.acceptance.to_string(),
    });
    let spots = (0..a.states())
        .map(|s| Spot {
            text: match a.state_names.get(s).and_then(Option::as_ref) {
                Some(name) => format!("{s}: {name}"),
                None => s.to_string(),
            },
            doubled: doubled && a.edges[s].first().is_some_and(|e| e.mark.contains(0)),
            dashed: false,
            initial: a.initial.contains(&(s as u32)).then(Vec::new),
        })
        .collect();
    let names: Vec<String> = alphabet.names().iter().map(|n| readable(n)).collect();
    let mut labels: FxHashMap<Bdd, String> = FxHashMap::default();
    let mut arrows = Vec::new();
    for (from, edges) in (0..).zip(&a.edges) {
        for e in edges {
            sempre_base::checkpoint();
            let label = labels.entry(e.label).or_insert_with(|| {
                label_text(&mut alphabet.bdds, &names, e.label, &LabelStyle::UNICODE)
            });
            let mut lines = vec![label.clone()];
            if !doubled && !e.mark.is_empty() {
                lines.push(marks(&e.mark));
            }
            let to = e.to;
            arrows.push(Arrow { from, to, lines });
        }
    }
    let sccs = Sccs::new(a);
    let mut frames = Vec::new();
    for (c, accepting) in sccs.accepting(a).into_iter().enumerate() {
        if !sccs.is_trivial(a, c) {
            let mut spots = sccs.states[c].clone();
            spots.sort_unstable();
            frames.push(Frame { spots, accepting });
        }
    }
    Picture {
        title,
        spots,
        arrows,
        frames,
    }
}

/// The numbers in discs, so far as there are such characters, or `{0,21}`.
pub(crate) fn marks(mark: &Mark) -> String {
    let disc = |set: u32| match set {
        0 => char::from_u32(0x24ff),
        1..=10 => char::from_u32(0x2776 + set - 1),
        11..=20 => char::from_u32(0x24eb + set - 11),
        _ => None,
    };
    if let Some(discs) = mark.iter().map(disc).collect() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_in_discs() {
        let many = [1, 10, 11, 20].into_iter().collect();
        assert_eq!(marks(&many), "❶❿⓫⓴");
        assert_eq!(marks(&[1, 21].into_iter().collect()), "{1,21}");
    }
}
