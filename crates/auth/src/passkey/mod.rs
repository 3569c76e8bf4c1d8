//! Passkeys (`WebAuthn` Level 3): the checks of a server on what browsers send. Attestation is not asked for.

mod cbor;
mod data;
mod key;
mod response;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use url::{Host, Url};

use self::cbor::Value;
use self::data::AuthenticatorData;
use self::key::{ALGORITHMS, PasskeyKey};
use self::response::{Ceremony, ClientData};
pub use self::response::{PasskeyAssertion, PasskeyRegistration};
use crate::{Entropy, is_same};

/// Bytes of a challenge.
const CHALLENGE: usize = 32;
/// Bytes of an identifier of a passkey at most.
const LONGEST_ID: usize = 1023;

/// The random text that a browser has an authenticator sign, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyChallenge(String);

impl PasskeyChallenge {
    /// A fresh one.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; CHALLENGE];
        entropy.fill(&mut bytes);
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// One that was made before, as [`PasskeyChallenge::text`] gave it.
    pub fn given(text: String) -> Self {
        Self(text)
    }

    /// The form in which it is stored and sent.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Why what a browser has sent is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasskeyError {
    /// It is not what browsers send.
    #[error("the answer of the browser is damaged")]
    Damaged,
    /// It was made for something else, for another challenge, or for a challenge that was used already.
    #[error("the answer belongs to another request")]
    OtherRequest,
    /// It was made on a page of another site.
    #[error("the answer was made on a page of another site")]
    OtherOrigin,
    /// The passkey belongs to another server.
    #[error("the passkey belongs to another server")]
    OtherServer,
    /// No one has touched the authenticator.
    #[error("nobody has confirmed the use of the passkey")]
    NotPresent,
    /// The authenticator has not verified its user by a PIN, a finger or a face.
    #[error("the authenticator has not verified its user")]
    NotVerified,
    /// The key has an algorithm that was not asked for.
    #[error("the algorithm of the passkey is not supported")]
    Algorithm,
    /// An attestation was sent. None was asked for, and nothing here verifies one.
    #[error("the passkey comes with an attestation")]
    Attestation,
    /// The signature is not that of the passkey.
    #[error("the signature is not that of the passkey")]
    Signature,
    /// The authenticator has counted fewer uses than the server has seen: there are two of them.
    #[error("the passkey was copied")]
    Cloned,
}

/// A passkey that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPasskey {
    /// Its identifier, in base64url.
    pub credential: String,
    /// Its public key, in base64url.
    pub public_key: String,
    /// The uses that the authenticator has counted; always 0 if it does not count.
    pub count: i64,
}

/// A passkey as it was stored.
#[derive(Debug, Clone, Copy)]
pub struct KnownPasskey<'a> {
    /// The field of [`NewPasskey`].
    pub public_key: &'a str,
    /// The newest count that was seen.
    pub count: i64,
}

/// The server as authenticators know it: their passkeys belong to its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelyingParty {
    id: String,
    origin: String,
}

/// A text of the browser, in which binary parts are in base64url.
#[derive(Serialize)]
struct Credential<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    id: &'a str,
}

impl RelyingParty {
    /// The server with this public address. `None` if browsers make no passkeys for it: it has a number in place of a name, or
    /// its connections are not secure.
    pub fn of(base_url: &str) -> Option<Self> {
        let url = Url::parse(base_url).ok()?;
        let Some(Host::Domain(host)) = url.host() else { return None };
        let is_local = host == "localhost" || host.ends_with(".localhost");
        let is_secure = url.scheme() == "https" || (url.scheme() == "http" && is_local);
        is_secure.then(|| Self { id: host.to_owned(), origin: url.origin().ascii_serialization() })
    }

    /// The request to a browser to make a passkey (`PublicKeyCredentialCreationOptionsJSON`). The authenticator has to verify
    /// its user and to keep the user's number, so that the passkey signs in without a name and without a password. `known` are the identifiers of the user's passkeys.
    pub fn creation_options(
        &self,
        challenge: &PasskeyChallenge,
        user: i64,
        username: &str,
        name: &str,
        known: &[String],
    ) -> String {
        let parameter = |alg: i64| serde_json::json!({"type": "public-key", "alg": alg});
        let options = serde_json::json!({
            "rp": {"id": self.id, "name": self.id},
            "user": {"id": user_handle(user), "name": username, "displayName": name},
            "challenge": challenge.text(),
            "pubKeyCredParams": ALGORITHMS.map(parameter),
            "timeout": TIMEOUT,
            "excludeCredentials": listed(known),
            "authenticatorSelection": {
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            },
            "attestation": "none",
        });
        options.to_string()
    }

    /// The request to a browser to use one of these passkeys, or, if there are none, one that the authenticator finds
    /// itself (`PublicKeyCredentialRequestOptionsJSON`).
    pub fn request_options(&self, challenge: &PasskeyChallenge, known: &[String], verified: bool) -> String {
        let options = serde_json::json!({
            "challenge": challenge.text(),
            "timeout": TIMEOUT,
            "rpId": self.id,
            "allowCredentials": listed(known),
            "userVerification": if verified { "required" } else { "discouraged" },
        });
        options.to_string()
    }

