//! Operators of other logics: past-time LTL, CTL, PSL, SVA, bounded operators, and operators in plain words.
//!
//! Each of them is also a possible name, and most are used as names: `G(req -> F S)` has a proposition `S`, `next` is
//! a variable. So a word is refused only if it is *used* as an operator and no model declares it:
//!
//! * before an operand: `O b`, `always p`, `AG EF a`;
//! * as a call with as many arguments as the operator has operands: `O(b)`, `next(a & b)`, `until(a, b)`. A call is
//!   accepted if its only argument is a number, `A(1)`, or if it is compared with something, `next(x) == 2`;
//! * between two operands: `a S b`, `a until b`;
//! * before brackets that make it an operator: `F[1:3] a`, `E[a U b]`.
//!
//! Without this, the calls would be propositions that no model defines, and the rest would be reported as missing
//! operators. Text in quotes and braces is not affected.

use super::lexer::Token;
use super::reader::Reader;
use super::term::word_text;
use super::words::binary_word;
use sempre_base::{Diagnostic, Span};

/// An operator that is not read.
struct Foreign {
    words: &'static [&'static str],
    operands: usize,
    /// The logic or operator.
    what: &'static str,
    /// The suggested replacement.
    instead: &'static str,
}

const PAST: &str = "an operator of past-time logic";
const CTL: &str = "an operator of CTL";
const WORDS: &str = "an operator of PSL, SVA or another language";
const NO_PAST: &str = "only operators about the future are read; a property with past operators has to be rewritten with them, \
     `G(b -> O a)` as `!b W a`";
const ALL_RUNS: &str = "a formula here is about all runs: instead of an outermost `AG`, `AF` or `AX` write `G`, `F` or `X`; inside a formula \
     there is no counterpart in LTL";
const SOME_RUN: &str = "a formula here is about all runs: whether some run satisfies `F p` is whether `G !p` is violated; inside a formula \
     there is no counterpart in LTL";

const TABLE: &[Foreign] = &[
    unary(&["O", "once"], PAST, NO_PAST),
    unary(&["H", "historically"], PAST, NO_PAST),
    unary(
        &["Y", "Z", "yesterday", "previously", "previous"],
        PAST,
        NO_PAST,
    ),
    binary(&["S", "since"], PAST, NO_PAST),
    binary(&["T", "triggered"], PAST, NO_PAST),
    unary(&["A", "AG", "AF", "AX"], CTL, ALL_RUNS),
    unary(&["E", "EG", "EF", "EX"], CTL, SOME_RUN),
    unary(
        &["always", "s_always", "globally", "henceforth"],
        WORDS,
        "write `G`",
    ),
    unary(&["never"], WORDS, "write `G !`"),
    unary(
        &["eventually", "s_eventually", "finally", "sometimes"],
        WORDS,
        "write `F`",
    ),
    unary(
        &["next", "nexttime", "s_nexttime", "next_time"],
        WORDS,
        "write `X`",
    ),
    unary(
        &[
            "next_a",
            "next_e",
            "next_event",
            "next_event_a",
            "next_event_e",
        ],
        WORDS,
        "write it with `X`, `U` and `W`: `next_event(b)(f)` is `!b W (b & f)`",
    ),
    binary(
        &["until", "s_until", "strong_until", "stronguntil"],
        WORDS,
        "write `U`, or `W` if the right side need not come",
    ),
    binary(&["weakuntil", "weak_until", "unless"], WORDS, "write `W`"),
    binary(
        &["until_with", "s_until_with", "until_"],
        WORDS,
        "`a until_with b` is `b R a`, the strong form `b M a`",
    ),
    binary(&["release", "releases"], WORDS, "write `R`"),
    binary(
        &["before", "before_", "B", "precedes"],
        WORDS,
        "`a before b` is `!b W (a & !b)`, the strong form `!b U (a & !b)`",
    ),
    binary(
        &["leads_to", "leadsto", "leads"],
        WORDS,
        "`a leads to b` is `G(a -> F b)`",
    ),
    binary(
        &["abort", "within", "whilenot", "intersect", "throughout"],
        WORDS,
        "sequences of PSL and SVA are not read",
    ),
];

const fn unary(
    words: &'static [&'static str],
    what: &'static str,
    instead: &'static str,
) -> Foreign {
    Foreign {
        words,
        operands: 1,
        what,
        instead,
    }
}

const fn binary(
    words: &'static [&'static str],
    what: &'static str,
    instead: &'static str,
) -> Foreign {
    Foreign {
        words,
        operands: 2,
        what,
        instead,
    }
}

/// The result of reading a word where an operand is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing foreign.
    Nothing,
    /// An operator that was skipped; its operand follows.
    Operator,
    /// An operator that was skipped with its operands.
    Operand,
}

fn find(word: &str) -> Option<&'static Foreign> {
    TABLE.iter().find(|f| f.words.contains(&word))
}

impl Foreign {
    fn refuse(&self, word: &str, span: Span) -> Diagnostic {
        Diagnostic::error(span, format!("`{word}` is {}", self.what)).with_help(self.instead)
    }

