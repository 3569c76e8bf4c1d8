//! Random secrets, and how they are recognised again.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Md5;
use sha2::{Digest, Sha256};
use url::form_urlencoded::byte_serialize;

use crate::Entropy;

/// A fresh random secret. It is shown once. Only its [`digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Secret {
    /// 27 characters of six random bits each: 162 bits, fit for URLs and headers.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0_u8; 27];
        entropy.fill(&mut bytes);
        Self(bytes.iter().filter_map(|byte| ALPHABET.get(usize::from(byte % 64))).map(|c| char::from(*c)).collect())
    }

    /// A password that a person can type: 16 lower-case letters and digits, 80 bits.
    pub fn generate_typeable(entropy: &dyn Entropy) -> Self {
        const TYPEABLE: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let mut bytes = [0_u8; 16];
        entropy.fill(&mut bytes);
        Self(bytes.iter().filter_map(|byte| TYPEABLE.get(usize::from(byte % 32))).map(|c| char::from(*c)).collect())
    }

    /// 32 hexadecimal digits: the random part of an upload's address.
    pub fn generate_hex(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0_u8; 16];
        entropy.fill(&mut bytes);
        Self(hex::encode(bytes))
    }

    /// 64 hexadecimal digits: the id or the secret of an application.
    pub fn generate_long_hex(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0_u8; 32];
        entropy.fill(&mut bytes);
        Self(hex::encode(bytes))
    }

    /// A secret that was chosen elsewhere.
    pub fn given(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

// A secret that is printed by accident must not be lost.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The SHA-256 of a secret, in hexadecimal. A fast hash is enough, because secrets have 128 random bits or more. The time of a
/// look-up by digest reveals nothing about the secret.
pub fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

/// True if two digests are the same. The time of the comparison depends on their lengths only.
pub fn is_same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |found, (one, other)| found | (one ^ other));
    std::hint::black_box(differing) == 0 && one.len() == other.len()
}

/// A name and a secret as a header `Authorization`. Both are encoded like the fields of a form (RFC 6749).
pub fn basic_credentials(name: &str, secret: &Secret) -> String {
    let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encoded(name), encoded(secret.expose()))))
}

/// The MD5 of a normalised e-mail address, as avatar services ask for it. Not for secrets.
pub fn avatar_hash(email: &str) -> String {
    hex::encode(Md5::digest(email.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;

    impl Entropy for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            for (index, byte) in bytes.iter_mut().enumerate() {
                *byte = u8::try_from(index).unwrap();
            }
        }
    }

    #[test]
    fn secrets_have_their_length_and_are_not_printed() {
        let secret = Secret::generate(&Counting);
        assert_eq!(secret.expose(), "ABCDEFGHIJKLMNOPQRSTUVWXYZa");
        assert_eq!(Secret::generate_hex(&Counting).expose(), "000102030405060708090a0b0c0d0e0f");
        assert_eq!(Secret::generate_long_hex(&Counting).expose().len(), 64);
        assert_eq!(Secret::generate_typeable(&Counting).expose().len(), 16);
        assert_eq!(format!("{secret:?}"), "Secret(..)");
    }

    #[test]
    fn only_equal_digests_are_the_same() {
        assert!(is_same("", "") && is_same("abc", "abc"));
        assert!(!is_same("abc", "abd") && !is_same("abc", "ab") && !is_same("", "a"));
    }

    #[test]
    fn a_digest_is_the_known_one() {
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
