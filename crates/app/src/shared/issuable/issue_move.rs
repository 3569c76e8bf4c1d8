//! Continuing an issue in another project.

use std::collections::HashMap;

use tenon_domain::container::Container;
use tenon_domain::event::EventKind;
use tenon_domain::id::{AwardId, Iid, IssuableId, MilestoneId, NoteId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind, State, TrackerFacts, relative_reference};
use tenon_domain::note::Note;
use tenon_domain::project::ProjectAction;
use tenon_domain::refusal::{IssueRefusal, Refusal};
use tenon_markdown::Reference as Named;
use tenon_storage::award_emoji::{self, Award, Subject};
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, Sender};
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::repository::copy_reference;
use tenon_storage::{note, resource_event};

use crate::core::app::{App, Command};
use crate::core::error::{AppError, Missing};
use crate::core::identity::Identity;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::files::upload::{Copies, copy, copy_later, record_copies};
use crate::shared::hook_event::record as hook_event;
use crate::shared::issuable::aggregate::emit_opened;
use crate::shared::issuable::view::{IssuableView, one};
use crate::shared::issuable::{labels, people, system_notes};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// Moves an issue: a new one in the target project continues it, and the old one is closed and points there. The files that its
/// texts name are copied first.
pub async fn move_to(
    app: &App,
    identity: &Identity,
    project: Reference,
    iid: Iid,
    target: Reference,
) -> Result<IssuableView, AppError> {
    let copies = copy(app, identity, &project, iid, &target).await?;
    let work = move |command: &mut Command<'_>| move_with_files(command, &project, iid, &target, &copies);
    app.write_text(identity, Vec::new(), work).await
}

fn move_with_files(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    target: &Reference,
    copies: &Copies,
) -> Result<IssuableView, AppError> {
    let found = command.query().issue_or(project, iid, IssuableAction::Read, Missing::Issue)?;
    let home = command.query().project(target, ProjectAction::Read)?;
    let aggregate = IssuableAggregate::load(command, &found.issuable)?;
    let moved = carry_over(command, &found, &aggregate, home)?;
    record_copies(command, moved.project, copies)?;
    // Its notes and reactions were counted as they were copied.
    let moved = issuable::find_by_id(&mut command.tx, moved.id)?.ok_or(AppError::NotFound(Missing::Issue))?;
    one(&mut command.query(), moved)
}

/// As [`move_to`], if what is not permitted is ignored.
pub(crate) fn by_quick_action(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    aggregate: &IssuableAggregate,
    target: &Reference,
) -> Result<(), AppError> {
    let home = match command.query().project(target, ProjectAction::Read) {
        Ok(home) => home,
        Err(AppError::NotFound(_)) => return Ok(()),
        Err(other) => return Err(other),
    };
    match carry_over(command, found, aggregate, home) {
        Ok(moved) => copy_later(command, &found.issuable, moved.project),
        Err(AppError::Refused(Refusal::Issue(_))) => Ok(()),
        Err(other) => Err(other),
    }
}

fn carry_over(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    aggregate: &IssuableAggregate,
    home: AuthorizedProject,
) -> Result<Issuable, AppError> {
    let there = AuthorizedIssuable { home, issuable: aggregate.issuable.clone(), own: found.own };
    let permitted =
        aggregate.issuable.moved_to.is_none() && found.may(IssuableAction::Move) && there.may(IssuableAction::Move);
    if !permitted || !TrackerFacts::of(IssuableKind::Issue, &there.home.project).enabled {
        return Err(IssueRefusal::MoveNotPermitted.into());
    }
    if there.home.project.id == found.home.project.id {
        return Err(IssueRefusal::MovedToItself.into());
    }
    expect_names(command, aggregate)?;
    let new = open_there(command, found, aggregate, &there.home)?;
    let there = AuthorizedIssuable { issuable: new, ..there };
    copy_associations(command, aggregate, &there)?;
    let made = IssuableAggregate::load(command, &there.issuable)?;
    emit_opened(command, &made)?;
    copy_talk(command, found, &there)?;
    close_here(command, found, aggregate, &there)?;
    Ok(there.issuable)
}

/// Asks what all texts name that are copied, at once: the command begins anew for what it does not know.
fn expect_names(command: &mut Command<'_>, aggregate: &IssuableAggregate) -> Result<(), AppError> {
    let issuable = &aggregate.issuable;
    let notes = note::all(&mut command.tx, issuable.id)?;
    let bodies = notes.iter().filter(|note| !note.system).map(|note| note.body.as_str());
    let texts: Vec<&str> = issuable.description.as_deref().into_iter().chain(bodies).collect();
    command.names_of_all(&texts).map(drop)
}

/// The new issue: text with its references rewritten, author, state and times as they were.
fn open_there(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    aggregate: &IssuableAggregate,
    home: &AuthorizedProject,
) -> Result<Issuable, AppError> {
    let old = &aggregate.issuable;
    let number = iid::next(&mut command.tx, Container::Project(home.project.id), Counted::Issue)?;
    let mut new = Issuable {
        id: IssuableId::new(0),
        project: home.project.id,
        iid: number,
        description: old.description.as_deref().map(|text| rewritten(command, text, found, home)).transpose()?,
        milestone: same_milestone(command, old, home)?,
        total_time_spent: 0,
        user_notes_count: 0,
        upvotes: 0,
        downvotes: 0,
        moved_to: None,
        ..old.clone()
    };
    let sender: Sender = issuable::sender(&mut command.tx, old.id)?.unwrap_or_default();
    new.id = issuable::insert(&mut command.tx, &new, &sender)?;
    Ok(new)
}

