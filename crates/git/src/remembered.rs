//! What was found out about objects. An object never changes, so that what follows from one holds for good.
//!
//! [`Remembered`] has small values about objects, which are the same in every repository. [`Answers`] has answers of Git
//! that commits fix for ever, by repository, within a budget of bytes. **Invariant**: an answer is looked up only for an
//! object that this very request has found in its repository, or behind one of its refs: what was in a repository once
//! must not be read there after it was removed.

use std::any::Any;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tenon_domain::file_path::FilePath;

use crate::blame::{Blame, BlameLines, BlameRange};
use crate::commit::{Commit, CommitQuery};
use crate::error::GitError;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::search::Match;
use crate::tree::{Depth, TreeEntry};
use crate::tree_path::LookupPath;

/// Objects of which something is remembered; each takes less than a hundred bytes.
const MOST: usize = 50_000;

/// A value for each of a bounded number of objects.
#[derive(Debug)]
pub(crate) struct Remembered<V>(Mutex<HashMap<Oid, V>>);

impl<V: Copy> Remembered<V> {
    pub(crate) fn get(&self, id: Oid) -> Option<V> {
        self.lock().get(&id).copied()
    }

    pub(crate) fn put(&self, id: Oid, value: V) {
        let mut known = self.lock();
        // What is asked for often is soon there again.
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(id, value);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Oid, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<V> Default for Remembered<V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// A question whose answer follows from the objects in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Question {
    /// The commit behind an object.
    CommitBehind(Oid),
    /// A commit.
    Commit(Oid),
    /// A list of commits: the query, how many are left out, and how many are listed.
    Commits(CommitQuery, i64, i64),
    /// How many commits there are.
    CommitCount(CommitQuery),
    /// Whether the first commit comes before the second one.
    Merged(Oid, Oid),
    /// The best common ancestor of two commits.
    MergeBase(Oid, Oid),
    /// What lies in a directory of a commit.
    Tree(Oid, Option<LookupPath>, Depth),
    /// What is at a path of a commit.
    Entry(Oid, LookupPath),
    /// The last commit that changed a path, from a commit backwards.
    LastCommit(Oid, LookupPath),
    /// The content of a blob.
    Blob(Oid),
    /// The lines of a file with their commits.
    Blame(Oid, LookupPath, Option<BlameLines>),
    /// Lines of the files of a commit that have a text.
    Lines(Oid, String, usize),
    /// Paths of the files of a commit that have a text.
    Paths(Oid, String, usize),
}

/// Answers of Git, within a budget of bytes. Those that were not asked for lately go first.
#[derive(Debug)]
pub(crate) struct Answers {
    cache: Cache<(PathBuf, Question), Answer, Bytes>,
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

impl Weighter<(PathBuf, Question), Answer> for Bytes {
    fn weight(&self, _key: &(PathBuf, Question), answer: &Answer) -> u64 {
        answer.bytes
    }
}

/// Bytes of a question with its place among the answers.
const QUESTION: usize = 512;
/// Bytes of a usual answer.
const USUAL: u64 = 2048;

impl Answers {
    /// Answers that take no more than `bytes`; none are remembered where that is 0.
    pub(crate) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self { cache: Cache::with_weighter(items, bytes, Bytes), largest: bytes / 32 }
    }

    fn get<T: Any + Send + Sync>(&self, key: &(PathBuf, Question)) -> Option<Arc<T>> {
        self.cache.get(key)?.value.downcast().ok()
    }

    fn put<T: Any + Send + Sync + Size>(&self, key: (PathBuf, Question), value: Arc<T>) {
        let bytes = u64::try_from(value.size().saturating_add(QUESTION)).unwrap_or(u64::MAX);
        if bytes <= self.largest {
            self.cache.insert(key, Answer { value, bytes });
        }
    }
}

impl Repository {
    /// The answer to this question: as it is remembered, or else by `find`, which must depend on nothing but the objects in
    /// the question. Failures are not remembered.
    pub(crate) fn remember<T: Any + Send + Sync + Size>(
        &self,
        question: Question,
        find: impl FnOnce() -> Result<T, GitError>,
    ) -> Result<Arc<T>, GitError> {
        let key = (self.path().to_owned(), question);
        if let Some(answer) = self.remembered().answers.get(&key) {
            return Ok(answer);
        }
        let answer = Arc::new(find()?);
        self.remembered().answers.put(key, Arc::clone(&answer));
        Ok(answer)
    }

    /// The answer to this question, where it is remembered.
    pub(crate) fn recall<T: Any + Send + Sync>(&self, question: Question) -> Option<Arc<T>> {
        self.remembered().answers.get(&(self.path().to_owned(), question))
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

impl Size for TreeEntry {
    fn size(&self) -> usize {
        size_of::<Self>() + self.path.size() + self.mode.len()
    }
}

impl Size for Commit {
    fn size(&self) -> usize {
        let people = [&self.author, &self.committer].map(|who| who.name.len() + who.email.len());
        size_of::<Self>() + self.message.len() + self.parents.size() + people.iter().sum::<usize>()
    }
}

impl Size for Match {
    fn size(&self) -> usize {
        size_of::<Self>() + self.path.size() + self.text.len()
    }
}

impl Size for Blame {
    fn size(&self) -> usize {
        match self {
            Self::Lines(ranges) => {
                let previous = |range: &BlameRange| range.previous.as_ref().map_or(0, |(_, path)| path.size());
                ranges.iter().map(|range| range.commit.size() + range.lines.size() + previous(range)).sum()
            }
            Self::TooManyLines => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(number: u8) -> (PathBuf, Question) {
        (PathBuf::from("/r"), Question::Blob(Oid::from_raw([number; 20])))
    }

    #[test]
    fn answers_keep_within_their_budget() {
        let answers = Answers::new(64 << 10);
        for number in 0..=255 {
            answers.put(question(number), Arc::new(vec![number; 1000]));
        }
        assert!(answers.cache.weight() <= 64 << 10);
        let kept = (0..=255).filter_map(|number| answers.get::<Vec<u8>>(&question(number)).map(|it| (number, it)));
        let kept: Vec<(u8, Arc<Vec<u8>>)> = kept.collect();
        assert!(!kept.is_empty() && kept.iter().all(|(number, value)| **value == vec![*number; 1000]));
    }

    #[test]
    fn a_large_answer_is_not_kept_and_neither_is_any_without_a_budget() {
        for (budget, bytes) in [(64 << 10, 3000), (0, 1)] {
            let answers = Answers::new(budget);
            answers.put(question(1), Arc::new(vec![1_u8; bytes]));
            assert!(answers.get::<Vec<u8>>(&question(1)).is_none(), "{bytes} of {budget}");
        }
    }
}
