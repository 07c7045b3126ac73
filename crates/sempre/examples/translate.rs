//! A formula becomes an automaton: `cargo run --example translate -- 'G(request -> F grant)'`.

use sempre::Workbench;
use sempre::base::Source;
use sempre::translate::translator::Options;

fn main() {
    let text = std::env::args()
        .nth(1)
        .unwrap_or("G(request -> F grant)".into());
    let mut bench = Workbench::new();
    match bench.parse(&text) {
        Ok(f) => {
            let automaton = bench.translate(f, Options::default());
            print!("{}", bench.hoa(&automaton));
        }
        Err(complaints) => {
            let source = Source::new("formula", &text);
            complaints
                .iter()
                .for_each(|c| eprint!("{}", source.render(c)));
        }
    }
}
