//! The issues and merge requests that a user has to do with.

use askama::Template;
use tenon_domain::issuable::IssuableKind;

use super::Top;
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::across::{self, Relation};
use crate::issuable::filter::Filters;
use crate::issuable::list::{FilterForm, Row, StateTab};
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "dashboard/issuables.html")]
struct ListPage {
    frame: Frame,
    top: Top,
    title: &'static str,
    noun: &'static str,
    relations: Vec<RelationTab>,
    tabs: Vec<StateTab>,
    form: FilterForm,
    rows: Vec<Row>,
    pages: Pagination,
}

/// A relation as a tab.
struct RelationTab {
    words: &'static str,
    href: String,
    is_here: bool,
}

pub(super) async fn issues(visit: Visit) -> Result<Answer, PageError> {
    list(visit, IssuableKind::Issue, "Issues", "issues").await
}

pub(super) async fn merge_requests(visit: Visit) -> Result<Answer, PageError> {
    list(visit, IssuableKind::MergeRequest, "Merge requests", "merge_requests").await
}

async fn list(visit: Visit, kind: IssuableKind, title: &'static str, here: &'static str) -> Result<Answer, PageError> {
    let asked = visit.parameters().clone();
    let relation = Relation::parse(&asked, kind);
    let filters = Filters::parse(&asked, kind);
    let read =
        visit.read(move |query| Ok((Top::read(query, here)?, across::read(query, &asked, kind, relation, None)?)));
    let (frame, (top, found)) = read.await?;
    let listed = found.present(&frame, visit.app().base_url());
    let tab = |one: &Relation| RelationTab {
        words: one.words(),
        href: filters.href(|other| {
            other.scope = one.as_str();
            (other.author, other.assignee) = (None, None);
        }),
        is_here: *one == relation,
    };
    let relations = Relation::offered(kind).iter().map(tab).collect();
    Answer::cacheable(&ListPage {
        frame,
        top,
        title,
        noun: listed.noun,
        relations,
        tabs: listed.tabs,
        form: listed.form,
        rows: listed.rows,
        pages: listed.pages,
    })
}
