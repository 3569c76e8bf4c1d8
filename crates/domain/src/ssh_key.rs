//! SSH keys of users: what a new one has to be like.

use crate::field_errors::{BLANK, FieldErrors};
use crate::id::{SshKeyId, UserId};
use crate::time::Timestamp;
use crate::words::words;

/// The most characters of a key's text.
pub const MAX_TEXT: usize = 5_000;
/// The most bits of a key. Checking a signature of a longer one takes too long, and OpenSSH refuses it.
const MAX_BITS: u32 = 16_384;
/// The fewest bits of a new RSA key if no setting says otherwise. Shorter ones can be computed from their public
/// halves.
const LEAST_RSA: u32 = 2_048;

words! {
    /// The uses of a key.
    pub enum KeyUsage {
        /// Both.
        AuthAndSigning = "auth_and_signing",
        /// Git over SSH.
        Auth = "auth",
        /// Signatures of commits.
        Signing = "signing",
    }
}

/// A key of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshKey {
    /// Unique over the whole server.
    pub id: SshKeyId,
    /// Whose it is.
    pub user: UserId,
    /// The user's name for it; need not be unique.
    pub title: String,
    /// Type, key in Base64 and the first word of the comment.
    pub text: String,
    /// Its permitted use.
    pub usage: KeyUsage,
    /// From this moment on it is not used.
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When Git was last used with it, to the hour; `None` if it never was.
    pub last_used_at: Option<Timestamp>,
}

impl SshKey {
    /// As it is shown to others than its user: of its last use only the day is said.
    #[must_use]
    pub fn with_day_of_use(self) -> Self {
        let day = self.last_used_at.map(|at| at.date_naive().and_time(chrono::NaiveTime::MIN).and_utc());
        Self { last_used_at: day, ..self }
    }

    /// As it is shown to those who may not see what its user does.
    #[must_use]
    pub fn without_use(self) -> Self {
        Self { last_used_at: None, ..self }
    }

    /// True if Git over SSH may be used with it now.
    #[must_use]
    pub fn opens_git(&self, now: Timestamp) -> bool {
        let is_for_git = match self.usage {
            KeyUsage::AuthAndSigning | KeyUsage::Auth => true,
            KeyUsage::Signing => false,
        };
        is_for_git && self.expires_at.is_none_or(|end| now < end)
    }
}

/// The algorithm of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAlgorithm {
    /// RSA.
    Rsa,
    /// DSA.
    Dsa,
    /// ECDSA over a curve of NIST.
    Ecdsa,
    /// Ed25519.
    Ed25519,
    /// ECDSA of a security key.
    EcdsaSk,
    /// Ed25519 of a security key.
    Ed25519Sk,
}

/// A public key that could be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// Its algorithm.
    pub algorithm: KeyAlgorithm,
    /// Its length: of the modulus (RSA), of the prime (DSA), or of the curve.
    pub bits: u32,
    /// Type, key in Base64 and the first word of the comment.
    pub text: String,
    /// The MD5 of the key: 32 hexadecimal digits in lower case.
    pub md5: String,
    /// The SHA-256 of the key, in Base64 without padding.
    pub sha256: String,
}

/// How one looks for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fingerprint {
    /// 32 hexadecimal digits in lower case.
    Md5(String),
    /// Base64 without padding.
    Sha256(String),
}

impl Fingerprint {
    /// Reads `SHA256:<Base64>`, or 16 bytes in hexadecimal with colons between them, with or without `MD5:` before.
    /// `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(text) = text.strip_prefix("SHA256:") {
            // A plus sign that was not encoded has become a space.
            let text = text.trim_end_matches('=').replace(' ', "+");
            let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
            return (text.len() == 43 && text.bytes().all(is_base64)).then_some(Self::Sha256(text));
        }
        let text = text.strip_prefix("MD5:").unwrap_or(text);
        let bytes: Vec<&str> = text.split(':').collect();
        let is_byte = |byte: &&str| byte.len() == 2 && byte.bytes().all(|digit| digit.is_ascii_hexdigit());
        (bytes.len() == 16 && bytes.iter().all(is_byte)).then(|| Self::Md5(bytes.concat().to_lowercase()))
    }
}

/// Which keys of an algorithm are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRestriction {
    /// None.
    Forbidden,
    /// Those of so many bits or more; 0 for all, but for new RSA keys of fewer than 2,048.
    AtLeast(u32),
}

impl KeyRestriction {
    /// The meaning of a setting's number: -1 forbids the algorithm, another one is the least number of bits.
    #[must_use]
    pub fn from_setting(number: i64) -> Self {
        u32::try_from(number).map_or(Self::Forbidden, Self::AtLeast)
    }
}

