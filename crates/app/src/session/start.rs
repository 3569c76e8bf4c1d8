//! Signing in.

use tenon_auth::{PasskeyError, Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::hook::SystemEvent;
use tenon_domain::id::UserId;
use tenon_domain::session::{Session, lifetime, shortened_user_agent};
use tenon_domain::time::TimeDelta;
use tenon_domain::two_factor::Requirement;
use tenon_domain::user::{AccountUse, Exclusion, User, UserEvent};
use tenon_storage::session::{self, NewSession};
use tenon_storage::{passkey, two_factor, user};

use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::sign_in::{PasswordRefusal, Place};
use crate::core::spending::client::Network;
use crate::shared::access::account_state::save;
use crate::shared::access::email_confirmation::send_link_again;
use crate::shared::access::second_factor::announce;
use crate::shared::access::system_event;

/// A browser in which a user signs in, as it describes itself.
#[derive(Debug, Clone, Default)]
pub struct Browser {
    /// The address that it comes from.
    pub address: Option<String>,
    /// Its header `User-Agent`.
    pub user_agent: Option<String>,
    /// True if the session is to outlive the browser.
    pub remembered: bool,
}

/// The input of a user who signs in.
#[derive(Debug, Clone)]
pub struct SignIn {
    /// A user name or a primary e-mail address.
    pub login: String,
    /// The password.
    pub password: Secret,
    /// The place.
    pub browser: Browser,
}

/// Why a user does not get in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignInRefusal {
    /// There is no such account, or the password is not its own: which of the two is not said.
    Wrong,
    /// The password is right, and an administrator has blocked the account.
    Blocked,
    /// The password is right, and an administrator has banned the account.
    Banned,
    /// The password is right, and no administrator has approved the account yet.
    Pending,
    /// The password is right, and the address of the account was not confirmed. A link was sent to it.
    Unconfirmed,
    /// Passwords are not accepted on pages.
    NotAccepted,
    /// The code of the second factor is wrong.
    WrongCode,
    /// The passkey is not accepted.
    WrongPasskey(PasskeyError),
    /// The password was given too long ago, or not at all.
    PasswordFirst,
}

impl From<PasswordRefusal> for SignInRefusal {
    fn from(refusal: PasswordRefusal) -> Self {
        match refusal {
            PasswordRefusal::Excluded(_, Exclusion::Blocked) => Self::Blocked,
            PasswordRefusal::Excluded(_, Exclusion::Banned) => Self::Banned,
            PasswordRefusal::Excluded(_, Exclusion::Pending) => Self::Pending,
            // Signing in makes a deactivated account active, and the server's own accounts are like none.
            PasswordRefusal::Wrong | PasswordRefusal::Excluded(_, Exclusion::Internal | Exclusion::Deactivated) => {
                Self::Wrong
            }
            PasswordRefusal::Unconfirmed(_) => Self::Unconfirmed,
            PasswordRefusal::NotAccepted => Self::NotAccepted,
        }
    }
}

/// The result of a right password.
#[derive(Debug, Clone)]
pub enum SignedIn {
    /// The user is in.
    Started(StartedSession),
    /// A code of the second factor is asked for. The cookie proves that the password was right, and nothing else.
    AwaitsSecondFactor(Secret),
}

/// A sign-in whose password was right, and that waits for a second factor.
#[derive(Clone)]
pub struct AwaitedFactor {
    /// The application, used by that user.
    pub app: App,
    /// True if the user has an authenticator that shows codes.
    pub takes_codes: bool,
    /// True if the user has passkeys.
    pub takes_passkeys: bool,
}

/// Minutes in which the code of the second factor has to follow the password.
const CODE_WITHIN: i64 = 10;

/// A session that has begun.
#[derive(Debug, Clone)]
pub struct StartedSession {
    /// The value of its cookie, which is stored nowhere else.
    pub cookie: Secret,
    /// How long the browser keeps the cookie; until it is closed if `None`.
    pub kept_for: Option<TimeDelta>,
    /// True if the user has to set up a second factor, and has time for it.
    pub second_factor_due: bool,
}

