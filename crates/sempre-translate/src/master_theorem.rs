//! All of LTL to deterministic automata, without Safra's construction.
//!
//! After Esparza, Křetínský, Sickert, "One theorem to rule them all: a unified translation of LTL into ω-automata"
//! (LICS 2018). A deterministic automaton tracks the rest of the formula ([`After`]); call that the *master*. A word
//! satisfies the formula iff for some sets `X` and `Y` as in [`delta2`](mod@crate::delta2) that are confirmed in the
//! long run, from some point on the rest of the word satisfies the safety formula `r[X]` of the current rest `r`. So
//! for each `X` a *tracker* follows that safety formula; when it becomes false the tracker emits a mark (which must
//! be seen finitely often) and restarts with the master's current rest. Confirmations are combinations of `GF g` and
//! `FG s`, each of which has a small deterministic automaton of its own ([`gf_guarantee`](mod@crate::gf_guarantee)).
//! The condition is a disjunction over the guesses: a generalised Rabin condition.
//!
//! Differences from the paper:
//!
//! * Everything but the master is done for each strongly connected component of the master separately: the guesses of
//!   a component are those of its rests, which become fewer in later components; trackers are reset between
//!   components.
//! * Only those `U`, `F`, `M` are guessed that are below a `W`, `G`, `R` of some rest (the others are satisfied in
//!   finite time), and only those `W`, `G`, `R` that are inside a guessed one.
//! * Subformulas that do not depend on prefixes are not unfolded by the master; whether they hold is one more guess,
//!   which is confirmed by their normal form.
//! * Optionally, components whose rests do not depend on prefixes, by their languages and not by their syntax, are
//!   treated as one subformula of that kind.
//! * A tracker that would be a function of the master adds no states: trackers that agree on all rests of a component
//!   are one, those that are never or always false are none.
//!
//! Invariants: M1 master states are identified by their requirements on the future; so a tracker starts with the rest
//! on the edge, which is the exact one. M2 a tracker that does not fail stays at least as strong as the master's
//! weakened rest, so starting late or again never loses a word.
//!
//! Cost: doubly exponential in the formula, which is unavoidable; the caller limits the states.

use crate::after::After;
use crate::buchi::Translator;
use crate::delta2::{self, Limits};
use crate::equivalence::equivalent;
use crate::gf_guarantee;
use crate::options::Effort;
use rustc_hash::FxHashMap;
use sempre_ltl::nnf::nnf;
use sempre_ltl::{Formula, Formulas, Op};
use sempre_omega::{Acceptance, Alphabet, Automaton, Bdd, Mark, Sccs, wdba};

/// The construction fails if a state has more edges than this.
const MAX_EDGES: usize = 1 << 12;

/// The construction fails if a component has more trackers than this.
const MAX_TRACKERS: usize = 16;

/// The construction fails if the automaton of a `GF g` needs more subsets than this.
const MAX_SUBSETS: usize = 512;

/// A deterministic automaton of a formula in negation normal form. Its condition is a combination of sets that is not
/// simplified yet. `None` if it has more than `limit` states or there are too many guesses.
pub(crate) fn deterministic(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    limit: usize,
) -> Option<Automaton> {
    construction(translator, formulas, alphabet).run(f, None, limit)
}

/// A form of a rest `r` that shows syntactically that `r` does not depend on prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suspension {
    /// As `GF r`.
    Recurrence,
    /// As `FG r`.
    Persistence,
}

/// As [`deterministic`], with the languages of rests taken into account; `None` also if that changes nothing.
pub(crate) fn suspended(
    translator: &mut Translator,
    formulas: &mut Formulas,
    alphabet: &mut Alphabet,
    f: Formula,
    suspension: Suspension,
    limit: usize,
) -> Option<Automaton> {
    construction(translator, formulas, alphabet).run(f, Some(suspension), limit)
}

fn construction<'a>(
    translator: &'a mut Translator,
    formulas: &'a mut Formulas,
    alphabet: &'a mut Alphabet,
) -> Construction<'a> {
    Construction {
        translator,
        formulas,
        alphabet,
        after: After::default(),
        limits: Limits::default(),
        recurrences: Vec::new(),
        recurrence_of: FxHashMap::default(),
        components: Vec::new(),
        suspended: FxHashMap::default(),
    }
}

