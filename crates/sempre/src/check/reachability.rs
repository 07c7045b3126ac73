//! Reachability in nets: `G p` of a condition on states, and the contest's `AG p` and `EF p`.
//!
//! A safety property that says of each state alone what it must be is violated if a state can be reached in which it is not so. Of a net
//! that is decided by the first of these that can, on what of the net matters to the condition ([`Question::reduced`]):
//!
//! 1. short walks ([`sempre_net::walk`]): a run that reaches the condition is a witness;
//! 2. the state equation ([`sempre_net::state_equation`]): a proof that there is none, or solutions, which guide walks;
//! 3. longer walks;
//! 4. the engine that was asked for, on the reduced net.
//!
//! What a method finds is not believed: a run is replayed on the whole model and the property as it was given
//! ([`confirm_prefix`](super::replay::confirm_prefix)), and a proof is checked again ([`Exhausted::certified`]).
//!
//! `--algorithm walk` is for programs that are no nets, too ([`sempre_explicit::walk`]).
//!
//! A run that is found so is any, not a shortest one. So this is done for questions of the contest, whose answer is TRUE or FALSE; where one of the
//! methods is named; and where both engines are asked, of which the first that answers does not look for a shortest one either.
//!
//! Budgets are in steps and in entries of tableaus, so that an answer does not depend on the machine; where time is limited, each part has a
//! share of it.

use super::bad_prefix::is_bad_prefix;
use super::checker::Checker;
use super::program_walk;
use super::property::{Asked, Claim, Property, Proposition};
use super::replay::{Evidence, Unconfirmed, confirm_prefix};
use super::settings::{Engine, Settings};
use super::symbolic::{SymbolicAlgorithm, SymbolicSettings};
use super::translation::in_time;
use super::verdict::{Cause, CheckError, Exhausted, Report, Verdict};
use sempre_base::stop::{Cancel, Stop, poll};
use sempre_explicit::explore::Reason;
use sempre_explicit::product::{Deadlock, Limits};
use sempre_ltl::{Formula, Formulas, Op};
use sempre_model::ir::{Binary, Expr, Program, Unary};
use sempre_net::state_equation::{Answer, Firings, Next, search};
use sempre_net::walk::{Policy, WalkEnd, Walker};
use sempre_net::witness::shortened;
use sempre_net::{Condition, Net, Proof, Question};
use std::time::{Duration, Instant};

/// Methods for reachability in nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Random, directed and guided walks.
    Walk,
    /// The state equation, with walks that its solutions guide.
    StateEquation,
}

impl Method {
    /// All of them, with their names.
    pub const ALL: [(Method, &'static str); 2] = [
        (Method::Walk, "walk"),
        (Method::StateEquation, "state-equation"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let known = Self::ALL.iter().find(|(m, _)| *m == self);
        known.map_or("", |(_, name)| name)
    }
}

/// What was done to the net and with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NetFacts {
    /// Places that matter.
    pub places: usize,
    /// Transitions that matter.
    pub transitions: usize,
    /// Steps of walks.
    pub steps: u64,
    /// Contradictions that the proof is made of, if there is one.
    pub contradictions: Option<usize>,
}

/// Steps of the first walks.
const FIRST_STEPS: u64 = 60_000;
/// Steps of the walks behind the state equation.
const MORE_STEPS: u64 = 3_000_000;
/// Entries of tableaus.
const WORK: u64 = 300_000_000;
/// Steps of walks for many questions together.
const TOGETHER_STEPS: u64 = 300_000;
/// Walks that a solution guides.
const TRIES: u32 = 12;
/// Steps of walks without an engine behind them and without a limit of states.
pub(super) const MANY_STEPS: u64 = 1 << 28;
/// Values that a run may have, as states times cells: it is replayed and shown.
pub(super) const VALUES: usize = 10_000_000;
/// Steps of work to make a run shorter.
const SHORTENING: u64 = 2_000_000;
/// Why walks alone leave a question open.
pub(super) const NO_WALK: &str = "no walk reached the condition, which proves nothing";
/// Nodes of a formula that becomes a condition.
const NODES: usize = 100_000;

/// What is asked.
pub(super) enum Asking<'n> {
    /// Can the net reach the condition?
    Net(&'n Net, Condition),
    /// Can the program come to a state in which the expression has this value? Walks alone are made for that.
    Program(Expr, bool),
}

/// The question, if the methods of this module are made for it and wanted.
///
/// # Errors
/// If one of them is wanted by its name, and not made for this.
pub(super) fn asked<'n>(
    checker: &'n Checker,
    property: &Property,
    settings: &Settings<'_>,
) -> Result<Option<Asking<'n>>, CheckError> {
    let is_free = !settings.as_written() && settings.symbolic.algorithm == SymbolicAlgorithm::Turns;
    let is_wanted = settings.method.is_some()
        || is_free && (property.asked != Asked::Runs || settings.engine == Engine::Auto);
    if !is_wanted {
        return Ok(None);
    }
    let refused = |why: &str| match settings.method {
        Some(method) => Err(CheckError::Refused(format!(
            "algorithm {} {why}",
            method.name()
        ))),
        None => Ok(None),
    };
    if settings.method.is_some() && settings.automaton.is_some() {
        return refused("takes no automaton");
    }
    if settings.deadlock == Deadlock::Drop {
        return refused(
            "looks for finite runs; with --deadlock drop a run that ends does not count",
        );
    }
    let Some((bad, wanted)) = bad_states(property) else {
        return refused("takes properties G p and !F p, where p is a condition on states");
    };
    match (checker.net(), Condition::of(&bad, wanted)) {
        (Some(net), Some(goal)) => Ok(Some(Asking::Net(net, goal))),
        _ if settings.method == Some(Method::Walk) => match checker.program().marks {
            0 => Ok(Some(Asking::Program(bad, wanted))),
            _ => refused("does not look for the acceptance marks of a model's own edges"),
        },
        _ => refused("takes place/transition nets and linear conditions on their places"),
    }
}

