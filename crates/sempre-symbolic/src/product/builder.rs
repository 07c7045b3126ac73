//! The parts of a product: truth of propositions, letters and edges of the automaton, events of the model.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root, UNIT};
use crate::dd::shape::{Mode, Shape};
use crate::product::automaton::Automaton;
use crate::product::relations::Relation;
use crate::relation::model::Model;
use rustc_hash::FxHashMap;
use sempre_base::Stop;
use sempre_model::Expr;
use sempre_model::footprint::reads_of;

/// Builds relations of a product.
pub(crate) struct Builder<'a, 'p> {
    pub forest: &'a mut Forest,
    pub model: &'a mut Model<'p>,
    states: Node,
    /// For each proposition, the values of its cells that make it false, and those that make it true.
    truth: Vec<[Relation; 2]>,
    cells: Vec<Vec<u32>>,
    /// The events of the product; all if `None`.
    only: Option<&'a [bool]>,
}

impl<'a, 'p> Builder<'a, 'p> {
    /// For the reachable states of a model, which are a root, and the propositions that the automaton reads.
    ///
    /// # Errors
    /// If a limit is reached.
    pub(crate) fn new(
        forest: &'a mut Forest,
        model: &'a mut Model<'p>,
        states: Node,
        propositions: &[Expr],
        only: Option<&'a [bool]>,
    ) -> Result<Self, Stop> {
        let program = model.program();
        let cells = propositions.iter().map(|p| reads_of(program, p)).collect();
        let mut builder = Self {
            forest,
            model,
            states,
            truth: Vec::new(),
            cells,
            only,
        };
        for p in propositions {
            builder.proposition(p)?;
        }
        Ok(builder)
    }

    /// Computes where a proposition is true. Where it has no value it counts as false.
    fn proposition(&mut self, p: &Expr) -> Result<(), Stop> {
        let (node, shape) = self.model.condition(self.forest, self.states, p)?;
        let holds = self.forest.protect(node);
        let all = self.forest.project(self.states, shape)?;
        let fails = self.forest.difference(all, self.forest.get(holds))?;
        let fails = self.forest.protect(fails);
        let shape = self.forest.shapes.prepend(Mode::Skip, shape);
        self.truth.push([(fails, shape), (holds, shape)]);
        Ok(())
    }

    /// Whether the product has all events of the model.
    pub(crate) fn has_all_events(&self) -> bool {
        self.only.is_none()
    }

    /// Number of levels, including that of the automaton.
    pub(crate) fn levels(&self) -> usize {
        self.model.order().len() + 1
    }

    /// Where some propositions have one of these valuations.
    pub(crate) fn condition(&mut self, about: u64, letters: &[u64]) -> Result<Relation, Stop> {
        let mut all: Option<Relation> = None;
        for letter in letters {
            let mut part = (self.forest.protect(UNIT), Shape::END);
            for p in (0..self.truth.len()).filter(|p| about >> p & 1 == 1) {
                let value = (letter >> p & 1) as usize;
                part = self.join(part, self.truth[p][value])?;
            }
            all = Some(match all {
                None => part,
                Some(all) => self.unite(all, part)?,
            });
        }
        Ok(all.unwrap_or((self.forest.protect(EMPTY), Shape::END)))
    }

    /// The steps of a relation from states where a condition holds to states where it holds.
    pub(crate) fn steps_within(
        &mut self,
        group: Relation,
        condition: Relation,
    ) -> Result<Relation, Stop> {
        let from = self.join(group, condition)?;
        let condition = (self.forest.get(condition.0), condition.1);
        let into = self
            .forest
            .steps_into((self.forest.get(from.0), from.1), condition)?;
        Ok((self.forest.protect(into), from.1))
    }

    pub(crate) fn join(&mut self, a: Relation, b: Relation) -> Result<Relation, Stop> {
        let (x, y) = (self.forest.get(a.0), self.forest.get(b.0));
        let node = self.forest.join((x, a.1), (y, b.1))?;
        let shape = self.forest.joined_shape(a.1, b.1);
        Ok((
            self.forest.protect(node),
            shape.expect("only the automaton writes its variable"),
        ))
    }

    pub(crate) fn unite(&mut self, a: Relation, b: Relation) -> Result<Relation, Stop> {
        debug_assert_eq!(a.1, b.1);
        let node = self
            .forest
            .union(self.forest.get(a.0), self.forest.get(b.0))?;
        Ok((self.forest.protect(node), a.1))
    }

    /// The valuations that occur, each with its condition.
    pub(crate) fn letters(&mut self) -> Result<Vec<(u64, Relation)>, Stop> {
        let mut letters = vec![(0, (self.forest.protect(UNIT), Shape::END))];
        for p in 0..self.truth.len() {
            let mut next = Vec::new();
            for (letter, relation) in letters {
                for value in [0, 1] {
                    let part = self.join(relation, self.truth[p][value])?;
                    // From the model's first level on.
                    let (_, shape) = self.forest.shapes.parts(part.1);
                    let node = self.forest.get(part.0);
                    if self.forest.restrict(self.states, node, shape)? != EMPTY {
                        next.push((letter | (value as u64) << p, part));
                    }
                }
            }
            letters = next;
        }
        Ok(letters)
    }

