//! The secrets of a hook, opened for one attempt.

use percent_encoding::{AsciiSet, CONTROLS};
use tenon_auth::VaultError;
use tenon_domain::hook::{NamedValue, address_of};
use tenon_storage::hook::Target;

use crate::core::app::App;

/// Shorter values are not looked for in logs: they are parts of any text.
const SHORTEST_HIDDEN: usize = 4;
/// The text in the log in place of a secret.
pub(super) const REDACTED: &str = "[REDACTED]";

/// The characters that are encoded in the path of an address (URL Standard, path percent-encode set).
const IN_PATH: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'?').add(b'^').add(b'`').add(b'{').add(b'}');

/// The values that a hook sends along and never shows.
pub(super) struct Secrets {
    pub(super) token: Option<String>,
    /// Headers by name.
    pub(super) headers: Vec<(String, String)>,
    /// The address with the values of its variables.
    pub(super) address: String,
    /// The texts that logs do not show, the longest first.
    hidden: Vec<String>,
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
        // An address from before there were variables is called as it is.
        let address = address_of(&target.hook.url, &variables).unwrap_or_else(|_key| target.hook.url.clone());
        let values = variables.iter().chain(&headers).map(|(_, value)| value).chain(&token);
        let mut hidden: Vec<String> =
            values.filter(|value| value.len() >= SHORTEST_HIDDEN).flat_map(|value| forms_of(value)).collect();
        // A secret may be a part of another one.
        hidden.sort_by_key(|form| std::cmp::Reverse(form.len()));
        Ok(Self { token, headers, address, hidden })
    }

    /// `text`, which another server may have made of the request, without the secrets.
    pub(super) fn hidden_in(&self, text: &str) -> String {
        self.hidden.iter().fold(text.to_owned(), |text, value| text.replace(value.as_str(), REDACTED))
    }
}

/// The forms in which a receiver may repeat a value: as it is, and as parts of an address have it.
fn forms_of(value: &str) -> [String; 4] {
    let mut address = url::Url::parse("http://localhost/").ok();
    if let Some(address) = &mut address {
        address.set_query(Some(value));
    }
    let query = address.and_then(|address| address.query().map(str::to_owned)).unwrap_or_default();
    let path = percent_encoding::utf8_percent_encode(value, IN_PATH).to_string();
    let form = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    [value.to_owned(), query, path, form]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_hidden_as_addresses_have_them() {
        let hidden = ["pä ss\"1", "ss\"1 word"].iter().flat_map(|value| forms_of(value)).collect();
        let secrets = Secrets { token: None, headers: Vec::new(), address: String::new(), hidden };
        for text in ["/pä ss\"1/", "/p%C3%A4%20ss%221/", "/?p%C3%A4%20ss%221", "?a=p%C3%A4+ss%221"] {
            let shown = secrets.hidden_in(text);
            assert!(shown.contains(REDACTED) && !shown.contains("ss"), "{text}: {shown}");
        }
    }
}
