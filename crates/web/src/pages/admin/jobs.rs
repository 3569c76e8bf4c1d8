//! The queues of jobs, and the jobs that were given up.

use askama::Template;
use tenon_app::jobs::{self, DeadJob, QueueState};
use tenon_domain::id::JobId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::words::Moment;

#[derive(Template)]
#[template(path = "admin/jobs.html")]
struct JobsPage {
    frame: Frame,
    queues: Vec<QueueState>,
    failed: Vec<FailedRow>,
    failed_total: i64,
}

struct FailedRow {
    id: i64,
    kind: String,
    /// The kind in words.
    words: String,
    user: Option<i64>,
    failures: i64,
    deaths: i64,
    error: String,
    payload: String,
    at: Moment,
}

impl FailedRow {
    fn of(job: DeadJob) -> Self {
        Self {
            id: job.id.get(),
            words: job.kind.replace('_', " "),
            kind: job.kind,
            user: job.user.map(tenon_domain::id::UserId::get),
            failures: job.failures,
            deaths: job.deaths,
            error: job.error.unwrap_or_else(|| "Unknown error".to_owned()),
            payload: job.payload,
            at: job.created_at.into(),
        }
    }
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    let (frame, found) = context.read(jobs::overview).await?;
    let failed_total = found.queues.iter().map(|queue| queue.dead).sum();
    let failed = found.failed.into_iter().map(FailedRow::of).collect();
    Answer::page(&JobsPage { frame, queues: found.queues, failed, failed_total })
}

fn id(context: &RequestContext) -> Result<JobId, PageError> {
    context.id("id").map(JobId::new)
}

pub(super) async fn retry(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    context.write(move |command| jobs::retry(command, id)).await?;
    Ok(Answer::done(&context.own("/admin/jobs")).cookie(cookie::of_flash(Flash::JobRetried)))
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    context.write(move |command| jobs::forget(command, id)).await?;
    Ok(Answer::done(&context.own("/admin/jobs")).cookie(cookie::of_flash(Flash::JobDeleted)))
}
