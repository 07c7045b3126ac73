//! What is said about broken files, and that something is.

use super::super::*;
use sempre_base::{Random, Severity};
use sempre_model::interpreter::Interpreter;

fn check_errors(text: &str, expected: &[(&str, &str, Option<&str>)]) {
    let found = match read("t", text) {
        Ok(model) => model.warnings,
        Err(errors) => errors,
    };
    let found: Vec<(&str, &str, Option<&str>)> = (found.iter())
        .map(|d| {
            (
                &text[d.span.start..d.span.end],
                d.message.as_str(),
                d.help.as_deref(),
            )
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn unknown_names_come_with_suggestions() {
    check_errors(
        "byte turn, flag[2]; channel chan;
         process Left { byte own; state idle, busy; init idel; trans
           idle -> bsy { guard trun == 1; sync chna!; effect onw = Rigth.idle; },
           idle -> busy { guard Left.buzy && Left->own1 == 0; effect qqqqq = 1; }; }
         system async property Lefty;",
        &[
            (
                "Lefty",
                "there is no process `Lefty`",
                Some("did you mean `Left`?"),
            ),
            (
                "idel",
                "there is no location of process `Left` called `idel`",
                Some("did you mean `idle`?"),
            ),
            (
                "bsy",
                "there is no location of process `Left` called `bsy`",
                Some("did you mean `busy`?"),
            ),
            (
                "trun",
                "there is no variable `trun`",
                Some("did you mean `turn`?"),
            ),
            (
                "chna",
                "there is no channel `chna`",
                Some("did you mean `chan`?"),
            ),
            (
                "onw",
                "there is no variable `onw`",
                Some("did you mean `own`?"),
            ),
            ("Rigth", "there is no process `Rigth`", None),
            (
                "buzy",
                "there is no location of process `Left` called `buzy`",
                Some("did you mean `busy`?"),
            ),
            (
                "own1",
                "there is no variable of process `Left` called `own1`",
                Some("did you mean `own`?"),
            ),
            ("qqqqq", "there is no variable `qqqqq`", None),
        ],
    );
}

#[test]
fn what_cannot_be_meant_is_an_error() {
    check_errors(
        "byte x, x; const byte C = 1; byte a[2] = {1, 2, 3}, b = {1}, e[2] = 1, z[0]; channel c, d[2];
         process P { byte v; state s, s; init s; trans
           s -> s { effect C = 2, x[1] = 1, 1 = x, P->v = 1, P = 1; },
           s -> s { guard P.v == 1 || c == 1 || P; },
           s -> s { sync c!1; }, s -> s { sync c?; }, s -> s { sync x!; }; }
         process x { state k; } system async;",
        &[
            ("x", "`x` is declared a second time", None),
            ("x", "`x` is declared a second time", None),
            ("3", "3 values for an array of 2 elements: these are ignored", None),
            ("{1}", "a list of values is for an array only", None),
            ("1", "an array starts with a list of values", Some("write the values in braces: `{0, 1, 2}`")),
            ("0", "an array cannot have 0 elements", None),
            ("d", "`d` needs the types of its messages", Some("declare it as `channel {byte} d[…]`")),
            ("s", "`s` is declared a second time", None),
            ("x", "process `x` has no initial location", Some("declare it with `init`")),
            ("C", "`C` is a constant", None),
            ("x[1]", "`x` is not an array", None),
            ("1", "only a variable or an element of an array can be changed", None),
            ("P->v", "only process `P` itself can change its variables", None),
            ("P", "`P` is a process", Some("ask whether it is in a location with `P.s`")),
            ("P.v", "`v` is a variable of `P`, not a location", Some("write `P->v`")),
            ("c", "`c` is a channel, which has no value", None),
            ("P", "`P` is a process", Some("ask whether it is in a location with `P.s`")),
            ("c?", "channel `c` carries one value, not 0", Some("as in line 5")),
            ("x", "`x` is not a channel", None),
        ],
    );
    check_errors(
        "const int A = B; const int B = A + 1; const byte C = C, D = 3, E; byte x = y, y, z = D;
         process P { state s; init s; } system async;",
        &[
            (
                "B",
                "`B` has no value yet here",
                Some(
                    "constants are computed from top to bottom; they cannot be defined by themselves or in a circle",
                ),
            ),
            (
                "C",
                "`C` has no value yet here",
                Some(
                    "constants are computed from top to bottom; they cannot be defined by themselves or in a circle",
                ),
            ),
            ("E", "the constant `E` has no value", None),
            ("y", "there is no variable `y`", None),
        ],
    );
}

#[test]
fn the_property_only_watches() {
    check_errors(
        "byte x; channel c; process S { state s; init s; trans s -> s { guard P.a; }; }
         process P { byte y; state a; init a; commit a; assert a: x == 1; trans a -> a { sync c!; effect x = 1; }; }
         system async property P;",
        &[
            ("y", "a property process has no variables", None),
            ("P", "`P` is the property, not a part of the system", None),
            ("a", "a property process has no assertions", None),
            ("a", "a property process has no committed locations", None),
            ("c!", "a property process does not take part in synchronisation", None),
            ("x", "a property process only watches: it has no effects", None),
        ],
    );
}

#[test]
fn what_is_hardly_meant_is_a_warning() {
    check_errors(
        "byte b = 300, a[2]; int i = -40000; channel {byte} c[1];
         process P { state s; init s; trans
           s -> s { guard a[2] == 0 || i % 0 == 1; sync c!256; effect b = 256, i = b, a = 1; }; }
         system async;",
        &[
            ("300", "300 does not fit in `byte` and becomes 44", None),
            (
                "-40000",
                "-40000 does not fit in `int` and becomes 25536",
                None,
            ),
            ("2", "index 2 is outside `a`, which has 2 elements", None),
            ("0", "a division by zero is an erroneous step", None),
            ("256", "256 does not fit in `byte` and becomes 0", None),
            ("256", "256 does not fit in `byte` and becomes 0", None),
            ("a", "`a` is an array; alone it means `a[0]`", None),
        ],
    );
}

#[test]
fn several_syntax_errors_are_told() {
    check_errors(
        "byte x y; byte z;
         process P { state s; init s; trans
           s -> s { guard z == ; },
           s -> s { sync c; effect z = 1; }
           s -> s { effect z + 1; },
           s => {s:1, s:2},
           s -> s { effect z = 1; guard z == 1; }; }
         process Q { stat s; init s; trans s -> s {} }
         system asynch;",
        &[
            ("y", "expected `;`, found `y`", None),
            (";", "expected an expression, found `;`", None),
            (";", "expected `!` or `?`, found `;`", None),
            (
                "s",
                "expected `,` before the next transition or `;` after the last, found `s`",
                None,
            ),
            (";", "expected `=`, found `;`", None),
            ("=>", "probabilistic transitions are not supported", None),
            ("guard", "expected `}`, found the keyword `guard`", None),
            (
                "stat",
                "expected `state`, `init`, `commit`, `accept`, `assert`, `trans`, a declaration or `}`, found `stat`",
                None,
            ),
            (
                "}",
                "expected `,` before the next transition or `;` after the last, found `}`",
                None,
            ),
            ("asynch", "expected `async` or `sync`, found `asynch`", None),
        ],
    );
    check_errors(
        "",
        &[(
            "",
            "expected `system async;` or `system sync;`, found the end",
            None,
        )],
    );
    check_errors("system async;", &[("", "the system has no process", None)]);
    check_errors(
        "byte x; /* byte y;",
        &[
            ("/*", "this comment is not closed", None),
            (
                "",
                "expected `system async;` or `system sync;`, found the end",
                None,
            ),
        ],
    );
}

const SAMPLE: &str = "const byte N = 2; byte turn = 1, a[N] = {1, 2}; int i = -3; // comment
    channel c; channel {byte, int} d[3];
    process P { byte v = N; state s, t, u; commit u; init s; assert t: v > 0;
      trans s -> t { guard turn == 1 and (a[v - 1] << 1) != 4; sync c!v; effect turn = 0, a[0] = ~v; },
      -> u { sync d!{v, i}; }, t -> s { sync c?v; }; }
    process Q { int w; state s; init s; trans s -> s { sync c?w; },
      s -> s { guard P.s -> not P->v == 2; sync d?{w, i}; effect w = w % 3; }; }
    process L { state q; init q; accept q; trans q -> q { guard !P.s || P->v imply true; }; }
    system async property L;";

#[test]
fn every_prefix_of_a_model_ends_in_words() {
    assert!(read("t", SAMPLE).is_ok());
    for end in 0..SAMPLE.len() {
        let errors = read("t", &SAMPLE[..end]).unwrap_err();
        assert!(errors.iter().any(|d| d.severity == Severity::Error));
        assert!(
            errors
                .iter()
                .all(|d| d.span.start <= d.span.end && d.span.end <= end)
        );
    }
}

#[test]
fn soup_of_words_ends_in_words() {
    let mut words = Vec::new();
    let mut lexer = lexer::Lexer::new(SAMPLE);
    loop {
        let t = lexer.word();
        if t.kind == lexer::Kind::End {
            break;
        }
        words.push(t.text);
    }
    let mut random = Random::new(3);
    let mut read_well = 0;
    for round in 0..4000 {
        let mut soup: Vec<&str> = if round % 2 == 0 {
            (0..random.below(60))
                .map(|_| *random.pick(&words))
                .collect()
        } else {
            words.clone()
        };
        for _ in 0..1 + random.below(3) {
            if soup.len() > 1 {
                let (i, j) = (random.below(soup.len()), random.below(soup.len()));
                match random.below(4) {
                    0 => soup.swap(i, j),
                    1 => drop(soup.remove(i)),
                    2 => soup.insert(i, words[random.below(words.len())]),
                    _ => soup[i] = words[random.below(words.len())],
                }
            }
        }
        match read("t", &soup.join(" ")) {
            Ok(model) => {
                read_well += 1;
                let initial = model.program.initial[0].clone();
                assert_eq!(initial.len(), model.program.cells());
                let _ = Interpreter::new(&model.program).successors(&initial);
            }
            Err(errors) => assert!(errors.iter().any(|d| d.severity == Severity::Error)),
        }
    }
    assert!(read_well > 10, "{read_well}");
}

#[test]
fn noise_ends_soon() {
    let mut random = Random::new(9);
    let bytes: String = (0..10 << 20)
        .map(|_| (random.below(127) as u8) as char)
        .collect();
    assert!(read("t", &bytes).unwrap_err().len() <= 21);
    let long = format!("byte {};", "x".repeat(10 << 20));
    assert!(read("t", &long).is_err());
    let undeclared: String = (0..100_000)
        .map(|i| format!("s -> s {{ guard y{i} == 1; }},"))
        .collect();
    let text =
        format!("process P {{ state s; init s; trans {undeclared} s -> s {{}}; }} system async;");
    assert_eq!(read("t", &text).unwrap_err().len(), 20);
    let opened = "process P { ".repeat(100_000);
    assert!(read("t", &opened).unwrap_err().len() <= 21);
}

/// DiVinE and LTSmin ignore values that an array has no room for, and models rely on it.
#[test]
fn surplus_values_are_ignored() {
    let text = "byte a[2] = {1, 2, 3, 4}; byte b = 5; process P { state s; init s; } system async;";
    let model = read("t", text).expect("it is read");
    assert_eq!(model.program.initial[0][..3], [1, 2, 5]);
    let warning = &model.warnings[0];
    assert_eq!(&text[warning.span.start..warning.span.end], "3, 4");
}
