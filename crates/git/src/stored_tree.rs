//! A directory as Git stores it: `<mode> <name>\0` and 20 bytes of the object's name, again and again.

use crate::oid::Oid;

/// The digits of the mode, the name and the object of an entry.
pub(crate) type StoredEntry<'a> = (&'a [u8], &'a [u8], Oid);

/// The entries of a directory. The last one is `None` if it is no entry.
pub(crate) fn stored_entries(content: &[u8]) -> impl Iterator<Item = Option<StoredEntry<'_>>> {
    let mut rest = content;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let entry = next_entry(rest);
        rest = entry.as_ref().map_or(&[][..], |(_, behind)| *behind);
        Some(entry.map(|(entry, _)| entry))
    })
}

fn next_entry(text: &[u8]) -> Option<(StoredEntry<'_>, &[u8])> {
    let blank = text.iter().position(|byte| *byte == b' ')?;
    let end = text.iter().position(|byte| *byte == 0)?;
    let id = Oid::from_raw(text.get(end + 1..end + 21)?.try_into().ok()?);
    Some(((text.get(..blank)?, text.get(blank + 1..end)?, id), text.get(end + 21..)?))
}
