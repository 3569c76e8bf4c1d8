//! The types of the objects of a pack, by the offsets at which they begin: an `ofs-delta` names its base by that.

/// Objects in one block. A lookup reads at most one block.
const BLOCK: usize = 64;

/// An object type that has a limit of its own. Files, and objects whose type is not known, have the largest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SmallKind {
    /// A commit or a tag.
    Commit,
    /// A directory.
    Tree,
}

/// The offsets at which commits, tags and directories begin: two to three bytes for each, as distances from the one
/// before.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    /// For each block, the offset that its first distance counts from, and the place in `entries` at which the block
    /// begins.
    blocks: Vec<(u64, usize)>,
    /// Of each object the distance from the one before, doubled, plus 1 for a directory, in groups of seven bits.
    entries: Vec<u8>,
    last: u64,
    count: usize,
}

impl Kinds {
    /// Remembers an object. Offsets must be given in ascending order.
    pub(super) fn insert(&mut self, offset: u64, kind: SmallKind) {
        if self.count.is_multiple_of(BLOCK) {
            self.blocks.push((self.last, self.entries.len()));
        }
        let mut value = offset.saturating_sub(self.last) << 1 | u64::from(kind == SmallKind::Tree);
        while value >= 0x80 {
            self.entries.push(low_bits(value) | 0x80);
            value >>= 7;
        }
        self.entries.push(low_bits(value));
        self.last = offset;
        self.count += 1;
    }

    /// The type of the object that begins at `offset`; `None` for a file, and if no object begins there.
    pub(super) fn get(&self, offset: u64) -> Option<SmallKind> {
        let block = self.blocks.partition_point(|(before, _)| *before < offset).checked_sub(1)?;
        let (mut at, start) = *self.blocks.get(block)?;
        let mut entries = self.entries.get(start..)?.iter();
        for _ in 0..BLOCK {
            let (mut value, mut shift) = (0_u64, 0_u32);
            loop {
                let byte = *entries.next()?;
                value |= u64::from(byte & 0x7f) << shift;
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            at += value >> 1;
            if at >= offset {
                let kind = if value & 1 == 1 { SmallKind::Tree } else { SmallKind::Commit };
                return (at == offset).then_some(kind);
            }
        }
        None
    }
}

fn low_bits(value: u64) -> u8 {
    u8::try_from(value & 0x7f).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_is_found_where_it_begins_and_nowhere_else() {
        let mut kinds = Kinds::default();
        let kind = |number: u64| if number.is_multiple_of(3) { SmallKind::Tree } else { SmallKind::Commit };
        let offset = |number: u64| 12 + number * 21 + (number * number) % 17 + if number > 500 { 1 << 33 } else { 0 };
        for number in 0..1000 {
            kinds.insert(offset(number), kind(number));
        }
        for number in 0..1000 {
            assert_eq!(kinds.get(offset(number)), Some(kind(number)), "{number}");
            assert_eq!(kinds.get(offset(number) + 1), None, "{number}");
        }
        assert_eq!((kinds.get(0), kinds.get(u64::MAX)), (None, None));
        assert!(kinds.entries.len() < 2100, "{}", kinds.entries.len());
    }
}