    pub(crate) fn initial(
        &mut self,
        letters: &[(u64, Relation)],
        automaton: &dyn Automaton,
    ) -> Result<Root, Stop> {
        let start = self.model.initial(self.forest)?;
        let start = self.forest.protect(start);
        let all = self.forest.protect(EMPTY);
        for &(letter, (condition, shape)) in letters {
            let (_, shape) = self.forest.shapes.parts(shape);
            let here = self.forest.get(start);
            let here = self
                .forest
                .restrict(here, self.forest.get(condition), shape)?;
            let here = self.forest.protect(here);
            for q in automaton.initial(letter) {
                let one = self.forest.make(q, self.forest.get(here), EMPTY)?;
                self.forest.union_into(all, one)?;
            }
            self.forest.unprotect(here);
        }
        self.forest.unprotect(start);
        Ok(all)
    }

    /// The automaton's edges for a letter: those of an acceptance set, or all.
    pub(crate) fn edges(
        &mut self,
        automaton: &dyn Automaton,
        letter: u64,
        acceptance_set: Option<u32>,
    ) -> Result<Relation, Stop> {
        let mut rows = Vec::new();
        for q in 0..automaton.states() {
            for (to, marks) in automaton.edges(q, letter) {
                if acceptance_set.is_none_or(|set| marks >> set & 1 == 1) {
                    rows.push(vec![q, to]);
                }
            }
        }
        let node = self.forest.set_of(&mut rows)?;
        let shape = self.forest.shape(&[Mode::ReadWrite]);
        Ok((self.forest.protect(node), shape))
    }

    /// The automaton's states whose self-loop for the empty change is in an acceptance set.
    pub(crate) fn resting_states(
        &mut self,
        automaton: &dyn Automaton,
        set: u32,
    ) -> Result<Relation, Stop> {
        let mut rows: Vec<Vec<u32>> = (0..automaton.states())
            .filter(|&q| {
                let mut loops = automaton.edges(q, 0).into_iter();
                loops.any(|(_, marks)| marks >> set & 1 == 1)
            })
            .map(|q| vec![q])
            .collect();
        let node = self.forest.set_of(&mut rows)?;
        let shape = self.forest.shape(&[Mode::Read]);
        Ok((self.forest.protect(node), shape))
    }

    /// The model's events, or those in which a process takes part, grouped by shape. Each group has the propositions
    /// that it may change.
    pub(crate) fn events(&mut self, process: Option<usize>) -> Result<Vec<(Relation, u64)>, Stop> {
        let mut groups: Vec<(Relation, u64)> = Vec::new();
        let mut by_shape: FxHashMap<Shape, usize> = FxHashMap::default();
        for i in 0..self.model.events.len() {
            let (relation, shape, top) = {
                let e = &self.model.events[i];
                (self.forest.get(e.relation), e.shape, e.top)
            };
            let involves = process.is_none_or(|p| self.model.involves(i, p))
                && self.only.is_none_or(|only| only[i]);
            if relation == EMPTY || !involves {
                continue;
            }
            let shape = self.model.shape_from_top(self.forest, shape, top + 1);
            if let Some(&g) = by_shape.get(&shape) {
                let root = groups[g].0.0;
                self.forest.union_into(root, relation)?;
                continue;
            }
            let modes = self.forest.modes(shape);
            let writes = |cell: &u32| {
                let level = self.model.levels()[*cell as usize] as usize + 1;
                modes.get(level).is_some_and(|&m| m > Mode::Read)
            };
            let visible = (self.cells.iter().enumerate())
                .filter(|(_, cells)| cells.iter().any(writes))
                .fold(0, |v, (p, _)| v | 1 << p);
            by_shape.insert(shape, groups.len());
            groups.push(((self.forest.protect(relation), shape), visible));
        }
        Ok(groups)
    }

    /// The steps of a group, split by what they change (Definition 9).
    pub(crate) fn changes(
        &mut self,
        group: Relation,
        visible: u64,
    ) -> Result<Vec<(u64, Relation)>, Stop> {
        let mut parts = vec![(0, group)];
        for p in 0..self.truth.len() {
            if visible >> p & 1 == 0 {
                continue;
            }
            let mut next = Vec::new();
            for (change, relation) in parts {
                let mut split: [Option<Relation>; 2] = [None, None];
                for before in [0, 1] {
                    let from = self.join(relation, self.truth[p][before])?;
                    for after in [0, 1] {
                        let node = self.forest.get(from.0);
                        let (condition, shape) = self.truth[p][after];
                        let condition = (self.forest.get(condition), shape);
                        let into = self.forest.steps_into((node, from.1), condition)?;
                        let into = (self.forest.protect(into), from.1);
                        let place = &mut split[usize::from(before != after)];
                        *place = Some(match *place {
                            None => into,
                            Some(all) => self.unite(all, into)?,
                        });
                    }
                }
                let [same, changed] = split;
                next.extend(same.map(|r| (change, r)));
                next.extend(changed.map(|r| (change | 1 << p, r)));
            }
            next.retain(|(_, r)| self.forest.get(r.0) != EMPTY);
            parts = next;
        }
        Ok(parts)
    }
}
