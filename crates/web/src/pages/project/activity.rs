//! Events in a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::contribution::{self, ContributionView};
use tenon_app::error::AppError;
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::activity::{Happening, Kind, happening};

#[derive(Template)]
#[template(path = "project/activity.html")]
struct ActivityPage {
    frame: Frame,
    project: ProjectFrame,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<ContributionView>, AppError> {
    let request = Kind::parse(&asked.query).request(&asked.query);
    contribution::of_project(query, &asked.project, &request)
}

pub(super) async fn show(context: ProjectContext, page: Page<ContributionView>) -> Result<Answer, PageError> {
    if crate::pages::project::commit::wants_feed(&context) {
        return Ok(Answer::to(&context.address(".atom")));
    }
    let kind = Kind::parse(context.request.parameters());
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Activity).with_api_path("/events");
    let project = project.with_feed_query(context.feed_query().await?);
    let pages = Pagination::of(&page).with_query(&kind.query());
    let one = |view| happening(&context.frame, Some(project.href.clone()), view);
    let happenings = page.items.into_iter().map(one).collect();
    Answer::cacheable(&ActivityPage { frame: context.frame, project, kinds: kind.choices(), happenings, pages })
}
