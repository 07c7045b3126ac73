//! Steps as SPIN makes them by default: statements that concern nobody else are merged into the step before them, and
//! variables that nobody reads any more are forgotten.
//!
//! What SPIN's counts are without its options `-o1 -o2 -o3`, and with them the sizes that papers print. This follows its
//! analysis (`pangen5.c`) to the letter, since counts only agree if the details do:
//!
//! * The graph that is looked at has the elements of the control flow as its states. The edges of a state are in the
//!   reverse order of the file.
//! * **Dead variables.** A scalar variable of the process that an edge reads in a condition or receive, or writes
//!   in an assignment or receive, is set to 0 after it if a depth-first search from its end meets no read. The search does
//!   not look at the other edges of a state after one that writes: that is what SPIN does, and it is safe only
//!   because a variable that is written in one option is seldom read in another.
//! * **Merging.** An assignment, assertion, print or jump is merged into what leads to it if it has no label and no escape,
//!   is the only thing to do there, and is in an atomic sequence or concerns nobody else. Conditions and receives
//!   may start such a chain, sends only if there is no rendezvous channel.
//! * Operations on channels concern nobody else if the process has them for itself (`xr`, `xs`).
//! * With `provided`, nothing is merged; where a variable of another process is read, nothing at all is done.
//!
//! Not done: chains inside of a `d_step`, which is one step anyway; a `run` inside of a chain; and a global
//! variable that nobody reads is kept, since a property may.

use super::ast::Test;
use super::body::Body;
use super::exclusive::Claim;
use super::flow::{Chain, El, Flow, Kind, Seq};
use super::lower::{Resolved, uses};
use super::resolve::{Cell, Target, Value};
use super::steps::has_run;
use super::symbols::{Leaf, Scalar, Start};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// An edge of the graph. The step is missing where an escape is taken.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: Option<El>,
    step: Option<El>,
}

/// What concerns a process alone.
struct Alone<'a> {
    body: &'a Body,
    /// Channels that one process has for itself: sends?
    exclusive: FxHashSet<(bool, usize, bool)>,
}

/// Merges the steps of all processes, and finds what can be forgotten.
pub(super) fn merge(resolved: &mut Resolved, labels: &[(usize, Arc<str>)]) {
    // A variable that others read is never dead, and what it is in between matters to them.
    let remote = |v: &Value| matches!(v, Value::RemoteVariable(..));
    if (resolved.bodies.iter().chain(&resolved.claims)).any(|b| uses(b, &remote)) {
        return;
    }
    let provided = resolved.bodies.iter().any(|b| b.provided.is_some());
    let globals = &resolved.globals.store.leaves;
    let mut all_leaves = globals
        .iter()
        .chain(resolved.bodies.iter().flat_map(|b| &b.store.leaves));
    let synchronous = all_leaves.any(is_rendezvous);
    let shared: Vec<(bool, usize, bool)> = (resolved.bodies.iter())
        .flat_map(|b| b.exclusive.iter().filter_map(Claim::leaf).filter(|x| !x.0))
        .collect();
    for (proctype, body) in resolved.bodies.iter_mut().enumerate() {
        let own: Vec<_> = (body.exclusive.iter().filter_map(Claim::leaf))
            .filter(|x| x.0)
            .collect();
        let alone = Alone {
            body: &body.clone(),
            exclusive: own.into_iter().chain(shared.iter().copied()).collect(),
        };
        let remote: FxHashSet<El> = (body.flow.labels.iter())
            .filter(|l| labels.iter().any(|r| r.0 == proctype && r.1 == l.name))
            .map(|l| l.element)
            .collect();
        let graph = Graph::new(&alone.body.flow);
        body.flow.dead = graph.dead(alone.body);
        body.flow.chains = match provided {
            true => vec![None; body.flow.elements.len()],
            false => graph.chains(&alone, &remote, synchronous),
        };
        let flow = &mut body.flow;
        for e in 0..flow.elements.len() {
            if flow.elements[e].step {
                flow.dead[e].clear();
                flow.chains[e] = None;
            }
        }
    }
}

fn is_rendezvous(leaf: &Leaf) -> bool {
    matches!(&leaf.start, Start::Channel(s) if s.capacity == 0)
}

