//! Changes of an issue or merge request: one place that compares before and after, writes the difference, system notes,
//! resource events and events.

use tenon_domain::event::{Event, EventKind};
use tenon_domain::id::{LabelId, NoteId, UserId};
use tenon_domain::issuable::StateEvent;
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::merge_request::{MergeStatus, is_draft, marked_as_draft};
use tenon_domain::time::Timestamp;
use tenon_domain::time_tracking::human;
use tenon_domain::todo::TodoAction;
use tenon_domain::transition::Transition;
use tenon_storage::resource_event::{self, Change};
use tenon_storage::{issuable, merge_request, milestone, todo, user};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::shared::access::revocation::{RevocationScope, enqueue_revocation};
use crate::shared::hook_event::record as hook_event;
use crate::shared::issuable::edit_detail::EditDetail;
use crate::shared::issuable::tick_notes::tick_notes;
use crate::shared::issuable::{references, system_notes};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// Stores what was `before` as it is `after`, with everything that follows from the difference. Nothing happens if
/// there is none. `at` is when it changed: now, unless the caller may set it.
pub(crate) fn save_changes(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    before: &IssuableAggregate,
    after: IssuableAggregate,
    at: Option<Timestamp>,
) -> Result<IssuableAggregate, AppError> {
    save_changes_with(command, found, before, after, at, NotedByCaller::Nothing)
}

/// Stores the associations of a new issue or merge request.
pub(crate) fn insert_associations(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    aggregate: &IssuableAggregate,
) -> Result<(), AppError> {
    let (id, now) = (aggregate.issuable.id, command.now);
    let ids: Vec<_> = aggregate.labels.iter().map(|(id, _)| *id).collect();
    if !ids.is_empty() {
        issuable::set_labels(&mut command.tx, id, &ids)?;
    }
    if !aggregate.assignees.is_empty() {
        issuable::set_assignees(&mut command.tx, id, &aggregate.assignees)?;
    }
    let mut changes: Vec<Change> = ids.iter().map(|label| Change::Label { label: Some(*label), added: true }).collect();
    changes.extend(aggregate.issuable.milestone.map(|id| Change::Milestone { milestone: Some(id), added: true }));
    let user = command.actor();
    resource_event::insert(&mut command.tx, id, user, &changes, now)?;
    references::add_todos(command, &found.issuable, &aggregate.assignees, TodoAction::Assigned, None)
}

/// The notes that the caller of [`save_changes_with`] makes itself about a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotedByCaller {
    Nothing,
    /// That an issue was closed or opened again: the caller knows why.
    State,
    /// That it was opened: what the commands of its first text change belongs to that.
    Opening,
    /// Which commits came, in this note.
    Push(NoteId),
}

/// As [`save_changes`], if the caller knows more about the change than the difference says.
pub(crate) fn save_changes_with(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    before: &IssuableAggregate,
    mut after: IssuableAggregate,
    at: Option<Timestamp>,
    by_caller: NotedByCaller,
) -> Result<IssuableAggregate, AppError> {
    if after == *before && at.is_none() {
        return Ok(after);
    }
    after.check()?;
    if let Some(request) = &mut after.request {
        request.draft = is_draft(&after.issuable.title);
        // Its branches may have changed while it was closed.
        if matches!(before.issuable.state, State::Closed { .. }) && after.issuable.state == State::Opened {
            request.merge_status = MergeStatus::Unchecked;
        }
        // A closed one waits for nothing.
        if matches!(after.issuable.state, State::Closed { .. }) {
            request.auto_merge = None;
            request.should_remove_source_branch = None;
        }
    }
    after.issuable.updated_at = at.unwrap_or(command.now);
    let id = after.issuable.id;
    issuable::update(&mut command.tx, &before.issuable, &after.issuable)?;
    if after.labels != before.labels {
        let ids: Vec<LabelId> = after.labels.iter().map(|(id, _)| *id).collect();
        issuable::set_labels(&mut command.tx, id, &ids)?;
    }
    if after.assignees != before.assignees {
        issuable::set_assignees(&mut command.tx, id, &after.assignees)?;
    }
    if let Some(request) = after.request.as_ref().filter(|_| after.request != before.request) {
        merge_request::update(&mut command.tx, request)?;
    }
    if after.reviewers != before.reviewers {
        merge_request::set_reviewers(&mut command.tx, id, &after.reviewers)?;
    }
    if after.issuable.confidential && !before.issuable.confidential {
        enqueue_revocation(command, RevocationScope::Issue(id.get()))?;
    }
    write_system_notes(command, before, &after, by_caller)?;
    write_resource_events(command, before, &after)?;
    update_todos_and_emit_events(command, found, before, &after, by_caller)?;
    Ok(after)
}

