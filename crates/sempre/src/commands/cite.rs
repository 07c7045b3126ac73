//! `sempre cite`: the papers behind what has a name on the command line.

use crate::commands::check::RENAMED;
use crate::failure::{Answer, Failure, Outcome};
use clap::Args;
use std::io::Write;

/// Print the paper behind an algorithm, an automaton kind or a format
///
/// Without a name, lists all names.
#[derive(Args, Debug)]
pub struct Arguments {
    /// As on the command line: cou99, ufscc, tgta, saturation, …
    name: Option<String>,
}

/// A paper: authors, title, where and when.
type Paper = (&'static str, &'static str, &'static str);

const COUVREUR_1999: Paper = (
    "Jean-Michel Couvreur",
    "On-the-fly Verification of Linear Temporal Logic",
    "FM 1999, LNCS 1708, pages 253–271",
);
const CHECKS_2005: Paper = (
    "Jean-Michel Couvreur, Alexandre Duret-Lutz, Denis Poitrenaud",
    "On-the-Fly Emptiness Checks for Generalized Büchi Automata",
    "SPIN 2005, LNCS 3639, pages 169–184",
);
const TAURIAINEN: Paper = (
    "Heikki Tauriainen",
    "Nested Emptiness Search for Generalized Büchi Automata",
    "Research Report A79, Helsinki University of Technology, 2003",
);
const TESTING_2011: Paper = (
    "Ala-Eddine Ben-Salem, Alexandre Duret-Lutz, Fabrice Kordon",
    "Generalized Büchi Automata versus Testing Automata for Model Checking",
    "SUMo 2011",
);
const SYMBOLIC_2014: Paper = (
    "Ala Eddine Ben Salem, Alexandre Duret-Lutz, Fabrice Kordon, Yann Thierry-Mieg",
    "Symbolic Model Checking of Stutter-Invariant Properties Using Generalized Testing Automata",
    "TACAS 2014",
);
const SELF_LOOPS_2011: Paper = (
    "Alexandre Duret-Lutz, Kais Klai, Denis Poitrenaud, Yann Thierry-Mieg",
    "Self-Loop Aggregation Product: A New Hybrid Approach to On-the-Fly LTL Model Checking",
    "ATVA 2011",
);
const DIRECTED_2004: Paper = (
    "Stefan Edelkamp, Stefan Leue, Alberto Lluch-Lafuente",
    "Directed Explicit-State Model Checking in the Validation of Communication Protocols",
    "STTT, 2004",
);
const RABIN_2018: Paper = (
    "Vincent Bloemen, Alexandre Duret-Lutz, Jaco van de Pol",
    "Model checking with generalized Rabin and Fin-less automata",
    "STTT, 2018",
);
const LATVALA: Paper = (
    "Timo Latvala",
    "Efficient Model Checking of Safety Properties",
    "SPIN 2003",
);
const MASTER_2018: Paper = (
    "Javier Esparza, Jan Křetínský, Salomon Sickert",
    "One Theorem to Rule Them All: A Unified Translation of LTL into ω-Automata",
    "LICS 2018",
);
const GENERIC_2019: Paper = (
    "Christel Baier, František Blahoudek, Alexandre Duret-Lutz, Joachim Klein, David Müller, Jan Strejček",
    "Generic Emptiness Check for Fun and Profit",
    "ATVA 2019",
);

/// Names, and what is behind each.
const PAPERS: &[(&str, &[Paper])] = &[
    ("cou99", &[COUVREUR_1999, CHECKS_2005]),
    ("cou99-norem", &[COUVREUR_1999]),
    ("cou99-shy-minus", &[CHECKS_2005]),
    ("cou99-shy", &[CHECKS_2005]),
    (
        "gv04",
        &[(
            "Jaco Geldenhuys, Antti Valmari",
            "Tarjan's Algorithm Makes On-the-Fly LTL Verification More Efficient",
            "TACAS 2004, LNCS 2988, pages 205–219",
        )],
    ),
    (
        "cvwy90",
        &[(
            "Costas Courcoubetis, Moshe Y. Vardi, Pierre Wolper, Mihalis Yannakakis",
            "Memory-Efficient Algorithms for the Verification of Temporal Properties",
            "CAV 1990",
        )],
    ),
    (
        "se05",
        &[(
            "Stefan Schwoon, Javier Esparza",
            "A Note on On-the-Fly Verification Algorithms",
            "TACAS 2005, LNCS 3440, pages 174–190",
        )],
    ),
    ("tau03", &[TAURIAINEN]),
    ("tau03-opt", &[TAURIAINEN, CHECKS_2005]),
    (
        "dfs",
        &[(
            "Roderick Bloem, Kavita Ravi, Fabio Somenzi",
            "Efficient Decision Procedures for Model Checking of Linear Time Logic Properties",
            "CAV 1999",
        )],
    ),
    ("ta-two-pass", &[TESTING_2011]),
    (
        "ufscc",
        &[
            (
                "Vincent Bloemen, Alfons Laarman, Jaco van de Pol",
                "Multi-Core On-The-Fly SCC Decomposition",
                "PPoPP 2016",
            ),
            RABIN_2018,
        ],
    ),
    (
        "cndfs",
        &[(
            "Sami Evangelista, Alfons Laarman, Laure Petrucci, Jaco van de Pol",
            "Improved Multi-Core Nested Depth-First Search",
            "ATVA 2012",
        )],
    ),
    ("favoid", &[RABIN_2018]),
    ("emerson-lei", &[GENERIC_2019]),
    ("bfs", &[LATVALA]),
    ("finite-dfs", &[LATVALA]),
    ("best-first", &[DIRECTED_2004]),
    (
        "owcty",
        &[
            (
                "Kathi Fisler, Ranan Fraer, Gila Kamhi, Moshe Y. Vardi, Zijiang Yang",
                "Is There a Best Symbolic Cycle-Detection Algorithm?",
                "TACAS 2001",
            ),
            SYMBOLIC_2014,
            SELF_LOOPS_2011,
        ],
    ),
    ("bounded", &[SELF_LOOPS_2011]),
    (
        "partial",
        &[(
            "Kavita Ravi, Fabio Somenzi",
            "High-Density Reachability Analysis",
            "ICCAD 1995",
        )],
    ),
    ("directed", &[DIRECTED_2004, COUVREUR_1999]),
    (
        "walk",
        &[(
            "Colin H. West",
            "Protocol Validation by Random State Exploration",
            "PSTV 1986",
        )],
    ),
    (
        "state-equation",
        &[
            (
                "Tadao Murata",
                "State Equation, Controllability, and Maximal Matchings of Petri Nets",
                "IEEE Transactions on Automatic Control 22, 1977",
            ),
            (
                "Javier Esparza, Stephan Melzer",
                "Verification of Safety Properties Using Integer Programming: Beyond the State Equation",
                "FMSD 16, 2000",
            ),
            (
                "Harro Wimmel, Karsten Wolf",
                "Applying CEGAR to the Petri Net State Equation",
                "LMCS 8, 2012",
            ),
        ],
    ),
    (
        "saturation",
        &[(
            "Gianfranco Ciardo, Gerald Lüttgen, Radu Siminiceanu",
            "Saturation: An Efficient Iteration Strategy for Symbolic State-Space Generation",
            "TACAS 2001",
        )],
    ),
    ("tgba", &[COUVREUR_1999]),
    ("ba", &[COUVREUR_1999]),
    (
        "ta",
        &[
            (
                "Jaco Geldenhuys, Henri Hansen",
                "Larger Automata and Less Work for LTL Model Checking",
                "SPIN 2006",
            ),
            TESTING_2011,
        ],
    ),
    ("tgta", &[SYMBOLIC_2014]),
    ("tgra", &[MASTER_2018, RABIN_2018]),
    ("tela", &[GENERIC_2019]),
    ("finless", &[RABIN_2018]),
    ("parity", &[MASTER_2018]),
    ("nfa", &[LATVALA]),
    ("dfa", &[LATVALA]),
    (
        "safety",
        &[
            (
                "Orna Kupferman, Moshe Y. Vardi",
                "Model Checking of Safety Properties",
                "Formal Methods in System Design, 2001",
            ),
            LATVALA,
        ],
    ),
    (
        "alternation",
        &[
            (
                "Satoru Miyano, Takeshi Hayashi",
                "Alternating Finite Automata on ω-Words",
                "Theoretical Computer Science 32, 1984",
            ),
            (
                "Paul Gastin, Denis Oddoux",
                "Fast LTL to Büchi Automata Translation",
                "CAV 2001, LNCS 2102, pages 53–65",
            ),
            (
                "Orna Kupferman, Moshe Y. Vardi",
                "Weak Alternating Automata Are Not That Weak",
                "ACM Transactions on Computational Logic 2(3), 2001",
            ),
        ],
    ),
    (
        "hoa",
        &[(
            "Tomáš Babiak, František Blahoudek, Alexandre Duret-Lutz, Joachim Klein, Jan Křetínský, David Müller, \
             David Parker, Jan Strejček",
            "The Hanoi Omega-Automata Format",
            "CAV 2015",
        )],
    ),
    (
        "store",
        &[(
            "Alfons Laarman, Jaco van de Pol, Michael Weber",
            "Boosting Multi-Core Reachability Performance with Shared Hash Tables",
            "FMCAD 2010",
        )],
    ),
    (
        "pattern",
        &[(
            "Matthew B. Dwyer, George S. Avrunin, James C. Corbett",
            "Patterns in Property Specifications for Finite-State Verification",
            "ICSE 1999",
        )],
    ),
];

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    let mut out = std::io::stdout().lock();
    let Some(name) = &arguments.name else {
        for (name, _) in PAPERS {
            writeln!(out, "{name}")?;
        }
        return Ok(Answer::Yes);
    };
    let wanted = name.to_lowercase();
    let renamed = RENAMED.iter().find(|(old, _)| *old == wanted);
    let wanted = renamed.map_or(wanted, |(_, new)| (*new).to_string());
    let Some((_, papers)) = PAPERS.iter().find(|(known, _)| *known == wanted) else {
        let near = sempre_base::nearest(&wanted, PAPERS.iter().map(|(known, _)| *known));
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`sempre cite` lists the names that are".to_string(),
        };
        return Err(Failure::Message(format!(
            "`{name}` is not a name behind which there is a paper; {hint}"
        )));
    };
    for (authors, title, place) in *papers {
        writeln!(out, "{authors}: {title}. {place}.")?;
    }
    Ok(Answer::Yes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sempre::check::{Method, SymbolicAlgorithm};
    use sempre_explicit::emptiness::Algorithm;
    use sempre_explicit::finite::Search;

    /// What can be asked for by its name can be looked up.
    #[test]
    fn every_check_has_its_paper() {
        let checks = Algorithm::ALL.iter().map(|(_, name)| *name);
        let searches = Search::ALL.iter().map(|(_, name)| *name);
        let methods = Method::ALL.iter().map(|(_, name)| *name);
        let symbolic = SymbolicAlgorithm::ALL.iter().map(|(_, name)| *name);
        for name in checks.chain(searches).chain(methods).chain(symbolic) {
            assert!(PAPERS.iter().any(|(known, _)| *known == name), "{name}");
        }
        for (i, (name, papers)) in PAPERS.iter().enumerate() {
            assert!(!papers.is_empty(), "{name}");
            assert!(PAPERS[..i].iter().all(|(other, _)| other != name), "{name}");
        }
    }
}
