//! The hooks of a project, and the events that were sent to them.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::hook::{self, DeliveryFilter, DeliveryView, HookSource};
use tenon_app::{Query, webhook};
use tenon_domain::hook::{Holder, Hook, Trigger};
use tenon_domain::id::{HookDeliveryId, HookId};
use tenon_domain::page::Page;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::OriginalValues;
use crate::kit::pagination::{Pagination, chosen};
use crate::kit::problems::Problems;
use crate::parts::hook::{DeliveryRow, FormValues, NOT_ACCEPTED, Row, offered, status_words, with_secret};
use crate::table::project::ProjectTable;

pub(super) fn routes(table: &mut ProjectTable) {
    table.page("/hooks", read_list, list);
    table.post("/hooks", create);
    table.page("/hooks/{id}/edit", read_one, edit);
    table.put("/hooks/{id}", update);
    table.delete("/hooks/{id}", delete);
    table.post("/hooks/{id}/test", test);
    table.post("/hooks/{id}/hook_logs/{log}/retry", resend);
    table.get("/settings/integrations", |context| async move { Ok(Answer::to(&context.address("/hooks"))) });
}

#[derive(Template)]
#[template(path = "project/hooks.html")]
struct ListPage {
    frame: Frame,
    project: ProjectFrame,
    problems: Problems,
    typed: FormValues,
    hooks: Vec<Row>,
    pages: Pagination,
}

#[derive(Template)]
#[template(path = "project/hook.html")]
struct EditPage {
    frame: Frame,
    project: ProjectFrame,
    id: i64,
    /// The reason why it is not called, if it is not.
    status: Option<&'static str>,
    problems: Problems,
    typed: FormValues,
    /// The events that can be tried: those for which the project has data.
    tests: Vec<(&'static str, &'static str)>,
    deliveries: Vec<DeliveryRow>,
    pages: Pagination,
}

fn source(asked: &ProjectRequest) -> HookSource {
    HookSource::Project(asked.project.clone())
}

fn id_of(asked: &ProjectRequest) -> Result<HookId, AppError> {
    asked.number("id").map(HookId::new)
}

