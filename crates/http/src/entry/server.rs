//! The server: which entry point serves which path.

use std::net::TcpListener;

use actix_cors::Cors;
use actix_web::dev::Server;
use actix_web::middleware::from_fn;
use actix_web::web::{self, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpServer};

use super::state::Http;
use super::{accept, admission, api, docs, files, git, health, oauth};
use crate::endpoint::paging;

/// How long a browser may cache the CORS rules, in seconds.
const CORS_MAX_AGE: usize = 7_200;

impl Http {
    /// Adds the API, its description, OAuth, the health checks, Git and the files, which also answer all other paths.
    pub fn configure(&self, config: &mut ServiceConfig) {
        let http = self.clone();
        let api = move |request: HttpRequest, payload: Payload| api::serve(http.clone(), request, payload);
        // Leading slashes are ignored like repeated ones within the path.
        let scope = web::scope("/{slashes:/*}api")
            .wrap(cors())
            .configure(|config| docs::configure(self, config))
            .default_service(web::to(api));
        config.service(scope);
        for path in oauth::PATHS {
            let http = self.clone();
            let answer = move |request: HttpRequest, payload: Payload| oauth::serve(http.clone(), request, payload);
            config.service(web::resource(path).wrap(cors()).default_service(web::to(answer)));
        }
        config
            .configure(|config| health::configure(self, config))
            .configure(|config| git::configure(self, config))
            .configure(|config| files::configure(self, config));
    }
}

/// Any origin may call the API, but only with a token: cookies are never sent across origins.
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

/// A server for `http` on a socket that is already bound.
pub fn run(http: Http, listener: TcpListener, workers: usize) -> std::io::Result<Server> {
    let counting = http.clone();
    let server = HttpServer::new(move || {
        let (http, admission) = (http.clone(), http.clone());
        let admit = from_fn(move |request, next| admission::admit(admission.clone(), request, next));
        actix_web::App::new().wrap(admit).configure(move |config| http.configure(config))
    });
    // A Git client that disconnects must not leave a packing process behind.
    let server = server.on_connect(move |connection, data| accept::admit(&counting, connection, data));
    Ok(server.h1_allow_half_closed(false).workers(workers.max(1)).listen(listener)?.run())
}
