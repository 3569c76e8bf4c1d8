//! Transactions. Nothing else in the program begins one.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use diesel::Connection;
use diesel::connection::TransactionManager;

use super::connection::{DatabaseUrl, DbConn};
use super::dialect;
use super::pool::{self, Manager};
use super::queue::{Queue, QueueSet};
use crate::cache::access_cache::{Access, AccessCache, CacheHandle};
use crate::error::{StoreError, StoreResult};

/// How to open a database.
#[derive(Clone)]
pub struct Options {
    /// The place of the database.
    pub url: DatabaseUrl,
    /// Connections for reading what an index answers at once.
    pub readers: u32,
    /// Connections for reading that may take long: searches.
    pub slow_readers: u32,
    /// Connections on which only credentials are looked up, so that this waits behind no other read.
    pub credential_readers: u32,
    /// Connections for writing; SQLite always has one. Writers take turns, so that more than two are of no use.
    pub writers: u32,
    /// Connections that each pool keeps open for the next caller, besides those at work. With none, one is opened when it
    /// is first needed, and a database that cannot be reached is noticed no earlier.
    pub spare: u32,
    /// A counter that every statement increments, for tests.
    pub statements: Option<Arc<AtomicU64>>,
}

impl Options {
    /// Four readers, two for what takes long, two for credentials and, on PostgreSQL, two writers; one spare connection.
    #[must_use]
    pub fn new(url: DatabaseUrl) -> Self {
        Self { url, readers: 4, slow_readers: 2, credential_readers: 2, writers: 2, spare: 1, statements: None }
    }
}

/// An open database: pools to read from, a pool to look credentials up with, and a pool to write with.
#[derive(Clone)]
pub struct Database {
    readers: r2d2::Pool<Manager>,
    credential_readers: r2d2::Pool<Manager>,
    writers: r2d2::Pool<Manager>,
    slow_readers: u32,
    /// True if no connection could be opened when that was tried last.
    is_down: Arc<AtomicBool>,
    cache: Arc<AccessCache>,
    queue_listeners: Arc<RwLock<Vec<QueueListener>>>,
    event_listeners: Arc<RwLock<Vec<EventListener>>>,
}

/// Called with a queue that a committed transaction has put something into.
type QueueListener = Box<dyn Fn(Queue) + Send + Sync>;
/// Called when a committed transaction has appended events.
type EventListener = Box<dyn Fn() + Send + Sync>;

impl Database {
    /// Opens the database. A SQLite file is made if there is none; migrations are another step.
    pub fn open(options: Options) -> StoreResult<Self> {
        let writers = if dialect::single_writer(&options.url) { 1 } else { options.writers };
        let is_down: Arc<AtomicBool> = Arc::default();
        let manager = Manager { url: options.url, statements: options.statements, is_down: Arc::clone(&is_down) };
        // A pool says that no connection can be opened only after a while, and does not say why. A server may still be starting;
        // a file will not be better later.
        if options.spare > 0 && dialect::single_writer(&manager.url) {
            drop(manager.open()?);
        }
        let pool = |size: u32| {
            r2d2::Pool::builder()
                .max_size(size)
                .min_idle(Some(options.spare))
                .test_on_check_out(false)
                .idle_timeout(None)
                .max_lifetime(None)
                .connection_timeout(Duration::from_secs(10))
                .build(manager.clone())
                .map_err(StoreError::Unavailable)
        };
        let slow_readers = options.slow_readers;
        Ok(Self {
            writers: pool(writers)?,
            readers: pool(options.readers + slow_readers)?,
            credential_readers: pool(options.credential_readers)?,
            slow_readers,
            is_down,
            cache: Arc::default(),
            queue_listeners: Arc::default(),
            event_listeners: Arc::default(),
        })
    }

    /// A handle on the same connections that remembers no answer and calls no listener, as if the database had just
    /// been opened. `Err` with this handle if there are others.
    pub fn into_unused(self) -> Result<Self, Self> {
        let Self { cache, .. } = self;
        match Arc::try_unwrap(cache) {
            Ok(_alone) => {
                let (cache, queue_listeners, event_listeners) = Default::default();
                Ok(Self { cache, queue_listeners, event_listeners, ..self })
            }
            Err(cache) => Err(Self { cache, ..self }),
        }
    }

    /// How many transactions can read at once, those that may take long aside.
    pub fn readers(&self) -> u32 {
        self.readers.max_size() - self.slow_readers
    }

    /// How many transactions that may take long can read at once.
    pub fn slow_readers(&self) -> u32 {
        self.slow_readers
    }

    /// How many transactions can look credentials up at once.
    pub fn credential_readers(&self) -> u32 {
        self.credential_readers.max_size()
    }

    /// How many transactions can write at once.
    pub fn writers(&self) -> u32 {
        self.writers.max_size()
    }

    /// Runs `work` on one snapshot. The result of `work` is returned; nothing is kept.
    pub fn read<T, E: From<StoreError>>(&self, work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, E>) -> Result<T, E> {
        self.read_on(&self.readers, work)
    }

