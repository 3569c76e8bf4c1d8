//! Addresses under which clients find things. Here, not at the HTTP edge, because webhooks and mail need them too.

use tenon_auth::avatar_hash;
use tenon_domain::id::{Iid, ProjectId, SnippetId};
use tenon_domain::issuable::IssuableKind;
use tenon_domain::namespace::Namespace;
use tenon_domain::settings::{GitAccess, Settings};
use tenon_domain::user::BasicUser;

/// The default width of a picture of the avatar service, in pixels.
pub(crate) const DEFAULT_PICTURE_SIZE: u16 = 80;

/// The address at which clients reach Git over SSH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SshAddress {
    /// The host, as a name or an address without brackets; `None` for that of the base URL.
    pub host: Option<String>,
    /// The port.
    pub port: u16,
    /// True if the server listens there: otherwise no page offers the address.
    pub is_served: bool,
}

impl Default for SshAddress {
    fn default() -> Self {
        Self { host: None, port: SSH_PORT, is_served: true }
    }
}

/// The port of SSH that addresses need not name.
const SSH_PORT: u16 = 22;

/// Builds absolute addresses from the configured base URL.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    base: String,
    /// The text before the path of a repository over SSH.
    ssh: String,
}

impl Links {
    pub(crate) fn new(base: &str, ssh: &SshAddress) -> Self {
        let host = ssh.host.as_deref().unwrap_or_else(|| host_of(base));
        let is_ipv6 = host.contains(':');
        let ssh = match (ssh.port, is_ipv6) {
            (SSH_PORT, false) => format!("git@{host}:"),
            (SSH_PORT, true) => format!("[git@{host}]:"),
            (port, false) => format!("ssh://git@{host}:{port}/"),
            (port, true) => format!("ssh://git@[{host}]:{port}/"),
        };
        Self { base: base.to_owned(), ssh }
    }

    /// The page of a user or project.
    pub(crate) fn page(&self, full_path: &str) -> String {
        format!("{}/{full_path}", self.base)
    }

    /// The address below which the pages of a project are. Clients find the path of the project before `/-/`.
    pub(crate) fn pages(&self, project_path: &str) -> String {
        format!("{}/{project_path}/-", self.base)
    }

    /// The page of a file on a branch.
    pub(crate) fn file(&self, project_path: &str, branch: &str, file: &str) -> String {
        format!("{}/blob/{}/{}", self.pages(project_path), in_path(branch), in_path(file))
    }

    /// The page of a group.
    pub(crate) fn group(&self, full_path: &str) -> String {
        format!("{}/groups/{full_path}", self.base)
    }

    /// The address from which Git clones over HTTP.
    pub(crate) fn git_http(&self, full_path: &str) -> String {
        format!("{}/{full_path}.git", self.base)
    }

    /// The page on which a merge request from a branch is begun.
    pub(crate) fn new_merge_request(&self, project_path: &str, branch: &str) -> String {
        let branch = percent_encoding::utf8_percent_encode(branch, percent_encoding::NON_ALPHANUMERIC);
        format!("{}/merge_requests/new?merge_request%5Bsource_branch%5D={branch}", self.pages(project_path))
    }

    /// The address from which Git clones over SSH.
    pub(crate) fn git_ssh(&self, full_path: &str) -> String {
        format!("{}{full_path}.git", self.ssh)
    }

    /// The address from which Git clones over this protocol.
    pub(crate) fn git(&self, over: GitAccess, full_path: &str) -> String {
        match over {
            GitAccess::Http => self.git_http(full_path),
            GitAccess::Ssh => self.git_ssh(full_path),
        }
    }

    /// A project in the API.
    pub(crate) fn api_project(&self, id: ProjectId) -> String {
        format!("{}/api/v4/projects/{id}", self.base)
    }

    /// The address of a project that stays if it moves: its uploads are found below it.
    pub(crate) fn project_by_id(&self, id: ProjectId) -> String {
        format!("{}/-/project/{id}", self.base)
    }

    /// The page of an issue or merge request.
    pub(crate) fn issuable(&self, kind: IssuableKind, project_path: &str, iid: Iid) -> String {
        format!("{}/{}/{iid}", self.pages(project_path), collection(kind))
    }

    /// An issue or merge request in the API.
    pub(crate) fn api_issuable(&self, kind: IssuableKind, project: ProjectId, iid: Iid) -> String {
        format!("{}/{}/{iid}", self.api_project(project), collection(kind))
    }

    /// The page of a project's milestone.
    pub(crate) fn project_milestone(&self, project_path: &str, iid: Iid) -> String {
        format!("{}/milestones/{iid}", self.pages(project_path))
    }

    /// The page of a group's milestone.
    pub(crate) fn group_milestone(&self, group_path: &str, iid: Iid) -> String {
        format!("{}/groups/{group_path}/-/milestones/{iid}", self.base)
    }

    /// The page of a release.
    pub(crate) fn release(&self, project_path: &str, tag: &str) -> String {
        format!("{}/releases/{}", self.pages(project_path), in_segment(tag))
    }

