//! The page of a user: who it is, and the projects that the caller may see.

use askama::Template;
use tenon_app::project::{self, ListProjects};
use tenon_app::{Reference, user};
use tenon_domain::id::UserId;
use tenon_domain::page::Page;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::pagination::{self, Pagination};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "namespace.html")]
struct NamespacePage {
    frame: Frame,
    name: String,
    path: String,
    description: String,
    /// The address that this page is known by.
    canonical: String,
    twin: String,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

pub(crate) async fn user(visit: Visit, id: UserId) -> Result<Answer, PageError> {
    let page = pagination::asked(&visit);
    let read = visit.read(move |query| {
        let found = user::show(query, id, false)?;
        Ok((found, project::of_user(query, &Reference::Id(id.get()), request_of(page))?))
    });
    let (frame, (found, projects)) = read.await?;
    Answer::page(&NamespacePage {
        name: found.user.name.clone(),
        description: String::new(),
        canonical: format!("{}/{}", frame.root, found.user.username),
        twin: format!("{}/api/v4/users/{}", frame.root, found.user.id),
        path: found.user.username,
        pages: Pagination::of(&projects),
        projects: rows(&frame, projects),
        frame,
    })
}

fn request_of(page: tenon_app::PageRequest) -> ListProjects {
    ListProjects { page, simple: true, ..ListProjects::default() }
}

fn rows(frame: &Frame, projects: Page<project::ProjectView>) -> Vec<ProjectRow> {
    projects.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect()
}
