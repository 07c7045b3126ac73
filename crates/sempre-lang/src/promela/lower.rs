//! From a Promela file to a program of the IR. What the steps mean is in [`super`]; here is how they look.
//!
//! A statement of a process that needs nobody else is one action; a rendezvous is one for each pair of a sending and a
//! receiving statement of different slots on a channel. Guards start with the tests of locations, the sender's
//! first, so that whoever looks for enabled actions can ask for locations first.

use super::Steps;
use super::ast::File;
use super::body::{self, Body};
use super::channel_flow::ChannelFlow;
use super::channels::misfit;
use super::claims;
use super::declarations;
use super::event_trace;
use super::exclusive;
use super::flow::{El, Kind};
use super::instances::{Instance, World};
use super::loose_mtypes;
use super::merging;
use super::priorities;
use super::resolve::{Face, Resolver, Target, Value};
use super::steps::{Half, Offer, Stepper};
use super::symbols::{Globals, Start};
use super::tenancy::{self, Tenancy};
use crate::dve::PropertyProcess;
use crate::place::Places;
use crate::report::Report;
use rustc_hash::FxHashSet;
use sempre_base::{Diagnostic, Span};
use sempre_model::Action;
use sempre_model::ir::{Behaviour, Binary, Expr, Place, ProcessId, Stmt, Type};
use std::sync::Arc;

/// More actions than these are refused.
const ACTIONS: usize = 1 << 18;
/// And more cells than these.
const CELLS: usize = 1 << 20;

/// As many channels as a variable can stand for, as in SPIN.
const CHANNELS: usize = 255;

/// A file, resolved.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub globals: Globals,
    pub faces: Vec<Face>,
    pub bodies: Vec<Body>,
    pub claims: Vec<Body>,
    /// The event trace; true for a `notrace`.
    pub trace: Option<(Body, bool)>,
    /// The global leaves that are written.
    pub written: FxHashSet<usize>,
}

/// Resolves the names of a file.
pub(super) fn resolve(file: &File, report: &mut Report) -> Resolved {
    let mut globals = declarations::globals(file, report);
    let faces: Vec<Face> = (file.proctypes.iter())
        .map(|p| body::face(&globals, p, report))
        .collect();
    let mut claimed = false;
    let mut body = |p| body::body(&globals, &faces, p, &mut claimed, report);
    let bodies: Vec<Body> = file.proctypes.iter().map(&mut body).collect();
    let claims: Vec<Body> = file.claims.iter().map(&mut body).collect();
    let trace = (file.trace.as_ref()).map(|t| (body(&t.body), t.negated));
    if let (Some(trace), Some((body, _))) = (&file.trace, &trace) {
        event_trace::check(trace, body, report);
    }
    let mut written = FxHashSet::default();
    for element in bodies.iter().flat_map(|b| &b.flow.elements) {
        match &element.kind {
            Kind::Assign(Some(cell), _) if !cell.local => {
                written.insert(cell.leaf);
            }
            Kind::Receive(_, targets, ..) => {
                for target in targets {
                    if let Target::Store(cell) = target
                        && !cell.local
                    {
                        written.insert(cell.leaf);
                    }
                }
            }
            _ => {}
        }
    }
    globals.loose = loose_mtypes::loose(&globals, &bodies, &written);
    Resolved {
        globals,
        faces,
        bodies,
        claims,
        trace,
        written,
    }
}

/// An action before rendezvous are put together.
pub(super) struct Open {
    pub instance: usize,
    pub place: El,
    pub half: Half,
}

