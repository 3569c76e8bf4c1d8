//! Searching.

use tenon_app::ContainerReference;
use tenon_app::Reference;
use tenon_app::identity::Guard;
use tenon_app::search::{self, Found, Scope};
use tenon_domain::page::{Page, PageRequest};
use tenon_edge::error::ApiError;

use crate::dto::issue::IssueDto;
use crate::dto::project::ProjectDto;
use crate::dto::search::HitDto;
use crate::dto::user::UserDto;
use crate::endpoint::{Call, Caller, Paged, Routes};
use crate::params::{Filled, Paging, choice, params};

pub(crate) fn routes(api: &mut Routes) {
    api.tag("Search").get("/search", Guard::SignedIn, everywhere, "Searches everything.");
    for path in ["/groups/{id}/search", "/groups/{id}/-/search"] {
        api.get(path, Guard::SignedIn, in_group, "Searches a group.");
    }
    for path in ["/projects/{id}/search", "/projects/{id}/-/search"] {
        api.get(path, Guard::SignedIn, in_project, "Searches a project.");
    }
}

choice! {
    /// The scopes of a global search.
    pub(crate) enum GlobalScope {
        /// Projects.
        Projects = "projects",
        /// Issues.
        Issues = "issues",
        /// Merge requests.
        MergeRequests = "merge_requests",
        /// Milestones.
        Milestones = "milestones",
        /// Users.
        Users = "users",
        /// Snippets, by their titles and the paths of their files.
        SnippetTitles = "snippet_titles",
        /// Snippets, by the contents of their files.
        SnippetBlobs = "snippet_blobs",
    }
}

choice! {
    /// The scopes of a search in a group.
    pub(crate) enum GroupScope {
        /// Projects.
        Projects = "projects",
        /// Issues.
        Issues = "issues",
        /// Merge requests.
        MergeRequests = "merge_requests",
        /// Milestones.
        Milestones = "milestones",
        /// Members, direct and inherited.
        Users = "users",
    }
}

choice! {
    /// The scopes of a search in a project.
    pub(crate) enum ProjectScope {
        /// Issues.
        Issues = "issues",
        /// Merge requests.
        MergeRequests = "merge_requests",
        /// Milestones.
        Milestones = "milestones",
        /// Comments.
        Notes = "notes",
        /// Members, direct and inherited.
        Users = "users",
        /// Always empty: pages of wikis are not searched.
        WikiBlobs = "wiki_blobs",
        /// Commits of the default branch.
        Commits = "commits",
        /// Files of the default branch.
        Blobs = "blobs",
    }
}

params! {
    /// A global search.
    pub(crate) struct GlobalParams {
        /// The scope.
        scope: GlobalScope,
        /// The text.
        search: Filled,
        paging: Paging,
    }
}

params! {
    /// A search in a group.
    pub(crate) struct GroupParams {
        /// The scope.
        scope: GroupScope,
        /// The text.
        search: Filled,
        paging: Paging,
    }
}

params! {
    /// A search in a project.
    pub(crate) struct ProjectParams {
        /// The scope.
        scope: ProjectScope,
        /// The text. For files, `filename:`, `path:` and `extension:` narrow it, `*` stands for anything.
        search: Filled,
        paging: Paging,
    }
}

fn present(found: Found) -> Paged<HitDto> {
    Paged(match found {
        Found::Projects(page) => page.map(|view| HitDto::Project(Box::new(ProjectDto::present(view)))),
        Found::Issues(page) => page.map(|view| HitDto::Issue(Box::new(IssueDto::listed(view)))),
        Found::MergeRequests(page) => page.map(|view| HitDto::MergeRequest(Box::new(view.into()))),
        Found::Milestones(page) => page.map(|view| HitDto::Milestone(Box::new(view.into()))),
        Found::Users(page) => page.map(|view| HitDto::User(Box::new(UserDto::listed(view)))),
        Found::Notes(page) => page.map(|view| HitDto::Note(Box::new(view.into()))),
        Found::Commits(page) => page.map(|view| HitDto::Commit(Box::new(view.into()))),
        Found::Blobs(page) => page.map(|hit| HitDto::Blob(hit.into())),
        Found::Snippets(page) => page.map(|view| HitDto::Snippet(Box::new(view.into()))),
        Found::Nothing(request) => Page::empty(request),
    })
}

async fn run(
    caller: &Caller,
    within: Option<ContainerReference>,
    scope: Scope,
    text: Filled,
    paging: Paging,
) -> Result<Paged<HitDto>, ApiError> {
    let page: PageRequest = paging.into();
    let found = search::search(caller.app(), caller.identity(), within, scope, text.0, page.into()).await?;
    Ok(present(found))
}

async fn everywhere(Call { caller, params }: Call<GlobalParams>) -> Result<Paged<HitDto>, ApiError> {
    let scope = match params.scope {
        GlobalScope::Projects => Scope::Projects,
        GlobalScope::Issues => Scope::Issues,
        GlobalScope::MergeRequests => Scope::MergeRequests,
        GlobalScope::Milestones => Scope::Milestones,
        GlobalScope::Users => Scope::Users,
        GlobalScope::SnippetTitles => Scope::SnippetTitles,
        GlobalScope::SnippetBlobs => Scope::SnippetBlobs,
    };
    run(&caller, None, scope, params.search, params.paging).await
}

async fn in_group(Call { caller, params }: Call<GroupParams>) -> Result<Paged<HitDto>, ApiError> {
    let scope = match params.scope {
        GroupScope::Projects => Scope::Projects,
        GroupScope::Issues => Scope::Issues,
        GroupScope::MergeRequests => Scope::MergeRequests,
        GroupScope::Milestones => Scope::Milestones,
        GroupScope::Users => Scope::Users,
    };
    let group = ContainerReference::Group(Reference::parse(caller.path("id")));
    run(&caller, Some(group), scope, params.search, params.paging).await
}

async fn in_project(Call { caller, params }: Call<ProjectParams>) -> Result<Paged<HitDto>, ApiError> {
    let scope = match params.scope {
        ProjectScope::Issues => Scope::Issues,
        ProjectScope::MergeRequests => Scope::MergeRequests,
        ProjectScope::Milestones => Scope::Milestones,
        ProjectScope::Notes => Scope::Notes,
        ProjectScope::Users => Scope::Users,
        ProjectScope::WikiBlobs => Scope::Nothing,
        ProjectScope::Commits => Scope::Commits,
        ProjectScope::Blobs => Scope::Blobs,
    };
    let project = ContainerReference::Project(Reference::parse(caller.path("id")));
    run(&caller, Some(project), scope, params.search, params.paging).await
}
