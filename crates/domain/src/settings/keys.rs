//! Which SSH keys users may add.

use super::values::Values;
use crate::ssh_key::{KeyRestriction, KeyRestrictions};

/// The restrictions that the stored numbers stand for.
pub(super) fn restrictions(values: &Values) -> KeyRestrictions {
    let restriction = |name| KeyRestriction::from_setting(values.number(name));
    KeyRestrictions {
        rsa: restriction("rsa_key_restriction"),
        dsa: restriction("dsa_key_restriction"),
        ecdsa: restriction("ecdsa_key_restriction"),
        ed25519: restriction("ed25519_key_restriction"),
        ecdsa_sk: restriction("ecdsa_sk_key_restriction"),
        ed25519_sk: restriction("ed25519_sk_key_restriction"),
    }
}
