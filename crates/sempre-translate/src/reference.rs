//! For the tests of this crate: the lists of formulas with reference facts, and random words.

use sempre_base::{Lasso, Random};
use sempre_ltl::{Formula, Formulas, Letter, ParseOptions, parse};

/// One line of a list: the values by the names of their columns.
pub(crate) struct Row {
    columns: Vec<String>,
    values: Vec<String>,
}

impl Row {
    /// The value in a column.
    pub(crate) fn get(&self, column: &str) -> &str {
        let i = self.columns.iter().position(|c| c == column);
        &self.values[i.expect("a column of the lists")]
    }

    /// Is the value in a column 1?
    pub(crate) fn flag(&self, column: &str) -> bool {
        self.get(column) == "1"
    }
}

/// Calls `check` for each formula of the reference lists, each in an arena of its own.
pub(crate) fn for_each_row(mut check: impl FnMut(&mut Formulas, Formula, &Row)) {
    let files = std::fs::read_dir(test_data::path("formulas")).expect("a folder");
    let mut paths: Vec<_> = files
        .filter_map(|f| Some(f.ok()?.path()))
        .filter(|p| p.to_string_lossy().ends_with(".ref.csv"))
        .collect();
    paths.sort();
    let mut count = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a list that can be read");
        let mut lines = text.lines().map(fields);
        let columns = lines.next().expect("a header");
        for values in lines {
            let row = Row {
                columns: columns.clone(),
                values,
            };
            let mut arena = Formulas::new();
            let f = parse(&mut arena, row.get("formula"), &ParseOptions::default());
            let f = f.expect("a formula").formula;
            check(&mut arena, f, &row);
            count += 1;
        }
    }
    assert!(count > 1000, "{count}");
}

/// The fields of a line of comma-separated values; quotes protect commas.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields.last_mut().expect("never empty").push(c),
        }
    }
    fields
}

/// A random word over all propositions of the arena.
pub(crate) fn random_word(r: &mut Random, arena: &Formulas) -> Lasso<Letter> {
    let n = arena.names().len();
    let (before, around) = (r.below(4), 1 + r.below(4));
    let mut part = |length: usize| -> Vec<Letter> {
        (0..length)
            .map(|_| (0..n).filter(|_| r.chance(0.5)).collect())
            .collect()
    };
    Lasso::new(part(before), part(around))
}
