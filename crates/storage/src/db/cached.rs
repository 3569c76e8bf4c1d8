//! Answers that are looked up in the cache before the database is asked.

use std::sync::Arc;

use chrono::NaiveDate;
use diesel::prelude::*;

use super::connection::on_each;
use super::tx::ReadTx;
use crate::cache::access_cache::{Access, AsOf, CacheKey};
use crate::error::StoreResult;
use crate::schema::access_revision;

impl ReadTx<'_> {
    /// The answer of `compute` to `key`, from the cache if it is still true. `today` is the day on which the answer
    /// depends; `None` if it does not. A transaction that writes computes it each time: its own changes are not
    /// committed.
    pub(crate) fn cached<K: CacheKey>(
        &mut self,
        key: K,
        today: Option<NaiveDate>,
        compute: impl FnOnce(&mut Self) -> StoreResult<K::Answer>,
    ) -> StoreResult<Arc<K::Answer>> {
        match self.cache.access() {
            Access::Writes => return compute(self).map(Arc::new),
            Access::Reads => {}
        }
        let revision = if let Some(revision) = self.cache.revision() {
            revision
        } else {
            let found = on_each!(self.conn, c => access_revision::table.select(access_revision::value).first(c))?;
            self.saw_revision(Some(found));
            found
        };
        self.cached_as_of((revision, today), key, compute)
    }

    /// As [`Self::cached`], also in a transaction that writes, if it has seen the revision: for answers on which nothing has
    /// an effect that a transaction changes without [`Self::forget_revision`].
    pub(crate) fn cached_while_writing<K: CacheKey>(
        &mut self,
        key: K,
        compute: impl FnOnce(&mut Self) -> StoreResult<K::Answer>,
    ) -> StoreResult<Arc<K::Answer>> {
        match (self.cache.access(), self.cache.revision()) {
            (Access::Writes, None) => compute(self).map(Arc::new),
            (Access::Writes, Some(revision)) => self.cached_as_of((revision, None), key, compute),
            (Access::Reads, _) => self.cached(key, None, compute),
        }
    }

    fn cached_as_of<K: CacheKey>(
        &mut self,
        as_of: AsOf,
        key: K,
        compute: impl FnOnce(&mut Self) -> StoreResult<K::Answer>,
    ) -> StoreResult<Arc<K::Answer>> {
        if let Some(answer) = self.cache.get(as_of, &key) {
            return Ok(answer);
        }
        let answer = Arc::new(compute(self)?);
        self.cache.insert(as_of, key, &answer);
        Ok(answer)
    }

    /// Notes the revision, if a statement has read it beside something else.
    pub(crate) fn saw_revision(&self, revision: Option<i64>) {
        if revision.is_some() {
            self.cache.set_revision(revision);
        }
    }

    /// Notes that this transaction has changed what [`Self::cached_while_writing`] answers.
    pub(crate) fn forget_revision(&self) {
        self.cache.set_revision(None);
    }
}
