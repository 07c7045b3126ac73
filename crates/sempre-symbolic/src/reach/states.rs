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
use crate::dd::node::{Node, Root};
use crate::dd::shape::Shape;
use crate::reach::breadth_first::{BreadthFirst, group_image};
use crate::reach::interleaved_bfs::InterleavedBfs;
use crate::reach::progress::{Progress, ProgressReporter};
use crate::reach::saturation::{Events, Firing, Saturation};
use crate::relation::model::Model;
use crate::relation::reordering::Reordering;
use crate::turns::Participant;
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
    pub interleaved: bool,
    /// When to give up.
    pub limits: Limits,
    /// Told now and then.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

struct ModelEvents<'a, 'p, 't> {
    model: &'a mut Model<'p>,
    end: u32,
    reporter: &'a mut ProgressReporter<'t>,
    interleaved: &'a mut InterleavedBfs<'p>,
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
        self.reporter.report(forest, None);
        self.model.consider_reordering(forest)?;
        self.interleaved.poll_turn(forest)
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
) -> Result<Root, Stop> {
    let mut interleaved = InterleavedBfs::disabled(model);
    search(forest, model, options, &mut interleaved)
}

fn search<'p>(
    forest: &mut Forest,
    model: &mut Model<'p>,
    options: &Options<'_>,
    interleaved: &mut InterleavedBfs<'p>,
) -> Result<Root, Stop> {
    // A limit that is over before the search begins holds also where the search would end before its first look.
    forest.poll()?;
    let mut reporter = ProgressReporter::new(options.progress);
    let initial = model.initial(forest)?;
    let found = forest.protect(initial);
    match options.strategy {
        Strategy::Saturation => {
            let end = model.at_level.iter().rposition(|g| !g.is_empty());
            model.tracks_values = true;
            let mut events = ModelEvents {
                end: end.map_or(0, |l| l as u32 + 1),
                model,
                reporter: &mut reporter,
                interleaved,
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
            let before = forest.protect(forest.get(found));
            for group in 0..model.groups.len() {
                let now = forest.get(found);
                let more = group_image(forest, model, group, now)?;
                let all = forest.union(forest.get(found), more)?;
                forest.set(found, all);
                reporter.report(forest, Some(all));
            }
            let same = forest.get(found) == forest.get(before);
            forest.unprotect(before);
            if same {
                break;
            }
        },
        Strategy::BreadthFirst => {
            let mut bfs = BreadthFirst::new(forest, initial);
            bfs.advance(forest, model, |_| true, &mut reporter)?;
            forest.set(found, forest.get(bfs.reached));
            bfs.unprotect(forest);
        }
    }
    let all = forest.get(found);
    model.prepare_all(forest, all)?;
    Ok(found)
}

/// All states that a program can come to, with its cells in this order, or in one of ours. It works while it holds the baton.
pub(crate) fn reachable_states<'p>(
    program: &'p Program,
    order: Option<Vec<u32>>,
    options: &Options<'_>,
    participant: Option<&Participant>,
) -> (Forest, Model<'p>, Result<Root, Stop>) {
    let mut forest = Forest::new(options.limits.clone());
    forest.set_participant(participant.cloned());
    let is_ours = order.is_none();
    let mut model = Model::new(&mut forest, program, order);
    if is_ours {
        model.reordering = Reordering::Pending;
    }
    let mut interleaved = match options.interleaved {
        true => InterleavedBfs::new(&model, options.limits.clone()),
        false => InterleavedBfs::disabled(&model),
    };
    let found = search(&mut forest, &mut model, options, &mut interleaved);
    if let Some(all) = interleaved.states {
        let (forest, model, states) = *all;
        return (forest, model, Ok(states));
    }
    match std::mem::take(&mut model.reordering) {
        Reordering::Found(order) => reachable_states(program, Some(order), options, participant),
        _ => (forest, model, found),
    }
}
