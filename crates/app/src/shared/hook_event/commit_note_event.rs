//! The bodies for hooks about comments on commits.

use serde_json::{Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::ProjectId;
use tenon_storage::repository::{CommitComment, newest_comment};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, fields, moment};
use crate::shared::hook_event::record::record;

/// Records that a comment was written on a commit.
pub(crate) fn record_commit_note(
    command: &mut Command<'_>,
    project: ProjectId,
    id: i64,
    comment: &CommitComment,
) -> Result<(), AppError> {
    record(command, Some(project), Trigger::Note, Some(comment.author), |_command| {
        Ok(of_commit_note(project, id, comment))
    })
}

/// The newest comment on a commit of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_commit_note(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let found = newest_comment(&mut query.tx, project)?;
    Ok(found.map(|(id, comment)| of_commit_note(project, id, &comment)))
}

fn of_commit_note(project: ProjectId, id: i64, comment: &CommitComment) -> Captured {
    let position = comment.line.as_ref().map(|(path, line, is_new)| {
        let (old, new) = if *is_new { (None, Some(line)) } else { (Some(line), None) };
        json!({
            "head_sha": comment.sha, "old_path": path, "new_path": path, "position_type": "text", "old_line": old,
            "new_line": new,
        })
    });
    let attributes = json!({
        "attachment": null,
        "author_id": comment.author.get(),
        "change_position": null,
        "commit_id": comment.sha,
        "created_at": moment(comment.created_at),
        "discussion_id": null,
        "id": id,
        "line_code": null,
        "note": comment.note,
        "noteable_id": null,
        "noteable_type": "Commit",
        "original_position": position,
        "position": position,
        "project_id": project.get(),
        "resolved_at": null,
        "resolved_by_id": null,
        "resolved_by_push": null,
        "st_diff": null,
        "system": false,
        "type": if position.is_some() { json!("DiffNote") } else { Value::Null },
        "updated_at": moment(comment.created_at),
        "updated_by_id": null,
        "description": comment.note,
        "action": "create",
    });
    Captured::CommitNote { attributes: fields(attributes), sha: comment.sha.clone() }
}
