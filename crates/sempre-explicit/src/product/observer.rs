//! The automaton's side of a product.

use crate::property::Property;
use crate::testing_property::TestingProperty;

/// An automaton of either kind.
#[derive(Clone, Copy, Debug)]
pub enum Observer<'a> {
    /// It reads the states that the system leaves.
    Property(&'a Property),
    /// It observes what changes.
    Testing(&'a TestingProperty),
}

impl<'a> From<&'a Property> for Observer<'a> {
    fn from(property: &'a Property) -> Self {
        Self::Property(property)
    }
}

impl<'a> From<&'a TestingProperty> for Observer<'a> {
    fn from(property: &'a TestingProperty) -> Self {
        Self::Testing(property)
    }
}

impl Observer<'_> {
    /// Number of states.
    pub fn states(&self) -> u32 {
        match self {
            Self::Property(p) => p.states(),
            Self::Testing(t) => t.states(),
        }
    }

    /// Number of acceptance sets.
    pub fn sets(&self) -> u32 {
        match self {
            Self::Property(p) => p.sets(),
            Self::Testing(t) => t.sets(),
        }
    }

    /// Number of propositions of the system.
    pub fn propositions(&self) -> usize {
        match self {
            Self::Property(p) => p.propositions(),
            Self::Testing(t) => t.propositions(),
        }
    }
}
