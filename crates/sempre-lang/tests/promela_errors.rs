//! Wrong Promela programs: each gives a diagnostic at the right place.
//!
//! The place of the first error is between « and », which are no part of the program.

use sempre_base::Severity;
use sempre_lang::promela;

const WRONG: &[(&str, &str)] = &[
    // Words and syntax.
    (
        "active proctype P() { skip «/*»",
        "this comment is not closed",
    ),
    (
        "active proctype P() { printf(«\"»abc); skip }",
        "this text is not closed",
    ),
    ("active proctype P() { x «§» 1 }", "no word of Promela"),
    ("active proctype P() { skip «»", "expected `}`"),
    ("active proctype P«{» skip }", "expected `(`, found `{`"),
    ("active proctype «if»() { skip }", "the keyword `if`"),
    ("active proctype P() { if «skip» fi }", "expected `::`"),
    ("active proctype P() { «if» :: skip", "this has no `fi`"),
    (
        "active proctype P() { if :: skip «od» }",
        "expected `::` or `fi`",
    ),
    ("active proctype P() «{» }", "at least one statement"),
    (
        "active proctype P() { do «::» od }",
        "at least one statement",
    ),
    (
        "byte x; active proctype P() { x = «;» }",
        "expected an expression",
    ),
    (
        "byte x; active proctype P() { x = (1 + 2«;» }",
        "expected `)`",
    ),
    (
        "byte x; active proctype P() { x = 1 «x» = 2 }",
        "expected `;`",
    ),
    (
        "byte x; active proctype P() { goto «3» }",
        "expected a label",
    ),
    (
        "active proctype P() priority «256» { skip }",
        "from 1 to 255",
    ),
    ("init priority «0» { skip }", "from 1 to 255"),
    (
        "active proctype P() priority «x» { skip }",
        "expected a number",
    ),
    (
        "byte x; active proctype P() { x = «set_priority»(0, 1) }",
        "is a statement",
    ),
    (
        "active proctype P() { for («_priority» : 1 .. 3) { skip } }",
        "`set_priority` only",
    ),
    (
        "byte «_priority»; active proctype P() { skip }",
        "_priority",
    ),
    ("byte x «y»; active proctype P() { skip }", "expected `;`"),
    ("byte a[3«;» active proctype P() { skip }", "expected `]`"),
    (
        "unsigned x«;» active proctype P() { skip }",
        "the number of bits",
    ),
    (
        "unsigned x : «40»; active proctype P() { skip }",
        "1 to 32 bits",
    ),
    (
        "«foo» x; active proctype P() { skip }",
        "expected a declaration",
    ),
    ("active proctype P() { skip } «}»", "expected a declaration"),
    (
        "byte x; active proctype P() { x = «99999999999» }",
        "cannot be read",
    ),
    // Names.
    (
        "byte count; active proctype P() { «cuont» = 1 }",
        "there is no variable `cuont`",
    ),
    (
        "active proctype P() { goto «out»; skip }",
        "there is no label `out`",
    ),
    (
        "active proctype P() { run «Q»() }",
        "there is no proctype `Q`",
    ),
    ("byte x; active proctype P() { x = «P» }", "is a proctype"),
    (
        "byte x; byte «x»; active proctype P() { skip }",
        "declared twice",
    ),
    (
        "active proctype P() { byte x; byte «x»; skip }",
        "declared twice",
    ),
    (
        "proctype P() { skip } active proctype «P»() { skip }",
        "declared twice",
    ),
    (
        "active proctype P() { l: skip; «l»: skip }",
        "is there twice",
    ),
    (
        "mtype = { red }; byte «red»; active proctype P() { skip }",
        "declared twice",
    ),
    ("byte «_pid»; active proctype P() { skip }", "is predefined"),
    (
        "typedef T { byte a }; T t; active proctype P() { t.«b» = 1 }",
        "there is no field",
    ),
    (
        "active proctype P() { skip } ltl { [] P[0]@«here» }",
        "there is no label of `P`",
    ),
    (
        "byte x; active proctype P() { skip } ltl { [] («y» == 1) }",
        "there is no variable `y`",
    ),
    (
        "active proctype P() { byte k; skip } active proctype Q() { P[0]:«j» == 1 }",
        "there is no variable of `P`",
    ),
    // Types and values.
    (
        "byte x; active proctype P() { «x[1»] = 2 }",
        "is not an array",
    ),
    (
        "chan c = [2] of { byte }; active proctype P() { byte x; for (x in «c») { skip } }",
        "goes into a structure",
    ),
    (
        "byte c; active proctype P() { byte x; for (x in «c») { skip } }",
        "not an array",
    ),
    (
        "byte c[2]; active proctype P() { byte x; for (x in «d») { skip } }",
        "no variable `d`",
    ),
    (
        "byte a[«0»]; active proctype P() { skip }",
        "cannot have 0 elements",
    ),
    (
        "byte x; active proctype P() { «x».y = 2 }",
        "is not a structure",
    ),
    (
        "typedef T { byte a; byte b }; T t; active proctype P() { «t» = 1 }",
        "is a structure",
    ),
    (
        "mtype = { red }; active proctype P() { «red» = 1 }",
        "is a constant",
    ),
    (
        "active proctype P() { «_pid» = 1 }",
        "cannot be assigned to",
    ),
    (
        "byte x; active proctype P() { x = «1 / 0» }",
        "divides by zero",
    ),
    (
        "byte x = [«2»] of { byte }; active proctype P() { skip }",
        "only a variable of type `chan`",
    ),
    (
        "byte x; active proctype P() { x = «_» }",
        "can only be written",
    ),
    (
        "byte x; active proctype P() { «_»[2] = 1 }",
        "only stands alone",
    ),
    (
        "byte x; active proctype P() { for («_» : 1 .. 2) { x++ } }",
        "only stands alone",
    ),
    // Channels and processes.
    (
        "byte x; active proctype P() { «x»!1 }",
        "this is not a channel",
    ),
    (
        "byte x; active proctype P() { len(«x») == 1 }",
        "this is not a channel",
    ),
    (
        "chan c = [2] of { byte }; active proctype P() { «c!1,2» }",
        "2 values",
    ),
    (
        "proctype P(byte a) { skip } init { «run P(1, 2)» }",
        "takes 1 arguments, not 2",
    ),
    (
        "proctype P(byte «a» = 1) { skip } init { run P(1) }",
        "no initial value",
    ),
    (
        "inline f(a) { a = 1 } byte x; active proctype P() { «f(x, x)» }",
        "takes 1 arguments, not 2",
    ),
    // Control.
    ("active proctype P() { «break» }", "no loop around"),
    (
        "active proctype P() { if :: else -> skip :: «else» -> skip fi }",
        "more than one `else`",
    ),
];

