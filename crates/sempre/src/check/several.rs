//! Several properties of one model, checked together.
//!
//! Decides what a check of each property alone decides. The states of the model are the same for all properties, so they are made once
//! where that is possible, in a breadth-first exploration ([`sempre_explicit::shared`]):
//! * *Conditions on states* (`G p`, and whatever has the same automaton) are decided by the exploration itself: the first state
//!   that violates one ends a shortest prefix.
//! * For *other properties* the exploration keeps the graph of the model. Whether its product with a property's automaton is empty is then decided on arrays,
//!   without successors, propositions and tables (`elimination` in [`sempre_explicit::shared`]). If it is not, a search on the fly finds the run.
//! * A property that is a conjunction is checked as its parts ([`super::parts`]).
//!
//! A violation is often found on the fly after few states, where an exploration of the whole model would take long. So the exploration
//! pauses when it has expanded some states ([`Thresholds::first_pause`](super::settings::Thresholds)) and then whenever these are four times as many, and each open property is searched on the fly, all of
//! them together with a quarter of the states expanded so far: depth-first for a condition, as always for the others. This costs at most about
//! a third of the exploration, and a violation is found after at most a constant times the states that single checks of the open
//! properties would expand. A longer path to a violated condition is kept until the exploration has expanded as many states as a single check
//! would for a shorter one.
//!
//! What the exploration does not decide is left to be checked alone: if memory does not suffice for the graph, or for the states.
//!
//! Checked alone from the beginning:
//! * with another engine than the explicit one, and if the user names an automaton, an algorithm or an order: a comparison is of what it names;
//! * questions about nets, which have methods of their own ([`super::reachability`]);
//! * properties of models whose own edges have acceptance marks;
//! * properties with a proposition that may have no value: it is an error for this property alone;
//! * properties whose automaton is no generalised Büchi automaton, and with fairness all but conditions on states; where runs that end do not count, finite
//!   automata;
//! * if there are no more properties than workers: the exploration has one.
//!
//! # Invariants
//! - **I1** `Holds` comes from a single search of [`sempre_explicit`] that says so, of a conjunction from one for each part.
//! - **I2** A run is confirmed against the property as it was given, also if it violates one part.
//! - **I3** Each property gets one report.
//!
//! # Not done
//! Products with several automata at once: of the kept graph a product with one costs less than the bookkeeping.

use super::checker::{Checker, Preparation, Prepared, deadlock_sentence};
use super::conclusion::{Conclusion, Packed};
use super::parts::parts;
use super::property::{Claim, Property};
use super::reachability;
use super::settings::{Engine, Settings};
use super::translation::{Compiled, Observed};
use super::verdict::{Cause, CheckError, ELIMINATION, Report, Verdict, is_yes};
use rustc_hash::FxHashMap;
use sempre_explicit::emptiness::Pairs;
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::{PATIENCE, Search};
use sempre_explicit::product::{Deadlock, Limits, Order};
use sempre_explicit::shared::{
    Condition, Decided, Graph, Selected, SharedExploration, SharedOptions, Status,
};
use sempre_model::Expr;
use sempre_model::footprint::can_fail;
use std::time::{Duration, Instant};

/// Searches on the fly have a state for so many that were expanded.
const SHARE: u64 = 4;
/// Until so many states were expanded, a shortest prefix is always looked for.
const ALWAYS: u64 = 1 << 23;

/// Is told the number of a property and its result as soon as it is known.
pub type Tell<'a> = dyn FnMut(usize, Result<Report, CheckError>) + 'a;

impl Checker {
    /// Checks several properties, and tells the result of each as soon as it is known, in no order. With `fail_fast`, those that are not
    /// decided when one is found not to hold are told as not checked.
    pub fn check_all(
        &self,
        properties: &[Property],
        settings: &Settings<'_>,
        fail_fast: bool,
        tell: &mut Tell<'_>,
    ) {
        let mut told = vec![false; properties.len()];
        let mut lost = None;
        let mut note = |i: usize, result: Result<Report, CheckError>| {
            told[i] = true;
            lost = lost.or(is_no(&properties[i], &result).then_some(i));
            tell(i, result);
        };
        self.check_shared(properties, settings, fail_fast, &mut note);
        for i in 0..properties.len() {
            if told[i] {
                continue;
            }
            let result = match lost.filter(|_| fail_fast) {
                Some(by) => Ok(not_checked(settings, &properties[by])),
                None => self.check(&properties[i], settings),
            };
            lost = lost.or(is_no(&properties[i], &result).then_some(i));
            tell(i, result);
        }
    }

