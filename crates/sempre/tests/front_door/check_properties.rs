//! Where the properties of `sempre check` come from: automata, the model itself, the contest's XML.

use crate::check::*;

#[test]
fn automata_of_violations() {
    let hoa = |acceptance: &str, proposition: &str| {
        format!(
            "HOA: v1\nname: \"no mutex\"\nStates: 2\nStart: 0\nAP: 1 \"{proposition}\"\n{acceptance}\n--BODY--\n\
            State: 0\n[t] 0 {{0}}\n[!0] 1\nState: 1 {{1}}\n[!0] 1\n--END--\n"
        )
    };
    // There is a run that is not in the critical section from some time on.
    let buchi = file("buchi.hoa", &hoa("Acceptance: 2 Inf(1)", "P_0 == 'CS'"));
    assert_eq!(verdict(&[MUTEX, "--violation", &buchi]), "violated");
    let fin = file(
        "fin.hoa",
        &hoa("Acceptance: 2 Fin(0) & Inf(1)", "P_0=='CS'"),
    );
    assert_eq!(verdict(&[MUTEX, "--violation", &fin]), "violated");
    assert_eq!(
        verdict(&[MUTEX, "--violation", &fin, "--automaton", "ba"]),
        "violated"
    );
    // None that is for ever in both.
    let never = file(
        "never.spin",
        "never { T0_init: do :: (1) -> goto T0_init \
        :: (P_0.CS && P_1.CS) -> goto accept_all od; accept_all: skip }",
    );
    assert_eq!(verdict(&[MUTEX, "--violation", &never]), "holds");
    let (found, _) = objects(&[MUTEX, "--violation", &buchi]);
    assert_eq!(found[0]["name"], "no mutex");
    let step = &found[0]["counterexample"]["cycle"][0];
    assert_eq!(
        step["propositions"],
        serde_json::json!({"P_0 == 'CS'": false})
    );
}

#[test]
fn the_property_inside_a_model() {
    let with = |guard: &str, accept: &str| {
        format!(
            "{} process V {{ state q0, q1; init q0; {accept}; trans q0 -> q0 {{}}, \
            q0 -> q1 {{ guard {guard}; }}, q1 -> q1 {{ guard {guard}; }}; }} system async property V;",
            WALKERS.replace("system async;", "")
        )
    };
    let waits = file("embedded.dve", &with("Q.wait", "accept q1"));
    assert_eq!(verdict(&[&waits]), "violated");
    assert_eq!(verdict(&[&waits, "--fairness", "weak"]), "holds");
    let (found, _) = objects(&[&waits]);
    assert_eq!(found[0]["name"], "V");
    assert_eq!(
        found[0]["counterexample"]["cycle"][0]["propositions"],
        serde_json::json!({"Q.wait": true})
    );
    let both = file("never.dve", &with("P.a && P.b", "accept q1"));
    assert_eq!(verdict(&[&both]), "holds");
    let muller = file("muller.dve", &with("Q.wait", "accept muller (q1)"));
    assert_eq!(verdict(&[&muller]), "violated");
    let both = file("muller2.dve", &with("Q.wait", "accept muller (q0, q1)"));
    assert_eq!(verdict(&[&both]), "holds");
    bad(
        &[&file("rabin.dve", &with("Q.wait", "accept rabin (q0; q1)"))],
        "Rabin",
    );
}

