//! The bodies for hooks about reactions.

use serde_json::{Map, Value, json};
use tenon_domain::hook::Trigger;
use tenon_domain::id::{NoteId, ProjectId};
use tenon_domain::issuable::Issuable;
use tenon_storage::award_emoji::{self, Award};
use tenon_storage::{issuable, note};

use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::shared::hook_event::captured::{Captured, fields, moment};
use crate::shared::hook_event::record::{capture, note_attributes, record};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// Records that a reaction was given (`award`) or taken back (`revoke`). No hook learns of those to confidential issues: their
/// flag does not say that it may.
pub(crate) fn record_award(
    command: &mut Command<'_>,
    of: &Issuable,
    award: &Award,
    action: &'static str,
) -> Result<(), AppError> {
    if of.confidential {
        return Ok(());
    }
    let actor = command.actor();
    record(command, Some(of.project), Trigger::Emoji, actor, |command| {
        captured(&mut command.query(), of, award, action)
    })
}

/// The newest reaction to what is not confidential in a project, as an event has it, for a test of a hook.
pub(crate) fn sample_award(query: &mut Query<'_>, project: ProjectId) -> Result<Option<Captured>, AppError> {
    let Some(award) = award_emoji::newest(&mut query.tx, project)? else { return Ok(None) };
    let Some(of) = issuable::find_by_id(&mut query.tx, award.subject.issuable)? else { return Ok(None) };
    captured(query, &of, &award, "award").map(Some)
}

fn captured(query: &mut Query<'_>, of: &Issuable, award: &Award, action: &str) -> Result<Captured, AppError> {
    let on = IssuableAggregate::read(query, of)?;
    let note = match award.subject.note {
        Some(id) => note::by_ids(&mut query.tx, &[id])?.remove(&id),
        None => None,
    };
    Ok(Captured::Award {
        attributes: attributes(of, award, action),
        note: note.map(|note| note_attributes(&note, of.kind, of.project)),
        on: capture(Some(&on), &on),
    })
}

fn attributes(of: &Issuable, award: &Award, action: &str) -> Map<String, Value> {
    let (kind, id) = match award.subject.note {
        Some(note) => ("Note", NoteId::get(note)),
        None => (of.kind.type_name(), of.id.get()),
    };
    fields(json!({
        "user_id": award.user.get(),
        "created_at": moment(award.created_at),
        "id": award.id.get(),
        "name": award.name,
        "awardable_type": kind,
        "awardable_id": id,
        "updated_at": moment(award.updated_at),
        "action": action,
    }))
}
