//! OpenPGP keys of users.

use crate::direction::turns_text;
use crate::field_errors::FieldErrors;
use crate::id::{GpgKeyId, GpgSubkeyId, UserId};
use crate::time::Timestamp;
use crate::user::normalise_email;

const BEGIN: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const END: &str = "-----END PGP PUBLIC KEY BLOCK-----";

/// A key of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpgKey {
    /// Unique over the whole server.
    pub id: GpgKeyId,
    /// Whose it is.
    pub user: UserId,
    /// The block that was given, without white space around it.
    pub text: String,
    /// When it was added.
    pub created_at: Timestamp,
}

/// A key as it was found in its block when it was added. Everything in it is proved by signatures of the primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicGpgKey {
    /// The primary key.
    pub primary: KeyPart,
    /// True if the primary key itself may sign.
    pub can_sign: bool,
    /// Whom the key names; revoked names are left out.
    pub user_ids: Vec<KeyUserId>,
    /// The subkeys that may sign.
    pub subkeys: Vec<KeyPart>,
}

/// A primary key or subkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPart {
    /// 40 or 64 hexadecimal digits in upper case.
    pub fingerprint: String,
    /// 16 of them, by which signatures name the key.
    pub keyid: String,
    /// True if it was withdrawn.
    pub revoked: bool,
    /// Signatures from this moment on do not count.
    pub expires_at: Option<Timestamp>,
}

/// A key that may have made a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// The key of the user.
    pub key: GpgKey,
    /// The id of its primary key.
    pub primary_keyid: String,
    /// The subkey that signs, if it is not the primary key.
    pub subkey: Option<GpgSubkeyId>,
    /// The key that signs. It counts as revoked also if the primary key is.
    pub part: KeyPart,
    /// Whom the key names.
    pub user_ids: Vec<KeyUserId>,
}

/// Whom a key names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyUserId {
    /// The name; empty if there is none.
    pub name: String,
    /// The address, as `normalise_email` makes it; empty if there is none.
    pub email: String,
}

impl KeyUserId {
    /// Reads `Ada Lovelace (comment) <ada@example.org>`. The comment is left out.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text: String = text.chars().filter(|c| !c.is_control() && !turns_text(*c)).collect();
        let address = |text: &str| if text.len() <= 254 { normalise_email(text) } else { String::new() };
        let (name, email) = match text.rsplit_once('<') {
            Some((name, rest)) if rest.trim_end().ends_with('>') => {
                (name, address(rest.trim_end().trim_end_matches('>')))
            }
            _ if text.contains('@') && !text.trim().contains(char::is_whitespace) => ("", address(&text)),
            _ => (text.as_str(), String::new()),
        };
        let name = name.split_once(" (").map_or(name, |(name, _)| name).trim();
        Self { name: name.chars().take(255).collect(), email }
    }
}

/// Why a block is no key that can be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GpgKeyProblem {
    /// It cannot be read, or holds more than one key.
    Unreadable,
    /// It has more user ids, subkeys or signatures than are read.
    TooMuch,
}

/// The problems of the text of a new key, which may have `most` characters.
#[must_use]
pub fn check_text(text: &str, most: usize) -> FieldErrors {
    let mut errors = FieldErrors::default();
    errors.at_most(most, "key", text);
    let inside = text.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
    let is_block = inside.is_some_and(|inside| !inside.is_empty() && !inside.contains(BEGIN) && !inside.contains(END));
    if !is_block {
        errors.add("key", format!("is invalid. A valid public GPG key begins with '{BEGIN}' and ends with '{END}'"));
    }
    errors
}

impl GpgKeyProblem {
    /// The errors that report it.
    #[must_use]
    pub fn errors(self) -> FieldErrors {
        match self {
            Self::Unreadable => {
                let mut errors = FieldErrors::of("fingerprint", crate::field_errors::BLANK);
                errors.add("primary_keyid", crate::field_errors::BLANK);
                errors
            }
            Self::TooMuch => FieldErrors::of("key", "has too many user ids, subkeys or signatures"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_id_is_a_name_and_an_address() {
        for (text, name, email) in [
            ("Ada Lovelace <Ada@Example.org>", "Ada Lovelace", "ada@example.org"),
            ("Ada (work) <ada@example.org>", "Ada", "ada@example.org"),
            ("<ada@example.org>", "", "ada@example.org"),
            ("ada@example.org", "", "ada@example.org"),
            ("Ada", "Ada", ""),
            ("Ada @ home", "Ada @ home", ""),
            ("A\u{202e}da\u{7} <ada@example.org>", "Ada", "ada@example.org"),
            ("", "", ""),
            ("a <b> <c@d.e> ", "a <b>", "c@d.e"),
        ] {
            assert_eq!(
                KeyUserId::parse(text),
                KeyUserId { name: name.to_owned(), email: email.to_owned() },
                "{text:?}"
            );
        }
    }

    #[test]
    fn exactly_one_block_of_a_public_key_is_accepted() {
        let block = format!("{BEGIN}\n\nabc\n{END}");
        assert!(check_text(&block, 1_000).is_empty());
        let invalid = "is invalid. A valid public GPG key begins with '-----BEGIN PGP PUBLIC KEY BLOCK-----' \
                       and ends with '-----END PGP PUBLIC KEY BLOCK-----'";
        for text in [
            String::new(),
            format!("x{block}"),
            format!("{block}x"),
            format!("{block}\n{block}"),
            format!("{BEGIN}{END}"),
            block.replace("PUBLIC", "PRIVATE"),
        ] {
            assert_eq!(check_text(&text, 1_000), FieldErrors::of("key", invalid), "{text}");
        }
        assert_eq!(check_text(&block, 10), FieldErrors::of("key", "is too long (maximum is 10 characters)"));
    }
}
