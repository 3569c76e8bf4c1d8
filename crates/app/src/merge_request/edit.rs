//! Changing merge requests.

use tenon_domain::issuable::{IssuableAction, State, StateEvent};
use tenon_domain::merge_request::{MergeRequest, MergeStatus};
use tenon_domain::patch::Patch;
use tenon_domain::project::ProjectAction;
use tenon_domain::quick_action::Extracted;
use tenon_domain::refusal::MergeRequestRefusal;

use super::close_issues::index_closes_of_text;
use super::mergeability::tip;
use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::{App, Command, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::policy::collaboration::may_collaborate;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::precondition::check_text;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{change_state, full_text, joined, save_changes};
use crate::shared::issuable::merge_requests::refuse_duplicate;
use crate::shared::issuable::people;
use crate::shared::issuable::quick_actions::{apply_actions, move_as_asked};
use crate::shared::issuable::triage::{PeopleChange, Triage, triage};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// A request to change a merge request.
#[derive(Debug, Clone, Default)]
pub struct EditMergeRequest {
    /// Another title.
    pub title: Option<String>,
    /// Another description, and the quick actions that stood in it.
    pub description: Option<Extracted>,
    /// Another branch that is to get the commits.
    pub target_branch: Option<String>,
    /// Assignees, milestone, labels, lock: for those who may set them.
    pub triage: Triage,
    /// The change of the reviewers.
    pub reviewers: Option<PeopleChange>,
    /// Close it, or open it again.
    pub state_event: Option<StateEvent>,
    /// True if the source branch goes after the merge.
    pub remove_source_branch: Option<bool>,
    /// One commit instead of several.
    pub squash: Option<bool>,
    /// True if those who may merge may push to the source branch.
    pub allow_collaboration: Option<bool>,
    /// The minimum number of approvals by any user; none if the rules of the project alone say so.
    pub approvals_before_merge: Patch<i64>,
    /// As [`crate::issue::EditIssue::text_seen`].
    pub text_seen: Option<String>,
}

/// Changes a merge request. Fields that the caller may not set are ignored. If it may now bring something else, Git is
/// asked at once.
pub async fn edit(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    request: EditMergeRequest,
) -> Result<MergeRequestView, AppError> {
    if let Some(branch) = &request.target_branch {
        target_must_exist(app, identity, of.clone(), branch.clone()).await?;
    }
    let is_newer = match request.state_event {
        Some(StateEvent::Reopen) => follow_source(app, identity, of.clone()).await?,
        Some(StateEvent::Close) | None => false,
    };
    // A version between the same branches is not stored twice.
    let has_version = is_newer && request.target_branch.is_none();
    let reference = of.clone();
    let expected = request.title.as_deref().zip(request.description.as_ref());
    let expected = expected.map(|(title, description)| joined(title.trim(), &description.text));
    let change = move |command: &mut Command<'_>| change(command, &reference, request);
    let (id, again) = app.write_text(identity, expected.into_iter().collect(), change).await?;
    if again {
        let this = app.clone();
        app.on_git(move || if has_version { this.sync_source(id, None) } else { this.look_again(id) }).await?;
    }
    app.read(identity, move |query| {
        let found = query.merge_request(&of, IssuableAction::Read)?;
        one(query, &found)
    })
    .await
}

/// Brings a closed merge request that is to be opened again to the head of its source branch. Yields whether it has
/// another version.
async fn follow_source(app: &App, identity: &Identity, of: IssuableReference) -> Result<bool, AppError> {
    let found = app.read(identity, move |query| query.merge_request(&of, IssuableAction::Edit)).await?;
    let (this, id) = (app.clone(), found.issuable.id);
    app.on_git(move || this.follow_closed(id)).await
}

async fn target_must_exist(
    app: &App,
    identity: &Identity,
    of: IssuableReference,
    branch: String,
) -> Result<(), AppError> {
    let repository = app
        .read(identity, move |query| {
            let found = query.merge_request(&of, IssuableAction::Edit)?;
            Ok(query.app.repositories().store.repository(found.home.project.id))
        })
        .await?;
    let there = app.on_git(move || Ok(repository.exists() && tip(&repository, &branch)?.is_some())).await?;
    if there { Ok(()) } else { Err(AppError::invalid("target_branch", "does not exist")) }
}

/// Yields the id, and whether Git has to be asked what lies between the branches.
fn change(
    command: &mut Command<'_>,
    of: &IssuableReference,
    request: EditMergeRequest,
) -> Result<(tenon_domain::id::IssuableId, bool), AppError> {
    let found = command.query().merge_request(of, IssuableAction::Edit)?;
    let of: &AuthorizedIssuable = &found;
    check_text(&of.issuable, request.text_seen.as_deref(), request.title.as_deref(), request.description.as_ref())?;
    let before = IssuableAggregate::load(command, &of.issuable)?;
    let mut after = before.clone();
    let (user, now) = (command.user()?.id, command.now);
    match request.state_event {
        // A merge request without a source stays closed.
        Some(StateEvent::Reopen) if found.request.source_project.is_none() => {}
        Some(event) => change_state(&mut after, event, user, now),
        None => {}
    }
    let pushes = may_push_to_source(&mut command.query(), &found.request)?;
    let reopened = before.issuable.state != State::Opened && after.issuable.state == State::Opened;
    let mut actions = Vec::new();
    let is_text_given = request.title.is_some() || request.description.is_some();
    if let Some(title) = &request.title {
        title.trim().clone_into(&mut after.issuable.title);
    }
    if let Some(description) = request.description {
        after.issuable.description = Some(description.text);
        actions = description.actions;
    }
    if is_text_given {
        // Before anything is written: the command begins anew if it does not know that.
        command.names(&full_text(&after.issuable))?;
    }
    let mut retargeted = false;
    if let Some(details) = &mut after.request {
        details.squash = request.squash.unwrap_or(details.squash);
        details.approvals_before_merge = request.approvals_before_merge.apply(details.approvals_before_merge);
        // Whose branch it is decides what may become of it.
        let own = pushes || of.issuable.author == user;
        let removal = request.remove_source_branch.filter(|wanted| own || !wanted);
        details.force_remove_source_branch = removal.unwrap_or(details.force_remove_source_branch);
        let open = before.issuable.state == State::Opened || reopened;
        if let Some(branch) = request.target_branch.filter(|branch| *branch != details.target_branch && open) {
            details.target_branch = branch;
            retargeted = true;
        }
        match request.allow_collaboration {
            Some(true) if pushes => {
                details.allow_collaboration = may_collaborate(&mut command.query(), &of.home, details)?;
            }
            Some(false) => details.allow_collaboration = false,
            Some(true) | None => {}
        }
        if retargeted || reopened {
            if !details.is_from_fork(of.home.project.id) && details.source_branch == details.target_branch {
                return Err(MergeRequestRefusal::SameBranch.into());
            }
            refuse_duplicate(&mut command.query(), of.home.project.id, details, Some(details.id))?;
        }
        if retargeted {
            details.merge_status = MergeStatus::Unchecked;
            if details.has_failed_rebase() {
                details.merge_error = None;
            }
            details.auto_merge = None;
            details.should_remove_source_branch = None;
        }
    }
    if of.may(IssuableAction::Triage) {
        triage(command, of, &mut after, request.triage)?;
        if let Some(change) = &request.reviewers {
            let wanted = change.applied_to(&after.reviewers);
            people::check_count(&command.query(), "reviewer_ids", &wanted)?;
            after.reviewers = people::assignable(&mut command.query(), of, &wanted)?;
        }
    }
    let target = apply_actions(command, &changed(of, &after), &mut after, actions)?;
    let aggregate = save_changes(command, of, &before, after, None)?;
    move_as_asked(command, &changed(of, &aggregate), &aggregate, target)?;
    if (&aggregate.issuable.title, &aggregate.issuable.description)
        != (&before.issuable.title, &before.issuable.description)
    {
        index_closes_of_text(command, &changed(of, &aggregate))?;
    }
    tenon_storage::issuable::touch_project(&mut command.tx, of.home.project.id, now)?;
    let is_open_again = before.issuable.state != State::Opened && aggregate.issuable.state == State::Opened;
    Ok((aggregate.issuable.id, retargeted || is_open_again))
}

/// True if the caller may push to the project of the source.
fn may_push_to_source(query: &mut Query<'_>, request: &MergeRequest) -> Result<bool, AppError> {
    let Some(source) = request.source_project else { return Ok(false) };
    let found = query.project_with_standing(&Reference::Id(source.get()))?;
    Ok(found.is_some_and(|found| found.may(ProjectAction::Push)))
}

fn changed(of: &AuthorizedIssuable, aggregate: &IssuableAggregate) -> AuthorizedIssuable {
    AuthorizedIssuable { issuable: aggregate.issuable.clone(), ..of.clone() }
}
