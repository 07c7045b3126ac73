//! The grammar of a whole file: declarations, processes, claims, formulas. Statements are in
//! [`super::statements`].
//!
//! After an error in a unit the parser goes on with the next that starts a line, so that a file with several errors
//! gives several complaints.

use super::ast::{
    BaseType, Declaration, Declarator, EventTrace, Expression, ExpressionKind, File, Formula,
    Initial, Inline, Name, Proctype,
};
use super::cursor::{Parsed, Parser};
use super::lexer::{Kind, Token};
use sempre_base::Diagnostic;
use std::sync::Arc;

/// What a unit of a file starts with.
pub(super) const UNITS: [&str; 11] = [
    "proctype",
    "active",
    "init",
    "never",
    "ltl",
    "inline",
    "typedef",
    "trace",
    "notrace",
    "mtype",
    "D_proctype",
];

/// The file that the words make, and what is wrong with them. Assertions may be read as steps without effect.
pub fn parse(words: Vec<Token>, ignore_assertions: bool) -> (File, Vec<Diagnostic>) {
    let mut parser = Parser::new(words);
    parser.ignore_assertions = ignore_assertions;
    let mut file = File::default();
    while !parser.at_end() && !parser.gave_up() {
        if parser.unit(&mut file).is_err() {
            parser.formula = false;
            parser.sequences = 0;
            parser.nesting = 0;
            parser.advance();
            while !parser.at_end() {
                let token = parser.token();
                if token.starts_line && UNITS.contains(&&*token.text) {
                    break;
                }
                parser.advance();
            }
        }
    }
    (file, parser.diagnostics)
}

/// An expression that is all there is, as propositions are. `processes` are the names of processes.
pub fn parse_expression<'n>(
    words: Vec<Token>,
    processes: impl Iterator<Item = &'n str>,
) -> Result<Expression, Vec<Diagnostic>> {
    let mut parser = Parser::new(words);
    parser.processes = processes.map(Arc::from).collect();
    let read = parser.expression();
    if read.is_ok() && !parser.at_end() {
        let _ = parser.expected::<()>("an operator or the end");
    }
    match read {
        Ok(expression) if parser.diagnostics.is_empty() => Ok(expression),
        _ => Err(parser.diagnostics),
    }
}

