//! Approving, asking for changes, and taking either back.

use tenon_domain::event::EventKind;
use tenon_domain::issuable::{Issuable, IssuableAction, State};
use tenon_domain::merge_request::{ApprovalRefusal, GivenVerdict, RuleState, Verdict};
use tenon_domain::time::Timestamp;
use tenon_domain::todo::TodoAction;
use tenon_storage::{approval_rule, merge_request, todo};

use super::approval_rule::{ApprovalRuleView, views};
use super::approvals::of_one;
use super::found::AuthorizedMergeRequest;
use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::jobs::enqueue;
use crate::policy::issuable::IssuableReference;
use crate::shared::hook_event::record as hook_event;
use crate::shared::issuable::aggregate::emit_event;
use crate::shared::issuable::merge_when_ready::MergeWhenReady;
use crate::shared::issuable::{references, system_notes};
use crate::shared::issuable_aggregate::IssuableAggregate;
use crate::shared::views::user_ref::UserRef;

/// A verdict as answers show it.
#[derive(Debug, Clone)]
pub struct GivenView {
    /// Whose.
    pub by: UserRef,
    /// When it was given.
    pub at: Timestamp,
}

/// The state of a rule as answers show it.
#[derive(Debug, Clone)]
pub struct RuleStateView {
    /// The rule.
    pub rule: ApprovalRuleView,
    /// How many approvals it counts.
    pub given: i64,
    /// Whose approvals these are, as far as the caller may know.
    pub approved_by: Vec<UserRef>,
    /// True if there are enough of them.
    pub approved: bool,
}

/// The approvals of a merge request as answers show them.
#[derive(Debug, Clone)]
pub struct ApprovalsView {
    /// The rules of its project with their state.
    pub rules: Vec<RuleStateView>,
    /// How many approvals the rules require.
    pub required: i64,
    /// How many of them are missing.
    pub left: i64,
    /// True if every rule is met, and no request for changes is in the way.
    pub approved: bool,
    /// Who has approved.
    pub approved_by: Vec<GivenView>,
    /// Who asks for changes.
    pub changes_requested_by: Vec<GivenView>,
    /// True if the caller has approved.
    pub has_approved: bool,
    /// True if the caller asks for changes.
    pub has_requested_changes: bool,
    /// True if the caller may approve now.
    pub can_approve: bool,
    /// True if the caller may ask for changes now.
    pub can_request_changes: bool,
}

/// The approvals of the merge request of that number, and the merge request.
pub fn approvals(query: &mut Query<'_>, of: &IssuableReference) -> Result<(MergeRequestView, ApprovalsView), AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    Ok((one(query, &found)?, view(query, &found)?))
}

/// The approvals of a merge request.
pub(super) fn view(query: &mut Query<'_>, found: &AuthorizedMergeRequest) -> Result<ApprovalsView, AppError> {
    let approvals = of_one(query, &found.issuable)?;
    let caller = query.viewer().user();
    let own = caller.and_then(|user| approvals.verdict_of(user));
    let may = found.issuable.state == State::Opened && may_approve(query, found)?;
    let people = approvals.approved.iter().chain(&approvals.changes_requested).map(|given| given.by).collect();
    let people = UserRef::of(query, people)?;
    let given = |given: &GivenVerdict| Some(GivenView { by: people.get(&given.by)?.clone(), at: given.at });
    let mut rules = Vec::with_capacity(approvals.rules.len());
    let shown = views(query, approvals.rules.iter().map(|state| state.rule.clone()).collect())?;
    for (state, rule) in approvals.rules.iter().zip(shown) {
        let approved_by = state.approved_by.iter().filter_map(|user| people.get(user).cloned()).collect();
        rules.push(RuleStateView { rule, given: state.given, approved_by, approved: RuleState::left(state) == 0 });
    }
    Ok(ApprovalsView {
        rules,
        required: approvals.required(),
        left: approvals.left(),
        approved: approvals.is_approved(),
        approved_by: approvals.approved.iter().filter_map(given).collect(),
        changes_requested_by: approvals.changes_requested.iter().filter_map(given).collect(),
        has_approved: own == Some(Verdict::Approved),
        has_requested_changes: own == Some(Verdict::ChangesRequested),
        can_approve: may && own != Some(Verdict::Approved),
        can_request_changes: may && own != Some(Verdict::ChangesRequested),
    })
}

/// True if the caller's verdict would count: developers, and the author only if the project says so.
fn may_approve(query: &mut Query<'_>, found: &AuthorizedMergeRequest) -> Result<bool, AppError> {
    if !found.may(IssuableAction::Approve) {
        return Ok(false);
    }
    if query.viewer().user() != Some(found.issuable.author) {
        return Ok(true);
    }
    let project = found.home.project.id;
    let settings = approval_rule::settings(&mut query.tx, &[project])?;
    Ok(settings.get(&project).copied().unwrap_or_default().author_may_approve)
}

