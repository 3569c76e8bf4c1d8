//! OpenPGP keys of users.

mod administration;
mod own;

use serde_json::{Value, json};

/// A request for a new key.
pub(crate) fn new(key: &str) -> Value {
    json!({"key": key})
}

/// The refusal of a text that is no block of a public key.
fn no_block() -> Value {
    let text = "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' and ends with \
                '-----END PGP PUBLIC KEY BLOCK-----'";
    json!({"message": {"key": [text]}})
}

/// The refusal of a block that cannot be read.
fn unreadable() -> Value {
    json!({"message": {"fingerprint": ["can't be blank"], "primary_keyid": ["can't be blank"]}})
}
