//! Carrying out quick actions. Commands that the caller may not give are ignored, as everywhere else in texts.

use tenon_domain::id::{MilestoneId, UserId};
use tenon_domain::issuable::StateEvent;
use tenon_domain::issuable::{IssuableAction, IssuableKind};
use tenon_domain::merge_request::is_draft;
use tenon_domain::quick_action::QuickAction;
use tenon_domain::time_tracking::MAX_SECONDS;
use tenon_domain::todo::TodoAction;
use tenon_storage::award_emoji::Subject;
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::{issuable, todo, user};

use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{
    NotedByCaller, change_state, emit_opened, save_changes, save_changes_with, sort_labels,
};
use crate::shared::issuable::{labels, people, references};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// Does what the commands say to what is `before`. Yields it as it then is.
pub(crate) fn run_actions(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    before: &IssuableAggregate,
    actions: Vec<QuickAction>,
) -> Result<IssuableAggregate, AppError> {
    let mut after = before.clone();
    let target = apply_actions(command, found, &mut after, actions)?;
    let after = save_changes(command, found, before, after, None)?;
    move_as_asked(command, found, &after, target)?;
    Ok(after)
}

/// As [`run_actions`], for the commands of the first text of what is `made`: they belong to its making, of which it informs the outbox
/// and hooks. Only that it was closed at once is an event of its own.
pub(crate) fn open_with_actions(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    made: &IssuableAggregate,
    actions: Vec<QuickAction>,
) -> Result<IssuableAggregate, AppError> {
    let mut after = made.clone();
    let target = apply_actions(command, found, &mut after, actions)?;
    let mut opened = after.clone();
    opened.issuable.state = made.issuable.state;
    if let Some(request) = &mut opened.request {
        request.draft = is_draft(&opened.issuable.title);
    }
    emit_opened(command, &opened)?;
    let after = save_changes_with(command, found, made, after, None, NotedByCaller::Opening)?;
    move_as_asked(command, found, &after, target)?;
    Ok(after)
}

/// The project to which an issue is to be moved, by a command.
#[must_use]
pub(crate) struct MoveTarget(Option<String>);

/// Changes `after`, which is still to be saved, as the commands say; what they ask for one user is done at once. Yields
/// the project to which it is to be moved after that ([`move_as_asked`]).
pub(crate) fn apply_actions(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    after: &mut IssuableAggregate,
    actions: Vec<QuickAction>,
) -> Result<MoveTarget, AppError> {
    let mut target = None;
    for action in actions {
        if let QuickAction::Move(path) = action {
            target = Some(path);
        } else if found.may(needed_for(&action)) {
            run(command, found, after, action)?;
        }
    }
    Ok(MoveTarget(target))
}

/// Moves an issue as a command has asked.
pub(crate) fn move_as_asked(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    saved: &IssuableAggregate,
    MoveTarget(target): MoveTarget,
) -> Result<(), AppError> {
    match target {
        Some(path) => {
            crate::shared::issuable::issue_move::by_quick_action(command, found, saved, &Reference::Path(path))
        }
        None => Ok(()),
    }
}

const fn needed_for(action: &QuickAction) -> IssuableAction {
    match action {
        QuickAction::Close
        | QuickAction::Reopen
        | QuickAction::Title(_)
        | QuickAction::Confidential
        | QuickAction::Estimate(_)
        | QuickAction::RemoveEstimate
        | QuickAction::Spend(_)
        | QuickAction::RemoveTimeSpent => IssuableAction::Edit,
        QuickAction::Assign(_)
        | QuickAction::Reassign(_)
        | QuickAction::Unassign(_)
        | QuickAction::Label(_)
        | QuickAction::Unlabel(_)
        | QuickAction::Relabel(_)
        | QuickAction::Milestone(_)
        | QuickAction::RemoveMilestone
        | QuickAction::Due(_)
        | QuickAction::RemoveDueDate
        | QuickAction::Lock
        | QuickAction::Unlock => IssuableAction::Triage,
        QuickAction::Subscribe | QuickAction::Unsubscribe | QuickAction::Todo | QuickAction::Done => {
            IssuableAction::Read
        }
        QuickAction::Award(_) => IssuableAction::Award,
        QuickAction::Move(_) => IssuableAction::Move,
    }
}

