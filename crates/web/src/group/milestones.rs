//! The milestones of a group.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::issuable::IssuableView;
use tenon_app::milestone::{self, ListMilestones, MilestoneView};
use tenon_app::{ContainerReference, Query, Reference, markdown};

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{self, Problems};
use crate::frame::Frame;
use crate::issuable::list::Row;
use crate::milestone::contents::{self, Contents};
use crate::milestone::{Shown, Typed, find, wanted_state};
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
    may_manage: bool,
}

#[derive(Template)]
#[template(path = "group/milestone.html")]
struct ShowPage {
    frame: Frame,
    group: GroupTop,
    milestone: Shown,
    /// HTML that is safe: made by the renderer of Markdown.
    description: String,
    contents: Contents,
    may_manage: bool,
    /// Those of groups stay there.
    may_promote: bool,
}

#[derive(Template)]
#[template(path = "group/milestone_form.html")]
struct FormPage {
    frame: Frame,
    group: GroupTop,
    /// Where milestones are made.
    href: String,
    /// The number of the milestone that is changed; none for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: Typed,
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
    Answer::cacheable(&ListPage { frame, group, state, rows, pages, may_manage: page.may.manage_milestones })
}

pub(super) async fn show(visit: Visit, path: Path, iid: i64) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        let of = ContainerReference::Group(group.clone());
        let view = find(query, &of, iid)?;
        let description = markdown::render(query, &view.milestone.description, true, None)?;
        Ok((description, contents::read(query, &of, &view)?, view))
    };
    let (frame, page, (description, found, view)) = read(&visit, &path, work).await?;
    let group = GroupTop::new(&frame.root, &page, Tab::Milestones);
    let base_url = visit.app().base_url();
    let row = |view: &IssuableView, is_draft: bool| Row::across(&frame, base_url, view, is_draft);
    Answer::cacheable(&ShowPage {
        milestone: Shown::new(&below(&group), &view),
        description,
        contents: Contents::new(found, row),
        may_manage: page.may.manage_milestones,
        may_promote: false,
        group,
        frame,
    })
}

pub(super) async fn new(visit: Visit, path: Path) -> Result<Answer, PageError> {
    form(&visit, &path, None, Some(Typed::default()), Problems::default()).await
}

pub(super) async fn edit(visit: Visit, path: Path, iid: i64) -> Result<Answer, PageError> {
    form(&visit, &path, Some(iid), None, Problems::default()).await
}

/// The form with what was typed, or with what is stored. 403 where the caller may not save it.
async fn form(
    visit: &Visit,
    path: &Path,
    iid: Option<i64>,
    typed: Option<Typed>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        iid.map(|iid| find(query, &ContainerReference::Group(group.clone()), iid)).transpose()
    };
    let (frame, page, found) = read(visit, path, work).await?;
    if !page.may.manage_milestones {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupTop::new(&frame.root, &page, Tab::Milestones);
    let typed = typed.or_else(|| found.map(|view| Typed::of(view.milestone))).ok_or(PageError::NotFound)?;
    Answer::page(&FormPage { href: format!("{}/milestones", below(&group)), frame, group, iid, problems, typed })
}

async fn refused(
    visit: &Visit,
    path: &Path,
    iid: Option<i64>,
    typed: Typed,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(visit, path, iid, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn saved(visit: &Visit, path: &Path, view: &MilestoneView) -> Answer {
    Answer::done(&visit.own(&path.address(&format!("/-/milestones/{}", view.milestone.iid))))
}

pub(super) async fn create(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(&visit, &path, None, typed, problems).await,
    };
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        milestone::create(command, &of, request)
    });
    match written.await {
        Ok(view) => Ok(saved(&visit, &path, &view)),
        Err(error) => refused(&visit, &path, None, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn update(visit: Visit, path: Path, iid: i64) -> Result<Answer, PageError> {
    let shown = form::Shown::sent(visit.form());
    let form = visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(&visit, &path, Some(iid), typed, problems).await,
    };
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::edit(command, &of, id, request)
    });
    match written.await {
        Ok(view) => Ok(saved(&visit, &path, &view)),
        Err(error) => refused(&visit, &path, Some(iid), typed, Problems::of(error)?).await,
    }
}

pub(super) async fn delete(visit: Visit, path: Path, iid: i64) -> Result<Answer, PageError> {
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = ContainerReference::Group(group.find(&mut command.query())?);
        let id = find(&mut command.query(), &of, iid)?.milestone.id;
        milestone::delete(command, &of, id, None)
    });
    written.await?;
    let there = visit.own(&path.address("/-/milestones"));
    Ok(Answer::done(&there).cookie(cookie::of_flash(Flash::MilestoneRemoved)))
}
