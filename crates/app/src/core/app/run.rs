//! Running use cases: on which thread, in which transaction, and as whom.

use std::sync::Arc;

use tenon_domain::id::UserId;
use tenon_domain::user::User;
use tenon_storage::{ReadTx, WriteTx};

use super::{App, Command, Query};
use crate::core::authentication::viewer_without_session;
use crate::core::caller::{Caller, Rights};
use crate::core::error::AppError;
use crate::core::identity::Identity;
use crate::core::slot::Slot;
use crate::core::spending::worker_pool::WorkerPool;
use crate::core::texts::{FoundTexts, Texts};

/// Work of a use case whose value is put aside ([`Slot`]).
type BoxedQuery = Box<dyn FnOnce(&mut Query<'_>) -> Result<(), AppError> + Send>;
type BoxedCommand = Box<dyn FnOnce(&mut Command<'_>) -> Result<(), AppError> + Send>;

impl App {
    /// Runs a use case that reads, on one snapshot, as the caller that `identity` proves to be.
    pub async fn read<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (value, waits) = Slot::pair();
        self.read_boxed(&self.inner.readers, identity, Box::new(move |query| value.put(work(query)))).await?;
        waits.take()
    }

    /// As [`App::read`], on threads of its own: for what may have to read very many rows, so that no short read waits
    /// behind it.
    pub async fn search<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (value, waits) = Slot::pair();
        self.read_boxed(&self.inner.searches, identity, Box::new(move |query| value.put(work(query)))).await?;
        waits.take()
    }

    async fn read_boxed(&self, pool: &WorkerPool, identity: &Identity, work: BoxedQuery) -> Result<(), AppError> {
        let ((app, _guard), identity) = (self.watched(), identity.clone());
        pool.answer(self.client, move || app.read_now(&identity, work)).await
    }

    /// Runs a use case that writes: committed if it returns `Ok`, undone otherwise. It may share its commit with
    /// others.
    pub async fn write<T: Send + 'static>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let (value, waits) = Slot::pair();
        self.write_boxed(identity, None, Box::new(move |command| value.put(work(command)))).await?;
        waits.take()
    }

    /// Does `work` with the names of these texts, or finds those of any text when it meets it.
    pub(super) async fn write_boxed(
        &self,
        identity: &Identity,
        texts: Option<Arc<FoundTexts>>,
        work: BoxedCommand,
    ) -> Result<(), AppError> {
        let (app, identity) = (self.clone(), identity.clone());
        let write = move |tx: &mut WriteTx<'_>| {
            let texts = texts.as_deref().map_or(Texts::InPlace, Texts::FoundBefore);
            app.write_in(tx, &identity, texts, work)
        };
        self.inner.writers.run(self.client, write).await
    }

    /// As [`App::read`], on the calling thread: for programs without a runtime.
    pub fn read_now<T>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let now = self.now();
        self.inner.parts.database.read(|tx| {
            let caller = self.authenticate(tx, identity, now)?;
            work(&mut Query::new(tx.reborrow(), self, &caller, now))
        })
    }

    /// As [`App::write`], on the calling thread.
    pub fn write_now<T>(
        &self,
        identity: &Identity,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        self.write_in_turn(|tx| self.write_in(tx, identity, Texts::InPlace, work))
    }

    fn write_in<T>(
        &self,
        tx: &mut WriteTx<'_>,
        identity: &Identity,
        texts: Texts<'_>,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<T, AppError> {
        let now = self.now();
        let caller = self.authenticate(tx, identity, now)?;
        work(&mut Command { texts, ..Command::new(tx.reborrow(), self, &caller, now) })
    }

    /// Runs a use case as the server itself, without a caller: for the first start, the command line and jobs.
    pub fn command<T>(&self, work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>) -> Result<T, AppError> {
        let caller = Caller::default();
        let now = self.now();
        self.write_in_turn(|tx| work(&mut Command::new(tx.reborrow(), self, &caller, now)))
    }

    /// Runs a use case that reads as the server itself, without a caller.
    pub(crate) fn query<T>(&self, work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError>) -> Result<T, AppError> {
        let caller = Caller::default();
        let now = self.now();
        self.inner.parts.database.read(|tx| work(&mut Query::new(tx.reborrow(), self, &caller, now)))
    }

    /// As [`App::command_as`], for a use case that reads.
    pub(crate) fn query_as<T>(
        &self,
        user: UserId,
        rights: Rights,
        work: impl FnOnce(&mut Query<'_>) -> Result<T, AppError>,
    ) -> Result<Option<T>, AppError> {
        let now = self.now();
        self.inner.parts.database.read(|tx| {
            let Some(caller) = active_caller(tx, user, rights)? else { return Ok(None) };
            work(&mut Query::new(tx.reborrow(), self, &caller, now)).map(Some)
        })
    }

    /// Runs a use case as a user who has asked for it earlier, with the rights that they have now; `None` if they have
    /// no account that may do anything any more.
    pub(crate) fn command_as<T>(
        &self,
        user: UserId,
        rights: Rights,
        work: impl FnOnce(&mut Command<'_>) -> Result<T, AppError>,
    ) -> Result<Option<T>, AppError> {
        let now = self.now();
        self.write_in_turn(|tx| {
            let Some(caller) = active_caller(tx, user, rights)? else { return Ok(None) };
            work(&mut Command::new(tx.reborrow(), self, &caller, now)).map(Some)
        })
    }
}

/// The user as a caller; `None` if the account may not do anything.
fn active_caller(tx: &mut ReadTx<'_>, user: UserId, rights: Rights) -> Result<Option<Caller>, AppError> {
    let Some(user) = tenon_storage::user::find(tx, user)?.filter(User::may_act) else { return Ok(None) };
    let administers = match rights {
        Rights::OfAccount => user.admin,
        Rights::WithoutSession => viewer_without_session(tx, &user)?.is_admin(),
        Rights::OfRequest { administers } => administers && user.admin,
    };
    Ok(Some(Caller { administers, ..Caller::of(user) }))
}
