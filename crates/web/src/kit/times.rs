//! Times as readers compare them with the present one: `3 days ago`.
//!
//! Templates write the exact time. This module replaces it in the finished page, and keeps it as the title. So a page
//! depends on the present time only here, and its entity tag is that of the text which the reader gets.

use tenon_domain::time::Timestamp;

const OPENS: &str = "<time ";
const CLOSES: &str = "</time>";
const MACHINE: &str = "datetime=\"";

/// The page with its times as seen from `now`. None if it has no time.
pub(super) fn relative(html: &str, now: Timestamp) -> Option<String> {
    let mut parts = html.split(OPENS);
    let mut page = String::with_capacity(html.len().saturating_add(1024));
    page.push_str(parts.next()?);
    let mut is_changed = false;
    for part in parts {
        page.push_str(OPENS);
        if let Some((attributes, exact, rest)) = taken_apart(part)
            && let Some(at) = moment(attributes)
        {
            is_changed = true;
            let title = if attributes.contains(" title=") { String::new() } else { format!(" title=\"{exact}\"") };
            page.push_str(&format!("{attributes}{title}>{}{CLOSES}{rest}", words(at, now)));
        } else {
            page.push_str(part);
        }
    }
    is_changed.then_some(page)
}

/// The attributes of an element, its text, and what follows it. None if it has other elements.
fn taken_apart(part: &str) -> Option<(&str, &str, &str)> {
    let (attributes, rest) = part.split_once('>')?;
    let (text, rest) = rest.split_once(CLOSES)?;
    (!text.contains('<')).then_some((attributes, text, rest))
}

/// The moment of an element. None for a day.
fn moment(attributes: &str) -> Option<Timestamp> {
    let (_, value) = attributes.split_once(MACHINE)?;
    value.split('"').next()?.parse().ok()
}

/// A moment in words, as seen from another one. `assets/script/times.js` has the same words.
pub(crate) fn words(at: Timestamp, now: Timestamp) -> String {
    let seconds = (now - at).num_seconds();
    let (minutes, days) = (seconds.abs() / 60, seconds.abs() / 86_400);
    let (number, unit) = match days {
        0 if minutes == 0 => return "just now".to_owned(),
        0 if minutes < 60 => (minutes, "minute"),
        0 => (minutes / 60, "hour"),
        1 => return if seconds > 0 { "yesterday" } else { "tomorrow" }.to_owned(),
        2..7 => (days, "day"),
        7..30 => (days / 7, "week"),
        30..365 => (days / 30, "month"),
        _ => (days / 365, "year"),
    };
    let s = if number == 1 { "" } else { "s" };
    if seconds > 0 { format!("{number} {unit}{s} ago") } else { format!("in {number} {unit}{s}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_moment_is_compared_with_the_present_one() {
        for (moment, want) in [
            ("2026-11-28T12:00:00Z", "just now"),
            ("2026-11-28T11:59:01Z", "just now"),
            ("2026-11-28T11:59:00Z", "1 minute ago"),
            ("2026-11-28T11:00:01Z", "59 minutes ago"),
            ("2026-11-28T11:00:00Z", "1 hour ago"),
            ("2026-11-27T12:00:01Z", "23 hours ago"),
            ("2026-11-27T12:00:00Z", "yesterday"),
            ("2026-11-25T12:00:00Z", "3 days ago"),
            ("2026-11-21T12:00:00Z", "1 week ago"),
            ("2026-10-28T12:00:00Z", "1 month ago"),
            ("2026-01-01T12:00:00Z", "11 months ago"),
            ("2025-11-28T12:00:00Z", "1 year ago"),
            ("2020-11-28T12:00:00Z", "6 years ago"),
            ("2026-11-28T12:05:00Z", "in 5 minutes"),
            ("2026-11-30T00:00:00Z", "tomorrow"),
            ("2026-12-02T00:00:00Z", "in 3 days"),
        ] {
            assert_eq!(words(at(moment), at("2026-11-28T12:00:00Z")), want, "{moment}");
        }
    }

    #[test]
    fn a_page_has_the_exact_time_as_title() {
        let now = at("2026-11-28T12:00:00Z");
        let page = |text: &str| relative(text, now);
        assert_eq!(
            page("a <time class=\"muted\" datetime=\"2026-11-25T09:05:07Z\">25 Nov 2026, 09:05 UTC</time> b")
                .as_deref(),
            Some(
                "a <time class=\"muted\" datetime=\"2026-11-25T09:05:07Z\" title=\"25 Nov 2026, 09:05 UTC\">3 days \
                 ago</time> b"
            )
        );
        // Days, and what is no time of ours, stay as they are.
        for text in ["<time datetime=\"2026-11-25\">25 Nov</time>", "<p>a</p>", "<time >x</time>", "<time datetime=\""]
        {
            assert_eq!(page(text), None, "{text}");
        }
    }
}