/// The first walks for many questions about one net at the same time: a report for each that one of them answers.
///
/// # Errors
/// If a run was not confirmed.
pub fn together(
    checker: &Checker,
    properties: &[Property],
    settings: &Settings<'_>,
) -> Result<Vec<Option<Report>>, CheckError> {
    let mut reports: Vec<Option<Report>> = vec![None; properties.len()];
    let clock = Clock::new(settings);
    let mut numbers = Vec::new();
    let mut goals = Vec::new();
    if settings.deadlock == Deadlock::Stutter && checker.net().is_some() {
        for (number, property) in properties.iter().enumerate() {
            let goal = bad_states(property).and_then(|(bad, wanted)| Condition::of(&bad, wanted));
            if let Some(goal) = goal.filter(|_| property.asked != Asked::Runs) {
                numbers.push(number);
                goals.push(goal);
            }
        }
    }
    let Some(net) = checker.net().filter(|_| !goals.is_empty()) else {
        return Ok(reports);
    };
    let longest = longest(net);
    let mut walker = Walker::new(net, &goals.iter().collect::<Vec<_>>(), 1);
    let mut open: Vec<usize> = (0..goals.len()).filter(|&g| !goals[g].is_false()).collect();
    let enough = TOGETHER_STEPS + goals.len() as u64 * 2_000;
    for round in 0.. {
        if open.is_empty() || walker.steps() >= enough || clock.is_over(1.0) {
            break;
        }
        let policy = match round % 4 {
            0 => Policy::Uniform,
            1 => Policy::LeastFired,
            _ => Policy::Directed(open[round / 4 % open.len()]),
        };
        let length = (50usize << (round / 4 % 10)).min(longest);
        let before = walker.steps();
        if let WalkEnd::Reached(goal) = walker.walk(policy, length, &|| clock.is_over(1.0)) {
            walker.remove_goal(goal);
            open.retain(|&g| g != goal);
            let property = &properties[numbers[goal]];
            let path = shortened(net, &goals[goal], walker.path(), SHORTENING / 100);
            let mut report = Report::unknown(settings, Reason::Time);
            report.verdict = confirmed(checker, property, net, &path, &clock)?;
            report.method = Some(Method::Walk);
            report.net = Some(NetFacts {
                places: net.places(),
                transitions: net.transitions.len(),
                steps: walker.steps(),
                contradictions: None,
            });
            report.elapsed = clock.begin.elapsed();
            reports[numbers[goal]] = Some(report);
        } else if walker.steps() == before {
            // Nothing can move.
            break;
        }
    }
    Ok(reports)
}

/// Steps that a walk may have: it is replayed and shown.
fn longest(net: &Net) -> usize {
    (VALUES / net.places().max(1)).max(1000)
}

