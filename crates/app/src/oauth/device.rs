//! Devices that have no browser (RFC 8628). A device gets two codes: one that it shows, which the user enters on the page for
//! devices, and one with which it asks for its tokens until the user has decided.

use tenon_auth::{Secret, digest};
use tenon_domain::id::{DeviceGrantId, UserId};
use tenon_domain::oauth::{Application, DeviceDecision, DeviceGrant, DevicePoll, UserCode};
use tenon_domain::token::Scopes;
use tenon_storage::oauth::{application, device};

use super::authorize::{may_grant, signed_in};
use super::client::{ClientCredentials, authenticate};
use super::error::{OAuthError, Refusal};
use super::issue::{asked, bounded, within};
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::spending::client::Client;

/// The answer to a device.
#[derive(Debug, Clone)]
pub struct DeviceAuthorization {
    /// With this it asks for its tokens.
    pub device_code: Secret,
    /// This it shows.
    pub user_code: UserCode,
    /// Seconds for which both are valid.
    pub expires_in: i64,
    /// Seconds that it has to wait between two requests for its tokens.
    pub interval: i64,
}

/// The question to a user about a device.
#[derive(Debug, Clone)]
pub struct DeviceRequest {
    /// The application on the device.
    pub application: Application,
    /// The scopes that it asks for.
    pub scopes: Scopes,
    /// The code that the device shows.
    pub user_code: UserCode,
}

impl App {
    /// Begins the authorization of a device, on which this application runs. Fails if the application is not known or
    /// asks for scopes that it may not have, with 429 if its network has begun too many, and with 503 while too many of
    /// its devices wait for their users.
    pub async fn authorize_device(
        &self,
        client: ClientCredentials,
        scope: Option<String>,
    ) -> Result<DeviceAuthorization, Refusal> {
        let counted = self.anonymous_throttle().count_device(self.client());
        counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
        let (presented, wanted) = (client.clone(), scope.clone());
        // One that is refused takes no turn of a writer.
        let check = move |query: &mut Query<'_>| Refusal::kept(check(query, &presented, wanted.as_deref()));
        let (application, _) = self.read_credential(check).await??;
        // Every device knows the id; only a secret proves the application.
        let proved = client.secret.is_some().then(|| Client::of_application(&application));
        let work = move |command: &mut Command<'_>| Refusal::kept(begin(command, &client, scope.as_deref()));
        Ok(self.used_by_proved(proved).write(&Identity::anonymous(), work).await??)
    }

    /// The request of the device whose code the signed-in caller has typed; `None` if no device shows that code and
    /// waits. Fails with 429 if too many codes of this caller were wrong.
    pub async fn find_device(&self, identity: &Identity, typed: String) -> Result<Option<DeviceRequest>, AppError> {
        self.read(identity, move |query| {
            let user = signed_in(query)?;
            Ok(waiting(query, user, &typed)?.map(|(_, request)| request))
        })
        .await
    }

    /// Allows the device whose code the signed-in caller has typed to act for them, or refuses that. `false` if no
    /// device shows that code and waits. Fails as [`App::find_device`] does.
    pub async fn decide_device(&self, identity: &Identity, typed: String, is_allowed: bool) -> Result<bool, AppError> {
        self.write(identity, move |command| {
            command.refuse_impersonated()?;
            let user = signed_in(&command.query())?;
            let mut query = command.query();
            let Some((id, request)) = waiting(&mut query, user, &typed)? else { return Ok(false) };
            if is_allowed && !may_grant(&mut query, &request.application, &request.scopes)? {
                return Err(AppError::Forbidden);
            }
            let decision = if is_allowed { DeviceDecision::Approved(user) } else { DeviceDecision::Denied };
            Ok(device::decide(&mut command.tx, id, decision)?)
        })
        .await
    }
}

fn check(
    query: &mut Query<'_>,
    client: &ClientCredentials,
    scope: Option<&str>,
) -> Result<(Application, Scopes), Refusal> {
    let wanted = asked(scope)?;
    let application = authenticate(&mut query.tx, client)?;
    let scopes = application.grantable(wanted.as_ref()).ok_or(OAuthError::InvalidScope)?;
    Ok((application, scopes))
}

fn begin(
    command: &mut Command<'_>,
    client: &ClientCredentials,
    scope: Option<&str>,
) -> Result<DeviceAuthorization, Refusal> {
    let (application, scopes) = check(&mut command.query(), client, scope)?;
    let (app, now) = (command.app, command.now);
    let limits = &app.limits().oauth;
    let expires_at = now + within(limits.device_code);
    if device::count(&mut command.tx, application.id, now)? >= bounded(limits.devices) {
        return Err(AppError::Busy { retry_after: BUSY }.into());
    }
    let device_code = Secret::generate(app.entropy());
    let user_code = unused_code(command)?;
    let grant = DeviceGrant {
        id: DeviceGrantId::new(0),
        application: application.id,
        scopes,
        user_code: user_code.clone(),
        decision: None,
        polled_at: None,
        expires_at,
    };
    device::insert(&mut command.tx, &grant, &digest(device_code.expose()))?;
    let (expires_in, interval) = ((expires_at - now).num_seconds(), within(limits.device_interval).num_seconds());
    Ok(DeviceAuthorization { device_code, user_code, expires_in, interval })
}

/// Seconds after which a device may try again if too many wait.
const BUSY: u32 = 30;

/// A code that no other device shows.
fn unused_code(command: &mut Command<'_>) -> Result<UserCode, AppError> {
    loop {
        let mut random = [0; 8];
        command.app.entropy().fill(&mut random);
        let code = UserCode::of(random);
        if device::by_user_code(&mut command.tx, &code)?.is_none() {
            return Ok(code);
        }
    }
}

/// The device that shows this code and waits for a decision. Wrong codes are counted for the user: they must not be guessed.
fn waiting(
    query: &mut Query<'_>,
    user: UserId,
    typed: &str,
) -> Result<Option<(DeviceGrantId, DeviceRequest)>, AppError> {
    query.app.may_try_code(user)?;
    let found = match UserCode::parse(typed) {
        Some(code) => device::by_user_code(&mut query.tx, &code)?,
        None => None,
    };
    let interval = within(query.app.limits().oauth.device_interval);
    let is_open =
        |grant: &DeviceGrant| matches!(grant.poll(query.now, interval), DevicePoll::Pending | DevicePoll::TooSoon);
    let Some(grant) = found.filter(is_open) else {
        query.app.sign_ins().note_wrong_code(user);
        return Ok(None);
    };
    let Some(application) = application::find(&mut query.tx, grant.application)? else { return Ok(None) };
    Ok(Some((grant.id, DeviceRequest { application, scopes: grant.scopes, user_code: grant.user_code })))
}
