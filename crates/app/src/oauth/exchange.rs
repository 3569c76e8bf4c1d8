//! Requests for tokens. Each is checked on a snapshot first, so that one that is refused takes no turn of a writer, and once
//! more in the transaction that issues the tokens. The first check is a look-up of credentials: it says whose turn the second
//! takes.

use tenon_auth::{Secret, digest, is_same, s256_challenge};
use tenon_domain::event::EventKind;
use tenon_domain::id::{DeviceGrantId, GrantId, UserId};
use tenon_domain::oauth::{
    Application, ClientKind, Code, CodeChallenge, DeviceDecision, DevicePoll, Grant, RefreshUse, is_verifier,
};
use tenon_domain::token::{Scope, Scopes};
use tenon_domain::user::User;
use tenon_storage::oauth::device;
use tenon_storage::oauth::grant::{self, Mark};
use tenon_storage::{ReadTx, two_factor, user};

use super::authorize::may_grant_by_settings;
use super::client::{ClientCredentials, authenticate, authenticate_by_secret};
use super::error::{OAuthError, Refusal};
use super::issue::{IssuedTokens, Recipient, Refreshed, asked, bounded, issue, split, within};
use super::revoke::end_grant;
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::sign_in::Place;
use crate::core::spending::client::Client;

/// A request for tokens.
#[derive(Debug, Clone)]
pub struct TokenRequest {
    /// Which application asks.
    pub client: Option<ClientCredentials>,
    /// On what ground.
    pub grant: GrantRequest,
    /// The scopes, separated by spaces.
    pub scope: Option<String>,
}

/// On what ground tokens are asked for.
#[derive(Debug, Clone)]
pub enum GrantRequest {
    /// A code that the user's browser has brought.
    Code {
        /// The code.
        code: Secret,
        /// The address to which it was sent.
        redirect_uri: String,
        /// The verifier of the challenge.
        verifier: Option<Secret>,
    },
    /// A refresh token.
    Refresh(Secret),
    /// The user's password.
    Password {
        /// User name or e-mail address.
        username: String,
        /// The password.
        password: Secret,
    },
    /// The application's own secret.
    Client,
    /// The code of a device, which its user may have allowed.
    Device(Secret),
}

/// The steps for a request.
enum Plan {
    /// Tokens for a grant that is there, with these scopes; its refresh tokens, if it has any.
    Continue { grant: Grant, application: Option<Application>, scopes: Scopes, refreshed: Option<Box<Refreshed>> },
    /// A new grant. If a device has begun it, its request ends.
    Begin { application: Option<Application>, user: Option<UserId>, scopes: Scopes, device: Option<DeviceGrantId> },
    /// A device has to ask again later.
    Wait(DeviceGrantId),
    /// The grant ends: something was used twice that can be used only once, so it may have been stolen.
    End(Grant),
}

impl Plan {
    /// Whose turn it takes: that of the user to whom belongs what was presented, or of an application that acts for itself.
    /// `None` for a device whose user has not decided.
    fn client(&self) -> Option<Client> {
        let (user, application) = match self {
            Self::Continue { grant, application, .. } => (grant.user, application.as_ref()),
            Self::Begin { user, application, .. } => (*user, application.as_ref()),
            Self::End(grant) => (grant.user, None),
            Self::Wait(_) => (None, None),
        };
        user.map(Client::User).or_else(|| application.map(Client::of_application))
    }
}

impl App {
    /// Issues tokens, or says why not.
    pub async fn issue_tokens(&self, request: TokenRequest) -> Result<IssuedTokens, Refusal> {
        let asked = request.clone();
        let look = move |query: &mut Query<'_>| Refusal::kept(plan(query, &asked, None).map(|plan| plan.client()));
        let client = self.read_credential(look).await??;
        let user = match &request.grant {
            GrantRequest::Password { username, password } => {
                let found = self.sign_in_with_password(username.clone(), password.clone(), Place::Programs).await?.ok();
                let found = found.ok_or(OAuthError::InvalidGrant)?.user.id;
                self.admit_sign_in(found)?;
                Some(found)
            }
            GrantRequest::Code { .. } | GrantRequest::Refresh(_) | GrantRequest::Client | GrantRequest::Device(_) => {
                None
            }
        };
        let work = move |command: &mut Command<'_>| Refusal::kept(carry_out(command, &request, user));
        // A name and an application prove nothing without the password; whose password was right is the user from here on.
        let app = if user.is_some() { self.used_by_user(user) } else { self.used_by_proved(client) };
        Ok(app.write(&Identity::anonymous(), work).await??)
    }
}

