//! Opening merge requests.

use tenon_domain::access::Decision;
use tenon_domain::container::Container;
use tenon_domain::id::{Iid, IssuableId, ProjectId, UserId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind};
use tenon_domain::merge_request::{MergeRequest, MergeStatus, SquashOption, is_draft};
use tenon_domain::project::setting::MERGE_REQUESTS;
use tenon_domain::project::{self, ProjectAction};
use tenon_domain::quick_action::Extracted;
use tenon_domain::refusal::MergeRequestRefusal;
use tenon_storage::iid::{self, Counted};
use tenon_storage::issuable::{self, Sender};
use tenon_storage::{merge_request, project as projects};

use super::close_issues::{index_closes_of_commits, index_closes_of_text};
use super::mergeability::{MergeRepositories, Mergeability, without_room};
use super::show::one;
use super::view::MergeRequestView;
use crate::core::app::{App, Command, Query};
use crate::core::error::{AppError, Judge, Missing};
use crate::core::identity::Identity;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::collaboration::may_collaborate;
use crate::policy::issuable::AuthorizedIssuable;
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::{full_text, insert_associations, joined};
use crate::shared::issuable::merge_requests::refuse_duplicate;
use crate::shared::issuable::quick_actions::open_with_actions;
use crate::shared::issuable::triage::{Triage, triage};
use crate::shared::issuable::{people, references};
use crate::shared::issuable_aggregate::IssuableAggregate;

/// A request for a new merge request.
#[derive(Debug, Clone, Default)]
pub struct CreateMergeRequest {
    /// The branch that is offered.
    pub source_branch: String,
    /// The branch that is to get it.
    pub target_branch: String,
    /// Into which project, if not the same.
    pub target_project: Option<ProjectId>,
    /// One line.
    pub title: String,
    /// Markdown, and the quick actions that stood in it.
    pub description: Option<Extracted>,
    /// Assignees, milestone, labels: for those who may set them.
    pub triage: Triage,
    /// The reviewers.
    pub reviewers: Vec<UserId>,
    /// True if the source branch goes after the merge.
    pub remove_source_branch: bool,
    /// True if those who may merge may push to the source branch.
    pub allow_collaboration: bool,
    /// One commit instead of several; what the project presets if absent.
    pub squash: Option<bool>,
    /// The minimum number of approvals by any user.
    pub approvals_before_merge: Option<i64>,
    /// The address from which the request came.
    pub sender: Sender,
}

/// The two projects, and the merge request that is not stored yet.
struct Offer {
    target: AuthorizedProject,
    request: MergeRequest,
}

/// Opens a merge request out of `source`. Fields that the caller may not set are ignored. One whose commits the target
/// has no room for is opened, says so, and brings nothing.
pub async fn create(
    app: &App,
    identity: &Identity,
    source: Reference,
    request: CreateMergeRequest,
) -> Result<MergeRequestView, AppError> {
    let (reference, asked) = (source.clone(), request.clone());
    let offer = app.read(identity, move |query| offer(query, &reference, &asked)).await?;
    let this = app.clone();
    let measured = app
        .on_git(move || {
            let repositories = this.merge_repositories(&offer.target.project, &offer.request);
            match measure(&repositories, &offer.request) {
                Ok(measured) => Ok(Ok(measured)),
                Err(error) => without_room(&error).map(Err).ok_or(error),
            }
        })
        .await?;
    let text = joined(request.title.trim(), request.description.as_ref().map_or("", |given| &given.text));
    let store = move |command: &mut Command<'_>| store(command, &source, request, &measured);
    let created = app.write_text(identity, vec![text], store).await?;
    let (this, id) = (app.clone(), created.of.issuable.id);
    // The source may have moved concurrently, and its commits are to be fetched under the number.
    app.on_git(move || this.sync_source(id, None)).await?;
    Ok(created)
}

fn measure(repositories: &MergeRepositories, request: &MergeRequest) -> Result<Mergeability, AppError> {
    let missing = |field: &str| AppError::invalid(field, "does not exist");
    let source = repositories.source_tip(request)?.ok_or_else(|| missing("source_branch"))?;
    let target = repositories.target_tip(request)?.ok_or_else(|| missing("target_branch"))?;
    repositories.fetch(source)?;
    repositories.measure(target, source, None)
}

