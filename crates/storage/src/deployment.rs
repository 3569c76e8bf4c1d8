//! Deployments of projects.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::dsl::max;
use diesel::prelude::*;
use tenon_domain::deployment::{Deployment, DeploymentStatus};
use tenon_domain::id::{DeploymentId, EnvironmentId, Iid, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::in_ids;
use crate::db::paging::page;
use crate::db::row::{inclusive, naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::deployments;

#[derive(Queryable, Selectable)]
#[diesel(table_name = deployments)]
struct DeploymentRow {
    id: i64,
    project_id: i64,
    iid: i64,
    environment_id: i64,
    ref_name: String,
    tag: bool,
    sha: String,
    user_id: Option<i64>,
    status: String,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    finished_at: Option<NaiveDateTime>,
}

impl TryFrom<DeploymentRow> for Deployment {
    type Error = StoreError;

    fn try_from(row: DeploymentRow) -> StoreResult<Self> {
        Ok(Self {
            id: DeploymentId::new(row.id),
            project: ProjectId::new(row.project_id),
            iid: Iid::new(row.iid),
            environment: EnvironmentId::new(row.environment_id),
            ref_name: row.ref_name,
            tag: row.tag,
            sha: row.sha,
            user: row.user_id.map(UserId::new),
            status: parsed("deployments", "status", row.id, &row.status, DeploymentStatus::parse)?,
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
            finished_at: row.finished_at.map(utc),
        })
    }
}

#[derive(Insertable, AsChangeset)]
#[diesel(table_name = deployments, treat_none_as_null = true)]
struct DeploymentColumns<'a> {
    project_id: i64,
    iid: i64,
    environment_id: i64,
    ref_name: &'a str,
    tag: bool,
    sha: &'a str,
    user_id: Option<i64>,
    status: &'a str,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
    finished_at: Option<NaiveDateTime>,
}

impl<'a> From<&'a Deployment> for DeploymentColumns<'a> {
    fn from(deployment: &'a Deployment) -> Self {
        Self {
            project_id: deployment.project.get(),
            iid: deployment.iid.get(),
            environment_id: deployment.environment.get(),
            ref_name: &deployment.ref_name,
            tag: deployment.tag,
            sha: &deployment.sha,
            user_id: deployment.user.map(UserId::get),
            status: deployment.status.as_str(),
            created_at: naive(deployment.created_at),
            updated_at: naive(deployment.updated_at),
            finished_at: deployment.finished_at.map(naive),
        }
    }
}

/// Which deployments of a project a list has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentFilter {
    /// The project.
    pub project: ProjectId,
    /// Those of this environment.
    pub environment: Option<EnvironmentId>,
    /// Those in this state.
    pub status: Option<DeploymentStatus>,
    /// Those that were changed from this moment on.
    pub updated_after: Option<Timestamp>,
    /// Those that were changed up to this moment.
    pub updated_before: Option<Timestamp>,
    /// Those that ended from this moment on.
    pub finished_after: Option<Timestamp>,
    /// Those that ended up to this moment.
    pub finished_before: Option<Timestamp>,
}

impl DeploymentFilter {
    /// All of a project.
    #[must_use]
    pub const fn of(project: ProjectId) -> Self {
        Self {
            project,
            environment: None,
            status: None,
            updated_after: None,
            updated_before: None,
            finished_after: None,
            finished_before: None,
        }
    }
}

/// The order of a list of deployments. Ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DeploymentOrder {
    /// Id.
    #[default]
    Id,
    /// The number within the project.
    Iid,
    /// The moment of the report.
    CreatedAt,
    /// The moment of the last change.
    UpdatedAt,
    /// The moment of the end.
    FinishedAt,
    /// The branch or tag.
    Ref,
}

type Query = deployments::BoxedQuery<'static, Backend>;

fn of(project: ProjectId) -> Query {
    deployments::table.filter(deployments::project_id.eq(project.get())).into_boxed::<Backend>()
}

fn filtered(filter: &DeploymentFilter) -> Query {
    let mut query = of(filter.project);
    if let Some(environment) = filter.environment {
        query = query.filter(deployments::environment_id.eq(environment.get()));
    }
    if let Some(status) = filter.status {
        query = query.filter(deployments::status.eq(status.as_str()));
    }
    if let Some(from) = filter.updated_after {
        query = query.filter(deployments::updated_at.ge(naive(from)));
    }
    if let Some(until) = filter.updated_before {
        query = query.filter(deployments::updated_at.le(inclusive(until)));
    }
    if let Some(from) = filter.finished_after {
        query = query.filter(deployments::finished_at.ge(naive(from)));
    }
    if let Some(until) = filter.finished_before {
        query = query.filter(deployments::finished_at.le(inclusive(until)));
    }
    query
}

