//! Settings about pictures that other servers make or fetch for texts.

use super::values::Values;

/// A server that fetches pictures of other servers for browsers, as Camo does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureProxy {
    /// Its address.
    pub url: String,
    /// The key that signs addresses for it, sealed.
    pub sealed_key: String,
    /// The hosts whose pictures are not fetched through it; `*.` stands for the hosts below one.
    pub direct: Vec<String>,
}

impl PictureProxy {
    /// `None` if the proxy is off, or if its address or its key is missing.
    pub(super) fn of(values: &Values) -> Option<Self> {
        if !values.switch("asset_proxy_enabled") {
            return None;
        }
        let url = values.text("asset_proxy_url")?;
        let sealed_key = values.text("asset_proxy_secret_key")?;
        Some(Self { url, sealed_key, direct: values.list("asset_proxy_allowlist").unwrap_or_default() })
    }
}
