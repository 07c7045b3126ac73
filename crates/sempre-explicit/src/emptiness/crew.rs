//! Workers that search together: threads, and how each of them learns that the search is over.
//!
//! # Invariants
//! - **I1** A worker that does not end by itself, or because another has found what was looked for, leaves a reason, and the whole
//!   search has none but that for its answer.

use crate::explore::{Reason, STACK, panicked};
use crate::space::Stop;
use sempre_base::stop::{Cancel, under};
use sempre_store::Full;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Why a worker ends before it has searched all.
pub(super) enum Halt {
    /// The search is over: another knows why.
    Over,
    /// The search cannot go on.
    Stop(Stop),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Full> for Halt {
    fn from(full: Full) -> Self {
        Self::Stop(full.into())
    }
}

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Crew {
    over: AtomicBool,
    stop: Mutex<Option<Stop>>,
}

impl Crew {
    /// Is there a reason to halt?
    #[inline]
    pub(super) fn look(&self) -> Result<(), Halt> {
        // Relaxed: looked at for its own sake.
        match self.over.load(Relaxed) {
            true => Err(Halt::Over),
            false => Ok(()),
        }
    }

    /// The search is over, for all.
    pub(super) fn over(&self) -> Halt {
        self.over.store(true, Relaxed);
        Halt::Over
    }

    fn end(&self, ended: Result<(), Halt>) {
        if let Err(Halt::Stop(stop)) = ended {
            let mut reason = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
            reason.get_or_insert(stop);
            self.over.store(true, Relaxed);
        }
    }

    fn ended(&self) -> Result<(), Stop> {
        let mut reason = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        reason.take().map_or(Ok(()), Err)
    }

    /// One worker.
    pub(super) fn alone(&self, work: impl FnOnce() -> Result<(), Halt>) -> Result<(), Stop> {
        self.end(work());
        self.ended()
    }

    /// A worker for each item, with its number.
    pub(super) fn together<S: Send>(
        &self,
        items: &mut [S],
        work: impl Fn(usize, &mut S) -> Result<(), Halt> + Sync,
    ) -> Result<(), Stop> {
        if let [only] = items {
            return self.alone(|| work(0, only));
        }
        let cancel = &Cancel::current();
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (me, item) in items.iter_mut().enumerate() {
                let work = &work;
                let thread = std::thread::Builder::new().stack_size(STACK);
                let spawned = thread.spawn_scoped(scope, move || {
                    // Whatever a worker does, the others must learn that it is gone (I1).
                    let ended = catch_unwind(AssertUnwindSafe(|| under(cancel, || work(me, item))));
                    self.end(
                        ended.unwrap_or_else(|panic| Err(Halt::Stop(Stop(panicked(&*panic))))),
                    );
                });
                match spawned {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        let reason = Reason::NoThread(error.to_string());
                        self.end(Err(Halt::Stop(Stop(reason))));
                    }
                }
            }
            // One that is dropped is detached, and glibc may then read of a thread that has just ended. Panics were caught.
            for thread in threads {
                let _ = thread.join();
            }
        });
        self.ended()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that fails ends all, and is remembered.
    #[test]
    fn failures_are_told() {
        for failure in [0, 3] {
            let crew = Crew::default();
            let mut items = [0, 1, 2, 3];
            let ended = crew.together(&mut items, |me, _| {
                if me == failure {
                    panic!("expected by the test");
                }
                loop {
                    crew.look()?;
                    std::thread::yield_now();
                }
            });
            let reason = Reason::Panic("expected by the test".into());
            assert_eq!(ended, Err(Stop(reason)));
        }
        let crew = Crew::default();
        let ended = crew.together(&mut [0, 1], |me, _| match me {
            0 => Err(Full.into()),
            _ => Ok(()),
        });
        assert_eq!(ended, Err(Stop(Reason::Memory)));
        let crew = Crew::default();
        let ended = crew.together(&mut [0, 1], |me, _| match me {
            0 => Err(crew.over()),
            _ => Ok(()),
        });
        assert_eq!(ended, Ok(()));
    }
}
