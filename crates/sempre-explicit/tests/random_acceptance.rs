//! All engines, with several numbers of workers, on random systems and automata with random acceptance, in all
//! forms that these can be brought into, against the product of automata and its emptiness check.
//!
//! `SEMPRE_LARGE=1` takes 20,000 pairs, and ten searches of each of 300 in other orders, which takes minutes.

mod graph_model;

use graph_model::{Model, Move, PROPOSITIONS, is_violation};
use sempre_base::Random;
use sempre_explicit::check::{Options, Outcome, applicable, check};
use sempre_explicit::emptiness::{Algorithm, Pairs};
use sempre_explicit::product::{Deadlock, Order};
use sempre_explicit::property::Property;
use sempre_omega::degeneralize::{Kind, degeneralize};
use sempre_omega::fin_less::fin_less;
use sempre_omega::generalized_rabin::generalized_rabin;
use sempre_omega::paritize::to_parity;
use sempre_omega::product::product;
use sempre_omega::random::{RandomAutomaton, random_acceptance};
use sempre_omega::remove_fin::remove_fin;
use sempre_omega::{Acceptance, Alphabet, Automaton, Letter, Mark, emptiness};
use std::collections::BTreeMap;

/// More cases than any of these conditions has.
const MOST_CASES: usize = 10_000;

/// One system and the automaton of its violations, in several forms.
struct Pair {
    model: Model,
    forms: Vec<(&'static str, Automaton, Property)>,
    deadlock: Deadlock,
    fair: bool,
    violated: bool,
}

/// The system as an automaton. The marks of processes are those of weak fairness.
fn as_automaton(
    model: &Model,
    alphabet: &mut Alphabet,
    deadlock: Deadlock,
    fair: bool,
) -> Automaton {
    let variables: Vec<u32> = (0..PROPOSITIONS as u32).collect();
    let processes = if fair { model.processes as u32 } else { 0 };
    let sets = model.marks + processes;
    let mut a = Automaton::new(variables.clone(), sets, Acceptance::generalized_buchi(sets));
    for _ in &model.moves {
        a.add_state();
    }
    for &s in &model.initial {
        if !a.initial.contains(&(s as u32)) {
            a.initial.push(s as u32);
        }
    }
    for (s, moves) in model.moves.iter().enumerate() {
        let letter = variables
            .iter()
            .filter(|&p| model.valuation[s] >> p & 1 == 1);
        let label = Letter::from_iter(letter.copied()).to_label(&mut alphabet.bdds, &variables);
        let moves_in = |p: u32, m: &Move| model.actions[m.action as usize].contains(&p);
        for m in moves {
            let own = (0..model.marks).filter(|i| m.marks >> i & 1 == 1);
            let fairly =
                (0..processes).filter(|&p| moves_in(p, m) || !moves.iter().any(|m| moves_in(p, m)));
            let mark: Mark = own.chain(fairly.map(|p| model.marks + p)).collect();
            a.add_edge(s as u32, m.target as u32, label, mark);
        }
        if moves.is_empty() && deadlock == Deadlock::Stutter {
            a.add_edge(s as u32, s as u32, label, (0..sets).collect());
        }
    }
    a
}

impl Pair {
    fn random(random: &mut Random, alphabet: &mut Alphabet) -> Self {
        let mut model = Model::random(random);
        model.failing.fill(None);
        let deadlock = [Deadlock::Stutter, Deadlock::Drop][random.below(2)];
        let fair = random.chance(0.3);
        let sets = 1 + random.below(4) as u32;
        let variables: Vec<u32> = (0..PROPOSITIONS as u32).collect();
        let mut kind = RandomAutomaton::generalized_buchi(1 + random.below(4), &variables, sets);
        // Two conditions joined: sets occur several times, with both signs.
        let [one, other] = [(); 2].map(|()| random_acceptance(random, sets));
        kind.acceptance = match random.below(3) {
            0 => Acceptance::or([one, other]),
            1 => Acceptance::and([one, other]),
            _ => one,
        };
        kind.mark_probability = [0.3, 0.6][random.below(2)];
        kind.complete = random.chance(0.5);
        let a = kind.generate(random, &mut alphabet.bdds);
        let reference = as_automaton(&model, alphabet, deadlock, fair);
        let together = product(&mut alphabet.bdds, &reference, &a);
        let violated = !emptiness::is_empty(&together);
        let bdds = &mut alphabet.bdds;
        let tgba = remove_fin(&a, MOST_CASES).expect("few cases");
        let ba = degeneralize(bdds, &tgba, Kind::StateBased).expect("it is generalised Büchi");
        let forms = [
            (
                "tgra",
                generalized_rabin(&a, MOST_CASES).expect("few cases"),
            ),
            ("finless", fin_less(&a, MOST_CASES).expect("few cases")),
            ("parity", to_parity(&a, bdds, 10_000).expect("few records")),
            ("tgba", tgba),
            ("ba", ba),
            ("tela", a),
        ];
        let forms = forms.map(|(name, a)| {
            let compiled = Property::with_any_acceptance(bdds, &a, &variables, MOST_CASES);
            (name, a, compiled.expect("its propositions are known"))
        });
        Self {
            model,
            forms: forms.into(),
            deadlock,
            fair,
            violated,
        }
    }