    fn refuse_call(&self, word: &str, call: &str, span: Span) -> Diagnostic {
        Diagnostic::error(span, format!("`{word}` is {}", self.what)).with_help(format!(
            "{}; if `{call}` is a proposition, write it in double quotes",
            self.instead
        ))
    }
}

impl Reader<'_> {
    /// Detects a word that is used as a foreign operator where an operand is expected. An operator with one operand
    /// is skipped, so that errors behind it are found, too.
    pub(super) fn foreign_operator(&mut self) -> Found {
        let word = word_text(self.text, self.tokens[self.at]);
        let span = self.tokens[self.at].span();
        if self.declared(&word) {
            return Found::Nothing;
        }
        if self.peek(1) == Some(Token::OpenBracket) {
            return self.bracketed(&word, span);
        }
        let Some(foreign) = find(&word) else {
            return Found::Nothing;
        };
        let glued = self.tokens.get(self.at + 1).map(|t| t.start) == Some(self.tokens[self.at].end);
        if self.peek(1) == Some(Token::Open) && glued {
            let Some(call) = self.call_of(foreign.operands) else {
                return Found::Nothing;
            };
            let call = super::term::excerpt(self.source(call));
            self.error(foreign.refuse_call(&word, &call, span));
            if foreign.operands > 1 {
                self.at += 1;
                self.skip_group();
                return Found::Operand;
            }
        } else if foreign.operands == 1 && !self.joins_term(1) && self.starts_operand(1) {
            self.error(foreign.refuse(&word, span));
        } else {
            return Found::Nothing;
        }
        self.at += 1;
        Found::Operator
    }

    /// The call here, if it is one of an operator with this number of operands.
    fn call_of(&self, operands: usize) -> Option<Span> {
        let (mut depth, mut commas) = (0usize, 0);
        let mut last = self.at + 1;
        for (i, t) in self.tokens.iter().enumerate().skip(self.at + 1) {
            last = i;
            match t.token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                Token::Comma if depth == 1 => commas += 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        let number = last == self.at + 3 && self.peek(2) == Some(Token::Number);
        let empty = last == self.at + 2;
        let compared = self.joins_term(last + 1 - self.at);
        let span = self.tokens[self.at].span().to(self.tokens[last].span());
        (commas + 1 == operands && !number && !empty && !compared).then_some(span)
    }

    /// Reads a foreign operator with brackets behind it, `F[1:3] a` or `E[a U b]`.
    fn bracketed(&mut self, word: &str, span: Span) -> Found {
        if !matches!(word, "F" | "G" | "X" | "next" | "A" | "E") {
            return Found::Nothing;
        }
        let mut depth = 0usize;
        let mut formula = false;
        let mut close = None;
        for (i, t) in self.tokens.iter().enumerate().skip(self.at + 1) {
            match t.token {
                Token::OpenBracket => depth += 1,
                Token::CloseBracket => depth -= 1,
                Token::Word => formula |= binary_word(self.source(t.span())).is_some(),
                token => formula |= !token.in_term(),
            }
            if depth == 0 {
                close = Some(i);
                break;
            }
        }
        let Some(close) = close else {
            return Found::Nothing;
        };
        let operand =
            self.starts_operand(close + 1 - self.at) && !self.joins_term(close + 2 - self.at);
        if matches!(word, "A" | "E") {
            if formula && let Some(foreign) = find(word) {
                self.error(foreign.refuse(word, span));
                self.at = close + 1;
                self.imagine();
                return Found::Operand;
            }
        } else if operand {
            let place = span.to(self.tokens[close].span());
            let message = format!("`{word}` with bounds is an operator of another logic");
            self.error(Diagnostic::error(place, message).with_help(
                "write the steps: `X[2] a` is `X X a`, `F[1:2] a` is `X(a | X a)`, `G[1:2] a` is `X(a & X a)`",
            ));
            self.at = close + 1;
            return Found::Operator;
        }
        Found::Nothing
    }

    /// Skips the parentheses that open here, and imagines an operand in their place.
    fn skip_group(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        self.imagine();
    }

    /// The diagnostic about a foreign operator where an operator is expected.
    pub(super) fn foreign_infix(&self) -> Option<Diagnostic> {
        let lexeme = *self.tokens.get(self.at)?;
        if lexeme.token != Token::Word {
            return None;
        }
        let word = word_text(self.text, lexeme);
        let foreign = find(&word).filter(|f| f.operands == 2 && self.starts_operand(1))?;
        Some(foreign.refuse(&word, lexeme.span()))
    }

    /// The help for signs of PSL and SVA that end with the token `end`.
    pub(super) fn foreign_sign(&self, end: usize) -> Option<&'static str> {
        let last = *self.tokens.get(end)?;
        let before = *self.tokens.get(end.checked_sub(1)?)?;
        let sign = &self.text[before.start as usize..last.end as usize];
        matches!(sign, "|->" | "|=>" | "[]->" | "[]=>" | "<>->" | "<>=>")
            .then_some("sequences of PSL and SVA are not read; between formulas `a |-> b` is `a -> b`, `a |=> b` is `a -> X b`")
    }
}
