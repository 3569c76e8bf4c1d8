//! ID tokens of sign-in providers.

use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::Value;

use crate::{is_same, jwt};

/// The longest token, in bytes.
const LONGEST: usize = 32_768;
/// The most keys of a provider that are read.
const MOST_KEYS: usize = 50;
/// Seconds by which the clocks of a provider and of this server may differ.
const LEEWAY: i64 = 60;
/// The longest identifier of a user, in bytes.
const LONGEST_SUBJECT: usize = 255;

/// The public keys of a provider.
#[derive(Debug, Clone, Default)]
pub struct ProviderKeys(Vec<ProviderKey>);

#[derive(Debug, Clone)]
struct ProviderKey {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    key: DecodingKey,
}

/// The claims that a token must have.
#[derive(Debug, Clone, Copy)]
pub struct ExpectedToken<'a> {
    /// The provider.
    pub issuer: &'a str,
    /// This server, as the provider knows it.
    pub client: &'a str,
    /// The random text of the sign-in.
    pub nonce: &'a str,
    /// Now, in seconds since 1970.
    pub now: i64,
}

/// A user, as a provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideUser {
    /// The provider's identifier. It stays the same, whatever else changes.
    pub subject: String,
    /// The address, if the provider has verified it.
    pub verified_email: Option<String>,
    /// True if the provider has sent an address, verified or not.
    pub has_email: bool,
    /// The full name.
    pub name: Option<String>,
    /// The name with which the user signs in there.
    pub username: Option<String>,
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IdTokenError {
    /// It is no signed token with the claims that each has.
    #[error("the ID token is damaged")]
    Damaged,
    /// It is not signed, or with an algorithm that is not accepted.
    #[error("the algorithm of the ID token is not accepted")]
    Algorithm,
    /// The provider has no such key.
    #[error("the ID token is signed with an unknown key")]
    UnknownKey,
    /// The signature is wrong.
    #[error("the signature of the ID token is wrong")]
    Signature,
    /// It comes from another provider.
    #[error("the ID token comes from another issuer")]
    Issuer,
    /// It is for another program.
    #[error("the ID token is for another client")]
    Audience,
    /// It belongs to another sign-in.
    #[error("the ID token belongs to another sign-in")]
    Nonce,
    /// Its time is over, or has not begun.
    #[error("the ID token is not valid at this time")]
    Time,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: i64,
    iat: i64,
    nbf: Option<i64>,
    nonce: Option<String>,
    #[serde(default)]
    email: Value,
    #[serde(default)]
    email_verified: Value,
    #[serde(default)]
    name: Value,
    #[serde(default)]
    preferred_username: Value,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
struct SentKeys {
    keys: Vec<SentKey>,
}

#[derive(Deserialize)]
struct SentKey {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl ProviderKeys {
    /// The keys of a JSON Web Key Set that verify signatures with a known algorithm; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let sent: SentKeys = serde_json::from_str(text).ok()?;
        Some(Self(sent.keys.iter().take(MOST_KEYS).filter_map(ProviderKey::of).collect()))
    }
}

impl ProviderKey {
    fn of(sent: &SentKey) -> Option<Self> {
        if sent.usage.as_deref().is_some_and(|usage| usage != "sig") {
            return None;
        }
        let (algorithms, key): (&[Algorithm], _) = match (sent.kty.as_str(), sent.crv.as_deref()) {
            ("RSA", _) => {
                let key = DecodingKey::from_rsa_components(sent.n.as_deref()?, sent.e.as_deref()?);
                (&[Algorithm::RS256, Algorithm::PS256], key)
            }
            ("EC", Some("P-256")) => {
                (&[Algorithm::ES256], DecodingKey::from_ec_components(sent.x.as_deref()?, sent.y.as_deref()?))
            }
            ("OKP", Some("Ed25519")) => (&[Algorithm::EdDSA], DecodingKey::from_ed_components(sent.x.as_deref()?)),
            _ => return None,
        };
        let named = |algorithm: &&Algorithm| sent.alg.as_deref().is_none_or(|alg| alg == format!("{algorithm:?}"));
        let algorithms: Vec<Algorithm> = algorithms.iter().filter(named).copied().collect();
        let is_of_use = !algorithms.is_empty();
        key.ok().filter(|_| is_of_use).map(|key| Self { id: sent.kid.clone(), algorithms, key })
    }
}

/// The user of an ID token.
///
/// # Errors
/// If the token is not accepted. If the key is unknown, the provider may have new ones.
pub fn verify_id_token(
    token: &str,
    keys: &ProviderKeys,
    expected: &ExpectedToken<'_>,
) -> Result<OutsideUser, IdTokenError> {
    jwt::install();
    if token.len() > LONGEST {
        return Err(IdTokenError::Damaged);
    }
    // A token without a signature has an algorithm that the header cannot have.
    let Ok(header) = decode_header(token) else { return Err(IdTokenError::Algorithm) };
    let known = [Algorithm::RS256, Algorithm::PS256, Algorithm::ES256, Algorithm::EdDSA];
    if !known.contains(&header.alg) {
        return Err(IdTokenError::Algorithm);
    }
    let fits = |key: &&ProviderKey| {
        key.algorithms.contains(&header.alg) && (header.kid.is_none() || key.id.is_none() || key.id == header.kid)
    };
    let fitting: Vec<&ProviderKey> = keys.0.iter().filter(fits).collect();
    if fitting.is_empty() {
        return Err(IdTokenError::UnknownKey);
    }
    // The time is that of this server's clock, and the other claims have errors of their own.
    let mut signature = Validation::new(header.alg);
    (signature.validate_exp, signature.validate_aud) = (false, false);
    signature.required_spec_claims.clear();
    let verified = fitting.iter().find_map(|key| decode::<Value>(token, &key.key, &signature).ok());
    let claims = verified.ok_or(IdTokenError::Signature)?.claims;
    let claims: Claims = serde_json::from_value(claims).ok().ok_or(IdTokenError::Damaged)?;
    check(&claims, expected)?;
    let text = |value: Value| value.as_str().map(str::to_owned).filter(|text| !text.is_empty() && !text.contains('\0'));
    let is_verified = claims.email_verified == true || claims.email_verified == "true";
    let email = text(claims.email);
    Ok(OutsideUser {
        subject: claims.sub,
        has_email: email.is_some(),
        verified_email: email.filter(|_| is_verified),
        name: text(claims.name),
        username: text(claims.preferred_username),
    })
}

fn check(claims: &Claims, expected: &ExpectedToken<'_>) -> Result<(), IdTokenError> {
    if claims.iss != expected.issuer {
        return Err(IdTokenError::Issuer);
    }
    let is_party = |party: &String| party == expected.client;
    let is_for_us = match &claims.aud {
        Audience::One(one) => is_party(one),
        // Without a party that it was made for, any of several could use it.
        Audience::Several(all) => all.iter().any(is_party) && (all.len() == 1 || claims.azp.is_some()),
    };
    if !is_for_us || !claims.azp.as_ref().is_none_or(is_party) {
        return Err(IdTokenError::Audience);
    }
    if !claims.nonce.as_deref().is_some_and(|nonce| is_same(nonce, expected.nonce)) {
        return Err(IdTokenError::Nonce);
    }
    let latest = expected.now.saturating_add(LEEWAY);
    let has_begun = claims.iat <= latest && claims.nbf.is_none_or(|begin| begin <= latest);
    if !has_begun || claims.exp <= expected.now.saturating_sub(LEEWAY) {
        return Err(IdTokenError::Time);
    }
    let is_plain = claims.sub.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_control());
    if claims.sub.is_empty() || claims.sub.len() > LONGEST_SUBJECT || !is_plain {
        return Err(IdTokenError::Damaged);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenon_testkit::{OpenIdKey, OpenIdProvider};

    use super::*;

    const NOW: i64 = 1_700_000_000;
    const EXPECTED: ExpectedToken<'_> =
        ExpectedToken { issuer: "https://login.example.org", client: "tenon", nonce: "n", now: NOW };

    fn claims() -> Value {
        json!({
            "iss": EXPECTED.issuer, "aud": "tenon", "sub": "user-1", "nonce": "n", "iat": NOW, "exp": NOW + 300,
            "email": "ada@example.org", "email_verified": true, "name": "Ada", "preferred_username": "ada",
        })
    }

    fn verified(key: &OpenIdKey, claims: &Value) -> Result<OutsideUser, IdTokenError> {
        let keys = ProviderKeys::parse(&OpenIdProvider::key_set(&[key])).unwrap();
        verify_id_token(&key.token(claims), &keys, &EXPECTED)
    }

    #[test]
    fn tokens_of_each_algorithm_are_accepted() {
        for key in [OpenIdKey::es256("a"), OpenIdKey::eddsa("b"), OpenIdKey::rs256("c"), OpenIdKey::ps256("d")] {
            let user = verified(&key, &claims()).unwrap();
            assert_eq!((user.subject.as_str(), user.verified_email.as_deref()), ("user-1", Some("ada@example.org")));
            assert_eq!((user.name.as_deref(), user.username.as_deref()), (Some("Ada"), Some("ada")));
        }
    }

    #[test]
    fn a_token_of_another_key_or_algorithm_is_refused() {
        let (one, other) = (OpenIdKey::es256("a"), OpenIdKey::es256("a"));
        let keys = |all: &[&OpenIdKey]| ProviderKeys::parse(&OpenIdProvider::key_set(all)).unwrap();
        let verify = |token: &str, keys: &ProviderKeys| verify_id_token(token, keys, &EXPECTED).unwrap_err();
        assert_eq!(verify(&one.token(&claims()), &keys(&[&other])), IdTokenError::Signature);
        let renamed = OpenIdKey::es256("b");
        assert_eq!(verify(&renamed.token(&claims()), &keys(&[&one])), IdTokenError::UnknownKey);
        assert_eq!(verify(&OpenIdKey::rs256("a").token(&claims()), &keys(&[&one])), IdTokenError::UnknownKey);
        assert_eq!(verify(&one.token(&claims()), &ProviderKeys::default()), IdTokenError::UnknownKey);
        // Without a signature, and with the public key as a shared secret.
        assert_eq!(verify(&OpenIdKey::unsigned(&claims()), &keys(&[&one])), IdTokenError::Algorithm);
        assert_eq!(verify(&one.with_shared_secret(&claims()), &keys(&[&one])), IdTokenError::Algorithm);
        let token = one.token(&claims());
        for bad in ["", "a.b.c", &token[1..], &format!("{token}a"), &"x".repeat(40_000)] {
            assert!(verify_id_token(bad, &keys(&[&one]), &EXPECTED).is_err(), "{bad:.20}");
        }
    }

    #[test]
    fn each_claim_is_checked() {
        let key = OpenIdKey::es256("a");
        let with = |name: &str, value: Value| {
            let mut claims = claims();
            claims[name] = value;
            verified(&key, &claims).map(|user| user.subject)
        };
        for (name, value, want) in [
            ("iss", json!("https://login.example.org/"), IdTokenError::Issuer),
            ("iss", json!("https://evil.example"), IdTokenError::Issuer),
            ("aud", json!("other"), IdTokenError::Audience),
            ("aud", json!(["tenon", "other"]), IdTokenError::Audience),
            ("aud", json!([]), IdTokenError::Audience),
            ("azp", json!("other"), IdTokenError::Audience),
            ("nonce", json!("m"), IdTokenError::Nonce),
            ("nonce", json!(null), IdTokenError::Nonce),
            ("exp", json!(NOW - 60), IdTokenError::Time),
            ("exp", json!("never"), IdTokenError::Damaged),
            ("iat", json!(NOW + 61), IdTokenError::Time),
            ("iat", json!(null), IdTokenError::Damaged),
            ("nbf", json!(NOW + 61), IdTokenError::Time),
            ("sub", json!(""), IdTokenError::Damaged),
            ("sub", json!("a\u{0}b"), IdTokenError::Damaged),
            ("sub", json!("x".repeat(256)), IdTokenError::Damaged),
        ] {
            assert_eq!(with(name, value.clone()), Err(want), "{name} {value}");
        }
        for (name, value) in
            [("exp", json!(NOW - 59)), ("iat", json!(NOW + 60)), ("aud", json!(["tenon"])), ("azp", json!("tenon"))]
        {
            assert!(with(name, value.clone()).is_ok(), "{name} {value}");
        }
        let mut several = claims();
        (several["aud"], several["azp"]) = (json!(["other", "tenon"]), json!("tenon"));
        assert!(verified(&key, &several).is_ok());
        for unverified in [json!(false), json!(null), json!("false"), json!(1)] {
            let mut claims = claims();
            claims["email_verified"] = unverified;
            let user = verified(&key, &claims).unwrap();
            assert_eq!((user.verified_email, user.has_email), (None, true));
        }
    }
}
