//! Comments and system notes (reference: issues-merge-requests-projects, sections 10.3, 10.4 and 10.9).

use crate::id::{IssuableId, NoteId, UserId};
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

/// Something said in an issue or merge request, by a user or by the server about what a user did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Its id.
    pub id: NoteId,
    /// What it is about.
    pub issuable: IssuableId,
    /// Who said it, or did what it tells.
    pub author: UserId,
    /// 40 hexadecimal digits that the notes of one discussion share.
    pub discussion: String,
    /// How it stands to others.
    pub kind: NoteKind,
    /// Whether the server wrote it.
    pub system: bool,
    /// Markdown.
    pub body: String,
    /// What a system note names: only those who may see that see the note.
    pub refers_to: Option<IssuableId>,
    /// When it was said.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
