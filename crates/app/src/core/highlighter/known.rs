//! Colours that were found. A blob never changes, so that they hold for good.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tenon_git::Oid;
use tenon_highlight::Colours;

use super::Naming;

/// A blob under the name of a file. The version of the highlighter is that of this program: a process of another one is not
/// asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) blob: Oid,
    pub(super) name: Naming,
}

/// Colours by blob and name, within a budget of bytes. Those that were not asked for lately go first.
#[derive(Debug)]
pub(super) struct Known {
    cache: Cache<Key, Entry, Bytes>,
    /// Larger colours would drive out too many others.
    largest: usize,
}

#[derive(Debug, Clone)]
enum Entry {
    Found(Arc<Colours>),
    /// Plain until then.
    Plain(Duration),
}

#[derive(Debug, Clone)]
struct Bytes;

/// Bytes of a blob's name with its place among the others.
const PLACE: usize = 256;
/// Bytes of usual colours.
const USUAL: u64 = 4096;
/// How long a blob stays plain whose colours take too much work, or have ended the process.
const HOPELESS: Duration = Duration::from_hours(1);
/// How long a blob stays plain for which the machine was too busy.
const HELD_UP: Duration = Duration::from_mins(1);

impl Weighter<Key, Entry> for Bytes {
    fn weight(&self, key: &Key, entry: &Entry) -> u64 {
        let colours = match entry {
            Entry::Found(colours) => colours.bytes(),
            Entry::Plain(_) => 0,
        };
        u64::try_from(PLACE.saturating_add(key.name.len()).saturating_add(colours)).unwrap_or(u64::MAX)
    }
}

impl Known {
    /// Colours that take no more than `bytes`; none are remembered if that is 0.
    pub(super) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        let largest = usize::try_from(bytes / 8).unwrap_or(usize::MAX);
        Self { cache: Cache::with_weighter(items, bytes, Bytes), largest }
    }

    /// The colours of this blob, if they are known; none at all if it is known that it stays plain for a while.
    pub(super) fn get(&self, key: &Key, now: Duration) -> Option<Arc<Colours>> {
        match self.cache.get(key)? {
            Entry::Found(colours) => Some(colours),
            Entry::Plain(until) => (now < until).then(Arc::default),
        }
    }

    /// Remembers colours. Of colours that are too large it is remembered that they are not worth finding.
    pub(super) fn put(&self, key: Key, colours: Arc<Colours>, now: Duration) {
        if colours.bytes() <= self.largest {
            self.cache.insert(key, Entry::Found(colours));
        } else {
            self.put_hopeless(key, now);
        }
    }

    /// Remembers that this blob is better left plain.
    pub(super) fn put_hopeless(&self, key: Key, now: Duration) {
        self.cache.insert(key, Entry::Plain(now.saturating_add(HOPELESS)));
    }

    /// Remembers that the machine was too busy for this blob a moment ago.
    pub(super) fn put_held_up(&self, key: Key, now: Duration) {
        self.cache.insert(key, Entry::Plain(now.saturating_add(HELD_UP)));
    }
}

#[cfg(test)]
mod tests {
    use tenon_highlight::{Highlighter, Language};

    use super::*;

    fn key(number: u8) -> Key {
        Key { blob: format!("{number:040x}").parse().unwrap(), name: "a.rs".into() }
    }

    fn colours(lines: usize) -> Arc<Colours> {
        let text = "fn x() {}\n".repeat(lines);
        Arc::new(Highlighter::new().colours(&text, Language::OfFile("a.rs"), || false).unwrap())
    }

    #[test]
    fn colours_keep_within_their_budget() {
        let known = Known::new(64 << 10);
        let found = colours(100);
        for number in 0..=255 {
            known.put(key(number), Arc::clone(&found), Duration::ZERO);
        }
        assert!(known.cache.weight() <= 64 << 10);
        assert!((0..=255).any(|number| known.get(&key(number), Duration::ZERO).as_ref() == Some(&found)));
    }

    #[test]
    fn what_is_hopeless_is_plain_for_an_hour_and_what_was_held_up_for_a_minute() {
        let known = Known::new(64 << 10);
        let at = |minutes| Duration::from_mins(minutes);
        known.put_hopeless(key(1), at(10));
        assert!(known.get(&key(1), at(69)).is_some_and(|colours| colours.is_plain()));
        assert_eq!(known.get(&key(1), at(70)), None);
        known.put(key(2), colours(1000), at(10));
        assert!(known.get(&key(2), at(69)).is_some_and(|colours| colours.is_plain()), "they are too large");
        known.put_held_up(key(3), at(10));
        assert!(known.get(&key(3), at(10) + Duration::from_secs(59)).is_some_and(|colours| colours.is_plain()));
        assert_eq!(known.get(&key(3), at(11)), None);
    }

    #[test]
    fn without_a_budget_nothing_is_remembered() {
        let known = Known::new(0);
        known.put(key(1), colours(1), Duration::ZERO);
        known.put_hopeless(key(2), Duration::ZERO);
        assert!(known.get(&key(1), Duration::ZERO).is_none() && known.get(&key(2), Duration::ZERO).is_none());
    }

    #[test]
    fn a_blob_has_colours_for_each_name_of_a_file() {
        let known = Known::new(64 << 10);
        known.put(key(1), colours(1), Duration::ZERO);
        assert_eq!(known.get(&Key { name: "a.py".into(), ..key(1) }, Duration::ZERO), None);
    }
}
