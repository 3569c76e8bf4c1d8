//! Users make accounts by themselves.

use tenon_auth::Secret;
use tenon_domain::member::Invitation;
use tenon_domain::refusal::{Refusal, UserRefusal};
use tenon_domain::settings::Settings;
use tenon_domain::user::{User, normalise_email};

use super::create::{CreateUser, Maker, check_request, insert};
use super::password::NewPassword;
use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::shared::access::invitation::{admit, open};

/// A request of someone without an account for one.
#[derive(Debug, Clone)]
pub struct SignUp {
    /// Sign-in name.
    pub username: String,
    /// Display name.
    pub name: String,
    /// Primary address.
    pub email: String,
    /// The address once more, if the form asks for that.
    pub email_confirmation: Option<String>,
    /// The password.
    pub password: Secret,
    /// The token of an invitation that was sent to the person.
    pub invitation: Option<Secret>,
}

impl App {
    /// Makes an account for an anonymous caller. Its address counts as confirmed, unless mail is sent and the settings
    /// ask for a confirmation. Who was invited at that address needs none, and is a member at once if the account may be used.
    /// Fails with 403 if the settings forbid it, with the problems of the fields, with 409 if
    /// another account has the name or the address, and with 429 if the client has asked too often.
    ///
    /// A person who signs up learns that an address is taken; this cannot be avoided. The answer takes the same time,
    /// and counts the same, either way, so that a client finds out about a few addresses an hour only.
    pub async fn sign_up(&self, request: SignUp) -> Result<User, AppError> {
        let anonymous = Identity::anonymous();
        let asked = request.clone();
        self.read(&anonymous, move |query| {
            let settings = query.settings()?;
            check_allowed(&settings)?;
            let password = NewPassword::unhashed(&asked.password, &settings.passwords);
            let mut errors = check_request(&settings, &asked.with(password), Maker::User, query.now);
            let repeated = asked.email_confirmation.as_deref().map(normalise_email);
            let is_same = repeated.is_none_or(|repeated| repeated == normalise_email(&asked.email));
            errors.require(is_same, "email_confirmation", "doesn't match Email");
            // PostgreSQL takes no text that holds it.
            errors.require(!asked.name.contains('\0'), "name", "is invalid");
            Ok(errors.into_result()?)
        })
        .await?;
        let counted = self.anonymous_throttle().count_sign_up(self.client());
        counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
        let password = self.new_password_of_user(request.password.clone()).await?;
        self.write(&anonymous, move |command| {
            let settings = command.query().settings()?;
            check_allowed(&settings)?;
            let confirms = command.app.sends_mail() && settings.confirms_sign_ups;
            let invited = invited(command, &request)?;
            let request = CreateUser { skip_confirmation: !confirms || invited.is_some(), ..request.with(password) };
            let created = insert(command, request, Maker::User)?;
            if let Some(invitation) = invited.filter(|_| created.may_act()) {
                match admit(command, &invitation, created.id) {
                    // The account is made all the same. Its user may accept later.
                    Ok(_) | Err(AppError::Refused(Refusal::Admission(_)) | AppError::Invalid(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(created)
        })
        .await
    }
}

/// The invitation of who signs up with the address that it was sent to: who has opened its link reads mail there. With
/// another address the account is made as any other, and its user may still accept.
fn invited(command: &mut Command<'_>, request: &SignUp) -> Result<Option<Invitation>, AppError> {
    let Some(token) = &request.invitation else { return Ok(None) };
    let found = open(&mut command.query(), token)?.map(|found| found.invitation);
    Ok(found.filter(|invitation| invitation.address == normalise_email(&request.email)))
}

fn check_allowed(settings: &Settings) -> Result<(), AppError> {
    if settings.allows_sign_up {
        return Ok(());
    }
    Err(UserRefusal::NoSignUp.into())
}

impl SignUp {
    fn with(&self, password: NewPassword) -> CreateUser {
        CreateUser::new(self.username.clone(), self.name.clone(), self.email.clone(), password)
    }
}
