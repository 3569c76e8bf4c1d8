//! An issue with what hangs on it, and what happens when it changes: one place that compares before and after, writes the
//! difference, and notes, records and tells it.

use tenon_domain::event::EventKind;
use tenon_domain::field_errors::FieldErrors;
use tenon_domain::id::{LabelId, UserId};
use tenon_domain::issuable::{Issuable, State, check_description, check_title};
use tenon_domain::time::Timestamp;
use tenon_domain::time_tracking::{MAX_SECONDS, human};
use tenon_domain::todo::TodoAction;
use tenon_storage::resource_event::{self, Change};
use tenon_storage::{issuable, milestone, todo, user};

use super::found::FoundIssue;
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{system_note, texts};

/// An issue with its labels and assignees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) issue: Issuable,
    /// By name.
    pub(crate) labels: Vec<(LabelId, String)>,
    /// In the order in which they were named.
    pub(crate) assignees: Vec<UserId>,
}

impl Whole {
    /// The issue as it is stored.
    pub(crate) fn load(command: &mut Command<'_>, issue: &Issuable) -> Result<Self, AppError> {
        let id = issue.id;
        Ok(Self {
            issue: issue.clone(),
            labels: issuable::label_names(&mut command.tx, &[id])?.remove(&id).unwrap_or_default(),
            assignees: issuable::assignees(&mut command.tx, &[id])?.remove(&id).unwrap_or_default(),
        })
    }

    /// What is wrong with it.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        let mut errors = FieldErrors::default();
        check_title(&mut errors, &self.issue.title);
        check_description(&mut errors, self.issue.description.as_deref().unwrap_or_default());
        errors.require(self.issue.time_estimate <= MAX_SECONDS, "time_estimate", "is too large");
        errors.require(self.issue.total_time_spent <= MAX_SECONDS, "time_spent", "is too large");
        Ok(errors.into_result()?)
    }
}

/// Stores an issue that was `before` as it is `after`, with everything that follows from the difference. Nothing happens
/// where there is none. `at` is when it changed: now, unless somebody may set that by hand.
pub(crate) fn store(
    command: &mut Command<'_>,
    found: &FoundIssue,
    before: &Whole,
    after: Whole,
    at: Option<Timestamp>,
) -> Result<Whole, AppError> {
    store_with(command, found, before, after, at, StateNote::Written)
}

/// Who notes down that an issue was closed or opened again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StateNote {
    /// [`store_with`] does.
    Written,
    /// Its caller, who knows why.
    LeftToCaller,
}

/// As [`store`], where the caller may know better why the state changes.
pub(super) fn store_with(
    command: &mut Command<'_>,
    found: &FoundIssue,
    before: &Whole,
    mut after: Whole,
    at: Option<Timestamp>,
    state_note: StateNote,
) -> Result<Whole, AppError> {
    if after == *before && at.is_none() {
        return Ok(after);
    }
    after.check()?;
    after.issue.updated_at = at.unwrap_or(command.now);
    let id = after.issue.id;
    issuable::update(&mut command.tx, &before.issue, &after.issue)?;
    if after.labels != before.labels {
        let ids: Vec<LabelId> = after.labels.iter().map(|(id, _)| *id).collect();
        issuable::set_labels(&mut command.tx, id, &ids)?;
    }
    if after.assignees != before.assignees {
        issuable::set_assignees(&mut command.tx, id, &after.assignees)?;
    }
    note_down(command, before, &after, state_note)?;
    record(command, before, &after)?;
    tell(command, found, before, &after)?;
    Ok(after)
}