const REFUSED: &[(&str, &str)] = &[
    (
        "active proctype P() { «c_code» { x = 1; } }",
        "embedded C code",
    ),
    (
        "«c_decl» { int x; } active proctype P() { skip }",
        "embedded C code",
    ),
    (
        "trace { do :: «skip» od } active proctype P() { skip }",
        "a `trace` consists of sends and receives",
    ),
    (
        "chan c = [1] of { byte }; byte x; notrace { c!1; «x = 1» } active proctype P() { skip }",
        "a `notrace` consists of sends and receives",
    ),
    (
        "chan c = [1] of { byte }; trace { «c??1» } active proctype P() { skip }",
        "sends and receives",
    ),
    (
        "chan c = [1] of { byte }; «trace» { byte x; c?x } active proctype P() { skip }",
        "a `trace` only watches",
    ),
    (
        "chan c = [1] of { byte }; trace { c!1 } «notrace» { c!2 } active proctype P() { skip }",
        "one `trace` or `notrace` only",
    ),
    (
        "chan c = [1] of { byte }; chan d; trace { «d!1» } active proctype P() { d = c; d!1 }",
        "the same for ever",
    ),
    (
        "chan c = [1] of { byte }; trace { «c?1,2» } active proctype P() { c!1 }",
        "carries 1 value, not 2",
    ),
    (
        "chan c = [0] of { byte }; active proctype P() «priority 3» { c!1 }",
        "priorities cannot be combined with rendezvous channels, and `c` is one",
    ),
    (
        "chan c = [0] of { byte }; proctype P() { skip } init { «run P() priority 2» }",
        "rendezvous",
    ),
    (
        "active proctype P() { chan c = [0] of { byte }; «set_priority(0, 2)»; c!1 }",
        "rendezvous",
    ),
    ("active proctype P() { «enabled»(1) }", "`enabled`"),
    (
        "byte x; active proctype P() { skip } never { «x = 1» }",
        "only watches",
    ),
    ("proctype P() { skip }«»", "nothing runs"),
    (
        "chan c = [1] of { byte }; active proctype P() { xs c; do :: c!1 :: «else» -> skip od }",
        "where there are `xr` or `xs`",
    ),
    (
        "chan c = [1] of { byte }; active proctype Q() { xr c; c?_ }
        active proctype P() { if :: nfull(c) -> skip :: «else» fi }",
        "where there are `xr` or `xs`",
    ),
    (
        "«»chan c[200] = [0] of { byte }; chan d[60] = [0] of { byte };
        active proctype P() { chan x; x = c[3]; x!1 }",
        "255 channels at most",
    ),
];

