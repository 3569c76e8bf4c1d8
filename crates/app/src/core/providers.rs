//! Providers of `OpenID` Connect, as the configuration names them, and what they say of themselves.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde::Deserialize;
use tenon_auth::{ProviderKeys, Secret};
use tenon_domain::time::Timestamp;

/// A provider with whose accounts users may sign in.
#[derive(Debug, Clone)]
pub struct SignInProvider {
    /// Its name in addresses and in the API.
    pub name: String,
    /// Its name on pages.
    pub label: String,
    /// Its address, exactly as it writes it itself.
    pub issuer: String,
    /// This server, as the provider knows it.
    pub client_id: String,
    /// The secret of this server; `None` if the provider has given it none.
    pub client_secret: Option<Secret>,
    /// The scopes that are asked for.
    pub scopes: Vec<String>,
    /// True if unknown users get an account.
    pub allow_sign_up: bool,
}

impl SignInProvider {
    /// True if an account that was linked at this issuer is one of this provider. An account that no one has used yet has no
    /// issuer; a name may have stood for another provider before.
    pub(crate) fn is_issuer(&self, issuer: Option<&str>) -> bool {
        issuer.is_none_or(|issuer| issuer == self.issuer)
    }
}

/// The words of a provider about itself.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Metadata {
    pub(super) issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) jwks_uri: String,
    #[serde(default)]
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// True if each of its answers names it (RFC 9207).
    #[serde(default, rename = "authorization_response_iss_parameter_supported")]
    pub(crate) names_itself: bool,
}

/// Why a provider could not be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ProviderError(pub(super) String);

/// The answers of providers that are kept.
#[derive(Default)]
pub(crate) struct KnownProviders(pub(super) Mutex<HashMap<String, Known>>);

#[derive(Default, Clone)]
pub(super) struct Known {
    pub(super) metadata: Option<(Arc<Metadata>, Timestamp)>,
    pub(super) keys: Option<(Arc<ProviderKeys>, Timestamp)>,
    /// Why it was not possible to ask it for its words about itself, and for its keys.
    pub(super) failed: Option<(ProviderError, Timestamp)>,
    pub(super) keys_failed: Option<(ProviderError, Timestamp)>,
}
