//! Comments and system notes.

use crate::id::{DraftNoteId, IssuableId, NoteId, UserId};
use crate::time::Timestamp;
use crate::words::words;

words! {
    /// How a note stands to others.
    pub enum NoteKind {
        /// By itself.
        Note = "note",
        /// In a discussion.
        Discussion = "discussion",
        /// In a discussion about a line of a diff.
        Diff = "diff",
    }
}

impl NoteKind {
    /// True if such a note of a merge request can be resolved.
    #[must_use]
    pub const fn is_resolvable(self) -> bool {
        matches!(self, Self::Discussion | Self::Diff)
    }

    /// The `type` in the API; nothing for a note by itself.
    #[must_use]
    pub const fn type_name(self) -> Option<&'static str> {
        match self {
            Self::Note => None,
            Self::Discussion => Some("DiscussionNote"),
            Self::Diff => Some("DiffNote"),
        }
    }
}

/// A line of a difference. Names of commits are 40 hexadecimal digits; an added line has no old number, and a removed
/// one no new number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPosition {
    /// The last commit that both branches have.
    pub base: String,
    /// The head of the target branch.
    pub start: String,
    /// The head of the source branch.
    pub head: String,
    /// The file before: its path in the stored form ([`FilePath::to_stored`](crate::file_path::FilePath::to_stored)), or as JSON has
    /// it, if a client of the API has named it.
    pub old_path: String,
    /// The file after, in the same way.
    pub new_path: String,
    /// The line before, counted from one.
    pub old_line: Option<i64>,
    /// The line after.
    pub new_line: Option<i64>,
}

/// The resolution of a note: it needs no answer any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// Who resolved it; none once that account is deleted.
    pub by: Option<UserId>,
    /// When it was resolved.
    pub at: Timestamp,
}

/// Something said in an issue or merge request, by a user or by the server about what a user did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The note's id.
    pub id: NoteId,
    /// The issue or merge request with the note.
    pub issuable: IssuableId,
    /// Who wrote it, or did what the system note records.
    pub author: UserId,
    /// 40 hexadecimal digits that the notes of one discussion share.
    pub discussion: String,
    /// How it stands to others.
    pub kind: NoteKind,
    /// True if the server wrote it.
    pub system: bool,
    /// Markdown.
    pub body: String,
    /// The issue or merge request that a system note names: only those who may see that see the note.
    pub refers_to: Option<IssuableId>,
    /// The place in a difference of the note, and of all of its discussion.
    pub position: Option<DiffPosition>,
    /// Its resolution, if it is resolved.
    pub resolved: Option<Resolution>,
    /// When it was said.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A comment on a merge request that only its author sees, until all that the author has are published together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftNote {
    /// The draft's id.
    pub id: DraftNoteId,
    /// The merge request.
    pub issuable: IssuableId,
    /// Who wrote it.
    pub author: UserId,
    /// Markdown, with quick actions.
    pub body: String,
    /// The discussion that it answers; it begins one if there is none.
    pub discussion: Option<String>,
    /// The place in a difference at which it begins a discussion.
    pub position: Option<DiffPosition>,
    /// True if the discussion that it answers is resolved with it.
    pub resolves: bool,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
