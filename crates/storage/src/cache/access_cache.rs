//! Answers about access and the settings, kept until something changes on which they depend.
//!
//! Nearly every list asks what the viewer may see; memberships, shares and groups change seldom. An answer is kept with
//! the revision of access at which it was found: triggers of the database draw another revision with every change of
//! the tables that answers are computed from (migrations, `access_revision`), so that no write of any process can
//! forget it. A snapshot sees the revision and the tables as of one moment: the same revision means the same answer.
//! Revisions are drawn at random and not counted, so that a database that is restored from a backup never comes to one
//! that meant something else.
//!
//! This module knows neither questions nor answers: a question is a type that implements [`CacheKey`].

use std::any::{Any, TypeId};
use std::cell::Cell;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use chrono::NaiveDate;

/// A question.
pub trait CacheKey: Hash + Eq + Send + Sync + 'static {
    /// The value that answers it.
    type Answer: Weight + Send + Sync + 'static;
}

/// How much room an answer takes.
pub trait Weight {
    /// How many ids it has.
    fn weight(&self) -> usize;
}

impl Weight for i64 {
    fn weight(&self) -> usize {
        0
    }
}

/// The answers that a process keeps of one database: a map for each kind of question.
#[derive(Default)]
pub struct AccessCache {
    maps: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl AccessCache {
    fn map<K: CacheKey>(&self) -> Arc<CacheMap<K>> {
        let kind = TypeId::of::<K>();
        let known = self.maps.read().unwrap_or_else(PoisonError::into_inner).get(&kind).map(Arc::clone);
        let map = known.unwrap_or_else(|| {
            let mut maps = self.maps.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(maps.entry(kind).or_insert_with(|| Arc::new(CacheMap::<K>::default())))
        });
        // The map of a kind is never of another type.
        map.downcast().unwrap_or_default()
    }
}

/// When an answer was true: the revision of access, and the day if the answer depends on it.
pub type AsOf = (i64, Option<NaiveDate>);

/// The kind of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// It reads one snapshot.
    Reads,
    /// It may change what answers depend on.
    Writes,
}

/// The cache as one transaction may use it.
pub struct CacheHandle<'c> {
    cache: &'c AccessCache,
    access: Access,
    revision: Cell<Option<i64>>,
}

impl<'c> CacheHandle<'c> {
    /// The cache of a database, for a transaction that does this.
    #[must_use]
    pub const fn new(cache: &'c AccessCache, access: Access) -> Self {
        Self { cache, access, revision: Cell::new(None) }
    }

    /// The kind of the transaction.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }

    /// The revision that the transaction has seen last.
    #[must_use]
    pub const fn revision(&self) -> Option<i64> {
        self.revision.get()
    }

    /// Notes the revision that the transaction sees; `None` if it has just made another.
    pub fn set_revision(&self, revision: Option<i64>) {
        self.revision.set(revision);
    }

    /// The answer that is kept, if it was true then.
    #[must_use]
    pub fn get<K: CacheKey>(&self, as_of: AsOf, key: &K) -> Option<Arc<K::Answer>> {
        self.cache.map::<K>().get(as_of, key)
    }

    /// How many ids the kept answers to this kind of question have together, at most [`CAPACITY`].
    #[must_use]
    pub fn weight<K: CacheKey>(&self) -> usize {
        self.cache.map::<K>().0.lock().unwrap_or_else(PoisonError::into_inner).weight
    }

    /// Keeps an answer.
    pub fn insert<K: CacheKey>(&self, as_of: AsOf, key: K, answer: &Arc<K::Answer>) {
        self.cache.map::<K>().insert(as_of, key, answer);
    }
}

/// The answers to one kind of question, all of the same revision and day.
struct CacheMap<K: CacheKey>(Mutex<Kept<K>>);

struct Kept<K: CacheKey> {
    as_of: Option<AsOf>,
    answers: HashMap<K, Arc<K::Answer>>,
    weight: usize,
}

/// How many ids all answers to one kind of question may have together, some ten megabytes.
pub const CAPACITY: usize = 500_000;

/// The weight of an answer besides its ids, in ids.
pub const OVERHEAD: usize = 16;

impl<K: CacheKey> Kept<K> {
    fn empty(as_of: Option<AsOf>) -> Self {
        Self { as_of, answers: HashMap::new(), weight: 0 }
    }
}

impl<K: CacheKey> Default for CacheMap<K> {
    fn default() -> Self {
        Self(Mutex::new(Kept::empty(None)))
    }
}

impl<K: CacheKey> CacheMap<K> {
    fn get(&self, as_of: AsOf, key: &K) -> Option<Arc<K::Answer>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_of == Some(as_of) { kept.answers.get(key).map(Arc::clone) } else { None }
    }

    fn insert(&self, as_of: AsOf, key: K, answer: &Arc<K::Answer>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let weight = answer.weight().saturating_add(OVERHEAD);
        if weight > CAPACITY {
            return;
        }
        if kept.as_of != Some(as_of) || kept.weight.saturating_add(weight) > CAPACITY {
            *kept = Kept::empty(Some(as_of));
        }
        if kept.answers.insert(key, Arc::clone(answer)).is_none() {
            kept.weight = kept.weight.saturating_add(weight);
        }
    }
}