/// Checks that the caller may offer that, in the order in which clients expect the refusals.
fn offer(query: &mut Query<'_>, source: &Reference, asked: &CreateMergeRequest) -> Result<Offer, AppError> {
    let source = query.project(source, ProjectAction::Push)?;
    Decision::allow_if(source.project.has(&MERGE_REQUESTS)).judge(Missing::Project)?;
    let target = match asked.target_project {
        Some(id) if id != source.project.id => query.project(&Reference::Id(id.get()), ProjectAction::Read),
        _ => Ok(source.clone()),
    };
    let target = target.map_err(|error| match error {
        AppError::NotFound(_) => AppError::NotFound(Missing::Record),
        other => other,
    })?;
    let reads = project::decide(
        &target.standing,
        crate::policy::authorization::facts(&target.project),
        ProjectAction::ReadCode,
    );
    let open = !target.project.archived && target.has(&MERGE_REQUESTS);
    Decision::allow_if(open && reads == Decision::Allow).judge(Missing::Project)?;
    let is_fork = target.project.id != source.project.id;
    if !is_fork && asked.source_branch == asked.target_branch {
        return Err(MergeRequestRefusal::SameBranch.into());
    }
    if is_fork && network(query, &source)? != network(query, &target)? {
        return Err(MergeRequestRefusal::NotAFork.into());
    }
    let mut request = MergeRequest {
        id: IssuableId::new(0),
        source_project: Some(source.project.id),
        source_branch: asked.source_branch.clone(),
        target_branch: asked.target_branch.clone(),
        draft: is_draft(&asked.title),
        squash: SquashOption::of(&target.project).initial(asked.squash),
        force_remove_source_branch: asked.remove_source_branch,
        should_remove_source_branch: None,
        allow_collaboration: false,
        merge_status: MergeStatus::Unchecked,
        merge_error: None,
        diff: None,
        auto_merge: None,
        merged: None,
        approvals_before_merge: asked.approvals_before_merge,
    };
    refuse_duplicate(query, target.project.id, &request, None)?;
    if asked.title.trim().is_empty() {
        return Err(AppError::invalid("title", "can't be blank"));
    }
    request.allow_collaboration = asked.allow_collaboration && may_collaborate(query, &target, &request)?;
    Ok(Offer { target, request })
}

/// How far back a chain of forks is followed.
const MAX_FORKS: usize = 100;

/// The project with which a chain of forks began.
fn network(query: &mut Query<'_>, of: &AuthorizedProject) -> Result<ProjectId, AppError> {
    let mut root = of.project.id;
    let mut next = of.project.forked_from;
    for _ in 0..MAX_FORKS {
        let Some(source) = next else { break };
        root = source;
        next = projects::find(&mut query.tx, source)?.and_then(|project| project.forked_from);
    }
    Ok(root)
}

fn store(
    command: &mut Command<'_>,
    source: &Reference,
    asked: CreateMergeRequest,
    measured: &Result<Mergeability, String>,
) -> Result<MergeRequestView, AppError> {
    // Asked again: the world may have changed while Git worked.
    let Offer { target: home, mut request } = offer(&mut command.query(), source, &asked)?;
    let (author, now) = (command.user()?.id, command.now);
    let (text, actions) = asked.description.map(|Extracted { text, actions }| (text, actions)).unzip();
    let of = Issuable {
        description: text,
        ..Issuable::new(IssuableKind::MergeRequest, home.project.id, author, asked.title.trim().to_owned(), now)
    };
    match measured {
        Ok(measured) => {
            request.diff = Some(measured.diff.clone());
            request.merge_status = measured.status;
        }
        Err(text) => {
            request.merge_error = Some(text.clone());
            request.merge_status = MergeStatus::CannotBeMerged;
        }
    }
    let mut aggregate = IssuableAggregate::bare(of.clone(), Some(request.clone()));
    aggregate.check()?;
    let names = command.names(&full_text(&of))?;
    let mut found = AuthorizedIssuable { home, issuable: of, own: true };
    if found.may(IssuableAction::Triage) {
        triage(command, &found, &mut aggregate, asked.triage)?;
        people::check_count(&command.query(), "reviewer_ids", &asked.reviewers)?;
        aggregate.reviewers = people::assignable(&mut command.query(), &found, &asked.reviewers)?;
    }
    let mut of = aggregate.issuable.clone();
    of.iid = iid::next(&mut command.tx, Container::Project(found.home.project.id), Counted::MergeRequest)?;
    of.id = issuable::insert(&mut command.tx, &of, &asked.sender)?;
    request.id = of.id;
    merge_request::insert(&mut command.tx, &request)?;
    if let Ok(Mergeability { diff, patch_id, owners, .. }) = measured {
        merge_request::insert_version(&mut command.tx, of.id, diff, patch_id.as_deref(), now)?;
        merge_request::set_touched_owners(&mut command.tx, of.id, owners)?;
    }
    aggregate.issuable = of.clone();
    aggregate.request = Some(request);
    found.issuable = of;
    insert_associations(command, &found, &aggregate)?;
    merge_request::set_reviewers(&mut command.tx, aggregate.issuable.id, &aggregate.reviewers)?;
    references::index_new_references(command, &found, None, &names)?;
    index_closes_of_text(command, &found)?;
    if let Ok(measured) = measured {
        index_closes_of_commits(command, &found.home, found.issuable.id, &measured.closes)?;
    }
    issuable::touch_project(&mut command.tx, aggregate.issuable.project, now)?;
    let aggregate = open_with_actions(command, &found, &aggregate, actions.unwrap_or_default())?;
    let reference = crate::policy::issuable::IssuableReference {
        kind: IssuableKind::MergeRequest,
        project: Reference::Id(aggregate.issuable.project.get()),
        iid: Iid::new(aggregate.issuable.iid.get()),
    };
    let mut query = command.query();
    let found = query.merge_request(&reference, IssuableAction::Read)?;
    one(&mut query, &found)
}
