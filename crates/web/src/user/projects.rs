//! The personal projects of a user.

use askama::Template;
use tenon_app::project;

use super::{Tab, UserTop, find, named, reference};
use crate::answer::Answer;
use crate::dashboard::ProjectOrdering;
use crate::error::PageError;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "user/projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: UserTop,
    order: ProjectOrdering,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

pub(super) async fn list(visit: Visit) -> Result<Answer, PageError> {
    let name = named(&visit)?;
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let read = visit.read(move |query| {
        let found = find(query, &name)?;
        Ok((project::of_user(query, &reference(&found), request)?, found))
    });
    let (frame, (page, found)) = read.await?;
    let pages = Pagination::of(&page).with_query(&order.query(visit.parameters()));
    let projects = page.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect();
    Answer::page(&ProjectsPage { top: UserTop::new(&frame, &found, Tab::Projects), frame, order, projects, pages })
}
