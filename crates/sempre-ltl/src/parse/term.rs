//! Propositions in the model's terms: names, sums, comparisons, calls, and their canonical text.
//!
//! ```text
//! comparison = term ("==" | "!=" | "<" | "<=" | ">" | ">=") term
//! term       = factor { ("+" | "-") factor }
//! factor     = "-" factor | number | quoted | "(" term ")" | name { "[" term "]" | "." name }
//!            | name "(" term { "," term } ")"
//! ```
//!
//! The canonical text has single spaces around comparisons, `+` and `-`, none elsewhere but after a comma, double
//! quotes around quoted names, and no parenthesis that changes nothing, so that `P_1!='p9'` and `(P_1) != "p9"` are
//! one proposition. Text in quotes or braces that is a term or a comparison is converted to the same form; all other
//! text is kept, with its white space collapsed.

use super::lexer::{Lexeme, Token, lex};
use sempre_base::{Diagnostic, Span};

/// The greatest nesting of terms: parentheses, brackets and signs. Three is usual.
const MAX_NESTING: usize = 100;

/// The result of reading a term.
pub(super) struct Term {
    /// Canonical text.
    pub(super) text: String,
    /// A sum, a difference or a negative number: not a name.
    pub(super) compound: bool,
    /// A lone number.
    pub(super) number: bool,
}

/// A reader of terms over the tokens of `text`.
pub(super) struct Terms<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Lexeme],
    pub(super) at: usize,
}

impl Terms<'_> {
    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).map(|t| t.token)
    }

    fn here(&self) -> Span {
        self.tokens
            .get(self.at)
            .map_or(Span::new(self.text.len(), self.text.len()), |t| t.span())
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.tokens.get(self.at) {
            Some(t) => format!(
                "`{}`",
                excerpt(&self.text[t.start as usize..t.end as usize])
            ),
            None => "the end".to_string(),
        };
        Diagnostic::error(self.here(), format!("expected {what}, found {found}"))
    }

    fn take(&mut self, token: Token, what: &str) -> Result<(), Diagnostic> {
        if self.peek() == Some(token) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    /// Reads a term.
    pub(super) fn term(&mut self, nesting: usize) -> Result<Term, Diagnostic> {
        let mut sum = self.factor(nesting, false)?;
        while let Some(sign @ (Token::Plus | Token::Minus)) = self.peek() {
            self.at += 1;
            let minus = sign == Token::Minus;
            let next = self.factor(nesting, minus)?;
            sum.text.push_str(if minus { " - " } else { " + " });
            sum.text.push_str(&next.text);
            sum.compound = true;
            sum.number = false;
        }
        Ok(sum)
    }

    /// Reads a factor; `keep` if a parenthesis around a sum is significant.
    fn factor(&mut self, nesting: usize, keep: bool) -> Result<Term, Diagnostic> {
        if nesting > MAX_NESTING {
            return Err(Diagnostic::error(
                self.here(),
                "this term is nested too deeply",
            ));
        }
        let Some(token) = self.peek() else {
            return Err(self.expected("a name or a number"));
        };
        let lexeme = self.tokens[self.at];
        match token {
            Token::Number => {
                self.at += 1;
                let digits = &self.text[lexeme.start as usize..lexeme.end as usize];
                Ok(Term {
                    text: digits.to_string(),
                    compound: false,
                    number: true,
                })
            }
            Token::Quoted => {
                self.at += 1;
                Ok(Term {
                    text: requote(&unquote(
                        &self.text[lexeme.start as usize..lexeme.end as usize],
                    )),
                    compound: false,
                    number: false,
                })
            }
            Token::Minus => {
                self.at += 1;
                let inner = self.factor(nesting + 1, true)?;
                Ok(Term {
                    text: format!("-{}", inner.text),
                    compound: true,
                    number: false,
                })
            }
            Token::Open => {
                self.at += 1;
                let mut inner = self.term(nesting + 1)?;
                self.take(Token::Close, "`)` at the end of this term")?;
                if keep && inner.compound {
                    inner.text = format!("({})", inner.text);
                    inner.compound = false;
                }
                Ok(inner)
            }
            Token::Word => self.name(nesting),
            _ => Err(self.expected("a name or a number")),
        }
    }

    fn name(&mut self, nesting: usize) -> Result<Term, Diagnostic> {
        let lexeme = self.tokens[self.at];
        let mut text = word_text(self.text, lexeme);
        self.at += 1;
        if !is_name(&text) {
            // `P\-x` of LTSmin: a difference if it were not quoted.
            text = requote(&text);
        }
        if self
            .tokens
            .get(self.at)
            .is_some_and(|t| t.token == Token::Open && t.start == lexeme.end)
        {
            self.at += 1;
            text.push('(');
            loop {
                text.push_str(&self.term(nesting + 1)?.text);
                if self.peek() != Some(Token::Comma) {
                    break;
                }
                self.at += 1;
                text.push_str(", ");
            }
            self.take(Token::Close, "`,` or `)`")?;
            text.push(')');
        }
        loop {
            match self.peek() {
                Some(Token::OpenBracket) => {
                    self.at += 1;
                    let index = self.term(nesting + 1)?;
                    self.take(Token::CloseBracket, "`]`")?;
                    text.push('[');
                    text.push_str(&index.text);
                    text.push(']');
                }
                Some(sign @ (Token::Dot | Token::At)) => {
                    self.at += 1;
                    let field = self.tokens.get(self.at).copied();
                    let Some(field) =
                        field.filter(|t| matches!(t.token, Token::Word | Token::Number))
                    else {
                        return Err(self.expected("a name"));
                    };
                    self.at += 1;
                    text.push(if sign == Token::Dot { '.' } else { '@' });
                    text.push_str(&word_text(self.text, field));
                }
                _ => break,
            }
        }
        Ok(Term {
            text,
            compound: false,
            number: false,
        })
    }
}