/// What SPIN reads, too, with a warning at its place.
const WARNED: [(&str, &str); 9] = [
    (
        "byte a; active proctype P() { «a[0»] = 2 }",
        "index 0 means itself",
    ),
    (
        "byte a[3]; active proctype P() { a[«3»] = 2 }",
        "index 3 is outside",
    ),
    (
        "chan c = [2] of { byte, bit }; byte x; active proctype P() { «c?x» }",
        "carries 2 values, not 1 value: this step fails",
    ),
    (
        "chan c = [0] of { byte, bit }; byte x; active proctype P() { «c!x» }",
        "carries 2 values, not 1 value: this step fails",
    ),
    (
        "typedef T { byte a }; T t[2] = «7»; active proctype P() { t[0].a == 0 }",
        "has no effect",
    ),
    (
        "chan c = [2] of { byte }; active proctype P() { c?«_pid» }",
        "must be equal",
    ),
    (
        "byte x; «*/» active proctype P() { x = 1 }",
        "ends no comment",
    ),
    ("byte x; active proctype P() { x = «300» }", "does not fit"),
    ("active proctype P() { skip; «else» }", "always executable"),
];

#[test]
fn what_spin_reads_is_read_with_a_warning() {
    for (marked, expected) in WARNED {
        let start = marked.find('«').expect(marked);
        let end = marked.find('»').expect(marked) - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let model = promela::read("warned", &text, &|_| None).expect(marked);
        let told = (model.warnings.iter())
            .any(|w| w.message.contains(expected) && (w.span.start, w.span.end) == (start, end));
        assert!(told, "{marked}: {:#?}", model.warnings);
    }
}

fn check(marked: &str, expected: &str) {
    let start = marked.find('«').expect(marked);
    let end = marked.find('»').expect(marked) - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let errors = match promela::read("wrong", &text, &|_| None) {
        Ok(_) => panic!("this is read: {marked}"),
        Err(errors) => errors,
    };
    let error = (errors.iter().find(|e| e.severity == Severity::Error)).expect(marked);
    assert!(
        error.message.contains(expected),
        "{marked}\n{}\nexpected: {expected}",
        error.message
    );
    let found = (error.span.start, error.span.end);
    let at = (start == end && found.0 >= start) || found == (start, end);
    assert!(at, "{marked}\n{}\nat {found:?}", error.message);
}

#[test]
fn each_wrong_program_has_a_diagnostic_at_its_place() {
    for &(marked, expected) in WRONG {
        check(marked, expected);
    }
}

#[test]
fn what_is_not_supported_is_refused() {
    for &(marked, expected) in REFUSED {
        check(marked, expected);
    }
}

#[test]
fn several_errors_are_told_at_once() {
    let text = "byte x;\nactive proctype P() { x = ; y = 1;\n if :: z fi }\nactive proctype Q() { goto }\n";
    let errors = promela::read("wrong", text, &|_| None).unwrap_err();
    assert!(errors.len() >= 2, "{errors:?}");
}
