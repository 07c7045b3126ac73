//! Nets to PNML, in the grammar of 2009: what the readers of other tools expect.

use crate::petri_net::PetriNet;
use std::fmt::Write;

/// The net as a document. Reading it gives the same net; one without a name is called `net`.
pub fn write_pnml(net: &PetriNet) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n");
    let kind = "http://www.pnml.org/version-2009/grammar/ptnet";
    let name = escaped(&net.name);
    let _ = writeln!(out, "  <net id=\"net\" type=\"{kind}\">");
    let _ = writeln!(out, "    <name><text>{name}</text></name>");
    out.push_str("    <page id=\"page\">\n");
    for place in &net.places {
        let _ = write!(out, "      <place id=\"{}\">", escaped(&place.id));
        write_name(&mut out, &place.id, place.name.as_deref());
        if place.initial > 0 {
            let _ = write!(
                out,
                "<initialMarking><text>{}</text></initialMarking>",
                place.initial
            );
        }
        out.push_str("</place>\n");
    }
    for transition in &net.transitions {
        let _ = write!(out, "      <transition id=\"{}\">", escaped(&transition.id));
        write_name(&mut out, &transition.id, transition.name.as_deref());
        out.push_str("</transition>\n");
    }
    let mut number = 0;
    for transition in &net.transitions {
        let t = escaped(&transition.id);
        for (ends, weight) in transition
            .inputs
            .iter()
            .map(|&(p, w)| ((escaped(&net.places[p as usize].id), t.clone()), w))
            .chain(
                transition
                    .outputs
                    .iter()
                    .map(|&(p, w)| ((t.clone(), escaped(&net.places[p as usize].id)), w)),
            )
        {
            let (source, target) = ends;
            let _ = write!(
                out,
                "      <arc id=\"arc.{number}\" source=\"{source}\" target=\"{target}\">"
            );
            if weight != 1 {
                let _ = write!(out, "<inscription><text>{weight}</text></inscription>");
            }
            out.push_str("</arc>\n");
            number += 1;
        }
    }
    out.push_str("    </page>\n  </net>\n</pnml>\n");
    out
}

/// What has no name of its own is named by its id, for tools that show names; unless white space around
/// it, which is no part of a name, would make that another one.
fn write_name(out: &mut String, id: &str, name: Option<&str>) {
    let name = name.unwrap_or(id);
    if name == name.trim() {
        let _ = write!(out, "<name><text>{}</text></name>", escaped(name));
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Read as a space otherwise, or as another line break.
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}
