//! The explored part of a product on the fly, as a graph, with its emptiness check.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::set_accumulator::SetAccumulator;
use crate::product::graph::{Graph, Steps};
use crate::product::on_the_fly::OnTheFly;
use crate::relation::faults::first_fault;
use crate::relation::model::Model;
use crate::search::accepting_run::path_through_layers;
use crate::search::outcome::Outcome;
use crate::search::owcty::{FairHull, fixpoint};
use crate::search::violation::{violation, violation_after};
use sempre_base::Stop;

/// A part of a product whose states have been learned.
pub(crate) struct ExploredPart<'a> {
    /// The product.
    pub product: &'a OnTheFly<'a>,
    /// The states.
    pub found: Root,
}

impl ExploredPart<'_> {
    /// A run through one of the `last` states from which every continuation is accepted, if there is one. The layers
    /// `before` lead to them, one after the other.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn accept_all_run(
        &self,
        forest: &mut Forest,
        model: &Model<'_>,
        before: impl Iterator<Item = Root>,
        last: Root,
    ) -> Result<AcceptAll, Stop> {
        let accept_all_states = self.accept_all_states(forest, forest.get(last))?;
        let Some(state) = forest.first(accept_all_states) else {
            return Ok(AcceptAll::Nothing);
        };
        let layers: Vec<Root> = before.chain([last]).collect();
        let path = path_through_layers(forest, self, &layers, state)?;
        let outcome = violation_after(forest, model, &path)?;
        Ok(outcome.map_or(AcceptAll::Fails, AcceptAll::Violated))
    }

    /// The accepting cycles among the states reachable from `start`, and what they lead to; `None` if there are none.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn hull(&self, forest: &mut Forest, start: Node) -> Result<Option<FairHull>, Stop> {
        let all = self.reach(forest, start)?;
        let hull = fixpoint(forest, self, all)?;
        if forest.get(hull) == EMPTY {
            forest.unprotect(hull);
            return Ok(None);
        }
        Ok(Some(FairHull {
            reachable: self.found,
            hull,
            from_accept_all: false,
        }))
    }

    /// A run through one of these cycles.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn run(
        &self,
        forest: &mut Forest,
        model: &Model<'_>,
        hull: &FairHull,
    ) -> Result<Outcome, Stop> {
        violation(forest, model, self, hull)
    }

    /// The outcome if this is the whole product and has no accepting run.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn exhausted(
        &self,
        forest: &mut Forest,
        model: &mut Model<'_>,
    ) -> Result<Outcome, Stop> {
        let visited = match forest.get(self.found) {
            EMPTY => EMPTY,
            found => forest.with_protected(&[found], |f| f.union_of_children(found))?,
        };
        let fault = first_fault(forest, model, visited, self.product.propositions)?;
        Ok(fault.map_or(Outcome::Empty, Outcome::Failed))
    }
}

/// The result for states from which every continuation is accepted.
pub(crate) enum AcceptAll {
    /// There are none.
    Nothing,
    /// A run.
    Violated(Outcome),
    /// A step fails, so there may be no infinite run.
    Fails,
}

impl Graph for ExploredPart<'_> {
    fn initial(&self) -> Root {
        self.product.initial
    }

    fn sets(&self) -> usize {
        self.product.automaton.sets() as usize + self.product.own.len()
    }

    fn process_of(&self, set: usize) -> Option<usize> {
        self.product.process_of(set)
    }

    fn accepts_all(&self) -> Option<u32> {
        self.product.accepts_all
    }

    /// The steps are not partitioned: that would split the states again for each part.
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
        let (to, inside) = (forest.protect(set), forest.protect(universe));
        let all = forest.protect(EMPTY);
        let targets: Vec<(u32, Node)> = forest.list(set).collect();
        let sources: Vec<(u32, Node)> = forest.list(universe).collect();
        for (q, after) in targets {
            let parts = match self.product.automaton.is_testing() {
                true => self.product.split(forest, after, self.product.all())?,
                false => vec![(0, forest.protect(after))],
            };
            for &(from, inside) in sources
                .iter()
                .filter(|s| self.product.successors[s.0 as usize][q as usize])
            {
                for &(letter, part) in &parts {
                    let before =
                        self.product
                            .model_preimage(forest, forest.get(part), of, inside)?;
                    let before = forest.protect(before);
                    let sources = match self.product.automaton.is_testing() {
                        false => self
                            .product
                            .split_by_edges(forest, from, forest.get(before))?,
                        true => (self
                            .product
                            .split(forest, forest.get(before), self.product.all())?
                            .into_iter())
                        .map(|(l, part)| (self.product.automaton.edges(from, l ^ letter), part))
                        .collect(),
                    };
                    for (edges, part) in sources {
                        if self.product.targets(&edges, of).contains(&q) {
                            self.product.add(forest, all, from, forest.get(part))?;
                        }
                        forest.unprotect(part);
                    }
                    forest.unprotect(before);
                }
            }
            for (_, part) in parts {
                forest.unprotect(part);
            }
        }
        let result = forest.get(all);
        for root in [to, inside, all] {
            forest.unprotect(root);
        }
        Ok(result)
    }

    fn reach(&self, forest: &mut Forest, set: Node) -> Result<Node, Stop> {
        let mut all = SetAccumulator::default();
        let last = forest.protect(set);
        while forest.get(last) != EMPTY {
            let new = all.add(forest, forest.get(last))?;
            forest.set(last, new);
            let next = self.image(forest, new, Steps::All)?;
            forest.set(last, next);
        }
        forest.unprotect(last);
        let reached = all.union(forest)?;
        all.unprotect(forest);
        Ok(reached)
    }
}
