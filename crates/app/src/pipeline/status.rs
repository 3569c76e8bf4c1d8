//! Statuses of commits.

use std::collections::HashMap;

use tenon_domain::event::EventKind;
use tenon_domain::id::{CommitStatusId, PipelineId, ProjectId};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::pipeline::{JobStatus, pipeline_status};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::PipelineRefusal;
use tenon_storage::pipeline::{self, CommitStatus, Pipeline, PipelineFilter, PipelineOrder};

use super::ref_name::short_name;
use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::jobs::enqueue;
use crate::policy::reference::Reference;
use crate::shared::hook_event::pipeline_event::{record_jobs, record_pipeline};
use crate::shared::issuable::merge_when_ready::MergeWhenReady;
use crate::shared::views::user_ref::UserRef;

/// A status as answers show it.
#[derive(Debug, Clone)]
pub struct StatusView {
    /// The job.
    pub status: CommitStatus,
    /// Its commit.
    pub sha: String,
    /// Its branch or tag.
    pub ref_name: String,
    /// Who posted it.
    pub author: Option<UserRef>,
}

/// A status that external CI posts.
#[derive(Debug, Clone)]
pub struct PostStatus {
    /// The state of the job.
    pub state: JobStatus,
    /// The branch or tag; the first branch that has the commit if absent.
    pub ref_name: Option<String>,
    /// The job's name.
    pub name: String,
    /// The address of more information.
    pub target_url: Option<String>,
    /// In a few words.
    pub description: Option<String>,
    /// Percent.
    pub coverage: Option<String>,
}

/// A request for statuses.
#[derive(Debug, Clone, Default)]
pub struct ListStatuses {
    /// Of this branch or tag.
    pub ref_name: Option<String>,
    /// Of this stage.
    pub stage: Option<String>,
    /// Of this job.
    pub name: Option<String>,
    /// With those whose place others have taken.
    pub all: bool,
    /// Which page.
    pub page: PageRequest,
}

/// The longest name, address and description, in characters.
const MAX_TEXT: usize = 255;
/// Jobs with different names in one pipeline: each new status reads all of them.
const MAX_JOBS: usize = 1_000;

/// Records a status of a commit in the pipeline of that commit and ref, which is created if there is none.
pub async fn post(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    request: PostStatus,
) -> Result<StatusView, AppError> {
    check(&request)?;
    let reference = project.clone();
    let code = app.read(identity, move |query| query.code(&reference, ProjectAction::Push)).await?;
    let asked = request.ref_name.as_deref().filter(|name| !name.is_empty()).map(short_name).transpose()?;
    let (sha, ref_name, tag) = app
        .on_git(move || {
            let commit = code.commit_or(Some(&revision), Missing::Commit)?;
            let missing = || AppError::NotFound(Missing::RefOfCommit);
            if let Some(name) = asked {
                let tagged = tenon_git::TagName::parse(&name)
                    .ok()
                    .map(|tag| code.repository.ref_target(&tag.full()))
                    .transpose()?
                    .flatten()
                    .is_some();
                return Ok((commit.to_string(), name, tagged));
            }
            let found = code.repository.refs_containing(commit)?;
            let default = code.project.default_branch.as_deref();
            let branch = found
                .branches
                .iter()
                .find(|branch| Some(branch.as_str()) == default)
                .or_else(|| found.branches.first())
                .ok_or_else(missing)?;
            Ok((commit.to_string(), branch.as_str().to_owned(), false))
        })
        .await?;
    app.write(identity, move |command| {
        let found = command.query().project(&project, ProjectAction::Push)?;
        record(command, found.project.id, (sha, ref_name, tag), request)
    })
    .await
}

fn check(request: &PostStatus) -> Result<(), AppError> {
    let mut errors = tenon_domain::field_errors::FieldErrors::default();
    errors.present("name", &request.name);
    errors.at_most(MAX_TEXT, "name", &request.name);
    errors.at_most(MAX_TEXT, "ref", request.ref_name.as_deref().unwrap_or_default());
    errors.at_most(MAX_TEXT, "description", request.description.as_deref().unwrap_or_default());
    if let Some(url) = request.target_url.as_deref().filter(|url| !url.is_empty()) {
        errors.at_most(MAX_TEXT, "target_url", url);
        let is_web = url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        errors.require(is_web, "target_url", "is blocked: Only allowed protocols are http, https");
    }
    Ok(errors.into_result()?)
}

