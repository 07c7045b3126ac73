//! Reachability: all reachable states of a program, as a diagram.
//!
//! * **Breadth-first** ([`crate::reach::breadth_first`]): level by level.
//! * **Chaining** (Roig, Cortadella, Pastor, ICATPN 1995): each event on all states found so far, its own successors
//!   included.
//! * **Saturation** ([`crate::reach::saturation`]), the default: chaining at each node.
//!
//! The first two are there for comparison, and as references in tests. A long saturation interleaves with breadth-first
//! search ([`crate::reach::interleaved_bfs`]).

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

/// The order in which states are found.
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

/// Options of a search for the reachable states.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The order in which states are found.
    pub strategy: Strategy,
    /// How saturation fires events.
    pub firing: Firing,
    /// Whether a long saturation interleaves with breadth-first search.
    pub interleaved: bool,
    /// Limits of memory and time.
    pub limits: Limits,
    /// Called with progress reports.
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

/// The reachable states of the model, as a root. All relations are learned for them.
///
/// # Errors
/// If a limit is reached.
#[cfg(test)]
pub(crate) fn reachable(
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
    // A limit that is exceeded from the start ends even a search that would finish before its first poll.
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
            // Protected, so that its number is not reused.
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

/// The reachable states of a program with this variable order, or with one from FORCE. With a participant, the search
/// takes turns.
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
