//! The languages of a project.

use crate::World;

#[test]
fn languages_are_detected_by_names_and_contents() {
    let world = World::new();
    let files = [
        ("src/main.rs", "fn main() {}\n"),
        ("a.py", "import sys\n"),
        ("node_modules/x/index.js", "a();\n"),
        ("docs/x.py", "import os\n"),
        ("data.json", "{}"),
        ("x.h", "#include <iostream>\nclass A {};\n"),
    ];
    let tip = world.commit("main", "x", &files);
    let found = world.repo.languages(tip).unwrap();
    let names: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["C++", "Rust", "Python"]);
    assert!((found.iter().map(|(_, share)| share).sum::<f64>() - 100.0).abs() < 1e-9);
}

#[test]
fn what_is_no_text_and_what_is_elsewhere_is_in_no_language() {
    let world = World::new();
    let tip = world.commit_bytes("main", "x", &[(b"a.bin", b"\0\xff"), (b"\xff.rs\xff", b"fn"), (b"README", b"x")]);
    assert_eq!(world.repo.languages(tip).unwrap(), []);
}

#[test]
fn a_readme_is_prose_and_counts_for_no_language() {
    let world = World::new();
    let alone = world.commit("alone", "x", &[("README.md", "# Tool\n\nText.\n")]);
    assert_eq!(world.repo.languages(alone).unwrap(), []);
    let with_program = world.commit("main", "x", &[("README.md", "# Tool\n"), ("a.rs", "fn main() {}\n")]);
    assert_eq!(world.repo.languages(with_program).unwrap(), [("Rust".to_owned(), 100.0)]);
}
