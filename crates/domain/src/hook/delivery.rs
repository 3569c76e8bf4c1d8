//! The life of a delivery: one event on its way to one hook.

use crate::backoff::pause_after;
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

words! {
    /// Where a delivery is in its life.
    pub enum DeliveryState {
        /// It has not been answered yet. Those of one hook are sent in the order of their events.
        Waiting = "waiting",
        /// The receiver refused it, or could not be called several times; it is sent again, later than its followers.
        Retrying = "retrying",
        /// The receiver answered with success.
        Delivered = "delivered",
        /// It was not delivered within a day, and is sent again only on request.
        Parked = "parked",
    }
}

/// What became of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered with success (2xx).
    Accepted,
    /// The receiver answered, with another status.
    Refused,
    /// There was no answer: the receiver could not be called, or did not answer in time.
    Unanswered,
}

/// How long a delivery is tried.
const TRIED_FOR: TimeDelta = TimeDelta::days(1);
/// How long a hook fails until that is announced: long before its first delivery is parked.
const ANNOUNCED_AFTER: TimeDelta = TimeDelta::hours(6);
/// After so many attempts without an answer, the followers of a delivery no longer wait for it.
const PATIENCE: i64 = 3;

impl DeliveryState {
    /// The state after an attempt, the `attempts`-th one, of a delivery that was created `age` ago.
    #[must_use]
    pub fn after(self, outcome: Outcome, attempts: i64, age: TimeDelta) -> Self {
        match (outcome, self) {
            (Outcome::Accepted, _) => Self::Delivered,
            // Sent again on request: nothing follows from a failure.
            (Outcome::Refused | Outcome::Unanswered, Self::Delivered | Self::Parked) => self,
            (Outcome::Refused | Outcome::Unanswered, Self::Waiting | Self::Retrying) if age >= TRIED_FOR => {
                Self::Parked
            }
            (Outcome::Unanswered, Self::Waiting) if attempts < PATIENCE => Self::Waiting,
            (Outcome::Refused | Outcome::Unanswered, Self::Waiting | Self::Retrying) => Self::Retrying,
        }
    }
}

/// When a delivery that failed is tried again, after so many attempts: 10, 20, 40 seconds later, two hours at most.
#[must_use]
pub fn next_attempt(now: Timestamp, attempts: i64, jitter: u8) -> Timestamp {
    now + pause_after(TimeDelta::seconds(5), attempts, TimeDelta::hours(2), jitter)
}

/// How long a hook is not called that has given no answer so many times in a row: 2, 4, 8 seconds, five minutes at most.
#[must_use]
pub fn pause(unanswered: i64, jitter: u8) -> TimeDelta {
    pause_after(TimeDelta::seconds(1), unanswered, TimeDelta::minutes(5), jitter)
}

/// Whether a hook that has failed since then has failed for long: a mail announces it to those who look after it.
#[must_use]
pub fn fails_for_long(now: Timestamp, failing_since: Timestamp) -> bool {
    now - failing_since >= ANNOUNCED_AFTER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_tried_for_a_day_and_then_parked() {
        use DeliveryState::{Delivered, Parked, Retrying, Waiting};
        use Outcome::{Accepted, Refused, Unanswered};
        let (young, old) = (TimeDelta::hours(1), TimeDelta::days(1));
        for (state, outcome, attempts, age, want) in [
            (Waiting, Accepted, 1, young, Delivered),
            (Waiting, Refused, 1, young, Retrying),
            (Waiting, Unanswered, 1, young, Waiting),
            (Waiting, Unanswered, 3, young, Retrying),
            (Waiting, Unanswered, 1, old, Parked),
            (Retrying, Refused, 9, young, Retrying),
            (Retrying, Refused, 9, old, Parked),
            (Retrying, Accepted, 9, old, Delivered),
            (Parked, Refused, 10, old, Parked),
            (Parked, Accepted, 10, old, Delivered),
            (Delivered, Unanswered, 2, young, Delivered),
        ] {
            assert_eq!(state.after(outcome, attempts, age), want, "{state:?} {outcome:?} {attempts} {age}");
        }
    }

    #[test]
    fn pauses_grow_to_a_bound() {
        let now = Timestamp::UNIX_EPOCH;
        let seconds = |attempts| (next_attempt(now, attempts, 0) - now).num_seconds();
        assert_eq!([seconds(1), seconds(2), seconds(3), seconds(99)], [10, 20, 40, 7200]);
        assert_eq!([pause(1, 0).num_seconds(), pause(2, 0).num_seconds(), pause(99, 0).num_seconds()], [2, 4, 300]);
        assert!(pause(99, 255) < TimeDelta::seconds(375));
    }
}
