//! Time as an input.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use tenon_domain::time::{Timestamp, truncated};

/// The source of the time.
pub trait Clock: Send + Sync {
    /// The present moment, to the microsecond. It may jump, when the clock of the machine is set.
    fn now(&self) -> Timestamp;

    /// Time since some moment in the past, which stays the same one. It never jumps: for measuring how much time has
    /// passed.
    fn elapsed(&self) -> Duration;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// The moment since which [`SystemClock`] measures.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place where the machine's clock is read")]
    fn now(&self) -> Timestamp {
        truncated(chrono::Utc::now())
    }

    fn elapsed(&self) -> Duration {
        START.elapsed()
    }
}
