//! Which entry point serves which path.

use actix_cors::Cors;
use actix_web::HttpRequest;
use actix_web::web::{self, Payload, ServiceConfig};

use super::state::Http;
use super::{api, docs, files, git, lfs, oauth};
use crate::endpoint::paging;

/// How long a browser may cache the CORS rules, in seconds.
const CORS_MAX_AGE: usize = 7_200;

impl Http {
    /// Adds the API, its description, OAuth, the health checks, Git and the files. The last pass on all other paths.
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
            .configure(|config| tenon_edge::health::configure(self.edge(), config))
            .configure(|config| lfs::configure(self, config))
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
