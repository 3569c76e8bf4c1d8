//! Time is a value that is passed in. Nothing here reads a clock.

use chrono::{DateTime, SubsecRound, Utc};
pub use chrono::{Days, NaiveDate as Date, TimeDelta};

/// A moment in UTC, truncated to microseconds so that both databases give back what was stored.
pub type Timestamp = DateTime<Utc>;

/// `moment` with everything below a microsecond cut off.
#[must_use]
pub fn truncated(moment: DateTime<Utc>) -> Timestamp {
    moment.trunc_subsecs(6)
}

/// Whether something that ends on `expires_at` still holds at `now`. The last day is the day before: it ends at
/// 00:00 UTC of the named date, as tokens, memberships and shares do.
#[must_use]
pub fn is_unexpired(expires_at: Option<Date>, now: Timestamp) -> bool {
    expires_at.is_none_or(|date| now.date_naive() < date)
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
}
