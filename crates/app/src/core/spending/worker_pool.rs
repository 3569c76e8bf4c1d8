//! Worker pools: threads for work that blocks, shared fairly between clients.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tenon_domain::limits::ConnectionLimits;
use tokio::sync::oneshot;

use crate::core::error::AppError;
use crate::core::spending::client::Client;

/// Work for a thread of a pool.
pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// How large a pool is, and how much of it one client may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// The name of its threads.
    pub(crate) name: &'static str,
    /// Threads.
    pub(crate) threads: usize,
    /// Threads that work for one client at once.
    pub(crate) per_client: usize,
    /// Threads that work for anonymous clients at once, all together.
    pub(crate) anonymous: usize,
    /// Tasks that wait. Anonymous clients fill at most half of that.
    pub(crate) waiting: usize,
    /// Tasks of one client that wait.
    pub(crate) waiting_per_client: usize,
    /// By how much the operating system prefers other threads over these, from 0 to 19. Processes that a thread starts
    /// inherit it.
    pub(crate) niceness: i32,
}

impl Shape {
    /// A pool for short tasks: a client may have all threads but one, since each is free again soon.
    pub(crate) fn short(name: &'static str, threads: usize, waiting: usize, waiting_per_client: usize) -> Self {
        let threads = threads.max(1);
        let most = threads.saturating_sub(1).max(1);
        Self { name, threads, per_client: most, anonymous: most, waiting, waiting_per_client, niceness: 0 }
    }

    /// A pool for tasks that may take long: a client has half of the threads, and so have all anonymous clients
    /// together.
    pub(crate) fn long(name: &'static str, threads: usize, waiting: usize, waiting_per_client: usize) -> Self {
        let half = (threads / 2).max(1);
        Self { per_client: half, anonymous: half, ..Self::short(name, threads, waiting, waiting_per_client) }
    }

    /// A pool for what tells users from strangers. All its clients are networks, of which each has half of the threads. A
    /// connection has one request at a time, so that the limits of connections are those of its queue.
    pub(crate) fn for_strangers(name: &'static str, threads: usize, limits: &ConnectionLimits) -> Self {
        let (all, each) = (limits.all.saturating_mul(2), limits.per_network);
        Self { anonymous: threads.max(1), ..Self::long(name, threads, all, each) }
    }
}

/// Threads that take tasks from clients in turn: each client's own tasks stay in order, and a client with many tasks
/// delays another one by a single task. A task that does not fit into the queue is refused at once.
pub(crate) struct WorkerPool<W = Task>(Arc<Shared<W>>);

struct Shared<W> {
    shape: Shape,
    queue: Mutex<Queue<W>>,
    changed: Condvar,
}

struct Queue<W> {
    /// The clients with tasks that wait, the next one first.
    turns: VecDeque<Client>,
    /// Their tasks, by ascending number.
    waiting: HashMap<Client, VecDeque<(u64, W)>>,
    /// The number of the next task.
    next: u64,
    /// The number of tasks that wait, and how many of them are of anonymous clients.
    total: usize,
    anonymous: usize,
    /// Threads at work, by client.
    running: HashMap<Client, usize>,
    running_anonymous: usize,
    is_closed: bool,
}

/// More tasks for a thread that can do several at once.
pub(crate) struct Backlog<'a, W>(&'a Shared<W>);

impl<W> Backlog<'_, W> {
    /// The next task of the client whose turn it is; `None` if none waits.
    pub(crate) fn next(&self) -> Option<W> {
        self.0.lock().take(0).map(|(_client, task)| task)
    }
}

