//! Why Git is not served, in the words that its users read.

use crate::core::error::AppError;

/// The message for a client of Git if the disk of the server is full.
pub const DISK_FULL: &str = "The server's disk is full. Contact an administrator and try again later.";

/// Why Git is not served. The texts reach the user's terminal.
#[derive(Debug, thiserror::Error)]
pub enum GitRefusal {
    /// The caller must sign in, or the credentials are wrong.
    #[error("HTTP Basic: Access denied")]
    Unauthenticated,
    /// Passwords of accounts are not taken.
    #[error(
        "HTTP Basic: Access denied\nYou must use a personal access token with 'api' scope for Git over HTTP.\n\
         An account password is not accepted."
    )]
    TokenRequired,
    /// Known, and not permitted.
    #[error("{0}")]
    Forbidden(&'static str),
    /// The server is in maintenance, with the message of the administrators.
    #[error("{0}")]
    Maintenance(String),
    /// Known, and the account may not be used, for this reason.
    #[error("{0}")]
    Excluded(String),
    /// An SSH key that may not be used for Git, or not any more, for this reason.
    #[error("Your SSH key {0}.")]
    KeyRefused(String),
    /// Absent, or hidden.
    #[error("The project you were looking for could not be found.")]
    NotFound,
    /// The project is there, and its repository is still on its way.
    #[error("A repository for this project does not exist yet.")]
    NotYet,
    /// A push to a project that does not exist and cannot be created, with the reason.
    #[error("Could not create project: {0}")]
    NotCreated(String),
    /// The request is over this limit.
    #[error("{0}")]
    TooLarge(String),
    /// The request cannot be read, for this reason.
    #[error("{0}")]
    Malformed(String),
    /// The client has gone before its request was complete.
    #[error("The request is incomplete.")]
    Incomplete,
    /// The request came more slowly than the limits allow.
    #[error("The request was sent too slowly.")]
    TooSlow,
    /// The transfer ended before it was complete: the client is gone or too slow, or Git has failed.
    #[error("The transfer was cut off.")]
    CutOff,
    /// A fault of the server.
    #[error("internal fault")]
    Failed(#[from] AppError),
}

impl From<tenon_storage::StoreError> for GitRefusal {
    fn from(error: tenon_storage::StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// The message for callers from more addresses than one user may have.
pub(super) const TOO_MANY_ADDRESSES: &str = "You are calling from too many addresses.";
/// The message for users who have used one repository over SSH too often lately.
pub(super) const TOO_MANY_OPERATIONS: &str = "You have used this repository too often. Please try again later.";
