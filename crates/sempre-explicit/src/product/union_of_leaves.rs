//! The enabled edges of a property state whose edges are in several lists ([`Property::is_split`]), as one list.
//!
//! Each set of lists that a state of the product meets becomes a list of its own, once. There can be exponentially many
//! sets, of which a model meets few; if it meets many, those from before are dropped, since a list is used for one state at a time.

use crate::marks::Marks;
use crate::property::Property;
use rustc_hash::FxHashMap;

/// More lists than this are not kept.
const MOST_LISTS: usize = 1 << 16;

/// See the module's documentation.
#[derive(Default)]
pub(super) struct UnionOfLeaves {
    /// Which list, behind those of the property, has the edges of a set of leaves.
    known: FxHashMap<Vec<u32>, usize>,
    key: Vec<u32>,
}

impl UnionOfLeaves {
    /// The place in `leaves` of the edges that are enabled in state `q`. `leaves` begins with those of the property.
    pub(super) fn of_state<M: Marks>(
        &mut self,
        property: &Property,
        q: u32,
        valuation: &[u64],
        leaves: &mut Vec<Vec<(u32, M)>>,
    ) -> usize {
        self.key.clear();
        self.key.extend(property.leaves_at(q, valuation));
        if let Some(&place) = self.known.get(&self.key) {
            return place;
        }
        if self.known.len() == MOST_LISTS {
            self.known.clear();
            leaves.truncate(property.leaves());
        }
        let edges = self.key.iter().flat_map(|&leaf| &leaves[leaf as usize]);
        leaves.push(edges.copied().collect());
        self.known.insert(self.key.clone(), leaves.len() - 1);
        leaves.len() - 1
    }
}
