//! Public keys of SSH, as `ssh-keygen` writes them into a file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use md5::Md5;
use sha2::{Digest, Sha256};
use ssh_key::public::KeyData;
use ssh_key::{EcdsaCurve, Mpint};
use tenon_domain::ssh_key::{KeyAlgorithm, MAX_TEXT, PublicKey};

/// The most pieces of a key, separated by white space: each is tried as the end of the key.
const PIECES: usize = 128;

/// Reads a public key. Line breaks within its Base64 are left out. Only the first word of the comment is kept. `None` for all
/// other texts: private keys, certificates, keys with options before them, unknown algorithms.
#[must_use]
pub fn parse_ssh_key(text: &str) -> Option<PublicKey> {
    if text.len() > 4 * MAX_TEXT || text.trim().chars().count() > MAX_TEXT {
        return None;
    }
    let pieces: Vec<&str> = text.split_whitespace().collect();
    let (name, rest) = pieces.split_first()?;
    if pieces.len() > PIECES {
        return None;
    }
    let mut line = format!("{name} ");
    for (at, piece) in rest.iter().enumerate() {
        line.push_str(piece);
        let Ok(key) = ssh_key::PublicKey::from_openssh(&line) else { continue };
        let (algorithm, bits) = kind(key.key_data())?;
        let bytes = key.to_bytes().ok()?;
        let mut text = key.to_openssh().ok()?.trim_end().to_owned();
        if let Some(comment) = rest.get(at + 1).filter(|comment| is_printable(comment)) {
            text.extend([" ", comment]);
        }
        let (md5, sha256) = (hex::encode(Md5::digest(&bytes)), STANDARD_NO_PAD.encode(Sha256::digest(&bytes)));
        return Some(PublicKey { algorithm, bits, text, md5, sha256 });
    }
    None
}

/// True if the comment changes nothing about the line that it stands in.
fn is_printable(comment: &str) -> bool {
    !comment.chars().any(|c| c.is_control() || tenon_domain::direction::turns_text(c))
}

/// The algorithm and the length of a key; `None` if it cannot be used.
fn kind(key: &KeyData) -> Option<(KeyAlgorithm, u32)> {
    match key {
        KeyData::Rsa(key) => Some((KeyAlgorithm::Rsa, bits(&key.n)?)),
        KeyData::Dsa(key) => Some((KeyAlgorithm::Dsa, bits(&key.p)?)),
        KeyData::Ecdsa(key) => Some((
            KeyAlgorithm::Ecdsa,
            match key.curve() {
                EcdsaCurve::NistP256 => 256,
                EcdsaCurve::NistP384 => 384,
                EcdsaCurve::NistP521 => 521,
            },
        )),
        KeyData::Ed25519(_) => Some((KeyAlgorithm::Ed25519, 256)),
        KeyData::SkEcdsaSha2NistP256(_) => Some((KeyAlgorithm::EcdsaSk, 256)),
        KeyData::SkEd25519(_) => Some((KeyAlgorithm::Ed25519Sk, 256)),
        // Algorithms that are unknown here, or that a later version of the library will know.
        _ => None,
    }
}

/// The length of a positive number.
fn bits(number: &Mpint) -> Option<u32> {
    let bytes = number.as_positive_bytes()?;
    let first = bytes.first().filter(|first| **first > 0)?;
    let length = u32::try_from(bytes.len()).ok()?;
    length.checked_mul(8)?.checked_sub(first.leading_zeros())
}

#[cfg(test)]
mod tests {
    use tenon_testkit::keys;

    use super::*;

