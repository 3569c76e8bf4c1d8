//! Pipelines of a project.

use std::collections::{HashMap, HashSet};

use tenon_domain::access::Decision;
use tenon_domain::id::PipelineId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::JobStatus;
use tenon_domain::project::ProjectAction;
use tenon_domain::repository::ProtectionKind;
use tenon_git::Oid;
use tenon_storage::pipeline::{self, CommitStatus, Pipeline, PipelineFilter, PipelineOrder};
use tenon_storage::user;

use super::ref_name::short_name;
use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Judge, Missing};
use crate::core::identity::Identity;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::protection::ref_rules;
use crate::policy::reference::Reference;
use crate::shared::views::pipelines::{PipelineView, may_see, views};

/// Which pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineScope {
    /// Under way.
    Running,
    /// Waiting.
    Pending,
    /// Done.
    Finished,
    /// Of branches.
    Branches,
    /// Of tags.
    Tags,
}

/// A request for pipelines.
#[derive(Debug, Clone, Default)]
pub struct ListPipelines {
    /// Pipelines of this scope only.
    pub scope: Option<PipelineScope>,
    /// In this state; `None` inside if no pipeline of ours can be in it.
    pub status: Option<Option<JobStatus>>,
    /// Of this branch or tag.
    pub ref_name: Option<String>,
    /// Of this commit.
    pub sha: Option<String>,
    /// Set going by the user of this name.
    pub username: Option<String>,
    /// The order of the list.
    pub order_by: PipelineOrder,
    /// Rising instead of falling.
    pub ascending: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The project, if the caller may see its pipelines: reporters, and all who see it if jobs are public.
pub(super) fn readable(query: &mut Query<'_>, project: &Reference) -> Result<AuthorizedProject, AppError> {
    let found = query.project(project, ProjectAction::Read)?;
    Decision::allow_if(may_see(&found)).judge(Missing::Project)?;
    Ok(found)
}

/// The id of the commit that a request names: all its digits, which may be those of a commit that is gone, or the name
/// of a branch, tag or commit. 404 if it names nothing.
pub async fn commit_id(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
) -> Result<String, AppError> {
    if let Ok(id) = revision.parse::<Oid>() {
        return Ok(id.to_string());
    }
    let code = app.readable(identity, project).await?;
    app.read_git(move || Ok(code.commit_or(Some(&revision), Missing::Commit)?.to_string())).await
}

/// The pipelines of a project, newest first unless asked otherwise. 400 for a `ref` that can be no name.
pub fn list(
    query: &mut Query<'_>,
    project: &Reference,
    request: ListPipelines,
) -> Result<Page<PipelineView>, AppError> {
    let found = readable(query, project)?;
    let nothing = Page::empty(request.page);
    let ref_name = request.ref_name.filter(|name| !name.is_empty()).map(|name| short_name(&name)).transpose()?;
    let mut filter = PipelineFilter { ref_name, sha: request.sha, ..PipelineFilter::default() };
    match request.scope {
        None => {}
        Some(PipelineScope::Running) => filter.statuses = vec![JobStatus::Running],
        Some(PipelineScope::Pending) => filter.statuses = vec![JobStatus::Pending],
        Some(PipelineScope::Finished) => {
            filter.statuses = JobStatus::ALL.iter().copied().filter(|status| status.is_final()).collect();
        }
        Some(PipelineScope::Branches) => filter.tag = Some(false),
        Some(PipelineScope::Tags) => filter.tag = Some(true),
    }
    match request.status {
        None => {}
        Some(Some(status)) if filter.statuses.is_empty() || filter.statuses.contains(&status) => {
            filter.statuses = vec![status];
        }
        Some(_) => return Ok(nothing),
    }
    if let Some(name) = &request.username {
        let Some(user) = user::find_by_username(&mut query.tx, name)? else { return Ok(nothing) };
        filter.user = Some(user.id);
    }
    let id = found.project.id;
    let pipelines = pipeline::list(&mut query.tx, id, &filter, request.order_by, !request.ascending, request.page)?;
    Ok(Page { items: views(query, &found, pipelines.items)?, total: pipelines.total, request: pipelines.request })
}

/// The states of the newest pipelines of these commits of a project, of those that have one.
pub fn states_of_commits(
    query: &mut Query<'_>,
    project: &Reference,
    shas: &[String],
) -> Result<HashMap<String, (PipelineId, JobStatus)>, AppError> {
    let found = readable(query, project)?;
    Ok(pipeline::newest_of_commits(&mut query.tx, found.project.id, shas)?)
}

/// One pipeline.
pub fn show(query: &mut Query<'_>, project: &Reference, id: PipelineId) -> Result<PipelineView, AppError> {
    let found = readable(query, project)?;
    one(query, &found, id)
}

/// A pipeline as its page shows it.
#[derive(Debug, Clone)]
pub struct PipelinePage {
    /// The pipeline.
    pub view: PipelineView,
    /// Its jobs, oldest first, or those of them that have failed; as many as a page shows.
    pub jobs: Vec<CommitStatus>,
    /// How many jobs it has.
    pub jobs_total: usize,
    /// How many of them have failed.
    pub failed_total: usize,
    /// True if the caller may cancel and retry it.
    pub may_change: bool,
}

/// The most jobs of a pipeline that its page shows.
const SHOWN_JOBS: usize = 500;

/// One pipeline with its jobs, or with those that have failed.
pub fn page(
    query: &mut Query<'_>,
    project: &Reference,
    id: PipelineId,
    only_failed: bool,
) -> Result<PipelinePage, AppError> {
    let found = readable(query, project)?;
    let view = one(query, &found, id)?;
    let jobs = pipeline::statuses(&mut query.tx, &[id], false)?;
    let (jobs_total, failed_total) = (jobs.len(), jobs.iter().filter(|job| has_failed(job)).count());
    let jobs = shown(jobs, only_failed);
    let may_change = found.may(ProjectAction::Push) && changeable(query, &found, id).is_ok();
    Ok(PipelinePage { view, jobs, jobs_total, failed_total, may_change })
}

fn has_failed(job: &CommitStatus) -> bool {
    job.status == JobStatus::Failed
}

/// The jobs, or those that have failed, as many as a page shows.
fn shown(mut jobs: Vec<CommitStatus>, only_failed: bool) -> Vec<CommitStatus> {
    jobs.retain(|job| !only_failed || has_failed(job));
    jobs.truncate(SHOWN_JOBS);
    jobs
}

/// A job that runs elsewhere is run again there: the pipeline is shown as it is.
pub fn retry(command: &mut Command<'_>, project: &Reference, id: PipelineId) -> Result<PipelineView, AppError> {
    let found = command.query().project(project, ProjectAction::Push)?;
    changeable(&mut command.query(), &found, id)?;
    one(&mut command.query(), &found, id)
}

/// The pipeline of that id, if no rule protects its branch or tag from the caller.
fn changeable(query: &mut Query<'_>, found: &AuthorizedProject, id: PipelineId) -> Result<Pipeline, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let pipeline = pipeline::find(&mut query.tx, found.project.id, id)?.ok_or_else(missing)?;
    let kind = if pipeline.tag { ProtectionKind::Tag } else { ProtectionKind::Branch };
    let today = query.today();
    let rules = ref_rules(&mut query.tx, found.standing.viewer, &found.project, today)?;
    let admitted = rules.covering(kind, &pipeline.ref_name).admit_merge(&found.standing);
    if admitted { Ok(pipeline) } else { Err(AppError::Forbidden) }
}

/// Gives up the jobs that are not done. Their runner learns it when it posts the next status.
pub fn cancel(command: &mut Command<'_>, project: &Reference, id: PipelineId) -> Result<PipelineView, AppError> {
    let found = command.query().project(project, ProjectAction::Push)?;
    let mut cancelled = changeable(&mut command.query(), &found, id)?;
    let now = command.now;
    let mut jobs = pipeline::statuses(&mut command.tx, &[id], false)?;
    let mut given_up = HashSet::new();
    for job in jobs.iter_mut().filter(|job| !job.status.is_final()) {
        job.status = JobStatus::Canceled;
        job.finished_at = Some(now);
        pipeline::update_status(&mut command.tx, job)?;
        given_up.insert(job.id);
    }
    let changed: Vec<&CommitStatus> = jobs.iter().filter(|job| given_up.contains(&job.id)).collect();
    let was = cancelled.status;
    super::status::recompute_status(command, &mut cancelled, Some(was), &jobs, &changed)?;
    one(&mut command.query(), &found, id)
}

fn one(query: &mut Query<'_>, found: &AuthorizedProject, id: PipelineId) -> Result<PipelineView, AppError> {
    let missing = || AppError::NotFound(Missing::Record);
    let pipeline = pipeline::find(&mut query.tx, found.project.id, id)?.ok_or_else(missing)?;
    views(query, found, vec![pipeline])?.pop().ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use tenon_domain::id::CommitStatusId;
    use tenon_domain::time::Timestamp;

    use super::*;

    #[test]
    fn a_failed_job_behind_the_others_is_shown_among_the_failed() {
        let job = |number: i64, status| CommitStatus {
            id: CommitStatusId::new(number),
            pipeline: PipelineId::new(1),
            author: None,
            name: format!("job {number}"),
            status,
            target_url: None,
            description: None,
            coverage: None,
            retried: false,
            started_at: None,
            finished_at: None,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let mut jobs: Vec<CommitStatus> = (1..=500).map(|number| job(number, JobStatus::Success)).collect();
        jobs.push(job(501, JobStatus::Failed));
        assert_eq!(shown(jobs.clone(), false).len(), SHOWN_JOBS);
        let failed: Vec<String> = shown(jobs, true).into_iter().map(|job| job.name).collect();
        assert_eq!(failed, ["job 501"]);
    }
}
