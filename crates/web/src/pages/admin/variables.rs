//! The variables of the whole server, which all projects have.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::variable::{self, VariableOwner, VariableReference};
use tenon_domain::id::VariableId;

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::chosen;
use crate::kit::problems::Problems;
use crate::parts::variable::{FormValues, Holder, Listed, changed, created};

const ADDRESS: &str = "/admin/variables";

#[derive(Template)]
#[template(path = "admin/variables.html")]
struct ListPage {
    frame: Frame,
    listed: Listed,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "admin/variable.html")]
struct EditPage {
    frame: Frame,
    /// The address of the list.
    href: String,
    typed: FormValues,
    problems: Problems,
}

fn reference(context: &RequestContext) -> Result<VariableReference, PageError> {
    context.id("id").map(|id| VariableReference::Id(VariableId::new(id)))
}

fn done(context: &RequestContext, flash: Flash) -> Answer {
    Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(flash))
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let protected = context.app().known_settings().protects_variables;
    present_list(&context, FormValues::new(Holder::Server, protected), Problems::default()).await
}

async fn present_list(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let request = chosen(context.parameters());
    let (frame, found) =
        context.read(move |query| variable::list_without_values(query, &VariableOwner::Server, request)).await?;
    let listed = Listed::new(context.own(ADDRESS), found);
    Answer::page(&ListPage { frame, listed, typed, problems })
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let request = created(form);
    match context.write(move |command| variable::create(command, &VariableOwner::Server, request)).await {
        Ok(_) => Ok(done(&context, Flash::VariableSaved)),
        Err(error) => {
            let typed = FormValues::new(Holder::Server, false).sent(form);
            let page = present_list(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    present(&context, |stored| stored, Problems::default()).await
}

/// The form with the stored values, or what `typed` makes of them.
async fn present(
    context: &RequestContext,
    typed: impl FnOnce(FormValues) -> FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let reference = reference(context)?;
    let read = context.read(move |query| variable::show(query, &VariableOwner::Server, &reference));
    let (frame, found) = read.await?;
    Answer::page(&EditPage { frame, href: context.own(ADDRESS), typed: typed(FormValues::of(&found)), problems })
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let reference = reference(&context)?;
    let shown = OriginalValues::sent(context.form());
    let change = changed(context.form().changed(&shown));
    match context.write(move |command| variable::edit(command, &VariableOwner::Server, &reference, change)).await {
        Ok(_) => Ok(done(&context, Flash::VariableSaved)),
        Err(error) => {
            let typed = |stored: FormValues| stored.sent(context.form());
            let page = present(&context, typed, Problems::of(error)?).await?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let reference = reference(&context)?;
    context.write(move |command| variable::delete(command, &VariableOwner::Server, &reference, None)).await?;
    Ok(done(&context, Flash::VariableDeleted))
}
