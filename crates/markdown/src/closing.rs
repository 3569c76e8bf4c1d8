//! The issues that a text closes.

use std::ops::Range;

use crate::Reference;
use crate::reference::distinct;

/// The words that close an issue, in lower case.
pub(crate) const KEYWORDS: [&str; 16] = [
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

/// The issues that `text` says it closes, each once, in its order. `places` are the references that were found in it.
pub(crate) fn closed(text: &str, places: &[(Range<usize>, Reference)]) -> Vec<Reference> {
    // The end of the reference before, and its kind.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// It is not closed.
    Other,
    /// An issue of this server, which is closed.
    Closed,
    /// An issue of another program, which is closed.
    ClosedElsewhere,
}

fn without_issue(gap: &str) -> &str {
    let trimmed = gap.trim_end_matches(BLANK);
    if trimmed.len() == gap.len() {
        return gap;
    }
    let stripped = trimmed.strip_suffix("issues").or_else(|| trimmed.strip_suffix("issue"));
    stripped.filter(|rest| rest.ends_with(BLANK)).unwrap_or(gap)
}

/// True if a keyword, an optional colon and at least one blank stand at the end of `gap`.
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

/// The text that may stand between two references of one keyword: blanks, a comma, `and`, or `, and`.
fn is_separator(gap: &str) -> bool {
    let rest = gap.trim_start_matches(BLANK);
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(BLANK);
    let rest = match rest.strip_prefix("and") {
        Some(behind) if behind.starts_with(BLANK) => behind.trim_start_matches(BLANK),
        _ => rest,
    };
    !gap.is_empty() && rest.is_empty()
}
