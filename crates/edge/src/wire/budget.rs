//! Byte budgets: the memory that the bodies of all requests, or of all responses, may occupy.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_app::Client;

/// Bytes that are shared between clients. Clones share one budget.
#[derive(Debug, Clone)]
pub struct ByteBudget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    all: u64,
    per_client: u64,
    spent: Mutex<Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    all: u64,
    anonymous: u64,
    by_client: HashMap<Client, u64>,
}

/// Bytes of a budget, released when dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: ByteBudget,
    client: Client,
    bytes: u64,
}

/// The budget cannot hold more bytes of this client now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exhausted;

impl Spent {
    fn add(&mut self, client: Client, bytes: u64) {
        self.all = self.all.saturating_add(bytes);
        if client.is_anonymous() {
            self.anonymous = self.anonymous.saturating_add(bytes);
        }
        let own = self.by_client.entry(client).or_default();
        *own = own.saturating_add(bytes);
    }
}

impl ByteBudget {
    /// `all` bytes, of which a client has at most `per_client`, and all anonymous clients together at most half.
    pub fn new(all: u64, per_client: u64) -> Self {
        Self(Arc::new(Inner { all, per_client, spent: Mutex::default() }))
    }

    /// A reservation of `bytes` for this client.
    pub fn reserve(&self, client: Client, bytes: usize) -> Result<Reservation, Exhausted> {
        let mut reservation = Reservation { budget: self.clone(), client, bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }

    /// A reservation for bytes that are already in memory, even beyond the budget: until it is dropped,
    /// [`ByteBudget::is_exhausted`] holds for the client.
    pub fn charge(&self, client: Client, bytes: usize) -> Reservation {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.lock().add(client, bytes);
        Reservation { budget: self.clone(), client, bytes }
    }

    /// True if the client cannot reserve a single byte.
    pub fn is_exhausted(&self, client: Client) -> bool {
        !self.has_room(&self.lock(), client, 1)
    }

    fn has_room(&self, spent: &Spent, client: Client, bytes: u64) -> bool {
        let Inner { all, per_client, .. } = &*self.0;
        let own = spent.by_client.get(&client).copied().unwrap_or_default();
        let anonymous = if client.is_anonymous() { spent.anonymous.saturating_add(bytes) } else { 0 };
        spent.all.saturating_add(bytes) <= *all && own.saturating_add(bytes) <= *per_client && anonymous <= *all / 2
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.0.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes that are reserved.
    pub fn spent(&self) -> u64 {
        self.lock().all
    }
}

impl Reservation {
    /// Adds bytes to the reservation, which is unchanged if that fails.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let bytes = u64::try_from(bytes).map_err(|_too_many| Exhausted)?;
        let mut spent = self.budget.lock();
        if !self.budget.has_room(&spent, self.client, bytes) {
            return Err(Exhausted);
        }
        spent.add(self.client, bytes);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut spent = self.budget.lock();
        spent.all -= self.bytes;
        if self.client.is_anonymous() {
            spent.anonymous -= self.bytes;
        }
        if let Some(own) = spent.by_client.get_mut(&self.client) {
            *own -= self.bytes;
            if *own == 0 {
                spent.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tenon_app::Network;
    use tenon_domain::id::UserId;

    use super::*;

    fn network(address: &str) -> Client {
        Client::Network(Network::of(Some(address.parse().unwrap())))
    }

    #[test]
    fn a_client_has_a_share_and_gives_it_back() {
        let budget = ByteBudget::new(100, 60);
        let (ann, bob) = (Client::User(UserId::new(1)), Client::User(UserId::new(2)));
        let mut held = budget.reserve(ann, 50).unwrap();
        assert_eq!(held.grow(11), Err(Exhausted));
        assert_eq!(held.grow(10), Ok(()));
        assert_eq!(budget.reserve(bob, 41).map(drop), Err(Exhausted), "of all together");
        drop(held);
        assert!(budget.reserve(bob, 41).is_ok());
        assert_eq!(budget.spent(), 0);
        assert!(budget.0.spent.lock().unwrap().by_client.is_empty());
    }

    #[test]
    fn what_is_there_already_is_charged_beyond_the_share() {
        let budget = ByteBudget::new(100, 60);
        let (ann, bob) = (Client::User(UserId::new(1)), Client::User(UserId::new(2)));
        let charged = budget.charge(ann, 70);
        assert!(budget.is_exhausted(ann) && !budget.is_exhausted(bob));
        assert_eq!(budget.reserve(bob, 31).map(drop), Err(Exhausted));
        drop(charged);
        assert!(!budget.is_exhausted(ann));
        assert_eq!(budget.spent(), 0);
    }

    #[test]
    fn anonymous_clients_together_have_half() {
        let budget = ByteBudget::new(100, 60);
        let _first = budget.reserve(network("192.0.2.1"), 30).unwrap();
        let _second = budget.reserve(network("192.0.2.2"), 20).unwrap();
        assert_eq!(budget.reserve(network("192.0.2.3"), 1).map(drop), Err(Exhausted));
        assert!(budget.reserve(Client::User(UserId::new(1)), 50).is_ok());
    }
}
