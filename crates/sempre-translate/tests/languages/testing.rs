//! Testing automata of formulas: the papers' examples, and languages on words and exactly.
//!
//! `SEMPRE_TESTING_FORMULAS` is the number of random formulas, 300 by default.

use crate::words::BothWays;
use sempre_base::Lasso;
use sempre_base::Random;
use sempre_ltl::{
    Formula, Formulas, ParseOptions, RandomFormula, Syntax, holds, parse, patterns, print,
};
use sempre_omega::accepting_run::{accepting_word, intersecting_word};
use sempre_omega::complement::complement;
use sempre_omega::testing::change_words::{
    ta_over_changes, ta_over_valuations, tgta_over_changes, tgta_over_valuations,
};
use sempre_omega::testing::membership::{ta_accepts, tgta_accepts};
use sempre_omega::testing::sta::single_pass;
use sempre_omega::testing::{Initial, Limits, Refusal, Ta, Tgta, valuation};
use sempre_omega::word::{Letter, random_word};
use sempre_omega::{Alphabet, Automaton, Bdds, Word};
use sempre_translate::testing::{TestingError, ta, tgta};
use sempre_translate::translator::{Effort, Kind, Options, Translator};

/// An arena, an alphabet and a translator.
#[derive(Default)]
struct Place {
    arena: Formulas,
    alphabet: Alphabet,
    translator: Translator,
}

impl Place {
    fn parse(&mut self, text: &str) -> Formula {
        parse(&mut self.arena, text, &ParseOptions::default())
            .expect(text)
            .formula
    }

    fn automaton(&mut self, f: Formula, kind: Kind) -> Automaton {
        let options = Options {
            kind,
            ..Options::default()
        };
        self.translator
            .translate(&mut self.arena, &mut self.alphabet, f, options)
    }

    fn ta(&mut self, f: Formula) -> Result<Ta, TestingError> {
        let (options, limits) = (Options::default(), Limits::default());
        let Self {
            arena,
            alphabet,
            translator,
        } = self;
        ta(translator, arena, alphabet, f, options, limits)
    }

    fn tgta(&mut self, f: Formula) -> Result<Tgta, TestingError> {
        let (options, limits) = (Options::default(), Limits::default());
        let Self {
            arena,
            alphabet,
            translator,
        } = self;
        tgta(translator, arena, alphabet, f, options, limits)
    }
}

// --- the papers' examples ----------------------------------------------------------------------

/// Section 2.3, Figs. 3 and 4: of `(G b, a b)` and `(G b, !a b)` one state `(G b, b)` is made, and
/// `(a U G b, !a b)`, on no cycle, becomes Büchi accepting and merges with it.
#[test]
fn a_until_always_b_is_reduced_as_in_the_paper() {
    let mut place = Place::default();
    let f = place.parse("a U G b");
    let ba = place.automaton(f, Kind::Ba);
    assert_eq!(ba.states(), 2, "the automaton of Fig. 2(b)");
    let bdds = &mut place.alphabet.bdds;
    let mut t = Ta::unreduced(bdds, &ba, Limits::default()).unwrap();
    // (a U G b, a !b), (a U G b, a b), (a U G b, !a b) and (G b, b): Fig. 3(b).
    assert_eq!((t.states(), t.transitions()), (4, 7));
    assert_eq!(t.initial.len(), 3);
    let last = t
        .initial_states(bits(&place.alphabet, &t.propositions, &["b"]))
        .next()
        .unwrap();
    assert!(t.livelock[last as usize] && !t.buchi[last as usize]);
    t.merge_bisimilar();
    assert_eq!(t.states(), 4, "without the second optimisation");
    assert!(t.transient_into_buchi());
    t.merge_bisimilar();
    // Fig. 4.
    assert_eq!((t.states(), t.transitions()), (3, 5));
    let both: Vec<u32> = (0..3).filter(|&s| t.buchi[s as usize]).collect();
    let &[gb] = &both[..] else { panic!("{t:?}") };
    assert!(t.livelock[gb as usize]);
    assert_eq!(t.livelock.iter().filter(|g| **g).count(), 2);
    let (a, b) = (
        bits(&place.alphabet, &t.propositions, &["a"]),
        bits(&place.alphabet, &t.propositions, &["b"]),
    );
    assert_eq!(t.initial_states(b).collect::<Vec<_>>(), [gb]);
    assert_eq!(
        t.edges(gb, a).iter().map(|e| e.to).collect::<Vec<_>>(),
        [gb]
    );
    assert_eq!(t.table.of(gb).len(), 1);
    let whole = place.ta(f).unwrap();
    assert_eq!(whole.stats(), t.stats());
}

