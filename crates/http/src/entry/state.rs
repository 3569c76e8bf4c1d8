//! The state that all workers of one server share.

use std::sync::{Arc, OnceLock};

use actix_web::web::Bytes;
use tenon_app::App;
use tenon_edge::error::ApiError;
use tenon_edge::{Edge, Fallback};

use crate::all_routes::all_routes;
use crate::endpoint::RouteTable;
use crate::endpoint::routes::RouteError;
use crate::openapi;

/// Why the API cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The table of routes contradicts itself.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The API description cannot be written.
    #[error(transparent)]
    Description(#[from] serde_json::Error),
}

/// The API, Git over HTTP and the files of an application. Cheap to clone.
#[derive(Clone)]
pub struct Http(Arc<Shared>);

struct Shared {
    edge: Edge,
    table: Arc<RouteTable>,
    fallback: Option<Fallback>,
    description: OnceLock<Bytes>,
}

impl Http {
    /// The entry points of the application behind `edge`. Other paths are answered by `fallback`, or with 404 if there
    /// is none. Fails if the table of routes contradicts itself.
    pub fn new(edge: Edge, fallback: Option<Fallback>) -> Result<Self, SetupError> {
        Ok(Self::with_routes(edge, all_routes()?, fallback))
    }

    pub(crate) fn with_routes(edge: Edge, table: Arc<RouteTable>, fallback: Option<Fallback>) -> Self {
        Self(Arc::new(Shared { edge, table, fallback, description: OnceLock::new() }))
    }

    /// The API description. It is written on the first request for it: that takes twenty megabytes.
    pub(crate) fn description(&self) -> Result<Bytes, ApiError> {
        if let Some(known) = self.0.description.get() {
            return Ok(known.clone());
        }
        let written = openapi::document(&self.0.table, self.app().base_url()).to_json();
        let written = Bytes::from(written.map_err(|error| ApiError::internal(&error))?);
        Ok(self.0.description.get_or_init(|| written).clone())
    }

    pub(crate) fn edge(&self) -> &Edge {
        &self.0.edge
    }

    pub(crate) fn app(&self) -> &App {
        self.0.edge.app()
    }

    pub(crate) fn table(&self) -> &RouteTable {
        &self.0.table
    }

    pub(crate) fn fallback(&self) -> Option<&Fallback> {
        self.0.fallback.as_ref()
    }
}
