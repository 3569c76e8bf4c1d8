//! Time that tests set.

use std::sync::Mutex;
use std::time::Duration;

use tenon_app::Clock;
use tenon_domain::time::{TimeDelta, Timestamp};

/// A clock that stands still but for a millisecond at each look, so that no two things happen at the same moment.
pub struct TestClock(Mutex<Timestamp>);

impl Default for TestClock {
    fn default() -> Self {
        Self(Mutex::new("2026-03-02T12:00:00Z".parse().expect("a moment")))
    }
}

impl TestClock {
    /// Makes it show this moment.
    pub(crate) fn set(&self, now: Timestamp) {
        *self.0.lock().expect("the clock") = now;
    }

    /// Lets time pass.
    pub fn advance(&self, by: TimeDelta) {
        *self.0.lock().expect("the clock") += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let mut now = self.0.lock().expect("the clock");
        *now += TimeDelta::milliseconds(1);
        *now
    }

    fn elapsed(&self) -> Duration {
        let since_epoch = *self.0.lock().expect("the clock") - Timestamp::UNIX_EPOCH;
        since_epoch.to_std().expect("a moment after 1970")
    }
}
