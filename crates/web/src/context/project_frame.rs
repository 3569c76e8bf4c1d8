//! Parts that the pages of a project have in common: its name and its tabs.

use tenon_app::project::{ProjectCounts, ProjectPage};
use tenon_domain::namespace::{Namespace, NamespaceKind};

use super::watch::{PATH, Watch};
use crate::kit::address::{in_path, is_of_web};
use crate::kit::icon::{Icon, Icons};
use crate::kit::words;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Overview,
    Activity,
    Files,
    Commits,
    Branches,
    Tags,
    Releases,
    Wiki,
    Snippets,
    Issues,
    MergeRequests,
    Labels,
    Milestones,
    Pipelines,
    Members,
    Settings,
    /// A search, which is no tab.
    Search,
}

/// The top of each page of a project.
#[expect(clippy::struct_excessive_bools, reason = "each decides whether the page has a link or a button")]
pub(crate) struct ProjectFrame {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// The last segment of its path.
    pub(crate) path: String,
    pub(crate) namespace: String,
    /// The groups that contain it, or its user: their names and addresses, from the top.
    pub(crate) groups: Vec<(String, String)>,
    /// The address of the project's page.
    pub(crate) href: String,
    pub(crate) tab: Tab,
    pub(crate) has_code: bool,
    pub(crate) has_issues: bool,
    pub(crate) has_releases: bool,
    pub(crate) has_wiki: bool,
    pub(crate) has_snippets: bool,
    pub(crate) has_analytics: bool,
    pub(crate) may_fork: bool,
    pub(crate) has_merge_requests: bool,
    pub(crate) has_planning: bool,
    pub(crate) has_pipelines: bool,
    pub(crate) has_environments: bool,
    pub(crate) has_feature_flags: bool,
    pub(crate) has_settings: bool,
    pub(crate) has_variables: bool,
    pub(crate) may_open_issue: bool,
    pub(crate) may_open_merge_request: bool,
    pub(crate) may_star: bool,
    /// True if the caller has starred it.
    pub(crate) is_starred: bool,
    pub(crate) stars: i64,
    pub(crate) forks: i64,
    pub(crate) counts: ProjectCounts,
    /// The address of a wiki on another site.
    pub(crate) wiki: Option<String>,
    pub(crate) is_empty: bool,
    pub(crate) is_archived: bool,
    pub(crate) visibility: &'static str,
    pub(crate) visibility_icon: &'static str,
    /// The default branch, as a part of addresses.
    pub(crate) branch: String,
    /// The menu of notifications.
    pub(crate) watch: Option<Watch>,
    /// The address of the same object in the API.
    pub(crate) api_path: String,
    /// The query of links to feeds.
    pub(crate) feed_query: String,
    icons: Icons,
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
            groups: with_addresses(&format!("{root}{below}"), &home.full_name, &home.full_path),
            href: format!("{root}/{}", brief.full_path),
            tab,
            has_code: page.code.is_some(),
            has_issues: page.may.read_issues,
            has_releases: page.may.read_releases,
            has_wiki: page.may.read_wiki,
            has_snippets: page.may.read_snippets,
            has_analytics: page.may.read_analytics,
            may_fork: page.may.fork,
            has_merge_requests: page.may.read_merge_requests,
            has_planning: page.may.read_planning,
            has_pipelines: page.may.read_pipelines,
            has_environments: page.may.read_environments,
            has_feature_flags: page.may.read_feature_flags,
            has_settings: page.may.edit || page.may.administer,
            has_variables: page.may.manage_variables,
            may_open_issue: page.may.open_issue,
            may_open_merge_request: page.may_push && page.may.read_merge_requests,
            may_star: page.may.star,
            is_starred: page.is_starred,
            stars: project.star_count,
            forks: project.forks_count,
            counts: page.counts,
            wiki: page.external_wiki.clone().filter(|address| is_of_web(address)),
            is_empty: project.default_branch.is_none(),
            is_archived: project.archived,
            visibility: words::visibility(project.visibility),
            visibility_icon: words::visibility_icon(project.visibility),
            branch: in_path(project.default_branch.as_deref().unwrap_or_default()),
            watch: Watch::new(format!("{root}/{}{PATH}", brief.full_path), page.notification),
            api_path: format!("{root}/api/v4/projects/{}", project.id),
            feed_query: String::new(),
            icons: Icons::new(root),
        }
    }

    /// The same with this query of links to feeds.
    pub(crate) fn with_feed_query(self, feed_query: String) -> Self {
        Self { feed_query, ..self }
    }

    /// The icon of this name, for parts of pages that have no other frame.
    pub(crate) fn icon<'a>(&'a self, name: &'a str) -> Icon<'a> {
        self.icons.named(name)
    }

    /// Adds the object of the page to the address in the API.
    pub(crate) fn with_api_path(mut self, below: &str) -> Self {
        self.api_path.push_str(below);
        self
    }

    pub(crate) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview | Tab::Files | Tab::Commits | Tab::Branches | Tab::Tags => "code",
            Tab::Activity => "activity",
            Tab::Releases => "releases",
            Tab::Wiki => "wiki",
            Tab::Snippets => "snippets",
            Tab::Issues | Tab::Labels => "issues",
            Tab::MergeRequests => "merge_requests",
            Tab::Milestones => "milestones",
            Tab::Pipelines => "pipelines",
            Tab::Members => "members",
            Tab::Settings => "settings",
            Tab::Search => "",
        };
        here == tab
    }
}

/// The namespaces of a full name and a full path, from the top, each with its address below `root`. If names contain
/// what separates them, there is one link with the whole name.
pub(super) fn with_addresses(root: &str, full_name: &str, full_path: &str) -> Vec<(String, String)> {
    let names: Vec<&str> = full_name.split(" / ").collect();
    let mut path = root.to_owned();
    let addresses = full_path.split('/').map(|segment| {
        path.push('/');
        path.push_str(segment);
        path.clone()
    });
    let addresses: Vec<String> = addresses.collect();
    if names.len() == addresses.len() {
        names.into_iter().map(str::to_owned).zip(addresses).collect()
    } else {
        vec![(full_name.to_owned(), format!("{root}/{full_path}"))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_have_addresses_of_their_own() {
        let of = |name: &str| {
            let found = with_addresses("/git/groups", name, "acme/tools");
            found.into_iter().map(|(name, href)| format!("{name}: {href}")).collect::<Vec<_>>()
        };
        assert_eq!(of("Acme / Tools"), ["Acme: /git/groups/acme", "Tools: /git/groups/acme/tools"]);
        assert_eq!(of("Acme / Old / Tools"), ["Acme / Old / Tools: /git/groups/acme/tools"]);
    }
}
