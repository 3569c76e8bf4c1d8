//! Opening issues (specification 2, Create issue body; reference: issues-merge-requests-projects, section 3.5).

use tenon_domain::access::AccessLevel;
use tenon_domain::event::EventKind;
use tenon_domain::id::{Iid, IssuableId, MilestoneId, UserId};
use tenon_domain::issuable::{Issuable, IssuableKind, State};
use tenon_domain::issue::IssueAction;
use tenon_domain::label::Owner;
use tenon_domain::quick_action::extract;
use tenon_domain::time::{Date, Timestamp};
use tenon_domain::todo::TodoAction;
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, Sender};
use tenon_storage::milestone::{self, MilestoneFilter};
use tenon_storage::resource_event::{self, Change};
use tenon_storage::{StoreError, UniqueKey};

use super::actions::run_actions;
use super::found::FoundIssue;
use super::view::{IssueView, one};
use super::whole::{Whole, tell_event, whole_text};
use crate::access::{FoundProject, Reference};
use crate::context::Command;
use crate::error::AppError;
use crate::issuable::{labels, people, texts};

/// A request for a new issue.
#[derive(Debug, Clone, Default)]
pub struct CreateIssue {
    /// Its number, if owners ask for one.
    pub iid: Option<i64>,
    /// One line.
    pub title: String,
    /// Markdown, with quick actions.
    pub description: Option<String>,
    /// Hidden from the public.
    pub confidential: bool,
    /// Who is to do it.
    pub assignees: Option<Vec<UserId>>,
    /// The milestone.
    pub milestone: Option<MilestoneId>,
    /// The names of its labels.
    pub labels: Option<Vec<String>>,
    /// When it was opened, if owners say so.
    pub created_at: Option<Timestamp>,
    /// When it is due.
    pub due_date: Option<Date>,
    /// From where the request came.
    pub sender: Sender,
}

/// Opens an issue. What the caller may not set is passed over.
pub fn create(command: &mut Command<'_>, project: &Reference, request: CreateIssue) -> Result<IssueView, AppError> {
    let home = command.query().issue_tracker(project)?;
    let author = command.user()?.id;
    let is_owner = home.standing.at_least(AccessLevel::Owner);
    let created_at = request.created_at.filter(|_| is_owner).unwrap_or(command.now);
    let extracted = extract(request.description.as_deref().unwrap_or_default(), command.today());
    let mut issue = Issuable {
        id: IssuableId::new(0),
        kind: IssuableKind::Issue,
        project: home.project.id,
        iid: Iid::new(0),
        author,
        title: request.title.trim().to_owned(),
        description: request.description.is_some().then_some(extracted.text),
        state: State::Opened,
        milestone: None,
        confidential: request.confidential,
        discussion_locked: None,
        due_date: None,
        time_estimate: 0,
        total_time_spent: 0,
        user_notes_count: 0,
        upvotes: 0,
        downvotes: 0,
        moved_to: None,
        created_at,
        updated_at: created_at,
    };
    let mut whole = Whole { issue: issue.clone(), labels: Vec::new(), assignees: Vec::new() };
    whole.check()?;
    let mut found = FoundIssue { home, issue: issue.clone(), own: true };
    if found.may(IssueAction::Triage) {
        issue.due_date = request.due_date;
        issue.milestone = usable_milestone(command, &found.home, request.milestone)?;
        whole.labels = labels::find_or_create(command, issue.project, &request.labels.unwrap_or_default())?;
        whole.assignees = people::assignable(&mut command.query(), &found, &request.assignees.unwrap_or_default())?;
    }
    issue.iid = number(command, &found.home, request.iid.filter(|_| is_owner))?;
    issue.id = issuable::insert(&mut command.tx, &issue, &request.sender).map_err(taken)?;
    whole.issue = issue.clone();
    found.issue = issue;
    hang_on(command, &found, &whole)?;
    tell_event(command, &whole.issue, EventKind::IssueOpened)?;
    texts::take_in(command, &found, None, &whole_text(&whole.issue))?;
    let now = command.now;
    issuable::touch_project(&mut command.tx, whole.issue.project, now)?;
    let mut whole = run_actions(command, &found, &whole, extracted.actions)?;
    // Commands in the first text belong to its making, and do not count as a change.
    if whole.issue.updated_at != created_at {
        whole.issue.updated_at = created_at;
        issuable::touch(&mut command.tx, whole.issue.id, created_at)?;
    }
    one(&mut command.query(), whole.issue)
}

/// Stores what hangs on a new issue.
fn hang_on(command: &mut Command<'_>, found: &FoundIssue, whole: &Whole) -> Result<(), AppError> {
    let (id, now) = (whole.issue.id, command.now);
    let ids: Vec<_> = whole.labels.iter().map(|(id, _)| *id).collect();
    issuable::set_labels(&mut command.tx, id, &ids)?;
    issuable::set_assignees(&mut command.tx, id, &whole.assignees)?;
    let mut changes: Vec<Change> = ids.iter().map(|label| Change::Label { label: Some(*label), added: true }).collect();
    changes.extend(whole.issue.milestone.map(|id| Change::Milestone { milestone: Some(id), added: true }));
    let user = command.actor();
    resource_event::insert(&mut command.tx, id, user, &changes, now)?;
    texts::put_on_list(command, &found.issue, &whole.assignees, TodoAction::Assigned, None)
}

/// The largest number that can be asked for (reference, section 1.9).
const MAX_IID: i64 = 2_147_483_647;

/// The next number, or the one asked for: 409 where that was given out before.
fn number(command: &mut Command<'_>, home: &FoundProject, asked: Option<i64>) -> Result<Iid, AppError> {
    let owner = Owner::Project(home.project.id);
    let Some(asked) = asked.filter(|iid| *iid > 0) else {
        return Ok(iid::next(&mut command.tx, owner, Counted::Issue)?);
    };
    if asked > MAX_IID {
        return Err(AppError::Parameter("iid is invalid".to_owned()));
    }
    let asked = Iid::new(asked);
    if issuable::iid_is_used(&mut command.tx, IssuableKind::Issue, home.project.id, asked)? {
        return Err(AppError::Conflict("Duplicated issue".to_owned()));
    }
    Ok(iid::claim(&mut command.tx, owner, Counted::Issue, asked)?)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Iid) => AppError::Conflict("Duplicated issue".to_owned()),
        other => other.into(),
    }
}

/// The milestone of that id if it can be used in a project; any other is no error, but none.
pub(super) fn usable_milestone(
    command: &mut Command<'_>,
    home: &FoundProject,
    id: Option<MilestoneId>,
) -> Result<Option<MilestoneId>, AppError> {
    let Some(id) = id else { return Ok(None) };
    let usable = MilestoneFilter::usable_in(home.project.id);
    Ok(milestone::find(&mut command.tx, &usable, id)?.map(|milestone| milestone.id))
}
