//! Images and preimages by several relations.

use crate::dd::forest::Forest;
use crate::dd::node::{EMPTY, Kept, Node};
use crate::dd::shape::Shape;
use sempre_base::Stop;

/// A relation and its shape from the automaton's level on.
pub(crate) type Relation = (Kept, Shape);

pub(crate) fn image_by(
    forest: &mut Forest,
    set: Node,
    relations: &[Relation],
) -> Result<Node, Stop> {
    let from = forest.keep(set);
    let all = forest.keep(EMPTY);
    for &(relation, shape) in relations {
        let more = forest.image(forest.get(from), forest.get(relation), shape)?;
        forest.add(all, more)?;
    }
    forest.release(from);
    let result = forest.get(all);
    forest.release(all);
    Ok(result)
}

pub(crate) fn preimage_by(
    forest: &mut Forest,
    set: Node,
    relations: &[Relation],
    universe: Node,
) -> Result<Node, Stop> {
    let (to, within) = (forest.keep(set), forest.keep(universe));
    let all = forest.keep(EMPTY);
    for &(relation, shape) in relations {
        let (to, within) = (forest.get(to), forest.get(within));
        let more = forest.preimage(to, forest.get(relation), shape, within)?;
        forest.add(all, more)?;
    }
    forest.release(to);
    forest.release(within);
    let result = forest.get(all);
    forest.release(all);
    Ok(result)
}