    /// Checks those of several properties that can share an exploration of the model, and tells the result of each as soon as it is known. The
    /// others, and what could not be decided so, are left to be checked alone; the result is the time that they have had. With
    /// `fail_fast`, it ends when a property is found not to hold.
    pub fn check_shared(
        &self,
        properties: &[Property],
        settings: &Settings<'_>,
        fail_fast: bool,
        tell: &mut Tell<'_>,
    ) -> Duration {
        if !shares(self, settings) {
            return Duration::ZERO;
        }
        let mut several = Several {
            checker: self,
            settings,
            fail_fast,
            properties,
            parts: Vec::new(),
            propositions: Vec::new(),
            number_of: FxHashMap::default(),
            open: vec![false; properties.len()],
            lost: false,
            spent: Duration::ZERO,
            tell,
        };
        let candidates = several.candidates();
        // One exploration is made by one worker, so there should be more parts than workers.
        let enough = settings.workers.max(1) + 1;
        if candidates
            .iter()
            .map(|(_, parts)| parts.len())
            .sum::<usize>()
            < enough
        {
            return Duration::ZERO;
        }
        several.prepare(candidates);
        if several.parts.len() >= enough {
            let (system, why) = self.made(several.propositions.clone(), settings);
            match system {
                Ok(system) => several.explore(&system, &why),
                Err(system) => several.explore(&system, &why),
            }
        }
        several.spent
    }
}

/// Is it known that the property does not hold?
fn is_no(property: &Property, result: &Result<Report, CheckError>) -> bool {
    (result.as_ref()).is_ok_and(|report| is_yes(property.asked, &report.verdict) == Some(false))
}

/// The report of a property that is not checked, since `violated` is known not to hold.
pub fn not_checked(settings: &Settings<'_>, violated: &Property) -> Report {
    let mut report = Report::unknown(settings, Reason::Interrupted);
    report.verdict = Verdict::Unknown(Cause::NotChecked(violated.name.clone()));
    report
}

/// Is that which all properties have in common such that they can share an exploration?
fn shares(checker: &Checker, settings: &Settings<'_>) -> bool {
    settings.engine == Engine::Explicit
        && !settings.as_written()
        && settings.order == Order::System
        && settings.pairs == Pairs::OneByOne
        && checker.program().marks == 0
}

/// A property, or a part of one.
struct Part {
    /// The number of the property.
    of: usize,
    /// With the whole property: runs are confirmed against it (I2).
    prepared: Prepared,
    /// The numbers of its propositions in the system.
    propositions: Vec<u32>,
    /// The report that it holds, or that this is not known.
    done: Option<Report>,
    /// Of a condition: a longer path than there may be, and when enough was done for a shorter one.
    far: Option<(Report, u64)>,
}

impl Part {
    fn is_condition(&self, deadlock: Deadlock) -> bool {
        // Where runs that end do not count, a prefix would have to go on.
        deadlock == Deadlock::Stutter
            && matches!(&self.prepared.observed, Observed::Prefixes(a, _) if a.is_condition())
    }
}

/// What is known of all properties.
struct Several<'a, 't> {
    checker: &'a Checker,
    settings: &'a Settings<'a>,
    fail_fast: bool,
    properties: &'a [Property],
    parts: Vec<Part>,
    /// The propositions of all parts, each once.
    propositions: Vec<Expr>,
    number_of: FxHashMap<Expr, u32>,
    /// Is the property to be decided here, and not decided yet?
    open: Vec<bool>,
    /// Is a property known not to hold?
    lost: bool,
    spent: Duration,
    tell: &'a mut Tell<'t>,
}

