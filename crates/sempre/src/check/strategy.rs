//! Which automaton and which emptiness check.
//!
//! What the user asks for is taken; what is left to us is chosen by facts that were checked, each told in a sentence.

use super::property::Claim;
use sempre_explicit::emptiness::Algorithm;
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
    /// Any acceptance on edges, as it is given.
    Tela,
}

impl AutomatonKind {
    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            AutomatonKind::Tgba => "tgba",
            AutomatonKind::Ba => "ba",
            AutomatonKind::Ta => "ta",
            AutomatonKind::Tgta => "tgta",
            AutomatonKind::Tela => "tela",
        }
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
            let why = format!("automaton tela: {name} takes its acceptance as it is");
            (AutomatonKind::Tela, why)
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
