//! Which lists of commits are counted now, while their answers were sent without a total.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tenon_git::commit::CommitQuery;

/// Lists that are counted at once. Threads for long questions to Git bound what a client may take of them.
const AT_ONCE: usize = 16;

/// A list in the repository at this path.
type List = (PathBuf, CommitQuery);

/// The counts that are under way, by their repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counting(Arc<Mutex<HashSet<List>>>);

/// That something is counted, until it is dropped.
pub(crate) struct Count {
    counting: Counting,
    key: List,
}

impl Counting {
    /// `None` if the same is counted already, or too much else is.
    pub(crate) fn begin(&self, key: List) -> Option<Count> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (counted.len() < AT_ONCE && counted.insert(key.clone())).then(|| Count { counting: self.clone(), key })
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.counting.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}
