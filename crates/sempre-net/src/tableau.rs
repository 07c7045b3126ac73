//! Linear programs in exact integers: is there a solution `x >= 0` of inequalities that are added one after the
//! other?
//!
//! The dual simplex method (Lemke 1954) on a dictionary: each *basic* variable is an affine function of the others,
//! which are zero in the solution that the dictionary describes. Variables are those of the program, `x`, and one
//! slack for each inequality `constant + sum of coefficient * x >= 0`. A negative basic variable leaves the basis for
//! one that increases it; if there is none, its row shows that the inequalities are contradictory, and which
//! multiples of them add up to the contradiction (Farkas 1902).
//!
//! There are three differences from textbooks. Rows hold integers with a common denominator, divided by their
//! greatest common divisor, and are sparse: there is no rounding, so that the contradiction is exact. Costs only
//! determine which variable enters, so they are floating-point numbers: one for each `x`, so that small solutions are
//! found, plus a little noise against cycling. And inequalities are added late: each row costs time once it is there,
//! and most are never violated (cutting planes).
//!
//! Invariants:
//! * I1: a row is an integer linear combination of the inequalities' definitions, with a positive denominator.
//! * I2: no basic variable is in a row's terms.
//!
//! Cost: a pivot takes time linear in the entries of the rows with the entering variable. The work ends if a number
//! exceeds 64 bits ([`Ended::Overflow`]).

use rustc_hash::FxHashMap;
use sempre_base::Random;

/// `denominator * basic = constant + sum of coefficient * variable`.
#[derive(Clone, Debug)]
struct Row {
    basic: u32,
    denominator: i64,
    constant: i64,
    /// Sorted by variable, none zero.
    terms: Vec<(u32, i64)>,
}

/// The result of the search for a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The dictionary describes a solution.
    Feasible,
    /// These positive multiples of inequalities add up to a contradiction.
    Infeasible(Vec<(u32, i64)>),
    /// A number exceeds 64 bits.
    Overflow,
    /// The limit of work was exceeded.
    Limit,
}

/// See the module's documentation.
#[derive(Clone, Debug)]
pub struct Tableau {
    variables: u32,
    rows: Vec<Row>,
    row_of: FxHashMap<u32, usize>,
    costs: Vec<f64>,
    inequalities: u32,
    random: Random,
    /// The number of entries that pivots have changed.
    work: u64,
}

struct Overflow;

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        // Numbers are mostly small, and then division is faster.
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return u128::from(x);
        }
        (a, b) = (b, a % b);
    }
    a
}

impl Row {
    fn coefficient(&self, variable: u32) -> i64 {
        crate::net::entry(&self.terms, variable)
    }

    /// The row with its basic variable of `other` substituted by `other`.
    fn substituted(&self, other: &Row) -> Result<Row, Overflow> {
        let coefficient = i128::from(self.coefficient(other.basic));
        let by = i128::from(other.denominator);
        // self * by, where coefficient * by * basic = coefficient * other.
        let wide = |mine: i64, others: i64| {
            (i128::from(mine) * by)
                .checked_add(coefficient * i128::from(others))
                .ok_or(Overflow)
        };
        let denominator = i128::from(self.denominator) * by;
        let constant = wide(self.constant, other.constant)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let mut divisor = gcd(denominator.unsigned_abs(), constant.unsigned_abs());
        let (mut i, mut j) = (0, 0);
        while i < self.terms.len() || j < other.terms.len() {
            let mine = self.terms.get(i).map_or(u32::MAX, |t| t.0);
            let others = other.terms.get(j).map_or(u32::MAX, |t| t.0);
            let variable = mine.min(others);
            let (mut a, mut b) = (0, 0);
            if mine == variable {
                a = self.terms[i].1;
                i += 1;
            }
            if others == variable {
                b = other.terms[j].1;
                j += 1;
            }
            if variable == other.basic {
                continue;
            }
            let value = wide(a, b)?;
            if value != 0 {
                if divisor != 1 {
                    divisor = gcd(divisor, value.unsigned_abs());
                }
                terms.push((variable, value));
            }
        }
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
        let narrow = |value: i128| i64::try_from(value / divisor).map_err(|_| Overflow);
        Ok(Row {
            basic: self.basic,
            denominator: narrow(denominator)?,
            constant: narrow(constant)?,
            terms: (terms.into_iter())
                .map(|(v, c)| Ok((v, narrow(c)?)))
                .collect::<Result<_, Overflow>>()?,
        })
    }

