//! Reactions with an emoji.

use tenon_domain::event::EventKind;
use tenon_domain::id::{AwardId, NoteId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::time::Timestamp;
use tenon_storage::award_emoji::{self, Award, Subject};
use tenon_storage::issuable;

pub use tenon_markdown::emoji_named;

use crate::core::app::{Command, Query};
use crate::core::error::{AppError, Attempt, Missing};
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::precondition::check_unmodified;
use crate::shared::issuable::awards::{Failure, emit_event, store};
use crate::shared::issuable::notes;
use crate::shared::views::user_ref::UserRef;

/// The target of a reaction: an issue, or a note in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awardable {
    /// The issue.
    pub of: IssuableReference,
    /// The note.
    pub note: Option<NoteId>,
}

/// A reaction as answers show it.
#[derive(Debug, Clone)]
pub struct AwardView {
    /// The reaction.
    pub award: Award,
    /// The user who reacted.
    pub user: Option<UserRef>,
    /// The kind of the issuable; a note is a note.
    pub kind: IssuableKind,
}

/// The reactions to something, by id.
pub fn list(query: &mut Query<'_>, to: &Awardable, page: PageRequest) -> Result<Page<AwardView>, AppError> {
    let (found, subject) = find(query, to)?;
    let awards = award_emoji::list(&mut query.tx, subject, page)?;
    Ok(Page { items: views(query, &found.issuable, awards.items)?, total: awards.total, request: awards.request })
}

/// One reaction.
pub fn show(query: &mut Query<'_>, to: &Awardable, id: AwardId) -> Result<AwardView, AppError> {
    let (found, subject) = find(query, to)?;
    let award = award_emoji::find(&mut query.tx, subject, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    one(query, &found.issuable, award)
}

/// Reacts with an emoji. Fails for an unknown one, and for one with which the caller has reacted already.
pub fn give(command: &mut Command<'_>, to: &Awardable, name: &str) -> Result<AwardView, AppError> {
    let (found, subject) = find(&mut command.query(), to)?;
    if !found.may(IssuableAction::Award) {
        return Err(AppError::NotFound(Missing::AwardEmoji));
    }
    let refused = |text: &str| AppError::rejected(Attempt::GiveAward, "name", text);
    let name = tenon_markdown::emoji_name(name).ok_or_else(|| refused("is not included in the list"))?;
    let award = store(command, &found.issuable, subject, name).map_err(|error| match error {
        Failure::Taken => refused("has already been taken"),
        Failure::Other(other) => other,
    })?;
    one(&mut command.query(), &found.issuable, award)
}

/// Withdraws a reaction of the caller's own, or any for administrators; others get a 401.
pub fn withdraw(
    command: &mut Command<'_>,
    to: &Awardable,
    id: AwardId,
    unmodified_since: Option<Timestamp>,
) -> Result<(), AppError> {
    let (found, subject) = find(&mut command.query(), to)?;
    let award = award_emoji::find(&mut command.tx, subject, id)?.ok_or(AppError::NotFound(Missing::Record))?;
    if command.actor() != Some(award.user) && !command.viewer().is_admin() {
        return Err(AppError::Unauthenticated);
    }
    if !found.may(IssuableAction::Award) {
        return Err(AppError::NotFound(Missing::AwardEmoji));
    }
    check_unmodified(award.updated_at, unmodified_since)?;
    award_emoji::delete(&mut command.tx, id)?;
    if subject.note.is_none() {
        issuable::recount_votes(&mut command.tx, found.issuable.id)?;
    }
    emit_event(command, &found.issuable, &award, (EventKind::AwardRemoved, "revoke"))
}

fn find(query: &mut Query<'_>, to: &Awardable) -> Result<(AuthorizedIssuable, Subject), AppError> {
    let found = match to.note {
        None => query.issuable(&to.of, IssuableAction::Read)?,
        Some(id) => notes::found(query, &to.of, id, IssuableAction::Read)?.0,
    };
    let subject = Subject { issuable: found.issuable.id, note: to.note };
    Ok((found, subject))
}

fn one(query: &mut Query<'_>, issue: &Issuable, award: Award) -> Result<AwardView, AppError> {
    views(query, issue, vec![award])?.pop().ok_or(AppError::NotFound(Missing::Record))
}

fn views(query: &mut Query<'_>, issue: &Issuable, awards: Vec<Award>) -> Result<Vec<AwardView>, AppError> {
    let people = UserRef::of(query, awards.iter().map(|award| award.user).collect())?;
    Ok(awards
        .into_iter()
        .map(|award| AwardView { user: people.get(&award.user).cloned(), kind: issue.kind, award })
        .collect())
}
