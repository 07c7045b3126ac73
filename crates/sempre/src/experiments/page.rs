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

impl Page {
    /// As a page that needs nothing else.
    pub fn to_html(&self) -> String {
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
}