/// "Had the formula been `(a | c) U G b`": four states for `G b` that differ in propositions it does not observe.
#[test]
fn what_a_state_does_not_observe_makes_no_states() {
    let mut place = Place::default();
    let f = place.parse("(a | c) U G b");
    let ba = place.automaton(f, Kind::Ba);
    let bdds = &mut place.alphabet.bdds;
    let t = Ta::unreduced(bdds, &ba, Limits::default()).unwrap();
    // Seven valuations with a, b or c, but only one state for G b.
    assert_eq!(t.states(), 7 + 1);
}

#[test]
fn two_recurrences_are_no_larger_than_in_the_paper() {
    let mut place = Place::default();
    let f = place.parse("G F a & G F b");
    let t = place.ta(f).unwrap();
    println!("{:?}", t.stats());
    assert!(t.states() <= 11 && t.transitions() <= 64, "{:?}", t.stats());
    let g = place.tgta(f).unwrap();
    println!("{:?}", g.stats());
    assert_eq!((g.states(), g.sets), (4, 2));
}

/// Fig. 1(b).
#[test]
fn eventually_always_a_is_the_automaton_of_the_paper() {
    let mut place = Place::default();
    let f = place.parse("F G a");
    let t = place.tgta(f).unwrap();
    assert_eq!((t.states(), t.sets), (3, 1));
    let (no, yes) = (0, 1);
    let one: Vec<u32> = t.initial_states(no).collect();
    let &[one] = &one[..] else { panic!("{t:?}") };
    let with_a: Vec<u32> = t.initial_states(yes).collect();
    assert_eq!(with_a.len(), 2);
    let two = *with_a.iter().find(|&&s| t.stutter_marks(s) == 1).unwrap();
    let zero = *with_a.iter().find(|&&s| s != two).unwrap();
    assert!(one != zero && one != two);
    let to = |s: u32| {
        let mut to: Vec<(u32, u64)> = t.edges(s, 1).iter().map(|e| (e.to, e.marks)).collect();
        to.sort_unstable();
        to
    };
    assert_eq!(to(zero), [(one, 0)]);
    let mut both = [(zero, 0), (two, 0)];
    both.sort_unstable();
    assert_eq!(to(one), both);
    assert_eq!(to(two), []);
    assert_eq!((t.stutter_marks(zero), t.stutter_marks(one)), (0, 0));
    assert_eq!(t.transitions(), 3 + 3);
}

/// A response: stuttering after each change is skipped, so five states suffice.
#[test]
fn a_response_settles() {
    let mut place = Place::default();
    let f = place.parse("G(a -> F b)");
    let t = place.tgta(f).unwrap();
    assert_eq!(t.states(), 5);
    assert!(t.is_deterministic());
}

fn bits(alphabet: &Alphabet, propositions: &[u32], names: &[&str]) -> u64 {
    let letter: Letter = names.iter().map(|n| alphabet.find(n).unwrap()).collect();
    valuation(propositions, &letter)
}

// --- languages ---------------------------------------------------------------------------------

/// All automata of a formula.
struct All {
    ba: Automaton,
    tgba: Automaton,
    ta: Ta,
    plain: Ta,
    sta: Ta,
    tgta: Tgta,
    plain_tgta: Tgta,
}

