//! Reduction of testing automata by bisimulation.
//!
//! Two states are merged if they are of the same kind (Büchi and livelock accepting, acceptance sets of the
//! stuttering self-loop) and have, for each changeset and set of marks, transitions into the same classes. The
//! coarsest such partition is computed by refinement from the partition by kind: states of a class whose transitions
//! go into different classes are split, until nothing changes.
//!
//! The valuation that a state was made for is not part of its kind. The language of a state is a set of words of
//! changes, and only that is compared; so the pairs of a valuation and an initial state stay pairs, and one state may
//! be initial for several valuations (in the papers: `(G b, a b)` and `(G b, !a b)` are one state).
//!
//! Cost: each round visits each transition once; there are at most as many rounds as states, seldom more than a few.
//! Deliberately not done: the algorithm of Paige and Tarjan with its better bound. Reductions by simulation would
//! merge more; they are not done either.

use super::TestingEdge;
use super::graph::Graph;
use rustc_hash::FxHashMap;

/// The classes of the coarsest bisimulation: the class of each state, numbered by their first states,
/// and the first state of each class.
pub(crate) fn classes(edges: &[Vec<TestingEdge>], kind: &[u64]) -> (Vec<u32>, Vec<u32>) {
    let (mut class, mut first) = number(kind.iter());
    loop {
        let signatures: Vec<(u32, Vec<TestingEdge>)> = (edges.iter().zip(&class))
            .map(|(edges, &own)| {
                let to_class = |e: &TestingEdge| TestingEdge {
                    to: class[e.to as usize],
                    ..*e
                };
                let mut signature: Vec<TestingEdge> = edges.iter().map(to_class).collect();
                signature.sort_unstable();
                signature.dedup();
                (own, signature)
            })
            .collect();
        let (finer, firsts) = number(signatures.iter());
        if firsts.len() == first.len() {
            return (class, first);
        }
        (class, first) = (finer, firsts);
    }
}

/// Equal keys get equal numbers, in the order of their first occurrence. Also returns the first occurrence of each.
fn number<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<u32>, Vec<u32>) {
    let mut known: FxHashMap<K, u32> = FxHashMap::default();
    let mut first = Vec::new();
    let numbers = (0u32..)
        .zip(keys)
        .map(|(i, key)| {
            *known.entry(key).or_insert_with(|| {
                first.push(i);
                first.len() as u32 - 1
            })
        })
        .collect();
    (numbers, first)
}

/// Merges bisimilar states of the same kind. Returns a representative (old number) of each new state.
pub(crate) fn merge(graph: &mut Graph, kind: &[u64]) -> Vec<u32> {
    let (class, first) = classes(&graph.edges, kind);
    graph.renumber(&first, &class);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre_base::Random;

    /// Against the definition: the greatest relation, pairs taken away one by one.
    #[test]
    fn classes_are_those_of_the_greatest_bisimulation() {
        let mut r = Random::new(8);
        let (mut merged, mut apart) = (0, 0);
        for _ in 0..400 {
            let n = 1 + r.below(7);
            let edges: Vec<Vec<TestingEdge>> = (0..n)
                .map(|_| {
                    (0..r.below(4))
                        .map(|_| TestingEdge {
                            changeset: 1 + r.below(2) as u64,
                            to: r.below(n) as u32,
                            marks: r.below(2) as u64,
                        })
                        .collect()
                })
                .collect();
            let kind: Vec<u64> = (0..n).map(|_| r.below(2) as u64).collect();
            let mut same: Vec<Vec<bool>> = (0..n)
                .map(|i| (0..n).map(|j| kind[i] == kind[j]).collect())
                .collect();
            let mut changed = true;
            while changed {
                changed = false;
                for i in 0..n {
                    for j in 0..n {
                        let answered = |x: usize, y: usize, same: &[Vec<bool>]| {
                            edges[x].iter().all(|e| {
                                edges[y].iter().any(|f| {
                                    (e.changeset, e.marks) == (f.changeset, f.marks)
                                        && same[e.to as usize][f.to as usize]
                                })
                            })
                        };
                        if same[i][j] && !(answered(i, j, &same) && answered(j, i, &same)) {
                            same[i][j] = false;
                            changed = true;
                        }
                    }
                }
            }
            let (class, first) = classes(&edges, &kind);
            for i in 0..n {
                for j in 0..n {
                    assert_eq!(class[i] == class[j], same[i][j], "{edges:?} {kind:?}");
                    merged += usize::from(i < j && same[i][j]);
                    apart += usize::from(i < j && !same[i][j]);
                }
                assert!(first[class[i] as usize] <= i as u32);
            }
        }
        assert!(merged > 100 && apart > 100, "{merged} {apart}");
    }
}
