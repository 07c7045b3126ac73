//! Evaluation plans: an order of tests that evaluates few guards.
//!
//! Guards are split into conjuncts. Conjuncts that cannot fail may be tested in any order, and once for many actions,
//! as long as no conjunct that can fail stands before them. A plan is a tree:
//!
//! * Consecutive actions that all compare one cell with a constant (the location of their process) become a
//!   **switch** on this cell. Consecutive actions with a common conjunct become children of one **test** of it. Both
//!   are applied recursively, and both preserve the order of actions.
//! * If many actions remain ungrouped (the transitions of a net), they are found by a **scan of non-zero cells**.
//!   Each action belongs to one cell that must not hold its least value for the action to be enabled. The code
//!   iterates over the non-zero cells of each word, by counting trailing zeros, and evaluates only their actions. If
//!   there are several such cells, the one used by the fewest actions is chosen, preferably one that is zero
//!   initially. The scan does not preserve the order of actions, so steps must be sorted afterwards; they are few,
//!   compared with the tests saved.

use crate::compilable::size;
use crate::conditions::{fact, read_cell};
use rustc_hash::FxHashMap;
use sempre_base::checkpoint;
use sempre_base::stop::checkpoint_now;
use sempre_model::Layout;
use sempre_model::footprint::can_fail;
use sempre_model::ir::{Behaviour, Binary, Expr, Program, Stmt};
use std::collections::BTreeMap;

/// The least number of ungrouped actions for which a scan of non-zero cells pays off.
const MANY: usize = 32;

/// A guarded action, with the part of its guard that is not tested yet.
#[derive(Clone, Debug)]
pub(crate) struct Guarded<'p> {
    pub action: u32,
    /// The conjuncts that are not tested yet, in order.
    pub conjuncts: Vec<&'p Expr>,
    /// The number of leading conjuncts that cannot fail.
    pub safe: usize,
    pub effect: &'p [Stmt],
    /// A measure of its code size.
    pub weight: usize,
}

