//! Second factors: what users send to prove theirs, and who must have one.

use crate::time::{TimeDelta, Timestamp};

/// How many recovery codes a user gets at once.
pub const RECOVERY_CODES: usize = 10;

/// The most characters of a code: what is longer is none.
const LONGEST: usize = 64;

/// The second factor that a user sends.
#[derive(Clone, PartialEq, Eq)]
pub enum Code {
    /// The six digits that an authenticator shows.
    OneTime(String),
    /// One of the codes for those who have lost it, in the form in which it was given out.
    Recovery(String),
}

impl Code {
    /// Reads a text that a user has sent. Spaces and dashes are left out, as people group what they copy.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let kept: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(LONGEST).collect();
        if kept.len() == 6 && kept.bytes().all(|byte| byte.is_ascii_digit()) {
            Self::OneTime(kept)
        } else {
            Self::Recovery(kept.to_ascii_lowercase())
        }
    }
}

/// The duty of a user to set up a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing asks for one, or there is one.
    None,
    /// The user has to, and was not asked yet: the time for it begins when they are.
    Unannounced,
    /// The user has to before this moment.
    Until(Timestamp),
    /// The time is over: the user may do nothing else.
    Overdue,
}

impl Requirement {
    /// The duty of a user without a second factor. One is required within `hours` (`None`: not at all), and `announced`
    /// is the moment of the first request.
    #[must_use]
    pub fn of(hours: Option<i64>, announced: Option<Timestamp>, now: Timestamp) -> Self {
        match (hours, announced) {
            (None, _) => Self::None,
            (Some(..=0), _) => Self::Overdue,
            (Some(_), None) => Self::Unannounced,
            (Some(hours), Some(announced)) => {
                let grace = TimeDelta::try_hours(hours).unwrap_or(TimeDelta::MAX);
                let end = announced.checked_add_signed(grace).unwrap_or(Timestamp::MAX_UTC);
                if now < end { Self::Until(end) } else { Self::Overdue }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_people_write_them() {
        let one_time = |text: &str| Code::OneTime(text.to_owned());
        let recovery = |text: &str| Code::Recovery(text.to_owned());
        for (text, want) in [
            ("123456", one_time("123456")),
            (" 123 456\n", one_time("123456")),
            ("1234567", recovery("1234567")),
            ("abcd-EFGH 2345-6789", recovery("abcdefgh23456789")),
            ("", recovery("")),
            ("１２３４５６", recovery("１２３４５６")),
        ] {
            assert!(Code::parse(text) == want, "{text}");
        }
        let Code::Recovery(cut) = Code::parse(&"x".repeat(100_000)) else { panic!("no digits") };
        assert_eq!(cut.len(), LONGEST);
    }

    #[test]
    fn the_time_to_set_it_up_begins_when_the_user_is_asked() {
        let now = Timestamp::UNIX_EPOCH;
        let before = |hours| Some(now - TimeDelta::hours(hours));
        for (hours, announced, want) in [
            (None, before(100), Requirement::None),
            (Some(0), None, Requirement::Overdue),
            (Some(48), None, Requirement::Unannounced),
            (Some(48), before(47), Requirement::Until(now + TimeDelta::hours(1))),
            (Some(48), before(48), Requirement::Overdue),
            (Some(i64::MAX), before(1), Requirement::Until(Timestamp::MAX_UTC)),
        ] {
            assert_eq!(Requirement::of(hours, announced, now), want, "{hours:?} {announced:?}");
        }
    }
}
