//! Graphs: no text panics, every complaint points into the text, what is read takes steps, and a graph
//! that is written, as text or as HOA, is read back as the same graph.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{model, text};
use sempre_lang::graph::{read_graph, read_kripke, write_graph, write_kripke};
use sempre_lang::model::Language;

fuzz_target!(|bytes: &[u8]| {
    let text = text(bytes);
    if model(Language::Graph, &text).is_some()
        && let Ok(graph) = read_graph(text.split('\0').next().unwrap_or(""))
    {
        let written = write_graph(&graph);
        assert_eq!(read_graph(&written).as_ref(), Ok(&graph), "{written}");
        if graph.propositions.len() <= 20 && graph.states.len() <= 100 {
            let written = write_kripke(&graph);
            let again = read_kripke(&written).unwrap_or_else(|e| panic!("{e:?} in {written}"));
            assert_eq!(again.states.len(), graph.states.len(), "{written}");
            assert_eq!((again.edges(), again.marks), (graph.edges(), graph.marks), "{written}");
            for (a, b) in graph.states.iter().zip(&again.states) {
                assert_eq!((&a.propositions, &a.edges), (&b.propositions, &b.edges), "{written}");
            }
        }
    }
});
