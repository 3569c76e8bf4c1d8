//! From credentials to the caller. The order of the checks decides which refusal a caller sees.

use tenon_auth::{CsrfToken, digest};
use tenon_domain::access::Viewer;
use tenon_domain::id::UserId;
use tenon_domain::refusal::AccessRefusal;
use tenon_domain::session::Session;
use tenon_domain::time::Timestamp;
use tenon_domain::token::{Scope, Token, TokenKind, TokenState};
use tenon_domain::user::{AccountUse, User};
use tenon_storage::{ReadTx, StoreError, session, settings, token, user};

use crate::core::caller::Caller;
use crate::core::error::{AppError, Missing};
use crate::core::identity::{Credential, Guard, Identity};
use crate::core::terms::must_accept;

/// The caller behind `identity`, if the route admits it. Who may not use an account reads that one signs in at `base_url`.
pub(crate) fn admit(
    tx: &mut ReadTx<'_>,
    identity: &Identity,
    base_url: &str,
    now: Timestamp,
) -> Result<Caller, AppError> {
    let known = match &identity.credential {
        None => None,
        Some(Credential::Token(secret)) => Some(by_token(tx, secret, now)?),
        Some(Credential::FeedToken(secret)) => Some(by_feed_token(tx, secret)?),
        Some(Credential::Session { id, csrf, on_page: _ }) => by_session(tx, id, csrf.as_deref(), identity.reads, now)?,
        Some(Credential::User(id) | Credential::SignIn(id)) => {
            Some(Known::user(user::find(tx, *id)?.ok_or(AppError::Unauthenticated)?))
        }
    };
    if let Some(known) = &known {
        let wanted = match &identity.credential {
            Some(Credential::SignIn(_)) => AccountUse::SignIn,
            Some(
                Credential::Token(_) | Credential::FeedToken(_) | Credential::Session { .. } | Credential::User(_),
            )
            | None => AccountUse::Act,
        };
        check_use(&known.user, wanted, base_url)?;
    }
    let caller = match &identity.sudo {
        None => {
            check_scope(known.as_ref().and_then(|known| known.token.as_ref()), identity)?;
            into_caller(tx, known, now)?
        }
        Some(target) => sudo(tx, known, target, identity, base_url, now)?,
    };
    match (identity.guard, &caller.user) {
        (Guard::Anyone, _) | (Guard::SignedIn, Some(_)) => Ok(caller),
        (Guard::SignedIn | Guard::Administrator, None) => Err(AppError::Unauthenticated),
        (Guard::Administrator, Some(_)) if caller.administers => Ok(caller),
        (Guard::Administrator, Some(_)) => Err(AppError::Forbidden),
    }
}

/// A user, and what proved them.
struct Known {
    user: User,
    /// True if nothing that they do is done as an administrator.
    is_plain: bool,
    token: Option<Token>,
    session: Option<Session>,
}

impl Known {
    fn user(user: User) -> Self {
        Self { user, is_plain: false, token: None, session: None }
    }
}

fn into_caller(tx: &mut ReadTx<'_>, known: Option<Known>, now: Timestamp) -> Result<Caller, AppError> {
    let Some(known) = known else { return Ok(Caller::default()) };
    let administers = administers(tx, &known, now)?;
    let Known { user, token, session, is_plain: _ } = known;
    Ok(Caller {
        user: Some(Box::new(user)),
        token: token.map(Box::new),
        session: session.map(Box::new),
        stands_in: false,
        administers,
    })
}

/// True if the user acts as an administrator. If the settings ask for that mode, a session must have entered it, and a
/// token must have its scope.
fn administers(tx: &mut ReadTx<'_>, known: &Known, now: Timestamp) -> Result<bool, AppError> {
    if known.is_plain {
        return Ok(false);
    }
    if !known.user.admin || !settings::load(tx)?.admin_mode {
        return Ok(known.user.admin);
    }
    Ok(match (&known.token, &known.session) {
        (Some(token), _) => token.scopes.contains(Scope::AdminMode),
        (None, Some(session)) => session.is_in_admin_mode(now),
        // No request: the program that links this crate answers for the user.
        (None, None) => true,
    })
}

/// A user as abilities see them if no session and no token shows that they act as an administrator: a client of Git, or
/// work that is done later.
pub(crate) fn viewer_without_session(tx: &mut ReadTx<'_>, user: &User) -> Result<Viewer, StoreError> {
    let admin = user.admin && !settings::load(tx)?.admin_mode;
    Ok(Viewer::User { id: user.id, admin, external: user.external })
}

