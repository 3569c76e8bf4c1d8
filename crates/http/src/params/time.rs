//! Dates and moments as clients write them.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Utc};
use tenon_domain::time::{parse_day, truncated};

/// A date alone: `2017-03-17`, `2017/03/17` or `20170317`.
pub(super) fn parse_date(text: &str) -> Option<NaiveDate> {
    if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let (year, rest) = text.split_at_checked(4)?;
        let (month, day) = rest.split_at_checked(2)?;
        return parse_day(&format!("{year}-{month}-{day}"));
    }
    if text.contains('-') { parse_day(text) } else { parse_day(&text.replace('/', "-")) }
}

/// Years that both databases and all clients can print.
fn has_usual_year(date: &impl Datelike) -> bool {
    (1..=9_999).contains(&date.year())
}

/// A moment: a date, or a date and a time with or without seconds, fraction and offset. Without an offset it is UTC.
pub(crate) fn parse_moment(text: &str) -> Option<DateTime<Utc>> {
    if let Some(date) = parse_date(text) {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    }
    let (date, rest) = text.split_at_checked(10)?;
    let date = parse_date(date)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let (time, offset) = split_offset(rest)?;
    let local = NaiveDateTime::new(date, parse_time(time)?);
    local.checked_sub_offset(offset).map(|moment| truncated(moment.and_utc())).filter(has_usual_year)
}

fn parse_time(text: &str) -> Option<NaiveTime> {
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let text = text.replace(',', ".");
    let time = ["%H:%M:%S%.f", "%H:%M"].iter().find_map(|format| NaiveTime::parse_from_str(&text, format).ok())?;
    // A leap second becomes the last moment of its minute: the application has no 61st second.
    if time.nanosecond() < 1_000_000_000 { Some(time) } else { time.with_nanosecond(999_999_999) }
}

/// Splits the offset off a time. An unescaped `+` in a query has become a space.
fn split_offset(text: &str) -> Option<(&str, FixedOffset)> {
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return Some((time, FixedOffset::east_opt(0)?));
    }
    let Some(at) = text.rfind(['+', '-', ' ']) else {
        return Some((text, FixedOffset::east_opt(0)?));
    };
    let (time, offset) = text.split_at_checked(at)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits: String = offset.get(1..)?.chars().filter(|digit| *digit != ':').collect();
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..).filter(|rest| !rest.is_empty()).map_or(Ok(0), str::parse).ok()?;
    if minutes > 59 {
        return None;
    }
    Some((time.trim_end(), FixedOffset::east_opt(sign * (hours * 3600 + minutes * 60))?))
}

#[cfg(test)]
mod tests {
    use chrono::SecondsFormat;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn moments_are_read_in_every_usual_spelling() {
        for (text, want) in [
            ("2017-03-17", "2017-03-17T00:00:00.000000Z"),
            ("20170317", "2017-03-17T00:00:00.000000Z"),
            ("2017-03-17T17:18", "2017-03-17T17:18:00.000000Z"),
            ("2017-03-17T17:18:09", "2017-03-17T17:18:09.000000Z"),
            ("2017-03-17T17:18:09.283Z", "2017-03-17T17:18:09.283000Z"),
            ("2017-03-17t17:18:09,2839999z", "2017-03-17T17:18:09.283999Z"),
            ("2017-03-17T17:18:09+02:00", "2017-03-17T15:18:09.000000Z"),
            ("2017-03-17T17:18:09 02:00", "2017-03-17T15:18:09.000000Z"),
            ("2017-03-17 17:18:09 -0230", "2017-03-17T19:48:09.000000Z"),
            ("2017-03-17T17:18:09+02", "2017-03-17T15:18:09.000000Z"),
            ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"),
            ("2017-03-17 17:18:09 UTC", "-"),
            ("2017-02-30", "-"),
            ("2017-3-17", "-"),
            ("+2017-3-17", "-"),
            ("2017-03-17T", "-"),
            ("2017-03-17T25:00", "-"),
            ("2017-03-17T10:00+99:00", "-"),
            ("2017-03-17T10:00+01:99", "-"),
            ("yesterday", "-"),
            ("2017-03-1é7T10:00", "-"),
            ("0000-01-01", "-"),
            ("9999-12-31T23:59:59-01:00", "-"),
        ] {
            let moment =
                parse_moment(text).map_or("-".to_owned(), |at| at.to_rfc3339_opts(SecondsFormat::Micros, true));
            assert_eq!(moment, want, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = parse_moment(&text);
        }

        #[test]
        fn nothing_that_looks_like_a_moment_panics(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,+Zé -]{0,20}") {
            let _ = parse_moment(&text);
        }
    }
}
