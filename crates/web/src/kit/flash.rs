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
    SignedOut = "signed_out": "You have signed out.";
    SignedUp = "signed_up": "Your account was created.";
    TokenRevoked = "token_revoked": "The token was revoked.";
    KeyAdded = "key_added": "The key was added.";
    KeyRemoved = "key_removed": "The key was removed.";
    EmailAdded = "email_added": "The address was added.";
    EmailLinkSent = "email_link_sent": "The address was added. Open the link that was sent to it.";
    EmailConfirmed = "email_confirmed": "Your e-mail address is confirmed.";
    LinkSent = "link_sent": "Your account was created. Open the link that was sent to your address, and sign in.";
    AwaitsApproval = "awaits_approval": "Your account was created. You can sign in when an administrator has approved it.";
    LinkSentAwaitsApproval = "link_sent_awaits_approval": "Your account was created. Open the link that was sent to your address. You can sign in when an administrator has approved the account.";
    NotificationsChanged = "notifications_changed": "Your settings of mail were changed.";
    EmailRemoved = "email_removed": "The address was removed.";
    DeviceAllowed = "device_allowed": "The device may act for you now. You can close this page.";
    DeviceDenied = "device_denied": "The device was refused.";
    SessionEnded = "session_ended": "The session was ended.";
    SessionsEnded = "sessions_ended": "All other sessions were ended.";
    GrantRevoked = "grant_revoked": "The application can no longer act for you.";
    ApplicationChanged = "application_changed": "The application was changed.";
    ApplicationRemoved = "application_removed": "The application was removed.";
    PasswordChanged = "password_changed": "Your password was changed. All other sessions were ended.";
    PasswordResetAsked = "password_reset_asked": "If an account has this address, a link to choose a new password is on its way to it.";
    PasswordReset = "password_reset": "Your password was changed, and all sessions were ended. Sign in with the new password.";
    TwoFactorOff = "two_factor_off": "Two-factor authentication is off.";
    NotificationLevelSaved = "notification_level_saved": "The notification level was saved.";
    EntriesSaved = "entries_saved": "The changes were saved.";
    EntriesLeft = "entries_left": "Some entries were not changed: you may not change them, or they are gone.";
    CommandsDone = "commands_done": "The commands were carried out.";
    CommentAdded = "comment_added": "Your comment was added.";
    Closed = "closed": "It was closed.";
    Reopened = "reopened": "It was reopened.";
    Merged = "merged": "It was merged.";
    CommentDeleted = "comment_deleted": "The comment was deleted.";
    IssueMoved = "issue_moved": "The issue was moved here.";
    BranchRemoved = "branch_removed": "The branch was deleted.";
    BranchesRemoved = "branches_removed": "The merged branches were deleted.";
    TagRemoved = "tag_removed": "The tag was deleted.";
    FileSaved = "file_saved": "The changes were committed.";
    NotesSaved = "notes_saved": "The release notes were saved.";
    DraftDiscarded = "draft_discarded": "The comment was discarded.";
    ReviewPublished = "review_published": "Your review is published.";
    MarkedAsSeen = "marked_as_seen": "What comes from now on is shown as changes since you looked.";
    LabelRemoved = "label_removed": "The label was deleted.";
    LabelSaved = "label_saved": "The label was saved.";
    MilestoneRemoved = "milestone_removed": "The milestone was deleted.";
    MergeWaits = "merge_waits": "It is merged as soon as the pipeline succeeds.";
    MergeCancelled = "merge_cancelled": "It is not merged when the pipeline succeeds.";
    MemberAdded = "member_added": "The members were added.";
    MemberChanged = "member_changed": "The membership was changed.";
    MemberRemoved = "member_removed": "The member was removed.";
    ProjectShared = "project_shared": "The members of the group can use the project now.";
    ProjectUnshared = "project_unshared": "The project is no longer shared with the group.";
    ForkUnrelated = "fork_unrelated": "The project is no longer a fork.";
    LabelPromoted = "label_promoted": "The label is one of the group now.";
    MilestonePromoted = "milestone_promoted": "The milestone is one of the group now.";
    HasLeft = "has_left": "You are no longer a member.";
    SettingsSaved = "settings_saved": "The settings were saved.";
    ProjectWithoutReadme = "project_without_readme": "The project was made, and its readme could not be: the server was busy.";
    ProjectLowered = "project_lowered": "The project was made. It is no more visible than the group that it is in.";
    ProjectRemoved = "project_removed": "The project is being deleted.";
    GroupRemoved = "group_removed": "The group is being deleted.";
    ProjectMoved = "project_moved": "The project was moved.";
    ProjectArchived = "project_archived": "The project is archived: it can be read, and not changed.";
    ProjectUnarchived = "project_unarchived": "The project can be changed again.";
    AccountChanged = "account_changed": "The account was changed.";
    HookTested = "hook_tested": "The receiver accepted the event.";
    HookResent = "hook_resent": "The event was sent again, and the receiver accepted it.";
    TermsAccepted = "terms_accepted": "You have accepted the terms.";
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
