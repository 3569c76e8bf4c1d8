//! Why a use case did not do what it was asked.

use std::io::{self, ErrorKind};

use tenon_domain::access::Decision;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::member::MemberRefusal;
use tenon_domain::merge_request::{AcceptRefusal, ApprovalRefusal, CancelRefusal};
use tenon_domain::refusal::{
    AccessRefusal, AdmissionRefusal, BadgeRefusal, BoardRefusal, ContributionRefusal, DeploymentRefusal,
    FeatureFlagRefusal, GroupRefusal, HookRefusal, ImpersonationRefusal, IssueRefusal, LabelRefusal, ListRefusal,
    MergeRequestRefusal, MilestoneRefusal, NoteRefusal, NotificationRefusal, PipelineRefusal, ProjectRefusal, Quota,
    Refusal, ReleaseRefusal, RepositoryRefusal, SnippetRefusal, SshKeyRefusal, SuggestionRefusal, TwoFactorRefusal,
    UserRefusal, VariableRefusal, WikiRefusal,
};
use tenon_domain::user::StateRefusal;
use tenon_git::GitError;

/// A thing that is not there, or that the caller may not know to be there. The texts of the API are those of the crate `edge`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// An application that acts for users.
    Application,
    /// A reaction.
    AwardEmoji,
    /// An object of a repository that is a file.
    Blob,
    /// A branch.
    Branch,
    /// A template of a configuration of pipelines, at its older address.
    CiTemplate,
    /// A commit.
    Commit,
    /// A deploy key.
    DeployKey,
    /// A discussion.
    Discussion,
    /// A template of a Dockerfile, at its older address.
    Dockerfile,
    /// An e-mail address.
    Email,
    /// A file of a repository.
    File,
    /// A template of a `.gitignore`, at its older address.
    Gitignore,
    /// A GPG key.
    GpgKey,
    /// A group, also one that the caller may not see.
    Group,
    /// A share with a group.
    GroupLink,
    /// The name of a user on another server.
    Identity,
    /// An impersonation token.
    ImpersonationToken,
    /// An issue, if its endpoint calls it by name.
    Issue,
    /// A label.
    Label,
    /// A licence, at its older address.
    License,
    /// A commit that several revisions have in common.
    MergeBase,
    /// A namespace that the caller has no part in.
    Namespace,
    /// A project, also one that the caller may not see.
    Project,
    /// A side of a comparison.
    Ref,
    /// A branch or tag that has a commit.
    RefOfCommit,
    /// The commits of a repository, which has none.
    Repository,
    /// From where an issue was opened.
    Sender,
    /// A service of a project.
    Service,
    /// The signature of a commit or tag.
    Signature,
    /// A snippet that is to be changed, or whose text is asked for.
    Snippet,
    /// An SSH key.
    SshKey,
    /// A hook of the server.
    SystemHook,
    /// A tag.
    Tag,
    /// The namespace into which a project is forked.
    TargetNamespace,
    /// A template.
    Template,
    /// A directory of a repository.
    Tree,
    /// A user.
    User,
    /// A variable of a project.
    Variable,
    /// A variable of a group.
    GroupVariable,
    /// A page or file of a wiki.
    WikiPage,
    /// A variable of the whole server.
    InstanceVariable,
    /// A part of something else, which is looked up there.
    Record,
    /// Something that the answer does not name.
    Plain,
    /// The release of a tag.
    Release,
    /// The tag of a release.
    TagOfRelease,
    /// A user whom a request names by the user name.
    UserNamed(String),
    /// The target of `sudo`; carries what was asked for.
    SudoUser(String),
}

/// The subject of a use case that found invalid fields: some front ends word each of these differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// Creating or changing a group.
    SaveGroup,
    /// Creating a milestone.
    CreateMilestone,
    /// Changing a milestone.
    UpdateMilestone,
    /// Moving a project into another namespace.
    TransferProject,
    /// Writing a note.
    WriteNote,
    /// Reacting with an emoji.
    GiveAward,
    /// Creating a deploy token.
    CreateDeployToken,
    /// Forking a project, or making it a fork of another.
    Fork,
}