fn carry_out(command: &mut Command<'_>, request: &TokenRequest, user: Option<UserId>) -> Result<IssuedTokens, Refusal> {
    match plan(&mut command.query(), request, user)? {
        Plan::End(grant) => {
            end_grant(command, &grant)?;
            Err(OAuthError::InvalidGrant.into())
        }
        Plan::Continue { grant, application, scopes, refreshed } => {
            let code = grant.code.as_ref().filter(|_| refreshed.is_none());
            if code.is_some() {
                grant::mark_code_used(&mut command.tx, grant.id)?;
            }
            let to = Recipient {
                grant: grant.id,
                application: application.as_ref(),
                user: grant.user,
                scopes,
                nonce: code.and_then(|code| code.nonce.as_deref()),
                refreshed: refreshed.map(|refreshed| *refreshed),
            };
            Ok(issue(command, to)?)
        }
        Plan::Begin { application, user, scopes, device } => {
            if let Some(id) = device
                && !device::delete(&mut command.tx, id)?
            {
                return Err(OAuthError::InvalidGrant.into());
            }
            Ok(begin(command, application, user, scopes)?)
        }
        Plan::Wait(id) => {
            let now = command.now;
            device::set_polled(&mut command.tx, id, now)?;
            Err(OAuthError::AuthorizationPending.into())
        }
    }
}

fn begin(
    command: &mut Command<'_>,
    application: Option<Application>,
    user: Option<UserId>,
    scopes: Scopes,
) -> Result<IssuedTokens, AppError> {
    let limits = &command.app.limits().oauth;
    let mut grant = Grant {
        id: GrantId::new(0),
        application: application.as_ref().map(|application| application.id),
        user,
        scopes: scopes.clone(),
        code: None,
        revoked: false,
        expires_at: command.now + within(limits.access_token),
        created_at: command.now,
    };
    grant.id = grant::insert(&mut command.tx, &grant, None)?;
    grant::delete_oldest(&mut command.tx, grant.application, grant.user, bounded(limits.grants))?;
    // An application that acts for itself may ask as often as it likes: that must not fill the history.
    if let Some(user) = user {
        let mut event = command.event(EventKind::TokenCreated).user(user);
        event.detail = application.as_ref().map(|application| application.uid.clone());
        command.append(&event)?;
    }
    let application = application.as_ref();
    issue(command, Recipient { grant: grant.id, application, user, scopes, nonce: None, refreshed: None })
}

/// Checks a request. `user` is the one whose password was right.
fn plan(query: &mut Query<'_>, request: &TokenRequest, user: Option<UserId>) -> Result<Plan, Refusal> {
    let wanted = asked(request.scope.as_deref())?;
    match &request.grant {
        GrantRequest::Code { code, redirect_uri, verifier } => {
            let client = request.client.as_ref().ok_or(OAuthError::InvalidClient)?;
            let application = authenticate(&mut query.tx, client)?;
            exchange(query, application, code, redirect_uri, verifier.as_ref())
        }
        GrantRequest::Refresh(token) => {
            let client = request.client.as_ref();
            let application = client.map(|client| authenticate(&mut query.tx, client)).transpose()?;
            refresh(query, application, token, wanted)
        }
        GrantRequest::Password { .. } => {
            let client = request.client.as_ref();
            let application = client.map(|client| authenticate(&mut query.tx, client)).transpose()?;
            let scopes = match &application {
                Some(application) => application.grantable(wanted.as_ref()).ok_or(OAuthError::InvalidScope)?,
                None => wanted.unwrap_or_else(|| Scopes::new([Scope::Api])),
            };
            // A password alone enters no mode of administrators, so it does not give the scope either.
            if scopes.contains(Scope::AdminMode) {
                return Err(OAuthError::InvalidScope.into());
            }
            if let Some(id) = user {
                let found = check_user(&mut query.tx, id)?;
                // A password alone proves too little of them, and there is no way to ask for more.
                if two_factor::is_enabled(&mut query.tx, id)? {
                    return Err(OAuthError::InvalidGrant.into());
                }
                if !may_grant_by_settings(query, found.admin, application.as_ref(), &scopes)? {
                    return Err(OAuthError::InvalidScope.into());
                }
            }
            Ok(Plan::Begin { application, user, scopes, device: None })
        }
        GrantRequest::Client => {
            let client = request.client.as_ref().ok_or(OAuthError::InvalidClient)?;
            let application = authenticate_by_secret(&mut query.tx, client)?;
            if application.kind == ClientKind::Public {
                return Err(OAuthError::UnauthorizedClient.into());
            }
            let scopes = application.grantable(wanted.as_ref()).ok_or(OAuthError::InvalidScope)?;
            Ok(Plan::Begin { application: Some(application), user: None, scopes, device: None })
        }
        GrantRequest::Device(code) => {
            let client = request.client.as_ref().ok_or(OAuthError::InvalidClient)?;
            let application = authenticate(&mut query.tx, client)?;
            poll(query, application, code)
        }
    }
}

