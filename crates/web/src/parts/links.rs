//! People, labels and milestones, as lists and pages show them.

use tenon_app::issuable::LabelDetail;
use tenon_app::milestone::MilestoneView;
use tenon_app::user::UserRef;

use crate::context::frame::Frame;
use crate::kit::address::{drawn_picture, in_query};
use crate::kit::pill::ink;

#[derive(Debug, Clone)]
pub(crate) struct PersonLink {
    pub(crate) name: String,
    pub(crate) username: String,
    pub(crate) href: String,
    /// A picture that the server has or makes. Pages show none from other servers.
    pub(crate) picture: String,
}

impl PersonLink {
    pub(crate) fn new(frame: &Frame, user: &UserRef) -> Self {
        Self {
            name: user.name.clone(),
            username: user.username.clone(),
            href: format!("{}/{}", frame.root, user.username),
            picture: picture(&frame.root, user.id.get(), &user.name, user.avatar_url.as_deref()),
        }
    }
}

/// The address of the picture of a user: the uploaded one, or else the one that the server makes.
pub(crate) fn picture(root: &str, user: i64, name: &str, avatar: Option<&str>) -> String {
    let uploaded = avatar.and_then(|address| address.split_once(&format!("/uploads/-/system/user/avatar/{user}/")));
    match uploaded {
        Some((_, file)) => format!("{root}/uploads/-/system/user/avatar/{user}/{file}"),
        None => drawn_picture(root, user, name),
    }
}

/// A label on its coloured background.
#[derive(Debug, Clone)]
pub(crate) struct LabelBadge {
    pub(crate) name: String,
    /// The list of objects with this label.
    pub(crate) href: String,
    /// The colour of the background.
    pub(crate) fill: String,
    /// The class that sets the colour of the letters.
    pub(crate) ink: &'static str,
    pub(crate) description: String,
}

impl LabelBadge {
    /// A label, leading to a list below the project at `project`.
    pub(crate) fn new(project: &str, list: &str, name: &str, color: &str, description: &str) -> Self {
        Self {
            href: format!("{project}/{list}?label_name[]={}", in_query(name)),
            name: name.to_owned(),
            ink: ink(color),
            fill: color.to_owned(),
            description: description.to_owned(),
        }
    }

    pub(crate) fn of(project: &str, list: &str, label: &LabelDetail) -> Self {
        let description = label.description.as_deref().unwrap_or_default();
        Self::new(project, list, &label.name, &label.color, description)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct MilestoneLink {
    pub(crate) title: String,
    pub(crate) href: String,
    pub(crate) due: Option<String>,
    pub(crate) is_expired: bool,
}

impl MilestoneLink {
    pub(crate) fn new(frame: &Frame, base_url: &str, view: &MilestoneView) -> Self {
        Self {
            title: view.milestone.title.clone(),
            href: own_path(&frame.root, base_url, &view.web_url),
            due: view.milestone.due_date.map(crate::kit::words::day),
            is_expired: view.expired,
        }
    }
}

/// An address of a page in the form for pages: without the host, and without the `/-/` that clients look for in addresses of
/// projects. Not for files: they are served at their whole addresses only ([`without_host`]).
pub(crate) fn own_path(root: &str, base_url: &str, address: &str) -> String {
    match address.strip_prefix(base_url).and_then(|path| path.split_once("/-/")) {
        Some((project, page)) if project.starts_with('/') && !project.starts_with("/groups/") => {
            format!("{root}{project}/{page}")
        }
        Some(_) | None => without_host(root, base_url, address),
    }
}

/// An address without the host, if it is that of this server.
pub(crate) fn without_host(root: &str, base_url: &str, address: &str) -> String {
    match address.strip_prefix(base_url) {
        Some(path) if path.starts_with('/') => format!("{root}{path}"),
        Some(_) | None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tenon_app::initials::GROUNDS;

    use super::*;

    #[test]
    fn addresses_lose_the_host() {
        assert_eq!(own_path("", "http://h:1", "http://h:1/a/b"), "/a/b");
        assert_eq!(own_path("/git", "https://h/git", "https://h/git/a/b"), "/git/a/b");
        assert_eq!(own_path("", "http://h:1", "http://other/a"), "http://other/a");
        assert_eq!(own_path("", "http://h:1", "http://h:12/a/-/b"), "http://h:12/a/-/b");
        assert_eq!(own_path("/git", "https://h/git", "https://h/git/a/b/-/issues/1"), "/git/a/b/issues/1");
        for kept in ["/groups/a/-/milestones/1", "/-/project/7/uploads/a/b.png"] {
            assert_eq!(own_path("", "http://h:1", &format!("http://h:1{kept}")), kept);
        }
    }

    #[test]
    fn addresses_of_files_lose_the_host_only() {
        for file in ["/a/b/-/archive/v1/b-v1.zip", "/a/b/-/releases/v1/downloads/bin/tool", "/a/b/uploads/0/c.txt"] {
            assert_eq!(without_host("", "http://h:1", &format!("http://h:1{file}")), file);
        }
        assert_eq!(without_host("/git", "https://h/git", "https://h/git/a/-/archive/b"), "/git/a/-/archive/b");
        // The port of another server begins with the same digit.
        assert_eq!(without_host("", "http://h:1", "http://h:12/a"), "http://h:12/a");
    }

    #[test]
    fn the_grounds_of_initials_are_those_of_the_style_sheet() {
        let style = include_str!("../../assets/style/reading.css");
        for (at, ground) in GROUNDS.iter().enumerate() {
            assert!(style.contains(&format!(".g{} {{ background: {ground}; }}", at + 1)), "{ground}");
        }
    }
}