impl Several<'_, '_> {
    /// The properties that can share an exploration, each as its parts.
    fn candidates(&self) -> Vec<(usize, Vec<Property>)> {
        let program = self.checker.program();
        let can_share = |property: &Property| {
            let fails = |p: &super::Proposition| can_fail(program, &p.meaning);
            let asked = reachability::asked(self.checker, property, self.settings);
            !matches!(property.claim, Claim::NoFailure(_))
                && matches!(asked, Ok(None))
                && !property.propositions.iter().any(fails)
        };
        let all = self.properties.iter().enumerate();
        all.filter(|(_, property)| can_share(property))
            .map(|(i, property)| (i, parts(property)))
            .collect()
    }

    /// Makes the automata of all parts.
    fn prepare(&mut self, candidates: Vec<(usize, Vec<Property>)>) {
        let program = self.checker.program();
        for (i, parts) in candidates {
            let mut prepared = Vec::new();
            for part in parts {
                match self.checker.prepare(&part, self.settings) {
                    Ok(Preparation::Ready(part)) => prepared.push(*part),
                    // Checked alone, it is refused again, or there is an automaton of the whole.
                    Ok(Preparation::Done(_)) | Err(_) => {
                        prepared.clear();
                        break;
                    }
                }
            }
            if !prepared.iter().all(|p| self.can_share(p)) {
                continue;
            }
            self.open[i] = !prepared.is_empty();
            let whole = self.properties[i].settled(program).0;
            for mut prepared in prepared {
                prepared.property = whole.clone();
                let meanings = whole.propositions.iter().map(|p| &p.meaning);
                let numbers = meanings.map(|meaning| {
                    let next = self.propositions.len() as u32;
                    *(self.number_of.entry(meaning.clone())).or_insert_with(|| {
                        self.propositions.push(meaning.clone());
                        next
                    })
                });
                self.parts.push(Part {
                    of: i,
                    propositions: numbers.collect(),
                    prepared,
                    done: None,
                    far: None,
                });
            }
        }
    }

    /// Can the exploration or its graph decide it?
    fn can_share(&self, prepared: &Prepared) -> bool {
        let stutter = self.settings.deadlock == Deadlock::Stutter;
        match &prepared.observed {
            Observed::Prefixes(..) => stutter,
            Observed::Runs(Compiled::Property(automaton)) => {
                automaton.is_generalized_buchi()
                    && automaton.movers().is_empty()
                    && !self.checker.is_fair()
            }
            Observed::Runs(Compiled::Testing(_)) => false,
        }
    }

    /// Is there still something to be found out about a part?
    fn is_open(&self, part: usize) -> bool {
        self.open[self.parts[part].of] && self.parts[part].done.is_none()
    }

    /// The parts about which there is.
    fn open_parts(&self) -> Vec<usize> {
        (0..self.parts.len()).filter(|&p| self.is_open(p)).collect()
    }

    /// What is left of the time.
    fn time(&self) -> Option<Duration> {
        (self.settings.limits.time).map(|time| time.saturating_sub(self.spent))
    }

    /// The result of a property.
    fn conclude(&mut self, property: usize, result: Result<Report, CheckError>) {
        // I3.
        if !std::mem::replace(&mut self.open[property], false) {
            return;
        }
        self.lost |= is_no(&self.properties[property], &result);
        (self.tell)(property, result);
    }

    /// The result of a part, from which that of the property may follow.
    fn conclude_part(&mut self, part: usize, mut report: Report) {
        let of = self.parts[part].of;
        report.elapsed = self.spent;
        let siblings = self.parts.iter().filter(|p| p.of == of).count();
        if siblings > 1 {
            report.explanation.push(format!(
                "the property is a conjunction of {siblings} parts, each checked by itself; this is about one of them"
            ));
        }
        if let Verdict::Violated(_) = &report.verdict {
            return self.conclude(of, Ok(report));
        }
        self.parts[part].done = Some(report);
        let mut own = self.parts.iter().filter(|p| p.of == of);
        if own.all(|p| p.done.is_some()) {
            // I1: it holds if all do.
            let mut reports = (self.parts.iter_mut())
                .filter(|p| p.of == of)
                .filter_map(|p| p.done.take())
                .collect::<Vec<Report>>();
            reports.sort_by_key(|report| matches!(report.verdict, Verdict::Holds(_)));
            let report = reports.swap_remove(0);
            if siblings > 1 && !matches!(report.verdict, Verdict::Holds(_)) {
                // The whole may be violated where no part is known to be: its parts may contradict each other.
                self.open[of] = false;
                return;
            }
            self.conclude(of, Ok(report));
        }
    }

