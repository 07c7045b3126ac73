//! The formulas of the Model Checking Contest: `LTLCardinality.xml`, `LTLFireability.xml`, `ReachabilityCardinality.xml`,
//! `ReachabilityFireability.xml`.
//!
//! Each property becomes a formula in our own LTL syntax, its propositions in braces and in the syntax of
//! [`propositions`](super::propositions): `<tokens-count>` is `tokens(…)`, `<is-fireable>` is
//! `fireable(…)`. The outermost `<all-paths>` means what LTL means anyway and is dropped. An outermost `<exists-path>` with `<finally>` and a
//! condition on states asks whether a state is reachable, and is read as the formula that says of all runs that they never get there. Path
//! quantifiers elsewhere make another logic and are refused.

use super::xml::{MAX_ERRORS, child, elements, parse as parse_xml, stoppable, tag, text_of};
use roxmltree::Node;
use sempre_base::{Diagnostic, Span};

/// What a formula of the contest asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Do all runs satisfy it?
    Runs,
    /// `AG p`: does the condition hold in all states?
    Invariant,
    /// `EF p`: does it hold in some state?
    Reachable,
}

/// A named formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its identifier, `FMS-PT-002-LTLCardinality-00`.
    pub id: String,
    /// In our LTL syntax, propositions in braces. Of a question of reachability, its negation: `G !(…)`.
    pub formula: String,
    /// What is asked.
    pub asked: Asked,
    /// Its propositions, in the order of the text, each once.
    pub propositions: Vec<String>,
    /// Where it stands.
    pub span: Span,
}

/// Nesting of elements of a formula.
const MAX_NESTING: usize = 1000;

/// Reads a set of properties.
pub fn read_properties(text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    stoppable(text, read)
}

fn read(text: &str) -> Result<Vec<Property>, Vec<Diagnostic>> {
    let document = parse_xml(text).map_err(|e| vec![e])?;
    let root = document.root_element();
    if root.tag_name().name() != "property-set" {
        let name = root.tag_name().name();
        let message = format!("expected <property-set>, found <{name}>");
        return Err(vec![Diagnostic::error(tag(root), message)]);
    }
    let mut properties = Vec::new();
    let mut errors = Vec::new();
    for property in elements(root).filter(|n| n.tag_name().name() == "property") {
        match read_property(property) {
            Ok(property) => properties.push(property),
            Err(error) => errors.push(error),
        }
        if errors.len() >= MAX_ERRORS {
            break;
        }
    }
    match errors.is_empty() {
        true => Ok(properties),
        false => Err(errors),
    }
}

fn read_property(property: Node<'_, '_>) -> Result<Property, Diagnostic> {
    let id = child(property, "id").map(|n| text_of(n).0);
    let id = id.filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| Diagnostic::error(tag(property), "this property has no id"))?;
    let formula = child(property, "formula")
        .ok_or_else(|| Diagnostic::error(tag(property), "this property has no formula"))?;
    let mut inside = only_element(formula)?;
    let mut asked = Asked::Runs;
    let mut reader = Reader::default();
    match inside.tag_name().name() {
        "all-paths" => {
            inside = only_element(inside)?;
            reader.formula(inside, 0)?;
            if inside.tag_name().name() == "globally" && is_condition(only_element(inside)?) {
                asked = Asked::Invariant;
            }
        }
        "exists-path" => {
            let eventually = only_element(inside)?;
            let goal = match eventually.tag_name().name() {
                "finally" => Some(only_element(eventually)?).filter(|goal| is_condition(*goal)),
                _ => None,
            };
            let Some(goal) = goal else {
                let message = "the path quantifier E is not LTL";
                let help = "only <exists-path> with <finally> and a condition on states inside, which asks whether a state is \
                            reachable, is understood";
                return Err(Diagnostic::error(tag(inside), message).with_help(help));
            };
            asked = Asked::Reachable;
            reader.out.push_str("G!(");
            reader.formula(goal, 0)?;
            reader.out.push(')');
        }
        _ => reader.formula(inside, 0)?,
    }
    let range = property.range();
    Ok(Property {
        id,
        formula: reader.out,
        asked,
        propositions: reader.propositions,
        span: Span::new(range.start, range.end),
    })
}