    /// Checks all forms in all ways; counts the checks of each form and algorithm.
    fn compare(&self, alphabet: &Alphabet, seed: u64, seen: &mut BTreeMap<(&str, &str), usize>) {
        for (form, a, compiled) in &self.forms {
            for (algorithm, name) in Algorithm::ALL {
                for workers in [1, 2, 4, 16] {
                    let options = Options {
                        algorithm,
                        deadlock: self.deadlock,
                        fair: self.fair,
                        order: match seed % 3 {
                            0 => Order::System,
                            1 => Order::Shuffled(seed),
                            _ => Order::Permuted(seed),
                        },
                        workers,
                        pairs: [Pairs::OneByOne, Pairs::Parallel][seed as usize / 3 % 2],
                        ..Options::default()
                    };
                    if applicable(compiled, &self.model, &options).is_err() {
                        continue;
                    }
                    let what = format!("{name} with {workers} workers, {form}, seed {seed}");
                    match check(&self.model, compiled, &options).outcome {
                        Outcome::Empty => assert!(!self.violated, "{what}"),
                        Outcome::Violated(run) => {
                            assert!(self.violated, "{what}");
                            let real = is_violation(&self.model, alphabet, a, self.deadlock, &run);
                            assert!(real, "{what}: {run:?}");
                        }
                        other => panic!("{what}: {other:?}"),
                    }
                    *seen.entry((form, name)).or_default() += 1;
                }
            }
        }
    }
}

fn large() -> bool {
    std::env::var_os("SEMPRE_LARGE").is_some()
}

fn alphabet() -> Alphabet {
    let mut alphabet = Alphabet::new();
    for i in 0..PROPOSITIONS {
        alphabet.declare(&format!("p{i}"));
    }
    alphabet
}

/// Half of the pairs each, so that two threads can take them.
#[test]
fn all_engines_agree_on_automata_with_random_acceptance() {
    all_engines_agree(31);
}

#[test]
fn all_engines_agree_on_more_automata_with_random_acceptance() {
    all_engines_agree(33);
}

fn all_engines_agree(seed: u64) {
    let mut random = Random::new(seed);
    let mut alphabet = alphabet();
    let mut seen = BTreeMap::new();
    let mut verdicts = [0; 2];
    let rounds = if large() { 10_000 } else { 50 };
    for round in 0..rounds {
        let pair = Pair::random(&mut random, &mut alphabet);
        verdicts[usize::from(pair.violated)] += 1;
        pair.compare(&alphabet, round, &mut seen);
    }
    println!("{verdicts:?} {seen:?}");
    assert!(verdicts.iter().all(|&n| n > rounds / 5), "{verdicts:?}");
    // Those that take any acceptance have seen all forms.
    for form in ["tgra", "finless", "parity", "tgba", "ba", "tela"] {
        for name in ["favoid", "emerson-lei"] {
            let count = 4 * rounds as usize;
            assert_eq!(seen.get(&(form, name)), Some(&count), "{form} {name}");
        }
    }
}

/// The same pairs, again and again in other orders.
#[test]
fn verdicts_do_not_flicker() {
    let mut random = Random::new(32);
    let mut alphabet = alphabet();
    let (pairs, times) = if large() { (300, 10) } else { (12, 4) };
    for _ in 0..pairs {
        let pair = Pair::random(&mut random, &mut alphabet);
        for _ in 0..times {
            pair.compare(&alphabet, random.next_u64() >> 1, &mut BTreeMap::new());
        }
    }
}
