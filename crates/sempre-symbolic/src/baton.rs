//! Two searches that take turns.
//!
//! Each has a thread of its own, and whoever has the baton works while the other waits: so a search need not be written such that it can
//! be left and taken up again. Turns are measured in nodes and questions to caches, not in seconds, so that both do the same each time.
//!
//! Both do the same amount of work, and the second begins. Whoever has an answer ends the other, which sees it the next time that it asks
//! for the baton. If one ends without, the other goes on alone.

use crate::collect::Stop;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The work of a turn.
const TURN: u64 = 1 << 19;

/// A search's hold of the baton. The clones of one are the same hold.
#[derive(Clone, Debug)]
pub(crate) struct Baton {
    state: Arc<(Mutex<State>, Condvar)>,
    /// Which search: 0 or 1.
    who: usize,
}

#[derive(Debug)]
struct State {
    turn: usize,
    work: [u64; 2],
    ended: [bool; 2],
    /// Somebody has an answer.
    answered: bool,
}

impl State {
    /// Is the turn of a search over?
    fn is_over(&self, who: usize) -> bool {
        match who {
            0 => self.work[0] >= self.work[1],
            _ => self.work[1] >= self.work[0] + TURN,
        }
    }
}

impl Baton {
    /// For the first and the second search; the second is to begin.
    pub fn pair() -> [Self; 2] {
        let state = State {
            turn: 1,
            work: [0; 2],
            ended: [false; 2],
            answered: false,
        };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        [0, 1].map(|who| Self {
            state: state.clone(),
            who,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A search that panics leaves nothing half done here.
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search goes on as long as the seat lives.
    pub fn seat(&self) -> Seat<'_> {
        Seat(self)
    }

    /// Waits for the first turn.
    ///
    /// # Errors
    /// If the other search has an answer.
    pub fn begin(&self) -> Result<(), Stop> {
        self.wait(self.lock())
    }

    fn wait(&self, mut state: MutexGuard<'_, State>) -> Result<(), Stop> {
        while state.turn != self.who && !state.answered {
            state = (self.state.1.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
        match state.answered {
            true => Err(Stop::Interrupted),
            false => Ok(()),
        }
    }

    /// So much work was done; the other search has a turn if it is due.
    ///
    /// # Errors
    /// If the other search has an answer.
    pub fn worked(&self, work: u64) -> Result<(), Stop> {
        let mut state = self.lock();
        state.work[self.who] += work;
        let other = 1 - self.who;
        if !state.ended[other] && state.is_over(self.who) {
            state.turn = other;
            self.state.1.notify_all();
        }
        self.wait(state)
    }

    /// This search is done; does it have an answer, and before the other?
    pub fn end(&self, answer: bool) -> bool {
        let mut state = self.lock();
        state.ended[self.who] = true;
        state.turn = 1 - self.who;
        let first = answer && !state.answered;
        state.answered |= answer;
        self.state.1.notify_all();
        first
    }
}

/// A search that goes on as long as this lives.
pub(crate) struct Seat<'a>(&'a Baton);

/// It may not have ended by itself: a panic must not let the other wait for ever.
impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.end(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who worked when, in turns; the first search has an answer after `first` nodes, the second after `second`.
    fn race(first: u64, second: u64) -> (Vec<usize>, [bool; 2]) {
        let log = Mutex::new(Vec::new());
        let [a, b] = Baton::pair();
        let run = |baton: &Baton, until: u64| -> bool {
            let _seat = baton.seat();
            let mut work = 0;
            let mut go = || -> Result<(), Stop> {
                baton.begin()?;
                while work < until {
                    log.lock().unwrap().push(baton.who);
                    work += TURN / 2;
                    baton.worked(TURN / 2)?;
                }
                Ok(())
            };
            match go() {
                Ok(()) => baton.end(true),
                Err(_) => false,
            }
        };
        let ends = std::thread::scope(|s| {
            let other = s.spawn(|| run(&b, second));
            [run(&a, first), other.join().unwrap()]
        });
        (log.into_inner().unwrap(), ends)
    }

    #[test]
    fn the_second_begins_and_does_as_much() {
        for _ in 0..20 {
            let (log, ends) = race(20 * TURN, 5 * TURN);
            assert_eq!(ends, [false, true]);
            assert_eq!(log[..8], [1, 1, 0, 0, 1, 1, 0, 0]);
            let ones = log.iter().filter(|w| **w == 1).count();
            // Having worked its last, it hands over once more.
            assert_eq!((ones, log.len() - ones), (10, 10));
        }
    }

    #[test]
    fn the_first_may_win() {
        let (log, ends) = race(3 * TURN, 100 * TURN);
        assert_eq!(ends, [true, false]);
        assert_eq!(log.iter().filter(|w| **w == 0).count(), 6);
    }

    /// One that ends without an answer, in whatever way, leaves the other alone.
    #[test]
    fn giving_up() {
        let [a, b] = Baton::pair();
        drop(b.seat());
        assert_eq!(a.begin(), Ok(()));
        assert_eq!(a.worked(100 * TURN), Ok(()));
        assert!(a.end(true));
        assert!(!b.end(true));
    }
}
