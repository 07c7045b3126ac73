//! Promela: no text panics, every complaint points into the text, and what is read takes steps, in packed
//! states the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{model, text};
use sempre_lang::model::Language;

fuzz_target!(|bytes: &[u8]| {
    model(Language::Promela, &text(bytes));
});
