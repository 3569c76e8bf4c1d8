//! Blocks of code in Markdown, between lines of three or more backticks or tildes.
//!
//! The syntax of Markdown finds them as well. It searches for their end by a regular expression that it makes anew at each
//! word, which took 30 times as long.

use std::ops::Range;

/// The marks that begin a block of code, and end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    /// The beginning of a block on this line, and the range of the words behind it, which begin with the language.
    pub(crate) fn opened_by(line: &str) -> Option<(Self, Range<usize>)> {
        let code = line.trim_start();
        let mark = code.chars().next().filter(|first| matches!(first, '`' | '~'))?;
        let words = code.trim_start_matches(mark);
        let length = code.len() - words.len();
        // `code` within a line may have three backticks as well.
        if length < 3 || (mark == '`' && words.contains('`')) {
            return None;
        }
        let words = words.trim();
        let start = line.trim_end().len() - words.len();
        Some((Self { mark, length }, start..start + words.len()))
    }

    /// True if the block ends on this line.
    pub(crate) fn is_closed_by(self, line: &str) -> bool {
        let line = line.trim();
        let rest = line.trim_start_matches(self.mark);
        rest.is_empty() && line.len() >= self.length
    }
}

/// The language in the words behind the beginning of a block: `rust` in `rust,ignore` and in `{.rust}`.
pub(crate) fn language(words: &str) -> &str {
    let words = words.trim_start_matches(['{', '.']);
    words.split([' ', ',', '{', '}', ':']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_begins_with_three_marks_or_more() {
        let opened =
            |line: &'static str| Fence::opened_by(line).map(|(fence, words)| (fence.mark, fence.length, &line[words]));
        for (line, want) in [
            ("```", Some(('`', 3, ""))),
            ("```rust", Some(('`', 3, "rust"))),
            ("  ~~~~ rust,ignore  ", Some(('~', 4, "rust,ignore"))),
            ("~~~ a`b", Some(('~', 3, "a`b"))),
            ("```code``` in a line", None),
            ("``", None),
            ("words ```", None),
            ("", None),
        ] {
            assert_eq!(opened(line), want, "{line:?}");
        }
    }

    #[test]
    fn a_block_ends_with_as_many_marks_and_nothing_else() {
        let fence = Fence { mark: '`', length: 4 };
        for (line, want) in
            [("````", true), ("  ``````  ", true), ("```", false), ("~~~~", false), ("````rust", false), ("", false)]
        {
            assert_eq!(fence.is_closed_by(line), want, "{line:?}");
        }
    }

    #[test]
    fn the_language_is_the_first_word() {
        for (words, want) in
            [("rust", "rust"), ("rust,ignore", "rust"), ("{.rust #id}", "rust"), ("js {1}", "js"), ("", "")]
        {
            assert_eq!(language(words), want, "{words}");
        }
    }
}
