//! The part of CBOR (RFC 8949) that authenticators write: definite lengths, integers, bytes, texts, lists and maps.

/// The most levels of lists and maps. Those of authenticators have two.
const DEPTH: usize = 4;

/// A value. Bytes and texts are parts of what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value<'a> {
    Integer(i64),
    Bytes(&'a [u8]),
    Text(&'a str),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
    /// True, false, null and their like.
    Simple(u8),
}

impl<'a> Value<'a> {
    /// The first value of some bytes, and the bytes behind it. `None` if there is none, or if it is not of the known part.
    pub(super) fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        Self::at_depth(bytes, DEPTH)
    }

    fn at_depth(bytes: &'a [u8], depth: usize) -> Option<(Self, &'a [u8])> {
        let (first, rest) = bytes.split_first()?;
        let (argument, rest) = argument(first & 31, rest)?;
        let length = || usize::try_from(argument).ok();
        match first >> 5 {
            0 => Some((Self::Integer(i64::try_from(argument).ok()?), rest)),
            1 => Some((Self::Integer(-1 - i64::try_from(argument).ok()?), rest)),
            2 => {
                let (bytes, rest) = rest.split_at_checked(length()?)?;
                Some((Self::Bytes(bytes), rest))
            }
            3 => {
                let (text, rest) = rest.split_at_checked(length()?)?;
                Some((Self::Text(std::str::from_utf8(text).ok()?), rest))
            }
            kind @ (4 | 5) => {
                let depth = depth.checked_sub(1)?;
                let (mut items, mut entries, mut rest) = (Vec::new(), Vec::new(), rest);
                // Each item has a byte at least: a wrong length ends with the bytes.
                for _ in 0..argument {
                    let (item, behind) = Self::at_depth(rest, depth)?;
                    rest = behind;
                    if kind == 4 {
                        items.push(item);
                        continue;
                    }
                    let (value, behind) = Self::at_depth(rest, depth)?;
                    rest = behind;
                    if entries.iter().any(|(known, _)| *known == item) {
                        return None;
                    }
                    entries.push((item, value));
                }
                Some((if kind == 4 { Self::List(items) } else { Self::Map(entries) }, rest))
            }
            7 if first & 31 < 24 => Some((Self::Simple(first & 31), rest)),
            _ => None,
        }
    }

    /// The value of this key of a map.
    pub(super) fn get(&self, key: &Value<'_>) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub(super) fn integer(&self) -> Option<i64> {
        if let Self::Integer(integer) = self { Some(*integer) } else { None }
    }

    pub(super) fn bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// The number of a head, and the bytes behind it.
fn argument(short: u8, rest: &[u8]) -> Option<(u64, &[u8])> {
    let length = match short {
        0..=23 => return Some((u64::from(short), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    let (bytes, rest) = rest.split_at_checked(length)?;
    Some((bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(hex: &str) -> Option<String> {
        let bytes = hex::decode(hex).unwrap();
        Value::read(&bytes).map(|(value, rest)| format!("{value:?} {}", rest.len()))
    }

    #[test]
    fn values_are_those_of_the_standard() {
        for (hex, want) in [
            ("00", "Integer(0) 0"),
            ("17", "Integer(23) 0"),
            ("1903e8", "Integer(1000) 0"),
            ("390100", "Integer(-257) 0"),
            ("26", "Integer(-7) 0"),
            ("4401020304", "Bytes([1, 2, 3, 4]) 0"),
            ("6161ff", "Text(\"a\") 1"),
            ("83010203", "List([Integer(1), Integer(2), Integer(3)]) 0"),
            ("a201020304", "Map([(Integer(1), Integer(2)), (Integer(3), Integer(4))]) 0"),
            ("f5", "Simple(21) 0"),
        ] {
            assert_eq!(read(hex).as_deref(), Some(want), "{hex}");
        }
    }

    #[test]
    fn what_is_damaged_or_of_another_part_is_none() {
        for hex in [
            "",
            "18",
            "1bffffffffffffffff",
            "44010203",
            "61ff",
            "9f01ff",
            "5f",
            "c100",
            "f90000",
            "a10102"[..4].as_ref(),
            "a201020102",
            "8181818181",
            "9bffffffffffffffff",
        ] {
            assert_eq!(read(hex), None, "{hex}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_fail(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Value::read(&bytes);
        }
    }
}