/// The program of a file, whose processes live as `tenancy` says.
pub(super) fn lower(
    name: &str,
    resolved: &Resolved,
    tenancy: &Tenancy,
    steps: Steps,
    report: &mut Report,
) -> World {
    let Resolved {
        globals,
        faces,
        bodies,
        written,
        ..
    } = resolved;
    let mut world = World::new(name, globals, bodies, faces, written, &tenancy.slots);
    world.channel_flow = ChannelFlow::of_program(&world, globals, bodies, &|p| tenancy.births(p));
    world.owners = world.owners(bodies);
    if world.channels.len() > CHANNELS && !world.channel_flow.is_empty() {
        let n = world.channels.len();
        let message =
            format!("a variable can stand for {CHANNELS} channels at most, and there can be {n}");
        report.error(Span::new(0, 0), message);
        return world;
    }
    if world.program.cells() > CELLS {
        let cells = world.program.cells();
        let message = format!("a state of this model has {cells} cells, which are too many");
        report.error(Span::new(0, 0), message);
        return world;
    }
    let uses_last = bodies.iter().any(|b| uses(b, &|v| *v == Value::Last));
    if uses_last {
        let v = world.program.declare("_last", Type::BYTE, None, None);
        world.initial.push(0);
        world.last = Some(v);
    }
    event_trace::declare(&mut world, resolved, report);
    priorities::declare(&mut world, bodies, &|p| tenancy.births(p));
    let mut open: Vec<Open> = Vec::new();
    let mut order: Vec<usize> = (0..world.instances.len()).collect();
    if steps == Steps::Merged {
        // SPIN asks the youngest process first.
        order.sort_by_key(|&i| std::cmp::Reverse(world.instances[i].slot));
    }
    for instance in order {
        let Instance {
            proctype, codes, ..
        } = &world.instances[instance];
        let body = &bodies[*proctype];
        let step_of = step_of(body);
        let shown = |e: El| body.flow.elements[e].shown();
        let births = |proctype: usize| tenancy.births(proctype);
        let stepper = Stepper {
            world: &world,
            bodies,
            instance,
            text: &shown,
            births: &births,
            step_of: &step_of,
        };
        let mut places: Vec<El> = codes.keys().copied().collect();
        places.sort_by_key(|e| codes[e]);
        for place in places {
            for mut half in stepper.halves(place) {
                // A sender loses the right to go on alone.
                if !matches!(half.offer, Some((_, Offer::Send(_)))) {
                    stepper.follow(&mut half);
                }
                open.push(Open {
                    instance,
                    place,
                    half,
                });
            }
        }
        if open.len() > ACTIONS {
            report.error(Span::new(0, 0), "the processes make too many actions");
            return world;
        }
    }
    if !world.priorities.is_empty() && !priorities::restrict(&world, bodies, &mut open) {
        let message = "the priorities of so many processes make guards that are too large";
        report.error(Span::new(0, 0), message);
        return world;
    }
    if open.iter().any(|o| o.half.atom) {
        let max = world.slots.len() as i64;
        let range = Type::Range { min: 0, max };
        let v = world.program.declare("_exclusive", range, None, None);
        world.initial.push(0);
        world.exclusive = Some(v);
        world.program.atomic = Some(v);
    }
    // Where a process may be while it goes on alone.
    let held: FxHashSet<(usize, El)> = (open.iter())
        .filter(|o| o.half.atom)
        .filter_map(|o| Some((o.instance, o.half.to?)))
        .collect();
    let maker = Maker {
        world: &world,
        globals,
        bodies,
        faces,
        held: &held,
    };
    // Who receives from each rendezvous channel.
    let mut receivers: Vec<Vec<usize>> = vec![Vec::new(); world.channels.len()];
    for (i, one) in open.iter().enumerate() {
        if let Some((meeting, Offer::Receive(_))) = &one.half.offer {
            meeting.channels.iter().for_each(|c| receivers[c.1].push(i));
        }
    }
    let mut actions = Vec::new();
    let mut source_steps = Vec::new();
    for one in &open {
        match &one.half.offer {
            None => {
                actions.push(maker.alone(one));
                source_steps.push(maker.source_steps(&[(one, 0)]));
            }
            Some((meeting, Offer::Send(values))) => {
                let channels = meeting.channels.iter().map(|c| c.1);
                let mut others: Vec<usize> =
                    (channels.flat_map(|c| &receivers[c]).copied()).collect();
                others.sort_unstable();
                others.dedup();
                for other in others.into_iter().map(|o| &open[o]) {
                    let Some((place, Offer::Receive(targets))) = &other.half.offer else {
                        continue;
                    };
                    let slots = [one, other].map(|o| world.instances[o.instance].slot);
                    if slots[0] != slots[1]
                        && let Some(same) = meeting.with(place)
                        && let Some((action, before)) = maker.rendezvous(
                            [one, other],
                            same,
                            values,
                            targets,
                            &meeting.common(place),
                        )
                    {
                        actions.push(action);
                        source_steps
                            .push(maker.source_steps(&[(one, before[0]), (other, before[1])]));
                    }
                    if actions.len() > ACTIONS {
                        break;
                    }
                }
            }
            Some((_, Offer::Receive(_))) => {}
        }
        if actions.len() > ACTIONS {
            report.error(Span::new(0, 0), "the rendezvous make too many actions");
            break;
        }
    }
    world.program.actions = actions;
    world.source_steps = source_steps;
    world.program.registers = 2
        + (world.channels.iter())
            .map(|c| c.signature.fields.len() as u32)
            .max()
            .unwrap_or(0);
    world.program.initial = vec![world.initial.clone()];
    world
}

