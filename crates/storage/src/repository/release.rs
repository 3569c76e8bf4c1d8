//! Release notes of tags.

use std::collections::HashMap;

use diesel::prelude::*;
use tenon_domain::id::ProjectId;
use tenon_domain::time::Timestamp;

use crate::error::StoreResult;
use crate::row::naive;
use crate::schema::releases;
use crate::unit_of_work::{ReadTx, WriteTx};

/// What is said about a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The tag.
    pub tag_name: String,
    /// Markdown.
    pub description: String,
}

/// The release notes of these tags of a project, by tag.
pub fn releases(tx: &mut ReadTx<'_>, project: ProjectId, tags: &[String]) -> StoreResult<HashMap<String, Release>> {
    let rows: Vec<(String, String)> = releases::table
        .filter(releases::project_id.eq(project.get()))
        .filter(releases::tag_name.eq_any(tags))
        .select((releases::tag_name, releases::description))
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|(tag_name, description)| (tag_name.clone(), Release { tag_name, description })).collect())
}

/// The release notes of one tag.
pub fn find_release(tx: &mut ReadTx<'_>, project: ProjectId, tag: &str) -> StoreResult<Option<Release>> {
    Ok(releases(tx, project, &[tag.to_owned()])?.remove(tag))
}

/// Stores new release notes.
pub fn insert_release(tx: &mut WriteTx<'_>, project: ProjectId, release: &Release, at: Timestamp) -> StoreResult<()> {
    diesel::insert_into(releases::table)
        .values((
            releases::project_id.eq(project.get()),
            releases::tag_name.eq(&release.tag_name),
            releases::description.eq(&release.description),
            releases::created_at.eq(naive(at)),
            releases::updated_at.eq(naive(at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// Stores release notes as they now are.
pub fn update_release(tx: &mut WriteTx<'_>, project: ProjectId, release: &Release, at: Timestamp) -> StoreResult<()> {
    diesel::update(releases::table.find((project.get(), &release.tag_name)))
        .set((releases::description.eq(&release.description), releases::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the release notes of a tag, if there are any.
pub fn remove_release(tx: &mut WriteTx<'_>, project: ProjectId, tag: &str) -> StoreResult<()> {
    diesel::delete(releases::table.find((project.get(), tag))).execute(tx.conn)?;
    Ok(())
}
