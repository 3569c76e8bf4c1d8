//! How long things take. Working time: a day has eight hours, a week five days, a month four weeks.

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 8 * HOUR;
const WEEK: i64 = 5 * DAY;
const MONTH: i64 = 4 * WEEK;
const YEAR: i64 = 12 * MONTH;

/// The most seconds that an estimate, an entry or a total may have.
pub const MAX_SECONDS: i64 = 2_147_483_647;

/// Reads a duration such as `3h30m`, `1w 2d`, `1.5h`, `-2h`, `1:30` or `2` (hours), in seconds. `None` if it is none,
/// is nothing, or is too much.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let seconds = if text.contains(':') { clock(text)? } else { groups(text)? };
    let in_range = (1..=MAX_SECONDS).contains(&seconds);
    in_range.then_some(if negative { -seconds } else { seconds })
}

/// `h:mm:ss` or `mm:ss`.
fn clock(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split(':').collect();
    if !matches!(parts.len(), 2 | 3) {
        return None;
    }
    parts.iter().try_fold(0_i64, |total, part| {
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number: i64 = part.parse().ok().filter(|_| is_number)?;
        total.checked_mul(60)?.checked_add(number)
    })
}

/// Numbers with units, one after another.
fn groups(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut total = 0_i64;
    loop {
        rest = skip_fillers(rest);
        if rest.is_empty() {
            return Some(total);
        }
        let (number, after) = split_at_end(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_at_end(after.trim_start(), |c| c.is_ascii_alphabetic());
        // A number alone means hours; so does one before a filler word.
        let (seconds, after) = match seconds_of(unit) {
            Some(seconds) => (seconds, after),
            None if unit.is_empty() || FILLERS.contains(&&*unit.to_ascii_lowercase()) => (HOUR, after),
            None => return None,
        };
        total = total.checked_add(scaled(number, seconds)?)?;
        rest = after;
    }
}

const FILLERS: [&str; 3] = ["and", "with", "plus"];

fn skip_fillers(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    loop {
        let (word, after) = split_at_end(rest, |c| c.is_ascii_alphabetic());
        if !FILLERS.contains(&&*word.to_ascii_lowercase()) {
            return rest;
        }
        rest = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
}

/// The longest start of `text` that holds only such characters, and the rest.
fn split_at_end(text: &str, holds: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !holds(c)).unwrap_or(text.len()))
}

/// A decimal number of units, in whole seconds.
fn scaled(number: &str, unit: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    // No estimate needs a year to the billionth part.
    if whole.is_empty() || fraction.is_empty() || fraction.len() > 9 || fraction.contains('.') {
        return None;
    }
    let whole: i64 = whole.parse().ok()?;
    let parts: i64 = fraction.parse().ok()?;
    let scale = 10_i64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    whole.checked_mul(unit)?.checked_add(parts.checked_mul(unit)? / scale)
}

fn seconds_of(unit: &str) -> Option<i64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => 1,
        "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
        "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
        "d" | "dy" | "day" | "days" => DAY,
        "w" | "wk" | "wks" | "week" | "weeks" => WEEK,
        "mo" | "mos" | "month" | "months" => MONTH,
        "y" | "yr" | "yrs" | "year" | "years" => YEAR,
        _ => return None,
    })
}

/// A duration as people read it, such as `3w 1h 10m`; `None` for nothing.
#[must_use]
pub fn human(seconds: i64) -> Option<String> {
    human_in(seconds, false)
}

/// As [`human`]; in units of an hour at most if `in_hours`, such as `121h 10m`.
#[must_use]
pub fn human_in(seconds: i64, in_hours: bool) -> Option<String> {
    const UNITS: [(i64, &str); 7] =
        [(YEAR, "y"), (MONTH, "mo"), (WEEK, "w"), (DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (1, "s")];
    let mut rest = seconds.unsigned_abs();
    let mut words = Vec::new();
    for (unit, name) in UNITS.into_iter().filter(|(unit, _)| !in_hours || *unit <= HOUR) {
        let unit = unit.unsigned_abs();
        if rest >= unit {
            words.push(format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    let sign = if seconds < 0 { "-" } else { "" };
    (!words.is_empty()).then(|| format!("{sign}{}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_grammar() {
        for (text, want) in [
            ("3h30m", Some(12_600)),
            ("3h 30m", Some(12_600)),
            ("1w 2d", Some(56 * HOUR)),
            ("1.5h", Some(5_400)),
            ("2 days, 3 hours", Some(19 * HOUR)),
            ("1 hour and 2 mins", Some(3_720)),
            ("2", Some(7_200)),
            ("1h 30", Some(31 * HOUR)),
            ("1:30", Some(90)),
            ("1:02:03", Some(3_723)),
            ("1mo", Some(576_000)),
            ("1y", Some(12 * 576_000)),
            ("-2h", Some(-7_200)),
            ("1H", Some(3_600)),
            ("59s", Some(59)),
            ("0h", None),
            ("", None),
            ("-", None),
            ("soon", None),
            ("3x", None),
            ("h", None),
            ("1.h", None),
            ("1..5h", None),
            ("1:x", None),
            ("1::2", None),
            ("999999999999h", None),
            ("99999999999999999999h", None),
            ("2147483647s", Some(MAX_SECONDS)),
            ("2147483648s", None),
            ("1h -2h", None),
        ] {
            assert_eq!(parse_duration(text), want, "{text}");
        }
    }

    #[test]
    fn people_read_the_largest_units_first() {
        for (seconds, want) in [
            (12_600, Some("3h 30m")),
            (144_000, Some("1w")),
            (436_200, Some("3w 1h 10m")),
            (59, Some("59s")),
            (576_000, Some("1mo")),
            (-7_200, Some("-2h")),
            (0, None),
        ] {
            assert_eq!(human(seconds).as_deref(), want);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_can_be_read(seconds in 1..=MAX_SECONDS) {
            prop_assert_eq!(parse_duration(&human(seconds).unwrap()), Some(seconds));
        }

        #[test]
        fn no_text_is_too_strange(text in "[-0-9a-z.,: µ]{0,24}") {
            let _ = parse_duration(&text);
        }
    }
}
