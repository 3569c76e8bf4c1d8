//! Which issues a merge request closes, and which merge requests close an issue.

use std::collections::HashSet;

use tenon_domain::id::{Iid, IssuableId, ProjectId};
use tenon_domain::issuable::{Issuable, IssuableAction, IssuableKind, relative_reference};
use tenon_domain::merge_request::MergeRequest;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::setting::AUTOCLOSE_REFERENCED_ISSUES;
use tenon_markdown::Reference as Named;
use tenon_storage::merge_request::ClosingName;
use tenon_storage::{issuable, merge_request, note};

use super::list::viewed;
use super::view::MergeRequestView;
use crate::core::app::{Command, Query};
use crate::core::error::AppError;
use crate::policy::authorization::AuthorizedProject;
use crate::policy::issuable::{AuthorizedIssuable, IssuableReference};
use crate::policy::reference::Reference;
use crate::shared::issuable::aggregate::full_text;
use crate::shared::issuable::issue_closing::close_because;
use crate::shared::issuable::issue_tracker;
use crate::shared::issuable::view::{Detail, IssuableView, views, visible};

/// More issues than this are not closed at once; as many of another program are named.
const MAX_CLOSED: usize = 100;

/// Remembers which issues title and description say are closed.
pub(super) fn index_closes_of_text(command: &mut Command<'_>, found: &AuthorizedIssuable) -> Result<(), AppError> {
    let names = command.names(&full_text(&found.issuable))?;
    remember(command, &found.home, found.issuable.id, false, names.closes())
}

/// Remembers which issues the messages of its commits say are closed.
pub(super) fn index_closes_of_commits(
    command: &mut Command<'_>,
    home: &AuthorizedProject,
    id: IssuableId,
    closes: &[Named],
) -> Result<(), AppError> {
    remember(command, home, id, true, closes)
}

/// Remembers names. Which issues have them is found when it is asked for: they may come, go and move later.
fn remember(
    command: &mut Command<'_>,
    home: &AuthorizedProject,
    id: IssuableId,
    by_commit: bool,
    closes: &[Named],
) -> Result<(), AppError> {
    let name = |reference: &Named| match reference {
        Named::Issue { project, iid } => Some(ClosingName::Own { project: project.clone(), iid: *iid }),
        Named::External(name) => Some(ClosingName::External(name.clone())),
        Named::MergeRequest { .. } | Named::User(_) | Named::Label(_) | Named::Milestone(_) => None,
    };
    let names = closes.iter().filter_map(name);
    let (mut names, external): (Vec<_>, Vec<_>) = names.partition(|name| matches!(name, ClosingName::Own { .. }));
    names.truncate(MAX_CLOSED);
    names.extend(external.into_iter().take(MAX_CLOSED));
    let place = (home.project.id, home.namespace.id);
    Ok(merge_request::set_closes(&mut command.tx, id, place, by_commit, &names)?)
}

/// The issues that its text and the messages of its commits say are closed. Those of the project that this one was forked
/// from never are.
fn named(query: &mut Query<'_>, home: &AuthorizedProject, id: IssuableId) -> Result<Vec<IssuableId>, AppError> {
    let place = |name| {
        let ClosingName::Own { project, iid } = name else { return None };
        let path = match project {
            None => home.full_path(),
            Some(path) if path.contains('/') => path,
            Some(name) => home.namespace.path_of(&name),
        };
        Some((path, iid))
    };
    let names: Vec<_> = merge_request::closing_names(&mut query.tx, id)?.into_iter().filter_map(place).collect();
    let found = issuable::named(&mut query.tx, IssuableKind::Issue, &names)?;
    let is_upstream = |project| home.project.forked_from == Some(project);
    Ok(found.into_iter().filter(|(_, project)| !is_upstream(*project)).map(|(id, _)| id).collect())
}

/// The issues that a merge closes, if it is one into the default branch: those that the caller may see.
pub(super) fn closing(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    request: &MergeRequest,
) -> Result<Vec<Issuable>, AppError> {
    if home.project.default_branch.as_deref() != Some(&request.target_branch) {
        return Ok(Vec::new());
    }
    let mut ids = named(query, home, request.id)?;
    let visible = visible(query, &ids)?;
    ids.retain(|id| visible.contains(id));
    let mut found = issuable::by_ids(&mut query.tx, &ids)?;
    let homes: Vec<_> = found.iter().map(|issue| issue.project).collect();
    let closing: HashSet<ProjectId> = tenon_storage::project::by_ids(&mut query.tx, &homes)?
        .into_iter()
        .filter(|placed| placed.project.settings.is_on(&AUTOCLOSE_REFERENCED_ISSUES))
        .map(|placed| placed.project.id)
        .collect();
    found.retain(|issue| closing.contains(&issue.project));
    found.sort_unstable_by_key(|issue| issue.id);
    Ok(found)
}

