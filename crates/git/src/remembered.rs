//! Findings about objects. An object never changes, so that conclusions from it stay true.
//!
//! [`Remembered`] has small values about objects, which are the same in every repository. [`Answers`] has answers of
//! Git that commits fix for ever, by repository, within a budget of bytes. **Invariant**: an answer is looked up only
//! for an object that this very request has found in its repository, or behind one of its refs. An object must not be
//! read in a repository from which it was removed.
//!
//! This module knows neither questions nor answers: a question is a type that implements [`Question`], beside the
//! function that answers it.

use std::any::{Any, TypeId};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use tenon_domain::file_path::FilePath;

use crate::oid::Oid;

/// Objects of which something is remembered; each takes some hundred bytes.
const MOST: usize = 50_000;

/// A value for each of a bounded number of objects. Those that were not asked for lately go first.
#[derive(Debug)]
pub(crate) struct Remembered<V>(Cache<Oid, V>);

impl<V: Copy> Remembered<V> {
    pub(crate) fn get(&self, id: Oid) -> Option<V> {
        self.0.get(&id)
    }

    pub(crate) fn put(&self, id: Oid, value: V) {
        self.0.insert(id, value);
    }
}

impl<V: Copy> Default for Remembered<V> {
    fn default() -> Self {
        Self(Cache::new(MOST))
    }
}

/// A question whose answer follows from the objects in it.
pub(crate) trait Question: Debug + Eq + Hash + Send + Sync + 'static {
    /// The type of its answer.
    type Answer: Size + Send + Sync + 'static;
}

/// A question of any type, as a part of a key.
trait AnyQuestion: Any + Debug + Send + Sync {
    fn is_same(&self, other: &dyn AnyQuestion) -> bool;

    fn hash_into(&self, state: &mut dyn Hasher);
}

impl<Q: Question> AnyQuestion for Q {
    fn is_same(&self, other: &dyn AnyQuestion) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Q>() == Some(self)
    }

    fn hash_into(&self, mut state: &mut dyn Hasher) {
        TypeId::of::<Q>().hash(&mut state);
        self.hash(&mut state);
    }
}

#[derive(Debug)]
struct Key {
    repository: PathBuf,
    question: Box<dyn AnyQuestion>,
}

/// A key that is only looked up.
struct KeyRef<'a> {
    repository: &'a Path,
    question: &'a dyn AnyQuestion,
}

impl Key {
    fn borrowed(&self) -> KeyRef<'_> {
        KeyRef { repository: &self.repository, question: self.question.as_ref() }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.borrowed().hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.borrowed().equivalent(other)
    }
}

impl Eq for Key {}

impl Hash for KeyRef<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.repository.hash(state);
        self.question.hash_into(state);
    }
}

impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.repository == key.repository && self.question.is_same(key.question.as_ref())
    }
}

/// Answers of Git, within a budget of bytes. Those that were not asked for lately go first.
#[derive(Debug)]
pub(crate) struct Answers {
    cache: Cache<Key, Answer, Bytes>,
    /// A larger answer would drive out too many others.
    largest: u64,
}

#[derive(Debug, Clone)]
struct Answer {
    value: Arc<dyn Any + Send + Sync>,
    bytes: u64,
}

#[derive(Debug, Clone)]
struct Bytes;

impl Weighter<Key, Answer> for Bytes {
    fn weight(&self, _key: &Key, answer: &Answer) -> u64 {
        answer.bytes
    }
}

/// Bytes of a question with its place among the answers.
const QUESTION: usize = 512;
/// Bytes of a usual answer.
const USUAL: u64 = 2048;

