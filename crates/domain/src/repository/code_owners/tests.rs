//! Tests of the grammar and of which lines count.

use super::*;

const ENOUGH: u64 = 1_000_000;

fn read(text: &str) -> CodeOwners {
    CodeOwners::parse(text).unwrap()
}

/// `section:pattern:required:owners` of each line that counts for a path.
fn of(file: &CodeOwners, path: &str) -> Vec<String> {
    let required = file.required_owners_of(path, &mut Steps::new(ENOUGH)).unwrap();
    let words = |one: RequiredOwners<'_>| {
        let owners: Vec<String> = one.owners.iter().map(ToString::to_string).collect();
        format!("{}:{}:{}:{}", one.section, one.pattern, one.required, owners.join(","))
    };
    required.into_iter().map(words).collect()
}

fn problems(file: &CodeOwners) -> Vec<(usize, &str)> {
    file.problems().iter().map(|one| (one.line, one.reason.as_str())).collect()
}

#[test]
fn the_last_line_of_each_section_counts() {
    let file = read(
        "# comment\n* @admin\n*.md @docs/team one@example.com\n\n[Code][2] @all\n*.rs\nmain.rs @ann @@maintainers\n\
         ^[Extra] @eve\n*\n\n[code]\nlib.rs @bob\n",
    );
    assert!(problems(&file).is_empty(), "{:?}", file.problems());
    for (path, want) in [
        ("a.txt", vec![":*:1:@admin", "Extra:*:0:@eve"]),
        ("x/a.md", vec![":*.md:1:@docs/team,one@example.com", "Extra:*:0:@eve"]),
        ("a.rs", vec![":*:1:@admin", "Code:*.rs:2:@all", "Extra:*:0:@eve"]),
        ("main.rs", vec![":*:1:@admin", "Code:main.rs:2:@ann,@@maintainer", "Extra:*:0:@eve"]),
        ("lib.rs", vec![":*:1:@admin", "Code:lib.rs:2:@bob", "Extra:*:0:@eve"]),
    ] {
        assert_eq!(of(&file, path), want, "{path}");
    }
}

#[test]
fn an_exclusion_takes_paths_out_of_its_section() {
    let file = read("* @a\n!pom.xml\npom.xml @b\n[Ruby]\n*.rb @r\n!/config/**/*.rb\n/config/routes.rb @ops\n");
    assert_eq!(of(&file, "pom.xml"), Vec::<String>::new());
    assert_eq!(of(&file, "config/routes.rb"), [":*:1:@a"]);
    assert_eq!(of(&file, "lib/a.rb"), [":*:1:@a", "Ruby:*.rb:1:@r"]);
}

#[test]
fn escapes_and_odd_headings_are_read() {
    let file = read("\u{feff}\\#file @a\r\npath\\ with\\ spaces/ @b\r\n[ab]c @c\r\n");
    assert!(problems(&file).is_empty(), "{:?}", file.problems());
    assert_eq!(of(&file, "#file"), [r":\#file:1:@a"]);
    assert_eq!(of(&file, "path with spaces/x"), [r":path\ with\ spaces/:1:@b"]);
    assert_eq!(of(&file, "bc"), [":[ab]c:1:@c"]);
}

#[test]
fn broken_lines_are_told_with_their_reasons() {
    let file = read(
        "a\nb @ok # note\n[Open\n[ ]\n[N][0] @x\n^[O][2] @x\nc [d\n!e @x\n[set @x\nf @@guest @@Developers\n^[x]y @a\n",
    );
    let want = [
        (1, "the line has no owners, so that its paths need no approval"),
        (2, "“#” is not an owner"),
        (2, "“note” is not an owner"),
        (3, "the heading of a section is not closed"),
        (4, "the section has no name"),
        (5, "the number of approvals is not between 1 and 100, so that 1 is required"),
        (6, "an optional section requires no approvals, so that its number does not count"),
        (7, "“[d” is not an owner"),
        (8, "a line that excludes paths has no owners"),
        (9, "the heading of a section is not closed"),
        (10, "“@@guest” is not an owner"),
        (11, "this is no heading of a section"),
    ];
    assert_eq!(problems(&file), want);
    assert_eq!(of(&file, "b"), [":b:1:@ok"]);
}

