//! `sempre check --report`: the page is well-formed, needs nothing from elsewhere, escapes what comes from models, and works in a
//! browser. The last is tested where there is a chromium; elsewhere that test says so and passes.

use crate::binary::{self, BINARY, ROOT, path};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page of a check with this status.
fn page(name: &str, status: i32, arguments: &[&str]) -> (PathBuf, String) {
    let path = path("report", name);
    let place = path.to_str().expect("UTF-8");
    let ran = binary::sempre(&[&["check"], arguments, &["--report", place]].concat());
    assert_eq!(ran.status, status, "{arguments:?}: {}", ran.err);
    let text = std::fs::read_to_string(&path).expect("it was written");
    well_formed(&text);
    nothing_from_elsewhere(&text);
    (path, text)
}

fn file(name: &str, text: &str) -> String {
    binary::file("report", name, text)
}

/// Tags nest and end, attributes are quoted. Style and scripts are read to their ends, as a browser does.
fn well_formed(page: &str) {
    let mut rest = page
        .strip_prefix("<!DOCTYPE html>")
        .expect("it says what it is");
    let mut open: Vec<&str> = Vec::new();
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "{}", &rest[..start]);
        let end = start + rest[start..].find('>').expect("the tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        let name = tag.split(' ').next().expect("a name");
        if tag.ends_with('/') || name == "meta" {
            continue;
        }
        if name == "script" || name == "style" {
            let end = format!("</{name}>");
            rest = &rest[rest.find(&end).expect("it ends") + end.len()..];
            continue;
        }
        open.push(name);
    }
    assert!(open.is_empty(), "{open:?}");
}

/// No address but the name of SVG, which nobody visits, and nothing that loads.
fn nothing_from_elsewhere(page: &str) {
    let rest = page.replace("http://www.w3.org/2000/svg", "");
    for forbidden in [
        "http:", "https:", "src=", "<link", "<iframe", "<img", "@import", "url(", "fetch(",
        "import(", "XMLHttp",
    ] {
        assert!(!rest.contains(forbidden), "{forbidden}");
    }
}

