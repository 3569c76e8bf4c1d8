//! About what a user wants mail from a project or a group.

use tenon_domain::notification_setting::{NotificationLevel, NotificationScope};
use tenon_storage::notification_setting;

use crate::core::app::Query;
use crate::core::error::AppError;

/// The caller's level; none without an account.
pub(crate) fn of(query: &mut Query<'_>, scope: NotificationScope) -> Result<Option<NotificationLevel>, AppError> {
    let Some(user) = query.viewer().user() else { return Ok(None) };
    let known = notification_setting::find(&mut query.tx, user, scope)?;
    Ok(Some(known.map_or(NotificationLevel::Global, |setting| setting.level)))
}
