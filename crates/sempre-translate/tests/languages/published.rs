//! The automata that other tools made for the formulas of TACAS 2014: those of this crate have the same languages and
//! are on average no larger.

use sempre_ltl::{Formulas, ParseOptions, parse};
use sempre_omega::emptiness::prune;
use sempre_omega::inclusion::equivalent;
use sempre_omega::{Alphabet, stream};
use sempre_translate::translator::{Effort, Kind, Options, Translator};
use std::collections::BTreeMap;

/// The formula with `p0`, `p1`, … for comparisons such as `(P_1 != "p2")`, and what the automata call them:
/// `P_1!='p2'`.
fn abstracted(text: &str) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut names: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('(') {
        let (before, inside) = rest.split_at(open);
        out += before;
        let end = inside.find([')', '&', '|']).unwrap_or(inside.len());
        let comparison = &inside[1..end];
        let is_atom = !comparison.contains('(') && comparison.contains(['=', '<', '>']);
        if is_atom && inside[end..].starts_with(')') {
            let name = comparison.replace(' ', "").replace('"', "'");
            let known = names.iter().position(|n| *n == name);
            let number = known.unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            out += &format!("p{number}");
            rest = &inside[end + 1..];
        } else {
            out.push('(');
            rest = &inside[1..];
        }
    }
    (out + rest, names)
}

#[test]
fn atoms_become_the_names_of_the_automata() {
    let text = r#"!(F (P_1 != "p2") && (G !(t[1] <= 0) R (P_1 != "p2")))"#;
    let (text, names) = abstracted(text);
    assert_eq!(text, "!(F p0 && (G !p1 R p0))");
    assert_eq!(names, ["P_1!='p2'", "t[1]<=0"]);
}

/// Deterministic automata against Rabinizer 3 and LTL3DRA, others against LTL3TELA.
#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn ours_mean_the_same_and_are_no_larger() {
    let read = |name: &str| test_data::text(&format!("tacas14/{name}"));
    let (list, index) = (read("formulas.tsv"), read("hoa/index.csv"));
    let mut formulas: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for line in list.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        formulas.insert((columns[0], columns[1]), columns[3]);
    }
    // For each tool: automata, their states, those of them that accepting runs visit, states of this crate.
    let mut sums: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split(',').collect();
        let (file, tool) = (columns[0], columns[3]);
        let (kind, deterministic) = match tool {
            "rabinizer3" | "ltl3dra" => (Kind::Tgra, true),
            "ltl3tela" => (Kind::Tela, false),
            _ => continue,
        };
        let mut alphabet = Alphabet::new();
        let (formula, names) = abstracted(formulas[&(columns[1], columns[2])]);
        let mut text = read(&format!("hoa/{file}"));
        for (i, name) in names.iter().enumerate() {
            text = text.replace(&format!("\"{name}\""), &format!("\"p{i}\""));
        }
        let (automata, complaints) = stream::read_automata(&mut alphabet, &text);
        assert!(complaints.is_empty(), "{file}: {complaints:?}");
        let mut theirs = automata.into_iter().next().expect("one automaton");
        let all = theirs.states();
        prune(&mut theirs);
        let mut arena = Formulas::new();
        let f = parse(&mut arena, &formula, &ParseOptions::default());
        let f = f.expect("a formula").formula;
        let f = arena.not(f);
        let options = Options {
            kind,
            effort: Effort::High,
            deterministic,
        };
        let ours = Translator::new().translate(&mut arena, &mut alphabet, f, options);
        assert!(!deterministic || ours.is_deterministic(&mut alphabet.bdds));
        let same = equivalent(&mut alphabet.bdds, &ours, &theirs, 2000);
        assert_eq!(same, Ok(true), "{file}");
        let sum = sums.entry(tool).or_default();
        for (total, n) in sum.iter_mut().zip([1, all, theirs.states(), ours.states()]) {
            *total += n;
        }
    }
    println!("tool: automata, states, without useless ones, ours: {sums:?}");
    assert_eq!(sums.len(), 3);
    for (tool, [count, _, theirs, ours]) in sums {
        assert!(count >= 100 && ours <= theirs, "{tool}: {ours} {theirs}");
    }
}
