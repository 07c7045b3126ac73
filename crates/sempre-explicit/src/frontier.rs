//! The states that wait for expansion, shared by workers.
//!
//! States are numbered in the order of their discovery, so what a worker finds is a few *runs* of
//! consecutive numbers: a queue of millions of states takes a few kilobytes, and a lock is taken
//! once in hundreds of states.
//!
//! In breadth-first order there are two queues: runs of the current level, which workers take, and runs of the
//! next level, where they put what they find. When all workers have come to look for more and
//! the current level is empty, the next becomes the current one. Levels are exact for any number
//! of workers, which makes every path of parents a shortest one. In depth-first order workers keep stacks of
//! their own, and there is one queue for what they give to those that have nothing.
//!
//! A worker without work looks for a few microseconds whether some turns up, as it does at the end of every level,
//! and then sleeps. One that has much looks now and then whether somebody sleeps
//! ([`Frontier::hungry`]), and gives. A narrow level is left to the worker that opened it: waking another
//! takes longer than expanding a few states.
//!
//! ## Invariants
//! - **I1** `idle` is the number of workers that have no work: not yet started, waiting, or gone.
//! - **I2** All are idle and both queues are empty if and only if all states are expanded, provided that
//!   nobody stopped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Longest run that is put into a queue: the unit of work.
const LONGEST: u32 = 256;

/// A level with fewer states is left to one worker.
const NARROW: u32 = 64;

/// How often a worker without work looks for some before it sleeps: about as long as it takes to wake up.
const PATIENCE: u32 = 1_000;

/// Consecutive states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl Run {
    /// Adds a state to the last run, or begins one.
    #[inline]
    pub(crate) fn add(runs: &mut Vec<Run>, state: u32) {
        if let Some(last) = runs.last_mut()
            && last.start + last.len == state
            && last.len < LONGEST
        {
            last.len += 1;
        } else {
            runs.push(Run {
                start: state,
                len: 1,
            });
        }
    }
}

/// What waits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queues {
    pub(crate) current: VecDeque<Run>,
    pub(crate) next: Vec<Run>,
    /// Number of the current level, the initial states being level 0.
    pub(crate) level: u32,
}

struct Inner {
    queues: Queues,
    idle: usize,
    /// How many of them sleep.
    asleep: usize,
    finished: bool,
}

/// See the module's documentation.
pub(crate) struct Frontier {
    inner: Mutex<Inner>,
    wake: Condvar,
    workers: usize,
    levels: bool,
    idle: AtomicUsize,
    stopped: AtomicBool,
    /// Changes when there is news for those that wait.
    news: AtomicU32,
}

impl Frontier {
    pub(crate) fn new(queues: Queues, workers: usize, levels: bool) -> Self {
        Self {
            inner: Mutex::new(Inner {
                queues,
                // I1: nobody has started.
                idle: workers,
                asleep: 0,
                finished: false,
            }),
            wake: Condvar::new(),
            workers,
            levels,
            idle: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
            news: AtomicU32::new(0),
        }
    }

    /// There is work, or the end has come. The lock that the caller holds orders what it is about.
    fn tell(&self, inner: &Inner) {
        self.news.fetch_add(1, Relaxed);
        if inner.asleep > 0 {
            self.wake.notify_all();
        }
    }

