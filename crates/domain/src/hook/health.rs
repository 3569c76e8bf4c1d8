//! How the receiver of a hook is doing, and how long it is left alone.

use super::delivery::{Outcome, pause};
use crate::backoff::pause_after;
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

/// After so many failures in a row a receiver is left alone, whatever it has answered.
const FAILURES_BEFORE_PAUSE: i64 = 4;
/// A receiver that has failed so often in a row, and for so long, is not called any more. Events are kept for as long by default.
const DISABLED_AFTER: (i64, TimeDelta) = (40, TimeDelta::days(7));
/// The longest time for which a receiver that fails is left alone.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(2);

words! {
    /// The answer to the question if a hook is called.
    pub enum AlertStatus {
        /// It is.
        Executable = "executable",
        /// Its receiver has failed several times in a row, and is left alone for a while.
        TemporarilyDisabled = "temporarily_disabled",
        /// Its receiver has failed for so long that it is called only on request.
        Disabled = "disabled",
    }
}

/// How the attempts to call a receiver have gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Health {
    /// How many attempts in a row failed.
    pub failures: i64,
    /// When the first of them was made.
    pub failing_since: Option<Timestamp>,
    /// The receiver is not called before this moment.
    pub paused_until: Option<Timestamp>,
}

impl Health {
    /// How the receiver is doing after one more attempt.
    #[must_use]
    pub fn after(self, outcome: Outcome, now: Timestamp, jitter: u8) -> Self {
        if outcome == Outcome::Accepted {
            return Self::default();
        }
        let failures = self.failures.saturating_add(1);
        let without_answer = (outcome == Outcome::Unanswered).then(|| pause(failures, jitter));
        let pauses = [without_answer, outcome.asked_pause(), pause_of_failures(failures, jitter)];
        Self {
            failures,
            failing_since: self.failing_since.or(Some(now)),
            paused_until: pauses.into_iter().flatten().max().map(|pause| now + pause),
        }
    }

    /// That of a hook that is called only on request, as if its receiver had failed for long.
    #[must_use]
    pub fn disabled(now: Timestamp) -> Self {
        let (failures, age) = DISABLED_AFTER;
        Self { failures, failing_since: Some(now - age), paused_until: None }
    }

    /// The status at this moment.
    #[must_use]
    pub fn status(&self, now: Timestamp) -> AlertStatus {
        let (failures, age) = DISABLED_AFTER;
        if self.failures >= failures && self.failing_since.is_some_and(|since| now - since >= age) {
            AlertStatus::Disabled
        } else if self.failures >= FAILURES_BEFORE_PAUSE && self.paused_until.is_some_and(|until| until > now) {
            AlertStatus::TemporarilyDisabled
        } else {
            AlertStatus::Executable
        }
    }

    /// The end of the pause of a hook that is [`AlertStatus::TemporarilyDisabled`].
    #[must_use]
    pub fn disabled_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.paused_until.filter(|_| self.status(now) == AlertStatus::TemporarilyDisabled)
    }
}

/// How long a receiver is left alone that has failed so many times in a row: one minute after the fourth time, then 2, 4, 8, two
/// hours at most.
fn pause_of_failures(failures: i64, jitter: u8) -> Option<TimeDelta> {
    let doublings = failures.checked_sub(FAILURES_BEFORE_PAUSE).filter(|doublings| *doublings >= 0)?;
    Some(pause_after(TimeDelta::minutes(1), doublings, LONGEST_PAUSE, jitter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(times: i64, outcome: Outcome, from: Health, at: Timestamp) -> Health {
        (0..times).fold(from, |health, _| health.after(outcome, at, 0))
    }

    #[test]
    fn four_failures_in_a_row_pause_a_hook_for_longer_and_longer() {
        let now = Timestamp::UNIX_EPOCH;
        let minutes = |times| {
            let health = failed(times, Outcome::Refused, Health::default(), now);
            health.disabled_until(now).map(|until| (until - now).num_minutes())
        };
        assert_eq!([minutes(0), minutes(3), minutes(4), minutes(5)], [None, None, Some(1), Some(2)]);
        assert_eq!([minutes(8), minutes(11), minutes(1_000)], [Some(16), Some(120), Some(120)]);
        let fourth = failed(4, Outcome::Refused, Health::default(), now);
        assert_eq!(fourth.status(now), AlertStatus::TemporarilyDisabled);
        assert_eq!(fourth.status(now + TimeDelta::minutes(1)), AlertStatus::Executable);
        assert_eq!(fourth.after(Outcome::Accepted, now, 0), Health::default());
    }

    #[test]
    fn a_receiver_without_an_answer_or_that_asks_for_it_is_left_alone_at_once() {
        let now = Timestamp::UNIX_EPOCH;
        let asked = Outcome::NotNow(Some(TimeDelta::minutes(90)));
        for (health, seconds) in [
            (failed(1, Outcome::Unanswered, Health::default(), now), Some(2)),
            (failed(1, asked, Health::default(), now), Some(5400)),
            (failed(4, asked, Health::default(), now), Some(5400)),
            (failed(1, Outcome::Refused, Health::default(), now), None),
        ] {
            assert_eq!(health.paused_until.map(|until| (until - now).num_seconds()), seconds);
        }
        let once = failed(1, asked, Health::default(), now);
        assert_eq!((once.status(now), once.disabled_until(now)), (AlertStatus::Executable, None));
    }

    #[test]
    fn a_hook_that_fails_often_and_for_a_week_is_disabled() {
        let (now, week) = (Timestamp::UNIX_EPOCH, TimeDelta::days(7));
        let often = failed(40, Outcome::Refused, Health::default(), now);
        let seldom = failed(39, Outcome::Refused, Health::default(), now);
        for (health, age, want) in [
            (often, TimeDelta::zero(), AlertStatus::TemporarilyDisabled),
            (often, week - TimeDelta::seconds(1), AlertStatus::Executable),
            (often, week, AlertStatus::Disabled),
            (seldom, week, AlertStatus::Executable),
        ] {
            assert_eq!(health.status(now + age), want, "{age}");
        }
        assert_eq!(often.disabled_until(now + week), None);
    }
}
