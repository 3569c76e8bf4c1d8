//! The state that all workers of one server share.

use std::sync::Arc;

use tenon_app::{App, Connections};
use tenon_domain::network::{NetworkError, Networks};

use crate::metrics::Metrics;
use crate::wire::body_permits::BodyPermits;
use crate::wire::budget::ByteBudget;
use crate::wire::proxies::TrustedProxies;

/// The reason why the HTTP server cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The list of trusted proxies cannot be read.
    #[error("trusted proxies: {0}")]
    Proxies(NetworkError),
    /// The list of monitoring systems cannot be read.
    #[error("monitoring allowlist: {0}")]
    Monitors(NetworkError),
    /// The metrics contradict each other.
    #[error(transparent)]
    Metrics(#[from] prometheus::Error),
}

/// The default allowlist of the metrics: this machine.
pub const DEFAULT_MONITORS: [&str; 2] = ["127.0.0.0/8", "::1"];

/// The state that all requests to one server share: its application, and the budgets of their clients. Cheap to clone.
#[derive(Clone)]
pub struct Edge(Arc<Shared>);

struct Shared {
    app: App,
    metrics: Metrics,
    proxies: TrustedProxies,
    monitors: Networks,
    connections: Connections,
    body_permits: BodyPermits,
    small_bodies: ByteBudget,
    bodies: ByteBudget,
    answers: ByteBudget,
}

impl Edge {
    /// The edge of `app`. `X-Forwarded-For` is trusted if it comes from an address in `trusted_proxies`; the metrics
    /// are shown to `monitors` only. Both hold addresses and ranges such as `10.0.0.0/8`, and one that cannot be read
    /// is an error.
    pub fn new<P: AsRef<str>, M: AsRef<str>>(
        app: App,
        trusted_proxies: &[P],
        monitors: &[M],
    ) -> Result<Self, SetupError> {
        let limits = app.limits();
        let (bodies, answers) = (&limits.bodies, &limits.answers);
        Ok(Self(Arc::new(Shared {
            connections: Connections::new(limits.connections.all, limits.connections.per_network),
            small_bodies: ByteBudget::new(bodies.small_in_flight, bodies.small_in_flight / 4),
            bodies: ByteBudget::new(bodies.in_flight, bodies.in_flight_per_client),
            answers: ByteBudget::new(answers.in_flight, answers.in_flight_per_client),
            app,
            metrics: Metrics::new()?,
            proxies: TrustedProxies::parse(trusted_proxies).map_err(SetupError::Proxies)?,
            monitors: Networks::parse(monitors).map_err(SetupError::Monitors)?,
            body_permits: BodyPermits::default(),
        })))
    }

    /// The application.
    pub fn app(&self) -> &App {
        &self.0.app
    }

    /// The permits of large bodies.
    pub fn body_permits(&self) -> &BodyPermits {
        &self.0.body_permits
    }

    /// The budget of request bodies.
    pub fn bodies(&self) -> &ByteBudget {
        &self.0.bodies
    }

    /// The budget of request bodies within the limit of anonymous callers.
    pub fn small_bodies(&self) -> &ByteBudget {
        &self.0.small_bodies
    }

    /// The proxies that are trusted to name the addresses of clients.
    pub fn proxies(&self) -> &TrustedProxies {
        &self.0.proxies
    }

    pub(crate) fn connections(&self) -> &Connections {
        &self.0.connections
    }

    /// The budget of responses until the clients have read them.
    pub(crate) fn answers(&self) -> &ByteBudget {
        &self.0.answers
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn monitors(&self) -> &Networks {
        &self.0.monitors
    }
}
