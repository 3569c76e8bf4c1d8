//! Time is a value that is passed in. Nothing here reads a clock.

use chrono::{DateTime, Datelike, NaiveDateTime, NaiveTime, SubsecRound, Utc};
pub use chrono::{Days, NaiveDate as Date, TimeDelta};

/// A moment in UTC, truncated to microseconds so that both databases give back what was stored.
pub type Timestamp = DateTime<Utc>;

/// `moment` with everything below a microsecond cut off.
#[must_use]
pub fn truncated(moment: DateTime<Utc>) -> Timestamp {
    moment.trunc_subsecs(6)
}

/// A day as it is written: `2026-11-21`, with exactly four, two and two digits, and a year that both databases and all clients
/// can print. The parser of the library alone would accept signs and years of any length.
#[must_use]
pub fn parse_day(text: &str) -> Option<Date> {
    let is_shaped = |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    let day = text.parse::<Date>().ok().filter(|_| text.len() == 10 && text.bytes().enumerate().all(is_shaped));
    day.filter(|day| day.year() >= 1)
}

/// The moment at which a day begins.
#[must_use]
pub fn start_of_day(day: Date) -> Timestamp {
    day.and_time(NaiveTime::MIN).and_utc()
}

/// A minute of UTC as fields of pages send it: `2026-11-22T08:22`, with or without seconds. `None` for any other text.
#[must_use]
pub fn parse_minute(text: &str) -> Option<Timestamp> {
    let (day, time) = text.split_once('T')?;
    parse_day(day)?;
    let seconds = if time.len() == 5 { ":00" } else { "" };
    from_sql_text(&format!("{day} {time}{seconds}")).filter(|_| !time.contains('.')).map(|read| read.and_utc())
}

/// True if something that ends on `expires_at` still holds at `now`. The last day is the day before: it ends at 00:00
/// UTC of the named date, as tokens, memberships and shares do.
#[must_use]
pub fn is_unexpired(expires_at: Option<Date>, now: Timestamp) -> bool {
    expires_at.is_none_or(|date| now.date_naive() < date)
}

/// Reads `2026-11-22 08:22:40` with up to nine decimals, as SQLite's own functions write it. `None` for any other text.
#[must_use]
pub fn from_sql_text(text: &str) -> Option<NaiveDateTime> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number = |digits: &str| {
        if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse::<u32>().ok() } else { None }
    };
    let part = |from: usize, to: usize| number(whole.get(from..to)?);
    let signs = [(4, b'-'), (7, b'-'), (10, b' '), (13, b':'), (16, b':')];
    let shaped = whole.len() == 19 && signs.iter().all(|(at, sign)| whole.as_bytes().get(*at) == Some(sign));
    if !shaped || fraction.len() > 9 {
        return None;
    }
    let decimals = u32::try_from(fraction.len()).ok()?;
    let nanoseconds = if decimals == 0 { 0 } else { number(fraction)? * 10_u32.pow(9 - decimals) };
    Date::from_ymd_opt(i32::try_from(part(0, 4)?).ok()?, part(5, 7)?, part(8, 10)?)?.and_hms_nano_opt(
        part(11, 13)?,
        part(14, 16)?,
        part(17, 19)?,
        nanoseconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_expires_today_has_ended_at_midnight() {
        let now = "2026-11-21T00:00:00Z".parse::<Timestamp>().unwrap();
        let date = |text: &str| Some(text.parse::<Date>().unwrap());
        assert!(!is_unexpired(date("2026-11-21"), now));
        assert!(is_unexpired(date("2026-11-22"), now));
        assert!(!is_unexpired(date("2026-11-20"), now));
        assert!(is_unexpired(None, now));
    }

    #[test]
    fn a_minute_is_read_as_fields_send_it() {
        let at = |text: &str| parse_minute(text).map(|read| read.to_rfc3339());
        assert_eq!(at("2026-11-21T08:05").as_deref(), Some("2026-11-21T08:05:00+00:00"));
        assert_eq!(at("2026-11-21T08:05:07").as_deref(), Some("2026-11-21T08:05:07+00:00"));
        for wrong in
            ["", "2026-11-21", "2026-11-21 08:05", "2026-11-21T24:00", "2026-11-21T8:05", "0000-01-01T00:00", "x"]
        {
            assert_eq!(at(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_day_is_written_in_one_way() {
        assert_eq!(parse_day("2024-02-29"), Date::from_ymd_opt(2024, 2, 29));
        for text in ["", "2023-02-29", "2026-1-1", "+2026-01-1", "02026-01-1", "2026/01/01", "0000-01-01"] {
            assert_eq!(parse_day(text), None, "{text}");
        }
    }

    #[test]
    fn timestamps_are_read_as_they_are_from_sql_text() {
        for text in [
            "2026-11-22 08:22:40",
            "2026-11-22 08:22:40.5",
            "2020-02-29 23:59:59.529701",
            "0001-01-01 00:00:00.123456789",
        ] {
            let want = NaiveDateTime::parse_from_str(text, "%F %T%.f").unwrap();
            assert_eq!(from_sql_text(text), Some(want), "{text}");
        }
        for text in [
            "",
            "2026-11-22",
            "2026-11-22T08:22:40",
            "2026-13-22 08:22:40",
            "2026-11-22 08:22:40.",
            "+026-11-22 08:22:40",
        ] {
            assert_eq!(from_sql_text(text).is_some(), text.ends_with("40."), "{text}");
        }
        assert_eq!(from_sql_text("2026-11-22 08:22:40.1234567890"), None);
        assert_eq!(from_sql_text("2026-11-22 08:22:40.+5"), None);
    }
}
