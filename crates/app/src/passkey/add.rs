//! Adding a passkey.

use tenon_auth::{PasskeyError, PasskeyRegistration, Secret};
use tenon_domain::event::EventKind;
use tenon_domain::id::PasskeyId;
use tenon_domain::passkey::{ChallengePurpose, Passkey, check_name};
use tenon_storage::{StoreError, UniqueKey, passkey, two_factor};

use crate::core::app::Command;
use crate::core::confirmation::Confirmed;
use crate::core::error::{AppError, Missing};
use crate::policy::account::check_room;
use crate::shared::access::passkey_proof::{answered, challenge, relying_party};
use crate::shared::access::second_factor::{RecoveryCodes, first_codes};

/// The outcome of adding a passkey.
#[derive(Debug, Clone)]
pub enum Added {
    /// It was added. The codes are shown once: there are some if the user had no second factor before.
    Done(Option<RecoveryCodes>),
    /// The answer of the browser is not accepted.
    Refused(PasskeyError),
}

/// The request to the browser of the caller, who has just been confirmed, to make a passkey: a JSON text. The browser answers
/// once, within minutes. Fails if the account has as many as it may have, and with 404 if browsers make none for this server.
pub fn begin(command: &mut Command<'_>, confirmed: Confirmed, cookie: &Secret, name: &str) -> Result<String, AppError> {
    command.refuse_impersonated()?;
    let user = command.user()?.clone();
    confirmed.check(user.id)?;
    check_name(name).into_result()?;
    let server = relying_party(command.app).ok_or(AppError::NotFound(Missing::Plain))?;
    let most = command.app.limits().accounts.passkeys;
    check_room(passkey::count(&mut command.tx, user.id)?, most, "passkeys")?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let known = passkey::of_user(&mut command.tx, user.id, most)?;
    let known: Vec<String> = known.into_iter().map(|passkey| passkey.credential).collect();
    let challenge = challenge(command, cookie, ChallengePurpose::NewPasskey)?;
    Ok(server.creation_options(&challenge, user.id.get(), &user.username, &user.name, &known))
}

/// Adds the passkey that the caller's browser has made. With it, the caller has a second factor.
pub fn add(command: &mut Command<'_>, cookie: &Secret, name: &str, answer: &str) -> Result<Added, AppError> {
    command.refuse_impersonated()?;
    let user = command.user()?.id;
    let Some(challenge) = answered(command, cookie, ChallengePurpose::NewPasskey)? else {
        return Ok(Added::Refused(PasskeyError::OtherRequest));
    };
    check_name(name).into_result()?;
    let server = relying_party(command.app).ok_or(AppError::NotFound(Missing::Plain))?;
    let Some(answer) = PasskeyRegistration::parse(answer) else { return Ok(Added::Refused(PasskeyError::Damaged)) };
    let new = match server.register(&challenge, &answer) {
        Ok(new) => new,
        Err(error) => return Ok(Added::Refused(error)),
    };
    check_room(passkey::count(&mut command.tx, user)?, command.app.limits().accounts.passkeys, "passkeys")?;
    let had_second_factor = two_factor::is_enabled(&mut command.tx, user)?;
    let passkey = Passkey {
        id: PasskeyId::new(0),
        user,
        name: name.trim().to_owned(),
        credential: new.credential,
        public_key: new.public_key,
        count: new.count,
        created_at: command.now,
        last_used_at: None,
    };
    passkey::insert(&mut command.tx, &passkey).map_err(taken)?;
    let event = command.event(EventKind::PasskeyAdded).user(user).detail(passkey.name);
    command.append(&event)?;
    first_codes(command, had_second_factor).map(Added::Done)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Passkey) => AppError::invalid("base", "This passkey is already registered"),
        other => other.into(),
    }
}
