//! The experiment of Ben Salem, Duret-Lutz, Kordon and Thierry-Mieg, "Symbolic model checking of stutter-invariant properties using
//! generalized testing automata" (TACAS 2014).
//!
//! Pairs of a model and a formula without `X`, each checked five times by decision diagrams: with a TGBA and with a TGTA, reachability in
//! the product by saturation and without it (chaining), and with a TGBA by saturation under the self-loops of the automaton, which the paper
//! does not have and `sempre check` uses. Time and peak number of nodes; who is better, and by how much; the
//! share of steps that stutter, as in Table 1; scatter plots as in Figures 3 and 4. Beside it, reachability alone on
//! Petri nets that grow.
//!
//! How ours differs: the states of a model are found once, by saturation, and are there before each check begins; the time of a
//! check is that of the product, its relations included, and of the emptiness check. Finding a run is not part of it, but each run that
//! is found is replayed. Seconds are those that the thread has worked. Nodes count from the states of the model on, dead ones included as long as they are not collected.

use super::page::{Page, Scatter, Table};
use crate::check::{
    AutomatonKind, CheckError, Checker, Engine, Fairness, Reachability, Settings,
    SymbolicAlgorithm, SymbolicSettings, Verdict, sources,
};
use sempre_explicit::product::Limits;
use sempre_lang::model::Model;
use sempre_lang::petri_net::families::family;
use sempre_symbolic::reach;
use std::time::Duration;

/// The sizes of the experiment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The most time for one check.
    pub time: Duration,
    /// The most time for the states of a model.
    pub model_time: Duration,
    /// The most bytes of diagrams.
    pub memory: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            model_time: Duration::from_secs(300),
            memory: 4 << 30,
        }
    }
}

/// A model and a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The name of the model.
    pub model: String,
    /// The formula.
    pub formula: String,
    /// What others say of it, if they do.
    pub holds: Option<bool>,
}

/// Reads pairs from a table with tabs between columns, of which `model` and `formula_norm` or `formula` are needed; a column `verdict`
/// says `holds` or `violated`.
///
/// # Errors
/// What is missing, in words.
pub fn pairs(text: &str) -> Result<Vec<Pair>, String> {
    let mut lines = text.lines().filter(|l| !l.trim().is_empty());
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let model = column("model").ok_or("no column `model`")?;
    let formula = (column("formula_norm").or(column("formula"))).ok_or("no column `formula`")?;
    let verdict = column("verdict");
    lines
        .enumerate()
        .map(|(i, line)| {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |c: usize| fields.get(c).ok_or(format!("line {}: too short", i + 2));
            Ok(Pair {
                model: field(model)?.to_string(),
                formula: field(formula)?.to_string(),
                holds: verdict.and_then(|c| match *fields.get(c)? {
                    "holds" => Some(true),
                    "violated" => Some(false),
                    _ => None,
                }),
            })
        })
        .collect()
}

/// Spreads a number of pairs over the models, those that hold and those that do not in turn.
pub fn spread(all: &[Pair], count: usize) -> Vec<Pair> {
    let mut models: Vec<&str> = Vec::new();
    for pair in all {
        if !models.contains(&pair.model.as_str()) {
            models.push(&pair.model);
        }
    }
    let mut queues: Vec<Vec<&Pair>> = (models.iter())
        .map(|m| {
            let of = |holds: bool| {
                let mine = all.iter().filter(move |p| p.model == *m);
                mine.filter(move |p| p.holds.unwrap_or(false) == holds)
            };
            let (mut one, mut two) = (of(true), of(false));
            let mut queue = Vec::new();
            loop {
                let (a, b) = (one.next(), two.next());
                if a.is_none() && b.is_none() {
                    break;
                }
                queue.extend(a.into_iter().chain(b));
            }
            queue.reverse();
            queue
        })
        .collect();
    let mut chosen = Vec::new();
    while chosen.len() < count && queues.iter().any(|q| !q.is_empty()) {
        for queue in &mut queues {
            if chosen.len() < count {
                chosen.extend(queue.pop().cloned());
            }
        }
    }
    chosen
}