/// Which keys are accepted, new ones and for Git over SSH: the settings `*_key_restriction`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyRestrictions {
    /// `rsa_key_restriction`.
    pub rsa: KeyRestriction,
    /// `dsa_key_restriction`.
    pub dsa: KeyRestriction,
    /// `ecdsa_key_restriction`.
    pub ecdsa: KeyRestriction,
    /// `ed25519_key_restriction`.
    pub ed25519: KeyRestriction,
    /// `ecdsa_sk_key_restriction`.
    pub ecdsa_sk: KeyRestriction,
    /// `ed25519_sk_key_restriction`.
    pub ed25519_sk: KeyRestriction,
}

impl KeyRestrictions {
    const fn of(&self, algorithm: KeyAlgorithm) -> KeyRestriction {
        match algorithm {
            KeyAlgorithm::Rsa => self.rsa,
            KeyAlgorithm::Dsa => self.dsa,
            KeyAlgorithm::Ecdsa => self.ecdsa,
            KeyAlgorithm::Ed25519 => self.ed25519,
            KeyAlgorithm::EcdsaSk => self.ecdsa_sk,
            KeyAlgorithm::Ed25519Sk => self.ed25519_sk,
        }
    }

    /// The names of the algorithms that are accepted. Those of security keys are not named: few users have one.
    #[must_use]
    pub fn accepted(&self) -> Vec<&'static str> {
        [(self.rsa, "RSA"), (self.dsa, "DSA"), (self.ecdsa, "ECDSA"), (self.ed25519, "ED25519")]
            .into_iter()
            .filter_map(|(restriction, name)| (restriction != KeyRestriction::Forbidden).then_some(name))
            .collect()
    }

    /// `type is forbidden. Must be RSA, ECDSA, or ED25519`, with the algorithms that are accepted.
    fn forbidden_type(&self) -> String {
        let list = match self.accepted().as_slice() {
            [] => return "type is forbidden".to_owned(),
            [one] => (*one).to_owned(),
            [one, other] => format!("{one} or {other}"),
            [first @ .., last] => format!("{}, or {last}", first.join(", ")),
        };
        format!("type is forbidden. Must be {list}")
    }

    /// Why a key that could be read is not added: `must be at least 2048 bits`. `None` if it is.
    fn refusal_of_new(&self, key: &PublicKey) -> Option<String> {
        let restriction = match (self.of(key.algorithm), key.algorithm) {
            (KeyRestriction::AtLeast(0), KeyAlgorithm::Rsa) => KeyRestriction::AtLeast(LEAST_RSA),
            (restriction, _) => restriction,
        };
        self.refusal_by(restriction, key)
    }

    /// Why a key that was added does not open Git. `None` if it does.
    #[must_use]
    pub fn refusal(&self, key: &PublicKey) -> Option<String> {
        self.refusal_by(self.of(key.algorithm), key)
    }

    fn refusal_by(&self, restriction: KeyRestriction, key: &PublicKey) -> Option<String> {
        match restriction {
            KeyRestriction::Forbidden => Some(self.forbidden_type()),
            KeyRestriction::AtLeast(least) if key.bits < least => Some(format!("must be at least {least} bits")),
            KeyRestriction::AtLeast(_) if key.bits > MAX_BITS => Some(format!("must be at most {MAX_BITS} bits")),
            KeyRestriction::AtLeast(_) => None,
        }
    }
}

