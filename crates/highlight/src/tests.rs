//! The colours of two dozen languages, and properties of all texts.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// A text with its colours: `‹k fn›` stands for a piece of the class with that short name.
fn shown(highlighter: &mut Highlighter, text: &str, language: Language<'_>) -> String {
    let colours = highlighter.colours(text, language, || false).unwrap();
    let show = |piece: Piece<'_>| match piece.class {
        Some(class) => format!("‹{} {}›", class.short_name(), piece.text),
        None => piece.text.to_owned(),
    };
    let line = |(number, line)| pieces(line, colours.line(number), &[]).into_iter().map(show).collect::<String>();
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// The text without the marks of its classes.
fn unmarked(shown: &str) -> String {
    let mut parts = shown.split('‹');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + &part[2..].replacen('›', "", 1))
}

#[test]
fn each_language_has_its_colours() {
    let mut highlighter = Highlighter::new();
    for (name, want) in LANGUAGES {
        let text = unmarked(want);
        assert_eq!(shown(&mut highlighter, &text, Language::OfFile(name)), want, "{name}");
    }
}

#[test]
fn the_language_is_found_by_name_extension_and_first_line() {
    let highlighter = Highlighter::new();
    let cases = [
        ("main.rs", "", Some("Rust")),
        ("MAIN.RS", "", Some("Rust")),
        ("a.b.c.py", "", Some("Python")),
        ("x.html.erb", "", Some("HTML (Rails)")),
        ("CMakeLists.txt", "", Some("CMake")),
        ("Makefile", "", Some("Makefile")),
        (".gitignore", "", Some("Git Ignore")),
        (".bashrc", "", Some("Bourne Again Shell (bash)")),
        ("Cargo.toml.orig", "", Some("TOML")),
        ("main.rs~", "", Some("Rust")),
        ("a.mjs", "", Some("JavaScript")),
        ("a.h", "", Some("C++")),
        ("a.fs", "", Some("F#")),
        ("run", "#!/usr/bin/env python3\n", Some("Python")),
        ("run", "#!/bin/bash\n", Some("Bourne Again Shell (bash)")),
        ("page", "<?xml version=\"1.0\"?>\n", Some("XML")),
        ("notes.txt", "#!/bin/bash\n", None),
        ("unknown", "words\n", None),
        ("", "", None),
        (".", "", None),
        ("a.", "", None),
    ];
    for (name, text, want) in cases {
        assert_eq!(highlighter.syntax_name(Language::OfFile(name), text), want, "{name:?} {text:?}");
    }
    let named = [("rust", Some("Rust")), ("JS", Some("JavaScript")), ("golang", Some("Go")), ("", None), ("no", None)];
    for (name, want) in named {
        assert_eq!(highlighter.syntax_name(Language::Named(name), "#!/bin/sh"), want, "{name}");
    }
}

#[test]
fn blocks_of_code_in_markdown_have_the_colours_of_their_language() {
    let mut highlighter = Highlighter::new();
    for want in [
        "words\n```‹l rust,ignore›\n‹k fn› ‹f a›() { ‹c /*›\n‹c */›\n```\n‹h # Heading›",
        "  ~~~ ‹l js›\n  ‹k let› a\n  ~~~",
        "```‹l unknown›\nfn a() {}\n```\n‹s `code`›",
        "```\n# no heading\n~~~\n````\n‹h # Heading›",
        "```‹l sh›\n‹f echo› a",
    ] {
        let text = unmarked(want);
        assert_eq!(shown(&mut highlighter, &text, Language::OfFile("a.md")), want);
    }
}

#[test]
fn long_lines_and_long_texts_are_plain() {
    let mut highlighter = Highlighter::new();
    let colours = |text: &str, highlighter: &mut Highlighter| {
        highlighter.colours(text, Language::OfFile("a.rs"), || false).unwrap()
    };
    let longest = format!("// {}", "ä".repeat(MAX_LINE - 3));
    let text = format!("// before\n{longest}\n{longest}x\n// after");
    let found = colours(&text, &mut highlighter);
    let ends: Vec<usize> = (0..4).map(|number| found.line(number).first().map_or(0, |span| span.end())).collect();
    assert_eq!(ends, [9, longest.len(), 0, 8]);
    let line = "// words\n";
    let many = line.repeat(MAX_TEXT / line.len());
    assert!(!colours(&many, &mut highlighter).is_plain());
    assert!(colours(&format!("{many}{line}"), &mut highlighter).is_plain());
}

