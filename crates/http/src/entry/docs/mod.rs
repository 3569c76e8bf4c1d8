//! The API description, and Swagger UI to read and try it, which loads nothing from other servers.

use std::io::Read as _;
use std::sync::Arc;

use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{self, Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use flate2::read::GzDecoder;
use tenon_edge::error::ApiError;
use utoipa_swagger_ui::{Config, SwaggerFile};

use crate::entry::state::Http;

/// Scripts, styles and data from this server only; no frames, no forms. The icons of Swagger UI are `data:` addresses
/// in its styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of Swagger UI that the page needs.
const PACKAGED: [&str; 2] = ["swagger-ui-bundle.js", "swagger-ui.css"];

/// Adds `openapi.json` and the viewer, below `/api`.
pub(crate) fn configure(http: &Http, config: &mut ServiceConfig) {
    let described = http.clone();
    serve(config, "/v4/openapi.json", move |_| Ok(plain("application/json", described.description()?)));
    for (path, content_type, body) in [
        ("/v4/docs", "text/html; charset=utf-8", include_bytes!("viewer.html").as_slice()),
        ("/v4/docs/viewer.js", "text/javascript; charset=utf-8", include_bytes!("viewer.js").as_slice()),
        ("/v4/docs/viewer.css", "text/css; charset=utf-8", include_bytes!("viewer.css").as_slice()),
    ] {
        serve(config, path, move |_| Ok(plain(content_type, Bytes::from_static(body))));
    }
    for name in PACKAGED {
        if let Ok(Some(file)) = utoipa_swagger_ui::serve(name, Arc::new(Config::from(""))) {
            let file = Arc::new(file);
            serve(config, &format!("/v4/docs/{name}"), move |request| Ok(packaged(&file, request)));
        }
    }
}

fn plain(content_type: &str, body: Bytes) -> HttpResponse {
    HttpResponse::Ok().content_type(content_type).insert_header((header::CACHE_CONTROL, "no-cache")).body(body)
}

/// A file of Swagger UI, which browsers keep for a day. It is stored in gzip, and unpacked for the few clients that do
/// not take that.
fn packaged(file: &SwaggerFile<'_>, request: &HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response
        .content_type(file.content_type.as_str())
        .insert_header((header::CACHE_CONTROL, "public, max-age=86400"))
        .insert_header((header::VARY, "Accept-Encoding"));
    if !file.gzpipped {
        return response.body(file.bytes.to_vec());
    }
    let accepted = request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    if accepted.split(',').any(|coding| coding.trim() == "gzip") {
        return response.insert_header((header::CONTENT_ENCODING, "gzip")).body(file.bytes.to_vec());
    }
    let mut unpacked = Vec::new();
    match GzDecoder::new(file.bytes.as_ref()).read_to_end(&mut unpacked) {
        Ok(_) => response.body(unpacked),
        Err(error) => ApiError::internal(&error).into_response(),
    }
}

fn serve(
    config: &mut ServiceConfig,
    path: &str,
    answer: impl Fn(&HttpRequest) -> Result<HttpResponse, ApiError> + Clone + 'static,
) {
    let answer = move |request: HttpRequest| {
        let mut response = answer(&request).unwrap_or_else(ApiError::into_response);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        async move { response }
    };
    config.service(web::resource(path).route(web::get().to(answer.clone())).route(web::head().to(answer)));
}
