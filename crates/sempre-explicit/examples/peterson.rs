//! How fast exploration is when successors cost next to nothing: Peterson's algorithm for four processes (the
//! model peterson.4 of the BEEM benchmark: 1,119,560 states, 3,864,896 transitions), written by hand on packed
//! states, three bits for each variable.
//!
//! ```text
//! cargo run --release -p sempre-explicit --example peterson [WORKERS [WORDS [bfs|dfs [parents]]]]
//! ```
//!
//! The variables are dealt out to `WORDS` words, to see what longer states cost.

use sempre_explicit::{Options, Order, explore};
use sempre_model::{Sink, Step, System};

const N: u64 = 4;
const NCS: u64 = 0;
const CS: u64 = 1;
const WAIT: u64 = 2;
const Q2: u64 = 3;
const Q3: u64 = 4;

/// Groups of `N` variables.
const POS: u64 = 0;
const STEP: u64 = 1;
const AT: u64 = 2;
const J: u64 = 3;
const K: u64 = 4;

struct Peterson<const W: usize>;

impl<const W: usize> Peterson<W> {
    #[inline(always)]
    fn place(group: u64, i: u64) -> (usize, u32) {
        // The variables of a process share a word, as a layout would have it.
        let word = i as usize % W;
        (word, 3 * (group * N + i) as u32)
    }
    #[inline(always)]
    fn get(s: &[u64; W], group: u64, i: u64) -> u64 {
        let (word, shift) = Self::place(group, i);
        s[word] >> shift & 7
    }
    #[inline(always)]
    fn set(s: &mut [u64; W], group: u64, i: u64, value: u64) {
        let (word, shift) = Self::place(group, i);
        s[word] = s[word] & !(7 << shift) | value << shift;
    }
}

impl<const W: usize> System for Peterson<W> {
    type Context = ();

    fn context(&self) {}

    fn width(&self) -> usize {
        W
    }

    fn initial(&self, (): &mut (), each: &mut dyn FnMut(&[u64])) {
        each(&[0; W]);
    }

    #[inline]
    fn successors(&self, (): &mut (), state: &[u64], sink: &mut impl Sink) {
        let Some(&s) = state.first_chunk::<W>() else {
            return;
        };
        let mut tell = |i: u64, t: u64, changes: &[(u64, u64, u64)]| {
            let mut next = s;
            for &(group, i, value) in changes {
                Self::set(&mut next, group, i, value);
            }
            let step = Step {
                action: (i * 8 + t) as u32,
                marks: 0,
            };
            sink.successor(step, &next);
        };
        for i in 0..N {
            let j = Self::get(&s, J, i);
            let k = Self::get(&s, K, i);
            match Self::get(&s, AT, i) {
                NCS => tell(i, 0, &[(AT, i, WAIT), (J, i, 1)]),
                WAIT if j < N => tell(i, 1, &[(AT, i, Q2), (POS, i, j)]),
                WAIT => tell(i, 5, &[(AT, i, CS)]),
                Q2 => tell(i, 2, &[(AT, i, Q3), (STEP, j - 1, i), (K, i, 0)]),
                Q3 => {
                    if k < N && (k == i || Self::get(&s, POS, k) < j) {
                        tell(i, 3, &[(K, i, k + 1)]);
                    }
                    if Self::get(&s, STEP, j - 1) != i || k == N {
                        tell(i, 4, &[(AT, i, WAIT), (J, i, j + 1)]);
                    }
                }
                CS => tell(i, 6, &[(AT, i, NCS), (POS, i, 0)]),
                _ => {}
            }
        }
    }

    fn holds(&self, (): &mut (), state: &[u64], _: usize) -> bool {
        state.is_empty()
    }
}

fn measure<const W: usize>(options: &Options<'_>) {
    let found = explore(&Peterson::<W>, options);
    let s = found.statistics;
    let seconds = s.elapsed.as_secs_f64();
    println!(
        "{:?}: {} states, {} transitions, depth {:?}, {seconds:.3} s, {:.2} M states/s, {:.2} M transitions/s, {:.1} bytes/state",
        found.outcome,
        s.states,
        s.transitions,
        s.depth,
        s.states as f64 / seconds / 1e6,
        s.transitions as f64 / seconds / 1e6,
        found.store().bytes_per_state(),
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse().ok()).unwrap_or(1);
    let options = Options {
        workers: number(1),
        order: match arguments.get(3).map(String::as_str) {
            Some("dfs") => Order::DepthFirst,
            _ => Order::BreadthFirst,
        },
        parents: arguments.get(4).is_some_and(|a| a == "parents"),
        ..Options::default()
    };
    match number(2) {
        1 => measure::<1>(&options),
        2 => measure::<2>(&options),
        3 => measure::<3>(&options),
        _ => measure::<4>(&options),
    }
}