/// Translates a stutter-invariant formula; `None` if it is refused.
fn all(place: &mut Place, f: Formula) -> Option<All> {
    let ta = match place.ta(f) {
        Ok(t) => t,
        Err(_) => return None,
    };
    let tgta = place.tgta(f).expect("the other kind was not refused");
    let (ba, tgba) = (place.automaton(f, Kind::Ba), place.automaton(f, Kind::Tgba));
    let bdds = &mut place.alphabet.bdds;
    let plain = Ta::unreduced(bdds, &ba, Limits::default()).unwrap();
    let plain_tgta = Tgta::unreduced(bdds, &tgba, Limits::default()).unwrap();
    assert!(tgta.is_well_formed() && plain_tgta.is_well_formed());
    assert!(tgta.is_deterministic() || !tgba.is_deterministic(bdds));
    assert!(ta.states() <= plain.states() && tgta.states() <= plain_tgta.states());
    assert!(ta.table.all().iter().all(|e| e.changeset != 0));
    let sta = single_pass(&ta);
    let resting = (0..sta.states()).filter(|&s| sta.livelock[s]);
    for s in resting {
        assert!(sta.table.of(s as u32).is_empty());
    }
    assert!(sta.livelock.iter().filter(|g| **g).count() <= 1);
    Some(All {
        ba,
        tgba,
        ta,
        plain,
        sta,
        tgta,
        plain_tgta,
    })
}

/// All automata agree with the semantics on these words. Returns how many words satisfy the formula.
fn agree_on_words(place: &mut Place, f: Formula, x: &All, words: &[Word]) -> usize {
    let mut satisfying = 0;
    for w in words {
        let both = BothWays::of(&mut place.arena, &place.alphabet, w.clone());
        let truth = both.satisfies(&place.arena, f);
        satisfying += usize::from(truth);
        let verdicts = [
            both.is_accepted(&place.alphabet, &x.ba),
            both.is_accepted(&place.alphabet, &x.tgba),
            ta_accepts(&x.ta, w),
            ta_accepts(&x.plain, w),
            ta_accepts(&x.sta, w),
            tgta_accepts(&x.tgta, w),
            tgta_accepts(&x.plain_tgta, w),
        ];
        let text = print(&place.arena, f, Syntax::Spot).to_string();
        assert_eq!(verdicts, [truth; 7], "{text} on {w:?}");
    }
    satisfying
}

/// Words over some propositions, most with repetitions, some that the automata propose.
fn words(r: &mut Random, place: &Place, x: &All, variables: &[u32], count: usize) -> Vec<Word> {
    let mut words: Vec<Word> = (0..count)
        .map(|_| {
            let w = random_word(r, variables, 3, 3);
            stretch(r, &w)
        })
        .collect();
    if let Some(w) = accepting_word(&place.alphabet.bdds, &x.ba) {
        words.push(stretch(r, &w));
        words.push(w);
    }
    words
}

fn stretch(r: &mut Random, w: &Word) -> Word {
    let mut part = |letters: &[Letter]| -> Vec<Letter> {
        (letters.iter())
            .flat_map(|x| std::iter::repeat_n(x.clone(), 1 + r.below(2)))
            .collect()
    };
    Lasso::new(part(w.prefix()), part(w.cycle()))
}

/// The exact comparison: nothing outside the language is accepted, and, if a complement is small, nothing inside is
/// missed. Returns whether it was small.
fn exactly(place: &mut Place, f: Formula, x: &All) -> bool {
    let not_f = place.arena.not(f);
    let outside = place.automaton(not_f, Kind::Tgba);
    let bdds = &mut place.alphabet.bdds;
    let text = print(&place.arena, f, Syntax::Spot).to_string();
    let mut compared = true;
    let candidates = [
        ("TA", ta_over_valuations(bdds, &x.ta)),
        ("STA", ta_over_valuations(bdds, &x.sta)),
        ("TGTA", tgta_over_valuations(bdds, &x.tgta)),
    ];
    for (name, a) in &candidates {
        if let Some(w) = intersecting_word(bdds, a, &outside) {
            panic!("the {name} of {text} accepts {w:?}");
        }
        compared &= misses_nothing(bdds, a, &x.tgba, &format!("the {name} of {text}"));
    }
    compared
}

fn misses_nothing(bdds: &mut Bdds, a: &Automaton, whole: &Automaton, what: &str) -> bool {
    let Ok(c) = complement(bdds, a, 200) else {
        return false;
    };
    if let Some(w) = intersecting_word(bdds, &c, whole) {
        panic!("{what} misses {w:?}");
    }
    true
}

