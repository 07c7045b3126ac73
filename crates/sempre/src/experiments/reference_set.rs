//! Models and formulas with published verdicts, and automata that other tools made of them, as folders hold them.
//!
//! A folder has
//! - `formulas.tsv`, separated by tabs, with a heading: `model` or `net`, `id`, `formula_norm` or `formula`, perhaps `verdict`
//!   (`holds`, `violated`) and `product_states`, perhaps `kind`, of which only `cardinality` is taken;
//! - the models, named as in `models.csv` (`model`, `file`), or else as `NAME.dve` or `NAME.pnml`;
//! - perhaps `hoa/index.csv` (`file`, `model`, `formula_id`, `translator`) and the automata of the violations.

use sempre_base::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A formula for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Experiment {
    /// The name of the model.
    pub model: String,
    /// Where it is.
    pub file: PathBuf,
    /// The number of the formula.
    pub id: String,
    /// The formula.
    pub formula: String,
    /// Does it hold? If that is known.
    pub holds: Option<bool>,
    /// States of the published product, if it was explored.
    pub product_states: Option<u64>,
    /// Automata of its violations, by translator.
    pub automata: BTreeMap<String, PathBuf>,
}

/// The rows of a table with a heading, as columns by name.
struct Rows<'a> {
    heading: Vec<&'a str>,
    lines: Vec<Vec<&'a str>>,
}

impl<'a> Rows<'a> {
    fn new(text: &'a str, separator: char) -> Self {
        let mut lines = text.lines().map(|line| line.split(separator).collect());
        Self {
            heading: lines.next().unwrap_or_default(),
            lines: lines.collect(),
        }
    }

    /// The cell of a row in the first of these columns that there is.
    fn cell(&self, row: &[&'a str], names: &[&str]) -> &'a str {
        (names.iter())
            .find_map(|name| self.heading.iter().position(|h| h == name))
            .and_then(|column| row.get(column).copied())
            .unwrap_or_default()
    }
}

/// All experiments of a folder whose models are there.
///
/// # Errors
/// If the list of formulas cannot be read, in words.
pub fn read(folder: &Path) -> Result<Vec<Experiment>, String> {
    let path = folder.join("formulas.tsv");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let rows = Rows::new(&text, '\t');
    let files = std::fs::read_to_string(folder.join("models.csv")).unwrap_or_default();
    let files = Rows::new(&files, ',');
    let files: BTreeMap<&str, PathBuf> = (files.lines.iter())
        .map(|row| {
            let file = folder.join(files.cell(row, &["file"]));
            (files.cell(row, &["model"]), file)
        })
        .collect();
    let automata = folder.join("hoa");
    let index = std::fs::read_to_string(automata.join("index.csv")).unwrap_or_default();
    let index = Rows::new(&index, ',');
    let mut given: BTreeMap<(&str, &str), BTreeMap<String, PathBuf>> = BTreeMap::new();
    for row in &index.lines {
        let of = |name: &str| index.cell(row, &[name]);
        let translators = given.entry((of("model"), of("formula_id"))).or_default();
        translators.insert(of("translator").to_string(), automata.join(of("file")));
    }
    let mut experiments = Vec::new();
    for row in &rows.lines {
        let of = |names: &[&str]| rows.cell(row, names);
        if !matches!(of(&["kind"]), "" | "cardinality") {
            continue;
        }
        let (model, id) = (of(&["model", "net"]), of(&["id"]));
        let file = match files.get(model) {
            Some(file) => Some(file.clone()),
            None => (["dve", "pnml"].iter())
                .map(|ending| folder.join(format!("{model}.{ending}")))
                .find(|file| file.exists()),
        };
        let Some(file) = file.filter(|file| file.exists()) else {
            continue;
        };
        experiments.push(Experiment {
            model: model.to_string(),
            file,
            id: id.to_string(),
            formula: of(&["formula_norm", "formula"]).to_string(),
            holds: match of(&["verdict"]) {
                "holds" => Some(true),
                "violated" => Some(false),
                _ => None,
            },
            product_states: of(&["product_states"]).parse().ok(),
            automata: given.remove(&(model, id)).unwrap_or_default(),
        });
    }
    Ok(experiments)
}

/// So many of the experiments, in their order: half of them hold, as far as the data go. Those with automata
/// of other tools come first, those with larger products than `most_states` not at all.
pub fn sample(
    mut experiments: Vec<Experiment>,
    count: usize,
    most_states: u64,
    seed: u64,
) -> Vec<Experiment> {
    experiments.retain(|e| e.product_states.is_none_or(|n| n <= most_states));
    let mut random = Random::new(seed);
    let mut draw = |holds: bool, count: usize| {
        let mut places: Vec<usize> = (0..experiments.len())
            .filter(|&i| (experiments[i].holds == Some(true)) == holds)
            .collect();
        random.shuffle(&mut places);
        places.sort_by_key(|&i| experiments[i].automata.is_empty());
        places.truncate(count);
        places
    };
    let mut places = draw(true, count / 2);
    places.extend(draw(false, count - places.len()));
    places.sort_unstable();
    let mut wanted = places.into_iter().peekable();
    (experiments.into_iter().enumerate())
        .filter(|(i, _)| wanted.next_if_eq(i).is_some())
        .map(|(_, e)| e)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read() {
        let folder = std::env::temp_dir().join(format!("sempre-set-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("hoa")).expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("room");
        write(
            "formulas.tsv",
            "model\tid\tformula\tverdict\tproduct_states\nm\t1\tG a\tholds\t7\nm\t2\tF a\tviolated\t\nn\t1\ta\tholds\t3\n",
        );
        write("models.csv", "model,file\nm,other.dve\n");
        write("other.dve", "");
        write(
            "hoa/index.csv",
            "file,model,formula_id,translator\na.hoa,m,2,x\n",
        );
        let all = read(&folder).expect("it was just written");
        std::fs::remove_dir_all(&folder).expect("it was just written");
        // There is no model n.
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].holds, all[0].product_states), (Some(true), Some(7)));
        assert_eq!(all[1].automata["x"], folder.join("hoa/a.hoa"));
        assert_eq!(all[1].file, folder.join("other.dve"));
        assert_eq!(sample(all.clone(), 5, 9, 1), all);
        assert_eq!(sample(all.clone(), 5, 6, 1), all[1..]);
        assert!(read(&folder).is_err());
    }
}
