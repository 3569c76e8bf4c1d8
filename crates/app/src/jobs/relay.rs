//! From events to jobs.

use std::collections::HashSet;

use tenon_domain::id::EventId;
use tenon_storage::event;

use crate::core::app::Command;
use crate::core::error::AppError;

/// Events that are relayed in one transaction.
const BATCH: i64 = 100;

/// Turns the oldest events into the jobs that they ask for, in order; returns how many events there were. Events and
/// jobs change in one transaction, so none is lost and none is made twice. The jobs take the turn of the user who
/// caused the event.
pub(super) fn run(command: &mut Command<'_>) -> Result<usize, AppError> {
    let events = event::unrelayed(&mut command.tx, BATCH)?;
    if events.is_empty() {
        return Ok(0);
    }
    let ids: Vec<EventId> = events.iter().map(|(id, _)| *id).collect();
    let own: HashSet<EventId> = event::mark_relayed(&mut command.tx, &ids)?.into_iter().collect();
    for (id, happened) in events.iter().filter(|(id, _)| own.contains(id)) {
        let Some(happened) = happened else {
            tracing::warn!(event.id = %id, "an event of an unknown kind is passed over");
            continue;
        };
        if let Some(react) = (command.app.registry().reaction)(happened.kind) {
            command.charged_to(happened.actor, |command| react(command, happened))?;
        }
        if command.app.sends_mail()
            && let Some(react) = (command.app.registry().mail_reaction)(happened.kind)
        {
            command.charged_to(happened.actor, |command| react(command, happened))?;
        }
    }
    Ok(events.len())
}
