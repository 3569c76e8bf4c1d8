//! Who has signed a commit.

use tenon_auth::{GpgSignature, GpgSignatureText, SshSignature};
use tenon_domain::commit_signature::{GpgSigner, SignatureStatus, judge_ssh};
use tenon_domain::gpg_key::{KeyUserId, SigningKey};
use tenon_domain::id::{GpgKeyId, GpgSubkeyId};
use tenon_domain::ssh_key::{Fingerprint, KeyUsage, SshKey};
use tenon_domain::user::normalise_email;
use tenon_git::commit::SignedCommit;
use tenon_storage::{gpg_key, ssh_key, user};

use crate::core::app::{App, Query};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::reference::Reference;
use crate::repository::read::context::{Code, RepositoryContext};

/// Keys with the same id that are tried for one signature. More than one is an accident, or made on purpose.
const CANDIDATES: i64 = 4;

/// The signature of a commit.
#[derive(Debug, Clone)]
pub enum CommitSignature {
    /// By an OpenPGP key.
    Gpg(GpgCommitSignature),
    /// By an SSH key.
    Ssh {
        /// The state of the signature.
        status: SignatureStatus,
        /// The key, if a user has it.
        key: Option<Box<SshKey>>,
    },
    /// By a certificate, which this server does not check.
    Certificate,
}

/// The signature of a commit by an OpenPGP key.
#[derive(Debug, Clone)]
pub struct GpgCommitSignature {
    /// The state of the signature.
    pub status: SignatureStatus,
    /// The key, if a user has it.
    pub key: Option<GpgKeyId>,
    /// The id of the primary key or, if no user has the key, of the one that the signature names.
    pub primary_keyid: Option<String>,
    /// Whom the key names under the address of the committer. Other names are not shown: their users may not publish them.
    pub user: Option<KeyUserId>,
    /// The subkey that has signed.
    pub subkey: Option<GpgSubkeyId>,
}

/// The signature as found, before anything is known about its key.
enum Signed {
    Gpg { text: GpgSignatureText, commit: SignedCommit },
    Ssh { fingerprint: Option<Fingerprint>, is_good: bool, committer: String },
    Certificate,
}

impl From<SignedCommit> for Signed {
    fn from(commit: SignedCommit) -> Self {
        let text = commit.signature.as_str();
        if text.starts_with("-----BEGIN SSH SIGNATURE-----") {
            let signature = SshSignature::parse(text);
            return Self::Ssh {
                is_good: signature.as_ref().is_some_and(|signature| signature.is_over(&commit.content)),
                fingerprint: signature.map(|signature| signature.fingerprint()),
                committer: normalise_email(&commit.committer_email),
            };
        }
        if text.starts_with("-----BEGIN SIGNED MESSAGE-----") {
            return Self::Certificate;
        }
        Self::Gpg { text: GpgSignatureText::parse(text), commit }
    }
}

/// The signature of a commit; 404 if it has none. It is judged by the keys that users have now.
pub async fn commit_signature(
    app: &App,
    identity: &Identity,
    project: Reference,
    revision: String,
) -> Result<CommitSignature, AppError> {
    signature_in(app, identity, app.readable(identity, project).await?, revision).await
}

/// As [`commit_signature`], for a page.
pub async fn commit_signature_of(
    app: &App,
    identity: &Identity,
    code: &Code,
    revision: String,
) -> Result<CommitSignature, AppError> {
    signature_in(app, identity, code.0.clone(), revision).await
}

async fn signature_in(
    app: &App,
    identity: &Identity,
    code: RepositoryContext,
    revision: String,
) -> Result<CommitSignature, AppError> {
    let work = move || {
        let id = code.commit_or(Some(&revision), Missing::Commit)?;
        Ok(code.repository.signed_commit(id)?.map(Signed::from))
    };
    match app.read_git(work).await?.ok_or(AppError::NotFound(Missing::Signature))? {
        Signed::Gpg { text: GpgSignatureText::One(signature), commit } => {
            gpg(app, identity, *signature, commit).await.map(CommitSignature::Gpg)
        }
        Signed::Gpg { text: GpgSignatureText::Several, .. } => {
            Ok(CommitSignature::Gpg(GpgCommitSignature::without_key(SignatureStatus::MultipleSignatures, None)))
        }
        Signed::Gpg { text: GpgSignatureText::Unreadable, .. } => {
            Ok(CommitSignature::Gpg(GpgCommitSignature::without_key(SignatureStatus::Unverified, None)))
        }
        Signed::Ssh { fingerprint, is_good, committer } => {
            app.read(identity, move |query| ssh(query, fingerprint.as_ref(), is_good, &committer)).await
        }
        Signed::Certificate => Ok(CommitSignature::Certificate),
    }
}

