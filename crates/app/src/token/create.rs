//! Making tokens.

use tenon_auth::{Secret, digest};
use tenon_domain::event::EventKind;
use tenon_domain::field_errors::{BLANK, FieldErrors};
use tenon_domain::id::{TokenId, UserId};
use tenon_domain::settings::TokenRules;
use tenon_domain::time::{Date, Days};
use tenon_domain::token::{Scopes, Token, TokenKind};
use tenon_storage::{token, user};

use super::TokenView;
use crate::core::app::Command;
use crate::core::error::AppError;

/// A token that is about to exist.
#[derive(Debug, Clone)]
pub struct NewToken {
    /// Whom it stands for.
    pub user: UserId,
    /// Its purpose.
    pub kind: TokenKind,
    /// Its maker's name for it.
    pub name: String,
    /// Its maker's text about it.
    pub description: Option<String>,
    /// The scopes of its use.
    pub scopes: Scopes,
    /// When it ends; a date that is past makes a token that never works.
    pub expires_at: Option<Date>,
    /// A secret chosen by the administrator, instead of a random one.
    pub secret: Option<Secret>,
}

/// The last day on which a token that is made today may end; `None` if the settings name none.
pub(super) fn last_end(rules: &TokenRules, today: Date) -> Option<Date> {
    let days = rules.most_days.and_then(|days| u64::try_from(days).ok())?;
    today.checked_add_days(Days::new(days))
}

fn check_end(errors: &mut FieldErrors, rules: &TokenRules, end: Option<Date>, today: Date) {
    let last = last_end(rules, today);
    match (end, last) {
        (None, _) => errors.require(last.is_none() && !rules.need_an_end, "expires_at", BLANK),
        (Some(end), Some(last)) => errors.require(end <= last, "expires_at", &format!("must be {last} or earlier")),
        (Some(_), None) => {}
    }
}

/// Makes a token. Its secret is in the answer and, for impersonation tokens, sealed in the database; nowhere else.
pub fn issue(command: &mut Command<'_>, new: NewToken) -> Result<TokenView, AppError> {
    // An impersonation token must not create a token that outlives it.
    if command.caller.token.as_ref().is_some_and(|token| token.kind == TokenKind::Impersonation) {
        return Err(AppError::Forbidden);
    }
    command.refuse_impersonated()?;
    let mut errors = FieldErrors::default();
    errors.at_most(1000, "description", new.description.as_deref().unwrap_or_default());
    errors.present("name", &new.name);
    errors.at_most(255, "name", &new.name);
    errors.require(!new.scopes.is_empty(), "scopes", BLANK);
    if user::is_bot(&mut command.tx, new.user)? != (new.kind == TokenKind::Bot) {
        return Err(AppError::Forbidden);
    }
    let settings = command.query().settings()?;
    let rules = &settings.tokens;
    // The administrator of the machine has chosen the other ones.
    if new.secret.is_none() {
        check_end(&mut errors, rules, new.expires_at, command.today());
        if new.kind == TokenKind::Personal && rules.disabled && !command.user()?.admin {
            return Err(AppError::Forbidden);
        }
    }
    errors.into_result()?;
    let app = command.app;
    let prefixed = |secret: &Secret| Secret::given(format!("{}{}", rules.prefix, secret.expose()));
    let secret = new.secret.unwrap_or_else(|| prefixed(&Secret::generate(app.entropy())));
    let sealed = match new.kind {
        TokenKind::Impersonation => Some(app.vault().seal(app.entropy(), secret.expose()).map_err(AppError::internal)?),
        TokenKind::Personal | TokenKind::OAuth | TokenKind::Bot => None,
    };
    let mut token = Token {
        id: TokenId::new(0),
        user: new.user,
        kind: new.kind,
        name: new.name,
        description: new.description,
        scopes: new.scopes,
        revoked: false,
        expires_at: new.expires_at,
        ends_at: None,
        created_at: command.now,
        last_used_at: None,
    };
    let digest = digest(secret.expose());
    let row = token::NewToken { token: &token, digest: &digest, sealed_secret: sealed.as_deref(), grant: None };
    token.id = token::insert(&mut command.tx, &row)?;
    let event = command.event(EventKind::TokenCreated).user(new.user);
    command.append(&event)?;
    Ok(TokenView { active: token.is_active(command.now), token, secret: Some(secret) })
}
