//! The states that the signature of a commit can have.

use crate::gpg_key::KeyUserId;
use crate::id::UserId;
use crate::words::words;

words! {
    /// The state of a commit's signature.
    pub enum SignatureStatus {
        /// A user of this server has signed, under the address of the committer, which the user has confirmed.
        Verified = "verified",
        /// The signature does not fit the commit, or cannot be checked.
        Unverified = "unverified",
        /// The signer has confirmed the address of the committer, but the key does not name it.
        SameUserDifferentEmail = "same_user_different_email",
        /// The address of the committer is not the signer's.
        OtherUser = "other_user",
        /// The key names no address that its user has confirmed.
        UnverifiedKey = "unverified_key",
        /// No user has the key.
        UnknownKey = "unknown_key",
        /// There is more than one signature.
        MultipleSignatures = "multiple_signatures",
        /// The key was withdrawn.
        RevokedKey = "revoked_key",
    }
}

/// The user whose OpenPGP key made a signature.
#[derive(Debug, Clone, Copy)]
pub struct GpgSigner<'a> {
    /// Whom the key names.
    pub user_ids: &'a [KeyUserId],
    /// All addresses that the user has confirmed.
    pub confirmed: &'a [String],
    /// True if the key was withdrawn.
    pub revoked: bool,
    /// True if the signature fits the commit and was made while the key was good.
    pub is_good: bool,
}

impl GpgSigner<'_> {
    /// The state of the signature for a commit by the committer with this address, normalised.
    #[must_use]
    pub fn judge(&self, committer: &str) -> SignatureStatus {
        let is_confirmed = |email: &str| self.confirmed.iter().any(|known| known == email);
        let mut proved = self.user_ids.iter().filter(|id| is_confirmed(&id.email)).peekable();
        if proved.peek().is_none() {
            SignatureStatus::UnverifiedKey
        } else if self.revoked {
            SignatureStatus::RevokedKey
        } else if !self.is_good {
            SignatureStatus::Unverified
        } else if proved.any(|id| id.email == committer) {
            SignatureStatus::Verified
        } else if is_confirmed(committer) {
            SignatureStatus::SameUserDifferentEmail
        } else {
            SignatureStatus::OtherUser
        }
    }
}

/// The state of a signature by an SSH key: if it fits the commit, whose key that signs it is, and who has confirmed the
/// address of the committer.
#[must_use]
pub fn judge_ssh(is_good: bool, signer: Option<UserId>, committer: Option<UserId>) -> SignatureStatus {
    match signer {
        _ if !is_good => SignatureStatus::Unverified,
        None => SignatureStatus::UnknownKey,
        Some(signer) if committer == Some(signer) => SignatureStatus::Verified,
        Some(_) => SignatureStatus::OtherUser,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_proves_who_committed() {
        let ids = |emails: &[&str]| -> Vec<KeyUserId> {
            emails.iter().map(|email| KeyUserId { name: String::new(), email: (*email).to_owned() }).collect()
        };
        let own = ["a@b".to_owned(), "a@c".to_owned()];
        for (named, revoked, is_good, committer, want) in [
            (vec!["a@b"], false, true, "a@b", SignatureStatus::Verified),
            (vec!["x@y", "a@c"], false, true, "a@c", SignatureStatus::Verified),
            (vec!["a@b"], false, true, "a@c", SignatureStatus::SameUserDifferentEmail),
            (vec!["a@b", "x@y"], false, true, "x@y", SignatureStatus::OtherUser),
            (vec!["a@b"], false, true, "", SignatureStatus::OtherUser),
            (vec!["x@y"], false, true, "x@y", SignatureStatus::UnverifiedKey),
            (vec![""], false, true, "", SignatureStatus::UnverifiedKey),
            (vec![], true, false, "a@b", SignatureStatus::UnverifiedKey),
            (vec!["a@b"], false, false, "a@b", SignatureStatus::Unverified),
            (vec!["a@b"], true, true, "a@b", SignatureStatus::RevokedKey),
        ] {
            let signer = GpgSigner { user_ids: &ids(&named), confirmed: &own, revoked, is_good };
            assert_eq!(signer.judge(committer), want, "{named:?} {committer}");
        }
    }

    #[test]
    fn an_ssh_key_signs_for_its_user() {
        let (ada, bob) = (Some(UserId::new(1)), Some(UserId::new(2)));
        for (is_good, signer, committer, want) in [
            (true, ada, ada, SignatureStatus::Verified),
            (true, ada, bob, SignatureStatus::OtherUser),
            (true, ada, None, SignatureStatus::OtherUser),
            (true, None, ada, SignatureStatus::UnknownKey),
            (true, None, None, SignatureStatus::UnknownKey),
            (false, ada, ada, SignatureStatus::Unverified),
        ] {
            assert_eq!(judge_ssh(is_good, signer, committer), want);
        }
    }
}
