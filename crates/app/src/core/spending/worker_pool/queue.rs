//! The queue of a worker pool: which task runs next.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::shape::Shape;
use super::spent_time::SpentTime;
use crate::core::spending::client::Client;

/// The time that counts as little, whatever others have spent.
const LITTLE: Duration = Duration::from_millis(50);

/// Tasks that wait, by client. The client that has lately spent least comes first; of several that have spent alike, the one that
/// has waited longest. Each client's own tasks stay in order.
pub(super) struct Queue<W> {
    /// The clients with tasks that wait, in the order of their turns.
    turns: VecDeque<Client>,
    /// Their tasks, by ascending number.
    waiting: HashMap<Client, VecDeque<(u64, W)>>,
    /// The number of the next task.
    next: u64,
    /// The number of tasks that wait, and how many of them are of anonymous clients.
    pub(super) total: usize,
    anonymous: usize,
    /// Threads at work, by client, of all, and of anonymous clients.
    running: HashMap<Client, usize>,
    running_total: usize,
    running_anonymous: usize,
    spent: SpentTime,
    pub(super) is_closed: bool,
}

impl<W> Queue<W> {
    pub(super) fn new() -> Self {
        Self {
            turns: VecDeque::new(),
            waiting: HashMap::new(),
            next: 0,
            total: 0,
            anonymous: 0,
            running: HashMap::new(),
            running_total: 0,
            running_anonymous: 0,
            spent: SpentTime::default(),
            is_closed: false,
        }
    }

    /// Adds a task and returns its number. `None` if the queue is full for this client.
    pub(super) fn add(&mut self, client: Client, task: W, shape: &Shape) -> Option<u64> {
        let own = self.waiting.get(&client).map_or(0, VecDeque::len);
        let is_full = self.total >= shape.waiting
            || own >= shape.waiting_per_client
            || (client.is_anonymous() && self.anonymous >= shape.waiting / 2);
        // Jobs have queues of their own, and a health check must not depend on how many clients wait.
        if is_full && client != Client::Server {
            return None;
        }
        if own == 0 {
            self.turns.push_back(client);
        }
        let number = self.next;
        self.next += 1;
        self.waiting.entry(client).or_default().push_back((number, task));
        self.total += 1;
        self.anonymous += usize::from(client.is_anonymous());
        Some(number)
    }

    /// Takes a task out that still waits.
    pub(super) fn withdraw(&mut self, client: Client, number: u64) -> Option<W> {
        let tasks = self.waiting.get_mut(&client)?;
        let place = tasks.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        let (_, task) = tasks.remove(place)?;
        if tasks.is_empty() {
            self.waiting.remove(&client);
            self.turns.retain(|waiting| *waiting != client);
        }
        self.total -= 1;
        self.anonymous -= usize::from(client.is_anonymous());
        Some(task)
    }

    /// Takes the next task that one more thread may run now.
    pub(super) fn take_for_thread(&mut self, shape: &Shape, now: Instant) -> Option<(Client, W)> {
        let is_last = shape.threads.saturating_sub(self.running_total) <= shape.reserved;
        let client = self.first(now, |client| {
            self.running.get(&client).is_none_or(|threads| *threads < shape.per_client)
                && (!client.is_anonymous() || self.running_anonymous < shape.anonymous)
                && (!is_last || self.is_light(client, now))
        })?;
        self.take_of(client)
    }

    /// Takes the next task, for a thread that does several at once.
    pub(super) fn take(&mut self, now: Instant) -> Option<(Client, W)> {
        let client = self.first(now, |_client| true)?;
        self.take_of(client)
    }

    /// The client that comes first among those that may run.
    fn first(&self, now: Instant, may_run: impl Fn(Client) -> bool) -> Option<Client> {
        let all = self.turns.iter().copied().filter(|client| may_run(*client));
        all.min_by_key(|client| self.spent.rank(*client, now))
    }

