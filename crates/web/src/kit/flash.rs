//! Messages that the next page shows once, after a form was sent.

pub(crate) const COOKIE: &str = "_service_flash";

macro_rules! flashes {
    ($( $name:ident = $code:literal: $text:literal; )+) => {
        /// A sentence for the next page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Flash { $( $name, )+ }

        impl Flash {
            /// The sentence of a cookie. `None` if the code is unknown.
            pub(crate) fn parse(code: &str) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$name), )+
                    _ => None,
                }
            }

            /// The value of the cookie.
            pub(crate) const fn code(self) -> &'static str {
                match self { $( Self::$name => $code, )+ }
            }

            pub(crate) const fn text(self) -> &'static str {
                match self { $( Self::$name => $text, )+ }
            }
        }
    };
}

flashes! {
    SignedOut = "signed_out": "You have been signed out.";
    AdminModeEntered = "admin_mode_entered": "You have entered admin mode.";
    AdminModeLeft = "admin_mode_left": "You have left admin mode.";
    AccountDeleted = "account_deleted": "Your account is being deleted.";
    SignedUp = "signed_up": "Account created.";
    FeedTokenReset = "feed_token_reset": "New feed token generated.";
    FeedTokenDeleted = "feed_token_deleted": "Feed token deleted.";
    TokenRevoked = "token_revoked": "Token revoked.";
    KeyAdded = "key_added": "Key added.";
    KeyRemoved = "key_removed": "Key removed.";
    EmailAdded = "email_added": "Email address added.";
    EmailLinkSent = "email_link_sent": "Email address added. Check your inbox for the confirmation link.";
    EmailConfirmed = "email_confirmed": "Your email address has been confirmed.";
    LinkSent = "link_sent": "Account created. Check your inbox for the confirmation link, then sign in.";
    AwaitsApproval = "awaits_approval": "Account created. You can sign in once an administrator approves it.";
    LinkSentAwaitsApproval = "link_sent_awaits_approval": "Account created. Check your inbox for the confirmation link. You can sign in once an administrator approves your account.";
    NotificationsChanged = "notifications_changed": "Notification settings saved.";
    InvitationSent = "invitation_sent": "Invitation sent.";
    InvitationRemoved = "invitation_removed": "Invitation removed.";
    InvitationAccepted = "invitation_accepted": "Invitation accepted.";
    InvitationOfMember = "invitation_of_member": "You are a member already.";
    InvitationDeclined = "invitation_declined": "Invitation declined.";
    AccessRequested = "access_requested": "Access requested. You get an email when the request is answered.";
    AccessRequestCanceled = "access_request_canceled": "Access request canceled.";
    AccessRequestApproved = "access_request_approved": "Access request approved.";
    AccessRequestDenied = "access_request_denied": "Access request denied.";
    TaskRequested = "task_requested": "Started. Reload the page to see the result.";
    JobRetried = "job_retried": "Job queued again.";
    JobDeleted = "job_deleted": "Job deleted.";
    MessageSaved = "message_saved": "Broadcast message saved.";
    MessageDeleted = "message_deleted": "Broadcast message deleted.";
    TestMailSent = "test_mail_sent": "Test email sent. Check your inbox.";
    FeatureFlagSaved = "feature_flag_saved": "Feature flag saved.";
    FeatureFlagDeleted = "feature_flag_deleted": "Feature flag deleted.";
    UserListSaved = "user_list_saved": "User list saved.";
    UserListDeleted = "user_list_deleted": "User list deleted.";
    EnvironmentSaved = "environment_saved": "Environment saved.";
    EnvironmentStopped = "environment_stopped": "Environment stopped.";
    EnvironmentDeleted = "environment_deleted": "Environment deleted.";
    WikiPageSaved = "wiki_page_saved": "Wiki page saved.";
    WikiPageDeleted = "wiki_page_deleted": "Wiki page deleted.";
    SnippetSaved = "snippet_saved": "Snippet saved.";
    SnippetDeleted = "snippet_deleted": "Snippet deleted.";
    RuleSaved = "rule_saved": "Approval rule saved.";
    RuleDeleted = "rule_deleted": "Approval rule deleted.";
    EmailRemoved = "email_removed": "Email address removed.";
    DeviceAllowed = "device_allowed": "Device authorized. You can close this page.";
    DeviceDenied = "device_denied": "Device denied.";
    SessionEnded = "session_ended": "Session revoked.";
    SessionsEnded = "sessions_ended": "All other sessions revoked.";
    GrantRevoked = "grant_revoked": "Application authorization revoked.";
    ApplicationChanged = "application_changed": "Application saved.";
    ApplicationRemoved = "application_removed": "Application deleted.";
    PasswordChanged = "password_changed": "Password changed. All other sessions were signed out.";
    PasswordResetAsked = "password_reset_asked": "If an account has this email address, a password reset link has been sent to it.";
    PasswordReset = "password_reset": "Password changed. Sign in with your new password.";
    IdentityAdded = "identity_added": "Account linked.";
    IdentityRemoved = "identity_removed": "Account removed.";
    AuthenticatorAdded = "authenticator_added": "Authenticator app added. Your recovery codes stay valid.";
    PasskeyAdded = "passkey_added": "Passkey added.";
    PasskeySaved = "passkey_saved": "Passkey renamed.";
    PasskeyRemoved = "passkey_removed": "Passkey removed.";
    TwoFactorOff = "two_factor_off": "Two-factor authentication disabled.";
    NotificationLevelSaved = "notification_level_saved": "Notification level saved.";
    EntriesSaved = "entries_saved": "Changes saved.";
    NothingChosen = "nothing_chosen": "Nothing was changed: select items and a change for them.";
    EntriesLeft = "entries_left": "Some items were not updated because you don't have permission or they no longer exist.";
    SuggestionsApplied = "suggestions_applied": "Suggestions applied.";
    CommitReverted = "commit_reverted": "Commit reverted.";
    CommitPicked = "commit_picked": "Commit cherry-picked.";
    SourceBranchDeleted = "source_branch_deleted": "Source branch deleted.";
    SourceBranchRestored = "source_branch_restored": "Source branch restored.";
    ConflictsResolved = "conflicts_resolved": "Conflicts resolved.";
    CommandsDone = "commands_done": "Commands applied.";
    CommentAdded = "comment_added": "Comment added.";
    Closed = "closed": "Closed.";
    Reopened = "reopened": "Reopened.";
    Merged = "merged": "Merged.";
    CommentDeleted = "comment_deleted": "Comment deleted.";
    IssueMoved = "issue_moved": "Issue moved.";
    BranchRemoved = "branch_removed": "Branch deleted.";
    BranchesRemoved = "branches_removed": "Merged branches deleted.";
    TagRemoved = "tag_removed": "Tag deleted.";
    FileSaved = "file_saved": "Changes committed.";
    NotesSaved = "notes_saved": "Release notes saved.";
    DraftDiscarded = "draft_discarded": "Pending comment deleted.";
    ReviewPublished = "review_published": "Review published.";
    MarkedAsSeen = "marked_as_seen": "Marked as reviewed. Later changes are shown separately.";
    BadgeSaved = "badge_saved": "Badge saved.";
    BadgeDeleted = "badge_deleted": "Badge deleted.";
    BoardSaved = "board_saved": "Board saved.";
    BoardDeleted = "board_deleted": "Board deleted.";
    VariableSaved = "variable_saved": "Variable saved.";
    VariableDeleted = "variable_deleted": "Variable deleted.";
    LabelRemoved = "label_removed": "Label deleted.";
    LabelSaved = "label_saved": "Label saved.";
    MilestoneRemoved = "milestone_removed": "Milestone deleted.";
    Approved = "approved": "Merge request approved.";
    ChangesRequested = "changes_requested": "Changes requested.";
    ReviewWithdrawn = "review_withdrawn": "Review withdrawn.";
    MergeWaits = "merge_waits": "This will be merged when the pipeline succeeds.";
    MergeCancelled = "merge_cancelled": "Auto-merge canceled.";
    MemberAdded = "member_added": "Members added.";
    MemberChanged = "member_changed": "Member updated.";
    MemberRemoved = "member_removed": "Member removed.";
    ProjectShared = "project_shared": "Project shared with the group.";
    ProjectUnshared = "project_unshared": "Group removed from the project.";
    ForkUnrelated = "fork_unrelated": "Fork relationship removed.";
    LabelPromoted = "label_promoted": "Label promoted to group label.";
    MilestonePromoted = "milestone_promoted": "Milestone promoted to group milestone.";
    HasLeft = "has_left": "You left.";
    MirrorScheduled = "mirror_scheduled": "The mirror will be updated soon.";
    SettingsSaved = "settings_saved": "Settings saved.";
    ProjectWithoutReadme = "project_without_readme": "Project created, but its README could not be added because the server was busy.";
    ProjectLowered = "project_lowered": "Project created. Its visibility was limited to that of its group.";
    ProjectRemoved = "project_removed": "The project is being deleted.";
    GroupRemoved = "group_removed": "The group is being deleted.";
    ProjectMoved = "project_moved": "Project transferred.";
    ProjectArchived = "project_archived": "Project archived.";
    ProjectUnarchived = "project_unarchived": "Project unarchived.";
    AccountChanged = "account_changed": "Account updated.";
    HookTested = "hook_tested": "Test event delivered.";
    HookResent = "hook_resent": "Event redelivered.";
    TermsAccepted = "terms_accepted": "Terms accepted.";
}

impl Flash {
    /// True if the user has just signed up.
    pub(crate) const fn follows_sign_up(self) -> bool {
        matches!(self, Self::SignedUp | Self::LinkSent | Self::AwaitsApproval | Self::LinkSentAwaitsApproval)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_says_only_sentences_of_ours() {
        assert_eq!(Flash::parse(Flash::KeyAdded.code()), Some(Flash::KeyAdded));
        assert_eq!(Flash::parse("<b>"), None);
        assert_eq!(Flash::parse(""), None);
    }
}
