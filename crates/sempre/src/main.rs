//! The command line of `sempre`: option declarations and glue, one module per subcommand. What
//! computes lives in the library crates.

mod cli;
mod color;
mod commands;
mod failure;
mod input;
mod limits;
mod model_input;
mod notices;
mod output;
mod picture;
mod printer;
mod progress;
mod run_text;
mod supervisor;
mod verdict_report;

use clap::Parser;
use failure::{Answer, Failure};
use sempre_store::reserve::Reserving;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::thread::Builder;

/// Formulas may be thousands of levels deep and much of what is done with them recurses; the pages
/// of a stack that are not used cost nothing.
const STACK: usize = 512 << 20;

/// Of a limit of the address space, which pages that are not used do count against, the stack has a part only.
const PART_OF_LIMIT: usize = 8;

/// A smaller stack is not tried.
const LEAST_STACK: usize = 4 << 20;

#[global_allocator]
static ALLOCATOR: Reserving = Reserving;

/// The status of a defect of ours, `EX_SOFTWARE` of sysexits.h.
const INTERNAL_ERROR: u8 = 70;

fn main() -> ExitCode {
    let arguments = cli::Cli::parse();
    arguments.color.set();
    if arguments.command.is_quiet() {
        notices::be_quiet();
    }
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("internal error: {panic}");
        eprintln!(
            "this is a defect of sempre: please report it with the command line and its input"
        );
    }));
    let can_stop = arguments.command.can_stop();
    supervisor::start(can_stop);
    match on_a_deep_stack(move || commands::run(arguments.command)) {
        Ok(Ok(_)) if output::was_lost() => ExitCode::from(2),
        Ok(Ok(Answer::Yes)) => ExitCode::SUCCESS,
        Ok(Ok(Answer::No)) => ExitCode::from(1),
        Ok(Ok(Answer::Unknown)) => ExitCode::from(3),
        // Whoever closed our output, `head` for one, has seen enough; that is no failure.
        Ok(Err(Failure::OutputClosed)) => ExitCode::SUCCESS,
        Ok(Err(Failure::Stopped(stop, what))) => {
            eprintln!("unknown: stopped while {what}: {}", stop.word());
            ExitCode::from(3)
        }
        Ok(Err(Failure::TooLarge(text))) => {
            eprintln!("unknown: {text}");
            ExitCode::from(3)
        }
        Ok(Err(Failure::Shown)) => ExitCode::from(2),
        Ok(Err(Failure::Message(text))) => {
            notices::error(&text);
            ExitCode::from(2)
        }
        Err(_) => ExitCode::from(INTERNAL_ERROR),
    }
}

/// Does the work on a stack that is as deep as the system allows; on that of this thread if it allows no other.
fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> std::thread::Result<T> {
    let most = sempre::memory::address_space().map_or(STACK, |most| most / PART_OF_LIMIT);
    let mut stack = STACK.min(most).max(LEAST_STACK);
    let mut work = Some(work);
    let slot = &std::sync::Mutex::new(work.take());
    let take = || slot.lock().ok().and_then(|mut work| work.take());
    let run = || {
        let work = take();
        catch_unwind(AssertUnwindSafe(|| work.map(|work| work())))
    };
    let done = std::thread::scope(|scope| {
        while stack >= LEAST_STACK {
            if let Ok(thread) = Builder::new().stack_size(stack).spawn_scoped(scope, run) {
                return thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
            stack /= 2;
        }
        run()
    });
    done.and_then(|done| done.ok_or_else(|| Box::new("no work") as Box<dyn std::any::Any + Send>))
}