/// The data of each section.
fn data(page: &str) -> Vec<Value> {
    let start = "<script type=\"application/json\" id=\"data\">";
    let rest = page.split(start).nth(1).expect("data");
    let text = rest.split("</script>").next().expect("they end");
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn a_page_has_a_section_for_each_property() {
    let arguments = [
        "examples/mutex.dve",
        "G !(P_0.CS & P_1.CS)",
        "G F P_0.CS",
        "G(P_0.wait -> P_0.idle)",
    ];
    let (_, text) = page("sections.html", 1, &arguments);
    let data = data(&text);
    assert_eq!(data.len(), 3);
    assert!(data[0].is_null(), "what holds has no run");
    assert_eq!(text.matches("<section").count(), 3);
    for part in [
        "<span class=\"badge holds\">holds</span>",
        "<span class=\"class\">recurrence</span>",
        "<code>P_0.CS</code> never holds from <a class=\"step\" data-step=\"0\" href=\"#\">step 0</a> on.",
        "Whatever comes next, the property is violated.",
        "this is a safety property",
        "class=\"automaton\"",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let lasso = &data[1];
    assert_eq!((&lasso["length"], &lasso["back"]), (&4.into(), &0.into()));
    // P_0.CS; F P_0.CS and G F P_0.CS; false for ever.
    let tracks = lasso["tracks"].as_array().expect("tracks");
    let texts: Vec<&str> = tracks.iter().filter_map(|t| t["text"].as_str()).collect();
    assert_eq!(texts, ["P_0.CS", "F P_0.CS", "GF P_0.CS"]);
    assert!(
        tracks
            .iter()
            .all(|t| t["runs"] == serde_json::json!([0, 4]))
    );
    assert_eq!(
        lasso["changes"].as_array().map(Vec::len),
        Some(4),
        "and back"
    );
    // On a finite path what is not yet decided is open.
    let finite = &data[2];
    assert!(finite["back"].is_null());
    let whole = finite["tracks"]
        .as_array()
        .and_then(|t| t.last())
        .expect("it is there");
    assert_eq!(
        whole["runs"][0], 0,
        "the property fails from the beginning on"
    );
    let last = finite["length"].as_u64().expect("a number") - 1;
    assert_eq!(finite["point"]["at"], last);
    let path = finite["path"].as_array().expect("a path");
    assert_eq!(
        path.len() as u64,
        last + 2,
        "a state before each letter, and one behind"
    );
}

#[test]
fn names_cannot_break_out() {
    let state = "</script><script>alert(1)</script>";
    let graph =
        format!("propositions p\ninitial \"{state}\"\n\"{state}\": -> end\nend: p -> end\n");
    let model = file("evil.graph", &graph);
    let name = "</script><script>alert(2)</script><img onerror=alert(2)> & more";
    let claim = format!(
        "HOA: v1 name: \"{name}\" States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {{0}} [!0] 0 --END--"
    );
    let claim = file("evil.hoa", &claim);
    let (_, text) = page("evil.html", 1, &[&model, "--violation", &claim]);
    assert!(!text.contains("<script>alert") && !text.contains("<img"));
    assert!(text.contains("&lt;/script&gt;&lt;script&gt;alert(2)"));
    assert_eq!(
        data(&text)[0]["first"][0],
        state,
        "in the data it is what it was"
    );
}

/// Where one cannot write is told before the search; who reads only the beginning of the text gets the whole page.
#[test]
fn files_and_pipes() {
    let (binary, page) = (BINARY, path("report", "head.html"));
    let ran = Command::new(binary)
        .args([
            "check",
            "examples/mutex.dve",
            "G F P_0.CS",
            "--report",
            "/nowhere/x.html",
        ])
        .current_dir(ROOT)
        .output()
        .expect("the binary runs");
    assert_eq!((ran.status.code(), ran.stdout.len()), (Some(2), 0));
    let _ = std::fs::remove_file(&page);
    let line = format!(
        "{binary} check examples/mutex.dve 'G F P_0.CS' 'G F P_1.CS' --report {} | head -1",
        page.display()
    );
    let ran = Command::new("sh")
        .args(["-c", &line])
        .current_dir(ROOT)
        .output();
    assert_eq!(
        ran.expect("there is a shell").stdout,
        b"G F P_0.CS: violated\n"
    );
    let text = std::fs::read_to_string(page).expect("it was written");
    well_formed(&text);
    assert_eq!(text.matches("<section").count(), 2);
}

/// What holds is reported with what was counted and why; automata that are given, and processes that must go on, have reports, too.
#[test]
fn other_claims_have_pages() {
    let (_, text) = page(
        "holds.html",
        0,
        &[
            "examples/mutex.dve",
            "G(P_0.wait -> F P_0.CS)",
            "--automaton",
            "tgta",
        ],
    );
    assert!(text.contains("accepts the same runs") && text.contains("Why it was done so"));
    let (_, text) = page(
        "progress.html",
        1,
        &["examples/mutex.dve", "--non-progress", "P_0"],
    );
    assert!(text.contains("<code>P_0</code> takes no step"));
    let claim = file(
        "claim.hoa",
        "HOA: v1 States: 1 Start: 0 AP: 1 \"P_0.CS\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--",
    );
    let (_, text) = page(
        "claim.html",
        1,
        &["examples/mutex.dve", "--violation", &claim],
    );
    assert!(text.contains("accepts the run, whose cycle begins at"));
    assert!(
        data(&text)[0]["path"]
            .as_array()
            .is_some_and(|p| !p.is_empty())
    );
    let (_, text) = page(
        "unknown.html",
        3,
        &["examples/overtaking.dve", "G filled <= 3"],
    );
    assert!(text.contains("index 3 is outside cell"));
}

/// A model whose only violation takes 2,000 steps, with 100 variables.
fn long() -> String {
    let mut text = String::from("int n = 0;\n");
    for i in 0..99 {
        let _ = writeln!(text, "byte v{i} = 0;");
    }
    text.push_str("process P { state a, b; init a; trans\n");
    for i in 0..9 {
        let _ = writeln!(
            text,
            "a -> b {{ guard n % 10 == {i}; effect n = n + 1, v{i} = v{i} + 1, v{0} = n % 200; }},",
            i * 10 + 9
        );
        let _ = writeln!(
            text,
            "b -> a {{ guard n % 10 == {i}; effect n = n + 1, v{} = n % 7; }},",
            i * 3 + 20
        );
    }
    text.push_str("a -> b { guard n % 10 == 9; effect n = n + 1; },\nb -> a { guard n % 10 == 9; effect n = n + 1; };\n}\n");
    text.push_str("process Q { state x; init x; }\nsystem async;\n");
    text
}

/// Chromium's answer to a page of this width: the document as it is after the scripts.
fn browsed(path: &Path, width: u32) -> Option<String> {
    let profile = path.with_extension("profile");
    let ran = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--virtual-time-budget=4000",
        ])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},1200"))
        .arg("--dump-dom")
        .arg(format!("file://{}", path.display()))
        .output();
    match ran {
        Ok(ran) => Some(String::from_utf8_lossy(&ran.stdout).into_owned()),
        Err(_) => {
            println!("skipped: there is no chromium");
            None
        }
    }
}

