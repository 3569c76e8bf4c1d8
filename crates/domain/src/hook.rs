//! Project hooks.

use crate::id::{HookId, ProjectId};
use crate::time::Timestamp;

/// Which happenings a hook wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HookEvents {
    /// Pushes to branches.
    pub push: bool,
    /// Issues that everyone may read.
    pub issues: bool,
    /// Confidential issues.
    pub confidential_issues: bool,
    /// Merge requests.
    pub merge_requests: bool,
    /// Pushes of tags.
    pub tag_push: bool,
    /// Comments.
    pub note: bool,
    /// Comments on confidential issues; `None` when never set.
    pub confidential_note: Option<bool>,
    /// Jobs.
    pub job: bool,
    /// Pipelines.
    pub pipeline: bool,
    /// Wiki pages.
    pub wiki_page: bool,
}

impl Default for HookEvents {
    fn default() -> Self {
        Self {
            push: true,
            issues: false,
            confidential_issues: false,
            merge_requests: false,
            tag_push: false,
            note: false,
            confidential_note: None,
            job: false,
            pipeline: false,
            wiki_page: false,
        }
    }
}

/// Where and when the server calls out for a project. The secret token is stored apart and never shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The hook's id.
    pub id: HookId,
    /// Whose hook it is.
    pub project: ProjectId,
    /// Where deliveries go.
    pub url: String,
    /// What it wants.
    pub events: HookEvents,
    /// Branches that pushes are limited to, with `*` wildcards; `None` for all.
    pub push_events_branch_filter: Option<String>,
    /// Whether the receiver's certificate is checked.
    pub enable_ssl_verification: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The longest branch filter, in characters.
const MAX_FILTER: usize = 4000;

/// Reads a branch filter: blanks are squeezed, an empty one means all branches and is kept.
///
/// # Errors
/// Where it is too long, or is no valid name of a branch with each `*` replaced by a letter.
pub fn parse_branch_filter(text: &str) -> Result<String, InvalidBranchFilter> {
    let filter = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let name = filter.replace('*', "x");
    if filter.is_empty() || (filter.chars().count() <= MAX_FILTER && is_branch_name(&name)) {
        Ok(filter)
    } else {
        Err(InvalidBranchFilter)
    }
}

/// The filter is too long or matches no possible branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Invalid branch filter given")]
pub struct InvalidBranchFilter;

/// Whether Git takes `name` as a branch (git-check-ref-format).
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

/// Whether a hook's secret token can stand in an HTTP header.
#[must_use]
pub fn is_header_safe(token: &str) -> bool {
    token.chars().all(|c| !c.is_control())
}

#[cfg(test)]
mod tests {
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
            assert_eq!(parse_branch_filter(text), want, "{text:?}");
        }
        assert_eq!(parse_branch_filter(&"a".repeat(4001)), Err(InvalidBranchFilter));
    }
}
