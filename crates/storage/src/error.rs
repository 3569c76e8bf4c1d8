//! Errors between the server and its database.

use diesel::ConnectionError;
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};

/// The result of a query.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another row has that value already.
    #[error("already taken: {0:?}")]
    Unique(UniqueKey),
    /// A row refers to something that is gone.
    #[error("a referenced row is missing")]
    Reference,
    /// No connection could be had in time.
    #[error("no database connection")]
    Unavailable(#[source] r2d2::Error),
    /// No connection could be opened when the program started.
    #[error("the database cannot be opened")]
    Unreachable(#[source] ConnectionError),
    /// The connection was lost, or the database server is shutting down. The writes of the transaction are not stored.
    /// If its commit was under way, they may be.
    #[error("the connection to the database was lost")]
    Lost(#[source] DieselError),
    /// The database cannot do it at the moment: another program holds its lock, it only takes reads, or it has no memory.
    #[error("the database cannot do this at the moment")]
    Unready(#[source] DieselError),
    /// A statement worked for longer than one may.
    #[error("a statement took longer than it may")]
    TookTooLong(#[source] DieselError),
    /// The disk of the database is full, or refuses what is to be written. Nothing of the transaction is stored.
    #[error("the disk of the database is full")]
    DiskFull(#[source] DieselError),
    /// A row that cannot be what it should be: another program has written into the database.
    #[error("table {table}, id {id}: column {column} holds {value:?}")]
    Inconsistent {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row.
        id: i64,
        /// The value in the row.
        value: String,
    },
    /// The database was last used by a newer version of this program.
    #[error("the database has the migration {0}, which this version does not know: use a newer version of tenon")]
    Newer(String),
    /// The database was made before version 0.1, whose first migration took the place of all earlier ones.
    #[error(
        "the database was made by a tenon before version 0.1 (migration {0}) and cannot be brought up to date: use the tenon that \
         made it, or begin with an empty data folder and an empty database"
    )]
    Older(String),
    /// A migration failed.
    #[error("migration failed")]
    Migration(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Anything else that the driver reports.
    #[error("database failure")]
    Backend(#[source] DieselError),
}

/// A unique index that a write can run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UniqueKey {
    /// A user name.
    Username,
    /// An e-mail address.
    Email,
    /// An account at an outside provider.
    Identity,
    /// A full path, of whatever kind of thing.
    FullPath,
    /// A project's display name in its namespace.
    ProjectName,
    /// A user's membership in a group or project.
    Member,
    /// A share with a group.
    Share,
    /// A star.
    Star,
    /// The number of an issue or merge request in its project.
    Iid,
    /// A label's name in its project or group.
    LabelName,
    /// A milestone's title in its project or group.
    MilestoneTitle,
    /// The same reaction of the same user.
    Award,
    /// A link between two issues.
    IssueLink,
    /// A rule for branches or tags.
    ProtectedRef,
    /// The release of a tag.
    Release,
    /// An SSH key.
    SshKey,
    /// A passkey.
    Passkey,
    /// An OpenPGP key.
    GpgKey,
    /// The name of a rule about approvals in its project.
    ApprovalRuleName,
    /// The rule of a project about the approvals of everyone.
    AnyApproverRule,
    /// The invitation of an address to a group or project.
    Invitation,
    /// The request of a user for access to a group or project.
    AccessRequest,
    /// The key of a variable in its project or group and scope, or of one of the whole server.
    VariableKey,
    /// The name of an environment in its project.
    EnvironmentName,
    /// The name of a feature flag in its project.
    FeatureFlagName,
    /// The name of a list of users in its project.
    UserListName,
    /// One that no rule speaks about.
    Other,
}

/// Index name (PostgreSQL) and what SQLite's message names instead, per key.
const UNIQUE_KEYS: &[(&str, &str, UniqueKey)] = &[
    ("users_username_key", "users.username_key", UniqueKey::Username),
    ("users_email", "users.email", UniqueKey::Email),
    ("emails_email", "emails.email", UniqueKey::Email),
    ("identities_provider_extern_uid", "identities.provider, identities.extern_uid_key", UniqueKey::Identity),
    ("full_paths_pkey", "full_paths.path_key", UniqueKey::FullPath),
    ("projects_namespace_name", "projects.namespace_id, projects.name", UniqueKey::ProjectName),
    ("members_namespace_user", "members.namespace_id, members.user_id", UniqueKey::Member),
    ("members_project_user", "members.project_id, members.user_id", UniqueKey::Member),
    ("invitations_namespace_email", "invitations.namespace_id, invitations.email", UniqueKey::Invitation),
    ("invitations_project_email", "invitations.project_id, invitations.email", UniqueKey::Invitation),
    (
        "access_requests_namespace_user",
        "access_requests.namespace_id, access_requests.user_id",
        UniqueKey::AccessRequest,
    ),
    ("access_requests_project_user", "access_requests.project_id, access_requests.user_id", UniqueKey::AccessRequest),
    ("shares_namespace_group", "shares.namespace_id, shares.group_id", UniqueKey::Share),
    ("shares_project_group", "shares.project_id, shares.group_id", UniqueKey::Share),
    ("stars_pkey", "stars.project_id, stars.user_id", UniqueKey::Star),
    ("issuables_project_iid", "issuables.project_id, issuables.kind, issuables.iid", UniqueKey::Iid),
    ("labels_project_name", "labels.project_id, labels.name", UniqueKey::LabelName),
    ("labels_namespace_name", "labels.namespace_id, labels.name", UniqueKey::LabelName),
    ("milestones_project_title", "milestones.project_id, milestones.title", UniqueKey::MilestoneTitle),
    ("milestones_namespace_title", "milestones.namespace_id, milestones.title", UniqueKey::MilestoneTitle),
    ("award_emoji_issuable", "award_emoji.issuable_id, award_emoji.user_id, award_emoji.name", UniqueKey::Award),
    ("award_emoji_note", "award_emoji.note_id, award_emoji.user_id, award_emoji.name", UniqueKey::Award),
    (
        "protected_refs_name",
        "protected_refs.project_id, protected_refs.kind, protected_refs.name",
        UniqueKey::ProtectedRef,
    ),
    ("releases_pkey", "releases.project_id, releases.tag_name", UniqueKey::Release),
    ("gpg_keys_fingerprint", "gpg_keys.fingerprint", UniqueKey::GpgKey),
    ("gpg_keys_keyid", "gpg_keys.keyid", UniqueKey::GpgKey),
    ("ssh_keys_md5", "ssh_keys.md5", UniqueKey::SshKey),
    ("ssh_keys_sha256", "ssh_keys.sha256", UniqueKey::SshKey),
    ("passkeys_credential", "passkeys.credential", UniqueKey::Passkey),
    ("issue_links_pair", "issue_links.source_id, issue_links.target_id", UniqueKey::IssueLink),
    ("approval_rules_name", "approval_rules.project_id, approval_rules.name", UniqueKey::ApprovalRuleName),
    (
        "variables_project_key",
        "variables.project_id, variables.key, variables.environment_scope",
        UniqueKey::VariableKey,
    ),
    (
        "variables_namespace_key",
        "variables.namespace_id, variables.key, variables.environment_scope",
        UniqueKey::VariableKey,
    ),
    ("variables_server_key", "variables.key", UniqueKey::VariableKey),
    ("environments_project_name", "environments.project_id, environments.name", UniqueKey::EnvironmentName),
    ("feature_flags_project_name", "feature_flags.project_id, feature_flags.name", UniqueKey::FeatureFlagName),
    (
        "feature_flag_user_lists_project_name",
        "feature_flag_user_lists.project_id, feature_flag_user_lists.name",
        UniqueKey::UserListName,
    ),
    ("approval_rules_any_approver", "approval_rules.project_id", UniqueKey::AnyApproverRule),
];

fn unique_key(info: &dyn DatabaseErrorInformation) -> UniqueKey {
    let found = match info.constraint_name() {
        Some(name) => UNIQUE_KEYS.iter().find(|(index, _, _)| *index == name),
        // SQLite: "UNIQUE constraint failed: users.email".
        None => UNIQUE_KEYS.iter().find(|(_, columns, _)| info.message().ends_with(&format!(": {columns}"))),
    };
    found.map_or(UniqueKey::Other, |(_, _, key)| *key)
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
                Self::Unique(unique_key(info.as_ref()))
            }
            DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => Self::Reference,
            other => match machine_fault(&other) {
                Some(MachineFault::Lost) => Self::Lost(other),
                Some(MachineFault::Unready) => Self::Unready(other),
                Some(MachineFault::TookTooLong) => Self::TookTooLong(other),
                Some(MachineFault::DiskFull) => Self::DiskFull(other),
                None => Self::Backend(other),
            },
        }
    }
}

impl From<ConnectionError> for StoreError {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::CouldntSetupConfiguration(error) => match Self::from(error) {
                Self::Backend(error) => Self::Unreachable(ConnectionError::CouldntSetupConfiguration(error)),
                known => known,
            },
            other => Self::Unreachable(other),
        }
    }
}