impl Alone<'_> {
    /// Does a value depend on more than this process?
    fn value_concerns(&self, value: &Value) -> bool {
        match value {
            Value::Number(_) | Value::Pid | Value::OwnPriority => false,
            // The index of an array of the process is not asked.
            Value::Read(cell) => !cell.local,
            Value::Unary(_, a) => self.value_concerns(a),
            Value::Binary(_, a, b) => self.value_concerns(a) || self.value_concerns(b),
            Value::If(a, b, c) => [a, b, c].iter().any(|v| self.value_concerns(v)),
            Value::Channel(test, channel) => {
                let needed: &[bool] = match test {
                    Test::NotEmpty | Test::Full => &[false],
                    Test::NotFull | Test::Empty => &[true],
                    Test::Len => &[false, true],
                };
                !needed.iter().all(|&sends| self.has(channel, sends))
            }
            Value::Poll(channel, targets, _) => {
                let own = self.has(channel, true) && self.has(channel, false);
                !own || targets.iter().any(|t| self.target_concerns(t))
            }
            _ => true,
        }
    }

    fn target_concerns(&self, target: &Target) -> bool {
        match target {
            Target::Match(value) => self.value_concerns(value),
            Target::Store(cell) => !cell.local,
            Target::Ignore => false,
        }
    }

    fn has(&self, channel: &Value, sends: bool) -> bool {
        let Value::Read(Cell { local, leaf, .. }) = channel else {
            return false;
        };
        self.exclusive.contains(&(*local, *leaf, sends))
    }

    fn concerns(&self, e: El) -> bool {
        sempre_base::checkpoint();
        match &self.body.flow.elements[e].kind {
            Kind::Assign(cell, value) => {
                cell.as_ref().is_some_and(|c| !c.local) || self.value_concerns(value)
            }
            Kind::Condition(value) | Kind::Assert(value) => self.value_concerns(value),
            Kind::SetPriority(_, value, own) => !own || self.value_concerns(value),
            Kind::Print(_, values) => values.iter().any(|v| self.value_concerns(v)),
            Kind::Send(channel, values, _) => {
                !self.has(channel, true) || values.iter().any(|v| self.value_concerns(v))
            }
            Kind::Receive(channel, targets, ..) => {
                !self.has(channel, false) || targets.iter().any(|t| self.target_concerns(t))
            }
            Kind::Goto(_) | Kind::Dot | Kind::Break => false,
            _ => true,
        }
    }

    /// May it be merged into what leads to it? `single`: there is nothing else to do where it is.
    fn eligible(&self, e: El, single: bool) -> bool {
        let flow = &self.body.flow;
        let element = &flow.elements[e];
        let kind = match &element.kind {
            Kind::Assign(_, value) => !has_run(value),
            Kind::SetPriority(_, _, own) => *own,
            Kind::Assert(_) | Kind::Print(..) | Kind::Goto(_) | Kind::Dot | Kind::Break => true,
            _ => false,
        };
        kind && single
            && element.escapes.is_empty()
            && !flow.labels.iter().any(|l| l.element == e)
            && (element.atom || element.last || !self.concerns(e))
    }
}

/// The edges of each element, the latest first.
struct Graph<'a> {
    flow: &'a Flow,
    edges: Vec<Vec<Edge>>,
    /// The elements with edges, the latest first.
    order: Vec<El>,
}

impl<'a> Graph<'a> {
    fn new(flow: &'a Flow) -> Self {
        let mut graph = Self {
            flow,
            edges: vec![Vec::new(); flow.elements.len()],
            order: Vec::new(),
        };
        let mut done = vec![false; flow.elements.len()];
        graph.sequence(0, &mut done);
        let mut seen = vec![false; flow.elements.len()];
        // The first time that an element was met counts.
        (graph.order).retain(|&e| !std::mem::replace(&mut seen[e], true));
        graph.order.reverse();
        graph
    }

    fn edge(&mut self, from: El, to: Option<El>, step: Option<El>) {
        sempre_base::checkpoint();
        self.edges[from].insert(0, Edge { to, step });
        self.order.push(from);
        self.order.extend(to);
    }

    fn sequence(&mut self, s: Seq, done: &mut [bool]) {
        let flow = self.flow;
        let mut at = flow.sequences[s].first;
        while let Some(e) = at {
            if !done[e] {
                done[e] = true;
                self.element(e, done);
            }
            if flow.sequences[s].last == Some(e) {
                break;
            }
            at = flow.elements[e].next;
        }
    }

