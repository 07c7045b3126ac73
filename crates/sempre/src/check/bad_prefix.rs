//! Is a finite word a bad prefix of a property? By its definition, with nothing that a search uses.
//!
//! A word is one for a formula if it is *informative*: if it explains, by the expansion laws, why the formula's negation holds
//! of it and of all that may come (Kupferman and Vardi, FMSD 2001). That is seen by evaluating the negation from the
//! last letter to the first, with nothing granted behind the last. Not all bad prefixes are informative; for the others, an
//! automaton of the formula itself, not of its negation, is made, and accepts nothing from the states that the word
//! leads to.
//!
//! A word is one for an automaton of violations if it can lead it into a component that cannot be left and accepts
//! everything.

use super::property::Claim;
use rustc_hash::FxHashMap;
use sempre_ltl::nnf::nnf_exact;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::emptiness::is_empty;
use sempre_omega::{Alphabet, Automaton, Bdds, Sccs};
use sempre_translate::translator::{Effort, Options, Translator};

/// Do all continuations of the word violate the claim? A letter tells of each proposition whether it holds.
pub fn is_bad_prefix(claim: &mut Claim, word: &[Vec<bool>]) -> bool {
    match claim {
        Claim::Formula(formulas, f) => {
            is_informative(formulas, *f, word) || cannot_be_saved(formulas, *f, word)
        }
        // Any process may still move; and a failure is no matter of propositions.
        Claim::Progress(_) | Claim::NoFailure(_) => false,
        Claim::Violation(alphabet, violations) => {
            let states = reached(&alphabet.bdds, violations, word);
            let sccs = Sccs::new(violations);
            let accepting = sccs.accepting(violations);
            states.into_iter().any(|s| {
                let scc = sccs.of[s as usize] as usize;
                accepting.get(scc) == Some(&true)
                    && sccs.is_terminal(violations, &mut alphabet.bdds, scc)
            })
        }
    }
}

/// Is the word an informative bad prefix of the formula as it is written?
fn is_informative(formulas: &mut Formulas, f: Formula, word: &[Vec<bool>]) -> bool {
    let not = formulas.node(Op::Not, &[f]);
    let bad = nnf_exact(formulas, not);
    let all: Vec<Formula> = formulas.subformulas(bad);
    let places = all.iter().enumerate().map(|(i, &g)| (g, i));
    let place: FxHashMap<Formula, usize> = places.collect();
    let operands: Vec<Vec<usize>> = (all.iter())
        .map(|&g| formulas.operands(g).iter().map(|h| place[h]).collect())
        .collect();
    // Behind the last letter nothing is granted.
    let mut next = vec![false; all.len()];
    for letter in word.iter().rev() {
        let mut now: Vec<bool> = Vec::with_capacity(all.len());
        for (i, &g) in all.iter().enumerate() {
            let of = |k: usize| now[operands[i][k]];
            let holds = match formulas.op(g) {
                Op::True => true,
                Op::Proposition => letter[formulas.proposition_number(g)],
                Op::Not => !of(0),
                Op::And => operands[i].iter().all(|&h| now[h]),
                Op::Or => operands[i].iter().any(|&h| now[h]),
                Op::Next => next[operands[i][0]],
                Op::Finally => of(0) || next[i],
                Op::Globally => of(0) && next[i],
                Op::Until => of(1) || of(0) && next[i],
                Op::Release => of(1) && (of(0) || next[i]),
                // `False`, and what is not in normal form.
                _ => false,
            };
            now.push(holds);
        }
        next = now;
    }
    !word.is_empty() && next.last() == Some(&true)
}

/// Does no continuation of the word satisfy the formula?
fn cannot_be_saved(formulas: &mut Formulas, f: Formula, word: &[Vec<bool>]) -> bool {
    let mut alphabet = Alphabet::new();
    for p in 0..formulas.names().len() {
        alphabet.declare(formulas.name(p));
    }
    let options = Options {
        effort: Effort::Medium,
        ..Options::default()
    };
    let mut models = Translator::new().translate(formulas, &mut alphabet, f, options);
    models.initial = reached(&alphabet.bdds, &models, word);
    is_empty(&models)
}

/// The states that a word leads to.
fn reached(bdds: &Bdds, a: &Automaton, word: &[Vec<bool>]) -> Vec<u32> {
    let mut now = a.initial.clone();
    for letter in word {
        let edges = now.iter().flat_map(|&s| &a.edges[s as usize]);
        now = edges
            .filter(|e| bdds.eval(e.label, |v| letter[v as usize]))
            .map(|e| e.to)
            .collect();
        now.sort_unstable();
        now.dedup();
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::{Lasso, Random};
    use sempre_ltl::random::RandomFormula;
    use sempre_ltl::{ParseOptions, holds, parse};

    fn claim(text: &str) -> Claim {
        let mut formulas = Formulas::new();
        for p in ["p", "q"] {
            formulas.proposition(p);
        }
        let f = parse(&mut formulas, text, &ParseOptions::default());
        let f = f.expect("it is right").formula;
        Claim::Formula(Box::new(formulas), f)
    }

    #[test]
    fn informative_or_not() {
        let letters = |word: &[u8]| -> Vec<Vec<bool>> {
            let each = word.iter().map(|l| vec![l & 1 == 1, l & 2 == 2]);
            each.collect()
        };
        for (text, word, bad) in [
            ("G p", &[1, 1, 0][..], true),
            ("G p", &[1, 1], false),
            ("G p", &[], false),
            ("0", &[], true),
            ("G(p | (X q & X !q))", &[1, 0], true),
            ("G(p | (X q & X !q))", &[1, 1], false),
            ("p | X(G q & F !q)", &[0], true),
            ("F p", &[0, 0], false),
            ("p U q", &[1, 0], true),
            ("X X q", &[0, 0, 1], true),
            ("X X q", &[0, 0], false),
        ] {
            let word = letters(word);
            assert_eq!(is_bad_prefix(&mut claim(text), &word), bad, "{text}");
        }
    }

    /// What is said to be bad is violated by whatever follows; what is not can be saved.
    #[test]
    fn continuations_agree() {
        let mut random = Random::new(3);
        let (mut bad, mut saved) = (0, 0);
        for _ in 0..1500 {
            let mut formulas = Formulas::new();
            for p in ["p0", "p1"] {
                formulas.proposition(p);
            }
            let f = RandomFormula::new(2).draw(&mut formulas, &mut random);
            let mut word = |most: usize| -> Vec<Vec<bool>> {
                let length = 1 + random.below(most);
                let letter = |_| vec![random.chance(0.5), random.chance(0.5)];
                (0..length).map(letter).collect()
            };
            let start = word(4);
            let continuations: Vec<_> = (0..30).map(|_| (word(3), word(3))).collect();
            let mut claim = Claim::Formula(Box::new(formulas.clone()), f);
            let is_bad = is_bad_prefix(&mut claim, &start);
            let holds_after = |(more, cycle): &(Vec<Vec<bool>>, Vec<Vec<bool>>)| {
                let whole = Lasso::new([start.as_slice(), more].concat(), cycle.clone());
                let letters = whole.map(|l| (0..2).filter(|&p| l[p]).collect());
                holds(&formulas, f, &letters)
            };
            let any = continuations.iter().any(holds_after);
            assert!(!(is_bad && any));
            bad += usize::from(is_bad);
            saved += usize::from(any);
        }
        assert!(
            bad > 300 && saved > 300 && bad + saved > 1400,
            "{bad} {saved}"
        );
    }
}
