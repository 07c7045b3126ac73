//! The models of Latvala's experiments ("Efficient model checking of safety properties", SPIN 2003, section 5), written anew:
//! the paper names them and gives their parameters, but not their text. Each comes with a safety property.

use std::fmt::Write;

/// A model in DVE, and a property of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafetyModel {
    /// What it is called, with its parameters.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The property.
    pub formula: String,
}

/// Peterson's mutual exclusion for `n` processes, each of which climbs through `n - 1` levels and waits on each for others to
/// be behind or for somebody else to come. Holds: the first two are never critical at once.
pub fn peterson(n: usize) -> SafetyModel {
    let mut text = format!("byte level[{n}], last[{n}];\n\n");
    for i in 0..n {
        let others: Vec<String> = (0..n)
            .filter(|&k| k != i)
            .map(|k| format!("level[{k}] < j"))
            .collect();
        let others = others.join(" and ");
        let _ = write!(
            text,
            "process P_{i} {{\n  byte j;\n  state idle, climb, mark, wait, CS;\n  init idle;\n  trans\n    \
             idle -> climb {{ effect j = 1; }},\n    \
             climb -> mark {{ guard j < {n}; effect level[{i}] = j; }},\n    \
             mark -> wait {{ effect last[j] = {i}; }},\n    \
             wait -> climb {{ guard last[j] != {i} or ({others}); effect j = j + 1; }},\n    \
             climb -> CS {{ guard j == {n}; }},\n    \
             CS -> idle {{ effect level[{i}] = 0, j = 0; }};\n}}\n\n"
        );
    }
    text.push_str("system async;\n");
    SafetyModel {
        name: format!("peterson({n})"),
        text,
        formula: "G !({P_0.CS} & {P_1.CS})".to_string(),
    }
}

/// A sliding window of `window` messages over channels that hold `capacity` each and lose some. Sequence numbers are
/// counted modulo one more than the window; messages carry their number modulo 3 besides. Holds: after a message with a
/// 0 none with a 2 is delivered before one with a 1.
pub fn sliding(window: usize, capacity: usize) -> SafetyModel {
    let m = window + 1;
    let mut text = format!(
        "channel {{byte, byte}} data[{capacity}];\nchannel {{byte}} ack[{capacity}];\nbyte got;\n\n\
         process Sender {{\n  byte oldest, sent, payload, a;\n  state run, heard;\n  init run;\n  trans\n    \
         run -> run {{ guard sent < {window}; sync data!{{(oldest + sent) % {m}, (payload + sent) % 3}}; \
         effect sent = sent + 1; }},\n"
    );
    for i in 0..window {
        let _ = writeln!(
            text,
            "    run -> run {{ guard sent > {i}; sync data!{{(oldest + {i}) % {m}, (payload + {i}) % 3}}; }},"
        );
    }
    let new = format!("(a + {m} - oldest) % {m}");
    let _ = write!(
        text,
        "    run -> heard {{ sync ack?{{a}}; }},\n    \
         heard -> run {{ guard {new} > sent; effect a = 0; }},\n    \
         heard -> run {{ guard {new} <= sent;\n      \
         effect payload = (payload + {new}) % 3, sent = sent - {new}, oldest = a, a = 0; }};\n}}\n\n\
         process Loss {{\n  byte x, y;\n  state run;\n  init run;\n  trans\n    \
         run -> run {{ sync data?{{x, y}}; effect x = 0, y = 0; }},\n    \
         run -> run {{ sync ack?{{x}}; effect x = 0; }};\n}}\n\n\
         process Receiver {{\n  byte expected, s, p;\n  state wait, look, deliver, reply;\n  init wait;\n  trans\n    \
         wait -> look {{ sync data?{{s, p}}; }},\n    \
         look -> deliver {{ guard s == expected; effect expected = (expected + 1) % {m}, got = p, s = 0, p = 0; }},\n    \
         look -> reply {{ guard s != expected; effect s = 0, p = 0; }},\n    \
         deliver -> reply {{}},\n    \
         reply -> wait {{ sync ack!{{expected}}; }};\n}}\n\nsystem async;\n"
    );
    let delivered = |payload: u8| format!("{{Receiver.deliver and got == {payload}}}");
    let (zero, one, two) = (delivered(0), delivered(1), delivered(2));
    SafetyModel {
        name: format!("sliding({window},{capacity})"),
        text,
        formula: format!("G({zero} -> X(!{two} W {one}))"),
    }
}

/// The sieve of Eratosthenes for the numbers up to `n`: each filter keeps the first number it gets, drops its multiples, and
/// passes on the others. Violated: the last `k` primes are never found one after the other.
pub fn sieve(n: usize, k: usize) -> SafetyModel {
    let primes: Vec<usize> = (2..=n)
        .filter(|&p| (2..p).all(|d| !p.is_multiple_of(d)))
        .collect();
    let channels: Vec<String> = (0..primes.len()).map(|i| format!("c_{i}")).collect();
    let mut text = format!(
        "channel {};\n\nprocess Numbers {{\n  byte x = 2;\n  state run;\n  init run;\n  trans\n    \
         run -> run {{ guard x <= {n}; sync c_0!x; effect x = x + 1; }};\n}}\n\n",
        channels.join(", ")
    );
    for i in 0..primes.len() {
        let _ = write!(
            text,
            "process F_{i} {{\n  byte prime, x;\n  state start, run, look;\n  init start;\n  trans\n    \
             start -> run {{ sync c_{i}?prime; }},\n    \
             run -> look {{ sync c_{i}?x; }},\n    \
             look -> run {{ guard x % prime == 0; effect x = 0; }}"
        );
        if i + 1 < primes.len() {
            let next = i + 1;
            let _ = write!(
                text,
                ",\n    look -> run {{ guard x % prime != 0; sync c_{next}!x; effect x = 0; }}"
            );
        }
        text.push_str(";\n}\n\n");
    }
    text.push_str("system async;\n");
    let mut formula = String::new();
    for (i, prime) in primes.iter().enumerate().rev().take(k.max(1)) {
        let not = format!("!{{F_{i}->prime == {prime}}}");
        formula = match formula.is_empty() {
            true => format!("G {not}"),
            false => format!("G({not} | {formula})"),
        };
    }
    SafetyModel {
        name: format!("sieve({n},{k})"),
        text,
        formula,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checker, Fairness, Settings, Verdict, sources};
    use sempre_lang::model::{Language, Model};

    #[test]
    fn properties_are_what_they_are_said_to_be() {
        for (model, holds) in [
            (peterson(2), true),
            (peterson(3), true),
            (sliding(1, 1), true),
            (sliding(2, 2), true),
            (sieve(12, 1), false),
            (sieve(20, 3), false),
        ] {
            let (read, _) = Model::read(Language::Dve, &model.name, &model.text).expect("DVE");
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

    /// The last of four primes is found; one filter less would not be enough.
    #[test]
    fn the_sieve_has_a_filter_for_each_prime() {
        let model = sieve(10, 2);
        assert_eq!(model.text.matches("process F_").count(), 4);
        assert_eq!(
            model.formula,
            "G(!{F_2->prime == 5} | G !{F_3->prime == 7})"
        );
    }
}
