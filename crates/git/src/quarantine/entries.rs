//! The entries of a directory as Git stores them, and names that no directory may have.

use std::cmp::Ordering;

use crate::mode::Mode;
use crate::oid::Oid;
use crate::tree_path::is_ignored_by_hfs;

/// One entry: a file, a directory, a symbolic link or a submodule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    /// The digits of its mode.
    mode: &'a [u8],
    pub(super) name: &'a [u8],
    id: &'a [u8],
    /// All of it, as it is stored.
    whole: &'a [u8],
}

impl Entry<'_> {
    pub(super) fn is_tree(&self) -> bool {
        Mode::read(self.mode) == Some(Mode::Tree)
    }

    pub(super) fn id(&self) -> Oid {
        Oid::from_raw(self.id.try_into().unwrap_or_default())
    }

    /// The order in which a directory has its entries: as if the name of a directory ended with a slash.
    fn order(&self, other: &Self) -> Ordering {
        let common = self.name.iter().zip(other.name).position(|(one, two)| one != two);
        let common = common.unwrap_or_else(|| self.name.len().min(other.name.len()));
        let next = |entry: &Self| match entry.name.get(common) {
            Some(byte) => *byte,
            None if entry.is_tree() => b'/',
            None => 0,
        };
        next(self).cmp(&next(other))
    }
}

/// A directory is not written as Git writes directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Takes the first entry off.
fn first<'a>(content: &mut &'a [u8]) -> Result<Option<Entry<'a>>, Unreadable> {
    let all = *content;
    if all.is_empty() {
        return Ok(None);
    }
    let at = |byte: u8| all.iter().position(|it| *it == byte);
    let (blank, end) = at(b' ').zip(at(0)).ok_or(Unreadable)?;
    let (mode, name, id) = (all.get(..blank), all.get(blank + 1..end), all.get(end + 1..end + 21));
    let (Some(mode), Some(name), Some(id)) = (mode, name, id) else { return Err(Unreadable) };
    let (whole, rest) = all.split_at_checked(end + 21).ok_or(Unreadable)?;
    *content = rest;
    Ok(Some(Entry { mode, name, id, whole }))
}

/// The differences between two directories, entry by entry: the entry of the first one, and that of the second one
/// under the same name. A file and a directory of the same name are two entries.
pub(super) fn each_difference<E: From<Unreadable>>(
    mut left: &[u8],
    mut right: &[u8],
    mut look: impl FnMut(Option<Entry<'_>>, Option<Entry<'_>>) -> Result<(), E>,
) -> Result<(), E> {
    loop {
        let (before_left, before_right) = (left, right);
        let one = first(&mut left)?;
        if let Some(entry) = one
            && let Some(rest) = right.strip_prefix(entry.whole)
        {
            right = rest;
            continue;
        }
        let two = first(&mut right)?;
        let (Some(a), Some(b)) = (one, two) else {
            if one.is_none() && two.is_none() {
                return Ok(());
            }
            look(one, two)?;
            continue;
        };
        match a.order(&b) {
            Ordering::Equal => look(one, two)?,
            Ordering::Less => {
                right = before_right;
                look(one, None)?;
            }
            Ordering::Greater => {
                left = before_left;
                look(None, two)?;
            }
        }
    }
}

/// True if a directory may not have an entry of this name: with it a path leads elsewhere, or into Git's own directory
/// on some file system. These are the rules of `git fsck` (`hasDot`, `hasDotdot`, `hasDotgit`, `emptyName`,
/// `fullPathname`).
pub(super) fn is_dangerous(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..") || name.contains(&b'/') || is_dot_git_on_hfs(name) || is_dot_git_on_ntfs(name)
}

/// HFS+ ignores letter case and some invisible characters.
fn is_dot_git_on_hfs(name: &[u8]) -> bool {
    let visible: String = String::from_utf8_lossy(name).chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    visible.eq_ignore_ascii_case(".git")
}

/// NTFS ends a name at a colon and ignores dots and blanks at its end. It has the short name `git~1` for `.git`, and
/// takes a backslash for a slash.
fn is_dot_git_on_ntfs(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'\\').any(|part| {
        let part = part.split(|byte| *byte == b':').next().unwrap_or_default();
        let end = part.iter().rposition(|byte| !matches!(byte, b'.' | b' ')).map_or(0, |last| last + 1);
        let part = part.get(..end).unwrap_or_default();
        part.eq_ignore_ascii_case(b".git") || part.eq_ignore_ascii_case(b"git~1")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &str, u8)]) -> Vec<u8> {
        let entry = |(mode, name, id): &(&str, &str, u8)| [format!("{mode} {name}\0").as_bytes(), &[*id; 20]].concat();
        entries.iter().flat_map(entry).collect()
    }

    fn differences(left: &[u8], right: &[u8]) -> Result<Vec<String>, Unreadable> {
        let mut found = Vec::new();
        each_difference::<Unreadable>(left, right, |one, two| {
            let shown = |entry: Option<Entry<'_>>| {
                entry.map_or("-".to_owned(), |it| String::from_utf8_lossy(it.name).into_owned())
            };
            found.push(format!("{} {}", shown(one), shown(two)));
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn two_directories_are_compared_in_the_order_of_git() {
        let old = tree(&[("100644", "a", 1), ("100644", "a.c", 1), ("40000", "a.d", 1), ("100644", "z", 1)]);
        let new = tree(&[("100644", "a.c", 1), ("40000", "a.d", 3), ("40000", "a", 2), ("100755", "z", 1)]);
        assert_eq!(differences(&new, &old).unwrap(), ["- a", "a.d a.d", "a -", "z z"]);
        assert_eq!(differences(&old, &[]).unwrap(), ["a -", "a.c -", "a.d -", "z -"]);
        assert_eq!(differences(&[], &old).unwrap(), ["- a", "- a.c", "- a.d", "- z"]);
        assert!(differences(&old, &old).unwrap().is_empty());
        // Old programs have written other digits.
        for digits in ["040000", "0040000", "40755"] {
            assert_eq!(differences(&tree(&[(digits, "a", 2)]), &tree(&[("40000", "a", 2)])).unwrap(), ["a a"]);
        }
    }

    #[test]
    fn what_is_no_directory_is_not_read() {
        let whole = tree(&[("100644", "a", 1), ("100644", "b", 1)]);
        for length in 1..whole.len() {
            let is_at_end = length == whole.len() / 2;
            assert_eq!(differences(&whole[..length], &[]).is_ok(), is_at_end, "{length}");
            assert_eq!(differences(&[], &whole[..length]).is_ok(), is_at_end, "{length}");
        }
    }

    #[test]
    fn only_names_that_lead_elsewhere_are_dangerous() {
        for name in [
            "",
            ".",
            "..",
            "a/b",
            ".git",
            ".GIT",
            ".gi\u{200c}t",
            "\u{feff}.git",
            ".git ",
            ".git. .",
            ".git:x",
            "git~1",
            "GIT~1",
            "git~1.",
            "a\\.git",
            ".git\\x",
            "a\\git~1:x",
        ] {
            assert!(is_dangerous(name.as_bytes()), "{name:?}");
        }
        for name in
            ["...", ".gitignore", "git~2", "git~", "a\nb", "a\u{202e}b", "CON", "a\\b", "a:b", "x.git", "\u{7f}"]
        {
            assert!(!is_dangerous(name.as_bytes()), "{name:?}");
        }
        assert!(!is_dangerous(b"caf\xe9") && !is_dangerous(b".gi\xfft"));
    }
}
