//! The branches to whose pushes a hook is limited.

/// The longest branch filter, in characters.
const MAX_FILTER: usize = 4000;

/// Reads a branch filter: blanks are squeezed, an empty one means all branches and is kept.
///
/// # Errors
/// Fails if it is too long, or is no valid name of a branch with each `*` replaced by a letter.
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
