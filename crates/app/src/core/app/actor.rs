//! Actions in the name of a user outside of their requests.

use tenon_domain::id::UserId;
use tenon_storage::{WriteTx, user};

use crate::core::app::{App, Command};
use crate::core::caller::Caller;
use crate::core::error::AppError;
use crate::core::spending::client::Client;
use crate::core::spending::write_turn::Priority;

/// For whom a change is noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The user has done it.
    User(UserId),
    /// No user has, such as a push with a deploy key: this one only stands for it.
    InNameOf(UserId),
}

impl Command<'_> {
    /// Runs `work` as a part of this command, as this user, whatever has become of the account: what is noted down has happened
    /// already. If it is gone altogether, an administrator stands for it.
    pub(crate) fn as_actor<T>(
        &mut self,
        by: By,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let (user, stands_in) = match by {
            By::User(user) => (user, false),
            By::InNameOf(user) => (user, true),
        };
        let known = user::find(&mut self.tx, user)?;
        let first_admin = if known.is_none() { user::first_admin(&mut self.tx)? } else { None };
        let first_admin = first_admin.map(|admin| user::find(&mut self.tx, admin)).transpose()?.flatten();
        let caller = Caller { stands_in, ..known.or(first_admin).map(Caller::of).unwrap_or_default() };
        work(&mut Command::new(self.tx.reborrow(), self.app, &caller, self.now))
    }
}

impl App {
    /// As [`Command::as_actor`], in a transaction of its own.
    pub(crate) fn as_actor<T>(
        &self,
        by: By,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        self.command(|command| command.as_actor(by, work))
    }

    /// Runs a use case as the administrator with the lowest id: for the command line, whose user may read the whole
    /// database anyway.
    pub fn administer<T>(&self, work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>) -> Result<T, AppError> {
        let now = self.now();
        self.write_in_turn(|tx| {
            let admin = user::first_admin(tx)?;
            let admin = admin.map(|id| user::find(tx, id)).transpose()?.flatten();
            let caller = admin.map(Caller::of).unwrap_or_default();
            work(&mut Command::new(tx.reborrow(), self, &caller, now))
        })
    }

    /// Runs `work` in a transaction when its turn comes: jobs of the server give way to the requests of clients.
    pub(super) fn write_in_turn<T>(
        &self,
        work: impl FnOnce(&mut WriteTx<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let priority = if self.client == Client::Server { Priority::Low } else { Priority::Normal };
        let _turn = self.inner.write_turns.take(priority);
        self.inner.parts.database.write(work)
    }
}
