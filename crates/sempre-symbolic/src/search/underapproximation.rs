//! Underapproximation: an accepting run of a large product by few of its events.
//!
//! The emptiness check may be done long before a run is found: saturation gives no paths, and layers of images may have
//! much larger diagrams than saturated sets. But repeating the check with fewer events is fast. So events are removed,
//! half of them first, then smaller and smaller subsets, as long as an accepting run remains: Zeller and Hildebrandt's
//! *delta debugging* (IEEE Transactions on Software Engineering 28, 2002). With few events, few states are reachable,
//! and layers are small. Only steps of the model are removed; deadlocks and idle processes stay as they are, so each
//! run of the smaller product is a run of the product.
//!
//! Cost: in the worst case, a check for each event and each halving, with fewer and fewer events. If most events are
//! needed, nothing is gained, so the work is limited.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Root};
use crate::product::automaton::Automaton;
use crate::product::options::ProductOptions;
use crate::product::symbolic_product::Product;
use crate::relation::model::Model;
use crate::search::outcome::Outcome;
use crate::search::owcty::{FairHull, owcty};
use crate::search::violation::violation;
use sempre_base::Stop;
use sempre_model::Expr;

/// Nodes for a run, before it is tried with fewer events.
pub(crate) const RUN_BUDGET: u64 = 1 << 22;

/// The ingredients of a product, and the events it has.
pub(crate) struct Underapproximation<'a> {
    pub propositions: &'a [Expr],
    pub automaton: &'a dyn Automaton,
    pub options: ProductOptions,
    /// The model's states, and its deadlocks.
    pub sets: (Root, Root),
    pub events: Vec<bool>,
}

impl Underapproximation<'_> {
    /// An accepting run of a product that has one; `None` if that takes more than this many nodes.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn run(
        mut self,
        forest: &mut Forest,
        model: &mut Model<'_>,
        nodes: u64,
    ) -> Result<Option<Outcome>, Stop> {
        forest.scratch_with_budget(nodes, |forest| self.minimise(forest, model))
    }

    fn minimise(&mut self, forest: &mut Forest, model: &mut Model<'_>) -> Result<Outcome, Stop> {
        let mut size = self.events.len();
        loop {
            size = (size / 2).max(1);
            let here: Vec<usize> = (0..self.events.len()).filter(|&e| self.events[e]).collect();
            for part in here.chunks(size) {
                part.iter().for_each(|&e| self.events[e] = false);
                let found = forest.scratch_with_budget(RUN_BUDGET, |forest| {
                    let (_, hull) = self.check_part(forest, model)?;
                    Ok(forest.get(hull.hull) != EMPTY)
                })?;
                if found != Some(true) {
                    part.iter().for_each(|&e| self.events[e] = true);
                }
            }
            let budget = if size == 1 { u64::MAX } else { RUN_BUDGET };
            let run = forest.scratch_with_budget(budget, |forest| {
                let (product, hull) = self.check_part(forest, model)?;
                violation(forest, model, &product, &hull)
            })?;
            if let Some(run) = run {
                return Ok(run);
            }
        }
    }

    /// The product with the current events, and its fixpoint.
    fn check_part(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
    ) -> Result<(Product, FairHull), Stop> {
        let sets = (forest.get(self.sets.0), forest.get(self.sets.1));
        let product = Product::new(
            forest,
            model,
            sets,
            self.propositions,
            self.automaton,
            Some(&self.events),
            self.options,
        )?;
        let hull = owcty(forest, &product)?;
        Ok((product, hull))
    }
}
