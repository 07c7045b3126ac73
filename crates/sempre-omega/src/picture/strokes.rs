//! The parts of a drawing as SVG, and the area that they cover.

use super::Spot;
use super::routes::{Point, RADIUS, Route, Segment, Side};
use super::text::{LINE, escaped, marked, widest, width, wrapped};
use std::fmt::Write;

/// The room around a picture, and between its parts.
pub(super) const GAP: f64 = 22.0;
/// The most characters in a line of the title and of the table.
const TITLE: usize = 80;
const TABLE: usize = 100;
/// The names of states are cut; the whole is a tooltip.
const NAME: usize = 44;
/// The length of an initial arrow.
const BEGIN: f64 = 24.0;

/// Edges from one state to another, drawn as one.
pub(super) struct Bundle {
    pub from: usize,
    pub to: usize,
    /// The lines of the label, or its number in brackets.
    pub lines: Vec<String>,
    pub is_number: bool,
}

impl Bundle {
    pub(super) fn width(&self) -> f64 {
        widest(&self.lines)
    }
    pub(super) fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE
    }
}

/// Half the width of a state.
pub(super) fn half(spot: &Spot) -> f64 {
    RADIUS.max(width(&cut(&spot.text)) / 2.0 + 8.0)
}

fn cut(text: &str) -> String {
    if text.chars().count() <= NAME {
        return text.to_string();
    }
    let mut short: String = text.chars().take(NAME - 1).collect();
    short.push('…');
    short
}

/// The area that is drawn on.
pub(super) struct Extent {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Default for Extent {
    fn default() -> Self {
        Self {
            left: f64::INFINITY,
            top: f64::INFINITY,
            right: f64::NEG_INFINITY,
            bottom: f64::NEG_INFINITY,
        }
    }
}

impl Extent {
    fn include(&mut self, x: f64, y: f64) {
        self.left = self.left.min(x);
        self.right = self.right.max(x);
        self.top = self.top.min(y);
        self.bottom = self.bottom.max(y);
    }

    fn include_box(&mut self, middle: Point, width: f64, height: f64) {
        self.include(middle.0 - width / 2.0, middle.1 - height / 2.0);
        self.include(middle.0 + width / 2.0, middle.1 + height / 2.0);
    }

    /// The left, the right and the lower border; of nothing, a point.
    fn borders(&self) -> (f64, f64, f64) {
        match self.left <= self.right {
            true => (self.left, self.right, self.bottom),
            false => (0.0, 0.0, 0.0),
        }
    }

    pub(super) fn size(&self) -> Point {
        match self.left <= self.right {
            true => (self.right - self.left + GAP, self.bottom - self.top + GAP),
            false => (GAP, GAP),
        }
    }

