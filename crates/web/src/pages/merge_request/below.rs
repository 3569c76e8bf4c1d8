//! Threads and forms below a line of a difference.

use crate::parts::issuable::talk::{Draft, DraftCard, ThreadView};

/// Threads, drafts and a form below a line.
#[derive(Default)]
pub(super) struct Below {
    /// The line, as addresses name it.
    pub(super) id: String,
    pub(super) threads: Vec<ThreadView>,
    /// Comments of the caller's that are not published yet.
    pub(super) drafts: Vec<DraftCard>,
    /// The form of a new comment, with the two numbers.
    pub(super) form: Option<LineForm>,
}

pub(super) struct LineForm {
    pub(super) draft: Draft,
    pub(super) old: String,
    pub(super) new: String,
    /// The block with which a comment proposes another line. Empty for a removed line.
    pub(super) suggestion: String,
}
