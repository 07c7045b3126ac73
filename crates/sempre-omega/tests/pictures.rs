//! Drawings of automata, measured: texts overlap neither each other nor states, and no edge crosses a text or a state that is not its own.
//! The boxes are computed from the SVG alone.

use roxmltree::{Document, Node};
use sempre_base::Random;
use sempre_omega::picture::{Arrow, Spot, stacked};
use sempre_omega::random::RandomAutomaton;
use sempre_omega::{Alphabet, Picture, picture};

/// A font of 12 pixels whose characters have one width: 0.6 em in all common ones, and lines of 14 pixels.
const CHARACTER: f64 = 0.602 * 12.0;
const LINE: f64 = 14.0;

/// A box, and what is in it, for messages.
#[derive(Clone, Debug)]
#[allow(dead_code)]
struct Area {
    what: String,
    x: (f64, f64),
    y: (f64, f64),
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        let meet = |a: (f64, f64), b: (f64, f64)| a.0 < b.1 - 0.1 && b.0 < a.1 - 0.1;
        meet(self.x, other.x) && meet(self.y, other.y)
    }

    fn contains(&self, (x, y): (f64, f64), margin: f64) -> bool {
        x > self.x.0 + margin
            && x < self.x.1 - margin
            && y > self.y.0 + margin
            && y < self.y.1 - margin
    }
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    let text = node.attribute(name).expect("the attribute is there");
    text.parse().expect("it is a number")
}

fn text_of(node: Node<'_, '_>) -> String {
    let shown =
        |n: &Node<'_, '_>| n.is_text() && n.parent().is_some_and(|p| !p.has_tag_name("title"));
    node.descendants()
        .filter(shown)
        .filter_map(|n| n.text())
        .collect()
}

type Points = Vec<(f64, f64)>;

/// What a drawing consists of.
#[derive(Default)]
struct Measured {
    /// Labels, titles, tables.
    texts: Vec<Area>,
    states: Vec<Area>,
    /// Points along each edge, with its states.
    edges: Vec<((usize, usize), Points)>,
    keys: usize,
}

fn measured(root: Node<'_, '_>) -> Measured {
    let mut out = Measured::default();
    for node in root.descendants().filter(|n| n.is_element()) {
        let group = node
            .parent()
            .and_then(|p| p.attribute("class"))
            .unwrap_or("");
        match (node.tag_name().name(), group) {
            ("text", _) => {
                let text = text_of(node);
                let width = text.chars().count() as f64 * CHARACTER;
                let (x, y) = (number(node, "x"), number(node, "y"));
                let left = match group {
                    "label right" | "table" => x,
                    "label left" => x - width,
                    _ => x - width / 2.0,
                };
                let area = Area {
                    what: text,
                    x: (left, left + width),
                    y: (y - LINE / 2.0, y + LINE / 2.0),
                };
                out.keys += usize::from(node.attribute("class") == Some("key") && group != "table");
                if group.starts_with("state") {
                    let state = out.states.last().expect("the outline comes first");
                    assert!(
                        state.contains((left, y), 0.0) && state.contains((left + width, y), 0.0),
                        "{area:?}"
                    );
                } else {
                    out.texts.push(area);
                }
            }
            // The second is the inner one of a doubled outline.
            ("rect", _) if node.prev_sibling_element().is_none() => {
                let (x, y) = (number(node, "x"), number(node, "y"));
                out.states.push(Area {
                    what: format!("state {}", out.states.len()),
                    x: (x, x + number(node, "width")),
                    y: (y, y + number(node, "height")),
                });
            }
            ("path", "edge") if node.attribute("class").is_none() => {
                let parent = node.parent().expect("a group");
                let ends = (
                    number(parent, "data-from") as usize,
                    number(parent, "data-to") as usize,
                );
                out.edges
                    .push((ends, points(node.attribute("d").expect("a way"))));
            }
            _ => {}
        }
    }
    out
}

