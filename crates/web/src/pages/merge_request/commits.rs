//! The commits of a merge request, and its pipelines.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuablePage};
use tenon_app::merge_request::{self, MergeRequestPage};
use tenon_app::pipeline::PipelineView;
use tenon_domain::page::Page;

use super::frame::{Part, RequestFrame, lines};
use super::show::reference;
use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::parts::commit_line::CommitLine;
use crate::parts::issuable::side::Facts;
use crate::parts::pipeline_line::PipelineLine;

#[derive(Template)]
#[template(path = "merge_request/commits.html")]
struct CommitsPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    request: RequestFrame,
    commits: Vec<CommitLine>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "merge_request/pipelines.html")]
struct PipelinesPage {
    frame: Frame,
    project: ProjectFrame,
    facts: Facts,
    request: RequestFrame,
    pipelines: Vec<PipelineLine>,
    pages: Pagination,
}

/// The data of a merge request that its pages share.
pub(super) struct PageData {
    pub(super) page: IssuablePage,
    pub(super) request: MergeRequestPage,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    let of = reference(&asked.project, asked.iid()?);
    Ok(PageData { page: issuable::page(query, &of)?, request: merge_request::page(query, &of)? })
}

/// The top of a page of the merge request.
pub(super) async fn top(context: &ProjectContext, found: &PageData, part: Part) -> (ProjectFrame, Facts, RequestFrame) {
    let below = match part {
        Part::Overview => "",
        Part::Commits => "/commits",
        Part::Changes => "/changes",
        Part::Pipelines => "/pipelines",
    };
    let api_path = format!("/merge_requests/{}{below}", found.page.view.issuable.iid);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::MergeRequests).with_api_path(&api_path);
    let mut request = RequestFrame::new(&context.frame, &project.href, &found.request, part);
    request.lines = lines(context, &found.request).await;
    let mut facts = Facts::new(&context.frame, &project.href, &found.page);
    facts.state = request.state;
    facts.state_icon = request.state_icon;
    (project, facts, request)
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let of = reference(&context.asked.project, context.asked.iid()?);
    let wanted = chosen(context.request.parameters());
    let commits = merge_request::commits(context.request.app(), context.request.identity(), of, wanted).await?;
    let (project, facts, request) = top(&context, &found, Part::Commits).await;
    let pages = Pagination::of(&commits);
    let commits = commits.items.into_iter().map(Into::into).collect();
    Answer::cacheable(&CommitsPage { frame: context.frame, project, facts, request, commits, pages })
}

pub(super) fn read_pipelines(
    query: &mut Query<'_>,
    asked: &ProjectRequest,
) -> Result<(PageData, Option<Page<PipelineView>>), AppError> {
    let of = reference(&asked.project, asked.iid()?);
    let found = read(query, asked)?;
    let pipelines = crate::kit::error::permitted(merge_request::pipelines(query, &of, chosen(&asked.query)))?;
    Ok((found, pipelines))
}

pub(super) async fn pipelines(
    context: ProjectContext,
    (found, listed): (PageData, Option<Page<PipelineView>>),
) -> Result<Answer, PageError> {
    let (project, facts, request) = top(&context, &found, Part::Pipelines).await;
    let listed = listed.unwrap_or(Page::empty(chosen(context.request.parameters())));
    Answer::cacheable(&PipelinesPage {
        pipelines: listed.items.iter().map(|view| PipelineLine::new(&context.frame, view)).collect(),
        pages: Pagination::of(&listed),
        frame: context.frame,
        project,
        facts,
        request,
    })
}