/// True for letters, digits, `_` and dots.
fn is_name(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// A word without LTSmin's backslashes.
pub(super) fn word_text(text: &str, lexeme: Lexeme) -> String {
    text[lexeme.start as usize..lexeme.end as usize].replace('\\', "")
}

/// The content of a quoted token, escapes resolved.
pub(super) fn unquote(token: &str) -> String {
    let inner = &token[1..token.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next) if c == '\\' && "\"'\\[].".contains(next) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}

/// `content` in double quotes.
pub(crate) fn requote(content: &str) -> String {
    let mut out = String::with_capacity(content.len() + 2);
    out.push('"');
    for c in content.chars() {
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

/// The content of a braced token, LTSmin's escapes resolved.
pub(super) fn unbrace(token: &str) -> String {
    token[1..token.len() - 1]
        .replace("\\[", "[")
        .replace("\\]", "]")
        .replace("\\.", ".")
}

/// The canonical text of the content of quotes or braces; empty if there is nothing.
pub(crate) fn canonical(content: &str) -> String {
    let (tokens, errors) = lex(content, 1);
    if !errors.is_empty() {
        return content.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(text) = comparison_or_term(content, &tokens) {
        return text;
    }
    // Collapse the white space between tokens, not that inside inner quotes.
    let mut out = String::new();
    let mut end = 0;
    for t in &tokens {
        let (start, stop) = (t.start as usize, t.end as usize);
        if start > end && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&content[start..stop]);
        end = stop;
    }
    out
}

fn comparison_or_term(text: &str, tokens: &[Lexeme]) -> Option<String> {
    let mut terms = Terms {
        text,
        tokens,
        at: 0,
    };
    let left = terms.term(0).ok()?;
    let next = terms.peek().filter(|&t| t != Token::Assign);
    let out = if let Some(sign) = next.and_then(Token::comparison) {
        terms.at += 1;
        format!("{} {sign} {}", left.text, terms.term(0).ok()?.text)
    } else if left.compound {
        // Not a sum, which would not be a proposition, but a name like `P-x`.
        return None;
    } else {
        left.text
    };
    (terms.at == tokens.len()).then_some(out)
}

/// At most forty characters of `text`, for a message.
pub(super) fn excerpt(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_string()
    } else {
        text.chars().take(39).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_texts() {
        for (given, wanted) in [
            (" a ", "a"),
            ("P_1!='p9'", "P_1 != \"p9\""),
            ("(2)<=(a+b)", "2 <= a + b"),
            ("a-(b+c)==-1", "a - (b + c) == -1"),
            ("tokens(p1,p2)  <=3", "tokens(p1, p2) <= 3"),
            ("t\\[1\\].x!=0", "t[1].x != 0"),
            ("P_0->x  ==  3 and 'a  b'", "P_0->x == 3 and 'a  b'"),
            ("a  §  b", "a § b"),
            ("P-x", "P-x"),
            ("P\\-x == 1", "\"P-x\" == 1"),
            ("", ""),
        ] {
            assert_eq!(canonical(given), wanted);
            assert_eq!(canonical(wanted), wanted, "not a fixed point");
        }
    }
}