impl App {
    /// Signs a user in with a password. All that can be wrong takes the same time. Fails if too many passwords for the
    /// name, or from the client, were wrong.
    pub async fn sign_in(&self, request: SignIn) -> Result<Result<SignedIn, SignInRefusal>, AppError> {
        let login = request.login.trim().to_owned();
        let found = match self.sign_in_with_password(login, request.password, Place::Pages).await? {
            Ok(found) => found,
            Err(refusal) => {
                // The password was right if a user is named.
                if let PasswordRefusal::Excluded(user, _) | PasswordRefusal::Unconfirmed(user) = refusal {
                    let app = self.used_by_user(Some(user));
                    app.write(&Identity::anonymous(), move |command| follow_up(command, user, refusal)).await?;
                }
                return Ok(Err(refusal.into()));
            }
        };
        let (user, browser) = (found.user.id, request.browser);
        self.admit_sign_in(user)?;
        let work = move |command: &mut Command<'_>| {
            // A session must not outlive a change of the password that was waited for.
            if user::password_digest(&mut command.tx, user)? != found.digest {
                return Ok(Err(SignInRefusal::Wrong));
            }
            start_or_await(command, &browser).map(Ok)
        };
        self.used_by_user(Some(user)).write(&Identity::signing_in(user), work).await
    }

    /// Completes the sign-in that `cookie` stands for with a code of the second factor. Fails if too many codes of the
    /// account were wrong.
    pub async fn complete_sign_in(
        &self,
        cookie: Secret,
        code: Secret,
        browser: Browser,
    ) -> Result<Result<StartedSession, SignInRefusal>, AppError> {
        let found = self.read_credential(move |query| awaiting(query, &cookie)).await?;
        let Some((user, pending)) = found else { return Ok(Err(SignInRefusal::PasswordFirst)) };
        let app = self.used_by_user(Some(user.id));
        if !app.verify_second_factor(user.id, code).await? {
            return Ok(Err(SignInRefusal::WrongCode));
        }
        let browser = Browser { remembered: pending.remembered, ..browser };
        let work = move |command: &mut Command<'_>| {
            // Only one of two requests with the same cookie gets a session.
            if !session::delete(&mut command.tx, user.id, pending.id)? {
                return Ok(Err(SignInRefusal::PasswordFirst));
            }
            start(command, &browser).map(Ok)
        };
        app.write(&Identity::signing_in(user.id), work).await
    }

    /// The sign-in of `cookie`, if it waits for a second factor.
    pub async fn awaiting_second_factor(&self, cookie: Secret) -> Result<Option<AwaitedFactor>, AppError> {
        let read = move |query: &mut Query<'_>| {
            let Some((user, _)) = awaiting(query, &cookie)? else { return Ok(None) };
            let factor = two_factor::find(&mut query.tx, user.id)?;
            let takes_codes = factor.is_some_and(|factor| factor.enabled_at.is_some());
            let takes_passkeys = passkey::count(&mut query.tx, user.id)? > 0;
            Ok(Some((user.id, takes_codes, takes_passkeys)))
        };
        let found = self.read_credential(read).await?;
        Ok(found.map(|(user, takes_codes, takes_passkeys)| AwaitedFactor {
            app: self.used_by_user(Some(user)),
            takes_codes,
            takes_passkeys,
        }))
    }

    /// Begins a session of a user whom the server knows already: one who has just signed up, or changed the password.
    pub async fn start_session(&self, user: UserId, browser: Browser) -> Result<StartedSession, AppError> {
        self.write(&Identity::user(user), move |command| start(command, &browser)).await
    }
}

/// The consequences if a user who has proved their account does not get in.
pub(crate) fn follow_up(command: &mut Command<'_>, user: UserId, refusal: PasswordRefusal) -> Result<(), AppError> {
    match refusal {
        PasswordRefusal::Unconfirmed(_) => send_link_again(command, user),
        PasswordRefusal::Excluded(_, Exclusion::Blocked | Exclusion::Banned) => record_failure(command, user),
        PasswordRefusal::Excluded(_, Exclusion::Internal | Exclusion::Deactivated | Exclusion::Pending)
        | PasswordRefusal::Wrong
        | PasswordRefusal::NotAccepted => Ok(()),
    }
}

/// Begins a session of the calling user, or asks for the second factor, if there is one.
pub(crate) fn start_or_await(command: &mut Command<'_>, browser: &Browser) -> Result<SignedIn, AppError> {
    let user = command.user()?.id;
    if two_factor::is_enabled(&mut command.tx, user)? {
        let within = TimeDelta::minutes(CODE_WITHIN);
        return Ok(SignedIn::AwaitsSecondFactor(insert(command, user, browser, within, true)?));
    }
    start(command, browser).map(SignedIn::Started)
}