/// The five ways: the automaton, and how reachability is computed.
const WAYS: [(AutomatonKind, Reachability); 5] = [
    (AutomatonKind::Tgba, Reachability::Saturation),
    (AutomatonKind::Tgta, Reachability::Saturation),
    (AutomatonKind::Tgba, Reachability::Chaining),
    (AutomatonKind::Tgta, Reachability::Chaining),
    (AutomatonKind::Tgba, Reachability::SelfLoops),
];

fn name((kind, reachability): (AutomatonKind, Reachability)) -> String {
    let kind = kind.name().to_uppercase();
    match reachability {
        Reachability::Saturation => kind,
        Reachability::Chaining => format!("{kind} nosat"),
        Reachability::SelfLoops => format!("{kind} loops"),
    }
}

/// One check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its verdict, if it came to one in time.
    pub holds: Option<bool>,
    /// Its seconds.
    pub seconds: f64,
    /// The seconds among them that the relations of the product took.
    pub relations: f64,
    /// Peak number of nodes.
    pub nodes: usize,
}

/// One pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The pair.
    pub pair: Pair,
    /// Its checks, in the order of the ways.
    pub cells: [Cell; WAYS.len()],
    /// The share of steps that stutter.
    pub stuttering: Option<f64>,
}

/// One model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRows {
    /// Its name.
    pub model: String,
    /// Number of states, and the seconds to find them; nothing if that took too long.
    pub states: Option<(String, f64)>,
    /// Its pairs.
    pub rows: Vec<Row>,
}

