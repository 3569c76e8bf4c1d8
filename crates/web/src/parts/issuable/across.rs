//! Lists of issues or merge requests of several projects.

use tenon_app::error::AppError;
use tenon_app::issuable::{IssuableView, StateCounts};
use tenon_app::merge_request::{self, MergeRequestView};
use tenon_app::{Query, Reference, issue};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::Page;

use super::filter::Filters;
use super::list::{FilterForm, Row, StateTab, tabs};
use crate::context::frame::Frame;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::parameters::Parameters;

/// The data of a list of several projects.
pub(crate) struct Found {
    filters: Filters,
    kind: IssuableKind,
    items: Items,
    counts: StateCounts,
}

enum Items {
    Issues(Page<IssuableView>),
    Requests(Page<MergeRequestView>),
}

/// A list of several projects, ready for its page.
pub(crate) struct Listed {
    pub(crate) tabs: Vec<StateTab>,
    pub(crate) form: FilterForm,
    pub(crate) rows: Vec<Row>,
    pub(crate) pages: Pagination,
    pub(crate) noun: &'static str,
}

/// The relation of the caller to the entries of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It is assigned to them.
    Assigned,
    /// They review it.
    Reviewing,
    /// They have opened it.
    Opened,
    /// No relation, or the one of the filters.
    Any,
}

impl Relation {
    /// The relations that a list of this kind offers. The first one is used if the address names none and no people.
    pub(crate) const fn offered(kind: IssuableKind) -> &'static [Self] {
        match kind {
            IssuableKind::Issue => &[Self::Assigned, Self::Opened],
            IssuableKind::MergeRequest => &[Self::Reviewing, Self::Assigned, Self::Opened],
        }
    }

    /// The value in the address.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Assigned => "assigned_to_me",
            Self::Reviewing => "reviewed_by_me",
            Self::Opened => "created_by_me",
            Self::Any => "",
        }
    }

    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Assigned => "Assigned to you",
            Self::Reviewing => "Review requests",
            Self::Opened => "Created by you",
            Self::Any => "All",
        }
    }

    /// The relation that an address asks for. If the address names people, it asks for those.
    pub(crate) fn parse(query: &Parameters, kind: IssuableKind) -> Self {
        let offered = Self::offered(kind);
        let named = query.text("scope").and_then(|text| offered.iter().find(|one| one.as_str() == text));
        let filters = Filters::parse(query, kind);
        let names_people = filters.assignee.is_some() || filters.author.is_some();
        match named {
            Some(relation) => *relation,
            None if names_people => Self::Any,
            None => offered.first().copied().unwrap_or(Self::Any),
        }
    }
}

/// Reads a list of objects that the caller may see: of a group with its descendants, or of all projects.
pub(crate) fn read(
    query: &mut Query<'_>,
    asked: &Parameters,
    kind: IssuableKind,
    relation: Relation,
    group: Option<&Reference>,
) -> Result<Found, AppError> {
    let mut filters = Filters { scope: relation.as_str(), ..Filters::parse(asked, kind) };
    match relation {
        Relation::Opened => filters.author = None,
        Relation::Assigned => filters.assignee = None,
        Relation::Reviewing | Relation::Any => {}
    }
    let mut request = filters.request(chosen(asked));
    // The counts of the caller's open work leave archived projects out.
    request.without_archived = group.is_none();
    match relation {
        Relation::Any => {}
        Relation::Opened => request.author = Some(query.user()?.id),
        Relation::Assigned => {
            let name = query.user()?.username.clone();
            request.assignee = tenon_app::issuable::AssigneeWish::Named(vec![name]);
        }
        Relation::Reviewing => request.reviewer_username = Some(query.user()?.username.clone()),
    }
    let (items, counts) = match (kind, group) {
        (IssuableKind::Issue, None) => {
            (Items::Issues(issue::list(query, &request)?), issue::statistics(query, &request)?)
        }
        (IssuableKind::Issue, Some(group)) => {
            let page = issue::of_group(query, group, &request)?;
            (Items::Issues(page), issue::statistics_of_group(query, group, &request)?)
        }
        (IssuableKind::MergeRequest, None) => {
            (Items::Requests(merge_request::list(query, &request)?), merge_request::statistics(query, &request)?)
        }
        (IssuableKind::MergeRequest, Some(group)) => {
            let page = merge_request::of_group(query, group, &request)?;
            (Items::Requests(page), merge_request::statistics_of_group(query, group, &request)?)
        }
    };
    Ok(Found { filters, kind, items, counts })
}

impl Found {
    /// The same, for the page that shows it.
    pub(crate) fn present(self, frame: &Frame, base_url: &str) -> Listed {
        let Self { filters, kind, items, counts } = self;
        let (rows, pages): (Vec<Row>, Pagination) = match &items {
            Items::Issues(page) => {
                let rows = page.items.iter().map(|view| Row::across(frame, base_url, view, false));
                (rows.collect(), Pagination::of(page))
            }
            Items::Requests(page) => {
                let rows = page.items.iter().map(|view| Row::across(frame, base_url, &view.of, view.request.draft));
                (rows.collect(), Pagination::of(page))
            }
        };
        let pages = pages.with_query(&filters.query());
        let noun = match kind {
            IssuableKind::Issue => "issue",
            IssuableKind::MergeRequest => "merge request",
        };
        let tabs = tabs(&filters, counts, kind);
        let form = FilterForm::new(filters, None);
        Listed { tabs, form, rows, pages, noun }
    }
}
