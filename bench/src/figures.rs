//! Figures in rows and columns, with geometric means.

use std::fmt::Write as _;

/// Name, digits after the point, and whether a geometric mean is told.
pub type Column = (&'static str, usize, bool);

/// A figure for each column, in order; those that were not measured are missing.
pub struct Row {
    /// What was measured.
    pub name: String,
    /// In the order of the columns.
    pub figures: Vec<Option<f64>>,
}

/// The least of several figures.
#[derive(Clone, Copy)]
pub struct Least(pub f64);

impl Least {
    /// One more.
    pub fn note(&mut self, figure: f64) {
        self.0 = self.0.min(figure);
    }

    /// The least, if there was one.
    pub fn get(self) -> Option<f64> {
        self.0.is_finite().then_some(self.0)
    }
}

/// One figure divided by another, if both were measured.
pub fn quotient(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? / b?.max(1e-9))
}

fn geometric_mean(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = figures.fold((0.0, 0), |(sum, count), x| (sum + x.ln(), count + 1));
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

/// Heading, rows, means.
fn lines(first: &str, columns: &[Column], rows: &[Row]) -> Vec<Vec<String>> {
    let mean = |i: usize| {
        geometric_mean(rows.iter().filter_map(|row| row.figures[i])).filter(|_| columns[i].2)
    };
    let means = Row {
        name: "geometric mean".into(),
        figures: (0..columns.len()).map(mean).collect(),
    };
    let cells = |row: &Row| -> Vec<String> {
        let texts = (row.figures.iter().zip(columns)).map(|(figure, &(_, digits, _))| {
            figure.map_or(String::new(), |x| format!("{x:.digits$}"))
        });
        std::iter::once(row.name.clone()).chain(texts).collect()
    };
    let names = columns.iter().map(|c| c.0.to_string());
    let header = std::iter::once(first.to_string()).chain(names).collect();
    (std::iter::once(header).chain(rows.iter().map(cells)))
        .chain([cells(&means)])
        .collect()
}

/// Columns side by side; those without figures are left out.
pub fn table(first: &str, columns: &[Column], rows: &[Row]) -> String {
    let lines = lines(first, columns, rows);
    let mut text = String::new();
    let columns: Vec<(usize, usize)> = (0..=columns.len())
        .filter(|&i| lines[1..].iter().any(|line| !line[i].is_empty()))
        .map(|i| (i, lines.iter().map(|line| line[i].len()).max().unwrap_or(0)))
        .collect();
    for line in &lines {
        for &(i, width) in &columns {
            let _ = if i == 0 {
                write!(text, "{:<width$}", line[i])
            } else {
                write!(text, "  {:>width$}", line[i])
            };
        }
        text.push('\n');
    }
    text
}

/// Columns with commas between them.
pub fn csv(first: &str, columns: &[Column], rows: &[Row]) -> String {
    let lines = lines(first, columns, rows);
    lines.iter().map(|line| line.join(",") + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_figures_are_left_out_of_means() {
        let columns = [("states", 0, false), ("ratio", 2, true)];
        let row = |ratio: Option<f64>| Row {
            name: "m".into(),
            figures: vec![None, ratio],
        };
        let rows = [row(Some(2.0)), row(None), row(Some(8.0))];
        let text = table("model", &columns, &rows);
        assert!(text.ends_with("geometric mean   4.00\n"), "{text}");
        assert_eq!(text.lines().count(), 5);
        assert_eq!(csv("model", &columns, &rows).lines().count(), 5);
    }
}
