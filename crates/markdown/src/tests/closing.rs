//! The issues that a text closes.

use super::HERE;
use crate::closing::KEYWORDS;
use crate::{Reference, closes};

fn closed(text: &str) -> Vec<String> {
    let written = |reference| match reference {
        Reference::Issue { project, iid } => format!("{}#{iid}", project.unwrap_or_default()),
        Reference::External(name) => name,
        other => panic!("{other:?}"),
    };
    closes(text, &HERE).into_iter().map(written).collect()
}

#[test]
fn every_keyword_closes_in_both_cases() {
    for keyword in KEYWORDS {
        let capital = keyword[..1].to_uppercase() + &keyword[1..];
        for text in [format!("{keyword} #1"), format!("It {capital}:  #1")] {
            assert_eq!(closed(&text), ["#1"], "{text}");
        }
        assert_eq!(closed(&format!("{} #1", keyword.to_uppercase())), [""; 0]);
    }
}

#[test]
fn all_forms_and_several_references_close() {
    let cases: [(&str, &[&str]); 18] = [
        ("Closes #4, #6 and group/other#2", &["#4", "#6", "group/other#2"]),
        ("Fix: #1", &["#1"]),
        ("This relates to #17 and fixes #18, #19", &["#18", "#19"]),
        ("fixes #1 #2", &["#1", "#2"]),
        ("fixes #1, and #2,#3", &["#1", "#2", "#3"]),
        ("closes issue #1, issue #2 and issues #3", &["#1", "#2", "#3"]),
        ("Resolves issues #1", &["#1"]),
        ("(closes other#1)", &["other#1"]),
        ("Closes https://git.example/a/b/issues/3 and #4", &["a/b#3", "#4"]),
        ("Closes #1 and fixes #1, then closes #2", &["#1", "#2"]),
        ("Some title\n\nCloses #1\ncloses #2", &["#1", "#2"]),
        ("implement\t#1", &["#1"]),
        ("- un-fixes #1", &["#1"]),
        ("Closes #1 and ABC-12", &["#1", "ABC-12"]),
        ("Closes ABC-1, ABC-2", &["ABC-1", "ABC-2"]),
        ("Fix UTF-8 #12", &["UTF-8"]),
        ("Closes #1, UTF-8 and #2", &["#1", "UTF-8"]),
        ("About ABC-3, and ABC-4", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(closed(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_the_pattern_closes_nothing() {
    let cases = [
        "suffix #1",
        "_fix #1",
        "fix#1",
        "closes:#1",
        "closes :#1",
        "closes : #1",
        "closes the #1",
        "fixes\n#1",
        "closes issuesx #1",
        "`closes #1`",
        "closes `#1`",
        "closes [#1](/x)",
        "closes !1",
        "closes @a",
        "closes https://example.com/a/b/issues/3",
        "#1 and #2",
        "closes",
        "éfix #1",
        "1fix #1",
    ];
    for text in cases {
        assert_eq!(closed(text), [""; 0], "{text}");
    }
    assert_eq!(closed("closes #1 or #2"), ["#1"]);
    assert_eq!(closed("closes #1, !2, #3"), ["#1"]);
    assert_eq!(closed("closes #1\n#2"), ["#1"]);
}
