//! Events whose relations do not grow while they are fired, like those of a product.

use crate::dd::forest::Forest;
use crate::dd::node::{Node, Root};
use crate::dd::shape::{Mode, Shape};
use crate::reach::saturation::{Events, Firing, Saturation};
use sempre_base::Stop;

/// Relations, by the highest level that they touch.
#[derive(Clone, Debug)]
pub(crate) struct FixedEvents {
    /// The family of these events; see [`Saturation`].
    pub family: u32,
    /// Relations, and their shapes from their highest level on.
    events: Vec<(Root, Shape)>,
    at_level: Vec<Vec<u32>>,
}

impl FixedEvents {
    /// No events, on this many levels.
    pub(crate) fn new(levels: usize, family: u32) -> Self {
        Self {
            family,
            events: Vec::new(),
            at_level: vec![Vec::new(); levels],
        }
    }

    /// Adds a relation with its shape from the first level on. A relation that writes nothing is left out: it has no
    /// new successors.
    pub(crate) fn add(&mut self, forest: &Forest, relation: Root, shape: Shape) {
        if !forest.modes(shape).iter().any(|&mode| mode > Mode::Read) {
            return;
        }
        let (mut low_shape, mut top) = (shape, 0);
        while forest.shapes.parts(low_shape).0 == Mode::Skip {
            low_shape = forest.shapes.parts(low_shape).1;
            top += 1;
        }
        self.at_level[top].push(self.events.len() as u32);
        self.events.push((relation, low_shape));
    }

    /// The closure of a set whose vectors start at this level.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn saturate(
        &self,
        forest: &mut Forest,
        set: Node,
        level: u32,
    ) -> Result<Node, Stop> {
        let end = self.at_level.iter().rposition(|a| !a.is_empty());
        let mut events = FixedEventSource {
            fixed: self,
            end: end.map_or(0, |l| l as u32 + 1),
        };
        forest.with_protected(&[set], |forest| {
            let mut saturation = Saturation {
                forest,
                events: &mut events,
                firing: Firing::Auto,
                family: self.family,
            };
            saturation.saturate(set, level)
        })
    }
}

struct FixedEventSource<'a> {
    fixed: &'a FixedEvents,
    end: u32,
}

impl Events for FixedEventSource<'_> {
    fn at(&self, level: u32) -> &[u32] {
        &self.fixed.at_level[level as usize]
    }

    fn end(&self) -> u32 {
        self.end
    }

    fn ready(&mut self, forest: &mut Forest, event: u32) -> Result<Option<(Node, Shape)>, Stop> {
        let (relation, shape) = self.fixed.events[event as usize];
        Ok(Some((forest.get(relation), shape)))
    }

    fn prepare(&mut self, _: &mut Forest, _: u32, _: Node) -> Result<(Node, Shape), Stop> {
        unreachable!("fixed relations need not be learned")
    }

    fn occurs(&mut self, _: u32, _: u32) {}

    fn progress(&mut self, _: &Forest) -> Result<(), Stop> {
        Ok(())
    }
}
