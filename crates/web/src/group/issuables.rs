//! The issues and merge requests of a group and of what is below it.

use askama::Template;
use tenon_domain::issuable::IssuableKind;

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::across::{self, Relation};
use crate::issuable::list::{FilterForm, Row, StateTab};
use crate::pagination::Pagination;
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "group/issuables.html")]
struct ListPage {
    frame: Frame,
    group: GroupTop,
    title: &'static str,
    noun: &'static str,
    tabs: Vec<StateTab>,
    form: FilterForm,
    rows: Vec<Row>,
    pages: Pagination,
}

pub(super) async fn show(visit: Visit, path: Path, kind: IssuableKind) -> Result<Answer, PageError> {
    let asked = visit.parameters().clone();
    let work = move |query: &mut tenon_app::Query<'_>, group: &tenon_app::Reference| {
        query.user()?;
        across::read(query, &asked, kind, Relation::Any, Some(group))
    };
    let (frame, page, found) = read(&visit, &path, work).await?;
    let (title, tab) = match kind {
        IssuableKind::Issue => ("Issues", Tab::Issues),
        IssuableKind::MergeRequest => ("Merge requests", Tab::MergeRequests),
    };
    let listed = found.present(&frame, visit.app().base_url());
    Answer::cacheable(&ListPage {
        group: GroupTop::new(&frame.root, &page, tab),
        frame,
        title,
        noun: listed.noun,
        tabs: listed.tabs,
        form: listed.form,
        rows: listed.rows,
        pages: listed.pages,
    })
}
