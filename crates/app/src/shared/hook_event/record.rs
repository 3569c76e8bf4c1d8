//! The bodies for hooks, captured in the transaction of the event.
//!
//! If no hook receives an event, that is one statement. If one does, the part of the event that may change later is
//! stored with it (`Captured`), and a job makes the body of it (`workflows/webhook`).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tenon_domain::file_path::FilePath;
use tenon_domain::hook::Trigger;
use tenon_domain::id::{IssuableId, LabelId, MilestoneId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::merge_request::MergeRequest;
use tenon_domain::note::Note;
use tenon_domain::time_tracking::human;
use tenon_storage::hook::{self, NewHookEvent};
use tenon_storage::job::Queue;
use tenon_storage::{issuable, note};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::jobs::{Job, enqueue};
use crate::shared::issuable_aggregate::IssuableAggregate;

pub(crate) use crate::shared::hook_event::captured::{Captured, Changed, IssuableCapture, MovedRef, fields, moment};

/// Makes the bodies of the events of a project, in their order, and the deliveries to its hooks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RenderHookEvents {
    /// The project; `None` for events of the whole server.
    pub(crate) project: Option<i64>,
}

impl Job for RenderHookEvents {
    const KIND: &'static str = "render_hook_events";
    const QUEUE: Queue = Queue::Hooks;
}

