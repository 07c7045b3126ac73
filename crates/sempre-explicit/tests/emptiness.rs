//! All emptiness checks against a slow, obvious one, on random graphs.

use sempre_base::Random;
use sempre_explicit::Reason;
use sempre_explicit::emptiness::{Algorithm, Pairs};
use sempre_explicit::marks::Marks;
use sempre_explicit::property::Kind;
use sempre_explicit::space::{Counters, Edge, Run, Space, Stop, Wanted};
use sempre_omega::{Acceptance, Mark, acceptance_dnf::dnf, random::random_acceptance};
use sempre_store::Budget;
use std::sync::Arc;

/// A graph that is there.
#[derive(Clone)]
struct Graph {
    sets: u32,
    initial: Vec<u32>,
    edges: Vec<Vec<Edge<u32>>>,
    kinds: Vec<Kind>,
    /// What accepting cycles are like, if not in all sets.
    goals: Option<Vec<Wanted<u32>>>,
    /// The same for those that take any condition.
    condition: Option<Acceptance>,
    budget: Arc<Budget>,
}

impl Space<u32> for Graph {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        Ok(self.initial.clone())
    }
    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<u32>>) -> Result<(), Stop> {
        edges.extend_from_slice(&self.edges[state as usize]);
        Ok(())
    }
    fn sets(&self) -> u32 {
        self.sets
    }
    fn budget(&self) -> Arc<Budget> {
        Arc::clone(&self.budget)
    }
    fn kind(&mut self, state: u32) -> Kind {
        self.kinds[state as usize]
    }
    fn goals(&self) -> Vec<Wanted<u32>> {
        (self.goals.clone()).unwrap_or_else(|| vec![self.wanted()])
    }
    fn condition(&self) -> Acceptance {
        let goals = self.goals().into_iter().map(|goal| {
            let infs = (0..self.sets).filter(|s| goal.all >> s & 1 == 1);
            let fins = (0..self.sets).filter(|s| goal.avoid >> s & 1 == 1);
            Acceptance::and(infs.map(Acceptance::Inf).chain(fins.map(Acceptance::Fin)))
        });
        let goals: Vec<_> = goals.collect();
        self.condition
            .clone()
            .unwrap_or_else(|| Acceptance::or(goals))
    }
}

impl Graph {
    fn random(random: &mut Random, sets: u32) -> Self {
        let states = 1 + random.below(12);
        let density = [0.05, 0.1, 0.2, 0.4][random.below(4)];
        let marked = [0.1, 0.3, 0.6][random.below(3)];
        let mut edges = vec![Vec::new(); states];
        for list in &mut edges {
            for target in 0..states as u32 {
                if random.chance(density) {
                    let marks = (0..sets)
                        .filter(|_| random.chance(marked))
                        .fold(0, |m, s| m.union(u32::single(s)));
                    list.push(Edge { target, marks });
                }
            }
            // Any order, and now and then an edge twice with other marks.
            for i in (1..list.len()).rev() {
                list.swap(i, random.below(i + 1));
            }
            if !list.is_empty() && random.chance(0.2) {
                let mut again = list[0];
                again.marks = u32::all(sets) & random.below(1 << sets) as u32;
                list.push(again);
            }
        }
        let mut initial = vec![0];
        if random.chance(0.3) {
            initial.push(random.below(states) as u32);
            initial.dedup();
        }
        Self::new(sets, initial, edges)
    }

    /// With components of all sizes: each state has few edges, most of them to states nearby, and few of them are marked. The kinds
    /// are not computed.
    fn large(random: &mut Random, sets: u32, states: usize) -> Self {
        let degree = 1 + random.below(3);
        let marked = [0.001, 0.01, 0.1][random.below(3)];
        let back = [0.02, 0.1, 0.4][random.below(3)];
        let edges = (0..states)
            .map(|s| {
                (0..random.below(degree * 2 + 1))
                    .map(|_| {
                        let far = 1 + random.below(20);
                        let target = match random.chance(back) {
                            true => s.saturating_sub(far),
                            false => (s + far).min(states - 1),
                        } as u32;
                        let marks = (0..sets)
                            .filter(|_| random.chance(marked))
                            .fold(0, |m, s| m.union(u32::single(s)));
                        Edge { target, marks }
                    })
                    .collect()
            })
            .collect();
        Self {
            sets,
            initial: vec![0],
            kinds: vec![Kind::Mixed; states],
            edges,
            goals: None,
            condition: None,
            budget: Arc::new(Budget::unlimited()),
        }
    }

