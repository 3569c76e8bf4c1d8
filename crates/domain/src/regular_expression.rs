//! Regular expressions of users: searching takes time in proportion to the text, and memory has a bound.

use regex::{Regex, RegexBuilder};

/// If a letter matches the same letter of the other case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// It does not.
    Sensitive,
    /// It does.
    Insensitive,
}

/// A regular expression that takes `max_bytes` when compiled, and as many while it searches. `None` if the text is none, or
/// needs more. Look-around and back-references are not known.
#[must_use]
pub fn compile(text: &str, max_bytes: usize, case: Case) -> Option<Regex> {
    let mut builder = RegexBuilder::new(text);
    builder.case_insensitive(case == Case::Insensitive).size_limit(max_bytes).dfa_size_limit(max_bytes);
    builder.build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_bounded() {
        let finds = |text: &str, case| compile(text, 1 << 16, case).map(|pattern| pattern.is_match("A@SPAM.test"));
        assert_eq!(finds("@(spam|junk)\\.test$", Case::Insensitive), Some(true));
        assert_eq!(finds("@(spam|junk)\\.test$", Case::Sensitive), Some(false));
        for none in ["(", "(?=a)", r"(a)\1", "x{1000}{1000}"] {
            assert_eq!(finds(none, Case::Sensitive), None, "{none}");
        }
    }
}
