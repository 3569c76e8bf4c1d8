//! Searching everywhere, in a group or in a project.

mod code;
mod member;
mod note;

use std::collections::HashSet;

use tenon_domain::group::GroupAction;
use tenon_domain::id::ProjectId;
use tenon_domain::issuable::IssuableKind;
use tenon_domain::page::{Page, PageRequest};
use tenon_domain::project::ProjectAction;
use tenon_domain::search::Search;
use tenon_storage::issuable::{IssuableSet, VisibleIssuables};
use tenon_storage::project::ProjectSet;
use tenon_storage::snippet::Searched;
use tenon_storage::{group, milestone, namespace};

pub use code::BlobHit;

use crate::core::app::{App, Query};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::issuable::IssuableOrder;
use crate::merge_request::MergeRequestView;
use crate::note::NoteView;
use crate::policy::container::ContainerReference;
use crate::project::{GroupScope, ListProjects, ProjectOrder};
use crate::repository::read::commit::CommitDetail;
use crate::shared::issuable::list::ListIssuables;
use crate::shared::issuable::milestones::MilestoneView;
use crate::shared::issuable::view::IssuableView;
use crate::shared::views::project_view::ProjectView;
use crate::snippet::{self, SnippetView};
use crate::user::{ListUsers, UserView};

/// The scope of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Projects, by name, path and description.
    Projects,
    /// Issues, by title and description, or by a number at the end of the text: `#12`.
    Issues,
    /// Merge requests, by title and description, or by a number at the end of the text: `!12`.
    MergeRequests,
    /// Milestones, by title and description.
    Milestones,
    /// Accounts, by name, user name and address; in a group or project its members.
    Users,
    /// Comments, by their text.
    Notes,
    /// Commits of the default branch, by their message or id.
    Commits,
    /// Files of the default branch, by path and content.
    Blobs,
    /// Snippets, by title and by the paths of their files; only everywhere.
    SnippetTitles,
    /// Snippets, by the contents of their files; only everywhere.
    SnippetBlobs,
    /// The scope that this server does not search: wikis.
    Nothing,
}

/// How issues and merge requests are shown with their labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    /// By their names.
    Names,
    /// With their colours.
    Details,
}

/// The rows that are wanted of what is found.
#[derive(Debug, Clone, Copy)]
pub struct Listing {
    /// Their page.
    pub page: PageRequest,
    /// The labels of issues and merge requests.
    pub labels: Labels,
}

impl From<PageRequest> for Listing {
    fn from(page: PageRequest) -> Self {
        Self { page, labels: Labels::Names }
    }
}

/// The results of a search.
#[derive(Debug, Clone)]
pub enum Found {
    /// Projects.
    Projects(Page<ProjectView>),
    /// Issues.
    Issues(Page<IssuableView>),
    /// Merge requests.
    MergeRequests(Page<MergeRequestView>),
    /// Milestones.
    Milestones(Page<MilestoneView>),
    /// Accounts.
    Users(Page<UserView>),
    /// Comments.
    Notes(Page<NoteView>),
    /// Commits.
    Commits(Page<CommitDetail>),
    /// Lines of files, and files.
    Blobs(Page<BlobHit>),
    /// Snippets.
    Snippets(Page<SnippetView>),
    /// Nothing at all.
    Nothing(PageRequest),
}

/// Searches for `text` in a project, in a group with everything below it, or everywhere. Finds only what the caller may read;
/// a project or group that they may not see is missing. Callers without an account find what is public, and no accounts.
pub async fn search(
    app: &App,
    identity: &Identity,
    within: Option<ContainerReference>,
    scope: Scope,
    text: String,
    listing: Listing,
) -> Result<Found, AppError> {
    let page = listing.page;
    match (scope, within) {
        (Scope::Commits, Some(ContainerReference::Project(project))) => {
            code::commits(app, identity, project, text, page).await
        }
        (Scope::Blobs, Some(ContainerReference::Project(project))) => {
            code::blobs(app, identity, project, text, page).await
        }
        (scope, within) => {
            app.search(identity, move |query| in_rows(query, within.as_ref(), scope, &text, listing)).await
        }
    }
}