/// The action that finds states from which nobody can go on although somebody is neither at the end nor at a label
/// `end…`: it fails there, and is possible only where nothing else is, not even a timeout.
pub(super) fn end_check(world: &World, bodies: &[Body]) -> Action {
    let mut invalid = Expr::FALSE;
    for slot in &world.slots {
        let location = || Expr::variable(slot.location);
        let differs = |code: i64| Expr::binary(Binary::NotEqual, location(), Expr::Constant(code));
        let mut tests = vec![differs(0)];
        for &i in &slot.instances {
            let instance = &world.instances[i];
            let flow = &bodies[instance.proctype].flow;
            for (&place, &code) in &instance.codes {
                if flow.elements[place].kind == Kind::End || flow.has_label(place, &["end"]) {
                    tests.push(differs(code));
                }
            }
        }
        tests.sort_by_key(|t| format!("{t:?}"));
        invalid = super::values::binary(Binary::Or, invalid, Expr::all(tests));
    }
    invalid = super::values::binary(Binary::Or, invalid, world.trace_goes_on());
    // A process that goes on alone and cannot is no end yet.
    if let Some(register) = world.exclusive {
        let nobody = Expr::equal(Expr::variable(register), Expr::Constant(0));
        invalid = Expr::all([nobody, invalid]);
    }
    Action {
        name: "invalid end state".to_string(),
        processes: Vec::new(),
        class: -2,
        behaviour: Behaviour::Guarded {
            guard: invalid,
            effect: vec![Stmt::Assert(
                Expr::FALSE,
                "nobody can go on, and not everybody is done".to_string(),
            )],
        },
    }
}

/// Is there such a value anywhere in the body?
pub(super) fn uses(body: &Body, is: &dyn Fn(&Value) -> bool) -> bool {
    let mut found = body.provided.as_ref().is_some_and(|p| p.any(is));
    for element in &body.flow.elements {
        found |= match &element.kind {
            Kind::Assign(cell, value) => {
                let index = cell.as_ref().and_then(|c| c.index.as_ref());
                value.any(is) || index.is_some_and(|i| i.any(is))
            }
            Kind::Send(c, values, _) => c.any(is) || values.iter().any(|v| v.any(is)),
            Kind::Receive(c, targets, ..) => {
                c.any(is) || (targets.iter()).any(|t| matches!(t, Target::Match(v) if v.any(is)))
            }
            Kind::Condition(v) | Kind::Assert(v) => v.any(is),
            Kind::SetPriority(process, value, _) => process.any(is) || value.any(is),
            _ => false,
        };
    }
    found
}

/// The `d_step` that each element is in.
fn step_of(body: &Body) -> Vec<Option<El>> {
    let flow = &body.flow;
    let mut owner = vec![None; flow.elements.len()];
    fn mark(flow: &super::flow::Flow, s: usize, step: El, owner: &mut [Option<El>], depth: usize) {
        let mut at = flow.sequences[s].first;
        let mut left = flow.elements.len();
        while let Some(e) = at {
            if !flow.elements[e].step || left == 0 || depth > 400 {
                break;
            }
            left -= 1;
            owner[e] = Some(step);
            for inner in flow.below(e) {
                mark(flow, inner, step, owner, depth + 1);
            }
            if flow.sequences[s].last == Some(e) {
                break;
            }
            at = flow.elements[e].next;
        }
    }
    for (e, element) in flow.elements.iter().enumerate() {
        if let Kind::DStep(s) = element.kind {
            mark(flow, s, e, &mut owner, 0);
        }
    }
    owner
}

