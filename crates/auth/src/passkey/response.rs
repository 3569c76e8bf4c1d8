//! The answers of browsers, as JSON (`PublicKeyCredential.toJSON`).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The longest answer, in bytes. An RSA key and an identifier of the greatest length fit.
const LONGEST: usize = 16_384;

/// The kind of a request to a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceremony {
    Create,
    Get,
}

/// The words of the browser about the page on which it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientData {
    pub(super) ceremony: Ceremony,
    pub(super) challenge: String,
    pub(super) origin: String,
    /// True if the page stood in a frame of another site.
    pub(super) is_framed: bool,
    /// The digest of the bytes, which is part of the signed message.
    pub(super) digest: [u8; 32],
}

/// The answer of a browser that has made a passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyRegistration {
    pub(super) credential: String,
    pub(super) client: ClientData,
    pub(super) attestation: Vec<u8>,
}

/// The answer of a browser that has used a passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyAssertion {
    /// The identifier of the passkey, in base64url.
    pub credential: String,
    pub(super) client: ClientData,
    pub(super) data: Vec<u8>,
    pub(super) signature: Vec<u8>,
    /// The name of the user that the passkey has, in base64url.
    pub(super) user: Option<String>,
}

#[derive(Deserialize)]
struct Sent<R> {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    response: R,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentRegistration {
    #[serde(rename = "clientDataJSON")]
    client: String,
    attestation_object: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentAssertion {
    #[serde(rename = "clientDataJSON")]
    client: String,
    authenticator_data: String,
    signature: String,
    user_handle: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SentClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

impl PasskeyRegistration {
    /// Reads an answer; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let Sent { id, response, .. } = sent::<SentRegistration>(text)?;
        Some(Self {
            credential: canonical(&id)?,
            client: ClientData::parse(&response.client)?,
            attestation: decoded(&response.attestation_object)?,
        })
    }
}

impl PasskeyAssertion {
    /// Reads an answer; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let Sent { id, response, .. } = sent::<SentAssertion>(text)?;
        Some(Self {
            credential: canonical(&id)?,
            client: ClientData::parse(&response.client)?,
            data: decoded(&response.authenticator_data)?,
            signature: decoded(&response.signature)?,
            user: response.user_handle.filter(|handle| !handle.is_empty()),
        })
    }
}

impl ClientData {
    fn parse(text: &str) -> Option<Self> {
        let bytes = decoded(text)?;
        let sent: SentClientData = serde_json::from_slice(&bytes).ok()?;
        let ceremony = match sent.kind.as_str() {
            "webauthn.create" => Ceremony::Create,
            "webauthn.get" => Ceremony::Get,
            _ => return None,
        };
        let SentClientData { challenge, origin, cross_origin: is_framed, .. } = sent;
        Some(Self { ceremony, challenge, origin, is_framed, digest: Sha256::digest(&bytes).into() })
    }
}

fn sent<R: for<'de> Deserialize<'de>>(text: &str) -> Option<Sent<R>> {
    if text.len() > LONGEST {
        return None;
    }
    let sent: Sent<R> = serde_json::from_str(text).ok()?;
    (sent.kind == "public-key").then_some(sent)
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

/// The one form in which an identifier is stored.
fn canonical(text: &str) -> Option<String> {
    decoded(text).map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}