/// The outcome of a use case that failed. Statuses, shapes and texts of the API are those of the crate `edge`.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The caller is anonymous, or the credential is not valid.
    #[error("not signed in")]
    Unauthenticated,
    /// The token's date has come.
    #[error("the token has expired")]
    TokenExpired,
    /// The token was withdrawn.
    #[error("the token was revoked")]
    TokenRevoked,
    /// The token does not carry a scope that opens this; names the scopes that would.
    #[error("the token lacks the scope {0}")]
    InsufficientScope(&'static str),
    /// The caller may know of it but not do it.
    #[error("forbidden")]
    Forbidden,
    /// Absent, or hidden from the caller.
    #[error("not found: {0:?}")]
    NotFound(Missing),
    /// Fields that failed validation.
    #[error("invalid fields: {0:?}")]
    Invalid(FieldErrors),
    /// As [`AppError::Invalid`], with what was attempted.
    #[error("{0:?}: invalid fields: {1:?}")]
    Rejected(Attempt, FieldErrors),
    /// The request is refused for a reason of its resource.
    #[error(transparent)]
    Refused(Refusal),
    /// Changed since the moment that the caller named.
    #[error("changed in between")]
    Stale,
    /// Larger than the limit.
    #[error("too large")]
    TooLarge,
    /// It would not fit into a quota.
    #[error("{0}")]
    QuotaExceeded(Quota),
    /// The server is too busy to take this on now; seconds after which to try again.
    #[error("busy")]
    Busy {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// It took longer than it may; seconds after which to try again.
    #[error("it took longer than it may")]
    TookTooLong {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// Too many attempts over time; seconds after which to try again.
    #[error("too many attempts")]
    Throttled {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// The disk of the server is full, or refuses what is to be written. Nothing was changed.
    #[error("the disk of the server is full")]
    DiskFull,
    /// A fault of the server. Its cause is never shown to a client.
    #[error("internal fault")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl AppError {
    /// A fault of the server with this cause; [`AppError::DiskFull`] if a full disk is at the bottom of it.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let source = source.into();
        if is_disk_full(&*source) {
            tracing::error!(cause = chain(&*source), "the disk is full");
            return Self::DiskFull;
        }
        Self::Internal(source)
    }

    /// True if the machine or the server failed, so that what was asked for was not judged.
    pub(crate) const fn is_fault(&self) -> bool {
        matches!(self, Self::Internal(_) | Self::DiskFull | Self::Busy { .. } | Self::TookTooLong { .. })
    }

    /// One field that made an attempt fail.
    pub(crate) fn rejected(attempt: Attempt, field: &str, message: impl Into<String>) -> Self {
        Self::Rejected(attempt, FieldErrors::of(field, message))
    }

    /// One field that failed validation.
    pub fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::Invalid(FieldErrors::of(field, message))
    }
}

/// Refusals of resources become failures of use cases.
macro_rules! refusals {
    ($($refusal:ident),* $(,)?) => {$(
        impl From<$refusal> for AppError {
            fn from(refusal: $refusal) -> Self {
                Self::Refused(refusal.into())
            }
        }
    )*};
}

refusals! {
    AcceptRefusal, AccessRefusal, AdmissionRefusal, ApprovalRefusal, BadgeRefusal, BoardRefusal, CancelRefusal, ContributionRefusal, DeploymentRefusal, FeatureFlagRefusal, GroupRefusal, HookRefusal,
    ImpersonationRefusal, IssueRefusal, LabelRefusal, ListRefusal, MemberRefusal, MergeRequestRefusal, MilestoneRefusal, NoteRefusal,
    NotificationRefusal, PipelineRefusal, ProjectRefusal, ReleaseRefusal, RepositoryRefusal, SnippetRefusal, SshKeyRefusal, StateRefusal, SuggestionRefusal,
    TwoFactorRefusal, UserRefusal, VariableRefusal, WikiRefusal,
}

impl From<FieldErrors> for AppError {
    fn from(errors: FieldErrors) -> Self {
        Self::Invalid(errors)
    }
}

impl From<tenon_storage::StoreError> for AppError {
    fn from(error: tenon_storage::StoreError) -> Self {
        use tenon_storage::StoreError as E;
        match error {
            E::Unavailable(_) | E::Unreachable(_) | E::Lost(_) | E::Unready(_) => {
                tracing::error!(error = chain(&error), "the database does not answer");
                Self::Busy { retry_after: 1 }
            }
            E::TookTooLong(_) => {
                tracing::warn!(error = chain(&error), "a statement was ended");
                Self::TookTooLong { retry_after: 10 }
            }
            E::DiskFull(_)
            | E::Unique(_)
            | E::Reference
            | E::Inconsistent { .. }
            | E::Newer(_)
            | E::Older(_)
            | E::Migration(_)
            | E::Backend(_) => Self::internal(error),
        }
    }
}

/// True if a full disk, an exhausted quota of the system or its limit on the size of files is among the causes of an
/// error.
#[must_use]
pub fn is_disk_full(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        let is_full = if let Some(error) = cause.downcast_ref::<io::Error>() {
            // The source of an error of input and output is not among its causes.
            let inner = error.get_ref().is_some_and(|inner| is_disk_full(inner));
            inner || matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
        } else if let Some(error) = cause.downcast_ref::<tenon_storage::StoreError>() {
            error.is_disk_full()
        } else if let Some(error) = cause.downcast_ref::<GitError>() {
            matches!(error, GitError::DiskFull(_))
        } else {
            matches!(cause.downcast_ref::<AppError>(), Some(AppError::DiskFull))
        };
        if is_full {
            return true;
        }
        next = cause.source();
    }
    false
}

