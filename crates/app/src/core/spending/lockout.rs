//! The lock of an account name after wrong passwords that the application settings ask for. The throttle of sign-ins holds
//! beside it.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::Duration;

use quick_cache::sync::Cache;
use tenon_domain::settings::LockoutRule;

use crate::core::clock::Clock;
use crate::core::spending::throttle::Throttled;

/// Names remembered at once.
const REMEMBERED: usize = 16 * 1024;

/// Wrong passwords in a row by account name, whether or not there is such an account.
pub(crate) struct Lockout {
    rule: Option<LockoutRule>,
    wrong: Cache<u64, Wrong>,
    hasher: RandomState,
    clock: Arc<dyn Clock>,
}

/// So many wrong passwords, the last at this time.
#[derive(Clone, Copy)]
struct Wrong {
    count: u32,
    last: Duration,
}

impl Lockout {
    /// One that has counted nothing; without a rule it locks nothing.
    pub(crate) fn new(rule: Option<LockoutRule>, clock: &Arc<dyn Clock>) -> Self {
        Self { rule, wrong: Cache::new(REMEMBERED), hasher: RandomState::new(), clock: Arc::clone(clock) }
    }

    /// True if this is its rule.
    pub(crate) fn is_of(&self, rule: Option<LockoutRule>) -> bool {
        self.rule == rule
    }

    /// Checks that a password for this name may be tried now.
    pub(crate) fn check(&self, name: &str) -> Result<(), Throttled> {
        let (Some(rule), Some(wrong)) = (self.rule, self.wrong.get(&self.key(name))) else { return Ok(()) };
        let left = rule.period.saturating_sub(self.clock.elapsed().saturating_sub(wrong.last));
        if wrong.count < rule.attempts || left.is_zero() {
            return Ok(());
        }
        Err(Throttled { retry_after: left, burst: rule.attempts })
    }

    /// Notes how an attempt ended. A right password begins the count anew, and so does a lock that has ended.
    pub(crate) fn note(&self, name: &str, is_right: bool) {
        let Some(rule) = self.rule else { return };
        let (key, now) = (self.key(name), self.clock.elapsed());
        if is_right {
            self.wrong.remove(&key);
            return;
        }
        let before = self.wrong.get(&key).filter(|wrong| now.saturating_sub(wrong.last) < rule.period);
        let count = before.map_or(0, |wrong| wrong.count).saturating_add(1);
        self.wrong.insert(key, Wrong { count, last: now });
    }

    fn key(&self, name: &str) -> u64 {
        self.hasher.hash_one(name.trim().to_lowercase())
    }
}
