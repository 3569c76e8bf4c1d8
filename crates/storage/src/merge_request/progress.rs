//! How far users have read the changes of merge requests.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::{IssuableId, UserId, VersionId};

use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::{seen_versions, viewed_files};

/// The files that a user has viewed: the digest of the changes of each, by path.
pub fn viewed_files(tx: &mut ReadTx<'_>, of: IssuableId, user: UserId) -> StoreResult<HashMap<String, String>> {
    let rows: Vec<(String, String)> = viewed_files::table
        .filter(viewed_files::user_id.eq(user.get()))
        .filter(viewed_files::issuable_id.eq(of.get()))
        .select((viewed_files::path, viewed_files::digest))
        .load(tx.conn)?;
    Ok(rows.into_iter().collect())
}

/// How many files a user has viewed.
pub fn count_viewed_files(tx: &mut ReadTx<'_>, of: IssuableId, user: UserId) -> StoreResult<i64> {
    let own =
        viewed_files::table.filter(viewed_files::user_id.eq(user.get())).filter(viewed_files::issuable_id.eq(of.get()));
    Ok(own.count().get_result(tx.conn)?)
}

/// A user has viewed a file, whose changes have this digest.
pub fn insert_viewed_file(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    user: UserId,
    path: &str,
    digest: &str,
) -> StoreResult<()> {
    delete_viewed_file(tx, of, user, path)?;
    diesel::insert_into(viewed_files::table)
        .values((
            viewed_files::user_id.eq(user.get()),
            viewed_files::issuable_id.eq(of.get()),
            viewed_files::path.eq(path),
            viewed_files::digest.eq(digest),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// A user has not viewed a file after all.
pub fn delete_viewed_file(tx: &mut WriteTx<'_>, of: IssuableId, user: UserId, path: &str) -> StoreResult<()> {
    diesel::delete(viewed_files::table.find((user.get(), of.get(), path))).execute(tx.conn)?;
    Ok(())
}

/// The version up to which a user has seen the changes; none if they have not looked.
pub fn seen_version(tx: &mut ReadTx<'_>, of: IssuableId, user: UserId) -> StoreResult<Option<VersionId>> {
    let found: Option<i64> = seen_versions::table
        .find((user.get(), of.get()))
        .select(seen_versions::version_id)
        .first(tx.conn)
        .optional()?;
    Ok(found.map(VersionId::new))
}

/// A user has seen the changes up to this version.
pub fn set_seen_version(tx: &mut WriteTx<'_>, of: IssuableId, user: UserId, version: VersionId) -> StoreResult<()> {
    diesel::delete(seen_versions::table.find((user.get(), of.get()))).execute(tx.conn)?;
    diesel::insert_into(seen_versions::table)
        .values((
            seen_versions::user_id.eq(user.get()),
            seen_versions::issuable_id.eq(of.get()),
            seen_versions::version_id.eq(version.get()),
        ))
        .execute(tx.conn)?;
    Ok(())
}
