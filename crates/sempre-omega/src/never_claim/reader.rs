//! The reader of never claims.
//!
//! A claim is a list of states, each one or more labels and a statement: `if :: … fi`, `do :: … od`, `skip` or
//! `false`. The first is initial; those with a label that starts with `accept` are accepting. An option is a guard
//! and an action: `goto label`; nothing, `skip` or `break` (Promela's own meaning: back to the `do`, behind the
//! `if`); or `assert(…)`, by which SPIN 6 expresses that the claim has matched, whatever follows, so it leads to a
//! state that accepts everything. So does the end of the claim, and with it a `skip` in its last state.
//!
//! Guards are combinations with `&&`, `||`, `!` and parentheses; any other text between them is one proposition,
//! named by its text (`x[1] > 2`, `P@cs`). A parenthesis followed by an arithmetic operator or comparison belongs to
//! the proposition. Arithmetic negation of a comparison's left side, `!x == 1`, is read as `!(x == 1)`. `else` is the
//! negation of the other guards.
//!
//! Not done: statements inside options other than those above, macros (`#define` lines are left out with a warning).
//! Cost: linear in the text, but for the diagrams of labels.

use super::lexer::{Token, tokens};
use crate::acceptance::Acceptance;
use crate::automaton::{Alphabet, Automaton};
use crate::bdd::Bdd;
use crate::labels::{LabelMaker, MAX_DEPTH, MAX_PROPOSITIONS, TooLarge};
use crate::mark::Mark;
use rustc_hash::{FxHashMap, FxHashSet};
use sempre_base::{Diagnostic, Span, nearest};

/// The number of errors after which the reader stops.
const MAX_ERRORS: usize = 50;

type Parsed<T> = Result<T, Diagnostic>;

/// All never claims of a text, and all diagnostics about it.
pub fn read_never_claims(alphabet: &mut Alphabet, text: &str) -> (Vec<Automaton>, Vec<Diagnostic>) {
    let (tokens, diagnostics) = tokens(text);
    let strays: Vec<usize> = diagnostics.iter().map(|d| d.span.start).collect();
    let mut reader = Reader {
        text,
        closing: matching_parentheses(&tokens),
        tokens,
        at: 0,
        errors: diagnostics.len(),
        diagnostics,
        alphabet,
        propositions: Vec::new(),
        known: FxHashSet::default(),
        warned: false,
    };
    let mut claims = Vec::new();
    while reader.peek() != Token::Eof && reader.errors <= MAX_ERRORS {
        let (before, start) = (reader.errors, reader.span().start);
        match reader.claim() {
            Ok(Some(claim)) if reader.errors == before => {
                // The errors of the lexer may be inside.
                let inside = start..reader.tokens[reader.at - 1].1.end;
                if !strays.iter().any(|s| inside.contains(s)) {
                    claims.push(claim);
                }
            }
            Ok(_) => {}
            Err(d) => {
                reader.report(d);
                reader.skip_to_claim();
            }
        }
    }
    let diagnostics = reader.diagnostics;
    (claims, diagnostics)
}

