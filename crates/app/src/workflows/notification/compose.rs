//! The text of a mail: made when it is sent, as far as its reader may see then.

use std::time::SystemTime;

use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind};
use tenon_domain::note::Note;
use tenon_domain::notification_setting::NotificationScope;
use tenon_domain::time::Timestamp;
use tenon_domain::user::User;
use tenon_outbound::mail::Mail;
use tenon_storage::{issuable, note, notification_setting, user};

use super::Happened;
use super::occasion::Occasion;
use super::text::{self, Scene, Text};
use super::unsubscribe;
use crate::core::app::Query;
use crate::core::error::AppError;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;

/// The mail about an event to the calling user; `None` if there is nothing left to say, or no address to say it to.
/// Fails if the user may not read what it is about.
pub(super) fn mail(query: &mut Query<'_>, happened: &Happened, reason: Option<&str>) -> Result<Option<Mail>, AppError> {
    let Some(occasion) = happened.occasion() else { return Ok(None) };
    let Some(known) = issuable::find_by_id(&mut query.tx, happened.issuable())? else { return Ok(None) };
    let reference = IssuableReference { kind: known.kind, project: Reference::Id(known.project.get()), iid: known.iid };
    let found = query.issuable(&reference, IssuableAction::Read)?;
    let reader = query.user()?.clone();
    let Some(to) = address(query, &reader)? else { return Ok(None) };
    let said = match happened.note() {
        None => None,
        Some(id) => match note::by_ids(&mut query.tx, &[id])?.remove(&id) {
            Some(said) if said.issuable == found.issuable.id && !said.system => Some(said),
            // It was deleted.
            Some(_) | None => return Ok(None),
        },
    };
    if occasion == Occasion::Due && !text::is_due(&found.issuable) {
        return Ok(None);
    }
    let actor = match happened.actor() {
        Some(id) => user::find(&mut query.tx, id)?,
        None => None,
    };
    let settings = query.settings()?;
    let scene = Scene {
        found: &found,
        occasion,
        edit: happened.edit(),
        said: said.as_ref(),
        actor: actor.as_ref(),
        names_author: settings.email_author_in_body,
    };
    let text = Text::of(query, &scene)?;
    let project_path = found.home.full_path();
    let page = query.app.links().issuable(found.issuable.kind, &project_path, found.issuable.iid);
    let page = said.as_ref().map_or_else(|| page.clone(), |note| format!("{page}#note_{}", note.id));
    let key = unsubscribe::key(query.app, reader.id, found.issuable.id)?;
    let unsubscribe = format!("{}/-/sent_notifications/{key}/unsubscribe", query.app.base_url());
    let html = if settings.html_emails_enabled {
        Some(text.as_html(query, &reference.project, &page, &unsubscribe)?)
    } else {
        None
    };
    let thread = thread_of(query, &found.issuable);
    let is_first = occasion == Occasion::New;
    let mut headers = headers(&found, said.as_ref(), &project_path, reason);
    headers.push(("List-Unsubscribe", format!("<{unsubscribe}>")));
    headers.push(("List-Unsubscribe-Post", "List-Unsubscribe=One-Click".to_owned()));
    let title = &found.issuable.title;
    let subject = format!("{} | {title} ({})", found.home.project.name, found.issuable.short_reference());
    Ok(Some(Mail {
        to,
        from_name: actor.map(|user| user.name),
        from_address: None,
        subject: if is_first { subject } else { format!("Re: {subject}") },
        message_id: if is_first { thread.clone() } else { id_of(query, happened, occasion, said.as_ref()) },
        in_reply_to: (!is_first).then_some(thread),
        headers,
        text: text.as_plain(&page, &unsubscribe),
        html,
        at: moment(happened.at),
    }))
}

/// The address for mail to a user: the address that they have chosen, or the primary one, if it is confirmed. Bots get
/// none.
pub(crate) fn address(query: &mut Query<'_>, reader: &User) -> Result<Option<String>, AppError> {
    if reader.bot {
        return Ok(None);
    }
    let setting = notification_setting::find(&mut query.tx, reader.id, NotificationScope::Global)?;
    if let Some(chosen) = setting.and_then(|setting| setting.email)
        && user::confirmed_emails(&mut query.tx, reader.id)?.contains(&chosen)
    {
        return Ok(Some(chosen));
    }
    Ok(reader.confirmed_at.map(|_| reader.email.clone()))
}

pub(super) fn moment(micros: i64) -> SystemTime {
    Timestamp::from_timestamp_micros(micros).map_or(SystemTime::UNIX_EPOCH, Into::into)
}

const fn noun(kind: IssuableKind) -> &'static str {
    match kind {
        IssuableKind::Issue => "issue",
        IssuableKind::MergeRequest => "merge_request",
    }
}

/// The id of the first mail about it, which all others answer.
fn thread_of(query: &Query<'_>, of: &Issuable) -> String {
    query.app.mail_id(&format!("{}_{}", noun(of.kind), of.id))
}

/// The id of a further mail.
fn id_of(query: &Query<'_>, happened: &Happened, occasion: Occasion, said: Option<&Note>) -> String {
    let name = match (occasion, said) {
        (Occasion::Note, Some(note)) => format!("note_{}", note.id),
        (_, note) => {
            let about = note.map_or(happened.issuable, |note| note.id.get());
            format!("{}_{about}_{}", happened.occasion, happened.at)
        }
    };
    query.app.mail_id(&name)
}

/// The headers by which programs sort mail.
fn headers(
    found: &AuthorizedIssuable,
    said: Option<&Note>,
    project_path: &str,
    reason: Option<&str>,
) -> Vec<(&'static str, String)> {
    let (id, iid) = match found.issuable.kind {
        IssuableKind::Issue => ("X-GitLab-Issue-ID", "X-GitLab-Issue-IID"),
        IssuableKind::MergeRequest => ("X-GitLab-MergeRequest-ID", "X-GitLab-MergeRequest-IID"),
    };
    let project = &found.home.project;
    let mut headers = vec![
        ("X-GitLab-Project", project.name.clone()),
        ("X-GitLab-Project-Id", project.id.to_string()),
        ("X-GitLab-Project-Path", project_path.to_owned()),
        (id, found.issuable.id.to_string()),
        (iid, found.issuable.iid.to_string()),
        // No other program is to answer it (RFC 3834).
        ("Auto-Submitted", "auto-generated".to_owned()),
    ];
    headers.extend(said.map(|note| ("X-GitLab-Discussion-ID", note.discussion.clone())));
    headers.extend(reason.map(|reason| ("X-GitLab-NotificationReason", reason.to_owned())));
    headers
}
