//! Signing in with a passkey: without a password, or after one.

use tenon_auth::Secret;
use tenon_domain::passkey::ChallengePurpose;
use tenon_domain::session::Session;
use tenon_domain::user::User;
use tenon_storage::{passkey, session, user};

use super::start::{Browser, SignInRefusal, StartedSession, awaiting, follow_up, start};
use crate::core::app::{App, Command};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::sign_in::refusal_of;
use crate::shared::access::passkey_proof::{challenge, proved, relying_party};

/// A user whose passkey was right, and the sign-in that it completes; the passkey is the only proof if there is none.
struct Proof {
    user: User,
    pending: Option<Session>,
}

impl App {
    /// The request to the browser with this cookie to use a passkey: a JSON text. If the cookie stands for a password that was
    /// right, only passkeys of its user are asked for. The browser answers once, within minutes. Fails with 404 if browsers
    /// make no passkeys for this server.
    pub async fn ask_for_passkey(&self, cookie: Secret) -> Result<String, AppError> {
        self.write(&Identity::anonymous(), move |command| ask(command, &cookie)).await
    }

    /// Signs a user in with the passkey that the browser with this cookie has used. Without a password before, the
    /// authenticator must have verified its user.
    pub async fn sign_in_with_passkey(
        &self,
        cookie: Secret,
        answer: String,
        browser: Browser,
    ) -> Result<Result<StartedSession, SignInRefusal>, AppError> {
        let anonymous = Identity::anonymous();
        // The challenge is void even if the user does not get in, so that this is a transaction of its own.
        let found = self.write(&anonymous, move |command| prove(command, &cookie, &answer)).await?;
        let Proof { user, pending } = match found {
            Ok(found) => found,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let id = user.id;
        let app = self.used_by_user(Some(id));
        if let Some(refusal) = refusal_of(&app, &user) {
            app.write(&anonymous, move |command| follow_up(command, id, refusal)).await?;
            return Ok(Err(refusal.into()));
        }
        self.admit_sign_in(id)?;
        let remembered = pending.as_ref().map_or(browser.remembered, |pending| pending.remembered);
        let browser = Browser { remembered, ..browser };
        let work = move |command: &mut Command<'_>| {
            // Only one of two requests with the same cookie gets a session.
            if let Some(pending) = &pending
                && !session::delete(&mut command.tx, id, pending.id)?
            {
                return Ok(Err(SignInRefusal::PasswordFirst));
            }
            start(command, &browser).map(Ok)
        };
        app.write(&Identity::signing_in(id), work).await
    }
}

fn ask(command: &mut Command<'_>, cookie: &Secret) -> Result<String, AppError> {
    let server = relying_party(command.app).ok_or(AppError::NotFound(Missing::Plain))?;
    let Some((user, _)) = awaiting(&mut command.query(), cookie)? else {
        let challenge = challenge(command, cookie, ChallengePurpose::PasskeySignIn)?;
        return Ok(server.request_options(&challenge, &[], true));
    };
    let most = i64::try_from(command.app.limits().accounts.passkeys).unwrap_or(i64::MAX);
    let known = passkey::of_user(&mut command.tx, user.id, most)?;
    if known.is_empty() {
        return Err(AppError::NotFound(Missing::Plain));
    }
    let known: Vec<String> = known.into_iter().map(|passkey| passkey.credential).collect();
    let challenge = challenge(command, cookie, ChallengePurpose::SecondFactor)?;
    Ok(server.request_options(&challenge, &known, false))
}

fn prove(command: &mut Command<'_>, cookie: &Secret, answer: &str) -> Result<Result<Proof, SignInRefusal>, AppError> {
    let pending = awaiting(&mut command.query(), cookie)?;
    let (purpose, verified) = match pending {
        Some(_) => (ChallengePurpose::SecondFactor, false),
        None => (ChallengePurpose::PasskeySignIn, true),
    };
    let (found, count) = match proved(command, cookie, purpose, answer, verified)? {
        Ok(found) => found,
        Err(error) => return Ok(Err(SignInRefusal::WrongPasskey(error))),
    };
    let foreign = Ok(Err(SignInRefusal::WrongPasskey(tenon_auth::PasskeyError::OtherServer)));
    let Some(user) = user::find(&mut command.tx, found.user)? else { return foreign };
    if pending.as_ref().is_some_and(|(awaited, _)| awaited.id != user.id) {
        return foreign;
    }
    let now = command.now;
    passkey::mark_used(&mut command.tx, found.id, count, now)?;
    Ok(Ok(Proof { user, pending: pending.map(|(_, session)| session) }))
}
