//! Projects and groups that a visitor may see.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, GroupView, ListGroups};
use tenon_app::identity::Guard;
use tenon_app::{Query, project};
use tenon_domain::visibility::Visibility;

use crate::answer::Answer;
use crate::dashboard::ProjectOrdering;
use crate::error::PageError;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::pagination::{Pagination, chosen};
use crate::place::in_query;
use crate::site::Routes;
use crate::visit::Visit;
use crate::words;

pub(crate) fn routes(routes: &mut Routes) {
    routes.get("/explore", Guard::Anyone, projects);
    routes.get("/explore/projects", Guard::Anyone, projects);
    routes.get("/explore/groups", Guard::Anyone, groups);
    routes.get("/public", Guard::Anyone, |visit: Visit| async move { Ok(Answer::to(&visit.own("/explore"))) });
    routes.get("/groups", Guard::Anyone, |visit: Visit| async move { Ok(Answer::to(&visit.own("/explore/groups"))) });
}

#[derive(Template)]
#[template(path = "explore/projects.html")]
struct ProjectsPage {
    frame: Frame,
    order: ProjectOrdering,
    projects: Vec<ProjectRow>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "explore/groups.html")]
struct GroupsPage {
    frame: Frame,
    search: String,
    groups: Vec<GroupRow>,
    pages: Pagination,
}

/// A group in a list.
pub(crate) struct GroupRow {
    pub(crate) href: String,
    pub(crate) full_name: String,
    pub(crate) description: String,
    pub(crate) visibility: &'static str,
}

impl GroupRow {
    pub(crate) fn new(root: &str, view: GroupView) -> Self {
        let visibility = words::visibility(view.group.visibility());
        let namespace = view.group.namespace;
        Self {
            visibility,
            href: format!("{root}/groups/{}", namespace.full_path),
            full_name: namespace.full_name,
            description: view.group.description,
        }
    }
}

/// Strangers have to sign in where administrators keep public things from them.
fn check(query: &Query<'_>, is_closed: bool) -> Result<(), AppError> {
    if is_closed { query.user().map(drop) } else { Ok(()) }
}

fn is_closed(visit: &Visit) -> bool {
    visit.app().known_settings().restricts(Visibility::Public)
}

async fn projects(visit: Visit) -> Result<Answer, PageError> {
    let is_closed = is_closed(&visit);
    let order = ProjectOrdering::parse(visit.parameters()).with_more(visit.parameters());
    let request = order.request(visit.parameters());
    let read = move |query: &mut Query<'_>| {
        check(query, is_closed)?;
        project::list(query, request)
    };
    let (frame, page) = visit.read(read).await?;
    let pages = Pagination::of(&page).with_query(&order.query(visit.parameters()));
    let projects = page.items.into_iter().map(|view| ProjectRow::new(&frame.root, view.brief)).collect();
    Answer::cacheable(&ProjectsPage { frame, order, projects, pages })
}

async fn groups(visit: Visit) -> Result<Answer, PageError> {
    let is_closed = is_closed(&visit);
    let search = visit.parameters().words("search").unwrap_or_default();
    let request = ListGroups {
        all_available: Some(true),
        search: Some(search.clone()).filter(|text| !text.is_empty()),
        page: chosen(visit.parameters()),
        ..ListGroups::default()
    };
    let read = move |query: &mut Query<'_>| {
        check(query, is_closed)?;
        group::list(query, request)
    };
    let (frame, page) = visit.read(read).await?;
    let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
    let pages = Pagination::of(&page).with_query(&query);
    let groups = page.items.into_iter().map(|view| GroupRow::new(&frame.root, view)).collect();
    Answer::cacheable(&GroupsPage { frame, search, groups, pages })
}
