//! A part of a product on the fly, as a graph: emptiness check, and runs.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Kept, Node};
use crate::dd::set_accumulator::Growing;
use crate::product::graph::{Graph, Steps};
use crate::product::on_the_fly::OnTheFly;
use crate::relation::faults::first_fault;
use crate::relation::model::Model;
use crate::search::accepting_run::back_through;
use crate::search::outcome::Outcome;
use crate::search::owcty::{Hull, fixpoint};
use crate::search::violation::{violation, violation_after};
use sempre_base::Stop;

/// A part of a product, of which all that matters is known.
pub(crate) struct Part<'a> {
    /// The product.
    pub product: &'a OnTheFly<'a>,
    /// The states.
    pub found: Kept,
}

impl Part<'_> {
    /// A run that is accepted whatever it does after one of the last states, if there is such a one among them; the layers `before` lead to
    /// them, one after the other.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn certain_run(
        &self,
        forest: &mut Forest,
        model: &Model<'_>,
        before: impl Iterator<Item = Kept>,
        last: Kept,
    ) -> Result<Certain, Stop> {
        let certain = self.certain(forest, forest.get(last))?;
        let Some(state) = forest.first(certain) else {
            return Ok(Certain::Nothing);
        };
        let layers: Vec<Kept> = before.chain([last]).collect();
        let way = back_through(forest, self, &layers, state)?;
        let outcome = violation_after(forest, model, &way)?;
        Ok(outcome.map_or(Certain::Fails, Certain::Violated))
    }

    /// Accepting cycles of this part among what a set leads to, and what they lead to; none if there are none.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn hull(&self, forest: &mut Forest, start: Node) -> Result<Option<Hull>, Stop> {
        let all = self.reach(forest, start)?;
        let hull = fixpoint(forest, self, all)?;
        if forest.get(hull) == EMPTY {
            forest.release(hull);
            return Ok(None);
        }
        Ok(Some(Hull {
            reachable: self.found,
            hull,
            is_certain: false,
        }))
    }

    /// A run through one of these cycles.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn run(
        &self,
        forest: &mut Forest,
        model: &Model<'_>,
        hull: &Hull,
    ) -> Result<Outcome, Stop> {
        violation(forest, model, self, hull)
    }

    /// What is to be said if this is the whole product, and no accepting run is in it.
    ///
    /// # Errors
    /// If there is no room, or it is time to stop.
    pub fn nothing(&self, forest: &mut Forest, model: &mut Model<'_>) -> Result<Outcome, Stop> {
        let visited = match forest.get(self.found) {
            EMPTY => EMPTY,
            found => forest.guarded(&[found], |f| f.union_of_downs(found))?,
        };
        let fault = first_fault(forest, model, visited, self.product.propositions)?;
        Ok(fault.map_or(Outcome::Empty, Outcome::Failed))
    }
}

/// What comes of states after which whatever comes is accepted.
pub(crate) enum Certain {
    /// There are none.
    Nothing,
    /// A run.
    Violated(Outcome),
    /// Something fails, so that it is not certain that a run goes on.
    Fails,
}

impl Graph for Part<'_> {
    fn initial(&self) -> Kept {
        self.product.initial
    }

    fn sets(&self) -> usize {
        self.product.observer.sets() as usize + self.product.own.len()
    }

    fn process_of(&self, set: usize) -> Option<usize> {
        self.product.process_of(set)
    }

    fn accepts_all(&self) -> Option<u32> {
        self.product.accepts_all
    }

    /// They are not taken apart: that would split the states again for each part.
    fn parts(&self) -> usize {
        1
    }

    fn image(&self, forest: &mut Forest, set: Node, of: Steps) -> Result<Node, Stop> {
        let of = match of {
            Steps::Part(_) => Steps::All,
            of => of,
        };
        let next = self.product.step(forest, None, set, of)?;
        forest.intersection(next, forest.get(self.found))
    }

    fn preimage(
        &self,
        forest: &mut Forest,
        set: Node,
        of: Steps,
        universe: Node,
    ) -> Result<Node, Stop> {
        let (to, within) = (forest.keep(set), forest.keep(universe));
        let all = forest.keep(EMPTY);
        let targets: Vec<(u32, Node)> = forest.list(set).collect();
        let sources: Vec<(u32, Node)> = forest.list(universe).collect();
        for (q, after) in targets {
            let parts = match self.product.observer.is_testing() {
                true => self.product.split(forest, after, self.product.all())?,
                false => vec![(0, forest.keep(after))],
            };
            for &(from, within) in sources
                .iter()
                .filter(|s| self.product.leads[s.0 as usize][q as usize])
            {
                for &(letter, part) in &parts {
                    let before =
                        self.product
                            .model_preimage(forest, forest.get(part), of, within)?;
                    let before = forest.keep(before);
                    let sources = match self.product.observer.is_testing() {
                        false => self.product.by_edges(forest, from, forest.get(before))?,
                        true => (self
                            .product
                            .split(forest, forest.get(before), self.product.all())?
                            .into_iter())
                        .map(|(l, part)| (self.product.observer.edges(from, l ^ letter), part))
                        .collect(),
                    };
                    for (edges, part) in sources {
                        if self.product.targets(&edges, of).contains(&q) {
                            self.product.add(forest, all, from, forest.get(part))?;
                        }
                        forest.release(part);
                    }
                    forest.release(before);
                }
            }
            for (_, part) in parts {
                forest.release(part);
            }
        }
        let result = forest.get(all);
        for kept in [to, within, all] {
            forest.release(kept);
        }
        Ok(result)
    }

    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let mut all = Growing::default();
        let last = forest.keep(set);
        while forest.get(last) != EMPTY {
            let new = all.add(forest, forest.get(last))?;
            forest.set(last, new);
            let next = self.image(forest, new, Steps::All)?;
            forest.set(last, next);
        }
        forest.release(last);
        let reached = all.all(forest)?;
        all.release(forest);
        Ok(reached)
    }
}