/// Approves a merge request. `sha` is the commit that the caller has seen.
pub fn approve(
    command: &mut Command<'_>,
    of: &IssuableReference,
    sha: Option<&str>,
) -> Result<(MergeRequestView, ApprovalsView), AppError> {
    give(command, of, sha, Verdict::Approved)
}

/// Asks for changes of a merge request, and puts it on the list of its author. `sha` is the commit that the caller has
/// seen.
pub fn request_changes(
    command: &mut Command<'_>,
    of: &IssuableReference,
    sha: Option<&str>,
) -> Result<(MergeRequestView, ApprovalsView), AppError> {
    give(command, of, sha, Verdict::ChangesRequested)
}

fn give(
    command: &mut Command<'_>,
    of: &IssuableReference,
    sha: Option<&str>,
    verdict: Verdict,
) -> Result<(MergeRequestView, ApprovalsView), AppError> {
    let refused = || AppError::from(ApprovalRefusal::Unauthorized);
    let found = command.query().merge_request_or(of, refused())?;
    let (issuable, user) = (found.issuable.clone(), command.user()?.id);
    let before = of_one(&mut command.query(), &issuable)?;
    let may = issuable.state == State::Opened && may_approve(&mut command.query(), &found)?;
    if !may || before.verdict_of(user) == Some(verdict) {
        return Err(refused());
    }
    let head = found.request.head().unwrap_or_default();
    if sha.is_some_and(|sha| !sha.is_empty() && sha != head) {
        return Err(ApprovalRefusal::ShaMismatch(head.to_owned()).into());
    }
    let now = command.now;
    merge_request::set_verdict(&mut command.tx, issuable.id, user, verdict, now)?;
    todo::mark_issuable_done(&mut command.tx, user, issuable.id, now)?;
    let (note, kind) = match verdict {
        Verdict::Approved => ("approved this merge request", EventKind::MergeRequestApproved),
        Verdict::ChangesRequested => ("requested changes", EventKind::MergeRequestChangesRequested),
    };
    system_notes::write(command, issuable.id, user, note.to_owned(), None)?;
    emit_event(command, &issuable, kind)?;
    let is_approved = of_one(&mut command.query(), &issuable)?.is_approved();
    match verdict {
        Verdict::Approved => {
            record(command, &issuable, if is_approved { "approved" } else { "approval" })?;
            if is_approved {
                merge_if_waiting(command, &found)?;
            }
        }
        Verdict::ChangesRequested => {
            let author = [issuable.author].into_iter().filter(|author| *author != user).collect::<Vec<_>>();
            references::add_todos(command, &issuable, &author, TodoAction::ReviewSubmitted, None)?;
            if before.verdict_of(user) == Some(Verdict::Approved) {
                record(command, &issuable, if before.is_approved() { "unapproved" } else { "unapproval" })?;
            }
        }
    }
    approvals(&mut command.query(), of)
}

/// Takes the caller's verdict back. [`ApprovalRefusal::NotGiven`] if there is none.
pub fn withdraw(
    command: &mut Command<'_>,
    of: &IssuableReference,
) -> Result<(MergeRequestView, ApprovalsView), AppError> {
    let refused = || AppError::from(ApprovalRefusal::Unauthorized);
    let found = command.query().merge_request_or(of, refused())?;
    let (issuable, user) = (found.issuable.clone(), command.user()?.id);
    if found.home.project.archived || issuable.state != State::Opened {
        return Err(refused());
    }
    let before = of_one(&mut command.query(), &issuable)?;
    if !merge_request::delete_verdict(&mut command.tx, issuable.id, user)? {
        return Err(ApprovalRefusal::NotGiven.into());
    }
    if before.verdict_of(user) == Some(Verdict::ChangesRequested) {
        system_notes::write(command, issuable.id, user, "withdrew the request for changes".to_owned(), None)?;
        if of_one(&mut command.query(), &issuable)?.is_approved() {
            merge_if_waiting(command, &found)?;
        }
    } else {
        system_notes::write(command, issuable.id, user, "unapproved this merge request".to_owned(), None)?;
        emit_event(command, &issuable, EventKind::MergeRequestUnapproved)?;
        record(command, &issuable, if before.is_approved() { "unapproved" } else { "unapproval" })?;
    }
    approvals(&mut command.query(), of)
}

/// Tries a merge again that waits for its pipeline, and waited for an approval as well.
fn merge_if_waiting(command: &mut Command<'_>, found: &AuthorizedMergeRequest) -> Result<(), AppError> {
    let request = &found.request;
    let (Some(project), Some(head), Some(_)) = (request.source_project, request.head(), &request.auto_merge) else {
        return Ok(());
    };
    let again = MergeWhenReady { project: project.get(), branch: request.source_branch.clone(), sha: head.to_owned() };
    enqueue(command, &again)
}

/// Records the event for hooks.
fn record(command: &mut Command<'_>, of: &Issuable, action: &'static str) -> Result<(), AppError> {
    let of = IssuableAggregate::load(command, of)?;
    hook_event::record_issuable(command, action, Some(&of), &of)
}