/// Checks the pairs of a model, in all ways. `progress` is told how many are done.
///
/// # Errors
/// If a formula cannot be read, or two verdicts disagree, in words.
pub fn run_model(
    name: &str,
    model: &Model,
    pairs: &[Pair],
    parameters: &Parameters,
    progress: &mut dyn FnMut(usize),
) -> Result<ModelRows, String> {
    let checker = Checker::new(model.program(), Fairness::None).map_err(words)?;
    let mut result = ModelRows {
        model: name.to_string(),
        states: None,
        rows: Vec::new(),
    };
    let settings = Settings {
        engine: Engine::Symbolic,
        limits: Limits {
            time: Some(parameters.model_time),
            memory: Some(parameters.memory),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let Some(mut prepared) = checker.prepare_symbolically(&settings).map_err(words)? else {
        return Ok(result);
    };
    prepared.clear_caches();
    result.states = Some((prepared.states().to_string(), prepared.time().as_secs_f64()));
    for (i, pair) in pairs.iter().enumerate() {
        progress(i);
        let property = sources::formula(model, &pair.formula)
            .map_err(|e| format!("{name}: {}: {}", pair.formula, e[0].message))?;
        let mut stuttering = None;
        let mut known = pair.holds;
        let mut cells = [Cell {
            holds: None,
            seconds: parameters.time.as_secs_f64(),
            relations: 0.0,
            nodes: 0,
        }; WAYS.len()];
        for (cell, &way) in cells.iter_mut().zip(&WAYS) {
            let settings = Settings {
                automaton: Some(way.0),
                symbolic: SymbolicSettings {
                    prepared: Some(&prepared),
                    reachability: way.1,
                    algorithm: SymbolicAlgorithm::Owcty,
                    count_stuttering: way == WAYS[1],
                    ..SymbolicSettings::default()
                },
                limits: Limits {
                    time: Some(parameters.time),
                    ..settings.limits
                },
                ..settings
            };
            let report = checker.check(&property, &settings).map_err(words)?;
            let Some(counted) = report.symbolic else {
                continue;
            };
            stuttering = stuttering.or(counted.stuttering);
            cell.nodes = counted.peak_nodes;
            cell.relations = counted.product_time.as_secs_f64();
            cell.holds = match report.verdict {
                Verdict::Holds(_) => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => continue,
            };
            if known.is_some_and(|k| Some(k) != cell.holds) {
                return Err(format!("{name}: {}: two verdicts", pair.formula));
            }
            known = cell.holds;
            cell.seconds = (counted.product_time + counted.search_time).as_secs_f64();
        }
        result.rows.push(Row {
            pair: pair.clone(),
            cells,
            stuttering,
        });
    }
    Ok(result)
}

fn words(error: CheckError) -> String {
    match error {
        CheckError::Refused(text) | CheckError::Defect(text) => text,
    }
}

/// A name for a file, a table and its plots.
pub type Part = (&'static str, Table, Vec<Scatter>);

/// The tables.
pub fn tables(models: &[ModelRows], parameters: &Parameters) -> Vec<Part> {
    let rows: Vec<&Row> = models.iter().flat_map(|m| &m.rows).collect();
    let plots = |one: usize, two: usize| -> Vec<Scatter> {
        [("seconds", true), ("peak nodes", false)]
            .map(|(what, time)| Scatter {
                title: format!("{what}: {} and {}", name(WAYS[one]), name(WAYS[two])),
                across: name(WAYS[one]),
                up: name(WAYS[two]),
                points: (rows.iter())
                    .filter(|r| r.cells[one].holds.is_some() || r.cells[two].holds.is_some())
                    .map(|r| {
                        let of = |c: &Cell| if time { c.seconds } else { c.nodes as f64 };
                        let kind =
                            usize::from(r.cells[one].holds.or(r.cells[two].holds) == Some(true));
                        (of(&r.cells[one]), of(&r.cells[two]), kind)
                    })
                    .collect(),
                kinds: vec!["violated".to_string(), "verified".to_string()],
            })
            .to_vec()
    };
    let mut comparisons = comparison_table();
    let mut scatters = Vec::new();
    for (one, two) in [(0, 1), (2, 3), (2, 0), (3, 1), (0, 4), (4, 1)] {
        compare(&mut comparisons, &rows, one, two);
        scatters.extend(plots(one, two));
    }
    vec![
        ("models", model_table(models, parameters), Vec::new()),
        ("comparison", comparisons, scatters),
        ("pairs", pair_table(&rows), Vec::new()),
    ]
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let all: Vec<f64> = values.collect();
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

fn model_table(models: &[ModelRows], parameters: &Parameters) -> Table {
    let title = format!("Models; checks of at most {} s", parameters.time.as_secs());
    let mut header = vec![
        "model",
        "states",
        "seconds",
        "stuttering",
        "relations",
        "pairs",
    ];
    let ways: Vec<String> = WAYS.iter().map(|&w| format!("{} done", name(w))).collect();
    header.extend(ways.iter().map(String::as_str));
    let mut table = Table::new(&title, &header);
    for m in models {
        let percent =
            |share: Option<f64>| share.map_or("-".into(), |s| format!("{:.1} %", 100.0 * s));
        // Of the TGTA's checks with saturation, as in the paper.
        let spent: f64 = m.rows.iter().map(|r| r.cells[1].relations).sum();
        let total: f64 = m.rows.iter().map(|r| r.cells[1].seconds).sum();
        let (states, seconds) = m
            .states
            .clone()
            .map_or(("-".into(), "-".into()), |(n, s)| (n, format!("{s:.2}")));
        let mut row = vec![
            m.model.clone(),
            states,
            seconds,
            percent(mean(m.rows.iter().filter_map(|r| r.stuttering))),
            percent((total > 0.0).then(|| spent / total)),
            m.rows.len().to_string(),
        ];
        row.extend((0..WAYS.len()).map(|w| {
            let done = m.rows.iter().filter(|r| r.cells[w].holds.is_some());
            done.count().to_string()
        }));
        table.rows.push(row);
    }
    table
}

fn comparison_table() -> Table {
    Table::new(
        "The second against the first: times below 10 ms are equal, and so are those within a tenth",
        &[
            "verdict",
            "pairs",
            "both done",
            "only 1st",
            "only 2nd",
            "2nd faster",
            "2nd slower",
            "time 1st/2nd",
            "most",
            "2nd smaller",
            "2nd larger",
            "nodes 1st/2nd",
        ],
    )
}

/// One comparison of two ways: of pairs that hold, that are violated, and of all.
fn compare(table: &mut Table, rows: &[&Row], one: usize, two: usize) {
    let heading = format!("{}, {}", name(WAYS[one]), name(WAYS[two]));
    table.rows.push(vec![heading]);
    for (title, wanted) in [
        ("verified", Some(true)),
        ("violated", Some(false)),
        ("all", None),
    ] {
        let verdict = |r: &Row| r.cells.iter().find_map(|c| c.holds);
        let mine: Vec<(Cell, Cell)> = (rows.iter())
            .filter(|r| wanted.is_none() || verdict(r) == wanted)
            .map(|r| (r.cells[one], r.cells[two]))
            .collect();
        let both: Vec<&(Cell, Cell)> = (mine.iter())
            .filter(|(a, b)| a.holds.is_some() && b.holds.is_some())
            .collect();
        let only = |first: bool| {
            let pick = |(a, b): &(Cell, Cell)| {
                if first {
                    (a.holds, b.holds)
                } else {
                    (b.holds, a.holds)
                }
            };
            mine.iter()
                .filter(|p| matches!(pick(p), (Some(_), None)))
                .count()
        };
        let better = |x: f64, y: f64, least: f64| x.max(y) >= least && x * 1.1 < y;
        let count = |f: &dyn Fn(&Cell, &Cell) -> bool| both.iter().filter(|(a, b)| f(a, b)).count();
        // Where at least one takes some time; a clock may tick every four milliseconds.
        let ratios = |of: &dyn Fn(&Cell) -> f64, least: f64| -> Vec<f64> {
            (both.iter())
                .filter(|(a, b)| of(a).max(of(b)) >= least)
                .map(|(a, b)| of(a).max(4e-3) / of(b).max(4e-3))
                .collect()
        };
        let geometric = |ratios: &[f64]| {
            mean(ratios.iter().map(|r| r.ln()))
                .map_or("-".to_string(), |m| format!("{:.2}", m.exp()))
        };
        let times = ratios(&|c| c.seconds, 0.01);
        let nodes = ratios(&|c| c.nodes as f64, 1.0);
        let most = times.iter().fold(0.0, |m: f64, &r| m.max(r));
        table.rows.push(vec![
            title.to_string(),
            mine.len().to_string(),
            both.len().to_string(),
            only(true).to_string(),
            only(false).to_string(),
            count(&|a, b| better(b.seconds, a.seconds, 0.01)).to_string(),
            count(&|a, b| better(a.seconds, b.seconds, 0.01)).to_string(),
            geometric(&times),
            format!("{most:.1}"),
            count(&|a, b| better(b.nodes as f64, a.nodes as f64, 1.0)).to_string(),
            count(&|a, b| better(a.nodes as f64, b.nodes as f64, 1.0)).to_string(),
            geometric(&nodes),
        ]);
    }
}

fn pair_table(rows: &[&Row]) -> Table {
    let mut header = vec!["model".to_string(), "verdict".to_string()];
    for &way in &WAYS {
        header.push(format!("{} s", name(way)));
        header.push("nodes".to_string());
    }
    header.push("formula".to_string());
    let mut table = Table {
        title: "Pairs".to_string(),
        header,
        rows: Vec::new(),
    };
    for row in rows {
        let verdict = match row.cells.iter().find_map(|c| c.holds) {
            Some(true) => "holds",
            Some(false) => "violated",
            None => "unknown",
        };
        let mut cells = vec![row.pair.model.clone(), verdict.to_string()];
        for cell in &row.cells {
            cells.push(match cell.holds {
                Some(_) => format!("{:.3}", cell.seconds),
                None => "-".to_string(),
            });
            cells.push(cell.nodes.to_string());
        }
        cells.push(row.pair.formula.clone());
        table.rows.push(cells);
    }
    table
}

/// The nets that grow, and their sizes.
pub const NETS: [(&str, &[u32]); 4] = [
    ("philosophers", &[100, 1000]),
    ("slotted_ring", &[10, 15, 30]),
    ("kanban", &[10, 20, 40]),
    ("fms", &[10, 20, 50]),
];

/// Counts the states of nets.
pub fn nets(parameters: &Parameters, progress: &mut dyn FnMut(&str)) -> Table {
    let header = ["net", "states", "seconds", "nodes", "peak nodes"];
    let mut table = Table::new("Nets that grow: reachability by saturation", &header);
    for (net, sizes) in NETS {
        for &size in sizes {
            let title = format!("{net} {size}");
            progress(&title);
            let Some(family) = family(net, size) else {
                continue;
            };
            let program = family.program();
            let options = reach::Options {
                limits: sempre_symbolic::Limits {
                    memory: Some(parameters.memory),
                    deadline: std::time::Instant::now().checked_add(parameters.model_time),
                    interrupt: None,
                },
                ..reach::Options::default()
            };
            let found = reach::explore(&program, None, &options);
            let states = found.states.map_or("-".to_string(), |n| match n.to_u64() {
                Some(n) => n.to_string(),
                None => {
                    let digits = n.to_string();
                    format!("{}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1)
                }
            });
            table.rows.push(vec![
                title,
                states,
                format!("{:.2}", found.search.as_secs_f64()),
                found.nodes.to_string(),
                found.peak_nodes.to_string(),
            ]);
        }
    }
    table
}

/// The page.
pub fn page(parts: Vec<Part>, parameters: &Parameters) -> (Page, Vec<Scatter>) {
    let mut scatters = Vec::new();
    let parts = (parts.into_iter())
        .map(|(_, table, plots)| {
            scatters.extend(plots);
            (table, Vec::new())
        })
        .collect();
    let page = Page {
        title: "Testing automata and decision diagrams".to_string(),
        notes: vec![
            "The experiment of Ben Salem, Duret-Lutz, Kordon and Thierry-Mieg (TACAS 2014), run again by sempre.".to_string(),
            format!(
                "A check may take {} s; the states of a model, which all its checks share, {} s.",
                parameters.time.as_secs(),
                parameters.model_time.as_secs()
            ),
        ],
        parts,
    };
    (page, scatters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_lang::model::Language;

    const LIST: &str = "model\tid\tformula\tverdict\n\
        tiny\t1\tG F P.a\tholds\n\
        tiny\t2\tG P.a\tviolated\n\
        tiny\t3\tF G P.b\tviolated\n\
        other\t4\tF P.b\tholds\n";

    #[test]
    fn pairs_are_read_and_spread() {
        let all = pairs(LIST).unwrap();
        assert_eq!(all.len(), 4);
        assert_eq!(all[1].holds, Some(false));
        let three = spread(&all, 3);
        let models: Vec<&str> = three.iter().map(|p| p.model.as_str()).collect();
        assert_eq!(models, ["tiny", "other", "tiny"]);
        assert_eq!(spread(&all, 9).len(), 4);
        assert!(pairs("a\tb\n").is_err());
    }

    #[test]
    fn a_small_model_is_checked_in_all_ways() {
        let text = "process P { state a, b; init a; trans a -> b {}, b -> a {}; } system async;";
        let (model, _) = Model::read(Language::Dve, "tiny", text).unwrap();
        let all: Vec<Pair> = pairs(LIST).unwrap().into_iter().take(3).collect();
        let parameters = Parameters::default();
        let rows = run_model("tiny", &model, &all, &parameters, &mut |_| {}).unwrap();
        assert_eq!(rows.states.as_ref().unwrap().0, "2");
        for (row, holds) in rows.rows.iter().zip([true, false, false]) {
            assert!(row.cells.iter().all(|c| c.holds == Some(holds)), "{row:?}");
            // Each of the two steps changes the proposition.
            assert_eq!(row.stuttering, Some(0.0));
        }
        let parts = tables(&[rows], &parameters);
        assert!(parts[0].1.to_text().contains("tiny"));
        let all_rows = parts[1].1.rows.iter().filter(|r| r[0] == "all");
        assert!(all_rows.map(|r| r[2].as_str()).eq(["3"; 6]));
        // A wrong verdict is not passed over.
        let mut wrong = all.clone();
        wrong[0].holds = Some(false);
        assert!(run_model("tiny", &model, &wrong, &parameters, &mut |_| {}).is_err());
    }
}
