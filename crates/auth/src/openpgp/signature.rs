//! Signatures.

use pgp::composed::{Deserializable, DetachedSignature};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::SignatureType;
use pgp::types::KeyDetails;
use tenon_domain::time::Timestamp;

use super::{digits, keyid, moment, parse};

const BEGIN: &str = "-----BEGIN PGP SIGNATURE-----";

/// The content of the text of a signature.
#[derive(Debug)]
pub enum GpgSignatureText {
    /// One signature.
    One(Box<GpgSignature>),
    /// More than one signature.
    Several,
    /// No signature that can be read.
    Unreadable,
}

/// A signature over some bytes.
#[derive(Debug)]
pub struct GpgSignature {
    signature: DetachedSignature,
    /// The key that has made it, by its own statement: 16 hexadecimal digits in upper case.
    pub keyid: String,
    /// The fingerprint of that key, if the signature states it.
    pub fingerprint: Option<String>,
    /// The moment of the signature, by its own statement.
    pub made_at: Timestamp,
    /// From this moment on the signature does not count.
    pub expires_at: Option<Timestamp>,
}

impl GpgSignatureText {
    /// Reads an armored signature.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        if text.matches(BEGIN).count() > 1 {
            return Self::Several;
        }
        let Ok((mut found, _headers)) = DetachedSignature::from_armor_many_buf(text.as_bytes()) else {
            return Self::Unreadable;
        };
        match (found.next(), found.next()) {
            (Some(Ok(one)), None) => {
                GpgSignature::new(one).map_or(Self::Unreadable, |signature| Self::One(Box::new(signature)))
            }
            (Some(Ok(_)), Some(Ok(_))) => Self::Several,
            _ => Self::Unreadable,
        }
    }
}

impl GpgSignature {
    fn new(signature: DetachedSignature) -> Option<Self> {
        let inner = &signature.signature;
        let fingerprint = inner.issuer_fingerprint().first().copied().cloned();
        let named = fingerprint.as_ref().and_then(keyid);
        let keyid = named.or_else(|| inner.issuer_key_id().first().map(|id| hex::encode_upper(id.as_ref())))?;
        let created = u64::from(inner.created()?.as_secs());
        let lasts = inner.signature_expiration_time().map_or(0, pgp::types::Duration::as_secs);
        let expires_at = if lasts == 0 { None } else { moment(created + u64::from(lasts)) };
        let fingerprint = fingerprint.as_ref().map(digits);
        Some(Self { keyid, fingerprint, made_at: moment(created)?, expires_at, signature })
    }

    /// True if the key with this fingerprint has made the signature over `content`. The key is the primary key of `block` or
    /// one of its subkeys. Signatures by way of MD5, SHA-1 or RIPEMD-160 do not count.
    #[must_use]
    pub fn is_by(&self, block: &str, fingerprint: &str, content: &[u8]) -> bool {
        let inner = &self.signature.signature;
        let is_strong = inner.hash_alg().is_some_and(|hash| {
            matches!(
                hash,
                HashAlgorithm::Sha224
                    | HashAlgorithm::Sha256
                    | HashAlgorithm::Sha384
                    | HashAlgorithm::Sha512
                    | HashAlgorithm::Sha3_256
                    | HashAlgorithm::Sha3_512
            )
        });
        let is_of_data = matches!(inner.typ(), Some(SignatureType::Binary | SignatureType::Text));
        let Some(key) = parse(block).filter(|_| is_strong && is_of_data) else { return false };
        if digits(&key.primary_key.fingerprint()) == fingerprint {
            return self.signature.verify(&key.primary_key, content).is_ok();
        }
        let mut subkeys = key.public_subkeys.iter().filter(|it| digits(&it.key.fingerprint()) == fingerprint);
        subkeys.next().is_some_and(|subkey| self.signature.verify(&subkey.key, content).is_ok())
    }
}
