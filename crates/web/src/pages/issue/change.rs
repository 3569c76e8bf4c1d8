//! Making, changing and moving issues.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuableView, Sender};
use tenon_app::issue::{self, CreateIssue, EditIssue};
use tenon_app::template::DescriptionKind;
use tenon_app::{Query, Reference};
use tenon_domain::quick_action::extract;

use crate::context::frame::Frame;
use crate::context::project::{ProjectContext, ProjectRequest};
use crate::context::project_frame::{ProjectFrame, Tab};
use crate::kit::answer::Answer;
use crate::kit::choice::Choice;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::problems::Problems;
use crate::parts::issuable::form::{CHANGED_SINCE, Choices, FormValues};
use crate::parts::issuable::list::{Offered, offered};
use crate::parts::issuable::note::event;
use crate::parts::issuable::reference::reference;
use crate::parts::issuable::talk::{Draft, DraftPlace};
use crate::parts::issuable::template::{template_text, templates};

const FORM: &str = "issue";
const NO_TARGET: &str = "Project not found, or you don't have permission to create issues in it.";

#[derive(Template)]
#[template(path = "issue/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The number of the issue that is changed. None for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: FormValues,
    choices: Choices,
    /// True if the caller may set labels, milestone, assignees and due date.
    may_triage: bool,
    templates: Vec<Choice>,
    /// The rendered description: safe HTML, made by the renderer of Markdown.
    preview: Option<String>,
}

/// The data of the form of an issue.
pub(super) struct PageData {
    offered: Offered,
    /// The issue that is changed. True if the caller may set all of its fields.
    issue: Option<(IssuableView, bool)>,
}

pub(super) fn read_new(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    Ok(PageData { offered: offered(query, &asked.project)?, issue: None })
}

