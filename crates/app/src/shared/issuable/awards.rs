//! Storing reactions.

use tenon_domain::event::EventKind;
use tenon_domain::id::AwardId;
use tenon_domain::issuable::Issuable;
use tenon_storage::award_emoji::{self, Award, Subject};
use tenon_storage::{StoreError, UniqueKey, issuable};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::quota::check_number;
use crate::shared::hook_event::award_event::record_award;

/// Reacts with an emoji if the caller has not yet; unknown ones are ignored.
pub(crate) fn give_once(
    command: &mut Command<'_>,
    issue: &Issuable,
    subject: Subject,
    name: &str,
) -> Result<(), AppError> {
    let Some(name) = tenon_markdown::emoji_name(name) else { return Ok(()) };
    match store(command, issue, subject, name) {
        Ok(_) | Err(Failure::Taken) => Ok(()),
        Err(Failure::Other(other)) => Err(other),
    }
}

/// Why a reaction was not stored.
pub(crate) enum Failure {
    /// The user has reacted with the same emoji already.
    Taken,
    /// Anything else.
    Other(AppError),
}

impl<E: Into<AppError>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// Stores a reaction.
pub(crate) fn store(
    command: &mut Command<'_>,
    issue: &Issuable,
    subject: Subject,
    name: &str,
) -> Result<Award, Failure> {
    let user = command.user()?.id;
    // Asked first: a failed statement would end the transaction.
    if award_emoji::exists(&mut command.tx, subject, user, name)? {
        return Err(Failure::Taken);
    }
    let (count, most) = (award_emoji::count(&mut command.tx, subject, user)?, command.app.limits().contents.reactions);
    check_number(count, most, "A user", "reactions to one thing")?;
    let mut award = Award {
        id: AwardId::new(0),
        subject,
        user,
        name: name.to_owned(),
        created_at: command.now,
        updated_at: command.now,
    };
    award.id = award_emoji::insert(&mut command.tx, &award).map_err(|error| match error {
        StoreError::Unique(UniqueKey::Award) => Failure::Taken,
        other => Failure::Other(other.into()),
    })?;
    if subject.note.is_none() {
        issuable::recount_votes(&mut command.tx, issue.id)?;
    }
    emit_event(command, issue, &award, (EventKind::AwardAdded, "award"))?;
    Ok(award)
}

/// Appends an event about a reaction, and records it for hooks under the name of the action.
pub(crate) fn emit_event(
    command: &mut Command<'_>,
    issue: &Issuable,
    award: &Award,
    (kind, action): (EventKind, &'static str),
) -> Result<(), AppError> {
    let mut event = command.event(kind).project(issue.project).issuable(issue.id);
    event.note = award.subject.note;
    command.append(&event)?;
    record_award(command, issue, award, action)
}
