//! The issues and merge requests that are related to a user.

use askama::Template;
use tenon_domain::issuable::IssuableKind;

use super::frame::DashboardFrame;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::issuable::across::{self, Relation};
use crate::parts::issuable::filter::Filters;
use crate::parts::issuable::list::{FilterForm, Row, StateTab};

#[derive(Template)]
#[template(path = "dashboard/issuables.html")]
struct ListPage {
    frame: Frame,
    top: DashboardFrame,
    title: &'static str,
    noun: &'static str,
    relations: Vec<RelationTab>,
    tabs: Vec<StateTab>,
    form: FilterForm,
    rows: Vec<Row>,
    pages: Pagination,
}

struct RelationTab {
    words: &'static str,
    href: String,
    is_here: bool,
}

pub(super) async fn issues(context: RequestContext) -> Result<Answer, PageError> {
    list(context, IssuableKind::Issue, "Issues", "issues").await
}

pub(super) async fn merge_requests(context: RequestContext) -> Result<Answer, PageError> {
    list(context, IssuableKind::MergeRequest, "Merge requests", "merge_requests").await
}

async fn list(
    context: RequestContext,
    kind: IssuableKind,
    title: &'static str,
    here: &'static str,
) -> Result<Answer, PageError> {
    let asked = context.parameters().clone();
    let relation = Relation::parse(&asked, kind);
    let filters = Filters::parse(&asked, kind);
    let read = context.read(move |query| {
        Ok((DashboardFrame::read(query, here)?, across::read(query, &asked, kind, relation, None)?))
    });
    let (frame, (top, found)) = read.await?;
    let listed = found.present(&frame, context.app().base_url());
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
