//! Tests of the PNML modules together.

use super::*;
use crate::naive;
use crate::petri_net::{MAX_NUMBER, PetriNet};
use rustc_hash::FxHashSet;
use sempre_base::{Random, Source};
use std::path::PathBuf;

fn document(inside: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n\
         <net id=\"n\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n{inside}\n</net></pnml>"
    )
}

/// The complaints, each as `line:column: message`.
fn complaints(text: &str) -> Vec<String> {
    let source = Source::new("t", text);
    let shown = |e: &sempre_base::Diagnostic| {
        let (line, column) = source.line_column(e.span.start);
        let help = e.help.as_deref().map(|h| format!(" ({h})"));
        format!("{line}:{column}: {}{}", e.message, help.unwrap_or_default())
    };
    read_pnml(text)
        .map(|_| Vec::new())
        .unwrap_or_else(|errors| errors.iter().map(shown).collect())
}

#[test]
fn pages_references_weights_names_and_tool_specific_parts() {
    let text = document(
        r#"<name><text> the net </text></name>
        <toolspecific tool="x" version="1"><place id="ghost"/><declaration/></toolspecific>
        <page id="g1">
          <place id="p1"><name><text>first &amp; best</text></name><initialMarking><text> 3
            </text><graphics/></initialMarking></place>
          <referencePlace id="r1" ref="r2"/>
          <page id="g2"><place id="p2"><initialMarking><value>1</value></initialMarking></place>
            <page id="g3"><referencePlace id="r2" ref="p2"/><transition id="t"/></page>
            <referenceTransition id="rt" ref="t"/>
            <arc id="a1" source="p1" target="rt"><inscription><text>2</text></inscription></arc>
            <arc id="a2" source="rt" target="r1"/>
            <arc id="a3" source="t" target="p2"><type value="normal"/></arc>
          </page>
        </page>"#,
    );
    let net = read_pnml(&text).unwrap();
    assert_eq!(net.name, "the net");
    assert_eq!(net.places[0].name.as_deref(), Some("first & best"));
    assert_eq!(net.places.len(), 2);
    assert_eq!((net.places[0].initial, net.places[1].initial), (3, 1));
    assert_eq!(net.transitions[0].inputs, [(0, 2)]);
    assert_eq!(net.transitions[0].outputs, [(1, 2)]);
    assert_eq!(net.arcs(), 2);
}

#[test]
fn mistakes_are_pointed_at() {
    let check = |inside: &str, expected: &[&str]| {
        assert_eq!(complaints(&document(inside)), expected, "{inside}");
    };
    check(
        "<place id='fork'/><transition id='t'/>\n<arc id='a' source='frok' target='t'/>",
        &["5:21: there is no node `frok` (did you mean `fork`?)"],
    );
    check(
        "<place id='p'/>\n<transition id='p'/><place/>",
        &[
            "5:17: the id `p` is already taken by another node",
            "5:21: this <place> has no id",
        ],
    );
    check(
        "<place id='p'/><place id='q'/>\n<arc id='a' source='p' target='q'/>",
        &["5:1: this arc leads from a place to a place"],
    );
    check(
        "<place id='p'/><transition id='t'/>\n<arc id='a' source='p' target='t'><type value='inhibitor'/></arc>",
        &["5:48: inhibitor arcs are not supported (only ordinary arcs with weights are read)"],
    );
    check(
        "<place id='p'/><transition id='t'/>\n<arc source='t' target='p'><arctype><text>reset</text></arctype></arc>",
        &["5:43: reset arcs are not supported (only ordinary arcs with weights are read)"],
    );
    check(
        "<place id='p'><initialMarking><text>many</text></initialMarking></place>",
        &["4:37: expected a number of tokens, found `many`"],
    );
    check(
        "<place id='p'><initialMarking><text>-1</text></initialMarking></place>",
        &["4:37: expected a number of tokens, found `-1`"],
    );
    check(
        "<place id='p'><initialMarking><text>4294967297</text></initialMarking></place>",
        &["4:37: numbers of tokens above 4294967296 are not supported"],
    );
    check(
        "<place id='p'/><transition id='t'/>\n<arc source='t' target='p'><inscription><text>0</text></inscription></arc>",
        &["5:28: the weight of an arc must not be 0"],
    );
    check(
        "<referencePlace id='a' ref='b'/><referencePlace id='b' ref='a'/><transition id='t'/>\n\
         <arc source='t' target='a'/>",
        &["4:29: these references go in circles"],
    );
    check(
        "<referencePlace id='a' ref='t'/><transition id='t'/>\n<arc source='t' target='a'/>",
        &["4:29: a reference place refers to the transition `t`"],
    );
    check(
        "<place id='p'><hlinitialMarking/></place>",
        &[
            "4:15: this place is coloured (high-level) (place/transition nets are read; unfold the net first)",
        ],
    );
}

