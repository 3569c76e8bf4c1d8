//! The counts of callers that the application settings ask for: requests over time, and the addresses that a user calls
//! from.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_domain::id::UserId;
use tenon_domain::settings::{Rate, Settings, Throttles, UniqueIps};

use crate::core::clock::Clock;
use crate::core::spending::client::{Client, Network};
use crate::core::spending::throttle::{Buckets, Throttled, Ticks};

/// Users whose addresses are remembered at once.
const REMEMBERED: usize = 16 * 1024;

/// The part of the server that a request asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The API.
    Api,
    /// Everything else: Git, files and archives.
    Web,
}

/// How a throttle of the settings has counted one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The name of the throttle.
    pub name: &'static str,
    /// Requests that it allows in a minute, rounded up.
    pub per_minute: u32,
    /// Requests that the client may still send at once.
    pub remaining: u32,
    /// Time after which the client may send one more if none remains, or all of them if some do.
    pub reset_after: Duration,
    /// Set if this request was one too many.
    pub refused: Option<Throttled>,
}

/// The throttles that the settings switch on. Each holds as many requests as its period allows, and gets one back each time
/// that the period divided by that number has passed.
pub(crate) struct CallerRates {
    throttles: Throttles,
    unauthenticated: Option<Counter<Network>>,
    api: Option<Counter<UserId>>,
    web: Option<Counter<UserId>>,
}

impl CallerRates {
    /// Throttles that count nothing yet.
    pub(crate) fn new(throttles: Throttles, clock: &Arc<dyn Clock>) -> Self {
        Self {
            throttles,
            unauthenticated: Counter::new("throttle_unauthenticated", throttles.unauthenticated, clock),
            api: Counter::new("throttle_authenticated_api", throttles.authenticated_api, clock),
            web: Counter::new("throttle_authenticated_web", throttles.authenticated_web, clock),
        }
    }

    /// True if these are the throttles that `settings` ask for.
    pub(crate) fn are_of(&self, settings: &Settings) -> bool {
        self.throttles == settings.throttles
    }

    /// Counts one request; `None` if its throttle is off.
    pub(crate) fn count(&self, client: Client, surface: Surface) -> Option<Counted> {
        match (client, surface) {
            (Client::Network(network), _) => self.unauthenticated.as_ref().map(|counter| counter.count(&network)),
            (Client::User(user), Surface::Api) => self.api.as_ref().map(|counter| counter.count(&user)),
            (Client::User(user), Surface::Web) => self.web.as_ref().map(|counter| counter.count(&user)),
            (Client::Application(_) | Client::Server, _) => None,
        }
    }
}

/// One throttle.
struct Counter<K: std::hash::Hash + Eq + Clone> {
    name: &'static str,
    rate: Rate,
    buckets: Buckets<K>,
}

impl<K: std::hash::Hash + Eq + Clone> Counter<K> {
    fn new(name: &'static str, rate: Option<Rate>, clock: &Arc<dyn Clock>) -> Option<Self> {
        let rate = rate?;
        let burst = usize::try_from(rate.requests.get()).unwrap_or(usize::MAX);
        let buckets = Buckets::new(burst, rate.period / rate.requests.get(), Ticks::of(Arc::clone(clock)))?;
        Some(Self { name, rate, buckets })
    }

    fn count(&self, key: &K) -> Counted {
        let requests = self.rate.requests.get();
        let taken = self.buckets.take(key);
        let (remaining, reset_after) = match taken {
            Ok(remaining) => (remaining, self.rate.period / requests * requests.saturating_sub(remaining)),
            Err(throttled) => (0, throttled.retry_after),
        };
        Counted { name: self.name, per_minute: per_minute(self.rate), remaining, reset_after, refused: taken.err() }
    }
}

fn per_minute(rate: Rate) -> u32 {
    let seconds = rate.period.as_secs().max(1);
    u32::try_from((u64::from(rate.requests.get()) * 60).div_ceil(seconds)).unwrap_or(u32::MAX)
}

/// The addresses that users have called from lately, in this process.
pub(crate) struct CallerAddresses {
    seen: Mutex<HashMap<UserId, Vec<Seen>>>,
    clock: Arc<dyn Clock>,
}

/// An address, and when it was used last.
struct Seen {
    network: Network,
    at: Duration,
}

