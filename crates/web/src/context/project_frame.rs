//! Parts that the pages of a project have in common: its name and its tabs.

use tenon_app::project::ProjectPage;
use tenon_domain::namespace::{Namespace, NamespaceKind};

use crate::kit::address::{in_path, is_of_web};
use crate::kit::words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Activity,
    Files,
    Commits,
    Branches,
    Tags,
    Issues,
    MergeRequests,
    Labels,
    Milestones,
    Pipelines,
    Members,
    Settings,
}

/// The top of each page of a project.
pub(crate) struct ProjectFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The last segment of its path.
    pub(crate) path: String,
    pub(crate) namespace: String,
    pub(crate) namespace_href: String,
    /// The address of the project's page.
    pub(crate) href: String,
    pub(crate) tab: Tab,
    pub(crate) has_code: bool,
    pub(crate) has_issues: bool,
    pub(crate) has_merge_requests: bool,
    pub(crate) has_planning: bool,
    pub(crate) has_pipelines: bool,
    pub(crate) has_settings: bool,
    /// The address of a wiki on another site.
    pub(crate) wiki: Option<String>,
    pub(crate) is_empty: bool,
    pub(crate) is_archived: bool,
    pub(crate) visibility: &'static str,
    /// The default branch, as a part of addresses.
    pub(crate) branch: String,
    /// The address of the search in the project.
    pub(crate) search: String,
    /// The address of the same object in the API.
    pub(crate) api_path: String,
}

impl ProjectFrame {
    pub(crate) fn new(root: &str, page: &ProjectPage, tab: Tab) -> Self {
        let (brief, project) = (&page.view.brief, &page.view.brief.project);
        let home: &Namespace = &brief.namespace.namespace;
        let below = match home.kind {
            NamespaceKind::User => "",
            NamespaceKind::Group => "/groups",
        };
        Self {
            id: project.id.get(),
            name: project.name.clone(),
            path: project.path.clone(),
            namespace: home.full_name.clone(),
            namespace_href: format!("{root}{below}/{}", home.full_path),
            href: format!("{root}/{}", brief.full_path),
            tab,
            has_code: page.code.is_some(),
            has_issues: page.may.read_issues,
            has_merge_requests: page.may.read_merge_requests,
            has_planning: page.may.read_planning,
            has_pipelines: page.may.read_pipelines,
            has_settings: page.may.edit || page.may.administer,
            wiki: page.external_wiki.clone().filter(|address| is_of_web(address)),
            is_empty: project.default_branch.is_none(),
            is_archived: project.archived,
            visibility: words::visibility(project.visibility),
            branch: in_path(project.default_branch.as_deref().unwrap_or_default()),
            search: format!("{root}/search?project_id={}", project.id),
            api_path: format!("{root}/api/v4/projects/{}", project.id),
        }
    }

    /// Adds the object of the page to the address in the API.
    pub(crate) fn with_api_path(mut self, below: &str) -> Self {
        self.api_path.push_str(below);
        self
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Activity => "activity",
            Tab::Files => "files",
            Tab::Commits => "commits",
            Tab::Branches => "branches",
            Tab::Tags => "tags",
            Tab::Issues => "issues",
            Tab::MergeRequests => "merge_requests",
            Tab::Labels => "labels",
            Tab::Milestones => "milestones",
            Tab::Pipelines => "pipelines",
            Tab::Members => "members",
            Tab::Settings => "settings",
        };
        here == tab
    }
}
