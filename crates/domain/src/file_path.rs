//! Paths in repositories: bytes, which need not be UTF-8.
//!
//! The *kept form* of bytes is a text that says all of them: what is UTF-8 stays, and each other byte is written as a NUL and
//! the character with the number of the byte. No path has a NUL, so that each kept form stands for one path. It is what
//! parameters of requests carry from the edge to Git; people and JSON see the path with such bytes replaced. The *stored form* says
//! all bytes as well, without a NUL, which databases store none of.

use std::borrow::Cow;
use std::fmt;

use crate::direction::written_out;

/// The mark that stands before a byte in the kept form.
const MARK: char = '\0';

/// The path of a file or directory, or a part of one. It is shown with U+FFFD for what is no UTF-8.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FilePath(String);

impl FilePath {
    /// The path with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(kept(bytes))
    }

    /// Reads a kept form; `None` for a text that has a NUL for another reason.
    #[must_use]
    pub fn from_kept(text: &str) -> Option<Self> {
        bytes_of(text).map(|bytes| Self(kept(&bytes)))
    }

    /// The kept form. Slashes divide it as they divide the path.
    #[must_use]
    pub fn as_kept(&self) -> &str {
        &self.0
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        // A kept form always has bytes.
        bytes_of(&self.0).unwrap_or(Cow::Borrowed(self.0.as_bytes()))
    }

    /// True if the path is the one at the top.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last component.
    #[must_use]
    pub fn name(&self) -> Self {
        Self(self.0.rsplit('/').next().unwrap_or_default().to_owned())
    }

    /// The path as pages show it: control characters, and what turns the direction of text, are written out.
    #[must_use]
    pub fn legible(&self) -> String {
        written_out(&shown(&self.0))
    }

    /// The stored form, a text without NUL that stands for this path alone. A path that is UTF-8 is its own. Of another it is a slash,
    /// with which no path begins, and the path, in which `%` and each byte that is no UTF-8 are percent-encoded.
    #[must_use]
    pub fn to_stored(&self) -> String {
        if !self.0.contains(MARK) {
            return self.0.clone();
        }
        let mut text = "/".to_owned();
        let mut rest = self.0.chars();
        while let Some(c) = rest.next() {
            match c {
                MARK => text.extend(rest.next().map(|byte| format!("%{:02X}", u32::from(byte)))),
                '%' => text.push_str("%25"),
                c => text.push(c),
            }
        }
        text
    }

    /// The path of a stored form. Any other text stands for the path of this text.
    #[must_use]
    pub fn from_stored(text: &str) -> Self {
        let path = text.strip_prefix('/').map(|encoded| Self::from_bytes(&percent_decoded(encoded)));
        path.filter(|path| path.to_stored() == text).unwrap_or_else(|| Self(text.replace(MARK, "\u{fffd}")))
    }

    /// True if a stored text means this path: its stored form, or the path as people and JSON see it.
    #[must_use]
    pub fn is_meant_by(&self, text: &str) -> bool {
        // The two differ for what is no UTF-8 only.
        self.0 == text || (self.0.contains(MARK) && (text == self.to_stored() || text == shown(&self.0)))
    }

    /// The bytes of memory that it takes.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.0.len()
    }
}

impl fmt::Display for FilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.0))
    }
}

