//! Releases of tags, their links and their milestones.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

mod link;
mod milestone;

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::release::Release;

use crate::db::connection::Backend;
use crate::db::expressions::in_texts;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::StoreResult;
use crate::schema::releases;

pub use link::{delete_link, find_link, insert_links, links, list_links, update_link};
pub use milestone::{milestones, set_milestones};

#[derive(Queryable, Selectable)]
#[diesel(table_name = releases)]
struct ReleaseRow {
    project_id: i64,
    tag_name: String,
    name: Option<String>,
    description: String,
    author_id: Option<i64>,
    created_at: Moment,
    updated_at: Moment,
    released_at: Moment,
}

impl From<ReleaseRow> for Release {
    fn from(row: ReleaseRow) -> Self {
        Self {
            project: ProjectId::new(row.project_id),
            tag_name: row.tag_name,
            name: row.name,
            description: row.description,
            author: row.author_id.map(UserId::new),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
            released_at: utc(row.released_at),
        }
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = releases, treat_none_as_null = true)]
struct ReleaseColumns<'a> {
    project_id: i64,
    tag_name: &'a str,
    name: Option<&'a str>,
    description: &'a str,
    author_id: Option<i64>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    released_at: NaiveDateTime,
}

impl<'a> From<&'a Release> for ReleaseColumns<'a> {
    fn from(release: &'a Release) -> Self {
        Self {
            project_id: release.project.get(),
            tag_name: &release.tag_name,
            name: release.name.as_deref(),
            description: &release.description,
            author_id: release.author.map(UserId::get),
            created_at: naive(release.created_at),
            updated_at: naive(release.updated_at),
            released_at: naive(release.released_at),
        }
    }
}

/// The order of a list of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseOrder {
    /// When they were released.
    ReleasedAt,
    /// When they were made.
    CreatedAt,
}

type Query = releases::BoxedQuery<'static, Backend>;

fn of_project(project: ProjectId) -> Query {
    releases::table.filter(releases::project_id.eq(project.get())).into_boxed::<Backend>()
}

/// One page of the releases of a project, the newest first unless `ascending`.
pub fn list(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    order: ReleaseOrder,
    ascending: bool,
    request: PageRequest,
) -> StoreResult<Page<Release>> {
    let total = of_project(project).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = of_project(project).select(ReleaseRow::as_select()).limit(limit).offset(offset);
        let (released, created, tag) = (releases::released_at, releases::created_at, releases::tag_name);
        let query = match (order, ascending) {
            (ReleaseOrder::ReleasedAt, true) => query.order((released.asc(), tag.asc())),
            (ReleaseOrder::ReleasedAt, false) => query.order((released.desc(), tag.desc())),
            (ReleaseOrder::CreatedAt, true) => query.order((created.asc(), tag.asc())),
            (ReleaseOrder::CreatedAt, false) => query.order((created.desc(), tag.desc())),
        };
        let rows: Vec<ReleaseRow> = query.load(tx.conn)?;
        Ok(rows.into_iter().map(Into::into).collect())
    })
}

/// The releases of these tags of a project, by tag.
pub fn by_tags(tx: &mut ReadTx<'_>, project: ProjectId, tags: &[String]) -> StoreResult<HashMap<String, Release>> {
    if tags.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<ReleaseRow> = releases::table
        .filter(releases::project_id.eq(project.get()))
        .filter(in_texts(releases::tag_name, tags))
        .select(ReleaseRow::as_select())
        .load(tx.conn)?;
    Ok(rows.into_iter().map(|row| (row.tag_name.clone(), row.into())).collect())
}

/// The release of one tag.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, tag: &str) -> StoreResult<Option<Release>> {
    Ok(by_tags(tx, project, &[tag.to_owned()])?.remove(tag))
}

/// Stores a new release. Fails with [`crate::UniqueKey::Release`].
pub fn insert(tx: &mut WriteTx<'_>, release: &Release) -> StoreResult<()> {
    diesel::insert_into(releases::table).values(ReleaseColumns::from(release)).execute(tx.conn)?;
    Ok(())
}

/// Stores a release as it now is.
pub fn update(tx: &mut WriteTx<'_>, release: &Release) -> StoreResult<()> {
    diesel::update(releases::table.find((release.project.get(), &release.tag_name)))
        .set(ReleaseColumns::from(release))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes the release of a tag with its links, if there is one.
pub fn delete(tx: &mut WriteTx<'_>, project: ProjectId, tag: &str) -> StoreResult<()> {
    diesel::delete(releases::table.find((project.get(), tag))).execute(tx.conn)?;
    Ok(())
}