/// A plan; see the module's documentation.
#[derive(Debug)]
pub(crate) enum Node<'p> {
    /// The nodes in this order.
    Sequence(Vec<Node<'p>>),
    /// The node, if the condition holds.
    Test(&'p Expr, Box<Node<'p>>),
    /// The node of the cell's value; nothing for other values.
    Switch(u32, Vec<(i64, Node<'p>)>),
    /// The nodes of those cells of the word that are not at their least value.
    NonZeroScan(u32, Vec<(u32, Node<'p>)>),
    /// One action.
    Action(Guarded<'p>),
    /// A table.
    Table(u32),
    /// An action that is not compiled: falls back to the interpreter.
    Interpreted,
}

impl Node<'_> {
    /// The number of actions, as a measure of the code size.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Node::Sequence(all) => all.iter().map(Node::weight).sum(),
            Node::Test(_, node) => node.weight(),
            Node::Switch(_, cases) => cases.iter().map(|c| c.1.weight()).sum(),
            Node::NonZeroScan(_, cells) => cells.iter().map(|c| c.1.weight()).sum(),
            Node::Action(guarded) => guarded.weight,
            Node::Table(_) | Node::Interpreted => 1,
        }
    }
}

/// The conjuncts of an expression.
fn conjuncts(guard: &Expr) -> Vec<&Expr> {
    let mut all = Vec::new();
    let mut stack = vec![guard];
    while let Some(expr) = stack.pop() {
        match expr {
            Expr::Binary(Binary::And, a, b) => {
                stack.push(b);
                stack.push(a);
            }
            Expr::Constant(c) if *c != 0 => {}
            _ => all.push(expr),
        }
    }
    all
}

/// A plan for these actions, and whether it preserves their order. `refused` decides whether an action cannot be
/// compiled.
pub(crate) fn plan<'p>(
    program: &'p Program,
    layout: &Layout,
    actions: &[u32],
    refused: &dyn Fn(u32) -> bool,
) -> (Node<'p>, bool) {
    let mut parts: Vec<Node<'p>> = Vec::new();
    // Short runs of actions that a non-zero cell can find, with their index in `parts`.
    let mut loose: Vec<(usize, Vec<Guarded<'p>>)> = Vec::new();
    let mut guarded: Vec<Guarded<'p>> = Vec::new();
    let mut flush = |guarded: &mut Vec<Guarded<'p>>, parts: &mut Vec<Node<'p>>| {
        for (run, common) in runs(program, std::mem::take(guarded)) {
            if run.len() <= 2 && run.iter().all(|g| !triggers(program, layout, g).is_empty()) {
                loose.push((parts.len(), run.clone()));
            }
            parts.push(group(program, run, common));
        }
    };
    for &action in actions {
        checkpoint();
        match &program.actions[action as usize].behaviour {
            _ if refused(action) => {
                flush(&mut guarded, &mut parts);
                parts.push(Node::Interpreted);
            }
            Behaviour::Table(_) => {
                flush(&mut guarded, &mut parts);
                parts.push(Node::Table(action));
            }
            Behaviour::Guarded { guard, effect } => {
                let conjuncts = conjuncts(guard);
                let safe = (conjuncts.iter())
                    .position(|c| can_fail(program, c))
                    .unwrap_or(conjuncts.len());
                guarded.push(Guarded {
                    action,
                    weight: 1 + size(Some(guard), effect) / 64,
                    conjuncts,
                    safe,
                    effect,
                });
            }
        }
    }
    flush(&mut guarded, &mut parts);
    if loose.len() < MANY {
        return (Node::Sequence(parts), true);
    }
    let mut ungrouped = Vec::new();
    for (place, run) in loose {
        parts[place] = Node::Sequence(Vec::new());
        ungrouped.extend(run);
    }
    parts.retain(|node| node.weight() > 0);
    parts.extend(non_zero_scan(program, layout, ungrouped));
    (Node::Sequence(parts), false)
}

/// What consecutive actions have in common.
enum Common<'p> {
    Nothing,
    /// They compare this cell with constants.
    Cell(u32),
    Condition(&'p Expr),
}

/// The constant that a cell is compared with, and the index of the conjunct that compares it.
fn constant_of(program: &Program, guarded: &Guarded, cell: u32) -> Option<(usize, i64)> {
    (guarded.conjuncts[..guarded.safe].iter().enumerate()).find_map(|(i, c)| {
        match fact(program, c) {
            Some((of, low, high)) if of == cell && low == high => Some((i, low)),
            _ => None,
        }
    })
}

/// Cuts the list greedily into runs of consecutive actions with something in common, the longest first.
fn runs<'p>(program: &Program, list: Vec<Guarded<'p>>) -> Vec<(Vec<Guarded<'p>>, Common<'p>)> {
    let mut result = Vec::new();
    let mut rest = &list[..];
    while let Some(first) = rest.first() {
        checkpoint_now();
        let (mut length, mut common) = (1, Common::Nothing);
        for &conjunct in &first.conjuncts[..first.safe] {
            let (reach, what) = match fact(program, conjunct) {
                Some((cell, low, high)) if low == high => {
                    let same = |g: &&Guarded| constant_of(program, g, cell).is_some();
                    (rest.iter().take_while(same).count(), Common::Cell(cell))
                }
                _ => {
                    let same = |g: &&Guarded| g.conjuncts[..g.safe].contains(&conjunct);
                    let reach = rest.iter().take_while(same).count();
                    (reach, Common::Condition(conjunct))
                }
            };
            if reach > length {
                (length, common) = (reach, what);
            }
        }
        let (run, others) = rest.split_at(length);
        result.push((run.to_vec(), common));
        rest = others;
    }
    result
}

fn without<'p>(mut guarded: Guarded<'p>, conjunct: usize) -> Guarded<'p> {
    guarded.conjuncts.remove(conjunct);
    guarded.safe -= 1;
    guarded
}

