//! Badges of projects and groups.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::badge::Badge;
use tenon_domain::container::Container;
use tenon_domain::id::BadgeId;
use tenon_domain::page::{Page, PageRequest};

use crate::db::connection::Backend;
use crate::db::expressions::in_subquery;
use crate::db::hierarchy::ancestors_of_project;
use crate::db::paging::page;
use crate::db::row::{naive, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::rows::container::{columns, container};
use crate::schema::badges;

#[derive(Queryable, Selectable)]
#[diesel(table_name = badges)]
struct BadgeRow {
    id: i64,
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: Option<String>,
    link_url: String,
    image_url: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<BadgeRow> for Badge {
    type Error = StoreError;

    fn try_from(row: BadgeRow) -> StoreResult<Self> {
        Ok(Self {
            id: BadgeId::new(row.id),
            container: container("badges", row.id, row.project_id, row.namespace_id)?,
            name: row.name,
            link_url: row.link_url,
            image_url: row.image_url,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = badges, treat_none_as_null = true)]
struct BadgeColumns<'a> {
    project_id: Option<i64>,
    namespace_id: Option<i64>,
    name: Option<&'a str>,
    link_url: &'a str,
    image_url: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Badge> for BadgeColumns<'a> {
    fn from(badge: &'a Badge) -> Self {
        let (project_id, namespace_id) = columns(badge.container);
        Self {
            project_id,
            namespace_id,
            name: badge.name.as_deref(),
            link_url: &badge.link_url,
            image_url: &badge.image_url,
            created_at: naive(badge.created_at),
            updated_at: naive(badge.updated_at),
        }
    }
}

type Query = badges::BoxedQuery<'static, Backend>;

/// The badges that a project has of its own and of the groups above it, or those of a group.
fn shown_in(container: Container) -> Query {
    let all = badges::table.into_boxed::<Backend>();
    match container {
        Container::Project(id) => {
            let above = in_subquery(badges::namespace_id, ancestors_of_project(id.get()));
            all.filter(badges::project_id.eq(id.get()).or(above))
        }
        Container::Group(id) => all.filter(badges::namespace_id.eq(id.get())),
    }
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<Badge>> {
    let rows: Vec<BadgeRow> = query.select(BadgeRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of the badges that a project or group shows, the oldest first: all, or those with this name.
pub fn list(
    tx: &mut ReadTx<'_>,
    container: Container,
    name: Option<&str>,
    request: PageRequest,
) -> StoreResult<Page<Badge>> {
    let matching = || match name {
        Some(name) => shown_in(container).filter(badges::name.eq(name.to_owned())),
        None => shown_in(container),
    };
    let total = matching().count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        load(tx, matching().order((badges::created_at, badges::id)).limit(limit).offset(offset))
    })
}

/// The oldest badges that a project or group shows.
pub fn first(tx: &mut ReadTx<'_>, container: Container, limit: i64) -> StoreResult<Vec<Badge>> {
    load(tx, shown_in(container).order((badges::created_at, badges::id)).limit(limit))
}

/// How many badges a project or group has of its own.
pub fn count(tx: &mut ReadTx<'_>, container: Container) -> StoreResult<i64> {
    Ok(match container {
        Container::Project(id) => badges::table.filter(badges::project_id.eq(id.get())).count().get_result(tx.conn)?,
        Container::Group(id) => badges::table.filter(badges::namespace_id.eq(id.get())).count().get_result(tx.conn)?,
    })
}

/// The badge of that id, if the project or group shows it.
pub fn find(tx: &mut ReadTx<'_>, container: Container, id: BadgeId) -> StoreResult<Option<Badge>> {
    Ok(load(tx, shown_in(container).filter(badges::id.eq(id.get())))?.pop())
}

/// Stores a new badge and yields its id; the id in `badge` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, badge: &Badge) -> StoreResult<BadgeId> {
    let id = diesel::insert_into(badges::table)
        .values(BadgeColumns::from(badge))
        .returning(badges::id)
        .get_result(tx.conn)?;
    Ok(BadgeId::new(id))
}

/// Stores a badge as it now is.
pub fn update(tx: &mut WriteTx<'_>, badge: &Badge) -> StoreResult<()> {
    diesel::update(badges::table.find(badge.id.get())).set(BadgeColumns::from(badge)).execute(tx.conn)?;
    Ok(())
}

/// Removes a badge.
pub fn delete(tx: &mut WriteTx<'_>, id: BadgeId) -> StoreResult<()> {
    diesel::delete(badges::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
