//! The filters of changed paths in a graph of commits. If one bit of a path is not set in a filter, the commit does not
//! change the path.

/// A path, hashed.
#[derive(Clone, Copy)]
pub(super) struct Key(u32, u32);

/// The form of a filter.
pub(super) struct Filter {
    pub(super) bits: u64,
    pub(super) hashes: u32,
}

impl Key {
    /// The key of a path in its kept form. `None` for one with other characters than ASCII: Git has two ways to hash
    /// it.
    pub(super) fn of(path: &str) -> Option<Self> {
        (path.is_ascii() && !path.contains('\0'))
            .then(|| Self(murmur3(0x293a_e76f, path.as_bytes()), murmur3(0x7e64_6e2c, path.as_bytes())))
    }
}

impl Filter {
    /// The places of the bits of a path; none if the filter is empty, since that says nothing.
    pub(super) fn bits_of(&self, key: Key) -> impl Iterator<Item = u64> + use<> {
        let Key(one, two) = key;
        let bits = self.bits;
        let hashes = if bits == 0 { 0 } else { self.hashes };
        (0..hashes).map(move |number| u64::from(one.wrapping_add(number.wrapping_mul(two))) % bits)
    }
}

/// The hash `MurmurHash3` of 32 bits.
fn murmur3(seed: u32, text: &[u8]) -> u32 {
    let mixed = |part: u32| part.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (parts, rest) = text.as_chunks::<4>();
    let mut hash = seed;
    for part in parts {
        hash = (hash ^ mixed(u32::from_le_bytes(*part))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = rest.iter().rev().fold(0, |sum: u32, byte| sum << 8 | u32::from(*byte));
    hash ^= mixed(rest);
    hash ^= u32::try_from(text.len()).unwrap_or(u32::MAX);
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_git() {
        // From t0095-bloom.sh of Git.
        assert_eq!(murmur3(0, b""), 0);
        assert_eq!(murmur3(0, b"Hello world!"), 0x627b_0c2c);
        assert_eq!(murmur3(0, b"The quick brown fox jumps over the lazy dog"), 0x2e4f_f723);
    }

    #[test]
    fn other_characters_are_not_hashed_and_an_empty_filter_says_nothing() {
        assert!(Key::of("a/b").is_some() && Key::of("\u{e4}").is_none());
        assert_eq!(Filter { bits: 0, hashes: 7 }.bits_of(Key(1, 2)).count(), 0);
        assert_eq!(Filter { bits: 16, hashes: 3 }.bits_of(Key(15, 2)).collect::<Vec<_>>(), [15, 1, 3]);
    }
}
