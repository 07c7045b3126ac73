//! Readers, constructions and writers of automata can be stopped: under a cancellation that has been requested before, none comes to
//! its end.

use sempre_base::{Cancel, Random, Stop, cancellable};
use sempre_omega::degeneralize::{Kind, degeneralize};
use sempre_omega::random::RandomAutomaton;
use sempre_omega::simplify_acceptance::simplify_acceptance;
use sempre_omega::{
    Alphabet, Automaton, HoaOptions, picture, read_hoa, read_lbtt, read_never_claims, write_hoa,
    write_lbtt, write_never_claim,
};

fn is_stopped<T>(work: impl FnOnce() -> T) -> bool {
    let stopped = Cancel::new();
    stopped.stop(Stop::Cancelled);
    matches!(cancellable(&stopped, work), Err(Stop::Cancelled))
}

/// An automaton with three sets, and a Büchi automaton for the same language.
fn automata() -> (Alphabet, Automaton, Automaton) {
    let mut alphabet = Alphabet::new();
    let propositions = [alphabet.declare("a"), alphabet.declare("b")];
    let shape = RandomAutomaton::generalized_buchi(6, &propositions, 3);
    let a = shape.generate(&mut Random::new(5), &mut alphabet.bdds);
    let buchi = degeneralize(&mut alphabet.bdds, &a, Kind::StateBased).expect("generalised Büchi");
    (alphabet, a, buchi)
}

#[test]
fn readers_have_checkpoints() {
    let (mut alphabet, a, buchi) = automata();
    let hoa = write_hoa(&mut alphabet, &a, &HoaOptions::default());
    let claim = write_never_claim(&mut alphabet, &buchi).expect("a Büchi automaton");
    let lbtt = write_lbtt(&mut alphabet, &a).expect("generalised Büchi");
    assert_eq!(read_hoa(&mut alphabet, &hoa).0.len(), 1);
    assert_eq!(read_never_claims(&mut alphabet, &claim).0.len(), 1);
    assert_eq!(read_lbtt(&mut alphabet, &lbtt).0.len(), 1);
    assert!(is_stopped(|| read_hoa(&mut Alphabet::new(), &hoa)));
    assert!(is_stopped(|| read_never_claims(
        &mut Alphabet::new(),
        &claim
    )));
    assert!(is_stopped(|| read_lbtt(&mut Alphabet::new(), &lbtt)));
}

#[test]
fn writers_have_checkpoints() {
    let (mut alphabet, a, buchi) = automata();
    let drawn = picture(&mut alphabet, &a);
    assert!(is_stopped(|| drawn.to_svg()) && is_stopped(|| drawn.to_dot()));
    assert!(is_stopped(|| picture(&mut alphabet, &a)));
    let options = HoaOptions::default();
    assert!(is_stopped(|| write_hoa(&mut alphabet, &a, &options)));
    assert!(is_stopped(|| write_never_claim(&mut alphabet, &buchi)));
    assert!(is_stopped(|| write_lbtt(&mut alphabet, &a)));
}

#[test]
fn constructions_have_checkpoints() {
    let (mut alphabet, a, _) = automata();
    let bdds = &mut alphabet.bdds;
    assert!(is_stopped(|| degeneralize(bdds, &a, Kind::TransitionBased)));
    assert!(is_stopped(|| a.clone().merge_edges(bdds)));
    assert!(is_stopped(|| simplify_acceptance(&mut a.clone())));
}
