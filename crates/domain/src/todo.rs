//! To-do lists.

use crate::id::{IssuableId, NoteId, TodoId, UserId};
use crate::time::Timestamp;
use crate::words::words;

words! {
    /// Why the entry was made.
    pub enum TodoAction {
        /// They are to do it.
        Assigned = "assigned",
        /// They were named.
        Mentioned = "mentioned",
        /// The pipeline of their merge request failed.
        BuildFailed = "build_failed",
        /// They put it there.
        Marked = "marked",
        /// They are to approve it.
        ApprovalRequired = "approval_required",
        /// Their merge request has conflicts.
        Unmergeable = "unmergeable",
        /// A line began with their name.
        DirectlyAddressed = "directly_addressed",
        /// A reviewer asks them for changes.
        ReviewSubmitted = "review_submitted",
    }
}

/// An entry of a user's to-do list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The entry's id.
    pub id: TodoId,
    /// The user on whose list it is.
    pub user: UserId,
    /// Who caused it.
    pub author: UserId,
    /// The issue, merge request or commit to act on.
    pub issuable: IssuableId,
    /// The comment that caused it.
    pub note: Option<NoteId>,
    /// The cause of the entry.
    pub action: TodoAction,
    /// True if it was dealt with.
    pub done: bool,
    /// When it came.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
