//! Badges: pictures with a link that the page of a project shows.

use crate::container::Container;
use crate::field_errors::FieldErrors;
use crate::id::BadgeId;
use crate::time::Timestamp;

/// The longest name, in characters.
pub const MAX_NAME: usize = 255;
/// The longest address, in characters, as it is stored.
pub const MAX_ADDRESS: usize = 2_048;
/// The longest address with values in the place of placeholders, in bytes.
pub const MAX_RENDERED: usize = 4_096;

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
    /// Notes what is too long in the badge.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.at_most(MAX_NAME, "name", self.name.as_deref().unwrap_or_default());
        for (field, address) in self.addresses() {
            errors.at_most(MAX_ADDRESS, field, address);
        }
    }

    /// Both addresses, each with the name of its field.
    #[must_use]
    pub fn addresses(&self) -> [(&'static str, &str); 2] {
        [("link_url", &self.link_url), ("image_url", &self.image_url)]
    }

    /// True if an address has something that may be a placeholder.
    #[must_use]
    pub fn has_placeholder(&self) -> bool {
        self.addresses().iter().any(|(_, address)| address.contains("%{"))
    }
}

/// A text in which each `%{name}` is replaced by what `value_of` yields for the name. A name without a value stays. If
/// the result has more than [`MAX_RENDERED`] bytes, all names stay.
#[must_use]
pub fn rendered<'a>(text: &str, value_of: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("%{") {
        made.push_str(before);
        let found = after.split_once('}').and_then(|(name, behind)| Some((value_of(name)?, behind)));
        if let Some((value, behind)) = found {
            made.push_str(value);
            rest = behind;
        } else {
            made.push_str("%{");
            rest = after;
        }
        if made.len() > MAX_RENDERED {
            return text.to_owned();
        }
    }
    made.push_str(rest);
    if made.len() > MAX_RENDERED { text.to_owned() } else { made }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_without_a_value_stay() {
        let value = |name: &str| (name == "id").then_some("7");
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

    #[test]
    fn a_result_that_is_too_long_is_the_text_itself() {
        let value = "v".repeat(2_000);
        let of = |text: &str| rendered(text, |name| (name == "v").then_some(value.as_str()));
        assert_eq!(of("%{v}%{v}").len(), 4_000);
        let end = "e".repeat(97);
        for text in
            ["%{v}%{v}%{v}".to_owned(), "%{v}".repeat(500), format!("%{v}%{v}{end}", v = "{v}"), "%{".repeat(1_024)]
        {
            assert_eq!(of(&text), text);
        }
    }
}