/// Is it without operators about runs?
fn is_condition(node: Node<'_, '_>) -> bool {
    let temporal = [
        "globally",
        "finally",
        "next",
        "until",
        "weak-until",
        "all-paths",
        "exists-path",
    ];
    let mut all = node.descendants();
    all.all(|n| !temporal.contains(&n.tag_name().name()))
}

fn only_element<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Diagnostic> {
    let mut inside = elements(node);
    match (inside.next(), inside.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(wrong_number(node, "one operand")),
    }
}

fn wrong_number(node: Node<'_, '_>, expected: &str) -> Diagnostic {
    let name = node.tag_name().name();
    Diagnostic::error(tag(node), format!("<{name}> needs {expected}"))
}

#[derive(Default)]
struct Reader {
    out: String,
    propositions: Vec<String>,
}

impl Reader {
    fn formula(&mut self, node: Node<'_, '_>, nesting: usize) -> Result<(), Diagnostic> {
        if nesting > MAX_NESTING {
            let message = format!("nesting deeper than {MAX_NESTING} is not supported");
            return Err(Diagnostic::error(tag(node), message));
        }
        sempre_base::checkpoint();
        let nesting = nesting + 1;
        let prefix = |reader: &mut Self, sign: &str| {
            reader.out.push_str(sign);
            reader.out.push('(');
            reader.formula(only_element(node)?, nesting)?;
            reader.out.push(')');
            Ok(())
        };
        match node.tag_name().name() {
            "globally" => prefix(self, "G"),
            "finally" => prefix(self, "F"),
            "negation" => prefix(self, "!"),
            "next" => self.next(node, nesting),
            "until" => self.until(node, "U", nesting),
            "weak-until" => self.until(node, "W", nesting),
            "conjunction" => self.chain(node, " & ", "1", nesting),
            "disjunction" => self.chain(node, " | ", "0", nesting),
            "exclusive-disjunction" => self.pair(node, " xor ", nesting),
            "implication" => self.pair(node, " -> ", nesting),
            "equivalence" => self.pair(node, " <-> ", nesting),
            "true" => {
                self.out.push('1');
                Ok(())
            }
            "false" => {
                self.out.push('0');
                Ok(())
            }
            "all-paths" | "exists-path" => Err(Diagnostic::error(
                tag(node),
                "a path quantifier inside a formula: this is CTL, not LTL",
            )),
            _ => {
                let proposition = proposition(node)?;
                self.out.push('{');
                self.out.push_str(&proposition);
                self.out.push('}');
                if !self.propositions.contains(&proposition) {
                    self.propositions.push(proposition);
                }
                Ok(())
            }
        }
    }

    /// The oldest contests give the number of steps.
    fn next(&mut self, node: Node<'_, '_>, nesting: usize) -> Result<(), Diagnostic> {
        let mut steps = 1;
        let mut operand = None;
        for part in elements(node) {
            match part.tag_name().name() {
                "if-no-successor" => {}
                "steps" => {
                    let (text, place) = text_of(part);
                    steps = text.parse().ok().filter(|&s| s <= 100).ok_or_else(|| {
                        Diagnostic::error(place, "expected a number of steps up to 100")
                    })?;
                }
                _ if operand.is_some() => return Err(wrong_number(node, "one operand")),
                _ => operand = Some(part),
            }
        }
        let operand = operand.ok_or_else(|| wrong_number(node, "one operand"))?;
        self.out.push_str(&"X".repeat(steps));
        self.out.push('(');
        self.formula(operand, nesting)?;
        self.out.push(')');
        Ok(())
    }

    fn until(&mut self, node: Node<'_, '_>, sign: &str, nesting: usize) -> Result<(), Diagnostic> {
        let (Some(before), Some(reach)) = (child(node, "before"), child(node, "reach")) else {
            return Err(wrong_number(node, "a <before> and a <reach>"));
        };
        self.operands(
            &[only_element(before)?, only_element(reach)?],
            &format!(" {sign} "),
            nesting,
        )
    }

