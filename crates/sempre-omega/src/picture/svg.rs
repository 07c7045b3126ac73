//! A picture as a drawing that needs no other program: SVG.
//!
//! [`super::layers`] places states and labels, [`super::routes`] routes the edges between them, [`super::strokes`] writes each part. Edges from one
//! state to another are one, with their labels as a list. Labels overlap neither each other nor states, and no edge crosses them.
//!
//! In a large picture, labels are numbers in brackets, `[1]`, and a table below the picture says what they stand for; equal lists of labels
//! have one number. So is a label alone that would take many lines. A picture is large if it exceeds [`LARGE`] and numbers make
//! it much smaller.
//!
//! Everything carries a class (`state`, `edge`, `label`) and the numbers of its states, so that a page can point at it;
//! colours follow the reader's preference for light or dark.

use super::Picture;
use super::layers::{self, Edge, Placement, Room, Shape};
use super::routes::{Columns, MARGIN, Point, RADIUS, Route, Segment, Side, routes, top};
use super::strokes::{
    Bundle, Extent, GAP, draw_begin, draw_edge, draw_label, draw_spot, draw_table, draw_title, half,
};
use super::text::{LINE, characters, wrapped};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most characters in a line of a label.
const LABEL: usize = 44;
/// The most lines of a label in the picture itself.
const MOST_LINES: usize = 8;
/// A picture that is wider or higher is large.
const LARGE: Point = (1400.0, 900.0);
/// Numbers are worth it if they reduce the area to this part.
const WORTH: f64 = 0.7;
/// The height of a loop above its state.
const LOOP: f64 = 24.0;

const STYLE: &str = "\
svg.automaton{font:12px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;--ink:#1d2733;--paper:#fff;--line:#5b6b7c;--mark:#b3471d;--key:#0b6e99;background:var(--paper)}\
@media(prefers-color-scheme:dark){svg.automaton{--ink:#e4e9ef;--paper:#171c22;--line:#8fa0b2;--mark:#f0935f;--key:#5cb8e0}}\
svg.automaton text{fill:var(--ink);text-anchor:middle;dominant-baseline:central}\
svg.automaton .right text,svg.automaton .table text{text-anchor:start}\
svg.automaton .left text{text-anchor:end}\
svg.automaton path{fill:none;stroke:var(--line);stroke-width:1.3}\
svg.automaton .tip{fill:var(--line);stroke:none}\
svg.automaton rect{fill:var(--paper);stroke:var(--ink);stroke-width:1.3}\
svg.automaton .dashed rect{stroke-dasharray:5 3}\
svg.automaton .mark{fill:var(--mark);font-weight:600}\
svg.automaton .key,svg.automaton .table .key{fill:var(--key);font-weight:600}\
svg.automaton .title{font-weight:600}";

/// Which labels are numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbered {
    /// Those of many lines.
    Long,
    /// All that are longer than a number.
    All,
}

/// A drawing: SVG without its root, and what it covers.
struct Drawing {
    body: String,
    extent: Extent,
    /// The size of the picture without title and table.
    size: Point,
}