impl Answers {
    /// Answers that take no more than `bytes`; if that is 0, none are remembered.
    pub(crate) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self { cache: Cache::with_weighter(items, bytes, Bytes), largest: bytes / 32 }
    }

    /// The answer to a question about this repository, if it is remembered.
    pub(crate) fn get<Q: Question>(&self, repository: &Path, question: &Q) -> Option<Arc<Q::Answer>> {
        // The answer to a question of this type is never of another type.
        self.cache.get(&KeyRef { repository, question })?.value.downcast().ok()
    }

    /// Remembers an answer, unless it is large.
    pub(crate) fn put<Q: Question>(&self, repository: &Path, question: Q, value: Arc<Q::Answer>) {
        let bytes = u64::try_from(value.size().saturating_add(QUESTION)).unwrap_or(u64::MAX);
        if bytes <= self.largest {
            let key = Key { repository: repository.to_owned(), question: Box::new(question) };
            self.cache.insert(key, Answer { value, bytes });
        }
    }
}

/// The bytes that an answer takes, or a few more.
pub(crate) trait Size {
    fn size(&self) -> usize;
}

impl<T: Size> Size for Option<T> {
    fn size(&self) -> usize {
        self.as_ref().map_or(0, Size::size)
    }
}

impl<T: Size> Size for Vec<T> {
    fn size(&self) -> usize {
        self.iter().map(Size::size).sum()
    }
}

impl Size for u8 {
    fn size(&self) -> usize {
        1
    }
}

impl Size for bool {
    fn size(&self) -> usize {
        1
    }
}

impl Size for i64 {
    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

impl Size for Oid {
    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

impl Size for FilePath {
    fn size(&self) -> usize {
        Self::size(self)
    }
}

impl Size for String {
    fn size(&self) -> usize {
        size_of::<Self>() + self.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Content(u8);

    impl Question for Content {
        type Answer = Vec<u8>;
    }

    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Count(u8);

    impl Question for Count {
        type Answer = i64;
    }

    fn here() -> &'static Path {
        Path::new("/r")
    }

    #[test]
    fn answers_keep_within_their_budget() {
        let answers = Answers::new(64 << 10);
        for number in 0..=255 {
            answers.put(here(), Content(number), Arc::new(vec![number; 1000]));
        }
        assert!(answers.cache.weight() <= 64 << 10);
        let kept = (0..=255).filter_map(|number| answers.get(here(), &Content(number)).map(|it| (number, it)));
        let kept: Vec<(u8, Arc<Vec<u8>>)> = kept.collect();
        assert!(!kept.is_empty() && kept.iter().all(|(number, value)| **value == vec![*number; 1000]));
    }

    #[test]
    fn a_large_answer_is_not_kept_and_neither_is_any_without_a_budget() {
        for (budget, bytes) in [(64 << 10, 3000), (0, 1)] {
            let answers = Answers::new(budget);
            answers.put(here(), Content(1), Arc::new(vec![1_u8; bytes]));
            assert!(answers.get(here(), &Content(1)).is_none(), "{bytes} of {budget}");
        }
    }

    #[test]
    fn an_answer_is_that_of_its_repository_and_of_its_question() {
        let answers = Answers::new(1 << 20);
        answers.put(here(), Content(1), Arc::new(vec![7]));
        answers.put(here(), Count(1), Arc::new(42));
        assert_eq!(answers.get(here(), &Content(1)).as_deref(), Some(&vec![7]));
        assert_eq!(answers.get(here(), &Count(1)).as_deref(), Some(&42));
        assert!(answers.get(here(), &Count(2)).is_none());
        assert!(answers.get(Path::new("/other"), &Count(1)).is_none());
    }

    #[test]
    fn values_of_objects_have_a_bound() {
        let values = Remembered::<u32>::default();
        let id = |number: u32| {
            let mut bytes = [0; 20];
            bytes[..4].copy_from_slice(&number.to_be_bytes());
            Oid::from_raw(bytes)
        };
        let count = u32::try_from(2 * MOST).unwrap();
        for number in 0..count {
            values.put(id(number), number);
        }
        let kept = (0..count).filter(|number| values.get(id(*number)) == Some(*number)).count();
        assert!(0 < kept && kept < 2 * MOST, "{kept}");
    }
}
