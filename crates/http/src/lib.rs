//! The v4 REST API over actix-web.
//!
//! A request goes through `serve.rs`, which is to be read first: the table of routes (`routes.rs`), the parameters
//! (`params`), the credential that counts (`credentials.rs`), and then the handler of a resource, which calls one use
//! case and shapes its result. Failures become answers in one table, `error.rs`.

mod admission;
mod avatar;
mod award_emoji;
mod budget;
mod call;
mod connections;
mod contribution;
mod credentials;
mod custom_attribute;
mod docs;
mod error;
mod files;
mod git;
mod group;
mod health;
mod hook;
mod issuable;
mod issue;
mod json_time;
mod label;
mod large_bodies;
mod level;
mod markdown;
mod member;
mod merge_request;
mod metrics;
mod milestone;
mod namespace;
mod note;
mod openapi;
mod paging;
mod params;
mod pipeline;
mod project;
mod proxies;
mod release;
mod reply;
mod repository;
mod routes;
mod search;
mod serve;
mod sort;
mod system;
mod todo;
mod token;
mod upload;
mod user;

use std::net::TcpListener;
use std::sync::{Arc, OnceLock};

use actix_cors::Cors;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Bytes, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpServer};

pub use self::error::ApiError;
pub use self::proxies::NetworkError;
pub use self::routes::{RouteError, RouteInfo};

use tenon_app::App;

use self::budget::ByteBudget;
use self::connections::Connections;
use self::large_bodies::LargeBodies;
use self::metrics::Metrics;
use self::proxies::{Networks, TrustedProxies};
use self::routes::{RouteTable, Routes};

/// How long a browser may remember what another site may do here, in seconds.
const CORS_MAX_AGE: usize = 7_200;

/// Every route of the API.
fn all_routes() -> Result<RouteTable, RouteError> {
    let mut api = Routes::new();
    system::routes(&mut api);
    user::routes(&mut api);
    token::routes(&mut api);
    namespace::routes(&mut api);
    group::routes(&mut api);
    project::routes(&mut api);
    member::routes(&mut api);
    hook::routes(&mut api);
    upload::routes(&mut api);
    repository::routes(&mut api);
    release::routes(&mut api);
    search::routes(&mut api);
    custom_attribute::routes(&mut api);
    issue::routes(&mut api);
    issuable::routes(&mut api);
    merge_request::routes(&mut api);
    label::routes(&mut api);
    milestone::routes(&mut api);
    note::routes(&mut api);
    award_emoji::routes(&mut api);
    todo::routes(&mut api);
    contribution::routes(&mut api);
    markdown::routes(&mut api);
    pipeline::routes(&mut api);
    api.finish()
}

/// Every route of the API, for contract tests and the authorization matrix.
pub fn listing() -> Result<Vec<RouteInfo>, RouteError> {
    Ok(all_routes()?.listing())
}

/// The description of the API (OpenAPI, JSON), as it is checked in: with no server of its own.
pub fn openapi() -> Result<String, SetupError> {
    Ok(openapi::document(&all_routes()?, "").to_pretty_json()?)
}

/// Why the edge cannot be set up.
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

/// The edge of one server: everything that its workers share.
#[derive(Clone)]
pub struct Http(Arc<Shared>, Arc<Networks>);

/// From where the metrics may be read where nothing else is said: from this machine.
pub const DEFAULT_MONITORS: [&str; 2] = ["127.0.0.0/8", "::1"];

struct Shared {
    app: App,
    table: RouteTable,
    description: OnceLock<Bytes>,
    metrics: Metrics,
    proxies: TrustedProxies,
    connections: Connections,
    large_bodies: LargeBodies,
    small_bodies: ByteBudget,
    bodies: ByteBudget,
    answers: ByteBudget,
}

