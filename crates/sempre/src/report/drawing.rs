//! The automaton of the violations as a drawing, and the way of a run through it.
//!
//! The check compiled its automaton and forgot it; here it is made once more, in the same way, within a limit of time. Testing
//! automata observe changes, so a run has no way through them that one could follow with a finger: the generalised Büchi
//! automaton of the same violations is drawn instead. An automaton that was given is drawn as it was given.
//!
//! The way of a lasso is an accepting run on the word that the propositions make: an accepting run of the explicit product of automaton and
//! word ([`accepting_run`]). It may go round the cycle of the model several times before it closes.

use super::Subject;
use crate::check::finite_violations::{Prefixes, prefixes};
use crate::check::translation::in_time;
use crate::check::{AutomatonKind, Claim, Moment};
use rustc_hash::FxHashMap;
use sempre_base::Lasso;
use sempre_ltl::{Formulas, Syntax, print};
use sempre_omega::accepting_run::accepting_run;
use sempre_omega::bdd::{Bdd, Bdds};
use sempre_omega::finite::finite_picture;
use sempre_omega::picture::{Picture, picture};
use sempre_omega::{Alphabet, Automaton, FiniteAutomaton};
use sempre_translate::translator::{Kind, Options, Translator};
use std::time::{Duration, Instant};

/// Larger automata are not drawn: nobody could read them.
const MOST_STATES: usize = 60;
const MOST_EDGES: usize = 400;

/// Making it once more may not take longer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A drawing and a way through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The kind of the automaton that is drawn.
    pub kind: &'static str,
    /// The drawing, unless the automaton is too large.
    pub svg: Option<String>,
    /// The states of the run, one for each moment of it, in the order of time; a finite run has the state at its end, too.
    pub path: Vec<u32>,
    /// The state that follows the last one.
    pub back: Option<usize>,
}

/// The automaton, on one kind of words or the other.
enum Made {
    Runs(Alphabet, Automaton),
    Prefixes(Alphabet, FiniteAutomaton),
}

/// The drawing of what a check searched; `None` if there is none, or none in time.
pub(super) fn drawing(subject: &Subject<'_>) -> Option<Drawing> {
    let facts = subject.report.automaton.as_ref()?;
    let claim = subject.property.claim.clone();
    if let Claim::Progress(_) = claim {
        return None;
    }
    let (kind, deterministic) = (facts.kind, subject.deterministic);
    let count = subject.property.propositions.len();
    let deadline = Instant::now().checked_add(PATIENCE);
    let made = in_time(deadline, None, move || {
        make(claim, count, kind, deterministic)
    });
    let evidence = subject.evidence();
    match made.ok()?? {
        Made::Runs(mut alphabet, a) => {
            let run = evidence.filter(|e| !e.is_finite());
            let (path, back) = (run.map(|e| (e.prefix().to_vec(), e.cycle().to_vec())))
                .and_then(|(prefix, cycle)| way(&alphabet.bdds, &a, &Lasso::new(prefix, cycle)))
                .map_or((Vec::new(), None), |(path, back)| (path, Some(back)));
            let small = a.states() <= MOST_STATES && a.edge_count() <= MOST_EDGES;
            let kind = match kind {
                AutomatonKind::Ta | AutomatonKind::Tgta => AutomatonKind::Tgba,
                kind => kind,
            };
            Some(Drawing {
                kind: kind.name(),
                svg: small.then(|| drawn(picture(&mut alphabet, &a))),
                path,
                back,
            })
        }
        Made::Prefixes(mut alphabet, a) => {
            let path = evidence.map_or(Vec::new(), |e| {
                finite_way(&alphabet.bdds, &a, e.prefix()).unwrap_or_default()
            });
            let small = a.states() <= MOST_STATES && a.edge_count() <= MOST_EDGES;
            Some(Drawing {
                kind: kind.name(),
                svg: small.then(|| drawn(finite_picture(&mut alphabet, &a))),
                path,
                back: None,
            })
        }
    }
}

/// Without the formula above: the page has it.
fn drawn(mut picture: Picture) -> String {
    let acceptance = picture.title.pop();
    picture.title = acceptance.into_iter().collect();
    picture.to_svg()
}

