//! Who is calling: token digests, passwords, and secrets that must be shown again.
//!
//! Nothing here knows a database or HTTP. Randomness is an input ([`Entropy`]), so that tests are deterministic.

mod entropy;
mod password;
mod secret;
mod vault;

pub use entropy::{Entropy, SystemEntropy};
pub use password::{PasswordError, Passwords};
pub use secret::{Secret, avatar_hash, digest};
pub use vault::{KEY_LENGTH, Vault, VaultError};
