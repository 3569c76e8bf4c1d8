//! Throttles: how many requests and wrong passwords a client may send over time.

use std::hash::{BuildHasher as _, Hash, RandomState};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::clock::{Clock as GovernorClock, Reference as _};
use governor::middleware::StateInformationMiddleware;
use governor::nanos::Nanos;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use quick_cache::sync::Cache;
use tenon_domain::id::UserId;
use tenon_domain::limits::RateLimits;

use crate::core::clock::Clock;
use crate::core::spending::client::{Client, Network};

/// After how many checks the buckets that are full again are dropped. An address that has sent one request is dropped
/// a fraction of a second later, so that the number of buckets follows the rate of requests and not that of addresses.
const SWEEP: u64 = 1024;
/// Names and networks remembered at once for sign-ins.
const REMEMBERED: usize = 16 * 1024;

/// A request that came too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throttled {
    /// Time after which the next request is allowed.
    pub retry_after: Duration,
    /// Requests that are allowed at once.
    pub burst: u32,
}

impl Throttled {
    /// Whole seconds to wait, at least one.
    #[must_use]
    pub fn seconds(self) -> u32 {
        u32::try_from(self.retry_after.as_millis().div_ceil(1000)).unwrap_or(u32::MAX).max(1)
    }
}

/// The application's clock as the crate of buckets reads it: as time that has passed, so that setting the machine's
/// clock neither frees nor blocks callers.
#[derive(Clone)]
pub(super) struct Ticks(Arc<dyn Clock>);

impl Ticks {
    pub(super) fn of(clock: Arc<dyn Clock>) -> Self {
        Self(clock)
    }
}

impl GovernorClock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(self.0.elapsed())
    }
}

/// Token buckets by key.
pub(super) struct Buckets<K: Hash + Eq + Clone> {
    limiter: RateLimiter<K, HashMapStateStore<K>, Ticks, StateInformationMiddleware>,
    clock: Ticks,
    burst: NonZeroU32,
    checks: AtomicU64,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    /// Buckets that hold `burst` and get one more each `pause`; `None` if one of them is zero.
    pub(super) fn new(burst: usize, pause: Duration, clock: Ticks) -> Option<Self> {
        let burst = NonZeroU32::new(u32::try_from(burst).unwrap_or(u32::MAX))?;
        let quota = Quota::with_period(pause)?.allow_burst(burst);
        let limiter = RateLimiter::hashmap_with_clock(quota, clock.clone()).with_middleware();
        Some(Self { limiter, clock, burst, checks: AtomicU64::new(0) })
    }

    /// Takes one out of the bucket of `key` and returns what is left.
    pub(super) fn take(&self, key: &K) -> Result<u32, Throttled> {
        if self.checks.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(key).map(|state| state.remaining_burst_capacity()).map_err(|refused| Throttled {
            retry_after: refused.wait_time_from(self.clock.now()),
            burst: self.burst.get(),
        })
    }
}

/// Counts the requests of anonymous callers by network.
pub(crate) struct RequestThrottle(Option<Buckets<Network>>);

impl RequestThrottle {
    /// A throttle as `limits` say; without one if they are zero.
    pub(crate) fn new(limits: &RateLimits, clock: Arc<dyn Clock>) -> Self {
        let rate = u32::try_from(limits.anonymous_per_second).unwrap_or(u32::MAX);
        let pause = Duration::from_secs(1).checked_div(rate).unwrap_or_default();
        Self(Buckets::new(limits.anonymous_burst, pause, Ticks(clock)))
    }

    /// Counts one request. Clients that have signed in are not counted: they share threads, permits and bytes.
    pub(crate) fn count(&self, client: Client) -> Result<(), Throttled> {
        match (&self.0, client) {
            (Some(buckets), Client::Network(network)) => buckets.take(&network).map(drop),
            (None, _) | (_, Client::User(_) | Client::Application(_) | Client::Server) => Ok(()),
        }
    }
}

