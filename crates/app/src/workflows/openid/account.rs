//! From a user of a provider to an account.

use tenon_auth::OutsideUser;
use tenon_domain::id::UserId;
use tenon_domain::path::{self, Place};
use tenon_domain::refusal::{Refusal, UserRefusal};
use tenon_domain::user::{User, normalise_email};
use tenon_storage::namespace;
use tenon_storage::user::{self, Identity};

use super::refusal::OpenIdRefusal;
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::core::providers::SignInProvider;
use crate::core::sign_in::{PasswordRefusal, refusal_of};
use crate::user::{NewOutsideUser, open_outside};

/// How many names are tried for a new user.
const NAMES: u32 = 20;

/// The account of a user of a provider.
pub(super) struct Found {
    pub(super) id: UserId,
    /// Why its user does not get in.
    pub(super) refused: Option<PasswordRefusal>,
}

/// The account that this user of a provider has linked, or a new one. An address alone links none: who gets hold of it at the
/// provider would get the account.
pub(super) fn find_or_open(
    command: &mut Command<'_>,
    provider: &SignInProvider,
    outside: &OutsideUser,
) -> Result<Result<Found, OpenIdRefusal>, AppError> {
    let identity = Identity { provider: provider.name.clone(), extern_uid: outside.subject.clone() };
    if let Some(id) = user::holder_of_identity(&mut command.tx, &identity, &provider.issuer)? {
        user::set_issuer(&mut command.tx, id, &provider.name, &provider.issuer)?;
        let Some(found) = user::find(&mut command.tx, id)? else { return Ok(Err(OpenIdRefusal::NoAccount)) };
        return Ok(Ok(found_of(command, &found)));
    }
    // Its callback is served in maintenance, but nothing else is changed there.
    if !provider.allow_sign_up || command.query().settings()?.maintenance.is_some() {
        return Ok(Err(OpenIdRefusal::NoAccount));
    }
    let Some(email) = outside.verified_email.clone() else { return Ok(Err(OpenIdRefusal::Unverified)) };
    if user::email_is_taken(&mut command.tx, &normalise_email(&email), None)? {
        return Ok(Err(OpenIdRefusal::EmailTaken));
    }
    let Some(username) = free_name(command, outside, &email)? else {
        return Ok(Err(OpenIdRefusal::NotMade("Username has already been taken".to_owned())));
    };
    let counted = command.app.anonymous_throttle().count_sign_up(command.app.client());
    counted.map_err(|throttled| AppError::Throttled { retry_after: throttled.seconds() })?;
    let name = outside.name.clone().unwrap_or_else(|| username.clone());
    let name = name.chars().take(255).collect();
    let opened = open_outside(command, NewOutsideUser { username, name, email, identity });
    match opened {
        Ok(created) => {
            user::set_issuer(&mut command.tx, created.id, &provider.name, &provider.issuer)?;
            Ok(Ok(found_of(command, &created)))
        }
        Err(AppError::Invalid(errors)) => Ok(Err(OpenIdRefusal::NotMade(errors.sentences()))),
        Err(AppError::Refused(Refusal::User(UserRefusal::EmailTaken))) => Ok(Err(OpenIdRefusal::EmailTaken)),
        Err(error) => Err(error),
    }
}

fn found_of(command: &Command<'_>, user: &User) -> Found {
    Found { id: user.id, refused: refusal_of(command.app, user) }
}

/// A name for a new user that no one has and that is not reserved: that at the provider, or the beginning of the address, with a number if need be.
fn free_name(command: &mut Command<'_>, outside: &OutsideUser, email: &str) -> Result<Option<String>, AppError> {
    let given = outside.username.as_deref().unwrap_or(email);
    let base = plain_name(given);
    for number in 0..NAMES {
        let name = if number == 0 { base.clone() } else { format!("{base}{number}") };
        if path::check(&name, Place::Top).is_ok() && namespace::holder(&mut command.tx, &name)?.is_none() {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The letters of a name that names here may have, without the host of an address. `.git` and `.atom` at the end are written with
/// a hyphen.
fn plain_name(given: &str) -> String {
    let local = given.split('@').next().unwrap_or_default();
    let kept: String = local
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '-' })
        .collect();
    let kept: String = kept.trim_matches(['-', '.', '_']).chars().take(200).collect();
    match kept.rsplit_once('.') {
        _ if kept.is_empty() => "user".to_owned(),
        Some((name, ending)) if ["git", "atom"].iter().any(|taken| ending.eq_ignore_ascii_case(taken)) => {
            format!("{name}-{ending}")
        }
        _ => kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_what_a_provider_says() {
        for (given, want) in [
            ("ada", "ada"),
            ("ada.lovelace@example.org", "ada.lovelace"),
            ("Ada Lovelace", "Ada-Lovelace"),
            ("..ädä..", "d"),
            ("@", "user"),
            ("<script>", "script"),
            ("ada.git", "ada-git"),
            ("news.Atom", "news-Atom"),
            (".git", "git"),
        ] {
            assert_eq!(plain_name(given), want, "{given}");
        }
        assert_eq!(plain_name(&"x".repeat(1000)).len(), 200);
    }
}
