//! The bodies for hooks about pipelines and jobs, captured in the transaction in which their states change.

use tenon_domain::hook::Trigger;
use tenon_domain::id::{ProjectId, UserId};
use tenon_storage::hook;
use tenon_storage::pipeline::{self, CommitStatus, Pipeline};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, JobCapture, PipelineCapture, Times};
use crate::shared::hook_event::record as hook_event;

/// The most jobs that an event of a pipeline names.
const NAMED: usize = 1000;

fn of_pipeline(pipeline: &Pipeline) -> PipelineCapture {
    PipelineCapture {
        id: pipeline.id.get(),
        user: pipeline.user.map(UserId::get),
        ref_name: pipeline.ref_name.clone(),
        tag: pipeline.tag,
        sha: pipeline.sha.clone(),
        status: pipeline.status.as_str().to_owned(),
        times: Times::of(pipeline.created_at, pipeline.started_at, pipeline.finished_at),
    }
}

fn of_job(job: &CommitStatus) -> JobCapture {
    JobCapture {
        id: job.id.get(),
        name: job.name.clone(),
        status: job.status.as_str().to_owned(),
        times: Times::of(job.created_at, job.started_at, job.finished_at),
        user: job.author.map(UserId::get),
    }
}

fn captured_pipeline(of: &Pipeline, jobs: &[CommitStatus]) -> Captured {
    Captured::Pipeline { pipeline: of_pipeline(of), jobs: jobs.iter().take(NAMED).map(of_job).collect() }
}

/// Records that a pipeline came into another state, with its jobs as they are. The event is the caller's, who has changed it; that
/// it names who has set the pipeline going is part of what is captured.
pub(crate) fn record_pipeline(command: &mut Command<'_>, of: &Pipeline, jobs: &[CommitStatus]) -> Result<(), AppError> {
    let (project, actor) = (Some(of.project), command.actor());
    hook_event::record(command, project, Trigger::Pipeline, actor, |_command| Ok(captured_pipeline(of, jobs)))
}

/// Records that jobs came into another state. If no hook receives that, it is one statement, however many there are.
pub(crate) fn record_jobs(command: &mut Command<'_>, of: &Pipeline, jobs: &[&CommitStatus]) -> Result<(), AppError> {
    if jobs.len() > 1 && !hook::is_received(&mut command.tx, Some(of.project), Trigger::Job)? {
        return Ok(());
    }
    let actor = command.actor();
    for job in jobs {
        hook_event::record(command, Some(of.project), Trigger::Job, actor, |_command| {
            Ok(Captured::Job { pipeline: of_pipeline(of), job: of_job(job) })
        })?;
    }
    Ok(())
}

/// The newest pipeline of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_pipeline(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let Some(found) = pipeline::newest(&mut query.tx, project)? else { return Ok(None) };
    let jobs = pipeline::statuses(&mut query.tx, &[found.id], false)?;
    Ok(Some(captured_pipeline(&found, &jobs)))
}

/// The newest job of the newest pipeline of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_job(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let Some(found) = pipeline::newest(&mut query.tx, project)? else { return Ok(None) };
    let jobs = pipeline::statuses(&mut query.tx, &[found.id], false)?;
    Ok(jobs.last().map(|job| Captured::Job { pipeline: of_pipeline(&found), job: of_job(job) }))
}
