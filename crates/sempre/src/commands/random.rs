//! `sempre random`: seeded random formulas, automata and graphs.

use super::formula::SyntaxName;
use crate::failure::{Answer, Failure, Outcome};
use crate::output::OutputOptions;
use crate::printer::{self, Format, Printer};
use clap::{Args, Subcommand, ValueEnum};
use sempre::base::Random;
use sempre::lang::graph::{MAX_MARKS, write_graph, write_kripke};
use sempre::lang::random_graph::{RandomGraph, random_graph};
use sempre::ltl::{Formulas, Op, RandomFormula, print};
use sempre::omega::Alphabet;
use sempre::omega::random::RandomAutomaton;
use serde_json::json;
use std::collections::HashSet;
use std::io::Write;
use std::ops::RangeInclusive;

/// Draw random formulas, automata and graphs, the same for the same seed on every machine
#[derive(Args, Debug)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Formula(FormulaArguments),
    Automaton(AutomatonArguments),
    Graph(GraphArguments),
}

/// Draw random formulas, one per line
#[derive(Args, Debug)]
struct FormulaArguments {
    #[command(flatten)]
    draw: Draw,

    #[command(flatten)]
    shape: Shape,

    /// Print no formula twice; ends early if it finds nothing new
    #[arg(long)]
    unique: bool,

    /// How to write them
    #[arg(long, value_enum, value_name = "SYNTAX", default_value_t = SyntaxName::Spot)]
    syntax: SyntaxName,

    #[command(flatten)]
    output: OutputOptions,
}

/// Draw random automata
#[derive(Args, Debug)]
struct AutomatonArguments {
    #[command(flatten)]
    draw: Draw,

    /// Number of states
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = positive)]
    states: usize,

    /// Number of propositions, called p0, p1, …
    #[arg(long, value_name = "N", default_value_t = 2)]
    propositions: usize,

    /// Number of acceptance sets
    #[arg(long, value_name = "N", default_value_t = 1)]
    sets: u32,

    /// Probability of an edge between two states
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = probability)]
    density: f64,

    /// Probability that an edge is in an acceptance set
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = probability)]
    marks: f64,

    /// A random condition of Inf and Fin instead of generalised Büchi
    #[arg(long)]
    any_acceptance: bool,

    /// At most one edge for each letter
    #[arg(long)]
    deterministic: bool,

    /// At least one edge for each letter
    #[arg(long)]
    complete: bool,

    /// Acceptance on states
    #[arg(long)]
    state_acceptance: bool,

    /// How to print them
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Hoa)]
    format: Format,

    #[command(flatten)]
    output: OutputOptions,
}

/// Draw a random graph, a model in which every state is reachable and has a successor
///
/// The number of successors of a state follows a normal distribution with mean 1 + (states - 1) density, as
/// in the comparison of emptiness checks by Couvreur, Duret-Lutz and Poitrenaud (SPIN 2005).
#[derive(Args, Debug)]
struct GraphArguments {
    /// Where the stream of random numbers starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Number of states
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,

    /// Probability of an edge between two states
    #[arg(long, value_name = "P", default_value_t = 0.1, value_parser = probability)]
    density: f64,

    /// Number of propositions, called p0, p1, …
    #[arg(long, value_name = "N", default_value_t = 2)]
    propositions: usize,

    /// Probability that a proposition is true in a state
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = probability)]
    truth: f64,

    /// Number of acceptance marks; fair runs see each infinitely often
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_MARKS)))]
    sets: u32,

    /// Probability that a mark is on an edge
    #[arg(long, value_name = "P", default_value_t = 0.3, value_parser = probability)]
    marks: f64,

    /// How to print it
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "graph")]
    format: GraphFormat,

    #[command(flatten)]
    output: OutputOptions,
}

/// The formats of graphs.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum GraphFormat {
    /// Our own text
    Graph,
    /// A Kripke structure in the Hanoi format
    Hoa,
}

#[derive(Args, Debug)]
struct Draw {
    /// How many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1)]
    count: usize,

    /// Where the stream of random numbers starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// What random formulas look like.
#[derive(Args, Clone, Debug)]
pub struct Shape {
    /// Number of propositions, called p0, p1, …
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        help_heading = "Random formulas"
    )]
    propositions: usize,

    /// Sizes (operators and leaves) before the trivial identities are applied
    #[arg(long, value_name = "MIN..MAX", default_value = "5..15", value_parser = size_range,
          help_heading = "Random formulas")]
    size: (usize, usize),

    /// No X
    #[arg(long, help_heading = "Random formulas")]
    no_next: bool,

    /// How often operators occur, relatively: `U=3,xor=0`; the others keep 1
    #[arg(long, value_name = "OP=N,…", value_delimiter = ',', value_parser = priority,
          help_heading = "Random formulas")]
    priorities: Vec<(Op, u32)>,
}

impl Shape {
    /// As the generator wants it.
    pub fn generator(&self) -> RandomFormula {
        let mut shape = RandomFormula::new(self.propositions);
        shape.sizes = RangeInclusive::new(self.size.0, self.size.1);
        if self.no_next {
            shape = shape.without_next();
        }
        for &(op, n) in &self.priorities {
            shape.set_priority(op, n);
        }
        shape
    }
}

