//! Reachability: all states that a program can come to, as a diagram.
//!
//! * **Breadth-first** ([`crate::reach::breadth_first`]): level by level.
//! * **Chaining** (Roig, Cortadella, Pastor, ICATPN 1995): each event on all that is known, what it finds included.
//! * **Saturation** ([`crate::reach::saturation`]), the default: chaining carried down to the nodes.
//!
//! The first two are there for comparison, and as references in tests; and a saturation that gets long is helped by the first
//! ([`crate::reach::interleaved_bfs`]).

use crate::dd::control::Limits;
use crate::dd::forest::Forest;
use crate::dd::node::{Kept, Node};
use crate::dd::shape::Shape;
use crate::reach::breadth_first::{BreadthFirst, step};
use crate::reach::interleaved_bfs::Beside;
use crate::reach::progress::{Progress, Teller};
use crate::reach::saturation::{Events, Firing, Saturation};
use crate::relation::model::Model;
use crate::relation::reordering::SecondThoughts;
use crate::turns::Baton;
use sempre_base::Stop;
use sempre_model::ir::Program;

/// In which order the states are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Level by level.
    BreadthFirst,
    /// Event by event.
    Chaining,
    /// Node by node.
    #[default]
    Saturation,
}

/// How to search.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// In which order.
    pub strategy: Strategy,
    /// How saturation fires events.
    pub firing: Firing,
    /// If saturation gets long, let a breadth-first search have turns, too.
    pub beside: bool,
    /// When to give up.
    pub limits: Limits,
    /// Told now and then.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

struct ModelEvents<'a, 'p, 't> {
    model: &'a mut Model<'p>,
    end: u32,
    teller: &'a mut Teller<'t>,
    beside: &'a mut Beside<'p>,
}

impl Events for ModelEvents<'_, '_, '_> {
    fn at(&self, level: u32) -> &[u32] {
        &self.model.at_level[level as usize]
    }

    fn end(&self) -> u32 {
        self.end
    }

    fn ready(&mut self, forest: &mut Forest, event: u32) -> Result<Option<(Node, Shape)>, Stop> {
        let relation = self.model.ready(forest, event)?;
        let shape = self.model.groups[event as usize].shape;
        Ok(relation.map(|r| (r, shape)))
    }

    #[inline]
    fn occurs(&mut self, level: u32, value: u32) {
        self.model.occurs(level, value);
    }

    fn prepare(
        &mut self,
        forest: &mut Forest,
        event: u32,
        set: Node,
    ) -> Result<(Node, Shape), Stop> {
        let relation = self.model.prepare(forest, event, set)?;
        Ok((relation, self.model.groups[event as usize].shape))
    }

    fn progress(&mut self, forest: &Forest) -> Result<(), Stop> {
        self.teller.tell(forest, None);
        self.model.reconsider(forest)?;
        self.beside.turn(forest)
    }
}

/// All states that the model can come to; all its relations are known for them. The set is kept.
///
/// # Errors
/// If there is no room, or it is time to stop.
pub fn reachable(
    forest: &mut Forest,
    model: &mut Model<'_>,
    options: &Options<'_>,
) -> Result<Kept, Stop> {
    let mut beside = Beside::never(model);
    search(forest, model, options, &mut beside)
}

fn search<'p>(
    forest: &mut Forest,
    model: &mut Model<'p>,
    options: &Options<'_>,
    beside: &mut Beside<'p>,
) -> Result<Kept, Stop> {
    // A limit that is over before the search begins holds also where the search would end before its first look.
    forest.look()?;
    let mut teller = Teller::new(options.progress);
    let initial = model.initial(forest)?;
    let found = forest.keep(initial);
    match options.strategy {
        Strategy::Saturation => {
            let end = model.at_level.iter().rposition(|g| !g.is_empty());
            model.notes_values = true;
            let mut events = ModelEvents {
                end: end.map_or(0, |l| l as u32 + 1),
                model,
                teller: &mut teller,
                beside,
            };
            let mut saturation = Saturation {
                forest,
                events: &mut events,
                firing: options.firing,
                family: 0,
            };
            let base = saturation.forest.stack.len();
            let all = saturation.saturate(initial, 0);
            forest.stack.truncate(base);
            forest.set(found, all?);
        }
        Strategy::Chaining => loop {
            // Kept: the number of a dead node may be that of another soon.
            let before = forest.keep(forest.get(found));
            for group in 0..model.groups.len() {
                let now = forest.get(found);
                let more = step(forest, model, group, now)?;
                let all = forest.union(forest.get(found), more)?;
                forest.set(found, all);
                teller.tell(forest, Some(all));
            }
            let same = forest.get(found) == forest.get(before);
            forest.release(before);
            if same {
                break;
            }
        },
        Strategy::BreadthFirst => {
            let mut layers = BreadthFirst::new(forest, initial);
            layers.advance(forest, model, |_| true, &mut teller)?;
            forest.set(found, forest.get(layers.found));
            layers.release(forest);
        }
    }
    let all = forest.get(found);
    model.prepare_all(forest, all)?;
    Ok(found)
}

/// All states that a program can come to, with its cells in this order, or in one of ours. It works while it holds the baton.
pub(crate) fn states_of<'p>(
    program: &'p Program,
    order: Option<Vec<u32>>,
    options: &Options<'_>,
    baton: Option<&Baton>,
) -> (Forest, Model<'p>, Result<Kept, Stop>) {
    let mut forest = Forest::new(options.limits.clone());
    forest.take_turns(baton.cloned());
    let is_ours = order.is_none();
    let mut model = Model::new(&mut forest, program, order);
    if is_ours {
        model.second_thoughts = SecondThoughts::Later;
    }
    let mut beside = match options.beside {
        true => Beside::new(&model, options.limits.clone()),
        false => Beside::never(&model),
    };
    let found = search(&mut forest, &mut model, options, &mut beside);
    if let Some(all) = beside.states {
        let (forest, model, states) = *all;
        return (forest, model, Ok(states));
    }
    match std::mem::take(&mut model.second_thoughts) {
        SecondThoughts::Better(order) => states_of(program, Some(order), options, baton),
        _ => (forest, model, found),
    }
}
