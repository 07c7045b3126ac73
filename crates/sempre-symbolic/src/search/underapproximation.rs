//! A run of a large product by few of its events.
//!
//! That there is an accepting run may be known long before one is found: saturation does not tell ways, and layers of images may have much
//! larger diagrams than what it has found. But it is quick to ask it again with fewer events. So events are left out, half of them
//! first, then smaller and smaller parts, as long as an accepting run remains: Zeller and Hildebrandt's *delta debugging* (IEEE Transactions on
//! Software Engineering 28, 2002). With few events little is reachable, and layers are small. What is left out are steps of the model;
//! deadlocks and where processes are idle stay what they are, so each run of the smaller product is one of the product.
//!
//! Cost: in the worst case a check for each event and each halving, with fewer and fewer events. Where most events are needed nothing is
//! won, so the work is limited.

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

/// Nodes after which the search for a run is given up, and tried again with fewer events.
pub(crate) const RUN_BUDGET: u64 = 1 << 22;

/// What a product is made from, and whether each event is to be in it.
pub(crate) struct Underapproximation<'a> {
    pub propositions: &'a [Expr],
    pub automaton: &'a dyn Automaton,
    pub options: ProductOptions,
    /// The model's states, and its deadlocks.
    pub sets: (Root, Root),
    pub events: Vec<bool>,
}

impl Underapproximation<'_> {
    /// An accepting run of a product that has one; none if that takes more than so many nodes.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn run(
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

    /// The product with the events that are in, and its accepting cycles.
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
