//! SSH keys.

mod administration;
mod own;

use serde_json::{Value, json};
use tenon_testkit::keys;

/// The fields of a key.
const FIELDS: [&str; 7] = ["id", "title", "created_at", "expires_at", "last_used_at", "key", "usage_type"];

const FORBIDDEN: &str = "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519";

/// A request for a new key.
fn new(title: &str, key: &str) -> Value {
    json!({"title": title, "key": key})
}

/// The refusal of a text that is no key; `first` comes before.
fn no_key(first: &[&str]) -> Value {
    let texts: Vec<&str> = first.iter().copied().chain([FORBIDDEN]).collect();
    json!({"message": {"key": texts, "fingerprint": ["cannot be generated"]}})
}

/// The refusal of a key that an account has.
fn taken() -> Value {
    json!({"message": {"fingerprint": ["has already been taken"]}})
}

/// Keys that are accepted.
const ALL: [&str; 6] =
    [keys::RSA_2048, keys::DSA_1024, keys::ECDSA_256, keys::ECDSA_384, keys::ECDSA_521, keys::ED25519];
