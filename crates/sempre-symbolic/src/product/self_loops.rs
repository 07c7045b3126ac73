//! Reachability in products with a TGBA: saturation for each state of the automaton, under the label of its self-loop.
//!
//! Every step of such a product reads the automaton's variable, which is at the top, so saturation has nothing to do at
//! lower levels. But as long as the automaton stays in a state, the model moves by its own events, most of which do not
//! touch the propositions of the self-loop's label. This is the idea of the self-loop aggregation product of
//! Duret-Lutz, Klai, Poitrenaud, Thierry-Mieg (ATVA 2011). There, such sets are the states of an explicit graph; here
//! they are parts of one symbolic set, and the result is the reachable set of Definition 5 of the TACAS 2014 paper.
//!
//! For a state of the automaton, the model states that satisfy the label are closed under the model's events that lead
//! to such states again. An event that writes nothing that the label reads is taken as it is; other events are joined
//! with the label before and after the step. All other successors come from a step of the product from the new states;
//! this also starts the other states of the automaton.
//!
//! Often this is much faster than saturation of the whole product. It is not if runs leave and enter the automaton's
//! states all the time, or if the states under a label have a large diagram. So both are tried in turns
//! ([`crate::product::faster_first`]).
//!
//! States of the automaton whose self-loops have the same label share their events, a *family*. Results of saturation
//! depend on the family, so it is part of the cache key. Family 0 has the model's own events, and shares results with
//! the search for the reachable states.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::product::automaton::{Automaton, valuations_over};
use crate::product::builder::Builder;
use crate::product::graph::{Graph, Steps};
use crate::product::relations::Relation;
use crate::reach::fixed_events::FixedEvents;
use crate::reach::saturation::FAMILY_LIMIT;
use sempre_base::Stop;
use std::collections::VecDeque;

/// Self-loops with labels over more propositions are not used.
const MAX_PROPOSITIONS: u32 = 8;

/// The label of a self-loop, and the events under it.
#[derive(Clone, Debug)]
struct Family {
    /// Where the label holds; none if everywhere.
    label: Option<Relation>,
    events: FixedEvents,
}

/// The self-loops of an automaton.
#[derive(Clone, Debug)]
pub(crate) struct SelfLoops {
    families: Vec<Family>,
    /// The family of each state of the automaton, if its self-loop is used.
    of_state: Vec<Option<usize>>,
}

impl SelfLoops {
    /// The self-loops of an automaton, and the model's events under their labels. `groups` has all events, each with
    /// the propositions that it may change.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn new(
        b: &mut Builder<'_, '_>,
        automaton: &dyn Automaton,
        groups: &[(Relation, u64)],
    ) -> Result<Self, Stop> {
        let mut labels: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut loops = Self {
            families: Vec::new(),
            of_state: Vec::new(),
        };
        for q in 0..automaton.states() {
            let family = match label(automaton, q) {
                None => None,
                Some(label) => match labels.iter().position(|index| *index == label) {
                    Some(index) => Some(index),
                    None if labels.len() as u32 + 2 >= FAMILY_LIMIT => None,
                    None => {
                        let family = Family::new(b, &label, groups, labels.len() as u32 + 2)?;
                        loops.families.push(family);
                        labels.push(label);
                        Some(labels.len() - 1)
                    }
                },
            };
            loops.of_state.push(family);
        }
        Ok(loops)
    }

    /// The states of the product reachable from a set, itself included.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn reach(
        &self,
        forest: &mut Forest,
        product: &impl Graph,
        set: Node,
    ) -> Result<Node, Stop> {
        // For each state of the automaton: the states found, and those whose successors were computed.
        let found: Vec<Root> = self
            .of_state
            .iter()
            .map(|_| forest.protect(EMPTY))
            .collect();
        let done: Vec<Root> = self
            .of_state
            .iter()
            .map(|_| forest.protect(EMPTY))
            .collect();
        let mut queue = VecDeque::new();
        for (q, states) in forest.list(set).collect::<Vec<_>>() {
            forest.set(found[q as usize], states);
            queue.push_back(q as usize);
        }
        while let Some(q) = queue.pop_front() {
            if let Some(family) = self.of_state[q] {
                let more = self.families[family].closure(forest, forest.get(found[q]))?;
                forest.union_into(found[q], more)?;
            }
            let new = forest.difference(forest.get(found[q]), forest.get(done[q]))?;
            if new == EMPTY {
                continue;
            }
            let from = forest.make(q as u32, new, EMPTY)?;
            forest.set(done[q], forest.get(found[q]));
            let next = product.image(forest, from, Steps::All)?;
            let next = forest.protect(next);
            for (to, states) in forest.list(forest.get(next)).collect::<Vec<_>>() {
                let to = to as usize;
                let before = forest.get(found[to]);
                let all = forest.union(before, states)?;
                forest.set(found[to], all);
                // `before` may be dead, but not if it equals `all`.
                if all != before && !queue.contains(&to) {
                    queue.push_back(to);
                }
            }
            forest.unprotect(next);
        }
        let base = forest.stack.len();
        for (q, &root) in found.iter().enumerate() {
            if forest.get(root) != EMPTY {
                forest.stack.push((q as u32, forest.get(root), EMPTY));
            }
        }
        let all = forest.list_from_stack(base, EMPTY)?;
        for root in found.into_iter().chain(done) {
            forest.unprotect(root);
        }
        Ok(all)
    }
}

/// The label of a state's self-loop: the propositions that it depends on, and their valuations; `None` without a
/// self-loop, or with too many propositions.
fn label(automaton: &dyn Automaton, q: u32) -> Option<(u64, Vec<u64>)> {
    let reads = automaton.reads(q);
    if reads.count_ones() > MAX_PROPOSITIONS {
        return None;
    }
    let stays = |letter: u64| automaton.edges(q, letter).iter().any(|e| e.0 == q);
    let depends = |p: &u32| valuations_over(reads).any(|l| stays(l) != stays(l ^ 1 << p));
    let about = (0..64).filter(|p| reads >> p & 1 == 1).filter(depends);
    let about = about.fold(0, |all, p| all | 1 << p);
    let letters: Vec<u64> = valuations_over(about).filter(|&l| stays(l)).collect();
    (!letters.is_empty()).then_some((about, letters))
}

impl Family {
    fn new(
        b: &mut Builder<'_, '_>,
        (about, letters): &(u64, Vec<u64>),
        groups: &[(Relation, u64)],
        number: u32,
    ) -> Result<Self, Stop> {
        let label = match about {
            0 => None,
            _ => Some(b.condition(*about, letters)?),
        };
        // Without a condition, the events are the model's own, if the product has all of them.
        let number = match label.is_none() && b.has_all_events() {
            true => 0,
            false => number,
        };
        let mut events = FixedEvents::new(b.levels(), number);
        for &(group, visible) in groups {
            let (relation, shape) = match label {
                Some(label) if visible & about != 0 => b.steps_within(group, label)?,
                _ => group,
            };
            if b.forest.get(relation) != EMPTY {
                events.add(b.forest, relation, shape);
            }
        }
        Ok(Self { label, events })
    }

    /// The model states reachable from a set while the label holds.
    fn closure(&self, forest: &mut Forest, states: Node) -> Result<Node, Stop> {
        let inside = match self.label {
            None => states,
            Some((label, shape)) => {
                // From the model's first level on.
                let (_, shape) = forest.shapes.parts(shape);
                forest.restrict(states, forest.get(label), shape)?
            }
        };
        self.events.saturate(forest, inside, 1)
    }
}
