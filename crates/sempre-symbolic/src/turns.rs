//! Searches that take turns.
//!
//! Each has a thread of its own, and whoever has the baton works while the others wait: so a search need not be written such that it can
//! be left and taken up again. Turns are measured in nodes and questions to caches, not in seconds, so that all do the same each time.
//!
//! Each has a share of the work, and whoever is furthest behind has the next turn. Whoever has an answer ends the others, which see it the
//! next time that they ask for the baton. If one ends without, the others go on alone.

use sempre_base::Stop;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The work of a turn of one that has the whole share.
const TURN: u64 = 1 << 19;

/// A search's hold of the baton. The clones of one are the same hold.
#[derive(Clone, Debug)]
pub(crate) struct Participant {
    state: Arc<(Mutex<State>, Condvar)>,
    /// Which search.
    index: usize,
}

#[derive(Debug)]
struct State {
    turn: usize,
    shares: Vec<Share>,
    /// Somebody has an answer.
    answered: bool,
}

/// What is known of a search.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Its work counts so many times.
    weight: u64,
    work: u64,
    ended: bool,
}

impl State {
    /// Whoever is furthest behind of all but one; the first of several.
    fn furthest_behind(&self, index: usize) -> Option<usize> {
        let others = (0..self.shares.len()).filter(|&s| s != index && !self.shares[s].ended);
        others.min_by_key(|&s| self.shares[s].work)
    }
}

impl Participant {
    /// For searches whose work counts so many times, each; the first is to begin.
    pub fn group<const N: usize>(weights: [u64; N]) -> [Self; N] {
        let place = |weight| Share {
            weight,
            work: 0,
            ended: false,
        };
        let state = State {
            turn: 0,
            shares: weights.map(place).to_vec(),
            answered: false,
        };
        let state = Arc::new((Mutex::new(state), Condvar::new()));
        std::array::from_fn(|index| Self {
            state: state.clone(),
            index,
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A search that panics leaves nothing half done here.
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search goes on as long as the seat lives.
    pub fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    /// Waits for the first turn.
    ///
    /// # Errors
    /// If another search has an answer.
    pub fn begin(&self) -> Result<(), Stop> {
        self.wait(self.lock())
    }

    fn wait(&self, mut state: MutexGuard<'_, State>) -> Result<(), Stop> {
        while state.turn != self.index && !state.answered {
            state = (self.state.1.wait(state)).unwrap_or_else(PoisonError::into_inner);
        }
        match state.answered {
            true => Err(Stop::Cancelled),
            false => Ok(()),
        }
    }

    /// So much work was done; another search has a turn if it is due.
    ///
    /// # Errors
    /// If another search has an answer.
    pub fn add_work(&self, work: u64) -> Result<(), Stop> {
        let mut state = self.lock();
        let weight = state.shares[self.index].weight;
        state.shares[self.index].work += weight * work;
        let next = state.furthest_behind(self.index);
        if let Some(next) = next
            && state.shares[self.index].work >= state.shares[next].work + TURN
        {
            state.turn = next;
            self.state.1.notify_all();
        }
        self.wait(state)
    }

    /// This search is done; does it have an answer, and before the others?
    pub fn finish(&self, answer: bool) -> bool {
        let mut state = self.lock();
        state.shares[self.index].ended = true;
        if state.turn == self.index {
            state.turn = state.furthest_behind(self.index).unwrap_or(self.index);
        }
        let first = answer && !state.answered;
        state.answered |= answer;
        self.state.1.notify_all();
        first
    }
}

/// A search that goes on as long as this lives.
pub(crate) struct Guard<'a>(&'a Participant);

/// It may not have ended by itself: a panic must not let the others wait for ever.
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.finish(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who worked when, in turns; each search has an answer after so much work. Who was first?
    fn race<const N: usize>(weights: [u64; N], until: [u64; N]) -> (Vec<usize>, Option<usize>) {
        let log = Mutex::new(Vec::new());
        let run = |participant: &Participant, until: u64| -> bool {
            let _seat = participant.guard();
            let mut work = 0;
            let mut go = || -> Result<(), Stop> {
                participant.begin()?;
                while work < until {
                    log.lock().unwrap().push(participant.index);
                    work += TURN / 4;
                    participant.add_work(TURN / 4)?;
                }
                Ok(())
            };
            match go() {
                Ok(()) => participant.finish(true),
                Err(_) => false,
            }
        };
        let participants = Participant::group(weights);
        let first = std::thread::scope(|s| {
            let run = &run;
            let pairs = participants.iter().zip(until);
            let threads: Vec<_> = pairs.map(|(b, u)| s.spawn(move || run(b, u))).collect();
            let answers: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap()).collect();
            answers.iter().position(|&a| a)
        });
        (log.into_inner().unwrap(), first)
    }

    fn count(log: &[usize], index: usize) -> usize {
        log.iter().filter(|w| **w == index).count()
    }

    #[test]
    fn each_has_its_share() {
        for _ in 0..20 {
            let (log, first) = race([2, 2, 1], [5 * TURN, 40 * TURN, 40 * TURN]);
            assert_eq!(first, Some(0));
            assert_eq!(log[..8], [0, 0, 1, 1, 2, 2, 2, 2]);
            // Nobody is further ahead than two turns of its own.
            assert_eq!(count(&log, 0), 20);
            assert!(count(&log, 1).abs_diff(20) <= 4, "{log:?}");
            assert!(count(&log, 2).abs_diff(40) <= 8, "{log:?}");
        }
    }

    #[test]
    fn the_last_may_win() {
        let (log, first) = race([1, 1, 1], [100 * TURN, 100 * TURN, 3 * TURN]);
        assert_eq!(first, Some(2));
        assert_eq!(count(&log, 2), 12);
    }

    /// One that ends without an answer, in whatever way, leaves the others alone.
    #[test]
    fn giving_up() {
        let [a, b, c] = Participant::group([1, 1, 1]);
        drop(b.guard());
        drop(c.guard());
        assert_eq!(a.begin(), Ok(()));
        assert_eq!(a.add_work(100 * TURN), Ok(()));
        assert!(a.finish(true));
        assert!(!b.finish(true));
    }
}
