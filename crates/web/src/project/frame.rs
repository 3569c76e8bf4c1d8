//! What the pages of a project have in common: its name, its tabs, and where one is in its code.

use tenon_app::project::ProjectPage;
use tenon_app::repository::{Located, RefKind, RefNames};
use tenon_domain::file_path::shown;
use tenon_domain::namespace::{Namespace, NamespaceKind};

use crate::place::{in_path, in_query};
use crate::words;

/// A tab of a project.
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
    /// The address of a wiki elsewhere.
    pub(crate) wiki: Option<String>,
    pub(crate) is_empty: bool,
    pub(crate) is_archived: bool,
    pub(crate) visibility: &'static str,
    /// The default branch, as a part of addresses.
    pub(crate) branch: String,
    /// Where it is searched.
    pub(crate) search: String,
    /// The same thing in the API.
    pub(crate) twin: String,
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
            twin: format!("{root}/api/v4/projects/{}", project.id),
        }
    }

    /// Adds what the page is about to the address in the API.
    pub(crate) fn with_twin(mut self, below: &str) -> Self {
        self.twin.push_str(below);
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

/// Whether an address that a maintainer has set leads to a page: another one could be a script.
pub(crate) fn is_of_web(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    lower.starts_with("https://") || lower.starts_with("http://")
}

/// A directory on the way to what a page shows.
pub(crate) struct Crumb {
    pub(crate) name: String,
    /// The path, as part of addresses, with a slash before it.
    pub(crate) below: String,
}

/// A branch or tag to go to.
pub(crate) struct Choice {
    /// What the form sends.
    pub(crate) value: String,
    pub(crate) name: String,
    pub(crate) is_here: bool,
}

/// Where a page is in the code of a project, and where else one may go.
pub(crate) struct Spot {
    /// The branch, tag or commit.
    pub(crate) name: String,
    /// The same as part of addresses.
    pub(crate) revision: String,
    /// What the page is not without, where a branch and a tag have the same name; with a question mark.
    pub(crate) ties: &'static str,
    pub(crate) path: String,
    /// The path in its kept form ([`tenon_domain::file_path`]).
    pub(crate) kept_path: String,
    /// The path as part of addresses, with a slash before it; empty at the top.
    pub(crate) below: String,
    /// The directories above, from the top.
    pub(crate) above: Vec<Crumb>,
    /// The last component of the path; empty at the top.
    pub(crate) last: String,
    pub(crate) commit_id: String,
    /// Whether the address names the commit itself.
    pub(crate) is_commit: bool,
    pub(crate) branches: Vec<Choice>,
    pub(crate) tags: Vec<Choice>,
    pub(crate) has_more: bool,
    /// The kind of page that the choice of a branch leads to.
    pub(crate) destination: &'static str,
}

impl Spot {
    pub(crate) fn new(located: &Located, refs: RefNames, asked: Option<RefKind>, destination: &'static str) -> Self {
        let Located { at, path } = located;
        let is_both = refs.branches.contains(&at.name) && refs.tags.contains(&at.name);
        let ties = match (asked, at.kind) {
            (Some(_), Some(RefKind::Tag)) => "?ref_type=tags",
            (Some(_), Some(RefKind::Branch)) if is_both => "?ref_type=heads",
            _ => "",
        };
        let is_tag = at.kind == Some(RefKind::Tag);
        let branches = refs.branches.iter().map(|name| Choice {
            value: name.clone(),
            is_here: at.kind == Some(RefKind::Branch) && *name == at.name,
            name: name.clone(),
        });
        let tags = refs.tags.iter().map(|name| Choice {
            value: if refs.branches.contains(name) { format!("tags:{name}") } else { name.clone() },
            is_here: is_tag && *name == at.name,
            name: name.clone(),
        });
        let (mut above, mut below) = (Vec::new(), String::new());
        for name in path.as_kept().split('/').filter(|name| !name.is_empty()) {
            below.push('/');
            below.push_str(&in_path(name));
            above.push(Crumb { name: shown(name).into_owned(), below: below.clone() });
        }
        let last = above.pop().map(|crumb| crumb.name).unwrap_or_default();
        Self {
            revision: in_path(&at.name),
            name: at.name.clone(),
            ties,
            path: path.to_string(),
            kept_path: path.as_kept().to_owned(),
            below,
            above,
            last,
            commit_id: at.commit_id.clone(),
            is_commit: at.kind.is_none(),
            branches: branches.collect(),
            tags: tags.collect(),
            has_more: refs.has_more,
            destination,
        }
    }

    /// The name of an archive of a project of this path, as part of addresses.
    pub(crate) fn archive_name(&self, project: &str) -> String {
        in_path(&format!("{project}-{}", self.name.replace('/', "-")))
    }

    /// Whether what is shown is none of the choices.
    pub(crate) fn is_elsewhere(&self) -> bool {
        !self.branches.iter().chain(&self.tags).any(|choice| choice.is_here)
    }

    /// The query of the same place in the API.
    pub(crate) fn twin(&self) -> String {
        format!("?ref={}&path={}", in_query(&self.name), in_query(&self.kept_path))
    }
}
