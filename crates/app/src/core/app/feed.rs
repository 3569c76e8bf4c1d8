//! The application's part in streams of events.

use std::sync::Arc;

use tenon_storage::ReadTx;

use super::App;
use crate::core::error::AppError;
use crate::core::event_feed::EventFeed;
use crate::core::spending::client::Client;

impl App {
    /// The feed for which streams of events wait.
    pub(crate) fn event_feed(&self) -> &Arc<EventFeed> {
        &self.inner.event_feed
    }

    /// Ends all streams of events, for good: the server stops.
    pub fn end_streams(&self) {
        self.inner.event_feed.end();
    }

    /// Reads for the server itself, on a thread for reads.
    pub(crate) async fn read_for_server<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut ReadTx<'_>) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        let database = self.inner.parts.database.clone();
        self.inner.readers.run(Client::Server, move || database.read(work)).await
    }
}
