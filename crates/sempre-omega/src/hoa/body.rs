//! The body of an automaton, `--BODY--` to `--END--`, and the construction of the automaton.

use super::expressions::{Labels, Negations, Parsed, no_such_set, resolve_negations};
use super::header::{Header, no_such_state};
use super::item::{Highlights, HoaItem};
use super::lexer::{Cursor, Token, unescape};
use super::properties::{Shape, Writing, contradictions, wrong_name};
use super::source::{Ending, HoaReader, MAX_ERRORS};
use crate::acceptance::Acceptance;
use crate::alternating::{AlternatingAutomaton, UniversalEdge};
use crate::automaton::{Alphabet, Automaton, Edge};
use crate::bdd::{Bdd, Literal};
use crate::mark::Mark;
use crate::miyano_hayashi::{AlternationError, remove_alternation};
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span};

/// Most 64-bit words that the marks of one text may need beyond one for each edge.
const MAX_MARK_WORDS: usize = 1 << 27;
/// Most states of a nondeterministic automaton that is made of an alternating one.
const MAX_MACRO_STATES: usize = 100_000;
/// States that may be declared without being described, whatever the length of the text. A stream may
/// have very many short automata, so it is not large.
const FREE_STATES: usize = 64;

/// The content of the body.
#[derive(Default)]
pub(super) struct Body {
    states: Vec<State>,
    /// The greatest state number used and where, if none is declared.
    greatest: Option<(u32, Span)>,
    writing: Writing,
}

struct State {
    number: u32,
    span: Span,
    name: Option<String>,
    /// Edges to the first of their destinations.
    edges: Vec<Edge>,
    /// The further destinations of edges that have several, by the number of the edge.
    further: Vec<(usize, Vec<u32>)>,
}

impl<'t> HoaReader<'t> {
    pub(super) fn body(
        &mut self,
        alphabet: &mut Alphabet,
        h: &Header<'t>,
        aliases: &FxHashMap<&'t str, Bdd>,
        body: &mut Body,
    ) -> Ending {
        loop {
            if self.has_stopped() {
                return Ending::Dropped;
            }
            match self.cursor.token {
                Token::Header("State") => {
                    self.cursor.advance();
                    if let Err(d) = self.state(alphabet, h, aliases, body) {
                        self.report(d);
                        self.skip_until(|t| t == Token::Header("State"));
                    }
                }
                Token::End => {
                    self.cursor.advance();
                    return Ending::Complete;
                }
                Token::Abort => return self.abort(),
                Token::Eof => {
                    let d = self.cursor.expected("`State:` or `--END--`");
                    self.report(d);
                    return Ending::Dropped;
                }
                Token::Header("HOA") => {
                    let d = self.cursor.expected("`State:` or `--END--`");
                    self.report(d.with_help("the automaton before this one has no `--END--`"));
                    return Ending::Dropped;
                }
                _ => {
                    let d = self.cursor.expected("`State:` or `--END--`");
                    self.report(d);
                    if self.cursor.token == Token::Body {
                        self.cursor.advance();
                    }
                    self.skip_until(|t| t == Token::Header("State"));
                }
            }
        }
    }

