//! Links of releases.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{ProjectId, ReleaseLinkId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::release::{LinkType, ReleaseLink};

use crate::db::expressions::in_texts;
use crate::db::paging::page;
use crate::db::row::{Moment, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::release_links;

#[derive(Queryable, Selectable)]
#[diesel(table_name = release_links)]
struct LinkRow {
    id: i64,
    tag_name: String,
    name: String,
    url: String,
    filepath: Option<String>,
    link_type: String,
    created_at: Moment,
    updated_at: Moment,
}

impl TryFrom<LinkRow> for ReleaseLink {
    type Error = StoreError;

    fn try_from(row: LinkRow) -> StoreResult<Self> {
        Ok(Self {
            id: ReleaseLinkId::new(row.id),
            link_type: parsed("release_links", "link_type", row.id, &row.link_type, LinkType::parse)?,
            name: row.name,
            url: row.url,
            filepath: row.filepath,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = release_links, treat_none_as_null = true)]
struct LinkColumns<'a> {
    project_id: i64,
    tag_name: &'a str,
    name: &'a str,
    url: &'a str,
    filepath: Option<&'a str>,
    link_type: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> LinkColumns<'a> {
    fn new(project: ProjectId, tag: &'a str, link: &'a ReleaseLink) -> Self {
        Self {
            project_id: project.get(),
            tag_name: tag,
            name: &link.name,
            url: &link.url,
            filepath: link.filepath.as_deref(),
            link_type: link.link_type.as_str(),
            created_at: naive(link.created_at),
            updated_at: naive(link.updated_at),
        }
    }
}

/// All links of the releases of these tags, by tag, the newest first.
pub fn links(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    tags: &[String],
) -> StoreResult<HashMap<String, Vec<ReleaseLink>>> {
    let mut found: HashMap<String, Vec<ReleaseLink>> = HashMap::new();
    if tags.is_empty() {
        return Ok(found);
    }
    let rows: Vec<LinkRow> = release_links::table
        .filter(release_links::project_id.eq(project.get()))
        .filter(in_texts(release_links::tag_name, tags))
        .order(release_links::id.desc())
        .select(LinkRow::as_select())
        .load(tx.conn)?;
    for row in rows {
        found.entry(row.tag_name.clone()).or_default().push(row.try_into()?);
    }
    Ok(found)
}

/// One page of the links of a release, the newest first.
pub fn list_links(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    tag: &str,
    request: PageRequest,
) -> StoreResult<Page<ReleaseLink>> {
    let matching = || {
        release_links::table
            .filter(release_links::project_id.eq(project.get()))
            .filter(release_links::tag_name.eq(tag.to_owned()))
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = matching().order(release_links::id.desc()).limit(limit).offset(offset);
        let rows: Vec<LinkRow> = query.select(LinkRow::as_select()).load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// The link of that id, if it is one of this release.
pub fn find_link(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    tag: &str,
    id: ReleaseLinkId,
) -> StoreResult<Option<ReleaseLink>> {
    let row: Option<LinkRow> = release_links::table
        .find(id.get())
        .filter(release_links::project_id.eq(project.get()))
        .filter(release_links::tag_name.eq(tag))
        .select(LinkRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// Stores new links of a release, in this order, and returns their ids; the ids in `links` are ignored.
pub fn insert_links(
    tx: &mut WriteTx<'_>,
    project: ProjectId,
    tag: &str,
    links: &[ReleaseLink],
) -> StoreResult<Vec<ReleaseLinkId>> {
    let mut ids = Vec::with_capacity(links.len());
    for link in links {
        let id = diesel::insert_into(release_links::table)
            .values(LinkColumns::new(project, tag, link))
            .returning(release_links::id)
            .get_result(tx.conn)?;
        ids.push(ReleaseLinkId::new(id));
    }
    Ok(ids)
}

/// Stores a link as it now is.
pub fn update_link(tx: &mut WriteTx<'_>, project: ProjectId, tag: &str, link: &ReleaseLink) -> StoreResult<()> {
    diesel::update(release_links::table.find(link.id.get()))
        .set(LinkColumns::new(project, tag, link))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a link.
pub fn delete_link(tx: &mut WriteTx<'_>, id: ReleaseLinkId) -> StoreResult<()> {
    diesel::delete(release_links::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