#[test]
fn other_documents_are_refused() {
    assert_eq!(
        complaints(
            "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/symmetricnet'/></pnml>"
        ),
        [
            "1:25: this is a coloured (high-level) net (place/transition nets (type ptnet) are read; unfold the net first)"
        ]
    );
    assert_eq!(
        complaints("<html/>"),
        ["1:1: expected a PNML document, found <html>"]
    );
    assert_eq!(complaints("<pnml/>"), ["1:1: this document has no net"]);
    assert_eq!(
        complaints("<pnml>\n<net id='a'/><net id='b'/></pnml>"),
        ["2:14: this document has a second net, and one is expected"]
    );
    for broken in [
        "",
        "<",
        "<pnml>",
        "<pnml></net>",
        "\u{0}",
        "nonsense",
        "<pnml a='<'/>",
    ] {
        let all = complaints(broken);
        assert_eq!(all.len(), 1, "{broken}");
        assert!(all[0].contains("not well-formed XML"), "{all:?}");
    }
    assert_eq!(
        complaints("<pnml>\n  <net></page>")[0].split(": ").next(),
        Some("2:8"),
    );
}

#[test]
fn a_deep_document_is_no_danger() {
    let n = 100_000;
    let deep = document(&("<page>".repeat(n) + "<place id='p'/>" + &"</page>".repeat(n)));
    if let Ok(net) = read_pnml(&deep) {
        assert_eq!(net.places.len(), 1);
    }
}

fn random_net(random: &mut Random) -> PetriNet {
    let mut net = PetriNet::new("a <b> & \"c\"");
    let places = 1 + random.below(5);
    for p in 0..places {
        let initial = random.below(3) as i64;
        net.place(&format!("p{p}"), initial);
        if random.chance(0.3) {
            net.places[p].name = Some(format!("name & {p}"));
        }
    }
    for t in 0..random.below(6) {
        let mut arcs = || {
            let n = random.below(3);
            (0..n)
                .map(|_| (random.below(places) as u32, 1 + random.below(2) as i64))
                .collect::<Vec<_>>()
        };
        let (inputs, outputs) = (arcs(), arcs());
        net.transition(&format!("t{t}"), inputs, outputs);
    }
    net
}

#[test]
fn what_is_written_is_read_back() {
    let mut random = Random::new(1);
    for _ in 0..300 {
        let net = random_net(&mut random);
        let text = write_pnml(&net);
        assert_eq!(read_pnml(&text).as_ref(), Ok(&net), "{text}");
    }
}

#[test]
fn mutated_documents_do_not_panic() {
    let mut random = Random::new(2);
    let mut readable = 0;
    for _ in 0..2000 {
        let mut bytes = write_pnml(&random_net(&mut random)).into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = *random.pick(b"<>\"'/&;= 0z\xff"),
                2 => {
                    bytes.remove(at);
                }
                _ => {
                    let to = random.below(bytes.len());
                    let piece = bytes[at.min(to)..at.max(to)].to_vec();
                    bytes.splice(at..at, piece);
                }
            }
            if bytes.is_empty() {
                bytes.push(b'<');
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match read_pnml(&text) {
            Ok(net) => {
                readable += 1;
                net.program();
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                for e in errors {
                    Source::new("t", &text).render(&e).to_string();
                }
            }
        }
    }
    assert!(
        readable > 20,
        "mutations should leave some documents readable"
    );
}