/// The resource that a machine can lack, by the driver's report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MachineFault {
    Lost,
    Unready,
    TookTooLong,
    DiskFull,
}

/// The fault of the machine that an error stands for, if it stands for one. The driver does not pass on the codes of SQLite and
/// the SQLSTATE of PostgreSQL (`53100`, `57P01` to `57P03`, `53200`, `57014`), so that their texts decide, as both print them in
/// English; that a connection has ended is known without a text.
fn machine_fault(error: &DieselError) -> Option<MachineFault> {
    let (kind, info) = match error {
        // A statement before has ended the connection.
        DieselError::BrokenTransactionManager => return Some(MachineFault::Lost),
        DieselError::DatabaseError(kind, info) => (kind, info),
        _ => return None,
    };
    match kind {
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => Some(MachineFault::Lost),
        DatabaseErrorKind::ReadOnlyTransaction => Some(MachineFault::Unready),
        DatabaseErrorKind::Unknown => worded(info.message(), info.hint()),
        _ => None,
    }
}

/// As [`machine_fault`], by the text of an error, and what PostgreSQL advises.
fn worded(message: &str, hint: Option<&str>) -> Option<MachineFault> {
    let begins = |words: &[&str]| words.iter().any(|word| message.starts_with(word));
    let ends = |words: &[&str]| words.iter().any(|word| message.ends_with(word));
    // SQLite says "disk I/O error" if the system refuses a write for another reason than ENOSPC, such as a quota.
    let is_full = matches!(message, "database or disk is full" | "disk I/O error")
        || ends(&[": No space left on device", ": Disk quota exceeded", ": File too large"])
        || hint == Some("Check free disk space.");
    if is_full {
        return Some(MachineFault::DiskFull);
    }
    let is_lost = begins(&[
        "terminating connection",
        "the database system is",
        // Of the library of PostgreSQL itself, about the socket.
        "server closed the connection",
        "no connection to the server",
        "could not receive data from server",
        "could not send data to server",
    ]);
    if is_lost {
        return Some(MachineFault::Lost);
    }
    if message == "canceling statement due to statement timeout" {
        return Some(MachineFault::TookTooLong);
    }
    let is_unready = begins(&["database is locked", "database table is locked", "out of memory"])
        || matches!(message, "attempt to write a readonly database" | "canceling statement due to lock timeout");
    is_unready.then_some(MachineFault::Unready)
}

impl StoreError {
    /// True if the disk of the database is full, or refuses the write.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::DiskFull(_) => true,
            // Their causes are known by their texts only.
            Self::Migration(error) => names_full_disk(&error.to_string()),
            Self::Unreachable(error) => names_full_disk(&error.to_string()),
            Self::Unavailable(error) => names_full_disk(&error.to_string()),
            Self::Unique(_)
            | Self::Reference
            | Self::Lost(_)
            | Self::Unready(_)
            | Self::TookTooLong(_)
            | Self::Inconsistent { .. }
            | Self::Newer(_)
            | Self::Older(_)
            | Self::Backend(_) => false,
        }
    }
}

/// True if the last words of an error with quotes of others are those of a full disk.
fn names_full_disk(text: &str) -> bool {
    ["database or disk is full", "disk I/O error", ": No space left on device"]
        .iter()
        .any(|words| text.ends_with(words))
}
