//! The variables of a group, which its projects have as well.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::variable::{self, VariableOwner, VariableReference};
use tenon_app::{ContainerReference, Query, Reference};
use tenon_domain::id::VariableId;

use crate::context::frame::Frame;
use crate::context::group::{GroupContext, GroupFrame, GroupPath, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::variable::{FormValues, Holder, Listed, changed, created};

const ADDRESS: &str = "/-/variables";

#[derive(Template)]
#[template(path = "group/variables.html")]
struct ListPage {
    frame: Frame,
    group: GroupFrame,
    listed: Listed,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "group/variable.html")]
struct EditPage {
    frame: Frame,
    group: GroupFrame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn owner(group: &Reference) -> VariableOwner {
    VariableOwner::Container(ContainerReference::Group(group.clone()))
}

fn found(path: &GroupPath, query: &mut Query<'_>) -> Result<VariableOwner, AppError> {
    Ok(owner(&path.find(query)?))
}

fn reference(context: &GroupContext) -> Result<VariableReference, PageError> {
    context.number("id").map(|id| VariableReference::Id(VariableId::new(id)))
}

fn done(context: &GroupContext, flash: Flash) -> Answer {
    Answer::done(&context.request.own(&context.path.address(ADDRESS))).cookie(cookie::of_flash(flash))
}

/// Leads from another address of the list to the list.
pub(super) async fn moved(context: GroupContext) -> Result<Answer, PageError> {
    Ok(Answer::to(&context.request.own(&context.path.address(ADDRESS))))
}

pub(super) async fn list(context: GroupContext) -> Result<Answer, PageError> {
    let protected = context.request.app().known_settings().protects_variables;
    present_list(&context, FormValues::new(Holder::Container, protected), Problems::default()).await
}

async fn present_list(context: &GroupContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let request = chosen(context.request.parameters());
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        variable::list_without_values(query, &owner(group), request)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let listed = Listed::new(format!("{}{ADDRESS}", group.href), found);
    Answer::page(&ListPage { frame, group, listed, typed, problems })
}

pub(super) async fn create(context: GroupContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let (path, request) = (context.path.clone(), created(form));
    let written = context.request.write(move |command| {
        let owner = found(&path, &mut command.query())?;
        variable::create(command, &owner, request)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Flash::VariableSaved)),
        Err(error) => {
            let typed = FormValues::new(Holder::Container, false).sent(form);
            let page = present_list(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn edit(context: GroupContext) -> Result<Answer, PageError> {
    present(&context, |stored| stored, Problems::default()).await
}

/// The form with the stored values, or what `typed` makes of them.
async fn present(
    context: &GroupContext,
    typed: impl FnOnce(FormValues) -> FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let reference = reference(context)?;
    let work = move |query: &mut Query<'_>, group: &Reference| {
        query.user()?;
        variable::show(query, &owner(group), &reference)
    };
    let (frame, page, found) = context.read(work).await?;
    let group = GroupFrame::new(&frame.root, &page, Tab::Settings);
    let href = format!("{}{ADDRESS}", group.href);
    Answer::page(&EditPage { frame, group, href, typed: typed(FormValues::of(&found)), problems })
}

pub(super) async fn update(context: GroupContext) -> Result<Answer, PageError> {
    let (path, reference) = (context.path.clone(), reference(&context)?);
    let shown = OriginalValues::sent(context.request.form());
    let change = changed(context.request.form().changed(&shown));
    let written = context.request.write(move |command| {
        let owner = found(&path, &mut command.query())?;
        variable::edit(command, &owner, &reference, change)
    });
    match written.await {
        Ok(_) => Ok(done(&context, Flash::VariableSaved)),
        Err(error) => {
            let typed = |stored: FormValues| stored.sent(context.request.form());
            let page = present(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: GroupContext) -> Result<Answer, PageError> {
    let (path, reference) = (context.path.clone(), reference(&context)?);
    let written = context.request.write(move |command| {
        let owner = found(&path, &mut command.query())?;
        variable::delete(command, &owner, &reference, None)
    });
    written.await?;
    Ok(done(&context, Flash::VariableDeleted))
}