    /// A state and its edges; the cursor is behind `State:`.
    fn state(
        &mut self,
        alphabet: &mut Alphabet,
        h: &Header<'t>,
        aliases: &FxHashMap<&'t str, Bdd>,
        body: &mut Body,
    ) -> Parsed<()> {
        let propositions = h.propositions.as_deref().unwrap_or_default();
        let sets = h.acceptance.as_ref().map(|(n, _)| *n);
        let own_label = self.label(alphabet, propositions, aliases)?;
        body.writing.state_labels |= own_label.is_some();
        let (number, span) = self.cursor.number("the number of a state")?;
        if self.cursor.token == Token::Symbol('&') {
            return Err(self.cursor.expected("one state"));
        }
        let name = match self.cursor.token {
            Token::Text(raw) => {
                self.cursor.advance();
                Some(unescape(raw).into_owned())
            }
            _ => None,
        };
        let marks = self.marks(sets)?;
        body.writing.state_marks |= marks.is_some();
        let marks = marks.unwrap_or_default();
        self.see_state(h, body, number, span);

        let mut edges = Vec::new();
        let mut all_further = Vec::new();
        let mut labelled = false;
        let mut implicit = 0usize;
        let mut mixed = false;
        loop {
            let start = self.cursor.span;
            match self.cursor.token {
                Token::Header(_) | Token::End | Token::Abort | Token::Eof | Token::Body => break,
                _ => {}
            }
            if self.has_stopped() {
                return Ok(());
            }
            let mut further: Vec<(u32, Span)> = Vec::new();
            let mut edge = || -> Parsed<(Option<Bdd>, u32, Span, Mark)> {
                let label = self.label(alphabet, propositions, aliases)?;
                let (to, place) = self
                    .cursor
                    .number("an edge (`[label] state`), `State:` or `--END--`")?;
                while self.cursor.eat('&') {
                    further.push(self.cursor.number("a state")?);
                }
                let own = self.marks(sets)?;
                body.writing.edge_marks |= own.is_some();
                Ok((
                    label,
                    to,
                    place,
                    own.map_or(marks.clone(), |m| m.union(&marks)),
                ))
            };
            match edge() {
                Ok((label, to, place, mark)) => {
                    self.see_state(h, body, to, place);
                    for &(to, place) in &further {
                        self.see_state(h, body, to, place);
                    }
                    let label = match (label, own_label) {
                        (Some(_), Some(_)) => {
                            self.error(start, "this edge has a label, and its state has one too");
                            Bdd::TRUE
                        }
                        (Some(l), None) => {
                            body.writing.edge_labels = true;
                            labelled = true;
                            l
                        }
                        (None, Some(l)) => l,
                        (None, None) => {
                            body.writing.implicit_labels = true;
                            implicit += 1;
                            // The position determines the letter; it is needed only if it is valid.
                            minterm(propositions, implicit - 1)
                                .map_or(Bdd::TRUE, |cube| alphabet.bdds.cube(&cube))
                        }
                    };
                    if labelled && implicit > 0 && !mixed {
                        mixed = true;
                        self.error(start, "some edges of this state have labels, some have not");
                    }
                    self.mark_words += mark.words().len() - 1;
                    if self.mark_words > MAX_MARK_WORDS {
                        return self.refuse_marks(start);
                    }
                    if !label.is_false() {
                        if !further.is_empty() {
                            let states = further.into_iter().map(|(s, _)| s).collect();
                            all_further.push((edges.len(), states));
                        }
                        edges.push(Edge { to, label, mark });
                    }
                }
                Err(d) => {
                    self.report(d);
                    let stopped = self.cursor.span.start;
                    if stopped == start.start {
                        self.cursor.advance();
                    }
                    self.skip_until(|t| matches!(t, Token::Symbol('[') | Token::Header(_)));
                    // The positions of the following edges are unknown.
                    mixed |= implicit > 0;
                    implicit = 0;
                }
            }
        }
        if implicit > 0
            && !mixed
            && (propositions.len() > 31 || implicit != 1 << propositions.len())
        {
            let n = propositions.len();
            self.report(
                Diagnostic::error(
                    span,
                    format!("state {number} has {implicit} edges without labels"),
                )
                .with_help(format!(
                    "without labels there is one edge for each letter, 2^{n} for {n} propositions"
                )),
            );
        }
        body.states.push(State {
            number,
            span,
            name,
            edges,
            further: all_further,
        });
        Ok(())
    }

    fn label(
        &mut self,
        alphabet: &mut Alphabet,
        propositions: &[u32],
        aliases: &FxHashMap<&'t str, Bdd>,
    ) -> Parsed<Option<Bdd>> {
        if !self.cursor.eat('[') {
            return Ok(None);
        }
        let label = Labels {
            bdds: &mut alphabet.bdds,
            propositions,
            aliases,
        }
        .read(&mut self.cursor)
        .and_then(|label| match self.cursor.eat(']') {
            true => Ok(label),
            false => Err(self.cursor.expected("`&`, `|` or `]`")),
        });
        match label {
            Ok(label) => Ok(Some(label)),
            Err(d) => {
                // Nothing inside the brackets can be skipped by mistake: continue behind them.
                let mut ahead = self.cursor;
                while !matches!(
                    ahead.token,
                    Token::Symbol(']' | '[')
                        | Token::Header(_)
                        | Token::End
                        | Token::Abort
                        | Token::Eof
                ) {
                    ahead.advance();
                }
                if ahead.token == Token::Symbol(']') {
                    ahead.advance();
                    self.cursor = ahead;
                    self.report(d);
                    return Ok(Some(Bdd::TRUE));
                }
                Err(d)
            }
        }
    }

    fn marks(&mut self, sets: Option<u32>) -> Parsed<Option<Mark>> {
        if !self.cursor.eat('{') {
            return Ok(None);
        }
        let mut members: Vec<u32> = Vec::new();
        while self.cursor.token != Token::Symbol('}') {
            let (n, span) = self
                .cursor
                .number("the number of an acceptance set, or `}`")?;
            match sets {
                Some(sets) if n < sets => members.push(n),
                Some(sets) => self.report(no_such_set(n, span, sets)),
                None => {}
            }
        }
        self.cursor.advance();
        Ok(Some(members.into_iter().collect()))
    }

