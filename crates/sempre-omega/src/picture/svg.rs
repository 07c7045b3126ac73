//! A picture as a drawing that needs no other program: SVG.
//!
//! [`layers`] places states and bends; here they are drawn. Arrows between the same two states become one.
//! Everything carries a class (`state`, `edge`) and the numbers of its states, so that a page can point at it;
//! colours follow the reader's preference for light or dark.

use super::{Picture, Spot, layers};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The mean width of a character, and the height of a line.
const CHARACTER: f64 = 7.0;
const LINE: f64 = 15.0;
/// Half the height of a state, and the room between states.
const RADIUS: f64 = 17.0;
const GAP: f64 = 22.0;
/// Labels that are longer are cut; the whole is a tooltip.
const LONGEST: usize = 44;

type Point = (f64, f64);

fn width(text: &str) -> f64 {
    text.chars().count().min(LONGEST) as f64 * CHARACTER
}

fn widest(lines: &[String]) -> f64 {
    lines.iter().map(|l| width(l)).fold(0.0, f64::max)
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_string();
    }
    let mut short: String = text.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}

/// The text with everything replaced that means something to a browser.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push(' '),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

const STYLE: &str = "\
svg.automaton{font:13px ui-sans-serif,system-ui,sans-serif;--ink:#1d2733;--paper:#fff;--line:#5b6b7c;--mark:#b3471d}\
@media(prefers-color-scheme:dark){svg.automaton{--ink:#e4e9ef;--paper:#171c22;--line:#8fa0b2;--mark:#f0935f}}\
svg.automaton text{fill:var(--ink);text-anchor:middle;dominant-baseline:central}\
svg.automaton .edge text,svg.automaton .begin text{paint-order:stroke;stroke:var(--paper);stroke-width:5px;stroke-linejoin:round}\
svg.automaton path{fill:none;stroke:var(--line);stroke-width:1.3}\
svg.automaton .tip{fill:var(--line);stroke:none}\
svg.automaton rect{fill:var(--paper);stroke:var(--ink);stroke-width:1.3}\
svg.automaton .dashed rect{stroke-dasharray:5 3}\
svg.automaton .mark{fill:var(--mark);font-weight:600}\
svg.automaton .title{font-weight:600}";

/// Edges between two states, on one arrow.
struct Bundle {
    from: usize,
    to: usize,
    lines: Vec<String>,
}

impl Bundle {
    fn width(&self) -> f64 {
        widest(&self.lines)
    }
    fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE
    }
}

impl Picture {
    /// As a drawing, with a line break at its end.
    pub fn to_svg(&self) -> String {
        let mut bundles: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for arrow in &self.arrows {
            let ends = (arrow.from as usize, arrow.to as usize);
            let lines = bundles.entry(ends).or_default();
            lines.push(arrow.lines.join(" "));
        }
        let (loops, others): (Vec<Bundle>, Vec<Bundle>) = bundles
            .into_iter()
            .map(|((from, to), lines)| Bundle { from, to, lines })
            .partition(|b| b.from == b.to);
        let half: Vec<f64> = self
            .spots
            .iter()
            .map(|s| RADIUS.max(width(&s.text) / 2.0 + 8.0))
            .collect();
        // Room for the loops and their labels, above each state; the same below keeps the state in the middle.
        let mut above = vec![RADIUS + GAP / 2.0; self.spots.len()];
        for b in &loops {
            above[b.from] = RADIUS + GAP + b.height() + GAP / 2.0;
        }
        let heights: Vec<f64> = above.iter().map(|h| h + RADIUS + GAP / 2.0).collect();
        let initial: Vec<usize> = (0..self.spots.len())
            .filter(|&s| self.spots[s].initial.is_some())
            .collect();
        let edges: Vec<(usize, usize)> = others.iter().map(|b| (b.from, b.to)).collect();
        let placed = layers::place(&layers::Shape {
            heights: &heights,
            initial: &initial,
            edges: &edges,
        });
        let title = self.title.len() as f64 * LINE + GAP;
        let column = self.columns(&placed.layer, &half, &loops, &others);
        let at = |s: usize| -> Point {
            let top = placed.y[s] - heights[s] / 2.0;
            (column[placed.layer[s]], title + top + above[s])
        };
        let mut body = String::new();
        let mut extent = Extent::default();
        for (b, bends) in others.iter().zip(&placed.bends) {
            let bends: Vec<Point> = bends.iter().map(|&(l, y)| (column[l], title + y)).collect();
            // Bundles are in order.
            let back = edges.binary_search(&(b.to, b.from)).is_ok();
            let route = route(
                at(b.from),
                at(b.to),
                (half[b.from], half[b.to]),
                &bends,
                back,
            );
            draw_edge(&mut body, &mut extent, b, &route);
        }
        for b in &loops {
            let (x, y) = at(b.from);
            let route = Route {
                points: vec![
                    (x - 9.0, y - RADIUS),
                    (x - 20.0, y - RADIUS - 28.0),
                    (x + 20.0, y - RADIUS - 28.0),
                    (x + 9.0, y - RADIUS),
                ],
                label: (x, y - RADIUS - 26.0 - b.height() / 2.0),
            };
            draw_edge(&mut body, &mut extent, b, &route);
        }
        for (s, spot) in self.spots.iter().enumerate() {
            draw_spot(&mut body, &mut extent, s, spot, at(s), half[s]);
        }
        let room = widest(&self.title);
        extent.include(extent.left, 0.0);
        extent.include(extent.left + room + GAP, 0.0);
        for (i, line) in self.title.iter().enumerate() {
            let _ = writeln!(
                body,
                "<text class=\"title\" x=\"{:.1}\" y=\"{:.1}\">{}{}</text>",
                (extent.left + extent.right) / 2.0,
                (i as f64 + 0.6) * LINE,
                tooltip(line),
                escaped(&cut(line)),
            );
        }
        extent.svg(&body)
    }

