//! What the pages of a project have in common: its name, its tabs, and where one is in its code.

use tenon_app::project::ProjectPage;
use tenon_app::repository::{Located, RefKind, RefNames};
use tenon_domain::namespace::{Namespace, NamespaceKind};

use crate::place::{in_path, in_query};
use crate::words;

/// A tab of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Overview,
    Files,
    Commits,
    Branches,
    Tags,
}

/// The top of each page of a project.
pub(super) struct ProjectFrame {
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) namespace_href: String,
    /// The address of the project's page.
    pub(super) href: String,
    pub(super) tab: Tab,
    pub(super) has_code: bool,
    pub(super) is_empty: bool,
    pub(super) is_archived: bool,
    pub(super) visibility: &'static str,
    /// The default branch, as a part of addresses.
    pub(super) branch: String,
    /// The same thing in the API.
    pub(super) twin: String,
}

impl ProjectFrame {
    pub(super) fn new(root: &str, page: &ProjectPage, tab: Tab) -> Self {
        let (brief, project) = (&page.view.brief, &page.view.brief.project);
        let home: &Namespace = &brief.namespace.namespace;
        let below = match home.kind {
            NamespaceKind::User => "",
            NamespaceKind::Group => "/groups",
        };
        Self {
            name: project.name.clone(),
            namespace: home.full_name.clone(),
            namespace_href: format!("{root}{below}/{}", home.full_path),
            href: format!("{root}/{}", brief.full_path),
            tab,
            has_code: page.code.is_some(),
            is_empty: project.default_branch.is_none(),
            is_archived: project.archived,
            visibility: words::visibility(project.visibility),
            branch: in_path(project.default_branch.as_deref().unwrap_or_default()),
            twin: format!("{root}/api/v4/projects/{}", project.id),
        }
    }

    /// Adds what the page is about to the address in the API.
    pub(super) fn with_twin(mut self, below: &str) -> Self {
        self.twin.push_str(below);
        self
    }

    pub(super) fn is_at(&self, tab: &str) -> bool {
        let here = match self.tab {
            Tab::Overview => "overview",
            Tab::Files => "files",
            Tab::Commits => "commits",
            Tab::Branches => "branches",
            Tab::Tags => "tags",
        };
        here == tab
    }
}

/// A directory on the way to what a page shows.
pub(super) struct Crumb {
    pub(super) name: String,
    /// The path, as part of addresses, with a slash before it.
    pub(super) below: String,
}

/// A branch or tag to go to.
pub(super) struct Choice {
    /// What the form sends.
    pub(super) value: String,
    pub(super) name: String,
    pub(super) is_here: bool,
}

/// Where a page is in the code of a project, and where else one may go.
pub(super) struct Spot {
    /// The branch, tag or commit.
    pub(super) name: String,
    /// The same as part of addresses.
    pub(super) revision: String,
    /// What the page is not without, where a branch and a tag have the same name; with a question mark.
    pub(super) ties: &'static str,
    pub(super) path: String,
    /// The path as part of addresses, with a slash before it; empty at the top.
    pub(super) below: String,
    /// The directories above, from the top.
    pub(super) above: Vec<Crumb>,
    /// The last component of the path; empty at the top.
    pub(super) last: String,
    pub(super) commit_id: String,
    /// Whether the address names the commit itself.
    pub(super) is_commit: bool,
    pub(super) branches: Vec<Choice>,
    pub(super) tags: Vec<Choice>,
    pub(super) has_more: bool,
    /// The kind of page that the choice of a branch leads to.
    pub(super) destination: &'static str,
}

impl Spot {
    pub(super) fn new(located: &Located, refs: RefNames, asked: Option<RefKind>, destination: &'static str) -> Self {
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
        for name in path.split('/').filter(|name| !name.is_empty()) {
            below.push('/');
            below.push_str(&in_path(name));
            above.push(Crumb { name: name.to_owned(), below: below.clone() });
        }
        let last = above.pop().map(|crumb| crumb.name).unwrap_or_default();
        Self {
            revision: in_path(&at.name),
            name: at.name.clone(),
            ties,
            path: path.clone(),
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

    /// Whether what is shown is none of the choices.
    pub(super) fn is_elsewhere(&self) -> bool {
        !self.branches.iter().chain(&self.tags).any(|choice| choice.is_here)
    }

    /// The query of the same place in the API.
    pub(super) fn twin(&self, path: &str) -> String {
        format!("?ref={}&path={}", in_query(&self.name), in_query(path))
    }
}
