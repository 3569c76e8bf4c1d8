//! The pipelines of a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::pipeline::{self, ListPipelines, PipelinePage, PipelineScope, PipelineView};
use tenon_domain::id::PipelineId;
use tenon_domain::page::Page;
use tenon_domain::pipeline::JobStatus;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::parts::PersonLink;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room, Table};
use crate::words::Moment;

pub(crate) fn routes(table: &mut Table) {
    table.page("/pipelines", read_list, list);
    table.page("/pipelines/{id}", read_one, show);
    table.page("/pipelines/{id}/builds", read_one, show);
    table.page(FAILURES, read_one, show);
    table.post("/pipelines/{id}/cancel", cancel);
}

/// The page of the jobs that have failed.
const FAILURES: &str = "/pipelines/{id}/failures";

/// A pipeline in a line.
pub(crate) struct PipelineLine {
    pub(crate) id: i64,
    pub(crate) status: &'static str,
    pub(crate) class: &'static str,
    /// The whole id of its commit, and the first digits.
    pub(crate) sha: String,
    pub(crate) short: String,
    pub(crate) branch: String,
    pub(crate) at: Moment,
    pub(crate) took: Option<String>,
    pub(crate) person: Option<PersonLink>,
}

impl PipelineLine {
    pub(crate) fn new(frame: &Frame, view: &PipelineView) -> Self {
        let pipeline = &view.pipeline;
        let (status, class) = words(pipeline.status);
        Self {
            id: pipeline.id.get(),
            status,
            class,
            short: pipeline.sha.get(..8).unwrap_or_default().to_owned(),
            sha: pipeline.sha.clone(),
            branch: pipeline.ref_name.clone(),
            at: pipeline.created_at.into(),
            took: view.duration.map(time),
            person: view.user.as_ref().map(|user| PersonLink::new(frame, user)),
        }
    }
}

/// A state in a word, and the class of its colour.
const fn words(status: JobStatus) -> (&'static str, &'static str) {
    match status {
        JobStatus::Pending => ("waiting", "draft"),
        JobStatus::Running => ("running", "draft"),
        JobStatus::Success => ("passed", "open"),
        JobStatus::Failed => ("failed", "closed"),
        JobStatus::Canceled => ("cancelled", "closed"),
        JobStatus::Skipped => ("skipped", "draft"),
    }
}

/// Seconds in words.
fn time(seconds: i64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The parts of the list, as addresses and tabs say them.
const SCOPES: [(&str, &str, Option<PipelineScope>); 6] = [
    ("", "All", None),
    ("running", "Running", Some(PipelineScope::Running)),
    ("pending", "Waiting", Some(PipelineScope::Pending)),
    ("finished", "Finished", Some(PipelineScope::Finished)),
    ("branches", "Branches", Some(PipelineScope::Branches)),
    ("tags", "Tags", Some(PipelineScope::Tags)),
];

/// A part of the list.
struct ScopeTab {
    words: &'static str,
    href: String,
    is_here: bool,
}

#[derive(Template)]
#[template(path = "pipeline/list.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    tabs: Vec<ScopeTab>,
    pipelines: Vec<PipelineLine>,
    pages: Pagination,
}

fn scope(asked: Option<&str>) -> (&'static str, Option<PipelineScope>) {
    let named = asked.unwrap_or_default();
    let found = SCOPES.iter().find(|known| known.0 == named).unwrap_or(&SCOPES[0]);
    (found.0, found.2)
}

fn read_list(query: &mut Query<'_>, asked: &Asked) -> Result<Page<PipelineView>, AppError> {
    let request = ListPipelines {
        scope: scope(asked.query.text("scope")).1,
        ref_name: asked.query.words("ref"),
        page: chosen(&asked.query),
        ..ListPipelines::default()
    };
    pipeline::list(query, &asked.project, request)
}

async fn list(room: Room, found: Page<PipelineView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Pipelines).with_twin("/pipelines");
    let (here, _) = scope(room.visit.query("scope"));
    let branch = room.visit.parameters().words("ref").map(|name| format!("&ref={}", in_query(&name)));
    let query = |scope: &str| format!("scope={scope}{}", branch.clone().unwrap_or_default());
    let tab = |known: &(&str, &'static str, Option<PipelineScope>)| ScopeTab {
        words: known.1,
        href: format!("?{}", query(known.0)),
        is_here: known.0 == here,
    };
    let pages = Pagination::of(&found).with_query(&query(here));
    let pipelines = found.items.iter().map(|view| PipelineLine::new(&room.frame, view)).collect();
    let tabs = SCOPES.iter().map(tab).collect();
    Answer::cacheable(&ListPage { frame: room.frame, project, tabs, pipelines, pages })
}

#[derive(Template)]
#[template(path = "pipeline/show.html")]
struct ShowPage {
    frame: Frame,
    project: ProjectFrame,
    pipeline: PipelineLine,
    /// The branch or tag as part of addresses, and the query that it needs.
    revision: String,
    ties: &'static str,
    jobs: Vec<Job>,
    jobs_total: usize,
    failed_total: usize,
    /// Whether those that have failed are shown alone.
    only_failed: bool,
    may_cancel: bool,
}

/// A job.
struct Job {
    name: String,
    status: &'static str,
    class: &'static str,
    description: String,
    coverage: Option<String>,
    /// Where to read more: an address of the web.
    target: Option<String>,
    took: Option<String>,
}

fn read_one(query: &mut Query<'_>, asked: &Asked) -> Result<PipelinePage, AppError> {
    pipeline::page(query, &asked.project, PipelineId::new(asked.number("id")?), asked.pattern == FAILURES)
}

async fn show(room: Room, found: PipelinePage) -> Result<Answer, PageError> {
    let PipelinePage { view, jobs, jobs_total, failed_total, may_change } = found;
    let twin = format!("/pipelines/{}", view.pipeline.id);
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Pipelines).with_twin(&twin);
    let is_final = view.pipeline.status.is_final();
    let job = |job: tenon_app::pipeline::CommitStatus| {
        let (status, class) = words(job.status);
        let took = job.started_at.zip(job.finished_at).map(|(start, end)| time((end - start).num_seconds().max(0)));
        Job {
            name: job.name,
            status,
            class,
            description: job.description.unwrap_or_default(),
            coverage: job.coverage,
            target: job.target_url.filter(|address| crate::project::frame::is_of_web(address)),
            took,
        }
    };
    Answer::cacheable(&ShowPage {
        revision: crate::place::in_path(&view.pipeline.ref_name),
        ties: if view.pipeline.tag { "?ref_type=tags" } else { "" },
        pipeline: PipelineLine::new(&room.frame, &view),
        jobs: jobs.into_iter().map(job).collect(),
        jobs_total,
        failed_total,
        only_failed: room.asked.pattern == FAILURES,
        may_cancel: may_change && !is_final,
        project,
        frame: room.frame,
    })
}

async fn cancel(room: Room) -> Result<Answer, PageError> {
    let (project, id) = (room.project(), PipelineId::new(room.asked.number("id")?));
    room.visit.write(move |command| pipeline::cancel(command, &project, id)).await?;
    Ok(room.done(&format!("/pipelines/{id}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_words() {
        for (seconds, want) in [(0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_661, "1 h 1 min")] {
            assert_eq!(time(seconds), want);
        }
    }
}
