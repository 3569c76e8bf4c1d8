//! The count of operations of Git over SSH that the application settings ask for.

use std::sync::Arc;

use tenon_domain::id::{ProjectId, UserId};
use tenon_domain::settings::Rate;

use crate::core::clock::Clock;
use crate::core::spending::throttle::{Buckets, Ticks};

/// How many operations users have begun on repositories lately, in this process.
pub(crate) struct SshOperations {
    rate: Option<Rate>,
    buckets: Option<Buckets<(UserId, ProjectId)>>,
}

impl SshOperations {
    /// One that has counted nothing; without a rate it refuses nothing.
    pub(crate) fn new(rate: Option<Rate>, clock: &Arc<dyn Clock>) -> Self {
        let buckets = rate.and_then(|rate| {
            let burst = usize::try_from(rate.requests.get()).unwrap_or(usize::MAX);
            Buckets::new(burst, rate.period / rate.requests.get(), Ticks::of(Arc::clone(clock)))
        });
        Self { rate, buckets }
    }

    /// True if this is its rate.
    pub(crate) fn is_of(&self, rate: Option<Rate>) -> bool {
        self.rate == rate
    }

    /// Counts an operation; false if it is one too many.
    pub(crate) fn admit(&self, user: UserId, project: ProjectId) -> bool {
        self.buckets.as_ref().is_none_or(|buckets| buckets.take(&(user, project)).is_ok())
    }
}