/// `EF p` is the negation of a formula about runs, and answered as what was asked.
#[test]
fn questions_of_reachability_of_the_contest() {
    let net = file("reach.pnml", NET);
    let question = |id: &str, quantifiers: [&str; 2], least: u32| {
        let [path, time] = quantifiers;
        format!(
            "<property><id>{id}</id><formula><{path}><{time}><integer-le><integer-constant>{least}</integer-constant>\
             <tokens-count><place>s</place></tokens-count></integer-le></{time}></{path}></formula></property>"
        )
    };
    let (some, all) = (["exists-path", "finally"], ["all-paths", "globally"]);
    let set =
        |properties: &[String]| format!("<property-set>{}</property-set>", properties.concat());
    let four = set(&[
        question("a", some, 1),
        question("b", some, 2),
        question("c", all, 1),
        question("d", all, 0),
    ]);
    let xml = file("reach.xml", &four);
    for more in [
        &[][..],
        &["--engine", "symbolic"],
        &["--engine", "auto"],
        &["--algorithm", "state-equation"],
    ] {
        let ran = check(&[&[&net, "--property", &xml, "--mcc"], more].concat());
        let answers: Vec<&str> = (ran.out.lines())
            .filter_map(|line| line.split(' ').nth(2))
            .collect();
        assert_eq!(answers, ["TRUE", "FALSE", "FALSE", "TRUE"], "{}", ran.out);
        assert_eq!(ran.status, 1);
    }
    for (id, least, status, said) in [
        ("yes", 1, 0, "yes: EF \"1 <= tokens(s)\": reachable"),
        ("no", 2, 1, "no: EF \"2 <= tokens(s)\": unreachable"),
    ] {
        let xml = file("one.xml", &set(&[question(id, some, least)]));
        let ran = check(&[&net, "--property", &xml, "--explain"]);
        assert_eq!(ran.status, status, "{}", ran.out);
        assert!(ran.out.contains(said), "{}", ran.out);
        assert_eq!(ran.out.contains("here the condition holds"), status == 0);
        let ran = check(&[&net, "--property", &xml, "--format", "json"]);
        let word = if status == 0 {
            "reachable"
        } else {
            "unreachable"
        };
        assert!(
            ran.out.contains(&format!("\"verdict\":\"{word}\"")),
            "{}",
            ran.out
        );
        assert!(ran.out.contains("\"engine\":\"net\""), "{}", ran.out);
    }
    // A walk proves nothing, and says so.
    let ran = check(&[&net, "G s <= 1", "--algorithm", "walk", "--time", "0.2"]);
    assert_eq!(ran.status, 3, "{}", ran.out);
    let ran = check(&[&net, "G F s <= 1", "--algorithm", "walk"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
}

#[test]
fn formulas_of_the_contest() {
    let net = file("contest.pnml", NET);
    let xml = file(
        "contest.xml",
        r#"<property-set xmlns="http://mcc.lip6.fr/">
        <property><id>net-00</id><description>-</description><formula><all-paths><finally>
          <integer-le><integer-constant>1</integer-constant><tokens-count><place>s</place></tokens-count></integer-le>
        </finally></all-paths></formula></property>
        <property><id>net-01</id><description>-</description><formula><all-paths><globally>
          <disjunction><is-fireable><transition>there</transition></is-fireable>
          <is-fireable><transition>back</transition></is-fireable></disjunction>
        </globally></all-paths></formula></property></property-set>"#,
    );
    let ran = check(&[&net, "--property", &xml, "--mcc"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(
        lines[0].starts_with("FORMULA net-00 FALSE TECHNIQUES "),
        "{}",
        ran.out
    );
    assert!(
        lines[1].starts_with("FORMULA net-01 TRUE TECHNIQUES "),
        "{}",
        ran.out
    );
    assert_eq!((lines.len(), ran.status), (2, 1));
    let list = file("large.ltl", "slow: G x[7] == 0\n");
    let large = file("contest.dve", LARGE);
    let ran = check(&[&large, "--property", &list, "--mcc", "--time", "0.05"]);
    assert!(
        ran.out.starts_with("FORMULA slow CANNOT_COMPUTE "),
        "{}",
        ran.out
    );
    let typo = file(
        "typo.xml",
        &std::fs::read_to_string(&xml)
            .expect("written above")
            .replace("there<", "their<"),
    );
    bad(
        &[&net, "--property", &typo],
        "there is no transition `their`",
    );
}

/// Without a never claim, labels `accept…` are what `pan -a` goes by.
#[test]
fn acceptance_labels_of_a_model() {
    for (name, text, fairness, expected) in [
        (
            "again.pml",
            "active proctype P() { byte x; do :: x < 3 -> x++ :: x == 3 -> accept: x = 0 od }",
            "none",
            "violated",
        ),
        // A run that ends there stays there.
        ("stays.pml", "byte x; active proctype P() { accept: x == 1 }", "none", "violated"),
        (
            "once.pml",
            "byte x; active proctype P() { accept: x = 1; do :: x = 2 :: x = 3 od }",
            "none",
            "holds",
        ),
        (
            "unfair.pml",
            "byte x; active proctype P() { accept_here: do :: x == 0 -> x == 0 :: x == 1 -> break od; x = 2 }
             active proctype Q() { x = 1 }",
            "none",
            "violated",
        ),
        (
            "fair.pml",
            "byte x; active proctype P() { accept_here: do :: x == 0 -> x == 0 :: x == 1 -> break od; x = 2 }
             active proctype Q() { x = 1 }",
            "weak",
            "holds",
        ),
    ] {
        let model = file(name, text);
        let (found, _) = objects(&[&model, "--fairness", fairness]);
        assert_eq!(found[0]["name"], "no acceptance cycle", "{name}");
        assert_eq!(found[0]["verdict"], expected, "{name}");
    }
    // A formula says what is wanted instead.
    let model = file(
        "formula.pml",
        "byte x; active proctype P() { do :: accept: x = 1 od } ltl p { [] (x < 2) }",
    );
    let (found, _) = objects(&[&model]);
    assert_eq!(
        (found.len(), &found[0]["name"]),
        (1, &serde_json::json!("p"))
    );
}

/// `--only` chooses by name, and suggests the nearest.
#[test]
fn one_property_among_several() {
    let model = file(
        "several.pml",
        "byte x; active proctype P() { do :: x = 1 :: x = 2 od }
         ltl low { [] (x < 3) } ltl once { <> (x == 1) } ltl twice { <> (x == 2) }
         never { do :: x > 5 -> break :: else od }",
    );
    let names = |options: &[&str]| -> Vec<String> {
        let (found, _) = objects(&[&[model.as_str()], options].concat());
        (found.iter())
            .map(|p| p["name"].as_str().expect("a name").to_string())
            .collect()
    };
    assert_eq!(names(&[]), ["low", "once", "twice", "never_0"]);
    assert_eq!(names(&["--only", "once"]), ["once"]);
    assert_eq!(names(&["--only", "never_0"]), ["never_0"]);
    assert_eq!(
        names(&["--only", "twice", "--only", "low"]),
        ["low", "twice"]
    );
    let list = file("several.ltl", "a: G {x < 3}\nb: F {x == 1}\n");
    assert_eq!(names(&["--property", &list, "--only", "b"]), ["b"]);
    for (options, complaint) in [
        (
            &["--only", "onec"][..],
            "there is no property called `onec`; did you mean `once`?",
        ),
        (
            &["--only", "qqqqq"],
            "there is `low`, `once`, `twice`, `never_0`",
        ),
        (
            &["--property", &list, "--only", "low"],
            "there is no property called `low`",
        ),
    ] {
        let ran = check(&[&[model.as_str()], options].concat());
        assert_eq!(ran.status, 2, "{options:?}");
        assert!(ran.err.contains(complaint), "{options:?} {}", ran.err);
    }
}
