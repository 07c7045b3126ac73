//! A short infinite run from a state, by explicit search. It completes a run whose automaton accepts every
//! continuation.
//!
//! The interpreter explores the states nearest to the given one, breadth-first, more and more of them, until some are
//! on a cycle among them. The run goes to the nearest of those, and around a shortest cycle. A run that ends repeats
//! its last state. If all cycles are far away, too many states may be nearer. So after some attempts, a walk that takes
//! the first step everywhere may have as many steps as states were explored; if it ends or closes a cycle, that is the
//! run.
//!
//! Cost: at most three times the states that are nearer than the length of the nearest cycle. Diagrams would take
//! longer: they pay for many states, and these are few.

use crate::dd::forest::Forest;
use rustc_hash::FxHashMap;
use sempre_base::Stop;
use sempre_model::{Interpreter, Program};
use std::collections::VecDeque;

/// States explored first.
const INITIAL_SIZE: usize = 1000;
/// States explored before the first walk.
const WALK_FROM: usize = 50 * INITIAL_SIZE;

/// A path from the given state, which is its first, and a cycle that follows it; `None` if a step fails. Polls the
/// limits of the forest.
///
///
/// # Errors
/// If a limit is reached.
pub(crate) fn explicit_lasso(
    forest: &Forest,
    program: &Program,
    from: Vec<i64>,
) -> Result<Option<Lasso>, Stop> {
    let mut neighbourhood = Neighbourhood::new(program, from);
    let mut size = INITIAL_SIZE;
    loop {
        let all_right = neighbourhood.expand_to(forest, size)?;
        if let Some(lasso) = neighbourhood.lasso() {
            return Ok(Some(lasso));
        }
        if !all_right || neighbourhood.next.len() == neighbourhood.states.len() {
            return Ok(None);
        }
        if size > WALK_FROM
            && let Some(lasso) =
                first_successor_walk(forest, program, &neighbourhood.states[0], size)?
        {
            return Ok(Some(lasso));
        }
        size *= 2;
    }
}

/// A run of at most this many steps that takes the first step everywhere.
fn first_successor_walk(
    forest: &Forest,
    program: &Program,
    from: &[i64],
    steps: usize,
) -> Result<Option<Lasso>, Stop> {
    let interpreter = Interpreter::new(program);
    let mut places = FxHashMap::default();
    let mut path: Vec<Vec<i64>> = Vec::new();
    let mut here = from.to_vec();
    while path.len() <= steps {
        if path.len().is_multiple_of(256) {
            forest.poll()?;
        }
        if let Some(&place) = places.get(&here) {
            let cycle = path.split_off(place);
            return Ok(Some((path, cycle)));
        }
        places.insert(here.clone(), path.len());
        let next = interpreter.successors(&here);
        path.push(here);
        here = match next.into_iter().next() {
            Some((_, Ok(to))) => to,
            Some((_, Err(_))) => return Ok(None),
            None => {
                let cycle = path.split_off(path.len() - 1);
                return Ok(Some((path, cycle)));
            }
        };
    }
    Ok(None)
}

/// The states before the cycle, and those of the cycle.
pub(crate) type Lasso = (Vec<Vec<i64>>, Vec<Vec<i64>>);

/// The states nearest to one, in the order of distance.
struct Neighbourhood<'p> {
    interpreter: Interpreter<'p>,
    numbers: FxHashMap<Vec<i64>, u32>,
    states: Vec<Vec<i64>>,
    parent: Vec<u32>,
    /// The successors of the explored states.
    next: Vec<Vec<u32>>,
}

impl<'p> Neighbourhood<'p> {
    fn new(program: &'p Program, from: Vec<i64>) -> Self {
        Self {
            interpreter: Interpreter::new(program),
            numbers: FxHashMap::from_iter([(from.clone(), 0)]),
            states: vec![from],
            parent: vec![0],
            next: Vec::new(),
        }
    }

    /// Explores up to this many states. Returns false if a step fails.
    fn expand_to(&mut self, forest: &Forest, size: usize) -> Result<bool, Stop> {
        while self.next.len() < self.states.len().min(size) {
            let here = self.next.len() as u32;
            if here.is_multiple_of(256) {
                forest.poll()?;
            }
            let steps = self.interpreter.successors(&self.states[here as usize]);
            let mut next = Vec::with_capacity(steps.len());
            if steps.is_empty() {
                next.push(here);
            }
            for (_, to) in steps {
                let Ok(to) = to else {
                    return Ok(false);
                };
                let number = *self.numbers.entry(to).or_insert_with_key(|to| {
                    self.states.push(to.clone());
                    self.parent.push(here);
                    self.states.len() as u32 - 1
                });
                next.push(number);
            }
            self.next.push(next);
        }
        Ok(true)
    }

    /// A path to the nearest state that is on a cycle, and a shortest cycle through it.
    fn lasso(&self) -> Option<Lasso> {
        let cyclic_core = self.cyclic_core();
        let (first, cycle) = (0..self.next.len() as u32)
            .filter(|&n| cyclic_core[n as usize])
            .find_map(|n| Some((n, self.shortest_cycle(n, &cyclic_core)?)))?;
        let mut prefix = Vec::new();
        let mut at = first;
        while at != 0 {
            at = self.parent[at as usize];
            prefix.push(at);
        }
        prefix.reverse();
        let states_of = |path: Vec<u32>| -> Vec<Vec<i64>> {
            let states = path.into_iter().map(|n| self.states[n as usize].clone());
            states.collect()
        };
        Some((states_of(prefix), states_of(cycle)))
    }