/// How much there is in each of these scopes, for callers who see them side by side. Scopes that are answered by Git, and those
/// that the caller may not read or the place does not have, are left out.
pub async fn totals(
    app: &App,
    identity: &Identity,
    within: Option<ContainerReference>,
    scopes: Vec<Scope>,
    text: String,
) -> Result<Vec<(Scope, i64)>, AppError> {
    let first = Listing::from(PageRequest::new(None, Some(1)));
    app.search(identity, move |query| {
        let mut totals = Vec::with_capacity(scopes.len());
        for scope in scopes {
            let found = match in_rows(query, within.as_ref(), scope, &text, first) {
                Err(AppError::Forbidden | AppError::NotFound(_) | AppError::Unauthenticated) => continue,
                found => found?,
            };
            totals.extend(found.total().map(|total| (scope, total)));
        }
        Ok(totals)
    })
    .await
}

impl Found {
    /// How much was found; `None` for what is not looked for in the database.
    const fn total(&self) -> Option<i64> {
        match self {
            Self::Projects(page) => Some(page.total),
            Self::Issues(page) => Some(page.total),
            Self::MergeRequests(page) => Some(page.total),
            Self::Milestones(page) => Some(page.total),
            Self::Users(page) => Some(page.total),
            Self::Notes(page) => Some(page.total),
            Self::Snippets(page) => Some(page.total),
            Self::Commits(_) | Self::Blobs(_) | Self::Nothing(_) => None,
        }
    }
}

fn in_rows(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    scope: Scope,
    text: &str,
    listing: Listing,
) -> Result<Found, AppError> {
    let page = listing.page;
    if !query.settings()?.anonymous_search {
        query.user()?;
    }
    match within {
        None => {}
        Some(ContainerReference::Group(group)) => drop(query.group(group, GroupAction::Read)?),
        Some(ContainerReference::Project(project)) => drop(query.project(project, ProjectAction::Read)?),
    }
    // Nothing but blanks is in no text.
    if text.trim().is_empty() {
        return Ok(Found::Nothing(page));
    }
    Ok(match scope {
        Scope::Projects => Found::Projects(projects(query, within, text, page)?),
        Scope::Issues => Found::Issues(issues(query, within, &request(text, '#', listing))?),
        Scope::MergeRequests => Found::MergeRequests(merge_requests(query, within, &request(text, '!', listing))?),
        Scope::Milestones => Found::Milestones(milestones(query, within, text, page)?),
        Scope::Users => {
            // Accounts are listed for those who have one.
            query.user()?;
            Found::Users(match within {
                None => {
                    let search = Some(text.to_owned());
                    crate::user::list(query, ListUsers { search, active: true, page, ..ListUsers::default() })?
                }
                Some(container) => member::in_container(query, container, text, page)?,
            })
        }
        Scope::Notes => match within {
            Some(ContainerReference::Project(project)) => Found::Notes(note::in_project(query, project, text, page)?),
            None | Some(ContainerReference::Group(_)) => Found::Nothing(page),
        },
        Scope::SnippetTitles => snippets(query, within, Search::parse(text).map(Searched::Names), page)?,
        Scope::SnippetBlobs => snippets(query, within, Search::parse(text).map(Searched::Contents), page)?,
        Scope::Commits | Scope::Blobs | Scope::Nothing => Found::Nothing(page),
    })
}

fn snippets(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    search: Option<Searched>,
    page: PageRequest,
) -> Result<Found, AppError> {
    let Some(search) = search.filter(|_| within.is_none()) else { return Ok(Found::Nothing(page)) };
    Ok(Found::Snippets(snippet::search(query, search, page)?))
}

fn projects(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    text: &str,
    page: PageRequest,
) -> Result<Page<ProjectView>, AppError> {
    let request = ListProjects {
        search: Some(text.to_owned()),
        simple: true,
        order_by: ProjectOrder::LastActivityAt,
        descending: true,
        page,
        ..ListProjects::default()
    };
    match within {
        None => crate::project::list(query, request),
        Some(ContainerReference::Group(group)) => {
            let scope = GroupScope { include_subgroups: true, with_shared: false };
            crate::project::of_group(query, group, scope, request)
        }
        Some(ContainerReference::Project(_)) => Ok(Page::empty(page)),
    }
}

