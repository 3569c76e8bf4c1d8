//! The caller's choice of events that send mail.

use actix_web::http::StatusCode;
use askama::Template;
use tenon_app::notification_setting::{self, NotificationChange, NotificationView};
use tenon_domain::notification_setting::{NotificationEvent, NotificationLevel};

use super::email::confirmed;
use crate::context::frame::Frame;
use crate::context::request::RequestContext;
use crate::kit::answer::Answer;
use crate::kit::cookie;
use crate::kit::error::PageError;
use crate::kit::flash::Flash;
use crate::kit::problems::Problems;

const ADDRESS: &str = "/profile/notifications";
const FORM: &str = "notification";

/// The levels that a user chooses from in general, in words.
const LEVELS: [(NotificationLevel, &str); 5] = [
    (NotificationLevel::Participating, "Participate: threads you participate in or are mentioned in"),
    (NotificationLevel::Watch, "Watch: all activity in your projects"),
    (NotificationLevel::Mention, "On mention: only when you are @mentioned"),
    (NotificationLevel::Custom, "Custom: threads you participate in and the events selected below"),
    (NotificationLevel::Disabled, "Disabled: only threads you subscribed to"),
];

#[derive(Template)]
#[template(path = "profile/notifications.html")]
struct NotificationsPage {
    frame: Frame,
    problems: Problems,
    levels: Vec<Choice>,
    events: Vec<Choice>,
    addresses: Vec<Choice>,
    sends_mail: bool,
}

struct Choice {
    value: String,
    words: String,
    chosen: bool,
}

pub(super) async fn show(context: RequestContext) -> Result<Answer, PageError> {
    page(&context, Problems::default()).await
}

pub(super) async fn change(context: RequestContext) -> Result<Answer, PageError> {
    let form = context.form();
    let level = form.filled(FORM, "level");
    let ticked = form.list(FORM, "events");
    // The boxes count for one level only. At other levels, the earlier ticks are kept.
    let is_custom = level.as_deref() == Some(NotificationLevel::Custom.as_str());
    let events = shown_events().filter(|_| is_custom);
    let change = NotificationChange {
        events: events.map(|event| (event, ticked.contains(&event.as_str()))).collect(),
        email: form.filled(FORM, "email"),
        level,
    };
    match context.write(move |command| notification_setting::change(command, &None, &change)).await {
        Ok(_) => Ok(Answer::to(&context.own(ADDRESS)).cookie(cookie::of_flash(Flash::NotificationsChanged))),
        Err(error) => Ok(page(&context, Problems::of(error)?).await?.status(StatusCode::UNPROCESSABLE_ENTITY)),
    }
}

async fn page(context: &RequestContext, problems: Problems) -> Result<Answer, PageError> {
    let read = |query: &mut tenon_app::Query<'_>| {
        let view = notification_setting::show(query, &None)?;
        Ok((view, confirmed(query)?))
    };
    let (frame, (view, addresses)) = context.read(read).await?;
    let NotificationView { level, events, email } = view;
    let chosen = events.unwrap_or_default();
    let sends_mail = context.app().sends_mail();
    Answer::page(&NotificationsPage {
        frame,
        problems,
        levels: LEVELS
            .iter()
            .map(|(one, words)| Choice {
                value: one.as_str().to_owned(),
                words: (*words).to_owned(),
                chosen: *one == level,
            })
            .collect(),
        events: shown_events()
            .map(|event| Choice {
                value: event.as_str().to_owned(),
                words: words(event.as_str()),
                chosen: chosen.contains(event),
            })
            .collect(),
        addresses: addresses
            .into_iter()
            .map(|address| Choice { chosen: email.as_ref() == Some(&address), value: address.clone(), words: address })
            .collect(),
        sends_mail,
    })
}

/// The events that send mail. A box for another event would have no effect.
fn shown_events() -> impl Iterator<Item = NotificationEvent> {
    NotificationEvent::ALL.iter().copied().filter(|event| event.is_mailed())
}

/// `new_note` as `New note`.
fn words(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    words
}