/// In a browser: the script runs through, rows appear where one scrolls to, keys move, and no more of 2,000 steps exists than is
/// in sight.
#[test]
fn a_long_run_in_a_browser() {
    let model = file("long.dve", &long());
    let (path, text) = page(
        "long.html",
        1,
        &[&model, "G n < 2000", "G(n < 1500 -> F n >= 3000)"],
    );
    let run = &data(&text)[0];
    assert_eq!(run["length"], 2001);
    assert!(run["variables"].as_array().is_some_and(|v| v.len() >= 100));
    // What a reader does, and what is to be seen then.
    let reader = "<script>
      const seen = {};
      const list = document.querySelector('.list');
      const rows = () => [...document.querySelectorAll('#p0 .row')].map((r) => Number(r.querySelector('.number').textContent));
      const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      seen.decided = document.querySelector('#p0 .where').textContent;
      press('Home');
      seen.first = rows()[0];
      seen.nodes = document.querySelectorAll('*').length;
      press('ArrowRight'); press('j');
      seen.moved = document.querySelector('#p0 .where').textContent;
      seen.changed = document.querySelectorAll('#p0 .state tr.changed').length;
      press('v');
      seen.only = document.querySelectorAll('#p0 .state tr').length;
      press('v');
      const filter = document.querySelector('#p0 input');
      filter.value = 'v4'; filter.dispatchEvent(new Event('input'));
      seen.filtered = document.querySelectorAll('#p0 .state tr').length;
      press('End');
      seen.last = rows().pop();
      seen.most = 0;
      for (let i = 0; i < 50; i += 1) { press(i % 2 ? 'Home' : 'End'); seen.most = Math.max(seen.most, document.querySelectorAll('*').length); }
      press('t'); seen.theme = document.documentElement.dataset.theme;
      press('n'); seen.focus = document.activeElement.id;
      const pre = document.createElement('pre');
      pre.id = 'seen'; pre.textContent = JSON.stringify(seen);
      document.body.append(pre);
    </script></body>";
    let copy = path.with_file_name("long_read.html");
    std::fs::write(&copy, text.replace("</body>", reader)).expect("a file can be written");
    let Some(dom) = browsed(&copy, 1400) else {
        return;
    };
    assert!(
        dom.contains("data-ready=\"yes\""),
        "{}",
        &dom[..dom.len().min(2000)]
    );
    let seen = dom
        .split("<pre id=\"seen\">")
        .nth(1)
        .expect("the reader came to the end");
    let seen: Value =
        serde_json::from_str(seen.split("</pre>").next().expect("it ends")).expect("JSON");
    assert_eq!(
        seen["decided"], "step 2000 of 2000, automaton in 0",
        "{seen}"
    );
    assert_eq!(seen["first"], 0, "{seen}");
    assert_eq!(seen["moved"], "step 2 of 2000, automaton in 0", "{seen}");
    assert_eq!(seen["changed"], seen["only"], "{seen}");
    assert!(
        seen["changed"]
            .as_u64()
            .is_some_and(|n| (2..10).contains(&n)),
        "{seen}"
    );
    assert_eq!(seen["filtered"], 11, "v4 and v40 to v49: {seen}");
    assert_eq!(seen["last"], 2000, "{seen}");
    for count in [&seen["nodes"], &seen["most"]] {
        assert!(
            count.as_u64().is_some_and(|n| n < 3000),
            "only what is in sight exists: {seen}"
        );
    }
    assert_eq!(seen["theme"], "dark", "{seen}");
    assert_eq!(seen["focus"], "p1", "{seen}");
}

