//! The server: which entry point answers which address.

use std::net::TcpListener;

use actix_cors::Cors;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpServer};

use super::state::Http;
use super::{accept, admission, api, docs, files, git, health};
use crate::endpoint::paging;

/// How long a browser may remember what another site may do here, in seconds.
const CORS_MAX_AGE: usize = 7_200;

impl Http {
    /// Adds the API, its description, the health checks and the files, and an answer for everything else.
    pub fn configure(&self, config: &mut ServiceConfig) {
        let http = self.clone();
        let api = move |request: HttpRequest, payload: Payload| api::serve(http.clone(), request, payload);
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
    let server = server.on_connect(move |connection, data| accept::admit(&counting, connection, data));
    Ok(server.h1_allow_half_closed(false).workers(workers.max(1)).listen(listener)?.run())
}