fn record(
    command: &mut Command<'_>,
    project: ProjectId,
    (sha, ref_name, tag): (String, String, bool),
    request: PostStatus,
) -> Result<StatusView, AppError> {
    let (now, user) = (command.now, command.actor());
    let (mut of, was) = match pipeline::latest(&mut command.tx, project, &sha, Some(&ref_name))? {
        Some(pipeline) => {
            let was = pipeline.status;
            (pipeline, Some(was))
        }
        None => (begin(command, project, (sha, ref_name, tag))?, None),
    };
    let mut jobs = pipeline::statuses(&mut command.tx, &[of.id], false)?;
    let known_jobs = jobs.len();
    let known = jobs.iter().rposition(|job| job.name == request.name);
    let mut status = match known.map(|at| jobs.remove(at)) {
        Some(mut running) if !running.status.is_final() && running.author == user => {
            running.status.check_move(request.state).map_err(PipelineRefusal::Move)?;
            running.status = request.state;
            running.target_url = request.target_url.or(running.target_url);
            running.description = request.description.or(running.description);
            running.coverage = request.coverage.or(running.coverage);
            running
        }
        other => {
            if other.is_none() && known_jobs >= MAX_JOBS {
                return Err(PipelineRefusal::TooManyJobs(MAX_JOBS).into());
            }
            if let Some(mut replaced) = other {
                replaced.retried = true;
                pipeline::update_status(&mut command.tx, &replaced)?;
            }
            CommitStatus {
                id: CommitStatusId::new(0),
                pipeline: of.id,
                author: user,
                name: request.name,
                status: request.state,
                target_url: request.target_url,
                description: request.description,
                coverage: request.coverage,
                retried: false,
                started_at: None,
                finished_at: None,
                created_at: now,
            }
        }
    };
    if status.status == JobStatus::Running {
        status.started_at = status.started_at.or(Some(now));
    }
    if status.status.is_final() {
        status.finished_at = Some(now);
    }
    if status.id.get() == 0 {
        status.id = pipeline::insert_status(&mut command.tx, &status)?;
    } else {
        pipeline::update_status(&mut command.tx, &status)?;
    }
    jobs.push(status.clone());
    jobs.sort_by_key(|job| job.id);
    recompute_status(command, &mut of, was, &jobs, &[&status])?;
    view(&mut command.query(), &of, status)
}

/// Makes the pipeline of a commit and a ref.
fn begin(
    command: &mut Command<'_>,
    project: ProjectId,
    (sha, ref_name, tag): (String, String, bool),
) -> Result<Pipeline, AppError> {
    let now = command.now;
    let mut new = Pipeline {
        id: PipelineId::new(0),
        project,
        user: command.actor(),
        sha,
        ref_name,
        tag,
        status: JobStatus::Pending,
        started_at: None,
        finished_at: None,
        created_at: now,
        updated_at: now,
    };
    new.id = pipeline::insert(&mut command.tx, &new)?;
    Ok(new)
}

/// Brings a pipeline, which was in the state `was` unless it is new, to what its `jobs` make of it: all that were not
/// retried, by id. Hooks learn of those that have `changed`, and of the pipeline if its state is another one.
pub(super) fn recompute_status(
    command: &mut Command<'_>,
    of: &mut Pipeline,
    was: Option<JobStatus>,
    jobs: &[CommitStatus],
    changed: &[&CommitStatus],
) -> Result<(), AppError> {
    let states: Vec<JobStatus> = jobs.iter().map(|job| job.status).collect();
    of.status = pipeline_status(&states).unwrap_or(of.status);
    of.started_at = jobs.iter().filter_map(|job| job.started_at).min();
    of.finished_at = of.status.is_final().then(|| jobs.iter().filter_map(|job| job.finished_at).max()).flatten();
    of.updated_at = command.now;
    pipeline::update(&mut command.tx, of)?;
    record_jobs(command, of, changed)?;
    if was != Some(of.status) {
        record_pipeline(command, of, jobs)?;
        emit_end(command, of)?;
    }
    if of.status == JobStatus::Success && !of.tag {
        let (project, branch, sha) = (of.project.get(), of.ref_name.clone(), of.sha.clone());
        enqueue(command, &MergeWhenReady { project, branch, sha })?;
    }
    Ok(())
}

