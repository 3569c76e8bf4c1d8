//! A browser that comes back from a provider.

use tenon_auth::{ExpectedToken, IdTokenError, OutsideUser, Secret, is_same, verify_id_token};
use tenon_domain::id::UserId;
use tenon_domain::passkey::ChallengePurpose;

use super::account::{self, Found};
use super::refusal::OpenIdRefusal;
use super::{Journey, linked, redirect_uri};
use crate::core::app::{App, Command};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::core::providers::{Metadata, ProviderError, SignInProvider};
use crate::session::{Browser, SignedIn};
use crate::shared::access::sign_in_challenge::take;

/// The answer that the browser brings.
#[derive(Debug, Clone, Default)]
pub struct OpenIdAnswer {
    /// The code, for which the provider gives the token.
    pub code: Option<String>,
    /// The random text of the journey.
    pub state: String,
    /// The provider, if it names itself (RFC 9207).
    pub issuer: Option<String>,
}

/// The outcome.
#[derive(Debug, Clone)]
pub enum Finished {
    /// A user has signed in, and goes to this address; an empty one is the first page.
    SignedIn(SignedIn, String),
    /// The account at this provider is that of the caller, from now on.
    Linked,
}

type Outcome<T> = Result<Result<T, OpenIdRefusal>, AppError>;

impl App {
    /// Lets the user in whom a provider has sent back to the browser with this cookie, or adds the account to that of the
    /// caller. Fails with 404 if there is no such provider.
    pub async fn finish_openid(
        &self,
        identity: &Identity,
        name: &str,
        cookie: Secret,
        answer: OpenIdAnswer,
        browser: Browser,
    ) -> Outcome<Finished> {
        let provider = self.provider(name).ok_or(AppError::NotFound(Missing::Plain))?.clone();
        let journey = self.write(&Identity::anonymous(), move |command| recalled(command, &cookie)).await?;
        let Some(journey) = journey.filter(|journey| fits(journey, &provider, &answer)) else {
            return Ok(Err(OpenIdRefusal::Unknown));
        };
        let Some(code) = answer.code.clone() else { return Ok(Err(OpenIdRefusal::Denied)) };
        let permit = self.permit_call().await?;
        let outside = self.outside_user(&provider, &journey, &answer, &code).await;
        drop(permit);
        let user = match outside {
            Ok(user) => user,
            Err(refusal) => {
                tracing::warn!(provider = %provider.name, ?refusal, "a sign-in at a provider was refused");
                return Ok(Err(refusal));
            }
        };
        match journey.links_to {
            Some(id) => {
                let linked = self
                    .write(identity, move |command| linked::link(command, UserId::new(id), &provider, &user.subject));
                Ok(linked.await?.map(|()| Finished::Linked))
            }
            None => self.let_in(provider, user, browser, journey.return_to).await,
        }
    }

    /// The user of the token that the provider gives for the code.
    async fn outside_user(
        &self,
        provider: &SignInProvider,
        journey: &Journey,
        answer: &OpenIdAnswer,
        code: &str,
    ) -> Result<OutsideUser, OpenIdRefusal> {
        let unreachable = |error: ProviderError| {
            tracing::warn!(provider = %provider.name, %error, "a sign-in provider does not answer");
            OpenIdRefusal::Unreachable
        };
        let metadata = self.metadata(provider).await.map_err(unreachable)?;
        if metadata.names_itself && answer.issuer.is_none() {
            return Err(OpenIdRefusal::Token(IdTokenError::Issuer));
        }
        let uri = redirect_uri(self, provider);
        let token = self.redeem(provider, &metadata, code, &journey.verifier, &uri).await.map_err(unreachable)?;
        let verified =
            self.verify_token(provider, &metadata, &token, &journey.nonce, false).await.map_err(unreachable)?;
        match verified {
            // The provider may have new keys.
            Err(IdTokenError::UnknownKey) => {
                let again = self.verify_token(provider, &metadata, &token, &journey.nonce, true).await;
                Ok(again.map_err(unreachable)??)
            }
            verified => Ok(verified?),
        }
    }

    async fn verify_token(
        &self,
        provider: &SignInProvider,
        metadata: &Metadata,
        token: &str,
        nonce: &str,
        fresh: bool,
    ) -> Result<Result<OutsideUser, IdTokenError>, ProviderError> {
        let keys = self.keys_of(provider, metadata, fresh).await?;
        let now = self.now().timestamp();
        let expected = ExpectedToken { issuer: &provider.issuer, client: &provider.client_id, nonce, now };
        Ok(verify_id_token(token, &keys, &expected))
    }

    async fn let_in(
        &self,
        provider: SignInProvider,
        user: OutsideUser,
        browser: Browser,
        return_to: String,
    ) -> Outcome<Finished> {
        let anonymous = Identity::anonymous();
        let found = self.write(&anonymous, move |command| account::find_or_open(command, &provider, &user));
        let id = match found.await? {
            Ok(Found { id, refused: None }) => id,
            Ok(Found { id, refused: Some(refusal) }) => {
                let app = self.used_by_user(Some(id));
                app.write(&anonymous, move |command| crate::session::follow_up(command, id, refusal)).await?;
                return Ok(Err(OpenIdRefusal::SignIn(refusal.into())));
            }
            Err(refusal) => return Ok(Err(refusal)),
        };
        self.admit_sign_in(id)?;
        let work = move |command: &mut Command<'_>| crate::session::start_or_await(command, &browser);
        let signed_in = self.used_by_user(Some(id)).write(&Identity::signing_in(id), work).await?;
        Ok(Ok(Finished::SignedIn(signed_in, return_to)))
    }
}

/// The journey of the browser with this cookie. It is over from then on.
fn recalled(command: &mut Command<'_>, cookie: &Secret) -> Result<Option<Journey>, AppError> {
    let Some(sealed) = take(command, cookie, ChallengePurpose::OpenId)? else { return Ok(None) };
    // Another key, or an older version of this program.
    let text = command.app.vault().open(&sealed).ok();
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
}

/// True if the answer is that of the provider to which the browser was sent, and not that of another one that the browser was lured
/// to.
fn fits(journey: &Journey, provider: &SignInProvider, answer: &OpenIdAnswer) -> bool {
    journey.provider == provider.name
        && journey.issuer == provider.issuer
        && is_same(&journey.state, &answer.state)
        && answer.issuer.as_ref().is_none_or(|issuer| *issuer == provider.issuer)
}
