//! Programs as relations: each action is a conjunction of relations over a few cells, which are learned on demand.

pub(crate) mod conditions;
pub(crate) mod conjuncts;
pub(crate) mod enabled;
pub(crate) mod events;
pub(crate) mod faults;
pub(crate) mod force;
pub(crate) mod linear;
pub(crate) mod model;
pub(crate) mod partial_relation;
pub(crate) mod relation_learner;
pub(crate) mod reordering;
pub(crate) mod split;
pub(crate) mod values;
