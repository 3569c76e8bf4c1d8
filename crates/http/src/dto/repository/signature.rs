//! Signatures of commits as JSON.

use serde::Serialize;
use tenon_app::repository::{CommitSignature, GpgCommitSignature};
use tenon_domain::commit_signature::SignatureStatus;
use tenon_domain::id::{GpgKeyId, GpgSubkeyId};
use utoipa::ToSchema;

use crate::dto::ssh_key::SshKeyDto;

/// The name of the program that reads commits, which clients expect.
const SOURCE: &str = "gitaly";

/// The signature of a commit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum CommitSignatureDto {
    /// By an OpenPGP key.
    Gpg(GpgSignatureDto),
    /// By an SSH key.
    Ssh(SshSignatureDto),
    /// By a certificate.
    Certificate(CertificateSignatureDto),
}

/// A signature by an OpenPGP key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GpgSignatureDto {
    /// `PGP`.
    signature_type: &'static str,
    /// The result of the verification: `verified`, `unverified`, `same_user_different_email`, `other_user`,
    /// `unverified_key`, `unknown_key`, `multiple_signatures` or `revoked_key`.
    verification_status: &'static str,
    /// The key, if a user has it.
    gpg_key_id: Option<i64>,
    gpg_key_primary_keyid: Option<String>,
    /// The name in the user ID of the key with the address of the committer.
    gpg_key_user_name: Option<String>,
    gpg_key_user_email: Option<String>,
    /// The subkey that has signed.
    gpg_key_subkey_id: Option<i64>,
    /// Always the same.
    commit_source: &'static str,
}

/// A signature by an SSH key.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SshSignatureDto {
    /// `SSH`.
    signature_type: &'static str,
    /// The result of the verification: `verified`, `unverified`, `other_user` or `unknown_key`.
    verification_status: &'static str,
    /// The key, if a user has it.
    key: Option<SshKeyDto>,
    /// Always the same.
    commit_source: &'static str,
}

/// A signature by a certificate.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CertificateSignatureDto {
    /// `X509`.
    signature_type: &'static str,
    /// `unverified`: this server does not check certificates.
    verification_status: &'static str,
    /// Always the same.
    commit_source: &'static str,
}

impl From<GpgCommitSignature> for GpgSignatureDto {
    fn from(signature: GpgCommitSignature) -> Self {
        let (name, email) = signature.user.map(|user| (user.name, user.email)).unzip();
        Self {
            signature_type: "PGP",
            verification_status: signature.status.as_str(),
            gpg_key_id: signature.key.map(GpgKeyId::get),
            gpg_key_primary_keyid: signature.primary_keyid,
            gpg_key_user_name: name,
            gpg_key_user_email: email,
            gpg_key_subkey_id: signature.subkey.map(GpgSubkeyId::get),
            commit_source: SOURCE,
        }
    }
}

impl From<CommitSignature> for CommitSignatureDto {
    fn from(signature: CommitSignature) -> Self {
        match signature {
            CommitSignature::Gpg(signature) => Self::Gpg(signature.into()),
            CommitSignature::Ssh { status, key } => Self::Ssh(SshSignatureDto {
                signature_type: "SSH",
                verification_status: status.as_str(),
                key: key.map(|key| (*key).into()),
                commit_source: SOURCE,
            }),
            CommitSignature::Certificate => Self::Certificate(CertificateSignatureDto {
                signature_type: "X509",
                verification_status: SignatureStatus::Unverified.as_str(),
                commit_source: SOURCE,
            }),
        }
    }
}
