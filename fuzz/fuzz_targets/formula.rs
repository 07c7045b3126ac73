//! Formulas in every syntax: no text panics, every complaint points into the text, a text with
//! mistakes leaves the arena alone, and what is read and printed is read back as the same formula.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rustc_hash::FxHashMap;
use sempre_base::{Lasso, Random};
use sempre_fuzz::{check_diagnostics, text};
use sempre_ltl::lasso::Letter;
use sempre_ltl::{
    Formula, Formulas, Op, ParseOptions, Parsed, Syntax, holds, parse, parse_lbt, parse_list, print,
};

fuzz_target!(|bytes: &[u8]| {
    let text = &*text(bytes);
    let known = |word: &str| word.len() == 1 || word.starts_with('P');
    for (exact, lbt, model) in [
        (false, false, false),
        (true, false, false),
        (false, false, true),
        (false, true, false),
        (true, true, false),
    ] {
        let options = ParseOptions {
            exact,
            known: model.then_some(&known),
        };
        let mut arena = Formulas::new();
        let read = if lbt {
            parse_lbt(&mut arena, text, &options)
        } else {
            parse(&mut arena, text, &options)
        };
        match read {
            Ok(read) => {
                check_read(text, &read);
                check_printed(&mut arena, read.formula, exact);
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                check_diagnostics(text, &errors);
                assert_eq!(arena.len(), 2, "the arena is not as it was");
                assert!(arena.names().is_empty());
            }
        }
    }
    check_list(text);
});

fn check_read(text: &str, read: &Parsed) {
    check_diagnostics(text, &read.warnings);
    for &(_, span) in &read.propositions {
        assert!(span.start < span.end && text.get(span.start..span.end).is_some());
    }
}

fn check_list(text: &str) {
    let mut arena = Formulas::new();
    let (items, errors) = parse_list(&mut arena, text, &ParseOptions::default());
    check_diagnostics(text, &errors);
    for item in &items {
        check_read(text, &item.formula);
        assert!((1..=text.split('\n').count()).contains(&item.line));
        // As a list of one it is the same.
        let f = item.formula.formula;
        let line = print(&arena, f, Syntax::Spot).to_string();
        let (again, errors) = parse_list(&mut arena, &line, &ParseOptions::default());
        assert!(
            errors.is_empty() && again.len() == 1,
            "{line:?}: {errors:?}"
        );
        assert_eq!(again[0].formula.formula, f, "{line:?}");
        assert_eq!(again[0].name, None, "{line:?}");
    }
}

fn check_printed(arena: &mut Formulas, f: Formula, exact: bool) {
    let options = ParseOptions { exact, known: None };
    for syntax in [Syntax::Spot, Syntax::Unicode] {
        let text = print(arena, f, syntax).to_string();
        let again = parse(arena, &text, &options).map(|p| p.formula);
        assert_eq!(again, Ok(f), "{text:?}");
    }

    let text = print(arena, f, Syntax::Lbt).to_string();
    let again = parse_lbt(arena, &text, &options).map(|p| p.formula);
    let wanted = if exact { nested(arena, f) } else { f };
    assert_eq!(again, Ok(wanted), "{text:?}");

    let lacking = |g: &Formula| matches!(arena.op(*g), Op::Xor | Op::StrongRelease);
    let lacks = arena.subformulas(f).into_iter().filter(lacking).count();
    let text = print(arena, f, Syntax::Spin).to_string();
    let again = parse(arena, &text, &options).map(|p| p.formula);
    match again {
        _ if lacks == 0 => assert_eq!(again, Ok(f), "{text:?}"),
        Ok(again) => assert_same_meaning(arena, f, again, &text),
        // The definitions are a few levels deeper, and there is a limit.
        Err(_) if lacks > 500 => {}
        Err(e) => panic!("{text:?}: {e:?}"),
    }
}

/// The formula with its chains of more than two operands nested to the left, as LBT has them.
fn nested(arena: &mut Formulas, f: Formula) -> Formula {
    let mut done: FxHashMap<Formula, Formula> = FxHashMap::default();
    for g in arena.subformulas(f) {
        let op = arena.op(g);
        let operands: Vec<Formula> = arena.operands(g).iter().map(|h| done[h]).collect();
        let new = match (op, &operands[..]) {
            (Op::Proposition, _) => g,
            (_, [first, rest @ ..]) if operands.len() > 2 => rest
                .iter()
                .fold(*first, |left, &right| arena.node(op, &[left, right])),
            _ => arena.node(op, &operands),
        };
        done.insert(g, new);
    }
    done[&f]
}

fn assert_same_meaning(arena: &Formulas, f: Formula, g: Formula, text: &str) {
    let mut r = Random::new(text.len() as u64);
    for _ in 0..4 {
        let mut letters = |n: usize| -> Vec<Letter> {
            let mut word = vec![Letter::new(); n];
            for letter in &mut word {
                (0..arena.names().len().min(64))
                    .filter(|_| r.chance(0.5))
                    .for_each(|p| letter.insert(p));
            }
            word
        };
        let word = Lasso::new(letters(2), letters(3));
        assert_eq!(holds(arena, f, &word), holds(arena, g, &word), "{text:?}");
    }
}
