//! The branches to whose pushes a hook is limited.

use regex::Regex;

use crate::regular_expression::{self, Case};
use crate::repository::matches_pattern;
use crate::words::words;

/// The longest branch filter, in characters.
const MAX_FILTER: usize = 4000;
/// The most bytes that a compiled regular expression takes. Each of a project's hooks may have one.
const MAX_COMPILED: usize = 1 << 18;

words! {
    /// How a branch filter is read.
    pub enum BranchFilterStrategy {
        /// It is the name of a branch, in which `*` stands for any text.
        Wildcard = "wildcard",
        /// It is a regular expression, which has to match a part of the name.
        Regex = "regex",
        /// It is not read: all branches count.
        AllBranches = "all_branches",
    }
}

impl BranchFilterStrategy {
    /// Reads a branch filter. An empty one means all branches and is kept. The blanks of a wildcard are squeezed.
    ///
    /// # Errors
    /// Fails if it is too long. A wildcard has to be a valid name of a branch with each `*` replaced by a letter, and a regular
    /// expression has to be one without look-around and back-references.
    pub fn check(self, text: &str) -> Result<String, InvalidBranchFilter> {
        let filter = match self {
            Self::Wildcard => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Self::Regex | Self::AllBranches => text.trim().to_owned(),
        };
        let is_valid = match self {
            Self::Wildcard => is_branch_name(&filter.replace('*', "x")),
            Self::Regex => compiled(&filter).is_some(),
            Self::AllBranches => true,
        };
        if filter.is_empty() || (filter.chars().count() <= MAX_FILTER && is_valid) {
            Ok(filter)
        } else {
            Err(InvalidBranchFilter)
        }
    }
}

/// The branch filter of a hook, compiled once for many pushes.
#[derive(Debug)]
pub struct BranchFilter {
    strategy: BranchFilterStrategy,
    text: String,
    pattern: Option<Regex>,
}

impl BranchFilter {
    /// The filter `text`, read by `strategy`.
    #[must_use]
    pub fn new(strategy: BranchFilterStrategy, text: &str) -> Self {
        let pattern = if strategy == BranchFilterStrategy::Regex { compiled(text) } else { None };
        Self { strategy, text: text.to_owned(), pattern }
    }

    /// True if the pushes of `branch` pass the filter.
    #[must_use]
    pub fn matches(&self, branch: &str) -> bool {
        match self.strategy {
            BranchFilterStrategy::AllBranches => true,
            BranchFilterStrategy::Wildcard | BranchFilterStrategy::Regex if self.text.is_empty() => true,
            BranchFilterStrategy::Wildcard => matches_pattern(&self.text, branch),
            BranchFilterStrategy::Regex => self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(branch)),
        }
    }
}

fn compiled(text: &str) -> Option<Regex> {
    let is_short = text.chars().count() <= MAX_FILTER;
    is_short.then(|| regular_expression::compile(text, MAX_COMPILED, Case::Sensitive)).flatten()
}

/// The filter is too long or matches no possible branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Invalid branch filter given")]
pub struct InvalidBranchFilter;

/// True if Git takes `name` as a branch (git-check-ref-format).
fn is_branch_name(name: &str) -> bool {
    let bad = |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    !name.is_empty()
        && !name.starts_with('-')
        && name != "@"
        && !name.contains("..")
        && !name.contains("@{")
        && !name.chars().any(bad)
        && !name.ends_with('.')
        && name.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !is_lock(part))
}

/// Git keeps its own lock files under such names; the ending counts in lower case only.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "Git compares it so")]
fn is_lock(part: &str) -> bool {
    part.ends_with(".lock")
}

#[cfg(test)]
mod tests {
    use super::BranchFilterStrategy::{AllBranches, Regex, Wildcard};
    use super::*;

    #[test]
    fn a_filter_is_a_branch_name_with_stars() {
        for (text, want) in [
            ("", Ok(String::new())),
            ("  ", Ok(String::new())),
            ("feature/*", Ok("feature/*".to_owned())),
            ("*-stable", Ok("*-stable".to_owned())),
            ("a b", Err(InvalidBranchFilter)),
            ("a..b", Err(InvalidBranchFilter)),
            ("~x", Err(InvalidBranchFilter)),
            ("x/", Err(InvalidBranchFilter)),
            ("-x", Err(InvalidBranchFilter)),
            ("x.lock", Err(InvalidBranchFilter)),
        ] {
            assert_eq!(Wildcard.check(text), want, "{text:?}");
        }
        for strategy in [Wildcard, Regex, AllBranches] {
            assert_eq!(strategy.check(&"a".repeat(4001)), Err(InvalidBranchFilter));
        }
    }

    #[test]
    fn a_filter_may_be_a_regular_expression_that_takes_linear_time() {
        for good in ["^(main|release/.*)$", r"^\w+/\w+-\w+$", "a{1,9}", "  "] {
            assert_eq!(Regex.check(good), Ok(good.trim().to_owned()));
        }
        for bad in ["(", "(?=a)", r"(a)\1", "a{99999}", "(((a{99}){99}){99}){99}"] {
            assert_eq!(Regex.check(bad), Err(InvalidBranchFilter), "{bad}");
        }
        assert!(!BranchFilter::new(Regex, "^(a+)+$").matches(&format!("{}!", "a".repeat(100_000))));
    }

    #[test]
    fn the_strategy_says_which_branches_count() {
        for (strategy, filter, branch, want) in [
            (Wildcard, "", "main", true),
            (Wildcard, "release/*", "release/1", true),
            (Wildcard, "release/*", "main", false),
            (Regex, "", "main", true),
            (Regex, "lease", "release/1", true),
            (Regex, "^lease", "release/1", false),
            (AllBranches, "release/*", "main", true),
        ] {
            assert_eq!(BranchFilter::new(strategy, filter).matches(branch), want, "{strategy:?} {filter} {branch}");
        }
    }
}
