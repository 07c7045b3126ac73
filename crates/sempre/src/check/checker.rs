//! A check from end to end: a model and a property in, a verdict with its evidence out.
//!
//! A checker holds what properties of one model share: the program and the packing of its states. Each property is
//! compiled with the model anew, for its propositions alone: evaluating those of others in each state would cost more
//! than compiling.

use super::conclusion::{Conclusion, Packed};
use super::failures;
use super::portfolio;
use super::property::{Claim, Property, Proposition};
use super::reachability;
use super::settings::{Engine, Fairness, Settings};
use super::strategy::{self, AutomatonKind, NoPrefixes};
use super::symbolic;
use super::translation::{Compiled, Making, NoAutomaton, Observed, Wish, violations};
use super::verdict::{Cause, CheckError, Report, Verdict};
use sempre_explicit::check::{MAX_SETS, Options, check};
use sempre_explicit::emptiness::{Algorithm, Pairs, nearby_run};
use sempre_explicit::explore::Reason;
use sempre_explicit::finite::{self, FiniteOptions, Search};
use sempre_explicit::product::{Deadlock, Limits, Observer, Product, Shape};
use sempre_explicit::scout;
use sempre_explicit::space::Space;
use sempre_jit::CompiledSystem;
use sempre_model::ir::{Expr, Process, ProcessId};
use sempre_model::{Layout, Program, ProgramSystem, System};
use sempre_net::Net;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// See the module's documentation.
pub struct Checker {
    pub(super) program: Arc<Program>,
    layout: Layout,
    /// The program as a net, if it is one; made when it is first asked for.
    net: OnceLock<Option<Net>>,
    fair: bool,
    /// The processes are the transitions of the model.
    by_transitions: bool,
}

/// The size of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductSize {
    /// Number of states.
    pub states: u64,
    /// Number of transitions.
    pub transitions: u64,
}

/// Explores all of a product.
fn size<S: System>(
    system: &S,
    compiled: &Compiled,
    shape: Shape,
    limits: Limits<'_>,
) -> Option<ProductSize> {
    let mut product = Product::<S, u32>::new(system, compiled, shape, limits).ok()??;
    product.initial().ok()?;
    let (mut states, mut transitions) = (0, 0);
    let mut edges = Vec::new();
    // States are numbered as they are met.
    while states < product.stored() {
        edges.clear();
        product.expand(states as u32, &mut edges).ok()?;
        states += 1;
        transitions += edges.len() as u64;
    }
    Some(ProductSize {
        states,
        transitions,
    })
}

/// A property whose automaton is made, and what is known of its check so far.
pub(super) struct Prepared {
    /// Without what the types settle.
    pub(super) property: Property,
    pub(super) observed: Observed,
    pub(super) report: Report,
    begin: Instant,
    deadline: Option<Instant>,
}

impl Prepared {
    /// Its time begins now.
    pub(super) fn begin_again(&mut self) {
        self.begin = Instant::now();
    }
}

/// What came of preparing a property.
pub(super) enum Preparation {
    Ready(Box<Prepared>),
    /// There is no automaton, so there is no answer.
    Done(Box<Report>),
}

impl Checker {
    /// A checker of a program.
    ///
    /// # Errors
    /// If the program has nothing that runs could be fair to.
    pub fn new(program: &Program, fairness: Fairness) -> Result<Self, CheckError> {
        let mut program = program.clone();
        match fairness {
            Fairness::Weak if program.processes.is_empty() => {
                return Err(CheckError::Refused(
                    "this model has no processes that runs could be fair to; weak-transitions asks for fairness to \
                     each transition"
                        .to_string(),
                ));
            }
            Fairness::WeakTransitions
                if program.exclusive.is_some() || program.atomic.is_some() =>
            {
                return Err(CheckError::Refused(
                    "this model has atomic sections of processes, whose transitions cannot be processes of their own"
                        .to_string(),
                ));
            }
            Fairness::WeakTransitions => {
                program.processes = (program.actions.iter())
                    .map(|a| Process {
                        name: a.name.clone(),
                        location: None,
                    })
                    .collect();
                for (i, action) in program.actions.iter_mut().enumerate() {
                    action.processes = vec![ProcessId(i as u32)];
                }
            }
            Fairness::Weak | Fairness::None => {}
        }
        let layout = Layout::inferred(&program);
        Ok(Self {
            program: Arc::new(program),
            layout,
            net: OnceLock::new(),
            fair: fairness != Fairness::None,
            by_transitions: fairness == Fairness::WeakTransitions,
        })
    }

