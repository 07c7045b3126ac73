//! Meanings for the names of a random formula, in a random program.

use sempre::base::Random;
use sempre::check::Proposition;
use sempre::model::random_program::random_expression;
use sempre::model::{Expr, Program};

/// So many propositions: that a process is at a place, or, with some probability, any expression.
pub fn propositions(
    random: &mut Random,
    program: &Program,
    count: usize,
    expressions: f64,
) -> Vec<Proposition> {
    (0..count)
        .map(|i| Proposition {
            text: format!("p{i}"),
            meaning: match expressions > 0.0 && random.chance(expressions) {
                true => random_expression(random, program, 2),
                false => {
                    let process = random.pick(&program.processes);
                    let location = process.location.expect("it has locations");
                    let value = Expr::Constant(random.below(3) as i64);
                    Expr::equal(Expr::variable(location), value)
                }
            },
        })
        .collect()
}
