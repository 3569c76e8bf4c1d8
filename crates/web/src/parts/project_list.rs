//! Lists of projects: their rows, their order, and their filters.

use tenon_app::project::{ListProjects, ProjectBrief, ProjectOrder, ProjectView};
use tenon_domain::page::Page;

use crate::kit::address::in_query;
use crate::kit::choice::Choice;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::parameters::Parameters;
use crate::kit::words::{self, Moment};

/// The filters of a list of projects, and its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectOrdering {
    pub(crate) search: String,
    pub(crate) sorts: Vec<Choice>,
    sort: &'static str,
    pub(crate) language: String,
    pub(crate) topic: String,
    /// True if readers can narrow the list to a language and a topic.
    pub(crate) asks_more: bool,
}

/// The orders, with their names in addresses.
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

    /// The same, for a list that readers can narrow to a language and a topic.
    pub(crate) fn with_more(self, asked: &Parameters) -> Self {
        let words = |name: &str| asked.words(name).unwrap_or_default();
        Self { language: words("language"), topic: words("topic"), asks_more: true, ..self }
    }

    /// True if the list may lack projects because of its filters.
    pub(crate) fn has_filter(&self) -> bool {
        [&self.search, &self.language, &self.topic].into_iter().any(|text| !text.is_empty())
    }

    /// The request to the use case.
    pub(crate) fn request(&self, asked: &Parameters) -> ListProjects {
        let (_, _, order_by, descending) = *SORTS.iter().find(|known| known.0 == self.sort).unwrap_or(&SORTS[0]);
        ListProjects {
            search: Some(self.search.clone()).filter(|text| !text.is_empty()),
            language: Some(self.language.clone()).filter(|text| !text.is_empty()),
            topics: Some(self.topic.clone()).filter(|text| !text.is_empty()).into_iter().collect(),
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
        let rows = Some(chosen(asked).per_page()).filter(|rows| *rows != crate::kit::pagination::SIZES[0]);
        let rows = rows.map(|rows| format!("per_page={rows}"));
        texts.chain(sort).chain(rows).collect::<Vec<_>>().join("&")
    }
}

/// A page of a list of projects, with its order and filters.
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

pub(crate) struct ProjectRow {
    pub(crate) href: String,
    pub(crate) full_name: String,
    pub(crate) description: String,
    pub(crate) visibility: &'static str,
    pub(crate) visibility_icon: &'static str,
    pub(crate) stars: i64,
    pub(crate) updated: Moment,
}

impl ProjectRow {
    pub(crate) fn new(root: &str, brief: ProjectBrief) -> Self {
        Self {
            href: format!("{root}/{}", brief.full_path),
            full_name: brief.full_name,
            description: brief.project.description.unwrap_or_default(),
            visibility: words::visibility(brief.project.visibility),
            visibility_icon: words::visibility_icon(brief.project.visibility),
            stars: brief.project.star_count,
            updated: brief.project.last_activity_at.into(),
        }
    }
}
