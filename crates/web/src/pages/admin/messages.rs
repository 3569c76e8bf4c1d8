//! Messages of administrators to all users.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::broadcast_message::{self, BroadcastChange, BroadcastView};
use tenon_domain::broadcast_message::BroadcastMessage;
use tenon_domain::id::BroadcastMessageId;
use tenon_domain::time::{TimeDelta, Timestamp, parse_minute};

use crate::context::frame::{Banner, Frame};
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::form::{Form, OriginalValues};
use crate::kit::pagination::{Pagination, asked};
use crate::kit::problems::Problems;
use crate::kit::words::Moment;

const FORM: &str = "broadcast_message";
const ADDRESS: &str = "/admin/broadcast_messages";
/// The format of the fields with a time.
const LOCAL: &str = "%Y-%m-%dT%H:%M";

#[derive(Template)]
#[template(path = "admin/messages.html")]
struct ListPage {
    frame: Frame,
    rows: Vec<Row>,
    pages: Pagination,
    typed: FormValues,
    problems: Problems,
}

#[derive(Template)]
#[template(path = "admin/message.html")]
struct EditPage {
    frame: Frame,
    id: i64,
    typed: FormValues,
    problems: Problems,
}

struct Row {
    id: i64,
    text: String,
    state: &'static str,
    class: &'static str,
    starts: Moment,
    ends: Moment,
    target: String,
}

#[derive(Default)]
struct FormValues {
    message: String,
    starts: String,
    ends: String,
    target: String,
    color: String,
    font: String,
    /// The fields as the page had them at first ([`OriginalValues::field`]). Empty for a new message.
    shown: String,
}

fn local(at: Timestamp) -> String {
    at.format(LOCAL).to_string()
}

impl FormValues {
    fn new(now: Timestamp) -> Self {
        Self {
            starts: local(now),
            ends: local(now + TimeDelta::days(1)),
            color: BroadcastMessage::COLOR.to_owned(),
            font: BroadcastMessage::FONT.to_owned(),
            ..Self::default()
        }
    }

    fn of(message: &BroadcastMessage) -> Self {
        let values = Self {
            message: message.message.clone(),
            starts: local(message.starts_at),
            ends: local(message.ends_at),
            target: message.target_path.clone(),
            color: message.color.clone(),
            font: message.font.clone(),
            shown: String::new(),
        };
        let shown = OriginalValues::of([
            ("message", values.message.as_str().into()),
            ("starts_at", values.starts.as_str().into()),
            ("ends_at", values.ends.as_str().into()),
            ("target_path", values.target.as_str().into()),
            ("color", values.color.as_str().into()),
            ("font", values.font.as_str().into()),
        ]);
        Self { shown: shown.field(), ..values }
    }

    fn sent(form: Form<'_>) -> Self {
        Self {
            message: form.text(FORM, "message"),
            starts: form.filled(FORM, "starts_at").unwrap_or_default(),
            ends: form.filled(FORM, "ends_at").unwrap_or_default(),
            target: form.filled(FORM, "target_path").unwrap_or_default(),
            color: form.filled(FORM, "color").unwrap_or_default(),
            font: form.filled(FORM, "font").unwrap_or_default(),
            shown: OriginalValues::sent(form).field(),
        }
    }
}

/// The fields of a form as a request. A sentence for each time that is none.
fn change(form: Form<'_>) -> Result<BroadcastChange, Problems> {
    let text = |field: &str| form.has(FORM, field).then(|| form.text(FORM, field).trim().to_owned());
    let mut problems = Problems::default();
    let mut moment = |field: &str, words: &str| {
        let read = parse_minute(&text(field)?);
        if read.is_some() {
            return read;
        }
        problems.add(field, &format!("{words} must be a date and time such as 2027-01-31T08:00"));
        None
    };
    let change = BroadcastChange {
        starts_at: moment("starts_at", "Start"),
        ends_at: moment("ends_at", "End"),
        message: form.has(FORM, "message").then(|| form.text(FORM, "message")),
        target_path: text("target_path"),
        color: text("color"),
        font: text("font"),
        ..BroadcastChange::default()
    };
    if problems.is_empty() { Ok(change) } else { Err(problems) }
}

fn id(context: &RequestContext) -> Result<BroadcastMessageId, PageError> {
    context.id("id").map(BroadcastMessageId::new)
}

fn row(BroadcastView { message, active }: BroadcastView, now: Timestamp) -> Row {
    let (state, class) = if active {
        ("active", "open")
    } else if message.starts_at > now {
        ("scheduled", "draft")
    } else {
        ("ended", "closed")
    };
    Row {
        id: message.id.get(),
        text: message.message,
        state,
        class,
        starts: message.starts_at.into(),
        ends: message.ends_at.into(),
        target: message.target_path,
    }
}

pub(super) async fn list(context: RequestContext) -> Result<Answer, PageError> {
    let typed = FormValues::new(context.app().now());
    present_list(&context, typed, Problems::default(), None).await
}

/// The list, with a message that is only shown to the caller if there is one.
async fn present_list(
    context: &RequestContext,
    typed: FormValues,
    problems: Problems,
    banner: Option<broadcast_message::Banner>,
) -> Result<Answer, PageError> {
    let (request, now) = (asked(context.parameters()), context.app().now());
    let (mut frame, found) = context.read(move |query| broadcast_message::list(query, request)).await?;
    frame.banners.extend(banner.map(|banner| Banner::of(&frame.root, banner)));
    let pages = Pagination::of(&found).at(&context.own(ADDRESS));
    let rows = found.items.into_iter().map(|view| row(view, now)).collect();
    Answer::page(&ListPage { frame, rows, pages, typed, problems })
}

pub(super) async fn create(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let change = match change(form) {
        Ok(change) => change,
        Err(problems) => return not_made(&context, problems).await,
    };
    if form.has("", "preview") {
        return match context.ask(move |query| Ok(broadcast_message::preview(query, change))).await? {
            Ok(banner) => present_list(&context, FormValues::sent(form), Problems::default(), Some(banner)).await,
            Err(error) => not_made(&context, Problems::of(error)?).await,
        };
    }
    match context.write(move |command| broadcast_message::create(command, change)).await {
        Ok(_) => Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::MessageSaved))),
        Err(error) => not_made(&context, Problems::of(error)?).await,
    }
}

async fn not_made(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let page = present_list(context, FormValues::sent(context.form()), problems, None).await?;
    Ok(page.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn edit(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let (frame, view) = context.read(move |query| broadcast_message::show(query, id)).await?;
    let typed = FormValues::of(&view.message);
    Answer::page(&EditPage { frame, id: id.get(), typed, problems: Problems::default() })
}

pub(super) async fn update(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    let shown = OriginalValues::sent(context.form());
    let problems = match change(context.form().changed(&shown)) {
        Ok(change) => match context.write(move |command| broadcast_message::edit(command, id, change)).await {
            Ok(_) => {
                return Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::MessageSaved)));
            }
            Err(error) => Problems::of(error)?,
        },
        Err(problems) => problems,
    };
    let typed = FormValues::sent(context.form());
    let page = EditPage { frame: context.frame().await?, id: id.get(), typed, problems };
    Ok(Answer::page(&page)?.status(StatusCode::UNPROCESSABLE_ENTITY))
}

pub(super) async fn delete(context: RequestContext) -> Result<Answer, PageError> {
    let id = id(&context)?;
    context.write(move |command| broadcast_message::delete(command, id, None)).await?;
    Ok(Answer::done(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::MessageDeleted)))
}
