//! The milestones of a group.

use askama::Template;
use tenon_app::error::{AppError, Missing};
use tenon_app::milestone::{self, ListMilestones};
use tenon_app::{ContainerReference, PageRequest, Query, Reference, issue, markdown, merge_request};

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::error::PageError;
use crate::frame::Frame;
use crate::issuable::list::{Row, permitted};
use crate::milestone::{Shown, wanted_state};
use crate::pagination::{Pagination, chosen};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "group/milestones.html")]
struct ListPage {
    frame: Frame,
    group: GroupTop,
    state: &'static str,
    rows: Vec<Shown>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "group/milestone.html")]
struct ShowPage {
    frame: Frame,
    group: GroupTop,
    milestone: Shown,
    /// HTML that is safe: made by the renderer of Markdown.
    description: String,
    issues: Vec<Row>,
    requests: Vec<Row>,
    issues_total: i64,
    requests_total: i64,
}

/// Where the addresses of milestones begin.
fn below(top: &GroupTop) -> String {
    format!("{}/-", top.href)
}

pub(super) async fn list(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let (state, active) = wanted_state(visit.query("state"));
    let page = chosen(visit.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        let request = ListMilestones { active, page, ..ListMilestones::default() };
        milestone::list(query, &ContainerReference::Group(group.clone()), request)
    };
    let (frame, page, found) = read(&visit, &path, work).await?;
    let group = GroupTop::new(&frame.root, &page, Tab::Milestones);
    let pages = Pagination::of(&found).with_query(&format!("state={state}"));
    let rows = found.items.iter().map(|view| Shown::new(&below(&group), view)).collect();
    Answer::cacheable(&ListPage { frame, group, state, rows, pages })
}

pub(super) async fn show(visit: Visit, path: Path, iid: i64) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        let of = ContainerReference::Group(group.clone());
        let request = ListMilestones { iids: Some(vec![iid]), ..ListMilestones::default() };
        let view = milestone::list(query, &of, request)?.items.pop().ok_or(AppError::NotFound(Missing::Plain))?;
        let (id, first) = (view.milestone.id, PageRequest::new(None, Some(PageRequest::MAX_PER_PAGE)));
        let description = markdown::render(query, &view.milestone.description, true, None)?;
        let issues = permitted(issue::of_milestone(query, &of, id, first))?;
        Ok((view, description, issues, permitted(merge_request::of_milestone(query, &of, id, first))?))
    };
    let (frame, page, (view, description, issues, requests)) = read(&visit, &path, work).await?;
    let group = GroupTop::new(&frame.root, &page, Tab::Milestones);
    let base_url = visit.app().base_url();
    let issues_total = issues.as_ref().map_or(0, |page| page.total);
    let requests_total = requests.as_ref().map_or(0, |page| page.total);
    let issues = issues.iter().flat_map(|page| &page.items).map(|view| Row::across(&frame, base_url, view, false));
    let requests = requests.iter().flat_map(|page| &page.items);
    let requests = requests.map(|view| Row::across(&frame, base_url, &view.of, view.request.draft));
    Answer::cacheable(&ShowPage {
        milestone: Shown::new(&below(&group), &view),
        description,
        issues: issues.collect(),
        requests: requests.collect(),
        issues_total,
        requests_total,
        group,
        frame,
    })
}
