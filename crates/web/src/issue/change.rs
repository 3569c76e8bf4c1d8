//! Making, changing and moving issues.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::error::AppError;
use tenon_app::issuable::{self, IssuableView, Sender};
use tenon_app::issue::{self, CreateIssue, EditIssue};
use tenon_app::template::DescriptionKind;
use tenon_app::{Command, Query, Reference, upload};

use crate::answer::Answer;
use crate::cookie;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Problems, Shown};
use crate::frame::Frame;
use crate::issuable::form::{CHANGED_SINCE, Choices, Typed};
use crate::issuable::list::{Choice, Offered, offered};
use crate::issuable::note::event;
use crate::issuable::reference;
use crate::issuable::talk::{Draft, DraftPlace};
use crate::issuable::template::{template_text, templates};
use crate::project::frame::{ProjectFrame, Tab};
use crate::project::{Asked, Room};

const FORM: &str = "issue";
const NO_TARGET: &str = "There is no such project, or you may not open issues in it.";

#[derive(Template)]
#[template(path = "issue/form.html")]
struct FormPage {
    frame: Frame,
    project: ProjectFrame,
    /// The number of the issue that is changed; none for a new one.
    iid: Option<i64>,
    problems: Problems,
    typed: Typed,
    choices: Choices,
    /// Whether the caller may set labels, milestone, assignees and day.
    may_triage: bool,
    templates: Vec<Choice>,
    /// The description as it will look: HTML that is safe, made by the renderer of Markdown.
    preview: Option<String>,
}

/// What the form of an issue is made of.
pub(super) struct Found {
    offered: Offered,
    /// The issue that is changed, and whether the caller may set everything of it.
    issue: Option<(IssuableView, bool)>,
}

pub(super) fn read_new(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    query.user()?;
    Ok(Found { offered: offered(query, &asked.project)?, issue: None })
}

/// The form of a new issue, filled with what the address says. 403 where the caller may open none.
pub(super) async fn new(room: Room, found: Found) -> Result<Answer, PageError> {
    if !room.page.may.open_issue {
        return Err(PageError::Status(StatusCode::FORBIDDEN, None));
    }
    let query = room.visit.parameters();
    let mut typed = Typed::prefilled(query, FORM);
    if typed.description.is_empty() {
        typed.description = template_text(&room, DescriptionKind::Issue).await?;
    }
    form_page(room, found, typed, Problems::default(), None).await
}

pub(super) fn read_edit(query: &mut Query<'_>, asked: &Asked) -> Result<Found, AppError> {
    query.user()?;
    let found = issuable::page(query, &reference(asked)?)?;
    if !found.may.edit {
        return Err(AppError::Forbidden);
    }
    Ok(Found { offered: offered(query, &asked.project)?, issue: Some((found.view, found.may.triage)) })
}

pub(super) async fn edit(room: Room, found: Found) -> Result<Answer, PageError> {
    let typed = found.issue.as_ref().map(|(view, _)| Typed::of(view).with_shown()).unwrap_or_default();
    form_page(room, found, typed, Problems::default(), None).await
}

pub(super) async fn create(room: Room) -> Result<Answer, PageError> {
    let typed = Typed::sent(room.visit.form(), FORM);
    if room.visit.form().text("", "action") == "preview" {
        return preview(room, typed).await;
    }
    let due_date = match typed.due() {
        Ok(day) => day,
        Err(problems) => return refused(room, typed, problems).await,
    };
    let browser = room.visit.browser(false);
    let request = CreateIssue {
        title: typed.title.clone(),
        description: Some(typed.description.clone()).filter(|text| !text.is_empty()),
        confidential: typed.confidential,
        assignees: Some(typed.assignee_ids()),
        milestone: typed.milestone_id(),
        labels: Some(typed.labels.clone()),
        due_date,
        sender: Sender { user_agent: browser.user_agent, ip_address: browser.address },
        ..CreateIssue::default()
    };
    let project = room.project();
    let texts = request.texts();
    match room.visit.write_text(texts, move |command| issue::create(command, &project, request)).await {
        Ok(view) => Ok(room.done(&format!("/issues/{}", view.issuable.iid))),
        Err(error) => refused(room, typed, Problems::of(error)?).await,
    }
}

