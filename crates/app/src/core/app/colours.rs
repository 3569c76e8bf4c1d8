//! The colours of code, for those who show it.

use std::sync::Arc;

use crate::core::app::App;
use crate::core::highlighter::{Colours, Fence, Origin, Source};

impl App {
    /// The colours of these texts, in their order. Waits for them all together for 60 ms at most: a text whose colours
    /// are not known by then is plain, and they are there at a later visit, unless they cannot be found. All are plain
    /// if the application has no program that finds them.
    pub async fn colours(&self, sources: Vec<Source>) -> Vec<Arc<Colours>> {
        match &self.inner.highlighter {
            Some(highlighter) => highlighter.colours(self.client, sources).await,
            None => sources.iter().map(|_| Arc::default()).collect(),
        }
    }

    /// The colours of a file that a page shows. Waits longer if it is short (`HighlightLimits::first`), so that it has
    /// them at the first visit.
    pub async fn colours_of_file(&self, source: Source) -> Arc<Colours> {
        match &self.inner.highlighter {
            Some(highlighter) => {
                highlighter.colours_of_short(self.client, vec![source]).await.pop().unwrap_or_default()
            }
            None => Arc::default(),
        }
    }

    /// The colours of all blocks of code in the texts of a page, in their order; waits as for a file that is as long as
    /// they are together. `origin` is if their failures are counted.
    pub async fn colours_of_fences(&self, origin: Origin, fences: Vec<Fence>) -> Vec<Arc<Colours>> {
        let sources: Vec<Source> = fences.into_iter().map(|fence| fence.source(origin)).collect();
        match &self.inner.highlighter {
            Some(highlighter) => highlighter.colours_of_short(self.client, sources).await,
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
