//! The routes of the edges between placed items.
//!
//! An edge goes straight through columns, at the height of its station there, and changes its height only in the gaps between columns.
//! So it crosses nothing but other edges: each item of a column has its own room (I1 of [`super::layers`]). At a state, the edges of
//! one side end at different points of its outline, in the order of where they come from.

use super::layers::{Placement, Shape, Station};

/// Half the height of a state.
pub(super) const RADIUS: f64 = 17.0;
/// The distance of the outermost edges of a state from its top and its bottom.
const EDGE: f64 = 5.0;
/// The distance of edges at a state, where there is room for it.
const APART: f64 = 8.0;
/// The least and the greatest width of gaps between columns.
const GAP: (f64, f64) = (22.0, 180.0);
/// With more labels in a column, edges that turn there touch each of them at a point of its own.
const FEW: usize = 3;
/// Room on both sides of a label in its column.
pub(super) const MARGIN: f64 = 7.0;

pub(super) type Point = (f64, f64);

/// A piece of a route.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Segment {
    Line(Point),
    /// A cubic Bézier curve: two control points, and its end.
    Curve(Point, Point, Point),
}

/// The route of an edge.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Route {
    pub start: Point,
    pub segments: Vec<Segment>,
    /// Where its label is: the middle of its lower side, or, beside the edge, of the side that faces the edge.
    pub label: Point,
    pub side: Side,
}

/// Where a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Right,
    Left,
}

impl Route {
    fn at(&self) -> Point {
        match self.segments.last() {
            Some(Segment::Line(end) | Segment::Curve(_, _, end)) => *end,
            None => self.start,
        }
    }

    fn line(&mut self, x: f64) {
        let y = self.at().1;
        if (self.at().0 - x).abs() < 0.05 {
            return;
        }
        let level = match self.segments.last() {
            Some(Segment::Line(_)) => self.segments.pop().is_some(),
            _ => false,
        };
        debug_assert!(!level || self.at().1 == y);
        self.segments.push(Segment::Line((x, y)));
    }

    /// Through a gap, level at both ends.
    fn swing(&mut self, to: Point) {
        let from = self.at();
        if (from.1 - to.1).abs() < 0.05 {
            return self.line(to.0);
        }
        let middle = (from.0 + to.0) / 2.0;
        self.segments
            .push(Segment::Curve((middle, from.1), (middle, to.1), to));
    }

    /// A quarter of a turn: level at its start and upright at its end, or the other way round.
    fn quarter(&mut self, to: Point, upright_end: bool) {
        let from = self.at();
        const ROUND: f64 = 0.55;
        let (dx, dy) = (ROUND * (to.0 - from.0), ROUND * (to.1 - from.1));
        let (a, b) = match upright_end {
            true => ((from.0 + dx, from.1), (to.0, to.1 - dy)),
            false => ((from.0, from.1 + dy), (to.0 - dx, to.1)),
        };
        self.segments.push(Segment::Curve(a, b, to));
    }
}

/// The positions of the columns.
pub(super) struct Columns {
    /// The left and the right border of each.
    pub borders: Vec<(f64, f64)>,
}

impl Columns {
    /// Columns of these widths, with gaps that are wider where edges rise higher.
    pub(super) fn new(widths: &[f64], shape: &Shape<'_>, placed: &Placement) -> Self {
        let mut rise = vec![0.0; widths.len()];
        let mut turns = vec![0; widths.len()];
        for (e, stations) in shape.edges.iter().zip(&placed.stations) {
            sempre_base::checkpoint();
            let (from, to) = (placed.states[e.from], placed.states[e.to]);
            if from.0 == to.0 {
                turns[from.0.min(stations[0].0)] += 1;
            }
            let mut last = from;
            for &next in stations.iter().chain([&to]) {
                let gap = last.0.min(next.0);
                rise[gap] = f64::max(rise[gap], (last.1 - next.1).abs());
                last = next;
            }
        }
        let mut x = 0.0;
        let mut borders = Vec::new();
        for (i, width) in widths.iter().enumerate() {
            borders.push((x, x + width));
            x += width + (GAP.0 + 0.2 * rise[i] + 3.0 * f64::from(turns[i])).min(GAP.1);
        }
        Self { borders }
    }

    pub(super) fn middle(&self, column: usize) -> f64 {
        (self.borders[column].0 + self.borders[column].1) / 2.0
    }
}

/// How far the outline of a state is from its middle, to the side, at this height. States are boxes with round ends.
fn outline(half: f64, dy: f64) -> f64 {
    half - RADIUS + (RADIUS * RADIUS - dy * dy).max(0.0).sqrt()
}

/// How far the outline of a state is from its middle, upwards, at this distance from the middle.
pub(super) fn top(half: f64, dx: f64) -> f64 {
    let round = (dx.abs() - (half - RADIUS)).max(0.0);
    (RADIUS * RADIUS - round * round).max(0.0).sqrt()
}

