//! The property process of a DVE file as an automaton of violations.
//!
//! Each distinct guard becomes a proposition. Acceptance is by locations, so an edge carries the marks of the
//! location that it leaves. Muller's condition gives each location a mark of its own. For Rabin's and
//! Streett's the descriptions of the language do not say which half of a pair is which, and no model that we know uses
//! them: they are refused, which is better than a guess.

use super::property::{Asked, Claim, Property, Proposition};
use rustc_hash::FxHashMap;
use sempre_lang::dve::{self, PropertyProcess};
use sempre_model::Expr;
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark};

/// The property.
///
/// # Errors
/// What is not supported about it, in words.
pub fn property(process: &PropertyProcess) -> Result<Property, String> {
    let (marks, sets, acceptance) = acceptance(process)?;
    let mut alphabet = Alphabet::new();
    let mut propositions: Vec<Proposition> = Vec::new();
    let mut labels: FxHashMap<&Expr, Bdd> = FxHashMap::default();
    let mut a = Automaton::new(Vec::new(), sets, acceptance);
    a.name = Some(process.name.clone());
    a.edges = vec![Vec::new(); process.states.len()];
    a.state_names = process.states.iter().cloned().map(Some).collect();
    a.initial.push(process.initial as u32);
    for t in &process.transitions {
        let label = match &t.guard {
            Expr::Constant(0) => continue,
            Expr::Constant(_) => Bdd::TRUE,
            guard => *labels.entry(guard).or_insert_with(|| {
                // Texts of different guards may be the same: the names in them are the process's own.
                let same = propositions.iter().any(|p| p.text == t.text);
                let text = match same {
                    true => format!("{} (line {})", t.text, t.line),
                    false => t.text.clone(),
                };
                let variable = alphabet.declare(&format!("{}", propositions.len()));
                propositions.push(Proposition {
                    text,
                    meaning: guard.clone(),
                });
                alphabet.bdds.variable(variable)
            }),
        };
        a.add_edge(t.from as u32, t.to as u32, label, marks[t.from].clone());
    }
    a.propositions = (0..propositions.len() as u32).collect();
    Ok(Property {
        asked: Asked::Runs,
        name: process.name.clone(),
        propositions,
        claim: Claim::Violation(Box::new(alphabet), Box::new(a)),
        warnings: Vec::new(),
    })
}

/// The marks of each location, the number of sets and the condition.
fn acceptance(process: &PropertyProcess) -> Result<(Vec<Mark>, u32, Acceptance), String> {
    let count = process.states.len();
    let by_sets = |sets: &[&[usize]]| -> Vec<Mark> {
        let of = |state: usize| {
            let numbers = (0..sets.len() as u32).filter(|&s| sets[s as usize].contains(&state));
            numbers.collect()
        };
        (0..count).map(of).collect()
    };
    Ok(match &process.acceptance {
        dve::Acceptance::Buchi(set) => (by_sets(&[set]), 1, Acceptance::buchi()),
        dve::Acceptance::GeneralizedBuchi(sets) => {
            let n = sets.len() as u32;
            let sets: Vec<&[usize]> = sets.iter().map(Vec::as_slice).collect();
            (by_sets(&sets), n, Acceptance::generalized_buchi(n))
        }
        dve::Acceptance::Muller(sets) => {
            let exactly = |set: &Vec<usize>| {
                Acceptance::and((0..count).map(|s| match set.contains(&s) {
                    true => Acceptance::Inf(s as u32),
                    false => Acceptance::Fin(s as u32),
                }))
            };
            let marks = (0..count as u32).map(|s| [s].into_iter().collect());
            let condition = Acceptance::or(sets.iter().map(exactly));
            (marks.collect(), count as u32, condition)
        }
        dve::Acceptance::Rabin(_) | dve::Acceptance::Streett(_) => {
            return Err(format!(
                "the property process `{}` has a Rabin or Streett condition, which is not supported; give the \
                 automaton as HOA with --violation",
                process.name
            ));
        }
    })
}
