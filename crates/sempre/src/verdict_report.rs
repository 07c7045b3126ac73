//! Verdicts on their way out: for people, as JSON, as lines of the Model Checking Contest.

use crate::color::Palette;
use crate::failure::Outcome;
use crate::notices;
use crate::picture::Picture;
use crate::run_text::Legend;
use sempre::check::{Asked, Claim, Fairness, Moment, Property, Verdict, answer_word};
use sempre::contest::line;
use sempre::explicit::product::Deadlock;
use sempre::ltl::{Formula, Syntax, print};
use sempre::memory;
use sempre::model::Type;
use sempre::report::Subject;
use sempre::report::answer;
use sempre::report::facts::{end_words, facts};
use sempre::shown_run::{Detail, ShownRun, WIDE, is_default};
use sempre::step_text::Part;
use serde_json::{Map, Value, json};
use std::io::Write;

/// What is to be shown.
pub struct Shown<'a> {
    /// The check.
    pub subject: Subject<'a>,
    /// Say why it was done so.
    pub explain: bool,
    /// How much of states is shown.
    pub detail: Detail,
    /// What the model says of its actions.
    pub legend: &'a Legend<'a>,
    /// The styles.
    pub palette: Palette,
}

impl Shown<'_> {
    fn deadlock(&self) -> &'static str {
        match self.subject.deadlock {
            Deadlock::Stutter => "stutter",
            Deadlock::Drop => "drop",
        }
    }

    fn fairness(&self) -> &'static str {
        match self.subject.fairness {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::WeakTransitions => "weak-transitions",
        }
    }

    fn reason(&self) -> Option<String> {
        match &self.subject.report.verdict {
            Verdict::Unknown(cause) => Some(cause.words()),
            _ => None,
        }
    }

    fn action(&self, moment: &Moment) -> Option<&str> {
        let action = self.subject.program.actions.get(moment.action? as usize)?;
        Some(&action.name)
    }

    /// The parts of the step that leads from one moment to another.
    fn parts(&self, moment: &Moment, next: &Moment) -> Vec<Part<'_>> {
        let steps = self
            .legend
            .run(self.subject.program, self.detail, self.palette)
            .steps;
        match moment.action {
            Some(action) => steps.parts(&moment.state, action, &next.state),
            None => Vec::new(),
        }
    }

    /// Are states objects with some of the variables only?
    fn folds(&self) -> bool {
        self.detail == Detail::Folded && self.subject.program.cells() > WIDE
    }

    /// A step of a run, with the moments before and after it.
    fn step(&self, before: Option<&Moment>, moment: &Moment, next: Option<&Moment>) -> Value {
        let folds = self.folds();
        let is_shown = |&(cell, &value): &(usize, &i64)| match before {
            _ if !folds => true,
            None => !is_default(self.subject.program, cell as u32, value),
            Some(before) => before.state[cell] != value,
        };
        let value = |(cell, &value): (usize, &i64)| {
            let cell = cell as u32;
            let variable = self
                .subject
                .program
                .variable(self.subject.program.variable_of_cell(cell));
            let shown = match variable.ty {
                Type::Enum { .. } => json!(self.subject.program.show_value(cell, value)),
                _ => json!(value),
            };
            (self.subject.program.cell_name(cell), shown)
        };
        let state: Map<String, Value> = (moment.state.iter().enumerate())
            .filter(|&(cell, _)| {
                let v = self.subject.program.variable_of_cell(cell as u32);
                ![self.subject.program.atomic, self.subject.program.exclusive].contains(&Some(v))
            })
            .filter(is_shown)
            .map(value)
            .collect();
        let propositions = self
            .subject
            .property
            .propositions
            .iter()
            .zip(&moment.propositions);
        let propositions: Map<String, Value> = propositions
            .map(|(p, &holds)| (p.text.clone(), json!(holds)))
            .collect();
        let action = moment
            .action
            .map(|a| &self.subject.program.actions[a as usize]);
        let processes = action.iter().flat_map(|a| &a.processes);
        let processes: Vec<&str> = processes
            .map(|p| self.subject.program.processes[p.0 as usize].name.as_str())
            .collect();
        json!({
            "state": state,
            "propositions": propositions,
            "action": self.action(moment),
            "processes": processes,
            "parts": next.map_or(Vec::new(), |next| {
                self.parts(moment, next).iter().map(Part::json).collect::<Vec<_>>()
            }),
        })
    }

    fn counterexample(&self) -> Option<Value> {
        let Verdict::Violated(evidence) = &self.subject.report.verdict else {
            return None;
        };
        let moments: Vec<&Moment> = evidence.moments().collect();
        let start = evidence.prefix().len();
        let step = |i: usize| {
            let before = i.checked_sub(1).map(|k| moments[k]);
            // The last moment leads back to the start of the cycle, or nowhere.
            let next = moments.get(i + 1).or(moments.get(start)).copied();
            self.step(before, moments[i], next)
        };
        let prefix: Vec<Value> = (0..start).map(step).collect();
        let cycle: Vec<Value> = (start..moments.len()).map(step).collect();
        let mut run = json!({
            "kind": if evidence.is_finite() { "finite" } else { "lasso" },
            "prefix": prefix,
            "cycle": cycle,
        });
        if let Some(failure) = evidence.failure() {
            run["failure"] = json!(failure);
        }
        if self.folds() {
            run["folded"] = json!(true);
        }
        Some(run)
    }
}