/// An edge of the master.
struct Step {
    label: Bdd,
    /// The rest, before states with the same requirements were identified (M1).
    rest: Bdd,
    to: u32,
}

/// The trackers and recurrences of a component of the master.
#[derive(Default)]
struct Component {
    /// The formulas of each tracker: for each formula of a rest, its weakened form.
    trackers: Vec<FxHashMap<Formula, Formula>>,
    /// The automata of `GF g`, as numbers of [`Construction::recurrences`].
    recurrences: Vec<usize>,
    /// Over the marks of the trackers, then those of the recurrences.
    condition: Option<Acceptance>,
}

/// A state of the result.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    master: u32,
    trackers: Vec<Bdd>,
    recurrences: Vec<u32>,
}

/// A successor of a state: the letters, the trackers and recurrences after them, the marks.
type Successor = (Bdd, Vec<Bdd>, Vec<u32>, Vec<u32>);

struct Construction<'a> {
    translator: &'a mut Translator,
    formulas: &'a mut Formulas,
    alphabet: &'a mut Alphabet,
    after: After,
    limits: Limits,
    /// Complete deterministic Büchi automata of `GF g`.
    recurrences: Vec<Automaton>,
    recurrence_of: FxHashMap<Formula, Option<usize>>,
    components: Vec<Component>,
    /// The functions of rests that do not depend on prefixes, and their replacements.
    suspended: FxHashMap<Bdd, Bdd>,
}

