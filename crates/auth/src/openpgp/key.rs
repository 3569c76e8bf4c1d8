//! Public keys.

use std::cmp::Reverse;

use pgp::composed::SignedPublicSubKey;
use pgp::errors::Result as PgpResult;
use pgp::packet::{KeyFlags, PublicKey, Signature, SignatureType};
use pgp::types::{KeyDetails, SignedUser, Tag};
use tenon_domain::gpg_key::{GpgKeyProblem, KeyPart, KeyUserId, PublicGpgKey};
use tenon_domain::time::Timestamp;

use super::{digits, keyid, moment, parse};

/// Bounds on the check of one key.
#[derive(Debug, Clone, Copy)]
pub struct GpgKeyLimits {
    /// The most user ids, and the most subkeys.
    pub parts: usize,
    /// The most signatures that are checked.
    pub checks: usize,
}

/// Reads an armored public key. Checks the signatures by which it names people and subkeys.
///
/// # Errors
/// If the block cannot be read, holds more than one key, or has more parts than `limits` allow.
pub fn read_gpg_key(text: &str, limits: &GpgKeyLimits) -> Result<PublicGpgKey, GpgKeyProblem> {
    let key = parse(text).ok_or(GpgKeyProblem::Unreadable)?;
    if key.details.users.len() > limits.parts || key.public_subkeys.len() > limits.parts {
        return Err(GpgKeyProblem::TooMuch);
    }
    let mut checker = Checker { primary: &key.primary_key, left: limits.checks };
    let mut named = Vec::new();
    let is_direct = |it: SignatureType| it == SignatureType::Key;
    let direct = &key.details.direct_signatures;
    let mut latest = checker.newest(direct, is_direct, Signature::verify_key)?;
    for user in &key.details.users {
        let Some(certification) = checker.certification(user)? else { continue };
        if latest.is_none_or(|known| created(known) <= created(certification)) {
            latest = Some(certification);
        }
        named.extend(user.id.as_str().map(KeyUserId::parse));
    }
    let revocations = &key.details.revocation_signatures;
    let is_revocation = |it: SignatureType| it == SignatureType::KeyRevocation;
    let revoked = checker.newest(revocations, is_revocation, Signature::verify_key)?.is_some();
    let mut subkeys = Vec::new();
    for subkey in &key.public_subkeys {
        subkeys.extend(checker.signing_subkey(subkey)?);
    }
    Ok(PublicGpgKey {
        primary: part(&key.primary_key, latest, revoked).ok_or(GpgKeyProblem::Unreadable)?,
        // A key without a statement of its purpose may be used for everything.
        can_sign: latest.is_none_or(|latest| {
            let flags = latest.key_flags();
            flags.sign() || flags == KeyFlags::default()
        }),
        user_ids: named,
        subkeys,
    })
}

fn created(signature: &Signature) -> u32 {
    signature.created().map_or(0, pgp::types::Timestamp::as_secs)
}

/// A key, with the end that the signature over it states.
fn part(key: &impl KeyDetails, signature: Option<&Signature>, revoked: bool) -> Option<KeyPart> {
    let fingerprint = key.fingerprint();
    let lasts = signature.and_then(Signature::key_expiration_time).map_or(0, pgp::types::Duration::as_secs);
    let end = u64::from(key.created_at().as_secs()) + u64::from(lasts);
    let expires_at: Option<Timestamp> = if lasts == 0 { None } else { moment(end) };
    Some(KeyPart { keyid: keyid(&fingerprint)?, fingerprint: digits(&fingerprint), revoked, expires_at })
}

/// Checks at most a number of signatures of the primary key.
struct Checker<'k> {
    primary: &'k PublicKey,
    left: usize,
}

impl Checker<'_> {
    fn passes(&mut self, check: impl FnOnce(&PublicKey) -> PgpResult<()>) -> Result<bool, GpgKeyProblem> {
        self.left = self.left.checked_sub(1).ok_or(GpgKeyProblem::TooMuch)?;
        Ok(check(self.primary).is_ok())
    }

    /// True if the primary key may have made this signature, by the statements in the signature.
    fn may_be_own(&self, signature: &Signature) -> bool {
        let (ids, fingerprints) = (signature.issuer_key_id(), signature.issuer_fingerprint());
        (ids.is_empty() && fingerprints.is_empty())
            || ids.contains(&&self.primary.legacy_key_id())
            || fingerprints.contains(&&self.primary.fingerprint())
    }

    /// The newest signature of a type that the primary key has made.
    fn newest<'s>(
        &mut self,
        signatures: &'s [Signature],
        is_wanted: impl Fn(SignatureType) -> bool,
        check: impl Fn(&Signature, &PublicKey) -> PgpResult<()>,
    ) -> Result<Option<&'s Signature>, GpgKeyProblem> {
        let own = |it: &&Signature| it.typ().is_some_and(&is_wanted) && self.may_be_own(it);
        let mut candidates: Vec<&Signature> = signatures.iter().filter(own).collect();
        candidates.sort_by_key(|it| Reverse(created(it)));
        for signature in candidates {
            if self.passes(|primary| check(signature, primary))? {
                return Ok(Some(signature));
            }
        }
        Ok(None)
    }

    /// The signature by which the key names a user, unless it was withdrawn later.
    fn certification<'u>(&mut self, user: &'u SignedUser) -> Result<Option<&'u Signature>, GpgKeyProblem> {
        let check = |it: &Signature, by: &PublicKey| it.verify_certification(by, Tag::UserId, &user.id);
        let is_certification = |it: SignatureType| {
            matches!(
                it,
                SignatureType::CertGeneric
                    | SignatureType::CertPersona
                    | SignatureType::CertCasual
                    | SignatureType::CertPositive
            )
        };
        let named = self.newest(&user.signatures, is_certification, check)?;
        let is_revocation = |it: SignatureType| it == SignatureType::CertRevocation;
        let withdrawn = self.newest(&user.signatures, is_revocation, check)?;
        Ok(named.filter(|named| withdrawn.is_none_or(|withdrawn| created(withdrawn) < created(named))))
    }

    /// A subkey, if it may sign. It must have signed in turn that it belongs to the primary key. Otherwise a key could name the
    /// subkeys of another.
    fn signing_subkey(&mut self, subkey: &SignedPublicSubKey) -> Result<Option<KeyPart>, GpgKeyProblem> {
        let check = |it: &Signature, by: &PublicKey| it.verify_subkey_binding(by, &subkey.key);
        let is_binding = |it: SignatureType| it == SignatureType::SubkeyBinding;
        let Some(binding) = self.newest(&subkey.signatures, is_binding, check)? else { return Ok(None) };
        let back = binding.embedded_signature().filter(|_| binding.key_flags().sign());
        let Some(back) = back else { return Ok(None) };
        if !self.passes(|primary| back.verify_primary_key_binding(&subkey.key, primary))? {
            return Ok(None);
        }
        let is_revocation = |it: SignatureType| it == SignatureType::SubkeyRevocation;
        let revoked = self.newest(&subkey.signatures, is_revocation, check)?.is_some();
        Ok(part(&subkey.key, Some(binding), revoked))
    }
}
