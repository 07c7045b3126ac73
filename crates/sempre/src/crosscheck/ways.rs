//! The ways to check a property.

use super::case::Case;
use crate::check::settings::Thresholds;
use crate::check::{
    AutomatonKind, Engine, Fairness, Settings, SymbolicAlgorithm, SymbolicSettings,
};
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::finite::Search;
use sempre_explicit::product::{Deadlock, Limits, Order};

/// Numbers of workers.
pub const WORKERS: [usize; 3] = [1, 2, 4];

/// All kinds of automata.
const KINDS: [AutomatonKind; 10] = [
    AutomatonKind::Tgba,
    AutomatonKind::Ba,
    AutomatonKind::Ta,
    AutomatonKind::Tgta,
    AutomatonKind::Tgra,
    AutomatonKind::Tela,
    AutomatonKind::FinLess,
    AutomatonKind::Parity,
    AutomatonKind::Dfa,
    AutomatonKind::Nfa,
];

/// How to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The engine.
    pub engine: Engine,
    /// The automaton; `None` leaves the choice to the checker.
    pub automaton: Option<AutomatonKind>,
    /// The emptiness check.
    pub algorithm: Option<Algorithm>,
    /// The search for a bad prefix.
    pub search: Option<Search>,
    /// The algorithm of the symbolic engine.
    pub symbolic_algorithm: SymbolicAlgorithm,
    /// Number of threads.
    pub workers: usize,
    /// Compile the model?
    pub compile: bool,
    /// In which order successors are followed.
    pub order: Order,
    /// Check the property together with others of the same model?
    pub together: bool,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            engine: Engine::Explicit,
            automaton: None,
            algorithm: None,
            search: None,
            symbolic_algorithm: SymbolicAlgorithm::Turns,
            workers: 1,
            compile: false,
            order: Order::System,
            together: false,
        }
    }
}

impl Way {
    /// The options of `sempre check` that ask for it.
    pub fn options(&self) -> String {
        let mut out = Vec::new();
        if self.engine != Engine::default() {
            out.push(format!("--engine {}", self.engine.name()));
        }
        if let Some(kind) = self.automaton {
            out.push(format!("--automaton {}", kind.name()));
        }
        let symbolic = SymbolicAlgorithm::ALL
            .iter()
            .find(|(algorithm, _)| *algorithm == self.symbolic_algorithm);
        let name = (self.algorithm.map(Algorithm::name))
            .or(self.search.map(Search::name))
            .or(symbolic.map(|(_, name)| *name));
        if let Some(name) = name {
            out.push(format!("--algorithm {name}"));
        }
        if self.workers > 1 {
            out.push(format!("--workers {}", self.workers));
        }
        match self.order {
            Order::System => {}
            Order::Shuffled(seed) => out.push(format!("--order shuffled --seed {seed}")),
            Order::Permuted(seed) => out.push(format!("--order permuted --seed {seed}")),
            Order::Directed(seed) => out.push(format!("--order directed --seed {seed}")),
        }
        if !self.compile {
            out.push("--no-jit".to_string());
        }
        if self.together {
            out.push("(with other properties)".to_string());
        }
        match out.is_empty() {
            true => "(no options)".to_string(),
            false => out.join(" "),
        }
    }

