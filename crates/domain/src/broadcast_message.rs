//! Messages of administrators to all users.

use crate::field_errors::FieldErrors;
use crate::id::BroadcastMessageId;
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

words! {
    /// How a message is shown.
    pub enum BroadcastType {
        /// On top of each page.
        Banner = "banner",
        /// Beside the page.
        Notification = "notification",
    }
}

/// The longest message, in characters.
const MAX_MESSAGE: usize = 10_000;
/// The longest path, in characters.
const MAX_PATH: usize = 255;
/// The most levels that a message may name.
const MAX_LEVELS: usize = 10;

/// A message to all users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastMessage {
    /// Its id.
    pub id: BroadcastMessageId,
    /// Its text, in Markdown.
    pub message: String,
    /// From when on it is shown.
    pub starts_at: Timestamp,
    /// Until when.
    pub ends_at: Timestamp,
    /// The colour behind it.
    pub color: String,
    /// The colour of its text.
    pub font: String,
    /// Access levels of those who are meant; nothing for all.
    pub target_access_levels: Vec<i64>,
    /// The pages that are meant, with `*` for any text; nothing for all.
    pub target_path: String,
    /// How it is shown.
    pub kind: BroadcastType,
    /// True if users may put it away.
    pub dismissable: bool,
    /// Its theme.
    pub theme: String,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl BroadcastMessage {
    /// The colour behind a message that names none.
    pub const COLOR: &str = "#E75E40";
    /// The colour of the text of a message that names none.
    pub const FONT: &str = "#FFFFFF";

    /// A banner for everyone on all pages, in the usual colours, from `now` on.
    #[must_use]
    pub fn banner(message: &str, now: Timestamp, shown_for: TimeDelta) -> Self {
        Self {
            id: BroadcastMessageId::new(0),
            message: message.to_owned(),
            starts_at: now,
            ends_at: now + shown_for,
            color: Self::COLOR.to_owned(),
            font: Self::FONT.to_owned(),
            target_access_levels: Vec::new(),
            target_path: String::new(),
            kind: BroadcastType::Banner,
            dismissable: false,
            theme: "indigo".to_owned(),
            updated_at: now,
        }
    }

    /// True if it is shown at this moment.
    #[must_use]
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.starts_at <= now && now <= self.ends_at
    }

    /// True if it is meant for everyone who reads the page or project of this path. One that is meant for some access
    /// levels only is shown to no one: pages have none.
    #[must_use]
    pub fn is_meant_for(&self, path: &str) -> bool {
        self.target_access_levels.is_empty() && (self.target_path.is_empty() || matches(&self.target_path, path))
    }

    /// Notes the problems of its fields.
    pub fn check(&self, errors: &mut FieldErrors) {
        errors.present("message", &self.message);
        errors.at_most(MAX_MESSAGE, "message", &self.message);
        errors.at_most(MAX_PATH, "target_path", &self.target_path);
        for (field, color) in [("color", &self.color), ("font", &self.font)] {
            errors.require(is_color(color), field, "must be a valid color code");
        }
        errors.require(self.target_access_levels.len() <= MAX_LEVELS, "target_access_levels", "is invalid");
    }
}

/// `#rgb` or `#rrggbb`.
#[must_use]
pub fn is_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// True if a path fits a pattern in which `*` stands for any text. Takes a step for each star and each byte at most.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path) = (pattern.trim_start_matches('/'), path.trim_start_matches('/'));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_has_three_or_six_digits() {
        for good in ["#fff", "#E75E40", "#000000"] {
            assert!(is_color(good), "{good}");
        }
        for bad in ["", "#", "fff", "#ff", "#ffff", "#fffffg", "#ffffff ", "red", "#fff;}", "#ﬀﬀﬀ"] {
            assert!(!is_color(bad), "{bad}");
        }
    }

    #[test]
    fn a_pattern_has_stars_for_any_text() {
        for (pattern, path, fits) in [
            ("profile/*", "/profile/keys", true),
            ("/profile/*", "profile/", true),
            ("*/tool", "group/tool", true),
            ("*/tool", "group/tools", false),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("profile", "profile", true),
            ("profile", "profile/keys", false),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, path), fits, "{pattern} {path}");
        }
    }
}