/// Records an event that `actor` has made happen in `project`, or on the whole server, for the hooks that receive it.
/// If none does, this is one statement, and `capture` is not called.
pub(crate) fn record(
    command: &mut Command<'_>,
    project: Option<ProjectId>,
    trigger: Trigger,
    actor: Option<UserId>,
    capture: impl FnOnce(&mut Command<'_>) -> Result<Captured, AppError>,
) -> Result<(), AppError> {
    if !hook::is_received(&mut command.tx, project, trigger)? {
        return Ok(());
    }
    let most = i64::try_from(command.app.limits().hooks.kept_events).unwrap_or(i64::MAX);
    if hook::has_events(&mut command.tx, project, most)? {
        tracing::warn!(project.id = project.map(ProjectId::get), "an event is not sent to hooks: too many wait");
        return Ok(());
    }
    if room(command, project, 1)? < 1 {
        tracing::warn!(project.id = project.map(ProjectId::get), "an event is not sent to hooks: too much is held");
        return Ok(());
    }
    let captured = serde_json::to_string(&capture(command)?).map_err(AppError::internal)?;
    let (uuid, at) = (new_uuid(command), command.now);
    let event = NewHookEvent { project, actor, trigger, uuid: &uuid, captured: &captured, at };
    hook::insert_event(&mut command.tx, &event)?;
    let render = RenderHookEvents { project: project.map(ProjectId::get) };
    command.charged_to(actor, |command| enqueue(command, &render))
}

/// Events that make room at once.
const ROOM_BATCH: i64 = 100;

/// Bytes that events of a project, or of the whole server, may still take. If those are fewer than `wanted`, some of
/// the oldest events that no delivery waits for make room.
pub(crate) fn room(command: &mut Command<'_>, project: Option<ProjectId>, wanted: i64) -> Result<i64, AppError> {
    let most = i64::try_from(command.app.limits().hooks.kept_bytes).unwrap_or(i64::MAX);
    let room = most - hook::held_bytes(&mut command.tx, project)?;
    if room >= wanted || hook::make_room(&mut command.tx, project, wanted - room, ROOM_BATCH)? == 0 {
        return Ok(room);
    }
    Ok(most - hook::held_bytes(&mut command.tx, project)?)
}

/// A random name.
pub(crate) fn new_uuid(command: &Command<'_>) -> String {
    let mut bytes = [0_u8; 16];
    command.app.entropy().fill(&mut bytes);
    uuid_of(bytes)
}

/// The name that these random bytes make, in the form of RFC 9562, version 4.
pub(crate) fn uuid_of(bytes: [u8; 16]) -> String {
    let number = (u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

/// Records that an issue or merge request was opened (`before` is `None`) or changed.
pub(crate) fn record_issuable(
    command: &mut Command<'_>,
    action: &'static str,
    before: Option<&IssuableAggregate>,
    after: &IssuableAggregate,
) -> Result<(), AppError> {
    let of = &after.issuable;
    let trigger = match of.kind {
        IssuableKind::MergeRequest => Trigger::MergeRequest,
        IssuableKind::Issue if of.confidential => Trigger::ConfidentialIssue,
        IssuableKind::Issue => Trigger::Issue,
    };
    let actor = command.actor();
    record(command, Some(of.project), trigger, actor, |_command| {
        let mut capture = capture(before, after);
        capture.attributes.insert("action".to_owned(), json!(action));
        if let Some(oldrev) = &capture.oldrev {
            capture.attributes.insert("oldrev".to_owned(), json!(oldrev));
        }
        Ok(Captured::Issuable(capture))
    })
}

/// Records that a comment was written.
pub(crate) fn record_note(command: &mut Command<'_>, note: &Note, of: &Issuable) -> Result<(), AppError> {
    let trigger = if of.confidential { Trigger::ConfidentialNote } else { Trigger::Note };
    record(command, Some(of.project), trigger, Some(note.author), |command| {
        let on = IssuableAggregate::load(command, of)?;
        let attributes = note_attributes(note, of.kind, of.project);
        Ok(Captured::Note { attributes, on: capture(Some(&on), &on) })
    })
}

/// The newest issue or merge request of a project, as an event of this kind has it, for a test of a hook.
pub(crate) fn sample(
    query: &mut Query<'_>,
    project: ProjectId,
    kind: IssuableKind,
    confidential: bool,
) -> Result<Option<Captured>, AppError> {
    let Some(found) = issuable::newest(&mut query.tx, kind, project, confidential)? else { return Ok(None) };
    let of = IssuableAggregate::read(query, &found)?;
    Ok(Some(Captured::Issuable(capture(Some(&of), &of))))
}

/// The newest comment of a project, as an event has it, for a test of a hook.
pub(crate) fn sample_note(
    query: &mut Query<'_>,
    project: ProjectId,
    confidential: bool,
) -> Result<Option<Captured>, AppError> {
    let Some(note) = note::newest(&mut query.tx, project, confidential)? else { return Ok(None) };
    let Some(found) = issuable::find_by_id(&mut query.tx, note.issuable)? else { return Ok(None) };
    let on = IssuableAggregate::read(query, &found)?;
    let attributes = note_attributes(&note, found.kind, project);
    Ok(Some(Captured::Note { attributes, on: capture(Some(&on), &on) }))
}

/// An issue or merge request as an event has it, with what is different from before.
pub(crate) fn capture(before: Option<&IssuableAggregate>, after: &IssuableAggregate) -> IssuableCapture {
    let attributes = attributes(after);
    let known = before.map(self::attributes);
    let labels = |of: &IssuableAggregate| of.labels.iter().map(|(id, _)| LabelId::get(*id)).collect::<Vec<_>>();
    let people = |of: &IssuableAggregate| of.assignees.iter().map(|id| UserId::get(*id)).collect::<Vec<_>>();
    IssuableCapture {
        kind: after.issuable.kind.as_str().to_owned(),
        labels: changed(before.map(labels), labels(after)),
        assignees: changed(before.map(people), people(after)),
        changes: changes(known.as_ref(), &attributes),
        oldrev: before.and_then(head).filter(|old| Some(old) != head(after).as_ref()),
        attributes,
    }
}

fn head(of: &IssuableAggregate) -> Option<String> {
    of.request.as_ref().and_then(MergeRequest::head).map(str::to_owned)
}

fn changed(before: Option<Vec<i64>>, now: Vec<i64>) -> Changed {
    let before = match before {
        None if now.is_empty() => None,
        None => Some(Vec::new()),
        Some(before) => (before != now).then_some(before),
    };
    Changed { now, before }
}

/// The differences. Of a new row, everything that is set.
fn changes(before: Option<&Map<String, Value>>, after: &Map<String, Value>) -> Map<String, Value> {
    let previous = |name: &String| before.and_then(|known| known.get(name)).cloned().unwrap_or(Value::Null);
    let differing = after.iter().filter(|(name, value)| previous(name) != **value);
    differing
        // Lists of people have a form of their own, and so has the commit.
        .filter(|(name, _)| !matches!(name.as_str(), "assignee_id" | "assignee_ids" | "last_commit_id"))
        .map(|(name, value)| (name.clone(), json!({ "previous": previous(name), "current": value })))
        .collect()
}

/// The attributes of an issue or merge request, without those that are made of addresses.
fn attributes(of: &IssuableAggregate) -> Map<String, Value> {
    let issuable = &of.issuable;
    let assignees: Vec<i64> = of.assignees.iter().map(|id| id.get()).collect();
    let mut all = json!({
        "assignee_id": assignees.first(),
        "author_id": issuable.author.get(),
        "created_at": moment(issuable.created_at),
        "description": issuable.description.as_deref().unwrap_or_default(),
        "human_time_estimate": human(issuable.time_estimate),
        "human_total_time_spent": human(issuable.total_time_spent),
        "id": issuable.id.get(),
        "iid": issuable.iid.get(),
        "last_edited_at": null,
        "last_edited_by_id": null,
        "milestone_id": issuable.milestone.map(MilestoneId::get),
        "state": issuable.state.as_str(),
        "time_estimate": issuable.time_estimate,
        "title": issuable.title,
        "total_time_spent": issuable.total_time_spent,
        "updated_at": moment(issuable.updated_at),
        "updated_by_id": null,
    });
    let closed_at = match issuable.state {
        State::Closed { at, .. } => at.map(moment),
        State::Opened | State::Locked | State::Merged => None,
    };
    let more = match &of.request {
        None => json!({
            "assignee_ids": assignees,
            "closed_at": closed_at,
            "confidential": issuable.confidential,
            "due_date": issuable.due_date.map(|day| day.format("%Y-%m-%d").to_string()),
            "moved_to_id": issuable.moved_to.map(IssuableId::get),
            "project_id": issuable.project.get(),
            "relative_position": null,
            "discussion_locked": issuable.discussion_locked,
            "weight": issuable.weight,
        }),
        Some(request) => merge_request_attributes(request, issuable.project),
    };
    if let (Value::Object(all), Value::Object(more)) = (&mut all, more) {
        all.extend(more);
    }
    fields(all)
}

fn merge_request_attributes(request: &MergeRequest, target: ProjectId) -> Value {
    json!({
        "head_pipeline_id": null,
        "merge_commit_sha": request.merged.as_ref().and_then(|merged| merged.commit.clone()),
        "merge_error": request.merge_error,
        "merge_params": { "force_remove_source_branch": request.force_remove_source_branch.then_some("1") },
        "merge_status": request.merge_status.as_str(),
        "merge_user_id": request.merged.as_ref().and_then(|merged| merged.by).map(UserId::get),
        "merge_when_pipeline_succeeds": request.auto_merge.is_some(),
        "source_branch": request.source_branch,
        "source_project_id": request.source_project.map(ProjectId::get),
        "target_branch": request.target_branch,
        "target_project_id": target.get(),
        "work_in_progress": request.draft,
        "last_commit_id": request.head(),
    })
}

/// The attributes of a comment, as they are sent.
pub(crate) fn note_attributes(note: &Note, of: IssuableKind, project: ProjectId) -> Map<String, Value> {
    let position = note.position.as_ref().map(|at| {
        let [before, after] = [&at.old_path, &at.new_path].map(|path| FilePath::from_stored(path).to_string());
        json!({
            "base_sha": at.base, "start_sha": at.start, "head_sha": at.head, "old_path": before,
            "new_path": after, "position_type": "text", "old_line": at.old_line, "new_line": at.new_line,
        })
    });
    let attributes = json!({
        "attachment": null,
        "author_id": note.author.get(),
        "change_position": null,
        "commit_id": null,
        "created_at": moment(note.created_at),
        "discussion_id": note.discussion,
        "id": note.id.get(),
        "line_code": null,
        "note": note.body,
        "noteable_id": note.issuable.get(),
        "noteable_type": of.type_name(),
        "original_position": position,
        "position": position,
        "project_id": project.get(),
        "resolved_at": note.resolved.map(|resolution| moment(resolution.at)),
        "resolved_by_id": note.resolved.and_then(|resolution| resolution.by).map(UserId::get),
        "resolved_by_push": null,
        "st_diff": null,
        "system": note.system,
        "type": note.kind.type_name(),
        "updated_at": moment(note.updated_at),
        "updated_by_id": null,
        "description": note.body,
        "action": "create",
    });
    fields(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_what_differs() {
        let of = |value: Value| value.as_object().cloned().unwrap_or_default();
        let (before, after) =
            (of(json!({"title": "a", "state": "opened"})), of(json!({"title": "b", "state": "opened"})));
        assert_eq!(Value::Object(changes(Some(&before), &after)), json!({"title": {"previous": "a", "current": "b"}}));
        let new = of(json!({"title": "a", "due_date": null}));
        assert_eq!(Value::Object(changes(None, &new)), json!({"title": {"previous": null, "current": "a"}}));
    }
}
