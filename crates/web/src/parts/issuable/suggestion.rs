//! Changes of lines that a comment proposes, as small differences in its text.

use std::time::{Duration, Instant};

use tenon_app::markdown::{SuggestedPart, suggested_parts};
use tenon_app::note::SuggestionView;

use crate::parts::diff::{DiffLine, compare, lines};

/// How long the words are compared of one suggestion at most.
const LONGEST: Duration = Duration::from_millis(20);

/// A part of the text of a comment.
pub(crate) struct NotePart {
    /// Safe HTML, made by the renderer of Markdown. Empty for a suggestion.
    pub(crate) html: String,
    pub(crate) card: Option<SuggestionCard>,
}

/// A suggestion with its lines.
pub(crate) struct SuggestionCard {
    pub(crate) id: i64,
    pub(crate) lines: Vec<DiffLine>,
    /// Why it cannot be applied, or that it is. Empty if it can.
    pub(crate) state: &'static str,
    pub(crate) is_appliable: bool,
}

/// The parts of the text of a note with suggestions. Empty if it has none: then the HTML is shown as it is. In lines that are not
/// compared until then, no words are marked.
pub(crate) fn parts(html: &str, suggestions: &[SuggestionView], compared_until: Instant) -> Vec<NotePart> {
    if suggestions.is_empty() {
        return Vec::new();
    }
    let mut place = 0;
    let part = |part: SuggestedPart<'_>| match part {
        SuggestedPart::Html(html) => plain(html),
        SuggestedPart::Suggestion(block) => {
            let found = suggestions.iter().find(|view| view.suggestion.place == place);
            place += 1;
            found.map_or_else(
                || plain(block),
                |view| NotePart { html: String::new(), card: Some(card(view, compared_until)) },
            )
        }
    };
    suggested_parts(html).into_iter().map(part).collect()
}

fn plain(html: &str) -> NotePart {
    NotePart { html: html.to_owned(), card: None }
}

fn card(view: &SuggestionView, compared_until: Instant) -> SuggestionCard {
    let proposal = &view.suggestion.proposal;
    let mut text = format!("@@ -{0} +{0} @@\n", proposal.from_line);
    for (sign, lines) in [('-', &proposal.from_content), ('+', &proposal.to_content)] {
        for line in lines.lines() {
            text.push(sign);
            text.push_str(line);
            text.push('\n');
        }
    }
    let mut shown = lines(&text);
    compare(&mut shown, compared_until.min(Instant::now() + LONGEST));
    SuggestionCard {
        id: view.suggestion.id.get(),
        lines: shown.into_iter().filter(DiffLine::is_line).collect(),
        state: if view.suggestion.is_applied() {
            "Applied"
        } else if view.suggestion.outdated {
            "Outdated: the lines have changed"
        } else if proposal.from_content == proposal.to_content {
            "Nothing to change"
        } else {
            ""
        },
        is_appliable: view.is_appliable,
    }
}

/// The block that a comment on this line begins with to propose another one.
pub(crate) fn block(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}suggestion:-0+0\n{line}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_what_the_line_has() {
        assert_eq!(block("a\r"), "```suggestion:-0+0\na\n```\n");
        assert_eq!(block("`````"), "``````suggestion:-0+0\n`````\n``````\n");
    }
}
