//! Limits of open connections: a half is for those on which no user was proved, and every network and every user has a share.
//!
//! A stranger is never refused because of other strangers: if their places are taken, a connection of the network that has
//! most of them ends. It is the oldest one on which no request is under way, or else the oldest one. So a connection that stays
//! silent loses its place before one that is served, and one on which a user is proved keeps it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::core::spending::client::{Client, Network};

/// Ends a connection. It must not block.
type End = Box<dyn FnOnce() + Send>;

/// The open connections. Clones share the counts.
#[derive(Debug, Clone)]
pub struct Connections(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    all: usize,
    each: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// The number of the next connection.
    next: u64,
    /// Who has which place.
    places: HashMap<u64, Place>,
    /// The connections of strangers, by age.
    strangers: HashMap<Network, BTreeMap<u64, Stranger>>,
    /// Their networks, the one that has to give way last: by the number of its connections, and then by the age of the oldest.
    by_size: BTreeSet<(usize, Reverse<u64>, Network)>,
    /// Strangers of all networks.
    unknown: usize,
    /// The number of connections on which a user was proved, by user.
    proved: HashMap<Client, usize>,
}

/// A connection on which no user was proved.
struct Stranger {
    end: End,
    /// Requests that are under way on it.
    requests: usize,
}

/// For whom a connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Stranger(Network),
    Proved(Client),
    /// A trusted proxy, which connects for many clients.
    Proxy,
}

/// An open connection, counted until it is dropped.
#[derive(Debug)]
pub struct Connection {
    of: Connections,
    number: u64,
    is_proved: AtomicBool,
}

/// A request that is under way on a connection, until this is dropped.
#[derive(Debug)]
pub struct UnderWay(Arc<Connection>);

/// An accepted connection, and how many others had to end for it.
#[derive(Debug)]
pub struct Accepted {
    /// The connection.
    pub connection: Connection,
    /// True if that of a stranger has ended for it.
    pub has_displaced: bool,
}

impl Connections {
    /// No open connections, of which there may be `all`, and `each` from one network and of one user.
    #[must_use]
    pub fn new(all: usize, each: usize) -> Self {
        Self(Arc::new(Inner { all, each, open: Mutex::default() }))
    }

    /// Counts one more connection of a stranger, which `end` ends; `None` if users and proxies have all places.
    /// `network` is `None` for a trusted proxy: its connections count only towards the total.
    #[must_use]
    pub fn open(&self, network: Option<Network>, end: impl FnOnce() + Send + 'static) -> Option<Accepted> {
        let mut open = self.lock();
        let is_full = open.places.len() >= self.0.all;
        let gives_way = match network {
            Some(network) if open.strangers_of(network) >= self.0.each => Some(network),
            Some(_) if is_full || open.unknown >= (self.0.all / 2).max(1) => open.largest(),
            None if is_full => open.largest(),
            Some(_) | None => None,
        };
        let displaced = gives_way.and_then(|network| open.remove_oldest(network));
        let has_share = network.is_none_or(|network| open.strangers_of(network) < self.0.each);
        if open.places.len() >= self.0.all || !has_share {
            return None;
        }
        let number = open.next;
        open.next += 1;
        match network {
            Some(network) => open.add(network, number, Box::new(end)),
            None => {
                open.places.insert(number, Place::Proxy);
            }
        }
        drop(open);
        let has_displaced = displaced.is_some();
        if let Some(end) = displaced {
            end();
        }
        let connection = Connection { of: self.clone(), number, is_proved: AtomicBool::new(network.is_none()) };
        Some(Accepted { connection, has_displaced })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Gives the connection a place among those of users, now that it has proved to be `client`'s. `false` if that
    /// client has its share, or as many as it leaves for others: then the connection keeps its place among strangers.
    pub fn prove(&self, client: Client) -> bool {
        if self.is_proved.load(Ordering::Relaxed) {
            return true;
        }
        let Inner { all, each, .. } = *self.of.0;
        let mut open = self.of.lock();
        let own = open.proved.get(&client).copied().unwrap_or(0);
        let free = all.saturating_sub(open.places.len() - open.unknown);
        if own >= each || own >= free {
            return false;
        }
        let Some(Place::Stranger(network)) = open.places.get(&self.number).copied() else { return false };
        // The sender that would end it is dropped, unused.
        let end = open.remove(network, self.number);
        open.places.insert(self.number, Place::Proved(client));
        *open.proved.entry(client).or_default() += 1;
        drop(open);
        drop(end);
        self.is_proved.store(true, Ordering::Relaxed);
        true
    }
}

impl Connection {
    /// Notes that a request is under way. `None` on a connection that gives way to no other anyway.
    #[must_use]
    pub fn begin_request(self: &Arc<Self>) -> Option<UnderWay> {
        if self.is_proved.load(Ordering::Relaxed) {
            return None;
        }
        self.count_requests(|requests| requests + 1);
        Some(UnderWay(Arc::clone(self)))
    }