/// For each `(`, the token number of its `)`.
fn matching_parentheses(tokens: &[(Token<'_>, Span)]) -> FxHashMap<usize, usize> {
    let mut open = Vec::new();
    let mut closing = FxHashMap::default();
    for (i, (token, _)) in tokens.iter().enumerate() {
        match token {
            Token::Symbol("(") => open.push(i),
            Token::Symbol(")") => {
                if let Some(o) = open.pop() {
                    closing.insert(o, i);
                }
            }
            // A guard ends here, whatever is open.
            Token::Symbol("::" | "->" | ";" | "}") => open.clear(),
            _ => {}
        }
    }
    closing
}

struct Reader<'a, 't> {
    text: &'t str,
    tokens: Vec<(Token<'t>, Span)>,
    closing: FxHashMap<usize, usize>,
    at: usize,
    errors: usize,
    diagnostics: Vec<Diagnostic>,
    alphabet: &'a mut Alphabet,
    propositions: Vec<u32>,
    known: FxHashSet<u32>,
    /// One warning about preprocessor lines is enough.
    warned: bool,
}

/// Where an option leads.
#[derive(Clone, Copy)]
enum Target<'t> {
    Label(&'t str, Span),
    /// The same state.
    Loop,
    /// The next state, or the end of the claim.
    Next,
    /// Acceptance of whatever follows.
    All,
}

struct State<'t> {
    accepting: bool,
    edges: Vec<(Bdd, Target<'t>)>,
    /// It is called `accept_all`, and its statement is `skip`.
    all: bool,
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> (Token<'t>, Span) {
        sempre_base::checkpoint();
        let taken = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        taken
    }

    fn skip_comments(&mut self) {
        while let Token::Comment(_) = self.peek() {
            self.advance();
        }
    }

    fn eat(&mut self, token: Token<'static>) -> bool {
        self.skip_comments();
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &'static str, place: &str) -> Parsed<()> {
        if self.eat(Token::Symbol(symbol)) {
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}` {place}")))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek().describe();
        Diagnostic::error(self.span(), format!("expected {what}, found {found}"))
    }

    fn report(&mut self, d: Diagnostic) {
        self.errors += 1;
        if self.errors <= MAX_ERRORS {
            self.diagnostics.push(d);
        } else if self.errors == MAX_ERRORS + 1 {
            let message = "too many errors, the rest of the text is not read";
            self.diagnostics.push(Diagnostic::error(d.span, message));
        }
    }

    fn skip_to_claim(&mut self) {
        while !matches!(self.peek(), Token::Eof | Token::Name("never")) {
            self.advance();
        }
    }

    fn claim(&mut self) -> Parsed<Option<Automaton>> {
        self.skip_comments();
        match self.peek() {
            Token::Eof => return Ok(None),
            Token::Directive => {
                let (_, span) = self.advance();
                if !std::mem::replace(&mut self.warned, true) {
                    self.diagnostics.push(
                        Diagnostic::warning(span, "preprocessor lines are left out")
                            .with_help("macros in the guards of the claim are not replaced"),
                    );
                }
                return Ok(None);
            }
            Token::Name("never") => self.advance(),
            _ => return Err(self.expected("`never`")),
        };
        if matches!(self.peek(), Token::Name(_)) {
            self.advance();
        }
        self.expect("{", "after `never`")?;
        let name = match self.peek() {
            Token::Comment(text) => Some(text.trim().to_string()),
            _ => None,
        };
        self.propositions.clear();
        self.known.clear();
        let mut labels: FxHashMap<&'t str, u32> = FxHashMap::default();
        let mut states: Vec<State<'t>> = Vec::new();
        let start = self.span();
        while !self.eat(Token::Symbol("}")) {
            if self.errors > MAX_ERRORS {
                return Ok(None);
            }
            match self.state(&mut labels, states.len() as u32) {
                Ok(state) => states.push(state),
                Err(d) => {
                    self.report(d);
                    self.skip_to_state();
                    // Its labels are defined, and its number is used.
                    states.push(State {
                        accepting: false,
                        edges: Vec::new(),
                        all: false,
                    });
                    if matches!(self.peek(), Token::Eof | Token::Name("never")) {
                        return Ok(None);
                    }
                }
            }
        }
        if states.is_empty() {
            self.report(Diagnostic::error(start, "the claim has no state"));
        }
        Ok(self.assemble(name, &labels, &states))
    }

    /// To the next label (a name and a colon), or the end of the claim.
    fn skip_to_state(&mut self) {
        loop {
            match self.peek() {
                Token::Eof | Token::Symbol("}") | Token::Name("never") => return,
                Token::Name(_) if self.tokens[self.at + 1].0 == Token::Symbol(":") => return,
                _ => self.advance(),
            };
        }
    }

    fn state(&mut self, labels: &mut FxHashMap<&'t str, u32>, number: u32) -> Parsed<State<'t>> {
        let mut state = State {
            accepting: false,
            edges: Vec::new(),
            all: false,
        };
        let mut named_all = false;
        loop {
            self.skip_comments();
            let Token::Name(label) = self.peek() else {
                break;
            };
            // The last token is Eof, so a name has a successor.
            if self.tokens[self.at + 1].0 != Token::Symbol(":") {
                break;
            }
            let (_, span) = self.advance();
            self.advance();
            if labels.insert(label, number).is_some() {
                self.report(Diagnostic::error(span, format!("a second label `{label}`")));
            }
            state.accepting |= label.starts_with("accept");
            named_all |= label == "accept_all";
        }
        match self.peek() {
            Token::Name("skip") => {
                self.advance();
                state.edges.push((Bdd::TRUE, Target::Next));
                state.all = named_all;
            }
            Token::Name("false") | Token::Number("0") => {
                self.advance();
            }
            Token::Name("if") => {
                self.advance();
                self.options(&mut state, "fi")?;
            }
            Token::Name("do") => {
                self.advance();
                self.options(&mut state, "od")?;
            }
            _ => return Err(self.expected("a label, `if`, `do`, `skip` or `false`")),
        }
        while self.eat(Token::Symbol(";")) {}
        Ok(state)
    }

    fn options(&mut self, state: &mut State<'t>, end: &'static str) -> Parsed<()> {
        let fall_through = if end == "od" {
            Target::Loop
        } else {
            Target::Next
        };
        let mut otherwise: Option<Target<'t>> = None;
        let mut guards = Vec::new();
        while !self.eat(Token::Name(end)) {
            self.expect("::", &format!("or `{end}`"))?;
            let atomic = self.eat(Token::Name("atomic")) || self.eat(Token::Name("d_step"));
            if atomic {
                self.expect("{", "after `atomic`")?;
            }
            self.skip_comments();
            let guard = match self.peek() {
                Token::Name("goto" | "assert" | "break") => Some(Bdd::TRUE),
                Token::Name("skip") => Some(Bdd::TRUE),
                Token::Name("else") => {
                    self.advance();
                    None
                }
                _ => Some(self.guard()?),
            };
            if !self.eat(Token::Symbol("->")) {
                self.eat(Token::Symbol(";"));
            }
            let target = self.action(fall_through)?;
            self.eat(Token::Symbol(";"));
            if atomic {
                self.expect("}", "at the end of `atomic`")?;
                self.eat(Token::Symbol(";"));
            }
            match guard {
                Some(g) => {
                    guards.push(g);
                    state.edges.push((g, target));
                }
                None => otherwise = Some(target),
            }
        }
        if let Some(target) = otherwise {
            let bdds = &mut self.alphabet.bdds;
            let any = guards.into_iter().fold(Bdd::FALSE, |a, g| bdds.or(a, g));
            state.edges.push((bdds.not(any), target));
        }
        Ok(())
    }

    fn action(&mut self, fall_through: Target<'t>) -> Parsed<Target<'t>> {
        self.skip_comments();
        match self.peek() {
            Token::Name("goto") => {
                self.advance();
                match self.peek() {
                    Token::Name(label) => Ok(Target::Label(label, self.advance().1)),
                    _ => Err(self.expected("a label after `goto`")),
                }
            }
            Token::Name("assert") => {
                self.advance();
                if self.peek() != Token::Symbol("(") {
                    return Err(self.expected("`(` after `assert`"));
                }
                match self.closing.get(&self.at) {
                    Some(&end) => self.at = end + 1,
                    None => return Err(self.expected("a closed parenthesis after `assert`")),
                }
                Ok(Target::All)
            }
            Token::Name("skip") => {
                self.advance();
                Ok(fall_through)
            }
            Token::Name("break") => {
                self.advance();
                Ok(Target::Next)
            }
            Token::Symbol("::" | "}") | Token::Name("fi" | "od") => Ok(fall_through),
            _ => Err(self.expected("`goto`, `assert`, `skip` or the next option")),
        }
    }

    // --- guards -----------------------------------------------------------------------------

    fn guard(&mut self) -> Parsed<Bdd> {
        let start = self.span();
        let nodes = self.alphabet.bdds.len();
        self.disjunction(0, nodes).map_err(|e| {
            e.unwrap_or_else(|| {
                Diagnostic::error(start, "the guard that starts here is too complicated")
            })
        })
    }

    fn disjunction(&mut self, depth: usize, nodes: usize) -> Result<Bdd, Option<Diagnostic>> {
        let mut parts = vec![self.conjunction(depth, nodes)?];
        while self.eat(Token::Symbol("||")) {
            parts.push(self.conjunction(depth, nodes)?);
        }
        self.make(parts, nodes, |maker, parts| maker.or(parts))
    }

    fn conjunction(&mut self, depth: usize, nodes: usize) -> Result<Bdd, Option<Diagnostic>> {
        let mut parts = vec![self.unary(depth, nodes)?];
        while self.eat(Token::Symbol("&&")) {
            parts.push(self.unary(depth, nodes)?);
        }
        self.make(parts, nodes, |maker, parts| maker.and(parts))
    }

    fn make(
        &mut self,
        parts: Vec<Bdd>,
        nodes: usize,
        op: fn(&mut LabelMaker<'_>, Vec<Bdd>) -> Result<Bdd, TooLarge>,
    ) -> Result<Bdd, Option<Diagnostic>> {
        match parts[..] {
            [one] => Ok(one),
            _ => op(
                &mut LabelMaker::since(&mut self.alphabet.bdds, nodes),
                parts,
            )
            .map_err(|_| None),
        }
    }

    fn unary(&mut self, depth: usize, nodes: usize) -> Result<Bdd, Option<Diagnostic>> {
        let mut negative = false;
        while self.eat(Token::Symbol("!")) {
            negative = !negative;
        }
        self.skip_comments();
        let f = if self.peek() == Token::Symbol("(") && !self.parenthesis_is_arithmetic() {
            if depth >= MAX_DEPTH {
                let d = Diagnostic::error(self.span(), "the guard is nested too deeply");
                return Err(Some(
                    d.with_help(format!("at most {MAX_DEPTH} levels are read")),
                ));
            }
            self.advance();
            let f = self.disjunction(depth + 1, nodes)?;
            self.expect(")", "or an operator")?;
            f
        } else {
            self.proposition()?
        };
        Ok(if negative {
            self.alphabet.bdds.not(f)
        } else {
            f
        })
    }

    /// Does an operator that takes numbers follow the parenthesis that opens here?
    fn parenthesis_is_arithmetic(&self) -> bool {
        let Some(&end) = self.closing.get(&self.at) else {
            return false;
        };
        matches!(
            self.tokens[end + 1].0,
            Token::Symbol(
                "==" | "!="
                    | "<"
                    | ">"
                    | "<="
                    | ">="
                    | "+"
                    | "-"
                    | "*"
                    | "/"
                    | "%"
                    | "<<"
                    | ">>"
                    | "&"
                    | "|"
                    | "^"
            )
        )
    }

    /// Everything up to the next logical operator, closing parenthesis or end of the guard.
    fn proposition(&mut self) -> Parsed<Bdd> {
        let (start, from) = (self.span(), self.at);
        let first = self.peek();
        let mut end = start;
        let mut count = 0;
        loop {
            match self.peek() {
                Token::Symbol("(") => match self.closing.get(&self.at) {
                    Some(&close) => self.at = close,
                    None => return Err(self.expected("an operand")),
                },
                Token::Symbol("&&" | "||" | ")" | "->" | ";" | "::" | "{" | "}" | "!")
                | Token::Comment(_)
                | Token::Directive
                | Token::Eof => break,
                Token::Name("goto" | "fi" | "od") => break,
                _ => {}
            }
            end = self.span();
            self.advance();
            count += 1;
        }
        match (first, count) {
            (_, 0) => return Err(self.expected("a proposition")),
            (Token::Name("true") | Token::Number("1"), 1) => return Ok(Bdd::TRUE),
            (Token::Name("false") | Token::Number("0"), 1) => return Ok(Bdd::FALSE),
            _ => {}
        }
        let span = start.to(end);
        let name = self.text_of(from, self.at);
        let var = self.alphabet.declare(&name);
        if self.known.insert(var) {
            if self.propositions.len() == MAX_PROPOSITIONS {
                return Err(Diagnostic::error(span, "too many propositions")
                    .with_help(format!("at most {MAX_PROPOSITIONS} are supported")));
            }
            self.propositions.push(var);
        }
        Ok(self.alphabet.bdds.variable(var))
    }

    /// The text of some tokens, white space and comments between them being one space.
    fn text_of(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        let mut end = 0;
        for &(token, span) in &self.tokens[from..to] {
            if matches!(token, Token::Comment(_) | Token::Directive) {
                continue;
            }
            if !text.is_empty() && span.start > end {
                text.push(' ');
            }
            text += &self.text[span.start..span.end];
            end = span.end;
        }
        text
    }

    // --- the automaton ----------------------------------------------------------------------

    fn assemble(
        &mut self,
        name: Option<String>,
        labels: &FxHashMap<&'t str, u32>,
        states: &[State<'t>],
    ) -> Option<Automaton> {
        let mut a = Automaton::new(self.propositions.clone(), 1, Acceptance::buchi());
        a.name = name;
        for _ in states {
            a.add_state();
        }
        if !states.is_empty() {
            a.initial.push(0);
        }
        // The state that accepts everything: the one written so, or a new one.
        let last = states.len().wrapping_sub(1);
        let falls_off = |i: usize, s: &State<'t>| {
            matches!(s.edges[..], [(Bdd::TRUE, Target::Next)]) && (s.all || i == last)
        };
        let mut all = (states.iter().enumerate())
            .find(|(i, s)| falls_off(*i, s))
            .map(|(i, _)| i as u32);
        let mut everything = |a: &mut Automaton| *all.get_or_insert_with(|| a.add_state());
        let mut good = true;
        for (i, state) in states.iter().enumerate() {
            let from = i as u32;
            if falls_off(i, state) {
                a.add_edge(from, from, Bdd::TRUE, Mark::single(0));
                continue;
            }
            let mark = if state.accepting {
                Mark::single(0)
            } else {
                Mark::EMPTY
            };
            for &(label, target) in state.edges.iter().filter(|(l, _)| !l.is_false()) {
                let to = match target {
                    Target::Loop => from,
                    Target::Next if i < last => from + 1,
                    Target::Next | Target::All => everything(&mut a),
                    Target::Label(label, span) => match labels.get(label) {
                        Some(&s) => s,
                        None => {
                            good = false;
                            let d = Diagnostic::error(span, format!("there is no label `{label}`"));
                            let known = labels.keys().copied().filter(|k| k.len() < 50);
                            let near = nearest(&label[..label.len().min(50)], known.take(100));
                            self.report(match near {
                                Some(n) => d.with_help(format!("did you mean `{n}`?")),
                                None => d,
                            });
                            continue;
                        }
                    },
                };
                a.add_edge(from, to, label, mark.clone());
            }
        }
        if let Some(s) = all
            && a.edges[s as usize].is_empty()
        {
            a.add_edge(s, s, Bdd::TRUE, Mark::single(0));
        }
        good.then_some(a)
    }
}