    /// As [`Database::read`], on the connections for credentials.
    pub fn read_credential<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.read_on(&self.credential_readers, work)
    }

    fn read_on<T, E: From<StoreError>>(
        &self,
        pool: &r2d2::Pool<Manager>,
        work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut conn = pool::begun(pool, &self.is_down, dialect::begin_read)?;
        let cache = CacheHandle::new(&self.cache, Access::Reads);
        run(&mut conn, |conn| work(&mut ReadTx { conn, cache: &cache }))
    }

    /// Runs `work` in a transaction that is committed if it returns `Ok` and rolled back otherwise.
    pub fn write<T, E: From<StoreError>>(&self, work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, E>) -> Result<T, E> {
        let queued = QueueSet::default();
        let mut conn = pool::begun(&self.writers, &self.is_down, dialect::begin_write)?;
        let value = write_with(&mut conn, &self.cache, &queued, work)?;
        // A runner that is woken finds the connection free.
        drop(conn);
        self.wake_listeners(&queued);
        Ok(value)
    }

    fn wake_listeners(&self, queued: &QueueSet) {
        if !queued.is_empty() {
            let listeners = self.queue_listeners.read().unwrap_or_else(PoisonError::into_inner);
            listeners.iter().for_each(|listener| queued.iter().for_each(listener));
        }
        if queued.has_events() {
            let listeners = self.event_listeners.read().unwrap_or_else(PoisonError::into_inner);
            listeners.iter().for_each(|listener| listener());
        }
    }

    /// Calls `listener` after each commit of this process that put jobs into a queue, or events into the outbox, which are
    /// the work of [`Queue::Short`]. It must not block.
    pub fn on_queued(&self, listener: impl Fn(Queue) + Send + Sync + 'static) {
        self.queue_listeners.write().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    /// Calls `listener` after each commit of this process that appended events. It must not block.
    pub fn on_events(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.event_listeners.write().unwrap_or_else(PoisonError::into_inner).push(Box::new(listener));
    }

    /// Runs `work` on a connection outside any transaction: migrations and maintenance.
    pub(crate) fn bare<T>(&self, work: impl FnOnce(&mut DbConn) -> StoreResult<T>) -> StoreResult<T> {
        let mut conn = pool::lent(&self.writers, &self.is_down)?;
        work(&mut conn)
    }
}

/// As [`Database::write`], on a connection on which the transaction has begun.
fn write_with<T, E: From<StoreError>>(
    conn: &mut DbConn,
    cache: &AccessCache,
    queued: &QueueSet,
    work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let cache = CacheHandle::new(cache, Access::Writes);
    run(conn, |conn| work(&mut WriteTx { read: ReadTx { conn, cache: &cache }, queued }))
}

/// Does `work` in the transaction that has begun on this connection, and ends that.
pub(crate) fn run<T, E: From<StoreError>>(
    conn: &mut DbConn,
    work: impl FnOnce(&mut DbConn) -> Result<T, E>,
) -> Result<T, E> {
    let outcome = work(conn);
    end(conn, outcome.is_ok())?;
    outcome
}

/// Commits the transaction, or rolls it back.
fn end(conn: &mut DbConn, commits: bool) -> StoreResult<()> {
    type Manager = <DbConn as Connection>::TransactionManager;
    if commits {
        return Ok(Manager::commit_transaction(conn)?);
    }
    // The error of the work is reported. The pool throws a connection away that cannot roll back.
    if let Err(rollback) = Manager::rollback_transaction(conn) {
        tracing::warn!(error = %rollback, "rollback failed");
    }
    Ok(())
}

/// A transaction that can only read.
pub struct ReadTx<'c> {
    pub(crate) conn: &'c mut DbConn,
    /// Answers that are kept between transactions.
    pub(crate) cache: &'c CacheHandle<'c>,
}

impl ReadTx<'_> {
    /// The same transaction, lent out.
    pub fn reborrow(&mut self) -> ReadTx<'_> {
        ReadTx { conn: self.conn, cache: self.cache }
    }
}

/// A transaction that can also write.
pub struct WriteTx<'c> {
    read: ReadTx<'c>,
    /// The queues that it puts something into.
    queued: &'c QueueSet,
}

impl WriteTx<'_> {
    /// The same transaction, lent out.
    pub fn reborrow(&mut self) -> WriteTx<'_> {
        WriteTx { read: self.read.reborrow(), queued: self.queued }
    }

    /// Notes that runners of this queue have something to do after the commit.
    pub(crate) fn queued(&mut self, queue: Queue) {
        self.queued.insert(queue);
    }

    /// Notes that streams of events may have something to send after the commit.
    pub(crate) fn has_events(&mut self) {
        self.queued.note_events();
    }

    /// Runs `work` as a part of this transaction. If it fails, only its own writes are undone. If even that fails, the
    /// error is the database's, and the whole transaction is to be given up.
    pub fn attempt<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        type Manager = <DbConn as Connection>::TransactionManager;
        let cache = self.read.cache;
        let conn = &mut *self.read.conn;
        Manager::begin_transaction(conn).map_err(StoreError::from)?;
        let outcome = work(&mut WriteTx { read: ReadTx { conn, cache }, queued: self.queued });
        let ended = match &outcome {
            Ok(_) => Manager::commit_transaction(conn),
            // On some failures SQLite undoes the whole transaction. Then there is nothing to go back to, and nothing of it
            // may be committed.
            Err(_) => Manager::rollback_transaction(conn),
        };
        ended.map_err(StoreError::from)?;
        outcome
    }
}

impl<'c> Deref for WriteTx<'c> {
    type Target = ReadTx<'c>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl DerefMut for WriteTx<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.read
    }
}
