//! On which threads work that blocks is done.

use tenon_git::{CancelOnDrop, CancelToken};

use crate::core::app::App;
use crate::core::error::AppError;
use crate::core::highlighter::Highlighter;
use crate::core::spending::worker_pool::WorkerPool;

impl App {
    /// Tasks that wait for a thread, by pool.
    pub fn waiting(&self) -> [(&'static str, usize); 10] {
        let pools = &self.inner;
        [
            ("read", pools.readers.waiting()),
            ("credential", pools.credentials.waiting()),
            ("search", pools.searches.waiting()),
            ("text", pools.texts.waiting()),
            ("write", pools.writers.waiting()),
            ("git", pools.git.waiting()),
            ("git_long", pools.git_long.waiting()),
            ("inspect", pools.transfer_pools.inspectors().waiting()),
            ("password", pools.passwords.waiting()),
            ("highlight", pools.highlighter.as_ref().map_or(0, Highlighter::waiting)),
        ]
    }

    /// Runs work that blocks on one of the readers' threads.
    pub(crate) async fn on_reader<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.inner.readers.run(self.client, work).await
    }

    /// Hashes or checks a password, or checks an OpenPGP key, on threads of its own: it keeps a core busy for a tenth
    /// of a second.
    pub(crate) async fn on_password<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.inner.passwords.run(self.client, work).await
    }

    /// Runs work with Git to its end, on threads of its own: no read of the database waits behind it.
    pub(crate) async fn on_git<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.inner.git.run(self.client, work).await
    }

    /// Answers a short question to Git. It does not start, and its process ends, when the client has disconnected.
    pub(crate) async fn read_git<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.ask_git(&self.inner.git, work).await.map(disarmed)
    }

    /// As [`App::read_git`], for work that returns a stream: Git ends when the guard that comes with it is dropped.
    pub(crate) async fn open_git_stream<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<(T, CancelOnDrop), AppError> {
        self.ask_git(&self.inner.git, work).await
    }

    /// As [`App::read_git`], for what may take long: it waits for other questions of that kind only.
    pub(crate) async fn on_git_long<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.ask_git(&self.inner.git_long, work).await.map(disarmed)
    }

    async fn ask_git<T: Send + 'static>(
        &self,
        pool: &WorkerPool,
        work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
    ) -> Result<(T, CancelOnDrop), AppError> {
        let token = CancelToken::default();
        let cancels = token.on_drop();
        let answer = pool.answer(self.client, move || token.scope(work)).await?;
        Ok((answer, cancels))
    }
}

/// The answer of finished work, whose process of Git need not be ended any more.
fn disarmed<T>((answer, cancels): (T, CancelOnDrop)) -> T {
    cancels.disarm();
    answer
}