    #[test]
    fn keys_are_read_with_their_length_and_fingerprints() {
        use KeyAlgorithm::{Dsa, Ecdsa, Ed25519, Ed25519Sk, Rsa};
        for (text, algorithm, bits, md5, sha256) in [
            (
                keys::DSA_1024,
                Dsa,
                1024,
                "11ed85506da89cb4e5688df5eacb75c8",
                "HlwQqBf8J/clz6OOyslxu3vNzPEzW0zwHrpvP6wVZ6Y",
            ),
            (
                keys::RSA_2048,
                Rsa,
                2048,
                "47fe97e4b5b739d9ac886f5356b7518e",
                "tNzbEaQ6C/02GS7/0GWB0NfMs7rDpNMHdhshHpmeZiA",
            ),
            (
                keys::RSA_1024,
                Rsa,
                1024,
                "e788e6d060761bd39bd4054ca853f739",
                "/CBCUzpH8WoK27FWHBn8vlrIyKEho2URf6hCwpRwgcs",
            ),
            (
                keys::ECDSA_256,
                Ecdsa,
                256,
                "948d0ec7deb36b57810f617084011c6e",
                "FRVpxnTeH3mE7JnI8j8okCcn3lAwFT2riUyzKMMHH4k",
            ),
            (
                keys::ECDSA_384,
                Ecdsa,
                384,
                "9899c7d6a1a0087e5c6feedaa6860250",
                "PMA1JC3qeGdqSUhE2chNZVmK9hoaJ9LAPEaK2ew7YOc",
            ),
            (
                keys::ECDSA_521,
                Ecdsa,
                521,
                "4f35c0dbac1b357cf9a6a8ed1b7c116e",
                "lfC10gPDxOac4ggnkhqgY5UIsrRDwpD0dr/Xet72ykA",
            ),
            (
                keys::ED25519,
                Ed25519,
                256,
                "c0690d3f41075dd7ed65965f3bc9251a",
                "xYiFBUUb6WWn57kprrEMNuZr9Hxe+2qBlitvWsy6cOk",
            ),
            (
                keys::ED25519_SK,
                Ed25519Sk,
                256,
                "5c180794088b451264129958eb3c2c3e",
                "AjcZnnzTasGTkn6SvkeH1F0/O783xQ/AcLcgbB9icVM",
            ),
        ] {
            let key = parse_ssh_key(text).unwrap();
            assert_eq!((key.algorithm, key.bits), (algorithm, bits), "{text}");
            assert_eq!((key.md5.as_str(), key.sha256.as_str()), (md5, sha256), "{text}");
            assert_eq!(key.text, keys::stored(text));
        }
    }

    #[test]
    fn line_breaks_and_all_but_a_word_of_the_comment_are_left_out() {
        let (name, rest) = keys::ED25519.split_once(' ').unwrap();
        let (base64, _) = rest.split_once(' ').unwrap();
        let plain = format!("{name} {base64}");
        let (first, second) = base64.split_at(30);
        for (text, want) in [
            (format!(" {plain}\n"), plain.clone()),
            (format!("{name}\t{first}\r\n {second}  a b c"), format!("{plain} a")),
            (format!("{plain} a\u{1b}[2Jb c"), plain.clone()),
            (format!("{plain} \u{202e}b"), plain.clone()),
        ] {
            assert_eq!(parse_ssh_key(&text).map(|key| key.text), Some(want), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_no_key() {
        let key = keys::ED25519;
        let (name, rest) = key.split_once(' ').unwrap();
        let short = rest.get(..40).unwrap();
        // RSA with a modulus of zero, and with a negative one.
        let rsa = |modulus: &str| format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB{modulus}");
        let many = format!("{name} {}", rest.chars().map(|c| format!("{c} ")).collect::<String>()).repeat(20);
        for text in [
            "",
            "ssh-ed25519",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----",
            &format!("command=\"sh\" {key}"),
            &format!("no-pty {key}"),
            &format!("ssh-rsa {rest}"),
            &format!("{name} {short}"),
            &format!("ssh-ed25519-cert-v01@openssh.com {rest}"),
            &format!("{name} {}", "A".repeat(MAX_TEXT)),
            &rsa("AAAAAA=="),
            &rsa("AAAAAf8="),
            &many,
        ] {
            assert_eq!(parse_ssh_key(text), None, "{text:.60}");
        }
    }
}
