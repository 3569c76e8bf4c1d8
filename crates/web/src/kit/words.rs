//! Times and states as pages show them.

use tenon_domain::time::{Date, Timestamp};
use tenon_domain::visibility::Visibility;

/// A moment: for programs, and for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) machine: String,
    pub(crate) words: String,
}

impl From<Timestamp> for Moment {
    fn from(at: Timestamp) -> Self {
        Self {
            machine: at.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
            words: at.format("%-d %b %Y, %H:%M UTC").to_string(),
        }
    }
}

/// A number of things in words: `1 comment`, `2 comments`.
pub(crate) fn count(number: i64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The visibility of a project, in a word.
pub(crate) const fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "Private",
        Visibility::Internal => "Internal",
        Visibility::Public => "Public",
    }
}

/// The name of the icon of a visibility.
pub(crate) const fn visibility_icon(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Private => "lock",
        Visibility::Internal => "shield",
        Visibility::Public => "globe",
    }
}

/// A day, as people write it.
pub(crate) fn day(day: Date) -> String {
    day.format("%-d %b %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_in_utc() {
        let at: Timestamp = "2026-11-03T09:05:07.5Z".parse().unwrap();
        let moment = Moment::from(at);
        assert_eq!((moment.machine.as_str(), moment.words.as_str()), ("2026-11-03T09:05:07Z", "3 Nov 2026, 09:05 UTC"));
        assert_eq!(day(at.date_naive()), "3 Nov 2026");
    }
}