/// Turns an ability's answer into a result.
pub trait Judge {
    /// `Ok` for `Allow`; [`AppError::Forbidden`] for `Deny`; [`AppError::NotFound`] of `what` for `Hide`.
    fn judge(self, what: Missing) -> Result<(), AppError>;
}

impl Judge for Decision {
    fn judge(self, what: Missing) -> Result<(), AppError> {
        match self {
            Self::Allow => Ok(()),
            Self::Deny => Err(AppError::Forbidden),
            Self::Hide => Err(AppError::NotFound(what)),
        }
    }
}

/// The error with all its causes, for logs.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

impl From<GitError> for AppError {
    fn from(error: GitError) -> Self {
        match error {
            // The contents of a repository are for its users to judge: too much of them is no fault of the server.
            GitError::TooLarge(_) => Self::TooLarge,
            GitError::Timeout(command) => {
                tracing::warn!(command, "git took longer than it may");
                Self::TookTooLong { retry_after: 10 }
            }
            // Nothing waits for this answer.
            GitError::Cancelled(_) => Self::Busy { retry_after: 1 },
            other => Self::internal(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_found_below_other_causes() {
        let io = |kind: ErrorKind| io::Error::from(kind);
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::FileTooLarge] {
            assert!(matches!(AppError::internal(io(kind)), AppError::DiskFull), "{kind}");
            assert!(matches!(AppError::from(GitError::File(io(kind))), AppError::DiskFull), "{kind}");
            let hidden = io::Error::other(GitError::Run(io::Error::other(io(kind))));
            assert!(matches!(AppError::internal(hidden), AppError::DiskFull), "{kind}");
        }
        assert!(matches!(AppError::from(GitError::DiskFull("push")), AppError::DiskFull));
        assert!(matches!(AppError::internal(io(ErrorKind::NotFound)), AppError::Internal(_)));
        assert!(matches!(AppError::from(GitError::NoRepository), AppError::Internal(_)));
    }
}
