//! Rabin pairs by any number of workers: Algorithm 3 of Bloemen, Duret-Lutz and van de Pol ("Model checking with generalized
//! Rabin and Fin-less automata", STTT 2019).
//!
//! A generalised Rabin pair asks for a cycle in all of some sets that is in none of others. The search for components
//! ([`ufscc`]) does not follow edges in the sets to avoid, so that components have none of them inside. The states that
//! such edges lead to are kept for later, in a cyclic list that all workers share, and each is explored in its turn, unless it was
//! reached without such an edge meanwhile. When the list is empty, all that can be reached was explored.
//!
//! Pairs are checked one after the other, by all workers; or all at the same time, the workers divided evenly, each
//! group with a union-find of its own.
//!
//! Ours differs in the list, which is that of another [`UnionFind`], of one set: states that are kept for later are united with it.
//!
//! # Invariants
//! - **I1** A worker that has followed an edge to be avoided has seen to it that its target is in the list, or dead, before it takes
//!   the source from the list of its set. So when the list has no busy state, everything is dead.
//! - **I2** Every worker has put all initial states into the list before it takes one from it. So a list without busy states
//!   stays so: whoever comes later finds everything dead.
//!
//! Cost: as [`ufscc`] for each pair, and 16 bytes more per state, in blocks in which there are such states.

use super::crew::{Crew, Halt};
use super::ufscc::{Search, Worker};
use super::{Found, Pairs};
use crate::marks::Marks;
use crate::space::{Counters, Space, Stop, Wanted};
use sempre_store::UnionFind;

/// See the module's documentation. One worker for each space; all show the same graph. A run for one of the goals, or `None` if
/// there is none for any.
///
/// # Errors
/// If the search could not go on, for any of the workers.
pub fn check_together<M: Marks, S: Space<M> + Send>(
    spaces: &mut [S],
    goals: &[Wanted<M>],
    pairs: Pairs,
    counters: &mut Counters,
) -> Result<Option<Found<M>>, Stop> {
    if spaces.is_empty() {
        return Ok(None);
    }
    // How many pairs are checked at a time.
    let groups = match pairs {
        Pairs::OneByOne => 1,
        Pairs::Parallel => goals.len().min(spaces.len()),
    };
    if groups > 1 {
        return some_at_a_time(spaces, goals, groups, counters);
    }
    for goal in goals {
        let found = some_at_a_time(spaces, std::slice::from_ref(goal), 1, counters)?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Worker i checks the pairs i, i + `groups`, … (numbers beyond the groups beginning again).
fn some_at_a_time<M: Marks, S: Space<M> + Send>(
    spaces: &mut [S],
    goals: &[Wanted<M>],
    groups: usize,
    counters: &mut Counters,
) -> Result<Option<Found<M>>, Stop> {
    let (workers, budget) = (spaces.len(), spaces[0].budget());
    let searches: Vec<(Search<'_, M>, UnionFind)> = (goals.iter().enumerate())
        .map(|(i, goal)| {
            let group = i % groups;
            let size = (workers - group).div_ceil(groups);
            let goal = std::slice::from_ref(goal);
            let search = Search::new(&spaces[0], size, goal);
            (search, UnionFind::new(1, 0, &budget))
        })
        .collect();
    let crew = Crew::default();
    let ended = crew.together(spaces, |me, space| {
        for (search, later) in searches.iter().skip(me % groups).step_by(groups) {
            run(search, later, &crew, space, me / groups)?;
        }
        Ok(())
    });
    let mut found = None;
    for (search, _) in searches {
        let mut of_pair = Counters::default();
        let run = search.into_run(&mut spaces[0], Ok(()), &mut of_pair)?;
        found = found.or(run);
        // States are counted once, however many pairs are checked.
        counters.repeated += of_pair.repeated + of_pair.states.min(counters.states);
        counters.states = counters.states.max(of_pair.states);
        counters.transitions += of_pair.transitions;
        counters.avoided += of_pair.avoided;
        counters.max_stack = counters.max_stack.max(of_pair.max_stack);
        counters.cycle_states += of_pair.cycle_states;
    }
    match found {
        None => ended.map(|()| None),
        found => Ok(found),
    }
}

/// A worker checks a pair.
fn run<M: Marks>(
    search: &Search<'_, M>,
    later: &UnionFind,
    crew: &Crew,
    space: &mut dyn Space<M>,
    me: usize,
) -> Result<(), Halt> {
    let initial = space.initial()?;
    let Some(&anchor) = initial.first() else {
        return Ok(());
    };
    // I2.
    for &state in &initial {
        keep(later, anchor, state)?;
    }
    let mut worker = Worker::new(search, crew, space, me);
    worker.later = Some((later, anchor));
    let mut at = initial[me % initial.len()];
    while let Some(state) = later.pick(at) {
        worker.explore(state)?;
        later.remove(state);
        // Each goes on from what it has met itself, so that workers spread.
        at = worker.last_kept.take().unwrap_or(state);
    }
    Ok(())
}

/// Puts a state into the list.
pub(super) fn keep(later: &UnionFind, anchor: u32, state: u32) -> Result<(), Halt> {
    later.reserve(state)?;
    // Not only who is first: I1 is for all.
    later.claim(state, 0, false);
    later.unite(anchor, state);
    Ok(())
}
