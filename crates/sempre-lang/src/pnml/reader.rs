//! PNML to nets.
//!
//! Read: places, transitions, arcs with weights, initial markings, reference places and transitions
//! (pages may refer to nodes of other pages, in chains), pages in pages, the older spelling without pages
//! and with `<value>` for `<text>`. Tool-specific parts and graphics are skipped, as the standard wants.
//!
//! Refused, because leaving them out would make another net: coloured (high-level) nets, arcs that are not
//! ordinary (inhibitor, reset, read arcs), places with a capacity, several nets in one file, numbers above
//! [`MAX_NUMBER`].
//!
//! The XML itself is read by roxmltree, which knows the place of each element and attribute and takes
//! some 30 ms for a megabyte; the rest is linear with one hash lookup for each arc end.

use super::xml::{
    MAX_ERRORS, attribute_place, child, elements, parse as parse_xml, stoppable, tag, text_of,
};
use crate::petri_net::{MAX_NUMBER, NetPlace, NetTransition, PetriNet, added_up};
use roxmltree::Node;
use rustc_hash::FxHashMap;
use sempre_base::{Diagnostic, Span, nearest};

/// Reads a net.
///
/// ```
/// let net = sempre_lang::pnml::read_pnml(r#"<pnml><net id="n" type="ptnet"><page id="g">
///   <place id="p"><initialMarking><text>2</text></initialMarking></place>
///   <transition id="t"/> <arc id="a" source="p" target="t"/></page></net></pnml>"#).unwrap();
/// assert_eq!((net.places[0].initial, net.transitions[0].inputs[0]), (2, (0, 1)));
/// ```
pub fn read_pnml(text: &str) -> Result<PetriNet, Vec<Diagnostic>> {
    stoppable(text, read)
}

fn read(text: &str) -> Result<PetriNet, Vec<Diagnostic>> {
    let document = parse_xml(text).map_err(|e| vec![e])?;
    let mut reader = Reader::default();
    reader.document(document.root_element());
    if reader.errors.is_empty() {
        Ok(reader.net)
    } else {
        reader.errors.sort_by_key(|e| e.span);
        reader.errors.truncate(MAX_ERRORS);
        Err(reader.errors)
    }
}

/// What an id stands for.
#[derive(Clone, Copy, PartialEq)]
enum NodeKind {
    Place(u32),
    Transition(u32),
    /// A reference, by its number.
    Reference(u32),
}

/// A reference place or transition.
struct Reference<'a> {
    is_place: bool,
    to: &'a str,
    place: Span,
}

