//! The tables and plots of the experiment on generalised Rabin automata ([`rabin`](super::rabin)), in the layout of the
//! paper: tables 4 to 7, figures 6 to 9.

use super::page::{Chart, Page, Scatter, Table};
use super::rabin::{Figures, Parameters, Row, Source};
use std::collections::BTreeMap;

/// The generalised Rabin automata that we make ourselves.
const OWN: [Source; 2] = [Source::Tgra, Source::DeterministicTgra];

/// Those that are given.
const GIVEN: [Source; 3] = [
    Source::Given("ltl3tela"),
    Source::Given("ltl3dra"),
    Source::Given("rabinizer3"),
];

/// Shares of Fin transitions that the paper tells apart.
const SHARES: [(&str, f64); 3] = [
    ("0–10 % Fin transitions", 0.1),
    ("10–90 %", 0.9),
    ("90–100 %", f64::INFINITY),
];

/// Checks that take less time are counted as if they took this: what is measured then is the noise.
const LEAST_SECONDS: f64 = 0.001;

fn seconds(f: &Figures) -> f64 {
    f.seconds.max(LEAST_SECONDS)
}

fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, n), v| (sum + v.ln(), n + 1));
    if count == 0 {
        f64::NAN
    } else {
        (sum / f64::from(count)).exp()
    }
}

fn shown(value: f64, digits: usize) -> String {
    match value.is_finite() {
        true => format!("{value:.digits$}"),
        false => "–".to_string(),
    }
}

/// The rows in which the checks with all these automata were finished, and how many of them have a counterexample.
fn finished<'a>(rows: &'a [Row], set: &str, sources: &[Source]) -> (Vec<&'a Row>, usize) {
    let rows: Vec<&Row> = (rows.iter().filter(|r| r.set == set))
        .filter(|r| sources.iter().all(|&s| r.finished(s).is_some()))
        .collect();
    let violated = |r: &&&Row| {
        r.finished(sources[0])
            .is_some_and(|f| f.violated == Some(true))
    };
    let counterexamples = rows.iter().filter(violated).count();
    (rows, counterexamples)
}

/// The sets, in their order.
fn sets(rows: &[Row]) -> Vec<&str> {
    let mut sets: Vec<&str> = Vec::new();
    for row in rows {
        if !sets.contains(&row.set.as_str()) {
            sets.push(&row.set);
        }
    }
    sets
}

/// A choice of rows, as a heading says, and the columns for which they are finished.
struct Group<'a> {
    heading: String,
    rows: Vec<&'a Row>,
    columns: Vec<Source>,
}

/// With the automata of ours, and with those that are given, too.
fn groups(rows: &[Row]) -> Vec<Group<'_>> {
    let mut groups = Vec::new();
    for set in sets(rows) {
        let own: Vec<Source> = OWN.into_iter().chain([Source::Tgba]).collect();
        let all: Vec<Source> = OWN.into_iter().chain(GIVEN).chain([Source::Tgba]).collect();
        for (what, columns) in [("", own), (", with automata of other tools", all)] {
            let (rows, counterexamples) = finished(rows, set, &columns);
            if rows.is_empty() {
                continue;
            }
            groups.push(Group {
                heading: format!(
                    "{set}{what}: {} experiments, {counterexamples} counterexamples",
                    rows.len()
                ),
                rows,
                columns,
            });
        }
    }
    groups
}

/// With Fin-less automata: those that have several cases, and all.
fn fin_less_groups(rows: &[Row]) -> Vec<Group<'_>> {
    let columns = vec![
        Source::Tgra,
        Source::FinLess,
        Source::FinLessFavoid,
        Source::Tgba,
    ];
    let mut groups = Vec::new();
    for set in sets(rows) {
        let (all, _) = finished(rows, set, &columns);
        for (what, least) in [("several pairs", 2), ("any number of pairs", 0)] {
            let many = |r: &&Row| {
                let pairs = |s| r.finished(s).map_or(0, |f: &Figures| f.pairs);
                pairs(Source::Tgra) >= least
            };
            let rows: Vec<&Row> = all.iter().copied().filter(many).collect();
            if rows.is_empty() {
                continue;
            }
            groups.push(Group {
                heading: format!("{set}, {what}: {} experiments", rows.len()),
                rows,
                columns: columns.clone(),
            });
        }
    }
    groups
}

