//! Rows of lists of branches and tags.

use crate::parts::commit_line::CommitLine;

/// A branch or tag.
pub(super) struct Row {
    pub(super) name: String,
    /// The name as part of addresses.
    pub(super) address: String,
    pub(super) notes: Vec<&'static str>,
    /// The message of an annotated tag.
    pub(super) message: String,
    pub(super) last: Option<CommitLine>,
    pub(super) may_delete: bool,
    /// How far a branch has gone apart from the default branch. `None` for that one, and if it was not found out in time.
    pub(super) apart: Option<Apart>,
    pub(super) request: Option<RequestLink>,
    /// The form of a new merge request of it, below the project. `None` if there is nothing to request.
    pub(super) new_request: Option<String>,
    /// True for a tag without a release, if the caller may create one.
    pub(super) may_release: bool,
}

/// Commits that only the default branch has, and that only the branch has. The widths of the bars are in percent, by steps of 4.
pub(super) struct Apart {
    pub(super) behind: i64,
    pub(super) ahead: i64,
    pub(super) behind_width: i64,
    pub(super) ahead_width: i64,
}

/// The newest merge request of a branch.
pub(super) struct RequestLink {
    pub(super) iid: i64,
    pub(super) state: &'static str,
    pub(super) class: &'static str,
}

/// Rows under one heading.
pub(super) struct Group {
    /// Empty if the list has one group only.
    pub(super) title: &'static str,
    pub(super) note: &'static str,
    pub(super) rows: Vec<Row>,
}