    /// Explores the model, and decides what can be decided.
    fn explore<S: Packed>(&mut self, system: &S, why: &str) {
        let deadlock = self.settings.deadlock;
        let (conditions, others): (Vec<usize>, Vec<usize>) =
            (0..self.parts.len()).partition(|&p| self.parts[p].is_condition(deadlock));
        let limits = &self.settings.limits;
        // The exploration borrows the automata, and the parts change.
        let automata: Vec<_> = (conditions.iter())
            .filter_map(|&p| match &self.parts[p].prepared.observed {
                Observed::Prefixes(automaton, _) => {
                    Some((automaton.clone(), self.parts[p].propositions.clone()))
                }
                Observed::Runs(_) => None,
            })
            .collect();
        let watched = automata.iter().map(|(automaton, propositions)| Condition {
            automaton,
            propositions: propositions.clone(),
        });
        let options = SharedOptions {
            propositions: self.propositions.len(),
            keep: !others.is_empty(),
            limits: Limits {
                memory: limits.memory.map(|memory| memory / 4 * 3),
                // What is decided on the graph needs some, too.
                time: match conditions.is_empty() {
                    true => limits.time.map(|time| time / 2),
                    false => limits.time,
                },
                ..*limits
            },
        };
        let mut shared = SharedExploration::new(system, watched.collect(), options);
        let begin = Instant::now();
        let mut next = self.settings.thresholds.first_pause.max(1);
        let status = loop {
            let status = shared.advance(next);
            self.spent = begin.elapsed();
            for (number, &p) in conditions.iter().enumerate() {
                if self.is_open(p) && !self.is_over() && shared.is_violated(number) {
                    self.conclude_condition(p, &shared, number, why);
                }
            }
            if status != Status::Paused || self.is_over() {
                break status;
            }
            self.search_on_the_fly(system, shared.expanded(), why);
            self.spent = begin.elapsed();
            let is_open = |p: &&usize| self.is_open(**p);
            let (open, open_others) = (
                conditions.iter().filter(is_open).count(),
                others.iter().filter(is_open).count(),
            );
            if open_others == 0 {
                shared.forget_graph();
            }
            // For one property alone no graph is needed.
            if self.is_over() || open == 0 && (open_others < 2 || !shared.keeps()) {
                break status;
            }
            next *= 4;
        };
        for (number, &p) in conditions.iter().enumerate() {
            if !self.is_open(p) || self.is_over() {
                continue;
            }
            if let Some((report, _)) = self.parts[p].far.take() {
                self.conclude_part(p, report);
            } else if matches!(status, Status::Complete | Status::Stopped(Reason::Time)) {
                self.conclude_condition(p, &shared, number, why);
            }
        }
        if others.iter().any(|&p| self.is_open(p))
            && !self.is_over()
            && let Some(graph) = shared.graph(deadlock == Deadlock::Stutter)
        {
            for &p in &others {
                if self.is_open(p) && !self.is_over() {
                    self.decide_on_graph(p, &shared, &graph, system, why);
                    self.spent = begin.elapsed();
                }
            }
        }
    }

