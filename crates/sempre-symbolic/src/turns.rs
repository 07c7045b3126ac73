//! Searches that take turns.
//!
//! Each search has a thread of its own; one of them runs and the others wait. So a search need not be resumable. Turns
//! are measured in work (nodes and cache lookups), not in seconds, so that runs are repeatable.
//!
//! Each search has a share of the work, and the next turn goes to the search that is furthest behind its share. A
//! search that has an answer ends the others: they see it when they next report work. If a search ends without an
//! answer, the others continue.

use sempre_base::Stop;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The work of one turn at weight 1.
const TURN: u64 = 1 << 19;

/// A search that takes part. Clones are the same participant.
#[derive(Clone, Debug)]
pub(crate) struct Participant {
    state: Arc<(Mutex<State>, Condvar)>,
    /// Its index in the group.
    index: usize,
}

#[derive(Debug)]
struct State {
    turn: usize,
    shares: Vec<Share>,
    /// A search has an answer.
    answered: bool,
}

/// A search's weight and work.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// The factor by which its work counts.
    weight: u64,
    work: u64,
    ended: bool,
}

impl State {
    /// The running search that is furthest behind, other than `index`; the first of several.
    fn furthest_behind(&self, index: usize) -> Option<usize> {
        let others = (0..self.shares.len()).filter(|&s| s != index && !self.shares[s].ended);
        others.min_by_key(|&s| self.shares[s].work)
    }
}

impl Participant {
    /// One participant for each weight, the factor by which its work counts. The first has the first turn.
    pub(crate) fn group<const N: usize>(weights: [u64; N]) -> [Self; N] {
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
        // A panic of a search leaves this state consistent.
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The participant ends when the guard is dropped.
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    /// Waits for the first turn.
    ///
    /// # Errors
    /// If another search has an answer.
    pub(crate) fn begin(&self) -> Result<(), Stop> {
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

    /// Reports work, and passes the turn on if another search is due.
    ///
    /// # Errors
    /// If another search has an answer.
    pub(crate) fn add_work(&self, work: u64) -> Result<(), Stop> {
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

    /// Ends this participant. Returns whether it has the first answer.
    pub(crate) fn finish(&self, answer: bool) -> bool {
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

/// Ends the participant when dropped.
pub(crate) struct Guard<'a>(&'a Participant);

/// After a panic, the other searches must not wait forever.
impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.finish(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log of who worked, and who answered first; each search answers after a given amount of work.
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
            // No search is ahead by more than two of its own turns.
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

    /// A search that ends without an answer does not stop the others.
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