    /// A page of the wiki of a project.
    pub(crate) fn wiki_page(&self, project_path: &str, slug: &str) -> String {
        format!("{}/wikis/{}", self.pages(project_path), in_path(slug))
    }

    /// The page of a snippet, in a project or of a user alone.
    pub(crate) fn snippet(&self, project_path: Option<&str>, id: SnippetId) -> String {
        match project_path {
            Some(path) => format!("{}/snippets/{id}", self.pages(path)),
            None => format!("{}/snippets/{id}", self.base),
        }
    }

    /// A release in the API.
    pub(crate) fn api_release(&self, project: ProjectId, tag: &str) -> String {
        format!("{}/releases/{}", self.api_project(project), in_segment(tag))
    }

    /// An archive of what a tag has, whose file is called after the project and the tag.
    pub(crate) fn archive(&self, project_path: &str, tag: &str, suffix: &str) -> String {
        let project = project_path.rsplit('/').next().unwrap_or_default();
        let file = in_segment(&format!("{project}-{}.{suffix}", tag.replace('/', "-")));
        format!("{}/archive/{}/{file}", self.pages(project_path), in_path(tag))
    }

    /// An address of this server without scheme and host.
    pub(crate) fn without_host(&self, address: &str) -> String {
        let host_end = self.base.find("://").map_or(0, |at| at + 3);
        let path = self.base.get(host_end..).and_then(|rest| rest.split_once('/')).map_or("", |(_, path)| path);
        let slash = if path.is_empty() { "" } else { "/" };
        format!("{slash}{path}{}", address.strip_prefix(&self.base).unwrap_or_default())
    }

    /// A user's picture: the uploaded one; else the avatar service's, if an administrator has switched that on; else
    /// one that this server draws.
    pub(crate) fn user_avatar(&self, user: &BasicUser, settings: &Settings) -> Option<String> {
        match &user.avatar {
            Some(avatar) => {
                Some(format!("{}/uploads/-/system/user/avatar/{}/{}", self.base, user.id, avatar.file_name))
            }
            None if user.ghost => None,
            None => self
                .avatar_service(&user.email, DEFAULT_PICTURE_SIZE, settings)
                .or_else(|| Some(format!("{}/uploads/-/system/user/identicon/{}.svg", self.base, user.id))),
        }
    }

    /// The picture that the avatar service has for an address, if the service is switched on.
    #[expect(clippy::unused_self, reason = "all addresses are asked of the same value")]
    pub(crate) fn avatar_service(&self, email: &str, size: u16, settings: &Settings) -> Option<String> {
        let hash = settings.avatarservice_enabled.then(|| avatar_hash(email))?;
        Some(format!("https://www.gravatar.com/avatar/{hash}?s={size}&d=identicon"))
    }

    /// A group's picture, if one was uploaded; a personal namespace has none of its own.
    pub(crate) fn namespace_avatar(&self, of: &Namespace) -> Option<String> {
        let file = &of.avatar.as_ref()?.file_name;
        Some(format!("{}/uploads/-/system/group/avatar/{}/{file}", self.base, of.id))
    }

    /// A project's picture.
    pub(crate) fn project_avatar(&self, id: ProjectId, file: &str) -> String {
        format!("{}/uploads/-/system/project/avatar/{id}/{file}", self.base)
    }
}

/// The host of an address, without the brackets of IPv6.
pub(crate) fn host_of(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    let end = match rest.strip_prefix('[') {
        Some(address) => return address.split(']').next().unwrap_or_default(),
        None => rest.find(['/', ':']),
    };
    end.and_then(|end| rest.get(..end)).unwrap_or(rest)
}

/// A text as part of an address's path: its slashes stay.
pub(crate) fn in_path(text: &str) -> String {
    /// The characters that a path may hold as they are: letters, digits and those that RFC 3986 calls unreserved.
    const KEPT: &percent_encoding::AsciiSet =
        &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
    percent_encoding::utf8_percent_encode(text, KEPT).to_string()
}

/// A text as one segment of an address's path: its slashes are encoded.
pub(crate) fn in_segment(text: &str) -> String {
    in_path(text).replace('/', "%2F")
}

/// The name of a kind in paths, in the plural.
const fn collection(kind: IssuableKind) -> &'static str {
    match kind {
        IssuableKind::Issue => "issues",
        IssuableKind::MergeRequest => "merge_requests",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_have_an_address_over_ssh_that_git_understands() {
        for (base, host, port, want) in [
            ("https://git.example.org", None, 22, "git@git.example.org:a/b.git"),
            ("https://git.example.org:8443/tenon", None, 2222, "ssh://git@git.example.org:2222/a/b.git"),
            ("https://git.example.org", Some("ssh.example.org"), 22, "git@ssh.example.org:a/b.git"),
            ("http://[2001:db8::1]:8080", None, 22, "[git@2001:db8::1]:a/b.git"),
            ("http://[2001:db8::1]", None, 2222, "ssh://git@[2001:db8::1]:2222/a/b.git"),
        ] {
            let address = SshAddress { host: host.map(str::to_owned), port, ..SshAddress::default() };
            assert_eq!(Links::new(base, &address).git(GitAccess::Ssh, "a/b"), want);
        }
    }
}
