//! The statements that an action executes, as people are shown them: what the author wrote and where, what a rendezvous passes on, and
//! what is printed.
//!
//! Values are expressions over the state in which a statement executes: the action's effect up to there leads to it. Not told is what is
//! printed in the middle of a `d_step` that is one effect ([`super::d_steps`]).

use super::flow::{El, Kind};
use super::lower::{Maker, Open};
use super::resolve::Value;
use super::steps::Offer;
use super::symbols::Scalar;
use crate::model::{Said, SourceStep};

impl Maker<'_> {
    /// The statements of a step: what each half begins with, and then what is part of the step. With each half comes the number of
    /// statements of the step's effect that come before its own.
    pub(super) fn source_steps(&self, halves: &[(&Open, usize)]) -> Vec<SourceStep> {
        sempre_base::checkpoint();
        let first = halves.iter().map(|(o, _)| self.source_step(o));
        let then = (halves.iter()).flat_map(|&(o, before)| {
            let flow = &self.bodies[self.world.instances[o.instance].proctype].flow;
            let told = |also: &&(El, usize)| {
                let kind = &flow.elements[also.0].kind;
                !matches!(kind, Kind::Dot | Kind::Break | Kind::Goto(_))
            };
            (o.half.also.iter())
                .filter(told)
                .map(move |&(e, n)| self.statement(o.instance, e, before + n))
        });
        first.chain(then).collect()
    }

    pub(super) fn source_step(&self, o: &Open) -> SourceStep {
        let mut step = self.statement(o.instance, o.half.element, 0);
        if let Some((meeting, Offer::Send(values))) = &o.half.offer
            && let Some((_, channel)) = meeting.channels.first()
        {
            let fields = &self.world.channels[*channel].signature.fields;
            let values = values.iter().cloned();
            let values = values.zip(fields.iter().map(|&f| self.globals.ty(f)));
            step.said = Some(Said {
                format: None,
                values: values.collect(),
            });
        }
        step
    }

    /// What an element prints.
    fn printed(&self, instance: usize, kind: &Kind) -> Option<Said> {
        let Kind::Print(Some(format), values) = kind else {
            return None;
        };
        let store = &self.bodies[self.world.instances[instance].proctype].store;
        let ty = |value: &Value| {
            let leaf = match value {
                Value::Read(cell) if cell.local => store.leaves.get(cell.leaf),
                Value::Read(cell) => self.globals.store.leaves.get(cell.leaf),
                _ => None,
            };
            self.globals.ty(leaf.map_or(Scalar::Mtype(0), |l| l.scalar))
        };
        let value = |v: &Value| (self.world.expr(Some(instance), v, false), ty(v));
        Some(Said {
            format: Some(format.clone()),
            values: values.iter().map(value).collect(),
        })
    }

    fn statement(&self, instance: usize, e: El, after: usize) -> SourceStep {
        let number = instance;
        let instance = &self.world.instances[instance];
        let element = &self.bodies[instance.proctype].flow.elements[e];
        SourceStep {
            process: instance.slot,
            name: self.faces[instance.proctype].name.to_string(),
            statement: element.text().to_string(),
            places: element.places().to_vec(),
            said: self.printed(number, &element.kind),
            after,
        }
    }
}