impl From<&str> for FilePath {
    /// A path of this text, which has no NUL.
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl PartialEq<str> for FilePath {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for FilePath {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// The bytes of a text; two hexadecimal digits behind a `%` are one byte.
fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        let digits = after.get(..2).and_then(|digits| Some((u8::from_str_radix(digits, 16).ok()?, after.get(2..)?)));
        let (byte, after) = digits.unwrap_or((b'%', after));
        bytes.push(byte);
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// The kept form of bytes. A NUL among them becomes what no path has.
#[must_use]
pub fn kept(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        for byte in part.invalid() {
            text.extend([MARK, char::from(*byte)]);
        }
    }
    text
}

/// The kept form of what a request has sent: a NUL among the bytes cannot be taken for the mark of another byte.
#[must_use]
pub fn kept_from_outside(bytes: &[u8]) -> String {
    if bytes.contains(&0) { MARK.to_string() } else { kept(bytes) }
}

/// The bytes of a kept form; `None` for a text that has a NUL for another reason.
#[must_use]
pub fn bytes_of(text: &str) -> Option<Cow<'_, [u8]>> {
    if !text.contains(MARK) {
        return Some(Cow::Borrowed(text.as_bytes()));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c == MARK {
            let byte = rest.next().and_then(|c| u8::try_from(u32::from(c)).ok()).filter(|byte| *byte >= 0x80)?;
            bytes.push(byte);
        } else {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    Some(Cow::Owned(bytes))
}

/// The text that people see for a kept form: what is no UTF-8 is replaced.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    match bytes_of(text) {
        Some(Cow::Borrowed(_)) => Cow::Borrowed(text),
        Some(Cow::Owned(bytes)) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        None => Cow::Owned(text.replace(MARK, "\u{fffd}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_look_alike_stay_two() {
        let (one, other) = (FilePath::from_bytes(b"a/caf\xe9"), FilePath::from_bytes(b"a/caf\xe8"));
        assert_eq!(one.to_string(), "a/caf\u{fffd}");
        assert_eq!(one.to_string(), other.to_string());
        assert_ne!(one, other);
        assert_eq!(one.bytes().as_ref(), b"a/caf\xe9");
        assert_eq!(one.name(), FilePath::from_bytes(b"caf\xe9"));
        assert_eq!(FilePath::from_bytes(b"a\x1b\xe9\n").legible(), "a\\u{1b}\u{fffd}\\u{a}");
    }

    #[test]
    fn a_stored_form_stands_for_one_path() {
        for (bytes, stored) in [
            (b"a/caf\xe9".as_slice(), "/a/caf%E9"),
            (b"a/caf\xe8", "/a/caf%E8"),
            (b"100%\xff%E9", "/100%25%FF%25E9"),
            ("é/100%E9".as_bytes(), "é/100%E9"),
        ] {
            let path = FilePath::from_bytes(bytes);
            assert_eq!((path.to_stored().as_str(), &FilePath::from_stored(stored)), (stored, &path));
            assert!(path.is_meant_by(stored) && path.is_meant_by(&path.to_string()), "{stored}");
        }
        assert!(!FilePath::from_bytes(b"a/caf\xe9").is_meant_by("/a/caf%E8"));
        // Texts of clients that know no stored form, and texts that are none.
        for text in ["a/caf\u{fffd}", "/a", "/a%", "/a%e9", "/%41%E9", "/a%25", ""] {
            assert_eq!(FilePath::from_stored(text).to_string(), text, "{text}");
        }
        assert_eq!(FilePath::from_stored("a\0b").to_string(), "a\u{fffd}b");
    }

    #[test]
    fn a_nul_is_the_beginning_of_nothing_else() {
        for text in ["\0", "a\0", "\0a", "\0\0", "\0\u{100}", "\0\u{7f}"] {
            assert_eq!(FilePath::from_kept(text), None, "{text:?}");
            assert!(!shown(text).contains('\0'), "{text:?}");
        }
        assert_eq!(FilePath::from_kept(&kept_from_outside(b"x\0\xc3\xa9")), None);
        // A path that could have been written without a mark is the same path.
        assert_eq!(FilePath::from_kept("\0\u{c3}\0\u{a9}"), FilePath::from_kept("\u{e9}"));
    }

    proptest! {
        #[test]
        fn a_kept_form_says_all_bytes(bytes in proptest::collection::vec(1..=255_u8, 0..40)) {
            let path = FilePath::from_bytes(&bytes);
            prop_assert_eq!(path.bytes().into_owned(), bytes.clone());
            prop_assert_eq!(FilePath::from_kept(path.as_kept()), Some(path.clone()));
            prop_assert_eq!(path.to_string(), String::from_utf8_lossy(&bytes).into_owned());
            prop_assert!(!path.to_string().contains('\0') && !path.to_stored().contains('\0'));
            if bytes.first() != Some(&b'/') {
                prop_assert_eq!(FilePath::from_stored(&path.to_stored()), path);
            }
        }
    }
}
