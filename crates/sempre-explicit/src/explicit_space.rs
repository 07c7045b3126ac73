//! A space that is there: all its edges in lists. Made from any other, to count its states and edges, or to
//! let many checks search the same product.

use crate::marks::Marks;
use crate::space::{Edge, Space, Stop};
use sempre_store::Budget;
use std::sync::Arc;

/// See the module's documentation.
pub struct ExplicitSpace<M> {
    sets: u32,
    initial: Vec<u32>,
    edges: Vec<Vec<Edge<M>>>,
    budget: Arc<Budget>,
}

impl<M: Marks> ExplicitSpace<M> {
    /// A space with these edges of each state.
    pub fn new(sets: u32, initial: Vec<u32>, edges: Vec<Vec<Edge<M>>>) -> Self {
        Self {
            sets,
            initial,
            edges,
            budget: Arc::new(Budget::unlimited()),
        }
    }

    /// All that is reachable of another space.
    ///
    /// # Errors
    /// If the other space cannot go on.
    pub fn of(space: &mut dyn Space<M>) -> Result<Self, Stop> {
        let initial = space.initial()?;
        let mut edges: Vec<Vec<Edge<M>>> = Vec::new();
        // States are numbered as they are met, so that none is missing in between.
        let mut known = initial.iter().max().map_or(0, |&s| s + 1);
        while (edges.len() as u32) < known {
            let mut list = Vec::new();
            space.expand(edges.len() as u32, &mut list)?;
            known = (list.iter()).fold(known, |known, e| known.max(e.target + 1));
            list.shrink_to_fit();
            edges.push(list);
        }
        Ok(Self::new(space.sets(), initial, edges))
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }
}

impl<M: Marks> Space<M> for ExplicitSpace<M> {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        Ok(self.initial.clone())
    }

    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<M>>) -> Result<(), Stop> {
        edges.extend_from_slice(&self.edges[state as usize]);
        Ok(())
    }

    fn sets(&self) -> u32 {
        self.sets
    }

    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
}