/// Changes what was changed in the form, and the state where a button says so.
pub(super) async fn update(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let shown = Shown::sent(room.visit.form());
    let form = room.visit.form().changed(&shown);
    let typed = Typed::sent(form, FORM);
    if form.text("", "action") == "preview" {
        return preview(room, typed).await;
    }
    let triage = match typed.triage(form, FORM) {
        Ok(triage) => triage,
        Err(problems) => return refused(room, typed, problems).await,
    };
    let request = EditIssue {
        title: form.has(FORM, "title").then(|| typed.title.clone()),
        description: form.has(FORM, "description").then(|| typed.description.clone()),
        confidential: form.has(FORM, "confidential").then_some(typed.confidential),
        state_event: event(&form.text(FORM, "state_event")),
        triage,
        updated_at: None,
        text_seen: typed.text_seen(),
    };
    let texts = request.texts();
    match room.visit.write_text(texts, move |command| issue::edit(command, &of.project, of.iid, request)).await {
        Ok(view) => Ok(room.done(&format!("/issues/{}", view.issuable.iid))),
        Err(AppError::Stale) => {
            let (room, found) = read_again(room).await?;
            let form = room.visit.form().changed(&shown);
            let typed = match &found.issue {
                Some((view, _)) => typed.beside(view, form, FORM),
                None => typed,
            };
            let page = form_page(room, found, typed, Problems::plain(CHANGED_SINCE), None).await?;
            Ok(page.status(StatusCode::CONFLICT))
        }
        Err(error) => refused(room, typed, Problems::of(error)?).await,
    }
}

/// Continues an issue in another project, and leads there.
pub(super) async fn relocate(room: Room) -> Result<Answer, PageError> {
    let of = reference(&room.asked)?;
    let named = room.visit.form().filled("", "move_to_project").unwrap_or_default();
    let target = Reference::parse(named.trim_matches('/'));
    let (app, identity) = (room.visit.app(), room.visit.identity());
    let known = of.clone();
    let may = room.visit.ask(move |query| Ok(issuable::page(query, &known)?.may.relocate)).await?;
    let moved = match upload::copy(app, identity, &of.project, of.iid, &target).await {
        Ok(copies) => {
            let work = move |command: &mut Command<'_>| issue::move_to(command, &of.project, of.iid, &target, &copies);
            room.visit.write_text(Vec::new(), work).await
        }
        Err(error) => Err(error),
    };
    match moved {
        Ok(view) => {
            let there = format!("/{}/issues/{}", view.project_path, view.issuable.iid);
            Ok(Answer::done(&room.visit.own(&there)).cookie(cookie::of_flash(Flash::IssueMoved)))
        }
        Err(error) => {
            let problems = match error {
                AppError::NotFound(_) | AppError::Forbidden if may => Problems::with("move_to_project", NO_TARGET),
                error => Problems::of(error)?,
            };
            let draft = Draft { place: DraftPlace::Move, text: named, problems, preview: None };
            super::show::again(room, draft).await
        }
    }
}

/// The form with what is wrong with it.
async fn refused(room: Room, typed: Typed, problems: Problems) -> Result<Answer, PageError> {
    let (room, found) = read_again(room).await?;
    Ok(form_page(room, found, typed, problems, None).await?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

/// The form with its description as it will look.
async fn preview(room: Room, typed: Typed) -> Result<Answer, PageError> {
    let (room, found) = read_again(room).await?;
    let html = room.rendered(typed.description.clone()).await?;
    form_page(room, found, typed, Problems::default(), Some(html)).await
}

async fn read_again(room: Room) -> Result<(Room, Found), PageError> {
    let asked = room.asked.clone();
    let is_new = asked.segment("iid").is_empty();
    let read = move |query: &mut Query<'_>| if is_new { read_new(query, &asked) } else { read_edit(query, &asked) };
    let (frame, found) = room.visit.read(read).await?;
    Ok((Room { frame, ..room }, found))
}

async fn form_page(
    room: Room,
    found: Found,
    typed: Typed,
    problems: Problems,
    preview: Option<String>,
) -> Result<Answer, PageError> {
    let templates = match &found.issue {
        Some(_) => Vec::new(),
        None => templates(&room, DescriptionKind::Issue).await?,
    };
    let Room { frame, page, .. } = room;
    let project = ProjectFrame::new(&frame.root, &page, Tab::Issues).with_twin("/issues");
    let now = found.issue.as_ref().map(|(view, _)| view);
    Answer::page(&FormPage {
        iid: now.map(|view| view.issuable.iid.get()),
        choices: Choices::new(&frame, &project.href, &found.offered, &typed, now, &[]),
        // For a new one, those who may make labels may also give them.
        may_triage: found.issue.as_ref().map_or(page.may.manage_labels, |(_, may_triage)| *may_triage),
        problems,
        typed,
        templates,
        preview,
        project,
        frame,
    })
}