/// Geometric means of times: of all experiments, of those with and of those without a counterexample.
fn times(title: &str, columns: &[Source], groups: &[Group<'_>]) -> Table {
    let names: Vec<&str> = (["seconds (times as fast the TGBA)"].into_iter())
        .chain(columns.iter().map(|s| s.name()))
        .collect();
    let mut table = Table::new(title, &names);
    for group in groups {
        table.rows.push(vec![group.heading.clone()]);
        for (name, violated) in [
            ("Counterexample", Some(true)),
            ("No counterexample", Some(false)),
            ("Total", None),
        ] {
            let mean = |source: Source| {
                if !group.columns.contains(&source) {
                    return f64::NAN;
                }
                let figures = group.rows.iter().filter_map(|r| r.finished(source));
                let figures = figures.filter(|f| violated.is_none() || f.violated == violated);
                geometric_mean(figures.map(seconds))
            };
            let least = mean(Source::Tgba);
            let cells = columns.iter().map(|&source| match source {
                Source::Tgba => shown(least, 3),
                _ if mean(source).is_nan() => "–".to_string(),
                _ => format!("{:.3} ({:.2})", mean(source), mean(source) / least),
            });
            (table.rows).push([name.to_string()].into_iter().chain(cells).collect());
        }
    }
    table
}

/// Geometric means of sizes, of experiments without a counterexample.
fn sizes(title: &str, groups: &[Group<'_>]) -> Table {
    let header = [
        "",
        "|Aut|",
        "|Pairs|",
        "|States|",
        "|Trans|",
        "Fin %",
        "bytes/state",
        "translation s",
    ];
    let mut table = Table::new(title, &header);
    for group in groups {
        let whole =
            |r: &&Row| (r.finished(Source::Tgba)).is_some_and(|f| f.violated == Some(false));
        let rows: Vec<&Row> = group.rows.iter().copied().filter(whole).collect();
        if rows.is_empty() {
            continue;
        }
        table.rows.push(vec![format!(
            "{}, {} without a counterexample",
            group.heading,
            rows.len()
        )]);
        for &source in &group.columns {
            let mean = |value: &dyn Fn(&Figures) -> f64| {
                let figures = rows.iter().filter_map(|r| r.finished(source));
                geometric_mean(figures.map(|f| value(f).max(f64::MIN_POSITIVE)))
            };
            let average = |value: &dyn Fn(&Figures) -> f64| {
                let figures = rows.iter().filter_map(|r| r.finished(source));
                figures.map(value).sum::<f64>() / rows.len() as f64
            };
            table.rows.push(vec![
                source.name().to_string(),
                shown(mean(&|f| f.automaton as f64), 2),
                shown(mean(&|f| f.pairs as f64), 2),
                shown(mean(&|f| f.states as f64), 0),
                shown(mean(&|f| f.transitions as f64), 0),
                shown(100.0 * average(&Figures::fin_share), 1),
                shown(mean(&|f| f.bytes as f64 / f.states.max(1) as f64), 1),
                match source {
                    Source::Given(_) => "–".to_string(),
                    _ => shown(mean(&|f| f.translation), 4),
                },
            ]);
        }
    }
    table
}

/// Figure 7: the size of automata by their number of pairs.
fn by_pairs(rows: &[Row]) -> (Table, Vec<Scatter>) {
    let header = ["pairs", "automata", "mean states", "most states"];
    let mut table = Table::new("Figure 7: size of automata by number of pairs", &header);
    let mut plots = Vec::new();
    for source in Source::ALL {
        let figures = || rows.iter().filter_map(|r| r.figures[source.place()]);
        if figures().next().is_none() || source == Source::FinLessFavoid {
            continue;
        }
        table.rows.push(vec![source.name().to_string()]);
        for (name, range) in [
            ("1", 0..=1),
            ("2", 2..=2),
            ("3", 3..=3),
            ("more", 4..=usize::MAX),
        ] {
            let states: Vec<usize> = figures()
                .filter(|f| range.contains(&f.pairs))
                .map(|f| f.automaton)
                .collect();
            let sum: usize = states.iter().sum();
            table.rows.push(vec![
                name.to_string(),
                states.len().to_string(),
                shown(sum as f64 / states.len() as f64, 2),
                states
                    .iter()
                    .max()
                    .map_or("–".to_string(), usize::to_string),
            ]);
        }
        let mut count: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        for f in figures() {
            *count
                .entry((f.pairs.max(1), f.automaton.max(1)))
                .or_default() += 1;
        }
        let kind = |n: u32| match n {
            1 => 0,
            2..=9 => 1,
            _ => 2,
        };
        plots.push(Scatter {
            title: format!("Figure 7: {}", source.name()),
            across: "pairs".to_string(),
            up: "states of the automaton".to_string(),
            points: (count.into_iter())
                .map(|((pairs, states), n)| (pairs as f64, states as f64, kind(n)))
                .collect(),
            kinds: ["1 automaton", "2–9 automata", "10 or more"]
                .map(String::from)
                .to_vec(),
        });
    }
    (table, plots)
}

fn share_class(f: &Figures) -> usize {
    SHARES
        .iter()
        .position(|(_, most)| f.fin_share() < *most)
        .unwrap_or(0)
}

/// Figure 8: what pairs and Fin transitions cost.
fn by_structure(rows: &[Row]) -> Table {
    let header = ["", "experiments", "times as fast the TGBA", "unfinished"];
    let mut table = Table::new("Figure 8: what pairs and Fin transitions cost", &header);
    type Class = (&'static str, fn(&Figures) -> bool);
    let classes: [Class; 6] = [
        ("1 pair", |f| f.pairs <= 1),
        ("2 pairs", |f| f.pairs == 2),
        ("more pairs", |f| f.pairs > 2),
        (SHARES[0].0, |f| share_class(f) == 0),
        (SHARES[1].0, |f| share_class(f) == 1),
        (SHARES[2].0, |f| share_class(f) == 2),
    ];
    for source in OWN.into_iter().chain(GIVEN) {
        if !rows.iter().any(|r| r.figures[source.place()].is_some()) {
            continue;
        }
        table.rows.push(vec![source.name().to_string()]);
        for (name, class) in classes {
            let of = |r: &Row| r.figures[source.place()].filter(class);
            let unfinished = |r: &&Row| of(r).is_some_and(|f| f.violated.is_none());
            let ratios: Vec<f64> = (rows.iter())
                .filter_map(|r| {
                    let (f, tgba) = (of(r)?, r.finished(Source::Tgba)?);
                    f.violated.map(|_| seconds(&f) / seconds(tgba))
                })
                .collect();
            table.rows.push(vec![
                name.to_string(),
                ratios.len().to_string(),
                shown(geometric_mean(ratios.iter().copied()), 2),
                rows.iter().filter(unfinished).count().to_string(),
            ]);
        }
    }
    table
}

/// Figures 6 and 9: times of one check against another.
fn against(rows: &[Row], x: Source, y: Source, limit: f64) -> Option<Scatter> {
    let points: Vec<(f64, f64, usize)> = (rows.iter())
        .filter_map(|r| {
            let (a, b) = (r.figures[x.place()]?, r.figures[y.place()]?);
            let time = |f: &Figures| match f.violated {
                Some(_) => seconds(f),
                None => limit,
            };
            let violated = a.violated.or(b.violated)?;
            let class = share_class(if y == Source::FinLess { &a } else { &b });
            let kind = 2 * class + usize::from(violated);
            Some((time(&a), time(&b), kind))
        })
        .collect();
    let kinds = SHARES
        .iter()
        .flat_map(|(name, _)| ["", ", counterexample"].map(|more| format!("{name}{more}")));
    (!points.is_empty()).then(|| Scatter {
        title: format!("{} against {}", y.name(), x.name()),
        across: format!("CPU seconds, {}", x.name()),
        up: format!("CPU seconds, {}", y.name()),
        points,
        kinds: kinds.collect(),
    })
}

/// What the paper found, beside what comes out.
fn findings(rows: &[Row]) -> Table {
    let header = ["", "paper", "here", "experiments", "verdict"];
    let mut table = Table::new("Findings of the paper", &header);
    let ratio = |of: Source, to: Source| {
        let ratios: Vec<f64> = (rows.iter())
            .filter_map(|r| Some(seconds(r.finished(of)?) / seconds(r.finished(to)?)))
            .collect();
        (geometric_mean(ratios.iter().copied()), ratios.len())
    };
    let mut add =
        |text: &str, paper: &str, of: Source, to: Source, judge: fn(f64) -> &'static str| {
            let (mean, count) = ratio(of, to);
            table.rows.push(vec![
                text.to_string(),
                paper.to_string(),
                shown(mean, 2),
                count.to_string(),
                if count == 0 { "–" } else { judge(mean) }.to_string(),
            ]);
        };
    // A twentieth more or less is no difference.
    let beats: fn(f64) -> &'static str = |r| match r {
        r if r > 1.05 => "confirmed",
        r if r < 0.95 => "refuted",
        _ => "even",
    };
    let tgba = Source::Tgba;
    add(
        "TGBA beats TGRA (time of TGRA / TGBA)",
        "1.25",
        Source::Tgra,
        tgba,
        beats,
    );
    add(
        "the same, deterministic TGRA",
        "3.5–4.7",
        Source::DeterministicTgra,
        tgba,
        beats,
    );
    add("the same, LTL3TELA's", "1.25", GIVEN[0], tgba, beats);
    add("the same, LTL3DRA's", "3.49", GIVEN[1], tgba, beats);
    add("the same, Rabinizer 3's", "4.74", GIVEN[2], tgba, beats);
    add(
        "Fin-less about equals TGBA (time of Fin-less / TGBA)",
        "1.04",
        Source::FinLess,
        tgba,
        |r| match (0.8..=1.25).contains(&r) {
            true => "confirmed",
            false => "refuted",
        },
    );
    add(
        "Fin-less beats TGRA (time of TGRA / Fin-less)",
        "2.4",
        Source::Tgra,
        Source::FinLess,
        beats,
    );
    table
}

/// Every figure, for a spreadsheet.
fn runs(rows: &[Row]) -> Table {
    let header = [
        "model",
        "formula",
        "automaton",
        "states",
        "pairs",
        "translation",
        "violated",
        "product states",
        "product transitions",
        "fin transitions",
        "seconds",
        "bytes",
    ];
    let mut table = Table::new("Runs", &header);
    let mut set = "";
    for row in rows {
        if row.set != set {
            set = &row.set;
            table.rows.push(vec![row.set.clone()]);
        }
        for source in Source::ALL {
            let Some(f) = row.figures[source.place()] else {
                continue;
            };
            table.rows.push(vec![
                row.model.clone(),
                row.id.clone(),
                source.name().to_string(),
                f.automaton.to_string(),
                f.pairs.to_string(),
                shown(f.translation, 4),
                f.violated.map_or("unknown".to_string(), |v| v.to_string()),
                f.states.to_string(),
                f.transitions.to_string(),
                f.avoided.to_string(),
                shown(f.seconds, 4),
                f.bytes.to_string(),
            ]);
        }
    }
    table
}

/// What comes out: tables with the names of their files, the list of all runs last; the page, and its plots.
pub fn results(
    rows: &[Row],
    parameters: &Parameters,
) -> (Vec<(String, Table)>, Page, Vec<Scatter>) {
    let (main, fin_less) = (groups(rows), fin_less_groups(rows));
    let (figure_7, mut plots) = by_pairs(rows);
    let columns: Vec<Source> = OWN.into_iter().chain(GIVEN).chain([Source::Tgba]).collect();
    let fin_less_columns = [
        Source::Tgra,
        Source::FinLess,
        Source::FinLessFavoid,
        Source::Tgba,
    ];
    let tables = [
        ("findings", findings(rows)),
        (
            "table4",
            times("Table 4: times, geometric means", &columns, &main),
        ),
        ("table5", sizes("Table 5: sizes, geometric means", &main)),
        (
            "table6",
            times(
                "Table 6: times with Fin-less automata",
                &fin_less_columns,
                &fin_less,
            ),
        ),
        (
            "table7",
            sizes("Table 7: sizes with Fin-less automata", &fin_less),
        ),
        ("figure7", figure_7),
        ("figure8", by_structure(rows)),
        ("runs", runs(rows)),
    ]
    .map(|(name, table)| (name.to_string(), table));
    let limit = parameters.time.as_secs_f64();
    let others = (Source::ALL.into_iter()).filter(|s| *s != Source::Tgba);
    let pairs = others.map(|s| (Source::Tgba, s));
    let pairs = pairs.chain([(Source::Tgra, Source::FinLess)]);
    plots.extend(pairs.filter_map(|(x, y)| against(rows, x, y, limit)));
    let part = |(_, table): &(String, Table)| (table.clone(), Vec::<Chart>::new());
    let page = Page {
        title: "Generalised Rabin, Fin-less and Büchi automata".to_string(),
        notes: vec![
            "The experiments of Bloemen, Duret-Lutz and van de Pol (STTT 2019), run again by sempre.".to_string(),
            format!(
                "{} workers; a check had {limit} s. Times are CPU seconds of the check, without the translation.",
                parameters.workers
            ),
        ],
        parts: tables[..tables.len() - 1].iter().map(part).collect(),
    };
    (tables.into(), page, plots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_explicit::emptiness::Pairs;
    use std::time::Duration;

    /// A row whose TGBA takes a second, and the others as many as their place tells.
    fn row(violated: bool) -> Row {
        let mut row = Row {
            set: "s".into(),
            model: "m".into(),
            id: "1".into(),
            ..Row::default()
        };
        for source in [Source::Tgra, Source::DeterministicTgra, Source::Tgba] {
            row.figures[source.place()] = Some(Figures {
                automaton: 3,
                pairs: 2,
                violated: Some(violated),
                states: 100,
                transitions: 200,
                avoided: 190,
                seconds: match source {
                    Source::Tgra => 2.0,
                    Source::DeterministicTgra => 8.0,
                    _ => 1.0,
                },
                ..Figures::default()
            });
        }
        row
    }

    #[test]
    fn means_are_geometric_and_groups_have_what_is_finished() {
        let mut rows = vec![row(true), row(false)];
        // Half as fast; not counted where it is not finished.
        let place = Source::DeterministicTgra.place();
        rows[1].figures[place].as_mut().expect("just made").seconds = 2.0;
        let parameters = Parameters {
            workers: 1,
            time: Duration::from_secs(60),
            memory: None,
            pairs: Pairs::OneByOne,
        };
        let (tables, page, plots) = results(&rows, &parameters);
        let text = |name: &str| {
            let (_, table) = tables.iter().find(|(n, _)| n == name).expect(name);
            // Columns are as wide as they must be.
            let words: Vec<String> = table
                .to_text()
                .split_whitespace()
                .map(String::from)
                .collect();
            words.join(" ")
        };
        let expected = "Total 2.000 (2.00) 4.000 (4.00)";
        assert!(text("table4").contains(expected), "{}", text("table4"));
        assert!(text("table4").contains("s: 2 experiments, 1 counterexamples"));
        assert!(text("table5").contains("1 without a counterexample"));
        assert!(
            text("findings").contains("2.00 2 confirmed"),
            "{}",
            text("findings")
        );
        assert!(
            text("figure8").contains("90–100 % 2"),
            "{}",
            text("figure8")
        );
        assert_eq!(page.parts.len(), 7);
        // Two against the TGBA, and three with the sizes.
        assert_eq!(plots.len(), 5);
        assert!(page.to_html_with(&plots).contains("TGRA against TGBA"));
        rows[0].figures[place].as_mut().expect("just made").violated = None;
        let (tables, ..) = results(&rows, &parameters);
        assert!(
            tables[1]
                .1
                .to_text()
                .contains("s: 1 experiments, 0 counterexamples")
        );
    }
}