/// The counterexample with the name of the property, if there is one.
pub fn trace(shown: &Shown<'_>) -> Option<Value> {
    let mut object = Map::new();
    object.insert("name".to_string(), json!(shown.subject.property.name));
    let Value::Object(run) = shown.counterexample()? else {
        return None;
    };
    object.extend(run);
    Some(Value::Object(object))
}

/// The object of a property.
pub fn json(shown: &Shown<'_>) -> Value {
    let report = shown.subject.report;
    let counters = &report.statistics.counters;
    let automaton = report.automaton.as_ref().map(|a| {
        json!({
            "kind": a.kind.name(),
            "states": a.states,
            "edges": a.edges,
            "acceptance_sets": a.sets,
            "deterministic": a.deterministic,
        })
    });
    let mut object = json!({
        "name": shown.subject.property.name,
        "verdict": answer_word(shown.subject.property.asked, &report.verdict),
        "reason": shown.reason(),
        "engine": report.engine_name(),
        "algorithm": report.algorithm_name(),
        "workers": report.workers,
        "deadlock": shown.deadlock(),
        "fairness": shown.fairness(),
        "automaton": automaton,
        "product": {
            "states": counters.states,
            "transitions": counters.transitions,
            "max_stack": counters.max_stack,
            "repeated": counters.repeated,
            "avoided": counters.avoided,
            "stored": report.statistics.stored,
            "bytes_per_state": report.statistics.bytes as f64 / report.statistics.stored.max(1) as f64,
            "second_pass": {
                "states": counters.second_states,
                "transitions": counters.second_transitions,
                "found_the_run": counters.only_second,
            },
            "scouted": report.statistics.scouted,
            "acceptance_sets": report.statistics.sets,
            "pairs": report.automaton.as_ref().and_then(|a| a.pairs),
        },
        "model": { "states": report.symbolic.as_ref().and_then(|s| s.model_states.as_ref()?.to_u64()) },
        "seconds": report.elapsed.as_secs_f64(),
        "peak_memory_bytes": memory::peak(),
        "counterexample": shown.counterexample(),
        "asked": answer::asked(&shown.subject),
        "found": answer::found(&shown.subject),
        "warnings": notices::warnings(Some(&shown.subject.property.name)),
    });
    if let Some(symbolic) = &report.symbolic {
        object["peak_nodes"] = json!(symbolic.peak_nodes);
        let states = (symbolic.product_states.as_ref()).and_then(|n| n.to_u64());
        object["product"] = json!({ "states": states, "transitions": null, "max_stack": null });
    }
    if let Some(net) = &report.net {
        object["net"] = json!({
            "places": net.places,
            "transitions": net.transitions,
            "steps": net.steps,
            "contradictions": net.contradictions,
        });
    }
    if report.fairness_ignored {
        object["fairness_ignored"] = json!(true);
    }
    if shown.explain {
        object["explanation"] = json!(report.explanation);
    }
    object
}

/// The line of the Model Checking Contest.
pub fn mcc(out: &mut dyn Write, shown: &Shown<'_>) -> Outcome<()> {
    let line = line(shown.subject.property, shown.subject.report);
    writeln!(out, "{line}")?;
    Ok(())
}

