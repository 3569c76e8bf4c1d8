//! The issues and merge requests of a group and of its descendants.

use askama::Template;
use tenon_domain::issuable::IssuableKind;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::error::PageError;
use crate::kit::pagination::Pagination;
use crate::parts::issuable::across::{self, Relation};
use crate::parts::issuable::list::{FilterForm, Row, StateTab};

#[derive(Template)]
#[template(path = "group/issuables.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    title: &'static str,
    noun: &'static str,
    tabs: Vec<StateTab>,
    form: FilterForm,
    rows: Vec<Row>,
    pages: Pagination,
}

pub(super) async fn issues(context: GroupContext) -> Result<Answer, PageError> {
    list(context, IssuableKind::Issue).await
}

pub(super) async fn merge_requests(context: GroupContext) -> Result<Answer, PageError> {
    list(context, IssuableKind::MergeRequest).await
}

async fn list(context: GroupContext, kind: IssuableKind) -> Result<Answer, PageError> {
    let asked = context.request.parameters().clone();
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        query.user()?;
        across::read(query, &asked, kind, Relation::Any, Some(group))
    };
    let (frame, page, found) = context.read(work).await?;
    let (title, tab) = match kind {
        IssuableKind::Issue => ("Issues", Tab::Issues),
        IssuableKind::MergeRequest => ("Merge requests", Tab::MergeRequests),
    };
    let listed = found.present(&frame, context.request.app().base_url());
    Answer::cacheable(&ListPage {
        group: GroupFrame::new(&frame.root, &page, tab),
        frame,
        title,
        noun: listed.noun,
        tabs: listed.tabs,
        form: listed.form,
        rows: listed.rows,
        pages: listed.pages,
    })
}
