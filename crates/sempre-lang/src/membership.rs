//! "The values of these cells are one of these rows", as an expression that takes logarithmic time.
//!
//! State labels of tables and the propositions of graphs are given by enumeration. A disjunction over the
//! rows would cost as much as there are rows for each evaluation, so a decision tree is built instead:
//! columns that are the same in all rows left are compared at once; else the first column that differs is
//! split in the middle of its values. Depth is logarithmic in the rows for each column that differs.

use sempre_model::ir::{Binary, Expr, VariableId};

/// True if the scalar variables have the values of a row. Without rows, never.
pub(crate) fn is_member(variables: &[VariableId], mut rows: Vec<Vec<i64>>) -> Expr {
    rows.sort_unstable();
    rows.dedup();
    let open: Vec<usize> = (0..variables.len()).collect();
    tree(variables, &mut rows, &open)
}

fn tree(variables: &[VariableId], rows: &mut [Vec<i64>], open: &[usize]) -> Expr {
    let Some(first) = rows.first() else {
        return Expr::FALSE;
    };
    let (same, differing): (Vec<usize>, Vec<usize>) = open
        .iter()
        .partition(|&&c| rows.iter().all(|r| r[c] == first[c]));
    let mut parts: Vec<Expr> = same
        .iter()
        .map(|&c| Expr::equal(Expr::variable(variables[c]), Expr::Constant(first[c])))
        .collect();
    if let Some(&column) = differing.first() {
        let value = Expr::variable(variables[column]);
        rows.sort_unstable_by_key(|r| r[column]);
        let (min, max) = (rows[0][column], rows[rows.len() - 1][column]);
        let mut values: Vec<i64> = rows.iter().map(|r| r[column]).collect();
        values.dedup();
        if differing.len() == 1 && i64::try_from(values.len()) == Ok(max - min + 1) {
            // All of an interval, and nothing else to ask.
            let above = Expr::binary(Binary::GreaterEqual, value.clone(), Expr::Constant(min));
            let below = Expr::binary(Binary::LessEqual, value, Expr::Constant(max));
            parts.extend([above, below]);
        } else {
            let middle = values[values.len() / 2];
            let (low, high) = rows.split_at_mut(rows.partition_point(|r| r[column] < middle));
            let test = Expr::binary(Binary::Less, value, Expr::Constant(middle));
            let low = tree(variables, low, &differing);
            let high = tree(variables, high, &differing);
            parts.push(Expr::If(Box::new(test), Box::new(low), Box::new(high)));
        }
    }
    Expr::balanced(Binary::And, parts).unwrap_or(Expr::TRUE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naive::evaluate;
    use sempre_base::Random;

    #[test]
    fn it_is_the_set_of_rows() {
        let mut random = Random::new(1);
        for _ in 0..500 {
            let columns = random.below(4);
            let variables: Vec<VariableId> = (0..columns as u32).map(VariableId).collect();
            let rows: Vec<Vec<i64>> = (0..random.below(12))
                .map(|_| (0..columns).map(|_| random.below(4) as i64 - 1).collect())
                .collect();
            let expr = is_member(&variables, rows.clone());
            for code in 0..6i64.pow(columns as u32) {
                let state: Vec<i64> = (0..columns)
                    .map(|c| code / 6i64.pow(c as u32) % 6 - 2)
                    .collect();
                assert_eq!(evaluate(&expr, &state) != 0, rows.contains(&state));
            }
        }
    }
}
