//! Domain events: what happened, appended in the transaction that made it happen.

use crate::container::Container;
use crate::id::{IssuableId, MilestoneId, NamespaceId, NoteId, ProjectId, UserId};
use crate::time::Timestamp;
use crate::words::words;

words! {
    /// The kinds of events. The names are stored: renaming one needs a migration.
    pub enum EventKind {
        /// An account was made.
        UserCreated = "user_created",
        /// An account was shut out.
        UserBlocked = "user_blocked",
        /// An account was let in again.
        UserUnblocked = "user_unblocked",
        /// An account that was not used was put out of use.
        UserDeactivated = "user_deactivated",
        /// An account was put into use again, by an administrator or by its user, who has signed in.
        UserActivated = "user_activated",
        /// An account was banned.
        UserBanned = "user_banned",
        /// A banned account was let in again.
        UserUnbanned = "user_unbanned",
        /// A user was approved.
        UserApproved = "user_approved",
        /// An administrator acts as another user on pages.
        UserImpersonated = "user_impersonated",
        /// A user has signed in from an address that is not known to be theirs; the detail is the address.
        UserSignedInElsewhere = "user_signed_in_elsewhere",
        /// A user has downloaded more projects than the settings allow.
        UserDownloadedMany = "user_downloaded_many",
        /// An account is to be removed.
        UserDeletionRequested = "user_deletion_requested",
        /// A group was made.
        GroupCreated = "group_created",
        /// A group changed its settings, path or parent.
        GroupUpdated = "group_updated",
        /// A group is to be removed, with everything below it.
        GroupDeletionRequested = "group_deletion_requested",
        /// A project was made.
        ProjectCreated = "project_created",
        /// A project changed its settings or path.
        ProjectUpdated = "project_updated",
        /// A project moved to another namespace.
        ProjectTransferred = "project_transferred",
        /// A project became read-only.
        ProjectArchived = "project_archived",
        /// A project became writable again.
        ProjectUnarchived = "project_unarchived",
        /// A project is to be removed.
        ProjectDeletionRequested = "project_deletion_requested",
        /// A membership began.
        MemberAdded = "member_added",
        /// A membership changed its level or end.
        MemberUpdated = "member_updated",
        /// A user has asked for access to a project or group.
        AccessRequested = "access_requested",
        /// Such a request was denied.
        AccessDenied = "access_denied",
        /// A membership ended.
        MemberRemoved = "member_removed",
        /// A token was made.
        TokenCreated = "token_created",
        /// A token was withdrawn.
        TokenRevoked = "token_revoked",
        /// A user changed their password.
        PasswordChanged = "password_changed",
        /// A user has set up a second factor.
        TwoFactorEnabled = "two_factor_enabled",
        /// The second factor of a user was removed.
        TwoFactorDisabled = "two_factor_disabled",
        /// A user has added a passkey.
        PasskeyAdded = "passkey_added",
        /// A passkey was removed.
        PasskeyRemoved = "passkey_removed",
        /// A user has added an account at a sign-in provider; the detail names the provider.
        IdentityLinked = "identity_linked",
        /// An account at a sign-in provider was removed; the detail names the provider.
        IdentityUnlinked = "identity_unlinked",
        /// A user got new recovery codes.
        RecoveryCodesRenewed = "recovery_codes_renewed",
        /// A user has accepted the terms of service.
        TermsAccepted = "terms_accepted",
        /// A user got an SSH key.
        SshKeyCreated = "ssh_key_created",
        /// An SSH key was removed.
        SshKeyDeleted = "ssh_key_deleted",
        /// A project was opened to a deploy key.
        DeployKeyEnabled = "deploy_key_enabled",
        /// A deploy key of a project was changed.
        DeployKeyUpdated = "deploy_key_updated",
        /// A project was closed to a deploy key.
        DeployKeyDisabled = "deploy_key_disabled",
        /// A project or group got a deploy token; the detail is its id.
        DeployTokenCreated = "deploy_token_created",
        /// A deploy token was removed; the detail is its id.
        DeployTokenDeleted = "deploy_token_deleted",
        /// A user got an OpenPGP key.
        GpgKeyCreated = "gpg_key_created",
        /// An OpenPGP key was removed.
        GpgKeyDeleted = "gpg_key_deleted",
        /// A user got a secondary address.
        EmailCreated = "email_created",
        /// An address of a user was confirmed.
        EmailConfirmed = "email_confirmed",
        /// A secondary address was removed.
        EmailDeleted = "email_deleted",
        /// An application was registered.
        ApplicationCreated = "application_created",
        /// An application was changed.
        ApplicationUpdated = "application_updated",
        /// An application got a new secret.
        ApplicationSecretRenewed = "application_secret_renewed",
        /// An application was removed.
        ApplicationDeleted = "application_deleted",
        /// An issue was made.
        IssueOpened = "issue_opened",
        /// An issue changed in something but its state.
        IssueUpdated = "issue_updated",
        /// An issue was closed.
        IssueClosed = "issue_closed",
        /// A closed issue was opened again.
        IssueReopened = "issue_reopened",
        /// An issue was continued in another project.
        IssueMoved = "issue_moved",
        /// An issue was deleted.
        IssueDeleted = "issue_deleted",
        /// A merge request was made.
        MergeRequestOpened = "merge_request_opened",
        /// A merge request changed in something but its state.
        MergeRequestUpdated = "merge_request_updated",
        /// A merge request was closed.
        MergeRequestClosed = "merge_request_closed",
        /// A closed merge request was opened again.
        MergeRequestReopened = "merge_request_reopened",
        /// A merge request was merged.
        MergeRequestMerged = "merge_request_merged",
        /// A merge request was approved.
        MergeRequestApproved = "merge_request_approved",
        /// The approval of a merge request was taken back.
        MergeRequestUnapproved = "merge_request_unapproved",
        /// A reviewer of a merge request asks for changes.
        MergeRequestChangesRequested = "merge_request_changes_requested",
        /// A merge request was deleted.
        MergeRequestDeleted = "merge_request_deleted",
        /// A comment was written.
        NoteCreated = "note_created",
        /// A comment changed.
        NoteUpdated = "note_updated",
        /// A comment was deleted.
        NoteDeleted = "note_deleted",
        /// An emoji was awarded.
        AwardAdded = "award_added",
        /// A reaction was taken back.
        AwardRemoved = "award_removed",
        /// A milestone was made.
        MilestoneCreated = "milestone_created",
        /// A milestone changed in something but its state.
        MilestoneUpdated = "milestone_updated",
        /// A milestone was closed.
        MilestoneClosed = "milestone_closed",
        /// A closed milestone was made active again.
        MilestoneActivated = "milestone_activated",
        /// A milestone was deleted.
        MilestoneDeleted = "milestone_deleted",
        /// Commits were pushed to a branch or tag, or it came to be, or it went.
        RefPushed = "ref_pushed",
        /// A pipeline has failed; the detail is its id.
        PipelineFailed = "pipeline_failed",
        /// A pipeline has succeeded; the detail is its id.
        PipelineSucceeded = "pipeline_succeeded",
        /// A label was made.
        LabelCreated = "label_created",
        /// A label changed.
        LabelUpdated = "label_updated",
        /// A label was deleted.
        LabelDeleted = "label_deleted",
        /// A variable was made; the detail is its id. Neither name nor value is stored.
        VariableCreated = "variable_created",
        /// A variable changed; the detail is its id.
        VariableUpdated = "variable_updated",
        /// A variable was removed; the detail is its id.
        VariableDeleted = "variable_deleted",
        /// An administrator changed application settings; the detail names them.
        SettingsChanged = "settings_changed",
        /// A backup, a verification of one or a look of the doctor has ended; the detail says which and how.
        ServerTaskEnded = "server_task_ended",
    }
}

