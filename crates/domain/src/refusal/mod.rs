//! Why use cases refuse what they are asked, by resource. The texts are for people; statuses, shapes and texts that clients of
//! the API compare are added by the crate `edge`.

mod access;
mod badge;
mod board;
mod contribution;
mod deployment;
mod feature_flag;
mod group;
mod hook;
mod issue;
mod label;
mod list;
mod member;
mod merge_request;
mod milestone;
mod note;
mod notification;
mod pipeline;
mod project;
mod quota;
mod release;
mod repository;
mod session;
mod snippet;
mod ssh_key;
mod suggestion;
mod two_factor;
mod user;
mod variable;
mod wiki;

pub use access::AccessRefusal;
pub use badge::BadgeRefusal;
pub use board::BoardRefusal;
pub use contribution::ContributionRefusal;
pub use deployment::DeploymentRefusal;
pub use feature_flag::FeatureFlagRefusal;
pub use group::{GroupRefusal, TransferObstacle};
pub use hook::HookRefusal;
pub use issue::IssueRefusal;
pub use label::LabelRefusal;
pub use list::ListRefusal;
pub use member::AdmissionRefusal;
pub use merge_request::MergeRequestRefusal;
pub use milestone::MilestoneRefusal;
pub use note::NoteRefusal;
pub use notification::NotificationRefusal;
pub use pipeline::PipelineRefusal;
pub use project::ProjectRefusal;
pub use quota::Quota;
pub use release::ReleaseRefusal;
pub use repository::{Replayed, RepositoryRefusal};
pub use session::ImpersonationRefusal;
pub use snippet::SnippetRefusal;
pub use ssh_key::SshKeyRefusal;
pub use suggestion::SuggestionRefusal;
pub use two_factor::TwoFactorRefusal;
pub use user::UserRefusal;
pub use variable::VariableRefusal;
pub use wiki::WikiRefusal;

use crate::member::MemberRefusal;
use crate::merge_request::{AcceptRefusal, ApprovalRefusal, CancelRefusal};
use crate::user::StateRefusal;

/// Why a use case refuses what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum Refusal {
    /// Of a caller as such.
    Access(#[from] AccessRefusal),
    /// Of badges.
    Badge(#[from] BadgeRefusal),
    /// Of boards.
    Board(#[from] BoardRefusal),
    /// Of contributions.
    Contribution(#[from] ContributionRefusal),
    /// Of deployments.
    Deployment(#[from] DeploymentRefusal),
    /// Of feature flags.
    FeatureFlag(#[from] FeatureFlagRefusal),
    /// Of groups.
    Group(#[from] GroupRefusal),
    /// Of hooks.
    Hook(#[from] HookRefusal),
    /// Of issues.
    Issue(#[from] IssueRefusal),
    /// Of labels.
    Label(#[from] LabelRefusal),
    /// Of parts of lists.
    List(#[from] ListRefusal),
    /// Of new members.
    Admission(#[from] AdmissionRefusal),
    /// Of merge requests.
    MergeRequest(#[from] MergeRequestRefusal),
    /// Of milestones.
    Milestone(#[from] MilestoneRefusal),
    /// Of comments.
    Note(#[from] NoteRefusal),
    /// Of mail.
    Notification(#[from] NotificationRefusal),
    /// Of pipelines.
    Pipeline(#[from] PipelineRefusal),
    /// Of projects.
    Project(#[from] ProjectRefusal),
    /// Of releases.
    Release(#[from] ReleaseRefusal),
    /// Of repositories.
    Repository(#[from] RepositoryRefusal),
    /// Of administrators who act as users.
    Impersonation(#[from] ImpersonationRefusal),
    /// Of snippets.
    Snippet(#[from] SnippetRefusal),
    /// Of SSH keys.
    SshKey(#[from] SshKeyRefusal),
    /// Of suggestions.
    Suggestion(#[from] SuggestionRefusal),
    /// Of second factors.
    TwoFactor(#[from] TwoFactorRefusal),
    /// Of accounts.
    User(#[from] UserRefusal),
    /// Of variables.
    Variable(#[from] VariableRefusal),
    /// Of wikis.
    Wiki(#[from] WikiRefusal),
    /// Of the state of accounts.
    AccountState(#[from] StateRefusal),
    /// Of memberships.
    Membership(#[from] MemberRefusal),
    /// Of merges.
    Accept(#[from] AcceptRefusal),
    /// Of merges that wait.
    Cancel(#[from] CancelRefusal),
    /// Of approvals.
    Approval(#[from] ApprovalRefusal),
}