    /// The program as it is checked: with fairness to transitions, these are its processes.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program as a net, if it is one.
    pub(super) fn net(&self) -> Option<&Net> {
        self.net.get_or_init(|| Net::of(&self.program)).as_ref()
    }

    /// Do only fair runs count?
    pub(super) fn is_fair(&self) -> bool {
        self.fair
    }

    /// Checks a property.
    ///
    /// # Errors
    /// If that cannot be done, or went wrong by our own fault.
    pub fn check(
        &self,
        property: &Property,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        if let Claim::NoFailure(program) = &property.claim {
            return failures::check(self, property, program, settings);
        }
        if let Some(asked) = reachability::asked(self, property, settings)? {
            return reachability::check(self, property, settings, &asked);
        }
        self.check_beside_assertions(property, settings)
    }

    /// Checks a property, and if a failed assertion about states is what keeps it from being decided, without these: a state that fails one has all its
    /// steps.
    fn check_beside_assertions(
        &self,
        property: &Property,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        let begin = Instant::now();
        let report = self.check_by_engine(property, settings)?;
        let fails = matches!(report.verdict, Verdict::Unknown(Cause::Failure(_)));
        if !fails || self.program.assertions.is_empty() {
            return Ok(report);
        }
        let mut program = Program::clone(&self.program);
        program.assertions.clear();
        let without = Self {
            program: Arc::new(program),
            layout: self.layout.clone(),
            net: OnceLock::new(),
            ..*self
        };
        let mut again = *settings;
        again.limits.time = (settings.limits.time).map(|t| t.saturating_sub(begin.elapsed()));
        again.symbolic.prepared = None;
        let mut report = without.check_by_engine(property, &again)?;
        report.assertion_fails = !matches!(report.verdict, Verdict::Unknown(Cause::Failure(_)));
        report.elapsed = begin.elapsed();
        report.explanation.push(
            "an assertion about states fails, which keeps no step from being made: checked again without assertions".to_string(),
        );
        Ok(report)
    }

    /// Checks a property with the engine that is asked for.
    pub(super) fn check_by_engine(
        &self,
        property: &Property,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        match settings.engine {
            Engine::Explicit => self.check_alone(property, settings),
            Engine::Symbolic => {
                let mut report = self.check_alone(property, settings)?;
                let why = "engine symbolic, as asked: sets of states are decision diagrams";
                report.explanation.insert(0, why.to_string());
                Ok(report)
            }
            Engine::Auto => portfolio::check(self, property, settings),
        }
    }

    /// Checks a property with one engine.
    pub(super) fn check_alone(
        &self,
        property: &Property,
        settings: &Settings<'_>,
    ) -> Result<Report, CheckError> {
        debug_assert_ne!(settings.engine, Engine::Auto);
        let mut prepared = match self.prepare(property, settings)? {
            Preparation::Ready(prepared) => *prepared,
            Preparation::Done(report) => return Ok(*report),
        };
        if let (Engine::Symbolic, Observed::Runs(compiled)) = (settings.engine, &prepared.observed)
        {
            let (property, report) = (&prepared.property, &mut prepared.report);
            self.search_symbolically(property, compiled, settings, prepared.deadline, report)?;
            let asked = settings.symbolic.algorithm;
            let why = report.symbolic.as_ref().map(|s| symbolic::why(s, asked));
            report.explanation.extend(why);
        } else {
            let (system, why) = self.made(meanings(&prepared.property.propositions), settings);
            let why = Some(why);
            match system {
                Ok(system) => self.decide(&mut prepared, &system, why, settings)?,
                Err(system) => self.decide(&mut prepared, &system, why, settings)?,
            }
        }
        prepared.report.elapsed = prepared.begin.elapsed();
        Ok(prepared.report)
    }

