//! OpenPGP (RFC 9580): public keys, and signatures that were made with them.

mod key;
mod signature;
#[cfg(test)]
mod tests;

pub use key::{GpgKeyLimits, read_gpg_key};
pub use signature::{GpgSignature, GpgSignatureText};

use pgp::composed::{Deserializable, SignedPublicKey};
use pgp::types::{Fingerprint, KeyDetails, KeyVersion};
use tenon_domain::time::Timestamp;

/// The one key in an armored block; `None` if there is none, or more than one.
fn parse(text: &str) -> Option<SignedPublicKey> {
    let (mut keys, _headers) = SignedPublicKey::from_armor_many_buf(text.as_bytes()).ok()?;
    let key = keys.next()?.ok()?;
    let is_usable = matches!(key.primary_key.version(), KeyVersion::V4 | KeyVersion::V6);
    (is_usable && keys.next().is_none()).then_some(key)
}

/// The fingerprint in hexadecimal, upper case.
fn digits(fingerprint: &Fingerprint) -> String {
    hex::encode_upper(fingerprint.as_bytes())
}

/// The id by which signatures name the key with this fingerprint.
fn keyid(fingerprint: &Fingerprint) -> Option<String> {
    let bytes = fingerprint.as_bytes();
    let id = match fingerprint.version()? {
        KeyVersion::V6 => bytes.get(..8),
        _ => bytes.len().checked_sub(8).and_then(|from| bytes.get(from..)),
    };
    id.map(hex::encode_upper)
}

/// A moment, in seconds since 1970.
fn moment(seconds: u64) -> Option<Timestamp> {
    Timestamp::from_timestamp(i64::try_from(seconds).ok()?, 0)
}
