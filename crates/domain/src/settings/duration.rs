//! Times as texts: `30 days`, `2h`, `1 week 3 days`.

const UNITS: [&[&str]; 7] = [
    &["s", "sec", "secs", "second", "seconds"],
    &["m", "min", "mins", "minute", "minutes"],
    &["h", "hr", "hrs", "hour", "hours"],
    &["d", "day", "days"],
    &["w", "wk", "wks", "week", "weeks"],
    &["mo", "mos", "month", "months"],
    &["y", "yr", "yrs", "year", "years"],
];
/// The most bytes of such a text.
const MAX: usize = 100;

/// True if a text is a time: numbers with their units, or a plain `0`, which is no limit.
pub(super) fn is_duration(text: &str) -> bool {
    let mut rest = text.trim();
    if rest == "0" {
        return true;
    }
    if rest.is_empty() || rest.len() > MAX {
        return false;
    }
    while !rest.is_empty() {
        let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        // More than nine digits are no time that anything lasts.
        if digits.len() == rest.len() || rest.len() - digits.len() > 9 {
            return false;
        }
        let unit = digits.trim_start();
        let behind = unit.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let name = unit.strip_suffix(behind).unwrap_or_default().to_ascii_lowercase();
        if !UNITS.iter().any(|names| names.contains(&name.as_str())) {
            return false;
        }
        rest = behind.trim_start_matches([',', ' ']);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_times() {
        for good in ["30 days", "2h", "1 week 3 days", "1w, 2d", "0", "7 DAYS", "1h30m"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", " ", "days", "30", "30 parsecs", "-1 day", "1.5 h", "soon", "9999999999 days"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
