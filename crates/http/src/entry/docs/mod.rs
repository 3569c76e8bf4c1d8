//! The API description and a viewer for it, which loads nothing from other servers.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::{self, Bytes, ServiceConfig};
use tenon_edge::error::ApiError;

use crate::entry::state::Http;

/// Scripts, styles and data from this server only; no frames, no forms.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// Adds `openapi.json` and the viewer, below `/api`.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let described = http.clone();
    serve(config, "/v4/openapi.json", "application/json", move || described.description());
    let mut fixed = |path, content_type, body| serve(config, path, content_type, move || Ok(Bytes::from_static(body)));
    fixed("/v4/docs", "text/html; charset=utf-8", include_bytes!("viewer.html").as_slice());
    fixed("/v4/docs/viewer.js", "text/javascript; charset=utf-8", include_bytes!("viewer.js").as_slice());
    fixed("/v4/docs/viewer.css", "text/css; charset=utf-8", include_bytes!("viewer.css").as_slice());
}

fn serve(
    config: &mut ServiceConfig,
    path: &str,
    content_type: &'static str,
    body: impl Fn() -> Result<Bytes, ApiError> + Clone + 'static,
) {
    let answer = move || {
        let answer = body().map(|body| {
            HttpResponse::Ok()
                .insert_header((header::CONTENT_TYPE, content_type))
                .insert_header((header::CONTENT_SECURITY_POLICY, POLICY))
                .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
                .insert_header((header::CACHE_CONTROL, "no-cache"))
                .body(body)
        });
        async move { answer.unwrap_or_else(ApiError::into_response) }
    };
    config.service(web::resource(path).route(web::get().to(answer.clone())).route(web::head().to(answer)));
}
