//! Callers and signers: token digests, signed tokens, passwords, secrets that must be shown again, public keys.
//!
//! Nothing here knows a database or HTTP. Randomness is an input ([`Entropy`]), so that tests are deterministic.

#![warn(clippy::missing_errors_doc)]

mod csrf;
mod entropy;
mod id_token;
mod jwt;
mod openpgp;
mod passkey;
mod password;
mod secret;
mod signer;
mod ssh_key;
mod ssh_signature;
mod totp;
mod vault;
mod webhook;

pub use csrf::CsrfToken;
pub use entropy::{Entropy, SystemEntropy};
pub use id_token::{ExpectedToken, IdTokenError, OutsideUser, ProviderKeys, verify_id_token};
pub use openpgp::{GpgKeyLimits, GpgSignature, GpgSignatureText, read_gpg_key};
pub use passkey::{
    KnownPasskey, NewPasskey, PasskeyAssertion, PasskeyChallenge, PasskeyError, PasskeyRegistration, RelyingParty,
};
pub use password::{PasswordError, Passwords};
pub use secret::{Secret, avatar_hash, basic_credentials, digest, is_same};
pub use signer::{PublicKey, SignError, SignedKind, TokenSigner, s256_challenge};
pub use ssh_key::parse_ssh_key;
pub use ssh_signature::SshSignature;
pub use totp::TotpSecret;
pub use vault::{KEY_LENGTH, Vault, VaultError};
pub use webhook::webhook_signature;