    /// The middles of the layers, so far apart that states and labels have room between them.
    fn columns(
        &self,
        layer: &[usize],
        half: &[f64],
        loops: &[Bundle],
        others: &[Bundle],
    ) -> Vec<f64> {
        let count = layer.iter().max().map_or(0, |m| m + 1);
        let mut reach = vec![RADIUS; count];
        for (&l, &h) in layer.iter().zip(half) {
            reach[l] = f64::max(reach[l], h);
        }
        for b in loops {
            let l = layer[b.from];
            reach[l] = reach[l].max(b.width() / 2.0);
        }
        let mut labels = vec![0.0; count];
        for b in others {
            let (from, to) = (layer[b.from], layer[b.to]);
            let l = (from + to) / 2;
            labels[l.min(count - 1)] = f64::max(labels[l.min(count - 1)], b.width());
        }
        let lines = self.spots.iter().filter_map(|s| s.initial.as_ref());
        let first = lines.map(|lines| widest(lines)).fold(0.0, f64::max);
        let mut x = first + 2.0 * GAP;
        let mut column = Vec::with_capacity(count);
        for l in 0..count {
            x += reach[l];
            column.push(x);
            x += reach[l] + labels[l] + 2.0 * GAP;
        }
        column
    }
}

/// The curve of an arrow: a cubic curve, or several joined, and the middle of its label.
struct Route {
    points: Vec<Point>,
    label: Point,
}

/// The curve from one state to another through the bends. With `back`, there is an arrow in the other direction, too,
/// and both curve to their right.
fn route(from: Point, to: Point, half: (f64, f64), bends: &[Point], back: bool) -> Route {
    let mut stations = vec![from];
    stations.extend_from_slice(bends);
    stations.push(to);
    let same_column = (from.0 - to.0).abs() < 1.0;
    if bends.is_empty() && (back || same_column) {
        // One bend that swings to the side.
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let swing = match same_column {
            true => 26.0 + length * 0.12,
            false => 20.0,
        };
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        stations.insert(
            1,
            (
                middle.0 - dy / length * swing,
                middle.1 + dx / length * swing,
            ),
        );
    }
    let last = stations.len() - 1;
    stations[0] = border(stations[0], stations[1], half.0);
    stations[last] = border(stations[last], stations[last - 1], half.1);
    // Catmull and Rom's curve through all stations, in cubic pieces.
    let mut points = vec![stations[0]];
    for i in 0..last {
        let (a, b) = (stations[i], stations[i + 1]);
        let before = if i == 0 { a } else { stations[i - 1] };
        let after = if i + 1 == last { b } else { stations[i + 2] };
        points.push((a.0 + (b.0 - before.0) / 6.0, a.1 + (b.1 - before.1) / 6.0));
        points.push((b.0 - (after.0 - a.0) / 6.0, b.1 - (after.1 - a.1) / 6.0));
        points.push(b);
    }
    let label = if stations.len() % 2 == 1 {
        stations[last / 2]
    } else {
        // Above the line, so far as it is level.
        let (a, b) = (stations[last / 2], stations[last / 2 + 1]);
        let level = (b.0 - a.0).abs() / (b.0 - a.0).hypot(b.1 - a.1).max(1.0);
        ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0 - 8.0 * level)
    };
    Route { points, label }
}

