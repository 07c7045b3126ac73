//! Does a testing automaton accept a lasso word? The definitions, word by word.
//!
//! The runs over the positions of the word are made explicitly and searched for an accepting cycle by
//! the generic emptiness check. It is the reference for everything else, so nothing is clever here.
//!
//! Cost: transitions times positions.

use super::{Ta, Tgta, valuation};
use crate::acceptance::Acceptance;
use crate::automaton::Automaton;
use crate::bdd::Bdd;
use crate::emptiness::is_empty;
use crate::mark::Mark;
use crate::word::Word;
use rustc_hash::FxHashMap;

/// A state of a testing automaton at a position of the word.
type Place = (u32, usize);

/// The runs from some places, as an automaton without labels, and the places that they reach.
fn runs(
    sets: u32,
    begin: Vec<Place>,
    mut next: impl FnMut(Place, &mut dyn FnMut(Place, Mark)),
) -> (Automaton, Vec<Place>) {
    let mut a = Automaton::new(Vec::new(), sets, Acceptance::generalized_buchi(sets));
    let mut number: FxHashMap<Place, u32> = FxHashMap::default();
    let mut places: Vec<Place> = Vec::new();
    let mut find = |a: &mut Automaton, places: &mut Vec<Place>, p: Place| {
        *number.entry(p).or_insert_with(|| {
            places.push(p);
            a.add_state()
        })
    };
    for p in begin {
        let s = find(&mut a, &mut places, p);
        a.initial.push(s);
    }
    let mut at = 0;
    while at < places.len() {
        let from = places[at];
        next(from, &mut |to, mark| {
            let to = find(&mut a, &mut places, to);
            a.add_edge(at as u32, to, Bdd::TRUE, mark);
        });
        at += 1;
    }
    (a, places)
}

/// Does the automaton accept the word?
pub fn ta_accepts(t: &Ta, word: &Word) -> bool {
    let letter: Vec<u64> = word
        .letters()
        .map(|l| valuation(&t.propositions, l))
        .collect();
    let begin = t.initial_states(letter[0]).map(|s| (s, 0)).collect();
    let (a, places) = runs(2, begin, |(s, i), emit| {
        let j = word.successor(i);
        let changeset = letter[i] ^ letter[j];
        let mut mark = Mark::EMPTY;
        if t.buchi[s as usize] {
            mark.insert(0);
        }
        if changeset == 0 {
            emit((s, j), mark.clone());
        } else {
            mark.insert(1);
        }
        for e in t.edges(s, changeset) {
            emit((e.to, j), mark.clone());
        }
    });
    let ends: Vec<usize> = (word.prefix().len()..word.len()).collect();
    let stutters = ends.iter().all(|&i| letter[i] == letter[ends[0]]);
    !is_empty(&a)
        || stutters
            && places
                .iter()
                .any(|&(s, i)| ends.contains(&i) && t.livelock[s as usize])
}

/// Does the automaton accept the word?
pub fn tgta_accepts(t: &Tgta, word: &Word) -> bool {
    let letter: Vec<u64> = word
        .letters()
        .map(|l| valuation(&t.propositions, l))
        .collect();
    let begin = t.initial_states(letter[0]).map(|s| (s, 0)).collect();
    let (a, _) = runs(t.sets, begin, |(s, i), emit| {
        let j = word.successor(i);
        for e in t.edges(s, letter[i] ^ letter[j]) {
            emit((e.to, j), Mark::from_word(e.marks));
        }
    });
    !is_empty(&a)
}
