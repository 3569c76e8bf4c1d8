//! What happened in a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::contribution::{self, ContributionView};
use tenon_app::error::AppError;
use tenon_domain::page::Page;

use super::frame::{ProjectFrame, Tab};
use super::{Asked, Room};
use crate::activity::{Happening, Kind, happening};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::list::Choice;
use crate::pagination::Pagination;

#[derive(Template)]
#[template(path = "project/activity.html")]
struct ActivityPage {
    frame: Frame,
    project: ProjectFrame,
    kinds: Vec<Choice>,
    happenings: Vec<Happening>,
    pages: Pagination,
}

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Page<ContributionView>, AppError> {
    let request = Kind::parse(&asked.query).request(&asked.query);
    contribution::of_project(query, &asked.project, &request)
}

pub(super) async fn show(room: Room, page: Page<ContributionView>) -> Result<Answer, PageError> {
    if super::commit::wants_feed(&room) {
        return Ok(Answer::to(&room.address(".atom")));
    }
    let kind = Kind::parse(room.visit.parameters());
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Activity).with_twin("/events");
    let pages = Pagination::of(&page).with_query(&kind.query());
    let one = |view| happening(&room.frame, Some(project.href.clone()), view);
    let happenings = page.items.into_iter().map(one).collect();
    Answer::cacheable(&ActivityPage { frame: room.frame, project, kinds: kind.choices(), happenings, pages })
}
