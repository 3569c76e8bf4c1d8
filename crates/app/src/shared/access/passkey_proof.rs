//! That a user has a passkey: the challenge, and the answer of the browser.

use tenon_auth::{KnownPasskey, PasskeyAssertion, PasskeyChallenge, PasskeyError, RelyingParty, Secret};
use tenon_domain::passkey::{CHALLENGE_LIFETIME, ChallengePurpose, Passkey};
use tenon_storage::passkey;

use super::sign_in_challenge;
use crate::core::app::{App, Command};
use crate::core::error::AppError;

/// The server as authenticators know it; `None` if browsers make no passkeys for it.
pub(crate) fn relying_party(app: &App) -> Option<RelyingParty> {
    RelyingParty::of(app.base_url())
}

/// A fresh challenge for the browser with this cookie.
pub(crate) fn challenge(
    command: &mut Command<'_>,
    cookie: &Secret,
    purpose: ChallengePurpose,
) -> Result<PasskeyChallenge, AppError> {
    let challenge = PasskeyChallenge::generate(command.app.entropy());
    sign_in_challenge::ask(command, cookie, purpose, challenge.text(), CHALLENGE_LIFETIME)?;
    Ok(challenge)
}

/// The challenge that the browser with this cookie answers; it is void from then on.
pub(crate) fn answered(
    command: &mut Command<'_>,
    cookie: &Secret,
    purpose: ChallengePurpose,
) -> Result<Option<PasskeyChallenge>, AppError> {
    Ok(sign_in_challenge::take(command, cookie, purpose)?.map(PasskeyChallenge::given))
}

/// The passkey that the browser with this cookie has used, and how many uses it has counted. The challenge is void from then on,
/// whatever the answer is. `verified` asks for an authenticator that knows its user.
pub(crate) fn proved(
    command: &mut Command<'_>,
    cookie: &Secret,
    purpose: ChallengePurpose,
    answer: &str,
    verified: bool,
) -> Result<Result<(Passkey, i64), PasskeyError>, AppError> {
    let Some(challenge) = answered(command, cookie, purpose)? else { return Ok(Err(PasskeyError::OtherRequest)) };
    let Some(server) = relying_party(command.app) else { return Ok(Err(PasskeyError::OtherServer)) };
    let Some(answer) = PasskeyAssertion::parse(answer) else { return Ok(Err(PasskeyError::Damaged)) };
    // The keys that the server does not know are like those of other servers.
    let found = passkey::find(&mut command.tx, &answer.credential)?;
    let Some(found) = found else { return Ok(Err(PasskeyError::OtherServer)) };
    let known = KnownPasskey { public_key: &found.public_key, count: found.count };
    let checked = server.verify(&challenge, &answer, known, found.user.get(), verified);
    if checked == Err(PasskeyError::Cloned) {
        tracing::warn!(user = %found.user, passkey = %found.id, "a passkey was refused: another copy of it was used");
    }
    Ok(checked.map(|count| (found, count)))
}
