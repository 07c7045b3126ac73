//! Which automaton and which emptiness check.
//!
//! What the user asks for is taken; what is left to us is chosen by facts that were checked, each told in a sentence.

use super::property::Claim;
use super::translation::Wish;
use sempre_explicit::emptiness::Algorithm;
use sempre_explicit::finite::Search;
use sempre_explicit::product::Observer;

/// More Rabin pairs are not checked one by one.
const FEW_PAIRS: usize = 3;

/// Automata of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonKind {
    /// Generalised Büchi acceptance on edges.
    Tgba,
    /// Büchi acceptance on states.
    Ba,
    /// Testing automata, with livelock acceptance.
    Ta,
    /// Testing automata with generalised acceptance on edges.
    Tgta,
    /// Generalised Rabin acceptance on edges.
    Tgra,
    /// Any acceptance on edges, as it is given or as the translation makes it.
    Tela,
    /// A disjunction of generalised Büchi conditions on edges.
    FinLess,
    /// Parity acceptance on edges.
    Parity,
    /// Deterministic finite automata of bad prefixes; for safety properties.
    Dfa,
    /// Nondeterministic ones.
    Nfa,
}

impl AutomatonKind {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "tgba",
            AutomatonKind::Ba => "ba",
            AutomatonKind::Ta => "ta",
            AutomatonKind::Tgta => "tgta",
            AutomatonKind::Tgra => "tgra",
            AutomatonKind::Tela => "tela",
            AutomatonKind::FinLess => "finless",
            AutomatonKind::Parity => "parity",
            AutomatonKind::Dfa => "dfa",
            AutomatonKind::Nfa => "nfa",
        }
    }

    /// Does it read finite words?
    pub fn is_finite(self) -> bool {
        matches!(self, Self::Dfa | Self::Nfa)
    }
}

/// What stands in the way of finite automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPrefixes {
    /// Runs must see marks of the model's own edges.
    ModelMarks,
    /// Runs that end do not count, and those that do must be fair.
    FairWithoutEnd,
}

impl NoPrefixes {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ModelMarks => {
                "not every finite path of the model goes on to a run that counts: its edges have acceptance marks"
            }
            Self::FairWithoutEnd => {
                "not every finite path goes on to a run that counts, fair and without end (with --deadlock stutter, fairness \
                 would not matter to a safety property)"
            }
        }
    }
}

/// What to look for, and why, if that is known before the property is looked at. `obstacle` is what stands in the way of
/// finite automata.
///
/// # Errors
/// Why what was asked for cannot be done.
pub fn wish(
    automaton_asked: Option<AutomatonKind>,
    algorithm: Option<Algorithm>,
    search: Option<Search>,
    claim: &Claim,
    obstacle: Option<NoPrefixes>,
) -> Result<(Wish, Option<String>), String> {
    let finite = automaton_asked.is_some_and(AutomatonKind::is_finite);
    if let Some(algorithm) = algorithm
        && (finite || search.is_some())
    {
        let names: Vec<&str> = Search::ALL.iter().map(|(_, name)| *name).collect();
        return Err(format!(
            "algorithm {} looks for cycles; in a finite automaton's product there is nothing to look for but a state: \
             take one of {}",
            algorithm.name(),
            names.join(", ")
        ));
    }
    if let (Some(search), Some(kind)) = (search, automaton_asked)
        && !kind.is_finite()
    {
        return Err(format!(
            "algorithm {} is not made for this: it looks for a state, and an automaton of kind {} needs a cycle",
            search.name(),
            kind.name()
        ));
    }
    if finite || search.is_some() {
        if let Some(obstacle) = obstacle {
            return Err(format!(
                "a finite automaton is not enough: {}",
                obstacle.words()
            ));
        }
        let kind = automaton_asked.unwrap_or(AutomatonKind::Dfa);
        let why = match automaton_asked {
            Some(_) => format!("automaton {}: as asked", kind.name()),
            None => format!(
                "automaton {}: for the search that was asked for",
                kind.name()
            ),
        };
        return Ok((Wish::Kind(kind), Some(why)));
    }
    if automaton_asked.is_none() && algorithm.is_none() && obstacle.is_none() {
        return Ok((Wish::FiniteOr(automaton(None, None, claim).0), None));
    }
    let (kind, why) = automaton(automaton_asked, algorithm, claim);
    Ok((Wish::Kind(kind), Some(why)))
}

/// The automaton that was made although nobody asked for it, and why. `why_safe` is how the property is known to be one of
/// safety.
pub fn made(why_safe: Option<&str>, claim: &Claim) -> String {
    match why_safe {
        Some(why) => format!(
            "automaton dfa: this is a safety property ({why}), which a finite prefix violates, and reachability is \
             enough to find one"
        ),
        None => automaton(None, None, claim).1,
    }
}

