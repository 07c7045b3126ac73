//! Models that are broken are refused, with the place, by every language.

use crate::binary::*;
use crate::explore::{LANGUAGES, examples, explore, file};
use sempre::base::Random;
use std::path::Path;

/// A refusal with message, place and caret; the place of the first complaint.
fn refused(ran: &Ran, name: &str) -> String {
    assert_eq!(ran.status, 2, "{name}: {}{}", ran.out, ran.err);
    assert_eq!(ran.out, "", "{name}");
    let start = format!("{name}:");
    let lines: Vec<&str> = ran.err.lines().collect();
    let (i, place) = (lines.iter().enumerate())
        .find_map(|(i, line)| {
            let (_, place) = line.split_once("--> ")?;
            Some((i, &place[place.rfind(&start)? + start.len()..]))
        })
        .unwrap_or_else(|| panic!("{name}: no place in {}", ran.err));
    assert!(
        lines[0].starts_with("error: ") || lines[0].starts_with("warning: "),
        "{}",
        ran.err
    );
    let numbers: Vec<usize> = place.split(':').map(|n| n.parse().unwrap()).collect();
    assert!(numbers.len() == 2 && numbers.iter().all(|&n| n > 0));
    let caret = lines[i + 3].trim_start_matches([' ', '|']);
    assert!(caret.starts_with('^'), "{}", ran.err);
    place.to_string()
}

/// The model is refused at this place, with these words.
fn check(name: &str, text: impl AsRef<[u8]>, place: &str, words: &str) {
    let ran = explore(&file(name, text), &[]);
    assert_eq!(refused(&ran, name), place, "{}", ran.err);
    assert!(ran.err.contains(words), "{}", ran.err);
}

const PROCESS: &str = "process P { state s; init s; trans s -> s {}; }\nsystem async;\n";

#[test]
fn mistakes_in_dve_are_pointed_at() {
    let dve = |name: &str, text: &str, place: &str, words: &str| {
        let text = format!("{text}\n{PROCESS}");
        check(&format!("{name}.dve"), text, place, words);
    };
    dve(
        "unknown",
        "byte x;\nbyte y = z;",
        "2:10",
        "there is no variable `z`",
    );
    dve(
        "twice",
        "byte x;\nbyte y;\nint x;",
        "3:5",
        "`x` is declared a second time",
    );
    dve(
        "twice_process",
        "process P { state s; init s; }",
        "2:9",
        "`P` is declared a second time",
    );
    dve(
        "list",
        "byte x = {1, 2};",
        "1:10",
        "a list of values is for an array only",
    );
    dve(
        "cyclic",
        "const byte a = b;\nconst byte b = a;",
        "1:16",
        "in a circle",
    );
    dve(
        "index",
        "byte x; byte y = x[1];",
        "1:18",
        "`x` is not an array",
    );
    check(
        "no_system.dve",
        "byte x;",
        "1:8",
        "expected `system async;` or `system sync;`",
    );

    let transition = |name: &str, transition: &str, place: &str, words: &str| {
        let text = format!(
            "byte x, a[3];\nchannel c;\nprocess P {{ state s, t; init s; trans\n{transition};\n}}\nsystem async;\n"
        );
        check(&format!("{name}.dve"), text, place, words);
    };
    transition(
        "location",
        "s -> u {}",
        "4:6",
        "there is no location of process `P` called `u`",
    );
    transition(
        "variable",
        "s -> t { effect s = 1; }",
        "4:17",
        "there is no variable `s`",
    );
    transition(
        "channel",
        "s -> t { sync d!; }",
        "4:15",
        "there is no channel `d`",
    );
    transition(
        "value",
        "s -> t { guard c; }",
        "4:16",
        "`c` is a channel, which has no value",
    );
    transition(
        "scalar",
        "s -> t { guard x[0] == 1; }",
        "4:16",
        "`x` is not an array",
    );
    transition(
        "misspelt",
        "s -> t { guard P.tt; }",
        "4:18",
        "did you mean `t`?",
    );
}

