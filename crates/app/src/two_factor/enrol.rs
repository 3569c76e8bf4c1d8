//! Setting up a second factor.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tenon_auth::{Secret, TotpSecret};
use tenon_domain::event::EventKind;
use tenon_domain::refusal::TwoFactorRefusal;
use tenon_domain::two_factor::Code;
use tenon_domain::user::User;
use tenon_storage::two_factor::{self, TwoFactor};
use url::Url;

use crate::core::app::{App, Command, Query};
use crate::core::confirmation::Confirmed;
use crate::core::error::AppError;
use crate::shared::access::second_factor::{RecoveryCodes, first_codes, new_codes};

/// A second factor that the user has not confirmed yet, to be shown to that user only.
#[derive(Debug, Clone)]
pub struct PendingTwoFactor {
    /// The secret, to be typed into an authenticator.
    pub secret: Secret,
    /// The same as the address that authenticators read from a picture (`otpauth://totp/...`).
    pub uri: Secret,
}

/// Begins to set up a second factor for the caller: nothing is asked for at sign-in until it is confirmed. One that was
/// begun before is void. Fails with 409 if one is enabled.
pub fn begin(command: &mut Command<'_>) -> Result<PendingTwoFactor, AppError> {
    command.refuse_impersonated()?;
    let (user, now) = (command.user()?.clone(), command.now);
    if let Some(found) = two_factor::find(&mut command.tx, user.id)? {
        if found.enabled_at.is_some() {
            return Err(TwoFactorRefusal::Enabled.into());
        }
        two_factor::delete_secret(&mut command.tx, user.id)?;
    }
    let secret = TotpSecret::generate(command.app.entropy());
    let sealed = command.app.vault().seal(command.app.entropy(), secret.to_hex().expose());
    let sealed = sealed.map_err(AppError::internal)?;
    two_factor::insert(&mut command.tx, user.id, &sealed, now)?;
    Ok(shown(command.app, &user, &secret))
}

/// The second factor that the caller has begun to set up and not confirmed; `None` if there is none.
pub fn pending(query: &mut Query<'_>) -> Result<Option<PendingTwoFactor>, AppError> {
    let user = query.user()?.clone();
    let found = two_factor::find(&mut query.tx, user.id)?.filter(|found| found.enabled_at.is_none());
    found.map(|found| Ok(shown(query.app, &user, &opened(query.app, &found)?))).transpose()
}

fn shown(app: &App, user: &User, secret: &TotpSecret) -> PendingTwoFactor {
    let base32 = secret.to_base32();
    let uri = uri(app.base_url(), &user.username, &base32);
    PendingTwoFactor { secret: base32, uri }
}

/// Enables the second factor that the caller has begun to set up, with a first code that proves that the authenticator
/// has it. Yields recovery codes, or `None` for a user who has passkeys, and with them codes that stay valid. Fails if the code
/// is wrong.
pub fn confirm(command: &mut Command<'_>, code: &str) -> Result<Option<RecoveryCodes>, AppError> {
    let (user, now) = (command.user()?.id, command.now);
    let pending = match two_factor::find(&mut command.tx, user)? {
        None => return Err(TwoFactorRefusal::NotBegun.into()),
        Some(TwoFactor { enabled_at: Some(_), .. }) => return Err(TwoFactorRefusal::Enabled.into()),
        Some(pending) => pending,
    };
    let step = match Code::parse(code) {
        Code::OneTime(digits) => opened(command.app, &pending)?.step_of(&digits, now.timestamp(), None),
        Code::Recovery(_) => None,
    };
    let step = step.ok_or_else(|| AppError::invalid("code", "is invalid"))?;
    let had_second_factor = two_factor::is_enabled(&mut command.tx, user)?;
    two_factor::set_last_step(&mut command.tx, user, step)?;
    two_factor::enable(&mut command.tx, user, now)?;
    first_codes(command, had_second_factor)
}

/// Gives the caller, who has just been confirmed, new recovery codes; the earlier ones are void. Fails with 409 if no
/// second factor is enabled.
pub fn new_recovery_codes(command: &mut Command<'_>, confirmed: Confirmed) -> Result<RecoveryCodes, AppError> {
    let user = command.user()?.id;
    confirmed.check(user)?;
    if !two_factor::is_enabled(&mut command.tx, user)? {
        return Err(TwoFactorRefusal::NotBegun.into());
    }
    let event = command.event(EventKind::RecoveryCodesRenewed).user(user);
    command.append(&event)?;
    new_codes(command)
}

/// The secret of a second factor.
pub(super) fn opened(app: &App, factor: &TwoFactor) -> Result<TotpSecret, AppError> {
    let hex = app.vault().open(&factor.secret).map_err(AppError::internal)?;
    TotpSecret::from_hex(&hex).ok_or_else(|| AppError::internal("a stored second factor is damaged"))
}

/// The address that authenticators read: the server by its name, the account, the secret.
fn uri(base_url: &str, username: &str, base32: &Secret) -> Secret {
    let host = Url::parse(base_url).ok().and_then(|url| url.host_str().map(ToOwned::to_owned)).unwrap_or_default();
    let (issuer, account) =
        (utf8_percent_encode(&host, NON_ALPHANUMERIC), utf8_percent_encode(username, NON_ALPHANUMERIC));
    let secret = base32.expose();
    Secret::given(format!(
        "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm=SHA1&digits=6&period=30"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_server_and_account() {
        let secret = Secret::given("GEZDGNBV");
        assert_eq!(
            uri("https://git.example.org:8443/tenon", "a.b", &secret).expose(),
            "otpauth://totp/git%2Eexample%2Eorg:a%2Eb?secret=GEZDGNBV&issuer=git%2Eexample%2Eorg&algorithm=SHA1&digits=6&period=30"
        );
    }
}
