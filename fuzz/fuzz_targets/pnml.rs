//! PNML: no text panics, every complaint points into the text, what is read takes steps, and a net that
//! is written is read back as the same net.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sempre_fuzz::{model, text};
use sempre_lang::model::Language;
use sempre_lang::pnml::{read_pnml, write_pnml};

fuzz_target!(|bytes: &[u8]| {
    let text = text(bytes);
    if model(Language::Pnml, &text).is_some()
        && let Ok(net) = read_pnml(text.split('\0').next().unwrap_or(""))
    {
        let written = write_pnml(&net);
        assert_eq!(read_pnml(&written).as_ref(), Ok(&net), "{written}");
    }
});