/// The lines of a model's text that steps execute are in the data, whatever the language.
#[test]
fn the_text_of_the_model_is_beside_the_run() {
    let source = |page: &str| -> Value {
        let start = "<script type=\"application/json\" id=\"source\">";
        let text = page.split(start).nth(1).expect("it is there");
        serde_json::from_str(text.split("</script>").next().expect("it ends")).expect("JSON")
    };
    let cases = [
        ("examples/mutex.dve", "G F P_0.CS"),
        ("examples/peterson.pml", "G F P[0]@CS"),
        ("examples/lights.graph", "G !go"),
        ("examples/counter.etf", "G count < 2"),
    ];
    for (i, (model, property)) in cases.into_iter().enumerate() {
        let (_, page) = page(&format!("source{i}.html"), 1, &[model, property]);
        let text = std::fs::read_to_string(Path::new(ROOT).join(model)).expect("the example");
        let (run, source) = (&data(&page)[0], source(&page));
        let lines = source["lines"].as_array().expect("lines");
        assert_eq!(lines.len(), text.lines().count(), "{model}");
        let steps = run["lines"].as_array().expect("lines of steps");
        assert_eq!(steps.len(), run["steps"].as_array().map_or(0, Vec::len));
        assert!(!steps.is_empty());
        for step in steps {
            let places = &run["places"][step.as_u64().expect("a number") as usize];
            let places = places.as_array().expect("lines");
            assert!(!places.is_empty(), "{model}: each step has a line: {run}");
            for line in places {
                assert!((1..=lines.len() as u64).contains(&line.as_u64().expect("a number")));
            }
        }
    }
    // The text of a net is not shown, nor is one beside no run.
    for (model, property, status) in [
        ("examples/fms-5.pnml", "G M1 > 2", 1),
        ("examples/mutex.dve", "G !(P_0.CS & P_1.CS)", 0),
    ] {
        let (_, page) = page("no_source.html", status, &[model, property]);
        assert!(source(&page).is_null(), "{model}");
    }
}

