//! Modules of a crate depend on each other without cycles.
//!
//! A reader can then begin with the modules that use no other, and a module can be moved to another crate together with what it
//! uses. If two modules need each other's types, the shared types go to a module of their own.

use crate::modules::Graph;
use crate::{Finding, Tree};

/// The cycles, each with the uses that close it.
#[must_use]
pub fn findings(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in &tree.packages {
        let graph = Graph::of(package);
        for cycle in graph.cycles() {
            let mut lines = Vec::new();
            for &from in &cycle {
                for used in &graph.uses[from] {
                    if cycle.contains(&used.target) {
                        lines.push(format!(
                            "    {}:{} uses {} ({})",
                            package.sources[from].file,
                            used.line,
                            package.sources[used.target].file,
                            used.path
                        ));
                    }
                }
            }
            found.push(Finding {
                file: package.sources[cycle[0]].file.clone(),
                line: 0,
                text: format!(
                    "one of {} modules that use each other; move what they share into a module of its own\n{}",
                    cycle.len(),
                    lines.join("\n")
                ),
            });
        }
    }
    found
}
