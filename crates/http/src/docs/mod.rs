//! The API description and a page to read it with, which loads nothing from anywhere else.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{self, Bytes, ServiceConfig};

/// Scripts, styles and data from this server alone, and nothing that could frame or submit.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Adds `openapi.json` and the viewer, below `/api`.
pub(crate) fn configure(description: &Bytes, config: &mut ServiceConfig) {
    serve(config, "/v4/openapi.json", "application/json", description.clone());
    serve(config, "/v4/docs", "text/html; charset=utf-8", Bytes::from_static(include_bytes!("viewer.html")));
    serve(
        config,
        "/v4/docs/viewer.js",
        "text/javascript; charset=utf-8",
        Bytes::from_static(include_bytes!("viewer.js")),
    );
    serve(config, "/v4/docs/viewer.css", "text/css; charset=utf-8", Bytes::from_static(include_bytes!("viewer.css")));
}

fn serve(config: &mut ServiceConfig, path: &str, content_type: &'static str, body: Bytes) {
    let answer = move || {
        let body = body.clone();
        async move {
            HttpResponse::Ok()
                .insert_header((header::CONTENT_TYPE, content_type))
                .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
                .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
                .insert_header((header::CACHE_CONTROL, "no-cache"))
                .body(body)
        }
    };
    config.service(web::resource(path).route(web::get().to(answer.clone())).route(web::head().to(answer)));
}
