//! Names of objects.

use std::fmt;
use std::str::FromStr;

/// The SHA-1 of an object. Parsed once: it is never anything that Git could take for an option or an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid([u8; 20]);

/// Not 40 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not the name of an object")]
pub struct NotAnOid;

impl Oid {
    /// Stands for "no object" in Git's reports of a ref before its creation or after its deletion.
    pub const ZERO: Self = Self([0; 20]);
    /// The tree without entries, with which a commit without parents is compared.
    pub const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92, 0x88, 0xfb, 0xee,
        0x49, 0x04,
    ]);

    /// True if it stands for "no object".
    #[must_use]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// The name of the object with this SHA-1.
    pub(crate) const fn from_raw(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn raw(self) -> [u8; 20] {
        self.0
    }

    /// Reads 40 hexadecimal digits from Git's output.
    pub(crate) fn from_bytes(text: &[u8]) -> Option<Self> {
        std::str::from_utf8(text).ok()?.parse().ok()
    }
}

impl FromStr for Oid {
    type Err = NotAnOid;

    fn from_str(text: &str) -> Result<Self, NotAnOid> {
        let digits = text.as_bytes();
        if digits.len() != 40 {
            return Err(NotAnOid);
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = char::from(*digit).to_digit(16).and_then(|it| u8::try_from(it).ok()).ok_or(NotAnOid)?;
                *byte = *byte << 4 | value;
            }
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_forty_hexadecimal_digits_are_an_oid() {
        let text = "4B825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(text.parse(), Ok(Oid::EMPTY_TREE));
        assert_eq!(Oid::EMPTY_TREE.to_string(), text.to_lowercase());
        assert!("0".repeat(40).parse::<Oid>().unwrap().is_zero());
        for text in ["", "4b825dc", "-4b825dc642cb6eb9a060e54bf8d69288fbee490", &"g".repeat(40), &"0".repeat(41)] {
            assert_eq!(text.parse::<Oid>(), Err(NotAnOid), "{text}");
        }
        assert_eq!("é".repeat(20).parse::<Oid>(), Err(NotAnOid));
    }
}
