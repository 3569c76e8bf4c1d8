//! Limits for what is not an ordinary server.

use super::{Limits, RateLimits};

impl Limits {
    /// The defaults without the limits of requests over time: for benchmarks and closed networks. Sign-in attempts
    /// stay limited, and so does everything that a single request can spend.
    #[must_use]
    pub fn without_rates() -> Self {
        Self { rates: RateLimits { anonymous_burst: 0, ..RateLimits::default() }, ..Self::default() }
    }
}