#[derive(Default)]
struct Reader<'a> {
    net: PetriNet,
    nodes: FxHashMap<&'a str, NodeKind>,
    references: Vec<Reference<'a>>,
    arcs: Vec<Node<'a, 'a>>,
    errors: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn error(&mut self, place: Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::error(place, message));
    }

    fn error_with_help(&mut self, place: Span, message: impl Into<String>, help: &str) {
        self.errors
            .push(Diagnostic::error(place, message).with_help(help));
    }

    fn document<'i: 'a>(&mut self, root: Node<'a, 'i>) {
        if root.tag_name().name() != "pnml" {
            let name = root.tag_name().name();
            return self.error(
                tag(root),
                format!("expected a PNML document, found <{name}>"),
            );
        }
        let nets: Vec<_> = elements(root)
            .filter(|n| n.tag_name().name() == "net")
            .collect();
        let Some(&net) = nets.first() else {
            return self.error(tag(root), "this document has no net");
        };
        if let Some(&second) = nets.get(1) {
            return self.error(
                tag(second),
                "this document has a second net, and one is expected",
            );
        }
        if !self.type_is_supported(net) {
            return;
        }
        self.net.name = label(net, "name")
            .map(|(text, _)| text)
            .filter(|text| !text.is_empty())
            .or(net.attribute("id").map(str::to_string))
            .filter(|text| !text.is_empty())
            .unwrap_or("net".to_string());
        self.nodes_of(net);
        if self.errors.is_empty() {
            for arc in std::mem::take(&mut self.arcs) {
                self.arc(arc);
                if self.errors.len() >= MAX_ERRORS {
                    break;
                }
            }
        }
        for transition in &mut self.net.transitions {
            transition.inputs = added_up(std::mem::take(&mut transition.inputs));
            transition.outputs = added_up(std::mem::take(&mut transition.outputs));
        }
    }

    fn type_is_supported(&mut self, net: Node<'a, '_>) -> bool {
        let Some(uri) = net.attribute("type") else {
            return true;
        };
        let kind = uri.rsplit('/').next().unwrap_or(uri).to_lowercase();
        let place = attribute_place(net, "type");
        let plain = ["ptnet", "pnmlcoremodel", "p/t net", "pt-net", "basicnet"];
        if plain.iter().any(|k| kind.contains(k)) || uri.to_lowercase().contains("p/t") {
            return true;
        }
        let coloured = ["highlevel", "symmetric", "hlpng", "hlpn", "colo"];
        let what = match coloured.iter().any(|k| kind.contains(k)) {
            true => "this is a coloured (high-level) net",
            false => "this kind of net is not known",
        };
        let help = "place/transition nets (type ptnet) are read; unfold the net first";
        self.error_with_help(place, what, help);
        false
    }

    /// Collects the nodes and arcs of a net and its pages. Pages are kept on a stack of our own: a
    /// document can be nested deeper than the machine's stack allows.
    fn nodes_of<'i: 'a>(&mut self, net: Node<'a, 'i>) {
        let mut pages = vec![net];
        while let Some(page) = pages.pop() {
            for node in elements(page) {
                sempre_base::checkpoint();
                if self.errors.len() >= MAX_ERRORS {
                    return;
                }
                match node.tag_name().name() {
                    "page" => pages.push(node),
                    "place" => self.place(node),
                    "transition" => self.transition(node),
                    "referencePlace" => self.reference(node, true),
                    "referenceTransition" => self.reference(node, false),
                    "arc" => self.arcs.push(node),
                    "declaration" => self.error_with_help(
                        tag(node),
                        "declarations belong to coloured (high-level) nets",
                        "place/transition nets are read; unfold the net first",
                    ),
                    _ => {}
                }
            }
        }
    }

    fn declare<'i: 'a>(&mut self, node: Node<'a, 'i>, kind: NodeKind) -> bool {
        let Some(id) = node.attribute("id").filter(|id| !id.is_empty()) else {
            let name = node.tag_name().name();
            self.error(tag(node), format!("this <{name}> has no id"));
            return false;
        };
        if self.nodes.insert(id, kind).is_some() {
            let place = attribute_place(node, "id");
            self.error(
                place,
                format!("the id `{id}` is already taken by another node"),
            );
            return false;
        }
        true
    }

    fn place<'i: 'a>(&mut self, node: Node<'a, 'i>) {
        let number = self.net.places.len() as u32;
        if !self.declare(node, NodeKind::Place(number)) {
            return;
        }
        for part in elements(node) {
            match part.tag_name().name() {
                "hlinitialMarking" | "type" => self.error_with_help(
                    tag(part),
                    "this place is coloured (high-level)",
                    "place/transition nets are read; unfold the net first",
                ),
                "capacity" if !matches!(label_text(part).0.as_str(), "" | "0") => {
                    self.error(tag(part), "places with a capacity are not supported")
                }
                _ => {}
            }
        }
        let initial = self.number(node, "initialMarking", 0).unwrap_or(0);
        let (id, name) = id_and_name(node);
        self.net.places.push(NetPlace { id, name, initial });
    }

    fn transition<'i: 'a>(&mut self, node: Node<'a, 'i>) {
        let number = self.net.transitions.len() as u32;
        if !self.declare(node, NodeKind::Transition(number)) {
            return;
        }
        if let Some(condition) = child(node, "condition") {
            let help = "place/transition nets are read; unfold the net first";
            let message = "this transition has a condition, as in coloured (high-level) nets";
            self.error_with_help(tag(condition), message, help);
        }
        let (id, name) = id_and_name(node);
        self.net.transitions.push(NetTransition {
            id,
            name,
            inputs: Vec::new(),
            outputs: Vec::new(),
        });
    }

    fn reference<'i: 'a>(&mut self, node: Node<'a, 'i>, is_place: bool) {
        let number = self.references.len() as u32;
        if !self.declare(node, NodeKind::Reference(number)) {
            return;
        }
        let Some(to) = node.attribute("ref") else {
            return self.error(tag(node), "this reference does not say what it refers to");
        };
        self.references.push(Reference {
            is_place,
            to,
            place: attribute_place(node, "ref"),
        });
    }

    /// The place or transition with that id, through all references.
    fn resolve(&mut self, id: &str, place: Span) -> Option<NodeKind> {
        let mut id = id;
        let mut place = place;
        let mut wanted = None;
        // A chain longer than there are references goes in circles.
        for _ in 0..=self.references.len() {
            let Some(&kind) = self.nodes.get(id) else {
                let near = nearest(id, self.nodes.keys().copied());
                let mut error = Diagnostic::error(place, format!("there is no node `{id}`"));
                if let Some(near) = near {
                    error = error.with_help(format!("did you mean `{near}`?"));
                }
                self.errors.push(error);
                return None;
            };
            let is_place = match kind {
                NodeKind::Place(_) => true,
                NodeKind::Transition(_) => false,
                NodeKind::Reference(r) => self.references[r as usize].is_place,
            };
            if wanted.is_some_and(|w| w != is_place) {
                let (a, b) = match is_place {
                    true => ("transition", "place"),
                    false => ("place", "transition"),
                };
                self.error(place, format!("a reference {a} refers to the {b} `{id}`"));
                return None;
            }
            wanted = Some(is_place);
            match kind {
                NodeKind::Reference(r) => {
                    id = self.references[r as usize].to;
                    place = self.references[r as usize].place;
                }
                node => return Some(node),
            }
        }
        self.error(place, "these references go in circles");
        None
    }

    fn arc<'i: 'a>(&mut self, node: Node<'a, 'i>) {
        sempre_base::checkpoint();
        if !self.arc_is_ordinary(node) {
            return;
        }
        let mut ends = [None, None];
        for (end, name) in ends.iter_mut().zip(["source", "target"]) {
            match node.attribute(name) {
                Some(id) => *end = self.resolve(id, attribute_place(node, name)),
                None => self.error(tag(node), format!("this arc has no {name}")),
            }
        }
        let Some(weight) = self.number(node, "inscription", 1) else {
            return;
        };
        if weight == 0 {
            let place = child(node, "inscription").map_or(tag(node), tag);
            return self.error(place, "the weight of an arc must not be 0");
        }
        match ends {
            [Some(NodeKind::Place(p)), Some(NodeKind::Transition(t))] => {
                self.net.transitions[t as usize].inputs.push((p, weight));
            }
            [Some(NodeKind::Transition(t)), Some(NodeKind::Place(p))] => {
                self.net.transitions[t as usize].outputs.push((p, weight));
            }
            [Some(NodeKind::Place(_)), Some(_)] => {
                self.error(tag(node), "this arc leads from a place to a place");
            }
            [Some(_), Some(_)] => {
                self.error(
                    tag(node),
                    "this arc leads from a transition to a transition",
                );
            }
            _ => {}
        }
    }

    /// Tools write kinds of arcs as an attribute or as an element, `type` or `arctype`.
    fn arc_is_ordinary(&mut self, node: Node<'a, '_>) -> bool {
        let mut kinds = Vec::new();
        for name in ["type", "arctype"] {
            if let Some(kind) = node.attribute(name) {
                kinds.push((kind.to_string(), attribute_place(node, name)));
            }
            if let Some(element) = child(node, name) {
                kinds.push(match element.attribute("value") {
                    Some(kind) => (kind.to_string(), attribute_place(element, "value")),
                    None => label_text(element),
                });
            }
        }
        if let Some(element) = child(node, "hlinscription") {
            let help = "place/transition nets are read; unfold the net first";
            self.error_with_help(tag(element), "this arc is coloured (high-level)", help);
            return false;
        }
        for (kind, place) in kinds {
            if !matches!(kind.to_lowercase().as_str(), "normal" | "ordinary" | "") {
                let message = format!("{kind} arcs are not supported");
                self.error_with_help(place, message, "only ordinary arcs with weights are read");
                return false;
            }
        }
        true
    }

    /// The number in a label such as `<initialMarking>`; `None` after a complaint.
    fn number(&mut self, node: Node<'a, '_>, name: &str, default: i64) -> Option<i64> {
        let Some((text, place)) = label(node, name) else {
            return Some(default);
        };
        let digits = text.strip_prefix('+').unwrap_or(&text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let found = match text.is_empty() {
                true => "nothing".to_string(),
                false => format!("`{}`", text.chars().take(40).collect::<String>()),
            };
            self.error(place, format!("expected a number of tokens, found {found}"));
            return None;
        }
        match digits.parse::<i64>() {
            Ok(n) if n <= MAX_NUMBER => Some(n),
            _ => {
                let message = format!("numbers of tokens above {MAX_NUMBER} are not supported");
                self.error(place, message);
                None
            }
        }
    }
}

/// The id, and the name if it says something else.
fn id_and_name(node: Node<'_, '_>) -> (String, Option<String>) {
    let id = node.attribute("id").unwrap_or("").to_string();
    let name = label(node, "name")
        .map(|(text, _)| text)
        .filter(|text| !text.is_empty() && *text != id);
    (id, name)
}

/// The text of a label, `<name><text>…</text></name>`, and its place.
fn label(node: Node<'_, '_>, name: &str) -> Option<(String, Span)> {
    child(node, name).map(label_text)
}

fn label_text(label: Node<'_, '_>) -> (String, Span) {
    match child(label, "text").or_else(|| child(label, "value")) {
        Some(text) => text_of(text),
        None => text_of(label),
    }
}
