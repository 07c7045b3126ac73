//! The levels of a component: how they follow each other, and which copies are needed.

use crate::automaton::{Automaton, Edge};
use crate::mark::Mark;
use crate::scc::Sccs;

/// Where the acceptance of the result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// On edges.
    TransitionBased,
    /// On states: all edges that leave a state carry the same mark.
    StateBased,
}

/// The level at which a run continues after it has seen all sets (I3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    /// As far as the marks of the edge allow, one round at most.
    Far,
    /// At level 0.
    Zero,
    /// At a copy that is there already; if there is none, as far as possible.
    ReuseOrFar,
    /// At a copy that is there already; if there is none, at level 0.
    ReuseOrZero,
}

pub(super) const RESTARTS: [Restart; 4] = [
    Restart::Far,
    Restart::Zero,
    Restart::ReuseOrFar,
    Restart::ReuseOrZero,
];

/// How levels follow each other.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) kind: Kind,
    pub(super) order: Vec<u32>,
    pub(super) restart: Restart,
}

/// Where an edge leads.
pub(super) enum Step {
    /// To this level.
    To(usize),
    /// All sets have been seen: to any level from 0 to this one.
    Restart(usize),
}

impl Rules {
    /// Where an edge with these marks leads. With edge acceptance, the edges that restart accept;
    /// with state acceptance, the last level accepts, and all edges that leave it restart.
    pub(super) fn step(&self, level: usize, mark: &Mark) -> Step {
        let n = self.order.len();
        let advance = |from: usize, limit: usize| {
            (from..limit)
                .find(|&l| !mark.contains(self.order[l]))
                .unwrap_or(limit)
        };
        match self.kind {
            Kind::StateBased if level == n => Step::Restart(advance(0, n)),
            Kind::StateBased => Step::To(advance(level, n)),
            Kind::TransitionBased => match advance(level, n) {
                next if next < n => Step::To(next),
                _ => Step::Restart(advance(0, n - 1)),
            },
        }
    }

    /// The level at which a run restarts that may restart at any up to `limit`; `there` decides which copies exist.
    pub(super) fn restart(&self, limit: usize, there: impl Fn(usize) -> bool) -> usize {
        let reused = match self.restart {
            Restart::ReuseOrFar | Restart::ReuseOrZero => (0..=limit).rev().find(|&l| there(l)),
            _ => None,
        };
        match self.restart {
            Restart::Far | Restart::ReuseOrFar => reused.unwrap_or(limit),
            Restart::Zero | Restart::ReuseOrZero => reused.unwrap_or(0),
        }
    }
}

/// The internal edges of a component, states numbered as in its list.
#[derive(Clone)]
pub(super) struct Component {
    pub(super) out: Vec<Vec<Edge>>,
}

impl Component {
    pub(super) fn new(a: &Automaton, sccs: &Sccs, c: usize, used: &Mark) -> Self {
        let mut local = rustc_hash::FxHashMap::default();
        for (i, &s) in sccs.states[c].iter().enumerate() {
            local.insert(s, i as u32);
        }
        let out = sccs.states[c].iter().map(|&s| {
            a.edges[s as usize]
                .iter()
                .filter_map(|e| {
                    local.get(&e.to).map(|&to| Edge {
                        to,
                        label: e.label,
                        mark: e.mark.intersection(used),
                    })
                })
                .collect()
        });
        Component { out: out.collect() }
    }

