//! The accounts at providers that belong to an account.

use tenon_domain::event::EventKind;
use tenon_domain::id::UserId;
use tenon_storage::user::{self, Identity};
use tenon_storage::{StoreError, UniqueKey};

use super::refusal::OpenIdRefusal;
use crate::core::app::{Command, Query};
use crate::core::confirmation::Confirmed;
use crate::core::error::{AppError, Missing};
use crate::core::providers::SignInProvider;
use crate::shared::access::ways_in::check_any_way;

/// A provider, and the caller's account there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedAccount {
    /// The name of the provider in addresses.
    pub provider: String,
    /// Its name on pages.
    pub label: String,
    /// The provider's identifier of the user; `None` if no account is linked.
    pub subject: Option<String>,
    /// True if the caller can sign in with it: the provider is configured, and is the one at which the account was linked.
    pub is_usable: bool,
}

/// The providers that there are, with the caller's accounts at them, and then the caller's accounts at others.
pub fn list(query: &mut Query<'_>) -> Result<Vec<LinkedAccount>, AppError> {
    let user = query.user()?.id;
    let mut linked = user::identities(&mut query.tx, &[user])?.remove(&user).unwrap_or_default();
    let issuers = user::issuers(&mut query.tx, user)?;
    let mut all: Vec<LinkedAccount> = Vec::new();
    for provider in query.app.providers() {
        let at = linked.iter().position(|identity| identity.provider == provider.name);
        let subject = at.map(|at| linked.remove(at).extern_uid);
        let (name, label) = (provider.name.clone(), provider.label.clone());
        let is_usable = provider.is_issuer(issuers.get(&name).and_then(Option::as_deref));
        all.push(LinkedAccount { provider: name, label, subject, is_usable });
    }
    all.extend(linked.into_iter().map(|identity| LinkedAccount {
        label: identity.provider.clone(),
        provider: identity.provider,
        subject: Some(identity.extern_uid),
        is_usable: false,
    }));
    Ok(all)
}

/// Adds an account at a provider to that of the caller, in place of an earlier one. Refused if the caller has not begun it, or
/// if another user has the account.
pub(super) fn link(
    command: &mut Command<'_>,
    begun_by: UserId,
    provider: &SignInProvider,
    subject: &str,
) -> Result<Result<(), OpenIdRefusal>, AppError> {
    command.refuse_impersonated()?;
    let user = command.user()?.id;
    if user != begun_by {
        return Ok(Err(OpenIdRefusal::Unknown));
    }
    let identity = Identity { provider: provider.name.clone(), extern_uid: subject.to_owned() };
    let holder = user::holder_of_identity(&mut command.tx, &identity, &provider.issuer)?;
    if holder.is_some_and(|holder| holder != user) {
        return Ok(Err(OpenIdRefusal::LinkedElsewhere));
    }
    match user::add_identity(&mut command.tx, user, &identity) {
        // Identifiers that differ in case only: the table has one of them.
        Err(StoreError::Unique(UniqueKey::Identity)) => {
            return Err(AppError::invalid("base", "This account is already linked"));
        }
        added => added?,
    }
    user::set_issuer(&mut command.tx, user, &provider.name, &provider.issuer)?;
    let event = command.event(EventKind::IdentityLinked).user(user).detail(provider.name.clone());
    command.append(&event)?;
    Ok(Ok(()))
}

/// Removes the account at a provider from that of the caller, who has just been confirmed. 404 if there is none; 409 if they
/// could not sign in any more.
pub fn unlink(command: &mut Command<'_>, confirmed: Confirmed, provider: &str) -> Result<(), AppError> {
    let user = command.user()?.id;
    confirmed.check(user)?;
    if !user::remove_identity(&mut command.tx, user, provider)? {
        return Err(AppError::NotFound(Missing::Plain));
    }
    check_any_way(command, user)?;
    let event = command.event(EventKind::IdentityUnlinked).user(user).detail(provider.to_owned());
    command.append(&event)
}
