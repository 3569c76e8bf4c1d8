//! The life of a delivery: one event on its way to one hook.

use crate::backoff::pause_after;
use crate::time::{TimeDelta, Timestamp};
use crate::words::words;

words! {
    /// The state of a delivery.
    pub enum DeliveryState {
        /// It has not been answered yet. Those of one hook are sent in the order of their events.
        Waiting = "waiting",
        /// The receiver could not take it, or could not be called several times; it is sent again, later than its followers.
        Retrying = "retrying",
        /// The receiver answered with success.
        Delivered = "delivered",
        /// The receiver refused it, or it was not delivered within a day; it is sent again only on request.
        Parked = "parked",
    }
}

/// The outcome of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver answered with success (2xx).
    Accepted,
    /// The receiver answered with a status that another attempt would not change, or the request can never be sent.
    Refused,
    /// The receiver answered that it cannot take it now, and perhaps how long it wants to be left alone.
    NotNow(Option<TimeDelta>),
    /// There was no answer: the receiver could not be called, or did not answer in time.
    Unanswered,
}

/// How long a delivery is tried.
const TRIED_FOR: TimeDelta = TimeDelta::days(1);
/// How long a hook fails until that is announced: long before its first delivery is parked.
const ANNOUNCED_AFTER: TimeDelta = TimeDelta::hours(6);
/// After so many attempts without an answer, the followers of a delivery no longer wait for it.
const PATIENCE: i64 = 3;
/// A receiver that wants to be left alone for longer is called again after this time.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(2);
/// The statuses of a receiver, or of a proxy before it, that could not take a request when it came.
const NOT_NOW: [u16; 6] = [408, 425, 429, 502, 503, 504];

impl Outcome {
    /// The meaning of an answer with this status and this header `Retry-After` (RFC 9110): seconds or a date. A header
    /// that cannot be read is passed over.
    #[must_use]
    pub fn of_answer(status: u16, retry_after: Option<&str>, now: Timestamp) -> Self {
        if (200..300).contains(&status) {
            return Self::Accepted;
        }
        if !NOT_NOW.contains(&status) {
            return Self::Refused;
        }
        let pause = retry_after.and_then(|text| seconds(text).or_else(|| until(text, now)));
        Self::NotNow(pause.filter(|pause| *pause > TimeDelta::zero()).map(|pause| pause.min(LONGEST_PAUSE)))
    }

    /// How long the receiver wants to be left alone.
    #[must_use]
    pub const fn asked_pause(self) -> Option<TimeDelta> {
        match self {
            Self::NotNow(pause) => pause,
            Self::Accepted | Self::Refused | Self::Unanswered => None,
        }
    }
}

fn seconds(text: &str) -> Option<TimeDelta> {
    TimeDelta::try_seconds(text.trim().parse().ok()?)
}

fn until(text: &str, now: Timestamp) -> Option<TimeDelta> {
    Some(chrono::DateTime::parse_from_rfc2822(text.trim()).ok()?.to_utc() - now)
}

impl DeliveryState {
    /// The state after an attempt, the `attempts`-th one, of a delivery that was created `age` ago.
    #[must_use]
    pub fn after(self, outcome: Outcome, attempts: i64, age: TimeDelta) -> Self {
        match (outcome, self) {
            (Outcome::Accepted, _) => Self::Delivered,
            // Sent again on request: nothing follows from a failure.
            (Outcome::Refused | Outcome::NotNow(_) | Outcome::Unanswered, Self::Delivered | Self::Parked) => self,
            (Outcome::Refused, Self::Waiting | Self::Retrying) => Self::Parked,
            (Outcome::NotNow(_) | Outcome::Unanswered, Self::Waiting | Self::Retrying) if age >= TRIED_FOR => {
                Self::Parked
            }
            (Outcome::Unanswered, Self::Waiting) if attempts < PATIENCE => Self::Waiting,
            (Outcome::NotNow(_) | Outcome::Unanswered, Self::Waiting | Self::Retrying) => Self::Retrying,
        }
    }
}

/// When a delivery that failed is tried again, after so many attempts: 10, 20, 40 seconds later, two hours at most.
#[must_use]
pub fn next_attempt(now: Timestamp, attempts: i64, jitter: u8) -> Timestamp {
    now + pause_after(TimeDelta::seconds(5), attempts, TimeDelta::hours(2), jitter)
}

/// How long a hook is not called that has given no answer, after so many failures in a row: 2, 4, 8 seconds, five minutes at
/// most. Further failures pause it for longer ([`super::Health`]).
pub(super) fn pause(failures: i64, jitter: u8) -> TimeDelta {
    pause_after(TimeDelta::seconds(1), failures, TimeDelta::minutes(5), jitter)
}

/// True if a hook that has failed since then has failed for long: a mail announces it to those who look after it.
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
        let not_now = Outcome::NotNow(None);
        let (young, old) = (TimeDelta::hours(1), TimeDelta::days(1));
        for (state, outcome, attempts, age, want) in [
            (Waiting, Accepted, 1, young, Delivered),
            (Waiting, Refused, 1, young, Parked),
            (Waiting, not_now, 1, young, Retrying),
            (Waiting, Unanswered, 1, young, Waiting),
            (Waiting, Unanswered, 3, young, Retrying),
            (Waiting, Unanswered, 1, old, Parked),
            (Retrying, not_now, 9, young, Retrying),
            (Retrying, not_now, 9, old, Parked),
            (Retrying, Refused, 2, young, Parked),
            (Retrying, Accepted, 9, old, Delivered),
            (Parked, Refused, 10, old, Parked),
            (Parked, Accepted, 10, old, Delivered),
            (Delivered, Unanswered, 2, young, Delivered),
            (Delivered, not_now, 2, young, Delivered),
        ] {
            assert_eq!(state.after(outcome, attempts, age), want, "{state:?} {outcome:?} {attempts} {age}");
        }
    }

    #[test]
    fn only_some_answers_ask_for_another_attempt() {
        let now = Timestamp::UNIX_EPOCH;
        for status in 100..600 {
            let expected = match status {
                200..300 => Outcome::Accepted,
                408 | 425 | 429 | 502 | 503 | 504 => Outcome::NotNow(None),
                _ => Outcome::Refused,
            };
            assert_eq!(Outcome::of_answer(status, None, now), expected, "{status}");
        }
    }

    #[test]
    fn a_receiver_says_how_long_it_wants_to_be_left_alone() {
        let now = Timestamp::UNIX_EPOCH;
        for (text, expected) in [
            ("120", Some(120)),
            (" 1 ", Some(1)),
            ("Thu, 01 Jan 1970 00:01:00 GMT", Some(60)),
            ("Thu, 01 Jan 2099 00:00:00 GMT", Some(7200)),
            ("99999999", Some(7200)),
            ("Wed, 31 Dec 1969 00:00:00 GMT", None),
            ("0", None),
            ("-5", None),
            ("soon", None),
            ("99999999999999999999", None),
        ] {
            let found = Outcome::of_answer(503, Some(text), now).asked_pause().map(|pause| pause.num_seconds());
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(Outcome::of_answer(500, Some("9"), now), Outcome::Refused);
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