    fn count_requests(&self, change: impl FnOnce(usize) -> usize) {
        let mut open = self.of.lock();
        let Some(Place::Stranger(network)) = open.places.get(&self.number).copied() else { return };
        let own = open.strangers.get_mut(&network).and_then(|own| own.get_mut(&self.number));
        if let Some(stranger) = own {
            stranger.requests = change(stranger.requests);
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.count_requests(|requests| requests.saturating_sub(1));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut open = self.of.lock();
        let end = match open.places.get(&self.number).copied() {
            Some(Place::Stranger(network)) => open.remove(network, self.number),
            Some(Place::Proved(client)) => {
                if let Some(own) = open.proved.get_mut(&client) {
                    *own -= 1;
                    if *own == 0 {
                        open.proved.remove(&client);
                    }
                }
                open.places.remove(&self.number);
                None
            }
            Some(Place::Proxy) => {
                open.places.remove(&self.number);
                None
            }
            // Another one has its place.
            None => None,
        };
        drop(open);
        drop(end);
    }
}

impl Open {
    fn strangers_of(&self, network: Network) -> usize {
        self.strangers.get(&network).map_or(0, BTreeMap::len)
    }

    /// The network that has to give way.
    fn largest(&self) -> Option<Network> {
        self.by_size.last().map(|(_, _, network)| *network)
    }

    fn add(&mut self, network: Network, number: u64, end: End) {
        self.change(network, |own| drop(own.insert(number, Stranger { end, requests: 0 })));
        self.places.insert(number, Place::Stranger(network));
        self.unknown += 1;
    }

    /// Takes the place of the oldest connection away, of those without a request if there are any.
    fn remove_oldest(&mut self, network: Network) -> Option<End> {
        let own = self.strangers.get(&network)?;
        let idle = own.iter().find(|(_, stranger)| stranger.requests == 0);
        let number = *idle.or_else(|| own.first_key_value())?.0;
        self.remove(network, number)
    }

    /// Takes the place of a stranger away.
    fn remove(&mut self, network: Network, number: u64) -> Option<End> {
        self.places.remove(&number);
        let removed = self.change(network, |own| own.remove(&number));
        self.unknown -= usize::from(removed.is_some());
        removed.map(|stranger| stranger.end)
    }

    /// Changes the connections of a network, and with them its place in the order.
    fn change<T>(&mut self, network: Network, change: impl FnOnce(&mut BTreeMap<u64, Stranger>) -> T) -> T {
        let own = self.strangers.entry(network).or_default();
        if let Some(rank) = rank(network, own) {
            self.by_size.remove(&rank);
        }
        let changed = change(own);
        if let Some(rank) = rank(network, own) {
            self.by_size.insert(rank);
        } else {
            self.strangers.remove(&network);
        }
        changed
    }
}

/// The place of a network in the order in which networks give way; none without a connection.
fn rank(network: Network, own: &BTreeMap<u64, Stranger>) -> Option<(usize, Reverse<u64>, Network)> {
    own.first_key_value().map(|(oldest, _)| (own.len(), Reverse(*oldest), network))
}

impl std::fmt::Debug for Open {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Open").field("places", &self.places).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use tenon_domain::id::UserId;

    use super::*;

    fn network(number: u8) -> Network {
        Network::of(Some([192, 0, 2, number].into()))
    }

    fn user(id: i64) -> Client {
        Client::User(UserId::new(id))
    }

    /// Connections that note which of them were ended.
    struct Door {
        connections: Connections,
        ended: Arc<Mutex<Vec<&'static str>>>,
    }

    impl Door {
        fn new(all: usize, each: usize) -> Self {
            Self { connections: Connections::new(all, each), ended: Arc::default() }
        }

        fn open(&self, from: u8, name: &'static str) -> Option<Connection> {
            let ended = Arc::clone(&self.ended);
            let end = move || ended.lock().unwrap().push(name);
            self.connections.open(Some(network(from)), end).map(|accepted| accepted.connection)
        }

        fn ended(&self) -> Vec<&'static str> {
            std::mem::take(&mut self.ended.lock().unwrap())
        }
    }