    /// Looks for news without the lock, for a while.
    fn look_out(&self, seen: u32) {
        for _ in 0..PATIENCE {
            // Relaxed: the news itself is read under the lock.
            if self.news.load(Relaxed) != seen {
                return;
            }
            std::hint::spin_loop();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Is a worker waiting for work? A guess, for who would give some.
    #[inline]
    pub(crate) fn hungry(&self) -> bool {
        // Relaxed: giving too early or too late is no error.
        self.idle.load(Relaxed) > 0
    }

    /// Ends the search: nobody gets work any more.
    pub(crate) fn stop(&self) {
        // Under the lock, so that nobody goes to sleep between looking at the flag and waiting; the lock
        // orders the flag, too, where it matters.
        let inner = self.lock();
        self.stopped.store(true, Relaxed);
        self.tell(&inner);
    }

    /// Was the search ended by [`Self::stop`]?
    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        // Relaxed: it only says that it is time to look up; results are passed by joining threads.
        self.stopped.load(Relaxed)
    }

    /// Puts found states into the queue of the next level, and takes a run of the current one, with its
    /// level. `None` if all is done or somebody stopped. `first` says that the worker has
    /// just started.
    pub(crate) fn take(&self, found: &mut Vec<Run>, first: bool) -> Option<(Run, u32)> {
        let mut inner = self.lock();
        if self.levels {
            inner.queues.next.append(found);
        } else {
            inner.queues.current.extend(found.drain(..));
        }
        if !first {
            inner.idle += 1;
        }
        let mut patient = true;
        loop {
            if self.stopped() || inner.finished {
                return None;
            }
            if let Some(run) = inner.queues.current.pop_front() {
                inner.idle -= 1;
                self.idle.store(self.idle_waiting(&inner), Relaxed);
                return Some((run, inner.queues.level));
            }
            if inner.idle == self.workers {
                if inner.queues.next.is_empty() {
                    // I2.
                    inner.finished = true;
                    self.tell(&inner);
                    return None;
                }
                let next = std::mem::take(&mut inner.queues.next);
                inner.queues.level += 1;
                let states: u64 = next.iter().map(|run| u64::from(run.len)).sum();
                inner.queues.current.extend(next);
                if states >= u64::from(NARROW) && self.workers > 1 {
                    self.tell(&inner);
                }
                continue;
            }
            self.idle.store(self.idle_waiting(&inner), Relaxed);
            if patient {
                patient = false;
                let seen = self.news.load(Relaxed);
                drop(inner);
                self.look_out(seen);
                inner = self.lock();
                continue;
            }
            inner.asleep += 1;
            inner = self
                .wake
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
            inner.asleep -= 1;
        }
    }

    /// For the hint: somebody waits and there is nothing in the queue for them.
    fn idle_waiting(&self, inner: &Inner) -> usize {
        if inner.queues.current.is_empty() {
            inner.idle
        } else {
            0
        }
    }

    /// Gives work of the current level to others, or back.
    pub(crate) fn give(&self, runs: impl IntoIterator<Item = Run>) {
        let mut inner = self.lock();
        inner.queues.current.extend(runs);
        self.idle.store(self.idle_waiting(&inner), Relaxed);
        self.tell(&inner);
    }

    /// Leaves found states, on the way out.
    pub(crate) fn leave(&self, found: &mut Vec<Run>) {
        let mut inner = self.lock();
        if self.levels {
            inner.queues.next.append(found);
        } else {
            inner.queues.current.extend(found.drain(..));
        }
    }

    /// Was everything expanded? And what was not.
    pub(crate) fn into_rest(self) -> (bool, Queues) {
        let inner = self
            .inner
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let done = inner.finished
            && !self.stopped.into_inner()
            && inner.queues.current.is_empty()
            && inner.queues.next.is_empty();
        (done, inner.queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_grow_to_their_limit() {
        let mut runs = Vec::new();
        for state in (0..300).chain(400..402) {
            Run::add(&mut runs, state);
        }
        let lens: Vec<_> = runs.iter().map(|r| (r.start, r.len)).collect();
        assert_eq!(lens, [(0, 256), (256, 44), (400, 2)]);
    }

    /// Workers that expand a binary tree: everybody comes home, each state is taken once, at its level.
    #[test]
    fn every_state_is_taken_once() {
        const STATES: u32 = 20_000;
        for levels in [true, false] {
            for workers in [1, 2, 7] {
                let queues = Queues {
                    current: VecDeque::from([Run { start: 1, len: 1 }]),
                    ..Queues::default()
                };
                let frontier = Frontier::new(queues, workers, levels);
                let taken = Mutex::new(vec![0; STATES as usize]);
                std::thread::scope(|scope| {
                    for _ in 0..workers {
                        scope.spawn(|| {
                            let mut found = Vec::new();
                            let mut first = true;
                            while let Some((mut run, level)) = frontier.take(&mut found, first) {
                                first = false;
                                if frontier.hungry() && run.len > 1 {
                                    run.len -= 1;
                                    frontier.give([Run {
                                        start: run.start + run.len,
                                        len: 1,
                                    }]);
                                }
                                for state in run.start..run.start + run.len {
                                    taken.lock().unwrap()[state as usize] += 1;
                                    if levels {
                                        assert_eq!(level, state.ilog2());
                                    }
                                    for child in [2 * state, 2 * state + 1] {
                                        if child < STATES {
                                            Run::add(&mut found, child);
                                        }
                                    }
                                }
                            }
                        });
                    }
                });
                assert!(taken.lock().unwrap()[1..].iter().all(|&n| n == 1));
                let (done, rest) = frontier.into_rest();
                assert!(done && rest.current.is_empty() && rest.next.is_empty());
            }
        }
    }

    #[test]
    fn a_stopped_search_is_not_done() {
        let queues = Queues {
            current: VecDeque::from([Run { start: 0, len: 1 }, Run { start: 1, len: 5 }]),
            ..Queues::default()
        };
        let frontier = Frontier::new(queues, 1, true);
        let mut found = Vec::new();
        assert!(frontier.take(&mut found, true).is_some());
        frontier.stop();
        assert!(frontier.take(&mut found, false).is_none());
        let (done, rest) = frontier.into_rest();
        assert!(!done);
        assert_eq!(rest.current, [Run { start: 1, len: 5 }]);
    }
}
