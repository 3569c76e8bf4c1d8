//! Lists of projects: those that a user has to do with, and those that a user has starred.

use askama::Template;
use tenon_app::error::AppError;
use tenon_app::project::{self, ListProjects, ProjectOrder, ProjectView};
use tenon_app::{Query, ssh_key};
use tenon_domain::page::Page;

use super::Top;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::home::ProjectRow;
use crate::issuable::list::Choice;
use crate::pagination::{Pagination, chosen};
use crate::parameters::Parameters;
use crate::place::in_query;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/projects.html")]
struct ProjectsPage {
    frame: Frame,
    top: Top,
    title: &'static str,
    base_url: String,
    listed: ProjectList,
    /// Whether the user is asked to add an SSH key.
    asks_for_key: bool,
    /// Whether there is nothing yet, and what to do next is said.
    is_first_start: bool,
    may_create_group: bool,
}

/// What a list of projects is narrowed to, and its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectOrdering {
    pub(crate) search: String,
    pub(crate) sorts: Vec<Choice>,
    sort: &'static str,
    pub(crate) language: String,
    pub(crate) topic: String,
    /// Whether readers narrow the list to a language and a topic.
    pub(crate) asks_more: bool,
}

/// The orders, as addresses say them.
const SORTS: [(&str, &str, ProjectOrder, bool); 4] = [
    ("latest_activity_desc", "Last activity", ProjectOrder::LastActivityAt, true),
    ("name_asc", "Name", ProjectOrder::Name, false),
    ("created_desc", "Newest first", ProjectOrder::CreatedAt, true),
    ("stars_desc", "Most stars", ProjectOrder::StarCount, true),
];

impl ProjectOrdering {
    pub(crate) fn parse(asked: &Parameters) -> Self {
        let named = asked.text("sort").unwrap_or_default();
        let sort = SORTS.iter().find(|sort| sort.0 == named).unwrap_or(&SORTS[0]).0;
        let choice = |known: &(&str, &str, ProjectOrder, bool)| Choice::new(known.0, known.1, known.0 == sort);
        Self {
            search: asked.words("search").or_else(|| asked.words("name")).unwrap_or_default(),
            sorts: SORTS.iter().map(choice).collect(),
            sort,
            language: String::new(),
            topic: String::new(),
            asks_more: false,
        }
    }

    /// The same, where readers may narrow the list to a language and a topic.
    pub(crate) fn with_more(self, asked: &Parameters) -> Self {
        let words = |name: &str| asked.words(name).unwrap_or_default();
        Self { language: words("language"), topic: words("topic"), asks_more: true, ..self }
    }

    /// Whether the list may lack projects because of what it is narrowed to.
    pub(crate) fn has_filter(&self) -> bool {
        [&self.search, &self.language, &self.topic].into_iter().any(|text| !text.is_empty())
    }

    /// The request to the use case.
    pub(crate) fn request(&self, asked: &Parameters) -> ListProjects {
        let (_, _, order_by, descending) = *SORTS.iter().find(|known| known.0 == self.sort).unwrap_or(&SORTS[0]);
        ListProjects {
            search: Some(self.search.clone()).filter(|text| !text.is_empty()),
            language: Some(self.language.clone()).filter(|text| !text.is_empty()),
            topic: Some(self.topic.clone()).filter(|text| !text.is_empty()),
            order_by,
            descending,
            simple: true,
            page: chosen(asked),
            ..ListProjects::default()
        }
    }

    /// The query of the same list, without the number of a page.
    pub(crate) fn query(&self, asked: &Parameters) -> String {
        let texts = [("search", &self.search), ("language", &self.language), ("topic", &self.topic)];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let texts = texts.map(|(name, text)| format!("{name}={}", in_query(text)));
        let sort = Some(self.sort).filter(|sort| *sort != SORTS[0].0).map(|sort| format!("sort={sort}"));
        let rows = Some(chosen(asked).per_page()).filter(|rows| *rows != crate::pagination::SIZES[0]);
        let rows = rows.map(|rows| format!("per_page={rows}"));
        texts.chain(sort).chain(rows).collect::<Vec<_>>().join("&")
    }
}

/// A page of a list of projects, with its order and what it is narrowed to.
pub(crate) struct ProjectList {
    pub(crate) order: ProjectOrdering,
    pub(crate) rows: Vec<ProjectRow>,
    pub(crate) pages: Pagination,
}

impl ProjectList {
    pub(crate) fn new(root: &str, order: ProjectOrdering, asked: &Parameters, found: Page<ProjectView>) -> Self {
        let pages = Pagination::of(&found).with_query(&order.query(asked));
        let rows = found.items.into_iter().map(|view| ProjectRow::new(root, view.brief)).collect();
        Self { order, rows, pages }
    }
}

/// The caller's projects, and whether to ask for an SSH key.
pub(crate) type Own = (Top, Page<ProjectView>, bool);

/// Reads the projects that the caller is a member of.
pub(crate) fn of_caller(query: &mut Query<'_>, request: ListProjects) -> Result<Own, AppError> {
    let top = Top::read(query, "projects")?;
    let page = project::list(query, ListProjects { membership: true, ..request })?;
    Ok((top, page, ssh_key::is_asked_for(query)?))
}

pub(super) async fn own(visit: Visit) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = order.request(visit.parameters());
    let (frame, found) = visit.read(move |query| of_caller(query, request)).await?;
    shown(&visit, frame, found, order)
}

/// The page of the caller's projects.
pub(crate) fn shown(
    visit: &Visit,
    frame: Frame,
    (top, page, asks_for_key): Own,
    order: ProjectOrdering,
) -> Result<Answer, PageError> {
    let is_first_start = page.total == 0 && order.search.is_empty();
    present(visit, frame, "Your projects", (top, page, asks_for_key), order, is_first_start)
}

pub(super) async fn starred(visit: Visit) -> Result<Answer, PageError> {
    let order = ProjectOrdering::parse(visit.parameters());
    let request = ListProjects { starred: true, ..order.request(visit.parameters()) };
    let read = visit.read(move |query| Ok((Top::read(query, "starred")?, project::list(query, request)?, false)));
    let (frame, found) = read.await?;
    present(&visit, frame, "Starred projects", found, order, false)
}

fn present(
    visit: &Visit,
    frame: Frame,
    title: &'static str,
    (top, page, asks_for_key): Own,
    order: ProjectOrdering,
    is_first_start: bool,
) -> Result<Answer, PageError> {
    let listed = ProjectList::new(&frame.root, order, visit.parameters(), page);
    let base_url = visit.app().base_url().to_owned();
    Answer::cacheable(&ProjectsPage {
        may_create_group: frame.user.as_ref().is_some_and(|user| user.may_create_group),
        frame,
        top,
        title,
        base_url,
        listed,
        asks_for_key,
        is_first_start,
    })
}
