//! Editing issues (specification 2, Edit issue body; reference: issues-merge-requests-projects, section 3.6).

use tenon_domain::access::AccessLevel;
use tenon_domain::id::{Iid, MilestoneId, UserId};
use tenon_domain::issuable::{State, StateEvent};
use tenon_domain::issue::IssueAction;
use tenon_domain::patch::Patch;
use tenon_domain::quick_action::extract;
use tenon_domain::time::{Date, Timestamp};
use tenon_storage::issuable;

use super::actions::{change_state, run_actions, sort_labels};
use super::create::usable_milestone;
use super::found::FoundIssue;
use super::view::{IssueView, one};
use super::whole::{Whole, store};
use crate::access::Reference;
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{labels, people};

/// What is to become of the labels.
#[derive(Debug, Clone, Default)]
pub struct LabelChange {
    /// These and no others.
    pub all: Option<Vec<String>>,
    /// These as well.
    pub add: Vec<String>,
    /// These no longer.
    pub remove: Vec<String>,
}

/// A request to change an issue.
#[derive(Debug, Clone, Default)]
pub struct EditIssue {
    /// Another title.
    pub title: Option<String>,
    /// Another description, with quick actions.
    pub description: Option<String>,
    /// Whether it is hidden from the public.
    pub confidential: Option<bool>,
    /// Who is to do it; nobody where empty.
    pub assignees: Option<Vec<UserId>>,
    /// Another milestone, or none.
    pub milestone: Patch<MilestoneId>,
    /// Labels.
    pub labels: LabelChange,
    /// Close it, or open it again.
    pub state_event: Option<StateEvent>,
    /// When it changed, if owners say so.
    pub updated_at: Option<Timestamp>,
    /// Another due date, or none.
    pub due_date: Patch<Date>,
    /// Whether only members may comment.
    pub discussion_locked: Option<bool>,
}

/// Changes an issue: its state first, then everything else. What the caller may not set is passed over.
pub fn edit(
    command: &mut Command<'_>,
    project: &Reference,
    iid: Iid,
    request: EditIssue,
) -> Result<IssueView, AppError> {
    let found = command.query().issue(project, iid, IssueAction::Edit)?;
    let before = Whole::load(command, &found.issue)?;
    let mut after = before.clone();
    let user = command.user()?.id;
    // While only members may comment, only they may open it again.
    let stays_closed = request.state_event == Some(StateEvent::Reopen)
        && found.issue.discussion_locked == Some(true)
        && !found.may(IssueAction::Triage);
    if let Some(event) = request.state_event.filter(|_| !stays_closed) {
        change_state(&mut after, event, user, command.now);
    }
    let mut actions = Vec::new();
    if let Some(title) = &request.title {
        title.trim().clone_into(&mut after.issue.title);
    }
    if let Some(description) = &request.description {
        let extracted = extract(description, command.today());
        after.issue.description = Some(extracted.text);
        actions = extracted.actions;
    }
    after.issue.confidential = request.confidential.unwrap_or(after.issue.confidential);
    let updated_at = request.updated_at.filter(|_| found.home.standing.at_least(AccessLevel::Owner));
    if found.may(IssueAction::Triage) {
        triage(command, &found, &mut after, request)?;
    }
    let after = store(command, &found, &before, after, updated_at)?;
    let whole = if actions.is_empty() {
        after
    } else {
        let found = FoundIssue { issue: after.issue.clone(), ..found };
        run_actions(command, &found, &after, actions)?
    };
    if before.issue.state == State::Opened || whole.issue.state == State::Opened {
        let now = command.now;
        issuable::touch_project(&mut command.tx, whole.issue.project, now)?;
    }
    one(&mut command.query(), whole.issue)
}

/// What only reporters may change.
fn triage(
    command: &mut Command<'_>,
    found: &FoundIssue,
    after: &mut Whole,
    request: EditIssue,
) -> Result<(), AppError> {
    let project = found.home.project.id;
    match request.milestone {
        Patch::Absent => {}
        Patch::Clear => after.issue.milestone = None,
        Patch::Set(id) => after.issue.milestone = usable_milestone(command, &found.home, Some(id))?,
    }
    after.issue.due_date = request.due_date.apply(after.issue.due_date);
    after.issue.discussion_locked = request.discussion_locked.or(after.issue.discussion_locked);
    if let Some(wanted) = &request.assignees {
        let assignable = people::assignable(&mut command.query(), found, wanted)?;
        // Where nobody who was named can be assigned, nothing was asked for.
        if wanted.is_empty() || !assignable.is_empty() {
            after.assignees = assignable;
        }
    }
    let LabelChange { all, add, remove } = request.labels;
    if let Some(names) = all {
        after.labels = labels::find_or_create(command, project, &names)?;
    }
    after.labels.extend(labels::find_or_create(command, project, &add)?);
    after.labels.retain(|(_, name)| !remove.contains(name));
    sort_labels(after);
    Ok(())
}
