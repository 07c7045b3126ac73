//! Propositions of nets: `place >= 1`, `p1 + p2 <= q`, `tokens(p1, p2) <= 3`, `fireable(t1, t2)`.
//!
//! A place is found by its id, else by its name if only one place has that name. A bare place is true if
//! it is marked. `fireable` is true if any of the transitions is enabled. Read with
//! [`parse_condition`](crate::condition::parse_condition).

use crate::condition::{Operand, Scope, parse_condition};
use crate::petri_net::PetriNet;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span, nearest};
use sempre_model::ir::{Binary, Expr, VariableId};

/// The names of a net, ready for lookups.
pub struct NetScope<'n> {
    net: &'n PetriNet,
    places: Names<'n>,
    transitions: Names<'n>,
    producers: Vec<u32>,
}

/// Number by id, and by name; `None` for a name that several nodes have.
struct Names<'n> {
    ids: FxHashMap<&'n str, u32>,
    names: FxHashMap<&'n str, Option<u32>>,
}

impl<'n> Names<'n> {
    fn new(nodes: impl Iterator<Item = (&'n str, Option<&'n str>)>) -> Self {
        let mut all = Names {
            ids: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for (number, (id, name)) in nodes.enumerate() {
            let number = number as u32;
            all.ids.insert(id, number);
            if let Some(name) = name {
                all.names
                    .entry(name)
                    .and_modify(|n| *n = None)
                    .or_insert(Some(number));
            }
        }
        all
    }

    /// The node, or what to say and what to suggest.
    fn find(&self, name: &str, kind: &str) -> Result<u32, (String, Option<String>)> {
        if let Some(&number) = self.ids.get(name) {
            return Ok(number);
        }
        match self.names.get(name) {
            Some(Some(number)) => Ok(*number),
            Some(None) => Err((
                format!("several {kind}s have the name `{name}`"),
                Some("use an id".to_string()),
            )),
            None => {
                let mut known: Vec<&str> =
                    self.ids.keys().chain(self.names.keys()).copied().collect();
                known.sort_unstable();
                Err((
                    format!("there is no {kind} `{name}`"),
                    suggestion(name, &known),
                ))
            }
        }
    }
}

/// Up to three near names.
fn suggestion(wanted: &str, known: &[&str]) -> Option<String> {
    let mut near: Vec<&str> = Vec::new();
    while near.len() < 3
        && let Some(next) = nearest(wanted, known.iter().copied().filter(|n| !near.contains(n)))
    {
        near.push(next);
    }
    let list = near.join("`, `");
    (!near.is_empty()).then(|| format!("did you mean `{list}`?"))
}

impl<'n> NetScope<'n> {
    /// The names of a net.
    pub fn new(net: &'n PetriNet) -> Self {
        Self {
            net,
            places: Names::new(net.places.iter().map(|p| (&*p.id, p.name.as_deref()))),
            transitions: Names::new(net.transitions.iter().map(|t| (&*t.id, t.name.as_deref()))),
            producers: net.producers(),
        }
    }

    /// Is this the id or the name of a place?
    pub fn is_known(&self, name: &str) -> bool {
        self.places.find(name, "place").is_ok()
    }

    /// The proposition that a text says, as an expression over the variables of
    /// [`PetriNet::program`].
    ///
    /// ```
    /// use sempre_lang::{petri_net::PetriNet, pnml::NetScope};
    /// let mut net = PetriNet::new("n");
    /// net.place("idle", 1);
    /// let names = NetScope::new(&net);
    /// assert!(names.proposition("idle >= 1 && !fireable(t)").is_err(), "there is no t");
    /// assert!(names.proposition("tokens(idle) == 1").is_ok());
    /// ```
    pub fn proposition(&self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        parse_condition(text, self)
    }

    fn numbers(
        names: &Names<'_>,
        kind: &str,
        arguments: &[(String, Span)],
    ) -> Result<Vec<u32>, Diagnostic> {
        let find = |(name, place): &(String, Span)| {
            names.find(name, kind).map_err(|(message, help)| {
                let error = Diagnostic::error(*place, message);
                match help {
                    Some(help) => error.with_help(help),
                    None => error,
                }
            })
        };
        arguments.iter().map(find).collect()
    }
}

impl Scope for NetScope<'_> {
    fn name(&self, name: &str) -> Result<Operand<'_>, (String, Option<String>)> {
        let place = self.places.find(name, "place").map_err(|(message, help)| {
            match self.transitions.find(name, "transition").is_ok() {
                true => (
                    format!("`{name}` is a transition, not a place"),
                    Some(format!("write fireable({name})")),
                ),
                false => (message, help),
            }
        })?;
        Ok(Operand::number(Expr::variable(VariableId(place))))
    }

    fn call(
        &self,
        function: &str,
        arguments: &[(String, Span)],
    ) -> Option<Result<Expr, Diagnostic>> {
        match function {
            "tokens" => Some(
                Self::numbers(&self.places, "place", arguments).map(|places| {
                    let tokens = places.into_iter().map(|p| Expr::variable(VariableId(p)));
                    Expr::balanced(Binary::Add, tokens.collect()).unwrap_or(Expr::Constant(0))
                }),
            ),
            "fireable" => Some(
                Self::numbers(&self.transitions, "transition", arguments).map(|transitions| {
                    let enabled = transitions
                        .into_iter()
                        .map(|t| self.net.guard(t, &self.producers));
                    Expr::balanced(Binary::Or, enabled.collect()).unwrap_or(Expr::FALSE)
                }),
            ),
            _ => None,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &["tokens", "fireable"]
    }
}
