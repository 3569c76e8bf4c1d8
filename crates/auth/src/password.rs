//! Passwords: argon2id, as PHC strings.

use std::sync::OnceLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::Entropy;

/// A password could not be hashed.
#[derive(Debug, thiserror::Error)]
#[error("the password cannot be hashed: {0}")]
pub struct PasswordError(String);

/// Hashes and checks passwords. Slow on purpose: never call it on a thread that others wait for.
#[derive(Default)]
pub struct Passwords {
    argon2: Argon2<'static>,
    dummy_hash: OnceLock<String>,
}

impl Passwords {
    /// As cheap as the algorithm allows: for tests, which hash thousands of passwords that protect nothing.
    #[must_use]
    pub fn quick() -> Self {
        let params = Params::new(Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST, None).unwrap_or_default();
        Self { argon2: Argon2::new(Algorithm::default(), Version::default(), params), dummy_hash: OnceLock::new() }
    }

    /// The digest to store for `password`.
    ///
    /// # Errors
    /// If the algorithm refuses it: passwords of 4 GiB and more.
    pub fn hash(&self, entropy: &dyn Entropy, password: &str) -> Result<String, PasswordError> {
        let mut salt = [0_u8; 16];
        entropy.fill(&mut salt);
        let hash = self
            .argon2
            .hash_password_with_salt(password.as_bytes(), &salt)
            .map_err(|error| PasswordError(error.to_string()))?;
        Ok(hash.to_string())
    }

    /// True if `password` is the one behind `digest`. For an account without a digest, or no account at all, a dummy hash is
    /// checked, so that the time of the answer says nothing.
    pub fn verify(&self, password: &str, digest: Option<&str>) -> bool {
        let dummy_hash = || {
            let made = self.argon2.hash_password_with_salt(b"no account has this password", &[7; 16]);
            made.map(|hash| hash.to_string()).unwrap_or_default()
        };
        let known = digest.unwrap_or_else(|| self.dummy_hash.get_or_init(dummy_hash));
        let matches =
            PasswordHash::new(known).is_ok_and(|hash| self.argon2.verify_password(password.as_bytes(), &hash).is_ok());
        matches && digest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemEntropy;

    #[test]
    fn the_default_costs_what_is_recommended_and_quick_is_only_for_tests() {
        let cost = |passwords: Passwords| passwords.hash(&SystemEntropy, "correct horse").unwrap();
        assert!(cost(Passwords::default()).contains("m=19456,t=2,p=1"));
        assert!(cost(Passwords::quick()).contains("m=8,t=1,p=1"));
    }

    #[test]
    fn only_the_right_password_opens() {
        let passwords = Passwords::default();
        let digest = passwords.hash(&SystemEntropy, "correct horse").unwrap();
        assert!(digest.starts_with("$argon2id$"));
        assert!(passwords.verify("correct horse", Some(&digest)));
        assert!(!passwords.verify("battery staple", Some(&digest)));
        assert!(!passwords.verify("no account has this password", None));
        assert!(!passwords.verify("x", Some("not a digest")));
    }
}