    /// The row solved for a variable with a positive coefficient.
    fn solved(&self, variable: u32) -> Result<Row, Overflow> {
        let negated = |c: i64| c.checked_neg().ok_or(Overflow);
        let mut terms = Vec::with_capacity(self.terms.len());
        for &(v, c) in self.terms.iter().filter(|t| t.0 != variable) {
            terms.push((v, negated(c)?));
        }
        let place = terms.partition_point(|t| t.0 < self.basic);
        terms.insert(place, (self.basic, self.denominator));
        Ok(Row {
            basic: variable,
            denominator: self.coefficient(variable),
            constant: negated(self.constant)?,
            terms,
        })
    }
}

impl Tableau {
    /// A program with this number of variables and no inequalities.
    pub fn new(variables: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self {
            variables: variables as u32,
            rows: Vec::new(),
            row_of: FxHashMap::default(),
            costs: (0..variables).map(|_| 1.0 + 0.05 * random.unit()).collect(),
            inequalities: 0,
            random,
            work: 0,
        }
    }

    /// Number of inequalities.
    pub fn inequalities(&self) -> u32 {
        self.inequalities
    }

    /// The number of entries that pivots have changed.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Adds `constant + sum of coefficient * x >= 0`; its number is the number of inequalities before. `terms` is
    /// sorted. False if a number exceeds 64 bits.
    pub fn add(&mut self, constant: i64, terms: &[(u32, i64)]) -> bool {
        let basic = self.variables + self.inequalities;
        let mut row = Row {
            basic,
            denominator: 1,
            constant,
            terms: terms.to_vec(),
        };
        for &(variable, _) in terms {
            if let Some(&i) = self.row_of.get(&variable) {
                match row.substituted(&self.rows[i]) {
                    Ok(new) => row = new,
                    Err(Overflow) => return false,
                }
            }
        }
        self.inequalities += 1;
        self.costs.push(0.0);
        self.row_of.insert(basic, self.rows.len());
        self.rows.push(row);
        true
    }

    /// Searches for a solution, with this much more work.
    pub fn solve(&mut self, work: u64) -> Ended {
        let enough = self.work.saturating_add(work);
        loop {
            let Some(leaving) = self.leaving() else {
                return Ended::Feasible;
            };
            let row = &self.rows[leaving];
            let Some(entering) = self.entering(row) else {
                return Ended::Infeasible(self.contradiction(row));
            };
            if self.work >= enough {
                return Ended::Limit;
            }
            if self.pivot(leaving, entering).is_err() {
                return Ended::Overflow;
            }
        }
    }

    /// A row with the greatest violation; ties are broken at random.
    fn leaving(&mut self) -> Option<usize> {
        let mut worst = None;
        let mut depth = 0.0;
        for (i, row) in self.rows.iter().enumerate() {
            if row.constant < 0 {
                let value = row.constant as f64 / row.denominator as f64;
                if worst.is_none() || value < depth || value == depth && self.random.chance(0.3) {
                    (worst, depth) = (Some(i), value);
                }
            }
        }
        worst
    }