#[test]
fn mistakes_in_nets_are_pointed_at() {
    let net = |name: &str, inside: &str, place: &str, words: &str| {
        let text = format!(
            "<pnml><net id=\"n\" type=\"ptnet\"><page id=\"g\">\n<place id=\"p\"/><transition id=\"t\"/>\n{inside}\n\
             </page></net></pnml>"
        );
        check(&format!("{name}.pnml"), text, place, words);
    };
    net(
        "unknown",
        "<arc id=\"a\" source=\"p\" target=\"u\"/>",
        "3:32",
        "`u`",
    );
    net("twice", "<place id=\"p\"/>", "3:12", "`p`");
    net(
        "number",
        "<place id=\"q\"><initialMarking><text>many</text></initialMarking></place>",
        "3:37",
        "many",
    );
    net(
        "places",
        "<place id=\"q\"/><arc id=\"a\" source=\"p\" target=\"q\"/>",
        "3:16",
        "this arc leads from a place to a place",
    );
    net(
        "inhibitor",
        "<arc id=\"a\" source=\"p\" target=\"t\" type=\"inhibitor\"/>",
        "3:41",
        "inhibitor",
    );
    net(
        "circle",
        "<referencePlace id=\"r\" ref=\"s\"/><referencePlace id=\"s\" ref=\"r\"/><arc id=\"a\" source=\"r\" target=\"t\"/>",
        "3:29",
        "these references go in circles",
    );
    check(
        "unclosed.pnml",
        "<pnml>\n<net id=\"n\">\n</pnml>",
        "3:1",
        "not well-formed XML",
    );
}

#[test]
fn mistakes_in_tables_are_pointed_at() {
    let good = "begin state\nx:int y:s\nend state\nbegin edge\naction:action\nend edge\nbegin init\n0 0\nend init\n\
                begin trans\n0/1 * 0\nend trans\nbegin sort s\n\"a\"\nend sort\nbegin sort action\n\"go\"\nend sort\n";
    assert_eq!(explore(&file("good.etf", good), &[]).status, 0);
    let etf = |name: &str, from: &str, to: &str, place: &str, words: &str| {
        assert!(good.contains(from));
        check(
            &format!("{name}.etf"),
            good.replacen(from, to, 1),
            place,
            words,
        );
    };
    etf("value", "0 0\n", "0 1\n", "8:3", "s");
    etf("short", "0/1 * 0", "0/1 *", "11:1", "");
    etf("letters", "0/1 * 0", "0/one * 0", "11:1", "");
    etf(
        "section",
        "begin trans",
        "begin train",
        "10:7",
        "there is no section `train`",
    );
    etf("open", "end trans\n", "", "14:1", "");
    etf("twice", "x:int y:s", "x:int x:s", "2:7", "x");
    etf(
        "init",
        "0 0\n",
        "",
        "18:1",
        "expected 2 numbers for a state, found 0",
    );
}

#[test]
fn mistakes_in_graphs_are_pointed_at() {
    check(
        "unknown.graph",
        "red: -> gren\ngreen: -> red\n",
        "1:9",
        "did you mean `green`?",
    );
    check(
        "twice.graph",
        "a: -> b\nb:\na:\n",
        "3:1",
        "the state `a` is described twice",
    );
    check(
        "marks.graph",
        "marks 1\na: -> a {1}",
        "2:10",
        "there are only 1 marks",
    );
    check(
        "brace.graph",
        "a: -> a {0",
        "1:9",
        "this brace is never closed",
    );
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"p\"\nAcceptance: 0 t\n--BODY--\nState: 0\n";
    check(
        "label.hoa",
        format!("{hoa}[t] 0\n--END--\n"),
        "1:1",
        "label",
    );
    check("target.hoa", format!("{hoa}[0] 1\n--END--\n"), "8:5", "1");
}

#[test]
fn nothing_where_a_model_should_be() {
    for language in LANGUAGES {
        let name = format!("empty.{language}");
        check(&name, "", "1:1", "error: ");
    }
    for missing in ["no/such/model.dve", "no/such/model.dev"] {
        let ran = explore(Path::new(missing), &[]);
        assert_eq!(ran.status, 2);
        let complaint = format!("error: cannot read `{missing}`: ");
        assert!(ran.err.starts_with(&complaint), "{}", ran.err);
    }
    let ran = explore(Path::new("examples"), &[]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("cannot tell the language"), "{}", ran.err);
    for language in LANGUAGES {
        let ran = explore(Path::new("examples"), &["--language", language]);
        assert_eq!(ran.status, 2);
        assert!(
            ran.err.starts_with("error: cannot read `examples`: "),
            "{}",
            ran.err
        );
    }
}