/// System notes: what changed, in words.
fn write_system_notes(
    command: &mut Command<'_>,
    before: &IssuableAggregate,
    after: &IssuableAggregate,
    by_caller: NotedByCaller,
) -> Result<(), AppError> {
    let (old, new) = (&before.issuable, &after.issuable);
    let mut notes = Vec::new();
    match (old.state, new.state) {
        _ if by_caller == NotedByCaller::State => {}
        (State::Opened, State::Closed { .. }) => notes.push("closed".to_owned()),
        (State::Closed { .. }, State::Opened) => notes.push("reopened".to_owned()),
        (State::Opened | State::Locked, State::Merged) => notes.push("merged".to_owned()),
        _ => {}
    }
    let draft_only = new.kind == IssuableKind::MergeRequest
        && is_draft(&old.title) != is_draft(&new.title)
        && marked_as_draft(&old.title, false) == marked_as_draft(&new.title, false);
    if draft_only {
        let word = if is_draft(&new.title) { "marked" } else { "unmarked" };
        notes.push(format!("{word} as a **Work In Progress**"));
    } else if old.title != new.title {
        notes.push(format!("changed title from **{}** to **{}**", old.title, new.title));
    }
    if old.description != new.description {
        let text = |of: &Option<String>| of.clone().unwrap_or_default();
        let ticks = tick_notes(&text(&old.description), &text(&new.description));
        notes.extend(ticks.unwrap_or_else(|| vec!["changed the description".to_owned()]));
    }
    notes.extend(assignee_note(command, &before.assignees, &after.assignees)?);
    if old.milestone != new.milestone {
        notes.push(milestone_note(command, new)?);
    }
    match (old.due_date, new.due_date) {
        (old, new) if old == new => {}
        (_, Some(day)) => notes.push(format!("changed due date to {}", day.format("%B %-d, %Y"))),
        (_, None) => notes.push("removed due date".to_owned()),
    }
    match (old.weight, new.weight) {
        (old, new) if old == new => {}
        (_, Some(weight)) => notes.push(format!("changed weight to **{weight}**")),
        (_, None) => notes.push("removed the weight".to_owned()),
    }
    if old.issue_type != new.issue_type {
        notes.push(format!("changed type from {} to {}", old.issue_type.as_str(), new.issue_type.as_str()));
    }
    if old.confidential != new.confidential {
        let text = if new.confidential { "made the issue confidential" } else { "made the issue visible to everyone" };
        notes.push(text.to_owned());
    }
    let is_locked = |issue: &Issuable| issue.discussion_locked == Some(true);
    if is_locked(old) != is_locked(new) {
        let word = if is_locked(new) { "locked" } else { "unlocked" };
        notes.push(format!("{word} this {}", new.kind.noun()));
    }
    if old.time_estimate != new.time_estimate {
        notes.push(match human(new.time_estimate) {
            Some(estimate) => format!("changed time estimate to {estimate}"),
            None => "removed time estimate".to_owned(),
        });
    }
    let spent = new.total_time_spent - old.total_time_spent;
    match human(spent.abs()) {
        None => {}
        Some(_) if new.total_time_spent == 0 => notes.push("removed time spent".to_owned()),
        Some(time) if spent < 0 => notes.push(format!("subtracted {time} of time spent")),
        Some(time) => notes.push(format!("added {time} of time spent")),
    }
    if let (Some(old), Some(new)) = (&before.request, &after.request)
        && old.target_branch != new.target_branch
    {
        notes.push(format!("changed target branch from `{}` to `{}`", old.target_branch, new.target_branch));
    }
    let author = command.user()?.id;
    for body in notes {
        system_notes::write(command, new.id, author, body, None)?;
    }
    Ok(())
}