fn issues(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    request: &ListIssuables,
) -> Result<Page<IssuableView>, AppError> {
    match within {
        None => crate::issue::list(query, request),
        Some(ContainerReference::Group(group)) => crate::issue::of_group(query, group, request),
        Some(ContainerReference::Project(project)) => crate::issue::of_project(query, project, request),
    }
}

fn merge_requests(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    request: &ListIssuables,
) -> Result<Page<MergeRequestView>, AppError> {
    match within {
        None => crate::merge_request::list(query, request),
        Some(ContainerReference::Group(group)) => crate::merge_request::of_group(query, group, request),
        Some(ContainerReference::Project(project)) => crate::merge_request::of_project(query, project, request),
    }
}

fn request(text: &str, sign: char, listing: Listing) -> ListIssuables {
    let number = number_at_end(text, sign);
    ListIssuables {
        iids: number.map(|number| vec![number]),
        search: Some(text.to_owned()).filter(|_| number.is_none()),
        order_by: IssuableOrder::UpdatedAt,
        with_labels_details: listing.labels == Labels::Details,
        ..ListIssuables::everything(listing.page)
    }
}

/// The number that a text ends with: `#12`.
fn number_at_end(text: &str, sign: char) -> Option<i64> {
    let (_, digits) = text.trim_end().rsplit_once(sign)?;
    digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn milestones(
    query: &mut Query<'_>,
    within: Option<&ContainerReference>,
    text: &str,
    page: PageRequest,
) -> Result<Page<MilestoneView>, AppError> {
    let nothing = Page::empty(page);
    let Some(search) = Search::parse(text) else { return Ok(nothing) };
    let (viewer, today) = (query.viewer(), query.today());
    let (groups, set) = match within {
        None => (Vec::new(), ProjectSet::All),
        Some(ContainerReference::Group(group)) => {
            let id = query.group(group, GroupAction::Read)?.group.id();
            let below = namespace::subtree(&mut query.tx, id)?;
            let visible = group::visible_of(&mut query.tx, viewer, &below, today)?;
            (visible.into_iter().collect(), ProjectSet::Below(id))
        }
        Some(ContainerReference::Project(project)) => {
            let found = query.project(project, ProjectAction::Read)?;
            if !found.may(ProjectAction::ReadPlanning) {
                return Ok(nothing);
            }
            let id = found.project.id;
            let found = milestone::search(&mut query.tx, &[], &[id], &search, page)?;
            return viewed(query, found);
        }
    };
    let projects = tenon_storage::project::visible_ids(&mut query.tx, viewer, set, today)?;
    let projects = tracked(query, &projects)?;
    let found = milestone::search(&mut query.tx, &groups, &projects, &search, page)?;
    viewed(query, found)
}

/// Those of these projects that have issues or merge requests for the caller.
fn tracked(query: &mut Query<'_>, ids: &[ProjectId]) -> Result<Vec<ProjectId>, AppError> {
    let (viewer, today) = (query.viewer(), query.today());
    let mut tracked = HashSet::new();
    for kind in [IssuableKind::Issue, IssuableKind::MergeRequest] {
        let visible = VisibleIssuables::resolve(&mut query.tx, kind, viewer, IssuableSet::All, today)?;
        tracked.extend(visible.projects_among(ids));
    }
    Ok(ids.iter().copied().filter(|id| tracked.contains(&id.get())).collect())
}

fn viewed(
    query: &mut Query<'_>,
    found: Page<tenon_domain::milestone::Milestone>,
) -> Result<Page<MilestoneView>, AppError> {
    Ok(Page {
        items: crate::shared::issuable::milestones::views(query, found.items)?,
        total: found.total,
        request: found.request,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_only_at_the_end() {
        for (text, number) in
            [("#12", Some(12)), ("bug #7 ", Some(7)), ("#12 bug", None), ("#", None), ("#+1", None), ("12", None)]
        {
            assert_eq!(number_at_end(text, '#'), number, "{text}");
        }
    }
}