/// The problems of a new key, taken ones aside: `text` is the given text, `key` the key that could be read of it.
/// `text` is what was given, `key` what could be read of it.
#[must_use]
pub fn check(title: &str, text: &str, key: Option<&PublicKey>, restrictions: &KeyRestrictions) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.present("title", title);
    errors.at_most(255, "title", title);
    let text = text.trim();
    errors.require(!text.is_empty(), "key", BLANK);
    errors.at_most(MAX_TEXT, "key", text);
    let is_public = ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"].iter().any(|prefix| text.starts_with(prefix));
    errors.require(is_public, "key", "is invalid");
    match key {
        Some(key) => {
            if let Some(text) = restrictions.refusal_of_new(key) {
                errors.add("key", text);
            }
        }
        // A text that is too long is not read.
        None if text.chars().count() > MAX_TEXT => {}
        None => {
            errors.add("key", restrictions.forbidden_type());
            errors.add("fingerprint", "cannot be generated");
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORBIDDEN: &str = "type is forbidden. Must be RSA, DSA, ECDSA, or ED25519";

    /// Of RSA, DSA, ECDSA, Ed25519, and the two kinds of security keys.
    fn from(numbers: [i64; 6]) -> KeyRestrictions {
        let [rsa, dsa, ecdsa, ed25519, ecdsa_sk, ed25519_sk] = numbers.map(KeyRestriction::from_setting);
        KeyRestrictions { rsa, dsa, ecdsa, ed25519, ecdsa_sk, ed25519_sk }
    }

    fn key(algorithm: KeyAlgorithm, bits: u32) -> PublicKey {
        PublicKey { algorithm, bits, text: String::new(), md5: String::new(), sha256: String::new() }
    }

    fn said(errors: &FieldErrors) -> Vec<(&str, Vec<&str>)> {
        errors.iter().map(|(field, texts)| (field, texts.iter().map(String::as_str).collect())).collect()
    }

    #[test]
    fn every_rule_has_its_text() {
        let all = from([0; 6]);
        let good = key(KeyAlgorithm::Rsa, 2048);
        for (title, text, parsed, want) in [
            ("t", "ssh-rsa A".to_owned(), Some(&good), vec![]),
            ("", "ssh-rsa A".to_owned(), Some(&good), vec![("title", vec![BLANK])]),
            (
                "t",
                "ssh-rsa A".to_owned(),
                None,
                vec![("key", vec![FORBIDDEN]), ("fingerprint", vec!["cannot be generated"])],
            ),
            (
                "t",
                "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
                None,
                vec![("key", vec!["is invalid", FORBIDDEN]), ("fingerprint", vec!["cannot be generated"])],
            ),
            (
                "t",
                " ".to_owned(),
                None,
                vec![("key", vec![BLANK, "is invalid", FORBIDDEN]), ("fingerprint", vec!["cannot be generated"])],
            ),
            (
                "t",
                format!("ssh-rsa {}", "A".repeat(MAX_TEXT)),
                None,
                vec![("key", vec!["is too long (maximum is 5000 characters)"])],
            ),
        ] {
            assert_eq!(said(&check(title, &text, parsed, &all)), want, "{text:.40}");
        }
        let long = check(&"t".repeat(256), "ssh-rsa A", Some(&good), &all);
        assert_eq!(said(&long), [("title", vec!["is too long (maximum is 255 characters)"])]);
    }

    #[test]
    fn settings_restrict_algorithms_and_lengths() {
        for (restrictions, algorithm, bits, want) in [
            (from([0, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 2048, None),
            (from([0, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 2047, Some("must be at least 2048 bits")),
            (from([1024, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 1024, None),
            (from([3072, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 2048, Some("must be at least 3072 bits")),
            (from([2048, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 2048, None),
            (from([2048, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 1024, Some("must be at least 2048 bits")),
            (from([0, 0, 384, 0, 0, 0]), KeyAlgorithm::Ecdsa, 256, Some("must be at least 384 bits")),
            (from([-1, -1, 0, 0, 0, 0]), KeyAlgorithm::Dsa, 1024, Some("type is forbidden. Must be ECDSA or ED25519")),
            (
                from([-1, 0, 0, 0, 0, 0]),
                KeyAlgorithm::Rsa,
                4096,
                Some("type is forbidden. Must be DSA, ECDSA, or ED25519"),
            ),
            (from([-1, -1, -1, 0, 0, 0]), KeyAlgorithm::Rsa, 4096, Some("type is forbidden. Must be ED25519")),
            (from([-1, -1, -1, -1, 0, 0]), KeyAlgorithm::Ed25519, 256, Some("type is forbidden")),
            (from([0, 0, 0, 0, -1, 0]), KeyAlgorithm::EcdsaSk, 256, Some(FORBIDDEN)),
            (from([0, 0, 0, -1, 0, 256]), KeyAlgorithm::Ed25519Sk, 256, None),
            (from([0, 0, 0, 0, 0, 0]), KeyAlgorithm::Rsa, 16_385, Some("must be at most 16384 bits")),
        ] {
            let errors = check("t", "ssh-x", Some(&key(algorithm, bits)), &restrictions);
            let want: Vec<_> = want.into_iter().map(|text| ("key", vec![text])).collect();
            assert_eq!(said(&errors), want, "{algorithm:?} {bits}");
        }
    }

    #[test]
    fn a_short_key_that_was_added_before_opens_git_until_a_setting_says_otherwise() {
        let short = key(KeyAlgorithm::Rsa, 1024);
        assert_eq!(from([0; 6]).refusal(&short), None);
        assert!(from([2048, 0, 0, 0, 0, 0]).refusal(&short).is_some());
    }

    #[test]
    fn fingerprints_are_read_in_each_spelling() {
        let md5 = "ba:81:59:68:d7:6c:cd:c5:63:66:7f:a9:2b:e1:e4:91";
        let plain = Some(Fingerprint::Md5(md5.replace(':', "")));
        for text in [md5.to_owned(), format!("MD5:{md5}"), md5.to_uppercase()] {
            assert_eq!(Fingerprint::parse(&text), plain, "{text}");
        }
        let sha256 = "nUhzNyftwADy8AH3wFY31tAKs7HufskYTte2aXo/lCg";
        assert_eq!(Fingerprint::parse(&format!("SHA256:{sha256}=")), Some(Fingerprint::Sha256(sha256.to_owned())));
        for text in ["", "SHA256:", "SHA256:abc", sha256, "ba:81", "MD5:", "zz", &md5.replace(':', "")] {
            assert_eq!(Fingerprint::parse(text), None, "{text}");
        }
    }
}
