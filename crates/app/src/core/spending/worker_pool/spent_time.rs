//! The time that clients have lately spent on the threads of a pool.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::core::spending::client::Client;

/// The time after which half of what was spent is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(2);
/// Less than this counts as nothing. Since threads spend no more than the time that passes, it bounds the number of clients.
const LEAST: Duration = Duration::from_millis(1);
/// The number of clients from which those that have spent nothing are removed.
const MANY: usize = 1024;

/// The time by client, and of all anonymous clients together.
#[derive(Default)]
pub(super) struct SpentTime {
    by_client: HashMap<Client, Spent>,
    anonymous: Spent,
    /// The number of clients at which `by_client` is tidied next.
    full: usize,
}

/// A time that shrinks.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    time: Duration,
    /// The moment at which it was that long. `None` if nothing was spent.
    at: Option<Instant>,
}

impl Spent {
    fn at(self, now: Instant) -> Duration {
        let passed = self.at.map(|at| now.saturating_duration_since(at)).unwrap_or_default();
        self.time.mul_f64(0.5_f64.powf(passed.div_duration_f64(HALF_LIFE)))
    }

    fn add(&mut self, time: Duration, now: Instant) {
        *self = Self { time: self.at(now) + time, at: Some(now) };
    }
}

impl SpentTime {
    /// Adds the time of a task that has ended now.
    pub(super) fn add(&mut self, client: Client, time: Duration, now: Instant) {
        if self.by_client.len() >= self.full.max(MANY) {
            self.by_client.retain(|_client, spent| spent.at(now) >= LEAST);
            self.full = self.by_client.len().saturating_mul(2);
        }
        self.by_client.entry(client).or_default().add(time, now);
        if client.is_anonymous() {
            self.anonymous.add(time, now);
        }
    }

    /// The rank of a client among those that wait: the lowest comes first. Anonymous clients rank as one towards all others, so
    /// that a user waits for no crowd of them.
    pub(super) fn rank(&self, client: Client, now: Instant) -> Rank {
        let own = self.by_client.get(&client).map(|spent| spent.at(now)).unwrap_or_default();
        if client.is_anonymous() {
            return Rank { spent: self.anonymous.at(now), among_anonymous: own };
        }
        Rank { spent: own, among_anonymous: Duration::ZERO }
    }
}

/// The time that a client has spent, for comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    /// Its time, or that of all anonymous clients if it is one.
    pub(super) spent: Duration,
    among_anonymous: Duration,
}

#[cfg(test)]
mod tests {
    use tenon_domain::id::UserId;

    use super::*;

    const ANN: Client = Client::User(UserId::new(1));

    #[test]
    fn half_of_the_time_is_forgotten_after_two_seconds() {
        let (mut spent, begin) = (SpentTime::default(), Instant::now());
        spent.add(ANN, Duration::from_millis(800), begin);
        for (seconds, left) in [(0, 800), (2, 400), (4, 200), (6, 100)] {
            assert_eq!(spent.rank(ANN, begin + Duration::from_secs(seconds)).spent, Duration::from_millis(left));
        }
        spent.add(ANN, Duration::from_millis(100), begin + Duration::from_secs(2));
        assert_eq!(spent.rank(ANN, begin + Duration::from_secs(2)).spent, Duration::from_millis(500));
    }

    #[test]
    fn clients_that_have_spent_nothing_are_forgotten() {
        let (mut spent, begin) = (SpentTime::default(), Instant::now());
        for number in 0..10 * i64::try_from(MANY).unwrap() {
            let now = begin + Duration::from_millis(number.unsigned_abs() * 10);
            spent.add(Client::User(UserId::new(number)), Duration::from_millis(2), now);
        }
        assert!(spent.by_client.len() <= 2 * MANY, "{}", spent.by_client.len());
    }
}