impl<W> Shared<W> {
    fn lock(&self) -> MutexGuard<'_, Queue<W>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a task that may run now; `None` when the pool has ended and the queue is empty.
    fn claim(&self) -> Option<(Client, W)> {
        let mut queue = self.lock();
        loop {
            let claimed = queue.runnable(&self.shape).and_then(|place| queue.take(place));
            if let Some((client, task)) = claimed {
                queue.started(client);
                return Some((client, task));
            }
            if queue.is_closed && queue.total == 0 {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finished(&self, client: Client) {
        let mut queue = self.lock();
        queue.ended(client);
        if queue.is_closed {
            self.changed.notify_all();
        }
    }
}

impl<W> Queue<W> {
    fn new() -> Self {
        Self {
            turns: VecDeque::new(),
            waiting: HashMap::new(),
            next: 0,
            total: 0,
            anonymous: 0,
            running: HashMap::new(),
            running_anonymous: 0,
            is_closed: false,
        }
    }

    /// Adds a task, unless the queue is full for this client; its number.
    fn add(&mut self, client: Client, task: W, shape: &Shape) -> Option<u64> {
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
    fn withdraw(&mut self, client: Client, number: u64) -> Option<W> {
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

    /// The place of the first client that may have one more thread.
    fn runnable(&self, shape: &Shape) -> Option<usize> {
        self.turns.iter().position(|client| {
            self.running.get(client).is_none_or(|threads| *threads < shape.per_client)
                && (!client.is_anonymous() || self.running_anonymous < shape.anonymous)
        })
    }

    /// Takes the oldest task of the client at this place. That client's next turn is the last one.
    fn take(&mut self, place: usize) -> Option<(Client, W)> {
        let client = self.turns.remove(place)?;
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

    fn started(&mut self, client: Client) {
        *self.running.entry(client).or_default() += 1;
        self.running_anonymous += usize::from(client.is_anonymous());
    }

    fn ended(&mut self, client: Client) {
        if let Some(threads) = self.running.get_mut(&client) {
            *threads -= 1;
            if *threads == 0 {
                self.running.remove(&client);
            }
        }
        self.running_anonymous -= usize::from(client.is_anonymous());
    }
}

impl<W: Send + 'static> WorkerPool<W> {
    /// Starts the threads. Each hands its next task to `serve`, with the backlog, from which it may take more. The
    /// threads end when the pool is dropped and the queue is empty.
    pub(crate) fn serving(
        shape: Shape,
        serve: impl Fn(W, &Backlog<'_, W>) + Clone + Send + 'static,
    ) -> Result<Self, std::io::Error> {
        let shared = Arc::new(Shared { shape, queue: Mutex::new(Queue::new()), changed: Condvar::new() });
        for number in 0..shape.threads {
            let (shared, serve) = (Arc::clone(&shared), serve.clone());
            std::thread::Builder::new().name(format!("{}-{number}", shape.name)).spawn(move || {
                give_way(shape.niceness);
                while let Some((client, task)) = shared.claim() {
                    serve(task, &Backlog(&shared));
                    shared.finished(client);
                }
            })?;
        }
        Ok(Self(shared))
    }

    /// Queues a task and waits for its answer. [`AppError::Busy`] if the queue is full for this client.
    pub(crate) async fn queue<T>(
        &self,
        client: Client,
        task: W,
        answer: oneshot::Receiver<Result<T, AppError>>,
    ) -> Result<T, AppError> {
        self.add(client, task)?;
        answer.await.unwrap_or_else(|_dropped| Err(AppError::internal("a pool dropped its task")))
    }

    /// As [`WorkerPool::queue`], for a task that leaves the queue when its answer is not waited for any more.
    async fn queue_while_wanted<T>(
        &self,
        client: Client,
        task: W,
        answer: oneshot::Receiver<Result<T, AppError>>,
    ) -> Result<T, AppError> {
        let number = self.add(client, task)?;
        let _wanted = Wanted { pool: &self.0, client, number };
        answer.await.unwrap_or_else(|_dropped| Err(AppError::internal("a pool dropped its task")))
    }

    fn add(&self, client: Client, task: W) -> Result<u64, AppError> {
        let number = self.0.lock().add(client, task, &self.0.shape).ok_or(AppError::Busy { retry_after: 1 })?;
        self.0.changed.notify_one();
        Ok(number)
    }
}

/// Takes a task out of its queue when it is dropped: the client has its answer, or has gone.
struct Wanted<'a, W> {
    pool: &'a Shared<W>,
    client: Client,
    number: u64,
}

impl<W> Drop for Wanted<'_, W> {
    fn drop(&mut self) {
        let withdrawn = self.pool.lock().withdraw(self.client, self.number);
        // The contents are dropped when the queue is free for others.
        drop(withdrawn);
    }
}

impl<W> WorkerPool<W> {
    /// The number of tasks that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.0.lock().total
    }
}

impl<W> Drop for WorkerPool<W> {
    fn drop(&mut self) {
        self.0.lock().is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Lets other threads have the processor first. Linux keeps the niceness of each thread; elsewhere it would be that of
/// the whole server.
fn give_way(niceness: i32) {
    #[cfg(target_os = "linux")]
    if niceness > 0
        && let Err(error) = rustix::process::setpriority_process(None, niceness)
    {
        tracing::debug!(%error, "the priority of a thread could not be lowered");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

/// The outcome of `work`; a panic is [`AppError::Internal`] and ends neither the thread nor another request.
pub(crate) fn outcome_of<T>(work: impl FnOnce() -> Result<T, AppError>) -> Result<T, AppError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_panic| Err(AppError::internal("a use case panicked")))
}

impl WorkerPool {
    /// A pool whose threads do one task after the other.
    pub(crate) fn new(shape: Shape) -> Result<Self, std::io::Error> {
        Self::serving(shape, |task, _backlog| task())
    }

    /// Runs `work` to its end, also if the client has disconnected: it may be the second step of what was begun.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        self.queue(client, Box::new(move || drop(answer.send(outcome_of(work)))), result).await
    }

    /// The same for work that has no effect but its answer: it leaves the queue when the client has disconnected.
    pub(crate) async fn answer<T: Send + 'static>(
        &self,
        client: Client,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (answer, result) = oneshot::channel();
        let task = move || {
            if !answer.is_closed() {
                drop(answer.send(outcome_of(work)));
            }
        };
        self.queue_while_wanted(client, Box::new(task), result).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tenon_domain::id::UserId;

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

    #[test]
    fn clients_take_turns_and_their_own_tasks_stay_in_order() {
        let mut queue = queue(&[ANN, ANN, ANN, BOB, BOB, Client::Server]);
        let order: Vec<usize> = std::iter::from_fn(|| queue.take(0)).map(|(_, task)| task).collect();
        assert_eq!(order, [0, 3, 5, 1, 4, 2]);
        assert!(queue.waiting.is_empty() && queue.turns.is_empty() && queue.total == 0);
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
        let shared = Shared { shape: shape(4), queue: Mutex::new(Queue::new()), changed: Condvar::new() };
        let strangers: Vec<Client> = (1..=4).map(|number| network(&format!("192.0.2.{number}"))).collect();
        for client in [&[ANN; 4][..], &strangers, &[BOB]].concat() {
            assert!(shared.lock().add(client, (), &shared.shape).is_some());
        }
        let claimed: Vec<Client> = (0..4).filter_map(|_| shared.claim()).map(|(client, ())| client).collect();
        assert_eq!(claimed, [ANN, strangers[0], strangers[1], BOB]);
        let next = shared.claim().unwrap().0;
        assert_eq!(next, ANN, "the second thread of that client");
        shared.finished(strangers[0]);
        assert_eq!(shared.claim().unwrap().0, strangers[2]);
    }

    #[test]
    fn a_network_that_guesses_delays_others_by_one_look_up() {
        let limits = ConnectionLimits::default();
        let shape = Shape::for_strangers("test", 2, &limits);
        let shared = Shared { shape, queue: Mutex::new(Queue::new()), changed: Condvar::new() };
        let (guesser, other) = (network("192.0.2.1"), network("192.0.2.2"));
        let queued = (0..5_000).filter(|_| shared.lock().add(guesser, (), &shape).is_some()).count();
        assert_eq!(queued, limits.per_network);
        assert!(shared.lock().add(other, (), &shape).is_some());
        let claimed: Vec<Client> = (0..2).filter_map(|_| shared.claim()).map(|(client, ())| client).collect();
        assert_eq!(claimed, [guesser, other]);
    }

    #[tokio::test]
    async fn work_does_not_start_for_a_client_that_has_disconnected() {
        let pool = WorkerPool::new(shape(1)).unwrap();
        let done = Arc::new(AtomicU32::new(0));
        let count = |by: u32| {
            let done = Arc::clone(&done);
            move || Ok(done.fetch_add(by, Ordering::SeqCst))
        };
        // The only thread is kept busy until both have been dropped.
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let busy = pool.run(ANN, move || gate.recv().map_err(|_gone| AppError::internal("the test ended")));
        let (answer, step) = (pool.answer(ANN, count(1)), pool.run(ANN, count(10)));
        {
            let mut all = Box::pin(async { tokio::join!(busy, answer, step) });
            assert!(futures_util::poll!(&mut all).is_pending());
            assert!(pool.waiting() >= 2, "the thread may have claimed the first");
        }
        assert!(pool.waiting() <= 2, "of three, one has left the queue");
        go.send(()).unwrap();
        pool.run(ANN, || Ok(())).await.unwrap();
        assert_eq!(done.load(Ordering::SeqCst), 10);
    }

    #[tokio::test]
    async fn a_panic_costs_one_answer() {
        let pool = WorkerPool::new(shape(1)).unwrap();
        let outcome = pool.run::<()>(ANN, || panic!("a test's panic")).await;
        assert!(matches!(outcome, Err(AppError::Internal(_))));
        assert!(pool.run(ANN, || Ok(1)).await.is_ok_and(|one| one == 1));
    }
}