/// The question, where the answer is to that and not to the claim.
fn question(property: &Property) -> String {
    match (property.asked, &property.claim) {
        (Asked::Reachable, Claim::Formula(formulas, formula)) => {
            // The claim is `G !p`.
            let operand = |f: Formula| formulas.operands(f).first().copied().unwrap_or(f);
            let goal = operand(operand(*formula));
            let text = print(formulas, goal, Syntax::Spot).to_string();
            let most = 60;
            let text = match text.char_indices().nth(most) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            };
            format!("EF {text}: ")
        }
        _ => String::new(),
    }
}

/// For people; the run is shown by the picture if there is one.
pub fn text(out: &mut dyn Write, shown: &Shown<'_>, picture: Option<&Picture<'_>>) -> Outcome<()> {
    let report = shown.subject.report;
    let property = shown.subject.property;
    let word = answer_word(property.asked, &report.verdict);
    let (style, strong) = (shown.palette.of(&report.verdict), shown.palette.strong);
    let name = &property.name;
    writeln!(
        out,
        "{strong}{name}{strong:#}: {}{style}{word}{style:#}",
        question(property)
    )?;
    let mut rows = vec![
        ("asked", answer::asked(&shown.subject)),
        ("found", answer::found(&shown.subject)),
    ];
    rows.extend(facts(&shown.subject));
    rows.push(("seconds", format!("{:.3}", report.elapsed.as_secs_f64())));
    if shown.explain {
        rows.extend(
            report
                .explanation
                .iter()
                .map(|line| ("because", line.clone())),
        );
    }
    for (name, value) in rows {
        writeln!(out, "  {name:<11}{value}")?;
    }
    match picture {
        Some(picture) => draw(out, shown, picture),
        None => run(out, shown),
    }
}

/// The run as a picture.
fn draw(out: &mut dyn Write, shown: &Shown<'_>, picture: &Picture<'_>) -> Outcome<()> {
    let Verdict::Violated(evidence) = &shown.subject.report.verdict else {
        return Ok(());
    };
    let mut run = ShownRun::new(shown.subject.program);
    let moments: Vec<&Moment> = evidence.moments().collect();
    let start = evidence.prefix().len();
    for (i, moment) in moments.iter().enumerate() {
        if i == start {
            run.cycle();
        }
        // The last moment leads back to the start of the cycle, or nowhere.
        let next = moments.get(i + 1).or(moments.get(start));
        if let Some(next) = next {
            run.step(&moment.state, moment.action, &next.state);
        }
    }
    write!(out, "{}", picture.draw(&run))?;
    if evidence.is_finite() {
        let end = end_words(shown.subject.property.asked, evidence);
        writeln!(out, "{end}")?;
    }
    Ok(())
}

/// The run: actions, what changed, what is true.
fn run(out: &mut dyn Write, shown: &Shown<'_>) -> Outcome<()> {
    let Verdict::Violated(evidence) = &shown.subject.report.verdict else {
        return Ok(());
    };
    let run = (shown.legend).run(shown.subject.program, shown.detail, shown.palette);
    let digits = evidence.len().to_string().len();
    let moments: Vec<&Moment> = evidence.moments().collect();
    let start = evidence.prefix().len();
    for (i, moment) in moments.iter().enumerate() {
        if i == start {
            writeln!(out, "  the cycle, for ever:")?;
        }
        let before = i.checked_sub(1).map(|k| moments[k]);
        // Propositions, like variables, when they change.
        let propositions = shown
            .subject
            .property
            .propositions
            .iter()
            .zip(&moment.propositions);
        let truth: Vec<String> = propositions
            .enumerate()
            .filter(|(p, (_, holds))| before.is_none_or(|b| b.propositions[*p] != **holds))
            .map(|(_, (p, &holds))| format!("{}{}", if holds { "" } else { "not " }, p.text))
            .collect();
        let old = before.map(|b| &b.state[..]);
        run.state(out, (i, digits), old, &moment.state, &truth)?;
        if evidence.is_finite() && i + 1 == start {
            if evidence.failure().is_some()
                && let Some(action) = shown.action(moment)
            {
                writeln!(out, "  {:digits$}    {action}", "")?;
            }
            let end = end_words(shown.subject.property.asked, evidence);
            writeln!(out, "  {end}")?;
            return Ok(());
        }
        // The last moment leads back to the start of the cycle.
        let next = moments.get(i + 1).or(moments.get(start));
        match next.map(|next| shown.parts(moment, next)) {
            Some(parts) if !parts.is_empty() => run.step(out, digits, &parts)?,
            _ => writeln!(out, "  {:digits$}    (nothing can move)", "")?,
        }
    }
    writeln!(out, "  back to {start}")?;
    Ok(())
}
