//! Images and preimages by several relations.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Node, Root};
use crate::dd::shape::Shape;
use sempre_base::Stop;

/// A relation and its shape from the automaton's level on.
pub(crate) type Relation = (Root, Shape);

pub(crate) fn image_by(
    forest: &mut Forest,
    set: Node,
    relations: &[Relation],
) -> Result<Node, Stop> {
    let from = forest.protect(set);
    let all = forest.protect(EMPTY);
    for &(relation, shape) in relations {
        let more = forest.image(forest.get(from), forest.get(relation), shape)?;
        forest.union_into(all, more)?;
    }
    forest.unprotect(from);
    let result = forest.get(all);
    forest.unprotect(all);
    Ok(result)
}

pub(crate) fn preimage_by(
    forest: &mut Forest,
    set: Node,
    relations: &[Relation],
    universe: Node,
) -> Result<Node, Stop> {
    let (to, with_budget) = (forest.protect(set), forest.protect(universe));
    let all = forest.protect(EMPTY);
    for &(relation, shape) in relations {
        let (to, with_budget) = (forest.get(to), forest.get(with_budget));
        let more = forest.preimage(to, forest.get(relation), shape, with_budget)?;
        forest.union_into(all, more)?;
    }
    forest.unprotect(to);
    forest.unprotect(with_budget);
    let result = forest.get(all);
    forest.unprotect(all);
    Ok(result)
}
