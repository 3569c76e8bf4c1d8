//! Who made a commit or a tag, and when.

use tenon_domain::direction::turns_text;
use tenon_domain::time::Timestamp;

/// A name, an address and a moment, as they stand in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name. Bytes that are no UTF-8 are replaced.
    pub name: String,
    /// The address.
    pub email: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// The offset of the person's clock from UTC, in minutes; positive in the east.
    pub offset_minutes: i32,
}

impl Signature {
    /// A person at a moment, in UTC. Characters that Git cannot store in a name or address (`<`, `>`, control
    /// characters), and those that turn the direction of text, are left out. A name of which nothing is left becomes
    /// the address, or `Unknown`.
    #[must_use]
    pub fn new(name: &str, email: &str, at: Timestamp) -> Self {
        let (email, name) = (clean(email), clean(name));
        Self { name: stand_in(&name, &email).unwrap_or(name), email, seconds: at.timestamp(), offset_minutes: 0 }
    }

    /// The same person with a name that Git stores, since histories have people without one. The stand-in is that of
    /// [`Signature::new`].
    pub(crate) fn with_name(&self) -> Self {
        let stand_in = stand_in(&clean(&self.name), &clean(&self.email));
        Self { name: stand_in.unwrap_or_else(|| self.name.clone()), ..self.clone() }
    }

    /// The moment in UTC. Commits may claim moments that the form of the API (RFC 3339) cannot say: those after the
    /// year 9999 become the end of that year, and those before 1970, which Git does not read either, its beginning.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        Timestamp::from_timestamp(self.seconds.clamp(0, LATEST), 0).unwrap_or_default()
    }

    /// The same person at another moment: for commits that are made again.
    #[must_use]
    pub fn moved_to(&self, at: Timestamp) -> Self {
        Self { seconds: at.timestamp(), offset_minutes: 0, ..self.clone() }
    }

    /// Reads the name, the address and `1700000000 +0100`. Control characters, and those that turn the direction of
    /// text, are left out: histories have them, and a name must not look like another one.
    pub(crate) fn from_parts(name: String, email: String, date: &str) -> Self {
        let (seconds, offset) = date.split_once(' ').unwrap_or((date, ""));
        let is_number = !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit());
        // A number that is too large for Git and for us is late as well.
        let seconds = if is_number { seconds.parse().unwrap_or(i64::MAX) } else { 0 };
        let (name, email) = (visible(name), visible(email));
        Self { name, email, seconds, offset_minutes: offset_minutes(offset) }
    }

    /// `1700000000 +0100`
    pub(crate) fn date(&self) -> String {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.unsigned_abs();
        format!("{} {sign}{:02}{:02}", self.seconds.max(0), minutes / 60, minutes % 60)
    }
}

/// The substitute for a name of which nothing is left; `None` if something is.
fn stand_in(name: &str, email: &str) -> Option<String> {
    name.is_empty().then(|| if email.is_empty() { "Unknown".to_owned() } else { email.to_owned() })
}

fn is_hidden(c: char) -> bool {
    c.is_control() || turns_text(c)
}

fn visible(mut text: String) -> String {
    text.retain(|c| !is_hidden(c));
    text
}

/// The last second of the year 9999.
const LATEST: i64 = 253_402_300_799;

fn clean(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !is_hidden(*c) && !matches!(c, '<' | '>')).collect();
    // The characters that Git strips from the ends.
    kept.trim_matches(|c: char| c.is_whitespace() || ".,:;\\\"'".contains(c)).to_owned()
}

fn offset_minutes(text: &str) -> i32 {
    let Ok(number) = text.parse::<i32>() else { return 0 };
    // The smallest number has no opposite.
    let digits = number.unsigned_abs();
    let minutes = i32::try_from(digits / 100 * 60 + digits % 100).unwrap_or(i32::MAX);
    // More than a day is a fault of the program that wrote it.
    if minutes > 24 * 60 { 0 } else { minutes * number.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written_with_their_offset() {
        for date in ["1700000000 +0100", "1700000000 -0330", "0 +0000"] {
            assert_eq!(Signature::from_parts(String::new(), String::new(), date).date(), date);
        }
        for offset in ["+9999999", "-9999999", "2147483647", "-2147483648", "-2147483649", "x", ""] {
            let odd = Signature::from_parts(String::new(), String::new(), &format!("12 {offset}"));
            assert_eq!((odd.seconds, odd.offset_minutes), (12, 0), "{offset}");
            assert_eq!(odd.at().timestamp(), 12);
        }
    }

    #[test]
    fn a_name_that_is_read_looks_like_no_other() {
        let read =
            Signature::from_parts("A\u{202a}n\u{1}n \u{5d0}\u{200f}".to_owned(), "a\u{2066}@b".to_owned(), "1 +0000");
        assert_eq!((&*read.name, &*read.email), ("Ann \u{5d0}\u{200f}", "a@b"));
    }

    #[test]
    fn moments_are_those_that_the_api_can_say() {
        for (date, want) in [
            ("-5 +0000", "1970-01-01T00:00:00Z"),
            ("253402300799 +0000", "9999-12-31T23:59:59Z"),
            ("253402300800 +0000", "9999-12-31T23:59:59Z"),
            ("9223372036854775807 +0000", "9999-12-31T23:59:59Z"),
            ("18446744073709551615 +0000", "9999-12-31T23:59:59Z"),
            ("x +0000", "1970-01-01T00:00:00Z"),
        ] {
            let signature = Signature::from_parts(String::new(), String::new(), date);
            assert_eq!(signature.at(), want.parse::<Timestamp>().unwrap(), "{date}");
        }
    }

    #[test]
    fn a_name_cannot_end_the_line_that_it_stands_in() {
        let signature = Signature::new("a <b>\nc", "x@y>\n", Timestamp::default());
        assert_eq!((&*signature.name, &*signature.email), ("a bc", "x@y"));
        assert_eq!(Signature::new("a\u{202e}b", "x\u{200f}@y", Timestamp::default()).name, "ab");
        assert_eq!(Signature::new(" <> ", "", Timestamp::default()).name, "Unknown");
        assert_eq!(Signature::new(".", "a@b", Timestamp::default()).name, "a@b");
        for (name, email, want) in
            [("", "a@b", "a@b"), (".", "a@b", "a@b"), ("", "", "Unknown"), ("Dr. A.", "", "Dr. A.")]
        {
            let read = Signature::from_parts(name.to_owned(), email.to_owned(), "5 +0100").with_name();
            assert_eq!((&*read.name, &*read.email, read.seconds, read.offset_minutes), (want, email, 5, 60));
        }
    }
}