    /// The states that remain when states without successors or without predecessors are removed repeatedly: cycles,
    /// and states between them.
    fn cyclic_core(&self) -> Vec<bool> {
        let explored = self.next.len();
        let mut back: Vec<Vec<u32>> = vec![Vec::new(); explored];
        let mut out = vec![0u32; explored];
        for (n, next) in self.next.iter().enumerate() {
            for &to in next.iter().filter(|&&to| (to as usize) < explored) {
                back[to as usize].push(n as u32);
                out[n] += 1;
            }
        }
        let mut into: Vec<u32> = back.iter().map(|b| b.len() as u32).collect();
        let mut inside = vec![true; explored];
        let mut todo: Vec<u32> = (0..explored as u32).collect();
        while let Some(n) = todo.pop() {
            let at = n as usize;
            if !inside[at] || out[at] > 0 && into[at] > 0 {
                continue;
            }
            inside[at] = false;
            for &from in &back[at] {
                out[from as usize] -= 1;
                todo.push(from);
            }
            for &to in self.next[at].iter().filter(|&&to| (to as usize) < explored) {
                into[to as usize] -= 1;
                todo.push(to);
            }
        }
        inside
    }

    /// A shortest cycle through a state, which is its first.
    fn shortest_cycle(&self, first: u32, cyclic_core: &[bool]) -> Option<Vec<u32>> {
        let mut before: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = VecDeque::from([first]);
        while let Some(n) = queue.pop_front() {
            for &to in &self.next[n as usize] {
                if to == first {
                    let mut cycle = vec![n];
                    while cycle[cycle.len() - 1] != first {
                        cycle.push(before[&cycle[cycle.len() - 1]]);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if cyclic_core.get(to as usize) == Some(&true) && !before.contains_key(&to) {
                    before.insert(to, n);
                    queue.push_back(to);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dd::control::Limits;
    use sempre_base::Random;
    use sempre_model::random_program::random_program;

    /// The distance of the nearest state on a cycle, by brute force.
    fn expected(program: &Program, from: &[i64]) -> Option<usize> {
        let interpreter = Interpreter::new(program);
        let next = |s: &[i64]| -> Vec<Vec<i64>> {
            let steps = interpreter.successors(s);
            match steps.is_empty() {
                true => vec![s.to_vec()],
                false => steps.into_iter().filter_map(|(_, to)| to.ok()).collect(),
            }
        };
        // Layer by layer, while there are new states.
        let distance = |from: Vec<Vec<i64>>, to: &[i64]| -> Option<usize> {
            let mut seen = from.clone();
            let mut layer = from;
            let mut length = 0;
            while !layer.is_empty() {
                if layer.iter().any(|s| s == to) {
                    return Some(length);
                }
                length += 1;
                let mut new: Vec<Vec<i64>> = layer.iter().flat_map(|s| next(s)).collect();
                new.sort();
                new.dedup();
                new.retain(|s| !seen.contains(s));
                seen.extend(new.iter().cloned());
                layer = new;
            }
            None
        };
        let mut seen = vec![from.to_vec()];
        let mut at = 0;
        while at < seen.len() {
            let here = seen[at].clone();
            if distance(next(&here), &here).is_some() {
                return distance(vec![from.to_vec()], &here);
            }
            for to in next(&here) {
                if !seen.contains(&to) {
                    seen.push(to);
                }
            }
            at += 1;
        }
        None
    }

    /// Asserts that this is a run. Returns whether it stutters.
    fn is_run(
        program: &Program,
        from: &[i64],
        (prefix, cycle): (&[Vec<i64>], &[Vec<i64>]),
    ) -> bool {
        let interpreter = Interpreter::new(program);
        let mut run: Vec<Vec<i64>> = prefix.iter().chain(cycle).cloned().collect();
        run.push(cycle[0].clone());
        assert_eq!(run[0], from);
        let mut ends = false;
        for pair in run.windows(2) {
            let steps = interpreter.successors(&pair[0]);
            let stays = steps.is_empty() && pair[0] == pair[1];
            assert!(stays || steps.iter().any(|(_, to)| to.as_ref() == Ok(&pair[1])));
            ends |= stays;
        }
        ends
    }

    #[test]
    fn runs_go_on_and_reach_the_nearest_cycle() {
        let forest = Forest::new(Limits::default());
        let mut r = Random::new(5);
        let (mut far, mut long, mut ends, mut failing, mut walked) = (0, 0, 0, 0, 0);
        for _ in 0..3000 {
            let program = random_program(&mut r);
            let Some(from) = program.initial.first().cloned() else {
                continue;
            };
            let mut neighbourhood = Neighbourhood::new(&program, from.clone());
            if !neighbourhood.expand_to(&forest, 300).unwrap() {
                failing += 1;
                continue;
            }
            if neighbourhood.states.len() > neighbourhood.next.len() {
                continue;
            }
            let (prefix, cycle) = explicit_lasso(&forest, &program, from.clone())
                .unwrap()
                .unwrap();
            assert_eq!(Some(prefix.len()), expected(&program, &from));
            ends += usize::from(is_run(&program, &from, (&prefix, &cycle)));
            // A walk is at most as long as there are states.
            let first_successor_walk =
                first_successor_walk(&forest, &program, &from, neighbourhood.states.len());
            let (path, shortest_cycle) = first_successor_walk.unwrap().unwrap();
            is_run(&program, &from, (&path, &shortest_cycle));
            walked += usize::from(path.len() > prefix.len());
            far += usize::from(!prefix.is_empty());
            long += usize::from(cycle.len() > 1);
        }
        assert!(
            far > 100 && long > 30 && ends > 50 && failing > 100 && walked > 30,
            "{far} {long} {ends} {failing} {walked}"
        );
    }
}
