use super::*;
use crate::op::Op;
use crate::print::{Syntax, print};

fn spot(text: &str) -> String {
    spot_with(text, None)
}

fn spot_with(text: &str, known: Option<&dyn Fn(&str) -> bool>) -> String {
    let mut arena = Formulas::new();
    let options = ParseOptions { exact: true, known };
    match parse(&mut arena, text, &options) {
        Ok(read) => print(&arena, read.formula, Syntax::Spot).to_string(),
        Err(errors) => panic!("{text}: {errors:?}"),
    }
}

/// `column: message` of each error.
fn complaints(text: &str) -> Vec<String> {
    let mut arena = Formulas::new();
    let errors = parse(&mut arena, text, &ParseOptions::default()).expect_err(text);
    assert!(arena.names().is_empty(), "the arena was touched");
    let source = sempre_base::Source::new("t", text);
    let line = |d: &Diagnostic| {
        assert!(!source.render(d).to_string().is_empty());
        format!("{}: {}", source.line_column(d.span.start).1, d.message)
    };
    errors.iter().map(line).collect()
}

#[test]
fn precedences_and_associativity() {
    for (given, wanted) in [
        ("a -> b -> c", "a -> (b -> c)"),
        ("a <-> b -> c", "a <-> (b -> c)"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("a | b xor c & d U e", "a | (b xor (c & (d U e)))"),
        ("a U b & c | d -> e", "(((a U b) & c) | d) -> e"),
        ("a xor b xor c", "(a xor b) xor c"),
        ("a U b R c", "a U (b R c)"),
        ("a W b M c V d", "a W (b M (c R d))"),
        ("!a U X b", "!a U Xb"),
        ("G F a & b", "GFa & b"),
        ("a & b & c | d | e", "(a & b & c) | d | e"),
        ("(a & b) & c", "(a & b) & c"),
        ("F 0 | X(1)", "F(0) | X(1)"),
        ("a^b", "a xor b"),
    ] {
        assert_eq!(spot(given), wanted, "{given}");
        assert_eq!(spot(wanted), wanted);
    }
}

#[test]
fn the_syntaxes_are_one() {
    let wanted = "G(a -> F(!b U Xc)) & (1 | 0)";
    for text in [
        "G(a -> F(!b U X c)) & (1 | 0)",
        "[](a -> <>(!b U Xc)) && (true || false)",
        "[] (a --> <> (~b U () c)) /\\ (tt \\/ ff)",
        "□(a → ◇(¬b 𝒰 ○c)) ∧ (⊤ ∨ ⊥)",
        "□ (a ⇒ ♢(¬b U ◯ c)) ∧ (TRUE ∨ False)",
    ] {
        assert_eq!(spot(text), wanted, "{text}");
    }
    assert_eq!(spot("a <=> b ↔ c ⇔ d"), "a <-> (b <-> (c <-> d))");
}

#[test]
fn glued_operators() {
    for (given, wanted) in [
        ("GFa", "GFa"),
        ("GF a", "GFa"),
        ("GF!a", "GF!a"),
        ("GF(a)", "GFa"),
        ("XXX(a)U b", "XXXa U b"),
        ("X1", "X(1)"),
        ("GF0", "GF(0)"),
        ("FGp0 U Xq.r", "FGp0 U Xq.r"),
        ("Gate.open", "Gate.open"),
        ("GF Busy", "GF Busy"),
        ("GFA", "GFA"),
        ("G_x & FG", "G_x & \"FG\""),
        ("Gx[1] <= 2", "G\"x[1] <= 2\""),
        ("F2 <= x", "F\"2 <= x\""),
        ("aUb", "aUb"),
        ("False | FALSE", "0 | 0"),
    ] {
        assert_eq!(spot(given), wanted, "{given}");
    }
    // Without a model `Gate.open` is an operator and a name.
    let mut arena = Formulas::new();
    let f = parse(&mut arena, "Gate.open", &ParseOptions::default())
        .unwrap()
        .formula;
    assert_eq!(arena.op(f), Op::Globally);
    let warned = parse(&mut arena, "aUb", &ParseOptions::default()).unwrap();
    assert_eq!(warned.warnings.len(), 1);
}

#[test]
fn declared_names_win() {
    let known = |name: &str| ["X", "U", "F", "GFa", "Gate", "x", "tt"].contains(&name);
    let read = |text: &str| spot_with(text, Some(&known));
    for (given, wanted) in [
        ("Gate.open", "\"Gate.open\""),
        ("GFa", "\"GFa\""),
        ("GFx", "GFx"),
        ("GFy", "\"GFy\""),
        ("GF y", "GFy"),
        ("G {y > 1}", "G\"y > 1\""),
        ("X U U", "\"X\" U \"U\""),
        ("x U X", "x U \"X\""),
        ("X X", "X\"X\""),
        ("G(U -> F F)", "G(\"U\" -> F\"F\")"),
        ("X & tt", "\"X\" & \"tt\""),
        ("X (x)", "Xx"),
        ("x U x", "x U x"),
        ("U == 1 U X <= U", "\"U == 1\" U \"X <= U\""),
    ] {
        assert_eq!(read(given), wanted, "{given}");
    }
}

#[test]
fn propositions_in_the_terms_of_a_model() {
    for (given, wanted) in [
        ("P_0.CS", "P_0.CS"),
        ("P_0@CS", "\"P_0@CS\""),
        ("G !P[1] @ CS", "G!\"P[1]@CS\""),
        ("pos[1] < 2", "\"pos[1] < 2\""),
        ("x[2] != 5 U y", "\"x[2] != 5\" U y"),
        ("P_0 == \"CS\"", "\"P_0 == 'CS'\""),
        (
            "F{P_0->x == 3  and P_1.wait}",
            "F\"P_0->x == 3 and P_1.wait\"",
        ),
        ("\"a\" & {a} & a", "a & a & a"),
        ("t\\[1\\]!=0", "\"t[1] != 0\""),
        ("P\\.x", "P.x"),
        ("P\\-x & P\\-x == 1", "\"P-x\" & \"'P-x' == 1\""),
        ("p1+p2<=q", "\"p1 + p2 <= q\""),
        ("!x == 3", "!\"x == 3\""),
        ("X == 3 & G + F < 2", "\"X == 3\" & \"G + F < 2\""),
        ("X X == 3", "X\"X == 3\""),
        ("x == U U U == x", "\"x == U\" U \"U == x\""),
        ("tokens(p1, p2) <= 3", "\"tokens(p1, p2) <= 3\""),
        ("G fireable(t1,t2)", "G\"fireable(t1, t2)\""),
        ("Gfireable(t1)", "G\"fireable(t1)\""),
        ("((2) <= (a + b))", "\"2 <= a + b\""),
        ("(a) -> (b)", "a -> b"),
        ("(((a)) + 1) >= -2", "\"a + 1 >= -2\""),
        ("x < 1 <-> y > 2", "\"x < 1\" <-> \"y > 2\""),
        ("a<->b", "a <-> b"),
        ("x ≤ 3 ∧ y ≠ 2", "\"x <= 3\" & \"y != 2\""),
        ("true == 1", "\"true == 1\""),
        ("1 <= x", "\"1 <= x\""),
        ("x == 1U y == 2", "\"x == 1\" U \"y == 2\""),
        ("x[y + 1].z", "\"x[y + 1].z\""),
    ] {
        assert_eq!(spot(given), wanted, "{given}");
        assert_eq!(spot(wanted), wanted, "{given}");
    }
    let mut arena = Formulas::new();
    for text in [
        "P_1!='p9'",
        "\"P_1!='p9'\"",
        "{ P_1 != \"p9\" }",
        "(P_1) != \"p9\"",
    ] {
        parse(&mut arena, text, &ParseOptions::default()).unwrap();
    }
    assert_eq!(arena.names(), ["P_1 != \"p9\""]);
}

#[test]
fn words_for_connectives() {
    for (given, wanted) in [
        ("a && (not b)", "a & !b"),
        ("not(a) and not not b or c", "(!a & !!b) | c"),
        ("a imply b implies {c}", "a -> (b -> c)"),
        ("and U or", "and U or"),
        ("not U not", "not U not"),
        ("F not & or and and", "Fnot & or & and"),
        ("not == 1 and or < 2", "\"not == 1\" & \"or < 2\""),
    ] {
        assert_eq!(spot(given), wanted, "{given}");
        assert_eq!(spot(wanted), wanted);
    }
}

#[test]
fn wrings_values() {
    assert_eq!(spot("p=1U(q=0Ur = 1)"), "p U (!q U r)");
    assert_eq!(spot("G(F(p=1))->p=0"), "GFp -> !p");
    assert_eq!(spot("F(p)UG(q)R\"r\"MFs"), "Fp U (Gq R (r M Fs))");
    let known = |_: &str| true;
    let model = ParseOptions {
        exact: true,
        known: Some(&known),
    };
    assert!(parse(&mut Formulas::new(), "p=1", &model).is_err());
    assert_eq!(complaints("p=1+q"), ["2: `=` is not a comparison"]);
    assert_eq!(complaints("p=2"), ["2: `=` is not a comparison"]);
}

#[test]
fn spans_and_numbers_of_propositions() {
    let mut arena = Formulas::new();
    let text = "b U GFa -> x == 3 & b";
    let read = parse(&mut arena, text, &ParseOptions::default()).unwrap();
    let seen: Vec<_> = read
        .propositions
        .iter()
        .map(|&(n, s)| (arena.name(n), &text[s.start..s.end]))
        .collect();
    assert_eq!(
        seen,
        [("b", "b"), ("a", "a"), ("x == 3", "x == 3"), ("b", "b")]
    );
}

#[test]
fn mistakes() {
    for (text, wanted) in [
        ("", &["1: there is no formula here"][..]),
        ("G (a -> )", &["9: expected a formula, found `)`"]),
        (
            "a &",
            &["4: expected a formula, found the end of the formula"],
        ),
        ("& a", &["1: expected a formula, found `&`"]),
        ("((a & b)", &["1: this parenthesis is never closed"]),
        ("a)", &["2: there is no `(` for this `)`"]),
        ("a b", &["3: expected an operator, found `b`"]),
        ("x = 3", &["3: `=` is not a comparison"]),
        ("x + 3", &["1: a sum is not a formula"]),
        ("7", &["1: a number is not a formula"]),
        ("a < b < c", &["7: comparisons cannot be chained"]),
        (
            "(a & b) == c",
            &["9: a comparison needs a term on its left"],
        ),
        ("f(a U b) & c", &["5: expected `,` or `)`, found `U`"]),
        ("x[ & a", &["4: expected a name or a number, found `&`"]),
        ("a & \"b", &["5: this quotation mark is never closed"]),
        ("a & {b", &["5: this brace is never closed"]),
        (
            "a & ? & b",
            &[
                "5: `?` has no meaning in a formula",
                "7: expected a formula, found `&`",
            ],
        ),
        (
            "(a &) | (b c",
            &[
                "5: expected a formula, found `)`",
                "9: this parenthesis is never closed",
                "12: expected an operator, found `c`",
            ],
        ),
        ("\"\"", &["1: this proposition has no text"]),
        ("== 3", &["1: expected a formula, found `==`"]),
    ] {
        assert_eq!(complaints(text), wanted, "{text}");
    }
}

#[test]
fn helpful_words() {
    let help = |text: &str| {
        let errors = parse(&mut Formulas::new(), text, &ParseOptions::default()).unwrap_err();
        errors[0].help.clone().unwrap_or_default()
    };
    assert!(help("x = 3").contains("`==`"));
    assert!(help("a AND b").contains("`&`"));
    assert!(help("a U").contains("operand"));
    assert!(help("a & U").contains("quotes"));
    assert!(help("(a | b) == c").contains("`<->`"));
}

#[test]
fn operators_of_other_logics_are_refused_where_they_are_used() {
    for (text, column, word, help) in [
        ("O(b)", 1, "O", "`O(b)` is a proposition"),
        ("G(a -> O b)", 8, "O", "`!b W a`"),
        ("Y(b)", 1, "Y", "past operators"),
        ("H(b & c)", 1, "H", "past operators"),
        ("a S b", 3, "S", "past operators"),
        ("S(a, b)", 1, "S", "`S(a, b)` is a proposition"),
        ("a since b", 3, "since", "past operators"),
        ("AG(EF a)", 1, "AG", "instead of an outermost `AG`"),
        ("G(a -> EF b)", 8, "EF", "`G !p` is violated"),
        ("AG EF a", 1, "AG", "all runs"),
        ("A G a", 1, "A", "all runs"),
        ("A(a U b)", 1, "A", "all runs"),
        ("E[a U b]", 1, "E", "all runs"),
        ("E(F a)", 1, "E", "all runs"),
        ("next(b)", 1, "next", "`X`"),
        ("G(a -> next b)", 8, "next", "`X`"),
        ("next(a & b)", 1, "next", "`X`"),
        ("always p", 1, "always", "`G`"),
        ("always(p)", 1, "always", "`G`"),
        ("never p", 1, "never", "`G !`"),
        ("eventually! p", 1, "eventually", "`F`"),
        ("eventually(p)", 1, "eventually", "`F`"),
        ("a until b", 3, "until", "`U`"),
        ("a until! b", 3, "until", "`U`"),
        ("until(a, b)", 1, "until", "`U`"),
        ("a s_until b", 3, "s_until", "`U`"),
        ("nexttime a", 1, "nexttime", "`X`"),
        ("a before b", 3, "before", "`!b W (a & !b)`"),
        ("a -> s_eventually b", 6, "s_eventually", "`F`"),
        ("X[2] a", 1, "X", "`X X a`"),
        ("G[0,5] a", 1, "G", "`X(a & X a)`"),
    ] {
        let errors = parse(&mut Formulas::new(), text, &ParseOptions::default()).expect_err(text);
        let d = &errors[0];
        assert!(d.span.start == column - 1, "{text}: {errors:?}");
        let named = d.message.starts_with(&format!("`{word}` "));
        assert!(
            named && d.help.as_ref().is_some_and(|h| h.contains(help)),
            "{text}: {errors:?}"
        );
        // The text behind it is read as if the operator were a supported one.
        let ours = |d: &Diagnostic| {
            !d.message.contains(" is an operator of ") && !d.message.contains("bounds")
        };
        assert!(
            !errors.iter().any(ours) || text.contains('!'),
            "{text}: {errors:?}"
        );
    }
    let many = complaints("AG(EF a) & (b since");
    assert_eq!(many.len(), 4, "{many:?}");
    for text in ["{a;b}|->c", "a |=> b", "{a}[]->b"] {
        let errors = parse(&mut Formulas::new(), text, &ParseOptions::default()).unwrap_err();
        let help = errors[0].help.as_deref().unwrap_or_default();
        assert!(help.contains("sequences of PSL"), "{text}: {errors:?}");
    }
}

#[test]
fn innocent_names_stay_propositions() {
    for (given, wanted) in [
        ("G(S -> F next)", "G(S -> Fnext)"),
        ("O & H | !Y", "(O & H) | !Y"),
        ("always U never", "always U never"),
        ("S U T", "S U T"),
        ("next == 3", "\"next == 3\""),
        ("next(x) == 3", "\"next(x) == 3\""),
        ("A(1) & !E(2)", "\"A(1)\" & !\"E(2)\""),
        ("A(1, 2)", "\"A(1, 2)\""),
        ("P(a) & f(O)", "\"P(a)\" & \"f(O)\""),
        ("H[1] & O.x", "\"H[1]\" & O.x"),
        ("E[i] == 1", "\"E[i] == 1\""),
        ("X[2] & a", "\"X[2]\" & a"),
        ("\"O(b)\" & {next(b)}", "\"O(b)\" & \"next(b)\""),
        ("'AG(EF a)'", "\"AG(EF a)\""),
        ("O and S or H", "(O & S) | H"),
        ("G before", "Gbefore"),
        ("until", "until"),
    ] {
        assert_eq!(spot(given), wanted, "{given}");
    }
    // Names declared by a model are propositions.
    let known = |name: &str| matches!(name, "O" | "next" | "S" | "A" | "a" | "b");
    let read = |text: &str| spot_with(text, Some(&known));
    assert_eq!(read("O(b) & next(a)"), "\"O(b)\" & \"next(a)\"");
    assert_eq!(read("S(a, b) U A(b)"), "\"S(a, b)\" U \"A(b)\"");
    let options = ParseOptions {
        exact: true,
        known: Some(&known),
    };
    assert!(parse(&mut Formulas::new(), "H(b)", &options).is_err());
}

#[test]
fn depth_is_limited_without_overflow() {
    let n = 100_000;
    for text in [
        "!".repeat(n) + "a",
        "X ".repeat(n) + "a",
        "a U ".repeat(n) + "a",
        "a -> ".repeat(n) + "a",
        "a xor ".repeat(n) + "a",
        "(a & ".repeat(n) + "a" + &")".repeat(n),
        "(".repeat(n),
        "(".repeat(n) + "x" + &")".repeat(n) + " == 1",
        "-".repeat(n) + "x == 1",
        "x[".repeat(n),
        "f(".repeat(n),
        "((a)+".repeat(n),
        "and ".repeat(n),
        "not ".repeat(n),
        "a=1U".repeat(n),
        "X ".repeat(n) + "and ",
        "O(".repeat(n),
        "S(a, ".repeat(n),
        "A[".repeat(n),
        "always ".repeat(n) + "a",
        "a S ".repeat(n) + "a",
        "F[1] ".repeat(n) + "a",
    ] {
        let errors = complaints(&text);
        assert!(!errors.is_empty() && errors.len() <= MAX_ERRORS);
    }
    let mut arena = Formulas::new();
    let options = ParseOptions::default();
    assert!(parse(&mut arena, &("a & ".repeat(n) + "b"), &options).is_ok());
    assert!(parse(&mut arena, &("!".repeat(3999) + "b"), &options).is_ok());
    assert!(parse(&mut arena, &("a U ".repeat(3999) + "b"), &options).is_ok());
    let errors = parse_lbt(&mut arena, &("! ".repeat(n) + "p0"), &options).unwrap_err();
    assert_eq!(errors.len(), 1);
}

#[test]
fn much_noise_ends_in_few_diagnostics() {
    let mut r = sempre_base::Random::new(5);
    let pieces = [
        "a ", "(", ")", "& ", "U ", "[", "]", "x+", "<=", "!", "\\", "é", "?", "- ", "G",
    ];
    let noise: String = (0..500_000).map(|_| *r.pick(&pieces)).collect();
    for text in [
        noise.clone(),
        "((".to_string() + &noise,
        "a ".repeat(500_000),
    ] {
        assert!(complaints(&text).len() <= MAX_ERRORS);
    }
}

#[test]
fn lbt() {
    let mut arena = Formulas::new();
    let mut read = |text: &str| {
        let options = ParseOptions {
            exact: true,
            known: None,
        };
        parse_lbt(&mut arena, text, &options)
            .map(|p| print(&arena, p.formula, Syntax::Spot).to_string())
            .map_err(|e| format!("{}: {}", e[0].span.start, e[0].message))
    };
    assert_eq!(read("G i p0 F p1").unwrap(), "G(p0 -> Fp1)");
    assert_eq!(
        read("& ! p0 | t ^ f e \"a b\" V p1 M p2 W p3 U x y").unwrap(),
        "!p0 & (1 | (0 xor (\"a b\" <-> (p1 R (p2 M (p3 W (x U y)))))))"
    );
    assert_eq!(read("&p0p1").unwrap_err(), "0: `&` lacks 1 operand");
    assert_eq!(
        read("p0 p1").unwrap_err(),
        "3: the formula is complete before `p1`"
    );
    assert_eq!(read("").unwrap_err(), "0: there is no formula here");
    assert_eq!(read("U").unwrap_err(), "0: `U` lacks 2 operands");
    assert_eq!(
        read("! ? ").unwrap_err(),
        "2: `?` has no meaning in prefix syntax"
    );
    assert_eq!(
        read("\"a").unwrap_err(),
        "0: this quotation mark is never closed"
    );
}

#[test]
fn token_soup_does_not_panic_and_what_is_read_is_a_fixed_point() {
    let pieces = [
        "a", "b1", "X", "F", "G", "U", "R", "V", "W", "M", "xor", "GFa", "0", "1", "17", "true",
        "(", ")", "()", "[]", "<>", "[", "]", "{", "}", "\"", "'", "\"q r\"", "{x  y}", "\\",
        "\\[", "\\]", "\\.", ".", ",", "+", "-", "==", "!=", "<", "<=", ">", ">=", "=", "!", "~",
        "&", "&&", "|", "->", "<->", "-->", "¬", "∧", "𝒰", "○", "é", "🦀", "\u{0}", "\n", " ", " ",
        " ", " ", "#", "i", "e", "t", "f", "p0", "^", ":", "not", "and", "or", "=1U", "=0", "O",
        "S", "AG", "next", "until", "O(", "S(a,", "F[",
    ];
    let mut r = sempre_base::Random::new(11);
    let known = |name: &str| matches!(name, "X" | "U" | "a" | "GFa");
    let mut read = 0;
    for round in 0..60_000 {
        let text: String = (0..r.below(14)).map(|_| *r.pick(&pieces)).collect();
        let options = ParseOptions {
            exact: round % 2 == 0,
            known: (round % 3 == 0).then_some(&known),
        };
        let mut arena = Formulas::new();
        let _ = parse_lbt(&mut arena, &text, &options);
        let _ = parse_list(&mut arena, &text, &options);
        let source = sempre_base::Source::new("soup", &text);
        match parse(&mut arena, &text, &options) {
            Ok(p) => {
                read += 1;
                for (_, span) in p.propositions {
                    assert!(text.get(span.start..span.end).is_some());
                }
                let shown = print(&arena, p.formula, Syntax::Spot).to_string();
                let plain = ParseOptions {
                    known: None,
                    ..options
                };
                let again = parse(&mut arena, &shown, &plain).map(|q| q.formula);
                assert_eq!(again, Ok(p.formula), "{text:?} printed as {shown:?}");
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                errors
                    .iter()
                    .for_each(|d| drop(source.render(d).to_string()));
            }
        }
    }
    assert!(read > 1000, "only {read} texts were formulas");
}

/// The formula lists of the literature, and propositions as LTSmin's users write them.
#[test]
#[ignore = "set SEMPRE_DATA to the folder of models and known answers"]
fn published_formulas_are_read() {
    let random = test_data::text("formulas/random-1000.ltl");
    let mut arena = Formulas::new();
    let exact = ParseOptions {
        exact: true,
        known: None,
    };
    // The nets have a place `Forks_1`, which without a model is `F orks_1`.
    let known = |name: &str| name.starts_with("Forks_");
    let model = ParseOptions {
        exact: true,
        known: Some(&known),
    };
    let lists = [
        "dwyer-55",
        "etessami-holzmann-12",
        "liberouter-55",
        "families",
        "random-nox-500",
    ];
    let lists = lists.map(|n| test_data::text(&format!("formulas/{n}.ltl")));
    for line in random.lines().chain(lists.iter().flat_map(|l| l.lines())) {
        let f = parse(&mut arena, line, &exact).unwrap().formula;
        // Spot printed the lists, so this compares the printers.
        assert_eq!(print(&arena, f, Syntax::Spot).to_string(), line);
    }
    for line in test_data::text("emptchk/formulae.ltl").lines() {
        assert!(parse(&mut arena, line, &exact).is_ok(), "{line}");
    }
    for (name, given, norm) in [
        ("tacas14/formulas.tsv", 2, 3),
        ("mcc2015/formulas.tsv", 3, 4),
    ] {
        for line in test_data::text(name).lines().skip(1) {
            let columns: Vec<&str> = line.split('\t').collect();
            let f = parse(&mut arena, columns[given], &model).unwrap().formula;
            let g = parse(&mut arena, columns[norm], &model).unwrap().formula;
            // The second spelling has quotes around all names of states.
            let text = |f| print(&arena, f, Syntax::Spot).to_string().replace('\'', "");
            // Fireability is spelled `action == "t"` in one of them, `fireable(t)` in the other.
            if !columns[norm].contains("fireable") {
                assert_eq!(text(f), text(g));
            }
        }
    }
}
