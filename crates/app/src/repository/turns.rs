//! Turns at what only so many clients may do at once, and no client alone (abuse case 46).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tenon_domain::id::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::AppError;

/// How long a client waits for its turn.
const PATIENCE: Duration = Duration::from_secs(20);
/// After how many seconds a client that has waited in vain is asked to come again.
const RETRY_AFTER: u32 = 10;

/// Whose turns are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Client {
    /// A user's, from wherever they come.
    User(UserId),
    /// Those of everybody at an address who has not signed in.
    Address(IpAddr),
    /// Those of everybody of whom nothing is known.
    Unknown,
}

/// Turns of one kind. A client may hold half of them, and at least one: what it wants more of waits, and stands in nobody
/// else's way meanwhile.
#[derive(Debug)]
pub(crate) struct Turns {
    all: Arc<Semaphore>,
    each: usize,
    by_client: Mutex<HashMap<Client, Arc<Semaphore>>>,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _of_all: OwnedSemaphorePermit,
    _of_client: OwnedSemaphorePermit,
}

impl Turns {
    /// So many.
    pub(crate) fn new(number: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(number)), each: (number / 2).max(1), by_client: Mutex::default() }
    }

    /// A turn for this client, after a little while at most. [`AppError::Busy`] where none has become free.
    pub(crate) async fn take(&self, client: Client) -> Result<Turn, AppError> {
        let own = self.of(client);
        let both = async {
            // The client's own first: whoever waits for that holds nothing that others want.
            let of_client = own.acquire_owned().await?;
            let of_all = Arc::clone(&self.all).acquire_owned().await?;
            Ok::<_, tokio::sync::AcquireError>(Turn { _of_all: of_all, _of_client: of_client })
        };
        match timeout(PATIENCE, both).await {
            Ok(Ok(turn)) => Ok(turn),
            Ok(Err(_)) | Err(_) => Err(AppError::Busy { retry_after: RETRY_AFTER }),
        }
    }

    fn of(&self, client: Client) -> Arc<Semaphore> {
        let mut by_client = self.by_client.lock().unwrap_or_else(PoisonError::into_inner);
        // Turns that are held or waited for keep what they are counted by.
        by_client.retain(|_, turns| Arc::strong_count(turns) > 1);
        Arc::clone(by_client.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.each))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: Client = Client::User(UserId::new(1));
    const BOB: Client = Client::User(UserId::new(2));

    fn is_busy(outcome: &Result<Turn, AppError>) -> bool {
        matches!(outcome, Err(AppError::Busy { retry_after: RETRY_AFTER }))
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_takes_more_than_half_of_the_turns() {
        let turns = Turns::new(4);
        let first = turns.take(ANN).await.unwrap();
        let _second = turns.take(ANN).await.unwrap();
        assert!(is_busy(&turns.take(ANN).await));
        let somewhere = Client::Address("192.0.2.1".parse().unwrap());
        let _others = [turns.take(BOB).await.unwrap(), turns.take(somewhere).await.unwrap()];
        assert!(is_busy(&turns.take(BOB).await), "all turns are taken");
        drop(first);
        assert!(turns.take(ANN).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_turn_of_his_own_stands_in_nobodys_way() {
        let turns = Arc::new(Turns::new(2));
        let held = turns.take(ANN).await.unwrap();
        let waiting = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.take(ANN).await }
        });
        tokio::task::yield_now().await;
        assert!(turns.take(BOB).await.is_ok());
        drop(held);
        assert!(waiting.await.unwrap().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn one_turn_is_for_everybody_and_who_has_gone_is_forgotten() {
        let turns = Turns::new(1);
        for client in [ANN, BOB, Client::Unknown] {
            assert!(turns.take(client).await.is_ok());
        }
        assert_eq!(turns.by_client.lock().unwrap().len(), 1, "the last one");
    }
}