fn assignee_note(command: &mut Command<'_>, before: &[UserId], after: &[UserId]) -> Result<Option<String>, AppError> {
    let added: Vec<UserId> = after.iter().filter(|user| !before.contains(user)).copied().collect();
    let removed: Vec<UserId> = before.iter().filter(|user| !after.contains(user)).copied().collect();
    if added.is_empty() && removed.is_empty() {
        return Ok(None);
    }
    let changed: Vec<UserId> = added.iter().chain(&removed).copied().collect();
    let people = user::by_ids(&mut command.tx, &changed)?;
    let names = |ids: &[UserId]| {
        let names: Vec<String> =
            ids.iter().filter_map(|id| people.get(id)).map(|user| format!("@{}", user.username)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} and {last}", others.join(", ")),
            None => String::new(),
        }
    };
    Ok(Some(match (added.is_empty(), removed.is_empty()) {
        (false, true) => format!("assigned to {}", names(&added)),
        (true, _) => format!("unassigned {}", names(&removed)),
        (false, false) => format!("assigned to {} and unassigned {}", names(&added), names(&removed)),
    }))
}

fn milestone_note(command: &mut Command<'_>, issue: &Issuable) -> Result<String, AppError> {
    let Some(id) = issue.milestone else { return Ok("removed milestone".to_owned()) };
    let found = milestone::by_ids(&mut command.tx, &[id])?.remove(&id);
    Ok(format!("changed milestone to %\"{}\"", found.map(|milestone| milestone.title).unwrap_or_default()))
}

/// The events that clients read one by one: labels, milestone, state and time.
fn write_resource_events(
    command: &mut Command<'_>,
    before: &IssuableAggregate,
    after: &IssuableAggregate,
) -> Result<(), AppError> {
    let mut changes = Vec::new();
    let label = |(id, _): &(LabelId, String), added| Change::Label { label: Some(*id), added };
    changes.extend(after.labels.iter().filter(|one| !before.labels.contains(one)).map(|one| label(one, true)));
    changes.extend(before.labels.iter().filter(|one| !after.labels.contains(one)).map(|one| label(one, false)));
    let (old, new) = (&before.issuable, &after.issuable);
    if old.milestone != new.milestone {
        let removed = old.milestone.map(|id| Change::Milestone { milestone: Some(id), added: false });
        let added = new.milestone.map(|id| Change::Milestone { milestone: Some(id), added: true });
        changes.extend(added.or(removed));
    }
    match (old.state, new.state) {
        (State::Opened, State::Closed { .. }) => changes.push(Change::State("closed".to_owned())),
        (State::Closed { .. }, State::Opened) => changes.push(Change::State("reopened".to_owned())),
        (_, State::Merged) if old.state != State::Merged => changes.push(Change::State("merged".to_owned())),
        _ => {}
    }
    let (user, now) = (command.actor(), command.now);
    resource_event::insert(&mut command.tx, new.id, user, &changes, now)?;
    let spent = new.total_time_spent - old.total_time_spent;
    if spent != 0 {
        resource_event::log_time(&mut command.tx, new.id, user, spent, now)?;
    }
    Ok(())
}

/// Lists of things to do, participants, and the outbox.
fn update_todos_and_emit_events(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    before: &IssuableAggregate,
    after: &IssuableAggregate,
    by_caller: NotedByCaller,
) -> Result<(), AppError> {
    let (old, new) = (&before.issuable, &after.issuable);
    let now = command.now;
    let state_changed = old.state.as_str() != new.state.as_str();
    let content = |aggregate: &IssuableAggregate| {
        let issue = &aggregate.issuable;
        (
            issue.title.clone(),
            issue.description.clone(),
            issue.milestone,
            aggregate.labels.clone(),
            aggregate.assignees.clone(),
        )
    };
    // Who only stands for it has not seen it.
    if let Some(user) = command.actor().filter(|_| !command.caller.stands_in)
        && (state_changed || content(before) != content(after))
    {
        todo::mark_issuable_done(&mut command.tx, user, new.id, now)?;
    }
    let added: Vec<UserId> = after.assignees.iter().filter(|user| !before.assignees.contains(user)).copied().collect();
    references::add_todos(command, new, &added, TodoAction::Assigned, None)?;
    let mut mentioned = Vec::new();
    if (&old.title, &old.description) != (&new.title, &new.description) {
        let changed = AuthorizedIssuable { issuable: new.clone(), ..found.clone() };
        let names = command.names(&full_text(new))?;
        mentioned = references::index_references(command, &changed, None, &names)?;
    }
    if let Some((kind, action)) = state_event(new.kind, old.state, new.state) {
        emit_event(command, new, kind)?;
        hook_event::record_issuable(command, action, Some(before), after)?;
    }
    if by_caller != NotedByCaller::Opening && is_edited(before, after) {
        let push_note = match by_caller {
            NotedByCaller::Push(note) => Some(note),
            NotedByCaller::Nothing | NotedByCaller::State | NotedByCaller::Opening => None,
        };
        let detail = EditDetail::between(before, after).mentioning(&mentioned).with_push_note(push_note);
        let mut event = about(command, new, updated(new.kind));
        event.detail = detail.written();
        command.append(&event)?;
        hook_event::record_issuable(command, "update", Some(before), after)?;
    }
    Ok(())
}

