//! Releases: what is said about a tag, with links to what was made from it.

use crate::field_errors::FieldErrors;
use crate::id::{ProjectId, ReleaseLinkId, UserId};
use crate::issuable::MAX_TEXT;
use crate::time::Timestamp;
use crate::words::words;

/// The longest name of a release or of a link, in characters.
pub const MAX_NAME: usize = 255;
/// The longest address of a link, in bytes: a unique index holds it.
pub const MAX_URL: usize = 2048;
/// The longest path under which a link is found below its release, in characters.
pub const MAX_FILEPATH: usize = 128;

words! {
    /// The thing to which a link leads.
    pub enum LinkType {
        /// Anything else.
        Other = "other",
        /// Instructions for those who operate it.
        Runbook = "runbook",
        /// A package.
        Package = "package",
        /// An image of a container.
        Image = "image",
    }
}

/// The text and links about a tag. A tag has one release at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// The project.
    pub project: ProjectId,
    /// The tag. It may be gone.
    pub tag_name: String,
    /// Its name; `None` if that is the name of the tag.
    pub name: Option<String>,
    /// Markdown.
    pub description: String,
    /// Who made it; `None` if that is not known, or the account is gone.
    pub author: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// From when on it is released; may lie in the future.
    pub released_at: Timestamp,
}

impl Release {
    /// A release that is called as its tag.
    #[must_use]
    pub const fn new(project: ProjectId, tag_name: String, description: String, at: Timestamp) -> Self {
        Self {
            project,
            tag_name,
            name: None,
            description,
            author: None,
            created_at: at,
            updated_at: at,
            released_at: at,
        }
    }

    /// Its own name, or the one of its tag.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.tag_name)
    }

    /// Calls it `name`, or as its tag if `name` is blank.
    pub fn rename(&mut self, name: &str) {
        let is_own = !name.trim().is_empty() && name != self.tag_name;
        self.name = is_own.then(|| name.to_owned());
    }
}

/// A link of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseLink {
    /// Its id, unique over the server.
    pub id: ReleaseLinkId,
    /// Its name; unique in its release.
    pub name: String,
    /// Its address; unique in its release.
    pub url: String,
    /// The path under which it is also found below its release; unique there.
    pub filepath: Option<String>,
    /// The thing to which it leads.
    pub link_type: LinkType,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Notes what is wrong with the texts of a release.
pub fn check(errors: &mut FieldErrors, release: &Release) {
    errors.at_most(MAX_NAME, "name", release.name());
    check_description(errors, &release.description);
}

/// Notes what is wrong with a description.
pub fn check_description(errors: &mut FieldErrors, description: &str) {
    if description.len() > MAX_TEXT {
        errors.at_most(MAX_TEXT, "description", description);
    }
}

/// Notes what is wrong with a link, its address and what other links have aside.
pub fn check_link(errors: &mut FieldErrors, link: &ReleaseLink) {
    errors.present("name", &link.name);
    errors.at_most(MAX_NAME, "name", &link.name);
    if link.url.len() > MAX_URL {
        errors.add("url", format!("is too long (maximum is {MAX_URL} characters)"));
    }
    if let Some(path) = &link.filepath {
        errors.at_most(MAX_FILEPATH, "filepath", path);
        errors.require(is_filepath(path), "filepath", "is in an invalid format");
    }
}

/// True if a text is an absolute path of plain names: letters, digits, `-`, `_` and `.`, with a letter or digit at the
/// end.
fn is_filepath(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.chars().all(plain);
    path.ends_with(|c: char| c.is_ascii_alphanumeric())
        && path.strip_prefix('/').is_some_and(|names| names.split('/').all(is_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_without_a_name_of_its_own_is_called_as_its_tag() {
        let at = Timestamp::from_timestamp(1, 0).unwrap();
        let mut release = Release::new(ProjectId::new(1), "v1".to_owned(), String::new(), at);
        for (name, stored, shown) in
            [("One", Some("One"), "One"), ("", None, "v1"), (" ", None, "v1"), ("v1", None, "v1")]
        {
            release.rename(name);
            assert_eq!((release.name.as_deref(), release.name()), (stored, shown), "{name:?}");
        }
    }

    #[test]
    fn a_path_of_a_link_is_absolute_and_plain() {
        for path in ["/a", "/bin/app-1.0_x.zip", "/a/b/c", "/.hidden/x"] {
            assert!(is_filepath(path), "{path}");
        }
        for path in
            ["", "/", "a", "/a/", "//a", "/a//b", "/../a", "/a/..", "/./a", "/a b", "/ä", "/a?b", "/a%2fb", "/a."]
        {
            assert!(!is_filepath(path), "{path}");
        }
    }

    #[test]
    fn texts_that_are_too_long_are_refused() {
        let at = Timestamp::from_timestamp(1, 0).unwrap();
        let link = |name: &str, url: &str, path: &str| ReleaseLink {
            id: ReleaseLinkId::new(0),
            name: name.to_owned(),
            url: url.to_owned(),
            filepath: Some(path.to_owned()),
            link_type: LinkType::Other,
            created_at: at,
            updated_at: at,
        };
        let fields = |link: &ReleaseLink| {
            let mut errors = FieldErrors::default();
            check_link(&mut errors, link);
            errors.iter().map(|(field, _)| field.to_owned()).collect::<Vec<_>>()
        };
        let path = format!("/{}", "a".repeat(MAX_FILEPATH - 1));
        assert_eq!(fields(&link(&"ä".repeat(MAX_NAME), &"u".repeat(MAX_URL), &path)), Vec::<String>::new());
        let long = link(&"n".repeat(MAX_NAME + 1), &"u".repeat(MAX_URL + 1), &format!("{path}a"));
        assert_eq!(fields(&long), ["name", "url", "filepath"]);
        assert_eq!(fields(&link(" ", "u", "/a")), ["name"]);
        let mut release = Release::new(ProjectId::new(1), "v1".to_owned(), "d".repeat(MAX_TEXT + 1), at);
        release.rename(&"n".repeat(MAX_NAME + 1));
        let mut errors = FieldErrors::default();
        check(&mut errors, &release);
        assert_eq!(errors.iter().map(|(field, _)| field).collect::<Vec<_>>(), ["name", "description"]);
    }
}
