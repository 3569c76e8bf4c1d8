//! Pipelines and the statuses that external CI posts.

use std::collections::HashMap;

use chrono::NaiveDateTime;
use diesel::prelude::*;
use tenon_domain::id::{CommitStatusId, PipelineId, ProjectId, UserId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::time::Timestamp;

use crate::db::connection::Backend;
use crate::db::expressions::{in_ids, in_texts};
use crate::db::paging::page;
use crate::db::row::{naive, parsed, utc};
use crate::db::tx::{ReadTx, WriteTx};
use crate::error::{StoreError, StoreResult};
use crate::schema::{commit_statuses, pipelines};

/// The jobs that run for one commit of one ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// Its id.
    pub id: PipelineId,
    /// Its project.
    pub project: ProjectId,
    /// Who set it going.
    pub user: Option<UserId>,
    /// The commit.
    pub sha: String,
    /// The branch or tag, by its short name.
    pub ref_name: String,
    /// True if that is a tag.
    pub tag: bool,
    /// The state that follows from its jobs.
    pub status: JobStatus,
    /// When the first job began.
    pub started_at: Option<Timestamp>,
    /// When the last job ended.
    pub finished_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A job, as an external CI reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitStatus {
    /// Its id.
    pub id: CommitStatusId,
    /// Its pipeline.
    pub pipeline: PipelineId,
    /// Who posted it.
    pub author: Option<UserId>,
    /// The job's name.
    pub name: String,
    /// The state of the job.
    pub status: JobStatus,
    /// The address of more information.
    pub target_url: Option<String>,
    /// In a few words.
    pub description: Option<String>,
    /// Percent, as it was posted.
    pub coverage: Option<String>,
    /// True if a later one of the same name has taken its place.
    pub retried: bool,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// When it was first posted.
    pub created_at: Timestamp,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = pipelines)]
struct PipelineRow {
    id: i64,
    project_id: i64,
    user_id: Option<i64>,
    sha: String,
    ref_name: String,
    tag: bool,
    status: String,
    started_at: Option<NaiveDateTime>,
    finished_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
    updated_at: NaiveDateTime,
}

impl TryFrom<PipelineRow> for Pipeline {
    type Error = StoreError;

