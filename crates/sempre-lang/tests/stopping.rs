//! Readers can be stopped: under a cancellation that has been requested before, none comes to its end.

use sempre_base::{Cancel, Stop, cancellable};
use sempre_lang::graph::{read_graph, read_kripke};
use sempre_lang::model::{Language, Model};
use sempre_lang::pnml::{read_pnml, read_properties};

fn is_stopped<T>(work: impl FnOnce() -> T) -> bool {
    let stopped = Cancel::new();
    stopped.stop(Stop::Cancelled);
    matches!(cancellable(&stopped, work), Err(Stop::Cancelled))
}

fn example(name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("an example")
}

#[test]
fn each_language_has_checkpoints() {
    for (language, name) in [
        (Language::Dve, "mutex.dve"),
        (Language::Pnml, "philosophers-8.pnml"),
        (Language::Etf, "counter.etf"),
        (Language::Graph, "lights.graph"),
        (Language::Hoa, "lights.hoa"),
        (Language::Promela, "peterson.pml"),
    ] {
        let text = example(name);
        assert!(Model::read(language, "m", &text).is_ok(), "{name}");
        assert!(is_stopped(|| Model::read(language, "m", &text)), "{name}");
    }
}

#[test]
fn what_is_read_becomes_a_program_at_checkpoints() {
    let net = read_pnml(&example("philosophers-8.pnml")).expect("a net");
    assert!(is_stopped(|| net.program()));
    let graph = read_graph(&example("lights.graph")).expect("a graph");
    assert!(is_stopped(|| graph.program()));
    let kripke = example("lights.hoa");
    assert!(read_kripke(&kripke).is_ok() && is_stopped(|| read_kripke(&kripke)));
}

/// Long XML is parsed beside the thread that waits for it, and read as short XML is.
#[test]
fn long_xml_is_left_when_its_reader_is_stopped() {
    let long = |text: &str| format!("{text}<!-- {} -->", "x".repeat(1 << 19));
    let net = example("philosophers-8.pnml");
    assert_eq!(read_pnml(&long(&net)), read_pnml(&net));
    assert!(is_stopped(|| read_pnml(&long(&net))));
    let properties = "<property-set><property><id>a</id><formula><all-paths><globally><negation><true/></negation>\
                      </globally></all-paths></formula></property></property-set>";
    let read = read_properties(properties).expect("a formula");
    assert_eq!(read_properties(&long(properties)), Ok(read));
    assert!(is_stopped(|| read_properties(&long(properties))));
    assert!(is_stopped(|| read_properties(properties)));
    let broken = long("<pnml><net id=\"n\" type=\"ptnet\"></pnml>");
    let message = &read_pnml(&broken).expect_err("an end tag is missing")[0].message;
    assert!(message.contains("not well-formed XML"), "{message}");
}
