//! The texts that count as references, and those that count as mentions.

use super::{HERE, issue, label, merge_request, milestone, user};
use crate::{MAX_REFERENCES, Reference, mentions, references};

fn named(text: &str) -> Vec<Reference> {
    references(text, &HERE)
}

#[test]
fn each_form_is_found() {
    let cases: [(&str, Reference); 29] = [
        ("@bob", user("bob")),
        ("@_b.o-b_1", user("_b.o-b_1")),
        ("@group/sub/deep", user("group/sub/deep")),
        ("Thanks (@bob)!", user("bob")),
        ("ask @bob.", user("bob")),
        ("ask @bob- or not", user("bob")),
        ("ask @bob/ or not", user("bob")),
        ("_@bob_", user("bob")),
        ("#12", issue("", 12)),
        ("(#12)", issue("", 12)),
        ("--#12", issue("", 12)),
        ("__#12__", issue("", 12)),
        ("#1234567890", issue("", 1_234_567_890)),
        ("other#12", issue("other", 12)),
        ("see a/b-c/d.e#12.", issue("a/b-c/d.e", 12)),
        ("https://git.example/a/b/issues/12", issue("a/b", 12)),
        ("see https://git.example/a/b/c/-/issues/12.", issue("a/b/c", 12)),
        ("<https://git.example/a/b/issues/12>", issue("a/b", 12)),
        ("[https://git.example/a/b/issues/12 x]", issue("a/b", 12)),
        ("!3", merge_request("", 3)),
        ("a/b!3", merge_request("a/b", 3)),
        ("https://git.example/a/b/-/merge_requests/3", merge_request("a/b", 3)),
        ("~bug", label("bug")),
        ("~größer.", label("größer")),
        ("~a::b", label("a::b")),
        ("~\"two words\"", label("two words")),
        ("%1.0", milestone("1.0")),
        ("for %v2-beta, then", milestone("v2-beta")),
        ("%\"two words\"", milestone("two words")),
    ];
    for (text, reference) in cases {
        assert_eq!(named(text), [reference], "{text}");
    }
}

#[test]
fn what_only_looks_like_one_is_none() {
    let cases = [
        // Words and addresses.
        "me@example.com",
        "mail bob@localhost",
        "a@b@c",
        "@-bob",
        "@bobé",
        "@a@b",
        "@",
        "é#12",
        "_#12",
        "\\_#12",
        "\\_@bob",
        "\\_~bug",
        "me@example.com#12",
        "#12abc",
        "#12_",
        "#0",
        "#12345678901",
        "#",
        "# 12",
        "!",
        "wow!",
        "/x/#abc",
        "é#1y",
        "a~bug",
        "100%done",
        "50% of",
        "~~bug~~",
        "~ bug",
        "~\"open",
        "~\"\"",
        "~\" \"",
        "% ",
        "%%d",
        // Escaped, or made of entities.
        "\\#12",
        "\\@bob",
        "\\~bug",
        "&#12;",
        "&num;12",
        "&commat;bob",
        "#12\\_a",
        "@bob&lowbar;b",
        // Code, links and raw HTML.
        "`#12`",
        "``a ` #12``",
        "```\n#12\n```",
        "    #12",
        "[#12](/x)",
        "[a](/#12 \"#12\")",
        "![#12](/x)",
        "[#12]\n\n[#12]: /x",
        "<b title=\"#12\">x</b>",
        "<div>\n#12\n</div>",
        "<!-- #12 -->",
        "<a href=x>#12</a>",
        "<code>#12</code> x",
        "https://example.com/#12",
        // Other servers and other pages.
        "https://git.example.com/a/b/issues/12",
        "https://git.example/a/b/issues/12#note_1",
        "https://git.example/a/b/issues/12/edit",
        "https://git.example/a/b/issues",
        "https://git.example/b/issues/1",
        "[x](https://git.example/a/b/issues/12)",
        "[https://git.example/a/b/issues/1](https://git.example/a/b/issues/1)",
    ];
    for text in cases {
        assert_eq!(named(text), [], "{text}");
    }
}

#[test]
fn another_user_is_not_mentioned_where_a_name_is_escaped_in_part() {
    for text in ["@bob\\_b", "@bob\\.b", "@bob\\-b", "@bob\\@b", "~a\\_b", "%1\\.0"] {
        assert_eq!(named(text), [], "{text}");
    }
}

