//! Help, manual pages, completions, the papers behind names.

use crate::binary::*;

#[test]
fn every_command_has_help_and_a_manual_page() {
    assert!(good(&["--version"]).starts_with("sempre "));
    let help = good(&["--help"]);
    let commands = [
        "translate",
        "formula",
        "automaton",
        "cross",
        "random",
        "pattern",
        "explore",
        "check",
        "monitor",
        "bench",
        "cite",
        "mcc",
    ];
    for command in commands {
        assert!(help.contains(command), "{help}");
        assert!(good(&[command, "--help"]).contains("Usage: sempre"));
        assert!(good(&["man", command]).contains(".TH"));
    }
    assert!(good(&["man"]).contains(".TH sempre"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(good(&["completions", shell]).contains("translate"));
    }
}

#[test]
fn papers_behind_names() {
    assert!(good(&["cite"]).lines().any(|name| name == "saturation"));
    assert!(good(&["cite", "UFSCC"]).contains("PPoPP 2016"));
    bad(&["cite", "ufsc"], "did you mean `ufscc`?");
    bad(&["cite", "quicksort"], "lists the names");
}
