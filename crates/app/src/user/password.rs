//! New passwords. Hashing takes a hundred milliseconds on purpose, so it happens before a command and never inside one,
//! if every other writer would wait for it.

use tenon_auth::Secret;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::user::{PasswordRules, check_password};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::identity::{Guard, Identity};

/// The source of a new password.
#[derive(Debug, Clone)]
pub enum Password {
    /// Given; `None` if the parameter was there and empty.
    Given(Option<Secret>),
    /// Random and shown to no one: the user sets one through a reset link.
    Random,
}

/// A password that a command can store.
#[derive(Debug, Clone)]
pub struct NewPassword {
    digest: String,
    errors: FieldErrors,
}

impl NewPassword {
    /// One that is not hashed yet: only what is wrong with it is known.
    pub(super) fn unhashed(password: &Secret, rules: &PasswordRules) -> Self {
        let mut errors = FieldErrors::default();
        check_password(&mut errors, password.expose(), rules);
        Self { digest: String::new(), errors }
    }

    /// None: the user signs in elsewhere.
    pub(super) fn absent() -> Self {
        Self { digest: String::new(), errors: FieldErrors::default() }
    }

    /// The digest to store, once [`NewPassword::checked`] has found nothing wrong.
    pub(super) fn into_digest(self) -> String {
        self.digest
    }

    /// The digest to store. Problems of the password go into `errors`, which then keeps anything from being stored.
    pub(super) fn checked(&self, errors: &mut FieldErrors) -> &str {
        for (field, messages) in self.errors.iter() {
            for message in messages {
                errors.add(field, message.as_str());
            }
        }
        &self.digest
    }
}

impl App {
    /// Checks and hashes a password, for administrators only, because it is expensive.
    pub async fn new_password(&self, identity: &Identity, password: Password) -> Result<NewPassword, AppError> {
        let identity = Identity { guard: Guard::Administrator, ..identity.clone() };
        let app = self.clone();
        self.read(&identity, |_query| Ok(())).await?;
        self.on_password(move || app.new_password_now(password)).await
    }

    /// As [`App::new_password`], on the calling thread and without a caller: for the command line.
    pub fn new_password_now(&self, password: Password) -> Result<NewPassword, AppError> {
        let mut errors = FieldErrors::default();
        let secret = match password {
            Password::Random => Secret::generate(self.entropy()),
            Password::Given(secret) => {
                let secret = secret.unwrap_or_else(|| Secret::given(""));
                check_password(&mut errors, secret.expose(), &self.known_settings().passwords);
                secret
            }
        };
        let digest = if errors.is_empty() { self.hashed(&secret)? } else { String::new() };
        Ok(NewPassword { digest, errors })
    }

    /// As [`App::new_password`], without a caller: for those who sign up, who are counted before.
    pub(super) async fn new_password_of_user(&self, password: Secret) -> Result<NewPassword, AppError> {
        let app = self.clone();
        self.on_password(move || app.new_password_now(Password::Given(Some(password)))).await
    }

    fn hashed(&self, secret: &Secret) -> Result<String, AppError> {
        self.passwords().hash(self.entropy(), secret.expose()).map_err(AppError::internal)
    }
}
