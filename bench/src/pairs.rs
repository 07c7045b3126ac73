//! Pairs of a model and a formula, from a table with a heading, separated by tabs: `model`, `id`, `formula` as LTSmin writes
//! it, `formula_norm`, `verdict`, `verdict_no_stutter`, `product_states`.

/// A row of the table.
pub struct Pair {
    /// The name of the model.
    pub model: String,
    /// The number of the formula.
    pub id: String,
    /// With the operators of the common syntax.
    pub formula: String,
    /// As LTSmin writes it.
    pub for_ltsmin: String,
    /// The known verdict, if runs that end repeat their last states.
    pub holds: bool,
    /// The known verdict, if they do not count.
    pub holds_without_ends: bool,
    /// States of the product, 0 if that is not known.
    pub product: f64,
}

impl Pair {
    /// Model and number.
    pub fn name(&self) -> String {
        format!("{}_{}", self.model, self.id)
    }
}

/// The rows of a table that are asked for, in that order.
pub fn named(text: &str, wanted: &[String]) -> Result<Vec<Pair>, String> {
    let mut lines = text.lines();
    let heading: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        (heading.iter().position(|h| *h == name)).ok_or_else(|| format!("no column `{name}`"))
    };
    let places = [
        column("model")?,
        column("id")?,
        column("formula")?,
        column("formula_norm")?,
        column("verdict")?,
        column("verdict_no_stutter")?,
        column("product_states")?,
    ];
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split('\t').collect()).collect();
    (wanted.iter())
        .map(|name| {
            let row = (rows.iter())
                .find(|row| format!("{}_{}", row[places[0]], row[places[1]]) == *name)
                .ok_or_else(|| format!("no pair `{name}`"))?;
            let [model, id, formula, norm, verdict, without, product] =
                places.map(|place| row[place]);
            Ok(Pair {
                model: model.into(),
                id: id.into(),
                formula: norm.into(),
                for_ltsmin: formula.into(),
                holds: verdict == "holds",
                holds_without_ends: without == "holds",
                product: product.parse().unwrap_or(0.0),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_by_name() {
        let table = "model\tid\tformula\tformula_norm\tverdict\tverdict_no_stutter\tproduct_states\nm\t001\t(a!=1)\tG a\tviolated\tholds\t12\n";
        let found = named(table, &["m_001".to_string()]).unwrap();
        assert_eq!(
            (found[0].for_ltsmin.as_str(), found[0].product),
            ("(a!=1)", 12.0)
        );
        assert!(!found[0].holds && found[0].holds_without_ends);
        assert!(named(table, &["m_002".to_string()]).is_err());
    }
}