    #[test]
    fn strangers_have_a_half_and_the_oldest_of_the_largest_network_gives_way() {
        let door = Door::new(8, 4);
        let _held = [door.open(1, "a1"), door.open(2, "b1"), door.open(2, "b2"), door.open(3, "c1")];
        assert_eq!(door.ended(), [""; 0]);
        let _one_more = door.open(4, "d1").unwrap();
        assert_eq!(door.ended(), ["b1"]);
        // All have one now: the oldest of all gives way.
        let _another = door.open(5, "e1").unwrap();
        assert_eq!(door.ended(), ["a1"]);
    }

    #[test]
    fn a_network_with_its_share_displaces_its_own() {
        let door = Door::new(100, 2);
        let held = [door.open(1, "a1"), door.open(1, "a2"), door.open(2, "b1"), door.open(1, "a3")];
        assert_eq!(door.ended(), ["a1"]);
        drop(held);
        let open = door.connections.lock();
        let left = (open.places.len(), open.strangers.len(), open.by_size.len(), open.unknown);
        assert_eq!(left, (0, 0, 0, 0), "nothing is remembered of closed connections");
    }

    #[test]
    fn a_connection_without_a_request_gives_way_first() {
        let door = Door::new(100, 3);
        let busy = Arc::new(door.open(1, "busy").unwrap());
        let request = busy.begin_request().unwrap();
        let second = busy.begin_request();
        let _held = [door.open(1, "a"), door.open(1, "b"), door.open(1, "c")];
        assert_eq!(door.ended(), ["a"]);
        drop(second);
        let _more = door.open(1, "d");
        assert_eq!(door.ended(), ["b"]);
        drop(request);
        let _last = door.open(1, "e");
        assert_eq!(door.ended(), ["busy"], "its request is done");
        assert!(busy.begin_request().is_some(), "which changes nothing any more");
        // If all have a request, the oldest gives way. One on which a user is proved has none to count.
        let all = ["f", "g", "h"].map(|name| Arc::new(door.open(2, name).unwrap()));
        let _requests = all.each_ref().map(|connection| connection.begin_request().unwrap());
        let _next = door.open(2, "i").unwrap();
        assert_eq!(door.ended(), ["f"]);
        assert!(all[1].prove(user(1)) && all[1].begin_request().is_none());
    }

    #[test]
    fn who_has_proved_a_user_stays() {
        let door = Door::new(8, 4);
        let ann = door.open(1, "ann").unwrap();
        assert!(ann.prove(user(1)) && ann.prove(user(1)));
        let _silent: Vec<_> = (0..40).map(|number| door.open(number, "silent")).collect();
        assert_eq!(door.ended(), ["silent"; 36]);
        let bob = door.open(1, "bob").unwrap();
        assert!(bob.prove(user(2)));
        drop((ann, bob));
        assert!(door.connections.lock().proved.is_empty());
    }

    #[test]
    fn a_connection_that_had_to_give_way_is_proved_no_more() {
        let door = Door::new(4, 1);
        let first = door.open(1, "first").unwrap();
        let second = door.open(1, "second").unwrap();
        assert_eq!(door.ended(), ["first"]);
        assert!(!first.prove(user(1)));
        drop(first);
        assert!(second.prove(user(1)));
        assert_eq!(door.connections.lock().places.len(), 1);
    }

    #[test]
    fn users_leave_room_for_the_next_one() {
        let door = Door::new(16, 8);
        let mut held = Vec::new();
        let mut proved = |id: i64| {
            let mut number = 0;
            loop {
                let connection = door.open(1, "").unwrap();
                if !connection.prove(user(id)) {
                    return number;
                }
                held.push(connection);
                number += 1;
            }
        };
        assert_eq!([proved(1), proved(2), proved(3), proved(4)], [8, 4, 2, 1]);
        assert!(door.open(2, "stranger").is_some());
    }

    #[test]
    fn proxies_count_towards_all_and_displace_strangers() {
        let door = Door::new(3, 2);
        let _stranger = door.open(1, "stranger").unwrap();
        let ends = Arc::new(AtomicUsize::new(0));
        let proxy = || {
            let ends = Arc::clone(&ends);
            let end = move || {
                ends.fetch_add(1, Ordering::Relaxed);
            };
            door.connections.open(None, end)
        };
        let held: Vec<_> = (0..3).map(|_| proxy().unwrap().connection).collect();
        assert_eq!(door.ended(), ["stranger"]);
        assert!(proxy().is_none() && door.open(1, "late").is_none());
        drop(held);
        assert_eq!(ends.load(Ordering::Relaxed), 0);
        assert!(door.open(1, "later").is_some());
    }
}
