//! Who calls, before anything is taken for the call. Credentials are looked up on threads and connections of their own, on which
//! networks take turns: what strangers ask for has no place there, and a network that guesses delays other networks by one look-up.

use std::net::IpAddr;

use tenon_auth::Secret;
use tenon_domain::id::UserId;
use tenon_domain::token::ScopeRule;

use super::{App, Query};
use crate::core::authentication;
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::core::identity::{Credential, Guard, Identity};
use crate::core::spending::client::{Client, Network, secret};

/// The longest credential that is looked up, in bytes: no token or cookie of ours comes near.
const LONGEST: usize = 8 * 1024;

impl App {
    /// The client of a request with this credential from this address: the user, if the credential proves one who may
    /// act, or else the network. One that this process has not seen yet is looked up first. Fails if that cannot be
    /// done: then it is not known whose budgets the request counts against.
    pub async fn prove(&self, credential: Option<&Credential>, address: Option<IpAddr>) -> Result<Client, AppError> {
        let known = self.inner.proved.client(credential, address);
        let Some(credential) = credential.filter(|_| known.is_anonymous()) else { return Ok(known) };
        let identity = Identity {
            credential: Some(credential.clone()),
            sudo: None,
            guard: Guard::SignedIn,
            scopes: ScopeRule::Any,
            reads: true,
        };
        let Some(secret) = secret(credential).filter(|secret| secret.len() <= LONGEST) else { return Ok(known) };
        let stranger = self.used_by(Client::Network(Network::of(address)));
        let app = stranger.clone();
        let look = move || {
            app.inner.parts.database.read_credential(|tx| {
                let caller = authentication::admit(tx, &identity, app.base_url(), app.now())?;
                caller.user.map(|user| user.id).ok_or(AppError::Unauthenticated)
            })
        };
        match stranger.on_credentials(look).await {
            Ok(user) => {
                self.inner.proved.remember(secret, user);
                Ok(Client::User(user))
            }
            Err(fault) if fault.is_fault() => Err(fault),
            Err(reason) => {
                tracing::trace!(%reason, "a credential proves no user");
                Ok(known)
            }
        }
    }

    /// As [`App::prove`], for a request of Git with this password, which is a token or that of an account. The latter proves
    /// nothing here, because to check it takes long.
    pub async fn prove_git(&self, password: &Secret, address: Option<IpAddr>) -> Result<Client, AppError> {
        self.prove(Some(&Credential::Token(password.expose().to_owned())), address).await
    }

    /// Asks what a credential stands for that is no caller's: a code, a secret, a cookie. This takes no place that strangers
    /// fill.
    pub(crate) async fn read_credential<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let app = self.clone();
        self.on_credentials(move || {
            let (caller, now) = (Caller::default(), app.now());
            app.parts().database.read_credential(|tx| work(&mut Query::new(tx.reborrow(), &app, &caller, now)))
        })
        .await
    }

    /// The same application, used by `client`, which what was presented has proved. It stays that of a client who was
    /// proved before, and that of the network if nothing was proved.
    pub(crate) fn used_by_proved(&self, client: Option<Client>) -> Self {
        client.filter(|_| self.client.is_anonymous()).map_or_else(|| self.clone(), |client| self.used_by(client))
    }

    /// The same application, used by the user if one is known.
    pub(crate) fn used_by_user(&self, user: Option<UserId>) -> Self {
        user.map_or_else(|| self.clone(), |user| self.used_by(Client::User(user)))
    }

    /// Runs a look-up of a credential, which asks with [`tenon_storage::Database::read_credential`].
    pub(crate) async fn on_credentials<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.inner.credentials.answer(self.client, work).await
    }
}