/// Points along a path of `M`, `L` and `C`.
fn points(d: &str) -> Points {
    let mut out = Points::new();
    let starts: Vec<usize> = d
        .char_indices()
        .filter(|(_, c)| c.is_ascii_alphabetic())
        .map(|(i, _)| i)
        .collect();
    for (k, &start) in starts.iter().enumerate() {
        let end = starts.get(k + 1).copied().unwrap_or(d.len());
        let numbers: Vec<f64> = d[start + 1..end]
            .split(' ')
            .map(|n| n.parse().expect("a number"))
            .collect();
        let p: Vec<(f64, f64)> = numbers.chunks_exact(2).map(|c| (c[0], c[1])).collect();
        let from = out.last().copied().unwrap_or(p[0]);
        for i in 1..=40 {
            let t = f64::from(i) / 40.0;
            let u = 1.0 - t;
            out.push(match p[..] {
                [to] => (u * from.0 + t * to.0, u * from.1 + t * to.1),
                [a, b, to] => {
                    let mix = |f: fn((f64, f64)) -> f64| {
                        u * u * u * f(from)
                            + 3.0 * u * u * t * f(a)
                            + 3.0 * u * t * t * f(b)
                            + t * t * t * f(to)
                    };
                    (mix(|p| p.0), mix(|p| p.1))
                }
                _ => panic!("{d}"),
            });
        }
    }
    out
}

/// Checks a drawing; its measures.
fn check(svg: &str, context: &str) -> Measured {
    let document = Document::parse(svg).expect("it is XML");
    let root = document.root_element();
    let m = measured(root);
    let all: Vec<&Area> = m.texts.iter().chain(&m.states).collect();
    for (i, a) in all.iter().enumerate() {
        for b in &all[..i] {
            assert!(!a.overlaps(b), "{context}: {a:?} {b:?}\n{svg}");
        }
    }
    for ((from, to), points) in &m.edges {
        for p in points {
            for text in &m.texts {
                assert!(
                    !text.contains(*p, 0.0),
                    "{context}: {from} -> {to} crosses {text:?} in {p:?}\n{svg}"
                );
            }
            for state in &m.states {
                assert!(
                    !state.contains(*p, 5.5),
                    "{context}: {from} -> {to} crosses {state:?} in {p:?}\n{svg}"
                );
            }
        }
        let near = |state: usize, p: (f64, f64)| {
            let s = &m.states[state];
            assert!(
                s.contains(p, -0.2),
                "{context}: {from} -> {to} ends at {p:?}, not at {s:?}\n{svg}"
            );
        };
        near(*from, points[0]);
        near(*to, points[points.len() - 1]);
    }
    let view: Vec<f64> = (root.attribute("viewBox").expect("a box").split(' '))
        .map(|n| n.parse().expect("a number"))
        .collect();
    let inside = |x: f64, y: f64| {
        x >= view[0] && x <= view[0] + view[2] && y >= view[1] && y <= view[1] + view[3]
    };
    for a in &all {
        assert!(
            inside(a.x.0, a.y.0) && inside(a.x.1, a.y.1),
            "{context}: {a:?} {view:?}"
        );
    }
    for &(x, y) in m.edges.iter().flat_map(|(_, points)| points) {
        assert!(inside(x, y), "{context}: {x} {y} {view:?}");
    }
    m
}

#[test]
fn labels_of_random_automata_overlap_nothing() {
    let mut random = Random::new(7);
    let (mut numbered, mut plain) = (0, 0);
    for round in 0..400 {
        let mut alphabet = Alphabet::new();
        let names = ["p", "a > 1", "P_0.CS", "buffer[2] == full"];
        let propositions: Vec<u32> = names[..1 + random.below(4)]
            .iter()
            .map(|n| alphabet.declare(n))
            .collect();
        let states = 1 + random.below(14);
        let mut options =
            RandomAutomaton::generalized_buchi(states, &propositions, (round % 4) as u32);
        options.density = [0.1, 0.2, 0.4, 0.7, 1.0][round % 5];
        options.state_acceptance = random.chance(0.2);
        let mut a = options.generate(&mut random, &mut alphabet.bdds);
        a.name = Some("a < b & \"c\"".to_string());
        if random.chance(0.1) {
            a.state_names = vec![Some(
                "a state <with> a long & useful name, longer than most".to_string(),
            )];
        }
        let drawn = picture(&mut alphabet, &a);
        let svg = drawn.to_svg();
        assert_eq!(svg, drawn.to_svg(), "the same picture each time");
        let m = check(&svg, &format!("round {round}"));
        assert_eq!(m.states.len(), a.states());
        let mut pairs: Vec<(usize, usize)> = (a.edges.iter().enumerate())
            .flat_map(|(s, edges)| edges.iter().map(move |e| (s, e.to as usize)))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut drawn: Vec<(usize, usize)> = m.edges.iter().map(|(ends, _)| *ends).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, pairs, "each pair of states has its edge");
        match m.keys {
            0 => plain += 1,
            _ => numbered += 1,
        }
    }
    assert!(plain > 100 && numbered > 30, "{plain} {numbered}");
}