/// The largest formula that is drawn: deeper ones could not be read back.
const MOST_NODES: usize = 4000;

fn size_range(text: &str) -> Result<(usize, usize), String> {
    let number = |t: &str| t.trim().parse::<usize>().map_err(|e| format!("`{t}`: {e}"));
    let (low, high) = match text.split_once("..") {
        Some((low, high)) => (number(low)?, number(high.trim_start_matches('='))?),
        None => (number(text)?, number(text)?),
    };
    if low == 0 || low > high || high > MOST_NODES {
        return Err(format!(
            "sizes are from 1 to {MOST_NODES}, the smaller first"
        ));
    }
    Ok((low, high))
}

fn priority(text: &str) -> Result<(Op, u32), String> {
    let (name, number) = text
        .split_once('=')
        .ok_or_else(|| "write OPERATOR=NUMBER".to_string())?;
    let op = match name.trim() {
        "ap" => Op::Proposition,
        "true" | "1" => Op::True,
        "false" | "0" => Op::False,
        "!" | "not" => Op::Not,
        "&" | "and" => Op::And,
        "|" | "or" => Op::Or,
        "->" | "implies" => Op::Implies,
        "<->" | "equiv" => Op::Equiv,
        "xor" => Op::Xor,
        "X" => Op::Next,
        "F" => Op::Finally,
        "G" => Op::Globally,
        "U" => Op::Until,
        "R" => Op::Release,
        "W" => Op::WeakUntil,
        "M" => Op::StrongRelease,
        other => {
            return Err(format!(
                "`{other}` is no operator; known are ap, true, false, not, and, or, implies, equiv, \
                 xor, X, F, G, U, R, W, M"
            ));
        }
    };
    let number = number.trim().parse::<u32>().map_err(|e| e.to_string())?;
    Ok((op, number))
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("at least 1".to_string()),
        Ok(n) => Ok(n),
        Err(e) => Err(e.to_string()),
    }
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
        _ => Err("a number from 0 to 1".to_string()),
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Outcome {
    match &arguments.what {
        What::Formula(a) => formulas(a),
        What::Automaton(a) => automata(a),
        What::Graph(a) => graph(a),
    }
}

fn formulas(arguments: &FormulaArguments) -> Outcome {
    let mut out = arguments.output.open()?;
    let mut random = Random::new(arguments.draw.seed);
    let generator = arguments.shape.generator();
    let mut seen = HashSet::new();
    let mut printed = 0;
    let mut in_vain = 0;
    while printed < arguments.draw.count {
        let mut arena = Formulas::new();
        let f = generator.draw(&mut arena, &mut random);
        let text = print(&arena, f, arguments.syntax.into()).to_string();
        if arguments.unique && !seen.insert(text.clone()) {
            in_vain += 1;
            if in_vain > 10_000 {
                out.flush()?;
                let found = format!("found only {printed} different formulas of this shape");
                return Err(Failure::Message(found));
            }
            continue;
        }
        in_vain = 0;
        printed += 1;
        writeln!(out, "{text}")?;
    }
    out.flush()?;
    Ok(Answer::Yes)
}

fn automata(arguments: &AutomatonArguments) -> Outcome {
    let mut out = Printer::new(arguments.output.open()?, arguments.format);
    let mut random = Random::new(arguments.draw.seed);
    out.header(&["name"], &[])?;
    for number in 1..=arguments.draw.count {
        let mut alphabet = Alphabet::new();
        let variables: Vec<u32> = (0..arguments.propositions)
            .map(|i| alphabet.declare(&format!("p{i}")))
            .collect();
        let mut shape =
            RandomAutomaton::generalized_buchi(arguments.states, &variables, arguments.sets);
        shape.density = arguments.density;
        shape.mark_probability = arguments.marks;
        shape.deterministic = arguments.deterministic;
        shape.complete = arguments.complete;
        shape.state_acceptance = arguments.state_acceptance;
        if arguments.any_acceptance {
            shape = shape.with_random_acceptance(&mut random);
        }
        let mut a = shape.generate(&mut random, &mut alphabet.bdds);
        a.name = Some(format!("random {}.{number}", arguments.draw.seed));
        if arguments.format.is_table() {
            let mut columns = vec![("name".to_string(), json!(a.name))];
            columns.extend(printer::measures(&mut alphabet, &a, arguments.format));
            out.row(&columns)?;
        } else {
            out.write(&mut alphabet, &a, None)?;
        }
    }
    out.finish(true)?;
    Ok(Answer::Yes)
}

fn graph(arguments: &GraphArguments) -> Outcome {
    let parameters = RandomGraph {
        states: arguments.states as usize,
        density: arguments.density,
        propositions: (0..arguments.propositions)
            .map(|i| format!("p{i}"))
            .collect(),
        truth: arguments.truth,
        marks: arguments.sets,
        mark_probability: arguments.marks,
    };
    let mut graph = random_graph(&mut Random::new(arguments.seed), &parameters);
    graph.name = format!("random {}", arguments.seed);
    let text = match arguments.format {
        GraphFormat::Graph => write_graph(&graph),
        GraphFormat::Hoa => write_kripke(&graph),
    };
    let mut out = arguments.output.open()?;
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(Answer::Yes)
}
