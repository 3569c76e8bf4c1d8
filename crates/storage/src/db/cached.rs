//! Answers that are looked up in the cache before the database is asked.

use std::sync::Arc;

use chrono::NaiveDate;
use diesel::prelude::*;

use super::connection::on_each;
use super::tx::ReadTx;
use crate::cache::access_cache::CacheKey;
use crate::error::StoreResult;
use crate::schema::access_revision;

impl ReadTx<'_> {
    /// What `compute` answers to `key`, from the cache where it is still true. `today` is what the answer depends on besides
    /// the database; `None` where it does not. A transaction that writes computes it each time: what it has changed is not
    /// committed.
    pub(crate) fn cached<K: CacheKey>(
        &mut self,
        key: K,
        today: Option<NaiveDate>,
        compute: impl FnOnce(&mut Self) -> StoreResult<K::Answer>,
    ) -> StoreResult<Arc<K::Answer>> {
        let Some(cache) = self.cache else { return compute(self).map(Arc::new) };
        let revision = if let Some(revision) = cache.revision() {
            revision
        } else {
            let found = on_each!(self.conn, c => access_revision::table.select(access_revision::value).first(c))?;
            cache.set_revision(found);
            found
        };
        let as_of = (revision, today);
        if let Some(answer) = cache.get(as_of, &key) {
            return Ok(answer);
        }
        let answer = Arc::new(compute(self)?);
        cache.insert(as_of, key, &answer);
        Ok(answer)
    }
}