/// Counts wrong passwords at sign-ins by account name and by network; by user, those of users who have signed in, and wrong
/// codes. Names are counted whether or not there is such an account, and each name or address of an account by itself:
/// counted together, an attempt would say that they belong together.
///
/// A right password gives no attempts back, neither to the account nor to the network: who knows one account, or
/// shares a network with a user who signs in, would get as many attempts at another password as they like. It only
/// lets the account be counted by itself in that network from then on, so that wrong passwords from elsewhere, or of
/// others in the network, do not shut it out there.
pub(crate) struct SignInThrottle {
    accounts: Failures<u64>,
    networks: Failures<Client>,
    /// Pairs of name and network that have signed in.
    trusted: Cache<(u64, Client), ()>,
    /// The wrong passwords of those pairs.
    at_home: Failures<(u64, Client)>,
    /// Wrong codes. Who tries them knows the password: no network is trusted, and the pause is longer, since there are only
    /// a million codes.
    codes: Failures<UserId>,
    /// Wrong passwords of users who have signed in, which strangers cannot add to.
    confirmations: Failures<UserId>,
    hasher: RandomState,
}

impl SignInThrottle {
    /// A throttle as `limits` say.
    pub(crate) fn new(limits: &RateLimits, clock: &Arc<dyn Clock>) -> Self {
        let pause = limits.sign_in_pause;
        let (of_account, of_address) = (limits.sign_in_burst_per_account, limits.sign_in_burst_per_address);
        Self {
            accounts: Failures::new(of_account, pause, clock),
            networks: Failures::new(of_address, pause, clock),
            at_home: Failures::new(of_account, pause, clock),
            trusted: Cache::new(REMEMBERED),
            confirmations: Failures::new(of_account, pause, clock),
            codes: Failures::new(limits.code_burst_per_account, limits.code_pause, clock),
            hasher: RandomState::new(),
        }
    }

    /// Checks that a password for this account name may be tried from this client now.
    pub(crate) fn check(&self, name: &str, client: Client) -> Result<(), Throttled> {
        let account = self.account(name);
        if self.trusted.get(&(account, client)).is_some() {
            return self.at_home.check(&(account, client));
        }
        self.networks.check(&client)?;
        self.accounts.check(&account)
    }

    /// Notes how an attempt ended.
    pub(crate) fn note(&self, name: &str, client: Client, is_right: bool) {
        let account = self.account(name);
        if is_right {
            self.trusted.insert((account, client), ());
        } else {
            self.accounts.add(&account);
            self.networks.add(&client);
            if self.trusted.get(&(account, client)).is_some() {
                self.at_home.add(&(account, client));
            }
        }
    }

    /// Checks that this user may try a code now: of the second factor, or of a device.
    pub(crate) fn check_code(&self, user: UserId) -> Result<(), Throttled> {
        self.codes.check(&user)
    }

    /// Notes that a code was wrong.
    pub(crate) fn note_wrong_code(&self, user: UserId) {
        self.codes.add(&user);
    }

    /// Checks that this user, who has signed in, may give their password now.
    pub(crate) fn check_confirmation(&self, user: UserId) -> Result<(), Throttled> {
        self.confirmations.check(&user)
    }

    /// Notes that it was wrong.
    pub(crate) fn note_wrong_confirmation(&self, user: UserId) {
        self.confirmations.add(&user);
    }

    fn account(&self, name: &str) -> u64 {
        self.hasher.hash_one(name.trim().to_lowercase())
    }
}

/// Failures by key. Past the burst, a key is blocked for one pause after each further failure.
struct Failures<K: Hash + Eq + Clone> {
    buckets: Option<Buckets<K>>,
    blocked: Cache<K, Nanos>,
    pause: Duration,
}

impl<K: Hash + Eq + Clone> Failures<K> {
    fn new(burst: usize, pause: Duration, clock: &Arc<dyn Clock>) -> Self {
        let buckets = Buckets::new(burst, pause, Ticks(Arc::clone(clock)));
        Self { buckets, blocked: Cache::new(REMEMBERED), pause }
    }

    fn check(&self, key: &K) -> Result<(), Throttled> {
        let (Some(buckets), Some(until)) = (&self.buckets, self.blocked.get(key)) else { return Ok(()) };
        let left = until.duration_since(buckets.clock.now());
        if left.as_u64() == 0 {
            return Ok(());
        }
        Err(Throttled { retry_after: left.into(), burst: buckets.burst.get() })
    }

