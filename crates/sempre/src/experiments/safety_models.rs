//! The models of Latvala's experiments ("Efficient model checking of safety properties", SPIN 2003, section 5), written anew in
//! Promela: the paper names them and gives their parameters, but neither their text nor their properties. The files are in
//! `examples`; the parameters are macros that are put in front. Each comes with a safety property.
//!
//! **Which properties.** The paper's table has a pattern. Where the property holds, the Büchi automata have a quarter more
//! states (peterson) or twice as many (sliding), so the properties say more than `G p`. The sieve's property has a
//! parameter; with 1 all is the same, from 2 on the Büchi automata are lost. Ours are chosen to have that pattern for its likely
//! reason: the Büchi automaton *guesses* where the violation begins. A wrong guess is not refuted before all interleavings up
//! to its end have been seen, and the sieve, a pipeline, has very many. A deterministic automaton does not guess.

use sempre_lang::model::Language;

/// A model, and a property of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyModel {
    /// What it is called, with its parameters.
    pub name: String,
    /// The language.
    pub language: Language,
    /// Its text.
    pub text: String,
    /// The property.
    pub formula: String,
}

impl SafetyModel {
    fn new(name: &str, parameters: &[(&str, usize)], file: &str, formula: String) -> Self {
        let values: Vec<String> = parameters.iter().map(|(_, v)| v.to_string()).collect();
        let macros = parameters.iter().map(|(p, v)| format!("#define {p} {v}\n"));
        Self {
            name: format!("{name}({})", values.join(",")),
            language: Language::Promela,
            text: macros.chain([file.to_string()]).collect(),
            formula,
        }
    }

    /// The model of a name with parameters: `peterson(3)`, `sliding(1,2)`, `sieve(60,2)`.
    pub fn parse(name: &str) -> Option<Self> {
        let (family, rest) = name.split_once('(')?;
        let values = rest.strip_suffix(')')?.split(',');
        let values: Option<Vec<usize>> = values.map(|v| v.trim().parse().ok()).collect();
        match (family, values?.as_slice()) {
            ("peterson", &[n @ 2..=8]) => Some(peterson(n)),
            ("sliding", &[window @ 1..=8, capacity @ 1..=8]) => Some(sliding(window, capacity)),
            ("sieve", &[n @ 5..=255, k]) if (1..=gaps(n).len()).contains(&k) => Some(sieve(n, k)),
            _ => None,
        }
    }
}

/// Peterson's mutual exclusion for `n` processes. Holds: while the first is inside, the second does not come in before the first
/// has left.
pub fn peterson(n: usize) -> SafetyModel {
    SafetyModel::new(
        "peterson",
        &[("N", n)],
        include_str!("../../../../examples/peterson_n.pml"),
        "G({P[0]@CS} -> (!{P[1]@CS} W !{P[0]@CS}))".to_string(),
    )
}

/// A sliding window over channels that lose messages. Holds: after a message with a 0 none with a 2 is delivered before
/// one with a 1.
pub fn sliding(window: usize, capacity: usize) -> SafetyModel {
    let delivered = |content: u8| format!("{{Receiver[1]@deliver && got == {content}}}");
    let (zero, one, two) = (delivered(0), delivered(1), delivered(2));
    SafetyModel::new(
        "sliding",
        &[("W", window), ("C", capacity)],
        include_str!("../../../../examples/sliding_window.pml"),
        format!("G({zero} -> (!{two} W {one}))"),
    )
}

/// The distances between the primes up to `n`.
fn gaps(n: usize) -> Vec<usize> {
    let primes: Vec<usize> = (2..=n)
        .filter(|&p| (2..p).all(|d| !p.is_multiple_of(d)))
        .collect();
    primes.windows(2).map(|w| w[1] - w[0]).collect()
}

/// Of the successions of `k` gaps, none of which is equal to the one before, the one that comes up for the first time last.
fn latest(n: usize, k: usize) -> Vec<usize> {
    let gaps = gaps(n);
    let windows: Vec<&[usize]> = gaps
        .windows(k.max(1))
        .filter(|w| w.windows(2).all(|g| g[0] != g[1]))
        .collect();
    let first = |i: &usize| !windows[..*i].contains(&windows[*i]);
    let last = (0..windows.len()).rev().find(first);
    last.map_or(Vec::new(), |i| windows[i].to_vec())
}

/// The sieve of Eratosthenes for the numbers up to `n`. Violated: no primes have these `k` gaps, one after the other.
pub fn sieve(n: usize, k: usize) -> SafetyModel {
    let mut violation = String::new();
    for gap in latest(n, k).iter().rev() {
        violation = match violation.is_empty() {
            true => format!("{{gap == {gap}}}"),
            false => format!("{{gap == {gap}}} & ({{gap == {gap}}} U ({violation}))"),
        };
    }
    SafetyModel {
        name: format!("sieve({n},{k})"),
        ..SafetyModel::new(
            "sieve",
            &[("N", n)],
            include_str!("../../../../examples/sieve.pml"),
            format!("G !({violation})"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checker, Fairness, Settings, Verdict, sources};
    use sempre_lang::model::Model;

    #[test]
    fn properties_are_what_they_are_said_to_be() {
        for (model, holds) in [
            ("peterson(2)", true),
            ("peterson(3)", true),
            ("sliding(1,1)", true),
            ("sliding(2,2)", true),
            ("sieve(12,1)", false),
            ("sieve(20,2)", false),
            ("sieve(30,3)", false),
        ] {
            let model = SafetyModel::parse(model).expect("a model");
            let (read, _) = Model::read(model.language, &model.name, &model.text).expect("Promela");
            let property = sources::formula(&read, &model.formula).expect("a formula");
            let checker = Checker::new(read.program(), Fairness::None).expect("no fairness");
            let report = checker
                .check(&property, &Settings::default())
                .expect("checked");
            let found = matches!(report.verdict, Verdict::Holds(_));
            let violated = matches!(report.verdict, Verdict::Violated(_));
            assert_eq!((found, violated), (holds, !holds), "{}", model.name);
            assert!(report.search.is_some(), "{}", model.name);
        }
    }

    #[test]
    fn gaps_that_come_up_late() {
        // 2 3 5 7 11 13 17 19 23 29
        assert_eq!(gaps(29), [1, 2, 2, 4, 2, 4, 2, 4, 6]);
        assert_eq!(latest(29, 1), [6]);
        assert_eq!(latest(28, 1), [4]);
        assert_eq!(latest(28, 2), [4, 2]);
        assert_eq!(latest(29, 3), [2, 4, 6]);
        let model = sieve(29, 2);
        assert_eq!(
            model.formula,
            "G !({gap == 4} & ({gap == 4} U ({gap == 6})))"
        );
        assert!(model.text.starts_with("#define N 29\n"));
        assert_eq!(model.name, "sieve(29,2)");
    }

    #[test]
    fn names_with_parameters() {
        assert_eq!(SafetyModel::parse("sliding(2, 1)"), Some(sliding(2, 1)));
        for wrong in [
            "peterson",
            "peterson(1)",
            "peterson(3",
            "sieve(50)",
            "sieve(50,0)",
            "sieve(10,9)",
            "x(1)",
        ] {
            assert_eq!(SafetyModel::parse(wrong), None, "{wrong}");
        }
    }
}
