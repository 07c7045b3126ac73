//! The automaton of a property's violations.
//!
//! A translation may take for ever, and it cannot be asked to stop: it runs in a thread of its own, and the
//! thread is left alone when time is up. It ends with the process.

use super::property::Claim;
use super::strategy::AutomatonKind;
use crate::automata::to_state_buchi;
use sempre_explicit::explore::Reason;
use sempre_omega::remove_fin::remove_fin;
use sempre_omega::{Alphabet, Automaton};
use sempre_translate::translator::{Kind, Options, Translator};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Acceptance conditions with more cases are not made generalised Büchi.
const MOST_CASES: usize = 10_000;

/// Formulas may be thousands of levels deep; unused pages of a stack cost nothing.
const STACK: usize = 512 << 20;

/// How often somebody looks whether to go on.
const PATIENCE: Duration = Duration::from_millis(20);

/// Why there is no automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAutomaton {
    /// It took too long.
    Stopped(Reason),
    /// Its acceptance condition has too many cases.
    Acceptance,
}

/// An automaton with generalised Büchi acceptance for the words that violate the claim, over an alphabet in which
/// variable `i` is proposition `i` of the property.
///
/// # Errors
/// If there is none in time, or it would be too large.
pub fn violations(
    claim: &Claim,
    propositions: usize,
    kind: AutomatonKind,
    deadline: Option<Instant>,
    interrupt: Option<&AtomicBool>,
) -> Result<(Alphabet, Automaton), NoAutomaton> {
    let claim = claim.clone();
    let (send, receive) = channel();
    let worker = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || {
            // Nobody may be waiting any more.
            let _ = send.send(make(claim, propositions, kind));
        });
    if let Err(error) = worker {
        let text = format!("cannot start a thread: {error}");
        return Err(NoAutomaton::Stopped(Reason::Panic(text)));
    }
    loop {
        match receive.recv_timeout(PATIENCE) {
            Ok(made) => return made.ok_or(NoAutomaton::Acceptance),
            Err(RecvTimeoutError::Disconnected) => {
                let text = "the translation failed".to_string();
                return Err(NoAutomaton::Stopped(Reason::Panic(text)));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        // Relaxed: looked at for its own sake.
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(NoAutomaton::Stopped(Reason::Interrupted));
        }
        if deadline.is_some_and(|d| Instant::now() > d) {
            return Err(NoAutomaton::Stopped(Reason::Time));
        }
    }
}

fn make(claim: Claim, propositions: usize, kind: AutomatonKind) -> Option<(Alphabet, Automaton)> {
    match claim {
        Claim::Formula(mut formulas, formula) => {
            let mut alphabet = Alphabet::new();
            // In their order, whatever the translator asks for first.
            for p in 0..propositions {
                alphabet.declare(formulas.name(p));
            }
            let negation = formulas.not(formula);
            let options = Options {
                kind: match kind {
                    AutomatonKind::Tgba => Kind::Tgba,
                    AutomatonKind::Ba => Kind::Ba,
                },
                ..Options::default()
            };
            let a = Translator::new().translate(&mut formulas, &mut alphabet, negation, options);
            Some((alphabet, a))
        }
        Claim::Violation(mut alphabet, automaton) => {
            let a = match kind {
                AutomatonKind::Tgba => remove_fin(&automaton, MOST_CASES)?,
                AutomatonKind::Ba => to_state_buchi(&mut alphabet, &automaton, MOST_CASES)?,
            };
            Some((*alphabet, a))
        }
    }
}
