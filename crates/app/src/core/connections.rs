//! Limits of open connections, in total and per network.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::core::client::Network;

/// The open connections. Clones share the counts.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    all: usize,
    per_network: usize,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: usize,
    by_network: HashMap<Network, usize>,
}

/// An open connection, counted until it is dropped.
#[derive(Debug)]
pub struct Connection {
    of: Connections,
    network: Option<Network>,
}

impl Connections {
    /// No open connections, of which there may be `all`, and `per_network` from one network.
    #[must_use]
    pub fn new(all: usize, per_network: usize) -> Self {
        Self(Arc::new(Inner { all, per_network, open: Mutex::default() }))
    }

    /// Counts one more connection; `None` if the limit is reached. `network` is `None` for a trusted proxy, which
    /// connects for many clients: its connections count only towards the total.
    #[must_use]
    pub fn open(&self, network: Option<Network>) -> Option<Connection> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = network.and_then(|network| open.by_network.get(&network).copied()).unwrap_or(0);
        if open.all >= self.0.all || own >= self.0.per_network {
            return None;
        }
        open.all += 1;
        if let Some(network) = network {
            open.by_network.insert(network, own + 1);
        }
        Some(Connection { of: self.clone(), network })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.of.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.all -= 1;
        let Some(network) = self.network else { return };
        if let Some(own) = open.by_network.get_mut(&network) {
            *own -= 1;
            if *own == 0 {
                open.by_network.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(address: &str) -> Network {
        Network::of(Some(address.parse().unwrap()))
    }

    #[test]
    fn a_network_has_its_share_and_a_closed_connection_gives_it_back() {
        let connections = Connections::new(10, 2);
        let held: Vec<_> = (0..3).map(|_| connections.open(Some(network("192.0.2.1")))).collect();
        assert_eq!(held.iter().flatten().count(), 2);
        assert!(connections.open(Some(network("192.0.2.2"))).is_some(), "another network");
        drop(held);
        assert!(connections.open(Some(network("192.0.2.1"))).is_some());
        assert_eq!(
            connections.0.open.lock().unwrap().by_network.len(),
            0,
            "nothing is remembered of closed connections"
        );
    }

    #[test]
    fn all_networks_and_proxies_together_have_a_bound() {
        let connections = Connections::new(3, 2);
        let _proxy: Vec<_> = (0..3).map(|_| connections.open(None).unwrap()).collect();
        assert!(connections.open(Some(network("192.0.2.1"))).is_none());
    }
}
