//! Models with thousands of variables: what is printed is what matters.

use crate::binary::sempre;
use crate::check::{check, file, objects};
use crate::schema::{errors_of, schema};

/// Two steps, each of which writes one of 30,000 cells, and an assertion that fails.
const MODEL: &str = "int a[30000];\nactive proctype P() {\n  a[29999] = 7;\n  a[15000] = 300;\n  assert(a[1] == 1)\n}\n";

#[test]
fn states_are_folded() {
    let model = file("wide.pml", MODEL);
    let ran = sempre(&["explore", &model, "--quiet"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.out
            .contains("  0  P[0]  at line 3\n     all else is 0\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("  1  a[29999] = 7, P[0] = line 4\n"),
        "{}",
        ran.out
    );
    assert!(ran.out.len() < 1_000);
    let ran = sempre(&["explore", &model, "--quiet", "--full"]);
    assert!(ran.out.contains("a[12345] = 0, "), "{}", ran.out.len());
    let formula = "G a[15000] == 0";
    let ran = check(&[&model, formula]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(
        ran.out
            .contains("  0  P[0]  at line 3\n     all else is 0\n"),
        "{}",
        ran.out
    );
    let ran = check(&[&model, formula, "--full"]);
    assert!(ran.out.contains("a[12345] = 0, "), "{}", ran.out.len());
}

#[test]
fn objects_of_states_are_folded() {
    let model = file("wide.pml", MODEL);
    let formula = "G a[15000] == 0";
    let schema = schema();
    for (options, folded, first, second) in [
        (&[&model[..], formula][..], true, 1, 2),
        (&[&model[..], formula, "--full"][..], false, 30_001, 30_001),
    ] {
        let (found, _) = objects(options);
        assert_eq!(errors_of(&schema, &found[0]), Vec::<String>::new());
        let run = &found[0]["counterexample"];
        assert_eq!(run["folded"] == true, folded);
        let variables = |step: usize| run["prefix"][step]["state"].as_object().map(|s| s.len());
        assert_eq!((variables(0), variables(1)), (Some(first), Some(second)));
        assert_eq!(run["prefix"][1]["state"]["a[29999]"], 7);
    }
}

#[test]
fn pages_leave_out_what_is_always_zero() {
    let model = file("wide.pml", MODEL);
    let page = file("wide.html", "");
    let ran = check(&[&model, "G a[15000] == 0", "--report", &page]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let text = std::fs::read_to_string(&page).expect("it was written");
    assert!(text.contains("a[15000]") && !text.contains("a[15001]"));
    assert!(text.len() < 200_000, "{}", text.len());
}
