//! The place of a page in the code of a project, and the choices of other places.

use tenon_app::repository::{Located, RefKind, RefNames};
use tenon_domain::direction::written_out;
use tenon_domain::file_path::shown;

use crate::kit::address::{in_path, in_query};

/// A directory in the path of the page.
pub(crate) struct Crumb {
    pub(crate) name: String,
    /// The path, as part of addresses, with a slash before it.
    pub(crate) below: String,
}

/// A branch or tag to go to.
pub(crate) struct Choice {
    /// The address of the page about it, below the project.
    pub(crate) href: String,
    pub(crate) name: String,
    pub(crate) is_here: bool,
}

/// The place of a page in the code of a project, and the choices of other places.
pub(crate) struct Spot {
    /// The branch, tag or commit.
    pub(crate) name: String,
    /// The same as part of addresses.
    pub(crate) revision: String,
    /// The query that the address needs if a branch and a tag have the same name. With a question mark.
    pub(crate) ties: &'static str,
    pub(crate) path: String,
    /// The path in its kept form ([`tenon_domain::file_path`]).
    pub(crate) kept_path: String,
    /// The path as part of addresses, with a slash before it. Empty at the top.
    pub(crate) below: String,
    /// The directories that contain it, from the top.
    pub(crate) crumbs: Vec<Crumb>,
    /// The last component of the path. Empty at the top.
    pub(crate) last: String,
    /// The path, and its last component, as pages show them.
    pub(crate) shown: String,
    pub(crate) shown_last: String,
    pub(crate) commit_id: String,
    /// True if the address names the commit itself.
    pub(crate) is_commit: bool,
    pub(crate) branches: Vec<Choice>,
    pub(crate) tags: Vec<Choice>,
    pub(crate) has_more: bool,
    /// True if the page is at a tag.
    pub(crate) is_tag: bool,
    /// The kind of page to which the choice of a branch leads.
    pub(crate) destination: &'static str,
}

impl Spot {
    pub(crate) fn new(located: &Located, refs: RefNames, asked: Option<RefKind>, destination: &'static str) -> Self {
        let Located { at, path } = located;
        let is_both = refs.branches.contains(&at.name) && refs.tags.contains(&at.name);
        let ties = match (asked, at.kind) {
            (Some(_), Some(RefKind::Tag)) => "?ref_type=tags",
            (Some(_), Some(RefKind::Branch)) if is_both => "?ref_type=heads",
            // The name before the steps back is that of a tag.
            (Some(RefKind::Tag), None) if at.name.contains(['~', '^']) => "?ref_type=tags",
            (Some(RefKind::Branch), None) if at.name.contains(['~', '^']) => "?ref_type=heads",
            _ => "",
        };
        let is_tag = at.kind == Some(RefKind::Tag);
        let (mut crumbs, mut below) = (Vec::new(), String::new());
        for name in path.as_kept().split('/').filter(|name| !name.is_empty()) {
            below.push('/');
            below.push_str(&in_path(name));
            crumbs.push(Crumb { name: written_out(&shown(name)), below: below.clone() });
        }
        let href = |name: &str, ties: &str| format!("/{destination}/{}{below}{ties}", in_path(name));
        let branches = refs.branches.iter().map(|name| Choice {
            href: href(name, ""),
            is_here: at.kind == Some(RefKind::Branch) && *name == at.name,
            name: name.clone(),
        });
        let tags = refs.tags.iter().map(|name| Choice {
            href: href(name, if refs.branches.contains(name) { "?ref_type=tags" } else { "" }),
            is_here: is_tag && *name == at.name,
            name: name.clone(),
        });
        let (branches, tags) = (branches.collect(), tags.collect());
        let shown_last = crumbs.pop().map(|crumb| crumb.name).unwrap_or_default();
        Self {
            revision: in_path(&at.name),
            name: at.name.clone(),
            ties,
            path: path.to_string(),
            kept_path: path.as_kept().to_owned(),
            below,
            crumbs,
            last: path.name().to_string(),
            shown: path.legible(),
            shown_last,
            commit_id: at.commit_id.clone(),
            is_commit: at.kind.is_none(),
            branches,
            tags,
            has_more: refs.has_more,
            is_tag,
            destination,
        }
    }

    /// The name of an archive of a project of this path, as part of addresses.
    pub(crate) fn archive_name(&self, project: &str) -> String {
        in_path(&format!("{project}-{}", self.name.replace('/', "-")))
    }

    /// True if the path cannot be sent by a form as it is: it has bytes that are no UTF-8, or line ends.
    pub(crate) fn is_encoded(&self) -> bool {
        self.shown != self.kept_path
    }

    /// The choices of the kind of the current place: tags at a tag, and branches elsewhere.
    pub(crate) fn choices(&self) -> &[Choice] {
        if self.is_tag { &self.tags } else { &self.branches }
    }

    /// The current place in the words of a button. A commit is shortened.
    pub(crate) fn button(&self) -> &str {
        if self.is_commit && self.name == self.commit_id {
            self.name.get(..8).unwrap_or(&self.name)
        } else {
            &self.name
        }
    }

    /// The query of the same place in the API.
    pub(crate) fn api_path(&self) -> String {
        format!("?ref={}&path={}", in_query(&self.name), in_query(&self.kept_path))
    }
}
