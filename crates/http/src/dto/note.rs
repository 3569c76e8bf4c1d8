//! Notes and discussions as JSON.

use chrono::{DateTime, Utc};
use serde::Serialize;
use tenon_app::note::{DiscussionView, NoteView, SuggestionView};
use tenon_app::snippet::{SnippetDiscussionView, SnippetNoteView};
use tenon_domain::file_path::FilePath;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::note::DiffPosition;
use utoipa::ToSchema;

use super::user::UserRefDto;

/// A comment of a user, or a system note about what a user did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NoteDto {
    id: i64,
    /// Null, `DiscussionNote` or `DiffNote`.
    #[serde(rename = "type")]
    kind: Option<&'static str>,
    body: String,
    /// Always null: files are uploaded on their own.
    attachment: Option<String>,
    author: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    created_at: DateTime<Utc>,
    #[serde(serialize_with = "crate::dto::json_time::moment")]
    updated_at: DateTime<Utc>,
    /// True if the note is a system note.
    system: bool,
    /// The id of the issue, merge request or snippet.
    noteable_id: i64,
    noteable_type: &'static str,
    project_id: i64,
    /// True if the note can be resolved: notes in discussions of merge requests can.
    resolvable: bool,
    #[serde(flatten)]
    resolution: Option<ResolutionDto>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<PositionDto>,
    /// The changes of lines that a note on a line proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Vec<SuggestionDto>>,
    confidential: bool,
    internal: bool,
    /// The iid of the issue or merge request. Null for snippets.
    noteable_iid: Option<i64>,
    commands_changes: CommandsChangesDto,
    /// Always null: comments on commits are a list of their own.
    commit_id: Option<String>,
}

/// The resolution of a note.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ResolutionDto {
    resolved: bool,
    resolved_by: Option<UserRefDto>,
    #[serde(serialize_with = "crate::dto::json_time::optional")]
    resolved_at: Option<DateTime<Utc>>,
}

/// The position of a note in a diff.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PositionDto {
    base_sha: String,
    start_sha: String,
    head_sha: String,
    old_path: String,
    new_path: String,
    position_type: &'static str,
    old_line: Option<i64>,
    new_line: Option<i64>,
}

/// A change of lines that a note proposes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SuggestionDto {
    id: i64,
    /// The first line, in the version that the note is about.
    from_line: i64,
    /// The last line.
    to_line: i64,
    /// True if nothing prevents its application.
    appliable: bool,
    /// True if the source branch has it.
    applied: bool,
    /// The lines that it replaces.
    from_content: String,
    /// The lines that replace them.
    to_content: String,
}

impl From<SuggestionView> for SuggestionDto {
    fn from(view: SuggestionView) -> Self {
        let applied = view.suggestion.is_applied();
        let proposal = view.suggestion.proposal;
        Self {
            id: view.suggestion.id.get(),
            from_line: proposal.from_line,
            to_line: proposal.to_line,
            appliable: view.is_appliable,
            applied,
            from_content: proposal.from_content,
            to_content: proposal.to_content,
        }
    }
}

impl From<DiffPosition> for PositionDto {
    fn from(position: DiffPosition) -> Self {
        Self {
            base_sha: position.base,
            start_sha: position.start,
            head_sha: position.head,
            old_path: FilePath::from_stored(&position.old_path).to_string(),
            new_path: FilePath::from_stored(&position.new_path).to_string(),
            position_type: "text",
            old_line: position.old_line,
            new_line: position.new_line,
        }
    }
}

/// The changes by quick actions; always empty.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CommandsChangesDto {}

/// The result of a comment with quick actions only.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CommandsDto {
    commands_changes: CommandsChangesDto,
    summary: [&'static str; 1],
}

/// A discussion.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiscussionDto {
    /// 40 hexadecimal digits.
    id: String,
    /// True if the discussion is a single note without replies.
    individual_note: bool,
    notes: Vec<NoteDto>,
}

impl Default for CommandsDto {
    fn default() -> Self {
        Self { commands_changes: CommandsChangesDto {}, summary: ["Commands applied"] }
    }
}

impl From<NoteView> for NoteDto {
    fn from(view: NoteView) -> Self {
        let note = view.note;
        let resolvable = view.noteable_kind == IssuableKind::MergeRequest && note.kind.is_resolvable() && !note.system;
        Self {
            id: note.id.get(),
            kind: note.kind.type_name(),
            body: note.body,
            attachment: None,
            author: view.author.map(Into::into),
            created_at: note.created_at,
            updated_at: note.updated_at,
            system: note.system,
            noteable_id: note.issuable.get(),
            noteable_type: view.noteable_kind.type_name(),
            project_id: view.project.get(),
            resolvable,
            resolution: resolvable.then(|| ResolutionDto {
                resolved: note.resolved.is_some(),
                resolved_by: view.resolved_by.map(Into::into),
                resolved_at: note.resolved.map(|resolved| resolved.at),
            }),
            suggestions: note.position.is_some().then(|| view.suggestions.into_iter().map(Into::into).collect()),
            position: note.position.map(Into::into),
            confidential: false,
            internal: false,
            noteable_iid: Some(view.noteable_iid.get()),
            commands_changes: CommandsChangesDto {},
            commit_id: None,
        }
    }
}

impl From<SnippetNoteView> for NoteDto {
    fn from(view: SnippetNoteView) -> Self {
        let note = view.note;
        Self {
            id: note.id.get(),
            kind: note.kind.type_name(),
            body: note.body,
            attachment: None,
            author: view.author.map(Into::into),
            created_at: note.created_at,
            updated_at: note.updated_at,
            system: false,
            noteable_id: note.snippet.get(),
            noteable_type: "Snippet",
            project_id: view.project.get(),
            resolvable: false,
            resolution: None,
            suggestions: None,
            position: None,
            confidential: false,
            internal: false,
            noteable_iid: None,
            commands_changes: CommandsChangesDto {},
            commit_id: None,
        }
    }
}

impl From<SnippetDiscussionView> for DiscussionDto {
    fn from(view: SnippetDiscussionView) -> Self {
        Self {
            id: view.id,
            individual_note: view.individual_note,
            notes: view.notes.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<DiscussionView> for DiscussionDto {
    fn from(view: DiscussionView) -> Self {
        Self {
            id: view.id,
            individual_note: view.individual_note,
            notes: view.notes.into_iter().map(Into::into).collect(),
        }
    }
}