    /// Checks a state number against `States:`, or updates the greatest.
    fn see_state(&mut self, h: &Header<'t>, body: &mut Body, number: u32, span: Span) {
        match h.states {
            Some((n, _)) if number >= n => self.report(no_such_state(number, span, n)),
            _ => {
                if body.greatest.is_none_or(|(g, _)| number > g) {
                    body.greatest = Some((number, span));
                }
            }
        }
    }

    // --- the automaton ----------------------------------------------------------------------

    pub(super) fn assemble(
        &mut self,
        alphabet: &mut Alphabet,
        h: Header<'t>,
        body: Body,
        span: Span,
        errors_before: usize,
    ) -> Option<HoaItem> {
        let mut greatest = body.greatest;
        for &(s, place) in h.initial.iter().flatten() {
            if greatest.is_none_or(|(g, _)| s > g) {
                greatest = Some((s, place));
            }
        }
        let justified = FREE_STATES + (span.end - span.start);
        let used = greatest.map_or(0, |(g, _)| g as usize + 1);
        if let Some((g, place)) = greatest
            && used > justified
        {
            self.report(
                Diagnostic::error(place, format!("state number {g} is far too large"))
                    .with_help(format!("the body describes {} states", body.states.len())),
            );
        }
        if self.errors > errors_before {
            return None;
        }
        let mut count = used;
        if let Some((declared, place)) = h.states {
            count = (declared as usize).min(justified).max(used);
            if count < declared as usize {
                self.report(Diagnostic::warning(
                    place,
                    format!(
                        "{declared} states are declared, {used} are used; the others are left out"
                    ),
                ));
                count = used;
            }
        }

        let (mut sets, mut condition) = h.acceptance.unwrap_or((0, Acceptance::True));
        let negations = resolve_negations(&mut condition, &mut sets);
        let mut a = Automaton::new(h.propositions.unwrap_or_default(), sets, condition);
        a.name = h.name;
        a.extra_headers = h.extra;
        let mut further: Vec<Vec<(usize, Vec<u32>)>> = vec![Vec::new(); count];
        let mut initial = FxHashSet::default();
        a.initial = h.initial.iter().map(|c| c[0].0).collect();
        a.initial.retain(|&s| initial.insert(s));
        a.edges = vec![Vec::new(); count];
        let mut described = vec![false; count];
        for state in body.states {
            let s = state.number as usize;
            if std::mem::replace(&mut described[s], true) {
                self.error(state.span, format!("state {s} is described twice"));
                continue;
            }
            a.edges[s] = state.edges;
            further[s] = state.further;
            if state.name.is_some() {
                if a.state_names.is_empty() {
                    a.state_names = vec![None; count];
                }
                a.state_names[s] = state.name;
            }
        }
        if self.errors > errors_before {
            return None;
        }
        if !negations.is_empty() {
            self.mark_words += a.edge_count() * (sets as usize / 64);
            if self.mark_words > MAX_MARK_WORDS {
                let _ = self.refuse_marks(Span::new(span.start, span.start + 4));
                return None;
            }
            complement_marks(&mut a, &negations);
        }
        let conjunctions = h
            .initial
            .iter()
            .map(|c| c.iter().map(|&(s, _)| s).collect());
        let alternating = universal_branching(&a, conjunctions.collect(), further);
        let branches = alternating.as_ref().map(AlternatingAutomaton::branches);
        let graph = branches.as_ref().unwrap_or(&a);
        self.warn_undescribed(graph, &described, &h.initial, span);
        let shape = Shape {
            automaton: &a,
            branches: branches.as_ref(),
            later_version: h.dotted,
        };
        for d in contradictions(shape, &mut alphabet.bdds, &h.properties, body.writing) {
            self.report(d);
        }
        if let Some((words, place)) = h.acc_name
            && negations.added.is_empty()
            && let Some(d) = wrong_name(&a, words[0], &words[1..], place)
        {
            self.report(d);
        }
        if let Some(place) = h.highlight_span
            && (h.highlights.states.iter()).any(|&(s, _)| s as usize >= a.states())
        {
            self.report(Diagnostic::warning(place, "there is no such state"));
        }
        let removed = match &alternating {
            None => None,
            Some(alternating) => {
                let bdds = &mut alphabet.bdds;
                match remove_alternation(bdds, alternating, MAX_MACRO_STATES) {
                    Ok(b) => Some(b),
                    Err(e) => {
                        self.report(refuse_alternation(
                            &e,
                            Span::new(span.start, span.start + 4),
                        ));
                        return None;
                    }
                }
            }
        };
        let highlights = match removed {
            None => h.highlights,
            Some(_) => Highlights::default(),
        };
        if let Some(removed) = removed {
            let name = a.name.take();
            let extra = std::mem::take(&mut a.extra_headers);
            a = removed;
            (a.name, a.extra_headers) = (name, extra);
        }
        let written = |&(word, positive, _): &(&str, bool, Span)| {
            format!("{}{word}", if positive { "" } else { "!" })
        };
        Some(HoaItem {
            automaton: a,
            alternating: alternating.is_some(),
            properties: h.properties.iter().map(written).collect(),
            highlights,
            tool: h.tool,
            span,
        })
    }

