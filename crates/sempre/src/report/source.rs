//! The text of the model, for the page: its lines, and which of them each step executes.
//!
//! A long text is cut to the lines near those that some run executes; the page says so.

use super::Subject;
use sempre_lang::model::{Model, RunStep};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most lines of a text on a page, and the most characters of one line.
const MOST_LINES: usize = 2_000;
const MOST_CHARACTERS: usize = 1_000;
/// How many lines before and after one that is executed are kept when others are left out.
const NEAR: usize = 15;

/// The text that a model was read from.
#[derive(Clone, Copy)]
pub struct SourceText<'a> {
    /// What its file is called.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
    /// The model.
    pub model: &'a Model,
}

impl SourceText<'_> {
    /// The lines that each step of a run executes, in the order of the steps, that back to the cycle last. `None` if there is no run, or
    /// the text is not to be read beside it.
    pub(super) fn lines(&self, subject: &Subject<'_>) -> Option<Vec<Vec<usize>>> {
        let evidence = subject.evidence()?;
        let mut run: Vec<_> = evidence.moments().collect();
        run.extend(evidence.cycle().first());
        let (mut steps, mut numbers) = (Vec::new(), Vec::new());
        for (i, two) in run.windows(2).enumerate() {
            if let Some(action) = two[0].action {
                steps.push(RunStep {
                    action,
                    before: &two[0].state,
                    after: &two[1].state,
                });
                numbers.push(i);
            }
        }
        let mut lines = vec![Vec::new(); run.len().saturating_sub(1)];
        let found = self.model.lines(self.text, &steps)?;
        for (i, found) in numbers.into_iter().zip(found) {
            lines[i] = found;
        }
        Some(lines)
    }

    /// The text for the script: numbered lines, 0 where some are left out.
    pub(super) fn data(&self, executed: &BTreeSet<usize>) -> Value {
        let all: Vec<&str> = self.text.lines().collect();
        let kept = kept(all.len(), executed);
        let mut lines = Vec::new();
        let mut last = 0;
        for &number in &kept {
            if number > last + 1 {
                lines.push(gap(number - last - 1));
            }
            lines.push(json!([number, shown(all[number - 1])]));
            last = number;
        }
        if last < all.len() {
            lines.push(gap(all.len() - last));
        }
        let left_out = match all.len() - kept.len() {
            0 => String::new(),
            n => format!("{n} of {} lines are left out", all.len()),
        };
        json!({ "name": self.name, "lines": lines, "left_out": left_out })
    }
}

fn gap(count: usize) -> Value {
    let s = if count == 1 { "" } else { "s" };
    json!([0, format!("… {count} line{s} left out")])
}

/// A line as it is shown: blanks for tabs, not too long.
fn shown(line: &str) -> String {
    let line = line.replace('\t', "    ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The numbers of the lines that are kept: all of a short text, else those near executed ones, or the first ones.
fn kept(count: usize, executed: &BTreeSet<usize>) -> Vec<usize> {
    if count <= MOST_LINES {
        return (1..=count).collect();
    }
    let mut kept = BTreeSet::new();
    for &line in executed.iter().filter(|&&l| (1..=count).contains(&l)) {
        kept.extend(line.saturating_sub(NEAR).max(1)..=(line + NEAR).min(count));
        if kept.len() >= MOST_LINES {
            break;
        }
    }
    if kept.is_empty() {
        kept.extend(1..=MOST_LINES);
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let lines = |list: &[usize]| list.iter().copied().collect::<BTreeSet<usize>>();
        assert_eq!(kept(30, &lines(&[7])).len(), 30);
        let some = kept(90_000, &lines(&[3, 50_000, 90_000]));
        assert_eq!((some[0], some[17], some[18]), (1, 18, 49_985));
        assert_eq!((some.len(), some.last()), (18 + 31 + 16, Some(&90_000)));
        let many = kept(90_000, &(1..=90_000).collect());
        assert!((MOST_LINES..MOST_LINES + 2 * NEAR + 2).contains(&many.len()));
        assert_eq!(kept(90_000, &lines(&[])).len(), MOST_LINES);
        assert_eq!(shown("\tx"), "    x");
        assert_eq!(
            shown(&"é".repeat(3_000)).chars().count(),
            MOST_CHARACTERS + 1
        );
    }
}