    /// True if no thread works for a client, and it has lately spent little, or at most half of what one has spent that a
    /// thread works for.
    fn is_light(&self, client: Client, now: Instant) -> bool {
        if self.running.contains_key(&client) || (client.is_anonymous() && self.running_anonymous > 0) {
            return false;
        }
        let own = self.spent.rank(client, now).spent;
        let most =
            self.running.keys().map(|running| self.spent.rank(*running, now).spent).max().unwrap_or(Duration::MAX);
        own <= LITTLE || own <= most / 2
    }

    /// Takes the oldest task of a client. That client's next turn is the last one.
    fn take_of(&mut self, client: Client) -> Option<(Client, W)> {
        self.turns.retain(|waiting| *waiting != client);
        let tasks = self.waiting.get_mut(&client)?;
        let (_, task) = tasks.pop_front()?;
        if tasks.is_empty() {
            self.waiting.remove(&client);
        } else {
            self.turns.push_back(client);
        }
        self.total -= 1;
        self.anonymous -= usize::from(client.is_anonymous());
        Some((client, task))
    }

    /// Records that a thread works for a client.
    pub(super) fn started(&mut self, client: Client) {
        *self.running.entry(client).or_default() += 1;
        self.running_total += 1;
        self.running_anonymous += usize::from(client.is_anonymous());
    }

    /// Records that a thread does not work for a client any more.
    pub(super) fn ended(&mut self, client: Client) {
        if let Some(threads) = self.running.get_mut(&client) {
            *threads -= 1;
            if *threads == 0 {
                self.running.remove(&client);
            }
        }
        self.running_total -= 1;
        self.running_anonymous -= usize::from(client.is_anonymous());
    }

    /// Charges a client for the time of a task.
    pub(super) fn charge(&mut self, client: Client, time: Duration, now: Instant) {
        self.spent.add(client, time, now);
    }
}

#[cfg(test)]
mod tests {
    use tenon_domain::id::UserId;
    use tenon_domain::limits::ConnectionLimits;

    use super::*;
    use crate::core::spending::client::Network;

    const ANN: Client = Client::User(UserId::new(1));
    const BOB: Client = Client::User(UserId::new(2));

    fn network(address: &str) -> Client {
        Client::Network(Network::of(Some(address.parse().unwrap())))
    }

    fn shape(threads: usize) -> Shape {
        Shape::long("test", threads, 64, 32)
    }

    /// A queue with these tasks, numbered by their place in the list.
    fn queue(clients: &[Client]) -> Queue<usize> {
        let mut queue = Queue::new();
        for (number, client) in clients.iter().enumerate() {
            assert!(queue.add(*client, number, &shape(4)).is_some());
        }
        queue
    }

    /// Takes the next task for a thread, and returns whose it is.
    fn claim<W>(queue: &mut Queue<W>, shape: &Shape, now: Instant) -> Option<Client> {
        let (client, _task) = queue.take_for_thread(shape, now)?;
        queue.started(client);
        Some(client)
    }

    #[test]
    fn clients_take_turns_and_their_own_tasks_stay_in_order() {
        let (mut queue, now) = (queue(&[ANN, ANN, ANN, BOB, BOB, Client::Server]), Instant::now());
        let order: Vec<usize> = std::iter::from_fn(|| queue.take(now)).map(|(_, task)| task).collect();
        assert_eq!(order, [0, 3, 5, 1, 4, 2]);
        assert!(queue.waiting.is_empty() && queue.turns.is_empty() && queue.total == 0);
    }

    #[test]
    fn the_client_that_has_spent_least_comes_first_and_strangers_rank_as_one() {
        let (one, other) = (network("192.0.2.1"), network("192.0.2.2"));
        let (mut queue, now) = (queue(&[ANN, one, other, BOB]), Instant::now());
        for (client, milliseconds) in [(ANN, 300), (BOB, 100), (one, 250), (other, 90)] {
            queue.charge(client, Duration::from_millis(milliseconds), now);
        }
        let order: Vec<Client> = std::iter::from_fn(|| queue.take(now)).map(|(client, _)| client).collect();
        assert_eq!(order, [BOB, ANN, other, one]);
    }

