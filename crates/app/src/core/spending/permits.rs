//! Permits for what only so many clients may do at once, shared fairly between the clients.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::core::error::AppError;
use crate::core::spending::client::Client;

/// Seconds after which a client that got no permit may try again.
const RETRY_AFTER: u32 = 10;

/// The least number of permits: with a single one, one client could hold all there are.
const LEAST: usize = 2;

/// A number of permits of which one client may hold half. A client that wants more waits without holding
/// anything that other clients want.
#[derive(Debug)]
pub(crate) struct Permits {
    all: Arc<Semaphore>,
    number: usize,
    each: usize,
    by_client: Mutex<HashMap<Client, Arc<Semaphore>>>,
    growing: Mutex<()>,
}

/// One or more permits, until they are dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    of_all: OwnedSemaphorePermit,
    of_client: OwnedSemaphorePermit,
}

impl Permit {
    /// Adds more permits of the same client from the same [`Permits`].
    pub(crate) fn merge(&mut self, more: Self) {
        self.of_all.merge(more.of_all);
        self.of_client.merge(more.of_client);
    }

    /// How many permits these are.
    pub(crate) fn count(&self) -> usize {
        self.of_all.num_permits()
    }
}

impl Permits {
    /// This many permits, at least two.
    pub(crate) fn new(number: usize) -> Self {
        let number = number.clamp(LEAST, Semaphore::MAX_PERMITS);
        let all = Arc::new(Semaphore::new(number));
        Self { all, number, each: number / 2, by_client: Mutex::default(), growing: Mutex::default() }
    }

    /// This many permits, of which one client may hold `each`.
    pub(crate) fn with_share(number: usize, each: usize) -> Self {
        let permits = Self::new(number);
        Self { each: each.clamp(1, permits.each), ..permits }
    }

    /// A permit for this client, waited for at most as long as `patience`. [`AppError::Busy`] if none has become free.
    pub(crate) async fn acquire(&self, client: Client, patience: Duration) -> Result<Permit, AppError> {
        let own = self.of(client);
        let both = async {
            // First the client's own: while it waits for that, it holds no permit that another client could have.
            let of_client = own.acquire_owned().await?;
            let of_all = Arc::clone(&self.all).acquire_owned().await?;
            Ok::<_, AcquireError>(Permit { of_all, of_client })
        };
        match timeout(patience, both).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(AppError::Busy { retry_after: RETRY_AFTER }),
        }
    }

    /// That many permits for this client, without waiting. [`AppError::Busy`] if they are not free, or if fewer would
    /// be left for others than the client then holds: so there is room for the next client whatever the others hold.
    pub(crate) fn try_acquire(&self, client: Client, number: u32) -> Result<Permit, AppError> {
        let busy = |_error| AppError::Busy { retry_after: RETRY_AFTER };
        let own = self.of(client);
        // Held until the permits are taken: two clients at once must not count the same ones as free.
        let _growing = self.growing.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = usize::try_from(number).unwrap_or(usize::MAX);
        let holds = self.each.saturating_sub(own.available_permits()).saturating_add(wanted);
        if holds > self.all.available_permits().saturating_sub(wanted) {
            return Err(AppError::Busy { retry_after: RETRY_AFTER });
        }
        let of_client = own.try_acquire_many_owned(number).map_err(busy)?;
        let of_all = Arc::clone(&self.all).try_acquire_many_owned(number).map_err(busy)?;
        Ok(Permit { of_all, of_client })
    }

    /// How many are held.
    pub(crate) fn held(&self) -> usize {
        self.number.saturating_sub(self.all.available_permits())
    }

    fn of(&self, client: Client) -> Arc<Semaphore> {
        let mut by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        // Permits that are held or waited for keep the semaphore that they are counted by.
        by_client.retain(|_, permits| Arc::strong_count(permits) > 1);
        Arc::clone(by_client.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }
}

/// Permits of the same kind for signed-in and for anonymous callers: neither can use up those of the other.
#[derive(Debug)]
pub(crate) struct PermitPools {
    signed_in: Permits,
    anonymous: Permits,
}

impl PermitPools {
    /// This many permits for each kind of caller.
    pub(crate) fn new(signed_in: usize, anonymous: usize) -> Self {
        Self { signed_in: Permits::new(signed_in), anonymous: Permits::new(anonymous) }
    }

    /// How many are held, of both kinds.
    pub(crate) fn held(&self) -> usize {
        self.signed_in.held() + self.anonymous.held()
    }

