//! Messages of administrators to all users.

use tenon_domain::broadcast_message::{BroadcastMessage, BroadcastType};
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::BroadcastMessageId;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::{TimeDelta, Timestamp};
use tenon_storage::broadcast_message;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Missing};
use crate::policy::precondition::check_unmodified;
use crate::shared::markdown;

/// A message, and whether it is shown now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastView {
    /// The message.
    pub message: BroadcastMessage,
    /// True if it is shown.
    pub active: bool,
}

/// A message as a page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Banner {
    /// Its text: HTML that is safe. HTML that is safe.
    pub html: String,
    /// The colour behind it, such as `#E75E40`.
    pub color: String,
    /// The colour of its text.
    pub font: String,
}

/// The fields of a message in a request; `None` leaves a field as it is.
#[derive(Debug, Clone, Default)]
pub struct BroadcastChange {
    /// Its text.
    pub message: Option<String>,
    /// From when on it is shown.
    pub starts_at: Option<Timestamp>,
    /// Until when.
    pub ends_at: Option<Timestamp>,
    /// The colour behind it.
    pub color: Option<String>,
    /// The colour of its text.
    pub font: Option<String>,
    /// Access levels of those who are meant.
    pub target_access_levels: Option<Vec<i64>>,
    /// The pages that are meant.
    pub target_path: Option<String>,
    /// How it is shown.
    pub kind: Option<BroadcastType>,
    /// True if users may put it away.
    pub dismissable: Option<bool>,
    /// Its theme.
    pub theme: Option<String>,
}

impl BroadcastChange {
    fn apply(self, message: &mut BroadcastMessage) {
        let text = |field: &mut String, given: Option<String>| {
            if let Some(given) = given {
                *field = given;
            }
        };
        text(&mut message.message, self.message);
        text(&mut message.color, self.color);
        text(&mut message.font, self.font);
        text(&mut message.target_path, self.target_path);
        text(&mut message.theme, self.theme);
        message.starts_at = self.starts_at.unwrap_or(message.starts_at);
        message.ends_at = self.ends_at.unwrap_or(message.ends_at);
        message.kind = self.kind.unwrap_or(message.kind);
        message.dismissable = self.dismissable.unwrap_or(message.dismissable);
        if let Some(levels) = self.target_access_levels {
            message.target_access_levels = levels;
        }
    }
}

fn find(query: &mut Query<'_>, id: BroadcastMessageId) -> Result<BroadcastMessage, AppError> {
    query.administrators_only()?;
    broadcast_message::find(&mut query.tx, id)?.ok_or(AppError::NotFound(Missing::Record))
}

fn view(message: BroadcastMessage, now: Timestamp) -> BroadcastView {
    BroadcastView { active: message.is_active(now), message }
}

/// All messages, the newest first; administrators only.
pub fn list(query: &mut Query<'_>, page: PageRequest) -> Result<Page<BroadcastView>, AppError> {
    query.administrators_only()?;
    let now = query.now;
    Ok(broadcast_message::list(&mut query.tx, page)?.map(|message| view(message, now)))
}

/// One message; administrators only.
pub fn show(query: &mut Query<'_>, id: BroadcastMessageId) -> Result<BroadcastView, AppError> {
    let now = query.now;
    Ok(view(find(query, id)?, now))
}

/// A new message, which is shown for an hour from now on if nothing else is said.
fn new(request: BroadcastChange, now: Timestamp) -> Result<BroadcastMessage, AppError> {
    let mut message = BroadcastMessage::banner("", now, TimeDelta::hours(1));
    request.apply(&mut message);
    check(&message)?;
    Ok(message)
}

/// How a message would look that nobody has made; administrators only.
pub fn preview(query: &Query<'_>, request: BroadcastChange) -> Result<Banner, AppError> {
    query.administrators_only()?;
    Ok(banner(query, new(request, query.now)?))
}

/// Makes a message, which is shown for an hour from now on if nothing else is said; administrators only.
pub fn create(command: &mut Command<'_>, request: BroadcastChange) -> Result<BroadcastView, AppError> {
    command.query().administrators_only()?;
    let now = command.now;
    let mut message = new(request, now)?;
    message.id = broadcast_message::insert(&mut command.tx, &message)?;
    Ok(view(message, now))
}

/// Changes a message; administrators only.
pub fn edit(
    command: &mut Command<'_>,
    id: BroadcastMessageId,
    request: BroadcastChange,
) -> Result<BroadcastView, AppError> {
    let mut message = find(&mut command.query(), id)?;
    request.apply(&mut message);
    check(&message)?;
    message.updated_at = command.now;
    broadcast_message::update(&mut command.tx, &message)?;
    Ok(view(message, command.now))
}

fn check(message: &BroadcastMessage) -> Result<(), AppError> {
    let mut errors = FieldErrors::default();
    message.check(&mut errors);
    Ok(errors.into_result()?)
}

/// Removes a message; administrators only.
pub fn delete(
    command: &mut Command<'_>,
    id: BroadcastMessageId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let message = find(&mut command.query(), id)?;
    check_unmodified(message.updated_at, unmodified_since)?;
    Ok(broadcast_message::delete(&mut command.tx, id)?)
}

/// The messages that are shown now on the page of this path, to all who read it. Costs no statement while no message
/// changes.
pub fn banners(query: &mut Query<'_>, path: &str) -> Result<Vec<Banner>, AppError> {
    let now = query.now;
    let shown = broadcast_message::shown(&mut query.tx, now)?;
    let meant = shown.into_iter().filter(|message| message.is_meant_for(path));
    Ok(meant.map(|message| banner(query, message)).collect())
}

fn banner(query: &Query<'_>, message: BroadcastMessage) -> Banner {
    let html = markdown::inline(query.app, &message.message);
    Banner { html, color: message.color, font: message.font }
}
