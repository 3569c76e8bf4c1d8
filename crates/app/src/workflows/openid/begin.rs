//! Sending a browser to a provider.

use tenon_auth::{Secret, s256_challenge};
use tenon_domain::id::UserId;
use tenon_domain::passkey::ChallengePurpose;
use url::Url;

use super::{Journey, WITHIN, redirect_uri};
use crate::core::app::{App, Command};
use crate::core::confirmation::Confirmed;
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::providers::SignInProvider;
use crate::shared::access::sign_in_challenge::ask;

/// Where a browser goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// To this address of the provider.
    At(String),
    /// Nowhere: the provider does not answer, or not as it should.
    Unreachable,
}

impl App {
    /// Sends the browser with this cookie to a provider, so that someone signs in. Fails with 404 if there is no such provider.
    pub async fn begin_openid(&self, provider: &str, cookie: Secret, return_to: String) -> Result<Begun, AppError> {
        self.begin_journey(&Identity::anonymous(), provider, cookie, return_to, None).await
    }

    /// As [`App::begin_openid`], for the caller, who has just been confirmed, and adds the account to their own.
    pub async fn begin_openid_link(
        &self,
        identity: &Identity,
        confirmed: Confirmed,
        provider: &str,
        cookie: Secret,
    ) -> Result<Begun, AppError> {
        let user = self.read(identity, move |query| {
            let user = query.user()?.id;
            confirmed.check(user)?;
            Ok(user)
        });
        let user = user.await?;
        self.begin_journey(identity, provider, cookie, String::new(), Some(user)).await
    }

    async fn begin_journey(
        &self,
        identity: &Identity,
        name: &str,
        cookie: Secret,
        return_to: String,
        links_to: Option<UserId>,
    ) -> Result<Begun, AppError> {
        let provider = self.provider(name).ok_or(AppError::NotFound(Missing::Plain))?.clone();
        // Strangers may make the server ask, but not without end.
        let _permit = self.permit_call().await?;
        let metadata = match self.metadata(&provider).await {
            Ok(metadata) => metadata,
            Err(error) => {
                tracing::warn!(provider = %provider.name, %error, "a sign-in provider does not answer");
                return Ok(Begun::Unreachable);
            }
        };
        let random = || Secret::generate_long_hex(self.entropy()).expose().to_owned();
        let journey = Journey {
            provider: provider.name.clone(),
            issuer: provider.issuer.clone(),
            state: random(),
            nonce: random(),
            verifier: random(),
            return_to,
            links_to: links_to.map(UserId::get),
        };
        let Some(address) = address(self, &provider, &metadata.authorization_endpoint, &journey) else {
            return Ok(Begun::Unreachable);
        };
        self.write(identity, move |command| remember(command, &cookie, &journey)).await?;
        Ok(Begun::At(address))
    }
}

fn address(app: &App, provider: &SignInProvider, endpoint: &str, journey: &Journey) -> Option<String> {
    let mut url = Url::parse(endpoint).ok()?;
    url.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &provider.client_id)
        .append_pair("redirect_uri", &redirect_uri(app, provider))
        .append_pair("scope", &provider.scopes.join(" "))
        .append_pair("state", &journey.state)
        .append_pair("nonce", &journey.nonce)
        .append_pair("code_challenge", &s256_challenge(&journey.verifier))
        .append_pair("code_challenge_method", "S256");
    Some(url.into())
}

fn remember(command: &mut Command<'_>, cookie: &Secret, journey: &Journey) -> Result<(), AppError> {
    if journey.links_to.is_some() {
        command.refuse_impersonated()?;
    }
    let text = serde_json::to_string(journey).map_err(AppError::internal)?;
    let sealed = command.app.vault().seal(command.app.entropy(), &text).map_err(AppError::internal)?;
    ask(command, cookie, ChallengePurpose::OpenId, &sealed, WITHIN)
}
