//! A branch for an issue, and a draft of a merge request that closes it, with one click.

use tenon_domain::id::{Iid, ProjectId};
use tenon_domain::issuable::{IssuableAction, MAX_TITLE, State};
use tenon_domain::issue::branch_names;
use tenon_domain::merge_request::marked_as_draft;
use tenon_domain::project::ProjectAction;
use tenon_domain::project::setting::ISSUE_BRANCH_TEMPLATE;
use tenon_domain::quick_action::Extracted;
use tenon_domain::refusal::{Refusal, RepositoryRefusal};
use tenon_domain::repository::{RefChange, RefKind};
use tenon_git::BranchName;
use tenon_storage::issuable::Sender;
use tenon_storage::{merge_request as stored, repository as stored_refs};

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::merge_request::{self, CreateMergeRequest};
use crate::policy::reference::Reference;
use crate::repository::{self, NewBranch};

/// The branch that can be made for an issue.
struct Plan {
    project: ProjectId,
    /// The branch from which it starts.
    from: String,
    /// The names that it may have, the best one first.
    names: Vec<String>,
    /// The first of them that is not taken.
    free: String,
    title: String,
}

/// The branch or merge request that was made for an issue, or was there already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Started {
    /// A branch of this name.
    Branch(String),
    /// A merge request of this number.
    MergeRequest(Iid),
}

/// The name of the branch that the caller can make for an issue: of an open issue, in a project with a default branch, to which
/// the caller may push. `None` if there is no such name.
pub fn offered(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<Option<String>, AppError> {
    Ok(plan(query, project, iid)?.map(|plan| plan.free))
}

fn plan(query: &mut Query<'_>, project: &Reference, iid: Iid) -> Result<Option<Plan>, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    let (issue, home) = (&found.issuable, &found.home.project);
    let Some(from) = home.default_branch.clone().filter(|_| issue.state == State::Opened) else { return Ok(None) };
    let template = home.settings.text_of(&ISSUE_BRANCH_TEMPLATE);
    let title = Some(issue.title.as_str()).filter(|_| !issue.confidential);
    // A template whose result cannot name a branch is as good as none.
    let mut names = branch_names(template, iid, title);
    if names.first().is_none_or(|name| BranchName::parse(name).is_err()) {
        names = branch_names(None, iid, title);
    }
    let full: Vec<(ProjectId, String)> = names.iter().map(|name| (home.id, format!("refs/heads/{name}"))).collect();
    let taken = stored_refs::stored_refs_named(&mut query.tx, &full)?;
    let free = names.iter().zip(&full).find(|(_, full)| !taken.contains_key(full)).map(|(name, _)| name.clone());
    let Some(free) = free else { return Ok(None) };
    let writable = query.writable(project, ProjectAction::Push)?;
    if writable.check(RefKind::Branch, &free, RefChange::Create).is_err() {
        return Ok(None);
    }
    let resolved = title.map_or_else(|| format!("Resolve #{iid}"), |title| format!("Resolve \"{title}\""));
    let title = marked_as_draft(&resolved, true).chars().take(MAX_TITLE).collect();
    Ok(Some(Plan { project: home.id, from, names, free, title }))
}

/// Makes a branch for an issue, and if asked for, a draft of a merge request that closes the issue. `name` is the name that
/// was offered ([`offered`]); another one is passed over. What is there already under that name stays: a second press of the
/// button leads to the same place.
pub async fn start(
    app: &App,
    identity: &Identity,
    (project, iid): (Reference, Iid),
    name: Option<String>,
    with_merge_request: bool,
) -> Result<Started, AppError> {
    let reference = project.clone();
    let plan = app.read(identity, move |query| plan(query, &reference, iid)).await?;
    let plan = plan.ok_or(RepositoryRefusal::InvalidBranch)?;
    let offered = name.filter(|name| plan.names.contains(name));
    let is_offered = offered.is_some();
    let branch = offered.unwrap_or(plan.free);
    let new = NewBranch { branch: branch.clone(), from: plan.from.clone() };
    match repository::create_branch(app, identity, project.clone(), new).await {
        Ok(_) => {}
        Err(AppError::Refused(Refusal::Repository(RepositoryRefusal::BranchExists))) if is_offered => {}
        Err(error) => return Err(error),
    }
    if !with_merge_request {
        return Ok(Started::Branch(branch));
    }
    let (home, wanted) = (plan.project, vec![branch.clone()]);
    let known = app
        .read(identity, move |query| Ok(stored::newest_of_branches(&mut query.tx, home, &wanted)?.into_values().next()))
        .await?;
    if let Some(known) = known.filter(|known| known.state == State::Opened) {
        return Ok(Started::MergeRequest(known.iid));
    }
    let request = CreateMergeRequest {
        source_branch: branch,
        target_branch: plan.from,
        title: plan.title,
        description: Some(Extracted { text: format!("Closes #{iid}"), actions: Vec::new() }),
        sender: Sender::default(),
        ..CreateMergeRequest::default()
    };
    let made = merge_request::create(app, identity, project, request).await?;
    Ok(Started::MergeRequest(made.of.issuable.iid))
}