/// The form of a new issue, filled with the values in the address. 403 if the caller may open none.
pub(super) async fn new(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    if !context.page.may.open_issue {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let query = context.request.parameters();
    let mut typed = FormValues::prefilled(query, FORM);
    if typed.description.is_empty() {
        typed.description = template_text(&context, context.project(), DescriptionKind::Issue).await?;
    }
    form_page(context, found, typed, Problems::default(), None).await
}

pub(super) fn read_edit(query: &mut Query<'_>, asked: &ProjectRequest) -> Result<PageData, AppError> {
    query.user()?;
    let found = issuable::page(query, &reference(asked)?)?;
    if !found.may.edit {
        return Err(AppError::Forbidden);
    }
    Ok(PageData { offered: offered(query, &asked.project)?, issue: Some((found.view, found.may.triage)) })
}

pub(super) async fn edit(context: ProjectContext, found: PageData) -> Result<Answer, PageError> {
    let typed = found.issue.as_ref().map(|(view, _)| FormValues::of(view).with_shown()).unwrap_or_default();
    form_page(context, found, typed, Problems::default(), None).await
}

pub(super) async fn create(context: ProjectContext) -> Result<Answer, PageError> {
    let typed = FormValues::sent(context.request.form(), FORM);
    if context.request.form().text("", "action") == "preview" {
        return preview(context, typed).await;
    }
    let due_date = match typed.due() {
        Ok(day) => day,
        Err(problems) => return refused(context, typed, problems).await,
    };
    let weight = match typed.weight() {
        Ok(weight) => weight,
        Err(problems) => return refused(context, typed, problems).await,
    };
    let browser = context.request.browser(false);
    let request = CreateIssue {
        title: typed.title.clone(),
        description: Some(extract(&typed.description)).filter(|_| !typed.description.is_empty()),
        confidential: typed.confidential,
        assignees: Some(typed.assignee_ids()),
        milestone: typed.milestone_id(),
        labels: Some(typed.labels.clone()),
        due_date,
        weight,
        sender: Sender { user_agent: browser.user_agent, ip_address: browser.address },
        ..CreateIssue::default()
    };
    let project = context.project();
    let texts = request.texts();
    match context.request.write_text(texts, move |command| issue::create(command, &project, request)).await {
        Ok(view) => Ok(context.done(&format!("/issues/{}", view.issuable.iid))),
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

/// Changes the fields that were changed in the form. If a button says so, it also changes the state.
pub(super) async fn update(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let shown = OriginalValues::sent(context.request.form());
    let form = context.request.form().changed(&shown);
    let typed = FormValues::sent(form, FORM);
    if form.text("", "action") == "preview" {
        return preview(context, typed).await;
    }
    let request = match asked_for(form, &typed) {
        Ok(request) => request,
        Err(problems) => return refused(context, typed, problems).await,
    };
    let texts = request.texts();
    match context.request.write_text(texts, move |command| issue::edit(command, &of.project, of.iid, request)).await {
        Ok(view) => Ok(context.done(&format!("/issues/{}", view.issuable.iid))),
        Err(AppError::Stale) => {
            let (context, found) = read_again(context).await?;
            let form = context.request.form().changed(&shown);
            let typed = match &found.issue {
                Some((view, _)) => typed.beside(view, form, FORM),
                None => typed,
            };
            let page = form_page(context, found, typed, Problems::plain(CHANGED_SINCE), None).await?;
            Ok(page.status(StatusCode::CONFLICT))
        }
        Err(error) => refused(context, typed, Problems::of(error)?).await,
    }
}

/// The change that a form asks for: that of the fields that it has.
pub(crate) fn asked_for(form: Form<'_>, typed: &FormValues) -> Result<EditIssue, Problems> {
    Ok(EditIssue {
        title: form.has(FORM, "title").then(|| typed.title.clone()),
        description: form.has(FORM, "description").then(|| extract(&typed.description)),
        confidential: form.has(FORM, "confidential").then_some(typed.confidential),
        state_event: event(&form.text(FORM, "state_event")).filter(|_| form.has(FORM, "state_event")),
        triage: typed.triage(form, FORM)?,
        updated_at: None,
        text_seen: typed.text_seen(),
    })
}

/// Continues an issue in another project, and leads there.
pub(super) async fn relocate(context: ProjectContext) -> Result<Answer, PageError> {
    let of = reference(&context.asked)?;
    let named = context.request.form().filled("", "move_to_project").unwrap_or_default();
    let target = Reference::parse(named.trim_matches('/'));
    let (app, identity) = (context.request.app(), context.request.identity());
    let known = of.clone();
    let may = context.request.ask(move |query| Ok(issuable::page(query, &known)?.may.relocate)).await?;
    match issue::move_to(app, identity, of.project, of.iid, target).await {
        Ok(view) => {
            let there = format!("/{}/issues/{}", view.project_path, view.issuable.iid);
            Ok(Answer::done(&context.request.own(&there)).cookie(cookie::of_flash(Flash::IssueMoved)))
        }
        Err(error) => {
            let problems = match error {
                AppError::NotFound(_) | AppError::Forbidden if may => Problems::with("move_to_project", NO_TARGET),
                error => Problems::of(error)?,
            };
            let draft = Draft { place: DraftPlace::Move, text: named, problems, ..Draft::default() };
            crate::pages::issue::show::again(context, draft).await
        }
    }
}

/// The form with its errors.
async fn refused(context: ProjectContext, typed: FormValues, problems: Problems) -> Result<Answer, PageError> {
    let (context, found) = read_again(context).await?;
    Ok(form_page(context, found, typed, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The form with its rendered description.
async fn preview(context: ProjectContext, typed: FormValues) -> Result<Answer, PageError> {
    let (context, found) = read_again(context).await?;
    let html = context.rendered(typed.description.clone()).await?;
    form_page(context, found, typed, Problems::default(), Some(html)).await
}

async fn read_again(context: ProjectContext) -> Result<(ProjectContext, PageData), PageError> {
    let asked = context.asked.clone();
    let is_new = asked.segment("iid").is_empty();
    let read = move |query: &mut Query<'_>| if is_new { read_new(query, &asked) } else { read_edit(query, &asked) };
    let (frame, found) = context.request.read(read).await?;
    Ok((ProjectContext { frame, ..context }, found))
}

async fn form_page(
    context: ProjectContext,
    found: PageData,
    typed: FormValues,
    problems: Problems,
    preview: Option<String>,
) -> Result<Answer, PageError> {
    let templates = match &found.issue {
        Some(_) => Vec::new(),
        None => templates(&context, context.project(), DescriptionKind::Issue).await?,
    };
    let ProjectContext { frame, page, .. } = context;
    let project = ProjectFrame::new(&frame.root, &page, Tab::Issues).with_api_path("/issues");
    let now = found.issue.as_ref().map(|(view, _)| view);
    Answer::page(&FormPage {
        iid: now.map(|view| view.issuable.iid.get()),
        choices: Choices::new(&frame, &project.href, &found.offered, &typed, now, &[]),
        // For a new issue, users who may make labels may also set them.
        may_triage: found.issue.as_ref().map_or(page.may.manage_labels, |(_, may_triage)| *may_triage),
        problems,
        typed,
        templates,
        preview,
        project,
        frame,
    })
}