/// The states of a net by firing its transitions on markings, without the program.
fn count_markings(net: &PetriNet, limit: usize) -> (usize, usize, usize) {
    let first: Vec<i64> = net.places.iter().map(|p| p.initial).collect();
    let mut seen: FxHashSet<Vec<i64>> = [first.clone()].into_iter().collect();
    let mut todo = vec![first];
    let (mut edges, mut deadlocks) = (0, 0);
    while let Some(marking) = todo.pop() {
        let before = edges;
        for t in &net.transitions {
            if t.inputs.iter().all(|&(p, w)| marking[p as usize] >= w) {
                edges += 1;
                let mut next = marking.clone();
                for &(p, w) in &t.inputs {
                    next[p as usize] -= w;
                }
                for &(p, w) in &t.outputs {
                    next[p as usize] += w;
                }
                if seen.len() < limit && seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        deadlocks += usize::from(edges == before);
    }
    (seen.len(), edges, deadlocks)
}

#[test]
fn programs_of_random_nets_have_the_states_of_the_nets() {
    let mut random = Random::new(3);
    let mut compared = 0;
    while compared < 200 {
        let net = random_net(&mut random);
        let (states, edges, deadlocks) = count_markings(&net, 300);
        if states < 300 {
            compared += 1;
            let counts = naive::explore(&net.program(), 300);
            assert_eq!(
                (counts.states, counts.transitions, counts.deadlocks),
                (states, edges, deadlocks)
            );
        }
    }
}

fn nets() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["mcc2015", "testing-automata/nets"] {
        let entries = std::fs::read_dir(test_data::path(folder)).expect("a folder");
        found.extend(
            entries
                .filter_map(|e| Some(e.ok()?.path()))
                .filter(|p| p.extension().is_some_and(|e| e == "pnml")),
        );
    }
    found.sort();
    found
}

fn read_file(path: &std::path::Path) -> PetriNet {
    let text = std::fs::read_to_string(path).unwrap();
    read_pnml(&text).unwrap_or_else(|errors| panic!("{}: {:?}", path.display(), errors[0]))
}

/// The rows of a CSV or TSV file as fields, without the header.
fn rows(file: &str, separator: char) -> Vec<Vec<String>> {
    test_data::text(file)
        .lines()
        .skip(1)
        .map(|l| l.split(separator).map(str::to_string).collect())
        .collect()
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn the_nets_of_the_contest_have_their_sizes() {
    for path in nets() {
        let net = read_file(&path);
        assert_eq!(net.program().actions.len(), net.transitions.len());
        assert!(net.places.iter().all(|p| p.initial <= MAX_NUMBER));
    }
    for row in rows("mcc2015/nets.csv", ',') {
        let [_, file, places, transitions, arcs, tokens, ..] = row.as_slice() else {
            panic!("short row {row:?}");
        };
        if !file.is_empty() {
            let net = read_file(&test_data::path("mcc2015").join(file));
            let sum: i64 = net.places.iter().map(|p| p.initial).sum();
            let found = [
                net.places.len().to_string(),
                net.transitions.len().to_string(),
                net.arcs().to_string(),
                sum.to_string(),
            ];
            assert_eq!(
                found.each_ref(),
                [places, transitions, arcs, tokens],
                "{file}"
            );
        }
    }
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn small_nets_have_the_known_numbers_of_states() {
    let mut compared = 0;
    let contest = rows("mcc2015/nets.csv", ',').into_iter().map(|r| {
        let counts = [r[8].clone(), r[9].clone(), r[10].clone()];
        (format!("mcc2015/{}", r[1]), counts)
    });
    let papers = rows("testing-automata/nets.csv", ',').into_iter().map(|r| {
        let counts = [r[2].clone(), r[3].clone(), r[4].clone()];
        (format!("testing-automata/{}", r[1]), counts)
    });
    let all: Vec<_> = contest.chain(papers).collect();
    for (file, counts) in &all {
        // A few seconds for all: the larger ones are for the real engines.
        if !file.ends_with(".pnml")
            || counts[0].parse().is_ok_and(|n: usize| n > 60_000)
            || counts[0].is_empty()
        {
            continue;
        }
        compared += 1;
        let found = naive::explore(&read_file(&test_data::path(file)).program(), 60_000);
        let found = [found.states, found.transitions, found.deadlocks].map(|n| n.to_string());
        assert_eq!(&found, counts, "{file}");
    }
    assert!(compared >= 5, "only {compared} nets compared");
}

#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn propositions_of_the_contest_resolve() {
    use sempre_ltl::{
        Formulas,
        parse::{ParseOptions, parse},
    };
    let mut resolved = 0;
    let rows = rows("mcc2015/formulas.tsv", '\t');
    for row in &rows {
        let path = test_data::path("mcc2015").join(format!("{}.pnml", row[0]));
        if !path.exists() {
            continue;
        }
        let net = read_file(&path);
        let names = NetScope::new(&net);
        let known = |name: &str| names.is_known(name);
        let options = ParseOptions {
            known: Some(&known),
            ..ParseOptions::default()
        };
        let mut arena = Formulas::new();
        let parsed = parse(&mut arena, &row[4], &options).unwrap();
        for (number, _) in parsed.propositions {
            let text = arena.name(number);
            if let Err(errors) = names.proposition(text) {
                panic!("{}: {text}: {}", row[0], errors[0].message);
            }
            resolved += 1;
        }
    }
    assert!(resolved > 80, "only {resolved}");
}

#[test]
fn propositions_speak_of_markings() {
    let mut net = PetriNet::new("n");
    net.place("a", 2);
    net.place("b-1", 0);
    net.place("c", 1);
    net.places[1].name = Some("waiting room".to_string());
    net.places[2].name = Some("waiting room".to_string());
    net.places[0].name = Some("hall".to_string());
    net.transition("t", [(0, 2)], []);
    net.transition("u", [(1, 1), (2, 1)], []);
    net.transitions[1].name = Some("leave".to_string());
    let names = NetScope::new(&net);
    let holds = |text: &str, marking: [i64; 3]| {
        let expr = names
            .proposition(text)
            .unwrap_or_else(|e| panic!("{text}: {e:?}"));
        naive::evaluate(&expr, &marking) != 0
    };
    assert!(holds("a", [1, 0, 0]) && !holds("a", [0, 1, 1]));
    assert!(holds("hall >= 1 and \"b-1\" == 0", [1, 0, 0]));
    assert!(holds("tokens(a, \"b-1\", c) <= 3", [1, 1, 1]));
    assert!(!holds("tokens(a, \"b-1\", c) <= 3", [1, 1, 2]));
    assert!(holds("(2 <= a + 'b-1')", [1, 1, 0]));
    assert!(holds("fireable(t)", [2, 0, 0]) && !holds("fireable(t)", [1, 1, 1]));
    assert!(holds("fireable(t, leave)", [1, 1, 1]) && !holds("fireable(t, u)", [1, 1, 0]));
    let complaint = |text: &str| {
        let error = names.proposition(text).unwrap_err().remove(0);
        format!(
            "{}: {} ({})",
            error.span.start,
            error.message,
            error.help.unwrap_or_default()
        )
    };
    assert_eq!(
        complaint("1 <= hal"),
        "5: there is no place `hal` (did you mean `hall`?)"
    );
    assert_eq!(
        complaint("fireable(a)"),
        "9: there is no transition `a` (did you mean `t`, `u`?)"
    );
    assert_eq!(
        complaint("t >= 1"),
        "0: `t` is a transition, not a place (write fireable(t))"
    );
    assert_eq!(
        complaint("'waiting room' > 0"),
        "0: several places have the name `waiting room` (use an id)"
    );
    assert_eq!(
        complaint("enabled(t)"),
        "0: there is no function `enabled` (functions are `tokens`, `fireable`)"
    );
}

#[test]
fn properties_of_the_contest_become_formulas() {
    let text = r#"<?xml version="1.0"?>
<property-set xmlns="http://mcc.lip6.fr/">
  <property><id>N-LTLC-0</id><description>d</description><formula><all-paths><globally><until>
    <before><integer-le><integer-constant>2</integer-constant>
      <tokens-count><place>a</place><place>b-1</place></tokens-count></integer-le></before>
    <reach><negation><is-fireable><transition>t</transition><transition>u</transition></is-fireable></negation></reach>
  </until></globally></all-paths></formula></property>
  <property><id>N-LTLF-1</id><formula><all-paths><conjunction><next><if-no-successor>false</if-no-successor>
    <steps>2</steps><finally><is-fireable><transition>t</transition></is-fireable></finally></next>
    <disjunction><is-fireable><transition>t</transition></is-fireable><false/></disjunction></conjunction>
    </all-paths></formula></property>
</property-set>"#;
    let properties = read_properties(text).unwrap();
    assert_eq!(properties[0].id, "N-LTLC-0");
    assert_eq!(
        properties[0].formula,
        "G(({2 <= tokens(a, \"b-1\")} U !({fireable(t, u)})))"
    );
    assert_eq!(
        properties[1].formula,
        "(XX(F({fireable(t)})) & ({fireable(t)} | 0))"
    );
    assert_eq!(properties[1].propositions, ["fireable(t)"]);

    let mut net = PetriNet::new("n");
    net.place("a", 2);
    net.place("b-1", 0);
    net.transition("t", [(0, 1)], []);
    net.transition("u", [(1, 1)], []);
    let names = NetScope::new(&net);
    let mut arena = sempre_ltl::Formulas::new();
    for property in &properties {
        let options = sempre_ltl::parse::ParseOptions::default();
        let parsed = sempre_ltl::parse::parse(&mut arena, &property.formula, &options).unwrap();
        for (number, _) in parsed.propositions {
            names.proposition(arena.name(number)).unwrap();
        }
        for proposition in &property.propositions {
            names.proposition(proposition).unwrap();
        }
    }
}

#[test]
fn questions_of_reachability_are_told_from_formulas_about_runs() {
    let read = |formula: &str| {
        let text = format!(
            "<property-set><property><id>x</id><formula>{formula}</formula></property></property-set>"
        );
        let property = read_properties(&text).unwrap().remove(0);
        (property.formula, property.asked)
    };
    let atom = "<is-fireable><transition>t</transition></is-fireable>";
    for (formula, text, asked) in [
        (
            "<exists-path><finally>@</finally></exists-path>",
            "G!({fireable(t)})",
            Asked::Reachable,
        ),
        (
            "<all-paths><globally>@</globally></all-paths>",
            "G({fireable(t)})",
            Asked::Invariant,
        ),
        (
            "<all-paths><finally>@</finally></all-paths>",
            "F({fireable(t)})",
            Asked::Runs,
        ),
        (
            "<all-paths><globally><finally>@</finally></globally></all-paths>",
            "G(F({fireable(t)}))",
            Asked::Runs,
        ),
        ("<globally>@</globally>", "G({fireable(t)})", Asked::Runs),
    ] {
        let read = read(&formula.replace('@', atom));
        assert_eq!(read, (text.to_string(), asked));
    }
}

#[test]
fn broken_properties_are_pointed_at() {
    let complaint = |formula: &str| {
        let text = format!(
            "<property-set>\n<property><id>x</id><formula>{formula}</formula></property></property-set>"
        );
        let error = read_properties(&text).unwrap_err().remove(0);
        let (line, column) = Source::new("t", &text).line_column(error.span.start);
        format!("{line}:{}: {}", column - 29, error.message)
    };
    assert_eq!(
        complaint("<globally/>"),
        "2:1: <globally> needs one operand"
    );
    assert_eq!(
        complaint("<negation><maybe/></negation>"),
        "2:11: <maybe> is not known here"
    );
    assert_eq!(
        complaint("<finally><exists-path/></finally>"),
        "2:10: a path quantifier inside a formula: this is CTL, not LTL"
    );
    assert_eq!(
        complaint("<integer-le><integer-constant>x</integer-constant><true/></integer-le>"),
        "2:31: expected a number"
    );
    assert_eq!(
        complaint("<exists-path><globally><true/></globally></exists-path>"),
        "2:1: the path quantifier E is not LTL"
    );
    assert_eq!(
        complaint("<exists-path><finally><next><true/></next></finally></exists-path>"),
        "2:1: the path quantifier E is not LTL"
    );
    assert!(read_properties("<pnml/>").is_err());
    assert!(read_properties("<property-set><property/></property-set>").is_err());
    let n = 200_000;
    let deep = "<globally>".repeat(n) + "<true/>" + &"</globally>".repeat(n);
    let text = format!(
        "<property-set><property><id>x</id><formula>{deep}</formula></property></property-set>"
    );
    assert!(read_properties(&text).is_err());
}

#[test]
fn odd_names_are_written_and_read_back() {
    // Without any id, and with white space that attributes normalise.
    let text = "<pnml><net type=\"ptnet\"><place id=\"a&#10;b&#9;c&#13;d\"><name><text>x&#13;y</text></name></place>\
                <transition id=\"t&lt;&amp;&quot;\"/><transition id=\" u&#9;\"/></net></pnml>";
    let net = read_pnml(text).unwrap();
    assert_eq!(
        (net.name.as_str(), net.places[0].id.as_str()),
        ("net", "a\nb\tc\rd")
    );
    let written = write_pnml(&net);
    assert_eq!(read_pnml(&written), Ok(net), "{written}");
}