/// The point where the line from the middle of a state towards another point crosses the state's outline: a box with
/// round ends.
fn border(middle: Point, towards: Point, half: f64) -> Point {
    let (dx, dy) = (towards.0 - middle.0, towards.1 - middle.1);
    let length = dx.hypot(dy).max(1.0);
    let flat = half - RADIUS;
    // On the flat part, or on one of the ends.
    let reach = match dy.abs() * flat >= dx.abs() * RADIUS && dy != 0.0 {
        true => RADIUS / dy.abs() * length,
        false => {
            let (c, s) = (dx.abs() / length, dy.abs() / length);
            flat * c + (RADIUS * RADIUS - flat * flat * s * s).max(0.0).sqrt()
        }
    };
    (
        middle.0 + dx / length * reach,
        middle.1 + dy / length * reach,
    )
}

/// The extent of the drawing so far.
#[derive(Default)]
struct Extent {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Extent {
    fn include(&mut self, x: f64, y: f64) {
        self.left = self.left.min(x);
        self.right = self.right.max(x);
        self.top = self.top.min(y);
        self.bottom = self.bottom.max(y);
    }

    fn svg(&self, body: &str) -> String {
        let (width, height) = (self.right - self.left + GAP, self.bottom - self.top + GAP);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"automaton\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{:.1} {:.1} {width:.1} {height:.1}\">\n<style>{STYLE}</style>\n{body}</svg>\n",
            self.left - GAP / 2.0,
            self.top - GAP / 2.0,
        )
    }
}

fn tooltip(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return String::new();
    }
    format!("<title>{}</title>", escaped(text))
}

fn draw_edge(body: &mut String, extent: &mut Extent, bundle: &Bundle, route: &Route) {
    sempre_base::checkpoint();
    let points = &route.points;
    for &(x, y) in points {
        extent.include(x, y);
    }
    let _ = write!(
        body,
        "<g class=\"edge\" data-from=\"{}\" data-to=\"{}\"><path d=\"M{:.1} {:.1}",
        bundle.from, bundle.to, points[0].0, points[0].1
    );
    for piece in points[1..].chunks_exact(3) {
        let [a, b, c] = [piece[0], piece[1], piece[2]];
        let _ = write!(
            body,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            a.0, a.1, b.0, b.1, c.0, c.1
        );
    }
    body.push_str("\"/>");
    tip(body, points[points.len() - 2], points[points.len() - 1]);
    let (x, y) = route.label;
    let first = y - (bundle.height() - LINE) / 2.0;
    draw_lines(body, (x, first), &bundle.lines);
    body.push_str("</g>\n");
    extent.include(x - bundle.width() / 2.0, y - bundle.height() / 2.0);
    extent.include(x + bundle.width() / 2.0, y + bundle.height() / 2.0);
}

/// Lines of text, one below the other.
fn draw_lines(body: &mut String, (x, y): Point, lines: &[String]) {
    for (i, line) in lines.iter().enumerate() {
        let _ = write!(
            body,
            "<text x=\"{x:.1}\" y=\"{:.1}\">{}{}</text>",
            y + i as f64 * LINE,
            tooltip(line),
            marked(&cut(line))
        );
    }
}

/// A line whose discs are coloured numbers, since few fonts have them.
fn marked(line: &str) -> String {
    let mut out = String::new();
    for c in line.chars() {
        let set = match c as u32 {
            0x24ff => 0,
            code @ 0x2776..=0x277f => code - 0x2776 + 1,
            code @ 0x24eb..=0x24f4 => code - 0x24eb + 11,
            _ => {
                out += &escaped(c.encode_utf8(&mut [0; 4]));
                continue;
            }
        };
        let _ = write!(out, "<tspan class=\"mark\">{{{set}}}</tspan>");
    }
    out
}

/// The head of an arrow that comes from `from` to `to`.
fn tip(body: &mut String, from: Point, to: Point) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy).max(0.1);
    let (dx, dy) = (dx / length, dy / length);
    let (x, y) = (to.0 - 8.0 * dx, to.1 - 8.0 * dy);
    let _ = write!(
        body,
        "<path class=\"tip\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>",
        to.0,
        to.1,
        x - 3.5 * dy,
        y + 3.5 * dx,
        x + 3.5 * dy,
        y - 3.5 * dx
    );
}

