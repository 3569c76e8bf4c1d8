//! What all pages need of the application.

use std::sync::LazyLock;

use tenon_edge::Edge;

use crate::kit::asset::Assets;

/// What all pages need of the application: its edge, and the files that pages refer to. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SiteContext(Edge);

impl SiteContext {
    pub(crate) fn new(edge: Edge) -> Self {
        Self(edge)
    }

    pub(crate) fn edge(&self) -> &Edge {
        &self.0
    }

    /// The same for every application in a process.
    pub(crate) fn assets(&self) -> &'static Assets {
        static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::load);
        &ASSETS
    }
}