/// Every example, cut off in many places, is refused with a place; or it is a model still, as a graph
/// without its last lines is.
#[test]
fn truncated_models_are_refused() {
    for path in examples() {
        let text = std::fs::read_to_string(&path).unwrap();
        let ending = path.extension().unwrap().to_str().unwrap();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let mut refusals = 0;
        for i in 0..12 {
            let cut = text.floor_char_boundary(text.len() * (2 * i + 1) / 24);
            let name = format!("cut_{stem}_{i}.{ending}");
            let ran = explore(&file(&name, &text[..cut]), &["--no-jit", "--time", "0.1"]);
            if ran.status == 2 {
                refused(&ran, &name);
                refusals += 1;
            } else {
                assert!(ending == "graph" || ending == "etf", "{name}: {}", ran.out);
            }
        }
        assert!(refusals >= 2, "{}", path.display());
    }
}

#[test]
fn what_is_not_text_is_refused_at_its_place() {
    for language in LANGUAGES {
        let name = format!("latin1.{language}");
        check(
            &name,
            b"caf\xc3\xa9 \n \xe9 ... \xff",
            "2:2",
            "this is not UTF-8 text",
        );
    }
}

/// Ten million random characters, and as many made of the words of the language, end in few complaints.
#[test]
fn noise_is_refused() {
    const LENGTH: usize = 10_000_000;
    let words: [(&str, &[&str]); 5] = [
        (
            "dve",
            &[
                "process ",
                "state ",
                "a",
                "P",
                " {",
                "}",
                ";",
                ",",
                " -> ",
                "byte ",
                "x",
                "[",
                "]",
                " = ",
                "3",
                "guard ",
                "effect ",
                "trans ",
                "init ",
                "\n",
                "(",
                ")",
                "system async;",
                "const ",
                "channel ",
                "!",
                "?",
                " and ",
                "{1, 2}",
            ],
        ),
        (
            "pnml",
            &[
                "<net id='n'>",
                "<place id='a'>",
                "</place>",
                "<",
                "/>",
                ">",
                "&amp;",
                "&",
                "\n",
                "<arc source='a' target='b'/>",
                "<transition id='t'/>",
                "<!--",
                "-->",
                "<text>",
                "</text>",
            ],
        ),
        (
            "etf",
            &[
                "begin ", "state", "end ", "\n", "trans\n", "0/1 ", "* ", "\"", "a:b ", "sort ",
                "map ", "edge ", "init ", "3 ",
            ],
        ),
        (
            "graph",
            &[
                "a", ": ", "->", " ", "{", "}", "0", "\"", "\n", "initial ", "marks ", "#", "é",
                "b ",
            ],
        ),
        (
            "hoa",
            &[
                "HOA: v1\n",
                "States: ",
                "3 ",
                "--BODY--\n",
                "--END--\n",
                "State: ",
                "[0&!1] ",
                "\n",
                "\"",
                "AP: ",
                "Acceptance: ",
                "Inf(0) ",
                "{0} ",
            ],
        ),
    ];
    let characters: Vec<char> = (' '..='~').chain(['\n', 'é', '∧']).collect();
    for (seed, (language, words)) in words.into_iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let letters: String = (0..LENGTH).map(|_| *random.pick(&characters)).collect();
        let mut speech = String::new();
        while speech.len() < LENGTH {
            speech.push_str(random.pick::<&str>(words));
        }
        let nested = match language {
            "dve" => format!("byte a = {}", "(".repeat(LENGTH)),
            "pnml" => "<a>".repeat(LENGTH / 3),
            "etf" => "begin ".repeat(LENGTH / 6),
            "graph" => format!("a: -> a {}", "{".repeat(LENGTH)),
            _ => format!("HOA: v1\nStates: 1\nAcceptance: 1 {}", "(".repeat(LENGTH)),
        };
        let one_word = "a".repeat(LENGTH);
        for text in [letters, speech, nested, one_word] {
            let name = format!("noise.{language}");
            let path = file(&name, text);
            let ran = explore(&path, &[]);
            refused(&ran, &name);
            assert!(ran.err.len() < 100_000, "{name}: {} bytes", ran.err.len());
            std::fs::remove_file(path).expect("it is there");
        }
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let model = Path::new("examples/mutex.dve");
    for options in [
        &["--time=-1"][..],
        &["--time", "nan"],
        &["--time", "1e300"],
        &["--time", "soon"],
        &["--memory", "0"],
        &["--memory", "much"],
        &["--workers", "0"],
        &["--search", "random"],
        &["--language", "cobol"],
    ] {
        let ran = explore(model, options);
        assert_eq!(ran.status, 2, "{options:?}: {}", ran.out);
        let option = options[0].split('=').next().unwrap();
        assert!(ran.err.contains(option), "{options:?}: {}", ran.err);
    }
}
