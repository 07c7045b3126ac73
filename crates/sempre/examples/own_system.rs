//! Checks a system that is a Rust type of one's own: a counter that goes round.

use sempre::Workbench;
use sempre::explicit::check::{Options, Outcome, check};
use sempre::explicit::property::Property;
use sempre::model::{Sink, Step, System};

struct Counter;

impl System for Counter {
    type Context = ();
    fn context(&self) {}
    fn width(&self) -> usize {
        1
    }
    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        each(&[0]);
    }
    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        let step = Step {
            action: 0,
            marks: 0,
        };
        sink.successor(step, &[(state[0] + 1) % 10]);
    }
    fn holds(&self, (): &mut (), state: &[u64], _proposition: usize) -> bool {
        state[0] == 0
    }
}

fn main() {
    let mut bench = Workbench::new();
    let f = bench.parse("G F zero").expect("a formula");
    let negation = bench.formulas.not(f);
    let violations = bench.translate(negation, Default::default());
    let zero = bench.alphabet.declare("zero");
    let property = Property::new(&mut bench.alphabet.bdds, &violations, &[zero]).expect("Büchi");
    let found = check(&Counter, &property, &Options::default());
    assert_eq!(found.outcome, Outcome::Empty);
    println!(
        "G F zero holds: {} states",
        found.statistics.counters.states
    );
}
