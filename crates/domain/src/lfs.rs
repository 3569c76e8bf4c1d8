//! Large files beside repositories (Git LFS): the names of their objects, and the paths that users lock.

use std::fmt;

use crate::id::{LfsLockId, UserId};
use crate::time::Timestamp;

/// The name of an object: the SHA-256 of its bytes, as 64 hexadecimal digits in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LfsOid(String);

impl LfsOid {
    /// Parses a name. `None` if it is not 64 hexadecimal digits in lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 64 && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }

    /// The 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LfsOid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text that stands in a repository for a large file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsPointer {
    /// The object with the bytes of the file.
    pub oid: LfsOid,
    /// Bytes of the file.
    pub size: u64,
}

impl LfsPointer {
    /// The most bytes of a pointer: a longer file is none.
    pub const LONGEST: usize = 1024;
    /// The first line of every pointer.
    const VERSION: &'static str = "version https://git-lfs.github.com/spec/v1";

    /// Parses the content of a file. `None` if it is no pointer.
    #[must_use]
    pub fn parse(content: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(content).ok().filter(|text| text.len() <= Self::LONGEST)?;
        let mut lines = text.lines();
        if lines.next()? != Self::VERSION {
            return None;
        }
        let (mut oid, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", value) => oid = Some(LfsOid::parse(value.strip_prefix("sha256:")?)?),
                ("size", value) => size = Some(value.parse().ok()?),
                // Extensions of the format, which say how a client has changed the file.
                _ => {}
            }
        }
        Some(Self { oid: oid?, size: size? })
    }
}

/// The most bytes of a locked path.
pub const LONGEST_LOCKED_PATH: usize = 1024;

/// True if a path can be locked: it is the path of a file from the root of a repository, of at most [`LONGEST_LOCKED_PATH`] bytes.
#[must_use]
pub fn is_lockable(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    path.len() <= LONGEST_LOCKED_PATH && !path.contains(char::is_control) && path.split('/').all(is_name)
}

/// The lock of a path: until it is removed, other users may not push changes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsLock {
    /// Its id.
    pub id: LfsLockId,
    /// The path from the root of the repository.
    pub path: String,
    /// Who has locked it.
    pub owner: UserId,
    /// The name of that user.
    pub owner_name: String,
    /// When it was locked.
    pub locked_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_64_digits_in_lower_case() {
        assert!(LfsOid::parse(&"0f".repeat(32)).is_some());
        for text in ["", "../x", &"0F".repeat(32), &"0".repeat(63), &"0".repeat(65), &"g".repeat(64)] {
            assert_eq!(LfsOid::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_pointer_has_a_name_and_a_size() {
        let oid = "4d".repeat(32);
        let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
        let pointer = LfsPointer::parse(text.as_bytes()).unwrap();
        assert_eq!((pointer.oid.as_str(), pointer.size), (oid.as_str(), 12345));
        let extended = text.replace("oid ", "ext-0-foo sha256:1\noid ");
        assert_eq!(LfsPointer::parse(extended.as_bytes()), Some(pointer));
        for other in [
            text.replace("v1", "v2"),
            text.replace("sha256", "md5"),
            text.replace("size 12345\n", ""),
            text.replace("12345", "-1"),
            format!("x{text}"),
            format!("{text}{}", "x ".repeat(600)),
            String::new(),
        ] {
            assert_eq!(LfsPointer::parse(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn only_paths_of_files_are_locked() {
        for path in ["a", "a/b c.psd", "größe.bin", ".gitattributes"] {
            assert!(is_lockable(path), "{path}");
        }
        for path in ["", "/a", "a/", "a//b", "../a", "a/./b", "a\0b", "a\nb", &"x".repeat(1025)] {
            assert!(!is_lockable(path), "{path:?}");
        }
    }
}
