//! Badges: pictures with a link that the page of a project shows.

use crate::container::Container;
use crate::field_errors::FieldErrors;
use crate::id::BadgeId;
use crate::time::Timestamp;

/// The longest name, in characters.
pub const MAX_NAME: usize = 255;
/// The longest address, in characters, as it is stored.
pub const MAX_ADDRESS: usize = 2_048;

/// A badge of a project or of a group, whose projects have it as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// The badge's id.
    pub id: BadgeId,
    /// The project or group that it belongs to.
    pub container: Container,
    /// Its name.
    pub name: Option<String>,
    /// The address to which it leads, with placeholders such as `%{project_path}`.
    pub link_url: String,
    /// The address of the picture, with placeholders.
    pub image_url: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Badge {
    /// Notes what is wrong with the badge.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.at_most(MAX_NAME, "name", self.name.as_deref().unwrap_or_default());
        for (field, address) in [("link_url", &self.link_url), ("image_url", &self.image_url)] {
            errors.at_most(MAX_ADDRESS, field, address);
            if let Some(problem) = problem_of(address) {
                errors.add(field, problem);
            }
        }
    }
}

/// The problem of an address, whatever its placeholders stand for. `None` if it can be kept.
fn problem_of(address: &str) -> Option<&'static str> {
    if address.trim().is_empty() {
        return Some("must be a valid URL");
    }
    let Some((scheme, rest)) = address.split_once("://") else {
        return Some("is blocked: Only allowed protocols are http, https");
    };
    if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return Some("is blocked: Only allowed protocols are http, https");
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = !address.chars().any(|c| c.is_whitespace() || c.is_control() || "<>\"\\`".contains(c));
    (host.is_empty() || !is_plain).then_some("is blocked: URI is invalid")
}

/// A text in which each `%{name}` is replaced by what `value_of` yields for the name. A name without a value stays.
#[must_use]
pub fn rendered(text: &str, value_of: impl Fn(&str) -> Option<String>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("%{") {
        made.push_str(before);
        let found = after.split_once('}').and_then(|(name, behind)| Some((value_of(name)?, behind)));
        if let Some((value, behind)) = found {
            made.push_str(&value);
            rest = behind;
        } else {
            made.push_str("%{");
            rest = after;
        }
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_web() {
        let protocols = Some("is blocked: Only allowed protocols are http, https");
        let invalid = Some("is blocked: URI is invalid");
        for (address, want) in [
            ("https://example.com/a.svg?x=%{project_path}", None),
            ("HTTP://%{default_branch}.example/", None),
            ("http://localhost:3000", None),
            ("", Some("must be a valid URL")),
            ("  ", Some("must be a valid URL")),
            ("javascript:alert(1)", protocols),
            ("javascript://x/%0aalert(1)", protocols),
            ("ftp://example.com/", protocols),
            ("example.com", protocols),
            (" https://example.com/", protocols),
            ("%{x}://example.com", protocols),
            ("https://", invalid),
            ("https:///path", invalid),
            ("https://example.com/a b", invalid),
            ("https://example.com/\">", invalid),
            ("https://example.com/\n", invalid),
        ] {
            assert_eq!(problem_of(address), want, "{address:?}");
        }
    }

    #[test]
    fn placeholders_without_a_value_stay() {
        let value = |name: &str| (name == "id").then(|| "7".to_owned());
        for (text, want) in [
            ("a/%{id}/%{id}", "a/7/7"),
            ("%{none}/%{id}", "%{none}/7"),
            ("%{%{id}}", "%{7}"),
            ("%{id", "%{id"),
            ("100%", "100%"),
        ] {
            assert_eq!(rendered(text, value), want);
        }
    }
}
