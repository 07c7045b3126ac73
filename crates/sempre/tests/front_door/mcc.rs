//! `sempre mcc`: examinations of the Model Checking Contest.

use crate::binary::*;
use crate::check::NET;
use std::path::PathBuf;

/// A folder as the contest gives it.
fn folder(name: &str, net: &str, colored: &str, formulas: &[(&str, &str)]) -> PathBuf {
    let folder = path("mcc", name);
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("model.pnml", net);
    write("iscolored", colored);
    for (examination, text) in formulas {
        write(&format!("{examination}.xml"), text);
    }
    folder
}

fn examined(folder: &std::path::Path, examination: &str) -> Ran {
    let folder = folder.to_str().expect("a name");
    sempre(&["mcc", folder, "--examination", examination, "--time", "20"])
}

#[test]
fn examinations_are_answered_in_the_words_of_the_contest() {
    let place = |p: &str| format!("<tokens-count><place>{p}</place></tokens-count>");
    let one = "<integer-constant>1</integer-constant>";
    let marked = |p: &str| format!("<integer-le>{one}{}</integer-le>", place(p));
    let property = |id: &str, formula: &str| {
        format!("<property><id>n-{id}</id><formula>{formula}</formula></property>")
    };
    let set = |properties: &[String]| {
        let all = properties.concat();
        format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{all}</property-set>")
    };
    let both = format!("<conjunction>{}{}</conjunction>", marked("p"), marked("q"));
    let reachability = set(&[
        property(
            "00",
            &format!(
                "<exists-path><finally>{}</finally></exists-path>",
                marked("s")
            ),
        ),
        property(
            "01",
            &format!("<exists-path><finally>{both}</finally></exists-path>"),
        ),
        property(
            "02",
            &format!(
                "<all-paths><globally>{}</globally></all-paths>",
                marked("r")
            ),
        ),
    ]);
    let ltl = set(&[
        property(
            "00",
            &format!("<all-paths><finally>{}</finally></all-paths>", marked("s")),
        ),
        property(
            "01",
            &format!("<all-paths><globally><negation>{both}</negation></globally></all-paths>"),
        ),
    ]);
    let net = folder(
        "contest",
        NET,
        "FALSE",
        &[
            ("ReachabilityCardinality", &reachability),
            ("LTLCardinality", &ltl),
        ],
    );
    for (examination, expected) in [
        (
            "ReachabilityCardinality",
            &["n-00 TRUE", "n-01 FALSE", "n-02 FALSE"][..],
        ),
        ("LTLCardinality", &["n-00 FALSE", "n-01 TRUE"]),
        ("ReachabilityDeadlock", &["ReachabilityDeadlock FALSE"]),
        ("OneSafe", &["OneSafe TRUE"]),
        ("QuasiLiveness", &["QuasiLiveness TRUE"]),
        ("StableMarking", &["StableMarking FALSE"]),
    ] {
        let ran = examined(&net, examination);
        assert_eq!(ran.status, 0, "{} {}", ran.out, ran.err);
        let mut lines: Vec<&str> = ran.out.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines.len(), expected.len(), "{}", ran.out);
        for (line, expected) in lines.iter().zip(expected) {
            assert!(
                line.starts_with(&format!("FORMULA {expected} TECHNIQUES ")),
                "{examination}: {}",
                ran.out
            );
        }
    }
    let ran = examined(&net, "StateSpace");
    assert!(
        ran.out.starts_with("STATE_SPACE STATES 4 TECHNIQUES "),
        "{}",
        ran.out
    );
    let ran = examined(&net, "UpperBounds");
    assert_eq!((ran.out.as_str(), ran.status), ("DO_NOT_COMPETE\n", 0));
    let ran = examined(&net, "LTLFireability");
    assert_eq!(ran.status, 2, "there is no such file");
    let colored = folder("colored", NET, "TRUE\n", &[]);
    let ran = examined(&colored, "ReachabilityCardinality");
    assert_eq!((ran.out.as_str(), ran.status), ("DO_NOT_COMPETE\n", 0));
}

#[test]
fn other_nets_have_other_answers() {
    // Two tokens come together in `q`; `still` never changes; `never` cannot fire; nothing moves in the end.
    let net = r#"<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet">
        <place id="p"><initialMarking><text>2</text></initialMarking></place><place id="q"/>
        <place id="still"/><transition id="go"/><transition id="never"/>
        <arc id="a" source="p" target="go"/><arc id="b" source="go" target="q"/>
        <arc id="c" source="still" target="never"/><arc id="d" source="never" target="q"/></net></pnml>"#;
    let net = folder("other", net, "FALSE", &[]);
    for (examination, value) in [
        ("ReachabilityDeadlock", "TRUE"),
        ("OneSafe", "FALSE"),
        ("QuasiLiveness", "FALSE"),
        ("StableMarking", "TRUE"),
    ] {
        let ran = examined(&net, examination);
        let start = format!("FORMULA {examination} {value} ");
        assert!(ran.out.starts_with(&start), "{}", ran.out);
    }
}

/// Stopped anywhere after its formulas were read, an examination has one line for each of them, and none is wrong.
#[test]
fn a_stopped_examination_says_what_it_did_not_compute() {
    let formula = |i: usize, p: &str| {
        let marked = format!(
            "<integer-le><integer-constant>1</integer-constant><tokens-count><place>{p}</place></tokens-count></integer-le>"
        );
        format!(
            "<property><id>n-{i}</id><formula><all-paths><finally>{marked}</finally></all-paths></formula></property>"
        )
    };
    let all: String = (0..6).map(|i| formula(i, ["p", "q"][i % 2])).collect();
    let text = format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{all}</property-set>");
    let folder = folder("stopped", NET, "FALSE", &[("LTLCardinality", &text)]);
    let arguments = ["mcc", folder.to_str().expect("a name"), "--examination"];
    let arguments = [&arguments[..], &["LTLCardinality", "--sequential"]].concat();
    let whole = sempre(&arguments);
    let mut answers: Vec<&str> = whole.out.lines().collect();
    answers.sort_unstable();
    let (mut open, mut stopped) = (0, 0);
    for look in (0..24).map(|n| (1.6f64.powi(n)) as u64) {
        let mut command = command(&arguments);
        command.env("SEMPRE_STOP_AT", look.to_string());
        let ran = finish(command.output().expect("the binary runs"));
        stopped += usize::from(ran.status == 3);
        if ran.out.is_empty() {
            let reading = [
                "reading the net",
                "preparing the net",
                "reading the formulas",
            ];
            assert!(reading.iter().any(|r| ran.err.contains(r)), "{}", ran.err);
            continue;
        }
        let mut lines: Vec<&str> = ran.out.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines.len(), answers.len(), "{look}: {}", ran.out);
        for (line, answer) in lines.iter().zip(&answers) {
            let name = |line: &str| line.split(' ').nth(1).map(str::to_string);
            assert_eq!(name(line), name(answer), "{look}");
            open += usize::from(line.contains("CANNOT_COMPUTE"));
            let value = |line: &str| line.split(' ').nth(2).map(str::to_string);
            assert!(
                line.contains("CANNOT_COMPUTE") || value(line) == value(answer),
                "{look}: {line}, {answer}"
            );
        }
    }
    assert!(stopped > 3 && open > 0, "{stopped} {open}");
}