/// The condition on states, and the truth value that it must never have; `None` if the property is not of this form.
fn bad_states(property: &Property) -> Option<(Expr, bool)> {
    let Claim::Formula(formulas, formula) = &property.claim else {
        return None;
    };
    let operand = |f: Formula| formulas.operands(f)[0];
    let (inside, wanted) = match formulas.op(*formula) {
        Op::Globally => (operand(*formula), false),
        Op::Not if formulas.op(operand(*formula)) == Op::Finally => {
            (operand(operand(*formula)), true)
        }
        _ => return None,
    };
    let mut nodes = NODES;
    Some((
        condition(formulas, inside, &property.propositions, &mut nodes)?,
        wanted,
    ))
}

/// The condition on states that a formula is; `None` if it is about runs, or large.
fn condition(
    formulas: &Formulas,
    formula: Formula,
    propositions: &[Proposition],
    nodes: &mut usize,
) -> Option<Expr> {
    *nodes = nodes.checked_sub(1)?;
    let mut each = Vec::new();
    for &operand in formulas.operands(formula) {
        each.push(condition(formulas, operand, propositions, nodes)?);
    }
    let not = |e: Expr| Expr::Unary(Unary::Not, Box::new(e));
    let two = |op: Binary, each: Vec<Expr>| Expr::balanced(op, each);
    match formulas.op(formula) {
        Op::True => Some(Expr::TRUE),
        Op::False => Some(Expr::FALSE),
        Op::Proposition => {
            let number = formulas.proposition_number(formula);
            Some(propositions.get(number)?.meaning.clone())
        }
        Op::Not => each.pop().map(not),
        Op::And => two(Binary::And, each),
        Op::Or => two(Binary::Or, each),
        Op::Implies => two(Binary::Implies, each),
        op @ (Op::Equiv | Op::Xor) => {
            // Both operands twice.
            let (b, a) = (each.pop()?, each.pop()?);
            let same = op == Op::Equiv;
            let left = Expr::binary(
                Binary::Implies,
                a.clone(),
                if same { b.clone() } else { not(b.clone()) },
            );
            let right = Expr::binary(Binary::Or, a, if same { not(b) } else { b });
            Some(Expr::binary(Binary::And, left, right))
        }
        _ => None,
    }
}

/// What the methods came to.
enum Found {
    /// These transitions of the reduced net lead to the condition.
    Run(Vec<u32>, Method, &'static str),
    /// There is no such run.
    Never(Proof),
    /// Nothing is known.
    Open,
}

/// When to stop.
pub(super) struct Clock<'a> {
    pub(super) begin: Instant,
    time: Option<Duration>,
    interrupts: [Option<&'a Cancel>; 2],
}

impl<'a> Clock<'a> {
    pub(super) fn new(settings: &Settings<'a>) -> Self {
        Self {
            begin: Instant::now(),
            time: settings.limits.time,
            interrupts: [settings.limits.interrupt, settings.symbolic.interrupt],
        }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        (self.interrupts.iter()).any(|&by| poll(by) == Some(Stop::Cancelled))
    }

