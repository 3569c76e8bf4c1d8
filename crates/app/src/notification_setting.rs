//! About what users want mail: each caller's own settings.

use tenon_domain::group::GroupAction;
use tenon_domain::notification_setting::{
    NotificationEvent, NotificationEvents, NotificationLevel, NotificationScope, NotificationSetting,
};
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::NotificationRefusal;
use tenon_domain::user::{User, normalise_email};
use tenon_storage::{notification_setting, user};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::container::{AuthorizedContainer, ContainerReference};

/// The subject of a setting, as a request names it; `None` for everything.
pub type NotificationSubject = Option<ContainerReference>;

/// A setting as answers show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationView {
    /// How much.
    pub level: NotificationLevel,
    /// The chosen events, if the level asks for them.
    pub events: Option<NotificationEvents>,
    /// The address for the mail; only of the setting for everything.
    pub email: Option<String>,
}

/// The changes of a request.
#[derive(Debug, Clone, Default)]
pub struct NotificationChange {
    /// The name of the level.
    pub level: Option<String>,
    /// The address of mail.
    pub email: Option<String>,
    /// Events to choose, or to choose no longer.
    pub events: Vec<(NotificationEvent, bool)>,
}

fn scope(query: &mut Query<'_>, of: &NotificationSubject) -> Result<NotificationScope, AppError> {
    let Some(reference) = of else { return Ok(NotificationScope::Global) };
    let found = AuthorizedContainer::find(query, reference, ProjectAction::Read, GroupAction::Read)?;
    Ok(match found {
        AuthorizedContainer::Project(found) => NotificationScope::Project(found.project.id),
        AuthorizedContainer::Group(found) => NotificationScope::Group(found.group.id()),
    })
}

fn load(query: &mut Query<'_>, user: &User, scope: NotificationScope) -> Result<NotificationSetting, AppError> {
    let known = notification_setting::find(&mut query.tx, user.id, scope)?;
    Ok(known.unwrap_or_else(|| NotificationSetting::initial(scope)))
}

/// The caller's setting. Fails with 404 if the caller may not see what it is for.
pub fn show(query: &mut Query<'_>, of: &NotificationSubject) -> Result<NotificationView, AppError> {
    let user = query.user()?.clone();
    let scope = scope(query, of)?;
    let setting = load(query, &user, scope)?;
    view(query, &user, scope, setting)
}

fn view(
    query: &mut Query<'_>,
    user: &User,
    scope: NotificationScope,
    setting: NotificationSetting,
) -> Result<NotificationView, AppError> {
    let email = match scope {
        NotificationScope::Global => Some(match setting.email {
            Some(chosen) if user::confirmed_emails(&mut query.tx, user.id)?.contains(&chosen) => chosen,
            // An address that is not the user's any longer stands for nothing.
            Some(_) | None => user.email.clone(),
        }),
        NotificationScope::Group(_) | NotificationScope::Project(_) => None,
    };
    let events = (setting.level == NotificationLevel::Custom).then_some(setting.events);
    Ok(NotificationView { level: setting.level, events, email })
}

/// Changes the caller's setting. Fails with 400 for a level that does not exist, and for an address that is not the
/// caller's and confirmed.
pub fn change(
    command: &mut Command<'_>,
    of: &NotificationSubject,
    change: &NotificationChange,
) -> Result<NotificationView, AppError> {
    let user = command.user()?.clone();
    let mut query = command.query();
    let scope = scope(&mut query, of)?;
    let before = load(&mut query, &user, scope)?;
    let mut after = before.clone();
    if let Some(name) = &change.level {
        let unknown = || NotificationRefusal::UnknownLevel(name.clone());
        after.level = NotificationLevel::parse(name).ok_or_else(unknown)?;
    }
    if scope == NotificationScope::Global {
        // There is nothing further to follow.
        if after.level == NotificationLevel::Global {
            after.level = NotificationLevel::Participating;
        }
        if let Some(address) = &change.email {
            after.email = chosen_address(&mut query, &user, address)?;
        }
    }
    for (event, chosen) in &change.events {
        after.events.set(*event, *chosen);
    }
    if after != before {
        let now = command.now;
        notification_setting::save(&mut command.tx, user.id, scope, &after, now)?;
    }
    view(&mut command.query(), &user, scope, after)
}

/// The address to store: none for the primary one, which then stays that of mail when it changes.
fn chosen_address(query: &mut Query<'_>, user: &User, address: &str) -> Result<Option<String>, AppError> {
    let address = normalise_email(address);
    if address == user.email {
        return Ok(None);
    }
    if user::confirmed_emails(&mut query.tx, user.id)?.contains(&address) {
        return Ok(Some(address));
    }
    Err(AppError::invalid("notification_email", "is not an email you own"))
}
