//! The hooks of the whole server, and the events that were sent to them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::hook::{self, DeliveryFilter, DeliveryView, HookSource};
use tenon_app::{Query, webhook};
use tenon_domain::hook::{Holder, Hook};
use tenon_domain::id::{HookDeliveryId, HookId};
use tenon_domain::page::{Page, PageRequest};

use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::parts::hook::{DeliveryRow, FormValues, NOT_ACCEPTED, Row, status_words, with_secret};

#[derive(Template)]
#[template(path = "admin/hooks.html")]
struct ListPage {
    frame: Frame,
    /// The address below which hooks are.
    at: String,
    problems: Problems,
    typed: FormValues,
    hooks: Vec<Row>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "admin/hook.html")]
struct EditPage {
    frame: Frame,
    at: String,
    id: i64,
    /// The reason why it is not called, if it is not.
    status: Option<&'static str>,
    problems: Problems,
    typed: FormValues,
    deliveries: Vec<DeliveryRow>,
    pages: Pagination,
}

fn id_of(context: &RequestContext) -> Result<HookId, PageError> {
    context.id("id").map(HookId::new)
}

fn page_of(context: &RequestContext, id: HookId) -> String {
    context.own(&format!("/admin/hooks/{id}/edit"))
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    present_list(&context, FormValues::new(Holder::Server), Problems::default()).await
}

async fn present_list(context: &RequestContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let request = chosen(context.parameters());
    let (frame, found) = context.read(move |query| hook::list(query, &HookSource::Server, request)).await?;
    let pages = Pagination::of(&found).at(&context.own("/admin/hooks"));
    let now = context.app().now();
    let hooks = found.items.into_iter().map(|hook| Row::of(hook, now)).collect();
    Answer::page(&ListPage { frame, at: context.own("/admin"), problems, typed, hooks, pages })
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let typed = FormValues::sent(form, Holder::Server);
    let change = typed.change(form, Holder::Server);
    match context.write(move |command| hook::create(command, &HookSource::Server, &change)).await {
        Ok(_) => Ok(Answer::done(&context.own("/admin/hooks")).cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let problems = with_secret(form, Problems::of(error)?);
            Ok(present_list(&context, typed, problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// A hook with the events that were sent to it.
fn read_one(
    query: &mut Query<'_>,
    id: HookId,
    request: PageRequest,
) -> Result<(Hook, Page<DeliveryView>), tenon_app::error::AppError> {
    let hook = hook::show(query, &HookSource::Server, id)?;
    let deliveries = hook::deliveries(query, &HookSource::Server, id, DeliveryFilter::default(), request)?;
    Ok((hook, deliveries))
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    present(&context, None, Problems::default()).await
}

async fn present(context: &RequestContext, typed: Option<FormValues>, problems: Problems) -> Result<Answer, PageError> {
    let (id, request) = (id_of(context)?, chosen(context.parameters()));
    let (frame, (hook, found)) = context.read(move |query| read_one(query, id, request)).await?;
    let typed = typed.unwrap_or_else(|| FormValues::of(&hook)).with_names_of(&hook, context.form());
    let status = status_words(&hook, context.app().now());
    let pages = Pagination::of(&found).at(&page_of(context, id));
    let deliveries = found.items.into_iter().map(DeliveryRow::of).collect();
    let (at, id) = (context.own("/admin"), id.get());
    Answer::page(&EditPage { frame, at, id, status, problems, typed, deliveries, pages })
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let id = id_of(&context)?;
    let shown = OriginalValues::sent(context.form());
    let form = context.form().changed(&shown);
    let typed = FormValues::sent(form, Holder::Server);
    let change = typed.change(form, Holder::Server);
    match context.write(move |command| hook::edit(command, &HookSource::Server, id, &change)).await {
        Ok(_) => Ok(Answer::done(&context.own("/admin/hooks")).cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let problems = with_secret(form, Problems::of(error)?);
            Ok(present(&context, Some(typed), problems).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = id_of(&context)?;
    context.write(move |command| hook::delete(command, &HookSource::Server, id, None)).await?;
    Ok(Answer::done(&context.own("/admin/hooks")).cookie(cookie::of_flash(Flash::SettingsSaved)))
}

/// Sends an example of an event, and shows the answer of the receiver.
pub(super) async fn test(context: RequestContext) -> Result<Answer, PageError> {
    let id = id_of(&context)?;
    match webhook::test_system(context.app(), context.identity(), id).await {
        Ok((outcome, _)) if outcome.accepted => {
            Ok(Answer::done(&page_of(&context, id)).cookie(cookie::of_flash(Flash::HookTested)))
        }
        Ok((outcome, _)) => unanswered(&context, &outcome.answer).await,
        Err(error) => again(&context, Problems::of(error)?).await,
    }
}

async fn unanswered(context: &RequestContext, answer: &str) -> Result<Answer, PageError> {
    let shown: String = answer.chars().take(1_000).collect();
    again(context, Problems::plain(&format!("The server did not accept the event: {shown}"))).await
}

async fn again(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    Ok(present(context, None, problems.under(NOT_ACCEPTED)).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Sends an event again, and shows the answer of the receiver.
pub(super) async fn resend(context: RequestContext) -> Result<Answer, PageError> {
    let (id, delivery) = (id_of(&context)?, HookDeliveryId::new(context.id("log")?));
    match webhook::resend(context.app(), context.identity(), HookSource::Server, id, delivery).await? {
        Some(200..300) => Ok(Answer::done(&page_of(&context, id)).cookie(cookie::of_flash(Flash::HookResent))),
        Some(status) => unanswered(&context, &format!("HTTP {status}")).await,
        None => unanswered(&context, "no response").await,
    }
}