/// At which height above or below the middle of its states each edge leaves and arrives.
fn ports(shape: &Shape<'_>, placed: &Placement) -> Vec<(f64, f64)> {
    let mut ports = vec![(0.0, 0.0); shape.edges.len()];
    // For each state and side: where edges lead, which they are, and whether they arrive.
    let mut sides: Vec<[Vec<(f64, usize, bool)>; 2]> = vec![Default::default(); shape.states.len()];
    for (i, (e, stations)) in shape.edges.iter().zip(&placed.stations).enumerate() {
        let ends = [
            (e.from, stations.first(), false),
            (e.to, stations.last(), true),
        ];
        for (state, station, arrives) in ends {
            if let Some(&(column, y)) = station {
                let right = usize::from(column > placed.states[state].0);
                sides[state][right].push((y, i, arrives));
            }
        }
    }
    for side in sides.iter_mut().flatten() {
        sempre_base::checkpoint();
        side.sort_by(|a, b| a.0.total_cmp(&b.0));
        let gaps = side.len().saturating_sub(1) as f64;
        let apart = f64::min(APART, 2.0 * (RADIUS - EDGE) / gaps.max(1.0));
        for (k, &(_, edge, arrives)) in side.iter().enumerate() {
            let dy = (k as f64 - gaps / 2.0) * apart;
            match arrives {
                true => ports[edge].1 = dy,
                false => ports[edge].0 = dy,
            }
        }
    }
    ports
}

/// The routes of all edges; `half` is half the width of each state.
pub(super) fn routes(
    shape: &Shape<'_>,
    placed: &Placement,
    columns: &Columns,
    half: &[f64],
) -> Vec<Route> {
    let ports = ports(shape, placed);
    let mut turns = vec![0; placed.columns];
    for (e, stations) in shape.edges.iter().zip(&placed.stations) {
        if placed.states[e.from].0 == placed.states[e.to].0 {
            turns[stations[0].0] += 1;
        }
    }
    let mut out = Vec::with_capacity(shape.edges.len());
    for (i, (e, stations)) in shape.edges.iter().zip(&placed.stations).enumerate() {
        sempre_base::checkpoint();
        // Where the edge meets the outline of a state, and where it meets the border of its column.
        let end = |state: usize, next: usize, dy: f64| -> (Point, f64) {
            let (column, y) = placed.states[state];
            let reach = outline(half[state], dy);
            let (x, (left, right)) = (columns.middle(column), columns.borders[column]);
            match next > column {
                true => ((x + reach, y + dy), right),
                false => ((x - reach, y + dy), left),
            }
        };
        let first = stations.first().map_or(0, |s| s.0);
        let last = stations.last().map_or(0, |s| s.0);
        let (start, leave) = end(e.from, first, ports[i].0);
        let (finish, arrive) = end(e.to, last, ports[i].1);
        let (column, y) = stations[placed.labels[i]];
        let own = placed.states[e.from].0;
        let (left, right) = columns.borders[column];
        let (side, label, by) = match own == placed.states[e.to].0 {
            false => (Side::Above, (columns.middle(column), y), left),
            true if column > own => (Side::Right, (left + MARGIN, y), left),
            true => (Side::Left, (right - MARGIN, y), right),
        };
        let mut route = Route {
            start,
            segments: Vec::new(),
            label,
            side,
        };
        route.line(leave);
        match side {
            Side::Above => through(&mut route, stations, columns, (arrive, finish.1)),
            _ => turn(
                &mut route,
                (by, y),
                (arrive, finish.1),
                turns[column] <= FEW,
            ),
        }
        route.line(finish.0);
        out.push(route);
    }
    out
}

fn through(route: &mut Route, stations: &[Station], columns: &Columns, end: Point) {
    for &(column, y) in stations {
        let (left, right) = columns.borders[column];
        let (near, far) = match route.at().0 <= left {
            true => (left, right),
            false => (right, left),
        };
        route.swing((near, y));
        route.line(far);
    }
    route.swing(end);
}

/// Back to the column that the route comes from, through a point.
fn turn(route: &mut Route, by: Point, end: Point, is_wide: bool) {
    let (y, from) = (by.1, route.at().1);
    let between = (from + 10.0 < y && y + 10.0 < end.1) || (end.1 + 10.0 < y && y + 10.0 < from);
    if between && is_wide {
        route.quarter(by, true);
        route.quarter(end, false);
        return;
    }
    // A hairpin; what is higher stays higher.
    let dy = if from <= end.1 { -3.0 } else { 3.0 };
    let away = (by.0 - end.0).signum();
    let (x, tip) = (by.0 - 3.0 * away, by.0 + away);
    route.swing((x, y + dy));
    route
        .segments
        .push(Segment::Curve((tip, y + dy), (tip, y - dy), (x, y - dy)));
    route.swing(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edges end on the outline of a state, from all sides.
    #[test]
    fn outlines() {
        for half in [RADIUS, 50.0] {
            for d in [0.0, 5.0, 12.0, RADIUS] {
                let x = outline(half, d);
                let round = (x - (half - RADIUS)).max(0.0);
                assert!((round.hypot(d) - RADIUS).abs() < 1e-9);
                let y = top(half, d);
                let round = (d - (half - RADIUS)).max(0.0);
                assert!((round.hypot(y) - RADIUS).abs() < 1e-9);
            }
        }
    }
}