impl Parser {
    fn unit(&mut self, file: &mut File) -> Parsed<()> {
        self.forget_words();
        let word = self.token().clone();
        match &*word.text {
            ";" | "->" => {
                self.advance();
                Ok(())
            }
            "active" | "proctype" | "D_proctype" => {
                let proctype = self.proctype()?;
                file.proctypes.push(proctype);
                Ok(())
            }
            "init" => {
                self.advance();
                let priority = self.priority(1)?;
                let name = Name {
                    text: Arc::from("init"),
                    span: word.span,
                };
                let active = Expression {
                    kind: ExpressionKind::Number(1),
                    span: word.span,
                };
                let (body, end) = self.body()?;
                file.proctypes.push(Proctype {
                    name,
                    active: Some(active),
                    parameters: Vec::new(),
                    priority,
                    provided: None,
                    body,
                    end,
                    end_written: self.last_written(),
                });
                Ok(())
            }
            "never" => {
                self.advance();
                let name = match Self::is_name(self.token()) {
                    true => self.name("a name")?,
                    false => Name {
                        text: Arc::from(format!("never_{}", file.claims.len())),
                        span: word.span,
                    },
                };
                let (body, end) = self.body()?;
                file.claims.push(Proctype {
                    name,
                    active: None,
                    parameters: Vec::new(),
                    priority: None,
                    provided: None,
                    body,
                    end,
                    end_written: self.last_written(),
                });
                Ok(())
            }
            "ltl" => {
                self.advance();
                let name = match Self::is_name(self.token()) {
                    true => Some(self.name("a name")?),
                    false => None,
                };
                self.expect("{")?;
                self.formula = true;
                let formula = self.expression();
                self.formula = false;
                let formula = formula?;
                self.eat(";");
                self.expect("}")?;
                file.formulas.push(Formula { name, formula });
                Ok(())
            }
            "trace" | "notrace" => {
                self.advance();
                if file.trace.is_some() {
                    return self.error(word.span, "a model has one `trace` or `notrace` only");
                }
                let (body, end) = self.body()?;
                file.trace = Some(EventTrace {
                    negated: &*word.text == "notrace",
                    body: Proctype {
                        name: Name {
                            text: word.text.clone(),
                            span: word.span,
                        },
                        active: None,
                        parameters: Vec::new(),
                        priority: None,
                        provided: None,
                        body,
                        end,
                        end_written: self.last_written(),
                    },
                });
                Ok(())
            }
            "c_decl" | "c_code" | "c_state" | "c_track" | "c_expr" => {
                self.refused("embedded C code is not supported")
            }
            "inline" => self.inline(),
            "typedef" => {
                self.advance();
                let name = self.name("the name of the type")?;
                self.expect("{")?;
                let mut fields = Vec::new();
                while !self.at("}") {
                    fields.push(self.declaration()?);
                    while self.eat(";") {}
                }
                self.expect("}")?;
                self.structures.insert(name.text.clone());
                file.typedefs.push((name, fields));
                Ok(())
            }
            "mtype" if self.ahead(1).is("=") || self.ahead(1).is("{") => {
                self.advance();
                self.eat("=");
                self.mtype_names(file, None)
            }
            "mtype" if self.ahead(1).is(":") && self.ahead(3).is("=") && self.ahead(4).is("{") => {
                self.advance();
                self.advance();
                let kind = self.name("the name of the mtype")?;
                self.expect("=")?;
                self.mtype_names(file, Some(kind.text))
            }
            _ if self.at_declaration() => {
                let declaration = self.declaration()?;
                file.globals.push(declaration);
                if !self.at_end() && !self.at(";") && !self.token().starts_line {
                    return self.expected("`;`");
                }
                Ok(())
            }
            _ => self.expected("a declaration, `proctype` or `init`"),
        }
    }

    fn mtype_names(&mut self, file: &mut File, kind: Option<Arc<str>>) -> Parsed<()> {
        self.expect("{")?;
        let mut names = vec![self.name("a name")?];
        while !self.at("}") {
            // Commas are optional, and one may come last.
            if self.eat(",") {
                continue;
            }
            names.push(self.name("a name or `}`")?);
        }
        self.expect("}")?;
        file.mtypes.push((kind, names));
        Ok(())
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let mut active = None;
        if self.at("active") {
            let span = self.advance().span;
            active = Some(Expression {
                kind: ExpressionKind::Number(1),
                span,
            });
            if self.eat("[") {
                active = Some(self.expression()?);
                self.expect("]")?;
            }
        }
        if !self.eat("D_proctype") {
            self.expect("proctype")?;
        }
        let name = self.name("the name of the proctype")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.at(")") {
            let declaration = self.declaration()?;
            if let Some(item) = declaration.items.iter().find(|i| i.initial.is_some()) {
                let span = item.name.span;
                return self.error(span, "a parameter has no initial value");
            }
            parameters.push(declaration);
            if !self.at(")") {
                self.expect(";")?;
            }
        }
        self.expect(")")?;
        let priority = self.priority(u8::from(active.is_some()))?;
        let mut provided = None;
        if self.eat("provided") {
            self.expect("(")?;
            provided = Some(self.expression()?);
            self.expect(")")?;
        }
        let (body, end) = self.body()?;
        Ok(Proctype {
            name,
            active,
            parameters,
            priority,
            provided,
            body,
            end,
            end_written: self.last_written(),
        })
    }

    fn inline(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.name("the name of the inline")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.at(")") {
            parameters.push(self.name("the name of a parameter")?.text);
            if !self.at(")") {
                self.expect(",")?;
            }
        }
        self.expect(")")?;
        if !self.at("{") {
            return self.expected("`{`");
        }
        let opening = self.token().span;
        let mut body = Vec::new();
        let mut depth = 0;
        loop {
            if self.at_end() {
                return self.error(opening, "this `{` is not closed");
            }
            let token = self.advance();
            depth += i32::from(token.is("{")) - i32::from(token.is("}"));
            body.push(token);
            if depth == 0 {
                break;
            }
        }
        self.inlines
            .insert(name.text, Arc::new(Inline { parameters, body }));
        Ok(())
    }

