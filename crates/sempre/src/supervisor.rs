//! Limits of the whole process, and signals.
//!
//! A thread looks every few milliseconds at the memory that the process has resident, at the signals that have arrived, and at the
//! time. It acts twice:
//! * first by a flag, at which searches and constructions stop at their next poll or checkpoint ([`sempre::base::stop`]): the
//!   command reports what was found so far;
//! * if the work has not stopped after a grace period, or takes a tenth more memory still, the thread ends the process with status
//!   3, a message, and no statistics: some code is far from its next checkpoint.
//!
//! The second holds only while a limited piece of work is under way ([`during`]): what was found is always written to its end. A
//! second signal ends the process at once.
//!
//! What the files of a run are written beside of ([`crate::output`]) is removed in all of these cases.

use crate::failure::{Failure, Outcome};
use crate::output;
use sempre::base::stop::{self, Cancel, Stop, cancellable, checkpoint_now};
use sempre::cpu_time;
use sempre::memory::Resident;
use sempre_store::{reserve, signals};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks.
const TICK: Duration = Duration::from_millis(5);

/// Between two checks when most of the memory is taken: a process can take some megabytes in each millisecond.
const SHORT_TICK: Duration = Duration::from_millis(1);

/// After a deadline or a request the work has so much time to stop, on the clock and of the processor.
const GRACE: Duration = Duration::from_millis(450);

/// Idle work (it waits for input) has so much time on the clock alone.
const IDLE_GRACE: Duration = Duration::from_millis(2000);

/// After a signal what was found may be written for so long.
const WRITING_GRACE: Duration = Duration::from_secs(20);

/// What the process takes besides what is limited: code, stacks, large pages that are used in part.
const OWN: usize = 25 << 20;

/// The memory at which work is stopped by a flag, and at which the process is ended. The promise is 1.2 times the limit plus 30 MB; the
/// difference is for what the process takes between two checks, which on a busy machine may be far apart.
///
/// The tables of a search have the limit as their budget, so the process as a whole takes more. Constructions have no budget, and take
/// much at once, as when the table of a diagram doubles; they are stopped at the limit itself.
fn thresholds(memory: usize, phase: Phase) -> (usize, usize) {
    let soft = match phase {
        Phase::Search => memory.saturating_add(memory / 16).saturating_add(OWN),
        Phase::Construction => memory.max(OWN.saturating_add(memory / 4)),
    };
    let hard = memory
        .saturating_add(memory / 8)
        .saturating_add(OWN + (2 << 20));
    (soft, hard)
}

/// The limit of the memory; 0 if there is none.
static MEMORY: AtomicUsize = AtomicUsize::new(0);

/// Kinds of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Work with a budget of memory.
    Search,
    /// Work without one.
    Construction,
}

/// The work that is under way.
struct Work {
    what: String,
    phase: Phase,
    deadline: Option<Instant>,
}

static WORK: Mutex<Option<Work>> = Mutex::new(None);

fn work() -> MutexGuard<'static, Option<Work>> {
    // Nobody panics while holding it.
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does the command stop by itself when a signal arrives?
static CAN_STOP: AtomicBool = AtomicBool::new(false);

/// Begins to supervise the process.
pub fn start(can_stop: bool) {
    CAN_STOP.store(can_stop, Relaxed);
    reserve::set_aside();
    // For tests of what happens when work is stopped at any of its checkpoints.
    let at = std::env::var("SEMPRE_STOP_AT").ok();
    if let Some(at) = at.and_then(|text| text.parse().ok()) {
        stop::request_at(at);
    }
    let thread = std::thread::Builder::new().stack_size(1 << 18);
    // Without the thread signals end the process as usual, and each piece of work looks at its own deadline.
    if let Ok(thread) = thread.spawn(watch) {
        // It ends with the process. Not detached: a thread that ends while it is has crashed the C library.
        std::mem::forget(thread);
        signals::watch();
    }
}

/// From now on the process may take so many bytes.
pub fn limit_memory(memory: Option<usize>) {
    MEMORY.store(memory.unwrap_or(0), Relaxed);
}

/// The memory has been given back by what was stopped: others may try.
pub fn recover() {
    reserve::trim();
    stop::withdraw(Stop::Memory);
    reserve::set_aside();
}

/// Reading and preparing have so much time at least: then there is something to say *unknown* of.
const READING: Duration = Duration::from_millis(300);

/// So much later ends what should have stopped by itself.
const LATER: Duration = Duration::from_millis(100);

/// The deadline of reading and preparing, of a command that began now and has so much time.
pub fn reading_deadline(time: Option<Duration>) -> Option<Instant> {
    time.and_then(|time| Instant::now().checked_add(time.max(READING)))
}

/// The deadline of a search that has one of its own: a little later, so that the search stops by itself, with its statistics.
pub fn after(deadline: Option<Instant>) -> Option<Instant> {
    deadline.map(|deadline| deadline.max(Instant::now()) + LATER)
}

/// Does limited work without a budget of memory; `what` says which, after "while".
///
/// # Errors
/// Why it was stopped.
pub fn during<T>(
    what: &str,
    deadline: Option<Instant>,
    act: impl FnOnce() -> T,
) -> Result<T, Stop> {
    limited(what, Phase::Construction, deadline, act)
}

