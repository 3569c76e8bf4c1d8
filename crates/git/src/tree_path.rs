//! Paths inside a repository: the rules for writing, and those for looking up.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStringExt as _;

use tenon_domain::direction::turns_text;
use tenon_domain::file_path::FilePath;

const LONGEST: usize = 4096;
const LONGEST_COMPONENT: usize = 255;

/// A path that the server will put into a tree, or that is in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(FilePath);

/// The reason why a path may not be written.
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
    /// Reads a path in its kept form ([`tenon_domain::file_path`]). Fails unless every client can check it out under
    /// exactly this name. It has at most 4,096 bytes, components of 1 to 255 bytes, no backslash, and no slash at
    /// either end. It has no control character and none that turns the direction of text. No component is `.` or `..`,
    /// or one that a file system takes for `.git`.
    pub fn parse(text: &str) -> Result<Self, InvalidPath> {
        let path = FilePath::from_kept(text).ok_or(InvalidPath::Malformed)?;
        let shown = path.to_string();
        if shown.split(['/', '\\']).any(|part| part == "." || part == "..") {
            return Err(InvalidPath::Traversal);
        }
        let bytes = path.bytes();
        let fine = bytes.len() <= LONGEST
            && bytes.split(|byte| *byte == b'/').all(|part| !part.is_empty() && part.len() <= LONGEST_COMPONENT)
            && !shown.contains(|c: char| c.is_control() || turns_text(c) || c == '\\')
            && !shown.split('/').any(is_dot_git);
        if fine { Ok(Self(path)) } else { Err(InvalidPath::Malformed) }
    }

    /// Reads the path of a file that is to be changed or removed. Its name may be one that [`TreePath::parse`] refuses.
    /// Only `.` and `..`, and names that a file system takes for `.git`, are refused here.
    pub fn of_existing(text: &str) -> Result<Self, InvalidPath> {
        Self::parse(text).or_else(|invalid| {
            let path = LookupPath::parse(text).filter(|path| path.as_kept() == text).ok_or(invalid)?;
            if path.0.to_string().split('/').any(is_dot_git) { Err(invalid) } else { Ok(Self(path.0)) }
        })
    }

    /// The path in its kept form.
    #[must_use]
    pub fn as_kept(&self) -> &str {
        self.0.as_kept()
    }

    /// The directories above it, from the top, in their kept form.
    pub(crate) fn parents(&self) -> impl Iterator<Item = &str> {
        let text = self.0.as_kept();
        text.match_indices('/').filter_map(|(end, _)| text.get(..end))
    }
}

impl From<LookupPath> for TreePath {
    /// A path at which something was found.
    fn from(path: LookupPath) -> Self {
        Self(path.0)
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A path to look for. Repositories hold names that we would not write; they can still be read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LookupPath(FilePath);

impl LookupPath {
    /// The path of this kept form ([`tenon_domain::file_path`]), without slashes at its ends. `None` if no entry of a
    /// tree can have it: if it is empty, longer than 4,096 bytes, has an empty component, `.` or `..`, or a NUL.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let path = FilePath::from_kept(text.trim_matches('/'))?;
        let fine =
            path.bytes().len() <= LONGEST && path.as_kept().split('/').all(|part| !matches!(part, "" | "." | ".."));
        fine.then_some(Self(path))
    }

    /// The path in its kept form.
    #[must_use]
    pub fn as_kept(&self) -> &str {
        self.0.as_kept()
    }

    /// The path itself.
    #[must_use]
    pub fn file(&self) -> &FilePath {
        &self.0
    }

    /// The bytes, as an argument of a process.
    pub(crate) fn argument(&self) -> OsString {
        OsString::from_vec(self.0.bytes().into_owned())
    }
}

impl TryFrom<&FilePath> for LookupPath {
    type Error = InvalidPath;

    fn try_from(path: &FilePath) -> Result<Self, InvalidPath> {
        Self::parse(path.as_kept()).ok_or(InvalidPath::Malformed)
    }
}

impl From<&TreePath> for LookupPath {
    fn from(path: &TreePath) -> Self {
        Self(path.0.clone())
    }
}

/// True if some file system opens `.git` when asked for this component (the rules of Git's `is_hfs_dotgit` and
/// `is_ntfs_dotgit`).
pub(crate) fn is_dot_git(component: &str) -> bool {
    // HFS+ ignores these characters and letter case.
    let visible: String = component.chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    if visible.eq_ignore_ascii_case(".git") {
        return true;
    }
    // NTFS ends a name at the first colon and ignores dots and blanks at its end. `git~1` is the short name of `.git`.
    // With other numbers it is that of other files that begin so.
    let name = component.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']).to_ascii_lowercase();
    let is_short = name
        .strip_prefix("git~")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    name == ".git" || is_short
}

/// True if HFS+ compares names as if this character were not there.
pub(crate) fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
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
        assert_eq!(LookupPath::parse("/a/b/").unwrap().as_kept(), "a/b");
        assert!(LookupPath::parse("a\\b").is_some());
        for path in ["", "/", "a//b", "a/../b", "./a", "a\0"] {
            assert_eq!(LookupPath::parse(path), None, "{path:?}");
        }
    }

    #[test]
    fn what_others_have_written_can_be_changed_but_leads_nowhere_else() {
        for path in ["a\\b", "a\nb", "\u{202e}a", "caf\0\u{e9}/x"] {
            assert_eq!(TreePath::of_existing(path).unwrap().as_kept(), path);
        }
        for path in ["../a", "a/..", ".git/x", "a/.GIT", "", "/a", "a\0b", "git~1\n/.git"] {
            assert!(TreePath::of_existing(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn the_parents_of_a_path_come_from_the_top() {
        assert_eq!(TreePath::parse("a/b/c").unwrap().parents().collect::<Vec<_>>(), ["a", "a/b"]);
        assert_eq!(TreePath::parse("a").unwrap().parents().count(), 0);
    }
}