    /// The permits for callers like this one.
    pub(crate) fn of(&self, client: Client) -> &Permits {
        if client.is_anonymous() { &self.anonymous } else { &self.signed_in }
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::id::UserId;

    use super::*;
    use crate::core::spending::client::Network;

    const ANN: Client = Client::User(UserId::new(1));
    const BOB: Client = Client::User(UserId::new(2));
    const PATIENCE: Duration = Duration::from_secs(20);

    fn at(address: &str) -> Client {
        Client::Network(Network::of(address.parse().ok()))
    }

    fn is_busy(outcome: &Result<Permit, AppError>) -> bool {
        matches!(outcome, Err(AppError::Busy { retry_after: RETRY_AFTER }))
    }

    #[tokio::test(start_paused = true)]
    async fn no_client_gets_more_than_half_of_the_permits() {
        let permits = Permits::new(4);
        let first = permits.acquire(ANN, PATIENCE).await.unwrap();
        let _second = permits.acquire(ANN, PATIENCE).await.unwrap();
        assert!(is_busy(&permits.acquire(ANN, PATIENCE).await));
        let _others =
            [permits.acquire(BOB, PATIENCE).await.unwrap(), permits.acquire(at("192.0.2.1"), PATIENCE).await.unwrap()];
        assert!(is_busy(&permits.acquire(BOB, PATIENCE).await), "all permits are held");
        drop(first);
        assert!(permits.acquire(ANN, PATIENCE).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_its_own_permit_holds_none_of_the_others() {
        let permits = Arc::new(Permits::new(2));
        let held = permits.acquire(ANN, PATIENCE).await.unwrap();
        let waiting = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { permits.acquire(ANN, PATIENCE).await }
        });
        tokio::task::yield_now().await;
        assert!(permits.acquire(BOB, PATIENCE).await.is_ok());
        drop(held);
        assert!(waiting.await.unwrap().is_ok());
    }

    /// As on a machine of one core.
    #[tokio::test(start_paused = true)]
    async fn where_one_permit_is_asked_for_one_client_does_not_hold_all() {
        let permits = Permits::new(1);
        let _held = permits.acquire(ANN, PATIENCE).await.unwrap();
        assert!(is_busy(&permits.acquire(ANN, PATIENCE).await));
        let _other = permits.acquire(BOB, PATIENCE).await.unwrap();
        assert!(is_busy(&permits.acquire(at("192.0.2.1"), PATIENCE).await), "there are two");
    }

    #[tokio::test(start_paused = true)]
    async fn clients_without_permits_are_forgotten() {
        let permits = Permits::new(2);
        for client in [ANN, BOB, at("192.0.2.1")] {
            assert!(permits.acquire(client, PATIENCE).await.is_ok());
        }
        assert_eq!(permits.by_client.lock().unwrap().len(), 1, "the last one");
    }

    #[test]
    fn permits_are_acquired_in_parts_up_to_half() {
        let permits = Permits::new(20);
        let mut held = permits.try_acquire(ANN, 6).unwrap();
        held.merge(permits.try_acquire(ANN, 4).unwrap());
        assert_eq!(held.count(), 10);
        assert!(is_busy(&permits.try_acquire(ANN, 1)));
        drop(held);
        assert!(permits.try_acquire(ANN, 10).is_ok());
    }

    #[test]
    fn clients_that_take_all_they_get_leave_room_for_the_next_one() {
        let permits = Permits::new(600);
        let client = |id| Client::User(UserId::new(id));
        let grown = |id| {
            let mut held = permits.try_acquire(client(id), 1).unwrap();
            while let Ok(more) = permits.try_acquire(client(id), 1) {
                held.merge(more);
            }
            held
        };
        let held: Vec<Permit> = (1..=5).map(grown).collect();
        assert_eq!(held.iter().map(Permit::count).collect::<Vec<_>>(), [300, 150, 75, 37, 19]);
        // Two may hold a third each, whatever they take in one go.
        drop(held);
        let _first = permits.try_acquire(client(1), 200).unwrap();
        let _second = permits.try_acquire(client(2), 200).unwrap();
        assert!(permits.try_acquire(client(3), 100).is_ok());
        assert!(is_busy(&permits.try_acquire(client(3), 101)));
    }

    #[tokio::test(start_paused = true)]
    async fn anonymous_clients_leave_the_permits_of_signed_in_ones_alone() {
        let pools = PermitPools::new(2, 2);
        let take = async |address| pools.of(at(address)).acquire(at(address), PATIENCE).await;
        let _held = [take("192.0.2.1").await.unwrap(), take("192.0.2.2").await.unwrap()];
        assert!(is_busy(&take("192.0.2.3").await));
        assert!(pools.of(ANN).acquire(ANN, PATIENCE).await.is_ok());
    }
}
