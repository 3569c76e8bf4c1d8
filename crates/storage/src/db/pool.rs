//! How the pools open connections, check them and lend them out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use diesel::connection::{Instrumentation, InstrumentationEvent, SimpleConnection, TransactionManager};
use diesel::{Connection, ConnectionError};

use super::connection::{self, DatabaseUrl, DbConn};
use super::dialect;
use crate::error::{StoreError, StoreResult};

/// Opens connections for a pool.
#[derive(Clone)]
pub(crate) struct Manager {
    pub(crate) url: DatabaseUrl,
    /// Counts statements, if a test wants to know.
    pub(crate) statements: Option<Arc<AtomicU64>>,
    /// True if no connection could be opened when that was tried last.
    pub(crate) is_down: Arc<AtomicBool>,
}

impl Manager {
    pub(crate) fn open(&self) -> Result<DbConn, ConnectionError> {
        let mut conn = connection::open(&self.url)?;
        dialect::prepare(&mut conn).map_err(ConnectionError::CouldntSetupConfiguration)?;
        if let Some(counter) = &self.statements {
            conn.set_instrumentation(StatementCounter(Arc::clone(counter)));
        }
        Ok(conn)
    }
}

impl r2d2::ManageConnection for Manager {
    type Connection = DbConn;
    type Error = ConnectError;

    fn connect(&self) -> Result<DbConn, ConnectError> {
        let opened = self.open();
        self.is_down.store(opened.is_err(), Ordering::Relaxed);
        Ok(opened?)
    }

    fn is_valid(&self, conn: &mut DbConn) -> Result<(), ConnectError> {
        Ok(conn.batch_execute("SELECT 1")?)
    }

    fn has_broken(&self, conn: &mut DbConn) -> bool {
        std::thread::panicking() || DbConn::is_broken_transaction_manager(conn)
    }
}

/// Why no connection could be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("cannot connect: {0}")]
    Connect(#[from] ConnectionError),
    #[error("the connection does not answer")]
    Ping(#[from] diesel::result::Error),
}

/// Time that a caller waits for a connection.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time that a caller waits if no connection can be opened. Callers behind it wait as well.
const PATIENCE_WHILE_DOWN: Duration = Duration::from_secs(1);
/// The same if it was already known when the caller came. A queue of writes would otherwise wait a second for each of them.
const PATIENCE_KNOWN_DOWN: Duration = Duration::from_millis(50);

/// A connection of a pool.
pub(crate) type Lent = r2d2::PooledConnection<Manager>;

/// A connection on which a transaction has begun. One that was lost while nothing used it is noticed when a transaction begins
/// on it, which has done nothing yet: then it begins on another one.
pub(crate) fn begun(
    pool: &r2d2::Pool<Manager>,
    is_down: &AtomicBool,
    begin: impl Fn(&mut DbConn) -> diesel::QueryResult<()>,
) -> StoreResult<Lent> {
    for _ in 0..pool.max_size() {
        let mut conn = lent(pool, is_down)?;
        match begin(&mut conn).map_err(StoreError::from) {
            Ok(()) => return Ok(conn),
            // The pool closes it.
            Err(StoreError::Lost(error)) => tracing::warn!(%error, "a connection to the database was lost"),
            Err(other) => return Err(other),
        }
    }
    let mut conn = lent(pool, is_down)?;
    begin(&mut conn)?;
    Ok(conn)
}

/// A connection, as soon as one is free.
pub(crate) fn lent(pool: &r2d2::Pool<Manager>, is_down: &AtomicBool) -> StoreResult<Lent> {
    let asked = Instant::now();
    let is_known = is_down.load(Ordering::Relaxed);
    let mut patience = if is_known { PATIENCE_KNOWN_DOWN } else { PATIENCE_WHILE_DOWN };
    loop {
        match pool.get_timeout(patience) {
            Ok(conn) => return Ok(conn),
            Err(error) if is_down.load(Ordering::Relaxed) || asked.elapsed() >= PATIENCE => {
                return Err(StoreError::Unavailable(error));
            }
            Err(_) => patience = PATIENCE_WHILE_DOWN,
        }
    }
}

struct StatementCounter(Arc<AtomicU64>);

impl Instrumentation for StatementCounter {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if matches!(event, InstrumentationEvent::StartQuery { .. }) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}