/// Makes actions.
pub(super) struct Maker<'a> {
    pub world: &'a World,
    pub globals: &'a Globals,
    pub bodies: &'a [Body],
    pub faces: &'a [Face],
    held: &'a FxHashSet<(usize, El)>,
}

impl Maker<'_> {
    fn process(&self, o: &Open) -> ProcessId {
        self.world.slots[self.world.instances[o.instance].slot].process
    }

    /// The process arrives where the half leads.
    fn arrive(&self, o: &Open, effect: &mut Vec<Stmt>) {
        sempre_base::checkpoint();
        let instance = &self.world.instances[o.instance];
        if let Some(to) = o.half.to
            && let Some(&code) = instance.codes.get(&to)
        {
            let place = Place::Scalar(self.world.slots[instance.slot].location);
            effect.push(Stmt::Assign(place, Expr::Constant(code)));
        }
    }

    fn hold(&self, sources: &[&Open], last: &Open, effect: &mut Vec<Stmt>) {
        let Some(register) = self.world.exclusive else {
            return;
        };
        let held = sources
            .iter()
            .any(|o| self.held.contains(&(o.instance, o.place)));
        let slot = self.world.instances[last.instance].slot as i64;
        let holder = if last.half.atom { slot + 1 } else { 0 };
        if held || holder != 0 {
            effect.push(Stmt::Assign(
                Place::Scalar(register),
                Expr::Constant(holder),
            ));
        }
    }

    fn finish(&self, last: &Open, effect: &mut Vec<Stmt>) {
        if let Some(v) = self.world.last {
            let slot = self.world.instances[last.instance].slot as i64;
            effect.push(Stmt::Assign(Place::Scalar(v), Expr::Constant(slot)));
        }
    }

    /// Nobody goes on alone, or this process does.
    fn may_move(&self, o: &Open) -> Expr {
        let Some(register) = self.world.exclusive else {
            return Expr::TRUE;
        };
        let holder = self.world.instances[o.instance].slot as i64 + 1;
        let is = |n: i64| Expr::equal(Expr::variable(register), Expr::Constant(n));
        Expr::binary(Binary::Or, is(0), is(holder))
    }

    fn alone(&self, o: &Open) -> Action {
        sempre_base::checkpoint();
        let here = self.world.is_at(o.instance, o.place);
        let mut effect = o.half.effect.clone();
        self.arrive(o, &mut effect);
        self.hold(&[o], o, &mut effect);
        self.finish(o, &mut effect);
        Action {
            name: self.source_step(o).to_string(),
            processes: vec![self.process(o)],
            class: if o.half.timeout { -1 } else { 0 },
            behaviour: Behaviour::Guarded {
                guard: Expr::all([self.may_move(o), here, o.half.guard.clone()]),
                effect,
            },
        }
    }

    /// What the event trace does at a rendezvous on one of these channels.
    fn watched(&self, channels: &[(Expr, usize)], values: &[Expr]) -> Vec<Stmt> {
        let mut result = Vec::new();
        for (here, c) in channels {
            let mut seen = self.world.passed(*c, true, values);
            seen.extend(self.world.passed(*c, false, values));
            if channels.len() == 1 {
                return seen;
            }
            if !seen.is_empty() {
                result.push(Stmt::If(here.clone(), seen, Vec::new()));
            }
        }
        result
    }

    /// The action, and how many statements of its effect come before those of the sender and of the receiver.
    fn rendezvous(
        &self,
        [sender, receiver]: [&Open; 2],
        same_channel: Expr,
        values: &[Expr],
        targets: &[Target],
        channels: &[(Expr, usize)],
    ) -> Option<(Action, [usize; 2])> {
        sempre_base::checkpoint();
        let me = Some(receiver.instance);
        let mut guard = vec![self.may_move(sender)];
        guard.extend([sender, receiver].map(|o| self.world.is_at(o.instance, o.place)));
        guard.extend([sender, receiver].map(|o| o.half.guard.clone()));
        guard.push(same_channel);
        let mut reads = Vec::new();
        let mut effect = Vec::new();
        let stores = targets
            .iter()
            .filter(|t| matches!(t, Target::Store(_)))
            .count();
        for (i, (value, target)) in values.iter().zip(targets).enumerate() {
            match target {
                Target::Ignore => {}
                Target::Match(wanted) => {
                    let wanted = self.world.expr(me, wanted, false);
                    let same = super::values::binary(Binary::Equal, value.clone(), wanted);
                    if same == Expr::FALSE {
                        return None;
                    }
                    guard.push(same);
                }
                Target::Store(cell) => {
                    let Some(place) = self.world.place(me, cell) else {
                        continue;
                    };
                    let value = match value {
                        Expr::Constant(_) => value.clone(),
                        _ if stores == 1 => value.clone(),
                        _ => {
                            let register = Place::Register(i as u32);
                            reads.push(Stmt::Assign(register.clone(), value.clone()));
                            Expr::Read(register)
                        }
                    };
                    effect.push(Stmt::Assign(place, value));
                }
            }
        }
        reads.append(&mut effect);
        let mut effect = self.watched(channels, values);
        effect.append(&mut reads);
        if values.len() != targets.len() {
            let step = self.source_step(receiver);
            let text = format!("{} ({})", step.statement, Places(&step.places));
            effect = vec![misfit(values.len(), &text)];
        }
        // What a `d_step` that starts with the rendezvous goes on to do.
        let sent = effect.len();
        effect.extend(sender.half.effect.iter().cloned());
        self.arrive(sender, &mut effect);
        let received = effect.len();
        effect.extend(receiver.half.effect.iter().cloned());
        self.arrive(receiver, &mut effect);
        self.hold(&[sender, receiver], receiver, &mut effect);
        self.finish(receiver, &mut effect);
        let action = Action {
            name: format!(
                "{}, {}",
                self.source_step(sender),
                self.source_step(receiver)
            ),
            processes: vec![self.process(sender), self.process(receiver)],
            class: 0,
            behaviour: Behaviour::Guarded {
                guard: Expr::all(guard.into_iter().filter(|g| *g != Expr::TRUE)),
                effect,
            },
        };
        Some((action, [sent, received]))
    }
}

