//! Writes random formulas and automata, and the project's examples of models, as a first corpus, one folder for each target:
//! `cargo run --release --example seeds -- corpus`.

use sempre_base::Random;
use sempre_ltl::{Formulas, RandomFormula, Syntax, print};
use sempre_omega::random::RandomAutomaton;
use sempre_omega::{Alphabet, HoaOptions, write_hoa, write_lbtt, write_never_claim};
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or("corpus".to_string()));
    let mut r = Random::new(1);
    let mut arena = Formulas::new();
    let names = [
        "a",
        "b",
        "p0",
        "x == 3",
        "P.CS",
        "GFa",
        "U",
        "s != \"t\"",
        "é",
        "y[1]",
    ];
    for n in 0..200 {
        let shape = RandomFormula {
            sizes: 1..=15,
            names: names.map(String::from).to_vec(),
            exact: n % 2 == 0,
            ..RandomFormula::new(names.len())
        };
        let f = shape.draw(&mut arena, &mut r);
        let syntaxes = [Syntax::Spot, Syntax::Spin, Syntax::Lbt, Syntax::Unicode];
        let text = print(&arena, f, syntaxes[n % 4]).to_string();
        save(&root, "formula", n, &text)?;
    }
    for n in 0..200 {
        let mut alphabet = Alphabet::new();
        let count = r.below(4);
        let propositions: Vec<u32> = names[..count].iter().map(|p| alphabet.declare(p)).collect();
        let states = 1 + r.below(5);
        let mut shape = RandomAutomaton::generalized_buchi(states, &propositions, 2);
        if n % 2 == 0 {
            shape = shape.with_random_acceptance(&mut r);
        }
        shape.state_acceptance = n % 3 == 0;
        let a = shape.generate(&mut r, &mut alphabet.bdds);
        let text = write_hoa(&mut alphabet, &a, &HoaOptions::default());
        save(&root, "hoa", n, &text)?;
        save(&root, "stream", 3 * n, &text)?;
        if let Ok(text) = write_lbtt(&mut alphabet, &a) {
            save(&root, "lbtt", n, &text)?;
            save(&root, "stream", 3 * n + 1, &text)?;
        }
        let mut shape = RandomAutomaton::generalized_buchi(states, &propositions, 1);
        shape.state_acceptance = true;
        let a = shape.generate(&mut r, &mut alphabet.bdds);
        if let Ok(text) = write_never_claim(&mut alphabet, &a) {
            save(&root, "never_claim", n, &text)?;
            save(&root, "stream", 3 * n + 2, &text)?;
        }
    }
    // The models among the examples, each for the target of its language.
    let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
    for (n, entry) in fs::read_dir(examples)?.enumerate() {
        let path = entry?.path();
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        if ["dve", "pnml", "etf", "graph"].contains(&ending) {
            save(&root, ending, n, &fs::read_to_string(&path)?)?;
        }
    }
    Ok(())
}

fn save(root: &Path, target: &str, number: usize, text: &str) -> std::io::Result<()> {
    let folder = root.join(target);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("random-{number:03}")), text)
}
