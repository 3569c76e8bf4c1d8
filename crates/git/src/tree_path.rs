//! Paths inside a repository: what may be written, and what may be looked up.

use std::fmt;

use tenon_domain::direction::turns_text;

use crate::quarantine::is_ignored_by_hfs;

const LONGEST: usize = 4096;
const LONGEST_COMPONENT: usize = 255;

/// A path that the server will put into a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(String);

/// Why a path may not be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPath {
    /// It has a component `.` or `..`.
    #[error("Path cannot include directory traversal")]
    Traversal,
    /// Anything else.
    #[error("not a path of a file in a repository")]
    Malformed,
}

impl TreePath {
    /// Fails unless every client can check it out as what it says: at most 4,096 bytes, components of 1 to 255 bytes,
    /// no `.` or `..`, no control character, none that turns the direction of text, no backslash, no slash at either
    /// end, and no component that a file system takes for `.git`.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        if text.split(['/', '\\']).any(|part| part == "." || part == "..") {
            return Err(InvalidPath::Traversal);
        }
        let fine = text.len() <= LONGEST
            && !text.contains(|c: char| c.is_control() || turns_text(c) || c == '\\')
            && text.split('/').all(|part| !part.is_empty() && part.len() <= LONGEST_COMPONENT && !is_dot_git(part));
        if fine { Ok(Self(text.to_owned())) } else { Err(InvalidPath::Malformed) }
    }

    /// The whole path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The directories above it, from the top.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &str> {
        self.0.match_indices('/').filter_map(|(end, _)| self.0.get(..end))
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A path to look for. Repositories hold names that we would not write; they can still be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LookupPath(String);

impl LookupPath {
    /// `text` without slashes at its ends. `None` when no entry of a tree can have it: when it is empty, longer than 4,096
    /// bytes, has an empty component, `.` or `..`, or a NUL.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_matches('/');
        let fine = !text.is_empty()
            && text.len() <= LONGEST
            && !text.contains('\0')
            && text.split('/').all(|part| !matches!(part, "" | "." | ".."));
        fine.then(|| Self(text.to_owned()))
    }

    /// The whole path.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&TreePath> for LookupPath {
    fn from(path: &TreePath) -> Self {
        Self(path.0.clone())
    }
}

/// Whether some file system opens `.git` when asked for this component (the rules of Git's `is_hfs_dotgit` and
/// `is_ntfs_dotgit`).
pub(crate) fn is_dot_git(component: &str) -> bool {
    // HFS+ ignores these characters and letter case.
    let visible: String = component.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    if visible.eq_ignore_ascii_case(".git") {
        return true;
    }
    // NTFS ends a name at the first colon and ignores dots and blanks at its end; `git~1` is the short name of `.git`, and
    // with other numbers of other files that begin so.
    let name = component.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_ascii_lowercase();
    let is_short = name
        .strip_prefix("git~")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    name == ".git" || is_short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_of_the_git_directory_are_refused() {
        let disguises = [
            ".git",
            ".GIT",
            ".Git",
            ".gi\u{200c}t",
            "\u{feff}.git",
            ".git ",
            ".git.",
            ".git. .",
            ".git::$INDEX_ALLOCATION",
            ".git:x",
            "git~1",
            "GIT~1",
            "git~12",
            "git~1.",
            "git~1:x",
        ];
        for disguise in disguises {
            for path in [disguise.to_owned(), format!("a/{disguise}"), format!("{disguise}/hooks/x")] {
                assert!(TreePath::parse(&path).is_err(), "{path:?}");
            }
        }
        for path in [".gitignore", ".gitattributes", "git", "a.git", "git~", "git~x", ".github/x", "x.git/a"] {
            assert!(TreePath::parse(path).is_ok(), "{path:?}");
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        for path in ["..", "../x", "a/../b", ".", "./a", "a/.", "a\\..\\b"] {
            assert_eq!(TreePath::parse(path), Err(InvalidPath::Traversal), "{path:?}");
        }
        let long = "x".repeat(256);
        let deep = "x/".repeat(2049) + "x";
        for path in ["", "/a", "a/", "a//b", "a\\b", "a\0b", "a\nb", "a\u{7f}", "a\u{85}", &long, &deep] {
            assert_eq!(TreePath::parse(path), Err(InvalidPath::Malformed), "{path:?}");
        }
        assert!(TreePath::parse(&"x".repeat(255)).is_ok());
    }

    #[test]
    fn what_others_have_written_can_be_looked_up() {
        assert_eq!(LookupPath::parse("/a/b/").unwrap().as_str(), "a/b");
        assert!(LookupPath::parse("a\\b").is_some());
        for path in ["", "/", "a//b", "a/../b", "./a", "a\0"] {
            assert_eq!(LookupPath::parse(path), None, "{path:?}");
        }
    }

    #[test]
    fn the_parents_of_a_path_come_from_the_top() {
        assert_eq!(TreePath::parse("a/b/c").unwrap().parents().collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!(TreePath::parse("a").unwrap().parents().count(), 0);
    }
}
