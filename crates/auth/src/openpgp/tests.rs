//! Keys and signatures of `gpg`.

use tenon_domain::gpg_key::{GpgKeyProblem, KeyUserId};
use tenon_testkit::keys;

use super::*;

const LIMITS: GpgKeyLimits = GpgKeyLimits { parts: 10, checks: 50 };

/// The signature of a commit, and the bytes that it signs.
fn split(commit: &str) -> (String, String) {
    let (mut signature, mut content, mut inside) = (String::new(), String::new(), false);
    for line in commit.split_inclusive('\n') {
        match line.strip_prefix("gpgsig ") {
            Some(first) => {
                inside = true;
                signature.push_str(first);
            }
            None if inside && line.starts_with(' ') => signature.push_str(line.strip_prefix(' ').unwrap()),
            None => {
                inside = false;
                content.push_str(line);
            }
        }
    }
    (signature, content)
}

fn signature(commit: &str) -> (GpgSignature, String) {
    let (text, content) = split(commit);
    match GpgSignatureText::parse(&text) {
        GpgSignatureText::One(signature) => (*signature, content),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_key_names_people_and_subkeys() {
    let key = read_gpg_key(keys::ALICE, &LIMITS).unwrap();
    assert_eq!(key.primary.fingerprint, "06D9242B9FA5C19DAB34D31C5843036532E1F8A4");
    assert_eq!(key.primary.keyid, "5843036532E1F8A4");
    assert_eq!((key.primary.revoked, key.primary.expires_at, key.can_sign), (false, None, true));
    let mut emails: Vec<&str> = key.user_ids.iter().map(|id| id.email.as_str()).collect();
    emails.sort_unstable();
    assert_eq!(emails, ["alice@example.org", "alice@work.example"]);
    assert!(key.user_ids.contains(&KeyUserId { name: "Alice".to_owned(), email: "alice@example.org".to_owned() }));
    let fingerprints: Vec<&str> = key.subkeys.iter().map(|it| it.fingerprint.as_str()).collect();
    assert_eq!(fingerprints, ["D308692C2D85C936E561B9E9186F6C62B3B115F3"]);
}

#[test]
fn the_end_and_the_withdrawal_of_a_key_are_known() {
    let carol = read_gpg_key(keys::CAROL, &LIMITS).unwrap();
    assert_eq!(carol.primary.expires_at, "2026-02-01T00:00:00Z".parse().ok());
    assert!(!read_gpg_key(keys::DAVE, &LIMITS).unwrap().primary.revoked);
    assert!(read_gpg_key(keys::DAVE_REVOKED, &LIMITS).unwrap().primary.revoked);
}

#[test]
fn what_is_no_key_is_refused() {
    let broken = keys::BOB.replacen("mDME", "xDME", 1);
    let cut: String = keys::ALICE.lines().take(8).map(|line| format!("{line}\n")).collect();
    let secret_in_disguise = keys::BOB_SECRET.replace("PRIVATE", "PUBLIC");
    for text in ["", "x", broken.as_str(), &cut, &secret_in_disguise, keys::BOB_SECRET, keys::BY_BOB] {
        assert_eq!(read_gpg_key(text, &LIMITS), Err(GpgKeyProblem::Unreadable), "{text}");
    }
    for limits in [GpgKeyLimits { parts: 1, ..LIMITS }, GpgKeyLimits { checks: 3, ..LIMITS }] {
        assert_eq!(read_gpg_key(keys::ALICE, &limits), Err(GpgKeyProblem::TooMuch));
    }
}

#[test]
fn a_signature_is_checked_by_the_key_that_made_it() {
    let primary = "06D9242B9FA5C19DAB34D31C5843036532E1F8A4";
    let subkey = "D308692C2D85C936E561B9E9186F6C62B3B115F3";
    for (commit, block, fingerprint, want) in [
        (keys::BY_PRIMARY, keys::ALICE, primary, true),
        (keys::BY_SUBKEY, keys::ALICE, subkey, true),
        (keys::BY_SUBKEY, keys::ALICE, primary, false),
        (keys::BY_PRIMARY, keys::ALICE, subkey, false),
        (keys::BY_BOB, keys::BOB, "7C4499567777DA7ABBA1F80DAC5179A5B61F19BE", true),
        (keys::BY_BOB, keys::ALICE, primary, false),
        (keys::BY_BOB, "no key", primary, false),
        (keys::BY_DAVE, keys::DAVE, "C84BA8B5F04475CDD402548AACBA3910C8E2A3A4", true),
    ] {
        let (signature, content) = signature(commit);
        assert_eq!(signature.is_by(block, fingerprint, content.as_bytes()), want, "{fingerprint}\n{commit}");
        assert_eq!(signature.made_at, "2026-01-15T00:00:00Z".parse::<Timestamp>().unwrap());
        assert!(!signature.is_by(block, fingerprint, b"anything else"));
    }
    let (by_subkey, _) = signature(keys::BY_SUBKEY);
    assert_eq!(by_subkey.keyid, "186F6C62B3B115F3");
    assert_eq!(by_subkey.fingerprint.as_deref(), Some(subkey));
}

#[test]
fn several_signatures_are_distinguished_from_one() {
    let (one, _) = split(keys::BY_BOB);
    assert!(matches!(GpgSignatureText::parse(&one.repeat(2)), GpgSignatureText::Several));
    for text in ["", "-----BEGIN PGP SIGNATURE-----", keys::BOB, keys::ED25519] {
        assert!(matches!(GpgSignatureText::parse(text), GpgSignatureText::Unreadable), "{text}");
    }
}