    /// Makes the automaton of a property's violations.
    pub(super) fn prepare(
        &self,
        property: &Property,
        settings: &Settings<'_>,
    ) -> Result<Preparation, CheckError> {
        let begin = Instant::now();
        let limits = &settings.limits;
        if self.by_transitions && matches!(property.claim, Claim::Progress(_)) {
            return Err(CheckError::Refused(
                "with fairness to transitions these are the processes; progress of others is not looked at".to_string(),
            ));
        }
        let (property, settled) = if settings.as_written() {
            (property.clone(), Vec::new())
        } else {
            property.settled(&self.program)
        };
        let is_symbolic = settings.engine == Engine::Symbolic;
        let (wish, why) = if is_symbolic && settings.search.is_none() {
            // It knows nothing of finite automata.
            let kind = settings.automaton.unwrap_or(AutomatonKind::Tgba);
            (Wish::Kind(kind), None)
        } else if is_symbolic {
            return Err(CheckError::Refused(
                "the symbolic engine does not search for bad prefixes".to_string(),
            ));
        } else {
            strategy::wish(
                settings.automaton,
                settings.algorithm,
                settings.search,
                &property.claim,
                self.no_prefixes(settings.deadlock),
            )
            .map_err(CheckError::Refused)?
        };
        let mut report = Report {
            workers: if is_symbolic {
                1
            } else {
                settings.workers.max(1)
            },
            explanation: settled.into_iter().chain(why).collect(),
            ..Report::unknown(settings, Reason::Time)
        };
        let count = property.propositions.len();
        let deadline = limits.time.and_then(|t| begin.checked_add(t));
        let making = Making {
            // A testing automaton is made for the check that is to search it.
            two_passes: match settings.algorithm {
                Some(algorithm) => algorithm.needs_livelock(),
                None => settings.workers <= 1,
            },
            deterministic: settings.deterministic,
        };
        let made = violations(
            &property.claim,
            count,
            wish,
            making,
            deadline,
            limits.interrupt,
        );
        let (observed, facts) = match made {
            Ok(made) => made,
            Err(NoAutomaton::Stopped(reason)) => {
                report.verdict = Verdict::Unknown(Cause::Translation(reason));
                report.elapsed = begin.elapsed();
                return Ok(Preparation::Done(Box::new(report)));
            }
            Err(NoAutomaton::TooLarge(size)) => {
                report.verdict = Verdict::Unknown(Cause::Undecided(size.to_string()));
                report.elapsed = begin.elapsed();
                return Ok(Preparation::Done(Box::new(report)));
            }
            Err(NoAutomaton::Refused(why)) => return Err(CheckError::Refused(why)),
        };
        report.automaton = Some(facts);
        if let Wish::FiniteOr(_) = wish {
            let safe = match &observed {
                Observed::Prefixes(_, why) => Some(*why),
                Observed::Runs(_) => None,
            };
            (report.explanation).push(strategy::made(safe, &property.claim));
        }
        Ok(Preparation::Ready(Box::new(Prepared {
            property,
            observed,
            report,
            begin,
            deadline,
        })))
    }

    /// Searches a system with the propositions of the property, and draws the conclusion. `why` is what is to be said of
    /// where its successors come from.
    pub(super) fn decide<S: Packed>(
        &self,
        prepared: &mut Prepared,
        system: &S,
        why: Option<String>,
        settings: &Settings<'_>,
    ) -> Result<(), CheckError> {
        let limits = Limits {
            time: (settings.limits.time).map(|t| t.saturating_sub(prepared.begin.elapsed())),
            ..settings.limits
        };
        let (property, report) = (&prepared.property, &mut prepared.report);
        let mut conclusion = Conclusion {
            name: "",
            deadlock: settings.deadlock,
            fair: self.fair,
            deadline: (settings.limits.time).and_then(|t| prepared.begin.checked_add(t)),
            limits: settings.limits,
        };
        match &prepared.observed {
            Observed::Prefixes(automaton, _) => {
                let options = self.reach(settings, limits, report);
                report.explanation.extend(why);
                conclusion.name = report.search.map_or("", Search::name);
                let found = finite::check(system, automaton, &options);
                self.conclude(property, found, report, &conclusion)
            }
            Observed::Runs(compiled) => {
                let options = self.search(compiled, settings, limits, report)?;
                report.explanation.extend(why);
                conclusion.name = options.algorithm.name();
                let found = check(system, compiled, &options);
                self.conclude(property, found, report, &conclusion)
            }
        }
    }

