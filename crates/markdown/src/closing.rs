//! Which issues a text closes.

use std::ops::Range;

use crate::reference::distinct;
use crate::{Names, Options, Reference};

/// The words that close an issue, in lower case.
const KEYWORDS: [&str; 16] = [
    "close",
    "closes",
    "closed",
    "closing",
    "fix",
    "fixes",
    "fixed",
    "fixing",
    "resolve",
    "resolves",
    "resolved",
    "resolving",
    "implement",
    "implements",
    "implemented",
    "implementing",
];

const BLANK: [char; 2] = [' ', '\t'];

/// The issues that `text` says it closes, each once, in its order; at most [`crate::MAX_REFERENCES`]. Those of other programs
/// (`ABC-12`) are among them. Whether they exist and may be closed is for the caller to find out.
pub fn closes(text: &str, options: &Options<'_>) -> Vec<Reference> {
    Names::of(text, options).unwrap_or_default().closes().to_vec()
}

/// As [`closes`], of what was found in `text`.
pub(crate) fn closed(text: &str, places: &[(Range<usize>, Reference)]) -> Vec<Reference> {
    // Where the reference before ends, and whether it is closed.
    let mut before = (0, Before::Other);
    let closed = places.iter().filter_map(|(span, reference)| {
        let gap = without_issue(text.get(before.0..span.start).unwrap_or_default());
        let (kind, goes_on) = match reference {
            Reference::Issue { .. } => (Before::Closed, before.1 == Before::Closed),
            // `UTF-8` looks like one: what follows it needs a keyword of its own, unless it is another of them.
            Reference::External(_) => (Before::ClosedElsewhere, before.1 != Before::Other),
            Reference::MergeRequest { .. } | Reference::User(_) | Reference::Label(_) | Reference::Milestone(_) => {
                before = (span.end, Before::Other);
                return None;
            }
        };
        let closes = ends_with_keyword(gap) || (goes_on && is_separator(gap));
        before = (span.end, if closes { kind } else { Before::Other });
        closes.then_some(reference)
    });
    distinct(closed)
}

/// The reference before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// It is not closed.
    Other,
    /// An issue of this server, which is closed.
    Closed,
    /// An issue of another program, which is closed.
    ClosedElsewhere,
}

/// `gap` without the word `issue` or `issues` at its end.
fn without_issue(gap: &str) -> &str {
    let trimmed = gap.trim_end_matches(BLANK);
    if trimmed.len() == gap.len() {
        return gap;
    }
    let stripped = trimmed.strip_suffix("issues").or_else(|| trimmed.strip_suffix("issue"));
    stripped.filter(|rest| rest.ends_with(BLANK)).unwrap_or(gap)
}

/// Whether a keyword, an optional colon and at least one blank stand at the end of `gap`.
fn ends_with_keyword(gap: &str) -> bool {
    let trimmed = gap.trim_end_matches(BLANK);
    if trimmed.len() == gap.len() {
        return false;
    }
    let trimmed = trimmed.strip_suffix(':').unwrap_or(trimmed);
    let word = trimmed.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let is_keyword = KEYWORDS.iter().any(|keyword| {
        let same_start = word.get(..1).zip(keyword.get(..1)).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b));
        same_start && word.get(1..) == keyword.get(1..)
    });
    let before = trimmed.strip_suffix(word).unwrap_or_default();
    is_keyword && !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// What may stand between two references of one keyword: blanks, a comma, `and`, or `, and`.
fn is_separator(gap: &str) -> bool {
    let rest = gap.trim_start_matches(BLANK);
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(BLANK);
    let rest = match rest.strip_prefix("and") {
        Some(behind) if behind.starts_with(BLANK) => behind.trim_start_matches(BLANK),
        _ => rest,
    };
    !gap.is_empty() && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(text: &str) -> Vec<String> {
        let written = |reference| match reference {
            Reference::Issue { project, iid } => format!("{}#{iid}", project.unwrap_or_default()),
            Reference::External(name) => name,
            other => panic!("{other:?}"),
        };
        closes(text, &Options::of("https://git.example")).into_iter().map(written).collect()
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
}