fn by_token(tx: &mut ReadTx<'_>, secret: &str, now: Timestamp) -> Result<Known, AppError> {
    let (token, user) = token::by_digest(tx, &digest(secret))?.ok_or(AppError::Unauthenticated)?;
    match token.state(now) {
        TokenState::Expired => Err(AppError::TokenExpired),
        TokenState::Revoked => Err(AppError::TokenRevoked),
        TokenState::Active if is_switched_off(tx, &token, &user)? => Err(AppError::Unauthenticated),
        TokenState::Active => Ok(Known { token: Some(token), ..Known::user(user) }),
    }
}

/// The user of a token of feeds, who reads feeds as no administrator: the token is in addresses, which other programs
/// keep.
fn by_feed_token(tx: &mut ReadTx<'_>, secret: &str) -> Result<Known, AppError> {
    if !settings::load(tx)?.feed_tokens {
        return Err(AppError::Unauthenticated);
    }
    let found = token::feed_user(tx, &digest(secret))?.map(|user| user::find(tx, user)).transpose()?.flatten();
    let user = found.ok_or(AppError::Unauthenticated)?;
    if must_accept(tx, user.id)? {
        return Err(AccessRefusal::TermsNotAccepted { username: user.username }.into());
    }
    Ok(Known { is_plain: true, ..Known::user(user) })
}

/// True if the settings do not accept this token: it is a personal one, and not that of an administrator.
fn is_switched_off(tx: &mut ReadTx<'_>, token: &Token, user: &User) -> Result<bool, AppError> {
    Ok(token.kind == TokenKind::Personal && !user.admin && settings::load(tx)?.tokens.disabled)
}

/// A cookie counts for reads; for writes it must come with the session's CSRF token, and without it the request is
/// anonymous. So is one whose session has ended or whose user may do nothing. So is one in which an administrator acts as the user,
/// once that administrator has signed out or no longer acts as such.
fn by_session(
    tx: &mut ReadTx<'_>,
    id: &str,
    csrf: Option<&str>,
    reads: bool,
    now: Timestamp,
) -> Result<Option<Known>, AppError> {
    let Some((user, session)) = session::by_digest(tx, &digest(id), now)? else { return Ok(None) };
    if let Some(impersonator) = session.impersonator {
        let found = session::by_id(tx, impersonator, now)?.filter(|(user, _)| user.may_act());
        let Some((administrator, own)) = found else { return Ok(None) };
        if !administers(tx, &Known { session: Some(own), ..Known::user(administrator) }, now)? {
            return Ok(None);
        }
    }
    let proven = reads || csrf.is_some_and(|csrf| CsrfToken::of(id).fits(csrf));
    let usable = proven && user.may_act();
    Ok(usable.then_some(Known { session: Some(session), ..Known::user(user) }))
}

fn check_use(user: &User, wanted: AccountUse, base_url: &str) -> Result<(), AppError> {
    let excluded = |exclusion| AccessRefusal::Excluded { exclusion, base_url: base_url.to_owned() }.into();
    user.admits(wanted).map_err(excluded)
}

fn check_scope(token: Option<&Token>, identity: &Identity) -> Result<(), AppError> {
    match token {
        Some(token) if !identity.scopes.admits(&token.scopes, identity.reads) => {
            Err(AppError::InsufficientScope(identity.scopes.wanted()))
        }
        Some(_) | None => Ok(()),
    }
}

/// Sudo. Acting as another user needs the scope `sudo` only; acting as oneself is no impersonation and needs the
/// route's scope as well.
fn sudo(
    tx: &mut ReadTx<'_>,
    known: Option<Known>,
    target: &str,
    identity: &Identity,
    base_url: &str,
    now: Timestamp,
) -> Result<Caller, AppError> {
    let known = known.ok_or(AppError::Unauthenticated)?;
    let administers = administers(tx, &known, now)?;
    let Known { user, token, .. } = known;
    if !administers {
        return Err(AccessRefusal::SudoByOther.into());
    }
    let Some(token) = token else {
        return Err(AccessRefusal::SudoWithoutToken.into());
    };
    if !token.scopes.contains(Scope::Sudo) {
        return Err(AppError::InsufficientScope("sudo"));
    }
    let is_id = !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_digit());
    let found = if is_id {
        // A number too large for an id names no user.
        target.parse().ok().map(|id| user::find(tx, UserId::new(id))).transpose()?.flatten()
    } else if target.contains('\0') {
        // No name holds it, and PostgreSQL takes no text that does.
        None
    } else {
        user::find_by_username(tx, target)?
    };
    let target = found.ok_or_else(|| AppError::NotFound(Missing::SudoUser(target.to_owned())))?;
    if target.id == user.id {
        check_scope(Some(&token), identity)?;
    } else {
        // Sudo does not open accounts that may not be used.
        check_use(&target, AccountUse::Act, base_url)?;
        if target.admin {
            tracing::info!(sudo.by = %user.username, sudo.as_user = %target.username, "an administrator uses sudo");
        }
    }
    Ok(Caller { token: Some(Box::new(token)), ..Caller::of(target) })
}
