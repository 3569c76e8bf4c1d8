//! The state of a merge request after each push.

use std::collections::HashSet;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{IssuableId, VersionId};
use tenon_domain::merge_request::{DiffRefs, Version};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::merge_request_versions;

#[derive(Queryable, Selectable)]
#[diesel(table_name = merge_request_versions)]
struct VersionRow {
    id: i64,
    issuable_id: i64,
    base_sha: String,
    start_sha: String,
    head_sha: String,
    commits_count: i64,
    changes_count: i64,
    overflow: bool,
    patch_id_sha: Option<String>,
    created_at: NaiveDateTime,
}

impl From<VersionRow> for Version {
    fn from(row: VersionRow) -> Self {
        Self {
            id: VersionId::new(row.id),
            of: IssuableId::new(row.issuable_id),
            diff: DiffRefs {
                base: row.base_sha,
                start: row.start_sha,
                head: row.head_sha,
                commits_count: row.commits_count,
                changes_count: row.changes_count,
                overflow: row.overflow,
            },
            patch_id: row.patch_id_sha,
            created_at: utc(row.created_at),
        }
    }
}

/// Stores one more version.
pub fn insert_version(
    tx: &mut WriteTx<'_>,
    of: IssuableId,
    diff: &DiffRefs,
    patch_id: Option<&str>,
    at: Timestamp,
) -> StoreResult<()> {
    diesel::insert_into(merge_request_versions::table)
        .values((
            merge_request_versions::issuable_id.eq(of.get()),
            merge_request_versions::base_sha.eq(&diff.base),
            merge_request_versions::start_sha.eq(&diff.start),
            merge_request_versions::head_sha.eq(&diff.head),
            merge_request_versions::commits_count.eq(diff.commits_count),
            merge_request_versions::changes_count.eq(diff.changes_count),
            merge_request_versions::overflow.eq(diff.overflow),
            merge_request_versions::patch_id_sha.eq(patch_id),
            merge_request_versions::created_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// One page of the versions, newest first.
pub fn versions(tx: &mut ReadTx<'_>, of: IssuableId, request: PageRequest) -> StoreResult<Page<Version>> {
    let all = || merge_request_versions::table.filter(merge_request_versions::issuable_id.eq(of.get()));
    let total = all().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let rows: Vec<VersionRow> = all()
            .order(merge_request_versions::id.desc())
            .limit(limit)
            .offset(offset)
            .select(VersionRow::as_select())
            .load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// The version that was stored last.
pub fn newest_version(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<Option<Version>> {
    let row: Option<VersionRow> = merge_request_versions::table
        .filter(merge_request_versions::issuable_id.eq(of.get()))
        .order(merge_request_versions::id.desc())
        .select(VersionRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.map(Into::into))
}

/// One version.
pub fn version(tx: &mut ReadTx<'_>, of: IssuableId, id: VersionId) -> StoreResult<Option<Version>> {
    let row: Option<VersionRow> = merge_request_versions::table
        .find(id.get())
        .filter(merge_request_versions::issuable_id.eq(of.get()))
        .select(VersionRow::as_select())
        .first(tx.conn)
        .optional()?;
    Ok(row.map(Into::into))
}

/// The heads of all versions.
pub fn known_heads(tx: &mut ReadTx<'_>, of: IssuableId) -> StoreResult<HashSet<String>> {
    let heads: Vec<String> = merge_request_versions::table
        .filter(merge_request_versions::issuable_id.eq(of.get()))
        .select(merge_request_versions::head_sha)
        .distinct()
        .load(tx.conn)?;
    Ok(heads.into_iter().collect())
}
