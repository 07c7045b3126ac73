//! Shorter accepting runs, near the initial states.
//!
//! A check tells the first accepting component that it meets, and a depth-first search meets it far away. Whoever reads the run
//! is better served by one near the beginning. So the states nearest to the initial ones are searched once more, in
//! balls around them: what can be shorter than a run of n states lies within n − 2 steps. The smallest ball with an
//! accepting cycle is found by bisection, Couvreur's check deciding each; its cycle is looked for again from each of its own states
//! ([`accepting_run`](super::accepting_run)), and so are those of some larger balls, for the first cycle may wind
//! about in its small ball. The shortest of all is kept.
//!
//! The result is short, not shortest: a shortest cycle through several sets is NP-hard to find.
//!
//! Cost: the ball has a bounded number of states, each expanded once; about two dozen checks of it that ask nobody else. A run is known
//! already: whoever asks for a shorter one keeps it if anything goes wrong.

use super::accepting_run;
use super::cou99;
use crate::ball::Ball;
use crate::marks::Marks;
use crate::space::{Counters, Run, Space, Stop, Wanted};

/// States that are looked at for a shorter run unless somebody wants a very short one.
pub const USUAL: usize = 20_000;
/// And if somebody does.
pub const MANY: usize = 1 << 20;

/// Number of steps of a run.
fn length<M>(run: &Run<M>) -> usize {
    run.prefix.len() + run.cycle.len()
}

/// A run as it is wanted which is not longer than the given one, by looking at up to `most` states.
pub(crate) fn shorter<M: Marks>(
    space: &mut dyn Space<M>,
    run: Run<M>,
    wanted: Wanted<M>,
    most: usize,
) -> Result<Run<M>, Stop> {
    let Some(radius) = length(&run).checked_sub(2) else {
        return Ok(run);
    };
    space.accepted();
    let mut ball = Ball::new(&space.budget());
    ball.grow(space, most, radius)?;
    let sizes = ball.sizes();
    // All sizes before `low` are known to be too small.
    let (mut low, mut high) = (0, sizes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match cycle(&ball, sizes[middle], wanted)? {
            Some(_) => high = middle,
            None => low = middle + 1,
        }
    }
    let mut best = run;
    let mut step = 1;
    while low < sizes.len() {
        if let Some(run) = around(&ball, sizes[low], wanted)?
            && length(&run) < length(&best)
        {
            best = ball.outside(run);
        }
        low += step;
        step *= 2;
    }
    Ok(best)
}

/// A run with a cycle as it is wanted among the first states of a ball.
fn cycle<M: Marks>(ball: &Ball<M>, size: usize, wanted: Wanted<M>) -> Result<Option<Run<M>>, Stop> {
    let mut inner = ball.inner(size, wanted.all).without(wanted.avoid);
    cou99::check(&mut inner, &mut Counters::default())
}