fn run(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    after: &mut IssuableAggregate,
    action: QuickAction,
) -> Result<(), AppError> {
    let (user, now) = (command.user()?.id, command.now);
    let project = found.home.project.id;
    let id = found.issuable.id;
    let issue = &mut after.issuable;
    match action {
        QuickAction::Close => change_state(after, StateEvent::Close, user, now),
        QuickAction::Reopen => {
            let may = match &after.request {
                Some(request) => {
                    crate::shared::issuable::merge_requests::may_reopen(&mut command.query(), project, request)?
                }
                None => true,
            };
            if may {
                change_state(after, StateEvent::Reopen, user, now);
            }
        }
        QuickAction::Title(title) => title.trim().clone_into(&mut issue.title),
        QuickAction::Confidential => {
            // Merge requests are as open as the code.
            issue.confidential = issue.kind == IssuableKind::Issue;
        }
        QuickAction::Lock => issue.discussion_locked = Some(true),
        QuickAction::Unlock => issue.discussion_locked = Some(false),
        QuickAction::Due(day) => issue.due_date = day.seen_from(command.today()).or(issue.due_date),
        QuickAction::RemoveDueDate => issue.due_date = None,
        QuickAction::Estimate(seconds) => issue.time_estimate = seconds,
        QuickAction::RemoveEstimate => issue.time_estimate = 0,
        // A time that would take back more than was spent, or be too much, is ignored.
        QuickAction::Spend(seconds) => {
            let total = issue.total_time_spent + seconds;
            if (0..=MAX_SECONDS).contains(&total) {
                issue.total_time_spent = total;
            }
        }
        QuickAction::RemoveTimeSpent => issue.total_time_spent = 0,
        QuickAction::RemoveMilestone => issue.milestone = None,
        QuickAction::Milestone(title) => {
            issue.milestone = milestone_titled(command, found, &title)?.or(issue.milestone);
        }
        QuickAction::Assign(names) => {
            // Several commands of one text assign no more people than one request may.
            let most = command.app.limits().people.assigned;
            let wanted = after.assignees.iter().copied().chain(named(command, &names)?);
            let wanted: Vec<UserId> = wanted.take(most.max(after.assignees.len())).collect();
            after.assignees = people::assignable(&mut command.query(), found, &wanted)?;
        }
        QuickAction::Reassign(names) => {
            let wanted = named(command, &names)?;
            after.assignees = people::assignable(&mut command.query(), found, &wanted)?;
        }
        QuickAction::Unassign(names) if names.is_empty() => after.assignees.clear(),
        QuickAction::Unassign(names) => {
            let unwanted = named(command, &names)?;
            after.assignees.retain(|user| !unwanted.contains(user));
        }
        QuickAction::Label(names) => {
            // A command names labels that exist; it makes none. Those that exceed the limit are not added.
            let room = labels::MAX_LABELS.saturating_sub(after.labels.len());
            let known = labels::existing(command, project, &names)?;
            let new: Vec<_> = known.into_iter().filter(|label| !after.labels.contains(label)).take(room).collect();
            after.labels.extend(new);
            sort_labels(after);
        }
        QuickAction::Unlabel(names) if names.is_empty() => after.labels.clear(),
        QuickAction::Unlabel(names) => after.labels.retain(|(_, name)| !names.contains(name)),
        QuickAction::Relabel(names) => {
            after.labels = labels::existing(command, project, &names)?;
            sort_labels(after);
        }
        QuickAction::Subscribe => issuable::set_subscription(&mut command.tx, id, user, true)?,
        QuickAction::Unsubscribe => issuable::set_subscription(&mut command.tx, id, user, false)?,
        QuickAction::Todo => references::add_todos(command, &found.issuable, &[user], TodoAction::Marked, None)?,
        QuickAction::Done => todo::mark_issuable_done(&mut command.tx, user, id, now)?,
        QuickAction::Award(name) => {
            crate::shared::issuable::awards::give_once(
                command,
                &found.issuable,
                Subject { issuable: id, note: None },
                &name,
            )?;
        }
        QuickAction::Move(_) => {}
    }
    Ok(())
}

fn named(command: &mut Command<'_>, names: &[String]) -> Result<Vec<UserId>, AppError> {
    let me = command.user()?.clone();
    let names: Vec<&String> =
        names.iter().filter(|name| name.as_str() == "me" || command.may_call(name.as_str())).collect();
    let others: Vec<String> = names.iter().filter(|name| **name != "me").map(|name| (*name).clone()).collect();
    let found = user::by_usernames(&mut command.tx, &others)?;
    // In the order in which they were named.
    let of_name = |name: &String| {
        if name == "me" {
            return Some(me.id);
        }
        found.iter().find(|user| user.username.eq_ignore_ascii_case(name)).map(|user| user.id)
    };
    Ok(names.into_iter().filter_map(of_name).collect())
}

fn milestone_titled(
    command: &mut Command<'_>,
    found: &AuthorizedIssuable,
    title: &str,
) -> Result<Option<MilestoneId>, AppError> {
    let filter = MilestoneFilter {
        title: Some(title.to_owned()),
        active: Some(true),
        ..MilestoneFilter::usable_in(found.home.project.id)
    };
    Ok(milestone::all(&mut command.tx, &filter)?.first().map(|milestone| milestone.id))
}