/// The node of a run.
fn group<'p>(program: &Program, run: Vec<Guarded<'p>>, common: Common<'p>) -> Node<'p> {
    match common {
        Common::Nothing => sequence(run.into_iter().map(Node::Action).collect()),
        Common::Condition(condition) => {
            let run = (run.into_iter())
                .map(|g| match g.conjuncts.iter().position(|&c| c == condition) {
                    Some(i) => without(g, i),
                    None => g,
                })
                .collect();
            Node::Test(condition, Box::new(build(program, run)))
        }
        Common::Cell(cell) => {
            let mut cases: BTreeMap<i64, Vec<Guarded<'p>>> = BTreeMap::new();
            for guarded in run {
                if let Some((i, value)) = constant_of(program, &guarded, cell) {
                    cases.entry(value).or_default().push(without(guarded, i));
                }
            }
            let cases = cases.into_iter().map(|(v, run)| (v, build(program, run)));
            Node::Switch(cell, cases.collect())
        }
    }
}

fn build<'p>(program: &Program, list: Vec<Guarded<'p>>) -> Node<'p> {
    let runs = runs(program, list).into_iter();
    sequence(
        runs.map(|(run, common)| group(program, run, common))
            .collect(),
    )
}

fn sequence(mut nodes: Vec<Node>) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            Node::Sequence(nodes)
        }
        None => Node::Sequence(nodes),
    }
}