#[test]
fn a_line_with_a_nul_is_broken() {
    let file = read("a\0 @a\n[A\0] @a\n!b\0\n#\0\nb @b\0 @c\n* @d\n");
    let reason = "the line has a NUL character";
    assert_eq!(problems(&file), [(1, reason), (2, reason), (3, reason), (5, reason)]);
    assert_eq!(of(&file, "b"), [":*:1:@d"]);
}

#[test]
fn one_who_is_named_twice_is_one_owner() {
    assert_eq!(of(&read("a @b @b b@c.d B@c.d\n"), "a"), [":a:1:@b,b@c.d"]);
}

#[test]
fn files_past_the_limits_are_refused() {
    let many = |count: usize| (0..count).map(|number| format!(" @user{number}")).collect::<String>();
    let file = read(&format!("*{}\n", many(10_000)));
    assert_eq!(problems(&file), [(1, "only the first 500 owners of a line count")]);
    assert_eq!(file.required_owners().next().unwrap().owners.len(), MAX_OWNERS_OF_LINE);
    let lines: String = (0..100).map(|_| format!("*{}\n", many(201))).collect();
    assert_eq!(CodeOwners::parse(&lines), Err(OwnersRefusal::TooManyOwners));
    assert_eq!(CodeOwners::parse(&"#\n".repeat(MAX_LINES + 1)), Err(OwnersRefusal::TooManyLines));
    assert_eq!(CodeOwners::parse(&"#".repeat(MAX_BYTES + 1)), Err(OwnersRefusal::TooLarge));
    assert_eq!(read(&"a\n".repeat(MAX_LINES)).problems().len(), MAX_PROBLEMS);
}

#[test]
fn an_excerpt_says_the_same_of_its_paths() {
    let text = "* @all\n!skip\n[A][2] @a\n*.rs\n^[B]\n*.md @b\n[b] @c\n*.txt\nnone\n";
    let file = read(text);
    let paths = ["x.rs", "y.md", "skip", "none"];
    let excerpt = file.excerpt(text, paths, &mut Steps::new(ENOUGH)).unwrap();
    assert_eq!(excerpt, "* @all\n[A][2] @a\n*.rs\n^[B]\n*.md @b\n[b] @c\nnone\n");
    let again = read(&excerpt);
    for path in ["x.rs", "y.md", "none"] {
        assert_eq!(of(&again, path), of(&file, path), "{path}");
    }
    // A section of which no line counts is left out.
    assert_eq!(file.excerpt(text, ["y.txt"], &mut Steps::new(ENOUGH)).unwrap(), "* @all\n^[B]\n[b] @c\n*.txt\n");
    assert_eq!(file.excerpt(text, ["skip"], &mut Steps::new(ENOUGH)), Ok(String::new()));
    assert_eq!(read("a @b\n").excerpt("a @b\n", ["c"], &mut Steps::new(ENOUGH)), Ok(String::new()));
}

#[test]
fn an_excerpt_is_refused_past_its_limits() {
    let text: String = (0..=MAX_TOUCHED).map(|number| format!("f{number} @a\n")).collect();
    let file = read(&text);
    let paths: Vec<String> = (0..=MAX_TOUCHED).map(|number| format!("f{number}")).collect();
    let paths = || paths.iter().map(String::as_str);
    assert_eq!(file.excerpt(&text, paths(), &mut Steps::new(1_000)), Err(OwnersRefusal::TooManySteps));
    assert_eq!(file.excerpt(&text, paths(), &mut Steps::new(u64::MAX)), Err(OwnersRefusal::TooManyTouched));
    let owners =
        |number: usize| (0..20).map(|owner| format!(" @{number}-{owner}-{}", "x".repeat(50))).collect::<String>();
    let text: String = (0..100).map(|number| format!("f{number}{}\n", owners(number))).collect();
    let paths: Vec<String> = (0..100).map(|number| format!("f{number}")).collect();
    let excerpt =
        |count| read(&text).excerpt(&text, paths.iter().take(count).map(String::as_str), &mut Steps::new(ENOUGH));
    assert!(excerpt(50).is_ok_and(|excerpt| excerpt.len() <= MAX_EXCERPT));
    assert_eq!(excerpt(100), Err(OwnersRefusal::TooLongExcerpt));
    let sections = "[Empty]\n".repeat(1_000);
    assert_eq!(read(&sections).excerpt(&sections, ["a"], &mut Steps::new(0)), Err(OwnersRefusal::TooManySteps));
}
