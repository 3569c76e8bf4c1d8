//! The users who have starred a project.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::user::UserRef;
use tenon_app::{Query, project};
use tenon_domain::page::Page;
use tenon_domain::time::Timestamp;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::address::in_query;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::words::Moment;
use crate::parts::links::PersonLink;

#[derive(Template)]
#[template(path = "project/starrers.html")]
struct StarrersPage {
    frame: Frame,
    project: ProjectFrame,
    search: String,
    people: Vec<(PersonLink, Moment)>,
    pages: Pagination,
}

/// The users who have starred it, and the times.
type PageData = Page<(UserRef, Timestamp)>;

pub(super) fn read(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    let search = asked.query.words("search");
    project::starrers(query, &asked.project, search.as_deref(), chosen(&asked.query))
}

pub(super) async fn show(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let search = context.request.parameters().words("search").unwrap_or_default();
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&found).with_query(&query);
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Overview);
    let people = found.items.iter().map(|(user, at)| (PersonLink::new(&context.frame, user), (*at).into())).collect();
    Answer::cacheable(&StarrersPage { frame: context.frame, project, search, people, pages })
}