    pub(super) fn states(&self) -> usize {
        self.out.len()
    }

    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, &Edge)> {
        let all = self.out.iter().enumerate();
        all.flat_map(|(s, edges)| edges.iter().map(move |e| (s, e)))
    }

    pub(super) fn is_trivial(&self) -> bool {
        self.out.iter().all(Vec::is_empty)
    }

    /// The marks that all edges entering, and all edges leaving, each state have.
    fn common(&self) -> (Vec<Mark>, Vec<Mark>) {
        let mut entering: Vec<Option<Mark>> = vec![None; self.states()];
        let mut leaving: Vec<Option<Mark>> = vec![None; self.states()];
        let meet = |at: &mut Option<Mark>, m: &Mark| {
            *at = Some(match at.take() {
                Some(x) => x.intersection(m),
                None => m.clone(),
            });
        };
        for (s, e) in self.edges() {
            sempre_base::checkpoint();
            meet(&mut entering[e.to as usize], &e.mark);
            meet(&mut leaving[s], &e.mark);
        }
        let plain = |marks: Vec<Option<Mark>>| marks.into_iter().map(Option::unwrap_or_default);
        (plain(entering).collect(), plain(leaving).collect())
    }

    /// The placements of marks (I4) that are tried: unchanged; as many as possible; and both with the marks common to
    /// the edges leaving a state moved to the edges that enter it.
    pub(super) fn variants(self) -> Vec<Component> {
        let full = self.saturated();
        let (shifted, full_shifted) = (self.shifted(), full.shifted());
        let mut kept: Vec<Component> = Vec::new();
        for c in [self, shifted, full, full_shifted] {
            if !kept.iter().any(|k| k.out == c.out) {
                kept.push(c);
            }
        }
        kept
    }

    fn saturated(&self) -> Component {
        let mut c = self.clone();
        loop {
            let (entering, leaving) = c.common();
            let mut changed = false;
            sempre_base::checkpoint();
            for (s, edges) in c.out.iter_mut().enumerate() {
                for e in edges {
                    let more = e.mark.union(&entering[s]).union(&leaving[e.to as usize]);
                    changed |= more != e.mark;
                    e.mark = more;
                }
            }
            if !changed {
                return c;
            }
        }
    }

    fn shifted(&self) -> Component {
        let mut c = self.clone();
        let (_, leaving) = self.common();
        for (s, edges) in c.out.iter_mut().enumerate() {
            for e in edges {
                e.mark = e.mark.minus(&leaving[s]).union(&leaving[e.to as usize]);
            }
        }
        c
    }

    /// The sets that need a level: not on all edges, and not including another one.
    pub(super) fn needed_sets(&self, used: &Mark) -> Vec<u32> {
        let sets: Vec<u32> = used.iter().collect();
        let includes = |j: u32, i: u32| {
            sempre_base::stop::checkpoint_now();
            self.edges()
                .all(|(_, e)| !e.mark.contains(i) || e.mark.contains(j))
        };
        let everywhere = |j: u32| self.edges().all(|(_, e)| e.mark.contains(j));
        let superfluous = |j: u32| {
            // Of two equal sets the first stays.
            everywhere(j)
                || sets
                    .iter()
                    .any(|&i| i != j && includes(j, i) && (i < j || !includes(i, j)))
        };
        sets.iter().copied().filter(|&j| !superfluous(j)).collect()
    }

    /// The smallest set of copies closed under successors (I2). All such sets contain a copy of the first state, and
    /// a smallest one is the set reachable from any of its members. (With reuse of copies this is greedy, not exact.)
    pub(super) fn smallest_closed(
        &self,
        rules: &Rules,
        levels: usize,
        effort: &mut usize,
    ) -> Vec<bool> {
        let mut best: Option<(usize, Vec<bool>)> = None;
        for start in (0..levels).rev() {
            let copies = self.closure(rules, levels, start);
            let size = copies.iter().filter(|&&x| x).count();
            *effort = effort.saturating_sub(size * (1 + self.edge_count() / self.states()));
            if best.as_ref().is_none_or(|(n, _)| size < *n) {
                best = Some((size, copies));
            }
        }
        best.expect("there is a level").1
    }

    fn edge_count(&self) -> usize {
        self.out.iter().map(Vec::len).sum()
    }

    /// The copies that are needed when the copy `start` is. Edges that may restart at several levels
    /// wait until there is nothing else to do, so that they find copies to reuse.
    fn closure(&self, rules: &Rules, levels: usize, start: usize) -> Vec<bool> {
        let mut seen = vec![false; self.states() * levels];
        seen[start] = true;
        let mut todo = vec![start];
        let mut waiting = Vec::new();
        loop {
            sempre_base::checkpoint();
            if let Some(copy) = todo.pop() {
                for e in &self.out[copy / levels] {
                    sempre_base::checkpoint();
                    let to = e.to as usize * levels;
                    match rules.step(copy % levels, &e.mark) {
                        Step::To(next) => {
                            if !std::mem::replace(&mut seen[to + next], true) {
                                todo.push(to + next);
                            }
                        }
                        Step::Restart(limit) => waiting.push((to, limit)),
                    }
                }
            } else if let Some((to, limit)) = waiting.pop() {
                let next = to + rules.restart(limit, |l| seen[to + l]);
                if !std::mem::replace(&mut seen[next], true) {
                    todo.push(next);
                }
            } else {
                return seen;
            }
        }
    }
}
