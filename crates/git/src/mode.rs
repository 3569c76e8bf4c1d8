//! The kind of an entry of a directory, by the digits of its mode.

/// A kind of entry. Old programs have written other digits than Git does, and Git takes those for the nearest of these.
/// So digits are never compared themselves: a rule that did would be passed by, and a write would fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    File,
    Program,
    Link,
    Tree,
    Submodule,
}

impl Mode {
    /// Reads digits as Git does: an octal number, of which 16 bits count. `None` if they are no number.
    pub(crate) fn read(digits: &[u8]) -> Option<Self> {
        let first = digits.first().map(|_| 0_u16);
        let bits = digits.iter().try_fold(first?, |bits, digit| match digit {
            b'0'..=b'7' => Some((bits << 3) | u16::from(digit - b'0')),
            _ => None,
        })?;
        Some(match bits & 0o170_000 {
            0o040_000 => Self::Tree,
            0o100_000 if bits & 0o100 == 0 => Self::File,
            0o100_000 => Self::Program,
            0o120_000 => Self::Link,
            _ => Self::Submodule,
        })
    }

    /// The six digits that Git shows.
    pub(crate) fn digits(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Program => "100755",
            Self::Link => "120000",
            Self::Tree => "040000",
            Self::Submodule => "160000",
        }
    }

    pub(crate) fn is_blob(self) -> bool {
        match self {
            Self::File | Self::Program | Self::Link => true,
            Self::Tree | Self::Submodule => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digits that `git ls-tree` shows for each of them.
    #[test]
    fn digits_are_read_as_git_reads_them() {
        for (digits, want) in [
            ("100644", "100644"),
            ("100664", "100644"),
            ("100600", "100644"),
            ("100645", "100644"),
            ("0100644", "100644"),
            ("100755", "100755"),
            ("100700", "100755"),
            ("100777", "100755"),
            ("120000", "120000"),
            ("120777", "120000"),
            ("40000", "040000"),
            ("040000", "040000"),
            ("0040000", "040000"),
            ("40755", "040000"),
            ("1040000", "040000"),
            ("160000", "160000"),
            ("644", "160000"),
            ("20000", "160000"),
            ("0", "160000"),
            ("7777777777740000", "160000"),
        ] {
            assert_eq!(Mode::read(digits.as_bytes()).map(Mode::digits), Some(want), "{digits}");
        }
        for digits in ["", "8", "100648", "-40000", " 40000", "x"] {
            assert_eq!(Mode::read(digits.as_bytes()), None, "{digits:?}");
        }
    }
}
