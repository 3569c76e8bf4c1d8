//! Identifiers. Each kind is its own type, so that mixing two of them does not compile.

macro_rules! id_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// The identifier with this number; any number may be asked for, few exist.
            #[must_use]
            pub const fn new(value: i64) -> Self {
                Self(value)
            }

            /// The number, as it stands in the database and in the API.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id_type! {
    /// A user. Not the user's namespace, which has a number of its own.
    UserId;
    /// A namespace: a group, or the personal namespace of a user. A group's id is its namespace's id.
    NamespaceId;
    /// A project, unique over the whole server.
    ProjectId;
    /// A passkey of a user.
    PasskeyId;
    /// A personal, impersonation or OAuth access token.
    TokenId;
    /// An application that acts for users.
    ApplicationId;
    /// A user's permission for an application.
    GrantId;
    /// A rule that protects branches or tags.
    ProtectedRefId;
    /// An entry of such a rule: who may do one thing.
    AccessEntryId;
    /// The request of a device that has no browser.
    DeviceGrantId;
    /// An invitation by mail.
    InvitationId;
    /// A service of a project.
    ServiceId;
    /// A deploy token of a project or group.
    DeployTokenId;
    /// A badge of a project or group.
    BadgeId;
    /// A feature flag of a project.
    FeatureFlagId;
    /// A strategy of a feature flag.
    FlagStrategyId;
    /// A scope of a strategy of a feature flag.
    FlagScopeId;
    /// A list of users for strategies of feature flags.
    UserListId;
    /// An environment of a project.
    EnvironmentId;
    /// A deployment, unique over the whole server.
    DeploymentId;
    /// A board of a project or group.
    BoardId;
    /// A list of a board.
    BoardListId;
    /// A variable of a project, a group or the whole server.
    VariableId;
    /// A message to all users.
    BroadcastMessageId;
    /// The lock of a path, for files that cannot be merged (LFS).
    LfsLockId;
    /// A task of the server on itself.
    ServerTaskId;
    /// A project hook.
    HookId;
    /// An event on its way to a hook.
    HookDeliveryId;
    /// An event as hooks receive it.
    HookEventId;
    /// A row of the outbox.
    EventId;
    /// A queued job.
    JobId;
    /// An issue or merge request, unique over the whole server.
    IssuableId;
    /// The number of an issue, merge request or milestone within its project or group.
    Iid;
    /// A label.
    LabelId;
    /// A milestone, unique over the whole server.
    MilestoneId;
    /// A comment.
    NoteId;
    /// A comment that is not yet published.
    DraftNoteId;
    /// A change that a comment on a line proposes.
    SuggestionId;
    /// A reaction with an emoji.
    AwardId;
    /// An entry of a to-do list.
    TodoId;
    /// A recorded change of labels, milestone or state.
    ResourceEventId;
    /// A link between two issues.
    IssueLinkId;
    /// The state of a merge request after one push.
    VersionId;
    /// A rule of a project about approvals.
    ApprovalRuleId;
    /// A pipeline.
    PipelineId;
    /// A status that CI has posted for a commit.
    CommitStatusId;
    /// A link of a release.
    ReleaseLinkId;
    /// A snippet, unique over the whole server.
    SnippetId;
    /// A session of a browser.
    SessionId;
    /// An SSH key of a user.
    SshKeyId;
    /// An SSH key that opens projects.
    DeployKeyId;
    /// A secondary address of a user.
    EmailId;
    /// An OpenPGP key of a user.
    GpgKeyId;
    /// A subkey of an OpenPGP key.
    GpgSubkeyId;
}