    /// Decides a part on the kept graph, and if it is violated, by a search for the run.
    fn decide_on_graph<S: Packed>(
        &mut self,
        part: usize,
        shared: &SharedExploration<'_, S>,
        graph: &Graph<'_>,
        system: &S,
        why: &str,
    ) {
        let limits = Limits {
            memory: (self.settings.limits.memory).map(|memory| memory / 2),
            time: self.time(),
            ..self.settings.limits
        };
        let settings = Settings {
            limits,
            ..*self.settings
        };
        self.parts[part].prepared.report.assertion_fails = shared.fails_assertion();
        let Part {
            prepared,
            propositions,
            ..
        } = &self.parts[part];
        let (automaton, finite) = match &prepared.observed {
            Observed::Prefixes(automaton, _) => (automaton.table(), true),
            Observed::Runs(Compiled::Property(automaton)) => (automaton, false),
            Observed::Runs(Compiled::Testing(_)) => return,
        };
        match shared.decide(graph, (automaton, finite), propositions, limits) {
            Decided::Unknown => {}
            Decided::Violated => {
                let selected = Selected::new(system, propositions);
                let why = format!("{why}; the graph of the model shows that there is a run");
                self.find_run(part, &selected, &settings, why);
            }
            Decided::Known(found) => {
                let mut report = prepared.report.clone();
                report.workers = 1;
                report.by_elimination = true;
                report.explanation.extend([
                    deadlock_sentence(self.settings.deadlock),
                    format!(
                        "algorithm {ELIMINATION}: the {} states of the model and their steps were made once for all properties; states of the product \
                         that no accepting run goes through are eliminated",
                        graph.states()
                    ),
                    why.to_string(),
                ]);
                let conclusion = self.conclusion(ELIMINATION, limits);
                let property = &prepared.property;
                let concluded = (self.checker).conclude(property, *found, &mut report, &conclusion);
                match concluded {
                    Ok(()) => self.conclude_part(part, report),
                    Err(error) => self.conclude(self.parts[part].of, Err(error)),
                }
            }
        }
    }

    /// Searches for the run that violates a part, which there is.
    fn find_run<S: Packed>(
        &mut self,
        part: usize,
        system: &Selected<'_, S>,
        settings: &Settings<'_>,
        why: String,
    ) {
        let prepared = &mut self.parts[part].prepared;
        prepared.begin_again();
        let decided = self.checker.decide(prepared, system, Some(why), settings);
        let report = prepared.report.clone();
        match (decided, &report.verdict) {
            (Err(error), _) => self.conclude(self.parts[part].of, Err(error)),
            (Ok(()), Verdict::Holds(_)) => {
                let text = "a search does not find the run that the graph of the model shows";
                let error = CheckError::Defect(text.to_string());
                self.conclude(self.parts[part].of, Err(error));
            }
            (Ok(()), Verdict::Violated(_) | Verdict::Unknown(Cause::Stopped(Reason::Time))) => {
                self.conclude_part(part, report);
            }
            // Alone it may have more memory.
            (Ok(()), Verdict::Unknown(_)) => {}
        }
    }

    fn conclusion<'l>(&self, name: &'static str, limits: Limits<'l>) -> Conclusion<'l> {
        Conclusion {
            name,
            deadlock: self.settings.deadlock,
            fair: self.checker.is_fair(),
            deadline: limits.time.and_then(|t| Instant::now().checked_add(t)),
            limits,
        }
    }

    /// Is there nothing more to do?
    fn is_over(&self) -> bool {
        self.fail_fast && self.lost || !self.open.contains(&true)
    }

    /// Draws the conclusion about a condition from the exploration.
    fn conclude_condition<S: Packed>(
        &mut self,
        part: usize,
        shared: &SharedExploration<'_, S>,
        number: usize,
        why: &str,
    ) {
        let limits = Limits {
            time: self.time(),
            ..self.settings.limits
        };
        let prepared = &self.parts[part].prepared;
        let mut report = prepared.report.clone();
        report.assertion_fails = shared.fails_assertion();
        let _ = self.checker.reach(self.settings, limits, &mut report);
        report.explanation.push(why.to_string());
        report.explanation.push(match self.conditions() - 1 {
            0 => "decided in an exploration of the model".to_string(),
            1 => "decided in one exploration of the model, together with 1 other condition on states".to_string(),
            n => format!("decided in one exploration of the model, together with {n} other conditions on states"),
        });
        report.workers = 1;
        let conclusion = self.conclusion(Search::Bfs.name(), limits);
        let found = shared.check(number);
        let concluded =
            (self.checker).conclude(&prepared.property, found, &mut report, &conclusion);
        match concluded {
            Ok(()) => self.conclude_part(part, report),
            Err(error) => self.conclude(self.parts[part].of, Err(error)),
        }
    }

