//! The page of a group or user: who it is, and the projects that the caller may see.

use askama::Template;
use tenon_app::group::{self, ShowGroup};
use tenon_app::identity::Guard;
use tenon_app::project::{self, GroupScope, ListProjects};
use tenon_app::{Reference, user};
use tenon_domain::id::UserId;
use tenon_domain::page::Page;

use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::pagination::{self, Pagination};
use crate::site::Routes;
use crate::visit::Visit;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/groups/{*path}", Guard::Anyone, moved);
}

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

/// Addresses of groups that the API gives lead to the page of the group.
async fn moved(visit: Visit) -> Result<Answer, PageError> {
    let path = visit.segment("path").trim_end_matches('/').to_owned();
    crate::address::group(visit, &path).await
}

pub(crate) async fn group(visit: Visit, reference: Reference) -> Result<Answer, PageError> {
    let page = pagination::asked(&visit);
    let read = visit.read(move |query| {
        let request = ShowGroup { with_projects: false, with_custom_attributes: false, statistics: false };
        let found = group::show(query, &reference, request)?;
        let scope = GroupScope { include_subgroups: true, with_shared: false };
        Ok((found, project::of_group(query, &reference, scope, request_of(page))?))
    });
    let (frame, (found, projects)) = read.await?;
    let namespace = found.group.group.namespace;
    Answer::page(&NamespacePage {
        name: namespace.full_name.clone(),
        description: found.group.group.description,
        canonical: format!("{}/groups/{}", frame.root, namespace.full_path),
        twin: format!("{}/api/v4/groups/{}", frame.root, namespace.id),
        path: namespace.full_path,
        pages: Pagination::of(&projects),
        projects: rows(&frame, projects),
        frame,
    })
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
