//! The bodies for hooks about comments on snippets.

use serde_json::{Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_domain::snippet::{Snippet, SnippetFile, SnippetNote};
use tenon_domain::visibility::Visibility;
use tenon_storage::snippet;

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, fields, moment};
use crate::shared::hook_event::record::record;

/// The longest text of a snippet in a body, in bytes. A longer one is left out.
const LONGEST: usize = 64 << 10;

/// Records that a comment was written on a snippet of a project.
pub(crate) fn record_snippet_note(
    command: &mut Command<'_>,
    on: &Snippet,
    project: ProjectId,
    note: &SnippetNote,
) -> Result<(), AppError> {
    // A private snippet is for members only, also in a public project.
    let is_hidden = on.visibility == Visibility::Private;
    let trigger = if is_hidden { Trigger::ConfidentialNote } else { Trigger::Note };
    record(command, Some(project), trigger, Some(note.author), |command| {
        let file = snippet::file(&mut command.tx, on.id, None)?;
        Ok(Captured::SnippetNote {
            attributes: fields(of_note(project, note)),
            snippet: fields(of_snippet(project, on, file)),
        })
    })
}

fn of_snippet(project: ProjectId, on: &Snippet, file: Option<SnippetFile>) -> Value {
    let (file_name, content) =
        file.map_or((None, None), |file| (Some(file.path), Some(file.content).filter(|text| text.len() <= LONGEST)));
    json!({
        "id": on.id.get(),
        "title": on.title,
        "content": content,
        "author_id": on.author.get(),
        "project_id": project.get(),
        "created_at": moment(on.created_at),
        "updated_at": moment(on.updated_at),
        "file_name": file_name,
        "type": "ProjectSnippet",
        "visibility_level": on.visibility.level(),
        "description": on.description,
    })
}

fn of_note(project: ProjectId, note: &SnippetNote) -> Value {
    json!({
        "attachment": null,
        "author_id": note.author.get(),
        "change_position": null,
        "commit_id": null,
        "created_at": moment(note.created_at),
        "discussion_id": note.discussion,
        "id": note.id.get(),
        "line_code": null,
        "note": note.body,
        "noteable_id": note.snippet.get(),
        "noteable_type": "Snippet",
        "original_position": null,
        "position": null,
        "project_id": project.get(),
        "resolved_at": null,
        "resolved_by_id": null,
        "resolved_by_push": null,
        "st_diff": null,
        "system": false,
        "type": note.kind.type_name(),
        "updated_at": moment(note.updated_at),
        "updated_by_id": null,
        "description": note.body,
        "action": "create",
    })
}