/// System notes: what changed, in words.
fn note_down(command: &mut Command<'_>, before: &Whole, after: &Whole, state_note: StateNote) -> Result<(), AppError> {
    let (old, new) = (&before.issue, &after.issue);
    let mut notes = Vec::new();
    match (old.state, new.state) {
        _ if state_note == StateNote::LeftToCaller => {}
        (State::Opened, State::Closed { .. }) => notes.push("closed".to_owned()),
        (State::Closed { .. }, State::Opened) => notes.push("reopened".to_owned()),
        _ => {}
    }
    if old.title != new.title {
        notes.push(format!("changed title from **{}** to **{}**", old.title, new.title));
    }
    if old.description != new.description {
        notes.push("changed the description".to_owned());
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
    if old.confidential != new.confidential {
        let text = if new.confidential { "made the issue confidential" } else { "made the issue visible to everyone" };
        notes.push(text.to_owned());
    }
    let is_locked = |issue: &Issuable| issue.discussion_locked == Some(true);
    if is_locked(old) != is_locked(new) {
        notes.push(if is_locked(new) { "locked this issue" } else { "unlocked this issue" }.to_owned());
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
    let author = command.user()?.id;
    for body in notes {
        system_note::write(command, new.id, author, body, None)?;
    }
    Ok(())
}

fn assignee_note(command: &mut Command<'_>, before: &[UserId], after: &[UserId]) -> Result<Option<String>, AppError> {
    let added: Vec<UserId> = after.iter().filter(|user| !before.contains(user)).copied().collect();
    let removed: Vec<UserId> = before.iter().filter(|user| !after.contains(user)).copied().collect();
    if added.is_empty() && removed.is_empty() {
        return Ok(None);
    }
    let everybody: Vec<UserId> = added.iter().chain(&removed).copied().collect();
    let people = user::by_ids(&mut command.tx, &everybody)?;
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

/// What clients read one by one: labels, milestone, state and time.
fn record(command: &mut Command<'_>, before: &Whole, after: &Whole) -> Result<(), AppError> {
    let mut changes = Vec::new();
    let label = |(id, _): &(LabelId, String), added| Change::Label { label: Some(*id), added };
    changes.extend(after.labels.iter().filter(|one| !before.labels.contains(one)).map(|one| label(one, true)));
    changes.extend(before.labels.iter().filter(|one| !after.labels.contains(one)).map(|one| label(one, false)));
    let (old, new) = (&before.issue, &after.issue);
    if old.milestone != new.milestone {
        let removed = old.milestone.map(|id| Change::Milestone { milestone: Some(id), added: false });
        let added = new.milestone.map(|id| Change::Milestone { milestone: Some(id), added: true });
        changes.extend(added.or(removed));
    }
    match (old.state, new.state) {
        (State::Opened, State::Closed { .. }) => changes.push(Change::State("closed".to_owned())),
        (State::Closed { .. }, State::Opened) => changes.push(Change::State("reopened".to_owned())),
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
fn tell(command: &mut Command<'_>, found: &FoundIssue, before: &Whole, after: &Whole) -> Result<(), AppError> {
    let (old, new) = (&before.issue, &after.issue);
    let now = command.now;
    let state_changed = old.state.as_str() != new.state.as_str();
    let content = |whole: &Whole| {
        let issue = &whole.issue;
        (issue.title.clone(), issue.description.clone(), issue.milestone, whole.labels.clone(), whole.assignees.clone())
    };
    if let Some(user) = command.actor()
        && (state_changed || content(before) != content(after))
    {
        todo::settle(&mut command.tx, user, new.id, now)?;
    }
    let added: Vec<UserId> = after.assignees.iter().filter(|user| !before.assignees.contains(user)).copied().collect();
    texts::put_on_list(command, new, &added, TodoAction::Assigned, None)?;
    if (&old.title, &old.description) != (&new.title, &new.description) {
        let changed = FoundIssue { issue: new.clone(), ..found.clone() };
        texts::take_in(command, &changed, None, &whole_text(new))?;
    }
    if state_changed {
        let kind = if new.state == State::Opened { EventKind::IssueReopened } else { EventKind::IssueClosed };
        tell_event(command, new, kind)?;
    }
    let mut same_state = after.clone();
    same_state.issue.state = old.state;
    same_state.issue.updated_at = old.updated_at;
    if same_state != *before {
        tell_event(command, new, EventKind::IssueUpdated)?;
    }
    Ok(())
}

/// Appends an event about an issue.
pub(super) fn tell_event(command: &mut Command<'_>, issue: &Issuable, kind: EventKind) -> Result<(), AppError> {
    let event = command.event(kind).project(issue.project).issuable(issue.id);
    command.append(&event)
}

/// Title and description as one text.
pub(super) fn whole_text(issue: &Issuable) -> String {
    format!("{}\n\n{}", issue.title, issue.description.as_deref().unwrap_or_default())
}