fn ssh(
    query: &mut Query<'_>,
    fingerprint: Option<&Fingerprint>,
    is_good: bool,
    committer: &str,
) -> Result<CommitSignature, AppError> {
    let key = match fingerprint {
        Some(fingerprint) => ssh_key::find_by_fingerprint(&mut query.tx, fingerprint)?,
        None => None,
    };
    let key = key.filter(|key| match key.usage {
        KeyUsage::AuthAndSigning | KeyUsage::Signing => true,
        KeyUsage::Auth => false,
    });
    let committer = user::find_by_confirmed_email(&mut query.tx, committer)?.map(|user| user.id);
    let status = judge_ssh(is_good, key.as_ref().map(|key| key.user), committer);
    Ok(CommitSignature::Ssh { status, key: key.map(|key| Box::new(key.without_use())) })
}

/// A key that may have signed, with the addresses that its user has confirmed.
struct Candidate {
    key: SigningKey,
    confirmed: Vec<String>,
}

impl GpgCommitSignature {
    fn without_key(status: SignatureStatus, keyid: Option<String>) -> Self {
        Self { status, key: None, primary_keyid: keyid, user: None, subkey: None }
    }

    /// The signature by this key, whose status is that of `judge`.
    fn by(candidate: Candidate, is_good: bool, committer: &str) -> Self {
        let Candidate { key, confirmed } = candidate;
        let signer = GpgSigner { user_ids: &key.user_ids, confirmed: &confirmed, revoked: key.part.revoked, is_good };
        Self {
            status: signer.judge(committer),
            key: Some(key.key.id),
            primary_keyid: Some(key.primary_keyid),
            user: key.user_ids.into_iter().find(|id| !committer.is_empty() && id.email == committer),
            subkey: key.subkey,
        }
    }
}

async fn gpg(
    app: &App,
    identity: &Identity,
    signature: GpgSignature,
    commit: SignedCommit,
) -> Result<GpgCommitSignature, AppError> {
    let (keyid, fingerprint) = (signature.keyid.clone(), signature.fingerprint.clone());
    let (candidates, now) =
        app.read(identity, move |query| Ok((candidates(query, &keyid, fingerprint.as_deref())?, query.now))).await?;
    let committer = normalise_email(&commit.committer_email);
    app.read_git(move || {
        let is_over = |end: &tenon_domain::time::Timestamp| signature.made_at >= *end;
        let is_late = signature.expires_at.is_some_and(|end| now >= end);
        let mut rest = None;
        for candidate in candidates {
            let part = &candidate.key.part;
            let has_signed = signature.is_by(&candidate.key.key.text, &part.fingerprint, &commit.content);
            if has_signed {
                let is_good = !is_late && !part.expires_at.as_ref().is_some_and(is_over);
                return Ok(GpgCommitSignature::by(candidate, is_good, &committer));
            }
            rest.get_or_insert(candidate);
        }
        Ok(match rest {
            Some(candidate) => GpgCommitSignature::by(candidate, false, &committer),
            None => GpgCommitSignature::without_key(SignatureStatus::UnknownKey, Some(signature.keyid.clone())),
        })
    })
    .await
}

/// The keys that a signature may have been made with.
fn candidates(query: &mut Query<'_>, keyid: &str, fingerprint: Option<&str>) -> Result<Vec<Candidate>, AppError> {
    let mut found = Vec::new();
    for key in gpg_key::signing(&mut query.tx, keyid, CANDIDATES)? {
        if fingerprint.is_some_and(|fingerprint| fingerprint != key.part.fingerprint) {
            continue;
        }
        let Some(owner) = user::find(&mut query.tx, key.key.user)? else { continue };
        let mut confirmed = user::confirmed_emails(&mut query.tx, owner.id)?;
        if owner.confirmed_at.is_some() {
            confirmed.push(owner.email);
        }
        found.push(Candidate { key, confirmed });
    }
    Ok(found)
}
