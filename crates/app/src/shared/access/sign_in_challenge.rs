//! Questions to browsers whose users sign in: stored until they answer, and answered once.

use tenon_auth::{Secret, digest};
use tenon_domain::passkey::ChallengePurpose;
use tenon_domain::time::TimeDelta;
use tenon_storage::sign_in_challenge;

use crate::core::app::Command;
use crate::core::error::AppError;

/// Seconds after which a browser may ask again if too many are signing in.
const PAUSE: u32 = 60;

/// Stores what the browser with this cookie is asked. Fails with 429 if too many browsers are in the middle of it, or too many
/// of one network have begun without a session.
pub(crate) fn ask(
    command: &mut Command<'_>,
    cookie: &Secret,
    purpose: ChallengePurpose,
    value: &str,
    within: TimeDelta,
) -> Result<(), AppError> {
    let now = command.now;
    if command.viewer().user().is_none() {
        let counted = command.app.anonymous_throttle().count_challenge(command.app.client());
        counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
    }
    let most = command.app.limits().sessions.challenges;
    let is_full = |count: i64| usize::try_from(count).is_ok_and(|count| count >= most);
    if is_full(sign_in_challenge::count(&mut command.tx)?) {
        sign_in_challenge::purge_expired(&mut command.tx, now)?;
        if is_full(sign_in_challenge::count(&mut command.tx)?) {
            return Err(AppError::Throttled { retry_after: PAUSE });
        }
    }
    Ok(sign_in_challenge::put(&mut command.tx, &digest(cookie.expose()), purpose, value, now + within)?)
}

/// The question that the browser with this cookie was asked. It is void from then on, whatever the answer is: the transaction must not fail
/// if the answer is refused.
pub(crate) fn take(
    command: &mut Command<'_>,
    cookie: &Secret,
    purpose: ChallengePurpose,
) -> Result<Option<String>, AppError> {
    let now = command.now;
    Ok(sign_in_challenge::take(&mut command.tx, &digest(cookie.expose()), purpose, now)?)
}