/// References that meant the old project name it now.
fn rewritten(
    command: &Command<'_>,
    text: &str,
    found: &AuthorizedIssuable,
    home: &AuthorizedProject,
) -> Result<String, AppError> {
    let (from, to) = (home.full_path(), found.home.full_path());
    let names = command.names(text)?;
    Ok(names.rewritten(text, |reference| {
        let (kind, project, iid) = match reference {
            Named::Issue { project, iid } => (IssuableKind::Issue, project, iid),
            Named::MergeRequest { project, iid } => (IssuableKind::MergeRequest, project, iid),
            Named::User(_) | Named::Label(_) | Named::Milestone(_) | Named::External(_) => return None,
        };
        let meant = match project.as_deref() {
            None => to.clone(),
            Some(name) if !name.contains('/') => found.home.namespace.path_of(name),
            Some(_) => return None,
        };
        Some(relative_reference(&from, &meant, &format!("{}{iid}", kind.sign())))
    }))
}

/// The active milestone of the same title that can be used in the target.
fn same_milestone(
    command: &mut Command<'_>,
    old: &Issuable,
    home: &AuthorizedProject,
) -> Result<Option<MilestoneId>, AppError> {
    let Some(id) = old.milestone else { return Ok(None) };
    let Some(found) = milestone::by_ids(&mut command.tx, &[id])?.remove(&id) else { return Ok(None) };
    let filter =
        MilestoneFilter { active: Some(true), title: Some(found.title), ..MilestoneFilter::usable_in(home.project.id) };
    Ok(milestone::all(&mut command.tx, &filter)?.first().map(|milestone| milestone.id))
}

/// Labels of the same names, assignees who may read it there, and subscriptions.
fn copy_associations(
    command: &mut Command<'_>,
    aggregate: &IssuableAggregate,
    there: &AuthorizedIssuable,
) -> Result<(), AppError> {
    let names: Vec<String> = aggregate.labels.iter().map(|(_, name)| name.clone()).collect();
    let labels = labels::existing(command, there.home.project.id, &names)?;
    let ids: Vec<_> = labels.iter().map(|(id, _)| *id).collect();
    issuable::set_labels(&mut command.tx, there.issuable.id, &ids)?;
    let assignees = people::assignable(&mut command.query(), there, &aggregate.assignees)?;
    issuable::set_assignees(&mut command.tx, there.issuable.id, &assignees)?;
    issuable::copy_subscriptions(&mut command.tx, aggregate.issuable.id, there.issuable.id)?;
    Ok(resource_event::copy_label_changes(&mut command.tx, aggregate.issuable.id, there.issuable.id)?)
}

/// All notes with their authors and times, all reactions, and who is named.
fn copy_talk(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    there: &AuthorizedIssuable,
) -> Result<(), AppError> {
    let mut copies: HashMap<NoteId, NoteId> = HashMap::new();
    let mut discussions: HashMap<String, String> = HashMap::new();
    for old in note::all(&mut command.tx, found.issuable.id)? {
        let fresh = system_notes::new_discussion_id(command);
        let discussion = discussions.entry(old.discussion.clone()).or_insert(fresh).clone();
        let body = if old.system { old.body.clone() } else { rewritten(command, &old.body, found, &there.home)? };
        let copy = Note { id: NoteId::new(0), issuable: there.issuable.id, discussion, body, ..old.clone() };
        let id = note::insert(&mut command.tx, &copy)?;
        if old.system {
            copy_reference(&mut command.tx, old.id, id, there.issuable.id)?;
        }
        copies.insert(old.id, id);
    }
    // They take part, and get no second entry in their to-do lists.
    let copy_of = |note| copies.get(&note).copied();
    note::copy_mentions(&mut command.tx, found.issuable.id, there.issuable.id, copy_of)?;
    for award in award_emoji::all(&mut command.tx, found.issuable.id)? {
        let note = award.subject.note.and_then(|note| copies.get(&note).copied());
        let subject = Subject { issuable: there.issuable.id, note };
        award_emoji::insert(&mut command.tx, &Award { id: AwardId::new(0), subject, ..award })?;
    }
    issuable::recount_notes(&mut command.tx, there.issuable.id)?;
    Ok(issuable::recount_votes(&mut command.tx, there.issuable.id)?)
}

/// Each end notes the place of the other; the old one is closed without another word.
fn close_here(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    aggregate: &IssuableAggregate,
    there: &AuthorizedIssuable,
) -> Result<(), AppError> {
    let author = command.user()?.id;
    let (here_path, there_path) = (found.home.full_path(), there.home.full_path());
    let to = relative_reference(&here_path, &there_path, &there.issuable.short_reference());
    let from = relative_reference(&there_path, &here_path, &aggregate.issuable.short_reference());
    system_notes::write(command, aggregate.issuable.id, author, format!("moved to {to}"), Some(there.issuable.id))?;
    system_notes::write(command, there.issuable.id, author, format!("moved from {from}"), Some(aggregate.issuable.id))?;
    let now = command.now;
    let state = match aggregate.issuable.state {
        State::Opened => State::Closed { at: Some(now), by: Some(author) },
        other => other,
    };
    let closed = Issuable { state, moved_to: Some(there.issuable.id), updated_at: now, ..aggregate.issuable.clone() };
    issuable::update(&mut command.tx, &aggregate.issuable, &closed)?;
    if state.as_str() != aggregate.issuable.state.as_str() {
        let after = IssuableAggregate { issuable: closed, ..aggregate.clone() };
        hook_event::record_issuable(command, "close", Some(aggregate), &after)?;
    }
    issuable::touch_project(&mut command.tx, there.home.project.id, now)?;
    let event = command
        .event(EventKind::IssueMoved)
        .project(found.home.project.id)
        .issuable(aggregate.issuable.id)
        .detail(there.issuable.id.to_string());
    command.append(&event)
}