/// At 500 and at 1,400 pixels: nothing is wider than the page, no name covers its track, no text of a step or of the model is cut.
#[test]
fn pages_fit_their_width() {
    let property = "G(P_0.wait -> F P_0.CS) & G(P_1.wait -> F(P_1.CS & !P_0.CS)) & G F (P_0.CS & !P_1.CS & !P_1.wait)";
    let (path, text) = page("narrow.html", 1, &["examples/mutex.dve", property]);
    let reader = "<script>
      const seen = { wide: document.documentElement.scrollWidth <= innerWidth, cut: [], covered: [] };
      const box = (e) => e.getBoundingClientRect();
      for (const line of document.querySelectorAll('.line')) if (line.scrollWidth > line.clientWidth + 1) seen.cut.push(line.textContent);
      const names = [...document.querySelectorAll('.tracks .name')].map(box);
      const bars = [...document.querySelectorAll('.tracks .v0, .tracks .v1, .tracks .v2')].map(box);
      for (const a of names) for (const b of bars) {
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) seen.covered.push([a.top, b.top]);
      }
      seen.counts = [names.length, bars.length, document.querySelectorAll('.code .line').length];
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }));
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      seen.marked = [...document.querySelectorAll('.code .here .gutter')].map((e) => e.textContent);
      seen.action = document.querySelector('.row.here .action').textContent;
      const rows = [...document.querySelectorAll('.row')].map(box);
      seen.rows = rows.every((a, i) => i === 0 || a.top >= rows[i - 1].bottom - 0.5);
      const pre = document.createElement('pre');
      pre.id = 'seen'; pre.textContent = JSON.stringify(seen);
      document.body.append(pre);
    </script></body>";
    for width in [500, 1400] {
        let copy = path.with_file_name(format!("narrow_{width}.html"));
        std::fs::write(&copy, text.replace("</body>", reader)).expect("a file can be written");
        let Some(dom) = browsed(&copy, width) else {
            return;
        };
        let seen = dom
            .split("<pre id=\"seen\">")
            .nth(1)
            .expect("the reader came to the end");
        let seen = seen
            .split("</pre>")
            .next()
            .expect("it ends")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        assert_eq!(
            (&seen["wide"], &seen["rows"]),
            (&true.into(), &true.into()),
            "{width}: {seen}"
        );
        assert_eq!(
            (&seen["cut"], &seen["covered"]),
            (&Value::Array(vec![]), &Value::Array(vec![])),
            "{width}: {seen}"
        );
        assert!(
            seen["counts"]
                .as_array()
                .is_some_and(|c| c.iter().all(|n| n.as_u64() > Some(5))),
            "{seen}"
        );
        // The action says its line, too.
        let line = seen["marked"][0].as_str().expect("a line is marked");
        assert!(
            seen["action"]
                .as_str()
                .is_some_and(|a| a.contains(&format!("line {line}"))),
            "{seen}"
        );
    }
}

/// Labels of drawings do not overlap in a browser's own font, either.
#[test]
fn labels_in_a_browser() {
    let mut drawings = String::new();
    for density in ["0.2", "0.5", "0.9"] {
        for states in ["3", "7"] {
            let arguments = ["random", "automaton", "-n", "2", "--format", "svg"];
            let shape = ["--states", states, "--density", density, "--sets", "3"];
            drawings += &binary::good(&[&arguments[..], &shape].concat());
        }
    }
    let reader = "<script>
      const seen = { overlaps: [], texts: 0 };
      for (const svg of document.querySelectorAll('body > svg')) {
        const texts = [...svg.querySelectorAll('text')].map((e) => [e.textContent, e.getBoundingClientRect()]);
        seen.texts += texts.length;
        texts.forEach(([s, a], i) => texts.slice(0, i).forEach(([t, b]) => {
          if (a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2) seen.overlaps.push([s, t]);
        }));
      }
      const pre = document.createElement('pre');
      pre.id = 'seen'; pre.textContent = JSON.stringify(seen);
      document.body.append(pre);
    </script>";
    let page = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><title>labels</title><body>{drawings}{reader}</body>"
    );
    let path = file("labels.html", &page);
    let Some(dom) = browsed(Path::new(&path), 1400) else {
        return;
    };
    let seen = dom
        .split("<pre id=\"seen\">")
        .nth(1)
        .expect("the reader came to the end");
    let seen = seen.split("</pre>").next().expect("it ends");
    let seen: Value = serde_json::from_str(seen).expect("JSON");
    assert!(seen["texts"].as_u64() > Some(100), "{seen}");
    assert_eq!(seen["overlaps"], Value::Array(vec![]), "{seen}");
}
