//! Tables and charts: for a terminal, for a spreadsheet, for a browser.

use std::fmt::Write;

/// A table. The first column is left-aligned, the others are numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// The columns.
    pub header: Vec<String>,
    /// The rows; a row of one cell is a heading of those below.
    pub rows: Vec<Vec<String>>,
}

/// Bars in groups, one bar for each name in each group.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The names of the bars.
    pub names: Vec<String>,
    /// The groups: their headings, and a value for each name.
    pub groups: Vec<(String, Vec<f64>)>,
}

/// Points in a square with logarithmic axes and a diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// What it shows.
    pub title: String,
    /// What goes from left to right.
    pub across: String,
    /// What goes up.
    pub up: String,
    /// Both values of each point, and the number of its kind.
    pub points: Vec<(f64, f64, usize)>,
    /// The names of the kinds.
    pub kinds: Vec<String>,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Sentences at its beginning.
    pub notes: Vec<String>,
    /// What is on it.
    pub parts: Vec<(Table, Vec<Chart>)>,
}

impl Table {
    /// A table without rows.
    pub fn new(title: &str, header: &[&str]) -> Self {
        Self {
            title: title.to_string(),
            header: header.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// As text in columns.
    pub fn to_text(&self) -> String {
        let full = || self.rows.iter().filter(|r| r.len() > 1);
        let width = |column: usize| {
            (full().chain([&self.header]))
                .filter_map(|r| r.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut text = format!("{}\n", self.title);
        for row in [&self.header].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for (i, cell) in row.iter().enumerate() {
                if i == 0 && row.len() == 1 {
                    line.push_str(cell);
                } else if i == 0 {
                    let _ = write!(line, "{cell:<0$}", widths[0]);
                } else {
                    let _ = write!(line, "  {cell:>0$}", widths.get(i).copied().unwrap_or(0));
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// As comma-separated values; the heading above a row is its first column.
    pub fn to_csv(&self) -> String {
        let quote = |cell: &str| match cell.contains([',', '"', '\n']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_string(),
        };
        let mut text = format!(
            "setup,{}\n",
            self.header
                .iter()
                .map(|c| quote(c))
                .collect::<Vec<_>>()
                .join(",")
        );
        let mut setup = String::new();
        for row in &self.rows {
            if let [heading] = &row[..] {
                setup = quote(heading);
                continue;
            }
            let cells: Vec<String> = row.iter().map(|c| quote(c)).collect();
            let _ = writeln!(text, "{setup},{}", cells.join(","));
        }
        text
    }

    fn to_html(&self) -> String {
        let mut text = format!("<h2>{}</h2>\n<table>\n<tr>", escaped(&self.title));
        for cell in &self.header {
            let _ = write!(text, "<th>{}</th>", escaped(cell));
        }
        text.push_str("</tr>\n");
        for row in &self.rows {
            if let [heading] = &row[..] {
                let _ = writeln!(
                    text,
                    "<tr><th class=\"group\" colspan=\"{}\">{}</th></tr>",
                    self.header.len(),
                    escaped(heading)
                );
                continue;
            }
            text.push_str("<tr>");
            for cell in row {
                let _ = write!(text, "<td>{}</td>", escaped(cell));
            }
            text.push_str("</tr>\n");
        }
        text.push_str("</table>\n");
        text
    }
}

const COLOURS: [&str; 9] = [
    "#1f6f8b", "#4aa3a2", "#8bbf9f", "#c9b458", "#e08e45", "#c8553d", "#8d3b72", "#5b5f97",
    "#777777",
];

impl Chart {
    /// As a drawing.
    pub fn to_svg(&self) -> String {
        let (bar, gap, left, right) = (14.0, 18.0, 150.0, 420.0);
        let longest = (self.groups.iter().flat_map(|(_, values)| values))
            .fold(0.0_f64, |a, &b| a.max(b))
            .max(f64::MIN_POSITIVE);
        let count = self.names.len() as f64;
        let height = 30.0 + self.groups.len() as f64 * (count * bar + gap + 16.0);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{height:.0}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n<text x=\"0\" y=\"14\" font-weight=\"bold\">{}</text>\n",
            left + right + 80.0,
            escaped(&self.title)
        );
        let mut y = 30.0;
        for (heading, values) in &self.groups {
            let _ = writeln!(
                text,
                "<text x=\"0\" y=\"{:.0}\">{}</text>",
                y + 10.0,
                escaped(heading)
            );
            y += 16.0;
            for (i, (name, value)) in self.names.iter().zip(values).enumerate() {
                let width = value / longest * right;
                let _ = writeln!(
                    text,
                    "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text><rect x=\"{left:.0}\" y=\"{y:.0}\" \
                     width=\"{width:.1}\" height=\"{:.0}\" fill=\"{}\"/><text x=\"{:.0}\" y=\"{:.0}\">{value:.1}</text>",
                    left - 6.0,
                    y + 10.0,
                    escaped(name),
                    bar - 2.0,
                    COLOURS[i % COLOURS.len()],
                    left + width + 4.0,
                    y + 10.0,
                );
                y += bar;
            }
            y += gap;
        }
        text.push_str("</svg>\n");
        text
    }
}

impl Scatter {
    /// As a drawing. What is below a thousandth is drawn there.
    pub fn to_svg(&self) -> String {
        const SIDE: f64 = 320.0;
        let (left, top) = (60.0, 24.0);
        let values = self.points.iter().flat_map(|p| [p.0, p.1]);
        let most = values.clone().fold(1e-3_f64, f64::max);
        let least = values.fold(most, f64::min).max(1e-3).min(most / 10.0);
        let (low, high) = (least.log10().floor(), most.log10().ceil());
        let at = |value: f64| (value.max(least).log10() - low) / (high - low).max(1.0) * SIDE;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0}\" height=\"{:.0}\" font-family=\"sans-serif\" \
             font-size=\"11\">\n<text x=\"0\" y=\"14\" font-weight=\"bold\">{}</text>\n\
             <rect x=\"{left:.0}\" y=\"{top:.0}\" width=\"{SIDE:.0}\" height=\"{SIDE:.0}\" fill=\"none\" stroke=\"#999\"/>\n\
             <line x1=\"{left:.0}\" y1=\"{:.0}\" x2=\"{:.0}\" y2=\"{top:.0}\" stroke=\"#999\"/>\n",
            left + SIDE + 120.0,
            top + SIDE + 46.0,
            escaped(&self.title),
            top + SIDE,
            left + SIDE,
        );
        for power in low as i32..=high as i32 {
            let place = at(10f64.powi(power));
            let _ = writeln!(
                text,
                "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">1e{power}</text>\
                 <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">1e{power}</text>",
                left + place,
                top + SIDE + 14.0,
                left - 4.0,
                top + SIDE - place + 4.0,
            );
        }
        let _ = writeln!(
            text,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>\
             <text x=\"12\" y=\"{:.0}\" transform=\"rotate(-90 12 {:.0})\" text-anchor=\"middle\">{}</text>",
            left + SIDE / 2.0,
            top + SIDE + 32.0,
            escaped(&self.across),
            top + SIDE / 2.0,
            top + SIDE / 2.0,
            escaped(&self.up),
        );
        for &(x, y, kind) in &self.points {
            let _ = writeln!(
                text,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{}\" fill-opacity=\"0.6\"/>",
                left + at(x),
                top + SIDE - at(y),
                colour(kind),
            );
        }
        for (i, kind) in self.kinds.iter().enumerate() {
            let y = top + 14.0 + 16.0 * i as f64;
            let _ = writeln!(
                text,
                "<circle cx=\"{:.0}\" cy=\"{:.0}\" r=\"4\" fill=\"{}\"/><text x=\"{:.0}\" y=\"{y:.0}\">{}</text>",
                left + SIDE + 14.0,
                y - 4.0,
                colour(i),
                left + SIDE + 22.0,
                escaped(kind),
            );
        }
        text.push_str("</svg>\n");
        text
    }
}

/// Colours that are far from each other.
fn colour(kind: usize) -> &'static str {
    COLOURS[kind * 5 % COLOURS.len()]
}

impl Page {
    /// As a page that needs nothing else.
    pub fn to_html(&self) -> String {
        self.to_html_with(&[])
    }

    /// The same, with points at its end.
    pub fn to_html_with(&self, scatters: &[Scatter]) -> String {
        let title = escaped(&self.title);
        let mut text = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n\
             body {{ font-family: sans-serif; max-width: 70em; margin: 2em auto; color: #222 }}\n\
             table {{ border-collapse: collapse }}\n\
             th, td {{ padding: 0.15em 0.8em; text-align: right }}\n\
             th:first-child, td:first-child {{ text-align: left }}\n\
             tr:nth-child(even) {{ background: #f4f4f4 }}\n\
             th.group {{ padding-top: 0.8em; background: #fff; border-bottom: 1px solid #999 }}\n\
             </style>\n<h1>{title}</h1>\n"
        );
        for note in &self.notes {
            let _ = writeln!(text, "<p>{}</p>", escaped(note));
        }
        for (table, charts) in &self.parts {
            text.push_str(&table.to_html());
            for chart in charts {
                text.push_str(&chart.to_svg());
            }
        }
        for scatter in scatters {
            text.push_str(&scatter.to_svg());
        }
        text.push_str("</html>\n");
        text
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("sizes", &["who", "states"]);
        table.rows.push(vec!["first, small".into()]);
        table.rows.push(vec!["a <b>".into(), "7".into()]);
        table.rows.push(vec!["cc".into(), "12345678".into()]);
        table
    }

    #[test]
    fn a_table_is_told_in_three_ways() {
        let text = "sizes\nwho      states\nfirst, small\na <b>         7\ncc     12345678\n";
        assert_eq!(table().to_text(), text);
        let csv = "setup,who,states\n\"first, small\",a <b>,7\n\"first, small\",cc,12345678\n";
        assert_eq!(table().to_csv(), csv);
        let page = Page {
            title: "x".into(),
            notes: vec!["n & m".into()],
            parts: vec![(
                table(),
                vec![Chart {
                    title: "bars".into(),
                    names: vec!["one".into(), "two".into()],
                    groups: vec![("g".into(), vec![1.0, 2.0])],
                }],
            )],
        };
        let html = page.to_html();
        assert!(html.contains("<td>a &lt;b&gt;</td><td>7</td>"));
        assert!(html.contains("n &amp; m") && html.contains("width=\"420.0\""));
        // What a browser would not read is not well-formed.
        let svg = page.parts[0].1[0].to_svg();
        assert_eq!(svg.matches("<rect").count(), 2);
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }

    #[test]
    fn points_are_where_they_belong() {
        let plot = Scatter {
            title: "times".into(),
            across: "one".into(),
            up: "two".into(),
            points: vec![(0.01, 10.0, 0), (10.0, 0.01, 1)],
            kinds: vec!["a".into(), "b".into()],
        };
        let svg = plot.to_svg();
        // The corners of the square, above the diagonal and below it.
        assert!(
            svg.contains("cx=\"60.0\" cy=\"24.0\"") && svg.contains("cx=\"380.0\" cy=\"344.0\"")
        );
        let page = Page::default().to_html_with(std::slice::from_ref(&plot));
        assert!(page.contains("<circle"));
        assert!(Scatter::default().to_svg().ends_with("</svg>\n"));
    }
}