    /// The left upper corner, as a view box has it.
    pub(super) fn corner(&self) -> String {
        match self.left <= self.right {
            true => format!("{:.1} {:.1}", self.left - GAP / 2.0, self.top - GAP / 2.0),
            false => "0 0".to_string(),
        }
    }
}

pub(super) fn draw_edge(body: &mut String, extent: &mut Extent, bundle: &Bundle, route: &Route) {
    let (x, y) = route.start;
    extent.include(x, y);
    let _ = write!(
        body,
        "<g class=\"edge\" data-from=\"{}\" data-to=\"{}\"><path d=\"M{x:.1} {y:.1}",
        bundle.from, bundle.to
    );
    let (mut from, mut end) = (route.start, route.start);
    for segment in &route.segments {
        match *segment {
            Segment::Line(to) => {
                let _ = write!(body, "L{:.1} {:.1}", to.0, to.1);
                (from, end) = (end, to);
            }
            Segment::Curve(a, b, to) => {
                let _ = write!(
                    body,
                    "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
                    a.0, a.1, b.0, b.1, to.0, to.1
                );
                // A curve may reach beyond its end, not beyond its control points.
                extent.include(a.0, a.1);
                extent.include(b.0, b.1);
                (from, end) = (b, to);
            }
        }
        extent.include(end.0, end.1);
    }
    body.push_str("\"/>");
    tip(body, from, end);
    body.push_str("</g>\n");
}

pub(super) fn draw_label(
    body: &mut String,
    extent: &mut Extent,
    bundle: &Bundle,
    (x, y): Point,
    side: Side,
) {
    let (class, start) = match side {
        Side::Above => ("label", x),
        Side::Right => ("label right", x - bundle.width() / 2.0),
        Side::Left => ("label left", x + bundle.width() / 2.0),
    };
    let _ = write!(
        body,
        "<g class=\"{class}\" data-from=\"{}\" data-to=\"{}\">",
        bundle.from, bundle.to
    );
    let first = y - (bundle.height() - LINE) / 2.0;
    let key = if bundle.is_number {
        " class=\"key\""
    } else {
        ""
    };
    for (i, line) in bundle.lines.iter().enumerate() {
        let y = first + i as f64 * LINE;
        let _ = write!(
            body,
            "<text{key} x=\"{start:.1}\" y=\"{y:.1}\">{}</text>",
            marked(line)
        );
    }
    body.push_str("</g>\n");
    extent.include_box((x, y), bundle.width(), bundle.height());
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

/// The initial arrow. Its label, if it has one, is left of the column of its state, which has labels of loops.
pub(super) fn draw_begin(
    body: &mut String,
    extent: &mut Extent,
    spot: &Spot,
    (x, y): Point,
    half: f64,
    left: f64,
) {
    let Some(lines) = &spot.initial else {
        return;
    };
    let room = widest(lines);
    let end = x - half;
    let start = match lines.is_empty() {
        true => end - BEGIN,
        false => left - BEGIN - room,
    };
    let _ = write!(
        body,
        "<g class=\"begin\"><path d=\"M{start:.1} {y:.1}L{end:.1} {y:.1}\"/>"
    );
    tip(body, (start, y), (end, y));
    let first = y - 3.0 - (lines.len() as f64 - 0.5) * LINE;
    for (i, line) in lines.iter().enumerate() {
        let (x, y) = (start + room / 2.0 + 4.0, first + i as f64 * LINE);
        let _ = write!(
            body,
            "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            marked(line)
        );
    }
    body.push_str("</g>\n");
    extent.include(start, y);
    extent.include(start, first - LINE / 2.0);
}

pub(super) fn draw_spot(
    body: &mut String,
    extent: &mut Extent,
    s: usize,
    spot: &Spot,
    at: Point,
    half: f64,
) {
    let (x, y) = at;
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
    let short = cut(&spot.text);
    let whole = match short == spot.text {
        true => String::new(),
        false => format!("<title>{}</title>", escaped(&spot.text)),
    };
    let _ = writeln!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\">{whole}{}</text></g>",
        escaped(&short)
    );
    extent.include_box(at, 2.0 * half, 2.0 * RADIUS);
}

/// The labels of the numbers, below the picture, in as many columns as its width has room for.
pub(super) fn draw_table(body: &mut String, extent: &mut Extent, table: &[Vec<String>]) {
    if table.is_empty() {
        return;
    }
    let indent = width(&format!("[{}] ", table.len()));
    let entries: Vec<Vec<String>> = (table.iter())
        .map(|texts| texts.iter().flat_map(|text| wrapped(text, TABLE)).collect())
        .collect();
    let room = entries
        .iter()
        .map(|lines| widest(lines))
        .fold(0.0, f64::max)
        + indent
        + GAP;
    let (left, right, bottom) = extent.borders();
    let columns = ((right - left) / room).max(1.0) as usize;
    let lines: usize = entries.iter().map(Vec::len).sum();
    // Columns of about equal heights; an entry is not parted.
    let most = lines.div_ceil(columns);
    let (mut column, mut used) = (0, 0);
    body.push_str("<g class=\"table\">\n");
    for (i, lines) in entries.iter().enumerate() {
        if used > 0 && used + lines.len() > most && column + 1 < columns {
            column += 1;
            used = 0;
        }
        let x = left + column as f64 * room;
        let y = |k: usize| bottom + GAP + (k as f64 + 0.5) * LINE;
        let _ = write!(
            body,
            "<text class=\"key\" x=\"{x:.1}\" y=\"{:.1}\">[{}]</text>",
            y(used),
            i + 1
        );
        for line in lines {
            let _ = writeln!(
                body,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + indent,
                y(used),
                marked(line)
            );
            used += 1;
        }
        extent.include(x + room - GAP, y(used));
    }
    body.push_str("</g>\n");
}

/// The title, above the picture.
pub(super) fn draw_title(body: &mut String, extent: &mut Extent, title: &[String]) {
    let (left, right, _) = extent.borders();
    let most = TITLE.max(((right - left) / width("x")) as usize);
    let lines: Vec<String> = title.iter().flat_map(|text| wrapped(text, most)).collect();
    if lines.is_empty() {
        return;
    }
    let middle = f64::max((left + right) / 2.0, left + widest(&lines) / 2.0);
    let top = if left < right { extent.top } else { 0.0 };
    let first = top - GAP - lines.len() as f64 * LINE;
    for (i, line) in lines.iter().enumerate() {
        let y = first + (i as f64 + 0.5) * LINE;
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"{middle:.1}\" y=\"{y:.1}\">{}</text>",
            escaped(line)
        );
        extent.include_box((middle, y), width(line), LINE);
    }
}
