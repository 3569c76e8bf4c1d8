//! Public keys of passkeys (COSE, RFC 9053), and their signatures.

use p256::ecdsa::VerifyingKey;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};

use super::cbor::Value;

/// The algorithms by their numbers, in the order in which they are asked for: ES256, `EdDSA`, RS256.
pub(super) const ALGORITHMS: [i64; 3] = [ES256, EDDSA, RS256];
const ES256: i64 = -7;
const EDDSA: i64 = -8;
const RS256: i64 = -257;

/// The sizes of RSA keys, in bytes.
const RSA_SIZES: std::ops::RangeInclusive<usize> = 256..=1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PasskeyKey {
    /// 4, x, y.
    Es256([u8; 65]),
    EdDsa([u8; 32]),
    Rs256 {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
}

impl PasskeyKey {
    /// The key at the beginning of some bytes, and the bytes behind it. `None` if it is no key of a known algorithm.
    pub(super) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (map, rest) = Value::read(bytes)?;
        let field = |label: i64| map.get(&Value::Integer(label));
        let number = |label: i64| field(label)?.integer();
        let part = |label: i64| field(label)?.bytes();
        let key = match (number(1)?, number(3)?) {
            (2, ES256) if number(-1)? == 1 => {
                let (x, y): (&[u8; 32], &[u8; 32]) = (part(-2)?.try_into().ok()?, part(-3)?.try_into().ok()?);
                let mut point = [4; 65];
                let (one, other) = point.get_mut(1..)?.split_at_mut(32);
                one.copy_from_slice(x);
                other.copy_from_slice(y);
                // A point beside the curve verifies nothing, and would be noticed at the first sign-in only.
                VerifyingKey::from_sec1_bytes(&point).ok()?;
                Self::Es256(point)
            }
            (1, EDDSA) if number(-1)? == 6 => Self::EdDsa(part(-2)?.try_into().ok()?),
            (3, RS256) => {
                let (modulus, exponent) = (part(-1)?.to_vec(), part(-2)?.to_vec());
                if !RSA_SIZES.contains(&modulus.len()) || exponent.is_empty() || exponent.len() > 8 {
                    return None;
                }
                Self::Rs256 { modulus, exponent }
            }
            _ => return None,
        };
        Some((key, rest))
    }

    /// True if the owner of the key has signed this message.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let verified = match self {
            Self::Es256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, point).verify(message, signature),
            Self::EdDsa(point) => UnparsedPublicKey::new(&ED25519, point).verify(message, signature),
            Self::Rs256 { modulus, exponent } => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature)
            }
        };
        verified.is_ok()
    }
}
