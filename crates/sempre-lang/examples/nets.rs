//! Prints a net of one of the families of papers as PNML: `cargo run -p sempre-lang --example nets -- kanban 5`.

use sempre_lang::{petri_net::families, pnml};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let net = match arguments.as_slice() {
        [name, n] => n.parse().ok().and_then(|n| families::family(name, n)),
        _ => None,
    };
    match net {
        Some(net) => print!("{}", pnml::write_pnml(&net)),
        None => {
            eprintln!("usage: nets {} N", families::FAMILIES.join("|"));
            std::process::exit(2);
        }
    }
}
