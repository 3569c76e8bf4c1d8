//! The colours of code, for those who show it.

use std::sync::Arc;

use crate::core::app::App;
use crate::core::highlighter::{Colours, Source};

impl App {
    /// The colours of these texts, in their order. Waits for them all together for 60 ms at most: a text whose colours are not
    /// known by then is plain, and they are there at a later visit, unless they cannot be found. All are plain where the
    /// application has no program that finds them.
    pub async fn colours(&self, sources: Vec<Source>) -> Vec<Arc<Colours>> {
        match &self.inner.highlighter {
            Some(highlighter) => highlighter.colours(self.client, sources).await,
            None => sources.iter().map(|_| Arc::default()).collect(),
        }
    }

    /// Ends the process that finds colours, if it was not asked for long.
    pub(crate) async fn end_idle_highlighter(&self) {
        if let Some(highlighter) = &self.inner.highlighter
            && let Err(error) = highlighter.end_idle().await
        {
            tracing::warn!(%error, "an idle highlighter could not be ended");
        }
    }
}