    fn element(&mut self, e: El, done: &mut [bool]) {
        let flow = self.flow;
        match &flow.elements[e].kind {
            Kind::Unless(main, _) => self.sequence(*main, done),
            Kind::If(options) | Kind::Do(options) => {
                for &s in options {
                    let Some(first) = flow.sequences[s].first else {
                        continue;
                    };
                    let start = flow.hunt_start(first);
                    let element = &flow.elements[start];
                    let never = element.kind == Kind::Condition(Value::Number(0));
                    if !never || !element.escapes.is_empty() {
                        self.edge(e, Some(start), Some(e));
                    }
                }
                for &s in options {
                    self.sequence(s, done);
                }
            }
            Kind::Atomic(s) | Kind::DStep(s) | Kind::Block(s) => {
                if let Some(first) = flow.sequences[*s].first {
                    self.edge(e, Some(flow.hunt_start(first)), Some(e));
                }
                self.sequence(*s, done);
            }
            kind => {
                let to = flow.target(e).ok().flatten();
                self.edge(e, to, Some(e));
                if matches!(kind, Kind::Goto(_) | Kind::Dot) {
                    return;
                }
                for &s in &flow.elements[e].escapes {
                    if let Some(first) = flow.sequences[s].first {
                        self.edge(e, Some(flow.hunt_start(first)), None);
                        self.sequence(s, done);
                    }
                }
            }
        }
    }

    /// The leaves that can be set to 0 after each element.
    fn dead(&self, body: &Body) -> Vec<Vec<usize>> {
        let n = self.flow.elements.len();
        let uses: Vec<Uses> = (0..n).map(|e| Uses::of(body, e)).collect();
        let mut dead = vec![Vec::new(); n];
        for &from in &self.order {
            for edge in &self.edges[from] {
                let Some(e) = edge.step else { continue };
                let kind = &self.flow.elements[e].kind;
                let asks = matches!(kind, Kind::Condition(_) | Kind::Receive(..));
                let zero = matches!(kind, Kind::Assign(_, Value::Number(0)));
                let reads = uses[e].reads.iter().filter(|_| asks);
                let writes = uses[e].writes.iter().filter(|_| !zero);
                for &leaf in reads.chain(writes) {
                    if !dead[e].contains(&leaf) && self.is_dead(edge.to, leaf, &uses) {
                        dead[e].push(leaf);
                    }
                }
            }
        }
        dead
    }

    /// Does a search from here meet no read of the leaf?
    fn is_dead(&self, from: Option<El>, leaf: usize, uses: &[Uses]) -> bool {
        sempre_base::checkpoint();
        let mut seen = vec![false; self.edges.len()];
        let mut stack: Vec<(El, usize)> = Vec::new();
        let mut open = from;
        loop {
            if let Some(e) = open.take()
                && !seen[e]
            {
                seen[e] = true;
                stack.push((e, 0));
            }
            let Some((e, next)) = stack.last_mut() else {
                return true;
            };
            let Some(edge) = self.edges[*e].get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if let Some(step) = edge.step {
                if uses[step].reads.contains(&leaf) {
                    return false;
                }
                if uses[step].writes.contains(&leaf) {
                    // The other edges are not looked at.
                    stack.pop();
                    continue;
                }
            }
            open = edge.to;
        }
    }

    /// What is merged into each element.
    fn chains(
        &self,
        alone: &Alone<'_>,
        remote: &FxHashSet<El>,
        synchronous: bool,
    ) -> Vec<Option<Chain>> {
        let flow = self.flow;
        let n = flow.elements.len();
        // Where a chain that starts at the element ends, and where an element that is alone leads.
        let mut merged: Vec<Option<El>> = vec![None; n];
        let mut single: Vec<Option<El>> = vec![None; n];
        let head = |e: Option<El>| self.edges.get(e?)?.first().copied();
        let only = |e: El| self.edges[e].len() == 1;
        let fits = |from: Option<El>| match (from, head(from)) {
            (Some(from), Some(edge)) => edge.step.is_some_and(|s| alone.eligible(s, only(from))),
            _ => false,
        };
        for &from in &self.order {
            let Some(edge) = self.edges[from].last() else {
                continue;
            };
            let Some(step) = edge.step else { continue };
            if merged[step].is_some() || !alone.eligible(step, true) {
                continue;
            }
            if !fits(edge.to) {
                single[step] = edge.to;
                continue;
            }
            let mut chain: Vec<(El, El)> = Vec::new();
            let mut at = Some(from);
            let mut end = None;
            while let (Some(here), Some(edge)) = (at, head(at)) {
                let Some(step) = edge.step else { break };
                if merged[step].is_some() {
                    end = merged[step];
                    break;
                }
                let Some(to) = edge.to else { break };
                if !alone.eligible(step, only(here)) || chain.iter().any(|c| c.0 == step) {
                    break;
                }
                chain.push((step, to));
                at = Some(to);
            }
            for (step, to) in chain.into_iter().rev() {
                end = Some(end.unwrap_or(to));
                merged[step] = end;
            }
        }
        let mut starts: Vec<Option<El>> = vec![None; n];
        for &from in &self.order {
            let Some(edge) = self.edges[from].last().filter(|_| only(from)) else {
                continue;
            };
            let Some(step) = edge.step else { continue };
            let element = &flow.elements[step];
            let may_start = match &element.kind {
                Kind::Condition(value) => !has_run(value),
                Kind::Receive(..) => true,
                Kind::Send(..) => !synchronous,
                _ => false,
            };
            let atomic = element.atom || element.last;
            if merged[step].is_some()
                || !may_start
                || !element.escapes.is_empty()
                || remote.contains(&step)
                || !atomic && alone.concerns(step)
            {
                continue;
            }
            if let Some(next) = head(edge.to).and_then(|e| e.step) {
                starts[step] = merged[next].or(single[next]);
            }
        }
        (0..n)
            .map(|e| {
                let to = starts[e].or(merged[e])?;
                let mut elements = Vec::new();
                let mut atom = flow.elements[e].atom;
                let mut at = e;
                while elements.len() <= n {
                    let next = match &flow.elements[at].kind {
                        Kind::Goto(jump) => {
                            let label = flow.jump(jump)?;
                            hunt_until(flow, label, flow.elements[at].atom, to)
                        }
                        _ => flow.elements[at].next?,
                    };
                    if next == to || merged[next].is_none() && single[next].is_none() {
                        break;
                    }
                    atom = flow.elements[next].atom;
                    elements.push(next);
                    at = next;
                }
                Some(Chain {
                    elements,
                    to: Some(to),
                    atom,
                })
            })
            .collect()
    }
}

