//! All projects and all groups.

use askama::Template;
use tenon_app::group::{self, ListGroups};
use tenon_app::project;

use crate::answer::Answer;
use crate::dashboard::ProjectOrdering;
use crate::error::PageError;
use crate::explore::GroupRow;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "admin/projects.html")]
struct ProjectsPage {
    frame: Frame,
    order: ProjectOrdering,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "admin/groups.html")]
struct GroupsPage {
    frame: Frame,
    search: String,
    groups: Vec<GroupRow>,
    pages: Pagination,
}

pub(super) async fn projects(visit: Visit) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let (frame, page) = visit.read(move |query| project::list(query, request)).await?;
    let pages = Pagination::of(&page).with_query(&order.query(visit.parameters()));
    let projects = page.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect();
    Answer::page(&ProjectsPage { frame, order, projects, pages })
}

pub(super) async fn groups(visit: Visit) -> Result<Answer, PageError> {
    let search = visit.parameters().words("search").unwrap_or_default();
    let request = ListGroups {
        all_available: Some(true),
        search: Some(search.clone()).filter(|text| !text.is_empty()),
        page: chosen(visit.parameters()),
        ..ListGroups::default()
    };
    let (frame, page) = visit.read(move |query| group::list(query, request)).await?;
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&page).with_query(&query);
    let groups = page.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect();
    Answer::page(&GroupsPage { frame, search, groups, pages })
}
