//! Signatures that were made with SSH keys (`ssh-keygen -Y sign`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use ssh_key::{HashAlg, PublicKey, SshSig};
use tenon_domain::ssh_key::Fingerprint;

/// The namespace of signatures by Git.
const NAMESPACE: &str = "git";

/// A signature over some bytes.
#[derive(Debug)]
pub struct SshSignature(SshSig);

impl SshSignature {
    /// Reads an armored signature; `None` for all other texts.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        SshSig::from_pem(text.trim_end()).ok().map(Self)
    }

    /// The fingerprint of the key that has made it, by its own statement.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        let fingerprint = self.0.public_key().fingerprint(HashAlg::Sha256);
        Fingerprint::Sha256(STANDARD_NO_PAD.encode(fingerprint.as_bytes()))
    }

    /// True if that key has made the signature over `content`, for Git. Signatures of DSA keys, and of RSA keys of more than
    /// 4,096 bits, cannot be checked: they count as not made.
    #[must_use]
    pub fn is_over(&self, content: &[u8]) -> bool {
        PublicKey::from(self.0.public_key().clone()).verify(NAMESPACE, content, &self.0).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use tenon_testkit::keys;

    use super::*;
    use crate::parse_ssh_key;

    #[test]
    fn a_signature_is_checked_by_the_key_in_it() {
        for (commit, key) in [
            (keys::BY_ED25519, keys::ED25519),
            (keys::BY_ECDSA_256, keys::ECDSA_256),
            (keys::BY_RSA_2048, keys::RSA_2048),
        ] {
            let (before, rest) = commit.split_once("gpgsig ").unwrap();
            let (signature, after) = rest.split_once("\n\n").unwrap();
            let signature = SshSignature::parse(&signature.replace("\n ", "\n")).unwrap();
            let content = format!("{before}\n{after}");
            assert!(signature.is_over(content.as_bytes()), "{commit}");
            assert!(!signature.is_over(content.replace("Alice", "Bob").as_bytes()));
            let sha256 = parse_ssh_key(key).unwrap().sha256;
            assert_eq!(signature.fingerprint(), Fingerprint::Sha256(sha256));
        }
        for text in ["", "-----BEGIN SSH SIGNATURE-----", keys::ED25519, keys::BOB] {
            assert!(SshSignature::parse(text).is_none(), "{text}");
        }
    }
}