    /// Does a declaration of variables start here?
    pub fn at_declaration(&self) -> bool {
        let word = self.token();
        if word.kind != Kind::Name {
            return false;
        }
        match &*word.text {
            "bit" | "bool" | "byte" | "short" | "int" | "unsigned" | "mtype" | "pid" | "chan" => {
                true
            }
            "hidden" | "show" | "local" => true,
            name => self.structures.contains(name) && self.ahead(1).kind == Kind::Name,
        }
    }

    /// A type; the list of an mtype is named after a colon.
    fn base_type(&mut self) -> Parsed<BaseType> {
        let token = self.token().clone();
        let ty = match &*token.text {
            "bit" | "bool" => BaseType::Bit,
            "byte" | "pid" => BaseType::Byte,
            "short" => BaseType::Short,
            "int" => BaseType::Int,
            "unsigned" => BaseType::Unsigned,
            "chan" => BaseType::Chan,
            "mtype" => {
                self.advance();
                if self.eat(":") {
                    let kind = self.name("the name of the mtype")?;
                    return Ok(BaseType::Mtype(Some(kind.text)));
                }
                return Ok(BaseType::Mtype(None));
            }
            name if self.structures.contains(name) => BaseType::Struct(self.name("a type")?),
            _ => return self.expected("a type"),
        };
        if !matches!(ty, BaseType::Struct(_)) {
            self.advance();
        }
        Ok(ty)
    }

    /// `byte x, y[3] = 2`
    pub fn declaration(&mut self) -> Parsed<Declaration> {
        sempre_base::checkpoint();
        let start = self.token().span;
        let mut hidden = false;
        while self.at("hidden") || self.at("show") || self.at("local") {
            hidden |= self.at("hidden");
            self.advance();
        }
        let ty = self.base_type()?;
        let mut items = vec![self.declarator(&ty)?];
        while self.eat(",") {
            items.push(self.declarator(&ty)?);
        }
        let span = start.to(self.last);
        Ok(Declaration {
            ty,
            hidden,
            items,
            span,
        })
    }

    fn declarator(&mut self, ty: &BaseType) -> Parsed<Declarator> {
        let name = self.name("the name of a variable")?;
        let mut bits = None;
        let mut length = None;
        if *ty == BaseType::Unsigned {
            if !self.at(":") {
                return self.expected("`:` and the number of bits");
            }
            self.advance();
            let span = self.token().span;
            let width = self.advance();
            bits = (width.text.parse::<u8>().ok()).filter(|b| (1..=32).contains(b));
            if bits.is_none() {
                return self.error(span, "an `unsigned` has 1 to 32 bits");
            }
        }
        if self.eat("[") {
            length = Some(self.expression()?);
            self.expect("]")?;
        }
        let mut initial = None;
        if self.eat("=") {
            initial = Some(self.initial()?);
        }
        Ok(Declarator {
            name,
            length,
            bits,
            initial,
        })
    }

    fn initial(&mut self) -> Parsed<Initial> {
        if self.eat("[") {
            let capacity = self.expression()?;
            self.expect("]")?;
            self.expect("of")?;
            self.expect("{")?;
            let mut fields = Vec::new();
            loop {
                if self.at("unsigned") {
                    return self.refused("a message has no fields of type `unsigned`");
                }
                fields.push(self.base_type()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect("}")?;
            return Ok(Initial::Channel(capacity, fields));
        }
        if self.eat("{") {
            let mut values = vec![self.expression()?];
            while self.eat(",") {
                values.push(self.expression()?);
            }
            self.expect("}")?;
            return Ok(Initial::List(values));
        }
        Ok(Initial::Value(self.expression()?))
    }
}
