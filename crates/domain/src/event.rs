//! Domain events: what happened, appended in the transaction that made it happen.

use crate::id::{NamespaceId, ProjectId, UserId};
use crate::time::Timestamp;

/// What happened. The names are stored: renaming one needs a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// An account was made.
    UserCreated,
    /// An account was shut out.
    UserBlocked,
    /// An account was let in again.
    UserUnblocked,
    /// An account is to be removed.
    UserDeletionRequested,
    /// A group was made.
    GroupCreated,
    /// A group changed its settings, path or parent.
    GroupUpdated,
    /// A group is to be removed, with everything below it.
    GroupDeletionRequested,
    /// A project was made.
    ProjectCreated,
    /// A project changed its settings or path.
    ProjectUpdated,
    /// A project moved to another namespace.
    ProjectTransferred,
    /// A project became read-only.
    ProjectArchived,
    /// A project became writable again.
    ProjectUnarchived,
    /// A project is to be removed.
    ProjectDeletionRequested,
    /// A membership began.
    MemberAdded,
    /// A membership changed its level or end.
    MemberUpdated,
    /// A membership ended.
    MemberRemoved,
    /// A token was made.
    TokenCreated,
    /// A token was withdrawn.
    TokenRevoked,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 18] = [
        Self::UserCreated,
        Self::UserBlocked,
        Self::UserUnblocked,
        Self::UserDeletionRequested,
        Self::GroupCreated,
        Self::GroupUpdated,
        Self::GroupDeletionRequested,
        Self::ProjectCreated,
        Self::ProjectUpdated,
        Self::ProjectTransferred,
        Self::ProjectArchived,
        Self::ProjectUnarchived,
        Self::ProjectDeletionRequested,
        Self::MemberAdded,
        Self::MemberUpdated,
        Self::MemberRemoved,
        Self::TokenCreated,
        Self::TokenRevoked,
    ];

    /// The word in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserCreated => "user_created",
            Self::UserBlocked => "user_blocked",
            Self::UserUnblocked => "user_unblocked",
            Self::UserDeletionRequested => "user_deletion_requested",
            Self::GroupCreated => "group_created",
            Self::GroupUpdated => "group_updated",
            Self::GroupDeletionRequested => "group_deletion_requested",
            Self::ProjectCreated => "project_created",
            Self::ProjectUpdated => "project_updated",
            Self::ProjectTransferred => "project_transferred",
            Self::ProjectArchived => "project_archived",
            Self::ProjectUnarchived => "project_unarchived",
            Self::ProjectDeletionRequested => "project_deletion_requested",
            Self::MemberAdded => "member_added",
            Self::MemberUpdated => "member_updated",
            Self::MemberRemoved => "member_removed",
            Self::TokenCreated => "token_created",
            Self::TokenRevoked => "token_revoked",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// One thing that happened, to whom, by whom. Ids stay readable after what they name is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// Who made it happen; `None` for the server itself.
    pub actor: Option<UserId>,
    /// The account concerned.
    pub user: Option<UserId>,
    /// The namespace concerned.
    pub namespace: Option<NamespaceId>,
    /// The project concerned.
    pub project: Option<ProjectId>,
    /// A flag of the request that follow-up work needs, such as `hard_delete`.
    pub detail: Option<String>,
    /// When.
    pub at: Timestamp,
}

impl Event {
    /// `kind` at `at` by `actor`, about nothing yet.
    #[must_use]
    pub const fn new(kind: EventKind, actor: Option<UserId>, at: Timestamp) -> Self {
        Self { kind, actor, user: None, namespace: None, project: None, detail: None, at }
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

    /// The same, with a detail.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }
}