/// How the product with a finite automaton is searched, and why.
pub fn search(asked: Option<Search>) -> (Search, String) {
    match asked {
        Some(search) => (search, format!("algorithm {}: as asked", search.name())),
        None => (
            Search::Bfs,
            "algorithm bfs: a breadth-first search finds a shortest prefix".to_string(),
        ),
    }
}

/// The automaton to make, and why.
pub fn automaton(
    asked: Option<AutomatonKind>,
    algorithm: Option<Algorithm>,
    claim: &Claim,
) -> (AutomatonKind, String) {
    match asked {
        Some(kind) => (kind, format!("automaton {}: as asked", kind.name())),
        None if let Claim::Progress(_) = claim => (
            AutomatonKind::Tela,
            "automaton tela: one state, and a Rabin pair for each process that must go on, whose steps are to be avoided"
                .to_string(),
        ),
        None if let Some(algorithm) = algorithm
            && algorithm.takes_avoidance() =>
        {
            let name = algorithm.name();
            match (algorithm, claim) {
                (Algorithm::Favoid, Claim::Formula(..)) => (
                    AutomatonKind::Tgra,
                    format!("automaton tgra: {name} checks its Rabin pairs"),
                ),
                _ => (
                    AutomatonKind::Tela,
                    format!("automaton tela: {name} takes its acceptance as it is"),
                ),
            }
        }
        None => (
            AutomatonKind::Tgba,
            "automaton tgba: marks on edges and several acceptance sets make the smallest automata, and the \
             product is as small as its automaton lets it be"
                .to_string(),
        ),
    }
}

/// The emptiness check, and why. `more_sets` are those of the model and of fairness.
pub fn algorithm(
    asked: Option<Algorithm>,
    observer: Observer<'_>,
    more_sets: usize,
    workers: usize,
) -> (Algorithm, String) {
    if let Some(algorithm) = asked {
        let mut why = format!("algorithm {}: as asked", algorithm.name());
        let sets = observer.sets() as usize + more_sets;
        if algorithm.needs_one_set() && sets > 1 {
            why += &format!("; it takes one acceptance set, so the product counts through {sets}");
        }
        return (algorithm, why);
    }
    if let Observer::Property(property) = observer
        && !property.is_generalized_buchi()
    {
        let pairs = property.clauses().map_or(usize::MAX, <[_]>::len);
        return match property.condition().uses_fin() {
            false if pairs < usize::MAX => {
                let algorithm = Algorithm::Ufscc;
                let why = format!(
                    "algorithm {}: it looks for all {pairs} collections of acceptance sets at once, since none is to be avoided",
                    algorithm.name()
                );
                (algorithm, why)
            }
            true if pairs <= FEW_PAIRS => {
                let algorithm = Algorithm::Favoid;
                let why = format!(
                    "algorithm {}: it checks the {pairs} Rabin pairs of the automaton without another automaton for them",
                    algorithm.name()
                );
                (algorithm, why)
            }
            _ => {
                let algorithm = Algorithm::EmersonLei;
                let why = format!(
                    "algorithm {}: it takes the acceptance of the automaton as it is, in one pass, where its Rabin pairs would take \
                     one each",
                    algorithm.name()
                );
                (algorithm, why)
            }
        };
    }
    if workers > 1 {
        let algorithm = Algorithm::Ufscc;
        let why = format!(
            "algorithm {}: {workers} workers search depth-first, each in an order of its own, and share what they find out about \
             strongly connected components",
            algorithm.name()
        );
        return (algorithm, why);
    }
    if let Observer::Testing(testing) = observer
        && testing.has_livelock()
    {
        let algorithm = Algorithm::TaTwoPass;
        let why = format!(
            "algorithm {}: a testing automaton accepts runs that change for ever, which a first pass looks for, and runs that \
             end in stuttering, which may need a second one",
            algorithm.name()
        );
        return (algorithm, why);
    }
    if more_sets == 0
        && let Observer::Property(property) = observer
        && property.is_weak()
    {
        let algorithm = Algorithm::Dfs;
        let why = format!(
            "algorithm {}: since the automaton is weak and nothing else adds acceptance sets, any cycle in an accepting \
             component will do, and a plain depth-first search finds one",
            algorithm.name()
        );
        return (algorithm, why);
    }
    let algorithm = Algorithm::Cou99;
    let name = algorithm.name();
    let why = match (more_sets, observer.sets()) {
        (0, 0 | 1) => format!(
            "algorithm {name}: it looks at each state once and stops as soon as an accepting cycle is closed"
        ),
        _ => format!(
            "algorithm {name}: it takes all {} acceptance sets at once ({} of the automaton, {more_sets} of the model \
             and of fairness), where a nested search would have to count through them",
            observer.sets() as usize + more_sets,
            observer.sets(),
        ),
    };
    (algorithm, why)
}
