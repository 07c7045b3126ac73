//! The grammar of a DVE file: declarations, processes, transitions, the kind of system.
//!
//! It follows the grammar of DiVinE 2 and is more liberal where that costs nothing: declarations and
//! processes may alternate, the sections of a process may come in any order, lengths of arrays may be
//! constant expressions.
//!
//! After an error the parser goes on at the next place that it recognises (end of the transition, of the
//! declaration, of the process), so that one run tells of several errors; it gives up after twenty.
//!
//! Not read: probabilistic transitions (`a => {b:1, c:2}`, of an extension of the language) and anything
//! of DiVinE 3 that DiVinE 2 did not have.

use super::ast::{
    Acceptance, Channel, Declaration, Expression, File, Initializer, Name, Process, Scalar, Sync,
    Transition,
};
use super::cursor::{Failed, Parsed, Parser};
use super::lexer::{Kind, Lexer};
use rustc_hash::FxHashSet;
use sempre_base::{Diagnostic, Severity, Span};

/// Reads a file; the diagnostics are warnings if there is a result.
pub fn parse(text: &str) -> (Option<File<'_>>, Vec<Diagnostic>) {
    let mut parser = Parser::new(Lexer::new(text), process_names(text));
    let file = parser.file();
    let failed = (parser.diagnostics.iter()).any(|d| d.severity == Severity::Error);
    ((!failed).then_some(file), parser.diagnostics)
}

/// Reads an expression that is all of `lexer`'s text, with these process names.
pub fn parse_expression<'a>(
    lexer: Lexer<'a>,
    processes: FxHashSet<&'a str>,
) -> Result<Expression<'a>, Vec<Diagnostic>> {
    let mut parser = Parser::new(lexer, processes);
    let parsed = parser.expression().and_then(|e| {
        if parser.at_end() {
            Ok(e)
        } else {
            parser.expected("an operator or the end")
        }
    });
    match parsed {
        Ok(e) if parser.diagnostics.is_empty() => Ok(e),
        _ => Err(parser.diagnostics),
    }
}

/// The names that follow the word `process`.
fn process_names(text: &str) -> FxHashSet<&str> {
    let mut lexer = Lexer::new(text);
    let mut names = FxHashSet::default();
    loop {
        let token = lexer.word();
        if token.kind == Kind::End {
            return names;
        }
        if token.kind == Kind::Name && token.text == "process" {
            let name = lexer.clone().word();
            if name.kind == Kind::Name {
                names.insert(name.text);
            }
        }
    }
}

const DECLARATION: [&str; 3] = ["const", "byte", "int"];

