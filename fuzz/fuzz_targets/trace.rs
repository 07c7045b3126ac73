//! Traces for monitors, in each of their forms: every line is a letter, or nothing, or a complaint that points into it; and a bad
//! line spoils nothing that comes after it.

#![no_main]

// A file of the front door, whose other parts are not needed here.
#[path = "../../crates/sempre/src/trace_lines.rs"]
mod trace_lines;

use libfuzzer_sys::fuzz_target;
use trace_lines::{TraceFormat, TraceReader};

fuzz_target!(|bytes: &[u8]| {
    let propositions = ["p", "q", "x > 1"].map(str::to_string);
    let mut formats = vec![TraceFormat::Lines, TraceFormat::Json, TraceFormat::Csv];
    formats.extend(bytes.split(|&b| b == b'\n').next().map(TraceFormat::detect));
    for format in formats {
        let mut reader = TraceReader::new(&propositions, format);
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            let header = reader.needs_header();
            let letter = match reader.read(line) {
                Ok(Some(letter)) => Some(letter.to_vec()),
                Ok(None) => None,
                Err(complaint) => {
                    let (start, end) = (complaint.span.start, complaint.span.end);
                    assert!(start <= end && end <= line.len() + 1, "{complaint:?}");
                    assert!(!complaint.message.is_empty() && !complaint.message.contains('\n'));
                    continue;
                }
            };
            assert!(letter.as_ref().is_none_or(|l| !header && l.len() == 1 && l[0] < 1 << 3));
            if !header {
                // What was read before does not matter to a line.
                assert_eq!(reader.read(line).ok().flatten(), letter.as_deref());
            }
        }
        assert!(reader.never_held().count() <= 3);
    }
});
