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
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number with a comma after each three digits, counted from the end: `10,690`.
pub(crate) fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut words = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            words.push(',');
        }
        words.push(digit);
    }
    words
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
    fn large_numbers_have_commas() {
        for (number, words) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (10_690, "10,690"), (-1_234_567, "-1,234,567")]
        {
            assert_eq!(grouped(number), words);
        }
        assert_eq!(count(1_183, "comment", "comments"), "1,183 comments");
    }

    #[test]
    fn a_moment_is_in_utc() {
        let at: Timestamp = "2026-11-03T09:05:07.5Z".parse().unwrap();
        let moment = Moment::from(at);
        assert_eq!((moment.machine.as_str(), moment.words.as_str()), ("2026-11-03T09:05:07Z", "3 Nov 2026, 09:05 UTC"));
        assert_eq!(day(at.date_naive()), "3 Nov 2026");
    }
}
