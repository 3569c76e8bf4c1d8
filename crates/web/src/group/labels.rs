//! The labels of a group, which its projects have as well.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::GroupPage;
use tenon_app::label::{self, LabelView};
use tenon_app::{ContainerReference, Query, Reference};
use tenon_domain::container::Container;
use tenon_domain::issuable::IssuableKind;

use super::{GroupTop, Path, Tab, read};
use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Problems, Shown};
use crate::frame::Frame;
use crate::label::{Listed, Typed, find, reference, toggle, wanted};
use crate::visit::Visit;

#[derive(Template)]
#[template(path = "group/labels.html")]
struct ListPage {
    frame: Frame,
    group: GroupTop,
    listed: Listed,
}

#[derive(Template)]
#[template(path = "group/label_form.html")]
struct FormPage {
    frame: Frame,
    group: GroupTop,
    /// Where labels are made.
    href: String,
    /// The label that is changed; none for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: Typed,
}

/// As use cases name the group.
fn of(path: &Path, query: &mut Query<'_>) -> Result<ContainerReference, AppError> {
    Ok(ContainerReference::Group(path.find(query)?))
}

/// Where the addresses of labels begin.
fn home(group: &GroupTop) -> String {
    format!("{}/-", group.href)
}

pub(super) async fn list(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let request = wanted(visit.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        label::list(query, &ContainerReference::Group(group.clone()), &request)
    };
    let (frame, page, found) = read(&visit, &path, work).await?;
    let id = Container::Group(page.group.id());
    let group = GroupTop::new(&frame.root, &page, Tab::Labels);
    let own: Vec<bool> = found.items.iter().map(|view| view.label.container == id).collect();
    // Strangers have no lists of what is in all projects of a group.
    let lists = [IssuableKind::Issue, IssuableKind::MergeRequest];
    let lists = if frame.user.is_some() { &lists[..] } else { &[] };
    let mut listed = Listed::new(&home(&group), lists, found, visit.parameters());
    listed.may_manage = page.may.manage_labels;
    listed.rows.iter_mut().zip(own).for_each(|(row, is_own)| row.is_own = is_own);
    Answer::cacheable(&ListPage { frame, group, listed })
}

pub(super) async fn new(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let typed = Typed::new(visit.parameters());
    form(&visit, &path, None, Some(typed), Problems::default()).await
}

/// The form of a label of the group's own. 403 for those of groups above, which are changed there.
pub(super) async fn edit(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    form(&visit, &path, Some(id), None, Problems::default()).await
}

/// The form with what was typed, or with what is stored. 403 where the caller may not save it.
async fn form(
    visit: &Visit,
    path: &Path,
    id: Option<i64>,
    typed: Option<Typed>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        id.map(|id| find(query, &ContainerReference::Group(group.clone()), id)).transpose()
    };
    let (frame, page, found): (Frame, GroupPage, Option<LabelView>) = read(visit, path, work).await?;
    let is_own = found.as_ref().is_none_or(|view| view.label.container == Container::Group(page.group.id()));
    if !page.may.manage_labels || !is_own {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupTop::new(&frame.root, &page, Tab::Labels);
    let typed = typed.or_else(|| found.map(Typed::of)).ok_or(PageError::NotFound)?.without_priority();
    Answer::page(&FormPage { href: format!("{}/labels", home(&group)), frame, group, id, problems, typed })
}

async fn refused(
    visit: &Visit,
    path: &Path,
    id: Option<i64>,
    typed: Typed,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(visit, path, id, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn done(visit: &Visit, path: &Path, flash: Option<Flash>) -> Answer {
    let answer = Answer::done(&visit.own(&path.address("/-/labels")));
    flash.into_iter().fold(answer, |answer, flash| answer.cookie(cookie::of_flash(flash)))
}

pub(super) async fn create(visit: Visit, path: Path) -> Result<Answer, PageError> {
    let typed = Typed::sent(visit.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(&visit, &path, None, typed, problems).await,
    };
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = of(&group, &mut command.query())?;
        label::create(command, &of, request)
    });
    match written.await {
        Ok(_) => Ok(done(&visit, &path, Some(Flash::LabelSaved))),
        Err(error) => refused(&visit, &path, None, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn update(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    let shown = Shown::sent(visit.form());
    let form = visit.form().changed(&shown);
    let typed = Typed::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(&visit, &path, Some(id), typed, problems).await,
    };
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = of(&group, &mut command.query())?;
        find(&mut command.query(), &of, id)?;
        label::edit(command, &of, &reference(id), request)
    });
    match written.await {
        Ok(_) => Ok(done(&visit, &path, Some(Flash::LabelSaved))),
        Err(error) => refused(&visit, &path, Some(id), typed, Problems::of(error)?).await,
    }
}

pub(super) async fn delete(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = of(&group, &mut command.query())?;
        find(&mut command.query(), &of, id)?;
        label::delete(command, &of, &reference(id))
    });
    written.await?;
    Ok(done(&visit, &path, Some(Flash::LabelRemoved)))
}

pub(super) async fn toggle_subscription(visit: Visit, path: Path, id: i64) -> Result<Answer, PageError> {
    let group = path.clone();
    let written = visit.write(move |command| {
        let of = of(&group, &mut command.query())?;
        toggle(command, &of, id)
    });
    written.await?;
    Ok(done(&visit, &path, None))
}
