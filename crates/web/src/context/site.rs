//! Parts of the application that all pages need.

use std::sync::LazyLock;

use tenon_edge::Edge;

use crate::kit::asset::Assets;

/// The parts of the application that all pages need: its edge, and the files that pages refer to. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SiteContext {
    edge: Edge,
    assets: &'static Assets,
}

impl SiteContext {
    pub(crate) fn new(edge: Edge) -> Self {
        // The same for every application in a process.
        static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::load);
        Self { edge, assets: &ASSETS }
    }

    pub(crate) fn edge(&self) -> &Edge {
        &self.edge
    }

    pub(crate) fn assets(&self) -> &'static Assets {
        self.assets
    }
}