/// Where jumps from `e` lead, but not beyond `stop`.
fn hunt_until(flow: &Flow, e: El, atom: bool, stop: El) -> El {
    let mut at = e;
    for _ in 0..500 {
        if at == stop {
            break;
        }
        let element = &flow.elements[at];
        let next = match &element.kind {
            Kind::Goto(jump) => flow.jump(jump),
            Kind::Dot | Kind::Break => element.next,
            Kind::Unless(main, _) => flow.sequences[*main].first,
            _ => None,
        };
        match next {
            Some(next) if !atom || flow.elements[next].atom => at = next,
            _ => break,
        }
    }
    at
}

/// The scalar variables of the process that an element reads and writes.
#[derive(Clone, Debug, Default)]
struct Uses {
    reads: Vec<usize>,
    writes: Vec<usize>,
}

impl Uses {
    fn of(body: &Body, e: El) -> Self {
        let mut uses = Self::default();
        match &body.flow.elements[e].kind {
            Kind::Assign(cell, value) => {
                if let Some(cell) = cell {
                    uses.write(body, cell);
                }
                uses.read(body, value);
            }
            Kind::Condition(value) | Kind::Assert(value) => uses.read(body, value),
            Kind::SetPriority(process, value, _) => {
                uses.read(body, process);
                uses.read(body, value);
            }
            Kind::Print(_, values) => values.iter().for_each(|v| uses.read(body, v)),
            Kind::Send(channel, values, _) => {
                uses.read(body, channel);
                values.iter().for_each(|v| uses.read(body, v));
            }
            Kind::Receive(channel, targets, ..) => {
                uses.read(body, channel);
                for target in targets {
                    match target {
                        Target::Match(value) => uses.read(body, value),
                        Target::Store(cell) => uses.write(body, cell),
                        Target::Ignore => {}
                    }
                }
            }
            _ => {}
        }
        uses
    }

    /// Elements of arrays and fields of structures are not followed, only their indices.
    fn scalar(body: &Body, cell: &Cell) -> Option<usize> {
        let leaf = body.store.leaves.get(cell.leaf).filter(|_| cell.local)?;
        let plain = cell.index.is_none() && leaf.scalar != Scalar::Chan && !leaf.name.contains('.');
        plain.then_some(cell.leaf)
    }

    fn write(&mut self, body: &Body, cell: &Cell) {
        sempre_base::checkpoint();
        if let Some(index) = &cell.index {
            self.read(body, index);
        }
        if let Some(leaf) = Self::scalar(body, cell)
            && !self.writes.contains(&leaf)
        {
            self.writes.push(leaf);
        }
    }

    fn read(&mut self, body: &Body, value: &Value) {
        let found = std::cell::RefCell::new(Vec::new());
        value.any(&|v| {
            if let Value::Read(cell) = v {
                found.borrow_mut().extend(Self::scalar(body, cell));
            }
            false
        });
        for leaf in found.into_inner() {
            if !self.reads.contains(&leaf) {
                self.reads.push(leaf);
            }
        }
    }
}