    fn conditions(&self) -> usize {
        let deadlock = self.settings.deadlock;
        (self.parts.iter())
            .filter(|p| p.is_condition(deadlock))
            .count()
    }

    /// Searches all open parts on the fly, as far as their share of the work allows.
    fn search_on_the_fly<S: Packed>(&mut self, system: &S, expanded: u64, why: &str) {
        let open = self.open_parts();
        let least = self.settings.thresholds.first_pause / SHARE;
        let most = (expanded / SHARE / open.len().max(1) as u64).max(least);
        let begin = Instant::now();
        let spent = self.spent;
        for p in open {
            if !self.is_open(p) || self.is_over() {
                continue;
            }
            self.spent = spent + begin.elapsed();
            let condition = self.parts[p].is_condition(self.settings.deadlock);
            if let Some((report, enough)) = self.parts[p].far.take() {
                match expanded >= enough {
                    true => self.conclude_part(p, report),
                    false => self.parts[p].far = Some((report, enough)),
                }
                continue;
            }
            let limits = &self.settings.limits;
            let settings = Settings {
                search: condition.then_some(Search::Dfs),
                workers: 1,
                limits: Limits {
                    states: Some(limits.states.map_or(most, |states| states.min(most))),
                    memory: limits.memory.map(|memory| memory / 8),
                    time: self.time(),
                    progress: None,
                    ..*limits
                },
                ..*self.settings
            };
            let selected = Selected::new(system, &self.parts[p].propositions);
            if condition {
                self.look_far(p, &selected, &settings, expanded, why);
            } else {
                let before = self.parts[p].prepared.report.clone();
                self.decide(p, &selected, &settings, why.to_string());
                if self.is_open(p) {
                    self.parts[p].prepared.report = before;
                }
            }
        }
    }

    /// Searches for some path to a violated condition.
    fn look_far<S: Packed>(
        &mut self,
        part: usize,
        system: &Selected<'_, S>,
        settings: &Settings<'_>,
        expanded: u64,
        why: &str,
    ) {
        let before = self.parts[part].prepared.report.clone();
        let prepared = &mut self.parts[part].prepared;
        prepared.begin_again();
        let decided = self.checker.decide(prepared, system, None, settings);
        let mut report = std::mem::replace(&mut prepared.report, before);
        match (decided, &report.verdict) {
            (Err(error), _) => self.conclude(self.parts[part].of, Err(error)),
            (Ok(()), Verdict::Violated(_)) => {
                report.statistics.scouted = true;
                report.explanation.push(why.to_string());
                report.explanation.push(
                    "not a shortest one, perhaps: a depth-first search found it before the breadth-first one could"
                        .to_string(),
                );
                let enough = expanded.saturating_mul(PATIENCE).max(ALWAYS);
                self.parts[part].far = Some((report, enough));
            }
            (Ok(()), _) => {}
        }
    }

    /// Decides a part by a search of its own in this system. If that stops before the end, or meets a failure, nothing is concluded.
    fn decide<S: Packed>(&mut self, part: usize, system: &S, settings: &Settings<'_>, why: String) {
        let prepared = &mut self.parts[part].prepared;
        prepared.begin_again();
        if let Err(error) = (self.checker).decide(prepared, system, Some(why), settings) {
            return self.conclude(self.parts[part].of, Err(error));
        }
        match &prepared.report.verdict {
            // Alone it may have more of these.
            Verdict::Unknown(Cause::Stopped(reason)) if *reason != Reason::Time => {}
            // Only the exploration tells assertions about states, which hide nothing, from erroneous steps.
            Verdict::Unknown(Cause::Failure(_)) => {}
            _ => {
                let report = prepared.report.clone();
                self.conclude_part(part, report);
            }
        }
    }
}
