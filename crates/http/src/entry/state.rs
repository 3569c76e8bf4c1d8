//! The state that all workers of one server share.

use std::sync::{Arc, OnceLock};

use actix_web::web::Bytes;
use tenon_app::App;

use super::connections::Connections;
use super::metrics::Metrics;
use crate::all_routes::all_routes;
use crate::endpoint::RouteTable;
use crate::endpoint::routes::RouteError;
use crate::openapi;
use crate::wire::body_permits::BodyPermits;
use crate::wire::budget::ByteBudget;
use crate::wire::error::ApiError;
use crate::wire::proxies::{NetworkError, Networks, TrustedProxies};

/// Why the HTTP server cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The table of routes contradicts itself.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// The list of trusted proxies cannot be read.
    #[error("trusted proxies: {0}")]
    Proxies(#[from] NetworkError),
    /// The list of monitoring systems cannot be read.
    #[error("monitoring allowlist: {0}")]
    Monitors(NetworkError),
    /// The metrics contradict each other.
    #[error(transparent)]
    Metrics(#[from] prometheus::Error),
    /// The API description cannot be written.
    #[error(transparent)]
    Description(#[from] serde_json::Error),
}

/// The HTTP server of an application: its state, which all workers share.
#[derive(Clone)]
pub struct Http(Arc<Shared>, Arc<Networks>);

/// The default allowlist of the metrics: this machine.
pub const DEFAULT_MONITORS: [&str; 2] = ["127.0.0.0/8", "::1"];

struct Shared {
    app: App,
    table: RouteTable,
    description: OnceLock<Bytes>,
    metrics: Metrics,
    proxies: TrustedProxies,
    connections: Connections,
    body_permits: BodyPermits,
    small_bodies: ByteBudget,
    bodies: ByteBudget,
    answers: ByteBudget,
}

impl Http {
    /// The server of `app`. `X-Forwarded-For` is trusted if it comes from an address in `trusted_proxies`, which holds
    /// addresses and ranges such as `10.0.0.0/8`.
    pub fn new<T: AsRef<str>>(app: App, trusted_proxies: &[T]) -> Result<Self, SetupError> {
        Self::with_routes(app, all_routes()?, TrustedProxies::parse(trusted_proxies)?)
    }

    /// Allows the metrics to be read from `monitors` only, which holds addresses and ranges.
    pub fn monitored_from<T: AsRef<str>>(self, monitors: &[T]) -> Result<Self, SetupError> {
        let monitors = Networks::parse(monitors).map_err(SetupError::Monitors)?;
        Ok(Self(self.0, Arc::new(monitors)))
    }

    pub(crate) fn with_routes(app: App, table: RouteTable, proxies: TrustedProxies) -> Result<Self, SetupError> {
        let monitors = Networks::parse(&DEFAULT_MONITORS).map_err(SetupError::Monitors)?;
        let limits = app.limits();
        let (bodies, answers) = (&limits.bodies, &limits.answers);
        let shared = Arc::new(Shared {
            connections: Connections::new(limits),
            small_bodies: ByteBudget::new(bodies.small_in_flight, bodies.small_in_flight / 4),
            bodies: ByteBudget::new(bodies.in_flight, bodies.in_flight_per_client),
            answers: ByteBudget::new(answers.in_flight, answers.in_flight_per_client),
            app,
            table,
            description: OnceLock::new(),
            metrics: Metrics::new()?,
            proxies,
            body_permits: BodyPermits::default(),
        });
        Ok(Self(shared, Arc::new(monitors)))
    }

    /// The API description. It is written on the first request for it: that takes twenty megabytes.
    pub(crate) fn description(&self) -> Result<Bytes, ApiError> {
        if let Some(known) = self.0.description.get() {
            return Ok(known.clone());
        }
        let written = openapi::document(&self.0.table, self.0.app.base_url()).to_json();
        let written = Bytes::from(written.map_err(|error| ApiError::internal(&error))?);
        Ok(self.0.description.get_or_init(|| written).clone())
    }

    pub(crate) fn app(&self) -> &App {
        &self.0.app
    }

    pub(crate) fn table(&self) -> &RouteTable {
        &self.0.table
    }

    pub(crate) fn connections(&self) -> &Connections {
        &self.0.connections
    }

    pub(crate) fn body_permits(&self) -> &BodyPermits {
        &self.0.body_permits
    }

    /// The budget of request bodies.
    pub(crate) fn bodies(&self) -> &ByteBudget {
        &self.0.bodies
    }

    /// The budget of request bodies within the limit of anonymous callers.
    pub(crate) fn small_bodies(&self) -> &ByteBudget {
        &self.0.small_bodies
    }

    /// The budget of responses until the clients have read them.
    pub(crate) fn answers(&self) -> &ByteBudget {
        &self.0.answers
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn proxies(&self) -> &TrustedProxies {
        &self.0.proxies
    }

    pub(crate) fn monitors(&self) -> &Networks {
        &self.1
    }
}
