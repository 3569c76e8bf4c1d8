//! Secrets at rest that must be shown or sent again: encrypted with a key that lies outside the database.

use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use chacha20poly1305::aead::Aead;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::{Entropy, Secret, TokenSigner};

/// Bytes of the key.
pub const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;

/// Seals and opens texts, and holds the key that signs tokens. Cheap to clone.
#[derive(Clone)]
pub struct Vault {
    inner: Arc<Inner>,
}

struct Inner {
    cipher: ChaCha20Poly1305,
    key: [u8; KEY_LENGTH],
    signer: OnceLock<Option<TokenSigner>>,
}

/// A sealed text could not be opened: another key, or a damaged text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret does not open with the server's key")]
pub struct VaultError;

impl Vault {
    /// A vault with this key.
    pub fn new(key: &[u8; KEY_LENGTH]) -> Self {
        let inner = Inner { cipher: ChaCha20Poly1305::new(key.into()), key: *key, signer: OnceLock::new() };
        Self { inner: Arc::new(inner) }
    }

    /// The signer of tokens. Its key is derived from the vault's key and says nothing about that key.
    ///
    /// # Errors
    /// If no key can be derived from the vault's key. No such key is known.
    pub fn token_signer(&self) -> Result<&TokenSigner, VaultError> {
        let signer = self.inner.signer.get_or_init(|| TokenSigner::new(|attempt| self.derive(attempt)));
        signer.as_ref().ok_or(VaultError)
    }

    /// A key for signatures: no other use of the vault's key has this text.
    fn derive(&self, attempt: u8) -> [u8; KEY_LENGTH] {
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.inner.key);
        let derived =
            mac.map(|mac| mac.chain_update(b"tenon: key of signed tokens").chain_update([attempt]).finalize());
        derived.map(|derived| derived.into_bytes().into()).unwrap_or_default()
    }

    /// A secret that belongs to `subject`: always the same with this key, and it says nothing about the key or other secrets.
    ///
    /// # Errors
    /// If none can be derived from the vault's key. No such key is known.
    pub fn derived_secret(&self, subject: &str) -> Result<Secret, VaultError> {
        let mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.inner.key).map_err(|_source| VaultError)?;
        let derived = mac.chain_update(b"tenon: secret of ").chain_update(subject.as_bytes()).finalize().into_bytes();
        Ok(Secret::given(URL_SAFE_NO_PAD.encode(derived)))
    }

    /// `text`, encrypted and authenticated under a random nonce, as base64.
    ///
    /// # Errors
    /// If the cipher refuses the text: it takes up to 256 GiB.
    pub fn seal(&self, entropy: &dyn Entropy, text: &str) -> Result<String, VaultError> {
        let mut nonce = [0_u8; NONCE_LENGTH];
        entropy.fill(&mut nonce);
        let sealed = self.inner.cipher.encrypt(&Nonce::from(nonce), text.as_bytes()).map_err(|_source| VaultError)?;
        Ok(STANDARD_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// The text behind a result of [`Vault::seal`].
    ///
    /// # Errors
    /// If another key sealed it, or if it is damaged.
    pub fn open(&self, sealed: &str) -> Result<String, VaultError> {
        let bytes = STANDARD_NO_PAD.decode(sealed).map_err(|_source| VaultError)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LENGTH>().ok_or(VaultError)?;
        let text = self.inner.cipher.decrypt(&Nonce::from(*nonce), sealed).map_err(|_source| VaultError)?;
        String::from_utf8(text).map_err(|_source| VaultError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemEntropy;

    #[test]
    fn only_the_same_key_opens_an_undamaged_text() {
        let vault = Vault::new(&[1; KEY_LENGTH]);
        let sealed = vault.seal(&SystemEntropy, "geheim").unwrap();
        assert!(!sealed.contains("geheim"));
        assert_eq!(vault.open(&sealed).as_deref(), Ok("geheim"));
        assert_eq!(Vault::new(&[2; KEY_LENGTH]).open(&sealed), Err(VaultError));
        assert_eq!(vault.open(&sealed.replace(|c: char| c.is_ascii_digit(), "x")[1..]), Err(VaultError));
        assert_eq!(vault.open(""), Err(VaultError));
    }

    #[test]
    fn a_derived_secret_follows_from_the_key_and_its_subject() {
        let (one, other) = (Vault::new(&[1; KEY_LENGTH]), Vault::new(&[2; KEY_LENGTH]));
        let of = |vault: &Vault, subject: &str| vault.derived_secret(subject).unwrap().expose().to_owned();
        assert_eq!(of(&one, "group 1"), of(&one, "group 1"));
        assert_ne!(of(&one, "group 1"), of(&one, "group 2"));
        assert_ne!(of(&one, "group 1"), of(&other, "group 1"));
        assert_eq!(of(&one, "group 1").len(), 43);
    }

    #[test]
    fn the_key_of_tokens_follows_from_the_key_of_the_server() {
        let kid = |key: u8| Vault::new(&[key; 32]).token_signer().unwrap().public_key().kid.clone();
        assert_eq!(kid(7), kid(7));
        assert_ne!(kid(7), kid(8));
    }
}