/// One thing that happened, to whom, by whom. Ids stay readable after what they name is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// Who made it happen; `None` for the server itself.
    pub actor: Option<UserId>,
    /// The account concerned.
    pub user: Option<UserId>,
    /// The namespace concerned.
    pub namespace: Option<NamespaceId>,
    /// The project concerned.
    pub project: Option<ProjectId>,
    /// The issue or merge request concerned.
    pub issuable: Option<IssuableId>,
    /// The comment concerned.
    pub note: Option<NoteId>,
    /// The milestone concerned.
    pub milestone: Option<MilestoneId>,
    /// A flag of the request that follow-up work needs, such as `hard_delete`.
    pub detail: Option<String>,
    /// When it happened.
    pub at: Timestamp,
}

impl Event {
    /// `kind` at `at` by `actor`, about nothing yet.
    #[must_use]
    pub const fn new(kind: EventKind, actor: Option<UserId>, at: Timestamp) -> Self {
        Self {
            kind,
            actor,
            user: None,
            namespace: None,
            project: None,
            issuable: None,
            note: None,
            milestone: None,
            detail: None,
            at,
        }
    }

    /// The same, about this account.
    #[must_use]
    pub const fn user(mut self, user: UserId) -> Self {
        self.user = Some(user);
        self
    }

    /// The same, about this namespace.
    #[must_use]
    pub const fn namespace(mut self, namespace: NamespaceId) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// The same, about this project.
    #[must_use]
    pub const fn project(mut self, project: ProjectId) -> Self {
        self.project = Some(project);
        self
    }

    /// The same, about this project or group.
    #[must_use]
    pub const fn container(self, container: Container) -> Self {
        match container {
            Container::Project(id) => self.project(id),
            Container::Group(id) => self.namespace(id),
        }
    }

    /// The same, about this issue or merge request.
    #[must_use]
    pub const fn issuable(mut self, issuable: IssuableId) -> Self {
        self.issuable = Some(issuable);
        self
    }

    /// The same, about this comment.
    #[must_use]
    pub const fn note(mut self, note: NoteId) -> Self {
        self.note = Some(note);
        self
    }

    /// The same, about this milestone.
    #[must_use]
    pub const fn milestone(mut self, milestone: MilestoneId) -> Self {
        self.milestone = Some(milestone);
        self
    }

    /// The same, with a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}