fn make(mut claim: Claim, count: usize, kind: AutomatonKind, deterministic: bool) -> Option<Made> {
    let mut alphabet = Alphabet::new();
    if let Claim::Formula(formulas, _) = &claim {
        for p in 0..count {
            alphabet.declare(formulas.name(p));
        }
    }
    let mut translator = Translator::new();
    if kind.is_finite() {
        // As the check did: it asks for what it wants by itself in the same way.
        for asked in [None, Some(kind)] {
            let asked = match kind {
                AutomatonKind::Nfa => Some(kind),
                _ => asked,
            };
            let found = prefixes(&mut translator, &mut claim, &mut alphabet, asked);
            if let Ok(Prefixes::Finite(a, _)) = found {
                let alphabet = match claim {
                    Claim::Violation(own, _) => *own,
                    Claim::Formula(..) | Claim::Progress(_) | Claim::NoFailure(_) => alphabet,
                };
                return Some(Made::Prefixes(alphabet, *a));
            }
        }
        return None;
    }
    match claim {
        Claim::Progress(_) | Claim::NoFailure(_) => None,
        Claim::Violation(alphabet, automaton) => Some(Made::Runs(*alphabet, *automaton)),
        Claim::Formula(mut formulas, f) => {
            let not = formulas.not(f);
            let options = Options {
                kind: match kind {
                    AutomatonKind::Ba => Kind::Ba,
                    AutomatonKind::Tgra => Kind::Tgra,
                    AutomatonKind::Tela => Kind::Tela,
                    AutomatonKind::FinLess => Kind::FinLess,
                    AutomatonKind::Parity => Kind::Parity,
                    _ => Kind::Tgba,
                },
                deterministic,
                ..Options::default()
            };
            let a = translator.translate(&mut formulas, &mut alphabet, not, options);
            Some(Made::Runs(alphabet, a))
        }
    }
}

/// The states of an accepting run on a word, and where it goes back to.
fn way(bdds: &Bdds, a: &Automaton, word: &Lasso<Moment>) -> Option<(Vec<u32>, usize)> {
    let mut runs = Automaton::new(Vec::new(), a.sets, a.acceptance.clone());
    let mut number: FxHashMap<(u32, usize), u32> = FxHashMap::default();
    let mut pairs: Vec<(u32, usize)> = Vec::new();
    let mut state = |runs: &mut Automaton, pairs: &mut Vec<_>, pair: (u32, usize)| {
        *number.entry(pair).or_insert_with(|| {
            pairs.push(pair);
            runs.add_state()
        })
    };
    for &s in &a.initial {
        let n = state(&mut runs, &mut pairs, (s, 0));
        runs.initial.push(n);
    }
    let mut next = 0;
    while let Some(&(s, position)) = pairs.get(next) {
        let letter = word.letter(position);
        for e in &a.edges[s as usize] {
            if bdds.eval(e.label, |v| letter.propositions[v as usize]) {
                let to = state(&mut runs, &mut pairs, (e.to, word.successor(position)));
                runs.add_edge(next as u32, to, Bdd::TRUE, e.mark.clone());
            }
        }
        next += 1;
    }
    let run = accepting_run(&runs)?;
    let states = run.letters().map(|step| pairs[step.state as usize].0);
    Some((states.collect(), run.prefix().len()))
}

/// The states of a run that accepts a finite word, or the beginning of it.
fn finite_way(bdds: &Bdds, a: &FiniteAutomaton, word: &[Moment]) -> Option<Vec<u32>> {
    // Of each state that is reached, where from.
    let mut layers: Vec<FxHashMap<u32, u32>> = Vec::new();
    let mut now: FxHashMap<u32, u32> = a.initial.iter().map(|&s| (s, s)).collect();
    loop {
        let end = now
            .keys()
            .copied()
            .filter(|&s| a.is_final[s as usize])
            .min();
        let letter = word.get(layers.len());
        layers.push(now);
        if let Some(mut s) = end {
            let mut path = vec![s];
            for layer in layers[1..].iter().rev() {
                s = layer[&s];
                path.push(s);
            }
            path.reverse();
            return Some(path);
        }
        let letter = letter?;
        let mut sources: Vec<u32> = layers.last()?.keys().copied().collect();
        sources.sort_unstable();
        now = FxHashMap::default();
        for s in sources {
            for e in &a.edges[s as usize] {
                if bdds.eval(e.label, |v| letter.propositions[v as usize]) {
                    now.entry(e.to).or_insert(s);
                }
            }
        }
    }
}

/// A formula as it is printed.
pub(super) fn text(formulas: &Formulas, f: sempre_ltl::Formula) -> String {
    print(formulas, f, Syntax::Spot).to_string()
}