fn read_list(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Page<Hook>, AppError> {
    query.user()?;
    hook::list(query, &source(asked), chosen(&asked.query))
}

async fn list(context: ProjectContext, found: Page<Hook>) -> Result<Answer, PageError> {
    present_list(context, found, FormValues::new(Holder::Project), Problems::default())
}

fn present_list(
    context: ProjectContext,
    found: Page<Hook>,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let project = ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path("/hooks");
    let pages = Pagination::of(&found).at(&format!("{}/hooks", project.href));
    let now = context.request.app().now();
    let hooks = found.items.into_iter().map(|hook| Row::of(hook, now)).collect();
    Answer::page(&ListPage { frame: context.frame, project, problems, typed, hooks, pages })
}

async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let form = context.request.form();
    let typed = FormValues::sent(form, Holder::Project);
    let (source, change) = (source(&context.asked), typed.change(form, Holder::Project));
    match context.request.write(move |command| hook::create(command, &source, &change)).await {
        Ok(_) => Ok(context.done("/hooks").cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let problems = with_secret(form, Problems::of(error)?);
            let asked = context.asked.clone();
            let (frame, found) = context.request.read(move |query| read_list(query, &asked)).await?;
            let page = present_list(ProjectContext { frame, ..context }, found, typed, problems)?;
            Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// A hook with the events that were sent to it.
struct Shipped {
    hook: Hook,
    deliveries: Page<DeliveryView>,
    testable: Vec<Trigger>,
}

fn read_one(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<Shipped, AppError> {
    query.user()?;
    let (source, id) = (source(asked), id_of(asked)?);
    let hook = hook::show(query, &source, id)?;
    let known: Vec<Trigger> = offered(Holder::Project).map(|(flag, _)| flag.trigger).collect();
    let testable = webhook::testable(query, &hook, &known)?;
    let deliveries = hook::deliveries(query, &source, id, DeliveryFilter::default(), chosen(&asked.query))?;
    Ok(Shipped { hook, deliveries, testable })
}

async fn edit(context: ProjectContext, found: Shipped) -> Result<Answer, PageError> {
    let typed = FormValues::of(&found.hook);
    present(context, found, typed, Problems::default())
}

fn present(
    context: ProjectContext,
    found: Shipped,
    typed: FormValues,
    problems: Problems,
) -> Result<Answer, PageError> {
    let Shipped { hook, deliveries: found, testable } = found;
    let (id, status) = (hook.id, status_words(&hook, context.request.app().now()));
    let typed = typed.with_names_of(&hook, context.request.form());
    let project =
        ProjectFrame::new(&context.frame.root, &context.page, Tab::Settings).with_api_path(&format!("/hooks/{id}"));
    let pages = Pagination::of(&found).at(&format!("{}/hooks/{id}/edit", project.href));
    let deliveries = found.items.into_iter().map(DeliveryRow::of).collect();
    let tests = offered(Holder::Project).filter(|(flag, _)| testable.contains(&flag.trigger));
    let tests = tests.map(|(flag, words)| (flag.name(), words)).collect();
    Answer::page(&EditPage {
        frame: context.frame,
        project,
        id: id.get(),
        status,
        problems,
        typed,
        tests,
        deliveries,
        pages,
    })
}

async fn refused(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
    let page = present(ProjectContext { frame, ..context }, found, typed, problems)?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let id = id_of(&context.asked)?;
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form, Holder::Project);
    let (source, change) = (source(&context.asked), typed.change(form, Holder::Project));
    match context.request.write(move |command| hook::edit(command, &source, id, &change)).await {
        Ok(_) => Ok(context.done("/hooks").cookie(cookie::of_flash(Flash::SettingsSaved))),
        Err(error) => {
            let problems = with_secret(form, Problems::of(error)?);
            refused(context, typed, problems).await
        }
    }
}

async fn delete(context: ProjectContext) -> Result<Answer, PageError> {
    let (source, id) = (source(&context.asked), id_of(&context.asked)?);
    context.request.write(move |command| hook::delete(command, &source, id, None)).await?;
    Ok(context.done("/hooks").cookie(cookie::of_flash(Flash::SettingsSaved)))
}

/// Sends an event with data of the project, and shows the answer of the receiver.
async fn test(context: ProjectContext) -> Result<Answer, PageError> {
    let id = id_of(&context.asked)?;
    let named = context.request.form().filled("", "trigger").unwrap_or_default();
    let trigger = offered(Holder::Project).find(|(flag, _)| flag.name() == named).ok_or(PageError::NotFound)?.0.trigger;
    let (app, identity) = (context.request.app(), context.request.identity());
    match webhook::test(app, identity, context.project(), id, trigger).await {
        Ok(outcome) if outcome.accepted => {
            Ok(context.done(&format!("/hooks/{id}/edit")).cookie(cookie::of_flash(Flash::HookTested)))
        }
        Ok(outcome) => unanswered(context, &outcome.answer).await,
        Err(error) => {
            let problems = Problems::of(error)?.under(NOT_ACCEPTED);
            again(context, problems).await
        }
    }
}

async fn unanswered(context: ProjectContext, answer: &str) -> Result<Answer, PageError> {
    let shown: String = answer.chars().take(1_000).collect();
    let problems = Problems::plain(&format!("The server did not accept the event: {shown}"));
    again(context, problems.under(NOT_ACCEPTED)).await
}

async fn again(context: ProjectContext, problems: Problems) -> Result<Answer, PageError> {
    let asked = context.asked.clone();
    let (frame, found) = context.request.read(move |query| read_one(query, &asked)).await?;
    let typed = FormValues::of(&found.hook);
    let page = present(ProjectContext { frame, ..context }, found, typed, problems)?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// Sends an event again, and shows the answer of the receiver.
async fn resend(context: ProjectContext) -> Result<Answer, PageError> {
    let id = id_of(&context.asked)?;
    let delivery = HookDeliveryId::new(context.asked.number("log")?);
    let (app, identity) = (context.request.app(), context.request.identity());
    match webhook::resend(app, identity, source(&context.asked), id, delivery).await? {
        Some(200..300) => Ok(context.done(&format!("/hooks/{id}/edit")).cookie(cookie::of_flash(Flash::HookResent))),
        Some(status) => unanswered(context, &format!("HTTP {status}")).await,
        None => unanswered(context, "no response").await,
    }
}
