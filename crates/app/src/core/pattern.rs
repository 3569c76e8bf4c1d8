//! Regular expressions of administrators.

use regex::Regex;
use tenon_domain::regular_expression::{Case, compile};

/// The most bytes of a compiled expression, and of what is kept while it searches.
const COMPILED: usize = 1 << 20;

/// A regular expression in which the case of letters does not count; `None` if the text is none, or needs too much memory.
pub(crate) fn pattern(text: &str) -> Option<Regex> {
    compile(text, COMPILED, Case::Insensitive)
}

/// True if there is an expression, and it is found in `text`.
pub(crate) fn finds(expression: Option<&str>, text: &str) -> bool {
    expression.and_then(pattern).is_some_and(|expression| expression.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_bounded() {
        assert!(finds(Some("@(spam|junk)\\.test$"), "A@SPAM.test"));
        assert!(!finds(Some("("), "(") && !finds(None, "x") && !finds(Some("x{1000}{1000}"), "x"));
    }
}
