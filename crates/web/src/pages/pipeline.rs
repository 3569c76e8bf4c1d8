//! The pipelines of a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::pipeline::{self, ListPipelines, PipelinePage, PipelineScope, PipelineView};
use tenon_domain::id::PipelineId;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::pipeline_line::{PipelineLine, time, words};
use crate::table::project::ProjectTable;

pub(crate) fn routes(table: &mut ProjectTable) {
    table.page("/pipelines", read_list, list);
    table.page("/pipelines/{id}", read_one, show);
    table.page("/pipelines/{id}/builds", read_one, show);
    table.page(FAILURES, read_one, show);
    table.post("/pipelines/{id}/cancel", cancel);
}

/// The page of the jobs that have failed.
const FAILURES: &str = "/pipelines/{id}/failures";

/// The parts of the list, with their names in addresses and on tabs.
const SCOPES: [(&str, &str, Option<PipelineScope>); 6] = [
    ("", "All", None),
    ("running", "Running", Some(PipelineScope::Running)),
    ("pending", "Waiting", Some(PipelineScope::Pending)),
    ("finished", "Finished", Some(PipelineScope::Finished)),
    ("branches", "Branches", Some(PipelineScope::Branches)),
    ("tags", "Tags", Some(PipelineScope::Tags)),
];

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

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<PipelineView>, AppError> {
    let request = ListPipelines {
        scope: scope(asked.query.text("scope")).1,
        ref_name: asked.query.words("ref"),
        page: chosen(&asked.query),
        ..ListPipelines::default()
    };
    pipeline::list(query, &asked.project, request)
}

async fn list(context: ProjectContext, found: Page<PipelineView>) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Pipelines).with_api_path("/pipelines");
    let (here, _) = scope(context.request.query("scope"));
    let branch = context.request.parameters().words("ref").map(|name| format!("&ref={}", in_query(&name)));
    let query = |scope: &str| format!("scope={scope}{}", branch.clone().unwrap_or_default());
    let tab = |known: &(&str, &'static str, Option<PipelineScope>)| ScopeTab {
        words: known.1,
        href: format!("?{}", query(known.0)),
        is_here: known.0 == here,
    };
    let pages = Pagination::of(&found).with_query(&query(here));
    let pipelines = found.items.iter().map(|view| PipelineLine::new(&context.frame, view)).collect();
    let tabs = SCOPES.iter().map(tab).collect();
    Answer::cacheable(&ListPage { frame: context.frame, project, tabs, pipelines, pages })
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
    /// True if only failed jobs are shown.
    only_failed: bool,
    may_cancel: bool,
}

struct Job {
    name: String,
    status: &'static str,
    class: &'static str,
    description: String,
    coverage: Option<String>,
    /// A page with details: an address of the web.
    target: Option<String>,
    took: Option<String>,
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PipelinePage, AppError> {
    pipeline::page(query, &asked.project, PipelineId::new(asked.number("id")?), asked.pattern == FAILURES)
}

async fn show(context: ProjectContext, found: PipelinePage) -> Result<Answer, PageError> {
    let PipelinePage { view, jobs, jobs_total, failed_total, may_change } = found;
    let api_path = format!("/pipelines/{}", view.pipeline.id);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Pipelines).with_api_path(&api_path);
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
            target: job.target_url.filter(|address| crate::kit::address::is_of_web(address)),
            took,
        }
    };
    Answer::cacheable(&ShowPage {
        revision: crate::kit::address::in_path(&view.pipeline.ref_name),
        ties: if view.pipeline.tag { "?ref_type=tags" } else { "" },
        pipeline: PipelineLine::new(&context.frame, &view),
        jobs: jobs.into_iter().map(job).collect(),
        jobs_total,
        failed_total,
        only_failed: context.asked.pattern == FAILURES,
        may_cancel: may_change && !is_final,
        project,
        frame: context.frame,
    })
}

async fn cancel(context: ProjectContext) -> Result<Answer, PageError> {
    let (project, id) = (context.project(), PipelineId::new(context.asked.number("id")?));
    context.request.write(move |command| pipeline::cancel(command, &project, id)).await?;
    Ok(context.done(&format!("/pipelines/{id}")))
}
