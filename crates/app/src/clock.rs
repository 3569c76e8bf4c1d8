//! Time as an input.

use tenon_domain::time::{Timestamp, truncated};

/// What tells the time.
pub trait Clock: Send + Sync {
    /// The present moment, to the microsecond.
    fn now(&self) -> Timestamp;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the machine's clock is read")]
    fn now(&self) -> Timestamp {
        truncated(chrono::Utc::now())
    }
}