/// Everything that a file says, but for warnings.
pub(super) struct Whole {
    pub world: World,
    pub resolved: Resolved,
    pub claims: Vec<PropertyProcess>,
    pub formulas: Vec<(String, String)>,
}

/// The model of a file, with warnings.
pub(super) fn model(
    name: &str,
    text: &str,
    file: &File,
    warnings: Vec<Diagnostic>,
    steps: Steps,
) -> Result<(Whole, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut report = Report::default();
    for warning in warnings {
        report.push(warning);
    }
    let mut resolved = resolve(file, &mut report);
    priorities::check(&resolved, &mut report);
    exclusive::check(&resolved, &mut report);
    if report.errors() > 0 {
        return Err(report.list);
    }
    let labels = remote_labels(file, &resolved);
    for (proctype, label) in &labels {
        resolved.bodies[*proctype].flow.stay_at(label);
    }
    if steps == Steps::Merged {
        merging::merge(&mut resolved, &labels);
    }
    let mut extra = 6;
    let world = loop {
        let tenancy = tenancy::tenancy(file, &resolved, extra, &mut report);
        if report.errors() > 0 {
            return Err(report.list);
        }
        let world = lower(name, &resolved, &tenancy, steps, &mut report);
        if report.errors() > 0 {
            return Err(report.list);
        }
        if !tenancy.guessed || !tenancy::are_too_few(&world) {
            break world;
        }
        extra *= 2;
    };
    exclusive::warn_of_rivals(&world, &resolved, &mut report);
    for body in &resolved.bodies {
        check_arity(&resolved, body, &mut report);
    }
    let labels = std::cell::RefCell::new(Vec::new());
    for body in resolved.bodies.iter().chain(&resolved.claims) {
        uses(body, &|v| {
            labels.borrow_mut().push(v.clone());
            false
        });
    }
    for value in labels.into_inner() {
        if matches!(value, Value::RemoteLabel(..)) {
            claims::check_labels(&world, &resolved.faces, &value, &mut report);
        }
    }
    let (mut claims, formulas) = properties(text, file, &world, &resolved, &mut report);
    if claims.is_empty() && formulas.is_empty() {
        claims.extend(claims::acceptance_cycles(&world));
    }
    let whole = Whole {
        world,
        resolved,
        claims,
        formulas,
    };
    match report.errors() {
        0 => Ok((whole, report.list)),
        _ => Err(report.list),
    }
}

