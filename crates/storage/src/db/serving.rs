//! The right to serve a database: one process has it at a time, and it ends with its connection.

use diesel::connection::SimpleConnection;

use super::connection::{self, DatabaseUrl, DbConn};
use super::dialect;
use crate::error::{StoreError, StoreResult};

/// Time that the connection of a process that was killed may take to end.
const PATIENCE: &str = "5s";
/// The same, if the right was had before.
const SHORT_PATIENCE: &str = "100ms";

/// The right to serve a database, for as long as this value lives. SQLite knows no such right: its file is locked by the program.
pub struct ServingRight {
    url: DatabaseUrl,
    holder: String,
    conn: Option<Box<DbConn>>,
}

/// The outcome of the wish to serve a database.
pub enum Serving {
    /// This process may.
    Granted(ServingRight),
    /// Another one does: this one.
    Taken(String),
}

/// The state of the right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RightState {
    /// It is held.
    Held,
    /// It was lost with its connection, and taken again.
    Renewed,
    /// Another process has taken it: this one.
    Lost(String),
}

impl ServingRight {
    /// Takes the right to serve the database at `url` in the name of `holder`, which others are shown. Waits a few seconds for
    /// a connection that is ending.
    pub fn take(url: &DatabaseUrl, holder: &str) -> StoreResult<Serving> {
        let mut right = Self { url: url.clone(), holder: holder.to_owned(), conn: None };
        Ok(match right.connect(PATIENCE)? {
            None => Serving::Granted(right),
            Some(other) => Serving::Taken(other),
        })
    }

    /// Checks that the right is still held, and takes it again if its connection was lost. Fails if the database does
    /// not answer: it serves no one else then.
    pub fn check(&mut self) -> StoreResult<RightState> {
        if self.conn.as_mut().is_some_and(|conn| conn.batch_execute("SELECT 1").is_ok()) {
            return Ok(RightState::Held);
        }
        self.conn = None;
        Ok(self.connect(SHORT_PATIENCE)?.map_or(RightState::Renewed, RightState::Lost))
    }

    /// Takes the right on a new connection; yields who has it if it is another one.
    fn connect(&mut self, patience: &str) -> StoreResult<Option<String>> {
        let mut conn = connection::open(&self.url).map_err(StoreError::from)?;
        let other = dialect::take_serving(&mut conn, &self.holder, patience)?;
        if other.is_none() {
            self.conn = Some(Box::new(conn));
        }
        Ok(other)
    }
}