    /// How accepting runs are searched for.
    fn search<'o>(
        &self,
        compiled: &Compiled,
        settings: &Settings<'_>,
        limits: Limits<'o>,
        report: &mut Report,
    ) -> Result<Options<'o>, CheckError> {
        let observer = Observer::from(compiled);
        let processes = if self.fair {
            self.program.processes.len()
        } else {
            0
        };
        let more_sets = self.program.marks as usize + processes;
        let sets = observer.sets() as usize + more_sets;
        if sets > MAX_SETS as usize {
            return Err(CheckError::Refused(format!(
                "{sets} acceptance sets ({} of the automaton, {} of the model, {processes} for fairness) are more than \
                 the {MAX_SETS} that a search is made for",
                observer.sets(),
                self.program.marks
            )));
        }
        let (algorithm, why) =
            strategy::algorithm(settings.algorithm, observer, more_sets, settings.workers);
        if settings.pairs == Pairs::Parallel && algorithm != Algorithm::Favoid {
            return Err(CheckError::Refused(format!(
                "algorithm {} does not check Rabin pairs, so they cannot be checked in parallel",
                algorithm.name()
            )));
        }
        report.explanation.extend(self.facts(observer, settings));
        report.explanation.push(why);
        report.algorithm = Some(algorithm);
        Ok(Options {
            algorithm,
            deadlock: settings.deadlock,
            fair: self.fair,
            // Who asks for a check by its name gets that and nothing else.
            shorten: match settings.algorithm {
                _ if settings.shorten => nearby_run::MANY,
                None => nearby_run::USUAL,
                Some(_) => 0,
            },
            scouts: settings.algorithm.is_none().then_some(scout::FIRST),
            order: settings.order,
            workers: settings.workers,
            pairs: settings.pairs,
            limits,
        })
    }

    /// The size of the whole product with an automaton of this kind, whatever its verdict; `None` if it is beyond the
    /// limits.
    ///
    /// # Errors
    /// If there is no such automaton.
    pub fn product_size(
        &self,
        property: &Property,
        kind: AutomatonKind,
        limits: Limits<'_>,
    ) -> Result<Option<ProductSize>, CheckError> {
        let count = property.propositions.len();
        let wish = Wish::Kind(kind);
        let making = Making {
            two_passes: true,
            deterministic: false,
        };
        let compiled = match violations(&property.claim, count, wish, making, None, None) {
            Ok((Observed::Runs(compiled), _)) => compiled,
            Ok((Observed::Prefixes(..), _)) => {
                return Err(CheckError::Refused(
                    "the product with a finite automaton ends where a prefix is bad".to_string(),
                ));
            }
            Err(NoAutomaton::Refused(why)) => return Err(CheckError::Refused(why)),
            Err(NoAutomaton::Stopped(_) | NoAutomaton::TooLarge(_)) => return Ok(None),
        };
        let meanings = meanings(&property.propositions);
        let shape = Shape {
            fair: self.fair,
            ..Shape::default()
        };
        let program = Arc::clone(&self.program);
        let layout = self.layout.clone();
        match CompiledSystem::new(Arc::clone(&program), layout.clone(), meanings.clone()) {
            Ok(system) => Ok(size(&system, &compiled, shape, limits)),
            Err(_) => {
                let system = ProgramSystem::new(program, layout, meanings);
                Ok(size(&system, &compiled, shape, limits))
            }
        }
    }

    /// What stands in the way of finite automata.
    fn no_prefixes(&self, deadlock: Deadlock) -> Option<NoPrefixes> {
        if self.program.marks > 0 {
            Some(NoPrefixes::ModelMarks)
        } else if self.fair && deadlock == Deadlock::Drop {
            Some(NoPrefixes::FairWithoutEnd)
        } else {
            None
        }
    }

    /// How a bad prefix is searched for.
    pub(super) fn reach<'o>(
        &self,
        settings: &Settings<'_>,
        limits: Limits<'o>,
        report: &mut Report,
    ) -> FiniteOptions<'o> {
        report
            .explanation
            .push(deadlock_sentence(settings.deadlock));
        if self.fair {
            report.fairness_ignored = true;
            report.explanation.push(
                "fairness: not looked at, for every finite path is the beginning of a fair run, and a bad prefix is bad \
                 whatever comes"
                    .to_string(),
            );
        }
        let (search, why) = strategy::search(settings.search);
        report.explanation.push(why);
        report.search = Some(search);
        if settings.workers > 1 {
            report.explanation.push(format!(
                "{} workers find out whether a bad prefix is reachable; if so, one finds it, always the same",
                settings.workers
            ));
        }
        FiniteOptions {
            search: settings.search,
            deadlock: settings.deadlock,
            order: settings.order,
            workers: settings.workers,
            limits,
            ..FiniteOptions::default()
        }
    }

    /// What was found out before the choice, one sentence each.
    fn facts(&self, observer: Observer<'_>, settings: &Settings<'_>) -> Vec<String> {
        let weak = match observer {
            Observer::Property(property) => Some((property.is_weak(), property.is_terminal())),
            Observer::Testing(_) => None,
        };
        let shape = if weak.is_none() {
            "the automaton observes changes and does not move while nothing changes; actions that write no proposition \
             are never looked at"
        } else if weak == Some((true, true)) {
            "the automaton is terminal: a run is lost as soon as it reaches an accepting component"
        } else if weak == Some((true, false)) {
            "the automaton is weak: each of its components accepts all of its cycles or none"
        } else {
            "the automaton is not weak: some component has accepting cycles and others"
        };
        let mut facts = vec![shape.to_string(), deadlock_sentence(settings.deadlock)];
        if self.fair {
            facts.push(format!(
                "fairness: one acceptance set for each of {} processes",
                self.program.processes.len()
            ));
        }
        facts
    }

    /// The system with the propositions of a property, compiled or else interpreted.
    pub(super) fn system(
        &self,
        property: &Property,
        settings: &Settings<'_>,
        report: &mut Report,
    ) -> Result<CompiledSystem, ProgramSystem> {
        let (system, why) = self.made(meanings(&property.propositions), settings);
        report.explanation.push(why);
        system
    }

    /// The system with these propositions, compiled or else interpreted, and which and why.
    pub(super) fn made(
        &self,
        meanings: Vec<Expr>,
        settings: &Settings<'_>,
    ) -> (Result<CompiledSystem, ProgramSystem>, String) {
        let (program, layout) = (Arc::clone(&self.program), self.layout.clone());
        let why = if settings.compile {
            match CompiledSystem::new(Arc::clone(&program), layout.clone(), meanings.clone()) {
                Ok(system) => {
                    let why = match system.is_compiled() {
                        true => "successors: the model is compiled to native code",
                        false => {
                            "successors: the model is interpreted until its native code is there, which takes long"
                        }
                    };
                    return (Ok(system), why.to_string());
                }
                Err(e) => format!("successors: the model is interpreted, for {e}"),
            }
        } else {
            "successors: the model is interpreted, as asked".to_string()
        };
        (Err(ProgramSystem::new(program, layout, meanings)), why)
    }
}

/// What the propositions say.
fn meanings(propositions: &[Proposition]) -> Vec<Expr> {
    propositions.iter().map(|p| p.meaning.clone()).collect()
}

pub(super) fn deadlock_sentence(deadlock: Deadlock) -> String {
    match deadlock {
        Deadlock::Stutter => "deadlock stutter: a run that ends repeats its last state",
        Deadlock::Drop => "deadlock drop: a run that ends does not count",
    }
    .to_string()
}
