//! What the readers of XML share: a parsed document, and where its parts stand in the text.

use roxmltree::{Document, Node, ParsingOptions};
use sempre_base::{Diagnostic, Span, stop};

/// Errors after which a reader gives up.
pub(super) const MAX_ERRORS: usize = 50;

/// Longer texts are parsed on another thread ([`stop::beside`]): the library takes some 30 ms for a megabyte, more for an element with
/// thousands of attributes, and has no checkpoints.
const LONG: usize = 1 << 18;

/// Reads a text; the calling thread can be stopped meanwhile.
pub(super) fn stoppable<T: Send + 'static>(text: &str, read: fn(&str) -> T) -> T {
    if text.len() > LONG {
        let copy = text.to_string();
        if let Some(read) = stop::beside(move || read(&copy)) {
            return read;
        }
    }
    read(text)
}

/// Parses a text, or says where it stops being XML.
pub(super) fn parse(text: &str) -> Result<Document<'_>, Diagnostic> {
    let options = ParsingOptions {
        allow_dtd: true,
        ..ParsingOptions::default()
    };
    Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let message = error.to_string();
        // The library ends its messages with the place, which the diagnostic shows anyway.
        let message = message
            .strip_suffix(&format!(" at {at}"))
            .unwrap_or(&message);
        let place = offset(text, at.row as usize, at.col as usize);
        Diagnostic::error(place, format!("this is not well-formed XML: {message}"))
    })
}

/// The character at a line and column, both counted from 1.
fn offset(text: &str, row: usize, column: usize) -> Span {
    let mut start = 0;
    for _ in 1..row {
        match text[start..].find('\n') {
            Some(i) => start += i + 1,
            None => break,
        }
    }
    let mut rest = text[start..].char_indices().skip(column.saturating_sub(1));
    match rest.next() {
        Some((i, c)) => Span::new(start + i, start + i + c.len_utf8()),
        None => Span::new(text.len(), text.len()),
    }
}

/// The place of an element's opening tag up to its name, `<place`.
pub(super) fn tag(node: Node<'_, '_>) -> Span {
    let start = node.range().start;
    let prefix = match node.lookup_prefix(node.tag_name().namespace().unwrap_or("")) {
        Some(prefix) if !prefix.is_empty() => prefix.len() + 1,
        _ => 0,
    };
    Span::new(start, start + 1 + prefix + node.tag_name().name().len())
}

/// The place of an attribute's value; of the element if there is none.
pub(super) fn attribute_place(node: Node<'_, '_>, name: &str) -> Span {
    node.attribute_node(name).map_or(tag(node), |a| {
        let range = a.range_value();
        Span::new(range.start, range.end)
    })
}

/// The elements inside an element.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The first element inside an element with that name, whatever its namespace.
pub(super) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|n| n.tag_name().name() == name)
}

/// All text directly inside an element, without the space around it, and its place.
pub(super) fn text_of(node: Node<'_, '_>) -> (String, Span) {
    let mut all = String::new();
    let mut place: Option<Span> = None;
    for part in node.children().filter(Node::is_text) {
        let text = part.text().unwrap_or("");
        if text.trim().is_empty() {
            continue;
        }
        all.push_str(text);
        let range = part.range();
        let start = range.start + (text.len() - text.trim_start().len());
        let span = Span::new(start, (start + text.trim().len()).min(range.end.max(start)));
        place = Some(place.map_or(span, |p| p.to(span)));
    }
    (all.trim().to_string(), place.unwrap_or(tag(node)))
}