impl Http {
    /// The edge of `app`. `X-Forwarded-For` is believed if it comes from an address in `trusted_proxies`, which holds
    /// addresses and ranges such as `10.0.0.0/8`.
    pub fn new<T: AsRef<str>>(app: App, trusted_proxies: &[T]) -> Result<Self, SetupError> {
        Self::with_routes(app, all_routes()?, TrustedProxies::parse(trusted_proxies)?)
    }

    /// The same edge, whose metrics may be read from `monitors`, addresses and ranges, and from nowhere else.
    pub fn monitored_from<T: AsRef<str>>(self, monitors: &[T]) -> Result<Self, SetupError> {
        let monitors = Networks::parse(monitors).map_err(SetupError::Monitors)?;
        Ok(Self(self.0, Arc::new(monitors)))
    }

    fn with_routes(app: App, table: RouteTable, proxies: TrustedProxies) -> Result<Self, SetupError> {
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
            large_bodies: LargeBodies::default(),
        });
        Ok(Self(shared, Arc::new(monitors)))
    }

    /// The description of the API. It is written when somebody asks for it first: twenty megabytes on the way.
    fn description(&self) -> Result<Bytes, ApiError> {
        if let Some(known) = self.0.description.get() {
            return Ok(known.clone());
        }
        let written = openapi::document(&self.0.table, self.0.app.base_url()).to_json();
        let written = Bytes::from(written.map_err(|error| ApiError::internal(&error))?);
        Ok(self.0.description.get_or_init(|| written).clone())
    }

    fn app(&self) -> &App {
        &self.0.app
    }

    fn table(&self) -> &RouteTable {
        &self.0.table
    }

    fn connections(&self) -> &Connections {
        &self.0.connections
    }

    fn large_bodies(&self) -> &LargeBodies {
        &self.0.large_bodies
    }

    /// What the bodies of requests may occupy while they are received.
    fn bodies(&self) -> &ByteBudget {
        &self.0.bodies
    }

    /// What bodies may occupy that are as small as an anonymous caller's.
    fn small_bodies(&self) -> &ByteBudget {
        &self.0.small_bodies
    }

    /// What the answers may occupy until they are taken.
    fn answers(&self) -> &ByteBudget {
        &self.0.answers
    }

    fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    fn proxies(&self) -> &TrustedProxies {
        &self.0.proxies
    }

    fn monitors(&self) -> &Networks {
        &self.1
    }

    /// Adds the API, its description, the health checks and the files, and an answer for everything else.
    pub fn configure(&self, config: &mut ServiceConfig) {
        let http = self.clone();
        let api = move |request: HttpRequest, payload: Payload| serve::serve(http.clone(), request, payload);
        // Slashes before it are ignored like those within the path.
        let scope = web::scope("/{slashes:/*}api")
            .wrap(cors())
            .configure(|config| docs::configure(self, config))
            .default_service(web::to(api));
        config
            .service(scope)
            .configure(|config| health::configure(self, config))
            .configure(|config| git::configure(self, config))
            .configure(|config| files::configure(self, config));
    }
}

/// Any site may call the API, but only with a token of its own: cookies are never allowed across origins.
fn cors() -> Cors {
    Cors::default()
        .allow_any_origin()
        .send_wildcard()
        .allow_any_method()
        .allow_any_header()
        .expose_headers(paging::HEADERS)
        .max_age(CORS_MAX_AGE)
        .disable_vary_header()
}

/// A server for `http` on a socket that is bound already.
pub fn run(http: Http, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
    let counting = http.clone();
    let server = HttpServer::new(move || {
        let (http, admission) = (http.clone(), http.clone());
        let admit = from_fn(move |request, next| admission::admit(admission.clone(), request, next));
        actix_web::App::new().wrap(admit).configure(move |config| http.configure(config))
    });
    // A client of Git that has gone must not leave a process that packs for it.
    let server = server.on_connect(move |connection, data| connections::admit(&counting, connection, data));
    Ok(server.h1_allow_half_closed(false).workers(workers.max(1)).listen(listener)?.run())
}

#[cfg(test)]
mod tests;