    fn try_from(row: PipelineRow) -> StoreResult<Self> {
        Ok(Self {
            id: PipelineId::new(row.id),
            project: ProjectId::new(row.project_id),
            user: row.user_id.map(UserId::new),
            sha: row.sha,
            ref_name: row.ref_name,
            tag: row.tag,
            status: parsed("pipelines", "status", row.id, &row.status, JobStatus::parse)?,
            started_at: row.started_at.map(utc),
            finished_at: row.finished_at.map(utc),
            created_at: utc(row.created_at),
            updated_at: utc(row.updated_at),
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = commit_statuses)]
struct StatusRow {
    id: i64,
    pipeline_id: i64,
    author_id: Option<i64>,
    name: String,
    status: String,
    target_url: Option<String>,
    description: Option<String>,
    coverage: Option<String>,
    retried: bool,
    started_at: Option<NaiveDateTime>,
    finished_at: Option<NaiveDateTime>,
    created_at: NaiveDateTime,
}

impl TryFrom<StatusRow> for CommitStatus {
    type Error = StoreError;

    fn try_from(row: StatusRow) -> StoreResult<Self> {
        Ok(Self {
            id: CommitStatusId::new(row.id),
            pipeline: PipelineId::new(row.pipeline_id),
            author: row.author_id.map(UserId::new),
            name: row.name,
            status: parsed("commit_statuses", "status", row.id, &row.status, JobStatus::parse)?,
            target_url: row.target_url,
            description: row.description,
            coverage: row.coverage,
            retried: row.retried,
            started_at: row.started_at.map(utc),
            finished_at: row.finished_at.map(utc),
            created_at: utc(row.created_at),
        })
    }
}

/// Which pipelines of a project a list has.
#[derive(Debug, Clone, Default)]
pub struct PipelineFilter {
    /// In one of these states; all if empty.
    pub statuses: Vec<JobStatus>,
    /// Of branches only, or of tags only.
    pub tag: Option<bool>,
    /// Of this branch or tag.
    pub ref_name: Option<String>,
    /// Of this commit.
    pub sha: Option<String>,
    /// Set going by this user.
    pub user: Option<UserId>,
}

/// The order of a list of pipelines; ties go by id in the same direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PipelineOrder {
    /// Id.
    #[default]
    Id,
    /// Status.
    Status,
    /// Branch or tag.
    Ref,
    /// Who set it going.
    User,
}

fn filtered<'a>(project: ProjectId, filter: &PipelineFilter) -> pipelines::BoxedQuery<'a, Backend> {
    let mut query = pipelines::table.filter(pipelines::project_id.eq(project.get())).into_boxed::<Backend>();
    if !filter.statuses.is_empty() {
        let words: Vec<&'static str> = filter.statuses.iter().map(|status| status.as_str()).collect();
        query = query.filter(pipelines::status.eq_any(words));
    }
    if let Some(tag) = filter.tag {
        query = query.filter(pipelines::tag.eq(tag));
    }
    if let Some(name) = &filter.ref_name {
        query = query.filter(pipelines::ref_name.eq(name.clone()));
    }
    if let Some(sha) = &filter.sha {
        query = query.filter(pipelines::sha.eq(sha.clone()));
    }
    if let Some(user) = filter.user {
        query = query.filter(pipelines::user_id.eq(user.get()));
    }
    query
}

/// One page of the pipelines that match.
pub fn list(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    filter: &PipelineFilter,
    order: PipelineOrder,
    descending: bool,
    request: PageRequest,
) -> StoreResult<Page<Pipeline>> {
    let total = filtered(project, filter).count().get_result(tx.conn)?;
    page(request, total, |limit, offset| {
        let query = filtered(project, filter).limit(limit).offset(offset).select(PipelineRow::as_select());
        let query = match (order, descending) {
            (PipelineOrder::Id, true) => query.order(pipelines::id.desc()),
            (PipelineOrder::Id, false) => query.order(pipelines::id.asc()),
            (PipelineOrder::Status, true) => query.order((pipelines::status.desc(), pipelines::id.desc())),
            (PipelineOrder::Status, false) => query.order((pipelines::status.asc(), pipelines::id.asc())),
            (PipelineOrder::Ref, true) => query.order((pipelines::ref_name.desc(), pipelines::id.desc())),
            (PipelineOrder::Ref, false) => query.order((pipelines::ref_name.asc(), pipelines::id.asc())),
            (PipelineOrder::User, true) => query.order((pipelines::user_id.desc(), pipelines::id.desc())),
            (PipelineOrder::User, false) => query.order((pipelines::user_id.asc(), pipelines::id.asc())),
        };
        let rows: Vec<PipelineRow> = query.load(tx.conn)?;
        rows.into_iter().map(TryInto::try_into).collect()
    })
}

/// One pipeline of a project.
pub fn find(tx: &mut ReadTx<'_>, project: ProjectId, id: PipelineId) -> StoreResult<Option<Pipeline>> {
    let row: Option<PipelineRow> = pipelines::table
        .find(id.get())
        .filter(pipelines::project_id.eq(project.get()))
        .select(PipelineRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// The newest pipeline of a commit, of one ref or of any.
pub fn latest(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    sha: &str,
    ref_name: Option<&str>,
) -> StoreResult<Option<Pipeline>> {
    let filter = PipelineFilter {
        sha: Some(sha.to_owned()),
        ref_name: ref_name.map(ToOwned::to_owned),
        ..PipelineFilter::default()
    };
    let row: Option<PipelineRow> = filtered(project, &filter)
        .order(pipelines::id.desc())
        .select(PipelineRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// A commit as the head of a branch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HeadOf {
    /// The project.
    pub project: ProjectId,
    /// The short name of the branch.
    pub branch: String,
    /// The commit.
    pub sha: String,
}

/// The states of the newest pipelines of these heads, of those that have one.
pub fn newest_of_heads(tx: &mut ReadTx<'_>, heads: &[HeadOf]) -> StoreResult<HashMap<HeadOf, JobStatus>> {
    let found = newest_pipelines_of_heads(tx, heads)?;
    Ok(found.into_iter().map(|(head, pipeline)| (head, pipeline.status)).collect())
}

/// The newest pipelines of these heads, of those that have one.
pub fn newest_pipelines_of_heads(tx: &mut ReadTx<'_>, heads: &[HeadOf]) -> StoreResult<HashMap<HeadOf, Pipeline>> {
    let projects: Vec<ProjectId> = heads.iter().map(|head| head.project).collect();
    let branches: Vec<String> = heads.iter().map(|head| head.branch.clone()).collect();
    let shas: Vec<String> = heads.iter().map(|head| head.sha.clone()).collect();
    let newest: Vec<Option<i64>> = pipelines::table
        .filter(in_ids(pipelines::project_id, &projects, ProjectId::get))
        .filter(in_texts(pipelines::sha, &shas))
        .filter(in_texts(pipelines::ref_name, &branches))
        .filter(pipelines::tag.eq(false))
        .group_by((pipelines::project_id, pipelines::sha, pipelines::ref_name))
        .select(diesel::dsl::max(pipelines::id))
        .load(tx.conn)?;
    let head =
        |found: &Pipeline| HeadOf { project: found.project, branch: found.ref_name.clone(), sha: found.sha.clone() };
    Ok(by_ids(tx, newest)?.into_iter().map(|found| (head(&found), found)).collect())
}

/// The states of the newest pipelines of these commits of a project, of those that have one.
pub fn newest_of_commits(
    tx: &mut ReadTx<'_>,
    project: ProjectId,
    shas: &[String],
) -> StoreResult<HashMap<String, (PipelineId, JobStatus)>> {
    let newest: Vec<Option<i64>> = pipelines::table
        .filter(pipelines::project_id.eq(project.get()))
        .filter(in_texts(pipelines::sha, shas))
        .group_by(pipelines::sha)
        .select(diesel::dsl::max(pipelines::id))
        .load(tx.conn)?;
    let found = by_ids(tx, newest)?.into_iter();
    Ok(found.map(|Pipeline { id, sha, status, .. }| (sha, (id, status))).collect())
}

/// The pipelines with these ids, of those that are there.
fn by_ids(tx: &mut ReadTx<'_>, ids: Vec<Option<i64>>) -> StoreResult<Vec<Pipeline>> {
    let ids: Vec<i64> = ids.into_iter().flatten().collect();
    let rows: Vec<PipelineRow> = pipelines::table
        .filter(in_ids(pipelines::id, &ids, std::convert::identity))
        .select(PipelineRow::as_select())
        .load(tx.conn)?;
    rows.into_iter().map(Pipeline::try_from).collect()
}

/// The newest pipeline of a project.
pub fn newest(tx: &mut ReadTx<'_>, project: ProjectId) -> StoreResult<Option<Pipeline>> {
    let row: Option<PipelineRow> = filtered(project, &PipelineFilter::default())
        .order(pipelines::id.desc())
        .select(PipelineRow::as_select())
        .first(tx.conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

/// Stores a new pipeline; the id is ignored.
pub fn insert(tx: &mut WriteTx<'_>, pipeline: &Pipeline) -> StoreResult<PipelineId> {
    let id = diesel::insert_into(pipelines::table)
        .values((
            pipelines::project_id.eq(pipeline.project.get()),
            pipelines::user_id.eq(pipeline.user.map(UserId::get)),
            pipelines::sha.eq(&pipeline.sha),
            pipelines::ref_name.eq(&pipeline.ref_name),
            pipelines::tag.eq(pipeline.tag),
            pipelines::status.eq(pipeline.status.as_str()),
            pipelines::started_at.eq(pipeline.started_at.map(naive)),
            pipelines::finished_at.eq(pipeline.finished_at.map(naive)),
            pipelines::created_at.eq(naive(pipeline.created_at)),
            pipelines::updated_at.eq(naive(pipeline.updated_at)),
        ))
        .returning(pipelines::id)
        .get_result(tx.conn)?;
    Ok(PipelineId::new(id))
}

/// Stores the state of a pipeline.
pub fn update(tx: &mut WriteTx<'_>, pipeline: &Pipeline) -> StoreResult<()> {
    diesel::update(pipelines::table.find(pipeline.id.get()))
        .set((
            pipelines::status.eq(pipeline.status.as_str()),
            pipelines::started_at.eq(pipeline.started_at.map(naive)),
            pipelines::finished_at.eq(pipeline.finished_at.map(naive)),
            pipelines::updated_at.eq(naive(pipeline.updated_at)),
        ))
        .execute(tx.conn)?;
    Ok(())
}

/// All jobs of these pipelines, by id; those whose place others have taken only if `retried`.
pub fn statuses(tx: &mut ReadTx<'_>, pipelines: &[PipelineId], retried: bool) -> StoreResult<Vec<CommitStatus>> {
    let mut query = commit_statuses::table
        .filter(in_ids(commit_statuses::pipeline_id, pipelines, PipelineId::get))
        .order(commit_statuses::id)
        .select(StatusRow::as_select())
        .into_boxed::<Backend>();
    if !retried {
        query = query.filter(commit_statuses::retried.eq(false));
    }
    let rows: Vec<StatusRow> = query.load(tx.conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

/// Stores a new job; the id is ignored.
pub fn insert_status(tx: &mut WriteTx<'_>, status: &CommitStatus) -> StoreResult<CommitStatusId> {
    let id = diesel::insert_into(commit_statuses::table)
        .values((
            commit_statuses::pipeline_id.eq(status.pipeline.get()),
            commit_statuses::author_id.eq(status.author.map(UserId::get)),
            commit_statuses::name.eq(&status.name),
            commit_statuses::status.eq(status.status.as_str()),
            commit_statuses::target_url.eq(&status.target_url),
            commit_statuses::description.eq(&status.description),
            commit_statuses::coverage.eq(&status.coverage),
            commit_statuses::retried.eq(status.retried),
            commit_statuses::started_at.eq(status.started_at.map(naive)),
            commit_statuses::finished_at.eq(status.finished_at.map(naive)),
            commit_statuses::created_at.eq(naive(status.created_at)),
        ))
        .returning(commit_statuses::id)
        .get_result(tx.conn)?;
    Ok(CommitStatusId::new(id))
}

/// Stores a job as it now is.
pub fn update_status(tx: &mut WriteTx<'_>, status: &CommitStatus) -> StoreResult<()> {
    diesel::update(commit_statuses::table.find(status.id.get()))
        .set((
            commit_statuses::status.eq(status.status.as_str()),
            commit_statuses::target_url.eq(&status.target_url),
            commit_statuses::description.eq(&status.description),
            commit_statuses::coverage.eq(&status.coverage),
            commit_statuses::retried.eq(status.retried),
            commit_statuses::started_at.eq(status.started_at.map(naive)),
            commit_statuses::finished_at.eq(status.finished_at.map(naive)),
        ))
        .execute(tx.conn)?;
    Ok(())
}