/// The cells that must not be at their least value for the action to be enabled.
fn triggers(program: &Program, layout: &Layout, guarded: &Guarded) -> Vec<u32> {
    let mut cells: Vec<u32> = (guarded.conjuncts[..guarded.safe].iter())
        .filter_map(|c| {
            let (cell, low) = match fact(program, c) {
                Some((cell, low, _)) => (cell, low),
                None => (read_cell(program, c)?, 1),
            };
            let field = layout.field(cell);
            // A bare cell that is true is not 0, which is useful only if 0 is the least value.
            let bare = fact(program, c).is_none();
            (field.bits > 0 && low > field.min && (!bare || field.min == 0)).then_some(cell)
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// Nodes that find these actions by a scan of non-zero cells.
fn non_zero_scan<'p>(program: &Program, layout: &Layout, list: Vec<Guarded<'p>>) -> Vec<Node<'p>> {
    let mut uses: FxHashMap<u32, usize> = FxHashMap::default();
    for guarded in &list {
        for cell in triggers(program, layout, guarded) {
            *uses.entry(cell).or_default() += 1;
        }
    }
    let is_initially_non_zero = |cell: u32| {
        let value = program.initial.first().and_then(|s| s.get(cell as usize));
        value.is_some_and(|&v| v != layout.field(cell).min)
    };
    let mut words: BTreeMap<u32, BTreeMap<u32, Vec<Guarded<'p>>>> = BTreeMap::new();
    let mut rest = Vec::new();
    for guarded in list {
        checkpoint();
        let cells = triggers(program, layout, &guarded).into_iter();
        match cells.min_by_key(|c| (is_initially_non_zero(*c), uses[c], *c)) {
            Some(cell) => {
                let word = words.entry(layout.field(cell).word).or_default();
                word.entry(cell).or_default().push(guarded);
            }
            None => rest.push(guarded),
        }
    }
    let mut nodes: Vec<Node> = (words.into_iter())
        .map(|(word, cells)| {
            let cells = cells.into_iter();
            let cells = cells.map(|(cell, list)| (cell, build(program, list)));
            Node::NonZeroScan(word, cells.collect())
        })
        .collect();
    if !rest.is_empty() {
        nodes.push(build(program, rest));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_model::ir::{Action, Type, VariableId};

    fn equal(v: VariableId, c: i64) -> Expr {
        Expr::equal(Expr::variable(v), Expr::Constant(c))
    }

    fn program(guards: Vec<Expr>, variables: usize) -> Program {
        let mut p = Program::new("t");
        for i in 0..variables {
            p.declare(&format!("v{i}"), Type::BYTE, None, None);
        }
        for guard in guards {
            p.actions.push(Action {
                name: String::new(),
                processes: vec![],
                class: 0,
                behaviour: Behaviour::Guarded {
                    guard,
                    effect: vec![],
                },
            });
        }
        p.initial = vec![vec![0; variables]];
        p
    }

    fn plan_of(p: &Program) -> (Node<'_>, bool) {
        let actions: Vec<u32> = (0..p.actions.len() as u32).collect();
        plan(p, &Layout::full(p), &actions, &|_| false)
    }

    /// The plan in short: `cell{value: …}`, `?(…)`, `*cell(…)`, numbers of actions.
    fn show(node: &Node) -> String {
        let list = |all: Vec<String>| all.join(" ");
        match node {
            Node::Sequence(all) => list(all.iter().map(show).collect()),
            Node::Test(_, inner) => format!("?({})", show(inner)),
            Node::Switch(cell, cases) => {
                let cases = cases.iter().map(|(v, n)| format!("{v}: {}", show(n)));
                format!("{cell}{{{}}}", cases.collect::<Vec<_>>().join(", "))
            }
            Node::NonZeroScan(_, cells) => {
                let cells = cells.iter().map(|(c, n)| format!("*{c}({})", show(n)));
                list(cells.collect())
            }
            Node::Action(guarded) => guarded.action.to_string(),
            Node::Table(action) => format!("table {action}"),
            Node::Interpreted => "refused".to_string(),
        }
    }

    #[test]
    fn locations_become_switches() {
        let [p, q, x] = [0, 1, 2].map(VariableId);
        let fails = Expr::binary(Binary::Divide, Expr::variable(x), Expr::variable(x));
        let model = program(
            vec![
                equal(p, 0),
                Expr::all([equal(p, 1), equal(q, 0), equal(x, 0)]),
                Expr::all([equal(p, 1), equal(q, 1), equal(x, 0)]),
                Expr::all([equal(p, 0), fails.clone(), equal(q, 1)]),
                Expr::all([equal(q, 2), equal(p, 7)]),
                // The comparison follows a conjunct that can fail, so it must not be tested first.
                Expr::all([fails, equal(q, 0)]),
                Expr::all([Expr::variable(x), equal(q, 3)]),
                Expr::all([Expr::variable(x), Expr::variable(p)]),
            ],
            3,
        );
        let (node, ordered) = plan_of(&model);
        assert!(ordered);
        assert_eq!(show(&node), "0{0: 0 3, 1: 1{0: 1, 1: 2}, 7: 4} 5 ?(6 7)");
    }

    #[test]
    fn nets_are_found_by_marked_cells() {
        let more = |v: u32, c| {
            let read = Expr::variable(VariableId(v));
            Expr::binary(Binary::GreaterEqual, read, Expr::Constant(c))
        };
        // Each transition takes a token of its own place and one of a common place.
        let guards = (1..41)
            .map(|i| Expr::all([more(0, 1), more(i, 2)]))
            .collect();
        let mut model = program(guards, 41);
        // All transitions are consecutive and share a conjunct: one test for all.
        let (node, ordered) = plan_of(&model);
        assert!(
            ordered && show(&node).starts_with("?(0 1 2"),
            "{}",
            show(&node)
        );
        // Without the common conjunct, each transition is found by its place.
        let guards = (0..40).map(|i| Expr::all([more(i % 20, 1), more(40 - i % 20, 1)]));
        model = program(guards.collect(), 41);
        let (node, ordered) = plan_of(&model);
        assert!(!ordered);
        assert!(show(&node).contains("*3(?(?(3 23)))"), "{}", show(&node));
        assert_eq!(node.weight(), 40);
    }
}