    fn new(sets: u32, initial: Vec<u32>, edges: Vec<Vec<Edge<u32>>>) -> Self {
        let mut graph = Self {
            sets,
            initial,
            kinds: vec![Kind::Mixed; edges.len()],
            edges,
            goals: None,
            condition: None,
            budget: Arc::new(Budget::unlimited()),
        };
        // Kinds: a cycle is accepting unless it is one without the edges of some set.
        let reach = graph.closure(|_| true);
        let without: Vec<_> = (0..sets)
            .map(|set| graph.closure(|e| !e.marks.contains(set)))
            .collect();
        graph.kinds = (0..graph.edges.len())
            .map(|s| {
                let together = |t: &usize| reach[s][*t] && reach[*t][s];
                let mut component = (0..graph.edges.len()).filter(together);
                if graph.marks_around(&reach, s) != Some(u32::all(sets)) {
                    Kind::Rejecting
                } else if component.any(|t| without.iter().any(|reach| reach[t][t])) {
                    Kind::Mixed
                } else {
                    Kind::Weak
                }
            })
            .collect();
        graph
    }

    /// Which states are reached from which by at least one of these edges.
    fn closure(&self, edge: impl Fn(&Edge<u32>) -> bool) -> Vec<Vec<bool>> {
        let n = self.edges.len();
        let mut reach = vec![vec![false; n]; n];
        for (s, edges) in self.edges.iter().enumerate() {
            for e in edges.iter().filter(|e| edge(e)) {
                reach[s][e.target as usize] = true;
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        reach
    }

    /// The marks of all edges in the component of a state; `None` if there is no cycle through it.
    fn marks_around(&self, reach: &[Vec<bool>], s: usize) -> Option<u32> {
        self.marks_around_without(reach, s, 0)
    }

    /// The same when edges in these sets are not there.
    fn marks_around_without(&self, reach: &[Vec<bool>], s: usize, avoid: u32) -> Option<u32> {
        let together = |t: usize| reach[s][t] && reach[t][s];
        let marks = (0..self.edges.len())
            .filter(|&t| together(t))
            .flat_map(|t| &self.edges[t])
            .filter(|e| together(e.target as usize) && e.marks & avoid == 0)
            .fold(0, |m, e| m | e.marks);
        reach[s][s].then_some(marks)
    }

    /// Is there a reachable component in all sets, or as one of the goals wants it?
    fn accepts(&self) -> bool {
        let reach = self.closure(|_| true);
        let reachable =
            |s: usize| (self.initial.iter()).any(|&i| i as usize == s || reach[i as usize][s]);
        self.goals().iter().any(|goal| {
            let inside = self.closure(|e| e.marks & goal.avoid == 0);
            (0..self.edges.len()).any(|s| {
                let marks = self.marks_around_without(&inside, s, goal.avoid);
                reachable(s) && marks.is_some_and(|m| m.includes(goal.all))
            })
        })
    }

    /// Is this an accepting run?
    fn confirms(&self, run: &Run<u32>) -> bool {
        let steps: Vec<_> = run.prefix.iter().chain(&run.cycle).collect();
        let exist = (steps.iter()).all(|s| self.edges[s.state as usize].contains(&s.edge));
        let connected = steps.windows(2).all(|w| w[0].edge.target == w[1].state);
        let last = steps[steps.len() - 1];
        let marks = run.cycle.iter().fold(0, |m, s| m | s.edge.marks);
        exist
            && connected
            && self.initial.contains(&steps[0].state)
            && last.edge.target == run.cycle[0].state
            && (self.goals().iter()).any(|g| marks.includes(g.all) && !marks.intersects(g.avoid))
    }
}

#[test]
fn all_checks_agree_with_the_obvious_one() {
    let mut random = Random::new(20);
    let (mut empty, mut accepting) = (0, 0);
    for round in 0..20_000 {
        let mut graph = Graph::random(&mut random, round % 4);
        let expected = graph.accepts();
        if expected {
            accepting += 1;
        } else {
            empty += 1;
        }
        for (algorithm, name) in Algorithm::ALL {
            if algorithm.needs_livelock() || algorithm.needs_one_set() && graph.sets != 1 {
                continue;
            }
            let mut counters = Counters::default();
            let run = algorithm.run(&mut graph, &mut counters).unwrap();
            assert_eq!(
                run.is_some(),
                expected,
                "{name} in round {round}: {:?}",
                graph.edges
            );
            if let Some(run) = run {
                assert!(graph.confirms(&run), "{name} in round {round}: {run:?}");
            }
            assert!(counters.states <= graph.edges.len() as u64);
        }
    }
    assert!(
        empty > 5_000 && accepting > 5_000,
        "{empty} empty, {accepting} not"
    );
}

/// A graph: for each state its edges, each as a target and, after a colon, its marks.
fn graph(sets: u32, edges: &[&str]) -> Graph {
    let edges = (edges.iter())
        .map(|list| {
            (list.split_whitespace())
                .map(|edge| {
                    let (target, marks) = edge.split_once(':').unwrap_or((edge, ""));
                    Edge {
                        target: target.parse().unwrap(),
                        marks: (marks.chars()).fold(0, |m, c| m | 1 << c.to_digit(10).unwrap()),
                    }
                })
                .collect()
        })
        .collect();
    Graph::new(sets, vec![0], edges)
}

/// Tarjan's stack from the lowlink on need not be a component: the state at the lowlink is left, and its only way back
/// leads below it.
#[test]
fn the_component_of_gv04_may_begin_below_the_lowlink() {
    let mut graph = graph(1, &["1", "2 3:0", "4 0", "4", "2"]);
    let mut counters = Counters::default();
    let run = Algorithm::Gv04.run(&mut graph, &mut counters).unwrap();
    assert!(graph.confirms(&run.unwrap()));
    assert_eq!((counters.transitions, counters.cycle_space), (7, 5));
}

/// What checks count on a graph. `expected` has lines with a name, the states, the edges and the stack, and, if they
/// are to be looked at, the states visited for the cycle and the states that it was looked for in.
fn counts(sets: u32, edges: &[&str], expected: &str) {
    let mut graph = graph(sets, edges);
    for line in expected.trim().lines() {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let numbers: Vec<u64> = words.map(|w| w.parse().unwrap()).collect();
        let (algorithm, _) = *(Algorithm::ALL.iter()).find(|(_, n)| *n == name).unwrap();
        let mut c = Counters::default();
        let run = algorithm.run(&mut graph, &mut c).unwrap();
        assert_eq!(run.is_some(), graph.accepts(), "{name}");
        let got = [
            c.states,
            c.transitions,
            c.max_stack,
            c.cycle_states,
            c.cycle_space,
        ];
        assert_eq!(got[..numbers.len()], numbers, "{name} on {edges:?}");
    }
}

/// A path to a cycle that its last edge makes accepting. The shy ones compute all edges and have all but the two that
/// were followed first still waiting when the last state is entered; `cvwy90` walks around the cycle again, `tau03`
/// twice.
#[test]
fn counters_on_a_cycle() {
    let expected = "
        cou99            3 3 3  2 2
        cou99-norem      3 3 3  2 2
        cou99-shy-minus  3 3 5  2 2
        cou99-shy        3 3 5  2 2
        gv04             3 3 3  2 2
        cvwy90           3 4 5
        se05             3 3 4
        tau03            3 6 5  4 3
        tau03-opt        3 3 4  4 3
        dfs              3 3 3";
    counts(1, &["1", "2", "1:0"], expected);
}

/// An accepting edge to a cycle that is not. As in Table 2, formulas D and F: `cou99-norem` takes every edge twice;
/// `cvwy90`, `se05` and `tau03-opt` those twice that are reachable from the accepting one; `tau03` all of them once
/// more.
#[test]
fn counters_on_an_empty_graph() {
    let expected = "
        cou99            3 3 3  0 0
        cou99-norem      3 6 3  0 0
        cou99-shy-minus  3 3 5  0 0
        cou99-shy        3 3 5  0 0
        gv04             3 3 3  0 0
        cvwy90           3 5 3  0 0
        se05             3 5 3  0 0
        tau03            3 8 3  0 0
        tau03-opt        3 5 3  0 0
        dfs              3 3 3  0 0";
    counts(1, &["1:0", "2", "1"], expected);
}

/// Fig. 4 of the paper: a cycle whose accepting edge is neither the one that closes it nor beside that one, and more to
/// explore behind. Only checks that look at the whole of the stack stop at once.
#[test]
fn counters_on_the_problematic_case_for_se05() {
    let expected = "
        cou99            4 4 4
        cou99-norem      4 4 4
        cou99-shy-minus  4 5 7
        cou99-shy        4 5 7
        gv04             4 4 4
        cvwy90           6 9 6
        se05             6 8 6
        tau03            6 17 6
        tau03-opt        4 4 5
        dfs              4 4 4";
    counts(1, &["1", "2:0", "3", "0 4", "5", ""], expected);
}

/// The accepting cycle is closed by a state that waits since the beginning: only the check that looks at the whole
/// component takes it before it goes on from the second state.
#[test]
fn counters_of_the_shy_checks() {
    let expected = "
        cou99            5 6 4
        cou99-shy-minus  5 6 6
        cou99-shy        3 5 6";
    counts(1, &["1 2", "0 3", "0:0", "4", ""], expected);
}

/// On return to a state, its edges to states that were visited meanwhile come first: 0 to 2, before 0 to 3.
#[test]
fn shy_checks_look_again_on_return() {
    let expected = "
        cou99            4 6 4
        cou99-shy-minus  3 5 7
        cou99-shy        3 5 7";
    counts(1, &["1 3 2:0", "2", "0", "0"], expected);
}

/// Two sets, one after the other: `tau03` brings one home and then both.
#[test]
fn counters_with_two_sets() {
    let expected = "
        cou99            2 2 2
        cou99-norem      2 2 2
        tau03            2 8 4
        tau03-opt        2 2 3";
    counts(2, &["1:0", "0:1"], expected);
}

/// Without any set every cycle is accepting; `tau03` behaves as though each edge were in one.
#[test]
fn counters_without_sets() {
    let expected = "
        cou99            2 2 2
        tau03            2 5 4
        tau03-opt        2 2 3
        dfs              2 2 2";
    counts(0, &["1", "0"], expected);
    let empty = "
        cou99            2 1 2
        cou99-norem      2 2 2
        tau03            2 2 2
        tau03-opt        2 1 2
        dfs              2 1 2";
    counts(0, &["1", ""], empty);
}

/// A search that has no memory says so.
#[test]
fn memory_is_charged() {
    for (algorithm, name) in Algorithm::ALL {
        let mut graph = graph(1, &["1", "2", "1:0"]);
        graph.budget = Arc::new(Budget::new(1000));
        let stop = algorithm.run(&mut graph, &mut Counters::default());
        assert_eq!(stop, Err(Stop(Reason::Memory)), "{name}");
        assert_eq!(graph.budget.used(), 0, "{name}");
    }
}

/// A graph whose threads give way to each other now and then.
struct Slow(Graph, Random);

impl Space<u32> for Slow {
    fn initial(&mut self) -> Result<Vec<u32>, Stop> {
        self.0.initial()
    }
    fn expand(&mut self, state: u32, edges: &mut Vec<Edge<u32>>) -> Result<(), Stop> {
        if self.1.chance(0.3) {
            std::thread::yield_now();
        }
        self.0.expand(state, edges)
    }
    fn sets(&self) -> u32 {
        self.0.sets()
    }
    fn budget(&self) -> Arc<Budget> {
        self.0.budget()
    }
    fn goals(&self) -> Vec<Wanted<u32>> {
        self.0.goals()
    }
    fn condition(&self) -> Acceptance {
        self.0.condition()
    }
}

/// A check by several workers.
fn together(
    algorithm: Algorithm,
    graph: &Graph,
    workers: usize,
    seed: u64,
) -> (Result<Option<Run<u32>>, Stop>, Counters) {
    let mut counters = Counters::default();
    let mut spaces: Vec<Slow> = (0..workers as u64)
        .map(|w| Slow(graph.clone(), Random::new(seed * 64 + w)))
        .collect();
    let pairs = [Pairs::OneByOne, Pairs::Parallel][seed as usize % 2];
    let found = algorithm.run_together(&mut spaces, pairs, &mut counters);
    (found.map(|f| f.map(|(run, _)| run)), counters)
}

/// The checks that several workers do together.
fn shared() -> impl Iterator<Item = (Algorithm, &'static str)> {
    (Algorithm::ALL.into_iter()).filter(|(a, _)| a.takes_workers())
}

/// Threads cost more than the searches; all rounds with `SEMPRE_LARGE=1`.
fn rounds(few: u32, many: u32) -> u32 {
    match std::env::var_os("SEMPRE_LARGE") {
        Some(_) => many,
        None => few,
    }
}

#[test]
fn several_workers_agree_with_the_obvious_check() {
    let mut random = Random::new(21);
    for round in 0..rounds(2_000, 20_000) {
        let graph = Graph::random(&mut random, round % 4);
        let expected = graph.accepts();
        let workers = [2, 3, 4, 16][round as usize / 4 % 4];
        for (algorithm, name) in shared() {
            if algorithm.needs_one_set() && graph.sets != 1 {
                continue;
            }
            let (run, counters) = together(algorithm, &graph, workers, u64::from(round));
            let run = run.unwrap();
            let what = format!("{name} in round {round}: {:?}", graph.edges);
            assert_eq!(run.is_some(), expected, "{what}");
            assert!(run.is_none_or(|run| graph.confirms(&run)), "{what}");
            assert!(counters.states <= graph.edges.len() as u64);
        }
    }
}

/// Larger graphs, on which workers meet, and more workers than any machine that this runs on has cores; as many states are
/// visited as by one.
#[test]
fn many_workers_agree_with_one() {
    let mut random = Random::new(22);
    let (mut empty, mut accepting) = (0, 0);
    for round in 0..240u32 {
        let sets = round % 3;
        let states = [30, 300, 3000][random.below(3)];
        let mut graph = Graph::large(&mut random, sets, states);
        let mut alone = Counters::default();
        let expected = Algorithm::Cou99.run(&mut graph, &mut alone).unwrap();
        match expected {
            Some(_) => accepting += 1,
            None => empty += 1,
        }
        let workers = [2, 4, 16, 70][round as usize / 3 % 4];
        for (algorithm, name) in shared() {
            if algorithm.needs_one_set() && sets != 1 {
                continue;
            }
            let (run, counters) = together(algorithm, &graph, workers, u64::from(round));
            let run = run.unwrap();
            assert_eq!(run.is_some(), expected.is_some(), "{name} in round {round}");
            match run {
                Some(run) => assert!(graph.confirms(&run), "{name} in round {round}"),
                None => assert_eq!(counters.states, alone.states, "{name} in round {round}"),
            }
        }
    }
    assert!(
        empty > 60 && accepting > 60,
        "{empty} empty, {accepting} not"
    );
}

/// A worker that has no memory, or that panics, ends the search of all, and nothing is said to be empty.
#[test]
fn a_worker_that_fails_is_not_overlooked() {
    struct Failing(Graph, bool);
    impl Space<u32> for Failing {
        fn initial(&mut self) -> Result<Vec<u32>, Stop> {
            self.0.initial()
        }
        fn expand(&mut self, state: u32, edges: &mut Vec<Edge<u32>>) -> Result<(), Stop> {
            assert!(!self.1, "expected by the test");
            self.0.expand(state, edges)
        }
        fn sets(&self) -> u32 {
            self.0.sets()
        }
        fn budget(&self) -> Arc<Budget> {
            self.0.budget()
        }
    }
    for (algorithm, name) in shared() {
        let graph = graph(1, &["1", "2", "1"]);
        for workers in [2, 5] {
            let spaces = (0..workers).map(|w| Failing(graph.clone(), w == workers - 1));
            let mut spaces: Vec<Failing> = spaces.collect();
            // The one that panics may come too late to do so.
            let stop =
                algorithm.run_together(&mut spaces, Pairs::OneByOne, &mut Counters::default());
            let panic = Stop(Reason::Panic("expected by the test".into()));
            assert!(stop == Err(panic) || stop == Ok(None), "{name}");
            spaces.iter_mut().for_each(|s| s.1 = true);
            let stop =
                algorithm.run_together(&mut spaces, Pairs::OneByOne, &mut Counters::default());
            assert!(matches!(stop, Err(Stop(Reason::Panic(_)))), "{name}");
        }
        let mut graph = graph.clone();
        graph.budget = Arc::new(Budget::new(1000));
        let (stop, _) = together(algorithm, &graph, 3, 0);
        assert_eq!(stop, Err(Stop(Reason::Memory)), "{name}");
        assert_eq!(graph.budget.used(), 0, "{name}");
    }
}

/// Disjunctions of conjunctions, with sets to be avoided and without.
#[test]
fn rabin_pairs_and_choices_agree_with_the_obvious_check() {
    let mut random = Random::new(23);
    let mut seen = [[0; 2]; 2];
    for round in 0..u64::from(rounds(2_400, 20_000)) {
        let sets = 1 + random.below(4) as u32;
        let mut graph = Graph::random(&mut random, sets);
        let avoiding = random.chance(0.6);
        let goals = (0..random.below(4)).map(|_| {
            let all = random.below(1 << sets) as u32;
            let avoid = if avoiding {
                random.below(1 << sets) as u32
            } else {
                0
            };
            let all = all & !avoid;
            Wanted { all, avoid }
        });
        let goals: Vec<_> = goals.collect();
        let avoids = goals.iter().any(|g| g.avoid != 0);
        graph.goals = Some(goals);
        let expected = graph.accepts();
        seen[usize::from(avoids)][usize::from(expected)] += 1;
        let workers = [1, 2, 4, 16][round as usize / 2 % 4];
        for (algorithm, name) in shared() {
            if !algorithm.takes_choice() || avoids && !algorithm.takes_avoidance() {
                continue;
            }
            let (run, _) = together(algorithm, &graph, workers, round);
            let run = run.unwrap();
            let what = format!(
                "{name} in round {round}: {:?} {:?}",
                graph.edges, graph.goals
            );
            assert_eq!(run.is_some(), expected, "{what}");
            assert!(run.is_none_or(|run| graph.confirms(&run)), "{what}");
        }
    }
    assert!(seen.iter().flatten().all(|&n| n > 100), "{seen:?}");
}

/// Larger graphs with two pairs, against one worker; one worker against the reference above.
#[test]
fn many_workers_agree_with_one_on_rabin_pairs() {
    let mut random = Random::new(24);
    let mut seen = [0; 2];
    for round in 0..120u64 {
        let states = [30, 300, 3000][random.below(3)];
        let mut graph = Graph::large(&mut random, 4, states);
        let goals = [(1, 2), (4, 8)].map(|(all, avoid)| Wanted { all, avoid });
        graph.goals = Some(goals.to_vec());
        let (alone, _) = together(Algorithm::Favoid, &graph, 1, round);
        let alone = alone.unwrap();
        seen[usize::from(alone.is_some())] += 1;
        let workers = [2, 4, 16, 70][round as usize / 2 % 4];
        for algorithm in [Algorithm::Favoid, Algorithm::EmersonLei] {
            let (run, _) = together(algorithm, &graph, workers, round);
            let run = run.unwrap();
            assert_eq!(run.is_some(), alone.is_some(), "round {round}");
            for run in alone.iter().chain(&run) {
                assert!(graph.confirms(run), "round {round}");
            }
        }
    }
    assert!(seen.iter().all(|&n| n > 20), "{seen:?}");
}

/// Any acceptance condition.
#[test]
fn any_condition_agrees_with_the_obvious_check() {
    let mut random = Random::new(25);
    let mut seen = [0; 2];
    for round in 0..u64::from(rounds(2_400, 20_000)) {
        let sets = 1 + random.below(6) as u32;
        let mut graph = Graph::random(&mut random, sets);
        // Two conditions joined: sets occur several times, with both signs.
        let [one, other] = [(); 2].map(|()| random_acceptance(&mut random, sets));
        let condition = match random.chance(0.5) {
            true => Acceptance::or([one, other]),
            false => Acceptance::and([one, other]),
        };
        let marks = |mark: &Mark| mark.words().first().map_or(0, |&w| w as u32);
        let clauses = dnf(&condition, 1000).expect("few cases");
        let goals = clauses.iter().map(|c| Wanted {
            all: marks(&c.inf),
            avoid: marks(&c.fin),
        });
        graph.goals = Some(goals.collect());
        graph.condition = Some(condition.clone());
        let expected = graph.accepts();
        seen[usize::from(expected)] += 1;
        let workers = [1, 2, 4, 16][round as usize / 2 % 4];
        for algorithm in [Algorithm::EmersonLei, Algorithm::Favoid] {
            let (run, _) = together(algorithm, &graph, workers, round);
            let run = run.unwrap();
            let what = format!(
                "{algorithm:?} in round {round}: {:?} {condition}",
                graph.edges
            );
            assert_eq!(run.is_some(), expected, "{what}");
            assert!(run.is_none_or(|run| graph.confirms(&run)), "{what}");
        }
    }
    assert!(seen.iter().all(|&n| n > 300), "{seen:?}");
}
