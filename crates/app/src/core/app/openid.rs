//! Asking providers of `OpenID` Connect. Their answers are kept for a while.

use std::sync::{Arc, PoisonError};

use serde::Deserialize;
use tenon_auth::{ProviderKeys, basic_credentials};
use tenon_domain::time::TimeDelta;
use tenon_outbound::http::Fetch;
use url::Url;

use super::App;
use crate::core::providers::{Known, Metadata, ProviderError, SignInProvider};

/// How long what a provider says is kept.
const KEPT: TimeDelta = TimeDelta::hours(1);
/// How long a provider that has failed, or whose keys were just asked for, is not asked again.
const PAUSE: TimeDelta = TimeDelta::seconds(10);
/// The most bytes of an answer of a provider.
const MOST: usize = 256 * 1024;

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
}

impl App {
    /// The configured provider of this name, if the settings do not forbid it.
    pub(crate) fn provider(&self, name: &str) -> Option<&SignInProvider> {
        self.providers().find(|provider| provider.name == name)
    }

    /// The providers with whose accounts users may sign in.
    pub fn providers(&self) -> impl Iterator<Item = &SignInProvider> {
        let settings = self.known_settings();
        let is_allowed = move |provider: &&SignInProvider| !settings.disabled_sign_in_sources.contains(&provider.name);
        self.parts().providers.iter().filter(is_allowed)
    }

    /// The words of a provider about itself.
    pub(crate) async fn metadata(&self, provider: &SignInProvider) -> Result<Arc<Metadata>, ProviderError> {
        let (known, now) = (self.known_of(provider), self.now());
        if let Some((metadata, _)) = known.metadata.filter(|(_, at)| now - *at < KEPT) {
            return Ok(metadata);
        }
        if let Some((error, _)) = known.failed.filter(|(_, at)| now - *at < PAUSE) {
            return Err(error);
        }
        let asked = self.ask_metadata(provider).await;
        self.note(provider, |known| match &asked {
            Ok(metadata) => (known.metadata, known.failed) = (Some((Arc::clone(metadata), now)), None),
            Err(error) => known.failed = Some((error.clone(), now)),
        });
        asked
    }

    async fn ask_metadata(&self, provider: &SignInProvider) -> Result<Arc<Metadata>, ProviderError> {
        let url = format!("{}/.well-known/openid-configuration", provider.issuer.trim_end_matches('/'));
        let metadata: Metadata = parsed(&self.fetched(provider, &url, None, None).await?)?;
        if metadata.issuer != provider.issuer {
            return Err(ProviderError(format!("the provider calls itself {}", metadata.issuer)));
        }
        // Who can read what lies between could sign in as anyone.
        let is_plain = |url: &str| url.starts_with("http://");
        let is_secure = |url: &str| url.starts_with("https://") || (is_plain(url) && is_plain(&provider.issuer));
        let all = [&metadata.authorization_endpoint, &metadata.token_endpoint, &metadata.jwks_uri];
        if all.iter().any(|url| !is_secure(url) || Url::parse(url).is_err()) {
            return Err(ProviderError("the provider names an address that is not secure".to_owned()));
        }
        Ok(Arc::new(metadata))
    }

    /// The keys of a provider; `fresh` if one was missing among those that are kept.
    pub(crate) async fn keys_of(
        &self,
        provider: &SignInProvider,
        metadata: &Metadata,
        fresh: bool,
    ) -> Result<Arc<ProviderKeys>, ProviderError> {
        let (known, now) = (self.known_of(provider), self.now());
        let kept = if fresh { PAUSE } else { KEPT };
        if let Some((keys, _)) = known.keys.filter(|(_, at)| now - *at < kept) {
            return Ok(keys);
        }
        if let Some((error, _)) = known.keys_failed.filter(|(_, at)| now - *at < PAUSE) {
            return Err(error);
        }
        let asked = self.ask_keys(provider, metadata).await;
        self.note(provider, |known| match &asked {
            Ok(keys) => (known.keys, known.keys_failed) = (Some((Arc::clone(keys), now)), None),
            Err(error) => known.keys_failed = Some((error.clone(), now)),
        });
        asked
    }

    async fn ask_keys(
        &self,
        provider: &SignInProvider,
        metadata: &Metadata,
    ) -> Result<Arc<ProviderKeys>, ProviderError> {
        let text = self.fetched(provider, &metadata.jwks_uri, None, None).await?;
        let keys = ProviderKeys::parse(&text).ok_or_else(|| ProviderError("the keys cannot be read".to_owned()))?;
        Ok(Arc::new(keys))
    }

    /// The ID token that a provider gives for a code.
    pub(crate) async fn redeem(
        &self,
        provider: &SignInProvider,
        metadata: &Metadata,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<String, ProviderError> {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code");
        form.append_pair("code", code).append_pair("redirect_uri", redirect_uri);
        form.append_pair("code_verifier", verifier);
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        let takes_basic = methods.is_none_or(|methods| methods.iter().any(|method| method == "client_secret_basic"));
        let basic = provider
            .client_secret
            .as_ref()
            .filter(|_| takes_basic)
            .map(|secret| basic_credentials(&provider.client_id, secret));
        if basic.is_none() {
            form.append_pair("client_id", &provider.client_id);
            if let Some(secret) = &provider.client_secret {
                form.append_pair("client_secret", secret.expose());
            }
        }
        let text = self.fetched(provider, &metadata.token_endpoint, Some(form.finish()), basic).await?;
        Ok(parsed::<Tokens>(&text)?.id_token)
    }

    async fn fetched(
        &self,
        provider: &SignInProvider,
        url: &str,
        form: Option<String>,
        authorization: Option<String>,
    ) -> Result<String, ProviderError> {
        let failed = |error: String| ProviderError(format!("{url}: {error}"));
        let asked = Fetch { url, named: &provider.issuer, form, authorization, most: MOST };
        let client = self.outbound().map_err(|error| failed(error.to_string()))?;
        let answer = client.fetch(&asked).await.map_err(|error| failed(error.to_string()))?;
        if answer.status == 200 { Ok(answer.body) } else { Err(failed(format!("status {}", answer.status))) }
    }

    fn known_of(&self, provider: &SignInProvider) -> Known {
        let known = self.known_providers().0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&provider.name).cloned().unwrap_or_default()
    }

    fn note(&self, provider: &SignInProvider, change: impl FnOnce(&mut Known)) {
        let mut known = self.known_providers().0.lock().unwrap_or_else(PoisonError::into_inner);
        change(known.entry(provider.name.clone()).or_default());
    }
}

fn parsed<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, ProviderError> {
    serde_json::from_str(text).map_err(|error| ProviderError(format!("the answer cannot be read: {error}")))
}