impl<'a> Parser<'a> {
    fn file(&mut self) -> File<'a> {
        let mut file = File::default();
        let mut has_system = false;
        while !self.at_end() && !self.gave_up() && !has_system {
            if self.at("process") {
                if let Ok(process) = self.process() {
                    file.processes.push(process);
                }
            } else if self.at("system") {
                has_system = true;
                if self.system(&mut file).is_err() {
                    return file;
                }
            } else {
                let done = if self.at("channel") {
                    self.channels(&mut file.channels)
                } else if DECLARATION.iter().any(|w| self.at(w)) {
                    self.declarations(&mut file.declarations)
                } else {
                    self.expected("a declaration, `process` or `system`")
                };
                if done.is_err() {
                    self.skip_to(&[";", "const", "byte", "int", "channel"]);
                    self.eat(";");
                }
            }
        }
        if !has_system && !self.gave_up() {
            let _ = self.expected::<()>("`system async;` or `system sync;`");
        } else if has_system && !self.at_end() {
            let _ = self.expected::<()>("the end");
        }
        file
    }

    fn system(&mut self, file: &mut File<'a>) -> Parsed<()> {
        self.expect("system")?;
        file.synchronous = self.at("sync");
        if !self.eat("sync") && !self.eat("async") {
            return self.expected("`async` or `sync`");
        }
        if self.eat("property") {
            file.property = Some(self.name("the name of the property process")?);
        }
        self.expect(";")?;
        Ok(())
    }

    fn scalar(&mut self) -> Parsed<Scalar> {
        if self.eat("byte") {
            Ok(Scalar::Byte)
        } else if self.eat("int") {
            Ok(Scalar::Int)
        } else {
            self.expected("`byte` or `int`")
        }
    }

    fn declarations(&mut self, into: &mut Vec<Declaration<'a>>) -> Parsed<()> {
        let constant = self.eat("const");
        let scalar = self.scalar()?;
        loop {
            let name = self.name("the name of a variable")?;
            let length = self.brackets()?;
            let initializer = if self.eat("=") {
                Some(self.initializer()?)
            } else {
                None
            };
            into.push(Declaration {
                name,
                scalar,
                constant,
                length,
                initializer,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn brackets(&mut self) -> Parsed<Option<Expression<'a>>> {
        if !self.eat("[") {
            return Ok(None);
        }
        let length = self.expression()?;
        self.expect("]")?;
        Ok(Some(length))
    }

    fn initializer(&mut self) -> Parsed<Initializer<'a>> {
        let start = self.token.span.start;
        if !self.eat("{") {
            return Ok(Initializer::One(self.expression()?));
        }
        let values = self.list(Self::expression)?;
        self.expect("}")?;
        Ok(Initializer::Many(values, self.since(start)))
    }

    fn channels(&mut self, into: &mut Vec<Channel<'a>>) -> Parsed<()> {
        self.expect("channel")?;
        let types = if self.eat("{") {
            let types = self.list(Self::scalar)?;
            self.expect("}")?;
            Some(types)
        } else {
            None
        };
        loop {
            let name = self.name("the name of a channel")?;
            let capacity = self.brackets()?;
            into.push(Channel {
                name,
                types: types.clone(),
                capacity,
            });
            if !self.eat(",") {
                break;
            }
        }
        self.expect(";")?;
        Ok(())
    }

    fn process(&mut self) -> Parsed<Process<'a>> {
        self.expect("process")?;
        let opened = self.name("the name of the process").and_then(|name| {
            self.expect("{")?;
            Ok(name)
        });
        let Ok(name) = opened else {
            self.skip_to(&["}"]);
            self.eat("}");
            return Err(Failed);
        };
        let mut process = Process {
            name,
            declarations: Vec::new(),
            states: Vec::new(),
            initial: None,
            committed: Vec::new(),
            acceptance: None,
            assertions: Vec::new(),
            transitions: Vec::new(),
        };
        while !self.at("}") {
            if self.at_end() || self.at("process") || self.at("system") || self.gave_up() {
                return self.expected(&format!("`}}` at the end of process `{}`", name.text));
            }
            if self.section(&mut process).is_err() {
                self.skip_to(&[";", "}"]);
                self.eat(";");
            }
        }
        self.advance();
        Ok(process)
    }

    fn section(&mut self, process: &mut Process<'a>) -> Parsed<()> {
        const STATE: &str = "the name of a location";
        if DECLARATION.iter().any(|w| self.at(w)) {
            return self.declarations(&mut process.declarations);
        }
        let keyword = self.token;
        if self.eat("state") {
            process.states.append(&mut self.list(|p| p.name(STATE))?);
        } else if self.eat("init") {
            let initial = self.name(STATE)?;
            if process.initial.replace(initial).is_some() {
                return self.error(keyword.span, "this process has an initial location already");
            }
        } else if self.eat("commit") {
            process.committed.append(&mut self.list(|p| p.name(STATE))?);
        } else if self.eat("accept") {
            let acceptance = self.acceptance()?;
            if process.acceptance.replace(acceptance).is_some() {
                return self.error(keyword.span, "this process has a second `accept`");
            }
        } else if self.eat("assert") {
            let mut assertions = self.list(|p| {
                let state = p.name(STATE)?;
                p.expect(":")?;
                Ok((state, p.expression()?))
            })?;
            process.assertions.append(&mut assertions);
        } else if self.eat("trans") {
            return self.transitions(&mut process.transitions);
        } else if self.at("channel") {
            return self.error(keyword.span, "channels are declared outside of processes");
        } else {
            return self.expected(
                "`state`, `init`, `commit`, `accept`, `assert`, `trans`, a declaration or `}`",
            );
        }
        self.expect(";")?;
        Ok(())
    }

    fn acceptance(&mut self) -> Parsed<Acceptance<Name<'a>>> {
        let state = |p: &mut Self| p.name("the name of a location");
        if self.eat("genbuchi") {
            let sets = self.list(|p| p.set_of_states("(", ")"))?;
            return Ok(Acceptance::GeneralizedBuchi(sets));
        }
        if self.eat("muller") {
            let sets = self.list(|p| p.set_of_states("(", ")"))?;
            return Ok(Acceptance::Muller(sets));
        }
        for (word, make) in [
            ("rabin", Acceptance::Rabin as fn(_) -> _),
            ("streett", Acceptance::Streett),
        ] {
            if self.eat(word) {
                let pairs = self.list(|p| {
                    let first = p.set_of_states("(", ";")?;
                    let second = if p.eat(")") {
                        Vec::new()
                    } else {
                        let set = p.list(state)?;
                        p.expect(")")?;
                        set
                    };
                    Ok((first, second))
                })?;
                return Ok(make(pairs));
            }
        }
        self.eat("buchi");
        Ok(Acceptance::Buchi(self.list(state)?))
    }

    fn set_of_states(&mut self, open: &str, close: &str) -> Parsed<Vec<Name<'a>>> {
        self.expect(open)?;
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let set = self.list(|p| p.name("the name of a location"))?;
        self.expect(close)?;
        Ok(set)
    }

    fn transitions(&mut self, into: &mut Vec<Transition<'a>>) -> Parsed<()> {
        loop {
            let from = into.last().map(|t| t.from);
            let braces = self.braces;
            match self.transition(from) {
                Ok(transition) => into.push(transition),
                Err(Failed) => {
                    if self.gave_up() {
                        return Err(Failed);
                    }
                    self.skip_transition(braces)?;
                }
            }
            if self.eat(";") {
                return Ok(());
            }
            if !self.eat(",") {
                let before = self.expected("`,` before the next transition or `;` after the last");
                if self.at("}") || self.gave_up() {
                    return before;
                }
            }
        }
    }

    /// Skips the rest of a broken transition, which started with that many braces open.
    fn skip_transition(&mut self, braces: i64) -> Parsed<()> {
        let mut closed = false;
        while !(closed || self.braces == braces && (self.at(",") || self.at(";"))) {
            let outside = self.braces == braces && self.at("}");
            if outside || self.at_end() || self.at("process") || self.at("system") {
                return Err(Failed);
            }
            closed = self.at("}");
            self.advance();
            closed &= self.braces == braces;
        }
        Ok(())
    }

    fn transition(&mut self, before: Option<Name<'a>>) -> Parsed<Transition<'a>> {
        let start = self.token.span.start;
        let from = match before {
            Some(from) if self.at("->") => from,
            _ => self.name("the name of a location")?,
        };
        if self.at("=>") {
            let message = "probabilistic transitions are not supported";
            return self.error(self.token.span, message);
        }
        self.expect("->")?;
        let to = self.name("the name of a location")?;
        self.expect("{")?;
        let guard = if self.eat("guard") {
            let guard = self.expression()?;
            self.expect(";")?;
            Some(guard)
        } else {
            None
        };
        let sync = if self.eat("sync") {
            Some(self.sync()?)
        } else {
            None
        };
        let mut effects = Vec::new();
        if self.eat("effect") {
            effects = self.list(|p| {
                let place = p.expression()?;
                p.expect("=")?;
                Ok((place, p.expression()?))
            })?;
            self.expect(";")?;
        }
        if !self.at("}") {
            let missing = match (&guard, &sync, effects.is_empty()) {
                (None, None, true) => "`guard`, `sync`, `effect` or `}`",
                (_, None, true) => "`sync`, `effect` or `}`",
                (_, Some(_), true) => "`effect` or `}`",
                _ => "`}`",
            };
            return self.expected(missing);
        }
        self.advance();
        Ok(Transition {
            from,
            to,
            guard,
            sync,
            effects,
            span: self.since(start),
        })
    }

    fn sync(&mut self) -> Parsed<Sync<'a>> {
        let channel = self.name("the name of a channel")?;
        let sends = self.at("!");
        if !self.eat("!") && !self.eat("?") {
            return self.expected("`!` or `?`");
        }
        let values = if self.at(";") {
            Vec::new()
        } else if self.eat("{") {
            let values = self.list(Self::expression)?;
            self.expect("}")?;
            values
        } else {
            vec![self.expression()?]
        };
        let span: Span = self.since(channel.span.start);
        self.expect(";")?;
        Ok(Sync {
            channel,
            sends,
            values,
            span,
        })
    }
}
