//! Which SSH keys users may add.

use super::value::Values;

/// What is asked of the keys of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRestriction {
    /// Any key may be added.
    Any,
    /// Keys of at least so many bits may be added.
    AtLeast(u32),
    /// No key of this type may be added.
    Forbidden,
}

impl KeyRestriction {
    /// The restriction that a stored number stands for: 0 is none, -1 forbids, others are bits.
    #[must_use]
    pub fn from_number(number: i64) -> Self {
        match u32::try_from(number) {
            Ok(0) => Self::Any,
            Ok(bits) => Self::AtLeast(bits),
            Err(_) => Self::Forbidden,
        }
    }

    /// Whether a key of so many bits may be added.
    #[must_use]
    pub const fn admits(self, bits: u32) -> bool {
        match self {
            Self::Any => true,
            Self::AtLeast(least) => bits >= least,
            Self::Forbidden => false,
        }
    }
}

/// What is asked of SSH keys, by type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRestrictions {
    /// RSA keys.
    pub rsa: KeyRestriction,
    /// DSA keys.
    pub dsa: KeyRestriction,
    /// ECDSA keys.
    pub ecdsa: KeyRestriction,
    /// Ed25519 keys.
    pub ed25519: KeyRestriction,
    /// ECDSA keys of a security key.
    pub ecdsa_sk: KeyRestriction,
    /// Ed25519 keys of a security key.
    pub ed25519_sk: KeyRestriction,
}

impl KeyRestrictions {
    pub(super) fn of(values: &Values) -> Self {
        let restriction = |name| KeyRestriction::from_number(values.number(name));
        Self {
            rsa: restriction("rsa_key_restriction"),
            dsa: restriction("dsa_key_restriction"),
            ecdsa: restriction("ecdsa_key_restriction"),
            ed25519: restriction("ed25519_key_restriction"),
            ecdsa_sk: restriction("ecdsa_sk_key_restriction"),
            ed25519_sk: restriction("ed25519_sk_key_restriction"),
        }
    }

    /// Whether a key of some type may be added. Keys of security keys do not count: few users have one.
    #[must_use]
    pub fn leave_any(self) -> bool {
        [self.rsa, self.dsa, self.ecdsa, self.ed25519].iter().any(|type_| *type_ != KeyRestriction::Forbidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_restrictions() {
        for (number, restriction, weak, strong) in [
            (0, KeyRestriction::Any, true, true),
            (2048, KeyRestriction::AtLeast(2048), false, true),
            (-1, KeyRestriction::Forbidden, false, false),
        ] {
            assert_eq!(KeyRestriction::from_number(number), restriction);
            assert_eq!((restriction.admits(1024), restriction.admits(2048)), (weak, strong));
        }
    }
}
