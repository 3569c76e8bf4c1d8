//! The labels of a group, which its projects have as well.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::group::GroupPage;
use tenon_app::label::{self, LabelView};
use tenon_app::{ContainerReference, Query, Reference};
use tenon_domain::container::Container;
use tenon_domain::issuable::IssuableKind;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, GroupPath, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::problems::Problems;
use crate::parts::label::{FormValues, Listed, reference, toggle, wanted};

#[derive(Template)]
#[template(path = "group/labels.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    listed: Listed,
}

#[derive(Template)]
#[template(path = "group/label_form.html")]
struct FormPage {
    frame: Frame,
    group: GroupFrame,
    /// The address to which the form of a new label is sent.
    href: String,
    /// The label that is changed. None for a new one.
    id: Option<i64>,
    problems: Problems,
    typed: FormValues,
}

/// The group as an argument of use cases.
fn of(path: &GroupPath, query: &mut Query<'_>) -> Result<ContainerReference, AppError> {
    Ok(ContainerReference::Group(path.find(query)?))
}

/// The start of the addresses of labels.
fn home(group: &GroupFrame) -> String {
    format!("{}/-", group.href)
}

pub(super) async fn list(context: GroupContext) -> Result<Answer, PageError> {
    let request = wanted(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        label::list(query, &ContainerReference::Group(group.clone()), &request)
    };
    let (frame, page, found) = context.read(work).await?;
    let id = Container::Group(page.group.id());
    let group = GroupFrame::new(&frame.root, &page, Tab::Labels);
    let own: Vec<bool> = found.items.iter().map(|view| view.label.container == id).collect();
    // Strangers have no lists across all projects of a group.
    let lists = [IssuableKind::Issue, IssuableKind::MergeRequest];
    let lists = if frame.user.is_some() { &lists[..] } else { &[] };
    let mut listed = Listed::new(&home(&group), lists, found, context.request.parameters());
    listed.may_manage = page.may.manage_labels;
    listed.rows.iter_mut().zip(own).for_each(|(row, is_own)| row.is_own = is_own);
    Answer::cacheable(&ListPage { frame, group, listed })
}

pub(super) async fn new(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::new(context.request.parameters());
    form(&context, None, Some(typed), Problems::default()).await
}

/// The form of a label of the group's own. 403 for labels of groups above, which are changed there.
pub(super) async fn edit(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    form(&context, Some(id), None, Problems::default()).await
}

/// The form with typed or stored values. 403 if the caller may not save it.
async fn form(
    context: &GroupContext,
    id: Option<i64>,
    typed: Option<FormValues>,
    problems: Problems,
) -> Result<Answer, PageError> {
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        id.map(|id| label::show(query, &ContainerReference::Group(group.clone()), &reference(id))).transpose()
    };
    let (frame, page, found): (Frame, GroupPage, Option<LabelView>) = context.read(work).await?;
    let is_own = found.as_ref().is_none_or(|view| view.label.container == Container::Group(page.group.id()));
    if !page.may.manage_labels || !is_own {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let group = GroupFrame::new(&frame.root, &page, Tab::Labels);
    let typed = typed.or_else(|| found.map(FormValues::of)).ok_or(PageError::NotFound)?.without_priority();
    Answer::page(&FormPage { href: format!("{}/labels", home(&group)), frame, group, id, problems, typed })
}

async fn refused(
    context: &GroupContext,
    id: Option<i64>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    Ok(form(context, id, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

fn done(context: &GroupContext, flash: Option<Flash>) -> Answer {
    let answer = Answer::done(&context.request.own(&context.path.address("/-/labels")));
    flash.into_iter().fold(answer, |answer, flash| answer.cookie(cookie::of_flash(flash)))
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form());
    let request = match typed.created() {
        Ok(request) => request,
        Err(problems) => return refused(&context, None, typed, problems).await,
    };
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = of(&group, &mut command.query())?;
        label::create(command, &of, request)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Some(Flash::LabelSaved))),
        Err(error) => refused(&context, None, typed, Problems::of(error)?).await,
    }
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form);
    let request = match typed.changed(form) {
        Ok(request) => request,
        Err(problems) => return refused(&context, Some(id), typed, problems).await,
    };
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = of(&group, &mut command.query())?;
        label::edit(command, &of, &reference(id), request)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Some(Flash::LabelSaved))),
        Err(error) => refused(&context, Some(id), typed, Problems::of(error)?).await,
    }
}

pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = of(&group, &mut command.query())?;
        label::delete(command, &of, &reference(id))
    });
    written.await?;
    Ok(done(&context, Some(Flash::LabelRemoved)))
}

pub(super) async fn toggle_subscription(context: GroupContext) -> Result<Answer, PageError> {
    let id = context.number("id")?;
    let group = context.path.clone();
    let written = context.request.write(move |command| {
        let of = of(&group, &mut command.query())?;
        toggle(command, &of, id)
    });
    written.await?;
    Ok(done(&context, None))
}