    fn pair(&mut self, node: Node<'_, '_>, sign: &str, nesting: usize) -> Result<(), Diagnostic> {
        let parts: Vec<_> = elements(node).collect();
        match parts.len() {
            2 => self.operands(&parts, sign, nesting),
            _ => Err(wrong_number(node, "two operands")),
        }
    }

    fn chain(
        &mut self,
        node: Node<'_, '_>,
        sign: &str,
        empty: &str,
        nesting: usize,
    ) -> Result<(), Diagnostic> {
        let parts: Vec<_> = elements(node).collect();
        match parts.is_empty() {
            true => self.out.push_str(empty),
            false => self.operands(&parts, sign, nesting)?,
        }
        Ok(())
    }

    fn operands(
        &mut self,
        parts: &[Node<'_, '_>],
        sign: &str,
        nesting: usize,
    ) -> Result<(), Diagnostic> {
        self.out.push('(');
        for (i, &part) in parts.iter().enumerate() {
            if i > 0 {
                self.out.push_str(sign);
            }
            self.formula(part, nesting)?;
        }
        self.out.push(')');
        Ok(())
    }
}

fn proposition(node: Node<'_, '_>) -> Result<String, Diagnostic> {
    let sign = match node.tag_name().name() {
        "is-fireable" => return Ok(format!("fireable({})", names(node, "transition")?)),
        "integer-le" => "<=",
        "integer-lt" => "<",
        "integer-ge" => ">=",
        "integer-gt" => ">",
        "integer-eq" => "==",
        "integer-ne" => "!=",
        other => {
            let message = format!("<{other}> is not known here");
            let help = "formulas are <globally>, <finally>, <next>, <until>, Boolean operators, \
                        <is-fireable> and comparisons of <tokens-count> and <integer-constant>";
            return Err(Diagnostic::error(tag(node), message).with_help(help));
        }
    };
    let parts: Vec<_> = elements(node).collect();
    let &[left, right] = parts.as_slice() else {
        return Err(wrong_number(node, "two operands"));
    };
    Ok(format!("{} {sign} {}", number(left, 0)?, number(right, 0)?))
}

fn number(node: Node<'_, '_>, nesting: usize) -> Result<String, Diagnostic> {
    let chain = |sign: &str| {
        if nesting > 50 {
            return Err(Diagnostic::error(tag(node), "sums nested too deep"));
        }
        let parts: Result<Vec<_>, _> = elements(node).map(|n| number(n, nesting + 1)).collect();
        match parts? {
            parts if parts.is_empty() => Err(wrong_number(node, "operands")),
            parts => Ok(format!("({})", parts.join(sign))),
        }
    };
    match node.tag_name().name() {
        "integer-constant" => {
            let (text, place) = text_of(node);
            match text.parse::<i64>() {
                Ok(n) => Ok(n.to_string()),
                Err(_) => Err(Diagnostic::error(place, "expected a number")),
            }
        }
        "tokens-count" => Ok(format!("tokens({})", names(node, "place")?)),
        "integer-sum" => chain(" + "),
        "integer-difference" => chain(" - "),
        "integer-product" => chain(" * "),
        other => {
            let message = format!("<{other}> is not a number");
            Err(Diagnostic::error(tag(node), message))
        }
    }
}

fn names(node: Node<'_, '_>, kind: &str) -> Result<String, Diagnostic> {
    let mut names = Vec::new();
    for part in elements(node) {
        let (name, place) = text_of(part);
        if part.tag_name().name() != kind || name.is_empty() {
            return Err(Diagnostic::error(place, format!("expected a <{kind}>")));
        }
        let bare = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let quote = match (bare, name.contains('"')) {
            (true, _) => "",
            (false, false) => "\"",
            (false, true) => "'",
        };
        names.push(format!("{quote}{name}{quote}"));
    }
    match names.is_empty() {
        true => Err(wrong_number(node, &format!("a <{kind}>"))),
        false => Ok(names.join(", ")),
    }
}
