//! Signed tokens (JSON Web Tokens): always ES256, always with the one key of this server. Nothing here accepts a token:
//! the server knows its own tokens by their digests, and others verify them with the published key.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use p256::ecdsa::SigningKey;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Secret, jwt};

/// Bytes of a coordinate of the public key.
const COORDINATE: usize = 32;

/// A token could not be signed.
#[derive(Debug, thiserror::Error)]
#[error("a token cannot be signed")]
pub struct SignError(#[source] jsonwebtoken::errors::Error);

/// Signs tokens. Its key is derived from the server's key. All processes of a server therefore have the same key, and it is
/// stored nowhere.
pub struct TokenSigner {
    key: EncodingKey,
    public: PublicKey,
}

/// The key with which others verify tokens, as the fields of a JSON Web Key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PublicKey {
    /// Names the key in the head of each token: the thumbprint of RFC 7638.
    pub kid: String,
    /// The kind of key.
    pub kty: &'static str,
    /// The curve.
    pub crv: &'static str,
    /// The first coordinate.
    pub x: String,
    /// The second coordinate.
    pub y: String,
    /// The algorithm.
    pub alg: &'static str,
    /// The use of the key.
    #[serde(rename = "use")]
    pub usage: &'static str,
}

/// The kind of a signed token. The type in the head of the token names it, so that one kind is not taken for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedKind {
    /// An access token (RFC 9068).
    Access,
    /// An ID token of `OpenID` Connect.
    Identity,
}

impl TokenSigner {
    /// The signer whose key is made of the seeds that `seed` yields for 0, 1, ... The first seed that is a valid key is used;
    /// all but one of four thousand million are valid.
    pub(crate) fn new(seed: impl Fn(u8) -> [u8; 32]) -> Option<Self> {
        let key = (0..=u8::MAX).find_map(|attempt| SigningKey::from_slice(&seed(attempt)).ok())?;
        jwt::install();
        Some(Self { key: EncodingKey::from_ec_der(&key.to_bytes()), public: PublicKey::of(&key)? })
    }

    /// A token with these claims.
    ///
    /// # Errors
    /// If the claims cannot be written as JSON.
    pub fn sign(&self, kind: SignedKind, claims: &impl Serialize) -> Result<Secret, SignError> {
        let typ = match kind {
            SignedKind::Access => "at+jwt",
            SignedKind::Identity => "JWT",
        };
        let head =
            Header { typ: Some(typ.to_owned()), kid: Some(self.public.kid.clone()), ..Header::new(Algorithm::ES256) };
        jsonwebtoken::encode(&head, claims, &self.key).map(Secret::given).map_err(SignError)
    }

    /// The key that verifies the signatures of this signer.
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }
}

impl PublicKey {
    fn of(key: &SigningKey) -> Option<Self> {
        // 4, x, y.
        let point = key.verifying_key().to_sec1_point(false);
        let (x, y) = point.as_bytes().get(1..)?.split_at_checked(COORDINATE)?;
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let kid = URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes()));
        Some(Self { kid, kty: "EC", crv: "P-256", x, y, alg: "ES256", usage: "sig" })
    }
}

/// The challenge of PKCE that belongs to a verifier by the method S256 (RFC 7636).
pub fn s256_challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::signature::Verifier as _;
    use p256::ecdsa::{Signature, VerifyingKey};

    use super::*;

    #[derive(Serialize)]
    struct Claims {
        sub: &'static str,
    }

    fn part(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    #[test]
    fn a_token_verifies_with_the_published_key_and_no_other() {
        let signer = TokenSigner::new(|_| [7; 32]).unwrap();
        let token = signer.sign(SignedKind::Access, &Claims { sub: "1" }).unwrap();
        let parts: Vec<&str> = token.expose().split('.').collect();
        let [head, claims, signature] = parts[..] else { panic!("three parts") };
        let public = signer.public_key();
        assert_eq!(part(head), format!(r#"{{"typ":"at+jwt","alg":"ES256","kid":"{}"}}"#, public.kid).into_bytes());
        assert_eq!(part(claims), br#"{"sub":"1"}"#);
        let verifies = |public: &PublicKey| {
            let point = [&[4][..], &part(&public.x), &part(&public.y)].concat();
            let key = VerifyingKey::from_sec1_bytes(&point).unwrap();
            let signature = Signature::from_slice(&part(signature)).unwrap();
            key.verify(format!("{head}.{claims}").as_bytes(), &signature).is_ok()
        };
        assert!(verifies(public));
        assert!(!verifies(TokenSigner::new(|_| [8; 32]).unwrap().public_key()));
    }

    #[test]
    fn a_challenge_is_the_known_one() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(s256_challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