    #[test]
    fn the_last_thread_is_kept_for_a_client_that_has_spent_less() {
        let (shape, now) = (Shape::short("test", 3, 64, 32), Instant::now());
        let mut queue = queue(&[ANN, ANN, ANN, BOB, BOB]);
        queue.charge(ANN, Duration::from_secs(1), now);
        queue.charge(BOB, Duration::from_millis(800), now);
        assert_eq!(claim(&mut queue, &shape, now), Some(BOB));
        assert_eq!(claim(&mut queue, &shape, now), Some(BOB));
        assert_eq!(claim(&mut queue, &shape, now), None, "both have spent much");
        let new = Client::User(UserId::new(3));
        assert!(queue.add(new, 5, &shape).is_some());
        assert_eq!(claim(&mut queue, &shape, now), Some(new));
        // One that has spent less, but already has a thread, is not in the way of another one.
        queue.ended(BOB);
        let other = Client::User(UserId::new(4));
        assert!(queue.add(new, 6, &shape).is_some() && queue.add(other, 7, &shape).is_some());
        assert_eq!(claim(&mut queue, &shape, now), Some(other));
        queue.ended(other);
        queue.ended(BOB);
        assert_eq!(claim(&mut queue, &shape, now), Some(new), "the one that has spent least");
    }

    #[test]
    fn all_threads_work_if_no_client_has_spent_much() {
        let (shape, now) = (Shape::short("test", 3, 64, 32), Instant::now());
        let mut queue = queue(&[ANN, BOB, Client::Server]);
        assert_eq!(std::iter::from_fn(|| claim(&mut queue, &shape, now)).count(), 3);
    }

    #[test]
    fn the_queue_is_bounded_for_each_client_and_for_anonymous_clients_together() {
        let shape = Shape { waiting: 8, waiting_per_client: 3, ..shape(4) };
        let mut queue = Queue::new();
        let added =
            |queue: &mut Queue<()>, client| (0..10).take_while(|_| queue.add(client, (), &shape).is_some()).count();
        assert_eq!(added(&mut queue, network("192.0.2.1")), 3);
        assert_eq!(added(&mut queue, network("192.0.2.2")), 1, "half of the queue");
        assert_eq!([added(&mut queue, ANN), added(&mut queue, BOB)], [3, 1], "the queue is full");
    }

    #[test]
    fn a_client_has_half_of_a_pool_and_so_have_all_anonymous_clients() {
        let (shape, now) = (shape(4), Instant::now());
        let strangers: Vec<Client> = (1..=4).map(|number| network(&format!("192.0.2.{number}"))).collect();
        let mut queue = queue(&[&[ANN; 4][..], &strangers, &[BOB]].concat());
        let claimed: Vec<Client> = std::iter::from_fn(|| claim(&mut queue, &shape, now)).collect();
        assert_eq!(claimed, [ANN, strangers[0], strangers[1], BOB]);
        queue.ended(BOB);
        assert_eq!(claim(&mut queue, &shape, now), None, "the last thread is for another client");
        for (ended, next) in [(strangers[0], strangers[2]), (strangers[1], strangers[3]), (strangers[2], ANN)] {
            queue.ended(ended);
            assert_eq!(claim(&mut queue, &shape, now), Some(next));
        }
    }

    #[test]
    fn a_network_that_guesses_delays_others_by_one_look_up() {
        let limits = ConnectionLimits::default();
        let (shape, now) = (Shape::for_strangers("test", 2, &limits), Instant::now());
        let (guesser, other) = (network("192.0.2.1"), network("192.0.2.2"));
        let mut queue = Queue::new();
        let queued = (0..5_000).filter(|_| queue.add(guesser, (), &shape).is_some()).count();
        assert_eq!(queued, limits.per_network);
        assert!(queue.add(other, (), &shape).is_some());
        let claimed: Vec<Client> = std::iter::from_fn(|| claim(&mut queue, &shape, now)).collect();
        assert_eq!(claimed, [guesser, other]);
    }
}
