//! Environments of projects.

#![expect(clippy::ref_option_ref, reason = "what the derive makes of optional columns")]

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::dsl::exists;
use diesel::prelude::*;
use tenon_domain::environment::{AutoStop, Environment, EnvironmentState, Tier};
use tenon_domain::id::{EnvironmentId, ProjectId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::predicate::contains;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{deployments, environments};

#[derive(Queryable, Selectable)]
#[diesel(table_name = environments)]
struct EnvironmentRow {
    id: i64,
    project_id: i64,
    name: String,
    slug: String,
    tier: String,
    state: String,
    external_url: Option<String>,
    description: Option<String>,
    auto_stop: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<EnvironmentRow> for Environment {
    type Error = StoreError;

    fn try_from(row: EnvironmentRow) -> StoreResult<Self> {
        Ok(Self {
            id: EnvironmentId::new(row.id),
            project: ProjectId::new(row.project_id),
            name: row.name,
            slug: row.slug,
            tier: parsed("environments", "tier", row.id, &row.tier, Tier::parse)?,
            state: parsed("environments", "state", row.id, &row.state, EnvironmentState::parse)?,
            external_url: row.external_url,
            description: row.description,
            auto_stop: parsed("environments", "auto_stop", row.id, &row.auto_stop, AutoStop::parse)?,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = environments, treat_none_as_null = true)]
struct EnvironmentColumns<'a> {
    project_id: i64,
    name: &'a str,
    slug: &'a str,
    tier: &'a str,
    state: &'a str,
    external_url: Option<&'a str>,
    description: Option<&'a str>,
    auto_stop: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl<'a> From<&'a Environment> for EnvironmentColumns<'a> {
    fn from(environment: &'a Environment) -> Self {
        Self {
            project_id: environment.project.get(),
            name: &environment.name,
            slug: &environment.slug,
            tier: environment.tier.as_str(),
            state: environment.state.as_str(),
            external_url: environment.external_url.as_deref(),
            description: environment.description.as_deref(),
            auto_stop: environment.auto_stop.as_str(),
            created_at: naive(environment.created_at),
            updated_at: naive(environment.updated_at),
        }
    }
}

/// Which environments of a project a list has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentFilter {
    /// The project.
    pub project: ProjectId,
    /// The one of this name.
    pub name: Option<String>,
    /// Those whose name contains this, whatever the case.
    pub search: Option<String>,
    /// Those in this state.
    pub state: Option<EnvironmentState>,
}

impl EnvironmentFilter {
    /// All of a project.
    #[must_use]
    pub const fn of(project: ProjectId) -> Self {
        Self { project, name: None, search: None, state: None }
    }
}

type Query = environments::BoxedQuery<'static, Backend>;

fn of(project: ProjectId) -> Query {
    environments::table.filter(environments::project_id.eq(project.get())).into_boxed::<Backend>()
}

fn filtered(filter: &EnvironmentFilter) -> Query {
    let mut query = of(filter.project);
    if let Some(name) = &filter.name {
        query = query.filter(environments::name.eq(name.clone()));
    }
    if let Some(search) = &filter.search {
        query = query.filter(contains(environments::name, &search.to_lowercase()));
    }
    if let Some(state) = filter.state {
        query = query.filter(environments::state.eq(state.as_str()));
    }
    query
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<Environment>> {
    let rows: Vec<EnvironmentRow> = query.select(EnvironmentRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of those that match, the oldest first.
pub fn list(tx: &mut ReadTx<'_>, filter: &EnvironmentFilter, request: PageRequest) -> StoreResult<Page<Environment>> {
    let total = count(tx, filter)?;
    page(request, total, |limit, offset| load(tx, filtered(filter).order(environments::id).limit(limit).offset(offset)))
}

/// How many match.
pub fn count(tx: &mut ReadTx<'_>, filter: &EnvironmentFilter) -> StoreResult<i64> {
    Ok(filtered(filter).count().get_result(tx.conn)?)
}

/// The environment of that id, if it belongs to the project.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, id: EnvironmentId) -> StoreResult<Option<Environment>> {
    Ok(load(tx, of(project).filter(environments::id.eq(id.get())))?.pop())
}

/// The environment of that name.
pub fn find_named(tx: &mut ReadTx<'_>, project: ProjectId, name: &str) -> StoreResult<Option<Environment>> {
    Ok(load(tx, of(project).filter(environments::name.eq(name.to_owned())))?.pop())
}

/// The environments of these ids.
pub fn by_ids(tx: &mut ReadTx<'_>, ids: &[EnvironmentId]) -> StoreResult<HashMap<EnvironmentId, Environment>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<EnvironmentRow> = environments::table
        .filter(in_ids(environments::id, ids, EnvironmentId::get))
        .select(EnvironmentRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(|row| Environment::try_from(row).map(|found| (found.id, found))).collect()
}

/// True if an environment of the project has this slug.
pub fn has_slug(tx: &mut ReadTx<'_>, project: ProjectId, slug: &str) -> StoreResult<bool> {
    let having = of(project).filter(environments::slug.eq(slug.to_owned())).select(environments::id);
    Ok(having.first::<i64>(tx.conn).optional()?.is_some())
}

/// The available environments of a project that were changed before a moment, and to which nothing was deployed since:
/// so many at most, the oldest first.
pub fn stale(tx: &mut ReadTx<'_>, project: ProjectId, before: Timestamp, limit: i64) -> StoreResult<Vec<Environment>> {
    let since = deployments::table
        .filter(deployments::environment_id.eq(environments::id))
        .filter(deployments::created_at.ge(naive(before)));
    let query = of(project)
        .filter(environments::state.eq(EnvironmentState::Available.as_str()))
        .filter(environments::updated_at.lt(naive(before)))
        .filter(diesel::dsl::not(exists(since)));
    load(tx, query.order(environments::id).limit(limit))
}

/// The stopped environments of a project that were made before a moment and whose name has a folder: so many at most,
/// the oldest first.
pub fn stopped_in_folders(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    before: Timestamp,
    limit: i64,
) -> StoreResult<Vec<Environment>> {
    let query = of(project)
        .filter(environments::state.eq(EnvironmentState::Stopped.as_str()))
        .filter(environments::created_at.lt(naive(before)))
        .filter(environments::name.like("%/%"));
    load(tx, query.order(environments::id).limit(limit))
}

/// Stores a new environment and yields its id; the id in `environment` is ignored. Fails with
/// [`crate::UniqueKey::EnvironmentName`].
pub fn insert(tx: &mut WriteTx<'_>, environment: &Environment) -> StoreResult<EnvironmentId> {
    let id = diesel::insert_into(environments::table)
        .values(EnvironmentColumns::from(environment))
        .returning(environments::id)
        .get_result(tx.conn)?;
    Ok(EnvironmentId::new(id))
}

/// Stores an environment as it now is. Fails with [`crate::UniqueKey::EnvironmentName`].
pub fn update(tx: &mut WriteTx<'_>, environment: &Environment) -> StoreResult<()> {
    diesel::update(environments::table.find(environment.id.get()))
        .set(EnvironmentColumns::from(environment))
        .execute(tx.conn)?;
    Ok(())
}

/// Stops these environments.
pub fn stop_all(tx: &mut WriteTx<'_>, ids: &[EnvironmentId], at: Timestamp) -> StoreResult<()> {
    let state = EnvironmentState::Stopped.as_str();
    diesel::update(environments::table.filter(in_ids(environments::id, ids, EnvironmentId::get)))
        .set((environments::state.eq(state), environments::updated_at.eq(naive(at))))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes these environments with their deployments.
pub fn delete_all(tx: &mut WriteTx<'_>, ids: &[EnvironmentId]) -> StoreResult<()> {
    diesel::delete(environments::table.filter(in_ids(environments::id, ids, EnvironmentId::get))).execute(tx.conn)?;
    Ok(())
}

/// Removes an environment with its deployments.
pub fn delete(tx: &mut WriteTx<'_>, id: EnvironmentId) -> StoreResult<()> {
    diesel::delete(environments::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
