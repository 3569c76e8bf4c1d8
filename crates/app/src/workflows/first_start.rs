//! The first need of a new server: an administrator.

use tenon_auth::Secret;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::UserId;
use tenon_domain::settings::PasswordRules;
use tenon_domain::token::{Scopes, TokenKind};
use tenon_domain::user::{Profile, User, UserState, check_password};
use tenon_storage::{token, user};

use crate::core::app::{App, Command};
use crate::core::error::AppError;
use crate::token::{NewToken, issue};
use crate::user::{NewAccount, open_account};

/// The first credentials of the administrator's account.
#[derive(Debug, Clone, Default)]
pub struct RootCredentials {
    /// A password; a random one is made if absent.
    pub password: Option<Secret>,
    /// A personal access token with all scopes.
    pub token: Option<Secret>,
}

/// Makes the administrator `root` on an empty server, and yields the password if it was made up: it is shown once and
/// kept nowhere in clear. The given token is made to exist on every start.
pub fn first_start(app: &App, credentials: RootCredentials) -> Result<Option<Secret>, AppError> {
    let has_users = app.database().read(user::any)?;
    let password = if has_users { None } else { Some(RootPassword::new(app, credentials.password)?) };
    app.refresh_settings()?;
    app.command(|command| {
        let shown = match password {
            // Another process may have been faster.
            Some(password) if !user::any(&mut command.tx)? => create_root(command, password)?,
            Some(_) | None => None,
        };
        if let Some(secret) = credentials.token {
            keep_root_token(command, secret)?;
        }
        Ok(shown)
    })
}

/// The password of the administrator, hashed before the transaction begins: hashing is slow.
struct RootPassword {
    digest: String,
    /// The password, if it was made up.
    shown: Option<Secret>,
}

impl RootPassword {
    fn new(app: &App, given: Option<Secret>) -> Result<Self, AppError> {
        let made_up = given.is_none();
        let password = given.unwrap_or_else(|| Secret::generate_typeable(app.entropy()));
        let mut errors = FieldErrors::default();
        check_password(&mut errors, password.expose(), &PasswordRules::default());
        errors.into_result()?;
        let digest = app.passwords().hash(app.entropy(), password.expose()).map_err(AppError::internal)?;
        Ok(Self { digest, shown: made_up.then_some(password) })
    }
}

fn create_root(command: &mut Command<'_>, password: RootPassword) -> Result<Option<Secret>, AppError> {
    let settings = command.query().settings()?;
    let root = User {
        id: UserId::new(0),
        username: "root".to_owned(),
        name: "Administrator".to_owned(),
        email: "root@localhost".to_owned(),
        state: UserState::Active,
        ghost: false,
        bot: false,
        admin: true,
        external: false,
        private_profile: false,
        can_create_group: true,
        projects_limit: settings.default_projects_limit,
        profile: Profile::default(),
        avatar: None,
        confirmed_at: Some(command.now),
        last_sign_in_at: None,
        current_sign_in_at: None,
        last_activity_on: None,
        created_at: command.now,
        updated_at: command.now,
    };
    // One that was made up has been printed: it is good for one sign-in.
    let password_expired = password.shown.is_some();
    let new = NewAccount { user: root, password_digest: Some(password.digest), password_expired, identity: None };
    open_account(command, new)?;
    Ok(password.shown)
}

fn keep_root_token(command: &mut Command<'_>, secret: Secret) -> Result<(), AppError> {
    if token::by_digest(&mut command.tx, &tenon_auth::digest(secret.expose()))?.is_some() {
        return Ok(());
    }
    // The account may have been renamed since; the first administrator is the one with the lowest number.
    let Some(root) = user::first_admin(&mut command.tx)? else { return Ok(()) };
    let new = NewToken {
        user: root,
        kind: TokenKind::Personal,
        name: "Root token from the configuration".to_owned(),
        description: None,
        scopes: Scopes::all(),
        expires_at: None,
        secret: Some(secret),
    };
    issue(command, new)?;
    Ok(())
}