    /// Stops reading: no more marks fit into memory.
    fn refuse_marks(&mut self, span: Span) -> Parsed<()> {
        self.diagnostics.push(
            Diagnostic::error(span, "the acceptance marks need too much memory")
                .with_help(format!("more than {} MiB", MAX_MARK_WORDS >> 17)),
        );
        self.errors = MAX_ERRORS + 1;
        Ok(())
    }

    /// Warns about a state that is used but not described.
    fn warn_undescribed(
        &mut self,
        a: &Automaton,
        described: &[bool],
        initial: &[Vec<(u32, Span)>],
        span: Span,
    ) {
        let missing = |s: &u32| !described[*s as usize];
        let first = match initial.iter().flatten().find(|(s, _)| missing(s)) {
            Some(&found) => Some(found),
            None => (a.edges.iter().flatten().map(|e| e.to).find(missing))
                .map(|s| (s, self.first_use(s, span))),
        };
        if let Some((s, place)) = first {
            self.report(Diagnostic::warning(
                place,
                format!("state {s} is not described; it is taken to have no edges"),
            ));
        }
    }

    /// Where an edge leads to `s`, which has no `State:` line, found by reading once more.
    fn first_use(&self, s: u32, span: Span) -> Span {
        let mut cursor = Cursor::new(self.text, span.start);
        while !matches!(cursor.token, Token::Body | Token::Eof) {
            cursor.advance();
        }
        let mut inside = false;
        loop {
            match cursor.token {
                Token::Symbol('[' | '{') => inside = true,
                Token::Symbol(']' | '}') => inside = false,
                Token::Number(Some(n)) if n == s && !inside => return cursor.span,
                Token::Eof => return span,
                _ => {}
            }
            cursor.advance();
        }
    }
}

/// The automaton with universal branching, if there is any.
fn universal_branching(
    a: &Automaton,
    initial: Vec<Vec<u32>>,
    further: Vec<Vec<(usize, Vec<u32>)>>,
) -> Option<AlternatingAutomaton> {
    if initial.iter().all(|c| c.len() == 1) && further.iter().all(Vec::is_empty) {
        return None;
    }
    let mut edges: Vec<Vec<UniversalEdge>> = (a.edges.iter())
        .map(|edges| {
            let edges = edges.iter().map(|e| UniversalEdge {
                to: vec![e.to],
                label: e.label,
                mark: e.mark.clone(),
            });
            edges.collect()
        })
        .collect();
    for (edges, further) in edges.iter_mut().zip(further) {
        for (number, states) in further {
            let to = &mut edges[number].to;
            to.extend(states);
            to.sort_unstable();
            to.dedup();
        }
    }
    Some(AlternatingAutomaton {
        propositions: a.propositions.clone(),
        initial,
        edges,
        sets: a.sets,
        acceptance: a.acceptance.clone(),
    })
}

fn refuse_alternation(error: &AlternationError, place: Span) -> Diagnostic {
    match error {
        AlternationError::Mixed(mixed) => Diagnostic::error(
            place,
            format!(
                "an alternating automaton whose component of state {} has the acceptance `{}`",
                mixed.state, mixed.condition
            ),
        )
        .with_help(
            "alternation is removed from components that are weak, or where only `Inf` or only `Fin` matters",
        ),
        AlternationError::TooLarge => Diagnostic::error(
            place,
            "an alternating automaton that is too large without alternation",
        )
        .with_help(format!(
            "up to {MAX_MACRO_STATES} states are made of it; a universal automaton has exponentially many"
        )),
    }
}

/// The letter number `index`: the proposition `i` is true where bit `i` is set.
fn minterm(propositions: &[u32], index: usize) -> Option<Vec<Literal>> {
    (propositions.len() < 32 && index >> propositions.len() == 0).then(|| {
        let numbered = propositions.iter().enumerate();
        let mut cube: Vec<Literal> = numbered
            .map(|(i, &var)| (var, index >> i & 1 == 1))
            .collect();
        // A proposition that is declared twice has been reported already.
        cube.sort_unstable();
        cube.dedup_by_key(|literal| literal.0);
        cube
    })
}

fn complement_marks(a: &mut Automaton, negations: &Negations) {
    let flipped: Mark = negations.flipped.iter().copied().collect();
    for e in a.edges.iter_mut().flatten() {
        let turned = flipped.minus(&e.mark);
        let added: Mark = negations
            .added
            .iter()
            .filter(|(set, _)| !e.mark.contains(*set))
            .map(|&(_, new)| new)
            .collect();
        e.mark = e.mark.minus(&flipped).union(&turned).union(&added);
    }
}
