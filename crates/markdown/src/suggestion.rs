//! Blocks of code that propose other lines: ```` ```suggestion:-1+2 ```` for a line, one above it and two below it.

use comrak::Arena;
use comrak::nodes::NodeValue;

use crate::document::Document;
use crate::{Ends, Options};

/// A block that proposes lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    /// How many lines above the commented one it replaces.
    pub above: usize,
    /// How many lines below.
    pub below: usize,
    /// The new lines, each with its end. Empty: the lines go.
    pub text: String,
}

/// The word with which the first line of such a block begins.
const WORD: &str = "suggestion";

/// How such a block begins in HTML of this crate.
const OPENS: &str = "<pre><code class=\"language-suggestion";
/// How it ends.
const CLOSES: &str = "</code></pre>";

/// The numbers of lines above and below that the first word behind the fence of a block names, which is also its language in HTML.
/// `None` if it begins no suggestion.
fn reach(info: &str) -> Option<(usize, usize)> {
    let rest = info.split_whitespace().next()?.strip_prefix(WORD)?;
    if rest.is_empty() {
        return Some((0, 0));
    }
    let (above, below) = rest.strip_prefix(":-")?.split_once('+')?;
    // A longer number is as good as the largest one.
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(usize::MAX))
    };
    Some((number(above)?, number(below)?))
}

/// The suggestions in a text, in its order; none if finding them takes too long. In footnotes there are none: these are shown
/// in another order.
#[must_use]
pub fn suggestions(text: &str, ends: Ends<'_>) -> Vec<Proposed> {
    if !text.contains(WORD) {
        return Vec::new();
    }
    let arena = Arena::new();
    let Ok(document) = Document::parse(&arena, text, &Options { ends, ..Options::of("") }) else { return Vec::new() };
    let mut found = Vec::new();
    for node in document.root.descendants() {
        match &node.data().value {
            NodeValue::FootnoteDefinition(_) => return Vec::new(),
            NodeValue::CodeBlock(block) if block.fenced => {
                if let Some((above, below)) = reach(&block.info) {
                    found.push(Proposed { above, below, text: block.literal.clone() });
                }
            }
            _ => {}
        }
    }
    found
}

/// A part of a text as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuggestedPart<'h> {
    /// Balanced but for the elements that the text around a suggestion opens, such as those of a list.
    Html(&'h str),
    /// The next suggestion, as a block of code.
    Suggestion(&'h str),
}

/// The HTML of a text as [`crate::html()`] makes it, divided at its suggestions.
#[must_use]
pub fn suggested_parts(html: &str) -> Vec<SuggestedPart<'_>> {
    let (mut parts, mut rest) = (Vec::new(), html);
    while let Some((before, block, behind)) = next(rest) {
        let name = block.strip_prefix(OPENS).and_then(|name| name.split('"').next()).unwrap_or_default();
        let is_suggestion = reach(&format!("{WORD}{name}")).is_some();
        parts.push(SuggestedPart::Html(before));
        parts.push(if is_suggestion { SuggestedPart::Suggestion(block) } else { SuggestedPart::Html(block) });
        rest = behind;
    }
    parts.push(SuggestedPart::Html(rest));
    parts
}

/// The HTML before the next block that may be a suggestion, the block, and the HTML behind it.
fn next(html: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = html.split_at_checked(html.find(OPENS)?)?;
    let (block, behind) = rest.split_at_checked(rest.find(CLOSES)? + CLOSES.len())?;
    Some((before, block, behind))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::html;

    fn found(text: &str) -> Vec<(usize, usize, String)> {
        suggestions(text, Ends::NEVER).into_iter().map(|one| (one.above, one.below, one.text)).collect()
    }

    #[test]
    fn blocks_of_this_name_are_suggestions() {
        let text = "Why?\n\n```suggestion\na\n```\n\n- so\n  ````suggestion:-1+20\n  ```\n  b\n  ````\n\n~~~suggestion:-0+0\n~~~\n";
        let want = [(0, 0, "a\n".to_owned()), (1, 20, "```\nb\n".to_owned()), (0, 0, String::new())];
        assert_eq!(found(text), want);
        for none in
            ["```rust\nsuggestion\n```", "```suggestions\na\n```", "```suggestion:+1-0\na\n```", "    ```suggestion"]
        {
            assert_eq!(found(none), [], "{none}");
        }
        // Other words may follow; they say nothing.
        for (info, reach) in [("suggestion:-1+2 rust", (1, 2)), ("suggestion rust", (0, 0)), ("suggestion +1", (0, 0))]
        {
            let text = format!("```{info}\na\n```\n");
            assert_eq!(found(&text), [(reach.0, reach.1, "a\n".to_owned())], "{info}");
            let shown = html(&text, &Options::of(""), &HashMap::new());
            let is_one = |part: &SuggestedPart<'_>| matches!(part, SuggestedPart::Suggestion(_));
            assert_eq!(suggested_parts(&shown).iter().filter(|part| is_one(part)).count(), 1, "{shown}");
        }
        assert_eq!(found("```suggestion:-99999999999999999999999+0\n```")[0].0, usize::MAX);
        assert_eq!(found("a[^1]\n\n[^1]: b\n\n    ```suggestion\n    c\n    ```"), []);
    }

    #[test]
    fn the_html_is_divided_at_them() {
        let text = "a\n\n```suggestion:-0+1\n<b>\n```\n\nb\n\n```suggestions\n```\n\n```suggestion\n```\n";
        let shown = html(text, &Options::of(""), &HashMap::new());
        let parts = suggested_parts(&shown);
        let blocks = parts.iter().filter_map(|part| match part {
            SuggestedPart::Suggestion(block) => Some(*block),
            SuggestedPart::Html(_) => None,
        });
        let blocks: Vec<&str> = blocks.collect();
        assert!(blocks.len() == 2 && blocks[0].contains("&lt;b&gt;\n</code></pre>"), "{blocks:?}");
        assert_eq!(parts.first(), Some(&SuggestedPart::Html("<p>a</p>\n")), "{shown}");
        let whole: String = parts
            .iter()
            .map(|part| match part {
                SuggestedPart::Html(html) | SuggestedPart::Suggestion(html) => *html,
            })
            .collect();
        assert_eq!(whole, shown);
        // Raw HTML cannot pretend to be one.
        let forged = html("<pre><code class=\"language-suggestion\">x</code></pre>", &Options::of(""), &HashMap::new());
        assert_eq!(suggested_parts(&forged).len(), 1, "{forged}");
    }
}
