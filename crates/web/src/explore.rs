//! Projects and groups that a visitor may see.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::{self, GroupView, ListGroups};
use tenon_app::identity::Guard;
use tenon_app::{Query, project};
use tenon_domain::page::Page;
use tenon_domain::visibility::Visibility;

use crate::answer::Answer;
use crate::dashboard::{ProjectList, ProjectOrdering};
use crate::error::PageError;
use crate::frame::Frame;
use crate::pagination::{Pagination, chosen};
use crate::parameters::Parameters;
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
    listed: ProjectList,
}

#[derive(Template)]
#[template(path = "explore/groups.html")]
struct GroupsPage {
    frame: Frame,
    listed: GroupList,
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

/// A page of a list of groups, and the text in the names that it is narrowed to.
pub(crate) struct GroupList {
    pub(crate) search: String,
    pub(crate) rows: Vec<GroupRow>,
    pub(crate) pages: Pagination,
}

impl GroupList {
    /// What an address asks for, of all groups that the caller may see.
    pub(crate) fn request(asked: &Parameters) -> ListGroups {
        ListGroups {
            all_available: Some(true),
            search: asked.words("search"),
            page: chosen(asked),
            ..ListGroups::default()
        }
    }

    pub(crate) fn new(root: &str, asked: &Parameters, found: Page<GroupView>) -> Self {
        let search = asked.words("search").unwrap_or_default();
        let query = if search.is_empty() { String::new() } else { format!("search={}", in_query(&search)) };
        let pages = Pagination::of(&found).with_query(&query);
        Self { search, rows: found.items.into_iter().map(|view| GroupRow::new(root, view)).collect(), pages }
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
    let listed = ProjectList::new(&frame.root, order, visit.parameters(), page);
    Answer::cacheable(&ProjectsPage { frame, listed })
}

async fn groups(visit: Visit) -> Result<Answer, PageError> {
    let is_closed = is_closed(&visit);
    let request = GroupList::request(visit.parameters());
    let read = move |query: &mut Query<'_>| {
        check(query, is_closed)?;
        group::list(query, request)
    };
    let (frame, page) = visit.read(read).await?;
    let listed = GroupList::new(&frame.root, visit.parameters(), page);
    Answer::cacheable(&GroupsPage { frame, listed })
}