    /// The variable that increases the row at the least cost.
    fn entering(&self, row: &Row) -> Option<u32> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for &(variable, coefficient) in row.terms.iter().filter(|t| t.1 > 0) {
            let cost = self.costs[variable as usize].max(0.0) / coefficient as f64;
            if best.is_none() || cost < least {
                (best, least) = (Some(variable), cost);
            }
        }
        best
    }

    /// The inequalities whose slacks are in the row. All coefficients are at most zero, and the constant is negative:
    /// `denominator * basic - sum of coefficient * variable = constant` is impossible.
    fn contradiction(&self, row: &Row) -> Vec<(u32, i64)> {
        let of_slack = |variable: u32| variable.checked_sub(self.variables);
        let mut multiples = Vec::new();
        multiples.extend(of_slack(row.basic).map(|k| (k, row.denominator)));
        for &(variable, coefficient) in &row.terms {
            multiples.extend(of_slack(variable).map(|k| (k, coefficient.saturating_neg())));
        }
        multiples
    }

    fn pivot(&mut self, leaving: usize, entering: u32) -> Result<(), Overflow> {
        let new = self.rows[leaving].solved(entering)?;
        let old = self.rows[leaving].basic;
        for (i, row) in self.rows.iter_mut().enumerate() {
            if i != leaving && row.coefficient(entering) != 0 {
                self.work += (row.terms.len() + new.terms.len()) as u64;
                *row = row.substituted(&new)?;
            }
        }
        // Visiting a row costs something, too.
        self.work += self.rows.len() as u64;
        let cost = self.costs[entering as usize] / new.denominator as f64;
        for &(variable, coefficient) in &new.terms {
            self.costs[variable as usize] += cost * coefficient as f64;
        }
        self.costs[entering as usize] = 0.0;
        self.row_of.remove(&old);
        self.row_of.insert(entering, leaving);
        self.rows[leaving] = new;
        // I2.
        debug_assert!(
            (self.rows.iter()).all(|r| r.terms.iter().all(|t| !self.row_of.contains_key(&t.0)))
        );
        Ok(())
    }

    /// The variables `x` that are not zero in the solution: number, numerator, denominator.
    pub fn solution(&self) -> impl Iterator<Item = (u32, i64, i64)> {
        let rows = self.rows.iter();
        rows.filter(|r| r.basic < self.variables && r.constant != 0)
            .map(|r| (r.basic, r.constant, r.denominator))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inequalities over few variables, each a constant and coefficients.
    type System = Vec<(i64, Vec<(u32, i64)>)>;

    fn random_system(random: &mut Random) -> System {
        let variables = 1 + random.below(4) as u32;
        let inequality = |random: &mut Random| {
            let constant = random.below(9) as i64 - 5;
            let terms = (0..variables).filter_map(|v| {
                let c = random.below(7) as i64 - 3;
                (c != 0).then_some((v, c))
            });
            (constant, terms.collect())
        };
        (0..1 + random.below(6))
            .map(|_| inequality(random))
            .collect()
    }

    /// Fourier–Motzkin elimination: is there a rational solution?
    fn has_solution(system: &System, variables: u32) -> bool {
        let mut rows: Vec<(i128, Vec<i128>)> = Vec::new();
        let dense = |constant: i64, terms: &[(u32, i64)]| {
            let mut row = vec![0; variables as usize];
            terms
                .iter()
                .for_each(|&(v, c)| row[v as usize] = i128::from(c));
            (i128::from(constant), row)
        };
        rows.extend(system.iter().map(|(c, t)| dense(*c, t)));
        rows.extend((0..variables).map(|v| dense(0, &[(v, 1)])));
        for v in 0..variables as usize {
            let (with, mut rest): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.1[v] != 0);
            for up in with.iter().filter(|r| r.1[v] > 0) {
                for down in with.iter().filter(|r| r.1[v] < 0) {
                    let (a, b) = (-down.1[v], up.1[v]);
                    let terms = up.1.iter().zip(&down.1).map(|(x, y)| a * x + b * y);
                    let mut row = (a * up.0 + b * down.0, terms.collect::<Vec<_>>());
                    let all = row
                        .1
                        .iter()
                        .fold(row.0.unsigned_abs(), |g, c| gcd(g, c.unsigned_abs()));
                    if all > 1 {
                        row.0 /= all as i128;
                        row.1.iter_mut().for_each(|c| *c /= all as i128);
                    }
                    rest.push(row);
                }
            }
            rest.sort_unstable();
            rest.dedup();
            rows = rest;
        }
        rows.iter().all(|r| r.0 >= 0)
    }

    #[test]
    fn elimination_agrees_and_both_answers_are_right() {
        let mut random = Random::new(5);
        let (mut feasible, mut infeasible) = (0, 0);
        for seed in 0..3000 {
            let system = random_system(&mut random);
            let mut tableau = Tableau::new(4, seed);
            let mut contradiction = None;
            for (constant, terms) in &system {
                assert!(tableau.add(*constant, terms));
                match tableau.solve(1 << 20) {
                    Ended::Feasible => {}
                    Ended::Infeasible(multiples) => {
                        contradiction = Some(multiples);
                        break;
                    }
                    other => panic!("{other:?} {system:?}"),
                }
            }
            assert_eq!(
                contradiction.is_none(),
                has_solution(&system, 4),
                "{system:?}"
            );
            if let Some(multiples) = contradiction {
                infeasible += 1;
                let (mut constant, mut sum) = (0, [0; 4]);
                for (k, multiple) in multiples {
                    assert!(multiple > 0);
                    let (c, terms) = &system[k as usize];
                    constant += multiple * c;
                    terms
                        .iter()
                        .for_each(|&(v, c)| sum[v as usize] += multiple * c);
                }
                assert!(constant < 0 && sum.iter().all(|&c| c <= 0));
            } else {
                feasible += 1;
                let mut x = [0.0; 4];
                for (v, n, d) in tableau.solution() {
                    assert!(n > 0 && d > 0);
                    x[v as usize] = n as f64 / d as f64;
                }
                for (constant, terms) in &system {
                    let sum: f64 = terms.iter().map(|&(v, c)| c as f64 * x[v as usize]).sum();
                    assert!(*constant as f64 + sum > -1e-9);
                }
            }
        }
        assert!(
            feasible > 300 && infeasible > 300,
            "{feasible} {infeasible}"
        );
    }

    #[test]
    fn large_numbers_end_the_work() {
        let mut tableau = Tableau::new(2, 1);
        assert!(tableau.add(-1, &[(0, i64::MAX / 2), (1, -7)]));
        assert_eq!(tableau.solve(1000), Ended::Feasible);
        assert!(!tableau.add(i64::MAX, &[(0, i64::MAX - 2), (1, 1)]));
    }
}