    fn add(&self, key: &K) {
        let Some(buckets) = &self.buckets else { return };
        match buckets.take(key) {
            Ok(left) if left > 0 => {}
            Ok(_) | Err(_) => self.blocked.insert(key.clone(), buckets.clock.now() + self.pause),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use tenon_domain::id::UserId;
    use tenon_domain::limits::Limits;
    use tenon_domain::time::{TimeDelta, Timestamp};

    use super::*;

    /// A clock that a test moves.
    struct Hand(Mutex<(Timestamp, Duration)>);

    impl Hand {
        fn new() -> Arc<Self> {
            Arc::new(Self(Mutex::new((Timestamp::from_timestamp(1_800_000_000, 0).unwrap(), Duration::ZERO))))
        }

        fn pass(&self, time: Duration) {
            let (now, elapsed) = &mut *self.0.lock().unwrap();
            *now += time;
            *elapsed += time;
        }

        /// The same as an administrator who sets the machine's clock.
        fn set(&self, by: TimeDelta) {
            self.0.lock().unwrap().0 += by;
        }
    }

    impl Clock for Hand {
        fn now(&self) -> Timestamp {
            self.0.lock().unwrap().0
        }

        fn elapsed(&self) -> Duration {
            self.0.lock().unwrap().1
        }
    }

    fn network(address: &str) -> Client {
        Client::Network(Network::of(Some(address.parse().unwrap())))
    }

    #[test]
    fn an_anonymous_network_has_a_burst_and_then_a_rate() {
        let hand = Hand::new();
        let limits = RateLimits { anonymous_burst: 3, anonymous_per_second: 2, ..RateLimits::default() };
        let throttle = RequestThrottle::new(&limits, hand.clone());
        let (here, there) = (network("2001:db8::1"), network("192.0.2.1"));
        let allowed = |client| (0..10).take_while(|_| throttle.count(client).is_ok()).count();
        assert_eq!([allowed(here), allowed(network("2001:db8::2")), allowed(there)], [3, 0, 3]);
        let refused = throttle.count(here).unwrap_err();
        assert_eq!((refused.retry_after, refused.seconds(), refused.burst), (Duration::from_millis(500), 1, 3));
        hand.pass(Duration::from_secs(1));
        assert_eq!(allowed(here), 2);
        assert_eq!(allowed(Client::User(UserId::new(1))), 10, "not counted");
    }

    #[test]
    fn without_rates_nothing_is_counted() {
        let throttle = RequestThrottle::new(&Limits::without_rates().rates, Hand::new());
        assert!((0..5_000).all(|_| throttle.count(network("192.0.2.1")).is_ok()));
    }

    #[test]
    fn wrong_passwords_block_an_account_from_networks_that_never_had_it() {
        let hand = Hand::new();
        let clock: Arc<dyn Clock> = hand.clone();
        let limits = RateLimits { sign_in_burst_per_account: 3, ..RateLimits::default() };
        let throttle = SignInThrottle::new(&limits, &clock);
        let (home, elsewhere, third) = (network("192.0.2.1"), network("192.0.2.2"), network("192.0.2.3"));
        throttle.note("ann", home, true);
        let tried = (0..20)
            .take_while(|_| throttle.check("Ann", elsewhere).map(|()| throttle.note("ann", elsewhere, false)).is_ok());
        assert_eq!(tried.count(), 3);
        assert!(throttle.check("ann", third).is_err(), "the account is blocked, not the network");
        assert!(throttle.check("bob", third).is_ok());
        assert!(throttle.check("ann", home).is_ok(), "where the right password came from");
        hand.pass(Duration::from_secs(10));
        assert!(throttle.check("ann", third).is_ok(), "one more attempt after the pause");
        throttle.note("ann", third, false);
        assert!(throttle.check("ann", third).is_err());
    }

    #[test]
    fn strangers_do_not_shut_out_who_has_signed_in() {
        let clock: Arc<dyn Clock> = Hand::new();
        let limits = RateLimits { sign_in_burst_per_account: 2, ..RateLimits::default() };
        let throttle = SignInThrottle::new(&limits, &clock);
        let (ann, here) = (UserId::new(1), network("192.0.2.1"));
        for _ in 0..2 {
            throttle.note("ann", here, false);
        }
        assert!(throttle.check("ann", here).is_err() && throttle.check_confirmation(ann).is_ok());
        for _ in 0..2 {
            throttle.note_wrong_confirmation(ann);
        }
        assert!(throttle.check_confirmation(ann).is_err());
    }

    #[test]
    fn setting_the_clock_of_the_machine_neither_frees_nor_blocks() {
        let hand = Hand::new();
        let clock: Arc<dyn Clock> = hand.clone();
        let limits = RateLimits { anonymous_burst: 1, sign_in_burst_per_account: 1, ..RateLimits::default() };
        let (requests, sign_ins) = (RequestThrottle::new(&limits, hand.clone()), SignInThrottle::new(&limits, &clock));
        let here = network("192.0.2.1");
        let exhausted = || {
            sign_ins.note("ann", here, false);
            requests.count(here).is_err() && sign_ins.check("ann", here).is_err()
        };
        assert!(requests.count(here).is_ok() && exhausted());
        hand.set(TimeDelta::days(1));
        assert!(exhausted());
        hand.set(TimeDelta::days(-2));
        hand.pass(Duration::from_secs(10));
        assert!(requests.count(here).is_ok() && sign_ins.check("ann", here).is_ok());
    }

    #[test]
    fn a_right_password_gives_no_attempts_back() {
        let hand = Hand::new();
        let clock: Arc<dyn Clock> = hand.clone();
        let limits = RateLimits { sign_in_burst_per_account: 3, sign_in_burst_per_address: 5, ..RateLimits::default() };
        let throttle = SignInThrottle::new(&limits, &clock);
        let office = network("192.0.2.1");
        let wrong = |name: &str, attempts: usize| {
            let tried = (0..attempts).take_while(|_| {
                let allowed = throttle.check(name, office).is_ok();
                if allowed {
                    throttle.note(name, office, false);
                }
                allowed
            });
            tried.count()
        };
        // A colleague guesses at the password of a user who signs in from the same network all the time.
        throttle.note("ann", office, true);
        assert_eq!(wrong("ann", 2), 2);
        throttle.note("ann", office, true);
        assert_eq!(wrong("ann", 20), 1);
        // And at another's, signing in as themselves in between.
        assert_eq!(wrong("bob", 1), 1);
        throttle.note("eve", office, true);
        assert_eq!(wrong("bob", 20), 1, "five for the network");
        assert!(throttle.check("eve", office).is_ok(), "who has signed in from here is not shut out by others");
        hand.pass(Duration::from_secs(10));
        assert_eq!(wrong("ann", 20), 1, "one for each pause");
    }

    #[test]
    fn wrong_passwords_block_a_network_whatever_accounts_they_are_for() {
        let clock: Arc<dyn Clock> = Hand::new();
        let limits = RateLimits { sign_in_burst_per_address: 5, ..RateLimits::default() };
        let throttle = SignInThrottle::new(&limits, &clock);
        let here = network("192.0.2.1");
        let tried = (0..20).take_while(|number| {
            let name = format!("user{number}");
            throttle.check(&name, here).map(|()| throttle.note(&name, here, false)).is_ok()
        });
        assert_eq!(tried.count(), 5);
    }

    #[test]
    fn wrong_codes_make_their_user_wait_and_no_other() {
        let hand = Hand::new();
        let clock: Arc<dyn Clock> = hand.clone();
        let throttle = SignInThrottle::new(&RateLimits::default(), &clock);
        let (ann, bob) = (UserId::new(1), UserId::new(2));
        let try_codes = |most: usize| {
            (0..most).take_while(|_| throttle.check_code(ann).map(|()| throttle.note_wrong_code(ann)).is_ok()).count()
        };
        assert_eq!(try_codes(20), 10);
        assert!(throttle.check_code(bob).is_ok() && throttle.check("ann", network("192.0.2.1")).is_ok());
        hand.pass(Duration::from_mins(1));
        assert_eq!(try_codes(20), 1);
    }
}