/// Exchanges a code. One that was used before ends its grant, whichever application presents it: it has been seen by
/// someone whom it was not for.
fn exchange(
    query: &mut Query<'_>,
    application: Application,
    code: &Secret,
    redirect_uri: &str,
    verifier: Option<&Secret>,
) -> Result<Plan, Refusal> {
    let found = grant::by_mark(&mut query.tx, Mark::Code(&digest(code.expose())))?;
    let (grant, _) = found.ok_or(OAuthError::InvalidGrant)?;
    let bound = grant.code.as_ref().ok_or(OAuthError::InvalidGrant)?;
    if bound.used && !grant.revoked {
        return Ok(Plan::End(grant));
    }
    let matches = grant.application == Some(application.id) && bound.redirect_uri == redirect_uri;
    if !matches || !grant.is_active(query.now) {
        return Err(OAuthError::InvalidGrant.into());
    }
    check_verifier(bound, verifier)?;
    check_user(&mut query.tx, grant.user.ok_or(OAuthError::InvalidGrant)?)?;
    let scopes = grant.scopes.clone();
    Ok(Plan::Continue { grant, application: Some(application), scopes, refreshed: None })
}

/// A verifier is asked for if and only if there was a challenge: if one is sent for a code without a challenge, someone
/// has taken the challenge out of the request.
fn check_verifier(code: &Code, verifier: Option<&Secret>) -> Result<(), OAuthError> {
    match (&code.challenge, verifier.map(Secret::expose)) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(OAuthError::Missing("code_verifier")),
        (Some(challenge), Some(verifier)) if is_verifier(verifier) => {
            let sent = match challenge {
                CodeChallenge::S256(_) => s256_challenge(verifier),
                CodeChallenge::Plain(_) => verifier.to_owned(),
            };
            if is_same(&sent, challenge.value()) { Ok(()) } else { Err(OAuthError::InvalidGrant) }
        }
        (None | Some(_), Some(_)) => Err(OAuthError::InvalidGrant),
    }
}

/// Replaces the tokens of a grant. A refresh token that was replaced before ends its grant, unless that was a moment ago: then two
/// threads of one client have sent it, and what the first one got must stay.
fn refresh(
    query: &mut Query<'_>,
    application: Option<Application>,
    token: &Secret,
    wanted: Option<Scopes>,
) -> Result<Plan, Refusal> {
    let (family, _) = split(token.expose()).ok_or(OAuthError::InvalidGrant)?;
    let found = grant::by_mark(&mut query.tx, Mark::Family(&digest(family)))?;
    let (grant, tokens) = found.ok_or(OAuthError::InvalidGrant)?;
    match (&application, grant.application) {
        (None, Some(_)) => return Err(OAuthError::InvalidClient.into()),
        (application, owner) if application.as_ref().map(|application| application.id) != owner => {
            return Err(OAuthError::InvalidGrant.into());
        }
        _ => {}
    }
    if !grant.is_active(query.now) {
        return Err(OAuthError::InvalidGrant.into());
    }
    let grace = within(query.app.limits().oauth.refresh_grace);
    match tokens.used(&digest(token.expose()), query.now, grace) {
        RefreshUse::Current => {}
        RefreshUse::JustReplaced => return Err(OAuthError::InvalidGrant.into()),
        RefreshUse::Stale => return Ok(Plan::End(grant)),
    }
    let scopes = match wanted {
        None => grant.scopes.clone(),
        Some(wanted) if wanted.is_within(&grant.scopes) => wanted,
        Some(_) => return Err(OAuthError::InvalidScope.into()),
    };
    check_user(&mut query.tx, grant.user.ok_or(OAuthError::InvalidGrant)?)?;
    let refreshed = Some(Box::new(Refreshed { family: family.to_owned(), tokens }));
    Ok(Plan::Continue { grant, application, scopes, refreshed })
}

/// The steps for the request of a device that asks for its tokens.
fn poll(query: &mut Query<'_>, application: Application, code: &Secret) -> Result<Plan, Refusal> {
    let found = device::by_digest(&mut query.tx, &digest(code.expose()))?;
    let found = found.filter(|found| found.application == application.id).ok_or(OAuthError::InvalidGrant)?;
    match found.poll(query.now, within(query.app.limits().oauth.device_interval)) {
        DevicePoll::Expired => Err(OAuthError::ExpiredToken.into()),
        DevicePoll::TooSoon => Err(OAuthError::SlowDown.into()),
        DevicePoll::Pending => Ok(Plan::Wait(found.id)),
        DevicePoll::Decided(DeviceDecision::Denied) => Err(OAuthError::AccessDenied.into()),
        DevicePoll::Decided(DeviceDecision::Approved(user)) => {
            check_user(&mut query.tx, user)?;
            let (application, user) = (Some(application), Some(user));
            Ok(Plan::Begin { application, user, scopes: found.scopes, device: Some(found.id) })
        }
    }
}

/// A user who may do nothing, or whose account is being removed, gets no tokens.
fn check_user(tx: &mut ReadTx<'_>, id: UserId) -> Result<User, Refusal> {
    let found = user::find(tx, id)?.filter(User::may_act);
    found.ok_or_else(|| OAuthError::InvalidGrant.into())
}
