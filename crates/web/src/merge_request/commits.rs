//! The commits of a merge request, and its pipelines.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuablePage};
use tenon_app::merge_request::{self, MergeRequestPage};
use tenon_app::pipeline::PipelineView;
use tenon_domain::page::Page;

use super::frame::{Part, RequestFrame};
use super::show::reference;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::side::Facts;
use crate::pagination::{Pagination, chosen};
use crate::pipeline::PipelineLine;
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::tree::CommitLine;
use crate::project::{Asked, Room};

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

/// A merge request, as both of its halves show it.
pub(super) struct Found {
    pub(super) page: IssuablePage,
    pub(super) request: MergeRequestPage,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    let of = reference(&asked.project, asked.iid()?);
    Ok(Found { page: issuable::page(query, &of)?, request: merge_request::page(query, &of)? })
}

/// The top of a page of the merge request.
pub(super) fn top(room: &Room, found: &Found, part: Part) -> (ProjectFrame, Facts, RequestFrame) {
    let below = match part {
        Part::Overview => "",
        Part::Commits => "/commits",
        Part::Changes => "/changes",
        Part::Pipelines => "/pipelines",
    };
    let twin = format!("/merge_requests/{}{below}", found.page.view.issuable.iid);
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::MergeRequests).with_twin(&twin);
    let request = RequestFrame::new(&room.frame, &project.href, &found.request, part);
    let mut facts = Facts::new(&room.frame, room.visit.app().base_url(), &project.href, &found.page);
    facts.state = request.state;
    (project, facts, request)
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    let of = reference(&room.asked.project, room.asked.iid()?);
    let wanted = chosen(room.visit.parameters());
    let commits = merge_request::commits(room.visit.app(), room.visit.identity(), of, wanted).await?;
    let (project, facts, request) = top(&room, &found, Part::Commits);
    let pages = Pagination::of(&commits);
    let commits = commits.items.into_iter().map(Into::into).collect();
    Answer::cacheable(&CommitsPage { frame: room.frame, project, facts, request, commits, pages })
}

pub(super) fn read_pipelines(
    query: &mut Query<'_>,
    asked: &Asked,
) -> Result<(Found, Option<Page<PipelineView>>), AppError> {
    let of = reference(&asked.project, asked.iid()?);
    let found = read(query, asked)?;
    let pipelines = crate::issuable::list::permitted(merge_request::pipelines(query, &of, chosen(&asked.query)))?;
    Ok((found, pipelines))
}

pub(super) async fn pipelines(
    room: Room,
    (found, listed): (Found, Option<Page<PipelineView>>),
) -> Result<Answer, PageError> {
    let (project, facts, request) = top(&room, &found, Part::Pipelines);
    let listed = listed.unwrap_or(Page { items: Vec::new(), total: 0, request: chosen(room.visit.parameters()) });
    Answer::cacheable(&PipelinesPage {
        pipelines: listed.items.iter().map(|view| PipelineLine::new(&room.frame, view)).collect(),
        pages: Pagination::of(&listed),
        frame: room.frame,
        project,
        facts,
        request,
    })
}