/// Records for hooks that a user who is shut out knew the password.
fn record_failure(command: &mut Command<'_>, user: UserId) -> Result<(), AppError> {
    let Some(found) = user::find(&mut command.tx, user)? else { return Ok(()) };
    system_event::of_user(command, SystemEvent::UserFailedLogin, &found, None)
}

/// The user and the sign-in that waits for a code of the second factor, if the cookie stands for one.
pub(super) fn awaiting(query: &mut Query<'_>, cookie: &Secret) -> Result<Option<(User, Session)>, AppError> {
    let now = query.now;
    let found = session::awaiting_second_factor(&mut query.tx, &digest(cookie.expose()), now)?;
    Ok(found.filter(|(user, _)| user.admits(AccountUse::SignIn).is_ok()))
}

/// Begins a session of the calling user, whose account is active from then on. Their time to set up a second factor
/// begins, if one is required.
pub(super) fn start(command: &mut Command<'_>, browser: &Browser) -> Result<StartedSession, AppError> {
    let (user, state) = (command.user()?.id, command.user()?.state);
    let outcome = state.apply(UserEvent::Activate)?;
    save(command, user, outcome, EventKind::UserActivated)?;
    let settings = command.query().settings()?;
    let browser = &Browser { remembered: browser.remembered && settings.accounts.may_be_remembered, ..browser.clone() };
    let lifetime = lifetime(settings.session_expire_delay, browser.remembered);
    if settings.accounts.mails_unknown_sign_ins && command.app.sends_mail() {
        announce_address(command, browser)?;
    }
    let cookie = insert(command, user, browser, lifetime, false)?;
    user::mark_signed_in(&mut command.tx, user, command.now)?;
    user::set_sign_in_ip(&mut command.tx, user, browser.address.as_deref())?;
    let second_factor_due = matches!(announce(command, user)?, Requirement::Until(_));
    Ok(StartedSession { cookie, kept_for: browser.remembered.then_some(lifetime), second_factor_due })
}

/// Records that the calling user signs in from an address that none of their sessions and of their last two sign-ins had. At a first
/// sign-in there is nothing to compare.
fn announce_address(command: &mut Command<'_>, browser: &Browser) -> Result<(), AppError> {
    let network = |address: &str| address.parse().ok().map(|address| Network::of(Some(address)));
    let user = command.user()?.id;
    let Some(address) = browser.address.as_deref() else { return Ok(()) };
    let most = i64::try_from(command.app.limits().sessions.per_user).unwrap_or(i64::MAX);
    let sessions = session::of_user(&mut command.tx, user, most, command.now)?;
    let before = user::details(&mut command.tx, &[user])?.remove(&user).unwrap_or_default();
    let of_sessions = sessions.into_iter().map(|session| session.address);
    let known = of_sessions.chain([before.current_sign_in_ip, before.last_sign_in_ip]).flatten();
    let known: Vec<Network> = known.filter_map(|address| network(&address)).collect();
    match network(address) {
        Some(from) if !known.is_empty() && !known.contains(&from) => {
            let event = command.event(EventKind::UserSignedInElsewhere).user(user).detail(address.to_owned());
            command.append(&event)
        }
        Some(_) | None => Ok(()),
    }
}

/// Stores a session; yields its cookie.
fn insert(
    command: &mut Command<'_>,
    user: UserId,
    browser: &Browser,
    lifetime: TimeDelta,
    awaits_second_factor: bool,
) -> Result<Secret, AppError> {
    let cookie = Secret::generate(command.app.entropy());
    let user_agent = browser.user_agent.as_deref().map(shortened_user_agent);
    let new = NewSession {
        user,
        digest: &digest(cookie.expose()),
        address: browser.address.as_deref(),
        user_agent: user_agent.as_deref(),
        remembered: browser.remembered,
        awaits_second_factor,
        created_at: command.now,
        expires_at: command.now + lifetime,
        impersonator: None,
    };
    if awaits_second_factor {
        // A user has one of them, so that who knows only the password cannot fill the table.
        session::delete_awaiting(&mut command.tx, user)?;
    }
    session::insert(&mut command.tx, &new)?;
    let kept = i64::try_from(command.app.limits().sessions.per_user).unwrap_or(i64::MAX);
    session::delete_oldest(&mut command.tx, user, kept)?;
    Ok(cookie)
}