#[test]
fn a_text_whose_time_is_over_has_none() {
    let mut left = 3;
    let is_over = || {
        left -= 1;
        left == 0
    };
    let outcome = Highlighter::new().colours(&"// words\n".repeat(9), Language::OfFile("a.rs"), is_over);
    assert_eq!(outcome, Err(TookTooLong));
}

#[test]
fn ends_of_lines_and_marks_of_the_order_of_bytes_have_no_colour() {
    let mut highlighter = Highlighter::new();
    let text = "\u{feff}fn a() {} // x\r\n// y\r\n";
    let want = "\u{feff}‹k fn› ‹f a›() {} ‹c // x›\n‹c // y›";
    assert_eq!(shown(&mut highlighter, text, Language::OfFile("a.rs")), want);
}

#[test]
fn the_version_names_the_parser_and_the_syntaxes_that_are_built_in() {
    let lock = include_str!("../../../Cargo.lock");
    let version = |name: &str| {
        let (_, behind) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        behind.split_once('"').unwrap().0
    };
    assert_eq!(VERSION, format!("2, syntect {}, two-face {}", version("syntect"), version("two-face")));
}

/// The parts of texts that syntaxes find.
const PIECES: [&str; 35] = [
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "#",
    "<",
    ">",
    "</script>",
    "<script>",
    "```",
    "`",
    "${",
    "}",
    "{",
    "(",
    "\\",
    "\n",
    "\r\n",
    "\r",
    " ",
    "\t",
    "fn",
    "class",
    "1.5e3",
    "ä漢👩‍🚀",
    "\0",
    "<<EOF",
    "r##\"",
    "<?php",
    "%w(",
    ":=",
    "\u{feff}",
    "\u{2028}",
    "- ",
];

/// Texts that begin and end such parts, at any place.
fn code() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..60).prop_map(|pieces| pieces.concat())
}

const NAMES: [&str; 12] =
    ["a.rs", "a.js", "a.py", "a.md", "a.c", "a.html", "a.php", "a.rb", "a.sh", "a.yaml", "a.tsx", "a.tex"];

thread_local! {
    static HIGHLIGHTER: std::cell::RefCell<Highlighter> = std::cell::RefCell::new(Highlighter::new());
}

fn colours_of(text: &str, name: &str) -> Colours {
    HIGHLIGHTER.with_borrow_mut(|highlighter| highlighter.colours(text, Language::OfFile(name), || false).unwrap())
}

/// The same texts each time. On some of them the engine runs without end, which is why the server lets a child of its own find
/// colours and ends it.
fn same_texts() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(17), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(same_texts())]

    #[test]
    fn spans_are_sorted_and_lie_within_their_lines(text in code(), name in proptest::sample::select(&NAMES[..])) {
        prop_assert!(colours_of(&text, name).fit(&text));
    }

    #[test]
    fn so_they_do_for_any_text(text in "\\PC{0,80}(\n\\PC{0,80}){0,3}", name in proptest::sample::select(&NAMES[..])) {
        prop_assert!(colours_of(&text, name).fit(&text));
    }

    #[test]
    fn any_name_of_a_file_is_answered(name in ".{0,20}") {
        HIGHLIGHTER.with_borrow(|highlighter| {
            highlighter.syntax_name(Language::OfFile(&name), "");
            highlighter.syntax_name(Language::Named(&name), "");
        });
    }
}