    /// What is asked of the checker.
    pub fn settings<'a>(&self, deadlock: Deadlock, limits: Limits<'a>) -> Settings<'a> {
        Settings {
            automaton: self.automaton,
            algorithm: self.algorithm,
            search: self.search,
            deadlock,
            order: self.order,
            workers: self.workers,
            compile: self.compile,
            engine: self.engine,
            symbolic: SymbolicSettings {
                algorithm: self.symbolic_algorithm,
                ..SymbolicSettings::default()
            },
            limits,
            // Models are small: the searches beside the exploration have a turn, too.
            thresholds: match self.compile {
                true => Thresholds::default(),
                false => Thresholds {
                    first_pause: 16,
                    ..Thresholds::default()
                },
            },
            ..Settings::default()
        }
    }

    /// What the size of a product that is searched completely depends on, in words; `None` if it may depend on the
    /// search. Where the choice is ours it may.
    pub(super) fn product(&self, case: &Case) -> Option<String> {
        let kind = self.automaton?;
        if let Some(search) = self.search {
            return Some(format!("{} {}", kind.name(), search.name()));
        }
        let fair = case.fairness != Fairness::None;
        if self.engine == Engine::Symbolic {
            return Some(format!("{}   {fair}", kind.name()));
        }
        let algorithm = self.algorithm?;
        // One Rabin pair after another, and nothing at all if there is none.
        if algorithm == Algorithm::Favoid {
            return None;
        }
        let levels = match algorithm.needs_one_set() {
            true => "by levels",
            false => "",
        };
        let testing = matches!(kind, AutomatonKind::Ta | AutomatonKind::Tgta);
        let passes = match testing && algorithm.needs_livelock() {
            true => "in two passes",
            false => "",
        };
        Some(format!("{} {levels} {passes} {fair}", kind.name()))
    }
}

/// All ways that there are: whether each is made for a case, it says itself.
pub fn ways() -> Vec<Way> {
    let mut all = Vec::new();
    let way = Way::default();
    for workers in WORKERS {
        all.push(Way { workers, ..way });
        let automata = KINDS.map(Some);
        all.extend(automata.map(|automaton| Way {
            automaton,
            workers,
            ..way
        }));
    }
    for (workers, compile) in [(1, false), (1, true), (2, false)] {
        all.push(Way {
            together: true,
            workers,
            compile,
            ..way
        });
    }
    for order in [Order::Shuffled(1), Order::Permuted(2), Order::Directed(3)] {
        all.push(Way { order, ..way });
    }
    all.push(Way {
        compile: true,
        ..way
    });
    for (algorithm, _) in Algorithm::ALL {
        for kind in KINDS {
            let applies = match kind {
                AutomatonKind::Dfa | AutomatonKind::Nfa => false,
                AutomatonKind::Tgra
                | AutomatonKind::Tela
                | AutomatonKind::FinLess
                | AutomatonKind::Parity => algorithm.takes_choice(),
                AutomatonKind::Ta => algorithm.needs_livelock() || algorithm.takes_choice(),
                _ => !algorithm.needs_livelock(),
            };
            if !applies {
                continue;
            }
            let many = if algorithm.takes_workers() { 3 } else { 1 };
            all.extend(WORKERS[..many].iter().map(|&workers| Way {
                automaton: Some(kind),
                algorithm: Some(algorithm),
                workers,
                ..way
            }));
        }
        if !algorithm.needs_livelock() {
            all.push(Way {
                automaton: Some(AutomatonKind::Tgba),
                algorithm: Some(algorithm),
                compile: true,
                ..way
            });
        }
    }
    for (search, _) in Search::ALL {
        for kind in [AutomatonKind::Dfa, AutomatonKind::Nfa] {
            all.extend(WORKERS.map(|workers| Way {
                automaton: Some(kind),
                search: Some(search),
                workers,
                ..way
            }));
        }
    }
    for kind in [AutomatonKind::Tgba, AutomatonKind::Ba, AutomatonKind::Tgta] {
        let symbolic = SymbolicAlgorithm::ALL
            .iter()
            .map(|(algorithm, _)| *algorithm);
        all.extend(
            symbolic
                .chain([SymbolicAlgorithm::Turns])
                .map(|algorithm| Way {
                    engine: Engine::Symbolic,
                    automaton: Some(kind),
                    symbolic_algorithm: algorithm,
                    ..way
                }),
        );
        all.push(Way {
            engine: Engine::Auto,
            automaton: Some(kind),
            ..way
        });
    }
    all.push(Way {
        engine: Engine::Auto,
        ..way
    });
    all
}