fn load(tx: &mut ReadTx<'_>, query: Query) -> StoreResult<Vec<Deployment>> {
    let rows: Vec<DeploymentRow> = query.select(DeploymentRow::as_select()).load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// One page of those that match, falling if `descending`.
pub fn list(
    tx: &mut ReadTx<'_>,
    filter: &DeploymentFilter,
    order: DeploymentOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Deployment>> {
    let total = filtered(filter).count().get_result(tx.conn)?;
    macro_rules! by {
        ($query:expr, $column:expr) => {
            if descending {
                $query.order(($column.desc(), deployments::id.desc()))
            } else {
                $query.order(($column.asc(), deployments::id.asc()))
            }
        };
    }
    page(request, total, |limit, offset| {
        let query = filtered(filter).limit(limit).offset(offset);
        let query = match order {
            DeploymentOrder::Id if descending => query.order(deployments::id.desc()),
            DeploymentOrder::Id => query.order(deployments::id.asc()),
            DeploymentOrder::Iid => by!(query, deployments::iid),
            DeploymentOrder::CreatedAt => by!(query, deployments::created_at),
            DeploymentOrder::UpdatedAt => by!(query, deployments::updated_at),
            // Both databases show those that are under way as the newest.
            DeploymentOrder::FinishedAt if descending => query.order((
                deployments::finished_at.is_null().desc(),
                deployments::finished_at.desc(),
                deployments::id.desc(),
            )),
            DeploymentOrder::FinishedAt => {
                query.order((deployments::finished_at.is_null(), deployments::finished_at, deployments::id))
            }
            DeploymentOrder::Ref => by!(query, deployments::ref_name),
        };
        load(tx, query)
    })
}

/// How many deployments a project has.
pub fn count(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<i64> {
    Ok(of(project).count().get_result(tx.conn)?)
}

/// The deployment of that id, if it belongs to the project.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, id: DeploymentId) -> StoreResult<Option<Deployment>> {
    Ok(load(tx, of(project).filter(deployments::id.eq(id.get())))?.pop())
}

/// The newest successful deployment of an environment before another one; the newest of all if that is `None`.
pub fn last_success(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    environment: EnvironmentId,
    before: Option<DeploymentId>,
) -> StoreResult<Option<Deployment>> {
    let mut query = of(project)
        .filter(deployments::environment_id.eq(environment.get()))
        .filter(deployments::status.eq(DeploymentStatus::Success.as_str()));
    if let Some(before) = before {
        query = query.filter(deployments::id.lt(before.get()));
    }
    Ok(load(tx, query.order(deployments::id.desc()).limit(1))?.pop())
}

/// The newest successful deployment of each of these environments, of those that have one.
pub fn last_successes(tx: &mut ReadTx<'_>, ids: &[EnvironmentId]) -> StoreResult<HashMap<EnvironmentId, Deployment>> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let newest: Vec<Option<i64>> = deployments::table
        .filter(in_ids(deployments::environment_id, ids, EnvironmentId::get))
        .filter(deployments::status.eq(DeploymentStatus::Success.as_str()))
        .group_by(deployments::environment_id)
        .select(max(deployments::id))
        .load(tx.conn)?;
    let newest: Vec<i64> = newest.into_iter().flatten().collect();
    let query = deployments::table.filter(in_ids(deployments::id, &newest, std::convert::identity));
    Ok(load(tx, query.into_boxed::<Backend>())?.into_iter().map(|found| (found.environment, found)).collect())
}

/// Stores a new deployment and yields its id; the id in `deployment` is ignored.
pub fn insert(tx: &mut WriteTx<'_>, deployment: &Deployment) -> StoreResult<DeploymentId> {
    let id = diesel::insert_into(deployments::table)
        .values(DeploymentColumns::from(deployment))
        .returning(deployments::id)
        .get_result(tx.conn)?;
    Ok(DeploymentId::new(id))
}

/// Stores a deployment as it now is.
pub fn update(tx: &mut WriteTx<'_>, deployment: &Deployment) -> StoreResult<()> {
    diesel::update(deployments::table.find(deployment.id.get()))
        .set(DeploymentColumns::from(deployment))
        .execute(tx.conn)?;
    Ok(())
}

/// Removes a deployment.
pub fn delete(tx: &mut WriteTx<'_>, id: DeploymentId) -> StoreResult<()> {
    diesel::delete(deployments::table.find(id.get())).execute(tx.conn)?;
    Ok(())
}