/// Names of files, and their contents.
const LANGUAGES: [(&str, &str); 22] = [
    (
        "a.c",
        r#"‹k #include› ‹s <stdio.h>›
‹k #define› ‹l MAX› ‹n 3›
‹c /* comment */›
‹k static int› ‹f turn›(‹k struct› gear *g, ‹t size_t› by) {
    ‹k char› *s = ‹s "t›‹l \n›‹s "›; ‹c /* two›
‹c     lines */›
    ‹k return› g->teeth * ‹n 2› + ‹s 'c'› + ‹l NULL›; ‹c // c›
}"#,
    ),
    (
        "a.cpp",
        "‹k #include› ‹s <vector>›
‹k template› <‹k typename› T> ‹k class› ‹t Gear› : ‹k public› ‹t Base› { ‹k public›: ‹k virtual› ~‹f Gear›() = ‹k default›; };
‹k namespace› ‹t x› { ‹k auto› f = [](‹k const› std::string& s) { ‹k return› ‹l nullptr›; }; }",
    ),
    (
        "a.css",
        r#"‹c /* c */›
‹a .a› > ‹g p›‹a :hover›, ‹a #id› { ‹a color›: ‹n #fff›; ‹a margin›: ‹n 1.5em› ‹l auto›; ‹a background›: ‹f url›(‹s "x"›); }
‹k @media› (‹a min-width›: ‹n 640px›) { ‹a :root› { ‹t --x›: ‹l red›; } }"#,
    ),
    (
        "a.diff",
        "diff --git a/x b/x
‹h --- a/x›
‹h +++ b/x›
‹h @@ -1,2 +1,2 @@›
 same
‹d -old›
‹i +new›",
    ),
    (
        "a.go",
        r#"‹k package› main
‹k import› ‹s "fmt"›
‹c // comment›
‹k func› (g *‹k Gear›) ‹f Turn›(by ‹t int›) (‹t string›, ‹t error›) {
	x := fmt.‹f Sprintf›(‹s "t ›‹l %d\n›‹s "›, by)
	‹k return› x, ‹l nil›
}
‹k type› ‹t Gear› ‹k struct› { N ‹t int› }"#,
    ),
    (
        "a.html",
        r#"‹g <!›‹k DOCTYPE› ‹l html›‹g >›
‹c <!-- c -->›
‹g <p› ‹a class›=‹s "a"› ‹a id›=‹s b›‹g >›Text ‹l &amp;› more‹g </p>›
‹g <script>›‹k let› x = ‹s "s"›;‹g </script>›
‹g <style>p› { ‹a color›: ‹n #fff›; }‹g </style>›"#,
    ),
    (
        "A.java",
        r#"‹k package› ‹t a›;
‹c /** Doc. @param x */›
‹a @Override›
‹k public final class› ‹t Gear›<T> ‹k extends› ‹t Base› ‹k implements› ‹t Runnable› {
    ‹k private static final int› ‹l N› = ‹n 3›;
    ‹k public void› ‹f run›() { ‹t String› s = ‹s "a"›; ‹k if› (s == ‹l null›) ‹k return›; ‹k this›.‹f go›(); }
}"#,
    ),
    (
        "a.js",
        r#"‹k import› { a } ‹k from› ‹s "./b.js"›;
‹k class› ‹t Gear› ‹k extends› ‹t Base› { #x = ‹l null›; ‹f constructor›(n) { ‹k super›(); ‹k this›.n = n; } }
‹k const› f = ‹k async› (x) => ‹s `t ›${x + ‹n 1›}‹s  end`›;
‹k function› ‹f g›(a) { ‹k return› ‹s /ab+c/›‹k g›.‹f test›(a) ? ‹l undefined› : ‹n 1.5›; } ‹c // c›"#,
    ),
    (
        "a.json",
        r#"{ ‹a "name"›: ‹s "x"›, ‹a "n"›: ‹n 1.5›, ‹a "ok"›: ‹l true›, ‹a "list"›: [‹l null›, ‹s "a›‹l \n›‹s "›] }"#,
    ),
    (
        "a.md",
        "‹h # Heading›
Some *emphasis*, **strong**, ‹s `code`› and [a link](‹s https://example.org›).

- item
1. two
> quote

```‹l rust›
‹k fn› ‹f main›() {}
```",
    ),
    (
        "a.php",
        r#"<?php
‹k namespace› ‹t A›;
‹k class› ‹t Gear› ‹k extends› ‹t Base› { ‹k public function› ‹f turn›(‹k int› $by): ?‹k string› { ‹k return› ‹s "t ›$by‹s "›; } }"#,
    ),
    (
        "a.py",
        r#"‹c #!/usr/bin/env python3›
‹c """Doc string."""›
‹a @cached›
‹k def› ‹f turn›(self, by: ‹t int› = ‹n 2›) -> ‹t str›:
    ‹c # comment›
    ‹k if not› by ‹k and› by ‹k in› [‹n 1›, ‹l None›]:
        ‹k return f›‹s "turned ›{by‹k !r›} ‹l \n›‹s "›
‹k class› ‹t Gear›(‹t Base›):
    x = ‹l True›; ‹f print›(‹k self›.x)"#,
    ),
    (
        "a.rb",
        r#"‹c # comment›
‹k class› ‹t Gear› < ‹t Base›
  ‹k attr_reader› ‹l :name›
  ‹k def› ‹f turn›(by) = ‹s "t ›#{by + ‹n 1›}‹s "›
  ‹l X› = ‹l nil›
‹k end›"#,
    ),
    (
        "a.rs",
        r#"‹c //! Doc.›
‹k use› std::fmt;
‹a #[derive(Debug, Clone)]›
‹k pub struct› ‹t Gear›<‹k 'a›> { name: &‹k 'a str›, teeth: ‹k u32› }
‹k impl› ‹t Gear›<'_> {
    ‹k pub fn› ‹f turn›(&self, by: ‹k f64›) -> ‹t Option›<‹k u32›> {
        ‹k let› text = ‹f format!›(‹s "turned ›‹l {by}\n{}›‹s "›, ‹k self›.name); ‹c // comment›
        ‹k if› by > ‹n 1.5e3› && ‹l true› { ‹k return› ‹t None›; }
        ‹t Some›(‹l MAX› ‹k as u32› + ‹n 0xFF_›‹k u32›)
    }
}
‹k const› ‹l MAX›: ‹k usize› = ‹n 3›;
‹c /* block›
‹c    comment */›"#,
    ),
    (
        "a.sh",
        r#"‹c #!/bin/sh›
‹c # comment›
‹k for› f ‹k in› ‹s "$@"›; ‹k do›
  ‹f echo› ‹s "x $›f ‹s $(›‹f date›‹s )"› | ‹f grep› -v ‹s 'a'› && ‹f exit› 1
‹k done›
‹f turn›() { ‹k return› 0; }"#,
    ),
    (
        "a.sql",
        "‹c -- comment›
‹k SELECT› name, ‹f count›(*) ‹k FROM› gears ‹k WHERE› id = ‹n 3› ‹k AND› name ‹k LIKE› ‹s 'a%'›;",
    ),
    (
        "a.toml",
        r#"‹c # comment›
[‹t package›]
‹a name› = ‹s "x"›
‹a n› = ‹n 3›
‹a ok› = ‹l true›"#,
    ),
    (
        "a.ts",
        r#"‹k interface› ‹t Gear› { name: ‹t string›; teeth?: ‹t number› }
‹k export const› ‹f f› = (x: ‹t Gear›): ‹t boolean› => x.name === ‹s 'a'›;
‹k enum› ‹t E› { A = ‹n 1› }
‹a @›‹f Component›({ selector: ‹s "x"› })"#,
    ),
    (
        "a.tsx",
        r#"‹k const› x = ‹g <p› ‹a className›=‹s "a"› ‹a onClick›={() => ‹f f›(‹n 1›)}‹g >›hi {name}‹g </p>›;"#,
    ),
    (
        "a.yaml",
        r#"‹c # comment›
‹a name›: ‹s CI›
‹l on›: [‹s push›, ‹s "pull"›]
‹a jobs›:
  - ‹a run›: ‹s echo hi›
    ‹l n›: ‹n 3›
    ‹a ok›: ‹l true›"#,
    ),
    (
        "Dockerfile",
        "‹c # comment›
‹k FROM› debian:‹t 12› ‹k AS› base
‹k RUN ›apt-get install -y git
‹k ENV ›A=b",
    ),
    (
        "script",
        "‹c #!/usr/bin/env python›
x = ‹n 1›",
    ),
];
