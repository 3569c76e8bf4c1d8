//! Deploy keys: SSH keys that open projects, and belong to no account.

use crate::id::{DeployKeyId, UserId};
use crate::time::Timestamp;

/// A key that opens projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployKey {
    /// Unique over the whole server.
    pub id: DeployKeyId,
    /// Who has added it; `None` if that account is gone.
    pub owner: Option<UserId>,
    /// Its title; need not be unique.
    pub title: String,
    /// Type, key in Base64 and the first word of the comment.
    pub text: String,
    /// 32 hexadecimal digits.
    pub md5: String,
    /// Base64 without padding.
    pub sha256: String,
    /// From this moment on it opens nothing.
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
}

impl DeployKey {
    /// True if it opens its projects now.
    #[must_use]
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// The fingerprint as 16 pairs of digits, as in `ee:0b:c2`.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digits: Vec<char> = self.md5.chars().collect();
        digits.chunks(2).map(|pair| pair.iter().collect::<String>()).collect::<Vec<_>>().join(":")
    }

    /// The fingerprint as OpenSSH writes it.
    #[must_use]
    pub fn fingerprint_sha256(&self) -> String {
        format!("SHA256:{}", self.sha256)
    }
}

/// A key as a project has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnabledKey {
    /// The key.
    pub key: DeployKey,
    /// True if it opens the project for pushes as well.
    pub can_push: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::TimeDelta;

    #[test]
    fn a_key_opens_nothing_from_the_moment_on_at_which_it_expires() {
        let now = Timestamp::UNIX_EPOCH;
        let key = |expires_at| DeployKey {
            id: DeployKeyId::new(1),
            owner: None,
            title: String::new(),
            text: String::new(),
            md5: "ee0bc2".to_owned(),
            sha256: "nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo".to_owned(),
            expires_at,
            created_at: now,
        };
        let second = TimeDelta::seconds(1);
        for (expires_at, want) in [(None, true), (Some(now + second), true), (Some(now), false), (Some(now - second), false)] {
            assert_eq!(key(expires_at).is_in_force(now), want, "{expires_at:?}");
        }
        assert_eq!(key(None).fingerprint(), "ee:0b:c2");
        assert_eq!(key(None).fingerprint_sha256(), "SHA256:nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo");
    }
}
