//! The mail of a service, and its sender.

use tenon_domain::id::UserId;

use crate::core::app::App;
use crate::core::error::AppError;

/// The letter that all recipients get.
pub(super) struct Letter {
    pub(super) subject: String,
    pub(super) text: String,
    /// Who it is from.
    pub(super) from_name: Option<String>,
    pub(super) from_address: Option<String>,
    /// The project, as headers name it.
    pub(super) project: String,
}

/// The address of a user, if mail from there is mail from this server's own domain.
pub(super) fn own_address(app: &App, user: Option<UserId>) -> Result<Option<String>, AppError> {
    let Some(id) = user else { return Ok(None) };
    let found = app.database().read(|tx| tenon_storage::user::find(tx, id))?;
    let confirmed = found.filter(|user| user.confirmed_at.is_some() && !user.bot).map(|user| user.email);
    let host = crate::core::mail::host(app.base_url()).to_ascii_lowercase();
    Ok(confirmed.filter(|address| is_of_domain(address, &host)))
}

/// True if the domain of an address is `host`, or one above it.
fn is_of_domain(address: &str, host: &str) -> bool {
    let Some((_, domain)) = address.rsplit_once('@') else { return false };
    let domain = domain.to_ascii_lowercase();
    domain == host || (domain.contains('.') && host.ends_with(&format!(".{domain}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_servers_own_domain_are_senders() {
        for (address, want) in [
            ("ada@git.example.org", true),
            ("ada@EXAMPLE.org", true),
            ("ada@org", false),
            ("ada@other.example.org", false),
            ("ada@ample.org", false),
            ("ada", false),
        ] {
            assert_eq!(is_of_domain(address, "git.example.org"), want, "{address}");
        }
    }
}
