//! Those who have starred a project.

use askama::Template;
use tenon_app::Query;
use tenon_app::error::AppError;
use tenon_app::project;
use tenon_app::user::UserRef;
use tenon_domain::page::Page;
use tenon_domain::time::Timestamp;

use super::frame::{ProjectFrame, Tab};
use super::{Asked, Room};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::parts::PersonLink;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::words::Moment;

#[derive(Template)]
#[template(path = "project/starrers.html")]
struct StarrersPage {
    frame: Frame,
    project: ProjectFrame,
    search: String,
    people: Vec<(PersonLink, Moment)>,
    pages: Pagination,
}

/// Those who have starred it, and when.
type Found = Page<(UserRef, Timestamp)>;

pub(super) fn read(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    let search = asked.query.words("search");
    project::starrers(query, &asked.project, search.as_deref(), chosen(&asked.query))
}

pub(super) async fn show(room: Room, found: Found) -> Result<Answer, PageError> {
    let search = room.visit.parameters().words("search").unwrap_or_default();
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&found).with_query(&query);
    let project = ProjectFrame::new(&room.frame.root, &room.page, Tab::Overview);
    let people = found.items.iter().map(|(user, at)| (PersonLink::new(&room.frame, user), (*at).into())).collect();
    Answer::cacheable(&StarrersPage { frame: room.frame, project, search, people, pages })
}
