//! Opening issues.

use tenon_domain::access::AccessLevel;
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, MilestoneId, UserId};
use tenon_domain::issuable::IssuableAction;
use tenon_domain::issuable::IssueType;
use tenon_domain::issuable::{Issuable, IssuableKind};
use tenon_domain::quick_action::Extracted;
use tenon_domain::refusal::IssueRefusal;
use tenon_domain::time::{Date, Timestamp};
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, Sender};

use tenon_storage::{StoreError, UniqueKey};

use super::follow_up::{FollowUp, FollowUpOf};
use crate::core::app::Command;
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{full_text, insert_associations, joined};
use crate::shared::issuable::list::usable_milestone;
use crate::shared::issuable::quick_actions::open_with_actions;
use crate::shared::issuable::triage::weight;
use crate::shared::issuable::view::{IssuableView, one};
use crate::shared::issuable::{labels, people, references};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// A request for a new issue.
#[derive(Debug, Clone, Default)]
pub struct CreateIssue {
    /// Its number, if owners ask for one.
    pub iid: Option<i64>,
    /// One line.
    pub title: String,
    /// Markdown, and the quick actions that stood in it.
    pub description: Option<Extracted>,
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
    /// How much work it is.
    pub weight: Option<i64>,
    /// The type; the usual one if absent.
    pub issue_type: Option<IssueType>,
    /// Which discussions it continues; what title and description lack comes from there.
    pub follow_up: Option<FollowUpOf>,
    /// The address from which the request came.
    pub sender: Sender,
}

impl CreateIssue {
    /// The texts that are stored, for [`App::write_text`](crate::App::write_text).
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let text = self.description.as_ref().map_or("", |given| &given.text);
        vec![joined(self.title.trim(), text)]
    }
}

/// Opens an issue. Fields that the caller may not set are ignored.
pub fn create(command: &mut Command<'_>, project: &Reference, request: CreateIssue) -> Result<IssuableView, AppError> {
    let home = command.query().issue_tracker(project)?;
    let author = command.user()?.id;
    let is_owner = home.standing.at_least(AccessLevel::Owner);
    let created_at = request.created_at.filter(|_| is_owner).unwrap_or(command.now);
    let follow_up = request.follow_up.map(|of| FollowUp::find(&mut command.query(), project, of)).transpose()?;
    let is_described = request.description.as_ref().is_some_and(|given| !given.is_blank());
    let (text, actions) = request.description.map(|Extracted { text, actions }| (text, actions)).unzip();
    let actions = actions.unwrap_or_default();
    let mut issue = Issuable {
        description: text,
        confidential: request.confidential,
        issue_type: request.issue_type.unwrap_or(IssueType::Issue),
        ..Issuable::new(IssuableKind::Issue, home.project.id, author, request.title.trim().to_owned(), created_at)
    };
    if let Some(follow_up) = &follow_up {
        follow_up.fill_in(&mut command.query(), &mut issue, is_described)?;
    }
    let mut aggregate = IssuableAggregate::bare(issue.clone(), None);
    aggregate.check()?;
    let names = command.names(&full_text(&issue))?;
    let mut found = AuthorizedIssuable { home, issuable: issue.clone(), own: true };
    if found.may(IssuableAction::Triage) {
        issue.due_date = request.due_date;
        issue.weight = request.weight.map(weight).transpose()?;
        issue.milestone = usable_milestone(command, &found.home, request.milestone)?;
        aggregate.labels = labels::find_or_create(command, issue.project, &request.labels.unwrap_or_default())?;
        let wanted = request.assignees.unwrap_or_default();
        people::check_count(&command.query(), "assignee_ids", &wanted)?;
        aggregate.assignees = people::assignable(&mut command.query(), &found, &wanted)?;
    }
    issue.iid = number(command, &found.home, request.iid.filter(|_| is_owner))?;
    issue.id = issuable::insert(&mut command.tx, &issue, &request.sender).map_err(taken)?;
    aggregate.issuable = issue.clone();
    found.issuable = issue;
    insert_associations(command, &found, &aggregate)?;
    references::index_new_references(command, &found, None, &names)?;
    if let Some(follow_up) = follow_up {
        follow_up.resolve_discussions(command, &aggregate.issuable)?;
    }
    let now = command.now;
    issuable::touch_project(&mut command.tx, aggregate.issuable.project, now)?;
    let mut aggregate = open_with_actions(command, &found, &aggregate, actions)?;
    // Commands in the first text belong to its making, and do not count as a change.
    if aggregate.issuable.updated_at != created_at {
        aggregate.issuable.updated_at = created_at;
        issuable::touch(&mut command.tx, aggregate.issuable.id, created_at)?;
    }
    one(&mut command.query(), aggregate.issuable)
}

/// The largest number that can be asked for.
const MAX_IID: i64 = 2_147_483_647;

/// The next number, or the one asked for: 409 if that was given out before.
fn number(command: &mut Command<'_>, home: &AuthorizedProject, asked: Option<i64>) -> Result<Iid, AppError> {
    let container = Container::Project(home.project.id);
    let Some(asked) = asked.filter(|iid| *iid > 0) else {
        return Ok(iid::next(&mut command.tx, container, Counted::Issue)?);
    };
    if asked > MAX_IID {
        return Err(IssueRefusal::InvalidIid.into());
    }
    let asked = Iid::new(asked);
    if issuable::iid_is_used(&mut command.tx, IssuableKind::Issue, home.project.id, asked)? {
        return Err(IssueRefusal::Duplicated.into());
    }
    Ok(iid::claim(&mut command.tx, container, Counted::Issue, asked)?)
}

fn taken(error: StoreError) -> AppError {
    match error {
        StoreError::Unique(UniqueKey::Iid) => AppError::from(IssueRefusal::Duplicated),
        other => other.into(),
    }
}