fn draw_spot(body: &mut String, extent: &mut Extent, s: usize, spot: &Spot, at: Point, half: f64) {
    let (x, y) = at;
    if let Some(lines) = &spot.initial {
        let room = widest(lines);
        let start = x - half - 24.0 - room;
        let _ = write!(
            body,
            "<g class=\"begin\"><path d=\"M{start:.1} {y:.1}L{:.1} {y:.1}\"/>",
            x - half
        );
        tip(body, (start, y), (x - half, y));
        let first = y - 9.0 - (lines.len() as f64 - 1.0) * LINE;
        draw_lines(body, (start + room / 2.0, first), lines);
        body.push_str("</g>\n");
        extent.include(start, y);
        extent.include(start, first - LINE / 2.0);
    }
    let outline = |body: &mut String, inset: f64| {
        let _ = write!(
            body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{:.1}\"/>",
            x - half + inset,
            y - RADIUS + inset,
            2.0 * (half - inset),
            2.0 * (RADIUS - inset),
            RADIUS - inset
        );
    };
    let dashed = if spot.dashed { " dashed" } else { "" };
    let _ = write!(body, "<g class=\"state{dashed}\" data-state=\"{s}\">");
    outline(body, 0.0);
    if spot.doubled {
        outline(body, 3.0);
    }
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\">{}{}</text></g>",
        tooltip(&spot.text),
        escaped(&cut(&spot.text))
    );
    extent.include(x - half, y - RADIUS);
    extent.include(x + half, y + RADIUS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Alphabet;
    use crate::picture::picture;
    use crate::random::RandomAutomaton;
    use sempre_base::Random;

    /// Tags are nested and closed, attributes are quoted: enough of XML for this output.
    fn well_formed(svg: &str) {
        let mut open = Vec::new();
        let mut rest = svg;
        while let Some(start) = rest.find('<') {
            assert!(!rest[..start].contains('>'), "{}", &rest[..start]);
            let end = rest.find('>').expect("the tag ends");
            let tag = &rest[start + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().expect("a name"));
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "{open:?}");
    }

    fn numbers(svg: &str, attribute: &str) -> Vec<f64> {
        let key = format!(" {attribute}=\"");
        let parts = svg.split(&key).skip(1);
        parts
            .map(|p| {
                p.split('"')
                    .next()
                    .and_then(|n| n.parse().ok())
                    .expect("a number")
            })
            .collect()
    }

    #[test]
    fn every_state_and_every_arrow_is_drawn() {
        let mut random = Random::new(7);
        let mut alphabet = Alphabet::new();
        let propositions = ["p", "a > 1"].map(|name| alphabet.declare(name));
        for round in 0..200 {
            let sets = (round % 3) as u32;
            let options = RandomAutomaton::generalized_buchi(1 + round % 11, &propositions, sets);
            let mut a = options.generate(&mut random, &mut alphabet.bdds);
            a.name = Some("a < b & \"c\"".to_string());
            let svg = picture(&mut alphabet, &a).to_svg();
            well_formed(&svg);
            assert_eq!(svg, picture(&mut alphabet, &a).to_svg(), "deterministic");
            assert_eq!(svg.matches("class=\"state").count(), a.states());
            let mut pairs = std::collections::BTreeSet::new();
            for (s, edges) in a.edges.iter().enumerate() {
                pairs.extend(edges.iter().map(|e| (s as u32, e.to)));
            }
            assert_eq!(svg.matches("class=\"edge\"").count(), pairs.len());
            for (from, to) in pairs {
                assert!(svg.contains(&format!("data-from=\"{from}\" data-to=\"{to}\"")));
            }
            // Nothing lies outside of the paper.
            let view = svg.split("viewBox=\"").nth(1).expect("a box");
            let view: Vec<f64> = (view.split('"').next().expect("it ends").split(' '))
                .map(|n| n.parse().expect("a number"))
                .collect();
            for (attribute, low, size) in [("x", view[0], view[2]), ("y", view[1], view[3])] {
                for n in numbers(&svg, attribute) {
                    assert!(
                        n >= low - 0.1 && n <= low + size + 0.1,
                        "{attribute} {n} {view:?}"
                    );
                }
            }
        }
    }

    /// An arrow ends on the outline of its state.
    #[test]
    fn arrows_touch_outlines() {
        for (dx, dy) in [(1.0, 0.0), (0.0, 1.0), (3.0, 4.0), (-5.0, 1.0), (9.0, -2.0)] {
            let (x, y) = border((0.0, 0.0), (dx * 100.0, dy * 100.0), RADIUS);
            assert!((x.hypot(y) - RADIUS).abs() < 1e-9, "a circle");
            let (x, y) = border((0.0, 0.0), (dx * 100.0, dy * 100.0), 50.0);
            let end = (x.abs() - (50.0 - RADIUS)).max(0.0);
            assert!(
                (end.hypot(y) - RADIUS).abs() < 1e-9,
                "a box with round ends {x} {y}"
            );
        }
    }

    #[test]
    fn nothing_is_a_picture_too() {
        well_formed(&Picture::default().to_svg());
    }
}