/// Appends the event that a pipeline has failed or succeeded.
fn emit_end(command: &mut Command<'_>, of: &Pipeline) -> Result<(), AppError> {
    let kind = match of.status {
        JobStatus::Failed => EventKind::PipelineFailed,
        JobStatus::Success => EventKind::PipelineSucceeded,
        JobStatus::Pending | JobStatus::Running | JobStatus::Canceled | JobStatus::Skipped => return Ok(()),
    };
    let event = command.event(kind).project(of.project).detail(of.id.to_string());
    let event = match of.user {
        Some(user) => event.user(user),
        None => event,
    };
    command.append(&event)
}

/// The statuses of a commit: the latest of each name, unless all are asked for.
pub async fn statuses(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
    request: ListStatuses,
) -> Result<Page<StatusView>, AppError> {
    let reference = project.clone();
    let code = app.read(identity, move |query| query.code(&reference, ProjectAction::ReadCode)).await?;
    let id = code.project.id;
    let sha = app.read_git(move || Ok(code.commit_or(Some(&revision), Missing::Commit)?.to_string())).await?;
    app.read(identity, move |query| listed(query, id, sha, &request)).await
}

/// The one stage of jobs that other programs run.
pub(crate) const STAGE: &str = "external";

/// More pipelines of one commit than this are not read.
const MAX_PIPELINES: i64 = 100;

fn listed(
    query: &mut Query<'_>,
    project: ProjectId,
    sha: String,
    request: &ListStatuses,
) -> Result<Page<StatusView>, AppError> {
    let ref_name = request.ref_name.as_deref().filter(|name| !name.is_empty()).map(short_name).transpose()?;
    let filter = PipelineFilter { sha: Some(sha), ref_name, ..PipelineFilter::default() };
    let newest = PageRequest::new(None, Some(MAX_PIPELINES));
    let found = pipeline::list(&mut query.tx, project, &filter, PipelineOrder::Id, true, newest)?.items;
    let of: HashMap<PipelineId, &Pipeline> = found.iter().map(|pipeline| (pipeline.id, pipeline)).collect();
    let ids: Vec<PipelineId> = found.iter().map(|pipeline| pipeline.id).collect();
    let mut jobs = pipeline::statuses(&mut query.tx, &ids, request.all)?;
    let is_of_stage = request.stage.as_ref().is_none_or(|stage| stage == STAGE);
    jobs.retain(|job| is_of_stage && request.name.as_ref().is_none_or(|name| *name == job.name));
    let Page { items: wanted, total, request: page } = Page::cut(jobs, request.page);
    let people = UserRef::of(query, wanted.iter().filter_map(|job| job.author).collect())?;
    let items = wanted
        .into_iter()
        .filter_map(|status| {
            let pipeline = of.get(&status.pipeline)?;
            Some(StatusView {
                sha: pipeline.sha.clone(),
                ref_name: pipeline.ref_name.clone(),
                author: status.author.and_then(|user| people.get(&user).cloned()),
                status,
            })
        })
        .collect();
    Ok(Page { items, total, request: page })
}

fn view(query: &mut Query<'_>, of: &Pipeline, status: CommitStatus) -> Result<StatusView, AppError> {
    let people = UserRef::of(query, status.author.into_iter().collect())?;
    Ok(StatusView {
        sha: of.sha.clone(),
        ref_name: of.ref_name.clone(),
        author: status.author.and_then(|user| people.get(&user).cloned()),
        status,
    })
}