    /// The passkey that a browser has just made for this challenge. Its authenticator has verified its user.
    ///
    /// # Errors
    /// If the answer is not accepted.
    pub fn register(
        &self,
        challenge: &PasskeyChallenge,
        answer: &PasskeyRegistration,
    ) -> Result<NewPasskey, PasskeyError> {
        self.check_client(&answer.client, Ceremony::Create, challenge)?;
        let (object, rest) = Value::read(&answer.attestation).ok_or(PasskeyError::Damaged)?;
        let field = |name| object.get(&Value::Text(name)).ok_or(PasskeyError::Damaged);
        if !rest.is_empty() {
            return Err(PasskeyError::Damaged);
        }
        let is_none = *field("fmt")? == Value::Text("none") && *field("attStmt")? == Value::Map(Vec::new());
        if !is_none {
            return Err(PasskeyError::Attestation);
        }
        let bytes = field("authData")?.bytes().ok_or(PasskeyError::Damaged)?;
        let data = AuthenticatorData::read(bytes).ok_or(PasskeyError::Damaged)?;
        self.check_authenticator(&data)?;
        let attested = data.attested.ok_or(PasskeyError::Damaged)?;
        let (_key, behind) = PasskeyKey::read(attested.rest).ok_or(PasskeyError::Algorithm)?;
        let key = attested.rest.get(..attested.rest.len() - behind.len()).ok_or(PasskeyError::Damaged)?;
        if !data.ends_with(behind) || attested.id.is_empty() || attested.id.len() > LONGEST_ID {
            return Err(PasskeyError::Damaged);
        }
        let credential = URL_SAFE_NO_PAD.encode(attested.id);
        if credential != answer.credential {
            return Err(PasskeyError::Damaged);
        }
        if !data.is_verified() {
            return Err(PasskeyError::NotVerified);
        }
        Ok(NewPasskey { credential, public_key: URL_SAFE_NO_PAD.encode(key), count: data.count.into() })
    }

    /// Checks the use of a passkey of `user` for this challenge. Yields the uses that the authenticator has counted. `verified`
    /// asks for an authenticator that knows its user: without a password, it is the only proof.
    ///
    /// # Errors
    /// If the answer is not accepted.
    pub fn verify(
        &self,
        challenge: &PasskeyChallenge,
        answer: &PasskeyAssertion,
        known: KnownPasskey<'_>,
        user: i64,
        verified: bool,
    ) -> Result<i64, PasskeyError> {
        self.check_client(&answer.client, Ceremony::Get, challenge)?;
        if answer.user.as_ref().is_some_and(|handle| *handle != user_handle(user)) {
            return Err(PasskeyError::OtherRequest);
        }
        let data = AuthenticatorData::read(&answer.data).ok_or(PasskeyError::Damaged)?;
        self.check_authenticator(&data)?;
        if data.attested.is_some() || !data.ends_with(data.rest) {
            return Err(PasskeyError::Damaged);
        }
        if verified && !data.is_verified() {
            return Err(PasskeyError::NotVerified);
        }
        let key = URL_SAFE_NO_PAD.decode(known.public_key).ok().ok_or(PasskeyError::Damaged)?;
        let (key, _) = PasskeyKey::read(&key).ok_or(PasskeyError::Algorithm)?;
        let message = [answer.data.as_slice(), &answer.client.digest].concat();
        if !key.verifies(&message, &answer.signature) {
            return Err(PasskeyError::Signature);
        }
        let count = i64::from(data.count);
        if (count != 0 || known.count != 0) && count <= known.count {
            return Err(PasskeyError::Cloned);
        }
        Ok(count)
    }

    /// Checks what the browser says: for what, and on which page.
    fn check_client(
        &self,
        client: &ClientData,
        ceremony: Ceremony,
        challenge: &PasskeyChallenge,
    ) -> Result<(), PasskeyError> {
        if client.ceremony != ceremony || !is_same(&client.challenge, challenge.text()) {
            return Err(PasskeyError::OtherRequest);
        }
        if client.origin != self.origin || client.is_framed {
            return Err(PasskeyError::OtherOrigin);
        }
        Ok(())
    }

    /// Checks what the authenticator says: for which server, and that it was touched.
    fn check_authenticator(&self, data: &AuthenticatorData<'_>) -> Result<(), PasskeyError> {
        if data.server != Sha256::digest(self.id.as_bytes()).as_slice() {
            return Err(PasskeyError::OtherServer);
        }
        if data.is_present() { Ok(()) } else { Err(PasskeyError::NotPresent) }
    }
}

/// Milliseconds in which the user is to answer the browser: as long as a challenge is good.
const TIMEOUT: u32 = 300_000;

/// The name of a user in passkeys.
fn user_handle(user: i64) -> String {
    URL_SAFE_NO_PAD.encode(user.to_be_bytes())
}

fn listed(known: &[String]) -> Vec<Credential<'_>> {
    known.iter().map(|id| Credential { kind: "public-key", id }).collect()
}
