//! ETF: no text panics, every complaint points into the text, what is read takes steps, and what is
//! exported and read again has as many states and steps.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{is_small, model, states, text};
use sempre_lang::etf::{ExportError, read_etf, write_etf};
use sempre_lang::model::Language;
use sempre_model::Program;
use sempre_model::interpreter::Interpreter;

const MOST: usize = 100;

fuzz_target!(|bytes: &[u8]| {
    let Some(model) = model(Language::Etf, &text(bytes)) else {
        return;
    };
    let program = model.program();
    if !is_small(program) {
        return;
    }
    match write_etf(program, &[], MOST) {
        Ok(written) => {
            let again = read_etf(&written).unwrap_or_else(|e| panic!("{e:?} in {written}"));
            assert_eq!(counts(program), counts(&again.program), "{written}");
        }
        Err(error) => assert!(
            matches!(error, ExportError::TooManyStates(_)),
            "{error}"
        ),
    }
});

/// States and steps.
fn counts(program: &Program) -> (usize, usize) {
    let interpreter = Interpreter::new(program);
    let all = states(program, MOST);
    let steps = all.iter().map(|s| interpreter.steps(s).len()).sum();
    (all.len(), steps)
}
