//! `docs/report.schema.json` describes what `sempre check --format json` prints. The validator knows as much of JSON Schema as the schema
//! uses, and complains about anything else in it.

use crate::binary::ROOT;
use crate::check::objects;
use serde_json::{Map, Value};

/// What is wrong with a value, by a schema.
fn validate(root: &Value, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
    let none = Map::new();
    let rules = schema.as_object().unwrap_or(&none);
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => panic!("{at}: no type {name}"),
    };
    for (rule, given) in rules {
        match rule.as_str() {
            "$schema"
            | "$defs"
            | "title"
            | "description"
            | "properties"
            | "additionalProperties"
            | "items" => {}
            "type" => {
                let ok = match given {
                    Value::String(name) => is(name),
                    Value::Array(names) => names.iter().any(|n| n.as_str().is_some_and(is)),
                    _ => panic!("{at}: {given}"),
                };
                if !ok {
                    errors.push(format!("{at}: {value} is not of type {given}"));
                }
            }
            "enum" => {
                if !given.as_array().is_some_and(|all| all.contains(value)) {
                    errors.push(format!("{at}: {value} is none of {given}"));
                }
            }
            "required" => {
                let names = given
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str);
                for name in names.filter(|n| value.is_object() && value.get(n).is_none()) {
                    errors.push(format!("{at}: {name} is missing"));
                }
            }
            "$ref" => {
                let path = given
                    .as_str()
                    .and_then(|p| p.strip_prefix('#'))
                    .expect("one of ours");
                let schema = root.pointer(path).expect("it is there");
                validate(root, schema, value, at, errors);
            }
            other => panic!("{at}: {other} is not known here"),
        }
    }
    if let Some(fields) = value.as_object() {
        for (name, field) in fields {
            let at = format!("{at}/{name}");
            let known = rules.get("properties").and_then(|p| p.get(name));
            match (known, rules.get("additionalProperties")) {
                (Some(schema), _) => validate(root, schema, field, &at, errors),
                (None, Some(Value::Bool(false))) => errors.push(format!("{at}: not in the schema")),
                (None, Some(schema)) => validate(root, schema, field, &at, errors),
                (None, None) => {}
            }
        }
    }
    if let (Some(items), Some(schema)) = (value.as_array(), rules.get("items")) {
        for (i, item) in items.iter().enumerate() {
            validate(root, schema, item, &format!("{at}/{i}"), errors);
        }
    }
}

/// The schema of reports.
pub fn schema() -> Value {
    let schema = std::fs::read_to_string(format!("{ROOT}/docs/report.schema.json"));
    serde_json::from_str(&schema.expect("it is there")).expect("JSON")
}

/// What is wrong with a report.
pub fn errors_of(schema: &Value, report: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    validate(schema, schema, report, "", &mut errors);
    errors
}

#[test]
fn what_is_printed_is_in_the_schema() {
    let schema = schema();
    let mut keys = std::collections::BTreeSet::new();
    let mut verdicts = std::collections::BTreeSet::new();
    let mutex = "examples/mutex.dve";
    for arguments in [
        &[mutex, "G !(P_0.CS & P_1.CS)", "G F P_0.CS", "--explain"][..],
        &[mutex, "G F P_0.CS", "G !P_0.CS", "--fairness", "weak"],
        &[mutex, "G F P_0.CS", "--engine", "symbolic"],
        &[mutex, "G F P_0.CS", "--engine", "auto", "--explain"],
        &[
            mutex,
            "G(P_0.wait -> F P_0.CS)",
            "--automaton",
            "tela",
            "--workers",
            "2",
        ],
        &[mutex, "--non-progress", "P_0"],
        &[
            "examples/trap.graph",
            "F G trap",
            "G !trap",
            "--deadlock",
            "drop",
        ],
        &["examples/overtaking.dve", "G filled <= 3"],
        &["examples/average.dve"],
        &[
            "examples/philosophers-8.pnml",
            "G Fork_0 <= 1",
            "--algorithm",
            "state-equation",
        ],
        &[
            "examples/client_server_3_3.dve",
            "F G {client_0.wait}",
            "--time",
            "0",
        ],
    ] {
        let (objects, _) = objects(arguments);
        for object in objects {
            let errors = errors_of(&schema, &object);
            assert!(errors.is_empty(), "{arguments:?}: {errors:?}");
            verdicts.insert(object["verdict"].to_string());
            keys.extend(
                object
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(k, _)| k.clone()),
            );
        }
    }
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
    // And nothing is in the schema that nobody prints.
    let described = schema["properties"].as_object().expect("an object");
    for name in described.keys() {
        assert!(keys.contains(name), "{name} is never printed");
    }
}

#[test]
fn the_validator_complains() {
    let schema: Value = serde_json::from_str(
        r#"{"type":"object","required":["a"],"additionalProperties":false,"properties":{"a":{"type":"integer"},"b":{"enum":[1,2]}}}"#,
    )
    .expect("JSON");
    for (text, count) in [
        (r#"{"a":1}"#, 0),
        (r#"{"a":"x"}"#, 1),
        (r#"{"b":3}"#, 2),
        (r#"{"a":1,"c":0}"#, 1),
        ("7", 1),
    ] {
        let value: Value = serde_json::from_str(text).expect("JSON");
        let mut errors = Vec::new();
        validate(&schema, &schema, &value, "", &mut errors);
        assert_eq!(errors.len(), count, "{text}: {errors:?}");
    }
}
