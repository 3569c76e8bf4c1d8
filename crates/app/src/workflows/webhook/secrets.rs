//! The secrets of a hook, opened for one attempt.

use tenon_auth::VaultError;
use tenon_domain::hook::{NamedValue, address_of};
use tenon_storage::hook::Target;

use crate::core::app::App;

/// Shorter values are not looked for in logs: they are parts of any text.
const SHORTEST_HIDDEN: usize = 4;
/// The text in the log in place of a secret.
pub(super) const REDACTED: &str = "[REDACTED]";

/// What a hook sends along and never shows.
pub(super) struct Secrets {
    pub(super) token: Option<String>,
    /// Headers by name.
    pub(super) headers: Vec<(String, String)>,
    /// The address with the values of its variables.
    pub(super) address: String,
    /// The values of the variables.
    values: Vec<String>,
}

impl Secrets {
    /// The secrets of a hook.
    ///
    /// # Errors
    /// If one of them does not open with the key of the server.
    pub(super) fn open(app: &App, target: &Target) -> Result<Self, VaultError> {
        let vault = app.vault();
        let opened = |values: &[NamedValue]| {
            let open = |value: &NamedValue| Ok((value.key.clone(), vault.open(&value.sealed)?));
            values.iter().map(open).collect::<Result<Vec<_>, VaultError>>()
        };
        let token = target.sealed_token.as_deref().map(|sealed| vault.open(sealed)).transpose()?;
        let (headers, variables) = (opened(&target.hook.custom_headers)?, opened(&target.hook.url_variables)?);
        let value_of = |key: &str| variables.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        // An address from before there were variables is called as it is.
        let address = address_of(&target.hook.url, value_of).unwrap_or_else(|_key| target.hook.url.clone());
        Ok(Self { token, headers, address, values: variables.into_iter().map(|(_, value)| value).collect() })
    }

    /// `text`, which another server may have made of the request, without the secrets.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        let headers = self.headers.iter().map(|(_, value)| value);
        let secrets = headers.chain(&self.values).chain(&self.token).filter(|value| value.len() >= SHORTEST_HIDDEN);
        secrets.fold(text.to_owned(), |text, value| text.replace(value.as_str(), REDACTED))
    }
}