impl Construction<'_> {
    fn run(
        &mut self,
        f: Formula,
        suspension: Option<Suspension>,
        limit: usize,
    ) -> Option<Automaton> {
        debug_assert!(self.formulas.facts(f).nnf());
        let mut propositions: Vec<u32> = self
            .formulas
            .propositions_of(f)
            .into_iter()
            .map(|n| self.alphabet.declare(self.formulas.name(n)))
            .collect();
        propositions.sort_unstable();
        let first = self.after.rest(self.formulas, self.alphabet, f);
        let mut master = self.master(first, limit)?;
        let mut sccs = components(&master);
        if let Some(suspension) = suspension {
            self.suspend(&master, &sccs, suspension);
            if self.suspended.is_empty() {
                return None;
            }
            master = self.master(first, limit)?;
            sccs = components(&master);
        }
        for c in 0..sccs.len() {
            let mut rests: Vec<Bdd> = sccs.states[c]
                .iter()
                .flat_map(|&s| &master[s as usize])
                .filter(|e| sccs.of[e.to as usize] as usize == c)
                .map(|e| e.rest)
                .collect();
            rests.sort_unstable();
            rests.dedup();
            let component = self.component(&rests)?;
            self.components.push(component);
        }
        self.product(first, &master, &sccs, propositions, limit)
    }

    /// Finds components whose rests do not depend on prefixes, though their syntax does not show that.
    fn suspend(&mut self, master: &[Vec<Step>], sccs: &Sccs, suspension: Suspension) {
        for c in 0..sccs.len() {
            let inner = |e: &&Step| sccs.of[e.to as usize] as usize == c;
            let mut steps = sccs.states[c]
                .iter()
                .flat_map(|&s| master[s as usize].iter().filter(inner));
            let Some(rest) = steps.next().map(|e| e.rest) else {
                continue;
            };
            let f = self.after.formula(self.formulas, self.alphabet, rest);
            if f.is_constant() || delta2::is_limit(self.formulas, f) {
                continue;
            }
            let later = self.formulas.next(f);
            if !equivalent(self.translator, self.formulas, f, later) {
                continue;
            }
            let f = match suspension {
                Suspension::Recurrence => {
                    let g = self.formulas.finally(f);
                    self.formulas.globally(g)
                }
                Suspension::Persistence => {
                    let g = self.formulas.globally(f);
                    self.formulas.finally(g)
                }
            };
            let limit = self.after.rest(self.formulas, self.alphabet, f);
            // All rests of the component have the language of this one.
            for e in sccs.states[c].iter().flat_map(|&s| &master[s as usize]) {
                if sccs.of[e.to as usize] as usize == c {
                    let function = self.after.function(self.formulas, self.alphabet, e.rest);
                    self.suspended.insert(function, limit);
                }
            }
        }
    }

    /// The replacement of a rest, if it has one.
    fn written(&mut self, rest: Bdd) -> Bdd {
        let function = self.after.function(self.formulas, self.alphabet, rest);
        self.suspended.get(&function).copied().unwrap_or(rest)
    }

    /// The states and steps of the master; state 0 is the initial one. There is no step to the rest false.
    fn master(&mut self, first: Bdd, limit: usize) -> Option<Vec<Vec<Step>>> {
        let mut number: FxHashMap<Bdd, u32> = FxHashMap::default();
        let first = self.written(first);
        let mut functions = vec![self.after.function(self.formulas, self.alphabet, first)];
        number.insert(functions[0], 0);
        let mut master: Vec<Vec<Step>> = Vec::new();
        while master.len() < functions.len() {
            if functions.len() > limit {
                return None;
            }
            let mut steps = Vec::new();
            for (label, rest) in self
                .alphabet
                .bdds
                .split_propositions(functions[master.len()])
            {
                let rest = self.written(rest);
                let function = self.after.function(self.formulas, self.alphabet, rest);
                if function.is_false() {
                    continue;
                }
                let to = *number.entry(function).or_insert_with(|| {
                    functions.push(function);
                    functions.len() as u32 - 1
                });
                steps.push(Step { label, rest, to });
            }
            master.push(steps);
        }
        Some(master)
    }

    /// The guesses of a component whose inner edges have these rests.
    fn component(&mut self, rests: &[Bdd]) -> Option<Component> {
        let mut atoms: Vec<Formula> = rests
            .iter()
            .flat_map(|&r| self.after.atoms_of(self.alphabet, r))
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        let mut limits: Vec<Formula> = atoms
            .iter()
            .flat_map(|&f| delta2::limits(self.formulas, f))
            .collect();
        limits.sort_unstable();
        limits.dedup();
        let mut component = Component::default();
        // By their values on all rests: the tracker, and the conditions under which it matters.
        let mut cases: Vec<(Vec<Bdd>, usize, Vec<Formula>)> = Vec::new();
        for held in delta2::subsets(&limits, 0)? {
            let value = |g: Formula| limits.contains(&g).then(|| held.contains(&g));
            let mut settled = Vec::new();
            for &f in &atoms {
                settled.push(delta2::replace_by_constants(self.formulas, f, value));
            }
            let mut long_run = Vec::new();
            for &g in limits.iter().filter(|g| held.contains(g)) {
                long_run.push(self.limits.normal_form(self.formulas, g)?);
            }
            let long_run = self.formulas.and(&long_run);
            let below = delta2::weak_subformulas(self.formulas, &settled);
            let strong = delta2::strong_subformulas(self.formulas, &below);
            for x in delta2::subsets(&strong, limits.len())? {
                let mut weakened = FxHashMap::default();
                for (&f, &g) in atoms.iter().zip(&settled) {
                    weakened.insert(f, delta2::weaken(self.formulas, g, &x));
                }
                let follows: Vec<Bdd> = rests
                    .iter()
                    .map(|&r| {
                        self.after
                            .replaced(self.formulas, self.alphabet, r, &weakened)
                    })
                    .collect();
                if follows.iter().all(|r| r.is_false()) {
                    continue;
                }
                let mut roots: Vec<Formula> = x.iter().copied().collect();
                roots.sort_unstable();
                let weak = delta2::weak_subformulas(self.formulas, &roots);
                let mut confirmed = Vec::new();
                for y in delta2::subsets(&weak, limits.len() + strong.len())? {
                    let c = delta2::confirmation(self.formulas, &x, &y);
                    confirmed.push(self.formulas.and(&[c, long_run]));
                }
                let confirmed = self.formulas.or(&confirmed);
                if confirmed == Formula::FALSE {
                    continue;
                }
                match cases.iter_mut().find(|c| c.0 == follows) {
                    Some(case) => case.2.push(confirmed),
                    None => {
                        component.trackers.push(weakened);
                        cases.push((follows, component.trackers.len() - 1, vec![confirmed]));
                    }
                }
            }
        }
        self.settle_condition(cases, &mut component)?;
        Some(component)
    }

    fn settle_condition(
        &mut self,
        cases: Vec<(Vec<Bdd>, usize, Vec<Formula>)>,
        component: &mut Component,
    ) -> Option<()> {
        let mut kept = Vec::new();
        let mut parts = Vec::new();
        let mut used: Vec<usize> = Vec::new();
        let mut conditions: Vec<(Option<u32>, Acceptance)> = Vec::new();
        // The weakest first: the words they accept need no other tracker.
        let mut cases = cases;
        cases.sort_by_key(|(follows, ..)| follows.iter().filter(|r| !r.is_true()).count());
        let mut done: Vec<(Vec<Bdd>, Formula)> = Vec::new();
        for (follows, tracker, confirmed) in cases {
            let confirmed = self.formulas.or(&confirmed);
            let weaker = done.iter().any(|(other, c)| {
                let implied = *c == Formula::TRUE || *c == confirmed;
                let mut pairs = follows.iter().zip(other);
                implied && pairs.all(|(&x, &y)| self.alphabet.bdds.implies(x, y))
            });
            if weaker {
                continue;
            }
            done.push((follows.clone(), confirmed));
            let condition = self.condition(confirmed, &mut used)?;
            let set = if follows.iter().all(|r| r.is_true()) {
                None
            } else {
                kept.push(std::mem::take(&mut component.trackers[tracker]));
                Some(kept.len() as u32 - 1)
            };
            conditions.push((set, condition));
        }
        if kept.len() > MAX_TRACKERS {
            return None;
        }
        let trackers = kept.len() as u32;
        for (set, condition) in conditions {
            let fails = set.map_or(Acceptance::True, Acceptance::Fin);
            parts.push(Acceptance::and([fails, condition.shift(trackers)]));
        }
        component.trackers = kept;
        component.recurrences = used;
        let condition = Acceptance::or(parts);
        component.condition = (condition != Acceptance::False).then_some(condition);
        Some(())
    }

    /// The condition of a formula in normal form over the marks of recurrences, numbered as `used`
    /// lists them.
    fn condition(&mut self, f: Formula, used: &mut Vec<usize>) -> Option<Acceptance> {
        let mut parts = Vec::new();
        match self.formulas.op(f) {
            Op::True => return Some(Acceptance::True),
            Op::False => return Some(Acceptance::False),
            op @ (Op::And | Op::Or) => {
                for i in 0..self.formulas.operands(f).len() {
                    let g = self.formulas.operand(f, i);
                    parts.push(self.condition(g, used)?);
                }
                return Some(match op {
                    Op::And => Acceptance::and(parts),
                    _ => Acceptance::or(parts),
                });
            }
            _ => {}
        }
        let simple = self.translator.rewritten(self.formulas, f, Effort::High);
        if simple.is_constant() {
            return self.condition(simple, used);
        }
        let f = match self.below_modality(simple) {
            Some(_) => simple,
            None => f,
        };
        let (recurrence, g) = self.below_modality(f)?;
        let g = if recurrence {
            g
        } else {
            let not = self.formulas.not(g);
            nnf(self.formulas, not)
        };
        let automaton = self.recurrence(g)?;
        let position = used
            .iter()
            .position(|&u| u == automaton)
            .unwrap_or_else(|| {
                used.push(automaton);
                used.len() - 1
            });
        Some(if recurrence {
            Acceptance::Inf(position as u32)
        } else {
            Acceptance::Fin(position as u32)
        })
    }

    /// `g` with true for `GF g` of a guarantee, with false for `FG g` of a safety formula.
    fn below_modality(&self, f: Formula) -> Option<(bool, Formula)> {
        let (outer, inner) = match self.formulas.op(f) {
            Op::Globally => (true, Op::Finally),
            Op::Finally => (false, Op::Globally),
            _ => return None,
        };
        let g = self.formulas.operand(f, 0);
        if self.formulas.op(g) != inner {
            return None;
        }
        let h = self.formulas.operand(g, 0);
        let facts = self.formulas.facts(h);
        let fits = if outer {
            facts.guarantee()
        } else {
            facts.safety()
        };
        fits.then_some((outer, h))
    }

    /// The number of the automaton of `GF g`, for a guarantee `g`.
    fn recurrence(&mut self, g: Formula) -> Option<usize> {
        if let Some(&known) = self.recurrence_of.get(&g) {
            return known;
        }
        let made = self.make_recurrence(g);
        let number = made.map(|a| {
            self.recurrences.push(a);
            self.recurrences.len() - 1
        });
        self.recurrence_of.insert(g, number);
        number
    }

    fn make_recurrence(&mut self, g: Formula) -> Option<Automaton> {
        if self.formulas.facts(g).boolean() {
            let yes = self.after.unfold(self.formulas, self.alphabet, g);
            let no = self.alphabet.bdds.not(yes);
            let mut a = Automaton::new(Vec::new(), 1, Acceptance::buchi());
            a.add_state();
            a.initial.push(0);
            a.add_edge(0, 0, yes, Mark::single(0));
            a.add_edge(0, 0, no, Mark::EMPTY);
            return Some(a);
        }
        let finally = self.formulas.finally(g);
        let (t, f, b) = (
            &mut *self.translator,
            &mut *self.formulas,
            &mut *self.alphabet,
        );
        let a = t.reduced(f, b, finally, Effort::Medium).ok()?;
        let w = wdba::minimize(&a, &mut b.bdds, MAX_SUBSETS)?;
        gf_guarantee::recurrence(&w, &mut b.bdds)
    }

    fn product(
        &mut self,
        first: Bdd,
        master: &[Vec<Step>],
        sccs: &Sccs,
        propositions: Vec<u32>,
        limit: usize,
    ) -> Option<Automaton> {
        // One set for each component that can accept, then the sets of the components, shared.
        let mut inside: Vec<Option<u32>> = Vec::new();
        let mut accepting = 0;
        for c in &self.components {
            inside.push(c.condition.is_some().then_some(accepting));
            accepting += u32::from(c.condition.is_some());
        }
        let mut parts = Vec::new();
        let mut most = 0;
        for (c, set) in self.components.iter().zip(&inside) {
            if let (Some(condition), Some(set)) = (&c.condition, set) {
                let here = Acceptance::Inf(*set);
                parts.push(Acceptance::and([here, condition.shift(accepting)]));
                most = most.max(c.trackers.len() + c.recurrences.len());
            }
        }
        let mut out = Automaton::new(propositions, accepting + most as u32, Acceptance::or(parts));
        let first = self.written(first);
        let mut states = vec![self.fresh(0, sccs.of[0] as usize, first)];
        let mut number: FxHashMap<State, u32> = FxHashMap::default();
        number.insert(states[0].clone(), out.add_state());
        out.initial.push(0);
        let mut at = 0;
        while at < states.len() {
            if states.len() > limit {
                return None;
            }
            let state = states[at].clone();
            let c = sccs.of[state.master as usize] as usize;
            for step in &master[state.master as usize] {
                let d = sccs.of[step.to as usize] as usize;
                let successors: Vec<Successor> = if c == d {
                    self.successors(&state, c, step)?
                } else {
                    let new = self.fresh(step.to, d, step.rest);
                    vec![(step.label, new.trackers, new.recurrences, Vec::new())]
                };
                for (label, trackers, recurrences, marks) in successors {
                    let new = State {
                        master: step.to,
                        trackers,
                        recurrences,
                    };
                    let to = *number.entry(new).or_insert_with_key(|new| {
                        states.push(new.clone());
                        out.add_state()
                    });
                    let own = marks.into_iter().map(|m| m + accepting);
                    let here = inside[c].filter(|_| c == d);
                    out.add_edge(at as u32, to, label, own.chain(here).collect());
                }
            }
            if out.edges[at].len() > MAX_EDGES {
                return None;
            }
            at += 1;
        }
        out.merge_edges(&mut self.alphabet.bdds);
        Some(out)
    }

    /// The state for a state of the master whose component is entered with `rest`.
    fn fresh(&mut self, master: u32, c: usize, rest: Bdd) -> State {
        let trackers = (0..self.components[c].trackers.len())
            .map(|t| self.tracked(c, t, rest))
            .collect();
        let recurrences = self.components[c]
            .recurrences
            .iter()
            .map(|&r| self.recurrences[r].initial[0])
            .collect();
        State {
            master,
            trackers,
            recurrences,
        }
    }

    /// The initial formula of a tracker that starts with `rest`.
    fn tracked(&mut self, c: usize, tracker: usize, rest: Bdd) -> Bdd {
        // An edge into a component may have formulas that no edge inside it has; they soon disappear.
        let mut weakened = std::mem::take(&mut self.components[c].trackers[tracker]);
        for f in self.after.atoms_of(self.alphabet, rest) {
            weakened.entry(f).or_insert(Formula::FALSE);
        }
        let (f, b) = (&*self.formulas, &mut *self.alphabet);
        let follows = self.after.replaced(f, b, rest, &weakened);
        self.components[c].trackers[tracker] = weakened;
        follows
    }

    /// The successors along a step inside a component.
    fn successors(&mut self, state: &State, c: usize, step: &Step) -> Option<Vec<Successor>> {
        let mut successors: Vec<Successor> = vec![(step.label, Vec::new(), Vec::new(), Vec::new())];
        for (t, &tracker) in state.trackers.iter().enumerate() {
            let again = self.tracked(c, t, step.rest);
            let function = self.after.function(self.formulas, self.alphabet, tracker);
            let parts = self.alphabet.bdds.split_propositions(function);
            let mut next = Vec::new();
            for (label, trackers, recurrences, marks) in successors {
                let mut left = label;
                for &(letters, rest) in &parts {
                    let both = self.alphabet.bdds.and(left, letters);
                    if !both.is_false() {
                        left = self.alphabet.bdds.minus(left, letters);
                        let trackers = extended(&trackers, rest);
                        next.push((both, trackers, recurrences.clone(), marks.clone()));
                    }
                }
                if !left.is_false() {
                    let trackers = extended(&trackers, again);
                    let marks = extended(&marks, t as u32);
                    next.push((left, trackers, recurrences, marks));
                }
            }
            successors = next;
            if successors.len() > MAX_EDGES {
                return None;
            }
        }
        let first = state.trackers.len() as u32;
        for (i, &s) in state.recurrences.iter().enumerate() {
            let r = self.components[c].recurrences[i];
            let mut next = Vec::new();
            for (label, trackers, recurrences, marks) in successors {
                for e in &self.recurrences[r].edges[s as usize] {
                    let both = self.alphabet.bdds.and(label, e.label);
                    if both.is_false() {
                        continue;
                    }
                    let marks = if e.mark.contains(0) {
                        extended(&marks, first + i as u32)
                    } else {
                        marks.clone()
                    };
                    let recurrences = extended(&recurrences, e.to);
                    next.push((both, trackers.clone(), recurrences, marks));
                }
            }
            successors = next;
            if successors.len() > MAX_EDGES {
                return None;
            }
        }
        Some(successors)
    }
}

/// The components of the master.
fn components(master: &[Vec<Step>]) -> Sccs {
    let mut graph = Automaton::new(Vec::new(), 0, Acceptance::True);
    graph.initial.push(0);
    for _ in master {
        graph.add_state();
    }
    for (s, steps) in master.iter().enumerate() {
        for e in steps {
            graph.add_edge(s as u32, e.to, e.label, Mark::EMPTY);
        }
    }
    Sccs::new(&graph)
}

fn extended<T: Clone>(list: &[T], last: T) -> Vec<T> {
    let mut new = list.to_vec();
    new.push(last);
    new
}
