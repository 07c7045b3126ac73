//! A check by several workers, from end to end: a product for each of them, an emptiness check, and a run of the model by one of
//! them afterwards.
//!
//! When a value leaves its bits the check begins anew with the wider system: the numbers of states, which all that the workers
//! know goes by, would not stay what they are. Ranges at least double, so that happens a few times, and early.

use crate::check::{Check, Options, Outcome, Statistics, outcome, product, short_counterexample};
use crate::explore::Reason;
use crate::marks::Marks;
use crate::product::{Limits, Observer, Product, Shape};
use crate::space::{Counters, Space, Stop};
use crate::widening;
use sempre_model::system::System;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Looks for a run of the system that the automaton accepts.
pub(crate) fn search<'s, S: System, M: Marks>(
    system: &'s S,
    property: Observer<'_>,
    shape: Shape,
    options: &Options<'_>,
) -> Check<'s, S> {
    let begin = Instant::now();
    let mut result = Check {
        given: system,
        wider: None,
        outcome: Outcome::Stopped(Reason::Memory),
        statistics: Statistics::default(),
    };
    loop {
        let now = result.wider.as_ref().unwrap_or(system);
        let limits = Limits {
            time: (options.limits.time).map(|t| t.saturating_sub(begin.elapsed())),
            ..options.limits
        };
        let product = match product::<S, M>(now, property, shape, limits) {
            Ok(product) => product,
            Err(outcome) => {
                result.outcome = outcome;
                return result;
            }
        };
        let mut crew = product.crew(options.workers.max(1));
        let mut counters = Counters::default();
        // A panic in a user's own system must not take the program with it.
        let found = catch_unwind(AssertUnwindSafe(|| -> Result<_, Stop> {
            let found = options
                .algorithm
                .run_together(&mut crew, options.pairs, &mut counters)?;
            let Some((run, wanted)) = found else {
                return Ok(None);
            };
            short_counterexample(&mut crew[0], run, wanted, options.shorten).map(Some)
        }));
        result.statistics = Statistics {
            counters,
            stored: crew[0].stored(),
            sets: crew[0].sets(),
            bytes: crew.iter().map(Product::peak_bytes).max().unwrap_or(0),
            widenings: result.statistics.widenings,
            elapsed: begin.elapsed(),
            ..Statistics::default()
        };
        result.outcome = outcome(found, &crew);
        if let Outcome::Stopped(Reason::Overflow) = result.outcome {
            let contexts: Vec<_> = crew.into_iter().map(Product::into_context).collect();
            if let Some(wide) = widening::wider(now, &contexts) {
                result.wider = Some(wide);
                result.statistics.widenings += 1;
                continue;
            }
        }
        return result;
    }
}