/// Pictures of other kinds: several arrows that come from nowhere with texts, states that cannot be reached, labels of many lines.
#[test]
fn labels_of_random_pictures_overlap_nothing() {
    let mut random = Random::new(11);
    for round in 0..200 {
        let count = 1 + random.below(9);
        let text = |random: &mut Random| {
            let words = ["x", "¬ready", "∧", "∨", "counter[3]", "⓿❶", "∅", "{a,b}"];
            let length = 1 + random.below(30);
            let all: Vec<&str> = (0..length)
                .map(|_| words[random.below(words.len())])
                .collect();
            all.join(" ")
        };
        let short = |random: &mut Random| text(random).chars().take(12).collect::<String>();
        let mut drawn = Picture {
            title: (0..random.below(3)).map(|_| text(&mut random)).collect(),
            ..Picture::default()
        };
        for s in 0..count {
            let begins = s == 0 || random.chance(0.2);
            let lines = (0..random.below(5)).map(|_| short(&mut random)).collect();
            drawn.spots.push(Spot {
                text: s.to_string(),
                doubled: random.chance(0.3),
                dashed: random.chance(0.1),
                initial: begins.then_some(lines),
            });
        }
        for _ in 0..random.below(4 * count) {
            drawn.arrows.push(Arrow {
                from: random.below(count) as u32,
                to: random.below(count) as u32,
                lines: vec![text(&mut random)],
            });
        }
        check(&drawn.to_svg(), &format!("round {round}"));
    }
}

/// In a large picture labels are numbers, and each has its line in the table.
#[test]
fn large_pictures_have_a_table() {
    let mut drawn = Picture::default();
    for s in 0..12u32 {
        drawn.spots.push(Spot {
            text: s.to_string(),
            initial: (s == 0).then(Vec::new),
            ..Spot::default()
        });
        for to in 0..12 {
            let lines = vec![
                format!("a rather long label, number {}", (s + to) % 5),
                "⓿".to_string(),
            ];
            drawn.arrows.push(Arrow { from: s, to, lines });
        }
    }
    let svg = drawn.to_svg();
    let m = check(&svg, "table");
    assert_eq!(m.keys, 144, "all are numbers");
    assert_eq!(
        svg.matches("a rather long label").count(),
        5,
        "equal labels have one number"
    );
    assert!(svg.contains(">[5]</text>") && !svg.contains(">[6]</text>"));
}

#[test]
fn several_pictures_are_one_document() {
    let one = Picture {
        title: vec!["first & foremost".to_string()],
        spots: vec![Spot::default()],
        ..Picture::default()
    };
    let two = Picture {
        title: vec!["second".to_string()],
        ..one.clone()
    };
    assert_eq!(
        stacked(std::slice::from_ref(&one)),
        one.to_svg(),
        "one is as it is alone"
    );
    let text = stacked(&[one.clone(), two, one]);
    let document = Document::parse(&text).expect("it is XML");
    let parts: Vec<Node<'_, '_>> = document
        .root_element()
        .children()
        .filter(|n| n.tag_name().name() == "svg")
        .collect();
    assert_eq!(parts.len(), 3);
    let mut bottom = 0.0;
    for part in parts {
        assert!(number(part, "y") >= bottom, "one below the other");
        bottom = number(part, "y") + number(part, "height");
    }
    assert!(number(document.root_element(), "height") >= bottom - 1.0);
    // Nothing at all is a document, too.
    let nothing = stacked(&[]);
    assert!(Document::parse(&nothing).is_ok());
    assert!(Document::parse(&Picture::default().to_svg()).is_ok());
}