/// Does limited work with a budget of memory.
///
/// # Errors
/// Why it was stopped.
pub fn search<T>(
    what: &str,
    deadline: Option<Instant>,
    act: impl FnOnce() -> T,
) -> Result<T, Stop> {
    limited(what, Phase::Search, deadline, act)
}

fn limited<T>(
    what: &str,
    phase: Phase,
    deadline: Option<Instant>,
    act: impl FnOnce() -> T,
) -> Result<T, Stop> {
    /// What was under way before is again, also after a panic.
    struct Restore(Option<Work>);
    impl Drop for Restore {
        fn drop(&mut self) {
            *work() = self.0.take();
        }
    }
    let now = Work {
        what: what.to_string(),
        phase,
        deadline,
    };
    let _restore = Restore(work().replace(now));
    cancellable(&Cancel::at(deadline), || {
        // A limit that is over ends even what has no checkpoint.
        checkpoint_now();
        act()
    })
}

/// Does limited work that is a step of a command, which ends if the work is stopped.
pub fn step<T>(
    what: &str,
    deadline: Option<Instant>,
    act: impl FnOnce() -> Outcome<T>,
) -> Outcome<T> {
    during(what, deadline, act).unwrap_or_else(|stop| Err(Failure::Stopped(stop, what.to_string())))
}

/// The same for a search.
pub fn search_step<T>(
    what: &str,
    deadline: Option<Instant>,
    act: impl FnOnce() -> T,
) -> Outcome<T> {
    search(what, deadline, act).map_err(|stop| Failure::Stopped(stop, what.to_string()))
}

/// When and with which processor time a reason to stop was first seen.
#[derive(Clone, Copy)]
struct Since {
    stop: Stop,
    clock: Instant,
    processor: Duration,
}

impl Since {
    fn now(stop: Stop) -> Self {
        Self {
            stop,
            clock: Instant::now(),
            processor: cpu_time::process().unwrap_or_default(),
        }
    }

    /// Time of the processor since then.
    fn spent(&self) -> Duration {
        let now = cpu_time::process().unwrap_or_default();
        now.saturating_sub(self.processor)
    }

    /// Has the process only waited since then? On a busy machine a process with work may get as little processor time as one without.
    fn is_idle(&self) -> bool {
        self.spent() < self.clock.elapsed() / 50 && !is_another_running()
    }
}

/// Does a thread of this process other than the calling one run, or wait for a processor? False where the system does not tell.
fn is_another_running() -> bool {
    let own = fs::read_link("/proc/thread-self").unwrap_or_default();
    let Ok(threads) = fs::read_dir("/proc/self/task") else {
        return false;
    };
    threads.flatten().any(|thread| {
        let stat = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name of the program, in parentheses, may hold anything.
        let state = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.chars().next());
        own.file_name() != Some(&thread.file_name()) && matches!(state, Some('R' | 'D'))
    })
}

fn watch() {
    let resident = Resident::new();
    let mut since: Option<Since> = None;
    let mut signalled: Option<Since> = None;
    let mut tick = TICK;
    loop {
        std::thread::sleep(tick);
        let signals = signals::count();
        if signals > 1 {
            end(signals::status(), None);
        }
        if signals > 0 && !CAN_STOP.load(Relaxed) {
            eprintln!("unknown: interrupted; there are no results before the end");
            end(3, None);
        }
        let memory = MEMORY.load(Relaxed);
        let taken = match memory {
            0 => None,
            _ => resident.as_ref().and_then(Resident::bytes),
        };
        let under_way = work();
        let phase = under_way.as_ref().map_or(Phase::Search, |work| work.phase);
        let (soft, hard) = thresholds(memory, phase);
        let is_scarce = taken.is_some_and(|taken| taken > soft / 4 * 3);
        tick = if is_scarce { SHORT_TICK } else { TICK };
        if taken.is_some_and(|taken| taken > soft) {
            stop::request(Stop::Memory);
        }
        let is_late = |w: &Work| w.deadline.is_some_and(|d| Instant::now() >= d);
        let Some(current) = &*under_way else {
            // What was found is being written, which may wait for a reader for ever.
            let first = match signals {
                0 => None,
                _ => Some(*signalled.get_or_insert_with(|| Since::now(Stop::Cancelled))),
            };
            if first.is_some_and(|first| {
                first.clock.elapsed() >= WRITING_GRACE
                    || first.clock.elapsed() >= IDLE_GRACE && first.is_idle()
            }) {
                end(signals::status(), None);
            }
            since = None;
            continue;
        };
        if taken.is_some_and(|taken| taken > hard) {
            end(3, Some((Stop::Memory, &current.what)));
        }
        let stop = stop::requested().or_else(|| is_late(current).then_some(Stop::Time));
        let Some(stop) = stop else {
            since = None;
            continue;
        };
        let begun = since.get_or_insert_with(|| Since::now(stop));
        let clock = begun.clock.elapsed();
        if clock >= GRACE && begun.spent() >= GRACE || clock >= IDLE_GRACE && begun.is_idle() {
            end(3, Some((begun.stop, &current.what)));
        }
    }
}

/// Ends the process at once.
fn end(status: i32, why: Option<(Stop, &str)>) -> ! {
    if let Some((stop, what)) = why {
        let word = stop.word();
        eprintln!(
            "unknown: stopped while {what}: {word}; it did not stop by itself, so there are no statistics"
        );
    }
    output::remove_unfinished();
    std::process::exit(status);
}