#[test]
fn they_come_in_the_order_of_the_text_and_once() {
    let text = "# For %1.0\n\n- @bob: #2, !1\n- #2 and **x/y#1**\n\n| ~bug | `#9` |\n|---|---|\n| a \\| #3 | @ann |\n";
    let expected = [
        milestone("1.0"),
        user("bob"),
        issue("", 2),
        merge_request("", 1),
        issue("x/y", 1),
        label("bug"),
        issue("", 3),
        user("ann"),
    ];
    assert_eq!(named(text), expected);
}

#[test]
fn they_are_found_where_the_parser_shifts_the_text() {
    assert_eq!(named("[a]: /u\n[b]: /u\ntext #1 [a]\nand `#2` #3"), [issue("", 1), issue("", 3)]);
    assert_eq!(named("- [a]: /u\n  text #1"), [issue("", 1)]);
    assert_eq!(named("[a]: /u\ntext #1\n---\n"), [issue("", 1)]);
    assert_eq!(named("&lt; #1 &amp; @a \0 #2"), [issue("", 1), user("a"), issue("", 2)]);
    assert_eq!(named("\u{feff}#1"), [issue("", 1)]);
    assert_eq!(named("a\r\n#1\r#2\n#3"), [issue("", 1), issue("", 2), issue("", 3)]);
}

#[test]
fn at_most_200_are_taken() {
    let text: String = (1..=MAX_REFERENCES + 50).map(|iid| format!("#{iid} @u{iid} ")).collect();
    assert_eq!(named(&text).len(), MAX_REFERENCES);
    assert_eq!(mentions(&text).len(), MAX_REFERENCES);
}

#[test]
fn a_text_that_is_too_long_to_be_parsed_names_nothing() {
    let long = format!("{}@bob", "é ".repeat(500_000));
    assert_eq!(named(&long), []);
    assert_eq!(mentions(&long), []);
    assert_eq!(named(&format!("{}@bob", "é ".repeat(400_000))), [user("bob")]);
}

#[test]
fn without_a_base_url_no_address_is_recognised() {
    let nowhere = crate::Options::of("");
    assert_eq!(references("https://git.example/a/b/issues/12", &nowhere), []);
    let slash = crate::Options::of("https://git.example/");
    assert_eq!(references("https://git.example/a/b/issues/12", &slash), [issue("a/b", 12)]);
}

#[test]
fn who_starts_a_line_is_addressed_directly() {
    let cases: [(&str, &[(&str, bool)]); 12] = [
        ("@a look", &[("a", true)]),
        ("look, @a", &[("a", false)]),
        ("@a @b, @c: look, cc @d", &[("a", true), ("b", true), ("c", true), ("d", false)]),
        ("@a look @b", &[("a", true), ("b", false)]),
        ("x\n@a", &[("a", true)]),
        ("x\r\n  @a", &[("a", true)]),
        ("x @a\n@b @c", &[("a", false), ("b", true), ("c", true)]),
        ("x @a\n@a", &[("a", true)]),
        ("- @a", &[("a", false)]),
        ("> @a", &[("a", false)]),
        ("#1 @a", &[("a", false)]),
        ("`x`\n@g/s", &[("g/s", true)]),
    ];
    for (text, expected) in cases {
        let found = mentions(text);
        let found: Vec<_> = found.iter().map(|mention| (mention.username.as_str(), mention.leads)).collect();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn issues_of_other_programs_are_capital_letters_and_a_number() {
    let found = |text: &str| {
        let external = |reference| match reference {
            Reference::External(name) => Some(name),
            _ => None,
        };
        named(text).into_iter().filter_map(external).collect::<Vec<_>>()
    };
    for (text, want) in
        [("ABC-12", "ABC-12"), ("see (A_B2-7).", "A_B2-7"), ("Fixes AB-1: now", "AB-1"), ("**AB-1**", "AB-1")]
    {
        assert_eq!(found(text), [want], "{text}");
    }
    for text in [
        "A-1", "abc-12", "xABC-12", "ABC-12x", "ABC-0", "ABC-", "ABC-1-2", "1.ABC-12", "/ABC-12", "AB-1/x", "AB-1.x",
        "`AB-1`",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
    assert_eq!(named("AB-1#3"), [issue("AB-1", 3)]);
    assert_eq!(named("x/AB-1#3"), [issue("x/AB-1", 3)]);
    assert_eq!(named("AB-1/x#3"), [issue("AB-1/x", 3)]);
}