/// Those issues as texts in the project name them: `#1`.
pub(super) fn references(
    query: &mut Query<'_>,
    home: &AuthorizedProject,
    issues: &[Issuable],
) -> Result<Vec<String>, AppError> {
    let projects: Vec<_> = issues.iter().map(|issue| issue.project).collect();
    let paths = tenon_storage::project::full_paths(&mut query.tx, &projects)?;
    let here = home.full_path();
    let name = |issue: &Issuable| {
        let there = paths.get(&issue.project).map_or(here.as_str(), String::as_str);
        relative_reference(&here, there, &issue.short_reference())
    };
    Ok(issues.iter().map(name).collect())
}

/// Closes what a merge closes, as far as the caller may.
pub(super) fn close_all(
    command: &mut Command<'_>,
    home: &AuthorizedProject,
    of: &Issuable,
    request: &MergeRequest,
) -> Result<(), AppError> {
    let here = home.full_path();
    for issue in closing(&mut command.query(), home, request)? {
        let there = Reference::Id(issue.project.get());
        let reference = IssuableReference { kind: IssuableKind::Issue, project: there, iid: issue.iid };
        let found = match command.query().issuable(&reference, IssuableAction::Edit) {
            Ok(found) => found,
            Err(AppError::NotFound(_) | AppError::Forbidden) => continue,
            Err(other) => return Err(other),
        };
        let name = relative_reference(&found.home.full_path(), &here, &of.short_reference());
        close_because(command, &found, format!("closed via merge request {name}"), Some(of.id))?;
    }
    Ok(())
}

/// An issue that is closed when a merge request is merged.
#[derive(Debug)]
pub enum ClosedIssue<I = IssuableView> {
    /// One of this server.
    Own(I),
    /// One of the tracker that the project uses, by its name there. Its changes are up to that program.
    External(String),
}

/// The issues that are closed when it is merged: those of this server, and behind them those of the tracker that the project uses.
pub fn closes_issues(
    query: &mut Query<'_>,
    of: &IssuableReference,
    page: PageRequest,
) -> Result<Page<ClosedIssue>, AppError> {
    let found = query.merge_request(of, IssuableAction::Read)?;
    let own = closing(query, &found.home, &found.request)?.into_iter().map(ClosedIssue::Own);
    let external = external(query, &found.home, &found.request)?.into_iter().map(ClosedIssue::External);
    let Page { items, total, request } = Page::cut(own.chain(external).collect(), page);
    let (mut own, mut external) = (Vec::new(), Vec::new());
    for issue in items {
        match issue {
            ClosedIssue::Own(issue) => own.push(issue),
            ClosedIssue::External(name) => external.push(ClosedIssue::External(name)),
        }
    }
    let own = views(query, own, Detail::default())?;
    Ok(Page { items: own.into_iter().map(ClosedIssue::Own).chain(external).collect(), total, request })
}

/// The issues of the tracker that the project uses that a merge into the default branch closes, by their names there.
fn external(query: &mut Query<'_>, home: &AuthorizedProject, request: &MergeRequest) -> Result<Vec<String>, AppError> {
    if home.project.default_branch.as_deref() != Some(&request.target_branch) {
        return Ok(Vec::new());
    }
    let Some(tracker) = issue_tracker::of(query, home)? else { return Ok(Vec::new()) };
    let name = |name| match name {
        ClosingName::External(name) => Some(name),
        ClosingName::Own { project: None, iid } => tracker.numbered(iid).map(|_| iid.to_string()),
        ClosingName::Own { project: Some(_), .. } => None,
    };
    Ok(merge_request::closing_names(&mut query.tx, request.id)?.into_iter().filter_map(name).collect())
}

/// The merge requests that close an issue when they are merged, or have.
pub fn closed_by(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    page: PageRequest,
) -> Result<Page<MergeRequestView>, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    let ids = merge_request::closed_by(&mut query.tx, found.issuable.id)?;
    shown(query, &ids, page)
}

/// The merge requests that name an issue, or that it names.
pub fn related(
    query: &mut Query<'_>,
    project: &Reference,
    iid: Iid,
    page: PageRequest,
) -> Result<Page<MergeRequestView>, AppError> {
    let found = query.issue(project, iid, IssuableAction::Read)?;
    let mut ids = merge_request::closed_by(&mut query.tx, found.issuable.id)?;
    ids.extend(note::referred_to(&mut query.tx, found.issuable.id)?);
    ids.sort_unstable();
    ids.dedup();
    shown(query, &ids, page)
}

fn shown(query: &mut Query<'_>, ids: &[IssuableId], page: PageRequest) -> Result<Page<MergeRequestView>, AppError> {
    let visible = visible(query, ids)?;
    let ids: Vec<IssuableId> = ids.iter().filter(|id| visible.contains(id)).copied().collect();
    let mut found = issuable::by_ids(&mut query.tx, &ids)?;
    found.retain(|one| one.kind == IssuableKind::MergeRequest);
    viewed(query, Page::cut(found, page), Detail::default())
}
