//! What was found out about objects. An object never changes, so that it holds for good, and in every repository.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::oid::Oid;

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