impl Picture {
    /// As a drawing, with a line break at its end.
    pub fn to_svg(&self) -> String {
        let drawing = self.draw();
        let (width, height) = drawing.extent.size();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"automaton\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"{} {width:.1} {height:.1}\">\n<style>{STYLE}</style>\n{}</svg>\n",
            drawing.extent.corner(),
            drawing.body
        )
    }

    fn draw(&self) -> Drawing {
        let plain = self.drawn(Numbered::Long);
        let area = |d: &Drawing| d.size.0 * d.size.1;
        if plain.size.0 <= LARGE.0 && plain.size.1 <= LARGE.1 {
            return plain;
        }
        let numbered = self.drawn(Numbered::All);
        match area(&numbered) <= WORTH * area(&plain) {
            true => numbered,
            false => plain,
        }
    }

    /// The edges, one for each pair of states in one direction, and the table: lists of labels in the order of their numbers.
    fn bundles(&self, numbered: Numbered) -> (Vec<Bundle>, Vec<Vec<String>>) {
        let mut texts: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        for arrow in &self.arrows {
            sempre_base::checkpoint();
            let ends = (arrow.from as usize, arrow.to as usize);
            let lines = texts.entry(ends).or_default();
            lines.push(arrow.lines.join(" "));
        }
        let mut numbers: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let mut table = Vec::new();
        let mut bundles = Vec::new();
        for ((from, to), texts) in texts {
            sempre_base::checkpoint();
            let lines: Vec<String> = texts.iter().flat_map(|text| wrapped(text, LABEL)).collect();
            let length = lines.iter().map(|l| characters(l)).max().unwrap_or(0);
            let is_number = match numbered {
                Numbered::Long => lines.len() > MOST_LINES,
                Numbered::All => lines.len() > 1 || length > 4,
            };
            let lines = match is_number {
                false => lines,
                true => {
                    let number = *numbers.entry(texts.clone()).or_insert_with(|| {
                        table.push(texts);
                        table.len()
                    });
                    vec![format!("[{number}]")]
                }
            };
            bundles.push(Bundle {
                from,
                to,
                lines,
                is_number,
            });
        }
        (bundles, table)
    }

    fn drawn(&self, numbered: Numbered) -> Drawing {
        let (bundles, table) = self.bundles(numbered);
        let (loops, others): (Vec<Bundle>, Vec<Bundle>) =
            bundles.into_iter().partition(|b| b.from == b.to);
        let half: Vec<f64> = self.spots.iter().map(half).collect();
        let rooms = self.rooms(&loops);
        let edges: Vec<Edge> = others.iter().map(edge).collect();
        let initial: Vec<usize> = (0..self.spots.len())
            .filter(|&s| self.spots[s].initial.is_some())
            .collect();
        let shape = Shape {
            states: &rooms,
            initial: &initial,
            edges: &edges,
        };
        let placed = layers::place(&shape);
        let widths = widths(&placed, &half, &loops, &others);
        let columns = Columns::new(&widths, &shape, &placed);
        let at = |s: usize| -> Point { (columns.middle(placed.states[s].0), placed.states[s].1) };
        let mut body = String::new();
        let mut labels = String::new();
        let mut extent = Extent::default();
        // Labels come after all edges.
        for (b, route) in others.iter().zip(routes(&shape, &placed, &columns, &half)) {
            sempre_base::checkpoint();
            draw_edge(&mut body, &mut extent, b, &route);
            let (x, y) = route.label;
            let middle = match route.side {
                Side::Above => (x, y - 4.0 - b.height() / 2.0),
                Side::Right => (x + b.width() / 2.0, y),
                Side::Left => (x - b.width() / 2.0, y),
            };
            draw_label(&mut labels, &mut extent, b, middle, route.side);
        }
        for b in &loops {
            let (x, y) = at(b.from);
            let foot = y - top(half[b.from], 9.0);
            let high = y - RADIUS - LOOP;
            let route = Route {
                start: (x - 9.0, foot),
                segments: vec![Segment::Curve(
                    (x - 20.0, high),
                    (x + 20.0, high),
                    (x + 9.0, foot),
                )],
                label: (x, high),
                side: Side::Above,
            };
            draw_edge(&mut body, &mut extent, b, &route);
            draw_label(
                &mut labels,
                &mut extent,
                b,
                (x, high - b.height() / 2.0),
                Side::Above,
            );
        }
        for (s, spot) in self.spots.iter().enumerate() {
            let left = columns.borders[placed.states[s].0].0;
            draw_begin(&mut body, &mut extent, spot, at(s), half[s], left);
            draw_spot(&mut body, &mut extent, s, spot, at(s), half[s]);
        }
        body += &labels;
        let size = extent.size();
        draw_table(&mut body, &mut extent, &table);
        draw_title(&mut body, &mut extent, &self.title);
        Drawing { body, extent, size }
    }

    /// The room of each state, with its loop and the label of its initial arrow.
    fn rooms(&self, loops: &[Bundle]) -> Vec<Room> {
        let usual = Room {
            above: RADIUS + GAP / 2.0,
            below: RADIUS + GAP / 2.0,
        };
        let mut rooms = vec![usual; self.spots.len()];
        for (spot, room) in self.spots.iter().zip(&mut rooms) {
            let lines = spot.initial.as_ref().map_or(0, Vec::len);
            room.above = room.above.max(lines as f64 * LINE + 12.0);
        }
        for b in loops {
            let above = &mut rooms[b.from].above;
            *above = above.max(RADIUS + LOOP + b.height() + GAP / 2.0);
        }
        rooms
    }
}

/// Several pictures as one drawing, one below the other.
pub fn stacked(pictures: &[Picture]) -> String {
    if let [picture] = pictures {
        return picture.to_svg();
    }
    let (mut width, mut height) = (0.0, 0.0);
    let mut body = String::new();
    for picture in pictures {
        let drawing = picture.draw();
        let (w, h) = drawing.extent.size();
        let _ = writeln!(
            body,
            "<svg y=\"{height:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" viewBox=\"{} {w:.1} {h:.1}\">\n{}</svg>",
            drawing.extent.corner(),
            drawing.body
        );
        width = f64::max(width, w);
        height += h + GAP;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"automaton\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\">\n<style>{STYLE}</style>\n{body}</svg>\n"
    )
}

fn edge(bundle: &Bundle) -> Edge {
    let height = bundle.height();
    Edge {
        from: bundle.from,
        to: bundle.to,
        label: Room {
            above: height + 8.0,
            below: 6.0,
        },
        beside: Room {
            above: height / 2.0 + 5.0,
            below: height / 2.0 + 5.0,
        },
    }
}

/// The widths of the columns.
fn widths(placed: &Placement, half: &[f64], loops: &[Bundle], others: &[Bundle]) -> Vec<f64> {
    let mut widths: Vec<f64> = vec![0.0; placed.columns];
    let mut widen = |column: usize, width: f64| widths[column] = widths[column].max(width);
    for (&(column, _), half) in placed.states.iter().zip(half) {
        widen(column, 2.0 * half);
    }
    for b in loops {
        widen(placed.states[b.from].0, b.width().max(40.0) + MARGIN);
    }
    for ((b, stations), &label) in others.iter().zip(&placed.stations).zip(&placed.labels) {
        widen(stations[label].0, b.width() + 2.0 * MARGIN);
    }
    widths
}
