//! What the preprocessor writes, word by word.

use super::*;

fn check(text: &str, expected: &str) {
    let include = |name: &str| (name == "a.h").then(|| "#define A 5\nin A".to_string());
    let (words, diagnostics, _) = preprocess(text, &include, &Setup::default());
    assert_eq!(diagnostics, [], "{text}");
    let found: Vec<&str> = words.iter().map(|t| &*t.text).collect();
    assert_eq!(found.join(" ").trim(), expected, "{text}");
}

#[test]
fn macros_are_replaced() {
    check("#define N 3\nN+N", "3 + 3");
    check("#define f(a,b) a*b\nf(x+1, f(2,3)) f", "x + 1 * 2 * 3 f");
    check("#define f (a)\nf(b)", "( a ) ( b )");
    check("#define x x+y\n#define y x\nx", "x + x");
    check("#define cat(a,b) a ## b\ncat(u,v)", "uv");
    check("#define g() 7\ng()", "7");
    check("#define two 1 + \\\n 1\ntwo", "1 + 1");
    check("#define N 1\n#undef N\nN", "N");
    check("#include \"a.h\"\nA", "in 5 5");
    check(
        "#define t(x) f(#x)\nt(<>) t(a -  b) t(\"c\")",
        r#"f ( "<>" ) f ( "a - b" ) f ( "\"c\"" )"#,
    );
    check("#define u(x) # x #y\nu(a b)", "\"a b\" # y");
}

/// What a macro stands for is read again, with the words after it.
#[test]
fn macros_make_names_of_macros() {
    check("#define f(x) x + 1\n#define g f\ng(2) g", "2 + 1 f");
    let pick = "#define pick(a, b, c, ...) c\n#define one(x) <x>\n#define two(x, y) <x y>\n\
                #define any(...) pick(__VA_ARGS__, two, one)(__VA_ARGS__)\n";
    check(
        &format!("{pick}any(1) any(1, (2, 3))"),
        "< 1 > < 1 ( 2 , 3 ) >",
    );
    check(
        "#define f(x, ...) x(a, ## __VA_ARGS__)\nf(p) f(q, 1, 2)",
        "p ( a ) q ( a , 1 , 2 )",
    );
    check("#define none(...)\nnone() none(1) none(1, 2) x", "x");
    check(
        "#define cat(a, b) z a ## b c\ncat(, u) cat(u, ) cat(,)",
        "z u c z u c z c",
    );
    // The examples of the C standard and of Prosser's notes.
    check(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\nf(f(1))",
        "f ( 2 * ( f ( 2 * ( 1 ) ) ) )",
    );
    check(
        "#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)",
        "42",
    );
    check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    // Directives among arguments.
    check(
        "#define f(x, y) y x\na f(\n#if 1\n1,\n#else\n2,\n#endif\n#define N 3\nN) b",
        "a 3 1 b",
    );
    check(
        "#define g(x) x\n#define f g(\nf 1\n#undef g\n, 2) 3",
        "g ( 1 , 2 ) 3",
    );
    // Parentheses may be as deep as they like, but not without end.
    let deep = format!("#define f(x) x\n{}1{}", "f(".repeat(5000), ")".repeat(5000));
    assert_eq!(preprocess(&deep, &|_| None, &Setup::default()).1.len(), 1);
}

/// Files are looked for beside the file that includes them, then in the folders that are given.
#[test]
fn files_include_their_neighbours() {
    let include = |name: &str| {
        let text = match name {
            "d/a.h" => "#include \"b.h\"\n#include \"../c.h\"\na",
            "d/b.h" => "b",
            "d/../c.h" => "#include <e.h>",
            "/x/y/e.h" => "e #include \"f.h\"\n#include \"f.h\"",
            "/x/y/f.h" => "N",
            "/z" => "z",
            _ => return None,
        };
        Some(text.to_string())
    };
    let setup = Setup {
        macros: vec![
            Preset::Define("N=1 + 2".to_string()),
            Preset::Define("M".to_string()),
            Preset::Define("K".to_string()),
            Preset::Undefine("K".to_string()),
            Preset::Define("g(x)=x x".to_string()),
        ],
        folders: vec!["/x".to_string(), "/x/y/".to_string()],
    };
    let text = "#include \"d/a.h\"\n#include \"/z\"\nM K g(0)";
    let (words, diagnostics, _) = preprocess(text, &include, &setup);
    let found: Vec<&str> = words.iter().map(|t| &*t.text).collect();
    assert_eq!(
        found.join(" ").trim(),
        "b e # include \"f.h\" 1 + 2 a z 1 K 0 0"
    );
    assert_eq!(diagnostics, []);
    // Only those in quotes have a folder of their own.
    for text in ["#include \"b.h\"", "#include <d/b.h>"] {
        assert_eq!(preprocess(text, &include, &setup).1.len(), 1, "{text}");
    }
}

/// What starts a line is what starts one in the text that the C preprocessor writes.
#[test]
fn macros_start_lines_where_their_names_do() {
    let defines = "#define N 1\n#define E\n#define f(x) x y\n#define g(x) (x\n";
    for (text, starts) in [
        ("a N\nN b", &["a", "1"][..]),
        ("a\nE b\nE\nE E c", &["a", "b", "c"]),
        ("f(\nb) c\nf(N)\nf(E) d", &["b", "1", "y"]),
        ("a (\nb\n) c\nd", &["a", "d"]),
        ("g(\nb)\n) c\nd", &["(", "d"]),
        ("f\n(b)\nc f\nd", &["b", "c", "d"]),
        ("(a\ninit b", &["(", "init"]),
        ("a */\n*/ b", &["a", "b"]),
    ] {
        let text = format!("{defines}{text}");
        let all = preprocess(&text, &|_| None, &Setup::default()).0;
        let found: Vec<&str> = (all.iter())
            .filter(|t| t.starts_line && t.kind != Kind::End)
            .map(|t| &*t.text)
            .collect();
        assert_eq!(found, starts, "{text}");
    }
}

#[test]
fn conditionals_are_obeyed() {
    check("#ifdef X\na\n#else\nb\n#endif\nc", "b c");
    check(
        "#define X\n#ifndef X\na\n#ifdef X\nd\n#endif\n#elif 1\nb\n#else\nc\n#endif",
        "b",
    );
    check("#if defined(Y) || 2*3 == 6 && !0\na\n#endif", "a");
    check("#if 0\n#if 1\na\n#else\nb\n#endif\n#endif\nc", "c");
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    for (text, at) in [
        ("#ifdef X\na", "#ifdef"),
        ("#else", "else"),
        ("#endif", "endif"),
        ("#include \"b.h\"", "\"b.h\""),
        ("#include <b.h>", "<b.h>"),
        ("#include <b.h", "include"),
        ("#include b.h", "include"),
        ("#define f(a) a\nf(1,2)", "f"),
        ("#define f(a) a\nf(1", "f"),
        ("#define 3", "define"),
        ("#if (1\n#endif", "if"),
        ("#if 1/0\n#endif", "if"),
        ("#error no", "error"),
        ("#foo", "#foo"),
    ] {
        let diagnostics = preprocess(text, &|_| None, &Setup::default()).1;
        let span = diagnostics.first().expect(text).span;
        assert_eq!(&text[span.start..span.end], at, "{text}");
    }
    let bomb = "#define a b b\n#define b c c\n#define c d d d d\n".to_string();
    let words = preprocess(&(bomb + "a"), &|_| None, &Setup::default()).0;
    assert_eq!(words.len(), 17);
}