/// A short run among the first states of a ball.
fn around<M: Marks>(
    ball: &Ball<M>,
    size: usize,
    wanted: Wanted<M>,
) -> Result<Option<Run<M>>, Stop> {
    let Some(Run { cycle, .. }) = cycle(ball, size, wanted)? else {
        return Ok(None);
    };
    let mut inner = ball.inner(size, wanted.all);
    let run = accepting_run::with_prefix(&mut inner, &|_| true, cycle)?;
    accepting_run::shorten(&mut inner, run, wanted).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explicit_space::ExplicitSpace;
    use crate::space::{Edge, RunStep};
    use sempre_base::Random;

    /// Distances of all states from the initial ones.
    fn depths(initial: &[u32], edges: &[Vec<Edge<u32>>]) -> Vec<usize> {
        let mut depth = vec![usize::MAX; edges.len()];
        let mut queue: Vec<u32> = initial.to_vec();
        for &s in initial {
            depth[s as usize] = 0;
        }
        let mut at = 0;
        while at < queue.len() {
            let s = queue[at] as usize;
            at += 1;
            for e in &edges[s] {
                if depth[e.target as usize] == usize::MAX {
                    depth[e.target as usize] = depth[s] + 1;
                    queue.push(e.target);
                }
            }
        }
        depth
    }

    /// The length of a shortest run as it is wanted, found by trying all states at which a cycle could begin.
    fn shortest(initial: &[u32], edges: &[Vec<Edge<u32>>], w: Wanted<u32>) -> usize {
        let depth = depths(initial, edges);
        let around = |home: u32| {
            let mut seen = std::collections::HashSet::from([(home, 0)]);
            let mut layer = vec![(home, 0)];
            for steps in 1.. {
                let mut next = Vec::new();
                for (state, marks) in layer {
                    for e in &edges[state as usize] {
                        let now = (e.target, (marks | e.marks) & w.all);
                        if e.marks & w.avoid == 0 && now == (home, w.all) {
                            return Some(steps);
                        }
                        if e.marks & w.avoid == 0 && seen.insert(now) {
                            next.push(now);
                        }
                    }
                }
                if next.is_empty() {
                    break;
                }
                layer = next;
            }
            None
        };
        let reached = (0..edges.len()).filter(|&s| depth[s] < usize::MAX);
        let lengths = reached.filter_map(|s| Some(depth[s] + around(s as u32)?));
        lengths.min().expect("there is a run")
    }

    fn is_run(run: &Run<u32>, initial: &[u32], edges: &[Vec<Edge<u32>>], w: Wanted<u32>) -> bool {
        let steps: Vec<&RunStep<u32>> = run.prefix.iter().chain(&run.cycle).collect();
        let cycle = &run.cycle;
        initial.contains(&steps[0].state)
            && (steps.iter()).all(|s| edges[s.state as usize].contains(&s.edge))
            && steps.windows(2).all(|s| s[0].edge.target == s[1].state)
            && cycle[cycle.len() - 1].edge.target == cycle[0].state
            && cycle.iter().fold(0, |m, s| m | s.edge.marks) & w.all == w.all
            && cycle.iter().all(|s| s.edge.marks & w.avoid == 0)
    }

    #[test]
    fn runs_become_shorter_and_stay_runs() {
        let mut random = Random::new(11);
        let (mut gained, mut rounds, mut exact, mut found, mut least) = (0, 0, 0, 0, 0);
        for round in 0..2000 {
            let n = 2 + random.below(30);
            let edges: Vec<Vec<Edge<u32>>> = (0..n)
                .map(|_| {
                    let mut edge = || Edge {
                        target: random.below(n) as u32,
                        marks: u32::from(random.chance(0.2)) | (u32::from(random.chance(0.2)) << 1),
                    };
                    (0..1 + edge().target as usize % 3)
                        .map(|_| edge())
                        .collect()
                })
                .collect();
            let initial: Vec<u32> = if random.chance(0.3) {
                vec![0, 1]
            } else {
                vec![0]
            };
            let wanted = match random.below(3) {
                0 => Wanted { all: 3, avoid: 0 },
                1 => Wanted { all: 1, avoid: 2 },
                _ => Wanted { all: 1, avoid: 0 },
            };
            let mut space = ExplicitSpace::new(2, initial.clone(), edges.clone());
            // Any run will do to begin with: that of the whole space, as a check that knows no better finds it.
            let mut whole = Ball::new(&space.budget());
            whole.grow(&mut space, n, n).expect("no limits");
            let expanded = whole.sizes().last().copied().unwrap_or(0);
            let Some(Run { cycle, .. }) = cycle(&whole, expanded, wanted).expect("no limits")
            else {
                continue;
            };
            let inner = &mut whole.inner(expanded, wanted.all);
            let run = accepting_run::with_prefix(inner, &|_| true, cycle).expect("no limits");
            let run = whole.outside(run);
            assert!(is_run(&run, &initial, &edges, wanted), "round {round}");
            let most = if random.chance(0.2) {
                1 + random.below(n)
            } else {
                n
            };
            let short = shorter(&mut space, run.clone(), wanted, most).expect("no limits");
            assert!(is_run(&short, &initial, &edges, wanted), "round {round}");
            assert!(length(&short) <= length(&run), "round {round}");
            gained += usize::from(length(&short) < length(&run));
            let best = shortest(&initial, &edges, wanted);
            assert!(length(&short) >= best, "round {round}");
            if most == n {
                rounds += 1;
                found += length(&short);
                least += best;
                exact += usize::from(length(&short) == best);
            }
        }
        // Not always shortest, but mostly, and else longer by little.
        assert!(exact * 10 > rounds * 9, "{exact} of {rounds} are shortest");
        assert!(found * 100 < least * 104, "{found} to {least} steps in all");
        assert!(gained > 50, "{gained} runs became shorter");
    }
}
