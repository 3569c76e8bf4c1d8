//! The pages of an application.

use std::sync::{Arc, LazyLock};

use futures_util::FutureExt as _;
use tenon_edge::{Edge, Fallback};

use super::request;
use crate::context::site::SiteContext;
use crate::dispatch::pages::Dispatch;
use crate::table::page_table::RouteError;

/// The pages of an application. Cheap to clone.
#[derive(Clone)]
pub struct Site {
    context: SiteContext,
    pages: Arc<Dispatch>,
}

impl Site {
    /// The pages of the application behind `edge`. Fails if a table of pages contradicts itself.
    pub fn new(edge: Edge) -> Result<Self, RouteError> {
        static PAGES: LazyLock<Result<Arc<Dispatch>, RouteError>> = LazyLock::new(|| Dispatch::new().map(Arc::new));
        Ok(Self { context: SiteContext::new(edge), pages: PAGES.clone()? })
    }

    /// The handler of all paths that belong neither to the API, nor to Git, nor to files.
    #[must_use]
    pub fn fallback(&self) -> Fallback {
        let site = self.clone();
        Arc::new(move |request, payload| {
            request::serve(site.context.clone(), site.pages.clone(), request, payload).boxed_local()
        })
    }
}