/// True if something differs that people set, or that a push has brought. The state has events of its own; what the
/// server finds out or keeps for itself (whether Git can merge it, what waits for a pipeline, how it was merged, dates)
/// is no edit.
fn is_edited(before: &IssuableAggregate, after: &IssuableAggregate) -> bool {
    let mut edited = after.clone();
    edited.issuable.state = before.issuable.state;
    edited.issuable.updated_at = before.issuable.updated_at;
    if let (Some(after), Some(before)) = (&mut edited.request, &before.request) {
        after.merge_status = before.merge_status;
        after.draft = before.draft;
        after.should_remove_source_branch = before.should_remove_source_branch;
        after.merge_error.clone_from(&before.merge_error);
        after.auto_merge.clone_from(&before.auto_merge);
        after.merged.clone_from(&before.merged);
    }
    edited != *before
}

/// Appends the event that an issue or merge request was made, for the outbox and for hooks.
pub(crate) fn emit_opened(command: &mut Command<'_>, made: &IssuableAggregate) -> Result<(), AppError> {
    let kind = match made.issuable.kind {
        IssuableKind::Issue => EventKind::IssueOpened,
        IssuableKind::MergeRequest => EventKind::MergeRequestOpened,
    };
    emit_event(command, &made.issuable, kind)?;
    hook_event::record_issuable(command, "open", None, made)
}

const fn updated(kind: IssuableKind) -> EventKind {
    match kind {
        IssuableKind::Issue => EventKind::IssueUpdated,
        IssuableKind::MergeRequest => EventKind::MergeRequestUpdated,
    }
}

/// The event that a change of state is, and what hooks call it. A merge that begins or is given up is none.
const fn state_event(kind: IssuableKind, old: State, new: State) -> Option<(EventKind, &'static str)> {
    match (kind, old, new) {
        (IssuableKind::Issue, State::Opened, State::Closed { .. }) => Some((EventKind::IssueClosed, "close")),
        (IssuableKind::Issue, State::Closed { .. }, State::Opened) => Some((EventKind::IssueReopened, "reopen")),
        (IssuableKind::MergeRequest, State::Opened, State::Closed { .. }) => {
            Some((EventKind::MergeRequestClosed, "close"))
        }
        (IssuableKind::MergeRequest, State::Closed { .. }, State::Opened) => {
            Some((EventKind::MergeRequestReopened, "reopen"))
        }
        (IssuableKind::MergeRequest, State::Opened | State::Locked, State::Merged) => {
            Some((EventKind::MergeRequestMerged, "merge"))
        }
        _ => None,
    }
}

/// Appends an event about an issue or merge request.
pub(crate) fn emit_event(command: &mut Command<'_>, of: &Issuable, kind: EventKind) -> Result<(), AppError> {
    let event = about(command, of, kind);
    command.append(&event)
}

fn about(command: &Command<'_>, of: &Issuable, kind: EventKind) -> Event {
    command.event(kind).project(of.project).issuable(of.id)
}

/// Title and description as one text.
pub(crate) fn full_text(of: &Issuable) -> String {
    joined(&of.title, of.description.as_deref().unwrap_or_default())
}

/// As [`full_text`], of a title and a description.
pub(crate) fn joined(title: &str, description: &str) -> String {
    format!("{title}\n\n{description}")
}

/// Asks the state machine for a move.
pub(crate) fn change_state(
    aggregate: &mut IssuableAggregate,
    event: StateEvent,
    user: UserId,
    now: tenon_domain::time::Timestamp,
) {
    aggregate.issuable.state = match aggregate.issuable.state.apply(event, user, now) {
        Transition::Moved(state) | Transition::Stayed(state) => state,
    };
}

/// Labels in the order in which they are stored, each once.
pub(crate) fn sort_labels(aggregate: &mut IssuableAggregate) {
    aggregate.labels.sort_by(|(a_id, a), (b_id, b)| (a, a_id).cmp(&(b, b_id)));
    aggregate.labels.dedup();
}