impl CallerAddresses {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { seen: Mutex::default(), clock }
    }

    /// True if `user` may call from there: an address that was used within the window, or one more while there are
    /// fewer than the limit. A refused address is not remembered, so that a stranger with a stolen token does not shut
    /// its owner out.
    pub(crate) fn admit(&self, user: UserId, network: Network, limit: UniqueIps) -> bool {
        let now = self.clock.elapsed();
        let is_current = |seen: &Seen| now.saturating_sub(seen.at) < limit.window;
        let mut all = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= REMEMBERED && !all.contains_key(&user) {
            all.retain(|_, seen| seen.iter().any(is_current));
            if all.len() >= REMEMBERED {
                all.clear();
            }
        }
        let known = all.entry(user).or_default();
        known.retain(is_current);
        if let Some(seen) = known.iter_mut().find(|seen| seen.network == network) {
            seen.at = now;
            return true;
        }
        let is_admitted = known.len() < limit.per_user;
        if is_admitted {
            known.push(Seen { network, at: now });
        }
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use tenon_domain::time::Timestamp;

    use super::*;

    /// A clock that a test moves.
    #[derive(Default)]
    struct Hand(Mutex<Duration>);

    impl Hand {
        fn pass(&self, seconds: u64) {
            *self.0.lock().unwrap() += Duration::from_secs(seconds);
        }
    }

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH + self.elapsed()
        }

        fn elapsed(&self) -> Duration {
            *self.0.lock().unwrap()
        }
    }

    fn network(address: &str) -> Network {
        Network::of(Some(address.parse().unwrap()))
    }

    fn rate(requests: u32, seconds: u64) -> Option<Rate> {
        Some(Rate { requests: NonZeroU32::new(requests)?, period: Duration::from_secs(seconds) })
    }

    #[test]
    fn each_throttle_counts_its_own_callers() {
        let hand = Arc::new(Hand::default());
        let clock: Arc<dyn Clock> = hand.clone();
        let throttles =
            Throttles { unauthenticated: rate(2, 60), authenticated_api: rate(3, 30), authenticated_web: None };
        let rates = CallerRates::new(throttles, &clock);
        let (here, user) = (Client::Network(network("192.0.2.1")), Client::User(UserId::new(1)));
        let allowed = |client, surface| {
            (0..9).take_while(|_| rates.count(client, surface).is_some_and(|counted| counted.refused.is_none())).count()
        };
        assert_eq!(allowed(here, Surface::Api), 2);
        assert_eq!(allowed(here, Surface::Web), 0, "one count for the whole server");
        assert_eq!(allowed(user, Surface::Api), 3);
        assert_eq!(rates.count(user, Surface::Web), None);
        assert_eq!(rates.count(Client::Server, Surface::Api), None);
        let refused = rates.count(user, Surface::Api).unwrap();
        assert_eq!((refused.name, refused.per_minute, refused.remaining), ("throttle_authenticated_api", 6, 0));
        assert_eq!(refused.refused.unwrap().seconds(), 10);
        hand.pass(10);
        let counted = rates.count(user, Surface::Api).unwrap();
        assert_eq!((counted.refused, counted.remaining, counted.reset_after), (None, 0, Duration::from_secs(30)));
    }

    #[test]
    fn the_widest_rates_are_counted() {
        let clock: Arc<dyn Clock> = Arc::new(Hand::default());
        for throttles in [(1_000_000_000, 1), (1, 1_000_000_000), (1_000_000_000, 1_000_000_000), (1, 1)] {
            let throttles = Throttles { unauthenticated: rate(throttles.0, throttles.1), ..Throttles::default() };
            let rates = CallerRates::new(throttles, &clock);
            let counted = rates.count(Client::Network(network("192.0.2.1")), Surface::Api);
            assert!(counted.is_some_and(|counted| counted.refused.is_none()), "{throttles:?}");
        }
    }

    #[test]
    fn addresses_count_for_the_window() {
        let hand = Arc::new(Hand::default());
        let addresses = CallerAddresses::new(hand.clone());
        let limit = UniqueIps { per_user: 2, window: Duration::from_mins(1) };
        let admit = |address: &str| addresses.admit(UserId::new(1), network(address), limit);
        assert!(admit("192.0.2.1") && admit("192.0.2.2") && admit("192.0.2.1"));
        assert!(!admit("192.0.2.3") && admit("192.0.2.2"));
        assert!(addresses.admit(UserId::new(2), network("192.0.2.3"), limit), "users are counted by themselves");
        hand.pass(59);
        assert!(admit("192.0.2.1") && !admit("192.0.2.3"));
        hand.pass(1);
        assert!(admit("192.0.2.3"), "192.0.2.2 was used a minute ago");
        assert!(!admit("192.0.2.2"));
    }
}
