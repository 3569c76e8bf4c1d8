//! How the pools open connections and check them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::{Instrumentation, InstrumentationEvent, SimpleConnection, TransactionManager};
use diesel::{Connection, ConnectionError};

use super::connection::{self, DatabaseUrl, DbConn};
use super::dialect;

/// Opens connections for a pool.
#[derive(Clone)]
pub(crate) struct Manager {
    pub(crate) url: DatabaseUrl,
    /// Counts statements, where a test wants to know.
    pub(crate) statements: Option<Arc<AtomicU64>>,
}

impl Manager {
    fn open(&self) -> Result<DbConn, ConnectionError> {
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
        Ok(self.open()?)
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
    #[error("cannot connect")]
    Connect(#[from] ConnectionError),
    #[error("the connection does not answer")]
    Ping(#[from] diesel::result::Error),
}

struct StatementCounter(Arc<AtomicU64>);

impl Instrumentation for StatementCounter {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        if matches!(event, InstrumentationEvent::StartQuery { .. }) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
}