    /// Is so much of the time over, or does the user want to stop?
    pub(super) fn is_over(&self, share: f64) -> bool {
        self.interrupts.iter().any(|&by| poll(by).is_some())
            || self
                .time
                .is_some_and(|t| self.begin.elapsed() >= t.mul_f64(share))
    }
}

/// Asks the methods, and then the engine.
pub(super) fn check(
    checker: &Checker,
    property: &Property,
    settings: &Settings<'_>,
    asked: &Asking<'_>,
) -> Result<Report, CheckError> {
    let clock = Clock::new(settings);
    let (net, goal) = match asked {
        Asking::Net(net, goal) => (*net, goal),
        Asking::Program(bad, wanted) => {
            return program_walk::check(checker, property, settings, (bad, *wanted), &clock);
        }
    };
    let reduced = Question::reduced(net, goal);
    let mut facts = NetFacts {
        places: reduced.net.places(),
        transitions: reduced.net.transitions.len(),
        ..NetFacts::default()
    };
    let mut explanation = vec![format!(
        "{} of {} places and {} of {} transitions matter to the condition",
        facts.places,
        net.places(),
        facts.transitions,
        net.transitions.len()
    )];
    let many = settings.limits.states.unwrap_or(MANY_STEPS);
    let found = methods(&reduced, settings.method, many, &clock, &mut facts);
    let mut report = match (&found, settings.method) {
        (Found::Open, None) if !clock.is_over(1.0) => {
            explanation.push(
                "walks did not reach the condition, and the state equation does not exclude it"
                    .to_string(),
            );
            engine(checker, property, settings, &reduced, &clock)?
        }
        _ => Report::unknown(settings, Reason::Time),
    };
    match found {
        Found::Run(path, method, how) => {
            explanation.push(format!(
                "algorithm {}: {how} reached the condition; another run may be shorter",
                method.name()
            ));
            let path = shortened(&reduced.net, &reduced.goal, &path, SHORTENING);
            let path = path
                .iter()
                .map(|&t| reduced.net.transitions[t as usize].action);
            let path: Vec<u32> = path.collect();
            report.method = Some(method);
            report.verdict = confirmed(checker, property, net, &path, &clock)?;
        }
        Found::Never(proof) => {
            explanation.push(
                "algorithm state-equation: no solution of the state equation meets the condition; the proof was checked"
                    .to_string(),
            );
            facts.contradictions = Some(proof.leaves());
            report.method = Some(Method::StateEquation);
            report.verdict = match Exhausted::certified(&reduced, &proof) {
                Some(exhausted) => Verdict::Holds(exhausted),
                None => return Err(CheckError::Defect("a proof that is none".to_string())),
            };
        }
        Found::Open => {
            if let Verdict::Violated(evidence) = &report.verdict {
                let actions = evidence.moments().filter_map(|m| m.action);
                let path = actions.map(|a| reduced.net.transitions[a as usize].action);
                let path: Vec<u32> = path.collect();
                report.verdict = confirmed(checker, property, net, &path, &clock)?;
            } else if let (Some(method), Verdict::Unknown(_)) = (settings.method, &report.verdict)
                && !clock.is_over(1.0)
            {
                let text = match method {
                    Method::Walk => NO_WALK,
                    Method::StateEquation => {
                        "the state equation has solutions, and no walk along one reached the condition"
                    }
                };
                report.verdict = Verdict::Unknown(Cause::Undecided(text.to_string()));
            } else if clock.is_interrupted() && matches!(report.verdict, Verdict::Unknown(_)) {
                report.verdict = Verdict::Unknown(Cause::Stopped(Reason::Interrupted));
            }
        }
    }
    explanation.append(&mut report.explanation);
    report.explanation = explanation;
    report.net = Some(facts);
    report.elapsed = clock.begin.elapsed();
    Ok(report)
}

/// Walks and the state equation.
fn methods(
    question: &Question,
    only: Option<Method>,
    many: u64,
    clock: &Clock<'_>,
    facts: &mut NetFacts,
) -> Found {
    let (net, goal) = (&question.net, &question.goal);
    let longest = longest(net);
    let mut walker = Walker::new(net, &[goal], 1);
    let found = (|| {
        let (steps, share) = match only {
            Some(Method::Walk) => (many, 1.0),
            _ => (FIRST_STEPS, 0.1),
        };
        if !goal.is_false() && walks(&mut walker, longest, steps, &|| clock.is_over(share)) {
            return Found::Run(walker.path().to_vec(), Method::Walk, "a walk");
        }
        if only == Some(Method::Walk) {
            return Found::Open;
        }
        let share = if only.is_some() { 1.0 } else { 0.45 };
        let poll = || match clock.is_over(share) {
            true => Next::Stop,
            false => Next::Continue,
        };
        let mut is_met = false;
        let mut solution = |firings: &Firings| {
            is_met = guided(&mut walker, longest, firings, &|| clock.is_over(share));
            if is_met { Next::Stop } else { Next::Continue }
        };
        match search(question, 1, WORK, &mut solution, &poll) {
            Answer::Unreachable(proof) => return Found::Never(proof),
            Answer::Stopped | Answer::Unknown if is_met => {
                let how = "a walk along a solution of the state equation";
                return Found::Run(walker.path().to_vec(), Method::StateEquation, how);
            }
            Answer::Stopped | Answer::Unknown => {}
        }
        if only.is_none() && walks(&mut walker, longest, MORE_STEPS, &|| clock.is_over(0.55)) {
            return Found::Run(walker.path().to_vec(), Method::Walk, "a walk");
        }
        Found::Open
    })();
    facts.steps = walker.steps();
    found
}

/// Walks by several policies, from short ones to long ones, and again; is the condition met?
fn walks(walker: &mut Walker<'_>, longest: usize, steps: u64, is_over: &dyn Fn() -> bool) -> bool {
    let enough = walker.steps().saturating_add(steps);
    for round in 0.. {
        let policy = match round % 4 {
            0 | 2 => Policy::Directed(0),
            1 => Policy::Uniform,
            _ => Policy::LeastFired,
        };
        let length = (50usize << (round / 4 % 12)).min(longest);
        let before = walker.steps();
        if let WalkEnd::Reached(_) = walker.walk(policy, length, is_over) {
            return true;
        }
        // Where nothing can move there is nothing to walk.
        if walker.steps() == before || walker.steps() >= enough || is_over() {
            return false;
        }
    }
    false
}

/// Walks along a solution; is the condition met?
fn guided(
    walker: &mut Walker<'_>,
    longest: usize,
    firings: &Firings,
    is_over: &dyn Fn() -> bool,
) -> bool {
    let total = firings.iter().fold(0u64, |sum, f| sum.saturating_add(f.1));
    let length = usize::try_from(total.saturating_mul(2)).unwrap_or(usize::MAX);
    let length = length.saturating_add(200).min(longest);
    for _ in 0..TRIES {
        if let WalkEnd::Reached(_) = walker.walk(Policy::Parikh(0, firings), length, is_over) {
            return true;
        }
        if is_over() {
            return false;
        }
    }
    false
}

/// The engine that was asked for, on the reduced net.
fn engine(
    checker: &Checker,
    property: &Property,
    settings: &Settings<'_>,
    reduced: &Question,
    clock: &Clock<'_>,
) -> Result<Report, CheckError> {
    let program = reduced.net.program(checker.program());
    let inner = Checker::new(&program, super::Fairness::None)?;
    let mut formulas = Formulas::new();
    let goal = formulas.proposition("goal");
    let never = formulas.not(goal);
    let claim = formulas.globally(never);
    let inner_property = Property {
        name: property.name.clone(),
        propositions: vec![Proposition {
            text: "goal".to_string(),
            meaning: reduced.goal.expr(),
        }],
        claim: Claim::Formula(Box::new(formulas), claim),
        asked: Asked::Runs,
        warnings: Vec::new(),
    };
    let limits = Limits {
        time: (settings.limits.time).map(|t| t.saturating_sub(clock.begin.elapsed())),
        ..settings.limits
    };
    let settings = Settings {
        limits,
        symbolic: SymbolicSettings {
            // Those are of the whole net.
            prepared: None,
            ..settings.symbolic
        },
        ..*settings
    };
    inner.check_by_engine(&inner_property, &settings)
}

/// Replays a run of actions that leads to the condition.
fn confirmed(
    checker: &Checker,
    property: &Property,
    net: &Net,
    actions: &[u32],
    clock: &Clock<'_>,
) -> Result<Verdict, CheckError> {
    verdict_of(replayed(checker.program(), property, net, actions, clock))
}

pub(super) fn verdict_of(evidence: Result<Evidence, Unconfirmed>) -> Result<Verdict, CheckError> {
    match evidence {
        Ok(evidence) => Ok(Verdict::Violated(evidence)),
        Err(Unconfirmed::NoValue(text)) => Ok(Verdict::Unknown(Cause::NoValue(text))),
        Err(Unconfirmed::Stopped(reason)) => Ok(Verdict::Unknown(Cause::Confirmation(reason))),
        Err(Unconfirmed::Defect(text)) => Err(CheckError::Defect(format!(
            "a run to the condition was not confirmed: {text}"
        ))),
    }
}

fn replayed(
    program: &Program,
    property: &Property,
    net: &Net,
    actions: &[u32],
    clock: &Clock<'_>,
) -> Result<Evidence, Unconfirmed> {
    let mut marking = net.initial.clone();
    let mut path = Vec::with_capacity(actions.len() + 1);
    for &action in actions {
        path.push((marking.clone(), Some(action)));
        net.transitions[action as usize].fire(&mut marking);
    }
    path.push((marking, None));
    replayed_path(program, property, &path, clock)
}

pub(super) fn replayed_path(
    program: &Program,
    property: &Property,
    path: &[(Vec<i64>, Option<u32>)],
    clock: &Clock<'_>,
) -> Result<Evidence, Unconfirmed> {
    let mut claim = property.claim.clone();
    let deadline = clock.time.and_then(|t| clock.begin.checked_add(t));
    let interrupt = clock.interrupts[0];
    confirm_prefix(
        program,
        property,
        path,
        None,
        Deadlock::Stutter,
        move |word| {
            in_time(deadline, interrupt, move || {
                is_bad_prefix(&mut claim, &word)
            })
            .map_err(Unconfirmed::Stopped)
        },
    )
}