#[test]
fn random_formulas_without_next_keep_their_languages() {
    let count: usize = std::env::var("SEMPRE_TESTING_FORMULAS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(300);
    let mut r = Random::new(41);
    let (mut satisfying, mut tried, mut exact) = (0, 0, 0);
    let mut done = 0;
    while done < count {
        let mut place = Place::default();
        let propositions = 1 + done / 20 % 3;
        let variables: Vec<u32> = (0..propositions)
            .map(|i| place.alphabet.declare(&format!("p{i}")))
            .collect();
        let shape = RandomFormula::new(propositions).without_next();
        for _ in 0..20 {
            let f = shape.draw(&mut place.arena, &mut r);
            let x = all(&mut place, f).expect("stutter-invariant and small");
            let words = words(&mut r, &place, &x, &variables, 25);
            satisfying += agree_on_words(&mut place, f, &x, &words);
            tried += words.len();
            exact += usize::from(propositions < 3 && exactly(&mut place, f, &x));
            done += 1;
        }
    }
    println!("{done} formulas, {exact} compared exactly, {satisfying} of {tried} words accepted");
    assert!(satisfying > tried / 4 && satisfying < 3 * tried / 4);
    assert!(exact > done / 2, "{exact}");
}

#[test]
fn formulas_of_the_literature_keep_their_languages() {
    let mut r = Random::new(42);
    let (mut done, mut sensitive, mut large) = (0, 0, 0);
    for info in patterns::families() {
        for n in 1..=info.count.unwrap_or(2) {
            let mut place = Place::default();
            let f = patterns::family(&mut place.arena, info.name, n).unwrap();
            match place.ta(f) {
                Ok(_) => {}
                Err(TestingError::StutterSensitive { accepted, rejected }) => {
                    assert!(holds(&place.arena, f, &accepted), "{} {n}", info.name);
                    assert!(!holds(&place.arena, f, &rejected), "{} {n}", info.name);
                    sensitive += 1;
                    continue;
                }
                Err(TestingError::Refused(Refusal::Transitions(_))) => {
                    large += 1;
                    continue;
                }
                Err(other) => panic!("{} {n}: {other}", info.name),
            }
            let x = all(&mut place, f).unwrap();
            let variables = x.tgba.propositions.clone();
            let words = words(&mut r, &place, &x, &variables, 20);
            agree_on_words(&mut place, f, &x, &words);
            done += 1;
        }
    }
    println!("{done} formulas, {sensitive} are not stutter-invariant, {large} too large");
    assert!(done > 100 && sensitive > 5 && large <= 3);
}

/// The form for the Hanoi format reads changes, and accepts the same words as the testing automaton.
#[test]
fn words_of_changes_are_accepted_alike() {
    let mut r = Random::new(43);
    let mut accepted = [0; 2];
    for _ in 0..60 {
        let mut place = Place::default();
        let variables: Vec<u32> = ["p0", "p1"].map(|p| place.alphabet.declare(p)).to_vec();
        let f = RandomFormula::new(2)
            .without_next()
            .draw(&mut place.arena, &mut r);
        let (t, g) = (place.ta(f).unwrap(), place.tgta(f).unwrap());
        let alphabet = &mut place.alphabet;
        let (x, y) = (
            ta_over_changes(alphabet, &t),
            tgta_over_changes(alphabet, &g),
        );
        assert_eq!((x.states(), y.states()), (t.states() + 1, g.states() + 1));
        for _ in 0..20 {
            let w = random_word(&mut r, &variables, 3, 3);
            let w = stretch(&mut r, &w);
            let changed = changes(alphabet, &variables, &w);
            for (a, truth) in [(&x, ta_accepts(&t, &w)), (&y, tgta_accepts(&g, &w))] {
                let verdict = sempre_omega::membership::accepts(&alphabet.bdds, a, &changed);
                assert_eq!(verdict, truth, "{w:?} {changed:?}");
                accepted[usize::from(truth)] += 1;
            }
        }
    }
    assert!(accepted.iter().all(|&n| n > 300), "{accepted:?}");
}

/// The changes from letter to letter, starting from a letter in which everything is false.
fn changes(alphabet: &mut Alphabet, variables: &[u32], w: &Word) -> Word {
    let names: Vec<u32> = variables
        .iter()
        .map(|&v| {
            let name = format!("changes({})", alphabet.name(v));
            alphabet.declare(&name)
        })
        .collect();
    let letter = |from: Option<usize>, to: usize| -> Letter {
        let holds = |v| from.is_some_and(|i| w.letter(i).holds(v));
        let pairs = variables.iter().zip(&names);
        pairs
            .filter(|(v, _)| holds(**v) != w.letter(to).holds(**v))
            .map(|p| *p.1)
            .collect()
    };
    // The prefix is one letter longer, because the first letter of the cycle is not a change from
    // the last.
    let (first, all) = (w.prefix().len(), w.len());
    let prefix = (0..=first).map(|i| letter(i.checked_sub(1), i)).collect();
    let cycle = (first..all)
        .map(|i| letter(Some(i), w.successor(i)))
        .collect();
    Lasso::new(prefix, cycle)
}

// --- refusals ----------------------------------------------------------------------------------

#[test]
fn formulas_that_count_are_refused_with_two_words() {
    for text in ["X a", "G(a -> X b)", "F(a & X a)", "X F a"] {
        let mut place = Place::default();
        let f = place.parse(text);
        for error in [place.ta(f).err(), place.tgta(f).err()] {
            let Some(TestingError::StutterSensitive { accepted, rejected }) = error else {
                panic!("{text}: {error:?}");
            };
            assert!(holds(&place.arena, f, &accepted));
            assert!(!holds(&place.arena, f, &rejected));
        }
    }
    // With X, and invariant.
    let mut place = Place::default();
    let f = place.parse("F(a & X !a)");
    assert!(place.ta(f).is_ok() && place.tgta(f).is_ok());
}

#[test]
fn what_is_too_large_is_refused() {
    let mut place = Place::default();
    let conjuncts: Vec<String> = (0..17).map(|i| format!("F p{i}")).collect();
    let f = place.parse(&conjuncts[..9].join(" | "));
    let many = place.parse(&format!("G({})", conjuncts.join(" | ").replace("F ", "")));
    match place.tgta(many) {
        Err(TestingError::Refused(Refusal::Propositions {
            count: 17,
            most: 16,
        })) => {}
        other => panic!("{:?}", other.map(|t| t.stats())),
    }
    let options = Options {
        effort: Effort::Medium,
        ..Options::default()
    };
    for (limits, refusal) in [
        (
            Limits {
                states: 5,
                ..Limits::default()
            },
            Refusal::States(5),
        ),
        (
            Limits {
                transitions: 100,
                ..Limits::default()
            },
            Refusal::Transitions(100),
        ),
    ] {
        let Place {
            arena,
            alphabet,
            translator,
        } = &mut place;
        match ta(translator, arena, alphabet, f, options, limits) {
            Err(TestingError::Refused(why)) => assert_eq!(why, refusal),
            other => panic!("{:?}", other.map(|t| t.stats())),
        }
    }
}

/// Constants, and languages decided by the first letter.
#[test]
fn the_smallest_languages() {
    let mut place = Place::default();
    let (no, yes, a) = (place.parse("0"), place.parse("1"), place.parse("a"));
    let t = place.ta(no).unwrap();
    assert_eq!((t.states(), t.initial.len()), (0, 0));
    assert_eq!(place.tgta(no).unwrap().states(), 0);
    let t = place.ta(yes).unwrap();
    assert_eq!((t.states(), t.transitions()), (1, 0));
    let t = place.tgta(yes).unwrap();
    assert_eq!((t.states(), t.transitions(), t.sets), (1, 1, 0));
    // Only the first letter is tested.
    let t = place.tgta(a).unwrap();
    let only = Initial {
        valuation: 1,
        state: 0,
    };
    assert_eq!(t.initial, [only]);
    assert_eq!(t.states(), 1);
}
