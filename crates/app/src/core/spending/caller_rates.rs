//! The counts of callers that the application settings ask for: requests over time, and the addresses that a user calls
//! from.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_domain::id::UserId;
use tenon_domain::settings::{BUDGETS, Budget, Counts, Rate, RequestTarget, Settings, UniqueIps};

use crate::core::clock::Clock;
use crate::core::spending::client::{Client, Network};
use crate::core::spending::throttle::{Buckets, Throttled, Ticks};

/// Users whose addresses are remembered at once.
const REMEMBERED: usize = 16 * 1024;

/// How a budget of the settings has counted one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The name of the budget.
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

/// The budgets that the settings give callers. Each holds as many requests as its period allows, and gets one back each time
/// that the period divided by that number has passed.
pub(crate) struct CallerRates {
    rates: Vec<Option<Rate>>,
    counters: Vec<Counter>,
}

/// Whom a budget counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    User(UserId),
    Network(Network),
    /// A digest of the path that is asked for.
    Path(u64),
}

/// A request that is counted.
pub(crate) struct CountedRequest<'r> {
    pub(crate) client: Client,
    pub(crate) network: Network,
    pub(crate) path: &'r str,
    pub(crate) asked: RequestTarget<'r>,
    /// True if the settings spare the user who asks.
    pub(crate) is_spared: bool,
}

impl CountedRequest<'_> {
    /// Whom a budget of this kind counts for the request; `None` if it does not count it.
    fn key(&self, counts: Counts, paths: &RandomState) -> Option<Key> {
        let caller = match self.client {
            Client::Network(network) => Key::Network(network),
            Client::User(user) => Key::User(user),
            Client::Application(_) | Client::Server => return None,
        };
        match (counts, caller) {
            (Counts::Anonymous, Key::Network(_)) | (Counts::Users, Key::User(_)) | (Counts::Callers, _) => Some(caller),
            (Counts::Anonymous | Counts::Users, _) => None,
            (Counts::Networks, _) => Some(Key::Network(self.network)),
            (Counts::Paths, _) => Some(Key::Path(paths.hash_one(self.path))),
        }
    }
}

impl CallerRates {
    /// Budgets of which nothing is spent yet.
    pub(crate) fn new(rates: &[Option<Rate>], clock: &Arc<dyn Clock>) -> Self {
        let counted = BUDGETS.iter().zip(rates).filter_map(|(budget, rate)| Counter::new(budget, (*rate)?, clock));
        Self { rates: rates.to_vec(), counters: counted.collect() }
    }

    /// True if these are the budgets that `settings` give.
    pub(crate) fn are_of(&self, settings: &Settings) -> bool {
        self.rates == settings.rates
    }

    /// Counts one request against all of its budgets; `None` if it has none. Answers the one that refuses it, or else the one
    /// of which least remains.
    pub(crate) fn count(&self, request: &CountedRequest<'_>) -> Option<Counted> {
        let counted = self.counters.iter().filter_map(|counter| counter.count(request));
        counted.min_by_key(|counted| (counted.refused.is_none(), counted.remaining))
    }
}

/// One budget.
struct Counter {
    budget: &'static Budget,
    rate: Rate,
    buckets: Buckets<Key>,
    paths: RandomState,
}

impl Counter {
    fn new(budget: &'static Budget, rate: Rate, clock: &Arc<dyn Clock>) -> Option<Self> {
        let burst = usize::try_from(rate.requests.get()).unwrap_or(usize::MAX);
        let buckets = Buckets::new(burst, rate.period / rate.requests.get(), Ticks::of(Arc::clone(clock)))?;
        Some(Self { budget, rate, buckets, paths: RandomState::new() })
    }

    fn count(&self, request: &CountedRequest<'_>) -> Option<Counted> {
        if self.budget.spares && request.is_spared {
            return None;
        }
        let key = request.key(self.budget.counts, &self.paths).filter(|_| self.budget.is_of(&request.asked))?;
        let requests = self.rate.requests.get();
        let taken = self.buckets.take(&key);
        let (remaining, reset_after) = match taken {
            Ok(remaining) => (remaining, self.rate.period / requests * requests.saturating_sub(remaining)),
            Err(throttled) => (0, throttled.retry_after),
        };
        let per_minute = per_minute(self.rate);
        Some(Counted { name: self.budget.name, per_minute, remaining, reset_after, refused: taken.err() })
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

    /// Budgets with the rates of these names.
    fn rates(named: &[(&str, Option<Rate>)], clock: &Arc<dyn Clock>) -> CallerRates {
        let rate = |budget: &Budget| named.iter().find(|(name, _)| *name == budget.name).and_then(|(_, rate)| *rate);
        CallerRates::new(&BUDGETS.iter().map(rate).collect::<Vec<_>>(), clock)
    }

    fn count(rates: &CallerRates, client: Client, path: &'static str) -> Option<Counted> {
        let asked = RequestTarget::new("GET", path, "");
        rates.count(&CountedRequest { client, network: network("192.0.2.1"), path, asked, is_spared: false })
    }

    #[test]
    fn each_budget_counts_its_own_callers() {
        let hand = Arc::new(Hand::default());
        let clock: Arc<dyn Clock> = hand.clone();
        let rates = rates(
            &[
                ("throttle_unauthenticated", rate(2, 60)),
                ("throttle_authenticated_api", rate(3, 30)),
                ("raw_blob_request_limit", rate(1, 60)),
            ],
            &clock,
        );
        let (here, user) = (Client::Network(network("192.0.2.1")), Client::User(UserId::new(1)));
        let allowed = |client, path| {
            (0..9).take_while(|_| count(&rates, client, path).is_some_and(|counted| counted.refused.is_none())).count()
        };
        assert_eq!(allowed(here, "/api/v4/projects"), 2);
        assert_eq!(allowed(here, "/explore"), 0, "one count for the whole server");
        assert_eq!(allowed(user, "/api/v4/projects"), 3);
        assert_eq!(count(&rates, user, "/explore"), None);
        assert_eq!(count(&rates, Client::Server, "/api/v4/projects"), None);
        let refused = count(&rates, user, "/api/v4/projects").unwrap();
        assert_eq!((refused.name, refused.per_minute, refused.remaining), ("throttle_authenticated_api", 6, 0));
        assert_eq!(refused.refused.unwrap().seconds(), 10);
        hand.pass(10);
        let counted = count(&rates, user, "/api/v4/projects").unwrap();
        assert_eq!((counted.refused, counted.remaining, counted.reset_after), (None, 0, Duration::from_secs(30)));
        // A path is counted whoever asks.
        assert_eq!(allowed(user, "/a/b/-/raw/main/x"), 1);
        assert_eq!(allowed(Client::User(UserId::new(2)), "/a/b/-/raw/main/x"), 0);
        assert_eq!(allowed(user, "/a/b/-/raw/main/y"), 1);
    }

    #[test]
    fn the_widest_rates_are_counted() {
        let clock: Arc<dyn Clock> = Arc::new(Hand::default());
        for (requests, seconds) in [(1_000_000_000, 1), (1, 1_000_000_000), (1_000_000_000, 1_000_000_000), (1, 1)] {
            let rates = rates(&[("throttle_unauthenticated", rate(requests, seconds))], &clock);
            let counted = count(&rates, Client::Network(network("192.0.2.1")), "/api/v4/projects");
            assert!(counted.is_some_and(|counted| counted.refused.is_none()), "{requests} {seconds}");
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