/// The labels that somebody else speaks of.
fn remote_labels(file: &File, resolved: &Resolved) -> Vec<(usize, Arc<str>)> {
    let found = std::cell::RefCell::new(Vec::new());
    let note = |v: &Value| {
        if let Value::RemoteLabel(proctype, _, label, _) = v {
            found.borrow_mut().push((*proctype, label.clone()));
        }
        false
    };
    for body in resolved.bodies.iter().chain(&resolved.claims) {
        uses(body, &note);
    }
    let mut quiet = Report::default();
    for formula in &file.formulas {
        let mut parts = Vec::new();
        claims::propositions(&formula.formula, &mut parts);
        for part in parts {
            let mut resolver = Resolver {
                globals: &resolved.globals,
                faces: &resolved.faces,
                local: None,
                report: &mut quiet,
            };
            resolver.value(part).any(&note);
        }
    }
    found.into_inner()
}

/// Complains where a channel that is always the same carries another number of values: fewer than are sent is an error, and
/// otherwise the step fails, as in SPIN.
fn check_arity(resolved: &Resolved, body: &Body, report: &mut Report) {
    for element in &body.flow.elements {
        let (channel, given) = match &element.kind {
            Kind::Send(channel, values, _) => (channel, values.len()),
            Kind::Receive(channel, targets, ..) => (channel, targets.len()),
            _ => continue,
        };
        let Value::Read(cell) = channel else {
            continue;
        };
        let leaf = match cell.local {
            true => &body.store.leaves[cell.leaf],
            false => &resolved.globals.store.leaves[cell.leaf],
        };
        let written = leaf.written || !cell.local && resolved.written.contains(&cell.leaf);
        if let (Start::Channel(signature), false) = (&leaf.start, written) {
            let n = signature.fields.len();
            if n != given {
                let values = |n: usize| match n {
                    1 => "1 value".to_string(),
                    n => format!("{n} values"),
                };
                let (name, n_shown, given_shown) = (&leaf.name, values(n), values(given));
                let message = format!("`{name}` carries {n_shown}, not {given_shown}");
                match element.kind {
                    Kind::Send(..) if given > n => report.error(element.span, message),
                    _ => report.warning(element.span, message + ": this step fails"),
                }
            }
        }
    }
}

/// The automata of the never claims, and the formulas with their names.
fn properties(
    text: &str,
    file: &File,
    world: &World,
    resolved: &Resolved,
    report: &mut Report,
) -> (Vec<PropertyProcess>, Vec<(String, String)>) {
    let line = |offset: usize| {
        text.as_bytes()[..offset]
            .iter()
            .filter(|&&b| b == b'\n')
            .count()
            + 1
    };
    let mut all = Vec::new();
    for (proctype, body) in file.claims.iter().zip(&resolved.claims) {
        all.push(claims::claim(&proctype.name, body, world, &line, report));
    }
    let mut formulas = Vec::new();
    for (i, formula) in file.formulas.iter().enumerate() {
        let mut parts = Vec::new();
        claims::propositions(&formula.formula, &mut parts);
        for part in parts {
            let value = Resolver {
                globals: &resolved.globals,
                faces: &resolved.faces,
                local: None,
                report,
            }
            .value(part);
            claims::check_labels(world, &resolved.faces, &value, report);
        }
        let name = (formula.name.as_ref()).map_or(format!("ltl_{i}"), |n| n.text.to_string());
        formulas.push((name, claims::formula_text(formula)));
    }
    (all, formulas)
}
